mod one_by_one;
mod reserved;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::answer::GroupAnswer;
use super::cycle::TrialResult;
use super::{GroupDecision, GroupGate, GroupOutcome, decide};
use crate::decision::Certainty;
use crate::decision::verify::{VerificationResult, verify};
use crate::framework::cluster_view::ClusterView;
use crate::preemption::dry_run::Victim;
use crate::testing::{
    NOW, Pod, at, budget, cluster, composite_group, node, objects, pod, pod_group, snapshot,
};
use model::cluster::PodIx;
use model::notes::Severity;

/// A waiting pod of group `gang`, with the group's priority.
fn member(name: &str, cpu: &str) -> Pod {
    pod(name).cpu(cpu).priority(10).with("/spec/schedulingGroup/podGroupName", "gang")
}

/// A pod on `node` that belongs to no group.
fn running(name: &str, cpu: &str, priority: i32, node: &str) -> Pod {
    pod(name).cpu(cpu).priority(priority).on(node).started("2025-06-01T00:00:00Z")
}

/// Group `gang` of priority 10, of which `min_count` pods have to be placed together.
fn gang(min_count: i64) -> Value {
    let group = pod_group("gang").with("/spec/priority", 10);
    group.with("/spec/schedulingPolicy", json!({"gang": {"minCount": min_count}})).into()
}

fn decided<T>(objects: Vec<Value>, gates: &str, look: impl FnOnce(GroupDecision) -> T) -> T {
    let cluster = cluster(objects);
    let profile = at("1.37").gates(gates).profile();
    let view = ClusterView::new(&cluster, &profile);
    let group = cluster.find_pod_group("default", "gang").expect("the group");
    look(decide(&view, group, NOW.parse().expect("a time")))
}

fn names(decision: &GroupDecision, victims: &[Victim]) -> String {
    let name = |pod: PodIx| decision.view.cluster.pod(pod).name.to_string();
    victims.iter().map(|victim| name(victim.pod)).collect::<Vec<_>>().join(" ")
}

/// The outcome, where each pod goes, and who is evicted: `Preempt: a@n1 b@-; evicts v`.
fn told(objects: Vec<Value>, gates: &str) -> String {
    decided(objects, gates, |decision| {
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
        let mut text =
            format!("{}: {}", decision.outcome.name(), pods.collect::<Vec<_>>().join(" "));
        if let Some(plan) = decision.plan() {
            text += &format!("; evicts {}", names(&decision, &plan.victims));
        }
        text.trim_end().trim_end_matches(':').to_owned()
    })
}

const ON: &str = "GenericWorkload=true";

