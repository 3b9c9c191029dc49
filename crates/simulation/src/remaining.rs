//! The rest of a plan that is being carried out.
//!
//! Evictions change what the scheduler would decide: they use up budgets, and so change the order
//! in which pods are reprieved. So the question is not whether the scheduler would evict the same
//! pods again, but whether evicting the remaining victims still helps, and which of them can stay
//! after all.

use super::group_planning;
use super::plan::Plan;
use super::planning::{self, Proposal};
use model::cluster::PodIx;
use scheduler::decision::Decision;
use scheduler::framework::cluster_view::ClusterView;
use scheduler::groups::{GroupDecision, GroupOutcome};
use scheduler::preemption::dry_run::DryRun;
use scheduler::preemption::units::Units;

/// The proposal for the victims of `plan` that are still on its node, in a cluster without those
/// that are terminating: the pod fits on some node; these victims have to leave; or, if evicting
/// them no longer helps, what the scheduler would do on the node instead.
pub(super) fn propose(decision: &Decision, plan: &Plan) -> Proposal {
    let cluster = decision.view.cluster;
    if decision.fits() {
        return Proposal::Fits(
            decision.feasible().map(|node| cluster.node_name(node).to_owned()).collect(),
        );
    }
    let name = plan.nodes().first().copied().unwrap_or_default();
    let Some(node) = cluster.find_node(name) else {
        return Proposal::Impossible(format!("node {name} is gone"));
    };
    let remaining = remaining_victims(plan, decision.view, cluster.pod(decision.pod).priority);
    let victims: Vec<PodIx> =
        cluster.pods_on(node).iter().copied().filter(|pod| remaining.contains(pod)).collect();
    match decision.dry_run_of(node, &victims) {
        Some(DryRun::Candidate(candidate)) => planning::evict(decision, &candidate, Vec::new()),
        Some(DryRun::NoCandidate { .. } | DryRun::Failed(_)) | None => planning::on(decision, node),
    }
}

/// The same for a group: the pods of the group fit; these victims of `plan`, on any nodes, have to
/// leave; or, if evicting them no longer helps, what the scheduler would do instead.
pub(super) fn propose_group(decision: &GroupDecision, plan: &Plan) -> Proposal {
    if decision.outcome == GroupOutcome::Scheduled {
        return group_planning::as_scheduled(decision);
    }
    let remaining = remaining_victims(plan, decision.view, decision.priority());
    match decision.plan_with(&remaining) {
        Some(rest) => group_planning::evict(decision, &rest),
        None => group_planning::as_scheduled(decision),
    }
}

/// The victims of a plan that are still on their nodes and have a lower priority than this.
fn remaining_victims(plan: &Plan, view: &ClusterView, priority: i32) -> Vec<PodIx> {
    let cluster = view.cluster;
    let units = Units::new(cluster, view.profile);
    let victims = plan.victims.iter().map(|victim| &victim.pod);
    let victims = victims.filter_map(|pod| cluster.find_uid(&pod.namespace, &pod.name, &pod.uid));
    victims
        .filter(|ix| cluster.node_of(*ix).is_some() && units.priority(cluster.pod(*ix)) < priority)
        .collect()
}

#[cfg(test)]
mod tests;
