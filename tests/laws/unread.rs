//! An answer without a kind that could not be read is the same as with it, or says that it is not
//! certain: each kind is taken away from each question.

use std::collections::BTreeSet;

use engine::audit;
use engine::cluster::{Cluster, Kind, PodIx};
use engine::decision::decide;
use engine::framework::cluster_view::ClusterView;
use engine::profile::Profile;
use engine::risk;
use engine::simulation::headroom::{self, HeadroomSettings};
use engine::simulation::removal::{self, RemovalRequest};
use engine::simulation::sequence::SimulationSettings;
use engine::simulation::suggest::{SuggestSettings, for_pod};
use engine::snapshot::Unreadable;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::Value;

use super::suggest::scenes;
use super::{At, Quirks, law, small};
use testing::{NOW, at, claim, namespace, node, objects, pod, priority_class, share, volume};

/// What an answer says, as far as somebody acts on it.
#[derive(Debug, PartialEq)]
struct Said {
    question: &'static str,
    text: String,
    is_unsure: bool,
}

/// The kinds that are taken away: all but those without which there is no answer.
fn optional_kinds(objects: &[Value]) -> Vec<Kind> {
    let has = |kind: &Kind| objects.iter().any(|object| object["kind"] == kind.name());
    Kind::ALL.into_iter().filter(|kind| !kind.is_essential()).filter(has).collect()
}

fn cluster_without(objects: &[Value], kind: Kind) -> Cluster {
    let left = objects.iter().filter(|object| object["kind"] != kind.name());
    let mut cluster = testing::cluster(left.cloned().collect());
    let reason = "forbidden".to_owned();
    cluster.header.unreadable.push(Unreadable { resource: kind.resource().to_owned(), reason });
    cluster
}

/// What is decided about `p`, and which running pods can be preempted.
fn decided(cluster: &Cluster, profile: &Profile) -> Vec<Said> {
    let now = NOW.parse().expect("a time");
    let view = ClusterView::new(cluster, profile);
    let pod = cluster.find_pod("default", "p").expect("the pod");
    let decision = decide(&view, pod, now);
    let victims: Vec<Vec<String>> = decision
        .selected()
        .iter()
        .filter_map(|node| decision.candidate(*node))
        .map(|candidate| candidate.victims.iter().map(|v| cluster.pod_name(v.pod)).collect())
        .collect();
    let nodes: Vec<&str> =
        decision.selected().iter().map(|node| cluster.text(cluster.node(*node).name)).collect();
    let text = format!("{:?} {nodes:?} {victims:?}", decision.kind());
    let decided = Said { question: "decide", text, is_unsure: decision.is_unsure() };

    let running: Vec<PodIx> =
        cluster.pod_indices().filter(|pod| !cluster.pod(*pod).node_name.is_empty()).collect();
    let found = risk::assess(&[view], &|_| 0, &running, &[], now);
    let mut rows: Vec<String> = Vec::new();
    for workload in &found.workloads {
        let exposures: Vec<_> =
            workload.pods.iter().map(|pod| (pod.exposure, pod.evicted_by.clone())).collect();
        let budgets = workload.budgets.len();
        rows.push(format!(
            "{:?} {exposures:?} {budgets} {:?}",
            workload.workload, workload.preemptors
        ));
    }
    let risk = Said { question: "risk", text: rows.join("\n"), is_unsure: found.is_unsure() };
    vec![decided, risk]
}

/// What would help `p`, how many more like it fit, and whether nodes can be drained.
fn moved(cluster: &Cluster, profile: &Profile) -> Vec<Said> {
    let now = NOW.parse().expect("a time");
    let pod = cluster.find_pod("default", "p").expect("the pod");
    let found = for_pod(cluster, pod, SuggestSettings { profile, now });
    let moves = found.moves.as_ref().map(|plan| (&plan.moves, &plan.node));
    let changes: Vec<&str> = found.changes.iter().map(|change| change.summary.as_str()).collect();
    let text =
        format!("{:?} {:?} {:?} {moves:?} {changes:?}", found.outcome, found.nodes, found.victims);
    let suggested = Said { question: "suggest", text, is_unsure: found.is_unsure() };

    let room = headroom::assess(cluster, pod, HeadroomSettings { profile, now });
    let text = format!("{:?} {:?} {:?}", room.priorities, room.placed, room.defragmentation);
    let room = Said { question: "headroom", text, is_unsure: room.is_unsure() };

    let names: Vec<String> = vec!["n0".to_owned()];
    let profiles = [profile.clone()];
    let request = RemovalRequest { nodes: &names, surge: 0, profiles: &profiles, now };
    let removal = removal::assess(cluster, request);
    let verdicts: Vec<_> = removal.nodes.iter().map(|node| (&node.node, node.verdict)).collect();
    let text = format!("{verdicts:?}");
    let removed = Said { question: "node", text, is_unsure: removal.is_unsure() };

    let node = cluster.find_node("n0").expect("the node");
    let (drained, _) =
        removal::drain(cluster.clone(), &[node], SimulationSettings::new(&profiles, now));
    let refused: Vec<_> = drained.drains.iter().map(|drain| &drain.refused).collect();
    let text = format!("{:?} {refused:?}", drained.totals());
    let drained = Said { question: "simulate --drain", text, is_unsure: drained.is_unsure() };

    let audited = audit::run(cluster, None, profile, now);
    let text = format!("{:?}", audited.findings);
    let audited = Said { question: "audit", text, is_unsure: audited.is_unsure() };
    vec![suggested, room, removed, drained, audited]
}

/// Takes each kind away. Returns how many answers differ.
fn holds(
    objects: &[Value],
    scheduler: At,
    ask: fn(&Cluster, &Profile) -> Vec<Said>,
) -> Result<usize, TestCaseError> {
    let profile = scheduler.profile();
    let whole = ask(&testing::cluster(objects.to_vec()), &profile);
    let mut differ = 0;
    for kind in optional_kinds(objects) {
        let answers = ask(&cluster_without(objects, kind), &profile);
        for (with, without) in whole.iter().zip(&answers) {
            if with.text != without.text {
                differ += 1;
                let question = with.question;
                prop_assert!(
                    without.is_unsure,
                    "{question} without {kind:?}:\n{}\nwith:\n{}",
                    without.text,
                    with.text
                );
            }
        }
    }
    Ok(differ)
}

fn classes() -> Vec<Value> {
    vec![priority_class("high", 8).into(), priority_class("low", -3).into()]
}

#[test]
fn decision_or_risk_without_a_kind_is_the_same_or_uncertain() {
    law(share::of(60, 120), 30, small(Quirks::All, 1..=4), |small| {
        let mut objects = small.objects(&BTreeSet::new());
        objects.extend(classes());
        holds(&objects, at(small.version), decided)
    });
}

#[test]
fn suggest_headroom_node_drain_or_audit_without_a_kind_is_the_same_or_uncertain() {
    law(share::of(60, 120), 30, scenes(false), |scene| {
        let mut objects = scene.objects();
        objects.extend(classes());
        holds(&objects, at("1.37"), moved)
    });
}

#[test]
fn decision_without_storage_or_namespaces_is_the_same_or_uncertain() {
    let zoned = objects![
        node("n0").cpu("4").label("disk", "a"),
        node("n1").cpu("4").label("disk", "b"),
        volume("pv", "").on_nodes("disk", "b"),
        claim("c", "").bound("pv"),
        namespace("default"),
        pod("p").cpu("1").claim("c"),
    ];
    let differ = holds(&zoned, at("1.37"), decided).expect("the law holds");
    assert!(differ > 0, "no answer differs");
}
