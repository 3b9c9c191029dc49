//! Derives a plan from a decision.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::afterwards;
use super::hazard::Hazard;
use super::plan::{Afterwards, BudgetUse, Plan, PlannedVictim, PodId, Preemptor};
use crate::cluster::Cluster;
use crate::cluster::budget::BudgetIx;
use crate::cluster::node::NodeIx;
use crate::cluster::pod::{Pod, PodIx};
use crate::cluster::priority_class::SYSTEM_CLASSES;
use crate::decision::{Decision, Outcome};
use crate::framework::cycle::NodeVerdict;
use crate::preemption::PreemptionReport;
use crate::preemption::budgets::{BudgetIndex, Budgets};
use crate::preemption::dry_run::{Candidate, DryRun};
use crate::preemption::importance;
use crate::preemption::units::Units;
use crate::profile::Features;
use crate::profile::history::Preemption;

/// The lowest priority of system-critical pods.
///
/// Upstream: `pkg/apis/scheduling/types.go` `SystemCriticalPriority` (1.37).
const SYSTEM_CRITICAL: i32 = 2_000_000_000;

/// What follows from a decision, for the pod or for the pod on one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposal {
    /// The pod fits; the nodes that the scheduler may pick.
    Fits(Vec<String>),
    /// Pods have to be evicted.
    Evict(Plan),
    /// The pod gets the node once pods are gone that are terminating already: nothing has to be evicted.
    Awaits(Plan),
    /// No eviction helps, or none is allowed; the reason.
    Impossible(String),
    /// The answer is unknown; the reason.
    Unknown(String),
}

impl Proposal {
    /// The plan, if the pod needs the room of other pods.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        match self {
            Self::Evict(plan) | Self::Awaits(plan) => Some(plan),
            Self::Fits(_) | Self::Impossible(_) | Self::Unknown(_) => None,
        }
    }
}

/// The identity of a pod.
#[must_use]
pub fn id_of(pod: &Pod, cluster: &Cluster) -> PodId {
    PodId { namespace: cluster.text(pod.namespace).to_owned(), name: pod.name.to_string(), uid: pod.uid.to_string() }
}

/// What follows from `decision`, on the node that the scheduler picks or on the node `on`.
#[must_use]
pub fn propose(decision: &Decision, on: Option<NodeIx>, now: Timestamp) -> Proposal {
    let cluster = decision.view.cluster;
    let name = |node: &NodeIx| cluster.text(cluster.node(*node).name).to_owned();
    if let Some(node) = on {
        return propose_on(decision, node, now);
    }
    match &decision.outcome {
        Outcome::Schedulable => Proposal::Fits(decision.selected.iter().map(name).collect()),
        Outcome::Preempt => {
            let [node, tied @ ..] = decision.selected.as_slice() else { return nowhere(decision) };
            let candidate = decision.preemption.iter().flat_map(PreemptionReport::candidates).find(|c| c.node == *node);
            let tied = tied.iter().map(name).collect();
            candidate.map_or_else(|| nowhere(decision), |c| evict(decision, c, tied, now))
        }
        Outcome::Unschedulable => awaited(decision, now).unwrap_or_else(|| nowhere(decision)),
        Outcome::Error(_) | Outcome::NotInQueue(_) => nowhere(decision),
    }
}

/// What a pod waits for that is nominated to a node: the pods that are leaving this node, if it fits there without them.
fn awaited(decision: &Decision, now: Timestamp) -> Option<Proposal> {
    let ineligible = decision.preemption.as_ref()?.ineligible.as_ref()?;
    match decision.dry_run_of(decision.nominated()?, &ineligible.terminating)? {
        DryRun::Candidate(candidate) => Some(evict(decision, &candidate, Vec::new(), now)),
        DryRun::NoCandidate { .. } | DryRun::Failed(_) => None,
    }
}

fn propose_on(decision: &Decision, node: NodeIx, now: Timestamp) -> Proposal {
    let cluster = decision.view.cluster;
    let name = cluster.text(cluster.node(node).name).to_owned();
    let refusal = match decision.nodes.get(node.0 as usize) {
        Some(NodeVerdict::Feasible) => return Proposal::Fits(vec![name]),
        Some(NodeVerdict::Filtered { rejection, .. }) => format!(" ({})", rejection.texts(cluster).join(", ")),
        Some(NodeVerdict::ExcludedByPreFilter | NodeVerdict::Failed(_) | NodeVerdict::NotTried) | None => String::new(),
    };
    let mut candidates = decision.preemption.iter().flat_map(PreemptionReport::candidates);
    if let Some(candidate) = candidates.find(|c| c.node == node) {
        return evict(decision, candidate, Vec::new(), now);
    }
    if let Some(proposal) = awaited(decision, now).filter(|_| decision.nominated() == Some(node)) {
        return proposal;
    }
    match (decision.why(), &decision.outcome) {
        (Some(why), _) => Proposal::Impossible(why),
        (None, Outcome::Schedulable) => Proposal::Impossible(format!(
            "node {name} rejects the pod{refusal}, and the scheduler does not preempt because it fits on other nodes"
        )),
        (None, _) => Proposal::Impossible(format!(
            "node {name} rejects the pod{refusal}, and no eviction that the scheduler considers changes that"
        )),
    }
}

fn nowhere(decision: &Decision) -> Proposal {
    let error = || Some(format!("the scheduling cycle ends with an error: {}", decision.error()?.text));
    let message = decision.why().or_else(error).or_else(|| decision.scheduler_message().map(str::to_owned));
    Proposal::Impossible(message.unwrap_or_else(|| "the scheduler makes no decision about it".to_owned()))
}

