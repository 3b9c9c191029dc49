//! Why pods were evicted, as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::simulation::JsonPodId;
use engine::disruption::rerun::{Neighbour, Rerun};
use engine::disruption::{Cause, Preemptor, Source, State};
use engine::json::{JsonSource, SourceKind};
use engine::snapshot::{API_VERSION, Header};

use crate::disruption::{Answer, Gap};

/// Why pods were evicted or deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DisruptionList")]
pub struct JsonDisruptionList {
    api_version: &'static str,
    kind: &'static str,
    source: JsonSource,
    items: Vec<JsonDisruption>,
    /// Why Events may be missing; null if they were read.
    gap: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Disruption")]
struct JsonDisruption {
    pod: JsonPodId,
    /// `Preempted`, `Descheduler`, `Kubelet`, `KubeletAdmission`, `Taint`, `PodGc`, `EvictionApi`, `Owner` or `Unknown`.
    cause: &'static str,
    /// What the cause says besides: a message, a strategy, or a controller as `KIND NAME`.
    detail: Option<String>,
    /// The pod that preempted it, as far as something names it.
    preemptor: Option<JsonPreemptor>,
    /// RFC 3339.
    time: Option<String>,
    node: Option<String>,
    /// The priority of the pod; null if it is gone.
    priority: Option<i32>,
    /// `Terminating`, `Finished`, `There` or `Gone`.
    state: &'static str,
    /// The decision on the snapshot of `--before`; null without one, and if it cannot be run again.
    decision: Option<JsonRerun>,
    /// What is not known; the exit code is 3 if there is something.
    unknown: Vec<String>,
    sources: Vec<JsonTrace>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Preempting")]
struct JsonPreemptor {
    /// The pod, if it is known by name.
    pod: Option<JsonPodId>,
    /// Its priority, if it is still there.
    priority: Option<i32>,
    /// The UID of a pod or group that is no longer there.
    uid: Option<String>,
    /// If nothing names it: pods of higher priority that came to the node since then.
    since: Vec<JsonPodId>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PreemptionRerun")]
struct JsonRerun {
    /// As in a decision.
    outcome: &'static str,
    node: String,
    selected: Vec<String>,
    victims: Vec<JsonNeighbour>,
    /// The most important first.
    spared: Vec<JsonNeighbour>,
    /// Whether the pod is a victim on the snapshot.
    is_victim: bool,
    /// From this priority on it is no victim of this preemptor.
    sparing_priority: i32,
    /// Whether a PodDisruptionBudget that selects pods with its labels and allows no disruption spares it; null if it has no
    /// labels.
    budget_spares: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Neighbour")]
struct JsonNeighbour {
    /// `NAMESPACE/NAME`.
    name: String,
    priority: i32,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DisruptionSource")]
struct JsonTrace {
    /// `Event`, `Condition`, `Status` or `Deletion`.
    kind: &'static str,
    reason: String,
    message: String,
    /// Who wrote the Event.
    component: String,
}

impl JsonDisruptionList {
    /// The output type of answers about the cluster with this header.
    #[must_use]
    pub fn new(answers: &[Answer], gap: Option<&Gap>, header: &Header, source: SourceKind) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "DisruptionList",
            source: JsonSource::new(header, source),
            items: answers.iter().map(item).collect(),
            gap: gap.map(Gap::text),
        }
    }
}

fn item(answer: &Answer) -> JsonDisruption {
    let found = &answer.found;
    let (cause, detail) = cause(&found.cause);
    JsonDisruption {
        pod: JsonPodId::from(&found.pod),
        cause,
        detail,
        preemptor: if let Cause::Preempted(by) = &found.cause { Some(preemptor(by)) } else { None },
        time: found.time.map(|time| time.to_string()),
        node: found.node.clone(),
        priority: found.priority,
        state: match found.state {
            State::Terminating => "Terminating",
            State::Finished => "Finished",
            State::There => "There",
            State::Gone => "Gone",
        },
        decision: answer.rerun.as_ref().and_then(|rerun| rerun.as_ref().ok()).map(rerun),
        unknown: answer.unknown(),
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
        Cause::Unknown => ("Unknown", None),
    }
}

fn preemptor(by: &Preemptor) -> JsonPreemptor {
    let nothing = JsonPreemptor { pod: None, priority: None, uid: None, since: Vec::new() };
    match by {
        Preemptor::Pod { pod, priority } => {
            JsonPreemptor { pod: Some(JsonPodId::from(pod)), priority: *priority, ..nothing }
        }
        Preemptor::Uid { uid, .. } => JsonPreemptor { uid: Some(uid.clone()), ..nothing },
        Preemptor::NotNamed { since } => {
            JsonPreemptor { since: since.iter().map(JsonPodId::from).collect(), ..nothing }
        }
    }
}

fn rerun(rerun: &Rerun) -> JsonRerun {
    let neighbours = |pods: &[Neighbour]| {
        pods.iter().map(|pod| JsonNeighbour { name: pod.name.clone(), priority: pod.priority }).collect()
    };
    JsonRerun {
        outcome: rerun.outcome,
        node: rerun.node.clone(),
        selected: rerun.selected.clone(),
        victims: neighbours(&rerun.victims),
        spared: neighbours(&rerun.spared),
        is_victim: rerun.is_victim,
        sparing_priority: rerun.sparing_priority,
        budget_spares: rerun.budget_spares,
    }
}

fn trace(source: &Source) -> JsonTrace {
    let trace = |kind, reason: &str, message: &str, component: &str| JsonTrace {
        kind,
        reason: reason.to_owned(),
        message: message.to_owned(),
        component: component.to_owned(),
    };
    match source {
        Source::Event { reason, message, component } => trace("Event", reason, message, component),
        Source::Condition { reason, message } => trace("Condition", reason, message, ""),
        Source::Status { reason } => trace("Status", reason, "", ""),
        Source::Deletion => trace("Deletion", "", "", ""),
    }
}
