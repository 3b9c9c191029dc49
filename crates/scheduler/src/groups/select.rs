//! The node that a pod of a group gets. A group needs one answer where a single pod may get any of
//! several nodes, since the next pod sees where this one went.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `schedulePod`,
//! `pkg/scheduler/framework/sorted_nodes.go` (1.37): without extenders, the top of a heap of the
//! scores that was built from the nodes in the scheduler's order.

use super::batch::{Batch, Hint, Taken, is_signed};
use super::choices::{Choices, CycleState, Earlier, alike};
use super::heap::{Heap, ScoredNode};
use super::ranks::NodeRanks;
use crate::decision::Decision;
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::node_order::{self, enough};
use crate::framework::plugin::Cycle;
use crate::framework::score::ScoreTable;
use crate::plugins;
use model::cluster::{Cluster, NodeIx, PodIx};

/// What the scheduler carries over from one pod to the next.
#[derive(Default)]
pub(super) struct Memory {
    /// The offset in the order of nodes at which the next search starts.
    start: usize,
    /// The scores that choose the nodes of alike pods.
    batch: Batch,
    /// Which of several equally good possibilities this run takes.
    pub(super) choices: Choices,
    /// How many searches have begun.
    searches: usize,
    /// How many pods were given to searches.
    pub(super) tries: usize,
    /// What the searches of a tree have done; `None` for a group without parents.
    earlier: Option<Earlier>,
    /// Whether the pods of a tree are placed for preemption.
    places_anew: bool,
    /// The order of nodes by what preemption would evict, while it searches.
    ranks: Option<NodeRanks>,
}

impl Memory {
    /// For a run that takes these choices.
    pub(super) fn taking(choices: Choices) -> Self {
        Self { choices, ..Self::default() }
    }

    /// The same for a tree, whose groups see what the groups before them got.
    pub(super) fn of_tree(choices: Choices) -> Self {
        Self { earlier: Some(Earlier::default()), ..Self::taking(choices) }
    }

    /// The searches that follow place the pods of a tree anew.
    pub(super) fn begin_anew(&mut self) {
        self.earlier.iter_mut().for_each(Earlier::forget_nodes);
        self.places_anew = true;
    }

    /// A group of a tree gets too little in every topology domain. Preemption counts the pods that
    /// it placed in one of them, and no path has all that they may be.
    pub(super) fn fits_nowhere(&mut self) {
        self.choices.is_sampled |= self.places_anew;
    }

    /// The searches that follow are those of preemption, which tries nodes in this order; another
    /// order of budgets, which the API does not show, may lead to other ranks if they `are_open`.
    pub(super) fn rank(&mut self, ranks: NodeRanks, are_open: bool) {
        self.choices.is_unlisted |= are_open;
        self.ranks = Some(ranks);
    }

    /// Takes one of several topology domains, by index, in which these pods are placed.
    pub(super) fn choose_domain(
        &mut self,
        shown: usize,
        options: &[usize],
        placed: Vec<(PodIx, NodeIx)>,
    ) -> usize {
        let Self { choices, searches, batch, earlier, .. } = self;
        let (search, shared) = (*searches, batch.state());
        let before = earlier.clone().unwrap_or_default();
        let state = || CycleState { search, pod: None, placed, shared, earlier: before };
        let taken = choices.choose(shown, options, state);
        earlier.iter_mut().for_each(|earlier| earlier.domains.push((search, taken)));
        taken
    }
}

/// The nodes in the scheduler's order, and where the search for a pod starts.
pub(super) struct Rotation<'m> {
    /// The nodes that the search is limited to.
    order: Vec<NodeIx>,
    /// The pods that have got a node.
    placed: Vec<(PodIx, NodeIx)>,
    memory: &'m mut Memory,
}

/// The node selected for a pod.
pub(super) struct Selected {
    pub node: NodeIx,
    /// All nodes with the same score, by name.
    pub tied: Vec<NodeIx>,
    /// Whether the scheduler samples the feasible nodes.
    pub sampled: bool,
}

impl<'m> Rotation<'m> {
    /// Starts at the node where the last search ended.
    pub(super) fn new(view: &ClusterView, memory: &'m mut Memory) -> Self {
        let order = node_order::by_zone(view)
            .iter()
            .copied()
            .filter(|node| view.is_in_placement(*node))
            .collect();
        memory.searches += 1;
        Self { order, placed: Vec::new(), memory }
    }

    /// Whether alike pods of the group share scores.
    fn batches(&self, decision: &Decision) -> bool {
        let features = &decision.profile().features.pod_groups;
        features.group_batches && features.gangs_end_early && self.memory.ranks.is_none()
    }

    /// Takes one of the nodes that are as good for a pod.
    fn choose(&mut self, shown: NodeIx, tied: &[NodeIx], decision: &Decision) -> NodeIx {
        let Self { placed, memory: Memory { choices, searches, batch, earlier, .. }, .. } = self;
        choices.choose(shown, tied, || {
            // Pods that are alike may have changed places.
            let cluster = decision.view.cluster;
            let mut kinds: Vec<(PodIx, NodeIx)> = Vec::with_capacity(placed.len());
            for (pod, node) in &*placed {
                kinds.push((represented(*pod, &kinds, cluster), *node));
            }
            kinds.sort_unstable();
            let pod = Some(decision.pod);
            let earlier = earlier.clone().unwrap_or_default();
            CycleState { search: *searches, pod, placed: kinds, shared: batch.state(), earlier }
        })
    }

