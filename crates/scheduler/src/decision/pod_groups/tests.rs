use serde_json::{Value, json};

use super::settle;
use crate::testing::{At, Pod, at, cluster, node, notes_at, objects, pod, pod_group, workload};
use profile::pod_groups::GroupEvidence;

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
    for (row, at, objects, header, expected) in [
        ("off by default", at("1.37"), objects![node("n"), pod("p")], json!({}), None),
        ("a pod that names a group", at("1.37"), fits(Vec::new()), json!({}), Some("error")),
        (
            "the gate",
            at("1.37").gates("GenericWorkload=true"),
            fits(Vec::new()),
            json!({}),
            Some("error"),
        ),
        ("PodGroups", at("1.37"), fits(objects![pod_group("gang")]), json!({}), Some("error")),
        (
            "PodGroups of another scheduler",
            at("1.37"),
            objects![
                node("n"),
                pod("p"),
                pod_group("gang").with("/apiVersion", "scheduling.volcano.sh/v1beta1")
            ],
            json!({}),
            None,
        ),
        (
            "PodGroups of others",
            at("1.37"),
            objects![node("n"), pod("p"), pod_group("x")],
            json!({}),
            None,
        ),
        (
            "said to be off",
            at("1.37").gates("GenericWorkload=false"),
            fits(objects![pod_group("g")]),
            json!({}),
            Some("info"),
        ),
        (
            "a static pod of the scheduler that does not set it",
            at("1.37"),
            fits(objects![pod_group("g")]),
            json!({"scheduler": {"pods": ["kube-scheduler-a"]}}),
            Some("info"),
        ),
        ("before the gate", at("1.34"), fits(objects![pod_group("gang")]), json!({}), Some("info")),
        ("PodGroups that could not be read", at("1.37"), fits(Vec::new()), unread, Some("error")),
        (
            "rules for groups that are not known",
            at("1.38").gates("GenericWorkload=true"),
            fits(Vec::new()),
            json!({}),
            Some("error"),
        ),
        (
            "those rules, and off",
            at("1.38").gates("GenericWorkload=false"),
            fits(Vec::new()),
            json!({}),
            Some("info"),
        ),
        (
            "those rules, without a group",
            at("1.38"),
            objects![node("n"), pod("p")],
            json!({}),
            None,
        ),
    ] {
        let notes = notes(at, objects, &header);
        let severity =
            notes.first().and_then(|note| note.split_once(' ')).map(|(severity, _)| severity);
        assert_eq!(severity, expected, "{row}: {notes:?}");
        let harmless = notes.iter().any(|note| note.contains("the scheduler ignores"));
        assert_eq!(harmless, expected == Some("info"), "{row}: {notes:?}");
    }
}

#[test]
fn the_gate_is_what_flags_or_the_input_show() {
    use GroupEvidence::{Gate, Named, Served, Written};
    let rejected = pod("p").refused(
        "pod group is unschedulable, minCount (3) cannot be satisfied: 2 scheduled, 0 remaining",
    );
    let alone = pod("p").refused("0/1 nodes are available: 1 Insufficient cpu.");
    let scheduled = pod_group("g").with(
        "/status/conditions",
        json!([{"type": "PodGroupInitiallyScheduled", "status": "True"}]),
    );
    let older =
        || pod("p").with("/spec/workloadRef", json!({"name": "train", "podGroup": "workers"}));
    let parts = || workload("train", &json!([{"name": "workers", "policy": {"basic": {}}}]));
    let (on, off) = ("GenericWorkload=true", "GenericWorkload=false");
    for (row, at, objects, expected) in [
        ("nothing of groups", at("1.37"), objects![node("n"), alone], (Gate, false)),
        ("the flag", at("1.37").gates(on), objects![node("n"), pod("p")], (Gate, true)),
        (
            "the flag says off",
            at("1.37").gates(off),
            objects![rejected.clone(), pod_group("g")],
            (Gate, false),
        ),
        (
            "before the gate",
            at("1.34"),
            objects![grouped(pod("p")), pod_group("gang")],
            (Gate, false),
        ),
        ("a message about a group", at("1.37"), objects![rejected], (Written, true)),
        ("the condition of a group", at("1.37"), objects![scheduled], (Written, true)),
        ("a PodGroup", at("1.37"), objects![pod_group("g")], (Served, true)),
        ("a pod that names a group", at("1.37"), objects![grouped(pod("p"))], (Named, true)),
        ("a pod of 1.35 that names one", at("1.35"), objects![older()], (Named, true)),
        ("a Workload of 1.35", at("1.35"), objects![parts()], (Served, true)),
        ("both in a later version", at("1.36"), objects![older(), parts()], (Gate, false)),
        (
            "a PodGroup in 1.35",
            at("1.35"),
            objects![grouped(pod("p")), pod_group("gang")],
            (Gate, false),
        ),
        ("a PodGroup in 1.38", at("1.38"), objects![pod_group("g")], (Served, true)),
        ("nothing in 1.38", at("1.38"), objects![pod("p")], (Gate, false)),
    ] {
        let profile = settle(at.profile(), &cluster(objects));
        assert_eq!(
            (profile.group_evidence.unwrap(), profile.features.pod_groups.pod_groups),
            expected,
            "{row}"
        );
    }
}

