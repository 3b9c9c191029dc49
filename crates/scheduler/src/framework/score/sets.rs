//! The best nodes of many sets of nodes, each scored as if no other node had been found.
//!
//! What distinguishes the nodes of a cluster in the plugins that compare nodes is little: a few
//! taints, zones, and numbers of pods. Nodes that are alike to all of these plugins differ only in
//! scores that are the same in every set.

use indexmap::IndexSet;

use super::{MAX_NODE_SCORE, NodeGroup, Score, ScoredNodes};
use crate::framework::plugin::Cycle;
use model::cluster::NodeIx;

/// The scored nodes in groups of those that are alike to the plugins that compare nodes.
pub(crate) struct NodeSets<'s> {
    cycle: &'s Cycle<'s>,
    nodes: &'s [NodeIx],
    /// By position among the nodes: the weighted sum of the scores that no other node affects.
    fixed: Vec<i64>,
    /// By position among the nodes: its group.
    group_of: Vec<usize>,
    /// The number of groups.
    groups: usize,
    comparing: Vec<ComparingPlugin<'s>>,
}

/// A plugin whose scores depend on which other nodes were found.
struct ComparingPlugin<'s> {
    state: &'s dyn Score,
    weight: i64,
    /// The raw scores of the nodes, by position; for a plugin without [`Score::grouped`].
    raw: &'s [i64],
}

/// What all nodes of a group get from the plugins that compare nodes.
#[derive(Clone, Copy, Default)]
struct GroupScore {
    /// Position of the first node of the group in the set.
    first: usize,
    /// How many nodes of the set are in the group.
    count: usize,
    score: i64,
}

impl<'s> NodeSets<'s> {
    /// `None` if a plugin does not say which nodes are alike, or a score is out of range.
    pub(crate) fn new(scored: &'s ScoredNodes, cycle: &'s Cycle<'s>) -> Option<Self> {
        let nodes = scored.table.nodes.as_slice();
        let mut fixed = vec![0; nodes.len()];
        let mut comparing: Vec<ComparingPlugin> = Vec::new();
        for plugin in &scored.table.plugins {
            let state = &**scored.states.get(plugin.plugin)?;
            // A score that would end the cycle does so only where the node is found.
            if plugin.normalized.iter().any(|score| !(0..=MAX_NODE_SCORE).contains(score)) {
                return None;
            }
            if state.narrowed(&[]).is_some() && state.grouped().is_none() {
                return None;
            }
            if state.grouped().is_some() || state.normalize(&[]).is_some() {
                comparing.push(ComparingPlugin { state, weight: plugin.weight, raw: &plugin.raw });
                continue;
            }
            for (sum, score) in fixed.iter_mut().zip(&plugin.normalized) {
                *sum += score * plugin.weight;
            }
        }

        let mut known: IndexSet<Vec<i64>, foldhash::fast::RandomState> = IndexSet::default();
        let mut group_of = Vec::with_capacity(nodes.len());
        let mut key = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            key.clear();
            for plugin in &comparing {
                match plugin.state.grouped() {
                    Some(grouped) => grouped.add_key(cycle.view.info(*node), &mut key),
                    None => key.extend(plugin.raw.get(at)),
                }
            }
            let group = known.get_index_of(key.as_slice());
            group_of.push(group.unwrap_or_else(|| known.insert_full(key.clone()).0));
        }
        Some(Self { cycle, nodes, fixed, group_of, groups: known.len(), comparing })
    }

    /// The nodes with the highest total in the set of the nodes at these positions, in their order;
    /// `None` if a plugin fails or a score is out of range.
    pub(crate) fn best<'p>(
        &self,
        positions: impl Iterator<Item = &'p usize> + Clone,
    ) -> Option<Vec<NodeIx>> {
        let mut scores = vec![GroupScore::default(); self.groups];
        let mut present: Vec<usize> = Vec::new();
        for at in positions.clone() {
            let group = *self.group_of.get(*at)?;
            let score = scores.get_mut(group)?;
            if score.count == 0 {
                score.first = *at;
                present.push(group);
            }
            score.count += 1;
        }
        self.compare(&present, &mut scores)?;

        let (mut highest, mut best) = (i64::MIN, Vec::new());
        for at in positions {
            let total = self.fixed.get(*at)? + scores.get(*self.group_of.get(*at)?)?.score;
            if total > highest {
                highest = total;
                best.clear();
            }
            if total == highest {
                best.push(*self.nodes.get(*at)?);
            }
        }
        Some(best)
    }

    /// Adds up what the comparing plugins give the groups that are present. Only extremes and
    /// numbers of nodes enter into that, so one node stands for each group.
    fn compare(&self, present: &[usize], scores: &mut [GroupScore]) -> Option<()> {
        let mut groups: Vec<NodeGroup> = Vec::with_capacity(present.len());
        for group in present {
            let score = scores.get(*group)?;
            groups.push(NodeGroup { first: *self.nodes.get(score.first)?, count: score.count });
        }
        for plugin in &self.comparing {
            let mut raw: Vec<i64> = Vec::with_capacity(present.len());
            let normalized = if let Some(grouped) = plugin.state.grouped() {
                let narrowed = grouped.narrowed(&groups);
                for group in &groups {
                    raw.push(narrowed.score(self.cycle.view.info(group.first)).ok()?);
                }
                narrowed.normalize(&raw)
            } else {
                for group in present {
                    raw.push(*plugin.raw.get(scores.get(*group)?.first)?);
                }
                plugin.state.normalize(&raw)
            };
            for (group, score) in present.iter().zip(normalized.unwrap_or(raw)) {
                if !(0..=MAX_NODE_SCORE).contains(&score) {
                    return None;
                }
                scores.get_mut(*group)?.score += score * plugin.weight;
            }
        }
        Some(())
    }
}
