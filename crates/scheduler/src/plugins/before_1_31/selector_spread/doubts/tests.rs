use crate::testing::{node, objects, pod, without};

#[test]
fn services_and_controllers_matter_where_scores_decide() {
    for resource in ["services", "replicationcontrollers", "replicasets", "statefulsets"] {
        for (objects, expected) in [
            (objects![node("a"), node("b"), pod("p")], "error"),
            (objects![node("a"), pod("p")], "info"),
        ] {
            assert_eq!(without("1.16", resource, objects), expected, "{resource}");
        }
    }
}
