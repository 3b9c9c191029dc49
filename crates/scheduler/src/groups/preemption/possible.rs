//! The pods that may be evicted for a group, once its pods are placed: kube-scheduler tries units of
//! the same importance in an order that the API does not show.
//!
//! Units that affect no common pod of the group are independent of each other. So the units fall
//! into parts, each with sets of its own, and one set of each part is evicted. Within a part the
//! units of a tie that stay are a maximal set: what does not fit once does not fit later, and any
//! maximal set results from an order that begins with it.

use std::collections::BTreeSet;

use super::members::{Members, TieKey, TriedUnit};
use crate::preemption::reprieve::PotentialUnit;
use crate::preemption::victim_choices::{
    self, EvictionCounts, VictimChoices, VictimCount, binomial,
};
use model::cluster::{Cluster, PodIx};

/// Maximum number of checks for one placement of a group.
pub(super) const CHECKS: usize = 4096;

/// The sets of pods of which one is evicted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PossibleVictims {
    /// Evicted in any order.
    pub settled: Vec<PodIx>,
    /// What an order decides, by part; one set of each is evicted, too.
    pub open: Vec<VictimChoices>,
}

impl PossibleVictims {
    /// Whether these are all sets.
    pub fn is_complete(&self) -> bool {
        self.open.iter().all(|part| part.complete)
    }

    /// The pods that every order evicts.
    pub fn always(&self) -> BTreeSet<PodIx> {
        let of_parts = self.open.iter().flat_map(VictimChoices::always);
        self.settled.iter().copied().chain(of_parts).collect()
    }

    /// The pods that some order evicts.
    pub fn any(&self) -> BTreeSet<PodIx> {
        let of_parts = self.open.iter().flat_map(VictimChoices::open);
        self.always().into_iter().chain(of_parts).collect()
    }

    /// Every possible number of victims.
    pub fn counts(&self) -> BTreeSet<usize> {
        let mut counts = BTreeSet::from([self.settled.len()]);
        for part in &self.open {
            let of_part: BTreeSet<usize> = part.counts().collect();
            counts = counts
                .iter()
                .flat_map(|count| of_part.iter().map(move |more| count + more))
                .collect();
        }
        counts
    }

    /// Every set, if there are at most `limit`.
    pub fn sets(&self, limit: usize) -> Option<Vec<BTreeSet<PodIx>>> {
        let mut sets = vec![self.settled.iter().copied().collect::<BTreeSet<_>>()];
        for part in &self.open {
            let of_part = part.sets(limit)?;
            let mut larger = Vec::new();
            for set in &sets {
                for more in &of_part {
                    larger.push(set.iter().chain(more).copied().collect());
                }
                if larger.len() > limit {
                    return None;
                }
            }
            sets = larger;
        }
        Some(sets)
    }
}

/// The smallest and the largest of these numbers.
pub fn range(counts: &BTreeSet<usize>) -> VictimCount {
    VictimCount {
        fewest: counts.first().copied().unwrap_or(0),
        most: counts.last().copied().unwrap_or(0),
    }
}

/// At most `limit` and one more choices of `count` of `pods`.
pub(super) fn combinations(pods: &[PodIx], count: usize, limit: usize) -> Vec<Vec<PodIx>> {
    if binomial(pods.len(), count) <= limit as u128 {
        return victim_choices::combinations(pods, count);
    }
    // Too many to list: windows are enough to show that others are possible.
    let mut windows = Vec::with_capacity(limit + 1);
    for start in 0..=limit {
        windows.push(pods.iter().cycle().skip(start).take(count).copied().collect());
    }
    windows
}

/// A unit in the order of the reprieve, with what came of it.
pub(super) struct TriedInOrder<'a> {
    pub unit: PotentialUnit<'a>,
    pub tried: &'a TriedUnit,
    /// Units with the same key are tried in any order.
    pub key: (bool, Option<TieKey>),
    /// Whether the order has a last criterion, so that nothing ties.
    pub is_strict: bool,
}

impl TriedInOrder<'_> {
    /// Whether the scheduler may try the two in either order.
    fn ties(&self, other: &Self) -> bool {
        !self.is_strict && self.key == other.key
    }

    /// Whether two pods are interchangeable.
    fn is_like(&self, other: &Self, cluster: &Cluster) -> bool {
        let ([own], [others]) = (self.unit.pods, other.unit.pods) else { return false };
        own.node == others.node
            && self.unit.together().is_none()
            && other.unit.together().is_none()
            && cluster.pod(own.pod).can_stand_for(cluster.pod(others.pod))
    }
}

/// What may be evicted of these units. `members` gives the group's pods on their nodes.
pub(super) fn of<'p, 'c>(
    units: &[TriedInOrder],
    cluster: &Cluster,
    members: &dyn Fn() -> Members<'p, 'c>,
    checks: &mut usize,
) -> PossibleVictims {
    let mut possible = PossibleVictims::default();
    for part in parts(units) {
        let mut ties = part.chunk_by(|a, b| a.ties(b));
        let is_settled = ties.all(|tie| {
            tie.iter().all(|unit| {
                Some(unit.tried.attempt.stays) == tie.first().map(|first| first.tried.attempt.stays)
            })
        });
        if is_settled {
            let evicted = part.iter().filter(|unit| !unit.tried.attempt.stays);
            possible.settled.extend(evicted.flat_map(|unit| unit.tried.attempt.pods.clone()));
            continue;
        }
        possible.open.push(PartSearch::new(&part, cluster, members(), checks).run());
    }
    possible
}

