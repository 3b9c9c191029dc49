//! Whether the plan of preemption evicts more, or more important, pods than needed. kube-scheduler
//! reprieves pods greedily, one order per node; here every set of pods of lower priority is searched
//! on every node that preemption tries.
//!
//! A set is better by the scheduler's own criteria ([`PlanCost`]). The search rests on two properties:
//!
//! * One more victim never lowers a cost. So a set that is not better stays so with more victims.
//! * A pod that stays never helps the preemptor: what does not fit beside some pods does not fit
//!   beside more of them. Required pod affinity is the exception: then every cheaper set is tried.
//!
//! What the node has too little of bounds the rest (`Shortage`): victims that cannot free it, or only
//! at a higher cost, are not tried.
//!
//! The tests compare the result with all subsets.

mod shortage;

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::budgets::Budgets;
use super::dry_run::{Candidate, DryRun, DryRunContext};
use super::victim::PRIORITY_OFFSET;
use super::{PARALLEL_FROM, PreemptionReport};
use crate::framework::cycle::{NodeState, PreparedCycle};
use model::cluster::{BudgetIx, Cluster, NodeIx, PodIx};
use model::parallel;
use shortage::Shortage;

/// Maximum number of node checks for a plan, and for one node of it.
const CHECKS: usize = 200_000;
const CHECKS_PER_NODE: usize = 20_000;
/// Maximum number of nodes that are searched.
pub const MOST_NODES: usize = 1_000;

/// The cost of evicting some pods of a node, by kube-scheduler's criteria in their order: the lowest
/// is the best. Its last criterion, the latest start of the most important victims, is not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlanCost {
    /// How many victims a PDB does not allow to evict, each of them once. Unlike in the dry run only
    /// the victims are counted.
    pub violations: i64,
    /// The priority of the most important victim.
    pub highest: i64,
    /// The sum of the victims' priorities, with 2^31 added to each.
    pub sum: i64,
    pub victims: usize,
}

impl PlanCost {
    const NOTHING: Self = Self { violations: 0, highest: i64::MIN, sum: 0, victims: 0 };
}

/// What a plan is compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// The criteria of [`PlanCost`].
    Cheapest,
    /// The number of victims, whatever their priorities and PDBs.
    Fewest,
}

impl Goal {
    fn is_better(self, cost: PlanCost, than: PlanCost) -> bool {
        match self {
            Self::Cheapest => cost < than,
            Self::Fewest => cost.victims < than.victims,
        }
    }
}

/// Pods of one node whose eviction makes room, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherPlan {
    pub node: NodeIx,
    /// The most important ones first.
    pub victims: Vec<PodIx>,
    pub cost: PlanCost,
}

/// Whether a plan is the best one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanProof {
    /// No set of pods on any node is better.
    Proven,
    /// This one is.
    Better(OtherPlan),
    /// None was found, but these nodes were not searched to the end.
    NotProven(Vec<(NodeIx, NotSearched)>),
    /// No node was searched.
    NotTried(NotTried),
}

/// Why no node was searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotTried {
    /// There are more than [`MOST_NODES`].
    TooManyNodes,
    /// Extenders know reasons of their own.
    Extenders,
}

/// Why a node was not searched to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotSearched {
    /// There are too many sets.
    TooMany,
    /// Pods of groups, which may be evicted together.
    Groups,
    /// What fits, or how many evictions PDBs do not allow, depends on an order that the API does not
    /// show.
    Order,
    /// The dry run failed.
    Failed,
}

/// What is known of the plan on a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanCertificate {
    pub node: NodeIx,
    pub cost: PlanCost,
    /// By the criteria of kube-scheduler.
    pub cheapest: PlanProof,
    /// By the number of victims alone.
    pub fewest: PlanProof,
}

/// Searches for better plans than that of a candidate.
pub(crate) fn certify(
    prepared: &PreparedCycle,
    report: &PreemptionReport,
    candidate: &Candidate,
    now: Timestamp,
) -> PlanCertificate {
    let context = DryRunContext::new(prepared.cycle.view, now);
    let nodes: Vec<NodeIx> = report.dry_runs.keys().copied().collect();
    let plan: Vec<PodIx> = candidate.victims.iter().map(|victim| victim.pod).collect();
    let cost = cost_of(&plan, &context);
    let not_tried = if report.extenders_asked {
        Some(NotTried::Extenders)
    } else {
        (nodes.len() > MOST_NODES).then_some(NotTried::TooManyNodes)
    };
    if let Some(why) = not_tried {
        let proof = PlanProof::NotTried(why);
        return PlanCertificate {
            node: candidate.node,
            cost,
            cheapest: proof.clone(),
            fewest: proof,
        };
    }
    let proof = |goal| {
        let checks = (CHECKS / nodes.len().max(1)).min(CHECKS_PER_NODE);
        let searched: Vec<Searched> = parallel::map(&nodes, PARALLEL_FROM, |node| {
            let run = report.dry_runs.get(node);
            NodeSearch::run(*node, run, prepared, &context, goal, cost, checks)
        });
        conclude(searched, goal)
    };
    let (cheapest, fewest) = (proof(Goal::Cheapest), proof(Goal::Fewest));
    PlanCertificate { node: candidate.node, cost, cheapest, fewest }
}

