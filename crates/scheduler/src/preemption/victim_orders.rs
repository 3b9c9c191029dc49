//! What the order of equally important pods can change on a node.
//!
//! kube-scheduler sorts potential victims by priority and start time, which the API rounds to
//! seconds, and the sort is not stable: pods that tie use up budgets, and are reprieved, in any
//! order. There are too many orders to try each of them, so numbers of pods are enumerated instead.
//! Two properties make that complete:
//!
//! * Pods that no budget and no plugin can tell apart are a [`Class`]. Swapping two of them in an
//!   order swaps them in the outcome and changes nothing else. So it is enough to know how many
//!   pods of each class are evicted.
//! * Adding a pod back never frees resources for another: what is rejected once stays rejected. So
//!   the reprieved pods of a tie are a maximal set, with which no other of them fits; and each
//!   maximal set results from the orders that begin with it.
//!
//! The tests compare the result with one dry run for every order.

mod search;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use jiff::Timestamp;

use super::budgets::{BudgetIndex, Budgets};
use super::dry_run::{Candidate, DryRunContext};
use super::importance;
use super::pick_node::{self, CandidateCost};
use super::units::Units;
use super::victim_choices::{EvictionCounts, VictimChoices};
use crate::framework::cycle::PreparedCycle;
use model::cluster::{BudgetIx, Cluster, NodeIx, PodIx};
use profile::history::{BudgetCounting, Preemption};
use search::{MOST_ALTERNATIVES, Search};

/// Maximum number of splits, see [`Splits`], that are tried on a node.
const MOST_SPLITS: usize = 32;
/// Maximum number of checks per node.
const CHECKS_PER_NODE: usize = 4096;

/// What the order of pods that tie can change on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OrderDependence {
    Nothing,
    /// Which of several pods with the same effect are evicted.
    Names,
    /// Also how many are evicted, or how many violate a budget.
    Numbers,
}

/// Interchangeable pods that tie, with the budgets that select them.
struct Class {
    pods: Vec<PodIx>,
    budgets: Budgets,
}

/// A number of pods for each class, in the order of the classes.
type CountsByClass = Vec<usize>;

/// How the pods whose eviction violates a budget can be split among the classes: each order of the
/// pods has one of these splits, and each split arises from some order.
struct Splits {
    splits: Vec<CountsByClass>,
    /// Whether these are all splits.
    complete: bool,
}

/// Finds the pods that may be evicted.
pub(super) struct VictimOrders<'r, 'c> {
    prepared: &'r PreparedCycle<'c>,
    budgets: BudgetIndex,
    units: Units<'c>,
    now: Timestamp,
    /// How many more node checks are allowed.
    checks: usize,
    /// The results for the nodes looked up so far.
    found: BTreeMap<NodeIx, Option<VictimChoices>>,
}

impl<'r, 'c> VictimOrders<'r, 'c> {
    /// With at most this many node checks.
    pub(super) fn new(prepared: &'r PreparedCycle<'c>, now: Timestamp, checks: usize) -> Self {
        let DryRunContext { budgets, units, now, .. } =
            DryRunContext::new(prepared.cycle.view, now);
        Self { prepared, budgets, units, now, checks, found: BTreeMap::new() }
    }