#[test]
fn gang_is_placed_as_a_whole_or_not_at_all() {
    let zoned =
        |name: &str, zone: &str| node(name).cpu("4").label("topology.kubernetes.io/zone", zone);
    let in_a_zone = |min_count| {
        let mut group = gang(min_count);
        group["spec"]["schedulingConstraints"] =
            json!({"topology": [{"key": "topology.kubernetes.io/zone"}]});
        group
    };
    for (row, objects, gates, expected) in [
        (
            "there is room",
            objects![node("n1").cpu("4"), gang(2), member("a", "2"), member("b", "2")],
            ON,
            "Schedulable: a@n1 b@n1",
        ),
        (
            "each pod sees the earlier ones",
            objects![
                node("n1").cpu("2"),
                node("n2").cpu("2"),
                gang(2),
                member("a", "2"),
                member("b", "2")
            ],
            ON,
            "Schedulable: a@n1 b@n2",
        ),
        (
            "too few exist",
            objects![node("n1").cpu("4"), gang(3), member("a", "2"), member("b", "2")],
            ON,
            "NotInQueue",
        ),
        (
            "the search ends once too few can fit",
            objects![node("n1").cpu("2"), gang(2), member("a", "4"), member("b", "1")],
            ON,
            "Unschedulable: a@- b@?",
        ),
        (
            "the order decides, though another would do",
            objects![
                node("n1").cpu("4"),
                node("n2").cpu("2"),
                gang(2),
                member("a", "2"),
                member("b", "4")
            ],
            ON,
            "Unschedulable: a@n1 b@-",
        ),
        (
            "of pods that are as old, the one that was written first comes first",
            objects![
                node("n1").cpu("4"),
                gang(2),
                member("a", "4").with("/metadata/resourceVersion", "10"),
                member("b", "4").with("/metadata/resourceVersion", "9")
            ],
            ON,
            "Unschedulable: b@n1 a@-",
        ),
        (
            "pods that run count",
            objects![node("n1").cpu("4"), gang(2), member("a", "2").on("n1"), member("b", "2")],
            ON,
            "Schedulable: b@n1",
        ),
        (
            "beyond minCount every pod is tried",
            objects![
                node("n1").cpu("4"),
                gang(1),
                member("a", "2"),
                member("b", "4"),
                member("c", "2")
            ],
            ON,
            "Schedulable: a@n1 b@- c@n1",
        ),
        (
            "everything of lower priority goes, and what fits comes back",
            objects![
                node("n1").cpu("4"),
                gang(1),
                member("a", "2"),
                running("v1", "2", 5, "n1"),
                running("v2", "1", 0, "n1"),
                running("v3", "1", 0, "n1")
            ],
            ON,
            "Preempt: a@-; evicts v2 v3",
        ),
        (
            "nothing of the same priority",
            objects![node("n1").cpu("4"), gang(1), member("a", "2"), running("v", "4", 10, "n1")],
            ON,
            "Unschedulable: a@-",
        ),
        (
            "a pod that may not preempt",
            objects![
                node("n1").cpu("4"),
                gang(1),
                member("a", "2").with("/spec/preemptionPolicy", "Never"),
                running("v", "4", 0, "n1")
            ],
            ON,
            "Unschedulable: a@-",
        ),
        (
            "a domain is too small, unless domains do not count",
            objects![
                zoned("n1", "a"),
                zoned("n2", "b"),
                in_a_zone(2),
                member("a", "4"),
                member("b", "4")
            ],
            ON,
            "Schedulable: a@n1 b@n2",
        ),
        (
            "the domain in which all fit",
            objects![
                zoned("n1", "a"),
                zoned("n2", "b"),
                zoned("n3", "b"),
                in_a_zone(2),
                member("a", "4"),
                member("b", "4")
            ],
            "GenericWorkload=true,TopologyAwareWorkloadScheduling=true",
            "Schedulable: a@n2 b@n3",
        ),
    ] {
        assert_eq!(told(objects, gates), expected, "{row}");
    }
}

#[test]
fn post_filter_plugins_run_in_the_order_of_the_profile() {
    let cluster = cluster(objects![
        node("n1").cpu("4"),
        gang(1),
        member("a", "5"),
        running("v", "4", 0, "n1")
    ]);
    let group = cluster.find_pod_group("default", "gang").expect("the group");
    let message = |change: fn(&mut Vec<&'static str>)| {
        let mut profile = at("1.37").gates(ON).profile();
        change(&mut profile.plugins.pod_group_post_filter);
        let view = ClusterView::new(&cluster, &profile);
        let decision = decide(&view, group, NOW.parse().expect("a time"));
        decision.condition.expect("a condition").message
    };
    let claims = "deallocation and deletion of ResourceClaims completed";
    let (both, alone) = (message(|_| {}), message(Vec::clear));
    let evict = message(|plugins| plugins.retain(|plugin| *plugin == "DefaultPreemption"));
    let evict = evict.strip_prefix(&alone).expect("what is said of the group itself").to_owned();
    assert_eq!(both, format!("{alone}{claims}, {evict}"));
    assert_eq!(message(|plugins| plugins.reverse()), format!("{alone}{evict}, {claims}"));
}

#[test]
fn group_with_gated_or_too_few_pods_is_not_in_queue() {
    let outcome = |objects| decided(objects, ON, |decision| decision.outcome);
    let gated = member("a", "1").with("/spec/schedulingGates", json!([{"name": "quota"}]));
    let held = outcome(objects![node("n1").cpu("4"), gang(1), gated, member("b", "1")]);
    assert!(matches!(held, GroupOutcome::NotInQueue(GroupGate::Member(..))), "{held:?}");
    let few = outcome(objects![node("n1").cpu("4"), gang(3), member("a", "1")]);
    assert_eq!(few, GroupOutcome::NotInQueue(GroupGate::TooFewPods { exist: 1, min_count: 3 }));
    let none = outcome(objects![node("n1").cpu("4"), gang(1), member("a", "1").on("n1")]);
    assert_eq!(none, GroupOutcome::NotInQueue(GroupGate::NothingWaits));
}

