//! The pods that may be evicted on a node if equally important pods are tried in an order that the
//! API does not show. `victim_orders` finds them.

use std::collections::BTreeSet;
use std::fmt;

use super::budgets::Budgets;
use super::dry_run::{Candidate, Victim};
use model::cluster::PodIx;

/// The pods that may be evicted on a node: how many of which kind, over every order of pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VictimChoices {
    /// Interchangeable pods, the most important class first.
    pub(super) classes: Vec<Vec<PodIx>>,
    /// How many pods of each class may be evicted. The dry run's victims come first, if the node
    /// can win with them.
    pub(super) alternatives: Vec<EvictionCounts>,
    /// The alternatives with which another node wins the tie-break, so that no pod is evicted here.
    pub(super) losing: Vec<EvictionCounts>,
    /// Whether the node can win with the victims of the dry run.
    pub with_dry_run: bool,
    /// Whether all alternatives were found.
    pub complete: bool,
}

/// The number of victims over all orders: `2`, or `1 to 3`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VictimCount {
    /// The smallest number.
    pub fewest: usize,
    /// The largest number.
    pub most: usize,
}

impl VictimCount {
    /// The rest, without the pods that every order evicts.
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
pub(crate) struct EvictionCounts {
    /// Of those whose eviction violates a budget.
    pub violating: Vec<usize>,
    pub others: Vec<usize>,
}

impl EvictionCounts {
    /// No pod of any class.
    pub(super) fn none(classes: usize) -> Self {
        Self { violating: vec![0; classes], others: vec![0; classes] }
    }

    /// What the dry run evicts.
    pub(super) fn of(candidate: &Candidate, classes: &[Vec<PodIx>]) -> Self {
        let mut counts = Self::none(classes.len());
        for victim in &candidate.victims {
            let Some(class) = classes.iter().position(|pods| pods.contains(&victim.pod)) else {
                continue;
            };
            let counts =
                if victim.violates.is_empty() { &mut counts.others } else { &mut counts.violating };
            if let Some(count) = counts.get_mut(class) {
                *count += 1;
            }
        }
        counts
    }

    /// With and without a violation.
    fn evicted(&self) -> Vec<usize> {
        self.violating
            .iter()
            .zip(&self.others)
            .map(|(violating, others)| violating + others)
            .collect()
    }
}

impl VictimChoices {
    /// For a node that wins with each of these alternatives, the first of which is that of the dry
    /// run.
    pub(crate) fn new(
        classes: Vec<Vec<PodIx>>,
        alternatives: Vec<EvictionCounts>,
        complete: bool,
    ) -> Self {
        Self { classes, alternatives, losing: Vec::new(), with_dry_run: true, complete }
    }

    /// Moves the alternatives with which the node does not win to [`Self::losing`]. `wins` is
    /// called with the candidate `of` under each alternative.
    pub(super) fn keep_winning(
        &mut self,
        of: &Candidate,
        sorted_again: bool,
        wins: impl Fn(&Candidate) -> bool,
    ) {
        let dry_run = self.alternatives.first().map(EvictionCounts::evicted);
        let candidates = self.candidates(of, sorted_again);
        let (mut winning, mut losing) = (Vec::new(), Vec::new());
        for (alternative, candidate) in self.alternatives.drain(..).zip(&candidates) {
            let side = if wins(candidate) { &mut winning } else { &mut losing };
            side.push(alternative);
        }
        (self.alternatives, self.losing) = (winning, losing);
        self.with_dry_run =
            self.alternatives.iter().any(|alternative| Some(alternative.evicted()) == dry_run);
    }

    /// What the order leaves open, whichever node wins.
    #[must_use]
    pub(super) fn on_any_winner(&self) -> Self {
        let alternatives = self.alternatives.iter().chain(&self.losing).cloned().collect();
        Self::new(self.classes.clone(), alternatives, self.complete)
    }

    /// Whether the candidate differs between orders: the victims, or how many of them violate a
    /// budget.
    pub(super) fn may_differ(&self) -> bool {
        self.alternatives.len() > 1 || !self.is_settled()
    }

