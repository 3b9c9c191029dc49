//! Whom would the pod throw out on one node? Remove every pod of lower priority, see whether it fits, then spare as many
//! as possible, the most important first and those that a budget protects before the others.
//!
//! Upstream: `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go` `SelectVictimsOnNode` (1.37).

use jiff::Timestamp;

use super::budgets::{BudgetIndex, Budgets, Split, split};
use super::importance;
use crate::cluster::budget::BudgetIx;
use crate::cluster::node::NodeIx;
use crate::cluster::pod::PodIx;
use crate::framework::cycle::{NodeState, PreparedCycle};
use crate::framework::plugin::Cycle;
use crate::framework::status::{Rejection, Text, Verdict};
use crate::profile::history::BudgetCounting;

/// Upstream's reason for a node without any pod of lower priority.
const NO_VICTIMS: Text = Text::Fixed("No preemption victims found for incoming pod");

/// What dry runs need to know besides the cycle.
pub struct Rules<'r> {
    /// Budgets of the cluster.
    pub budgets: &'r BudgetIndex,
    /// The instant of the decision; pods that have not started count as started now.
    pub now: Timestamp,
}

/// The outcome of a dry run.
#[derive(Debug, Clone, PartialEq)]
pub enum DryRun {
    /// Evicting the victims makes room.
    Candidate(Candidate),
    /// Even without any pod of lower priority the pod does not fit, or there is none.
    NoCandidate {
        /// The plugin that still refuses; `None` when there was nobody to evict.
        plugin: Option<&'static str>,
        /// Why.
        rejection: Rejection,
    },
    /// The dry run fails, and with it the node.
    Failed(String),
}

impl DryRun {
    /// What it failed with, if it did.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Failed(error) => Some(error),
            Self::Candidate(_) | Self::NoCandidate { .. } => None,
        }
    }
}

/// A node where preemption works.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The node.
    pub node: NodeIx,
    /// Pods to evict, in the scheduler's order.
    pub victims: Vec<Victim>,
    /// How many of them violate a budget.
    pub violations: usize,
    /// Pods that may stay, in the order in which they were put back.
    pub spared: Vec<PodIx>,
    /// All of them in the order in which they were tried; an extender may have changed its mind about some since.
    pub tried: Vec<Tried>,
    /// A spared pod and a victim that tie in importance: the scheduler may as well evict the other one.
    pub interchangeable: Option<(PodIx, PodIx)>,
    /// Whether the order of budgets, which the API does not show, decides anything here.
    pub depends_on_budget_order: bool,
}

/// A pod that was put back to see whether it may stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tried {
    /// The pod.
    pub pod: PodIx,
    /// Whether its eviction would violate a budget: such pods are tried first.
    pub protected: bool,
}

