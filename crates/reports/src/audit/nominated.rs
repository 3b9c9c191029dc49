//! The results of decisions about nominated pods, for the checks about nominations.

use std::collections::BTreeMap;

use jiff::Timestamp;
use json::audit::Evidence;

use model::cluster::{Cluster, PodIx};
use profile::Profile;
use scheduler::decision::lingering::{self, Lingering};
use scheduler::decision::nominated::{Nomination, NominationState};
use scheduler::decision::{Decision, decide};
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
        let mut nominated = Self { stale: Vec::new(), stuck: BTreeMap::new() };
        for ix in cluster.pod_indices() {
            let pod = cluster.pod(ix);
            // A victim that does not terminate blocks a node even if no pod waits for it.
            if pod.is_running()
                && pod.is_disrupted_by_scheduler()
                && let Some(lingering) = lingering::of(ix, cluster, now)
            {
                nominated.stuck.entry(ix).or_insert_with(|| (lingering, Vec::new()));
            }
            if !pod.is_waiting() || pod.is_terminating() || pod.nominated_node.is_empty() {
                continue;
            }
            let decision = decide(&view, ix, now);
            let Some(nomination) = decision.nomination() else { continue };
            match &nomination.state {
                NominationState::Used | NominationState::Waits | NominationState::OtherNode => {}
                NominationState::Stuck(victims) => {
                    for victim in victims {
                        let waiting = nominated.stuck.entry(victim.pod);
                        let waiting = waiting.or_insert_with(|| (victim.clone(), Vec::new()));
                        waiting.1.push(cluster.pod_name(ix));
                    }
                }
                NominationState::NodeGone => {
                    nominated.stale.push((ix, stale(&decision, &nomination, None)));
                }
                NominationState::DoesNotFit { takers, .. } => {
                    nominated.stale.push((ix, stale(&decision, &nomination, Some(takers))));
                }
            }
        }
        nominated
    }
}

/// The evidence of a nomination that holds resources for nothing; `takers` are the pods in its way,
/// if the node exists.
fn stale(decision: &Decision, nomination: &Nomination, takers: Option<&Vec<PodIx>>) -> Evidence {
    let cluster = decision.view.cluster;
    let mut reserves = Vec::new();
    if takers.is_some() {
        for (resource, amount) in decision.requested() {
            reserves.push(format!("{resource}={amount}"));
        }
    }
    let takers_by_name = takers.into_iter().flatten().map(|taker| cluster.pod_name(*taker));
    Evidence::StaleNomination {
        pod: cluster.pod_name(decision.pod),
        priority: cluster.pod(decision.pod).priority,
        node: cluster.text(nomination.node).to_owned(),
        node_exists: takers.is_some(),
        reserves,
        taken_by: takers_by_name.collect(),
        ends: nomination.ends.name().to_owned(),
        stops_autoscalers: nomination.stops_autoscalers(),
    }
}