    /// The node that the scheduler selects for a pod whose cycle found at least one.
    pub(super) fn select(&mut self, decision: &Decision) -> Option<Selected> {
        self.memory.tries += 1;
        let selected = self.selected(decision)?;
        let Self { placed, memory: Memory { searches, earlier, .. }, .. } = self;
        if let Some(earlier) = earlier {
            let own = represented(decision.pod, placed, decision.view.cluster);
            earlier.placed.push((*searches, own, Some(selected.node)));
            earlier.placed.sort_unstable();
        }
        placed.push((decision.pod, selected.node));
        Some(selected)
    }

    fn selected(&mut self, decision: &Decision) -> Option<Selected> {
        // Alike pods share scores; then only the best remaining node is tried.
        let hint = if self.batches(decision) { self.memory.batch.hint(decision) } else { None };
        if let Some(Hint { node: shown, tied }) = hint {
            let node = self.choose(shown, &tied, decision);
            self.memory.batch.take_out(node);
            if decision.nodes().get(node.0 as usize) == Some(&NodeVerdict::Feasible) {
                self.memory.batch.took(node, decision.pod, Taken::Hint);
                return Some(Selected { node, tied, sampled: false });
            }
        }

        // The search continues where the last one ended, and stops once enough nodes fit.
        let fits = decision.fits();
        let enough = enough(decision.profile(), self.order.len());
        let rotated =
            self.order.iter().cycle().skip(self.memory.start).take(self.order.len()).copied();
        let ranked: Vec<(NodeIx, usize)> = match &self.memory.ranks {
            Some(ranks) => ranks.of(rotated, decision.view),
            None => rotated.map(|node| (node, 0)).collect(),
        };
        let (mut feasible, mut looked_at) = (Vec::new(), 0);
        for (node, rank) in ranked {
            if feasible.len() == enough {
                break;
            }
            match decision.nodes().get(node.0 as usize) {
                Some(NodeVerdict::Feasible) => feasible.push((node, rank)),
                Some(NodeVerdict::Filtered { .. }) => {}
                _ => continue,
            }
            looked_at += 1;
        }
        let is_sampled = feasible.len() < decision.feasible().count();
        self.memory.choices.is_sampled |= is_sampled && fits;
        // Only those with the least to evict are scored.
        let lowest = feasible.iter().map(|(_, rank)| *rank).min();
        let best = feasible.into_iter().filter(|(_, rank)| Some(*rank) == lowest);
        let best: Vec<NodeIx> = best.map(|(node, _)| node).collect();
        let [taken] = decision.selected() else {
            self.advance(decision, looked_at);
            return if fits { self.of_scores(decision, &best, is_sampled) } else { None };
        };
        // The nominated node, or the only feasible one.
        if decision.nominated() != Some(*taken) {
            self.advance(decision, looked_at);
        }
        if decision.feasible().nth(1).is_some() && decision.nominated() != Some(*taken) {
            return self.of_scores(decision, &best, is_sampled);
        }
        if !fits {
            return None;
        }
        self.memory.batch.took(*taken, decision.pod, Taken::Only);
        Some(Selected { node: *taken, tied: vec![*taken], sampled: false })
    }

    /// Where the search for the next pod starts.
    fn advance(&mut self, decision: &Decision, looked_at: usize) {
        let ended =
            matches!(decision.pre_filter(), PreFilter::Rejected { .. } | PreFilter::Failed(_));
        if !ended && !self.order.is_empty() {
            self.memory.start = (self.memory.start + looked_at) % self.order.len();
        }
    }

    /// The best of the nodes, which are in the scheduler's order.
    fn of_scores(
        &mut self,
        decision: &Decision,
        feasible: &[NodeIx],
        sampled: bool,
    ) -> Option<Selected> {
        let rescored = if feasible.len() < decision.feasible().count() {
            let mut nodes = feasible.to_vec();
            nodes.sort_unstable();
            let cycle = Cycle::of(decision.view, decision.pod, decision.now);
            ScoreTable::new(&cycle, &plugins::scores(&decision.profile().plugins), nodes).ok()
        } else {
            None
        };
        let scores = rescored.as_ref().or(decision.scores())?;
        let keeps = self.batches(decision)
            && is_signed(&Cycle::of(decision.view, decision.pod, decision.now));
        let mut heap =
            Heap::new(feasible.iter().filter_map(|node| ScoredNode::of(*node, scores, keeps)));
        let (shown, tied) = (heap.top()?, scores.best());
        let node = if sampled { shown } else { self.choose(shown, &tied, decision) };
        heap.take_out(node);
        self.memory.batch.took(
            node,
            decision.pod,
            Taken::Best(if keeps { heap } else { Heap::default() }),
        );
        Some(Selected { node, tied, sampled })
    }
}

/// The first of these pods that is like the given one, or that one itself.
fn represented(pod: PodIx, placed: &[(PodIx, NodeIx)], cluster: &Cluster) -> PodIx {
    let like = placed.iter().find(|(other, _)| alike(*other, pod, cluster));
    like.map_or(pod, |(other, _)| *other)
}
