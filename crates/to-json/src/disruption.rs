//! Why pods were evicted, as JSON.

use crate::{ToJson, decision as parts};
use answers::questions::evictions::{EventGap, EvictionAnswer, EvictionsReport};
use engine::cluster::pod::ContainerExit;
use engine::disruption::rerun::{Neighbour, Rerun};
use engine::disruption::{EvictionCause, EvidenceSource, PodState, RecordedPreemptor};
use json::disruption::{
    ContainerExit as JsonExit, Disruption, DisruptionList, Neighbour as JsonNeighbour,
    Preemptor as JsonPreemptor, Rerun as JsonRerun, Trace,
};
use json::{ApiVersion, kind};

use super::simulation::pod_id;

/// The JSON of answers about evictions.
impl ToJson for EvictionsReport {
    type Json = DisruptionList;

    fn json(&self) -> DisruptionList {
        DisruptionList {
            api_version: ApiVersion::default(),
            kind: kind::DisruptionList::default(),
            source: parts::source(&self.basis.header, self.basis.source),
            items: self.items.iter().map(item).collect(),
            gap: self.gap.as_ref().map(EventGap::text),
        }
    }
}

fn item(answer: &EvictionAnswer) -> Disruption {
    let found = &answer.found;
    let (cause, detail) = cause(&found.cause);
    // Kueue and KAI evict for a group of pods, kube-scheduler for one.
    let by = match &found.cause {
        EvictionCause::Kueue { by, .. } => by.name.as_ref().map(|name| format!("Workload {name}")),
        EvictionCause::Kai { group, .. } => group.as_ref().map(|name| format!("PodGroup {name}")),
        _ => None,
    };
    let preemptor = match &found.cause {
        EvictionCause::Preempted(by) => Some(preemptor(by)),
        _ => None,
    };
    let state = match found.state {
        PodState::Terminating => "Terminating",
        PodState::Finished => "Finished",
        PodState::There => "There",
        PodState::Gone => "Gone",
    };
    Disruption {
        pod: pod_id(&found.pod),
        cause: cause.into(),
        text: answer.headline(),
        advice: answer.advice().map(Into::into),
        detail,
        by,
        preemptor,
        time: found.time.map(|time| time.to_string()),
        node: found.node.clone(),
        priority: found.priority,
        state: state.into(),
        decision: answer.rerun.as_ref().and_then(|rerun| rerun.as_ref().ok()).map(rerun),
        unknown: answer.unknown(),
        stays: answer.stays.clone(),
        containers: found.exits.iter().map(exit).collect(),
        sources: found.sources.iter().map(trace).collect(),
    }
}

fn cause(cause: &EvictionCause) -> (&'static str, Option<String>) {
    match cause {
        EvictionCause::Preempted(_) => ("Preempted", None),
        EvictionCause::Descheduler { strategy } => ("Descheduler", Some(strategy.clone())),
        EvictionCause::Kubelet { message } => ("Kubelet", Some(message.clone())),
        EvictionCause::VerticalAutoscaler => ("VerticalPodAutoscaler", None),
        EvictionCause::NodeShutdown { message } => ("NodeShutdown", Some(message.clone())),
        EvictionCause::KubeletAdmission { message } => ("KubeletAdmission", Some(message.clone())),
        EvictionCause::Taint { taints } => {
            ("Taint", (!taints.is_empty()).then(|| taints.join(", ")))
        }
        EvictionCause::PodGc => ("PodGc", None),
        EvictionCause::EvictionApi => ("EvictionApi", None),
        EvictionCause::Owner { kind, name } => ("Owner", Some(format!("{kind} {name}"))),
        EvictionCause::Karpenter { why } => ("Karpenter", Some(why.clone())),
        EvictionCause::ScaleDown => ("ClusterAutoscaler", None),
        EvictionCause::Kueue { why, .. } => ("Kueue", Some(why.clone())),
        EvictionCause::Kai { message, .. } => ("KAI", Some(message.clone())),
        EvictionCause::Refused { message, .. } => ("Refused", Some(message.clone())),
        EvictionCause::Unknown => ("Unknown", None),
    }
}

fn preemptor(by: &RecordedPreemptor) -> JsonPreemptor {
    let nothing = JsonPreemptor::default();
    match by {
        RecordedPreemptor::Pod { pod, priority } => {
            JsonPreemptor { pod: Some(pod_id(pod)), priority: *priority, ..nothing }
        }
        RecordedPreemptor::Uid { uid, .. } => JsonPreemptor { uid: Some(uid.clone()), ..nothing },
        RecordedPreemptor::NotNamed { since } => {
            JsonPreemptor { since: since.iter().map(pod_id).collect(), ..nothing }
        }
    }
}

fn rerun(rerun: &Rerun) -> JsonRerun {
    JsonRerun {
        outcome: rerun.outcome.into(),
        node: rerun.node.clone(),
        selected: rerun.selected.clone(),
        victims: rerun.victims.iter().map(neighbour).collect(),
        spared: rerun.spared.iter().map(neighbour).collect(),
        is_victim: rerun.is_victim,
        sparing_priority: rerun.sparing_priority,
        budget_spares: rerun.budget_spares,
    }
}

fn neighbour(pod: &Neighbour) -> JsonNeighbour {
    JsonNeighbour { name: pod.name.clone(), priority: pod.priority }
}

fn exit(exit: &ContainerExit) -> JsonExit {
    JsonExit {
        name: exit.container.to_string(),
        exit_code: exit.code,
        reason: exit.reason.to_string(),
    }
}

fn trace(source: &EvidenceSource) -> Trace {
    let (kind, reason, message, component) = match source {
        EvidenceSource::Event { reason, message, component } => {
            ("Event", reason.as_str(), message.as_str(), component.as_str())
        }
        EvidenceSource::Condition { reason, message } => {
            ("Condition", reason.as_str(), message.as_str(), "")
        }
        EvidenceSource::Status { reason, message } => {
            ("Status", reason.as_str(), message.as_str(), "")
        }
        EvidenceSource::Deletion => ("Deletion", "", "", ""),
    };
    let [reason, message, component] = [reason, message, component].map(str::to_owned);
    Trace { kind: kind.into(), reason, message, component }
}
