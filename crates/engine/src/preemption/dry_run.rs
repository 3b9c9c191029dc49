//! The dry run of preemption on one node: remove every pod of lower priority, check whether the preemptor fits, then
//! reprieve as many pods as possible, those that violate a budget first, and the most important ones first.
//!
//! Upstream: `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go` `SelectVictimsOnNode` (1.37).

use jiff::Timestamp;

use super::budgets::{BudgetIndex, Budgets, VictimBudgets, count_violations};
use super::importance;
use crate::cluster::budget::BudgetIx;
use crate::cluster::node::NodeIx;
use crate::cluster::pod::PodIx;
use crate::framework::cycle::{NodeState, PreparedCycle};
use crate::framework::plugin::Cycle;
use crate::framework::status::{ReasonText, Rejection, Verdict};
use crate::profile::history::BudgetCounting;

/// Upstream's reason for a node without pods of lower priority.
const NO_VICTIMS: ReasonText = ReasonText::Fixed("No preemption victims found for incoming pod");

/// What dry runs need besides the cycle.
pub(crate) struct DryRunContext<'r> {
    /// Budgets of the cluster.
    pub budgets: &'r BudgetIndex,
    /// The time of the decision; pods that have not started count as started at this time.
    pub now: Timestamp,
}

/// The result of a dry run.
#[derive(Debug, Clone, PartialEq)]
pub enum DryRun {
    /// Evicting the victims makes room.
    Candidate(Candidate),
    /// The pod does not fit even without the pods of lower priority, or there are none.
    NoCandidate {
        /// The plugin that still rejects the node; `None` if there were no pods to evict.
        plugin: Option<&'static str>,
        /// The rejection.
        rejection: Rejection,
    },
    /// The dry run failed, so the node is no candidate.
    Failed(String),
}

impl DryRun {
    /// The error of the dry run, if it failed.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Failed(error) => Some(error),
            Self::Candidate(_) | Self::NoCandidate { .. } => None,
        }
    }
}

/// A node on which evicting the victims makes room for the preemptor.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The node.
    pub node: NodeIx,
    /// Pods to evict, in the scheduler's order.
    pub victims: Vec<Victim>,
    /// How many of them violate a budget.
    pub violations: usize,
    /// Reprieved pods, in the order in which they were added back.
    pub reprieved: Vec<PodIx>,
    /// All potential victims in the order in which their reprieve was attempted. An extender may have changed the
    /// victims since.
    pub reprieve_order: Vec<ReprieveAttempt>,
    /// A reprieved pod and a victim of the same importance: the scheduler may as well evict the other one.
    pub interchangeable: Option<(PodIx, PodIx)>,
    /// Whether the victims depend on the order of budgets, which the API does not show.
    pub depends_on_budget_order: bool,
}

/// A potential victim that was added back to check whether it can be reprieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReprieveAttempt {
    /// The pod.
    pub pod: PodIx,
    /// Whether its eviction would violate a budget; such pods are added back first.
    pub violates_pdb: bool,
}

