use serde_json::{Value, json};

use super::TreeDecision;
use crate::framework::cluster_view::ClusterView;
use crate::groups::GroupDecision;
use crate::groups::cycle::TrialResult;
use crate::testing::{
    NOW, Pod, at, cluster, composite_group, node, objects, pod, pod_group, snapshot,
};
use model::cluster::{AnyGroup, PodIx};
use model::notes::Severity;

const ON: &str = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true";

/// A waiting pod of a group.
fn member(name: &str, group: &str, cpu: &str) -> Pod {
    pod(name).cpu(cpu).priority(10).with("/spec/schedulingGroup/podGroupName", group)
}

/// A pod on node `n1` of a group.
fn running(name: &str, group: &str, cpu: &str) -> Pod {
    member(name, group, cpu).priority(0).on("n1").started("2025-06-01T00:00:00Z")
}

/// A group of pods in a composite group; `min_count` 0 stands for the basic policy.
fn group(name: &str, min_count: i64, parent: &str) -> Value {
    let made = pod_group(name)
        .with("/spec/priority", 10)
        .with("/spec/parentCompositePodGroupName", parent);
    let policy = if min_count == 0 {
        json!({"basic": {}})
    } else {
        json!({"gang": {"minCount": min_count}})
    };
    made.with("/spec/schedulingPolicy", policy).into()
}

/// A composite group; `parent` is empty for a root.
fn tree(name: &str, min_count: i64, parent: &str) -> Value {
    let mut made = composite_group(name).with("/spec/priority", 10);
    if !parent.is_empty() {
        made = made.with("/spec/parentCompositePodGroupName", parent);
    }
    let policy = if min_count == 0 {
        json!({"basic": {}})
    } else {
        json!({"gang": {"minGroupCount": min_count}})
    };
    made.with("/spec/schedulingPolicy", policy).into()
}

fn with(mut object: Value, pointer: &str, value: &Value) -> Value {
    let (parent, field) = pointer.rsplit_once('/').expect("a pointer");
    object.pointer_mut(parent).expect("the parent")[field] = value.clone();
    object
}

fn decided<T>(objects: Vec<Value>, gates: &str, look: impl FnOnce(&ClusterView) -> T) -> T {
    let cluster = cluster(objects);
    let profile = at("1.37").gates(gates).profile();
    look(&ClusterView::new(&cluster, &profile))
}

fn pods_of(decision: &GroupDecision) -> String {
    let cluster = decision.view.cluster;
    let place = |pod: PodIx| match decision.trial(pod).map(|trial| &trial.result) {
        Some(TrialResult::Placed { node, .. }) => cluster.node_name(*node).to_owned(),
        Some(_) => "-".to_owned(),
        None => "?".to_owned(),
    };
    let pods = decision
        .written
        .iter()
        .map(|written| format!("{}@{}", cluster.pod(written.pod).name, place(written.pod)));
    pods.collect::<Vec<_>>().join(" ")
}

/// The outcome of the tree `root`, each of its groups of pods with where its pods go, and who is
/// evicted.
fn told(objects: Vec<Value>) -> String {
    decided(objects, ON, |view| {
        let cluster = view.cluster;
        let root = cluster.find_composite_group("default", "root").expect("the root");
        let decision = TreeDecision::of(view, root, NOW.parse().expect("a time"));
        let of = |group: &GroupDecision| {
            let name = cluster.text(group.pod_group().name);
            format!("{name} {}: {}", group.outcome.name(), pods_of(group))
                .trim_end_matches(": ")
                .to_owned()
        };
        let groups: Vec<String> = decision.groups.iter().map(of).collect();
        let mut text = format!("{}; {}", decision.outcome.name(), groups.join("; "));
        if let Some(plan) = decision.groups.first().and_then(GroupDecision::plan) {
            let victims =
                plan.victims.iter().map(|victim| cluster.pod(victim.pod).name.to_string());
            text += &format!("; evicts {}", victims.collect::<Vec<_>>().join(" "));
        }
        text
    })
}

/// What is written about group `a` with gate `CompositePodGroup` on.
fn written(objects: Vec<Value>) -> String {
    decided(objects, ON, |view| {
        let group = view.cluster.find_pod_group("default", "a").expect("the group");
        let decision = crate::groups::decide(view, group, NOW.parse().expect("a time"));
        decision.condition.map_or_else(String::new, |condition| condition.message)
    })
}

