//! Adds pods that tie back in every order that makes a difference.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::framework::cycle::NodeState;
use crate::preemption::victim_choices::EvictionCounts;
use model::cluster::PodIx;

/// Maximum number of alternatives sought on a node.
pub(super) const MOST_ALTERNATIVES: usize = 64;
/// Adding this many pods back costs as much as one check.
const PODS_PER_CHECK: usize = 4;

/// Adds pods back in every order that makes a difference.
pub(super) struct Search<'s, 'p, 'c> {
    /// The node with the pods reprieved so far.
    pub state: NodeState<'p, 'c>,
    /// Interchangeable pods that tie.
    pub classes: &'s [Vec<PodIx>],
    /// How many more node checks are allowed.
    pub checks: usize,
    /// The results.
    pub found: BTreeSet<EvictionCounts>,
}

/// Pods that are reprieved in any order: they tie, and either all or none of them violate a budget.
struct Stage {
    violates: bool,
    parts: Vec<Part>,
}

/// The pods of a class that a stage tries, as indices of the class.
struct Part {
    class: usize,
    pods: Range<usize>,
}

/// How many pods of each part of a stage are reprieved: a point of the lattice between none and
/// all.
type Reprieved = Vec<usize>;

impl Search<'_, '_, '_> {
    /// Adds all pods back, with `violating` pods of each class counted as violating a budget.
    /// `groups` are the classes that tie.
    pub fn run(&mut self, groups: &[Range<usize>], violating: &[usize]) {
        // Pods that violate a budget are reprieved before all others, and within both the most
        // important ones first. Pods of a class are interchangeable, so the first of them may be
        // the violating ones.
        let mut stages = Vec::new();
        for violates in [true, false] {
            for group in groups {
                let mut parts = Vec::new();
                for class in group.clone() {
                    let first_other = violating.get(class).copied().unwrap_or(0);
                    let size = self.classes.get(class).map_or(0, Vec::len);
                    let pods = if violates { 0..first_other } else { first_other..size };
                    if !pods.is_empty() {
                        parts.push(Part { class, pods });
                    }
                }
                if !parts.is_empty() {
                    stages.push(Stage { violates, parts });
                }
            }
        }
        self.reprieve(&stages, &EvictionCounts::none(self.classes.len()));
    }

    /// Reprieves the pods of these stages, one stage after the other; `evicted` are the victims of
    /// the stages before.
    fn reprieve(&mut self, stages: &[Stage], evicted: &EvictionCounts) {
        let Some((stage, rest)) = stages.split_first() else {
            self.found.insert(evicted.clone());
            return;
        };
        for reprieved in self.maximal(stage) {
            if self.found.len() >= MOST_ALTERNATIVES {
                return;
            }
            let mut evicted = evicted.clone();
            for (part, reprieved) in stage.parts.iter().zip(&reprieved) {
                let counts =
                    if stage.violates { &mut evicted.violating } else { &mut evicted.others };
                if let Some(count) = counts.get_mut(part.class) {
                    *count = part.pods.len() - reprieved;
                }
            }
            let pods = self.pods(stage, &reprieved);
            pods.iter().for_each(|pod| self.state.add_pod(*pod));
            self.reprieve(rest, &evicted);
            pods.iter().for_each(|pod| self.state.remove_pod(*pod));
        }
    }

    /// The maximal sets of a stage: sets that fit, but with no further pod of the stage. Each is
    /// what the orders that begin with it reprieve, and every order reprieves one of them. At least
    /// one is found; the others as far as checks allow.
    fn maximal(&mut self, stage: &Stage) -> Vec<Reprieved> {
        // If all fit, all are reprieved in any order.
        let all: Reprieved = stage.parts.iter().map(|part| part.pods.len()).collect();
        if self.fits(stage, &all) {
            return vec![all];
        }

        // Try two orders first, so that something is found even if checks run out. With one class
        // there is no other order.
        let parts = 0..stage.parts.len();
        let mut orders = BTreeSet::from([self.greedy(stage, parts.clone())]);
        if parts.len() == 1 || self.checks == 0 {
            return orders.into_iter().collect();
        }
        orders.insert(self.greedy(stage, parts.clone().rev()));

        // Walk up from the empty set, one pod at a time. Any part of a set that fits also fits, so
        // no maximal set is missed: all sets on the way to it fit.
        let mut seen = BTreeSet::new();
        let mut to_extend = vec![vec![0; parts.len()]];
        while let Some(reprieved) = to_extend.pop() {
            let mut is_maximal = true;
            for part in parts.clone() {
                let larger = one_more(&reprieved, part);
                if !is_within(&larger, &all) {
                    continue;
                }
                if self.checks == 0 {
                    return orders.into_iter().collect();
                }
                if self.fits(stage, &larger) {
                    is_maximal = false;
                    if seen.insert(larger.clone()) {
                        to_extend.push(larger);
                    }
                }
            }
            if is_maximal {
                orders.insert(reprieved);
            }
        }
        orders.into_iter().collect()
    }

    /// The set that is reprieved if the parts of a stage are tried in this order.
    fn greedy(&mut self, stage: &Stage, order: impl Iterator<Item = usize>) -> Reprieved {
        let all: Reprieved = stage.parts.iter().map(|part| part.pods.len()).collect();
        let mut reprieved = vec![0; all.len()];
        for part in order {
            loop {
                let larger = one_more(&reprieved, part);
                if !is_within(&larger, &all) || !self.fits(stage, &larger) {
                    break;
                }
                reprieved = larger;
            }
        }
        reprieved
    }

    /// Whether the preemptor fits together with this many pods of each part.
    fn fits(&mut self, stage: &Stage, reprieved: &[usize]) -> bool {
        let pods = self.pods(stage, reprieved);
        self.checks = self.checks.saturating_sub(1 + pods.len() / PODS_PER_CHECK);
        pods.iter().for_each(|pod| self.state.add_pod(*pod));
        let fits = self.state.check().is_none();
        pods.iter().for_each(|pod| self.state.remove_pod(*pod));
        fits
    }

    /// This many pods of each part; which ones makes no difference.
    fn pods(&self, stage: &Stage, counts: &[usize]) -> Vec<PodIx> {
        let mut pods = Vec::new();
        for (part, count) in stage.parts.iter().zip(counts) {
            let range = part.pods.start..part.pods.start + count;
            let of_class = self.classes.get(part.class).and_then(|class| class.get(range));
            pods.extend_from_slice(of_class.unwrap_or_default());
        }
        pods
    }
}

fn one_more(reprieved: &[usize], part: usize) -> Reprieved {
    let mut larger = reprieved.to_vec();
    if let Some(count) = larger.get_mut(part) {
        *count += 1;
    }
    larger
}

fn is_within(reprieved: &[usize], all: &[usize]) -> bool {
    reprieved.iter().zip(all).all(|(reprieved, all)| reprieved <= all)
}
