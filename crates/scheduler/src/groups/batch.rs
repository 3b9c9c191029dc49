//! Opportunistic batching: the scores computed for one pod choose the nodes of the alike pods after
//! it. Of the nodes that got pods of the group, only the last one is scored again.
//!
//! Upstream: `pkg/scheduler/framework/runtime/batch.go` (1.37). Earlier versions do not batch the
//! pods of one cycle.
//!
//! Upstream: `pkg/scheduler/framework/runtime/framework.go` `SignPod` (1.37).

use super::heap::{Heap, ScoredNode};
use crate::decision::Decision;
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::plugin::{Cycle, Signer};
use crate::framework::score::{KeptScores, ScoreTable};
use crate::plugins;
use model::cluster::{NodeIx, PodIx};
use profile::plugins::PluginSet;

/// What carries over from one pod of a group to the next.
#[derive(Default)]
pub(super) struct Batch {
    /// The node of the last pod that got one.
    last: Option<NodeIx>,
    /// The pod for which the scores were computed.
    of: Option<PodIx>,
    /// The nodes not taken since, with their scores.
    others: Heap,
}

/// The node to try first for a pod.
pub(super) struct Hint {
    pub node: NodeIx,
    /// All nodes with the same score, by name.
    pub tied: Vec<NodeIx>,
}

/// How a pod got its node.
pub(super) enum Taken {
    /// It was the hint.
    Hint,
    /// It was the only feasible node, or the nominated one.
    Only,
    /// It had the best score; these come next, if the pod can share scores.
    Best(Heap),
}

impl Batch {
    /// The node to try first for a pod; `None` if the scores are of different pods, or none is
    /// left.
    pub(super) fn hint(&mut self, decision: &Decision) -> Option<Hint> {
        let (last, of) = (self.last?, self.of?);
        let ended =
            matches!(decision.pre_filter(), PreFilter::Rejected { .. } | PreFilter::Failed(_));
        let cycle = Cycle::of(decision.view, decision.pod, decision.now);
        let is_nominated = !cycle.pod.nominated_node.is_empty();
        if ended || is_nominated || self.others.is_empty() || !is_like(of, &cycle) {
            return None;
        }
        // The last pod changed only its own node's score, which may still be the best.
        if decision.nodes().get(last.0 as usize) == Some(&NodeVerdict::Feasible) {
            self.others = self.with(last, &cycle)?;
        }
        Some(Hint { node: self.others.top()?, tied: self.others.best() })
    }

    /// Removes the node that is tried from those that come next.
    pub(super) fn take_out(&mut self, node: NodeIx) {
        self.others.take_out(node);
    }

    /// What the next pod can see: the last node taken, and the other nodes with their scores.
    pub(super) fn state(&self) -> (Option<NodeIx>, Vec<(NodeIx, i64)>) {
        let mut others: Vec<(NodeIx, i64)> =
            self.others.nodes().iter().map(|scored| (scored.node, scored.total)).collect();
        others.sort_unstable();
        (self.last, others)
    }

    /// The nodes plus the last one, which alone is scored again; `None` if a plugin fails.
    fn with(&self, last: NodeIx, cycle: &Cycle) -> Option<Heap> {
        let others = self.others.nodes();
        let mut nodes: Vec<KeptScores> = others.iter().map(|n| (n.node, Some(&*n.raw))).collect();
        nodes.push((last, None));
        let order: Vec<NodeIx> = nodes.iter().map(|(node, _)| *node).collect();
        nodes.sort_unstable_by_key(|(node, _)| *node);
        let table =
            ScoreTable::with_kept(cycle, &plugins::scores(&cycle.view.profile.plugins), &nodes)
                .ok()?;
        Some(Heap::new(order.into_iter().filter_map(|node| ScoredNode::of(node, &table, true))))
    }

    /// Records the node that a pod got.
    pub(super) fn took(&mut self, node: NodeIx, pod: PodIx, how: Taken) {
        self.last = Some(node);
        self.others = match how {
            Taken::Hint => return,
            Taken::Only => Heap::default(),
            Taken::Best(others) => others,
        };
        self.of = Some(pod);
    }
}

/// Whether a pod can share scores at all.
pub(in crate::groups) fn is_signed(cycle: &Cycle) -> bool {
    let profile = cycle.view.profile;
    profile.extenders.is_empty()
        && profile.plugins.out_of_tree.is_empty()
        && !signers()
            .any(|(name, signer)| signer.shares_nothing(cycle) && has_a_say(name, &profile.plugins))
}

/// Whether the pod of a cycle is like another one that can share scores.
fn is_like(other: PodIx, cycle: &Cycle) -> bool {
    let cluster = cycle.view.cluster;
    let other = cluster.pod(other);
    is_signed(cycle)
        && cycle.template.scheduler_name == cluster.template(other).scheduler_name
        && signers().all(|(name, signer)| {
            signer.sees_alike(cycle, other) || !has_a_say(name, &cycle.view.profile.plugins)
        })
}

/// Every plugin with its name: those that filter, and those that score.
fn signers() -> impl Iterator<Item = (&'static str, &'static dyn Signer)> {
    let filters = plugins::ALL.iter().map(|plugin| {
        let signer: &dyn Signer = *plugin;
        (plugin.doc().name, signer)
    });
    let scores = plugins::SCORES.iter().map(|plugin| {
        let signer: &dyn Signer = *plugin;
        (plugin.doc().name, signer)
    });
    filters.chain(scores)
}

/// Whether a plugin affects pods of the profile.
fn has_a_say(plugin: &str, set: &PluginSet) -> bool {
    let mut points = set.pre_filter.iter().chain(&set.filter).chain(&set.pre_score);
    points.any(|name| *name == plugin) || set.score.iter().any(|(name, _)| *name == plugin)
}