/// The best of what was found on the nodes.
fn conclude(searched: Vec<Searched>, goal: Goal) -> PlanProof {
    let mut best: Option<OtherPlan> = None;
    let mut open = Vec::new();
    for node in searched {
        open.extend(node.open.map(|why| (node.node, why)));
        if let Some(plan) = node.best
            && best.as_ref().is_none_or(|best| {
                goal.is_better(plan.cost, best.cost)
                    || (goal == Goal::Fewest
                        && plan.cost.victims == best.cost.victims
                        && plan.cost < best.cost)
            })
        {
            best = Some(plan);
        }
    }
    match best {
        Some(plan) => PlanProof::Better(plan),
        None if open.is_empty() => PlanProof::Proven,
        None => PlanProof::NotProven(open),
    }
}

fn cost_of(pods: &[PodIx], context: &DryRunContext) -> PlanCost {
    let cluster = context.view.cluster;
    let mut evicted = Evicted::default();
    for pod in pods {
        let budgets = context.budgets.of(cluster.pod(*pod), cluster);
        evicted.push(cluster.pod(*pod).priority, &budgets, cluster);
    }
    evicted.cost()
}

/// The victims of a set that is being built, as far as their cost is concerned.
#[derive(Default)]
struct Evicted {
    /// The cost of each beginning of the set.
    costs: Vec<PlanCost>,
    /// How many of the pods each budget selects.
    of_budgets: BTreeMap<BudgetIx, i64>,
}

impl Evicted {
    fn cost(&self) -> PlanCost {
        self.costs.last().copied().unwrap_or(PlanCost::NOTHING)
    }

    fn push(&mut self, priority: i32, budgets: &Budgets, cluster: &Cluster) {
        let mut cost = self.cost();
        let mut is_violation = false;
        for budget in budgets {
            let number = self.of_budgets.entry(*budget).or_default();
            *number += 1;
            is_violation |= *number > cluster.budget(*budget).allowed.max(0);
        }
        cost.violations += i64::from(is_violation);
        cost.highest = cost.highest.max(i64::from(priority));
        cost.sum += i64::from(priority) + PRIORITY_OFFSET;
        cost.victims += 1;
        self.costs.push(cost);
    }

    /// How many more pods of a budget may be evicted.
    fn still_allowed(&self, budget: BudgetIx, cluster: &Cluster) -> i64 {
        let evicted = self.of_budgets.get(&budget).copied().unwrap_or_default();
        cluster.budget(budget).allowed.max(0) - evicted
    }

    fn pop(&mut self, budgets: &Budgets) {
        self.costs.pop();
        for budget in budgets {
            if let Some(number) = self.of_budgets.get_mut(budget) {
                *number -= 1;
            }
        }
    }
}

/// A pod of lower priority.
struct EvictablePod {
    pod: PodIx,
    priority: i32,
    budgets: Budgets,
    /// Whether it makes no difference which of it and the one before is evicted.
    is_like_previous: bool,
}

/// The result for a node.
struct Searched {
    node: NodeIx,
    best: Option<OtherPlan>,
    open: Option<NotSearched>,
}

/// The search on a node: for each pod in turn, whether it stays.
struct NodeSearch<'s, 'p, 'c> {
    cluster: &'c Cluster,
    pods: &'s [EvictablePod],
    /// What the victims have to free.
    shortages: Vec<Shortage>,
    /// The node with the pods that stay.
    state: NodeState<'p, 'c>,
    goal: Goal,
    /// Whether a pod that stays never helps the preemptor.
    is_monotone: bool,
    /// The cost that a set must be better than.
    least: PlanCost,
    evicted: Evicted,
    chosen: Vec<PodIx>,
    best: Option<Vec<PodIx>>,
    checks: usize,
    open: Option<NotSearched>,
}

