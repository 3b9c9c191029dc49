//! Groups of 1.35, whose pods have a cycle each.

use serde_json::{Value, json};

use crate::framework::cluster_view::ClusterView;
use crate::groups::answer::GroupAnswer;
use crate::groups::cycle::TrialResult;
use crate::groups::member::Decider;
use crate::testing::{NOW, Pod, at, cluster, node, objects, pod, workload};
use model::cluster::PodIx;

const ON: &str = "GenericWorkload=true,GangScheduling=true";

fn member(name: &str) -> Pod {
    pod(name)
        .cpu("2")
        .priority(5)
        .with("/spec/workloadRef", json!({"name": "train", "podGroup": "workers"}))
}

fn gang(min_count: i64) -> Value {
    workload("train", &json!([{"name": "workers", "policy": {"gang": {"minCount": min_count}}}]))
        .into()
}

fn cheap(name: &str, node: &str) -> Pod {
    pod(name).cpu("2").on(node).started("2025-06-01T00:00:00Z")
}

/// The outcome for pod `a`, and what it waits for at Permit.
fn pod_told(objects: Vec<Value>) -> String {
    let cluster = cluster(objects);
    let profile = at("1.35").gates(ON).profile();
    let view = ClusterView::new(&cluster, &profile);
    let pod = cluster.find_pod("default", "a").expect("the pod");
    let decision = Decider::new(&view, NOW.parse().expect("a time")).decide(pod);
    let waits = decision
        .permit
        .as_ref()
        .filter(|permit| !permit.is_met())
        .map(|permit| permit.clause(&cluster));
    format!("{} {}", decision.outcome.name(), waits.unwrap_or_default()).trim_end().to_owned()
}

#[test]
fn a_pod_that_gets_a_node_waits_for_the_others() {
    for (row, objects, expected) in [
        (
            "too few fit",
            objects![node("n1").cpu("4"), gang(3), member("a"), member("b"), member("c")],
            "Schedulable it waits at Permit until 3 pods of gang train/workers have a node; 2 of them get one: after 5 minutes the pods \
             that wait give their nodes back and are tried again",
        ),
        (
            "others preempt",
            objects![node("n1").cpu("4"), gang(2), member("a"), member("b"), cheap("v", "n1")],
            "Schedulable it waits at Permit until 2 pods of gang train/workers have a node; 1 of them get one, and 1 more once its victims \
             are gone: after 5 minutes the pods that wait give their nodes back and are tried again",
        ),
        (
            "all fit",
            objects![node("n1").cpu("4"), gang(2), member("a"), member("b")],
            "Schedulable",
        ),
        (
            "it preempts as any pod",
            objects![node("n1").cpu("2"), gang(2), member("a"), member("b"), cheap("v", "n1")],
            "Preempt it waits at Permit until 2 pods of gang train/workers have a node; 0 of them get one, \
             and 1 more once its victims are gone: after 5 minutes the pods that wait give their nodes back and are tried again",
        ),
    ] {
        assert_eq!(pod_told(objects), expected, "{row}");
    }
}

/// The outcome for the group, and each pod: `a@n1` placed, `b>n2` nominated to the node where it
/// evicts pods, `c@-` rejected; `!` if it waits at Permit.
fn told(objects: Vec<Value>) -> String {
    let cluster = cluster(objects);
    let profile = at("1.35").gates(ON).profile();
    let view = ClusterView::new(&cluster, &profile);
    let answer = GroupAnswer::find(&view, "default", "train/workers", NOW.parse().expect("a time"))
        .expect("the group");
    let Some(decision) = answer.decision() else { return "missing".to_owned() };
    let node = |node| cluster.node_name(node).to_owned();
    let name = |pod: PodIx| cluster.pod(pod).name.to_string();
    let pods = decision.trials.iter().map(|trial| match (&trial.result, &trial.preempts) {
        (TrialResult::Placed { node: to, .. }, _) => {
            format!(
                "{}@{}{}",
                name(trial.pod),
                node(*to),
                if trial.waits_at_permit { "!" } else { "" }
            )
        }
        (_, Some((to, victims))) => {
            let victims: Vec<String> = victims.iter().map(|victim| name(victim.pod)).collect();
            format!("{}>{}({})", name(trial.pod), node(*to), victims.join(","))
        }
        (_, None) => format!("{}@-", name(trial.pod)),
    });
    format!("{}: {}", decision.outcome.name(), pods.collect::<Vec<_>>().join(" "))
        .trim_end_matches([':', ' '])
        .to_owned()
}

#[test]
fn each_pod_sees_those_before_it() {
    let two = || objects![node("n1").cpu("4"), node("n2").cpu("2"), cheap("v", "n2")];
    let of = |count: i64| objects![gang(count), member("a"), member("b"), member("c"), member("d")];
    for (row, objects, expected) in [
        ("enough", [two(), of(2)].concat(), "Schedulable: a@n1 b@n1 c>n2(v) d@-"),
        ("enough once a victim is gone", [two(), of(3)].concat(), "Preempt: a@n1! b@n1! c>n2(v) d@-"),
        ("too few even then", [two(), of(4)].concat(), "Unschedulable: a@n1! b@n1! c>n2(v) d@-"),
        ("too few pods", [two(), of(5)].concat(), "NotInQueue"),
        (
            "by priority",
            [two(), objects![gang(1), member("a"), member("b").cpu("4").priority(9)]].concat(),
            "Schedulable: b@n1 a>n2(v)",
        ),
        (
            "one that waits has another tried again",
            [
                objects![
                    node("n1").cpu("4").label("kubernetes.io/hostname", "n1"),
                    gang(3),
                    member("b").label("app", "b"),
                    member("c").cpu("4")
                ],
                objects![member("a").with(
                    "/spec/affinity/podAffinity",
                    json!({"requiredDuringSchedulingIgnoredDuringExecution": [
                        {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "b"}}}
                    ]})
                )],
            ]
            .concat(),
            "Unschedulable: a@n1! b@n1! c@-",
        ),
        (
            "one is being deleted",
            [
                two(),
                objects![gang(2), member("a").with("/metadata/deletionTimestamp", "2026-01-01T00:00:00Z"), member("b")],
            ]
            .concat(),
            "Unschedulable: b@n1!",
        ),
        (
            "those on nodes count",
            [two(), objects![gang(3), member("a").on("n1"), member("b"), member("c")]].concat(),
            "Preempt: b@n1! c>n2(v)",
        ),
        ("none waits", [two(), objects![gang(1), member("a").on("n1")]].concat(), "NotInQueue"),
        ("no Workload", [two(), objects![member("a")]].concat(), "missing"),
        (
            "one is held back alone",
            [two(), objects![gang(2), member("a"), member("b").with("/spec/schedulingGates", json!([{"name": "x"}]))]]
                .concat(),
            "Unschedulable: a@n1!",
        ),
    ] {
        assert_eq!(told(objects), expected, "{row}");
    }
}
