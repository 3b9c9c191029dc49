//! Brings pods that tie back in every order that makes a difference.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::framework::cycle::NodeState;
use crate::preemption::victim_choices::Way;
use model::cluster::pod::PodIx;

/// The most ways that are kept of a node.
pub(super) const WAYS: usize = 64;
/// So many pods are brought back at the cost of a check.
const PODS_PER_CHECK: usize = 4;

/// Brings pods back in every order that makes a difference.
pub(super) struct Search<'s, 'p, 'c> {
    /// The node with the pods that are reprieved so far.
    pub state: NodeState<'p, 'c>,
    /// Pods that tie and can stand for each other.
    pub classes: &'s [Vec<PodIx>],
    /// How many more times the node may be checked.
    pub checks: usize,
    /// What was found.
    pub ways: BTreeSet<Way>,
}

/// Pods that tie: the class, and which of its pods.
type Part = Vec<(usize, Range<usize>)>;

impl Search<'_, '_, '_> {
    /// With so many violating pods of each class.
    pub fn run(&mut self, groups: &[Range<usize>], violating: &[usize]) {
        let count = |class: usize| violating.get(class).copied().unwrap_or(0);
        let part = |pods: &dyn Fn(usize) -> Range<usize>| {
            let of_group = |group: &Range<usize>| {
                group.clone().map(|class| (class, pods(class))).filter(|(_, pods)| !pods.is_empty()).collect::<Part>()
            };
            groups.iter().map(of_group).filter(|part| !part.is_empty()).collect::<Vec<_>>()
        };
        let size = |class: usize| self.classes.get(class).map_or(0, Vec::len);
        let first = part(&|class| 0..count(class));
        let then = part(&|class| count(class)..size(class));
        let none = vec![0; self.classes.len()];
        let mut evicted = Way { violating: none.clone(), others: none };
        let violating_parts = first.len();
        self.reprieve(&[first, then].concat(), violating_parts, &mut evicted);
    }

    /// Reprieves pods of these parts; the first `violating` of them violate budgets.
    fn reprieve(&mut self, parts: &[Part], violating: usize, evicted: &mut Way) {
        let Some((part, rest)) = parts.split_first() else {
            self.ways.insert(evicted.clone());
            return;
        };
        for kept in self.maximal(part) {
            if self.ways.len() >= WAYS {
                return;
            }
            let mut back = Vec::new();
            for ((class, pods), kept) in part.iter().zip(&kept) {
                back.extend(self.pods(*class, pods.start..pods.start + kept));
                let counts = if violating > 0 { &mut evicted.violating } else { &mut evicted.others };
                if let Some(count) = counts.get_mut(*class) {
                    *count = pods.len() - kept;
                }
            }
            back.iter().for_each(|pod| self.state.add_pod(*pod));
            self.reprieve(rest, violating.saturating_sub(1), evicted);
            back.iter().for_each(|pod| self.state.remove_pod(*pod));
        }
        for (class, _) in part {
            let counts = if violating > 0 { &mut evicted.violating } else { &mut evicted.others };
            if let Some(count) = counts.get_mut(*class) {
                *count = 0;
            }
        }
    }

    /// How many pods of each class of a part are reprieved: every set beside which no other pod of the part fits, as far as
    /// checks are left, but at least one.
    fn maximal(&mut self, part: &Part) -> Vec<Vec<usize>> {
        let all: Vec<usize> = part.iter().map(|(_, pods)| pods.len()).collect();
        if self.fits(part, &all) {
            return vec![all];
        }
        let mut found = BTreeSet::from([self.greedy(part, 0..part.len())]);
        if part.len() == 1 || self.checks == 0 {
            return found.into_iter().collect();
        }
        found.insert(self.greedy(part, (0..part.len()).rev()));
        let mut seen = BTreeSet::new();
        let mut open = vec![vec![0; part.len()]];
        while let Some(kept) = open.pop() {
            let more = (0..part.len()).map(|class| one_more(&kept, class)).filter(|more| within(more, &all));
            let mut last = true;
            for more in more.collect::<Vec<_>>() {
                if self.checks == 0 {
                    return found.into_iter().collect();
                }
                if self.fits(part, &more) {
                    last = false;
                    if seen.insert(more.clone()) {
                        open.push(more);
                    }
                }
            }
            if last {
                found.insert(kept);
            }
        }
        found.into_iter().collect()
    }

    /// The pods that are reprieved if the classes of a part are tried one after the other.
    fn greedy(&mut self, part: &Part, classes: impl Iterator<Item = usize>) -> Vec<usize> {
        let all: Vec<usize> = part.iter().map(|(_, pods)| pods.len()).collect();
        let mut kept = vec![0; part.len()];
        for class in classes {
            loop {
                let more = one_more(&kept, class);
                if !within(&more, &all) || !self.fits(part, &more) {
                    break;
                }
                kept = more;
            }
        }
        kept
    }

    /// Whether the preemptor fits beside so many pods of each class of a part.
    fn fits(&mut self, part: &Part, kept: &[usize]) -> bool {
        let back: Vec<PodIx> = part
            .iter()
            .zip(kept)
            .flat_map(|((class, pods), kept)| self.pods(*class, pods.start..pods.start + kept))
            .collect();
        self.checks = self.checks.saturating_sub(1 + back.len() / PODS_PER_CHECK);
        back.iter().for_each(|pod| self.state.add_pod(*pod));
        let fits = self.state.check().is_none();
        back.iter().for_each(|pod| self.state.remove_pod(*pod));
        fits
    }

    fn pods(&self, class: usize, range: Range<usize>) -> Vec<PodIx> {
        self.classes.get(class).and_then(|pods| pods.get(range)).map(<[PodIx]>::to_vec).unwrap_or_default()
    }
}

fn one_more(kept: &[usize], class: usize) -> Vec<usize> {
    kept.iter().enumerate().map(|(index, count)| count + usize::from(index == class)).collect()
}

fn within(kept: &[usize], all: &[usize]) -> bool {
    kept.iter().zip(all).all(|(kept, all)| kept <= all)
}
