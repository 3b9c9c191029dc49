use crate::testing::{node, objects, pod, without};

#[test]
fn services_and_controllers_matter_to_default_spreading() {
    let two = || objects![node("a"), node("b")];
    for resource in ["services", "replicationcontrollers", "replicasets", "statefulsets"] {
        for (version, objects, expected) in [
            ("1.37", [two(), objects![pod("p")]].concat(), "error"),
            ("1.37", [two(), objects![pod("p").spread("zone", 1, "app", "a")]].concat(), "info"),
            ("1.37", objects![node("a"), pod("p")], "info"),
        ] {
            assert_eq!(without(version, resource, objects), expected, "{version} {resource}");
        }
    }
}
