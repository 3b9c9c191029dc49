//! The node that a pod of a group gets. A group needs one answer where a pod alone may get any of several nodes, since the next
//! pod sees where this one went.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `schedulePod`, `pkg/scheduler/framework/sorted_nodes.go` (1.37): without extenders the
//! top of a heap of the scores, which was made from the nodes in the scheduler's order.

use crate::cluster::node::NodeIx;
use crate::decision::{Decision, Outcome};
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::node_order;
use crate::framework::nodes_to_find;
use crate::framework::plugin::Cycle;
use crate::framework::score::ScoreTable;
use crate::plugins;

/// The nodes in the scheduler's order, and where the search for a pod starts.
pub(super) struct Rotation {
    /// The nodes that the search is limited to.
    pub order: Vec<NodeIx>,
    /// Where it starts.
    pub start: usize,
}

/// The node of a pod.
pub(super) struct Selected {
    /// The node.
    pub node: NodeIx,
    /// All nodes with the same score, by name.
    pub tied: Vec<NodeIx>,
    /// Whether the scheduler does not look at every node that fits.
    pub sampled: bool,
}

impl Rotation {
    /// From the first node on.
    pub(super) fn new(view: &ClusterView) -> Self {
        Self {
            order: node_order::by_zone(view).into_iter().filter(|node| view.is_in_placement(*node)).collect(),
            start: 0,
        }
    }

    /// The node that the scheduler takes for the pod of a cycle that found one or more.
    pub(super) fn select(&mut self, decision: &Decision) -> Option<Selected> {
        let fits = decision.outcome == Outcome::Schedulable;
        let from_here = || self.order.iter().cycle().skip(self.start).take(self.order.len()).copied();
        let verdict = |node: &NodeIx| decision.nodes.get(node.0 as usize);
        let enough = nodes_to_find::enough(decision.profile(), self.order.len());
        let (mut feasible, mut looked_at) = (Vec::new(), 0);
        for node in from_here() {
            if feasible.len() == enough {
                break;
            }
            match verdict(&node) {
                Some(NodeVerdict::Feasible) => feasible.push(node),
                Some(NodeVerdict::Filtered { .. }) => {}
                _ => continue,
            }
            looked_at += 1;
        }
        let [taken] = decision.selected.as_slice() else {
            self.advance(decision, looked_at);
            return if fits { of_scores(decision, &feasible) } else { None };
        };
        // The nominated node, or the only one that fits.
        if decision.nominated() != Some(*taken) {
            self.advance(decision, looked_at);
        }
        if decision.feasible().nth(1).is_some() && decision.nominated() != Some(*taken) {
            return of_scores(decision, &feasible);
        }
        fits.then(|| Selected { node: *taken, tied: vec![*taken], sampled: false })
    }

    /// Where the search for the next pod starts.
    fn advance(&mut self, decision: &Decision, looked_at: usize) {
        let ended = matches!(decision.pre_filter, PreFilter::Rejected { .. } | PreFilter::Failed(_));
        if !ended && !self.order.is_empty() {
            self.start = (self.start + looked_at) % self.order.len();
        }
    }
}

/// The best of the nodes, which are in the scheduler's order.
fn of_scores(decision: &Decision, feasible: &[NodeIx]) -> Option<Selected> {
    let all = decision.feasible().count();
    let sampled = feasible.len() < all;
    let rescored = if sampled {
        let mut nodes = feasible.to_vec();
        nodes.sort_unstable();
        let cycle = Cycle::of(decision.view, decision.pod, decision.now);
        ScoreTable::new(&cycle, &plugins::scores(&decision.profile().plugins), nodes).ok()
    } else {
        None
    };
    let scores = rescored.as_ref().or(decision.scores.as_ref())?;
    let total = |node: &NodeIx| scores.position(*node).and_then(|at| scores.totals.get(at).copied());
    let mut heap: Vec<(NodeIx, i64)> = feasible.iter().filter_map(|node| Some((*node, total(node)?))).collect();
    let node = top(&mut heap)?;
    Some(Selected { node, tied: scores.best(), sampled })
}

/// The top of the heap that is made of these scores: a node moves up only if its score is larger, and of two equal children the
/// left one does.
///
/// Upstream: Go's `container/heap` `Init`.
fn top(heap: &mut [(NodeIx, i64)]) -> Option<NodeIx> {
    let score = |heap: &[(NodeIx, i64)], at: usize| heap.get(at).map(|(_, score)| *score);
    for parent in (0..heap.len() / 2).rev() {
        let mut at = parent;
        loop {
            let left = 2 * at + 1;
            let Some(mut best) = score(heap, left).map(|_| left) else { break };
            if score(heap, left + 1) > score(heap, left) {
                best = left + 1;
            }
            if score(heap, best) <= score(heap, at) {
                break;
            }
            heap.swap(at, best);
            at = best;
        }
    }
    heap.first().map(|(node, _)| *node)
}

#[cfg(test)]
mod tests {
    use super::top;
    use crate::cluster::node::NodeIx;

    #[test]
    fn the_first_best_node_is_not_always_the_top() {
        for (scores, expected) in [
            (&[5, 5][..], 0),
            (&[1, 5, 5], 1),
            (&[1, 2, 7, 7], 3),
            (&[7, 2, 7, 7], 0),
            (&[1], 0),
            (&[1, 1, 1, 1, 2, 2], 4),
        ] {
            let mut heap: Vec<(NodeIx, i64)> = (0..).map(NodeIx).zip(scores.iter().copied()).collect();
            assert_eq!(top(&mut heap), Some(NodeIx(expected)), "{scores:?}");
        }
        assert_eq!(top(&mut []), None);
    }
}