/// A pod to evict.
#[derive(Debug, Clone, PartialEq)]
pub struct Victim {
    /// The pod.
    pub pod: PodIx,
    /// The budgets that its eviction violates.
    pub violates: Budgets,
    /// The plugin that rejects the preemptor if this pod stays, with its rejection.
    pub blocks: Option<(&'static str, Rejection)>,
}

/// Runs the dry run on `node`. `order` ranks the budgets, see [`count_violations`].
#[must_use]
pub(crate) fn run(
    prepared: &PreparedCycle,
    node: NodeIx,
    context: &DryRunContext,
    order: &dyn Fn(BudgetIx) -> usize,
) -> DryRun {
    let cycle = &prepared.cycle;
    let (cluster, features) = (cycle.cluster(), &cycle.features().preemption);
    let mut state = prepared.node_state(node);
    let lower = |pod: &PodIx| cluster.pod(*pod).priority < cycle.pod.priority;
    let mut potential: Vec<PodIx> = cluster.pods_on(node).iter().copied().filter(lower).collect();
    if potential.is_empty() && features.nobody_to_evict_is_no_candidate {
        return DryRun::NoCandidate { plugin: None, rejection: Rejection::unresolvable(no_victims(cycle, node)) };
    }
    if let Some(error) = state.missing_state() {
        return DryRun::Failed(error);
    }
    for pod in &potential {
        state.remove_pod(*pod);
    }
    match state.check() {
        None | Some((_, Verdict::Fits)) => {}
        Some((plugin, Verdict::Rejected(rejection))) => {
            return DryRun::NoCandidate { plugin: Some(plugin), rejection };
        }
        Some((plugin, Verdict::Failed(e))) => {
            return DryRun::Failed(prepared.filter_error(plugin, &e));
        }
    }
    importance::sort(&mut potential, cluster, context.now, features);
    let with_budgets: Vec<(PodIx, Budgets)> =
        potential.iter().map(|pod| (*pod, context.budgets.of(cluster.pod(*pod), cluster))).collect();
    let (violating, non_violating): (Vec<VictimBudgets>, Vec<VictimBudgets>) =
        count_violations(&with_budgets, cluster, features, order).into_iter().partition(|s| !s.violates.is_empty());
    let mixed = !violating.is_empty() && !non_violating.is_empty();
    let order: Vec<VictimBudgets> = violating.into_iter().chain(non_violating).collect();
    let reprieve_order =
        order.iter().map(|s| ReprieveAttempt { pod: s.pod, violates_pdb: !s.violates.is_empty() }).collect();
    let (mut victims, reprieved) = reprieve(&mut state, order);
    if victims.is_empty() && features.nobody_evicted_is_no_candidate {
        let name = cluster.text(cluster.node(node).name);
        return DryRun::Failed(format!("expected at least one victim pod on node {name:?}"));
    }
    if mixed && features.victims_sorted_again {
        sort_victims(&mut victims, prepared, context);
    }
    let interchangeable = interchangeable(&victims, &reprieved, &with_budgets, prepared, context);
    DryRun::Candidate(Candidate {
        node,
        violations: victims.iter().filter(|v| !v.violates.is_empty()).count(),
        victims,
        reprieved,
        reprieve_order,
        interchangeable,
        depends_on_budget_order: features.budget_counting == BudgetCounting::UntilFirst
            && depends_on_order(&with_budgets, prepared),
    })
}

/// Upstream's reason for a node without pods of lower priority.
fn no_victims(cycle: &Cycle, node: NodeIx) -> ReasonText {
    if cycle.features().preemption.no_victims_unnamed {
        return NO_VICTIMS;
    }
    let (node, pod) = (cycle.cluster().text(cycle.cluster().node(node).name), &cycle.pod.name);
    ReasonText::Owned(format!("No victims found on node {node} for preemptor pod {pod}").into())
}

/// Adds the pods back one by one. Pods beside which the preemptor does not fit are the victims.
fn reprieve(state: &mut NodeState, pods: Vec<VictimBudgets>) -> (Vec<Victim>, Vec<PodIx>) {
    let (mut victims, mut reprieved) = (Vec::new(), Vec::new());
    for VictimBudgets { pod, violates } in pods {
        state.add_pod(pod);
        match state.check() {
            None => reprieved.push(pod),
            Some((plugin, verdict)) => {
                state.remove_pod(pod);
                let blocks = if let Verdict::Rejected(rejection) = verdict { Some((plugin, rejection)) } else { None };
                victims.push(Victim { pod, violates, blocks });
            }
        }
    }
    (victims, reprieved)
}

fn sort_victims(victims: &mut [Victim], prepared: &PreparedCycle, context: &DryRunContext) {
    let cycle = &prepared.cycle;
    let mut order: Vec<PodIx> = victims.iter().map(|v| v.pod).collect();
    importance::sort(&mut order, cycle.cluster(), context.now, &cycle.features().preemption);
    victims.sort_by_key(|v| order.iter().position(|pod| *pod == v.pod));
}

/// A reprieved pod and a victim with the same importance and the same budgets.
fn interchangeable(
    victims: &[Victim],
    reprieved: &[PodIx],
    with_budgets: &[(PodIx, Budgets)],
    prepared: &PreparedCycle,
    context: &DryRunContext,
) -> Option<(PodIx, PodIx)> {
    let (cluster, features) = (prepared.cycle.cluster(), &prepared.cycle.features().preemption);
    // Pods of the same importance are adjacent in the order of importance.
    with_budgets
        .chunk_by(|(a, _), (b, _)| importance::tie(cluster.pod(*a), cluster.pod(*b), context.now, features))
        .filter(|group| group.len() > 1)
        .find_map(|group| {
            let in_group = |pod: PodIx| group.iter().any(|(p, _)| *p == pod);
            let victim = victims.iter().map(|v| v.pod).find(|p| in_group(*p))?;
            let kept = reprieved.iter().copied().find(|p| in_group(*p))?;
            Some((kept, victim))
        })
}

/// Whether a pod has several budgets one of which runs out on this node.
fn depends_on_order(with_budgets: &[(PodIx, Budgets)], prepared: &PreparedCycle) -> bool {
    let cluster = prepared.cycle.cluster();
    let demand = |budget: &BudgetIx| with_budgets.iter().filter(|(_, budgets)| budgets.contains(budget)).count();
    let runs_out =
        |budget: &BudgetIx| cluster.budget(*budget).allowed < i64::try_from(demand(budget)).unwrap_or(i64::MAX);
    with_budgets.iter().any(|(_, budgets)| budgets.len() > 1 && budgets.iter().any(runs_out))
}

#[cfg(test)]
mod tests;
