//! What is left of a plan that is being carried out.
//!
//! Evictions change what the scheduler would decide: they use up budgets, and with them the order in which pods are
//! reprieved. So the question is not whether the scheduler would evict the same pods again, but whether those that are left of
//! the plan still make room, and which of them can stay after all.

use jiff::Timestamp;

use super::plan::Plan;
use super::planning::{self, Proposal};
use crate::cluster::node::NodeIx;
use crate::cluster::pod::PodIx;
use crate::decision::{Decision, Outcome};
use crate::preemption::dry_run::DryRun;

/// What follows from `decision` for the victims of `plan` that are still on its node, in a cluster without those that are
/// leaving: the pod fits on some node; these of the victims have to go; or, where they no longer make room, what the scheduler
/// would do on the node instead.
#[must_use]
pub fn propose(decision: &Decision, plan: &Plan, now: Timestamp) -> Proposal {
    let cluster = decision.view.cluster;
    if decision.outcome == Outcome::Schedulable {
        let name = |node: NodeIx| cluster.text(cluster.node(node).name).to_owned();
        return Proposal::Fits(decision.feasible().map(name).collect());
    }
    let Some(node) = cluster.find_node(&plan.node) else {
        return Proposal::Impossible(format!("node {} is gone", plan.node));
    };
    let left = |pod: &PodIx| {
        let own = cluster.pod(*pod);
        own.priority < cluster.pod(decision.pod).priority
            && plan.victims.iter().any(|victim| planning::id_of(own, cluster) == victim.pod)
    };
    let victims: Vec<PodIx> = cluster.pods_on(node).iter().copied().filter(left).collect();
    match decision.dry_run_of(node, &victims) {
        Some(DryRun::Candidate(candidate)) => planning::evict(decision, &candidate, Vec::new(), now),
        Some(DryRun::NoCandidate { .. } | DryRun::Failed(_)) | None => planning::propose(decision, Some(node), now),
    }
}

#[cfg(test)]
mod tests;