#[test]
fn a_tree_is_placed_from_its_root() {
    let two = |min_count| {
        objects![
            tree("root", min_count, ""),
            group("a", 1, "root"),
            group("b", 1, "root"),
            node("n1").cpu("4")
        ]
    };
    for (row, objects, expected) in [
        (
            "every group gets what it needs",
            [two(2), objects![member("a0", "a", "1"), member("b0", "b", "1")]].concat(),
            "Schedulable; a Schedulable: a0@n1; b Schedulable: b0@n1",
        ),
        (
            "a group sees where the pods of earlier ones went, and all fail if the root needs both",
            [two(2), objects![member("a0", "a", "3"), member("b0", "b", "2")]].concat(),
            "Unschedulable; a Unschedulable: a0@n1; b Unschedulable: b0@-",
        ),
        (
            "one group is enough",
            [two(1), objects![member("a0", "a", "3"), member("b0", "b", "2")]].concat(),
            "Schedulable; a Schedulable: a0@n1; b Unschedulable: b0@-",
        ),
        (
            "what a group that fails had taken is free again",
            objects![
                tree("root", 0, ""),
                group("a", 2, "root"),
                group("b", 1, "root"),
                node("n1").cpu("4"),
                member("a0", "a", "3"),
                member("a1", "a", "3"),
                member("b0", "b", "4")
            ],
            "Schedulable; a Unschedulable: a0@n1 a1@-; b Schedulable: b0@n1",
        ),
        (
            "the search ends once too few groups can get what they need",
            [two(2), objects![member("a0", "a", "5"), member("b0", "b", "1")]].concat(),
            "Unschedulable; a Unschedulable: a0@-; b Unschedulable: b0@?",
        ),
        (
            "groups are tried in the order in which they were created",
            objects![
                tree("root", 1, ""),
                with(
                    group("a", 1, "root"),
                    "/metadata/creationTimestamp",
                    &json!("2025-01-02T00:00:00Z")
                ),
                with(
                    group("b", 1, "root"),
                    "/metadata/creationTimestamp",
                    &json!("2025-01-01T00:00:00Z")
                ),
                node("n1").cpu("4"),
                member("a0", "a", "3"),
                member("b0", "b", "2")
            ],
            "Schedulable; b Schedulable: b0@n1; a Unschedulable: a0@-",
        ),
        (
            "a branch that gets too little takes its groups along",
            objects![
                tree("root", 1, ""),
                tree("branch", 2, "root"),
                group("a", 1, "branch"),
                group("b", 1, "branch"),
                group("c", 1, "root"),
                node("n1").cpu("4"),
                member("a0", "a", "3"),
                member("b0", "b", "2"),
                member("c0", "c", "4")
            ],
            "Schedulable; a Unschedulable: a0@n1; b Unschedulable: b0@-; c Schedulable: c0@n1",
        ),
        (
            "pods of a group with a topology constraint go to one domain, and those of its sister elsewhere",
            objects![
                tree("root", 2, ""),
                with(
                    group("a", 2, "root"),
                    "/spec/schedulingConstraints",
                    &json!({"topology": [{"key": "kubernetes.io/hostname"}]})
                ),
                group("b", 1, "root"),
                node("n1").cpu("4").label("kubernetes.io/hostname", "n1"),
                node("n2").cpu("2").label("kubernetes.io/hostname", "n2"),
                member("a0", "a", "2"),
                member("a1", "a", "2"),
                member("b0", "b", "2")
            ],
            "Schedulable; a Schedulable: a0@n1 a1@n1; b Schedulable: b0@n2",
        ),
        (
            "a group whose pods run already has what it needs",
            objects![
                tree("root", 2, ""),
                group("a", 1, "root"),
                group("b", 1, "root"),
                node("n1").cpu("4"),
                running("a0", "a", "1").priority(10),
                member("b0", "b", "1")
            ],
            "Schedulable; a NotInQueue; b Schedulable: b0@n1",
        ),
        (
            "too few groups have their pods",
            [two(2), objects![member("a0", "a", "1")]].concat(),
            "NotInQueue; a NotInQueue; b NotInQueue",
        ),
        (
            "the pods of all groups share the priority of the root",
            [two(2), objects![member("a0", "a", "1"), member("b0", "b", "1").priority(5)]].concat(),
            "Error; a Error: a0@?; b Error: b0@?",
        ),
    ] {
        assert_eq!(told(objects), expected, "{row}");
    }
}

#[test]
fn a_tree_preempts_by_the_priority_of_its_root_and_is_evicted_as_its_highest_group_says() {
    let all = json!({"all": {}});
    let low = |object: Value| with(object, "/spec/priority", &json!(0));
    let waiting = || {
        objects![
            tree("root", 1, ""),
            group("a", 1, "root"),
            member("a0", "a", "3"),
            node("n1").cpu("4")
        ]
    };
    let victims = |old: Value| {
        let pods = objects![
            running("x0", "x", "2"),
            running("y0", "y", "1"),
            old,
            low(group("x", 1, "old"))
        ];
        [waiting(), pods, vec![low(group("y", 1, "old"))]].concat()
    };
    for (row, objects, expected) in [
        (
            "groups that are evicted pod by pod",
            victims(low(tree("old", 2, ""))),
            "Preempt; a Preempt: a0@-; evicts x0",
        ),
        (
            "a tree that is disrupted as a whole",
            victims(with(low(tree("old", 2, "")), "/spec/disruptionMode", &all)),
            "Preempt; a Preempt: a0@-; evicts x0 y0",
        ),
        (
            "the priority of its root protects it",
            victims(tree("old", 2, "")),
            "Unschedulable; a Unschedulable: a0@-",
        ),
    ] {
        assert_eq!(told(objects), expected, "{row}");
    }
}