/// A pod that is tried is in no queue: its nomination counts as a pod of priority 0 without
/// requests, until it is placed.
#[test]
fn nominations_of_the_group_itself() {
    let of = |priority: i32, a: Pod, b: Pod| {
        let mut group = gang(1);
        group["spec"]["priority"] = json!(priority);
        let [a, b, c] = [a, b, member("c", "2")].map(|pod| pod.priority(priority));
        objects![node("n1").cpu("4").pods(2), group, a, b, c]
    };
    let (a, b) = (|| member("a", "2"), || member("b", "9"));
    for (row, objects, expected) in [
        ("it takes a place", of(0, a(), b().nominated("n1")), "Schedulable: a@n1 b@- c@-"),
        (
            "not that of a higher priority",
            of(10, a(), b().nominated("n1")),
            "Schedulable: a@n1 b@- c@n1",
        ),
        ("it has ended", of(0, a().nominated("n1"), b()), "Schedulable: a@n1 b@- c@n1"),
    ] {
        assert_eq!(told(objects, ON), expected, "{row}");
    }
}

#[test]
fn group_of_unequal_pods_is_rejected() {
    let error = |objects| {
        decided(objects, ON, |decision| decision.condition.map(|condition| condition.message))
    };
    let no_priority = json!({
        "apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "gang", "namespace": "default"},
        "spec": {"schedulingPolicy": {"basic": {}}},
    });
    assert_eq!(
        error(objects![node("n1").cpu("4"), no_priority, member("a", "1")]).as_deref(),
        Some(
            "all pods in a single pod group should have the same priority as the pod group's priority, got 10 and 0"
        )
    );
    let never = member("b", "1").with("/spec/preemptionPolicy", "Never");
    assert_eq!(
        error(objects![node("n1").cpu("4"), gang(1), member("a", "1"), never]).as_deref(),
        Some(
            "all pods in a single pod group should have the same preemption policy, got Never and PreemptLowerPriority"
        )
    );
}

#[test]
fn pods_that_ask_for_the_same_may_change_places() {
    let notes = |a: &str, b: &str| {
        decided(
            objects![node("n1").cpu("4"), gang(2), member("a", a), member("b", b)],
            ON,
            |decision| {
                decision
                    .notes
                    .iter()
                    .filter(|note| note.doc.code == "PRE-934")
                    .map(|note| note.severity)
                    .collect::<Vec<_>>()
            },
        )
    };
    assert_eq!(notes("4", "4"), [Severity::Info]);
    assert_eq!(notes("1", "4"), [Severity::Warning]);
    assert_eq!(notes("1", "1"), [], "both fit on the node");
    let full = "0/1 nodes are available: 1 Insufficient cpu.";
    for (a, b, verdict) in
        [("4", "4", VerificationResult::Equal), ("3", "4", VerificationResult::Different)]
    {
        let first = member("a", a).condition("Unschedulable", full, NOW);
        let found = decided(
            objects![node("n1").cpu("4"), gang(2), first, member("b", b)],
            ON,
            |decision| verify(&decision.member(decision.members.waiting[0])).verdict,
        );
        assert_eq!(found, verdict, "{b}");
    }
}

/// Of pods that are equally important only those that are put back beside the same pod of the group
/// can change places.
#[test]
fn victims_that_may_be_others() {
    let ties =
        |objects| decided(objects, ON, |decision| decision.plan().map(|plan| plan.units_tie));
    let world = |more: Vec<Value>| {
        let base = objects![
            node("n1").cpu("4"),
            node("n2").cpu("2"),
            gang(1),
            member("a", "3"),
            running("v", "2", 0, "n1")
        ];
        base.into_iter().chain(more).collect::<Vec<Value>>()
    };
    assert_eq!(ties(world(objects![running("w", "2", 0, "n2")])), Some(false), "on another node");
    assert_eq!(ties(world(objects![running("w", "1", 0, "n1")])), Some(true), "on the same node");
    let guarded = running("w", "2", 0, "n2").label("app", "db");
    assert_eq!(
        ties(world(objects![guarded, budget("keep").selects("app", "db")])),
        Some(true),
        "a budget is counted in their order"
    );
}

