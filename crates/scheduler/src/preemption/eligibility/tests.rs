use serde_json::json;

use crate::testing::{Node, Pod, at, decide, node, objects, pod};

const TERMINATING: &str = "not eligible due to a terminating pod on the nominated node.";

fn full() -> Node {
    node("n").cpu("1")
}

fn victim() -> Pod {
    pod("v").cpu("1").on("n")
}

fn incoming() -> Pod {
    pod("p").cpu("1").priority(10).nominated("n")
}

#[test]
fn terminating_victim_of_an_earlier_preemption_is_awaited() {
    let condition = |status: &str, reason: &str| json!({"type": "DisruptionTarget", "status": status, "reason": reason});
    for (row, victim, want) in [
        ("preempted and terminating", victim().preempted(), TERMINATING),
        (
            "not terminating yet",
            victim().push("/status/conditions", condition("True", "PreemptionByScheduler")),
            "",
        ),
        ("deleted by a user", victim().terminating(), ""),
        (
            "deleted for another reason",
            victim()
                .terminating()
                .push("/status/conditions", condition("True", "EvictionByEvictionAPI")),
            "",
        ),
        (
            "the condition is not true",
            victim()
                .terminating()
                .push("/status/conditions", condition("False", "PreemptionByScheduler")),
            "",
        ),
        (
            "only the first condition of the type counts",
            victim()
                .terminating()
                .push("/status/conditions", condition("True", "DeletionByTaintManager"))
                .push("/status/conditions", condition("True", "PreemptionByScheduler")),
            "",
        ),
        (
            "conditions of other types do not matter",
            victim()
                .push("/status/conditions", json!({"type": "Ready", "status": "False"}))
                .preempted(),
            TERMINATING,
        ),
        ("of the same priority", victim().preempted().priority(10), ""),
        ("of one priority less", victim().preempted().priority(9), TERMINATING),
        ("on another node", victim().preempted().on("m"), ""),
    ] {
        let objects = objects![
            full(),
            node("m").cpu("1").cordoned(),
            pod("w").cpu("1").on("n"),
            victim,
            incoming()
        ];
        assert_eq!(decide(objects, "p").ineligible(), want, "{row}");
    }
}

#[test]
fn only_a_resolvable_nominated_node_is_checked() {
    for (row, node, incoming, want) in [
        ("nominated", full(), incoming(), TERMINATING),
        ("not nominated", full(), pod("p").cpu("1").priority(10), ""),
        (
            "nominated to a node that is gone",
            full(),
            pod("p").cpu("1").priority(10).nominated("gone"),
            "",
        ),
        ("the nominated node is cordoned meanwhile", full().cordoned(), incoming(), ""),
        ("the pod has grown beyond the node", full(), incoming().cpu("2"), ""),
    ] {
        assert_eq!(
            decide(objects![node, victim().preempted(), incoming], "p").ineligible(),
            want,
            "{row}"
        );
    }
}

#[test]
fn pod_that_awaits_victims_names_them() {
    let answer = decide(objects![full(), victim().preempted(), incoming()], "p");
    let report = answer.preemption.as_ref().expect("preemption is asked");
    assert_eq!(
        report.ineligible.as_ref().map(|why| &*why.terminating),
        Some(&[answer.pod_ix("v")][..])
    );
    assert!(report.dry_runs.is_empty(), "{report:?}");
    assert_eq!(answer.outcome(), "Unschedulable");
    assert_eq!(
        answer.message(),
        format!("0/1 nodes are available: 1 Insufficient cpu. preemption: {TERMINATING}")
    );
}

#[test]
fn never_means_never() {
    let never = "not eligible due to preemptionPolicy=Never.";
    let answer =
        decide(objects![full(), victim(), pod("p").cpu("1").priority(10).never_preempts()], "p");
    assert_eq!((answer.ineligible(), answer.outcome()), (never, "Unschedulable"));
    assert_eq!(
        answer.message(),
        format!("0/1 nodes are available: 1 Insufficient cpu. preemption: {never}")
    );
    let waiting = decide(objects![full(), victim().preempted(), incoming().never_preempts()], "p");
    assert_eq!(waiting.ineligible(), never, "the policy is asked first");
}

#[test]
fn a_pod_rejected_as_a_whole_does_not_wait() {
    let names = |name: &str| json!({"key": "metadata.name", "operator": "In", "values": [name]});
    let conflict = incoming().node_term(json!({"matchFields": [names("n"), names("m")]}));
    let answer = at("1.33").decide(objects![full(), victim().preempted(), conflict], "p");
    assert_eq!(answer.ineligible(), "");
    let want = "0/1 nodes are available: pod affinity terms conflict. preemption: 0/1 nodes are available: 1 Preemption is \
                not helpful for scheduling.";
    assert_eq!(answer.message(), want);
}