    /// Whether another node wins with some alternative.
    pub(super) fn may_lose(&self) -> bool {
        !self.losing.is_empty()
    }

    /// One possible set of victims; that of the dry run, unless the node cannot win with it.
    pub fn one(&self) -> Vec<PodIx> {
        let evicted = self.alternatives.first().map(EvictionCounts::evicted).unwrap_or_default();
        self.classes
            .iter()
            .zip(evicted)
            .flat_map(|(pods, count)| pods.iter().take(count))
            .copied()
            .collect()
    }

    /// How many pods each alternative evicts.
    pub(crate) fn counts(&self) -> impl Iterator<Item = usize> {
        self.alternatives.iter().map(|alternative| alternative.evicted().iter().sum())
    }

    /// The number of victims.
    pub fn count(&self) -> VictimCount {
        VictimCount {
            fewest: self.counts().min().unwrap_or(0),
            most: self.counts().max().unwrap_or(0),
        }
    }

    /// The pods that every alternative evicts.
    pub fn always(&self) -> Vec<PodIx> {
        self.pods_where(|evicted, of| evicted.iter().all(|evicted| *evicted == of))
    }

    /// The pods that only some alternatives evict, or that are interchangeable with others.
    pub fn open(&self) -> Vec<PodIx> {
        self.pods_where(|evicted, of| {
            !evicted.iter().all(|evicted| *evicted == of)
                && evicted.iter().any(|evicted| *evicted > 0)
        })
    }

    /// How many of the pods in [`Self::open`] are evicted.
    pub fn count_of_open(&self) -> VictimCount {
        self.count().less(self.always().len())
    }

    /// The pods of the classes for which `wanted` holds: how many each alternative evicts, and how
    /// many exist.
    fn pods_where(&self, wanted: impl Fn(&[usize], usize) -> bool) -> Vec<PodIx> {
        let evicted: Vec<Vec<usize>> =
            self.alternatives.iter().map(EvictionCounts::evicted).collect();
        let mut chosen = Vec::new();
        for (class, pods) in self.classes.iter().enumerate() {
            let of_class: Vec<usize> =
                evicted.iter().filter_map(|counts| counts.get(class).copied()).collect();
            if wanted(&of_class, pods.len()) {
                chosen.extend_from_slice(pods);
            }
        }
        chosen
    }

    /// Every possible set of victims including the dry run's, if all alternatives are known and
    /// there are at most `limit` sets.
    pub fn sets(&self, limit: usize) -> Option<Vec<Vec<PodIx>>> {
        let alternatives: BTreeSet<Vec<usize>> =
            self.alternatives.iter().map(EvictionCounts::evicted).collect();
        // Compute their number before listing any: it may be huge.
        let number = alternatives
            .iter()
            .map(|evicted| self.number_of_sets(evicted))
            .fold(0, u128::saturating_add);
        if !self.complete || number > limit as u128 {
            return None;
        }
        let mut sets = Vec::new();
        for evicted in &alternatives {
            let mut of_alternative = vec![Vec::new()];
            for (pods, count) in self.classes.iter().zip(evicted) {
                let chosen = combinations(pods, *count);
                let mut larger = Vec::with_capacity(of_alternative.len() * chosen.len());
                for set in &of_alternative {
                    larger.extend(chosen.iter().map(|more| [set, more.as_slice()].concat()));
                }
                of_alternative = larger;
            }
            sets.append(&mut of_alternative);
        }
        Some(sets)
    }

    /// The number of sets with this many pods of each class.
    fn number_of_sets(&self, evicted: &[usize]) -> u128 {
        let by_class =
            self.classes.iter().zip(evicted).map(|(pods, count)| binomial(pods.len(), *count));
        by_class.fold(1, u128::saturating_mul)
    }

    /// Whether only one set of pods can be evicted.
    pub fn is_settled(&self) -> bool {
        self.complete && self.open().is_empty()
    }

