//! Whether the pod is in the scheduling queue, as event handlers and PreEnqueue plugins decide.
//!
//! Upstream: `pkg/scheduler/eventhandlers.go`, `pkg/scheduler/framework/plugins/{schedulinggates,dynamicresources}` (1.37).

use crate::cluster::pod::{Phase, PodIx};
use crate::framework::cluster_view::ClusterView;
use crate::plugins::dynamic_resources;

/// What keeps a pod out of the scheduling queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueGate {
    /// The pod has finished.
    Finished,
    /// The pod is assigned to a node.
    Assigned,
    /// `schedulerName` names another scheduler.
    OtherScheduler,
    /// The pod is being deleted.
    Deleting,
    /// The pod has scheduling gates.
    Gated,
    /// Resource claims of the pod do not exist yet.
    Claims,
}

/// What keeps the pod out of the queue, with a sentence about it; `None` if it is in the queue.
pub(super) fn gate(view: &ClusterView, ix: PodIx) -> Option<(QueueGate, String)> {
    let cluster = view.cluster;
    let (pod, name) = (cluster.pod(ix), cluster.pod_name(ix));
    let template = cluster.template(pod);
    let finished = |how: &str| format!("Pod {name} has finished ({how}); there is nothing to schedule.");
    match pod.phase {
        Phase::Succeeded => return Some((QueueGate::Finished, finished("Succeeded"))),
        Phase::Failed => return Some((QueueGate::Finished, finished("Failed"))),
        Phase::Active => {}
    }
    if !pod.node_name.is_empty() {
        let node = cluster.text(pod.node_name);
        return Some((QueueGate::Assigned, format!("Pod {name} is already assigned to node {node}.")));
    }
    let scheduler = cluster.text(template.scheduler_name);
    if scheduler != view.profile.scheduler_name {
        let known = &view.profile.scheduler_name;
        let text = format!(
            "Pod {name} is left to scheduler \"{scheduler}\", whose rules are not known here; {known} passes it over."
        );
        return Some((QueueGate::OtherScheduler, text));
    }
    if pod.is_terminating() {
        return Some((QueueGate::Deleting, format!("Pod {name} is being deleted; the scheduler passes it over.")));
    }
    if !template.gates.is_empty() && view.profile.plugins.pre_enqueue.contains(&"SchedulingGates") {
        let gates: Vec<&str> = template.gates.iter().map(|g| cluster.text(*g)).collect();
        let what = if gates.len() == 1 { "gate" } else { "gates" };
        let text = format!(
            "Pod {name} waits for its scheduling {what} [{}]; until they are removed it gets no scheduling cycle.",
            gates.join(" ")
        );
        return Some((QueueGate::Gated, text));
    }
    if let Some(text) = dynamic_resources::held_back(view, ix) {
        return Some((QueueGate::Claims, format!("Pod {name} waits for its resource claims: {text}.")));
    }
    None
}