/// v, on n2, comes back first. Then n1 may be taken for the domain with the fewest pods, or n3,
/// which has none.
#[test]
fn domains_that_have_as_few_pods() {
    let open = |nodes: &[&str]| {
        let web = |name: &str, start: &str, node: &str| {
            pod(name).cpu("0").on(node).started(start).label("app", "web")
        };
        let mut objects = objects![
            gang(1),
            member("a", "1").label("app", "web").spread("kubernetes.io/hostname", 1, "app", "web"),
            web("v", "2025-05-01T00:00:00Z", "n2"),
            web("w", "2025-06-01T00:00:00Z", "n1")
        ];
        let cpu = |name: &str| if name == "n1" { "4" } else { "0" };
        let hosts = nodes
            .iter()
            .map(|name| node(name).cpu(cpu(name)).label("kubernetes.io/hostname", name).into());
        objects.extend(hosts);
        decided(objects, ON, |decision| decision.plan().map(|plan| plan.domains_tie))
    };
    assert_eq!(
        open(&["n1", "n2"]),
        None,
        "with v on n2 there is one pod in each domain, and a fits"
    );
    assert_eq!(open(&["n1", "n2", "n3"]), Some(true));
}

/// Which domain's reasons are reported is uncertain, unless all are the same.
#[test]
fn domains_that_tell_something_else() {
    let tells = |nodes: &[(&str, &str)]| {
        let mut group = gang(2);
        group["spec"]["schedulingConstraints"] = json!({"topology": [{"key": "zone"}]});
        let mut objects = objects![group, member("a", "4"), member("b", "4")];
        objects.extend(
            nodes.iter().map(|(name, zone)| node(name).cpu("1").label("zone", zone).into()),
        );
        decided(objects, "GenericWorkload=true,TopologyAwareWorkloadScheduling=true", |decision| {
            decision.notes.iter().any(|note| note.doc.code == "PRE-927")
        })
    };
    assert!(!tells(&[("n1", "a"), ("n2", "b")]));
    assert!(tells(&[("n1", "a"), ("n2", "b"), ("n3", "b")]), "0/1 nodes, or 0/2");
}

#[test]
fn gates_that_fields_of_a_group_show() {
    let notes = |group: Value, gates: &str| {
        decided(objects![node("n1").cpu("4"), group, member("a", "1")], gates, |decision| {
            let shown = decision.notes.iter().filter(|note| note.doc.code == "PRE-935");
            shown.map(|note| note.severity).collect::<Vec<_>>()
        })
    };
    let with = |field: &str, value: Value| {
        let mut group = gang(1);
        group["spec"][field] = value;
        group
    };
    let zone = || with("schedulingConstraints", json!({"topology": [{"key": "zone"}]}));
    let policy = |policy: &str| with("preemptionPolicy", json!(policy));
    let set = |gate: &str| format!("{ON},{gate}");
    assert_eq!(notes(zone(), ON), [Severity::Error]);
    assert_eq!(notes(zone(), &set("TopologyAwareWorkloadScheduling=false")), []);
    assert_eq!(notes(zone(), &set("TopologyAwareWorkloadScheduling=true")), []);
    assert_eq!(notes(policy("Never"), ON), [Severity::Error]);
    assert_eq!(notes(policy("Never"), &set("PodGroupPreemptionPolicy=false")), []);
    assert_eq!(notes(policy("PreemptLowerPriority"), ON), [], "that of its pods");
}

#[test]
fn kinds_that_could_not_be_read() {
    let notes = |resource: &str, objects: Vec<Value>| -> Vec<String> {
        let cluster =
            snapshot(objects, &json!({"unreadable": [{"resource": resource, "reason": "no"}]}));
        let profile = at("1.37").gates(ON).profile();
        let view = ClusterView::new(&cluster, &profile);
        let answer = GroupAnswer::find(&view, "default", "gang", NOW.parse().expect("a time"))
            .expect("the group");
        let errors = answer
            .notes()
            .iter()
            .filter(|note| note.severity != Severity::Info)
            .cloned()
            .collect::<Vec<_>>();
        errors.iter().map(|note| note.text.clone()).collect()
    };
    let busy =
        || objects![node("n1").cpu("4"), gang(1), member("a", "2"), running("v", "4", 0, "n1")];
    assert_eq!(
        notes("poddisruptionbudgets", busy()),
        ["could not be read: no; budgets may protect these victims"]
    );
    let idle = objects![node("n1").cpu("4"), gang(1), member("a", "2")];
    assert_eq!(notes("poddisruptionbudgets", idle), [""; 0], "nothing is evicted");
    assert_eq!(
        notes("podgroups", objects![node("n1").cpu("4"), member("a", "2")]),
        ["could not be read: no; the group may exist, and its pods are not held back then"]
    );
}

