//! Nodes by score, as the scheduler keeps them: the best is at the top, and ties are broken by
//! insertion order.
//!
//! Upstream: `pkg/scheduler/framework/sorted_nodes.go` (1.37), Go's `container/heap` `Init` and
//! `Pop`.

use crate::framework::score::ScoreTable;
use model::cluster::NodeIx;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScoredNode {
    pub node: NodeIx,
    /// Each plugin's raw score.
    pub raw: Vec<(&'static str, i64)>,
    /// The sum of its weighted scores.
    pub total: i64,
}

impl ScoredNode {
    /// A node of the table. The plugins' scores are included only if `keeps` is set.
    pub(super) fn of(node: NodeIx, table: &ScoreTable, keeps: bool) -> Option<Self> {
        let at = table.position(node)?;
        let plugins = table.plugins.iter().filter(|_| keeps);
        let raw =
            plugins.filter_map(|plugin| Some((plugin.plugin, *plugin.raw.get(at)?))).collect();
        Some(Self { node, raw, total: *table.totals.get(at)? })
    }
}

/// A heap: no node is above a better one.
#[derive(Debug, Clone, Default)]
pub(super) struct Heap(Vec<ScoredNode>);

impl Heap {
    /// Builds a heap from nodes in the scheduler's order.
    pub(super) fn new(nodes: impl Iterator<Item = ScoredNode>) -> Self {
        let mut heap = Self(nodes.collect());
        let count = heap.0.len();
        (0..count / 2).rev().for_each(|parent| heap.sink(parent, count));
        heap
    }

    /// Whether there are none.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The nodes in heap order.
    pub(super) fn nodes(&self) -> &[ScoredNode] {
        &self.0
    }

    /// The nodes with the best score, by name.
    pub(super) fn best(&self) -> Vec<NodeIx> {
        let most = self.0.first().map(|top| top.total);
        let mut best: Vec<NodeIx> =
            self.0.iter().filter(|scored| Some(scored.total) == most).map(|n| n.node).collect();
        best.sort_unstable();
        best
    }

    /// The best node.
    pub(super) fn top(&self) -> Option<NodeIx> {
        self.0.first().map(|scored| scored.node)
    }

    /// Removes a node: the top, or one that ties with it and might have been there.
    pub(super) fn take_out(&mut self, node: NodeIx) {
        if self.top() == Some(node) {
            self.pop();
        } else {
            let others = std::mem::take(&mut self.0).into_iter();
            *self = Self::new(others.filter(|scored| scored.node != node));
        }
    }

    /// Removes the top.
    fn pop(&mut self) -> Option<ScoredNode> {
        let last = self.0.len().checked_sub(1)?;
        self.0.swap(0, last);
        self.sink(0, last);
        self.0.pop()
    }

    /// The score of a node among the first `count`.
    fn total(&self, at: usize, count: usize) -> Option<i64> {
        self.0.get(at).filter(|_| at < count).map(|scored| scored.total)
    }

    /// Sifts a node down among the first `count`: below its better child, the left one on a tie.
    fn sink(&mut self, mut at: usize, count: usize) {
        loop {
            let left = 2 * at + 1;
            let Some(mut best) = self.total(left, count).map(|_| left) else { return };
            if self.total(left + 1, count) > self.total(left, count) {
                best = left + 1;
            }
            if self.total(best, count) <= self.total(at, count) {
                return;
            }
            self.0.swap(at, best);
            at = best;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Heap, ScoredNode};
    use model::cluster::NodeIx;

    #[test]
    fn the_first_best_node_is_not_always_the_top() {
        for (scores, expected) in [
            (&[5, 5][..], &[0, 1][..]),
            (&[1, 5, 5], &[1, 2, 0]),
            (&[1, 2, 7, 7], &[3, 2, 1, 0]),
            (&[7, 2, 7, 7], &[0, 3, 2, 1]),
            (&[1], &[0]),
            (&[1, 1, 1, 1, 2, 2], &[4, 5, 1, 3, 2, 0]),
            (&[3, 1, 3, 1, 3, 1, 3], &[0, 6, 4, 2, 3, 1, 5]),
            (&[], &[]),
        ] {
            let nodes = (0..).map(NodeIx).zip(scores.iter().copied());
            let mut heap =
                Heap::new(nodes.map(|(node, total)| ScoredNode { node, raw: Vec::new(), total }));
            let popped: Vec<u32> =
                std::iter::from_fn(|| heap.pop()).map(|scored| scored.node.0).collect();
            assert_eq!(popped, expected, "{scores:?}");
        }
    }
}
