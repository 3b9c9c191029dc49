//! What a pod without a node waits for: when the scheduler tries it again, and what may keep it although it fits.
//!
//! Upstream: `EventsToRegister` of each plugin (1.37; 1.33 to 1.36 register the same), and
//! `pkg/scheduler/backend/queue/scheduling_queue.go` (1.37).

use std::collections::BTreeSet;
use std::time::Duration;

use super::{Decision, Outcome};
use crate::cluster::pod::PodIx;
use crate::framework::cycle::{NodeVerdict, PreFilter};

/// What is known of a pod whose condition still speaks of scheduling gates that it no longer has.
pub(super) const GATES_GONE: &str = "its scheduling gates are gone, and the scheduler has not refused it since";

/// What plugins wait for that limit the disks of a node.
const DISK_ROOM: &str = "a node is added, a pod leaves one; in 1.30 also a claim is added";

/// What each plugin waits for once it has refused a pod.
const RETRIED_ON: &[(&str, &str)] = &[
    ("NodeName", "a node is added"),
    ("NodeUnschedulable", "a node is added or its taints change, the pod's tolerations change"),
    ("TaintToleration", "a node is added or its taints change, the pod's tolerations change"),
    ("NodeAffinity", "a node is added or its labels change"),
    ("NodePorts", "a node is added, a pod leaves one"),
    ("NodeResourcesFit", "a node is added or its allocatable changes, a pod leaves one or shrinks"),
    ("VolumeRestrictions", "a node or claim is added, a pod leaves a node"),
    ("NodeVolumeLimits", "a CSINode changes, a claim is added, a pod or VolumeAttachment leaves a node"),
    ("VolumeBinding", "a claim, volume or another storage object changes, a node is added or its labels change"),
    ("VolumeZone", "a claim, volume or StorageClass changes, a node is added or its labels change"),
    (
        "PodTopologySpread",
        "a pod comes, leaves or changes its labels, a node comes, leaves or changes labels or taints",
    ),
    ("InterPodAffinity", "a pod comes, leaves or changes its labels, a node is added or its labels change"),
    ("DynamicResources", "a claim, DeviceClass or ResourceSlice changes, a node is added or changes"),
    ("NodeDeclaredFeatures", "a node is added or declares other features, the pod changes"),
    ("EBSLimits", DISK_ROOM),
    ("GCEPDLimits", DISK_ROOM),
    ("AzureDiskLimits", DISK_ROOM),
];

/// Before plugins said what they wait for, everything did.
const ANY_EVENT: (&str, &str) = (
    "any plugin",
    "a node is added or changes, a pod comes to a node or leaves it, a volume, claim or service changes",
);

/// When a pod is tried again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Seconds that a pod waits at least after its first refusal; the default `podInitialBackoffSeconds`.
    pub first_backoff: u32,
    /// Seconds up to which that doubles; the default `podMaxBackoffSeconds`.
    pub longest_backoff: u32,
    /// Seconds after which it is tried again without any event; `None` where only events bring it back.
    pub flush: Option<u32>,
    /// What may keep it although it fits: one sentence each.
    pub kept_by: Vec<String>,
    /// Plugins that refused it, in the scheduler's order, and upon which event each lets it be tried again.
    pub retried_on: Vec<(&'static str, &'static str)>,
}

/// Upon which events a pod is tried again that `plugin` has refused.
#[must_use]
pub fn retried_on(plugin: &str) -> Option<&'static str> {
    RETRIED_ON.iter().find(|(name, _)| *name == plugin).map(|(_, when)| *when)
}

/// What the pod of `decision` waits for; `None` if it is not in the queue, for the reason given there.
pub(super) fn of(decision: &Decision) -> Option<Waiting> {
    let features = &decision.profile().features;
    let (kept_by, retried_on) = match decision.outcome {
        Outcome::NotInQueue => return None,
        Outcome::Schedulable => (kept_by(decision), Vec::new()),
        Outcome::Preempt | Outcome::Unschedulable => (Vec::new(), retried_upon(decision)),
    };
    Some(Waiting {
        first_backoff: 1,
        longest_backoff: seconds(features.queue.longest_backoff),
        flush: features.queue.queue_flush.map(seconds),
        kept_by,
        retried_on,
    })
}

fn seconds(time: Duration) -> u32 {
    u32::try_from(time.as_secs()).unwrap_or(u32::MAX)
}

/// Upon which events a refused pod is tried again.
fn retried_upon(decision: &Decision) -> Vec<(&'static str, &'static str)> {
    if !decision.profile().features.queue.plugins_await_events {
        return vec![ANY_EVENT];
    }
    let refused = refusing(decision);
    RETRIED_ON.iter().copied().filter(|(plugin, _)| refused.contains(plugin)).collect()
}

/// Plugins that refused the pod on some node, or everywhere.
fn refusing<'d>(decision: &'d Decision) -> BTreeSet<&'d str> {
    let mut plugins: BTreeSet<&str> = match &decision.pre_filter {
        PreFilter::AllNodes | PreFilter::Failed(_) => BTreeSet::new(),
        PreFilter::SomeNodes { by, .. } => by.iter().copied().collect(),
        PreFilter::Rejected { plugin, .. } => BTreeSet::from([*plugin]),
    };
    plugins.extend(decision.nodes.iter().filter_map(|verdict| match verdict {
        NodeVerdict::Filtered { plugin, .. } => Some(*plugin),
        _ => None,
    }));
    plugins
}

/// What may keep a pod that fits.
fn kept_by(decision: &Decision) -> Vec<String> {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    let mut reasons = Vec::new();
    let leaving: Vec<String> = leaving(decision).iter().map(|pod| cluster.pod_name(*pod)).collect();
    if !leaving.is_empty() {
        let node = cluster.text(pod.nominated_node);
        reasons.push(format!("it is nominated to {node}, where {} is still on its way out", leaving.join(", ")));
    }
    reasons.push(match pod.scheduled_condition.as_deref() {
        None => "no condition says that it was refused: it is new, in the queue, or about to be bound".to_owned(),
        Some(said) if &*said.reason == "SchedulingGated" => GATES_GONE.to_owned(),
        Some(said) if &*said.reason == "SchedulerError" => "its last attempt ended in an error".to_owned(),
        Some(_) => {
            "it was refused before; what has made it fit since has it tried again, if the scheduler takes it for \
                    something that may help"
                .to_owned()
        }
    });
    reasons
}

/// Pods of lower priority on the nominated node that are being deleted.
#[must_use]
pub fn leaving(decision: &Decision) -> Vec<PodIx> {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    let pods = decision.nominated().map_or(&[][..], |node| cluster.pods_on(node));
    let lower = |ix: &&PodIx| {
        let other = cluster.pod(**ix);
        other.is_terminating() && other.priority < pod.priority
    };
    pods.iter().filter(lower).copied().collect()
}

#[cfg(test)]
mod tests;
