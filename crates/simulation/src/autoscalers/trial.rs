//! Tries whether a new node would take a pod: on a copy of the cluster with one more node, like one
//! that is there, by the filters of the same engine. An autoscaler asks its own copy of
//! kube-scheduler's filters the same question.

use jiff::Timestamp;
use model::cluster::node::Taint;
use model::cluster::{Cluster, NodeIx, PodIx};
use model::edits::{self, Edit, TaintPattern};
use scheduler::decision::{Decision, decide};
use scheduler::dra::device_selectors::DeviceSelectors;
use scheduler::framework::cluster_view::ClusterView;
use scheduler::framework::cycle::{NodeVerdict, PreparedCycle};
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

/// A pod for which new nodes are tried, in a cluster as one scheduler sees it.
#[derive(Clone, Copy)]
pub struct NodeSeeker<'d> {
    pub view: &'d ClusterView<'d>,
    pub pod: PodIx,
    pub now: Timestamp,
}

impl<'d> NodeSeeker<'d> {
    /// The pod of a decision, in its cluster.
    pub(super) fn of(decision: &'d Decision<'d>) -> Self {
        Self { view: decision.view, pod: decision.pod, now: decision.now }
    }
}

/// The trials for one pod.
pub(super) struct NodeTrials<'d> {
    /// `None` where nothing is tried.
    pub(super) seeker: Option<NodeSeeker<'d>>,
    /// How many more are made.
    pub(super) left: usize,
}

impl<'d> NodeTrials<'d> {
    pub(super) fn new(seeker: NodeSeeker<'d>) -> Self {
        let cluster = seeker.view.cluster;
        let work = cluster.pods.len() + 10 * cluster.nodes.len() + 1;
        Self { seeker: Some(seeker), left: (WORK / work).clamp(FEWEST, MOST) }
    }

    /// None at all.
    pub(super) fn none() -> Self {
        Self { seeker: None, left: 0 }
    }

    /// Whether a node like `model` takes the pod, with the taints of its pool if these are known,
    /// and if the pod tolerated `tolerated`.
    pub(super) fn node_like(
        &mut self,
        model: NodeIx,
        taints: Option<&[Taint]>,
        tolerated: Option<&TaintPattern>,
    ) -> NodeTrialResult {
        let (Some(seeker), Some(left)) = (self.seeker, self.left.checked_sub(1)) else {
            return NodeTrialResult::No;
        };
        self.left = left;
        let NodeSeeker { view, pod, now } = seeker;
        let before = view.cluster;
        let name = before.node_name(model).to_owned();
        let toleration = tolerated.map(|taint| Edit::Toleration { taint: taint.clone() });
        let edits: Vec<Edit> =
            toleration.into_iter().chain([Edit::AddNodeLike { node: name.clone() }]).collect();
        let mut cluster = before.clone();
        if edits::apply(&mut cluster, &[pod], &edits).is_err() {
            return NodeTrialResult::No;
        }
        let Some(node) = added(before, &cluster) else { return NodeTrialResult::No };

        // A new node gets the taints of its pool.
        if let (Some(node), Some(taints)) = (cluster.nodes.get_mut(node.0 as usize), taints) {
            node.taints = taints.into();
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
        if matches!(prepared.verdict_about(node), NodeVerdict::Feasible) {
            return NodeTrialResult::Takes(name);
        }
        // PreFilter rejects the pod for every node, or for this one.
        let decision = decide(&view, pod, now);
        let message = decision.message().unwrap_or("the pod is not scheduled there either");
        NodeTrialResult::Rejects { node: name, reasons: vec![message.to_owned()] }
    }
}

/// The node that `after` has and `before` has not.
fn added(before: &Cluster, after: &Cluster) -> Option<NodeIx> {
    after.node_indices().find(|ix| before.find_node(after.node_name(*ix)).is_none())
}