    fn cluster(&self) -> &'c Cluster {
        self.prepared.cycle.cluster()
    }

    fn features(&self) -> &Preemption {
        &self.prepared.cycle.features().preemption
    }

    /// Whether the order of the two pods is one that the API does not show.
    fn tie(&self, a: PodIx, b: PodIx) -> bool {
        let cluster = self.cluster();
        importance::tie(cluster.pod(a), cluster.pod(b), self.now, self.features())
    }

    /// The potential victims in groups that tie, the most important group first.
    fn tied_groups(&self, candidate: &Candidate) -> Vec<Vec<PodIx>> {
        let mut pods: Vec<PodIx> =
            candidate.reprieve_order.iter().map(|attempt| attempt.pod).collect();
        pods.sort_unstable();
        let mut units = self.units.of(&pods);
        importance::sort(&mut units, self.cluster(), self.now, self.features());
        let pods: Vec<PodIx> = units.into_iter().flat_map(|unit| unit.pods).collect();
        pods.chunk_by(|a, b| self.tie(*a, *b)).map(<[PodIx]>::to_vec).collect()
    }

    /// The classes of pods that tie.
    fn classes(&self, group: &[PodIx]) -> Vec<Class> {
        let cluster = self.cluster();
        let mut classes: Vec<Class> = Vec::new();
        for pod in group {
            let budgets = self.budgets.of(cluster.pod(*pod), cluster);
            let own = classes.iter_mut().find(|class| {
                class.budgets == budgets
                    && class
                        .pods
                        .first()
                        .is_some_and(|other| cluster.pod(*pod).can_stand_for(cluster.pod(*other)))
            });
            match own {
                Some(class) => class.pods.push(*pod),
                None => classes.push(Class { pods: vec![*pod], budgets }),
            }
        }
        // The search first adds classes back in this order and in its reverse. Small pods before
        // large ones leads to few victims or to many, so the extremes are found even if checks run
        // out.
        classes.sort_by_key(|class| {
            class.pods.first().map(|pod| {
                let requests = self.prepared.cycle.view.footprint(cluster.pod(*pod));
                (requests.milli_cpu, requests.memory)
            })
        });
        classes
    }

    /// What the order can change on the candidate's node.
    fn order_dependence(&self, candidate: &Candidate) -> OrderDependence {
        // The common case, answered quickly: no budget is violated, and neighbours that tie have
        // the same outcome.
        let attempts = &candidate.reprieve_order;
        let violates_any = attempts.iter().any(|attempt| attempt.violates_pdb);
        let neighbours_differ = attempts.iter().zip(attempts.iter().skip(1)).any(|(a, b)| {
            self.tie(a.pod, b.pod) && candidate.evicts(a.pod) != candidate.evicts(b.pod)
        });
        if !violates_any && !neighbours_differ {
            return OrderDependence::Nothing;
        }

        let violates: BTreeMap<PodIx, bool> =
            attempts.iter().map(|attempt| (attempt.pod, attempt.violates_pdb)).collect();
        let mut dependence = OrderDependence::Nothing;
        for group in self.tied_groups(candidate) {
            // If all pods of a group have the same outcome, they have it in any order.
            let outcomes: BTreeSet<(Option<bool>, bool)> = group
                .iter()
                .map(|pod| (violates.get(pod).copied(), candidate.evicts(*pod)))
                .collect();
            if outcomes.len() > 1 {
                let one_class = self.classes(&group).len() == 1;
                let of_group =
                    if one_class { OrderDependence::Names } else { OrderDependence::Numbers };
                dependence = dependence.max(of_group);
            }
        }
        dependence
    }

    /// Which pods may be evicted on the candidate's node; `None` if the order changes less than
    /// `least` there.
    pub(super) fn choices(
        &mut self,
        candidate: &Candidate,
        least: OrderDependence,
    ) -> Option<VictimChoices> {
        if let Some(choices) = self.found.get(&candidate.node) {
            return choices.clone();
        }
        if !candidate.pods_tie {
            return None;
        }
        // Orders of groups are not tried, see `Candidate::groups_tie`.
        if candidate
            .reprieve_order
            .iter()
            .any(|attempt| self.units.group(self.cluster().pod(attempt.pod)).is_some())
            || self.order_dependence(candidate) < least
        {
            return None;
        }
        let choices = self.explore(candidate);
        self.found.insert(candidate.node, choices.clone());
        choices
    }

    /// Which pods the orders evict on the candidate's node; `None` if all orders lead to the same
    /// victims and violations.
    fn explore(&mut self, candidate: &Candidate) -> Option<VictimChoices> {
        let groups: Vec<Vec<Class>> =
            self.tied_groups(candidate).iter().map(|group| self.classes(group)).collect();
        let Splits { splits, complete: all_splits } = self.splits(&groups, candidate);

        // The search numbers classes consecutively, from the most important group to the least
        // important one.
        let mut classes: Vec<Vec<PodIx>> = Vec::new();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for group in groups {
            let start = classes.len();
            classes.extend(group.into_iter().map(|class| class.pods));
            ranges.push(start..classes.len());
        }

        // Remove all potential victims from the node, and add them back in every order that makes a
        // difference.
        let of_dry_run = EvictionCounts::of(candidate, &classes);
        let allowed = self.checks.min(CHECKS_PER_NODE);
        let mut search = Search {
            state: self.prepared.node_state(candidate.node),
            classes: &classes,
            checks: allowed,
            found: BTreeSet::from([of_dry_run.clone()]),
        };
        if allowed > 0 {
            classes.iter().flatten().for_each(|pod| search.state.remove_pod(*pod));
            for split in &splits {
                search.run(&ranges, split);
            }
        }
        let Search { checks, mut found, .. } = search;
        self.checks -= allowed - checks;

        let complete = all_splits && checks > 0 && found.len() < MOST_ALTERNATIVES;
        found.remove(&of_dry_run);
        let mut alternatives = vec![of_dry_run];
        alternatives.extend(found);
        Some(VictimChoices::new(classes, alternatives, complete)).filter(VictimChoices::may_differ)
    }

    /// How violations can be split among the classes of all groups.
    fn splits(&self, groups: &[Vec<Class>], candidate: &Candidate) -> Splits {
        // More important groups use up the budgets first, whatever the order within them. What one
        // group leaves over does not depend on its order, so each split of a group combines with
        // each split of the next.
        let mut remaining_budget = BTreeMap::new();
        let (mut splits, mut complete) = (vec![Vec::new()], true);
        for group in groups {
            let of_group =
                self.splits_of_group(group, &mut remaining_budget).unwrap_or_else(|| {
                    complete = false;
                    vec![split_of_dry_run(group, candidate)]
                });
            splits = combine(&splits, &of_group, |before, own| [before, own].concat());
            if splits.len() > MOST_SPLITS {
                complete = false;
                splits.truncate(MOST_SPLITS);
            }
        }
        Splits { splits, complete }
    }

    /// How many pods of each class violate a budget, for every order of the group. Counts down the
    /// budgets. `None` if pods have several budgets and one of these runs out.
    fn splits_of_group(
        &self,
        group: &[Class],
        remaining_budget: &mut BTreeMap<BudgetIx, i64>,
    ) -> Option<Vec<CountsByClass>> {
        let counting = self.features().budget_counting;
        let budgets: BTreeSet<BudgetIx> =
            group.iter().flat_map(|class| class.budgets.iter().copied()).collect();
        let some_have_several = group.iter().any(|class| class.budgets.len() > 1);
        let mut splits = vec![vec![0; group.len()]];
        for budget in budgets {
            let allowed = *remaining_budget
                .entry(budget)
                .or_insert_with(|| self.cluster().budget(budget).allowed);
            let selected: CountsByClass = group
                .iter()
                .map(|class| if class.budgets.contains(&budget) { class.pods.len() } else { 0 })
                .collect();
            let demand: usize = selected.iter().sum();
            if counting != BudgetCounting::NotCounted {
                let demand = i64::try_from(demand).unwrap_or(i64::MAX);
                remaining_budget.insert(budget, allowed.saturating_sub(demand));
            }

            // The first pods use up the budget; the eviction of each later one violates it.
            let within_budget = match usize::try_from(allowed) {
                Err(_) | Ok(0) => 0,
                Ok(_) if counting == BudgetCounting::NotCounted => demand,
                Ok(allowed) => allowed.min(demand),
            };
            let violating = demand - within_budget;

            // A pod with several budgets has one position in the order for all of them. Budgets are
            // then independent only if each spares all of its pods or none, or, where the walk
            // stops at the first exhausted one, only if all are spared.
            let stops = counting == BudgetCounting::UntilFirst;
            if some_have_several && violating > 0 && (stops || within_budget > 0) {
                return None;
            }

            // Any pods may come last, so any `violating` of them may violate the budget.
            let of_budget = ways_to_take(violating, &selected);
            // A class with one budget is counted only there, and one with several is counted in
            // each with all of its pods or none. In both cases the larger number counts each pod
            // once.
            splits = combine(&splits, &of_budget, |a, b| {
                a.iter().zip(b).map(|(a, b)| *a.max(b)).collect()
            });
            splits.truncate(MOST_SPLITS + 1);
        }
        Some(splits)
    }
}

