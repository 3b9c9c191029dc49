//! Derives a plan from a decision about a pod.

use super::plan::{Placement, Plan, PlanPreemptor, PodId, PreemptorId};
use super::victims;
use model::cluster::{Cluster, NodeIx, PodIx};
use scheduler::decision::competitors::Competitors;
use scheduler::decision::{Decision, Outcome};
use scheduler::framework::cycle::NodeVerdict;
use scheduler::preemption::dry_run::Candidate;

/// The proposal that follows from a decision about a pod, about the pod on one node, or about a
/// group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposal {
    /// The pod fits; the nodes that the scheduler may pick.
    Fits(Vec<String>),
    /// The group fits: the pods that get a node, in the scheduler's order. Others of the group may
    /// not.
    GroupFits(Vec<Placement>),
    /// Pods have to be evicted.
    Evict(Plan),
    /// Nothing needs evicting: the pod, or the pods of the group, get their nodes once terminating
    /// pods are gone.
    Awaits(Plan),
    /// No eviction helps, or none is allowed; the reason.
    Impossible(String),
    /// The answer is unknown; the reason.
    Unknown(String),
}

impl Proposal {
    /// The proposal to carry out a plan, some of whose victims may be terminating already.
    pub(super) fn of(plan: Plan) -> Self {
        let leaving = plan.victims.iter().all(|victim| victim.terminating_until.is_some());
        if leaving && !plan.victims.is_empty() { Self::Awaits(plan) } else { Self::Evict(plan) }
    }

    /// The pods whose nodes are fixed, by a group's placement or by evictions.
    pub fn placed(&self) -> &[Placement] {
        match self {
            Self::GroupFits(placed) => placed,
            Self::Evict(plan) | Self::Awaits(plan) => &plan.placed,
            Self::Fits(_) | Self::Impossible(_) | Self::Unknown(_) => &[],
        }
    }

    /// The plan, if other pods have to leave.
    pub fn plan(&self) -> Option<&Plan> {
        match self {
            Self::Evict(plan) | Self::Awaits(plan) => Some(plan),
            Self::Fits(_) | Self::GroupFits(_) | Self::Impossible(_) | Self::Unknown(_) => None,
        }
    }
}

/// The proposal if the scheduler decides.
pub(super) fn as_scheduled(decision: &Decision) -> Proposal {
    let cluster = decision.view.cluster;
    let name = |node: &NodeIx| cluster.node_name(*node).to_owned();
    match &decision.outcome {
        Outcome::Schedulable { selection, .. } => {
            Proposal::Fits(selection.nodes.iter().map(name).collect())
        }
        Outcome::Preempt { selection, .. } => {
            let [node, tied @ ..] = selection.nodes.as_slice() else { return nowhere(decision) };
            let candidate = decision.candidate(*node);
            let tied = tied.iter().map(name).collect();
            candidate.map_or_else(|| nowhere(decision), |c| evict(decision, c, tied))
        }
        Outcome::Unschedulable { .. } => awaited(decision).unwrap_or_else(|| nowhere(decision)),
        Outcome::Error(_) | Outcome::NotInQueue(_) => nowhere(decision),
    }
}

/// What a nominated pod waits for: the terminating pods on that node, if it fits there without
/// them.
fn awaited(decision: &Decision) -> Option<Proposal> {
    decision.awaited().map(|candidate| evict(decision, candidate, Vec::new()))
}

/// What is needed for the pod to get this node.
pub(super) fn on(decision: &Decision, node: NodeIx) -> Proposal {
    let cluster = decision.view.cluster;
    let name = cluster.node_name(node).to_owned();
    let refusal = match decision.nodes().get(node.0 as usize) {
        Some(NodeVerdict::Feasible) => return Proposal::Fits(vec![name]),
        Some(NodeVerdict::Filtered { rejection, .. }) => {
            format!(" ({})", rejection.texts(cluster).join(", "))
        }
        Some(NodeVerdict::ExcludedByPreFilter | NodeVerdict::Failed(_) | NodeVerdict::NotTried)
        | None => String::new(),
    };
    if let Some(candidate) = decision.candidate(node) {
        return evict(decision, candidate, Vec::new());
    }
    if let Some(proposal) = awaited(decision).filter(|_| decision.nominated() == Some(node)) {
        return proposal;
    }
    match (decision.why(), &decision.outcome) {
        (Some(why), _) => Proposal::Impossible(why),
        (None, Outcome::Schedulable { .. }) => Proposal::Impossible(format!(
            "node {name} rejects the pod{refusal}, and the scheduler does not preempt because it fits on other nodes"
        )),
        (None, _) => Proposal::Impossible(format!(
            "node {name} rejects the pod{refusal}, and no eviction that the scheduler considers changes that"
        )),
    }
}

/// Why the pod gets no node.
fn nowhere(decision: &Decision) -> Proposal {
    let group = decision.membership.as_ref().map(|membership| &membership.group);
    Proposal::Impossible(
        if let Some((group, gate)) =
            group.and_then(|group| Some((group, group.gate(decision.view)?)))
        {
            format!("PodGroup {} {gate}", decision.view.cluster.text(group.name))
        } else if let Some(why) = decision.why() {
            why
        } else if let Some(error) = decision.error() {
            format!("the scheduling cycle ends with an error: {}", error.text)
        } else if let Some(message) = decision.scheduler_message() {
            message.to_owned()
        } else {
            "the scheduler makes no decision about it".to_owned()
        },
    )
}

/// The proposal to evict a candidate's victims.
pub(super) fn evict(decision: &Decision, candidate: &Candidate, tied: Vec<String>) -> Proposal {
    let (view, cluster) = (decision.view, decision.view.cluster);
    let pod = cluster.pod(decision.pod);
    let victims: Vec<PodIx> = candidate.victims.iter().map(|v| v.pod).collect();
    let id = PodId::of(pod, cluster);
    Proposal::of(Plan {
        placed: vec![placement(decision.pod, candidate.node, cluster)],
        preemptor: PlanPreemptor {
            id: PreemptorId::Pod(id),
            priority: pod.priority,
            scheduler: cluster.text(cluster.template(pod).scheduler_name).to_owned(),
        },
        tied,
        victims: victims::planned(view, pod.priority, &victims, decision.now),
        competitors: Competitors::default(),
    })
}

/// A pod with the node that it gets.
pub(super) fn placement(pod: PodIx, node: NodeIx, cluster: &Cluster) -> Placement {
    Placement {
        pod: PodId::of(cluster.pod(pod), cluster),
        node: cluster.node_name(node).to_owned(),
    }
}
