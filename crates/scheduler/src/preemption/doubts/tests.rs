use crate::testing::{assert_ends, decide, node, objects, pod, without};

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

#[test]
fn other_nodes_may_win_only_where_there_are_several() {
    let text = |others: Vec<serde_json::Value>| {
        let mut objects =
            [objects![node("n").cpu("12"), pod("p").cpu("1100m").priority(9)], others].concat();
        let victim = |at: u32| pod(&format!("v-{at}")).cpu(&format!("{}m", 300 + 30 * at)).on("n");
        objects.extend((0..20).map(|at| victim(at).started("2025-06-01T00:00:00Z").into()));
        let notes = decide(objects, "p").notes();
        let about = |note: &&String| note.contains("too many orders");
        notes.iter().find(about).unwrap_or_else(|| panic!("{notes:?}")).clone()
    };
    let alone = text(Vec::new());
    assert_ends(&alone, "equally important pods to try each: other pods may be evicted");
    let two = text(objects![node("m").cpu("1200m"), pod("w").cpu("1200m").on("m")]);
    assert_ends(&two, "equally important pods to try each: other nodes may win");
}
