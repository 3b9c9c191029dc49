//! Tries whether a new node would take a pod: on a copy of the cluster with one more node, like one
//! that is there, by the filters of the same engine. An autoscaler asks its own copy of
//! kube-scheduler's filters the same question.

use dra::device_selectors::DeviceSelectors;
use jiff::Timestamp;
use model::cluster::node::Taint;
use model::cluster::{Cluster, NodeIx, PodIx};
use model::edits::{self, Edit, PlannedNode, TaintPattern};
use scheduler::decision::{Decision, decide};
use scheduler::framework::cluster_view::ClusterView;
use scheduler::framework::cycle::{NodeVerdict, PreparedCycle};
use scheduler::framework::status::FilterVerdict;
use scheduler::plugins;

/// The work of all trials of a pod together, in pods, a node being worth ten: what remedies may
/// take, too.
const WORK: usize = 450_000;
/// The most trials in a small cluster.
const MOST: usize = 250;
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

/// The pods that may be on a coming node before the pod that is tried.
#[derive(Clone, Copy, Default)]
pub(super) struct Company<'p> {
    /// Those that it comes for.
    pub(super) meant: &'p [PodIx],
    /// Those that the autoscaler may place first, on any coming node that takes them.
    pub(super) rivals: &'p [PodIx],
    /// Pods on other nodes that the autoscaler does not count.
    pub(super) uncounted: &'p [PodIx],
}

/// How many rivals are placed for the work of one trial: nothing is copied for them.
const RIVALS_PER_TRIAL: usize = 4;

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
        let Some(seeker) = self.seeker else { return NodeTrialResult::No };
        let name = seeker.view.cluster.node_name(model).to_owned();
        let toleration = tolerated.map(|taint| Edit::Toleration { taint: taint.clone() });
        let edits: Vec<Edit> =
            toleration.into_iter().chain([Edit::AddNodeLike { node: name.clone() }]).collect();
        self.added_nodes(&name, &edits, taints, Company::default())
    }

    /// Whether one of several new nodes like `model` takes the pod, with these taints, if these
    /// pods come first.
    pub(super) fn nodes_like(
        &mut self,
        model: NodeIx,
        count: usize,
        taints: &[Taint],
        company: Company,
    ) -> NodeTrialResult {
        let Some(seeker) = self.seeker else { return NodeTrialResult::No };
        let name = seeker.view.cluster.node_name(model).to_owned();
        let edits = vec![Edit::AddNodeLike { node: name.clone() }; count];
        self.added_nodes(&name, &edits, Some(taints), company)
    }

    fn added_nodes(
        &mut self,
        name: &str,
        edits: &[Edit],
        taints: Option<&[Taint]>,
        company: Company,
    ) -> NodeTrialResult {
        let Some(seeker) = self.seeker else { return NodeTrialResult::No };
        self.on_copy(name, company, |cluster| {
            edits::apply(cluster, &[seeker.pod], edits).ok()?;
            let nodes = added(seeker.view.cluster, cluster);
            // New nodes get the taints of their pool.
            if let Some(taints) = taints {
                nodes.iter().for_each(|node| set_taints(cluster, *node, taints));
            }
            Some(nodes)
        })
    }

    /// Whether a node that does not exist yet takes the pod, beside pods that are meant for it and
    /// those of the DaemonSets of `like`.
    pub(super) fn planned(
        &mut self,
        plan: PlannedNode,
        like: Option<NodeIx>,
        company: Company,
    ) -> NodeTrialResult {
        let Some(seeker) = self.seeker else { return NodeTrialResult::No };
        let name = plan.name.clone();
        self.on_copy(&name, company, |cluster| {
            edits::add_planned(cluster, plan, like);
            Some(added(seeker.view.cluster, cluster))
        })
    }

    /// Whether a node takes the pod once it has only these taints.
    pub(super) fn started(
        &mut self,
        node: NodeIx,
        taints: &[Taint],
        company: Company,
    ) -> NodeTrialResult {
        let Some(seeker) = self.seeker else { return NodeTrialResult::No };
        let name = seeker.view.cluster.node_name(node).to_owned();
        self.on_copy(&name, company, |cluster| {
            set_taints(cluster, node, taints);
            Some(vec![node])
        })
    }

    /// Whether a node takes the pod as it is. Nothing is copied, so it is always tried.
    pub(super) fn as_it_is(&self, node: NodeIx) -> NodeTrialResult {
        let Some(NodeSeeker { view, pod, now }) = self.seeker else { return NodeTrialResult::No };
        judge(view, pod, now, node)
    }

    /// A node that takes the pod as it is.
    pub(super) fn existing(&self) -> Option<String> {
        let NodeSeeker { view, pod, now } = self.seeker?;
        let prepared = PreparedCycle::new(view, pod, now, &plugins::filters(&view.profile.plugins));
        let node = prepared.feasible().next()?;
        Some(view.cluster.node_name(node).to_owned())
    }

    /// A node that takes the pod once these pods are gone; `No` if none does.
    pub(super) fn without(&mut self, pods: &[PodIx]) -> NodeTrialResult {
        let (Some(seeker), Some(left)) = (self.seeker, self.left.checked_sub(1)) else {
            return NodeTrialResult::No;
        };
        self.left = left;
        let mut cluster = seeker.view.cluster.clone();
        for pod in pods {
            cluster.remove_pod(*pod);
        }
        let view = seeker.view.of_copy(&cluster, DeviceSelectors::of(&cluster));
        let filters = plugins::filters(&view.profile.plugins);
        let prepared = PreparedCycle::new(&view, seeker.pod, seeker.now, &filters);
        let first = prepared.feasible().next();
        first.map_or(NodeTrialResult::No, |node| {
            NodeTrialResult::Takes(view.cluster.node_name(node).to_owned())
        })
    }

    /// Tries the pod on the nodes that `change` gives, on a copy of the cluster.
    fn on_copy(
        &mut self,
        name: &str,
        company: Company,
        change: impl FnOnce(&mut Cluster) -> Option<Vec<NodeIx>>,
    ) -> NodeTrialResult {
        let work = 1 + company.rivals.len() / RIVALS_PER_TRIAL;
        let (Some(seeker), Some(left)) = (self.seeker, self.left.checked_sub(work)) else {
            return NodeTrialResult::No;
        };
        self.left = left;
        let NodeSeeker { view, pod, now } = seeker;
        let mut cluster = view.cluster.clone();
        let Some(nodes) = change(&mut cluster) else { return NodeTrialResult::No };
        let Some(first) = nodes.first() else { return NodeTrialResult::No };
        company.uncounted.iter().for_each(|other| cluster.remove_pod(*other));
        // Those of a node that goes are placed anew.
        for rival in company.rivals {
            if !cluster.pod(*rival).node_name.is_empty() {
                cluster.recreate(*rival, now);
            }
        }
        for other in company.meant.iter().filter(|other| **other != pod) {
            cluster.bind(*other, *first);
        }
        // The pod's own nomination would count against it nowhere else.
        cluster.nominate(pod, None);

        // Each rival takes the first of the nodes on which it fits beside those before it, which packs them, or
        // one node after the other, which spreads them. What kube-scheduler does is in between.
        let rivals: Vec<PodIx> = (company.rivals.iter().copied())
            .filter(|rival| *rival != pod && !company.meant.contains(rival))
            .collect();
        let ways: &[usize] = if rivals.is_empty() || nodes.len() < 2 { &[0] } else { &[0, 1] };
        let mut result = NodeTrialResult::No;
        for turn in ways {
            let mut view = view.of_copy(&cluster, DeviceSelectors::of(&cluster));
            let mut order = nodes.clone();
            for rival in &rivals {
                if let Some(node) = first_feasible(&order, *rival, now, &view) {
                    view.assume(*rival, node);
                }
                order.rotate_left(*turn);
            }
            result = judge_any(&view, pod, now, &nodes, name);
            if !matches!(result, NodeTrialResult::Takes(_)) {
                break;
            }
        }
        result
    }
}

