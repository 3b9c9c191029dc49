//! No pod that `risk` calls safe is a victim of a preemptor of the declared kind.

use std::collections::BTreeSet;

use engine::framework::cluster_view::ClusterView;
use engine::risk::{self, Exposure, Risk};
use proptest::prelude::*;

use super::{Quirks, candidates, law, pod_names, small, victims};
use engine::cluster::{Cluster, PodIx};
use serde_json::Value;
use testing::{NOW, at, priority_class, share};

fn assess(version: &str, cluster: &Cluster, declared: &[PodIx]) -> Risk {
    let profile = at(version).profile();
    let view = ClusterView::new(cluster, &profile);
    let running: Vec<PodIx> =
        cluster.pod_indices().filter(|pod| !cluster.pod(*pod).node_name.is_empty()).collect();
    risk::assess(&[view], &|_| 0, &running, declared, NOW.parse().expect("a time"))
}

fn safe(risk: &Risk, cluster: &Cluster) -> BTreeSet<String> {
    let pods = risk.workloads.iter().flat_map(|workload| &workload.pods);
    pods.filter(|pod| pod.exposure == Exposure::Safe)
        .map(|pod| cluster.pod(pod.pod).name.to_string())
        .collect()
}

fn is_incoming(object: &Value) -> bool {
    object["kind"] == "Pod" && object["metadata"]["name"] == "p"
}

/// The question is about a priority class; the pod of this class comes later, with whatever it
/// requests and selects.
#[test]
fn no_pod_of_a_class_preempts_what_is_safe_from_it() {
    law(share::of(600, 1000), share::of(160, 300), small(Quirks::All, 1..=5), |small| {
        let mut before = small.objects(&BTreeSet::new());
        before.retain(|object| !is_incoming(object));
        before.push(priority_class("incoming", small.incoming.priority.into()).into());
        let before = testing::cluster(before);
        let safe = safe(&assess(small.version, &before, &[]), &before);
        let answer = small.decide(&BTreeSet::new());
        let found = candidates(&answer);
        for (node, candidate) in &found {
            let victims = victims(&answer, candidate);
            prop_assert!(victims.is_disjoint(&safe), "{node}: {victims:?} and {safe:?}");
        }
        Ok(found.len())
    });
}

/// The question is about one pod: what is safe from it is no victim, whichever order the API leaves
/// open.
#[test]
fn a_named_pod_preempts_nothing_that_is_safe_from_it() {
    law(share::of(600, 1000), share::of(160, 300), small(Quirks::All, 1..=5), |small| {
        let cluster = testing::cluster(small.objects(&BTreeSet::new()));
        let declared = cluster.find_pod("default", "p").expect("the pod");
        let risk = assess(small.version, &cluster, &[declared]);
        let safe = safe(&risk, &cluster);
        let answer = small.decide(&BTreeSet::new());
        let found = candidates(&answer);
        for (node, candidate) in &found {
            let victims = victims(&answer, candidate);
            prop_assert!(victims.is_disjoint(&safe), "{node}: {victims:?} and {safe:?}");
            let choices = answer.preemption.iter().flat_map(|report| &report.victim_choices);
            for (_, choice) in choices {
                let open = pod_names(&answer, choice.always().into_iter().chain(choice.open()));
                prop_assert!(open.is_disjoint(&safe), "{node}: {open:?} and {safe:?}");
            }
        }
        Ok(found.len())
    });
}
