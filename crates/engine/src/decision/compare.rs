//! The same question put to several schedulers: where their answers differ, and which rules make the difference.
//!
//! Of the rules that two schedulers do not share, most do not touch a given pod. Those that do are found by trying: the
//! first scheduler takes over the rules of the second, fewer and fewer of them, as long as it gives the second's answer.

mod aspect;

use jiff::Timestamp;

use super::{Decision, decide};
use crate::cluster::node::NodeIx;
use crate::cluster::pod::PodIx;
use crate::framework::cluster_view::ClusterView;
use crate::profile::change::{self, Change};
pub use aspect::{Aspect, Effect};

/// Nodes that are looked at, over all decisions, to find the rules behind one difference.
const PATIENCE: usize = 400_000;
/// Decisions that are always made, however large the cluster is.
const DECISIONS: usize = 24;

/// What several schedulers decide about one pod.
#[derive(Debug, Clone)]
pub struct Comparison<'c> {
    /// One decision per scheduler, in the order in which they were named.
    pub decisions: Vec<Decision<'c>>,
    /// What differs between each decision and the next.
    pub differences: Vec<Difference>,
}

/// How two schedulers differ about a pod.
#[derive(Debug, Clone)]
pub struct Difference {
    /// What of the answer differs; empty if nothing does.
    pub aspects: Vec<Aspect>,
    /// The nodes about which the answers differ.
    pub nodes: Vec<NodeIx>,
    /// The rules that it hangs on: without any one of them, the first scheduler would not give the second's answer.
    pub causes: Vec<Cause>,
    /// How many rules the two schedulers do not share.
    pub changed: usize,
    /// Whether the search for causes came to its end; else some of them may not matter.
    pub complete: bool,
}

/// A rule that two answers differ by.
#[derive(Debug, Clone)]
pub struct Cause {
    /// The rule.
    pub change: Change,
    /// What of the answer hangs on it.
    pub aspects: Vec<Aspect>,
    /// Nodes about which the answers differ by it.
    pub nodes: Vec<NodeIx>,
}

impl Comparison<'_> {
    /// Whether all answers are the same in every respect.
    #[must_use]
    pub fn same(&self) -> bool {
        self.differences.iter().all(|difference| difference.aspects.is_empty())
    }
}

/// Asks the scheduler of each world about `pod`; all worlds are of one cluster.
#[must_use]
pub fn compare<'c>(views: &[&'c ClusterView<'c>], pod: PodIx, now: Timestamp) -> Comparison<'c> {
    let decisions: Vec<Decision> = views.iter().map(|view| decide(view, pod, now)).collect();
    let differences =
        decisions.windows(2).filter_map(|pair| if let [a, b] = pair { Some(difference(a, b, now)) } else { None });
    Comparison { differences: differences.collect(), decisions }
}

fn difference(first: &Decision, second: &Decision, now: Timestamp) -> Difference {
    let aspects = aspect::differing(first, second);
    let changes = change::between(first.profile(), second.profile());
    let changed = changes.len();
    if aspects.is_empty() {
        return Difference { aspects, nodes: Vec::new(), causes: Vec::new(), changed, complete: true };
    }
    let nodes = first.view.cluster.nodes.len().max(1);
    let mut search = Search { first, second, now, left: (PATIENCE / nodes).max(DECISIONS) };
    // What is set otherwise than by a rule of the table keeps the first scheduler from ever giving the second's answer.
    let reached = search.explains(&changes);
    let needed = if reached { search.fewest(changes) } else { changes };
    let all = (aspects, aspect::differing_nodes(first, second));
    let causes: Vec<Cause> = needed.iter().map(|change| search.cause(change, &needed, &all)).collect();
    let (aspects, nodes) = all;
    Difference { aspects, nodes, causes, changed, complete: reached && search.left > 0 }
}

/// The search for the rules that turn the first answer into the second.
struct Search<'s> {
    first: &'s Decision<'s>,
    second: &'s Decision<'s>,
    now: Timestamp,
    /// Decisions that may still be made.
    left: usize,
}

/// What differs between two answers, and about which nodes.
type Differing = (Vec<Aspect>, Vec<NodeIx>);

impl Search<'_> {
    /// Decides as the first scheduler does once it has taken over `changes`, and looks at the answer; `None` when too many
    /// decisions were made.
    fn with<T>(&mut self, changes: &[&Change], look: impl FnOnce(&Decision) -> T) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        let first = self.first.profile();
        let features = change::apply(&first.features, &self.second.profile().features, changes);
        let profile = first.clone().with_features(features);
        let view = ClusterView::new(self.first.view.cluster, &profile).asking(self.first.view.ask);
        Some(look(&decide(&view, self.first.pod, self.now)))
    }

    /// Whether the first scheduler gives the second's answer with `changes`.
    fn explains(&mut self, changes: &[Change]) -> bool {
        let (all, second): (Vec<&Change>, _) = (changes.iter().collect(), self.second);
        self.with(&all, |answer| aspect::differing(answer, second).is_empty()).unwrap_or(false)
    }

    /// As few of `changes` as still explain the second answer: large parts of them are taken back first, then smaller
    /// ones, and single ones until none can be spared.
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

    /// What hangs on one of the `needed` changes: what differs without it, or with it alone.
    fn cause(&mut self, change: &Change, needed: &[Change], all: &Differing) -> Cause {
        let others: Vec<&Change> = needed.iter().filter(|c| c.row.field != change.row.field).collect();
        let (first, second) = (self.first, self.second);
        let both = |a: &Decision, b: &Decision| (aspect::differing(a, b), aspect::differing_nodes(a, b));
        let without = if others.is_empty() { None } else { self.with(&others, |answer| both(answer, second)) };
        let alone = if others.is_empty() { None } else { self.with(&[change], |answer| both(answer, first)) };
        let (Some(without), Some(alone)) = (without, alone) else {
            return Cause { change: *change, aspects: all.0.clone(), nodes: all.1.clone() };
        };
        let aspects = all.0.iter().filter(|a| without.0.contains(a) || alone.0.contains(a));
        let nodes = all.1.iter().filter(|n| without.1.contains(n) || alone.1.contains(n));
        Cause { change: *change, aspects: aspects.copied().collect(), nodes: nodes.copied().collect() }
    }
}

#[cfg(test)]
mod tests;
