//! Compares the decisions of several schedulers about one pod: where they differ, and which version
//! differences are the cause.
//!
//! Most rules that differ between two schedulers do not affect a given pod. Those that do are found
//! by experiment: the first scheduler adopts the rules of the second one, then fewer and fewer of
//! them, as long as its decision equals the second one's.

mod aspect;

use jiff::Timestamp;

use super::{Decision, decide};
use crate::framework::cluster_view::ClusterView;
pub use aspect::{Aspect, DecisionEffect};
use model::cluster::{NodeIx, PodIx};
use profile::change::{self, Change};

/// The budget of the search for the causes of one difference: nodes that are filtered, over all
/// decisions.
const PATIENCE: usize = 400_000;
/// Minimum number of decisions in a search, even in a large cluster.
const DECISIONS: usize = 24;

/// The decisions of several schedulers about one pod.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Comparison<'c> {
    /// One decision per scheduler, in the order in which the schedulers were given.
    pub decisions: Vec<Decision<'c>>,
    /// The difference between each decision and the next one.
    pub differences: Vec<Difference>,
}

/// The difference between two decisions about a pod.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Difference {
    /// The parts that differ; empty if the decisions are equal.
    pub aspects: Vec<Aspect>,
    /// The nodes about which the decisions differ.
    pub nodes: Vec<NodeIx>,
    /// The rules that cause the difference: without any one of them the first scheduler would not
    /// decide as the second one.
    pub causes: Vec<DifferenceCause>,
    /// The number of rules that differ between the two schedulers.
    pub changed: usize,
    /// Whether the search for causes was completed; otherwise some of them may not matter.
    pub complete: bool,
}

/// A rule that causes a difference.
#[derive(Debug, Clone)]
pub struct DifferenceCause {
    /// The rule.
    pub change: Change,
    /// The parts that depend on it.
    pub aspects: Vec<Aspect>,
    /// The nodes about which the decisions differ because of it.
    pub nodes: Vec<NodeIx>,
}

impl Comparison<'_> {
    /// Whether all decisions are equal in every part.
    pub fn same(&self) -> bool {
        self.differences.iter().all(|difference| difference.aspects.is_empty())
    }
}

/// Decides about `pod` with the scheduler of each view; all views are of the same cluster.
pub fn compare<'c>(views: &[&'c ClusterView<'c>], pod: PodIx, now: Timestamp) -> Comparison<'c> {
    let decisions: Vec<Decision> = views.iter().map(|view| decide(view, pod, now)).collect();
    let differences = decisions
        .windows(2)
        .filter_map(|pair| if let [a, b] = pair { Some(difference(a, b, now)) } else { None });
    Comparison { differences: differences.collect(), decisions }
}

fn difference(first: &Decision, second: &Decision, now: Timestamp) -> Difference {
    let aspects = aspect::differing(first, second);
    let changes = change::between(first.profile(), second.profile());
    let changed = changes.len();
    if aspects.is_empty() {
        return Difference {
            aspects,
            nodes: Vec::new(),
            causes: Vec::new(),
            changed,
            complete: true,
        };
    }
    let nodes = first.view.cluster.nodes.len().max(1);
    let mut search = Search { first, second, now, left: (PATIENCE / nodes).max(DECISIONS) };
    // If something other than a rule of the table differs, the first scheduler never decides as the
    // second one.
    let reached = search.explains(&changes);
    let needed = if reached { search.fewest(changes) } else { changes };
    let all = Differing { aspects, nodes: aspect::differing_nodes(first, second) };
    let causes: Vec<DifferenceCause> =
        needed.iter().map(|change| search.cause(change, &needed, &all)).collect();
    let Differing { aspects, nodes } = all;
    Difference { aspects, nodes, causes, changed, complete: reached && search.left > 0 }
}

/// The search for the rules that turn the first decision into the second one.
struct Search<'s> {
    first: &'s Decision<'s>,
    second: &'s Decision<'s>,
    now: Timestamp,
    /// How many decisions the search may still make.
    left: usize,
}

/// The parts and nodes in which two decisions differ.
struct Differing {
    aspects: Vec<Aspect>,
    nodes: Vec<NodeIx>,
}

impl Differing {
    fn between(a: &Decision, b: &Decision) -> Self {
        Self { aspects: aspect::differing(a, b), nodes: aspect::differing_nodes(a, b) }
    }
}

impl Search<'_> {
    /// Applies `look` to the first scheduler's decision with `changes` adopted; `None` once the
    /// search has used up its budget.
    fn with<T>(&mut self, changes: &[&Change], look: impl FnOnce(&Decision) -> T) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        let first = self.first.profile();
        let features = change::apply(&first.features, &self.second.profile().features, changes);
        let profile = first.clone().with_features(features);
        let view = ClusterView::new(self.first.view.cluster, &profile)
            .with_extender_client(self.first.view.extender_client);
        Some(look(&decide(&view, self.first.pod, self.now)))
    }

    /// Whether the first scheduler decides like the second one once it adopts `changes`.
    fn explains(&mut self, changes: &[Change]) -> bool {
        let (all, second): (Vec<&Change>, _) = (changes.iter().collect(), self.second);
        self.with(&all, |answer| aspect::differing(answer, second).is_empty()).unwrap_or(false)
    }

    /// The smallest part of `changes` that still explains the second decision (delta debugging):
    /// large parts are removed first, then smaller ones, then single changes until none can be
    /// removed.
    fn fewest(&mut self, mut changes: Vec<Change>) -> Vec<Change> {
        let mut size = changes.len().div_ceil(2);
        loop {
            let before = changes.len();
            let mut start = 0;
            while start < changes.len() && self.left > 0 {
                let mut fewer = changes.clone();
                fewer.drain(start..(start + size).min(changes.len()));
                if self.explains(&fewer) {
                    changes = fewer;
                } else {
                    start += size;
                }
            }
            if self.left == 0 || (size <= 1 && changes.len() == before) {
                return changes;
            }
            size = size.div_ceil(2);
        }
    }

    /// The effect of one of the `needed` changes: what differs without it, or with it alone.
    fn cause(&mut self, change: &Change, needed: &[Change], all: &Differing) -> DifferenceCause {
        let others: Vec<&Change> =
            needed.iter().filter(|other| other.row.field != change.row.field).collect();
        let effect_of_all = DifferenceCause {
            change: *change,
            aspects: all.aspects.clone(),
            nodes: all.nodes.clone(),
        };
        if others.is_empty() {
            return effect_of_all;
        }
        let (first, second) = (self.first, self.second);
        let without = self.with(&others, |answer| Differing::between(answer, second));
        let alone = self.with(&[change], |answer| Differing::between(answer, first));
        let (Some(without), Some(alone)) = (without, alone) else { return effect_of_all };
        let mut cause = effect_of_all;
        cause.aspects.retain(|a| without.aspects.contains(a) || alone.aspects.contains(a));
        cause.nodes.retain(|n| without.nodes.contains(n) || alone.nodes.contains(n));
        cause
    }
}

#[cfg(test)]
mod tests;
