//! What the order of pods of the same importance can change on a node.
//!
//! kube-scheduler sorts potential victims by priority and start time, which the API rounds to seconds, and the sort is not
//! stable. Pods that tie may therefore use up a budget, and be reprieved, in any order. Pods with the same effect on every
//! plugin can stand for each other, so counts of them are enumerated instead of orders.
//!
//! A pod that is brought back makes no room for another: one that is rejected once stays rejected. So pods that tie are
//! reprieved in sets beside which no other of them fits.

mod search;
mod tie_break;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use jiff::Timestamp;

use super::budgets::{BudgetIndex, Budgets};
use super::dry_run::{Candidate, DryRunContext, ReprieveAttempt};
use super::importance;
use super::units::Units;
use super::victim_choices::{VictimChoices, Way};
use crate::framework::cycle::PreparedCycle;
use model::cluster::Cluster;
use model::cluster::budget::BudgetIx;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use profile::history::{BudgetCounting, Preemption};
use search::{Search, WAYS};

/// The most ways to share out violations of budgets that are tried on a node.
const SPLITS: usize = 32;
/// The most checks for a node.
const CHECKS_PER_NODE: usize = 4096;

/// What the order of pods that tie can change on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Openness {
    /// Nothing.
    Closed,
    /// Which of several pods with the same effect are evicted.
    Names,
    /// Also how many, or how many violate a budget.
    Numbers,
}

/// Pods that tie and can stand for each other, with the budgets that select them.
struct Class {
    pods: Vec<PodIx>,
    budgets: Budgets,
}

/// Finds the pods that may be evicted.
pub(super) struct VictimOrders<'r, 'c> {
    prepared: &'r PreparedCycle<'c>,
    budgets: BudgetIndex,
    units: Units<'c>,
    now: Timestamp,
    /// How many more times a node may be checked.
    checks: usize,
    /// What was found for the nodes that were asked about.
    found: BTreeMap<NodeIx, Option<VictimChoices>>,
}

impl<'r, 'c> VictimOrders<'r, 'c> {
    /// With so many checks of nodes at most.
    pub(super) fn new(prepared: &'r PreparedCycle<'c>, now: Timestamp, checks: usize) -> Self {
        let DryRunContext { budgets, units, now } = DryRunContext::new(prepared.cycle.view, now);
        Self { prepared, budgets, units, now, checks, found: BTreeMap::new() }
    }