/// kube-scheduler places the group where it scores best without anything of lower priority,
/// whatever has to go there.
#[test]
fn another_plan_may_evict_less() {
    let world = |important: Pod| {
        objects![
            node("n1").cpu("8"),
            node("n2").cpu("4"),
            gang(1),
            member("a", "3"),
            important,
            running("cheap", "4", 0, "n2"),
            budget("keep").selects("app", "db")
        ]
    };
    let plans = |objects| {
        decided(objects, ON, |mut decision| {
            decision.seek_alternative();
            let own = decision.plan().map(|plan| names(&decision, &plan.victims));
            (own, decision.alternative.as_ref().map(|plan| names(&decision, &plan.victims)))
        })
    };
    let text = |name: &str| Some(name.to_owned());
    assert_eq!(
        plans(world(running("dear", "8", 5, "n1"))),
        (text("dear"), text("cheap")),
        "a lower priority"
    );
    let protected = running("dear", "8", 0, "n1").label("app", "db");
    assert_eq!(
        plans(world(protected)),
        (text("dear"), text("cheap")),
        "a budget that allows no disruption"
    );
    assert_eq!(plans(world(running("dear", "8", 0, "n1"))).1, None, "nothing is better");
}

/// The possible outcomes as `a@n1 evicts v | w`, and whether they are all.
fn possible(objects: Vec<Value>, gates: &str) -> (BTreeSet<String>, bool, Certainty) {
    decided(objects, gates, |decision| {
        let cluster = decision.view.cluster;
        let mut found = BTreeSet::new();
        for outcome in &decision.outcomes.all {
            let mut text = String::new();
            for (pod, node) in &outcome.placed {
                text += &format!("{}@{} ", cluster.pod(*pod).name, cluster.node_name(*node));
            }
            let mut sets: Vec<String> = Vec::new();
            for set in outcome.sets(100).expect("few sets") {
                let names: Vec<&str> = set.iter().map(|pod| &*cluster.pod(*pod).name).collect();
                sets.push(names.join(" "));
            }
            found.insert(format!("{text}evicts {}", sets.join(" | ")));
        }
        (found, decision.outcomes.complete, decision.certainty())
    })
}

#[test]
fn nodes_that_tie_lead_to_one_of_several_outcomes() {
    let outcomes = |objects: Vec<Value>| {
        let (found, complete, certainty) = possible(objects, ON);
        assert!(complete, "{found:?}");
        (found.into_iter().collect::<Vec<_>>().join("; "), certainty)
    };
    let two = || objects![node("n1").cpu("4"), node("n2").cpu("4")];
    let (found, certainty) = outcomes([two(), objects![gang(1), member("a", "4")]].concat());
    assert_eq!(found, "a@n1 evicts ; a@n2 evicts ");
    assert_eq!(certainty, Certainty::OneOf);

    // The pods are placed as if nothing of lower priority were there, so both nodes tie.
    let full = objects![running("v", "3", 0, "n1"), running("w", "3", 0, "n2")];
    let (found, certainty) =
        outcomes([two(), full.clone(), objects![gang(1), member("a", "4")]].concat());
    assert_eq!(found, "a@n1 evicts v; a@n2 evicts w");
    assert_eq!(certainty, Certainty::OneOf);

    // Pods that are alike may change places, which is no other outcome.
    let both = objects![gang(2), member("a", "4"), member("b", "4")];
    let (found, _) = outcomes([two(), full, both].concat());
    assert_eq!(found, "a@n1 b@n2 evicts v w");
}

