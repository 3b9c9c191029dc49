//! Nominations that keep room for nothing, and victims of preemption that do not end.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::finding::{Evidence, Finding};
use model::cluster::Cluster;
use model::cluster::pod::PodIx;
use profile::Profile;
use scheduler::decision::decide;
use scheduler::decision::lingering::{self, Lingering, LingersBy};
use scheduler::decision::nominated::NominationState;
use scheduler::framework::cluster_view::ClusterView;

/// Every pod that waits and is nominated is decided about.
pub(super) fn check(
    cluster: &Cluster,
    profile: &Profile,
    now: Timestamp,
    findings: &mut Vec<Finding>,
) {
    let view = ClusterView::new(cluster, profile);
    // The victims that should have ended, each with the pods that wait for it.
    let mut stuck: BTreeMap<PodIx, (Lingering, Vec<String>)> = BTreeMap::new();
    for ix in cluster.pod_indices() {
        let pod = cluster.pod(ix);
        if pod.is_running()
            && pod.is_disrupted_by_scheduler()
            && let Some(lingering) = lingering::of(ix, cluster, now)
        {
            stuck.entry(ix).or_insert_with(|| (lingering, Vec::new()));
        }
        if !pod.is_waiting() || pod.is_terminating() || pod.nominated_node.is_empty() {
            continue;
        }
        let decision = decide(&view, ix, now);
        let Some(nomination) = decision.nomination() else { continue };
        match &nomination.state {
            NominationState::Stuck(victims) => {
                for victim in victims {
                    let known =
                        stuck.entry(victim.pod).or_insert_with(|| (victim.clone(), Vec::new()));
                    known.1.push(cluster.pod_name(ix));
                }
            }
            state @ (NominationState::NodeGone | NominationState::DoesNotFit { .. }) => {
                let takers = match state {
                    NominationState::DoesNotFit { takers, .. } => takers.as_slice(),
                    _ => &[],
                };
                let is_there = !matches!(state, NominationState::NodeGone);
                let reserved = decision.requested().into_iter().filter(|_| is_there);
                let evidence = Evidence::StaleNomination {
                    pod: cluster.pod_name(ix),
                    priority: pod.priority,
                    node: cluster.text(nomination.node).to_owned(),
                    node_exists: is_there,
                    reserves: reserved
                        .map(|(resource, amount)| format!("{resource}={amount}"))
                        .collect(),
                    taken_by: takers.iter().map(|taker| cluster.pod_name(*taker)).collect(),
                };
                findings.push(Finding { object: (&cluster.workload(pod)).into(), evidence });
            }
            NominationState::Used | NominationState::Waits | NominationState::OtherNode => {}
        }
    }
    for (victim, (lingering, waiting)) in stuck {
        let pod = cluster.pod(victim);
        let finalizers = lingering.by.iter().flat_map(|by| match by {
            LingersBy::Finalizers(names) => &**names,
            LingersBy::NodeGone | LingersBy::SilentKubelet | LingersBy::GracePeriod(_) => &[],
        });
        let evidence = Evidence::StuckVictim {
            pod: cluster.pod_name(victim),
            node: cluster.text(pod.node_name).to_owned(),
            overdue_seconds: lingering.overdue,
            grace_seconds: pod.grace_seconds,
            kept_by: lingering.by.iter().map(|by| by.name().to_owned()).collect(),
            finalizers: finalizers.map(|name| cluster.text(*name).to_owned()).collect(),
            waiting,
        };
        findings.push(Finding { object: (&cluster.workload(pod)).into(), evidence });
    }
}