/// Every element of `a` with every element of `b`.
fn combine(
    a: &[CountsByClass],
    b: &[CountsByClass],
    with: impl Fn(&[usize], &[usize]) -> CountsByClass,
) -> Vec<CountsByClass> {
    let mut combined = Vec::with_capacity(a.len() * b.len());
    for first in a {
        for second in b {
            combined.push(with(first, second));
        }
    }
    combined
}

/// The split that the dry run found.
fn split_of_dry_run(group: &[Class], candidate: &Candidate) -> CountsByClass {
    group
        .iter()
        .map(|class| {
            class
                .pods
                .iter()
                .filter(|pod| {
                    candidate.reprieve_order.iter().any(|a| a.pod == **pod && a.violates_pdb)
                })
                .count()
        })
        .collect()
}

/// The ways to take `total` pods from classes of these sizes: the compositions of `total` with
/// bounded parts. Stops at one more than [`MOST_SPLITS`].
fn ways_to_take(total: usize, sizes: &[usize]) -> Vec<CountsByClass> {
    let Some((first, rest)) = sizes.split_first() else {
        return if total == 0 { vec![Vec::new()] } else { Vec::new() };
    };
    let mut ways = Vec::new();
    // The first class has to provide what the others do not have.
    let fewest = total.saturating_sub(rest.iter().sum());
    for taken in fewest..=total.min(*first) {
        for others in ways_to_take(total - taken, rest) {
            ways.push([&[taken], others.as_slice()].concat());
            if ways.len() > MOST_SPLITS {
                return ways;
            }
        }
    }
    ways
}

