//! Evictions by programs other than kube-scheduler, the descheduler and the kubelet, as far as they
//! report them: Karpenter, cluster-autoscaler, Kueue and KAI.
//!
//! Upstream: `pkg/controllers/node/termination/terminator/events` of Karpenter (1.15),
//! `core/scaledown/actuation/drain.go` of cluster-autoscaler, `pkg/scheduler/preemption` of Kueue,
//! `pkg/scheduler/cache/status_updater` of KAI (August 2026).

use super::{EvictionCause, Evidence, QuotaTaker};
use model::cluster::Cluster;
use model::cluster::event::{AUTOSCALERS, Event, KUEUE_PREEMPTED};
use model::cluster::pod::annotations;

/// The prefix of Karpenter's Event about an eviction; the reason follows.
const EVICTED: &str = "Evicted pod: ";

/// The program that reports having evicted the pod.
pub(super) fn cause(evidence: &Evidence) -> Option<EvictionCause> {
    by_autoscaler(evidence).or_else(|| by_kueue(evidence)).or_else(|| by_kai(evidence))
}

fn by_autoscaler(evidence: &Evidence) -> Option<EvictionCause> {
    let cluster = evidence.cluster;
    for event in evidence.events {
        if !AUTOSCALERS.contains(&cluster.text(event.component)) {
            continue;
        }
        match cluster.text(event.reason) {
            "Evicted" | "Disrupted" => {
                let why = event.message.strip_prefix(EVICTED).unwrap_or(&event.message);
                return Some(EvictionCause::Karpenter { why: why.to_owned() });
            }
            "ScaleDown" => return Some(EvictionCause::ScaleDown),
            _ => {}
        }
    }
    None
}

/// Kueue writes about the pod itself, or about its Workload or Job.
fn by_kueue(evidence: &Evidence) -> Option<EvictionCause> {
    let cluster = evidence.cluster;
    let own = evidence.events.iter().find(|event| event.message.starts_with(KUEUE_PREEMPTED));
    let event = own.copied().or_else(|| kueue_event_of_owners(evidence))?;
    let (uid, why) = read_kueue(&event.message)?;
    let name = cluster.handling.works.iter().find(|work| *work.uid == *uid);
    let name = name.map(|work| cluster.full_name(work.namespace, work.name));
    Some(EvictionCause::Kueue { by: QuotaTaker { uid: uid.to_owned(), name }, why: why.to_owned() })
}

/// The newest Event of Kueue about the Workload or Job of a pod.
fn kueue_event_of_owners<'c>(evidence: &Evidence<'_, 'c>) -> Option<&'c Event> {
    let cluster = evidence.cluster;
    let workload =
        evidence.pod.and_then(|pod| cluster.annotation(pod, annotations::KUEUE_WORKLOAD));
    let controller = evidence.pod.and_then(|pod| pod.controller);
    let controller = controller.map(|owner| cluster.text(owner.name));
    // For a pod that is gone, the Job that deleted it.
    let deleted_by = evidence.event("SuccessfulDelete").map(|event| &*event.object.name);
    let names = [workload, controller, deleted_by];
    let of_pod = evidence.pod.map(|pod| pod.namespace);
    let of_events = evidence.events.first().map(|event| event.object.namespace);
    let namespace = of_pod.or(of_events)?;
    cluster.handling.events.iter().rev().find(|event| {
        event.message.starts_with(KUEUE_PREEMPTED)
            && event.object.namespace == namespace
            && names.contains(&Some(&*event.object.name))
    })
}

/// The UID of the Workload that preempts, and why.
fn read_kueue(message: &str) -> Option<(&str, &str)> {
    let rest = message.strip_prefix(KUEUE_PREEMPTED)?;
    let (uid, after) = rest.split_once([',', ')'])?;
    let why = after.split_once(" due to ").map_or("", |(_, why)| why);
    Some((uid, why.split(';').next().unwrap_or_default()))
}

/// KAI writes about the PodGroup of the pod.
fn by_kai(evidence: &Evidence) -> Option<EvictionCause> {
    let cluster = evidence.cluster;
    let pod = evidence.pod?;
    let group = cluster.annotation(pod, annotations::KAI_GROUP)?;
    let event = cluster.handling.events.iter().rev().find(|event| {
        cluster.text(event.reason) == "Evict"
            && cluster.text(event.object.kind) == "PodGroup"
            && *event.object.name == *group
            && event.object.namespace == pod.namespace
    })?;
    let group = event.evictor.map(|(namespace, name)| name_of(namespace, name, cluster));
    Some(EvictionCause::Kai { group, message: event.message.to_string() })
}

fn name_of(
    namespace: model::cluster::symbols::Sym,
    name: model::cluster::symbols::Sym,
    cluster: &Cluster,
) -> String {
    cluster.full_name(namespace, name)
}

#[cfg(test)]
mod tests {
    use super::read_kueue;

    #[test]
    fn message_of_kueue_is_taken_apart_in_every_version() {
        for (message, parts) in [
            (
                "Preempted to accommodate a workload (UID: u-1, JobUID: j) due to prioritization in the ClusterQueue; preemptor path: /a",
                Some(("u-1", "prioritization in the ClusterQueue")),
            ),
            (
                "Preempted to accommodate a workload (UID: u-1) due to Fair Sharing within the cohort",
                Some(("u-1", "Fair Sharing within the cohort")),
            ),
            (
                "Preempted to accommodate a workload (UID: u-1) in the ClusterQueue",
                Some(("u-1", "")),
            ),
            ("Preempted to accommodate a workload (UID: u-1", None),
            ("Preempted by pod 6f3c on node n1", None),
        ] {
            assert_eq!(read_kueue(message), parts, "{message}");
        }
    }
}
