//! The pods that may be evicted on a node where pods of the same importance are tried in an order that the API does not
//! show. `victim_orders` finds them.

use std::collections::BTreeSet;
use std::fmt;

use super::budgets::Budgets;
use super::dry_run::{Candidate, Victim};
use model::cluster::pod::PodIx;

/// The pods that may be evicted on a node: how many of which, in every way that the order of pods leaves open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VictimChoices {
    /// Pods that can stand for each other, the most important first.
    pub(super) classes: Vec<Vec<PodIx>>,
    /// How many pods of each class are evicted; the way of the dry run comes first, if it is one of them.
    pub(super) ways: Vec<Way>,
    /// The ways in which another node wins the tie-break, so that no pod is evicted here.
    pub(super) losing: Vec<Way>,
    /// Whether the node can win with the victims of the dry run.
    pub with_dry_run: bool,
    /// Whether there are no other ways.
    pub complete: bool,
}

/// How many pods are evicted, in any order: `2`, or `1 to 3`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VictimCount {
    /// The smallest number.
    pub fewest: usize,
    /// The largest number.
    pub most: usize,
}

impl VictimCount {
    /// Without so many pods that are evicted in any order.
    pub(super) const fn less(self, always: usize) -> Self {
        Self { fewest: self.fewest.saturating_sub(always), most: self.most.saturating_sub(always) }
    }
}

impl fmt::Display for VictimCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.fewest == self.most {
            write!(f, "{}", self.most)
        } else {
            write!(f, "{} to {}", self.fewest, self.most)
        }
    }
}

/// How many pods of each class are evicted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Way {
    /// Of those whose eviction violates a budget.
    pub violating: Vec<usize>,
    /// Of the others.
    pub others: Vec<usize>,
}

impl Way {
    fn evicted(&self) -> Vec<usize> {
        self.violating.iter().zip(&self.others).map(|(violating, others)| violating + others).collect()
    }
}

impl VictimChoices {
    /// Of a node that wins in each of these ways, the first of which is that of the dry run.
    pub(super) fn new(classes: Vec<Vec<PodIx>>, ways: Vec<Way>, complete: bool) -> Self {
        Self { classes, ways, losing: Vec::new(), with_dry_run: true, complete }
    }

    /// Parts with the ways in which the node does not win. `wins` is asked about `of`, the candidate, in each way.
    pub(super) fn keep_winning(&mut self, of: &Candidate, again: bool, wins: impl Fn(&Candidate) -> bool) {
        let dry_run = self.ways.first().map(Way::evicted);
        let found: Vec<bool> = self.candidates(of, again).iter().map(wins).collect();
        let (ways, losing): (Vec<_>, Vec<_>) = self.ways.drain(..).zip(found).partition(|(_, wins)| *wins);
        let ways_of = |ways: Vec<(Way, bool)>| ways.into_iter().map(|(way, _)| way).collect();
        (self.ways, self.losing) = (ways_of(ways), ways_of(losing));
        self.with_dry_run = self.ways.iter().any(|way| Some(way.evicted()) == dry_run);
    }

    /// What the order leaves open, whichever node wins.
    #[must_use]
    pub(super) fn on_any_winner(&self) -> Self {
        let ways = self.ways.iter().chain(&self.losing).cloned().collect();
        Self::new(self.classes.clone(), ways, self.complete)
    }

    /// Whether the candidate differs between orders: the pods, or how many of them violate a budget.
    #[must_use]
    pub(super) fn may_differ(&self) -> bool {
        self.ways.len() > 1 || !self.is_settled()
    }

    /// Whether another node wins in some ways.
    #[must_use]
    pub(super) fn may_lose(&self) -> bool {
        !self.losing.is_empty()
    }

    /// A set of pods that may be evicted, other than that of the dry run if the node cannot win with it.
    #[must_use]
    pub fn one(&self) -> Vec<PodIx> {
        let evicted = self.ways.first().map(Way::evicted).unwrap_or_default();
        self.classes.iter().zip(evicted).flat_map(|(pods, count)| pods.iter().take(count)).copied().collect()
    }

    /// How many pods are evicted in each way.
    pub(crate) fn counts(&self) -> impl Iterator<Item = usize> {
        self.ways.iter().map(|way| way.evicted().iter().sum())
    }

    /// How many pods are evicted.
    #[must_use]
    pub fn count(&self) -> VictimCount {
        VictimCount { fewest: self.counts().min().unwrap_or(0), most: self.counts().max().unwrap_or(0) }
    }