/// 1.35 reads the Workload that a pod names, and later versions the PodGroup.
#[test]
fn a_reference_counts_in_the_versions_that_read_it() {
    let (on, gangs) = ("GenericWorkload=true", "GenericWorkload=true,GangScheduling=true");
    let of_workload =
        || pod("p").with("/spec/workloadRef", json!({"name": "train", "podGroup": "workers"}));
    let train = || {
        objects![workload(
            "train",
            &json!([{"name": "workers", "policy": {"gang": {"minCount": 1}}}])
        )]
    };
    let probably = "error Pod default/p: the gate GenericWorkload of kube-scheduler is probably on; whether GangScheduling is is not \
                    known, and it is taken to be off";
    let ignores = |why: &str| format!("info Pod default/p: belongs to group {why}");
    let gate_off =
        ignores("train/workers, which the scheduler ignores while the gate GangScheduling is off");
    let unknown = ignores(
        "train/workers, which the scheduler ignores: this version does not know spec.workloadRef",
    );
    let later = ignores(
        "gang, which the scheduler ignores: this version does not know spec.schedulingGroup",
    );
    let off =
        ignores("train/workers, which the scheduler ignores while the gate GenericWorkload is off");
    for (row, at, pod, expected) in [
        ("nothing says what the gates are", at("1.35"), of_workload(), Some(probably)),
        ("only one gate", at("1.35").gates(on), of_workload(), Some(&*gate_off)),
        ("both gates", at("1.35").gates(gangs), of_workload(), None),
        ("said to be off", at("1.35").gates("GenericWorkload=false"), of_workload(), Some(&*off)),
        ("a later version", at("1.36"), of_workload(), Some(&*unknown)),
        ("a PodGroup in 1.35", at("1.35").gates(gangs), grouped(pod("p")), Some(&*later)),
    ] {
        let mut notes = notes_at(at, [objects![node("n"), pod], train()].concat(), &json!({}));
        notes.retain(|note| {
            note.contains("Pod default/p") && !note.contains("PRE-931") && !note.contains("Permit")
        });
        assert_eq!(notes.first().map(String::as_str), expected, "{row}: {notes:?}");
        assert!(notes.len() < 2, "{row}: {notes:?}");
    }
}

#[test]
fn groups_of_pods_that_may_be_evicted_decide() {
    let full = |p: Pod| {
        objects![node("n").cpu("1"), grouped(pod("v")).cpu("1").on("n"), p.cpu("1").priority(9)]
    };
    let doubt = "error Pod default/v: belongs to a pod group, and whether groups are evicted as a whole is not certain";
    for (row, at, more, expected) in [
        ("said to be off", at("1.37").gates("GenericWorkload=false"), Vec::new(), None),
        ("the gate", at("1.37").gates("GenericWorkload=true"), Vec::new(), None),
        ("a pod names its group", at("1.37"), Vec::new(), Some(doubt)),
        ("PodGroups", at("1.37"), objects![pod_group("gang")], Some(doubt)),
        ("1.38", at("1.38").gates("GenericWorkload=true"), Vec::new(), None),
    ] {
        let notes = notes(at, [full(pod("p")), more].concat(), &json!({}));
        assert_eq!(notes.first().map(String::as_str), expected, "{row}");
    }
    let nothing_to_evict =
        objects![node("n"), node("m"), grouped(pod("v")).on("n"), pod("p"), pod_group("gang")];
    assert!(notes(at("1.37"), nothing_to_evict, &json!({})).is_empty());
}