impl<'p, 'c> NodeSearch<'_, 'p, 'c> {
    fn run(
        node: NodeIx,
        run: Option<&DryRun>,
        prepared: &'p PreparedCycle<'c>,
        context: &DryRunContext<'_, 'c>,
        goal: Goal,
        least: PlanCost,
        checks: usize,
    ) -> Searched {
        let nothing = |open| Searched { node, best: None, open };
        let is_monotone =
            prepared.cycle.template.affinity.as_ref().is_ok_and(|terms| terms.is_empty());
        match run {
            // If the pod does not fit without all pods of lower priority, it fits beside none of them.
            Some(DryRun::NoCandidate { domains_tie, .. }) if is_monotone => {
                return nothing(domains_tie.then_some(NotSearched::Order));
            }
            Some(DryRun::Failed(_)) | None => return nothing(Some(NotSearched::Failed)),
            Some(_) => {}
        }

        // The most important pods come first, so that the first set that is found evicts none of them
        // without need. Pods that are alike come one after the other.
        let cluster = prepared.cycle.cluster();
        let of_node = prepared.cycle.view.info(node).pods.iter().copied();
        let lower = of_node
            .filter(|pod| context.units.priority(cluster.pod(*pod)) < prepared.cycle.pod.priority);
        let mut lower: Vec<PodIx> = lower.collect();
        if lower.iter().any(|pod| context.units.may_be_in_group(cluster.pod(*pod))) {
            return nothing(Some(NotSearched::Groups));
        }
        // Which of several budgets of a pod is used up first depends on the pods counted before it.
        let is_counted_in_order = |pod: &PodIx| {
            let budgets = context.budgets.of(cluster.pod(*pod), cluster);
            budgets.len() > 1 && budgets.iter().any(|one| cluster.budget(*one).allowed > 0)
        };
        if goal == Goal::Cheapest && lower.iter().any(is_counted_in_order) {
            return nothing(Some(NotSearched::Order));
        }
        let size = |pod: PodIx| context.view.footprint(cluster.pod(pod)).milli_cpu;
        lower.sort_by_key(|pod| {
            let facts = cluster.pod(*pod);
            (-i64::from(facts.priority), -size(*pod), facts.template, facts.labels, facts.namespace)
        });
        let mut pods: Vec<EvictablePod> = Vec::with_capacity(lower.len());
        for pod in lower {
            let facts = cluster.pod(pod);
            let budgets = context.budgets.of(facts, cluster);
            let is_like_previous = pods.last().is_some_and(|last| {
                last.budgets == budgets && facts.is_scheduled_like(cluster.pod(last.pod))
            });
            pods.push(EvictablePod { pod, priority: facts.priority, budgets, is_like_previous });
        }
        let shortages = Shortage::all_of(node, &pods, prepared);
        let state = prepared.node_state(node);
        let mut search = NodeSearch {
            cluster,
            pods: &pods,
            shortages,
            state,
            goal,
            is_monotone,
            least,
            evicted: Evicted::default(),
            chosen: Vec::new(),
            best: None,
            checks,
            open: None,
        };
        // On most nodes what has to become free rules out every better set.
        if !search.frees_enough(0) {
            return nothing(None);
        }
        for one in search.pods {
            search.state.remove_pod(one.pod);
        }
        search.decide(0, false);

        // What was found must hold for the node as it is, too.
        let (best, mut open) = (search.best.take(), search.open);
        let best = best.filter(|victims| {
            let mut state = prepared.node_state(node);
            for pod in victims {
                state.remove_pod(*pod);
            }
            let fits = state.rejected_by().is_none() && !state.is_order_dependent(None);
            if !fits {
                open = Some(NotSearched::Order);
            }
            fits
        });
        let best =
            best.map(|victims| OtherPlan { node, cost: cost_of(&victims, context), victims });
        Searched { node, best, open }
    }

    /// Decides about the pod at `at` and all behind it. `evicted_last`: the pod before it is evicted.
    fn decide(&mut self, at: usize, evicted_last: bool) {
        if self.open == Some(NotSearched::TooMany) {
            return;
        }
        let Some(one) = self.pods.get(at) else {
            if !self.chosen.is_empty() && (self.is_monotone || self.fits()) {
                self.least = self.evicted.cost();
                self.best = Some(self.chosen.clone());
            }
            return;
        };
        let Some(left) = self.checks.checked_sub(1) else {
            self.open = Some(NotSearched::TooMany);
            return;
        };
        self.checks = left;
        if !self.frees_enough(at) {
            return;
        }

        // It stays, if the preemptor fits beside it. Of pods that are alike the first ones stay.
        if !(one.is_like_previous && evicted_last) {
            self.state.add_pod(one.pod);
            if !self.is_monotone || self.fits() {
                self.decide(at + 1, false);
            }
            self.state.remove_pod(one.pod);
        }

        // It is evicted, if that can still lead to something better.
        self.evicted.push(one.priority, &one.budgets, self.cluster);
        if self.goal.is_better(self.evicted.cost(), self.least) {
            self.chosen.push(one.pod);
            self.shortages.iter_mut().for_each(|one| one.missing -= one.freed_by(at));
            self.decide(at + 1, true);
            self.shortages.iter_mut().for_each(|one| one.missing += one.freed_by(at));
            self.chosen.pop();
        }
        self.evicted.pop(&one.budgets);
    }

    /// Whether evicting some pods from `at` on can free what is missing and be better than what is
    /// known.
    fn frees_enough(&self, at: usize) -> bool {
        let Self { goal, pods, evicted, least, cluster, .. } = self;
        self.shortages
            .iter()
            .all(|one| one.can_end_better(*goal, at, pods, evicted, *least, cluster))
    }

    fn fits(&mut self) -> bool {
        let rejected_by = self.state.rejected_by();
        if self.state.is_order_dependent(rejected_by) && self.open.is_none() {
            self.open = Some(NotSearched::Order);
        }
        rejected_by.is_none()
    }
}

#[cfg(test)]
mod tests;