    /// The pods that are evicted in every way.
    #[must_use]
    pub fn always(&self) -> Vec<PodIx> {
        self.pods_where(|evicted, of| evicted.iter().all(|evicted| *evicted == of))
    }

    /// The pods that are evicted in some ways, or of which any may be evicted.
    #[must_use]
    pub fn open(&self) -> Vec<PodIx> {
        self.pods_where(|evicted, of| {
            !evicted.iter().all(|evicted| *evicted == of) && evicted.iter().any(|evicted| *evicted > 0)
        })
    }

    /// How many of the pods in [`Self::open`] are evicted.
    #[must_use]
    pub fn count_of_open(&self) -> VictimCount {
        self.count().less(self.always().len())
    }

    /// The pods of the classes for which `wanted` holds: how many are evicted in each way, and how many there are.
    fn pods_where(&self, wanted: impl Fn(&[usize], usize) -> bool) -> Vec<PodIx> {
        let ways: Vec<Vec<usize>> = self.ways.iter().map(Way::evicted).collect();
        let of_class = |class: usize| ways.iter().filter_map(|way| way.get(class).copied()).collect::<Vec<_>>();
        let classes = self.classes.iter().enumerate();
        classes
            .filter(|(class, pods)| wanted(&of_class(*class), pods.len()))
            .flat_map(|(_, pods)| pods)
            .copied()
            .collect()
    }

    /// Every set of pods that may be evicted, that of the dry run among them, if these are all and at most `limit`.
    #[must_use]
    pub fn sets(&self, limit: usize) -> Option<Vec<Vec<PodIx>>> {
        let ways: BTreeSet<Vec<usize>> = self.ways.iter().map(Way::evicted).collect();
        let count = ways.iter().map(|way| self.sets_of_way(way)).fold(0, u128::saturating_add);
        if !self.complete || count > limit as u128 {
            return None;
        }
        let mut sets = Vec::new();
        for way in &ways {
            let mut of_way = vec![Vec::new()];
            for (pods, evicted) in self.classes.iter().zip(way) {
                let parts = combinations(pods, *evicted);
                of_way =
                    of_way.iter().flat_map(|set| parts.iter().map(|part| [set.as_slice(), part].concat())).collect();
            }
            sets.append(&mut of_way);
        }
        Some(sets)
    }

    fn sets_of_way(&self, way: &[usize]) -> u128 {
        self.classes.iter().zip(way).map(|(pods, evicted)| binomial(pods.len(), *evicted)).fold(1, u128::saturating_mul)
    }

    /// Whether only one set of pods can be evicted.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.complete && self.open().is_empty()
    }

    /// The candidate in each way, with victims that stand for others of their class. The most important come first, but
    /// those that violate a budget before the others, unless the version sorts them `again`.
    pub(super) fn candidates(&self, of: &Candidate, again: bool) -> Vec<Candidate> {
        let place = |pod: &PodIx| self.classes.iter().flatten().position(|other| other == pod);
        let alternative = |way: &Way| {
            let violating = self.classes.iter().zip(&way.violating).flat_map(|(pods, count)| pods.iter().take(*count));
            let others = self.classes.iter().zip(&way.others).flat_map(|(pods, count)| pods.iter().rev().take(*count));
            let mut victims: Vec<PodIx> = violating.chain(others).copied().collect();
            if again {
                victims.sort_by_key(place);
            }
            Candidate {
                violations: way.violating.iter().sum(),
                victims: victims
                    .into_iter()
                    .map(|pod| Victim { pod, violates: Budgets::new(), blocks: None, together: None })
                    .collect(),
                ..of.clone()
            }
        };
        self.ways.iter().map(alternative).collect()
    }
}

fn binomial(n: usize, k: usize) -> u128 {
    let k = k.min(n.saturating_sub(k));
    (0..k).fold(1, |product: u128, i| product.saturating_mul((n - i) as u128) / (i as u128 + 1))
}

/// Every choice of `count` of `pods`.
fn combinations(pods: &[PodIx], count: usize) -> Vec<Vec<PodIx>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let Some((first, rest)) = pods.split_first().filter(|_| pods.len() >= count) else { return Vec::new() };
    let with = combinations(rest, count - 1).into_iter().map(|more| [&[*first], more.as_slice()].concat());
    with.chain(combinations(rest, count)).collect()
}

#[cfg(test)]
mod tests;