    fn cluster(&self) -> &'c Cluster {
        self.prepared.cycle.cluster()
    }

    fn features(&self) -> &Preemption {
        &self.prepared.cycle.features().preemption
    }

    /// The potential victims in groups that tie.
    fn groups(&self, candidate: &Candidate) -> Vec<Vec<PodIx>> {
        let (cluster, features) = (self.cluster(), self.features());
        let mut pods: Vec<PodIx> = candidate.reprieve_order.iter().map(|attempt| attempt.pod).collect();
        pods.sort_unstable();
        let mut units = self.units.of(&pods);
        importance::sort(&mut units, cluster, self.now, features);
        let pods: Vec<PodIx> = units.into_iter().flat_map(|unit| unit.pods).collect();
        let tie = |a: &PodIx, b: &PodIx| importance::tie(cluster.pod(*a), cluster.pod(*b), self.now, features);
        pods.chunk_by(tie).map(<[PodIx]>::to_vec).collect()
    }

    fn classes(&self, group: &[PodIx]) -> Vec<Class> {
        let mut classes: Vec<Class> = Vec::new();
        for pod in group {
            let budgets = self.budgets.of(self.cluster().pod(*pod), self.cluster());
            let stands_for = |other: &PodIx| self.cluster().pod(*pod).can_stand_for(self.cluster().pod(*other));
            match classes.iter_mut().find(|c| c.budgets == budgets && c.pods.first().is_some_and(stands_for)) {
                Some(class) => class.pods.push(*pod),
                None => classes.push(Class { pods: vec![*pod], budgets }),
            }
        }
        // Small pods first, large pods first: that leads to few victims and to many.
        let size = |class: &Class| {
            class.pods.first().map(|pod| {
                let requests = self.prepared.cycle.view.footprint(self.cluster().pod(*pod));
                (requests.milli_cpu, requests.memory)
            })
        };
        classes.sort_by_key(size);
        classes
    }

    /// What the order can change on the candidate's node.
    fn openness(&self, candidate: &Candidate) -> Openness {
        let (attempts, cluster) = (&candidate.reprieve_order, self.cluster());
        let evicted = |pod: PodIx| candidate.victims.iter().any(|victim| victim.pod == pod);
        // The common case, at once: without budgets, neighbours that tie share their fate.
        let differ = |a: PodIx, b: PodIx| {
            importance::tie(cluster.pod(a), cluster.pod(b), self.now, self.features()) && evicted(a) != evicted(b)
        };
        let neighbours = || attempts.iter().zip(attempts.iter().skip(1));
        if attempts.iter().all(|a| !a.violates_pdb) && !neighbours().any(|(a, b)| differ(a.pod, b.pod)) {
            return Openness::Closed;
        }
        let violates: BTreeMap<PodIx, bool> = attempts.iter().map(|a| (a.pod, a.violates_pdb)).collect();
        let fate = |pod: &PodIx| (violates.get(pod), evicted(*pod));
        let open = |group: &Vec<PodIx>| {
            let mut fates = group.iter().map(fate);
            let first = fates.next();
            if fates.all(|fate| Some(fate) == first) {
                Openness::Closed
            } else if self.classes(group).len() == 1 {
                Openness::Names
            } else {
                Openness::Numbers
            }
        };
        self.groups(candidate).iter().map(open).max().unwrap_or(Openness::Closed)
    }

    /// Which pods may be evicted on the candidate's node; `None` if the order changes less than `least` there.
    pub(super) fn choices(&mut self, candidate: &Candidate, least: Openness) -> Option<VictimChoices> {
        if let Some(found) = self.found.get(&candidate.node) {
            return found.clone();
        }
        // Orders of groups are not tried, see `Candidate::groups_tie`.
        let in_group = |attempt: &ReprieveAttempt| self.units.group(self.cluster().pod(attempt.pod)).is_some();
        if candidate.reprieve_order.iter().any(in_group) || self.openness(candidate) < least {
            return None;
        }
        let found = self.explore(candidate);
        self.found.insert(candidate.node, found.clone());
        found
    }

    /// Which pods the orders evict on the candidate's node; `None` if all evict the same and violate budgets with the same.
    fn explore(&mut self, candidate: &Candidate) -> Option<VictimChoices> {
        let groups: Vec<Vec<Class>> = self.groups(candidate).iter().map(|group| self.classes(group)).collect();
        let (splits, splits_complete) = self.splits(&groups, candidate);
        let mut from = 0;
        let ranges = groups.iter().map(|group| {
            let range = from..from + group.len();
            from = range.end;
            range
        });
        let ranges: Vec<Range<usize>> = ranges.collect();
        let classes: Vec<Vec<PodIx>> = groups.into_iter().flatten().map(|class| class.pods).collect();
        let first = way_of(candidate, &classes);
        let allowed = self.checks.min(CHECKS_PER_NODE);
        let mut search = Search {
            state: self.prepared.node_state(candidate.node),
            classes: &classes,
            checks: allowed,
            ways: BTreeSet::from([first.clone()]),
        };
        if allowed > 0 {
            classes.iter().flatten().for_each(|pod| search.state.remove_pod(*pod));
            splits.iter().for_each(|split| search.run(&ranges, split));
        }
        let Search { checks, ways, .. } = search;
        self.checks -= allowed - checks;
        let complete = splits_complete && checks > 0 && ways.len() < WAYS;
        let others = ways.into_iter().filter(|way| *way != first);
        let ways = std::iter::once(first.clone()).chain(others).collect();
        Some(VictimChoices::new(classes, ways, complete)).filter(VictimChoices::may_differ)
    }

    /// For every order, how many pods of each class have an eviction that violates a budget; and whether these are all.
    fn splits(&self, groups: &[Vec<Class>], candidate: &Candidate) -> (Vec<Vec<usize>>, bool) {
        let mut left = BTreeMap::new();
        let (mut splits, mut complete) = (vec![Vec::new()], true);
        for group in groups {
            let of_group = self.violations(group, &mut left).unwrap_or_else(|| {
                complete = false;
                let violates = |pod: &&PodIx| candidate.reprieve_order.iter().any(|a| a.pod == **pod && a.violates_pdb);
                vec![group.iter().map(|class| class.pods.iter().filter(violates).count()).collect()]
            });
            splits = splits.iter().flat_map(|a: &Vec<usize>| of_group.iter().map(|b| [&**a, b].concat())).collect();
            if splits.len() > SPLITS {
                complete = false;
                splits.truncate(SPLITS);
            }
        }
        (splits, complete)
    }

    /// How many pods of each class violate a budget, for every order of the group, and what is left of the budgets afterwards.
    /// `None` where pods have several budgets and one of these runs out.
    fn violations(&self, group: &[Class], left: &mut BTreeMap<BudgetIx, i64>) -> Option<Vec<Vec<usize>>> {
        let counts = self.features().budget_counting != BudgetCounting::NotCounted;
        let involved: BTreeSet<BudgetIx> = group.iter().flat_map(|class| class.budgets.iter().copied()).collect();
        let several = group.iter().any(|class| class.budgets.len() > 1);
        let until_first = self.features().budget_counting == BudgetCounting::UntilFirst;
        let mut ways = vec![vec![0; group.len()]];
        for budget in involved {
            let allowed = *left.entry(budget).or_insert_with(|| self.cluster().budget(budget).allowed);
            let sizes: Vec<usize> =
                group.iter().map(|c| if c.budgets.contains(&budget) { c.pods.len() } else { 0 }).collect();
            let demand: usize = sizes.iter().sum();
            let spared = match usize::try_from(allowed) {
                Err(_) | Ok(0) => 0,
                Ok(_) if !counts => demand,
                Ok(allowed) => allowed.min(demand),
            };
            if counts {
                left.insert(budget, allowed.saturating_sub(i64::try_from(demand).unwrap_or(i64::MAX)));
            }
            if several && spared < demand && (until_first || spared > 0) {
                return None;
            }
            let shares = if spared == 0 { vec![sizes] } else { shares(&sizes, demand - spared) };
            let most = |a: &[usize], b: &[usize]| a.iter().zip(b).map(|(a, b)| *a.max(b)).collect::<Vec<usize>>();
            ways = ways.iter().flat_map(|way| shares.iter().map(|share| most(way, share))).collect();
            ways.truncate(SPLITS + 1);
        }
        Some(ways)
    }
}

/// All ways to take `total` from classes of these sizes; at most one more than [`SPLITS`].
fn shares(sizes: &[usize], total: usize) -> Vec<Vec<usize>> {
    let Some((first, rest)) = sizes.split_first() else {
        return if total == 0 { vec![Vec::new()] } else { Vec::new() };
    };
    let with = |taken: usize| shares(rest, total - taken).into_iter().map(move |more| [&[taken], &*more].concat());
    (0..=total.min(*first)).flat_map(with).take(SPLITS + 1).collect()
}

/// The way of the dry run.
fn way_of(candidate: &Candidate, classes: &[Vec<PodIx>]) -> Way {
    let count = |violating: bool| {
        let evicted = |pod: &&PodIx| {
            candidate.victims.iter().any(|victim| victim.pod == **pod && victim.violates.is_empty() != violating)
        };
        classes.iter().map(|pods| pods.iter().filter(evicted).count()).collect()
    };
    Way { violating: count(true), others: count(false) }
}

#[cfg(test)]
mod tests;
