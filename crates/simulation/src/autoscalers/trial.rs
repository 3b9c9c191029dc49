//! Tries whether a new node would take a pod: on a copy of the cluster with one more node, like one
//! that is there, decided by the same engine. An autoscaler asks its own copy of kube-scheduler's
//! filters the same question.

use std::sync::{Mutex, PoisonError};

use model::cluster::node::Taint;
use model::cluster::{Cluster, NodeIx};
use model::edits::{self, Edit, TaintPattern};
use scheduler::decision::{Decision, decide};
use scheduler::dra::device_selectors::DeviceSelectors;
use scheduler::framework::cycle::PreparedCycle;
use scheduler::framework::status::FilterVerdict;
use scheduler::plugins;

/// The work of all trials of a pod together, in pods, a node being worth ten: what remedies may
/// take, too.
const WORK: usize = 450_000;
/// The most trials in a small cluster.
const MOST: usize = 24;
/// The fewest trials in a large one.
const FEWEST: usize = 2;

/// What became of a trial.
#[derive(Debug, Clone)]
pub(super) enum NodeTrialResult {
    /// A node like this one takes the pod.
    Takes(String),
    /// A node like this one rejects it: the reasons.
    Rejects { node: String, reasons: Vec<String> },
    /// It was not made.
    No,
}

/// What is tried.
#[derive(Debug, Clone, PartialEq)]
struct NodeTrial {
    model: NodeIx,
    taints: Option<Vec<Taint>>,
    tolerated: Option<TaintPattern>,
}

/// The results of trials that were made. They are the same for pods that are alike.
#[derive(Debug, Default)]
pub struct KnownTrials(Mutex<Vec<(NodeTrial, NodeTrialResult)>>);

/// The trials for one pod.
pub(super) struct NodeTrials<'d> {
    /// The decision about the pod, and the trials for pods like it; `None` where nothing is tried.
    of: Option<(&'d Decision<'d>, &'d KnownTrials)>,
    left: usize,
}

impl<'d> NodeTrials<'d> {
    pub(super) fn new(decision: &'d Decision<'d>, known: &'d KnownTrials) -> Self {
        let cluster = decision.view.cluster;
        let work = cluster.pods.len() + 10 * cluster.nodes.len() + 1;
        Self { of: Some((decision, known)), left: (WORK / work).clamp(FEWEST, MOST) }
    }

    /// None at all.
    pub(super) fn none() -> Self {
        Self { of: None, left: 0 }
    }

    /// Whether a node like `model` takes the pod, with the taints of its pool if these are known,
    /// and if the pod tolerated `tolerated`.
    pub(super) fn node_like(
        &mut self,
        model: NodeIx,
        taints: Option<&[Taint]>,
        tolerated: Option<&TaintPattern>,
    ) -> NodeTrialResult {
        let (Some((decision, known)), Some(left)) = (self.of, self.left.checked_sub(1)) else {
            return NodeTrialResult::No;
        };
        self.left = left;
        let trial =
            NodeTrial { model, taints: taints.map(<[_]>::to_vec), tolerated: tolerated.cloned() };
        let lock = || known.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, result)) = lock().iter().find(|(known, _)| *known == trial) {
            return result.clone();
        }
        let result = trial.make(decision);
        lock().push((trial, result.clone()));
        result
    }
}

impl NodeTrial {
    /// Decides about the pod on a copy of its cluster that has the new node.
    fn make(&self, asked: &Decision) -> NodeTrialResult {
        let Self { model, taints, tolerated } = self;
        let (view, pod, now) = (asked.view, asked.pod, asked.now);
        let before = view.cluster;
        let name = before.text(before.node(*model).name).to_owned();
        let toleration = tolerated.as_ref().map(|taint| Edit::Toleration { taint: taint.clone() });
        let edits: Vec<Edit> =
            toleration.into_iter().chain([Edit::AddNodeLike { node: name.clone() }]).collect();
        let mut cluster = before.clone();
        if edits::apply(&mut cluster, &[pod], &edits).is_err() {
            return NodeTrialResult::No;
        }
        let Some(node) = added(before, &cluster) else { return NodeTrialResult::No };

        // A new node gets the taints of its pool.
        if let (Some(node), Some(taints)) = (cluster.nodes.get_mut(node.0 as usize), taints) {
            node.taints = taints.as_slice().into();
        }
        // The pod's own nomination would count against it nowhere else.
        cluster.nominate(pod, None);

        let view = view.of_copy(&cluster, DeviceSelectors::of(&cluster));
        let prepared =
            PreparedCycle::new(&view, pod, now, &plugins::filters(&view.profile.plugins));
        let mut reasons = Vec::new();
        for (_, verdict) in prepared.refusals(node) {
            if let FilterVerdict::Rejected(rejection) = verdict {
                reasons.extend(rejection.texts(&cluster));
            }
        }
        if !reasons.is_empty() {
            return NodeTrialResult::Rejects { node: name, reasons };
        }
        let decision = decide(&view, pod, now);
        if decision.feasible().any(|feasible| feasible == node) {
            return NodeTrialResult::Takes(name);
        }
        let message = decision.message().unwrap_or("the pod is not scheduled there either");
        NodeTrialResult::Rejects { node: name, reasons: vec![message.to_owned()] }
    }
}

/// The node that `after` has and `before` has not.
fn added(before: &Cluster, after: &Cluster) -> Option<NodeIx> {
    after.node_indices().find(|ix| before.find_node(after.text(after.node(*ix).name)).is_none())
}
