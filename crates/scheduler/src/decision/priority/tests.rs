use crate::testing::{node, objects, pod, without};

#[test]
fn a_priority_class_matters_where_the_priority_may_be_missing() {
    let named = |priority| pod("p").priority(priority).with("/spec/priorityClassName", "high");
    for (objects, expected) in [
        (objects![node("n"), pod("p")], "info"),
        (objects![node("n"), named(7)], "info"),
        (objects![node("n"), named(0)], "warning"),
    ] {
        assert_eq!(without("1.37", "priorityclasses", objects), expected);
    }
}
