use crate::testing::{node, objects, pod, without};

#[test]
fn budgets_matter_where_pods_would_be_evicted() {
    let full = || objects![node("n").cpu("1"), pod("low").cpu("1").on("n")];
    for (objects, expected) in [
        ([full(), objects![pod("p").cpu("1").priority(9)]].concat(), "error"),
        ([full(), objects![pod("p").cpu("1")]].concat(), "info"),
        ([full(), objects![pod("p").cpu("9").priority(9)]].concat(), "info"),
        (objects![node("n"), pod("p")], "info"),
    ] {
        assert_eq!(without("1.37", "poddisruptionbudgets", objects), expected);
    }
}