#[test]
fn outcomes_of_a_tree_depend_on_what_its_earlier_groups_got() {
    const TREES: &str =
        "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true";
    let group = |name: &str| {
        let group = pod_group(name).with("/spec/priority", 10);
        group
            .with("/spec/parentCompositePodGroupName", "root")
            .with("/spec/schedulingPolicy", json!({"gang": {"minCount": 1}}))
    };
    let root = composite_group("root").with("/spec/priority", 10);
    let root = root.with("/spec/schedulingPolicy", json!({"gang": {"minGroupCount": 2}}));
    let first = pod("a0").cpu("4").priority(10).with("/spec/schedulingGroup/podGroupName", "a");
    let tree = objects![root, group("gang"), group("a"), first, member("b", "4")];

    // Whichever of two nodes the first group takes, the second one gets the other.
    let two = objects![node("n1").cpu("4"), node("n2").cpu("4")];
    let (found, complete, certainty) = possible([tree.clone(), two].concat(), TREES);
    assert_eq!(found, ["b@n1 evicts ", "b@n2 evicts "].map(str::to_owned).into());
    assert!(complete);
    assert_eq!(certainty, Certainty::OneOf);

    // With three, one of three pairs of victims goes.
    let mut three = Vec::new();
    for (name, victim) in [("n1", "u"), ("n2", "v"), ("n3", "w")] {
        three.extend(objects![node(name).cpu("4"), running(victim, "3", 0, name)]);
    }
    let (found, complete, certainty) = possible([tree, three].concat(), TREES);
    let expected = [
        "b@n1 evicts u v",
        "b@n1 evicts u w",
        "b@n2 evicts u v",
        "b@n2 evicts v w",
        "b@n3 evicts u w",
        "b@n3 evicts v w",
    ];
    assert_eq!(found, expected.map(str::to_owned).into());
    assert!(complete);
    assert_eq!(certainty, Certainty::OneOf);
}

#[test]
fn victims_that_tie_are_one_of_several_sets() {
    let on = |pods: Vec<Value>| {
        let base = objects![node("n1").cpu("4"), gang(1), member("a", "2")];
        let (found, complete, certainty) = possible([base, pods].concat(), ON);
        (found.into_iter().collect::<Vec<_>>().join("; "), complete, certainty)
    };
    let small = |name: &str| running(name, "2", 0, "n1");
    assert_eq!(
        on(objects![small("v"), small("w")]),
        ("a@n1 evicts v | w".to_owned(), true, Certainty::OneOf)
    );
    // A large pod may stay alone, or the small ones together.
    assert_eq!(
        on(objects![
            running("v", "1", 0, "n1"),
            running("w", "1", 0, "n1"),
            running("x", "2", 0, "n1")
        ]),
        ("a@n1 evicts v w | x".to_owned(), true, Certainty::OneOf)
    );
    // The earlier start decides.
    let old = small("v").started("2025-01-01T00:00:00Z");
    assert_eq!(
        on(objects![old, small("w")]),
        ("a@n1 evicts w".to_owned(), true, Certainty::Certain)
    );
    // A budget that allows one eviction: either pod may be the one that violates it, and stays.
    let guarded = |name: &str| small(name).label("app", "db");
    assert_eq!(
        on(objects![guarded("v"), guarded("w"), budget("keep").selects("app", "db").allowed(1)]),
        ("a@n1 evicts v | w".to_owned(), true, Certainty::OneOf)
    );
    // Parts on different nodes are independent of each other.
    let objects = objects![
        node("n1").cpu("4"),
        node("n2").cpu("8"),
        gang(2),
        member("a", "6"),
        member("b", "2"),
        small("v"),
        small("w"),
        running("x", "2", 0, "n2"),
        running("y", "2", 0, "n2")
    ];
    let (found, complete, _) = possible(objects, ON);
    assert!(complete);
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a@n2 b@n1 evicts v x | v y | w x | w y"]);
}

#[test]
fn message_with_another_possible_number_of_victims_is_equal() {
    let world = |message: &str| {
        objects![
            node("n1").cpu("4"),
            gang(2),
            member("a", "0").condition("Unschedulable", message, NOW),
            member("b", "2"),
            running("v", "1", 0, "n1"),
            running("w", "1", 0, "n1"),
            running("x", "2", 0, "n1")
        ]
    };
    let own = decided(world("m"), ON, |decision| decision.written[0].condition.clone().unwrap().1);
    let counted = |victims: usize| format!("preempting {victims} victims");
    assert!(own.contains(&counted(1)) || own.contains(&counted(2)), "{own}");
    for (victims, want) in [
        (1, VerificationResult::Equal),
        (2, VerificationResult::Equal),
        (3, VerificationResult::Different),
    ] {
        let said = own.replace(&counted(1), &counted(victims));
        let said = said.replace(&counted(2), &counted(victims));
        let found = decided(world(&said), ON, |decision| {
            verify(&decision.member(decision.members.waiting[0])).verdict
        });
        assert_eq!(found, want, "{said}");
    }
}