/// A pod to evict.
#[derive(Debug, Clone, PartialEq)]
pub struct Victim {
    /// The pod.
    pub pod: PodIx,
    /// Budgets that its eviction violates.
    pub violates: Budgets,
    /// What refuses the preemptor when this pod stays.
    pub blocks: Option<(&'static str, Rejection)>,
}

/// Tries `node`. `order` is the order in which budgets are walked, see [`split`].
#[must_use]
pub fn run(prepared: &PreparedCycle, node: NodeIx, rules: &Rules, order: &dyn Fn(BudgetIx) -> usize) -> DryRun {
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
    importance::sort(&mut potential, cluster, rules.now, features);
    let protected: Vec<(PodIx, Budgets)> =
        potential.iter().map(|pod| (*pod, rules.budgets.of(cluster.pod(*pod), cluster))).collect();
    let (violating, harmless): (Vec<Split>, Vec<Split>) =
        split(&protected, cluster, features, order).into_iter().partition(|s| !s.violates.is_empty());
    let mixed = !violating.is_empty() && !harmless.is_empty();
    let order: Vec<Split> = violating.into_iter().chain(harmless).collect();
    let tried = order.iter().map(|s| Tried { pod: s.pod, protected: !s.violates.is_empty() }).collect();
    let (mut victims, spared) = reprieve(&mut state, order);
    if victims.is_empty() && features.nobody_evicted_is_no_candidate {
        let name = cluster.text(cluster.node(node).name);
        return DryRun::Failed(format!("expected at least one victim pod on node {name:?}"));
    }
    if mixed && features.victims_sorted_again {
        sort_victims(&mut victims, prepared, rules);
    }
    let interchangeable = interchangeable(&victims, &spared, &protected, prepared, rules);
    DryRun::Candidate(Candidate {
        node,
        violations: victims.iter().filter(|v| !v.violates.is_empty()).count(),
        victims,
        spared,
        tried,
        interchangeable,
        depends_on_budget_order: features.budget_counting == BudgetCounting::UntilFirst
            && depends_on_order(&protected, prepared),
    })
}

/// Upstream's reason for a node without any pod of lower priority.
fn no_victims(cycle: &Cycle, node: NodeIx) -> Text {
    if cycle.features().preemption.no_victims_unnamed {
        return NO_VICTIMS;
    }
    let (node, pod) = (cycle.cluster().text(cycle.cluster().node(node).name), &cycle.pod.name);
    Text::Owned(format!("No victims found on node {node} for preemptor pod {pod}").into())
}

/// Puts pods back one by one; those that leave no room for the preemptor are the victims.
fn reprieve(state: &mut NodeState, pods: Vec<Split>) -> (Vec<Victim>, Vec<PodIx>) {
    let (mut victims, mut spared) = (Vec::new(), Vec::new());
    for Split { pod, violates } in pods {
        state.add_pod(pod);
        match state.check() {
            None => spared.push(pod),
            Some((plugin, verdict)) => {
                state.remove_pod(pod);
                let blocks = if let Verdict::Rejected(rejection) = verdict { Some((plugin, rejection)) } else { None };
                victims.push(Victim { pod, violates, blocks });
            }
        }
    }
    (victims, spared)
}

fn sort_victims(victims: &mut [Victim], prepared: &PreparedCycle, rules: &Rules) {
    let cycle = &prepared.cycle;
    let mut order: Vec<PodIx> = victims.iter().map(|v| v.pod).collect();
    importance::sort(&mut order, cycle.cluster(), rules.now, &cycle.features().preemption);
    victims.sort_by_key(|v| order.iter().position(|pod| *pod == v.pod));
}

/// A victim and a spared pod that differ in nothing the importance order looks at, nor in their budgets.
fn interchangeable(
    victims: &[Victim],
    spared: &[PodIx],
    protected: &[(PodIx, Budgets)],
    prepared: &PreparedCycle,
    rules: &Rules,
) -> Option<(PodIx, PodIx)> {
    let (cluster, features) = (prepared.cycle.cluster(), &prepared.cycle.features().preemption);
    // Pods that tie are neighbours in the order of importance.
    protected
        .chunk_by(|(a, _), (b, _)| importance::tie(cluster.pod(*a), cluster.pod(*b), rules.now, features))
        .filter(|group| group.len() > 1)
        .find_map(|group| {
            let in_group = |pod: PodIx| group.iter().any(|(p, _)| *p == pod);
            let victim = victims.iter().map(|v| v.pod).find(|p| in_group(*p))?;
            let kept = spared.iter().copied().find(|p| in_group(*p))?;
            Some((kept, victim))
        })
}

/// Whether some pod has several budgets of which one runs out on this node.
fn depends_on_order(protected: &[(PodIx, Budgets)], prepared: &PreparedCycle) -> bool {
    let cluster = prepared.cycle.cluster();
    let demand = |budget: &BudgetIx| protected.iter().filter(|(_, budgets)| budgets.contains(budget)).count();
    let runs_out =
        |budget: &BudgetIx| cluster.budget(*budget).allowed < i64::try_from(demand(budget)).unwrap_or(i64::MAX);
    protected.iter().any(|(_, budgets)| budgets.len() > 1 && budgets.iter().any(runs_out))
}

#[cfg(test)]
mod tests;
