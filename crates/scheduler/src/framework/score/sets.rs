//! The best nodes of many sets of nodes, each scored as if no other node had been found.
//!
//! What distinguishes the nodes of a cluster in the plugins that compare nodes is little: a few
//! taints, zones, and numbers of pods. Nodes that are alike to all of these plugins differ only in
//! scores that are the same in every set.

use std::collections::VecDeque;

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
    /// By group: a node of it.
    first_of_group: Vec<NodeIx>,
    comparing: Vec<ComparingPlugin<'s>>,
}

/// A plugin whose scores depend on which other nodes were found.
struct ComparingPlugin<'s> {
    state: &'s dyn Score,
    weight: i64,
    /// The raw scores of the nodes, by position; for a plugin without [`Score::grouped`].
    raw: &'s [i64],
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
            // A score that is the same everywhere decides between no nodes.
            let first = plugin.raw.first();
            if state.grouped().is_none() && plugin.raw.iter().all(|raw| Some(raw) == first) {
                continue;
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
        let (mut group_of, mut first_of_group) = (Vec::with_capacity(nodes.len()), Vec::new());
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
            group_of.push(group.unwrap_or_else(|| {
                first_of_group.push(*node);
                known.insert_full(key.clone()).0
            }));
        }
        Some(Self { cycle, nodes, fixed, group_of, first_of_group, comparing })
    }

    /// The nodes with the highest total of each window of `size` nodes. `order` has the positions of
    /// all nodes and begins anew after its end; `firsts`, which ascend, are where in it the windows
    /// begin. `None` if a plugin fails or a score is out of range.
    ///
    /// As windows overlap, each node enters once and leaves once. Its group keeps, of those in the
    /// window, the nodes that no later one exceeds: the first of these are its best.
    pub(crate) fn best_of_windows(
        &self,
        order: &[usize],
        size: usize,
        firsts: impl Iterator<Item = usize>,
    ) -> Option<Vec<Vec<NodeIx>>> {
        let mut members: Vec<Members> = Vec::new();
        members.resize_with(self.first_of_group.len(), Members::default);
        let at = |slot: usize| order.get(slot % order.len().max(1)).copied();
        let (mut start, mut end) = (0, 0);
        let mut scored = ScoredGroups::default();
        let mut windows = Vec::new();
        for first in firsts {
            // The window slides: nodes before it leave, and those that it reaches enter.
            for slot in start..first.min(end) {
                members.get_mut(*self.group_of.get(at(slot)?)?)?.leave(slot);
            }
            (start, end) = (first, end.max(first));
            while end < first + size {
                let position = at(end)?;
                let fixed = *self.fixed.get(position)?;
                members.get_mut(*self.group_of.get(position)?)?.enter(end, position, fixed);
                end += 1;
            }

            // Nodes of a group get the same from plugins that compare nodes.
            scored.groups.clear();
            for (first, members) in self.first_of_group.iter().zip(&members) {
                scored.groups.push(NodeGroup { first: *first, count: members.count });
            }
            scored.update(self)?;
            // So the best of a window are among the best of its groups.
            let (mut highest, mut best) = (i64::MIN, Vec::new());
            for (members, score) in members.iter().zip(&scored.scores) {
                for member in &members.best {
                    let total = member.fixed + score;
                    if total < highest {
                        break;
                    }
                    if total > highest {
                        highest = total;
                        best.clear();
                    }
                    best.push(*self.nodes.get(member.position)?);
                }
            }
            windows.push(best);
        }
        Some(windows)
    }

    /// What the comparing plugins give each of these groups. Only extremes and numbers of nodes enter
    /// into that, so one node stands for each group.
    fn compare(&self, groups: &[NodeGroup]) -> Option<Vec<i64>> {
        let mut sums = vec![0; groups.len()];
        for plugin in &self.comparing {
            let mut raw: Vec<i64> = Vec::with_capacity(groups.len());
            let normalized = if let Some(grouped) = plugin.state.grouped() {
                let narrowed = grouped.narrowed(groups);
                for group in groups {
                    raw.push(narrowed.score(self.cycle.view.info(group.first)).ok()?);
                }
                narrowed.normalize(&raw)
            } else {
                for group in groups {
                    raw.push(*plugin.raw.get(self.nodes.binary_search(&group.first).ok()?)?);
                }
                plugin.state.normalize(&raw)
            };
            for (sum, score) in sums.iter_mut().zip(normalized.unwrap_or(raw)) {
                if !(0..=MAX_NODE_SCORE).contains(&score) {
                    return None;
                }
                *sum += score * plugin.weight;
            }
        }
        Some(sums)
    }
}

/// What the comparing plugins give the groups of one window after the other.
#[derive(Default)]
struct ScoredGroups {
    /// All groups, with the numbers of their nodes in the window.
    groups: Vec<NodeGroup>,
    /// By group; 0 for one without nodes.
    scores: Vec<i64>,
    /// Those with nodes, and what else the scores depend on: they are those of the last window where
    /// that is the same.
    key: Vec<usize>,
}

impl ScoredGroups {
    fn update(&mut self, sets: &NodeSets) -> Option<()> {
        let mut present: Vec<NodeGroup> = Vec::with_capacity(self.groups.len());
        let mut key: Vec<usize> = Vec::with_capacity(self.groups.len() + sets.comparing.len());
        for (at, group) in self.groups.iter().enumerate().filter(|(_, group)| group.count > 0) {
            present.push(*group);
            key.push(at);
        }
        for grouped in sets.comparing.iter().filter_map(|plugin| plugin.state.grouped()) {
            key.push(grouped.counted(&present));
        }
        if key == self.key {
            return Some(());
        }
        let mut found = sets.compare(&present)?.into_iter();
        self.scores.clear();
        for group in &self.groups {
            let score = if group.count > 0 { found.next() } else { None };
            self.scores.push(score.unwrap_or(0));
        }
        self.key = key;
        Some(())
    }
}

/// The nodes of a group in a window.
#[derive(Default)]
struct Members {
    count: usize,
    /// Those that no later one exceeds, so that the sums of their fixed scores descend.
    best: VecDeque<Member>,
}

struct Member {
    /// Where the window has it.
    slot: usize,
    /// Its position among the nodes.
    position: usize,
    fixed: i64,
}

impl Members {
    fn enter(&mut self, slot: usize, position: usize, fixed: i64) {
        self.count += 1;
        while self.best.back().is_some_and(|last| last.fixed < fixed) {
            self.best.pop_back();
        }
        self.best.push_back(Member { slot, position, fixed });
    }

    fn leave(&mut self, slot: usize) {
        self.count -= 1;
        if self.best.front().is_some_and(|first| first.slot == slot) {
            self.best.pop_front();
        }
    }
}
