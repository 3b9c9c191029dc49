use serde_json::{Value, json};

use crate::testing::{At, Pod, at, node, notes_at, objects, pod, pod_group};

fn grouped(pod: Pod) -> Pod {
    pod.with("/spec/schedulingGroup/podGroupName", "gang")
}

/// The notes about pod groups, without those about the version and gates.
fn notes(at: At, objects: Vec<Value>, header: &Value) -> Vec<String> {
    let mut notes = notes_at(at, objects, header);
    notes.retain(|note| note.contains("belongs to") && note.contains("Pod default/"));
    notes
}

fn fits(more: Vec<Value>) -> Vec<Value> {
    [objects![node("n"), grouped(pod("p"))], more].concat()
}

#[test]
fn a_group_decides_where_something_shows_that_groups_are_on() {
    let unread = json!({"unreadable": [{"resource": "podgroups", "reason": "no"}]});
    let written = |message: &str| objects![node("n"), pod("p").refused(message)];
    for (row, at, objects, header, expected) in [
        ("off by default", at("1.37"), fits(Vec::new()), json!({}), Some("info")),
        ("the gate", at("1.37").gates("GenericWorkload=true"), fits(Vec::new()), json!({}), Some("error")),
        ("PodGroups", at("1.37"), fits(objects![pod_group("gang")]), json!({}), Some("error")),
        (
            "PodGroups of another scheduler",
            at("1.37"),
            fits(objects![pod_group("gang").with("/apiVersion", "scheduling.volcano.sh/v1beta1")]),
            json!({}),
            Some("info"),
        ),
        ("PodGroups of others", at("1.37"), objects![node("n"), pod("p"), pod_group("x")], json!({}), None),
        (
            "said to be off",
            at("1.37").gates("GenericWorkload=false"),
            fits(objects![pod_group("g")]),
            json!({}),
            Some("info"),
        ),
        ("before the gate", at("1.34"), fits(objects![pod_group("gang")]), json!({}), Some("info")),
        ("PodGroups that could not be read", at("1.37"), fits(Vec::new()), unread, Some("error")),
        ("planned", at("1.38"), fits(Vec::new()), json!({}), Some("error")),
        ("planned, and off", at("1.38").gates("GenericWorkload=false"), fits(Vec::new()), json!({}), Some("info")),
        ("planned, without a group", at("1.38"), objects![node("n"), pod("p")], json!({}), None),
        (
            "a message about a group",
            at("1.37"),
            written("pod group is unschedulable, minCount (3) cannot be satisfied: 2 scheduled, 0 remaining"),
            json!({}),
            Some("error"),
        ),
        ("a message about a pod", at("1.37"), written("0/1 nodes are available: 1 Insufficient cpu."), json!({}), None),
    ] {
        let notes = notes(at, objects, &header);
        let severity = notes.first().and_then(|note| note.split_once(' ')).map(|(severity, _)| severity);
        assert_eq!(severity, expected, "{row}: {notes:?}");
        let harmless = notes.iter().any(|note| note.contains("the scheduler ignores"));
        assert_eq!(harmless, expected == Some("info"), "{row}: {notes:?}");
    }
}

#[test]
fn the_older_reference_counts_as_well() {
    let older = pod("p").with("/spec/workloadRef/name", "gang");
    let notes = notes(at("1.35"), objects![node("n"), older, pod_group("gang")], &json!({}));
    assert!(
        notes[0].starts_with("error Pod default/p: belongs to group gang, and the cluster has PodGroups"),
        "{notes:?}"
    );
}

#[test]
fn groups_of_pods_that_may_be_evicted_decide() {
    let full = |p: Pod| objects![node("n").cpu("1"), grouped(pod("v")).cpu("1").on("n"), p.cpu("1").priority(9)];
    let together =
        "error Pod default/v: belongs to a pod group: its pods may be evicted together, which is not modelled";
    for (row, at, more, expected) in [
        ("off by default", at("1.37"), Vec::new(), None),
        ("the gate", at("1.37").gates("GenericWorkload=true"), Vec::new(), Some(together)),
        ("PodGroups", at("1.37"), objects![pod_group("gang")], Some(together)),
        ("planned", at("1.38"), Vec::new(), Some(together)),
    ] {
        let notes = notes(at, [full(pod("p")), more].concat(), &json!({}));
        assert_eq!(notes.first().map(String::as_str), expected, "{row}");
    }
    let nothing_to_evict = objects![node("n"), node("m"), grouped(pod("v")).on("n"), pod("p"), pod_group("gang")];
    assert!(notes(at("1.37"), nothing_to_evict, &json!({})).is_empty());
}
