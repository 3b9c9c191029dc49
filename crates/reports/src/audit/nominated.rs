//! The results of decisions about nominated pods, for the checks about nominations.

use std::collections::BTreeMap;

use jiff::Timestamp;
use json::audit::Evidence;

use model::cluster::{Cluster, PodIx};
use profile::Profile;
use scheduler::decision::decide;
use scheduler::decision::lingering::{self, Lingering};
use scheduler::decision::nominated::NominationState;
use scheduler::framework::cluster_view::ClusterView;

/// The results of decisions about nominated pods.
pub(super) struct Nominations {
    /// The pods that are nominated to a node on which they do not fit, or that does not exist, each
    /// with the values behind that.
    pub(super) stale: Vec<(PodIx, Evidence)>,
    /// The overdue victims, each with the pods that wait for it.
    pub(super) stuck: BTreeMap<PodIx, (Lingering, Vec<String>)>,
}

impl Nominations {
    /// Decides every pending pod that is nominated.
    pub(super) fn of(cluster: &Cluster, profile: &Profile, now: Timestamp) -> Self {
        let view = ClusterView::new(cluster, profile);
        let mut found = Self { stale: Vec::new(), stuck: BTreeMap::new() };
        for ix in cluster.pod_indices() {
            let pod = cluster.pod(ix);
            if pod.is_running()
                && pod.is_disrupted_by_scheduler()
                && let Some(lingering) = lingering::of(ix, cluster, now)
            {
                found.stuck.entry(ix).or_insert_with(|| (lingering, Vec::new()));
            }
            if !pod.is_waiting() || pod.is_terminating() || pod.nominated_node.is_empty() {
                continue;
            }
            let decision = decide(&view, ix, now);
            let Some(nomination) = decision.nomination() else { continue };
            let takers = match &nomination.state {
                NominationState::Stuck(victims) => {
                    for victim in victims {
                        let known = found.stuck.entry(victim.pod);
                        let known = known.or_insert_with(|| (victim.clone(), Vec::new()));
                        known.1.push(cluster.pod_name(ix));
                    }
                    continue;
                }
                NominationState::Used | NominationState::Waits | NominationState::OtherNode => {
                    continue;
                }
                NominationState::NodeGone => None,
                NominationState::DoesNotFit { takers, .. } => Some(takers),
            };
            let reserved = decision.requested().into_iter().filter(|_| takers.is_some());
            let evidence = Evidence::StaleNomination {
                pod: cluster.pod_name(ix),
                priority: pod.priority,
                node: cluster.text(nomination.node).to_owned(),
                node_exists: takers.is_some(),
                reserves: reserved
                    .map(|(resource, amount)| format!("{resource}={amount}"))
                    .collect(),
                taken_by: takers
                    .into_iter()
                    .flatten()
                    .map(|taker| cluster.pod_name(*taker))
                    .collect(),
                ends: nomination.ends.name().to_owned(),
                stops_autoscalers: nomination.stops_autoscalers(),
            };
            found.stale.push((ix, evidence));
        }
        found
    }
}