/// The budgets that the eviction API checks, including those that the scheduler ignores.
///
/// Upstream: `pkg/registry/core/pod/storage/eviction.go` `getPodDisruptionBudgets` (1.37).
#[must_use]
pub(crate) fn protecting(cluster: &Cluster, features: &Features) -> BudgetIndex {
    let all =
        Preemption { budgets_select_everything: true, budgets_know_disrupted: false, ..features.preemption.clone() };
    BudgetIndex::new(cluster, &all)
}

/// What it takes that the victims of a candidate leave its node.
pub(super) fn evict(decision: &Decision, candidate: &Candidate, tied: Vec<String>, now: Timestamp) -> Proposal {
    let plan = plan(decision, candidate, tied, now);
    let leaving = plan.victims.iter().all(|victim| victim.terminating_until.is_some());
    if leaving && !plan.victims.is_empty() { Proposal::Awaits(plan) } else { Proposal::Evict(plan) }
}

fn plan(decision: &Decision, candidate: &Candidate, tied: Vec<String>, now: Timestamp) -> Plan {
    let (view, cluster) = (decision.view, decision.view.cluster);
    let pod = cluster.pod(decision.pod);
    let victims: Vec<PodIx> = candidate.victims.iter().map(|v| v.pod).collect();
    let mut units = Units::new(cluster, view.profile).of(&victims);
    importance::sort(&mut units, cluster, now, &view.profile.features.preemption);
    let mut order: Vec<PodIx> = units.into_iter().flat_map(|unit| unit.pods).collect();
    order.reverse();
    let index = protecting(cluster, &view.profile.features);
    let mut left: BTreeMap<BudgetIx, i64> = BTreeMap::new();
    let victims = order.into_iter().map(|victim| {
        let facts = cluster.pod(victim);
        // A budget has already counted a pod that is being deleted.
        let found = if facts.is_terminating() { Budgets::new() } else { index.of(facts, cluster) };
        let budgets = found.iter().map(|budget| {
            let facts = cluster.budget(*budget);
            let left = left.entry(*budget).or_insert(facts.allowed);
            let before = *left;
            *left -= 1;
            BudgetUse {
                namespace: cluster.text(facts.namespace).to_owned(),
                name: facts.name.to_string(),
                before,
                after: *left,
            }
        });
        let budgets = budgets.collect();
        self::victim(decision, victim, candidate.node, budgets, now)
    });
    Plan {
        preemptor: Preemptor {
            pod: id_of(pod, cluster),
            priority: pod.priority,
            scheduler: cluster.text(cluster.template(pod).scheduler_name).to_owned(),
            nominated_node: (!pod.nominated_node.is_empty()).then(|| cluster.text(pod.nominated_node).to_owned()),
        },
        node: cluster.text(cluster.node(candidate.node).name).to_owned(),
        tied,
        victims: victims.collect(),
    }
}

fn victim(decision: &Decision, ix: PodIx, node: NodeIx, budgets: Vec<BudgetUse>, now: Timestamp) -> PlannedVictim {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(ix);
    let afterwards = afterwards::of(ix, node, cluster);
    let hazards = hazards(decision, ix, &afterwards, &budgets, now);
    PlannedVictim {
        pod: id_of(pod, cluster),
        resource_version: pod.resource_version.to_string(),
        priority: pod.priority,
        grace_seconds: pod.grace_seconds.max(0),
        terminating_until: pod.deletion,
        owners: afterwards::owners(pod, cluster),
        budgets,
        hazards,
        afterwards,
    }
}

fn hazards(
    decision: &Decision,
    ix: PodIx,
    afterwards: &Afterwards,
    budgets: &[BudgetUse],
    now: Timestamp,
) -> Vec<Hazard> {
    let cluster = decision.view.cluster;
    let (pod, preemptor) = (cluster.pod(ix), cluster.pod(decision.pod));
    let template = cluster.template(pod);
    let class = cluster.text(template.priority_class);
    let scheduler = template.scheduler_name;
    let ours = decision.profile().all_names.iter().any(|name| name == cluster.text(scheduler));
    let mut hazards = Vec::new();
    if pod.is_terminating() {
        // The budget has already counted the deletion.
        if pod.deletion.is_some_and(|due| due < now) {
            hazards.push(Hazard::Stuck);
        }
        if matches!(afterwards, Afterwards::Pinned(_)) {
            hazards.push(Hazard::ComesBack);
        }
        return hazards;
    }
    match afterwards {
        Afterwards::Gone => hazards.push(Hazard::Bare),
        Afterwards::Static => hazards.push(Hazard::Mirror),
        Afterwards::Pinned(_) => hazards.push(Hazard::ComesBack),
        Afterwards::Replaced | Afterwards::Retried | Afterwards::Unknown => {}
    }
    if template.empty_dir {
        hazards.push(Hazard::EmptyDir);
    }
    if SYSTEM_CLASSES.iter().any(|(name, _)| *name == class) {
        hazards.push(Hazard::SystemCritical(class.to_owned()));
    } else if pod.priority >= SYSTEM_CRITICAL {
        hazards.push(Hazard::SystemCritical(format!("priority {}", pod.priority)));
    }
    if pod.priority >= preemptor.priority {
        hazards.push(Hazard::PriorityNotLower);
    }
    if !ours && !matches!(afterwards, Afterwards::Gone | Afterwards::Static) {
        hazards.push(Hazard::OtherScheduler(cluster.text(scheduler).to_owned()));
    }
    if budgets.len() > 1 {
        hazards.push(Hazard::SeveralBudgets);
    }
    hazards
}

#[cfg(test)]
mod tests;