    /// The candidate under each alternative, with representative victims of each class. The most
    /// important come first, but those that violate a budget before the others, unless the version
    /// has them `sorted_again`.
    pub(super) fn candidates(&self, of: &Candidate, sorted_again: bool) -> Vec<Candidate> {
        let mut candidates = Vec::with_capacity(self.alternatives.len());
        for alternative in &self.alternatives {
            let mut pods: Vec<PodIx> = Vec::new();
            for (class, count) in self.classes.iter().zip(&alternative.violating) {
                pods.extend(class.iter().take(*count));
            }
            // Take them from the end, so that no pod is taken twice.
            for (class, count) in self.classes.iter().zip(&alternative.others) {
                pods.extend(class.iter().rev().take(*count));
            }
            if sorted_again {
                pods.sort_by_key(|pod| {
                    self.classes.iter().flatten().position(|other| other == pod)
                });
            }
            candidates.push(Candidate {
                violations: alternative.violating.iter().sum(),
                victims: pods
                    .into_iter()
                    .map(|pod| Victim {
                        pod,
                        violates: Budgets::new(),
                        blocks: None,
                        together: None,
                    })
                    .collect(),
                sums: None,
                ..of.clone()
            });
        }
        candidates
    }
}

pub(crate) fn binomial(n: usize, k: usize) -> u128 {
    let k = k.min(n.saturating_sub(k));
    (0..k).fold(1, |product: u128, i| product.saturating_mul((n - i) as u128) / (i as u128 + 1))
}

/// Every choice of `count` of `pods`.
pub(crate) fn combinations(pods: &[PodIx], count: usize) -> Vec<Vec<PodIx>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let Some((first, rest)) = pods.split_first().filter(|_| pods.len() >= count) else {
        return Vec::new();
    };
    let with =
        combinations(rest, count - 1).into_iter().map(|more| [&[*first], more.as_slice()].concat());
    with.chain(combinations(rest, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::{EvictionCounts, VictimChoices};
    use model::cluster::PodIx;

    fn choices(classes: &[&[u32]], alternatives: &[&[usize]]) -> VictimChoices {
        VictimChoices::new(
            classes.iter().map(|pods| pods.iter().copied().map(PodIx).collect()).collect(),
            alternatives
                .iter()
                .map(|evicted| EvictionCounts {
                    violating: vec![0; evicted.len()],
                    others: evicted.to_vec(),
                })
                .collect(),
            true,
        )
    }

    fn numbers(pods: &[PodIx]) -> Vec<u32> {
        pods.iter().map(|pod| pod.0).collect()
    }

    #[test]
    fn victim_choices_of_several_alternatives_have_counts_and_sets() {
        // One of 1, 2, 3 and 4 besides; or two of 1, 2, 3; 5 always; 6 never.
        let found = choices(&[&[1, 2, 3], &[4], &[5], &[6]], &[&[1, 1, 1, 0], &[2, 0, 1, 0]]);
        assert_eq!(
            (found.count().fewest, found.count().most, numbers(&found.always())),
            (3, 3, vec![5])
        );
        assert_eq!(numbers(&found.open()), [1, 2, 3, 4]);
        let sets: Vec<Vec<u32>> = found.sets(6).unwrap().iter().map(|set| numbers(set)).collect();
        assert_eq!(sets, [[1, 4, 5], [2, 4, 5], [3, 4, 5], [1, 2, 5], [1, 3, 5], [2, 3, 5]]);
        assert_eq!(found.sets(5), None, "too many");
    }

    #[test]
    fn huge_numbers_of_sets_are_not_listed() {
        let pods: Vec<u32> = (0..200).collect();
        let found = choices(&[&pods], &[&[100]]);
        assert_eq!(found.sets(1000), None);
        assert_eq!((found.count().fewest, found.count().most, found.open().len()), (100, 100, 200));
    }

    #[test]
    fn a_single_set_is_settled() {
        assert!(choices(&[&[1, 2], &[3]], &[&[2, 0]]).is_settled());
        assert!(!choices(&[&[1, 2], &[3]], &[&[1, 0]]).is_settled());
        let open = VictimChoices { complete: false, ..choices(&[&[1]], &[&[1]]) };
        assert!(!open.is_settled(), "there may be others");
    }
}