/// The units by part; without those that affect no pod of the group, and therefore stay.
fn parts<'t, 'a>(units: &'t [TriedInOrder<'a>]) -> Vec<Vec<&'t TriedInOrder<'a>>> {
    // Each part with the members that its units affect.
    let mut parts: Vec<(BTreeSet<usize>, Vec<usize>)> = Vec::new();
    for (at, unit) in units.iter().enumerate() {
        let mut affected: BTreeSet<usize> = unit.tried.affected.iter().flatten().copied().collect();
        if affected.is_empty() {
            continue;
        }
        let mut own = vec![at];
        parts.retain(|(others, units)| {
            let is_apart = others.is_disjoint(&affected);
            if !is_apart {
                affected.extend(others);
                own.extend(units);
            }
            is_apart
        });
        own.sort_unstable();
        parts.push((affected, own));
    }
    let mut in_order = Vec::with_capacity(parts.len());
    for (_, own) in parts {
        in_order.push(own.into_iter().filter_map(|at| units.get(at)).collect());
    }
    in_order
}

/// Interchangeable units that tie.
struct Class<'t, 'a> {
    /// Which tie of the part they belong to.
    tie: usize,
    units: Vec<&'t TriedInOrder<'a>>,
}

/// The search for the sets of a part.
struct PartSearch<'t, 'a, 'p, 'c, 's> {
    classes: Vec<Class<'t, 'a>>,
    members: Members<'p, 'c>,
    /// How many units of each class stay.
    stayed: Vec<usize>,
    /// The ties and numbers from which the search went on.
    visited: BTreeSet<(usize, Vec<usize>)>,
    /// How many units of each class stay in the end.
    results: BTreeSet<Vec<usize>>,
    complete: bool,
    /// How many more checks are allowed.
    checks: &'s mut usize,
}

impl<'t, 'a, 'p, 'c, 's> PartSearch<'t, 'a, 'p, 'c, 's> {
    fn new(
        part: &[&'t TriedInOrder<'a>],
        cluster: &Cluster,
        members: Members<'p, 'c>,
        checks: &'s mut usize,
    ) -> Self {
        let mut classes: Vec<Class> = Vec::new();
        for (tie, units) in part.chunk_by(|a, b| a.ties(b)).enumerate() {
            for unit in units.iter().copied() {
                let own = classes.iter_mut().find(|class| {
                    class.tie == tie
                        && class.units.first().is_some_and(|other| unit.is_like(other, cluster))
                });
                match own {
                    Some(class) => class.units.push(unit),
                    None => classes.push(Class { tie, units: vec![unit] }),
                }
            }
        }
        // What was rejected may fit later where filters count pods of other nodes.
        let affected = part.iter().flat_map(|unit| unit.tried.affected.iter().flatten());
        let complete = !affected.into_iter().any(|member| members.looks_elsewhere(*member));
        let stayed = vec![0; classes.len()];
        Self {
            classes,
            members,
            stayed,
            visited: BTreeSet::new(),
            results: BTreeSet::new(),
            complete,
            checks,
        }
    }

    fn run(mut self) -> VictimChoices {
        self.extend(0);
        let shown: Vec<usize> = self
            .classes
            .iter()
            .map(|class| class.units.iter().filter(|unit| unit.tried.attempt.stays).count())
            .collect();
        self.results.remove(&shown);
        let mut alternatives = vec![self.evicted(&shown)];
        alternatives.extend(self.results.iter().map(|stayed| self.evicted(stayed)));
        let pods = self.classes.iter().map(|class| {
            class.units.iter().flat_map(|unit| unit.tried.attempt.pods.clone()).collect()
        });
        VictimChoices::new(pods.collect(), alternatives, self.complete)
    }

    /// Adds units of the tie back in every order, then those of the ties behind it.
    fn extend(&mut self, tie: usize) {
        if !self.visited.insert((tie, self.stayed.clone())) {
            return;
        }
        if self.classes.iter().all(|class| class.tie < tie) {
            self.results.insert(self.stayed.clone());
            return;
        }
        let mut is_maximal = true;
        for at in 0..self.classes.len() {
            let Some(class) = self.classes.get(at).filter(|class| class.tie == tie) else {
                continue;
            };
            let next = self.stayed.get(at).and_then(|stayed| class.units.get(*stayed));
            let Some(unit) = next.map(|next| next.unit) else { continue };
            let Some(checks) = self.checks.checked_sub(1) else {
                self.complete = false;
                return;
            };
            *self.checks = checks;
            let outcome = self.members.put_back(unit);
            self.complete &= !outcome.order_dependent;
            if outcome.blocked.is_some() {
                continue;
            }
            is_maximal = false;
            self.count(at, 1);
            self.extend(tie);
            self.count(at, -1);
            self.members.take_out(unit);
        }
        if is_maximal {
            self.extend(tie + 1);
        }
    }

    fn count(&mut self, class: usize, change: isize) {
        if let Some(stayed) = self.stayed.get_mut(class) {
            *stayed = stayed.saturating_add_signed(change);
        }
    }

    /// How many pods are evicted if this many units of each class stay.
    fn evicted(&self, stayed: &[usize]) -> EvictionCounts {
        let mut counts = EvictionCounts { violating: Vec::new(), others: Vec::new() };
        for (class, stayed) in self.classes.iter().zip(stayed) {
            let evicted = class.units.iter().skip(*stayed);
            let violations: Vec<(PodIx, bool)> =
                evicted.flat_map(|unit| unit.unit.violations()).collect();
            let violating = violations.iter().filter(|(_, violates)| *violates).count();
            counts.violating.push(violating);
            counts.others.push(violations.len() - violating);
        }
        counts
    }
}