/// The first of these nodes on which a pod fits.
fn first_feasible(
    nodes: &[NodeIx],
    pod: PodIx,
    now: Timestamp,
    view: &ClusterView,
) -> Option<NodeIx> {
    let filters = plugins::filters(&view.profile.plugins);
    let prepared = PreparedCycle::new(view, pod, now, &filters);
    let mut nodes = nodes.iter().copied();
    nodes.find(|node| matches!(prepared.verdict_about(*node), NodeVerdict::Feasible))
}

/// Whether one of these nodes, which come under `name`, takes a pod.
fn judge_any(
    view: &ClusterView,
    pod: PodIx,
    now: Timestamp,
    nodes: &[NodeIx],
    name: &str,
) -> NodeTrialResult {
    let mut rejected = NodeTrialResult::No;
    for node in nodes.iter().rev() {
        match judge(view, pod, now, *node) {
            NodeTrialResult::Takes(_) => return NodeTrialResult::Takes(name.to_owned()),
            NodeTrialResult::Rejects { reasons, .. } => {
                rejected = NodeTrialResult::Rejects { node: name.to_owned(), reasons };
            }
            NodeTrialResult::No => {}
        }
    }
    rejected
}

/// Whether a node takes a pod, by the filters of kube-scheduler.
fn judge(view: &ClusterView, pod: PodIx, now: Timestamp, node: NodeIx) -> NodeTrialResult {
    let name = view.cluster.node_name(node).to_owned();
    let prepared = PreparedCycle::new(view, pod, now, &plugins::filters(&view.profile.plugins));
    let mut reasons = Vec::new();
    for (_, verdict) in prepared.refusals(node) {
        if let FilterVerdict::Rejected(rejection) = verdict {
            reasons.extend(rejection.texts(view.cluster));
        }
    }
    if !reasons.is_empty() {
        return NodeTrialResult::Rejects { node: name, reasons };
    }
    if matches!(prepared.verdict_about(node), NodeVerdict::Feasible) {
        return NodeTrialResult::Takes(name);
    }
    // PreFilter rejects the pod for every node, or for this one.
    let decision = decide(view, pod, now);
    let message = decision.message().unwrap_or("the pod is not scheduled there either");
    NodeTrialResult::Rejects { node: name, reasons: vec![message.to_owned()] }
}

fn set_taints(cluster: &mut Cluster, node: NodeIx, taints: &[Taint]) {
    if let Some(node) = cluster.nodes.get_mut(node.0 as usize) {
        node.taints = taints.into();
    }
}

/// The nodes that `after` has and `before` has not.
fn added(before: &Cluster, after: &Cluster) -> Vec<NodeIx> {
    let nodes = after.node_indices();
    nodes.filter(|ix| before.find_node(after.node_name(*ix)).is_none()).collect()
}
