//! Whether the pod is in the scheduling queue, according to event handlers and PreEnqueue plugins.
//!
//! Upstream: `pkg/scheduler/eventhandlers.go`,
//! `pkg/scheduler/framework/plugins/{schedulinggates,dynamicresources}` (1.37),
//! `pkg/scheduler/framework/plugins/gangscheduling` (1.35).

use super::gang::{self, GangHold};
use crate::framework::cluster_view::ClusterView;
use crate::framework::reason::{Message, Obstacle, When};
use crate::plugins::dynamic_resources;
use model::cluster::pod::Phase;
use model::cluster::storage::{BindingMode, VolumeClaim};
use model::cluster::{Cluster, PodIx};

/// The pod has scheduling gates.
pub static GATED: Message = Message {
    code: "PRE-501",
    text: "waiting for scheduling gates: [{}]",
    meaning: "The pod has scheduling gates; as long as it has any, the scheduler does not look at it.",
    preemption: "Never: the pod is not tried at all.",
    remedy: "find out what set the gates (spec.schedulingGates), such as a quota or admission controller, and what it waits for",
    obstacle: Obstacle::Pod,
    when: When::Rows(&[|f| f.queue.scheduling_gates]),
    source: "pkg/scheduler/framework/plugins/schedulinggates/scheduling_gates.go (1.37)",
};

/// The pod is being deleted.
pub static DELETED: Message = Message {
    code: "PRE-502",
    text: "skip schedule deleting pod: {}",
    meaning: "The pod is being deleted, so the scheduler ignores it.",
    preemption: "Never: the pod is not tried at all.",
    remedy: "wait until it is gone; look for finalizers if it stays",
    obstacle: Obstacle::Wait,
    when: When::Always,
    source: "pkg/scheduler/schedule_one.go (1.37)",
};

/// What keeps a pod out of the scheduling queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueGate {
    /// The pod has finished.
    Finished(Phase),
    /// The pod is assigned to a node.
    Assigned,
    /// `schedulerName` names another scheduler.
    OtherScheduler,
    /// The pod is being deleted.
    Deleting,
    /// The pod has scheduling gates.
    Gated,
    /// A resource claim of the pod does not exist or cannot be used, with PreEnqueue's message.
    Claims(Box<str>),
    /// Its group is not in the queue.
    Group,
    /// Its gang is not complete (1.35).
    Gang(GangHold),
}

/// What keeps the pod out of the queue; `None` if it is in the queue.
pub(crate) fn gate(view: &ClusterView, ix: PodIx) -> Option<QueueGate> {
    let cluster = view.cluster;
    let pod = cluster.pod(ix);
    let template = cluster.template(pod);
    if pod.phase != Phase::Active {
        return Some(QueueGate::Finished(pod.phase));
    }
    if !pod.node_name.is_empty() {
        return Some(QueueGate::Assigned);
    }
    if cluster.text(template.scheduler_name) != view.profile.scheduler_name {
        return Some(QueueGate::OtherScheduler);
    }
    hold(view, ix)
}

/// The unallocated claims of a pod that is already on a node: it was placed there by hand
/// (`spec.nodeName`), and the scheduler will never select a node for them.
pub fn unbound_claims(cluster: &Cluster, ix: PodIx) -> impl Iterator<Item = &VolumeClaim> {
    let pod = cluster.pod(ix);
    let is_placed = pod.phase == Phase::Active && !pod.node_name.is_empty();
    cluster.claims_of(pod).filter(move |_| is_placed).filter_map(|used| used.claim).filter(
        |claim: &&VolumeClaim| {
            let class = cluster.storage.class(claim.class);
            class.is_some_and(|class| class.mode == BindingMode::WaitForFirstConsumer)
                && claim.volume_name.is_empty()
                && claim.selected_node.is_none()
        },
    )
}

/// Why the scheduler holds a waiting pod back, whichever of its profiles the pod uses: their
/// PreEnqueue plugins are assumed to be the same.
pub fn hold(view: &ClusterView, ix: PodIx) -> Option<QueueGate> {
    if view.cluster.pod(ix).is_terminating() {
        return Some(QueueGate::Deleting);
    }
    pre_enqueue(view, ix)
}

/// What PreEnqueue plugins hold a pod back for, even one that is being deleted.
pub(crate) fn pre_enqueue(view: &ClusterView, ix: PodIx) -> Option<QueueGate> {
    let template = view.cluster.template(view.cluster.pod(ix));
    if !template.gates.is_empty() && view.profile.plugins.scheduling_gates() {
        return Some(QueueGate::Gated);
    }
    let claims = dynamic_resources::held_back(view, ix).map(|text| QueueGate::Claims(text.into()));
    claims.or_else(|| gang::held(view, ix).map(QueueGate::Gang))
}

impl QueueGate {
    /// As a clause about the pod `ix`, without a full stop.
    pub fn clause(&self, view: &ClusterView, ix: PodIx) -> String {
        let cluster = view.cluster;
        let pod = cluster.pod(ix);
        let template = cluster.template(pod);
        match self {
            Self::Finished(phase) => {
                let how = if *phase == Phase::Failed { "Failed" } else { "Succeeded" };
                format!("has finished ({how}); there is nothing to schedule")
            }
            Self::Assigned => {
                let assigned =
                    format!("is already assigned to node {}", cluster.text(pod.node_name));
                let claims: Vec<&str> =
                    unbound_claims(cluster, ix).map(|claim| cluster.text(claim.name)).collect();
                match claims.as_slice() {
                    [] => assigned,
                    [claim] => format!(
                        "{assigned}, past kube-scheduler, which alone gets a volume for its claim {claim}: the claim stays \
                         unbound (WaitForFirstConsumer)"
                    ),
                    claims => format!(
                        "{assigned}, past kube-scheduler, which alone gets volumes for its claims {}: they stay unbound \
                         (WaitForFirstConsumer)",
                        claims.join(", ")
                    ),
                }
            }
            Self::OtherScheduler => format!(
                "is left to scheduler \"{}\", whose rules are not known here; {} ignores it",
                cluster.text(template.scheduler_name),
                view.profile.scheduler_name
            ),
            Self::Deleting => "is being deleted; the scheduler ignores it".to_owned(),
            Self::Gated => {
                let gates: Vec<&str> = template.gates.iter().map(|g| cluster.text(*g)).collect();
                let (what, removed) =
                    if gates.len() == 1 { ("gate", "it is") } else { ("gates", "they are") };
                format!(
                    "waits for its scheduling {what} [{}]; kube-scheduler ignores it until {removed} removed",
                    gates.join(" ")
                )
            }
            Self::Claims(text) => format!("waits for its resource claims: {text}"),
            Self::Group => format!(
                "waits for its group {}, which is not in the queue",
                cluster.text(template.group)
            ),
            Self::Gang(hold) => hold.clause(cluster.text(template.group)),
        }
    }
}