/// The result of the tie-break over all orders.
pub(in crate::preemption) struct TieBreaks {
    /// The nodes that win for at least one order.
    pub nodes: Vec<NodeIx>,
    /// Whether these are all.
    pub complete: bool,
    /// The maximum cost of victims with which a node still wins.
    limit: Option<CandidateCost>,
}

/// The cost of a candidate in the tie-break, over all orders.
struct CostRange {
    node: NodeIx,
    best: CandidateCost,
    worst: CandidateCost,
    /// Whether its victims cannot cost more than `worst`.
    certain: bool,
}

impl VictimOrders<'_, '_> {
    fn cost(&self, candidate: &Candidate) -> CandidateCost {
        pick_node::cost(candidate, self.cluster(), self.features(), self.now)
    }

    pub fn tie_breaks<'a>(&mut self, candidates: impl Iterator<Item = &'a Candidate>) -> TieBreaks {
        let mut by_cost: Vec<(CandidateCost, &Candidate)> =
            candidates.map(|c| (self.cost(c), c)).collect();
        by_cost.sort_by_key(|(cost, candidate)| (*cost, candidate.node));

        // The possible costs of each candidate. Those cheapest in the dry run come first, since
        // checks may run out.
        let mut ranges: Vec<CostRange> = Vec::with_capacity(by_cost.len());
        let mut complete = true;
        for (cost, candidate) in by_cost {
            let choices = self.choices(candidate, OrderDependence::Numbers);
            let mut range =
                CostRange { node: candidate.node, best: cost, worst: cost, certain: true };
            if let Some(choices) = &choices {
                for alternative in
                    choices.candidates(candidate, self.features().victims_sorted_again)
                {
                    let cost = self.cost(&alternative);
                    range.best = range.best.min(cost);
                    range.worst = range.worst.max(cost);
                }
            }
            let all_tried = choices.is_none_or(|choices| choices.complete);
            complete &= all_tried;
            range.certain = all_tried && depends_on_nothing_else(candidate);
            ranges.push(range);
        }

        // The orders on different nodes are independent: a node wins for some of them if its best
        // costs no more than the worst of each other node.
        let least_worst = ranges.iter().map(|range| range.worst).min();
        let limit = ranges.iter().filter(|range| range.certain).map(|range| range.worst).min();
        let may_win =
            ranges.iter().filter(|range| Some(range.best) <= least_worst).map(|range| range.node);
        TieBreaks { nodes: may_win.collect(), complete, limit }
    }

    /// Which of these victims may be evicted on the candidate's node, given that it has to win;
    /// `None` if all orders in which it wins evict those of the dry run.
    pub fn winning(
        &self,
        mut choices: VictimChoices,
        candidate: &Candidate,
        tie_breaks: &TieBreaks,
    ) -> Option<VictimChoices> {
        // The cost under other orders of its budgets is not compared.
        if let Some(limit) = tie_breaks.limit.filter(|_| !candidate.depends_on_budget_order) {
            choices.keep_winning(candidate, self.features().victims_sorted_again, |way| {
                self.cost(way) <= limit
            });
        }
        let settled = choices.is_settled() && choices.with_dry_run && !choices.may_lose();
        (!settled).then_some(choices)
    }
}

/// Whether the candidate's victims depend on nothing but the order of its pods that tie.
const fn depends_on_nothing_else(candidate: &Candidate) -> bool {
    !(candidate.depends_on_budget_order || candidate.groups_tie || candidate.domains_tie)
}

#[cfg(test)]
mod tests;
