//! Pods that wait, as JSON.

use std::collections::BTreeMap;

use super::simulation::JsonLikelihood;
use schemars::JsonSchema;
use serde::Serialize;

use engine::json::{JsonNote, JsonScheduler, JsonSource, SourceKind};

use crate::pending::{BlockingCause, DecisionSequence, Pending, PendingGroup, PendingRow, PendingVerdict, PodOwner};
use engine::profile::Profile;
use engine::snapshot::{API_VERSION, Header};

/// Every pod that waits for a node, an item each, or one for the pods of a group that is scheduled as a whole: the highest priority first, then the oldest.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PendingList")]
pub struct JsonPendingList {
    api_version: &'static str,
    kind: &'static str,
    scheduler: JsonScheduler,
    source: JsonSource,
    /// Whether the pods were placed one after the other (`--in-order`), each seeing where the earlier ones went; else each
    /// was decided alone, on the unchanged cluster.
    in_order: bool,
    /// How many pods have come to each verdict.
    summary: BTreeMap<&'static str, usize>,
    items: Vec<JsonPending>,
    notes: Vec<JsonNote>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PendingPod")]
struct JsonPending {
    namespace: String,
    name: String,
    uid: String,
    /// Its controller; null if it has none. Pods of one owner with the same answer are one row of the text.
    owner: Option<JsonOwner>,
    /// Set for a PodGroup whose pods are scheduled as a whole: the item stands for the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pod_group: Option<JsonPendingGroup>,
    priority: i32,
    created: Option<String>,
    /// `Fits`, `Preempts`, `Waits`, `Blocked`, `Error`, `Gated` or `NotInQueue`.
    verdict: &'static str,
    /// What blocks it on most nodes; null if it fits or is not in the queue.
    cause: Option<JsonCause>,
    /// Where it would go, or be nominated to, the most likely node first; one of them if there are several. Of a pod that waits for
    /// its victims: the node that it gets once they are gone.
    nodes: Vec<String>,
    /// As `selected.certainty` of a Decision.
    certainty: &'static str,
    /// How likely it is the first of `nodes`, where kube-scheduler does not look at every node; else null.
    likelihood: Option<JsonLikelihood>,
    /// The pods that it would preempt on the first of them: `namespace/name`.
    victims: Vec<String>,
    #[serde(rename = "numPDBViolations")]
    num_pdb_violations: usize,
    /// What has to happen next, in words.
    waits_for: String,
    /// Whether part of what decides is not modelled or could not be read; the notes tell.
    unsure: bool,
}

/// The pods of a group.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PendingGroup")]
struct JsonPendingGroup {
    /// The names of those that wait for a node, in the order in which they are tried.
    waiting: Vec<String>,
    /// How many are on nodes.
    running: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PendingOwner")]
struct JsonOwner {
    kind: String,
    name: String,
    uid: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PendingCause")]
struct JsonCause {
    /// Empty if the cycle ended before any plugin could refuse.
    plugin: String,
    reasons: Vec<String>,
    /// What that means here, in words.
    details: Vec<String>,
    nodes: usize,
}

impl JsonPendingList {
    /// The output type of pods that wait.
    #[must_use]
    pub fn new(pending: &Pending, header: &Header, profile: &Profile, source: SourceKind) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "PendingList",
            scheduler: JsonScheduler::new(profile),
            source: JsonSource::new(header, source),
            in_order: pending.sequence == DecisionSequence::InOrder,
            summary: PendingVerdict::ALL.into_iter().map(|verdict| (verdict.name(), pending.count(verdict))).collect(),
            items: pending.rows.iter().map(item).collect(),
            notes: pending.notes.iter().map(JsonNote::new).collect(),
        }
    }
}

fn item(row: &PendingRow) -> JsonPending {
    let cause = |c: &BlockingCause| JsonCause {
        plugin: c.plugin.clone(),
        reasons: c.reasons.clone(),
        details: c.details.clone(),
        nodes: c.nodes,
    };
    let group = |g: &PendingGroup| JsonPendingGroup { waiting: g.waiting.clone(), running: g.running };
    let owner = |o: &PodOwner| JsonOwner { kind: o.kind.clone(), name: o.name.clone(), uid: o.uid.clone() };
    JsonPending {
        namespace: row.namespace.clone(),
        name: row.name.clone(),
        uid: row.uid.clone(),
        owner: row.owner.as_ref().map(owner),
        pod_group: row.group.as_ref().map(group),
        priority: row.priority,
        created: row.created.map(|t| t.to_string()),
        verdict: row.verdict.name(),
        cause: row.cause.as_ref().map(cause),
        nodes: row.nodes.clone(),
        certainty: row.certainty.name(),
        likelihood: row.likelihood.map(JsonLikelihood::from),
        victims: row.victims.clone(),
        num_pdb_violations: row.violations,
        waits_for: row.waits_for.clone(),
        unsure: row.is_unsure(),
    }
}
