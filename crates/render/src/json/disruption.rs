//! Why pods were evicted, as JSON.

use engine::cluster::pod::ContainerExit;
use engine::disruption::rerun::{Neighbour, Rerun};
use engine::disruption::{Cause, Preemptor, Source, State};
use engine::json::{self as parts, SourceKind};
use engine::snapshot::Header;
use json::disruption::{
    ContainerExit as JsonExit, Disruption, DisruptionList, Neighbour as JsonNeighbour,
    Preemptor as JsonPreemptor, Rerun as JsonRerun, Trace,
};
use json::{ApiVersion, kind};

use super::simulation::pod_id;
use crate::disruption::{Answer, Gap};

/// The JSON of answers about the cluster with this header.
#[must_use]
pub fn disruption_list(
    answers: &[Answer],
    gap: Option<&Gap>,
    header: &Header,
    source: SourceKind,
) -> DisruptionList {
    DisruptionList {
        api_version: ApiVersion::default(),
        kind: kind::DisruptionList::default(),
        source: parts::source(header, source),
        items: answers.iter().map(item).collect(),
        gap: gap.map(Gap::text),
    }
}

fn item(answer: &Answer) -> Disruption {
    let found = &answer.found;
    let (cause, detail) = cause(&found.cause);
    Disruption {
        pod: pod_id(&found.pod),
        cause: cause.into(),
        detail,
        by: match &found.cause {
            Cause::Kueue { by, .. } => by.name.as_ref().map(|name| format!("Workload {name}")),
            Cause::Kai { group, .. } => group.as_ref().map(|name| format!("PodGroup {name}")),
            _ => None,
        },
        preemptor: if let Cause::Preempted(by) = &found.cause { Some(preemptor(by)) } else { None },
        time: found.time.map(|time| time.to_string()),
        node: found.node.clone(),
        priority: found.priority,
        state: match found.state {
            State::Terminating => "Terminating",
            State::Finished => "Finished",
            State::There => "There",
            State::Gone => "Gone",
        }
        .into(),
        decision: answer.rerun.as_ref().and_then(|rerun| rerun.as_ref().ok()).map(rerun),
        unknown: answer.unknown(),
        containers: found.exits.iter().map(exit).collect(),
        sources: found.sources.iter().map(trace).collect(),
    }
}

fn cause(cause: &Cause) -> (&'static str, Option<String>) {
    match cause {
        Cause::Preempted(_) => ("Preempted", None),
        Cause::Descheduler { strategy } => ("Descheduler", Some(strategy.clone())),
        Cause::Kubelet { message } => ("Kubelet", Some(message.clone())),
        Cause::KubeletAdmission { message } => ("KubeletAdmission", Some(message.clone())),
        Cause::Taint => ("Taint", None),
        Cause::PodGc => ("PodGc", None),
        Cause::EvictionApi => ("EvictionApi", None),
        Cause::Owner { kind, name } => ("Owner", Some(format!("{kind} {name}"))),
        Cause::Karpenter { why } => ("Karpenter", Some(why.clone())),
        Cause::ScaleDown => ("ClusterAutoscaler", None),
        Cause::Kueue { why, .. } => ("Kueue", Some(why.clone())),
        Cause::Kai { message, .. } => ("KAI", Some(message.clone())),
        Cause::Unknown => ("Unknown", None),
    }
}

fn preemptor(by: &Preemptor) -> JsonPreemptor {
    let nothing = JsonPreemptor { pod: None, priority: None, uid: None, since: Vec::new() };
    match by {
        Preemptor::Pod { pod, priority } => {
            JsonPreemptor { pod: Some(pod_id(pod)), priority: *priority, ..nothing }
        }
        Preemptor::Uid { uid, .. } => JsonPreemptor { uid: Some(uid.clone()), ..nothing },
        Preemptor::NotNamed { since } => {
            JsonPreemptor { since: since.iter().map(pod_id).collect(), ..nothing }
        }
    }
}

fn rerun(rerun: &Rerun) -> JsonRerun {
    let neighbours = |pods: &[Neighbour]| {
        pods.iter()
            .map(|pod| JsonNeighbour { name: pod.name.clone(), priority: pod.priority })
            .collect()
    };
    JsonRerun {
        outcome: rerun.outcome.into(),
        node: rerun.node.clone(),
        selected: rerun.selected.clone(),
        victims: neighbours(&rerun.victims),
        spared: neighbours(&rerun.spared),
        is_victim: rerun.is_victim,
        sparing_priority: rerun.sparing_priority,
        budget_spares: rerun.budget_spares,
    }
}

fn exit(exit: &ContainerExit) -> JsonExit {
    JsonExit {
        name: exit.container.to_string(),
        exit_code: exit.code,
        reason: exit.reason.to_string(),
    }
}

fn trace(source: &Source) -> Trace {
    let trace = |kind: &'static str, reason: &str, message: &str, component: &str| Trace {
        kind: kind.into(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        component: component.to_owned(),
    };
    match source {
        Source::Event { reason, message, component } => trace("Event", reason, message, component),
        Source::Condition { reason, message } => trace("Condition", reason, message, ""),
        Source::Status { reason, message } => trace("Status", reason, message, ""),
        Source::Deletion => trace("Deletion", "", "", ""),
    }
}