#[test]
fn preemption_message_is_written_once_per_group() {
    let objects = || {
        objects![
            tree("root", 2, ""),
            group("a", 1, "root"),
            group("b", 1, "root"),
            node("n1").cpu("4"),
            member("a0", "a", "3"),
            member("b0", "b", "2")
        ]
    };
    let none = "pod group preemption: No preemption victims found for incoming preemptor";
    let before = "pod group is unschedulable, 0/1 placements are available, first placement status: minCount (2) cannot be satisfied: 1 scheduled, 0 remaining";
    assert_eq!(written(objects()), format!("{before}, {none}, {none}"));
}

#[test]
fn cause_of_a_held_tree_is_reported() {
    for (row, objects, expected) in [
        (
            "pods are missing",
            objects![
                tree("root", 2, ""),
                group("a", 1, "root"),
                group("b", 2, "root"),
                member("a0", "a", "1")
            ],
            "waits for its tree: CompositePodGroup root needs 2 groups with their pods and has 1; PodGroup b needs 2 pods and has 0",
        ),
        (
            "a composite group is missing",
            objects![group("a", 1, "root"), member("a0", "a", "1")],
            "belongs to a tree whose CompositePodGroup root does not exist; kube-scheduler holds its 1 pod until it is created",
        ),
        (
            "a pod of another group is gated",
            objects![
                tree("root", 1, ""),
                group("a", 1, "root"),
                group("b", 1, "root"),
                member("a0", "a", "1"),
                member("b0", "b", "1").with("/spec/schedulingGates", json!([{"name": "x"}]))
            ],
            "is held back with all its pods: pod default/b0 ",
        ),
    ] {
        let gate = decided(objects, ON, |view| {
            let group = view.cluster.find_pod_group("default", "a").expect("the group");
            let decision = crate::groups::decide(view, group, NOW.parse().expect("a time"));
            decision.summary().gate(view).unwrap_or_default()
        });
        assert!(gate.starts_with(expected), "{row}: {gate}");
    }
}

#[test]
fn unknown_parts_of_a_tree_make_the_answer_uncertain() {
    let of = |objects: Vec<Value>, gates: &str| {
        let cluster = snapshot(objects, &json!({"resourceVersions": {"podgroups": "1"}}));
        let profile = at("1.37").gates(gates).profile();
        let view = ClusterView::new(&cluster, &profile);
        let group = cluster.find_pod_group("default", "a").expect("the group");
        let decision = crate::groups::decide(&view, group, NOW.parse().expect("a time"));
        let errors = decision.notes.iter().filter(|note| note.severity == Severity::Error);
        errors.map(|note| note.doc.code).collect::<Vec<_>>().join(" ")
    };
    let same = || {
        objects![tree("a", 1, ""), group("a", 1, "a"), member("a0", "a", "1"), node("n1").cpu("4")]
    };
    let lone = || objects![group("a", 1, "root"), member("a0", "a", "1"), node("n1").cpu("4")];
    let whole = || [lone(), vec![tree("root", 1, "")]].concat();
    for (row, objects, gates, expected) in [
        ("a tree", whole(), ON, ""),
        ("a group and its composite group have one name", same(), ON, "PRE-930"),
        ("composite groups are not in the input", lone(), ON, "PRE-926"),
        ("the gate is not known", whole(), "GenericWorkload=true", "PRE-935"),
        ("the gate is off", whole(), "GenericWorkload=true,CompositePodGroup=false", ""),
    ] {
        assert_eq!(of(objects, gates), expected, "{row}");
    }
}

#[test]
fn levels_above_a_group_are_followed_as_far_as_there_may_be_some() {
    let chain: Vec<Value> = objects![
        group("a", 1, "c1"),
        tree("c1", 1, "c2"),
        tree("c2", 1, "c3"),
        tree("c3", 1, "c4"),
        tree("c4", 1, ""),
        member("a0", "a", "1"),
        node("n1").cpu("4")
    ];
    decided(chain, ON, |view| {
        let group = view.cluster.find_pod_group("default", "a").expect("the group");
        assert_eq!(view.cluster.ancestors(AnyGroup::Pods(group)).known.len(), 3);
        let decision = crate::groups::decide(view, group, NOW.parse().expect("a time"));
        assert!(decision.notes.iter().any(|note| note.doc.code == "PRE-930"));
    });
}
