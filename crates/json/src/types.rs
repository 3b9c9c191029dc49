//! The shapes of the JSON answer, field by field, and their schema.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::evidence::JsonEvidence;
use super::hold::JsonHold;
use super::membership::{JsonMembership, JsonPermit};
use super::preemption::JsonPreemption;
use super::remedies::JsonRemedy;
use super::sampling::JsonAsScheduled;
use super::selected::JsonSelected;
use model::notes::Note;
use model::snapshot::API_VERSION;

/// One decision.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Decision")]
pub struct JsonDecision {
    pub(super) api_version: &'static str,
    pub(super) kind: &'static str,
    pub(super) pod: JsonPod,
    pub(super) scheduler: JsonScheduler,
    pub(super) source: JsonSource,
    /// The time of the decision, from which ages are counted; pods that have not started count as started then.
    pub(super) decided_at: String,
    pub(super) outcome: &'static str,
    /// The group of the pod, if kube-scheduler schedules it as a whole: `outcome` is then what that means for the pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) group: Option<JsonMembership>,
    /// What the pod waits for once it gets a node, if it is one of a gang in 1.35.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permit: Option<JsonPermit>,
    pub(super) why: Option<String>,
    /// What keeps the pod out of the queue; absent unless the outcome is `NotInQueue`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hold: Option<JsonHold>,
    /// Null unless the outcome is `Error`.
    pub(super) error: Option<JsonError>,
    pub(super) message: Option<String>,
    /// What is written into the pod's condition. Where the node, or the number of victims, is open: the most likely message.
    pub(super) condition_message: Option<String>,
    /// The other messages that may be written instead, as far as they were found, those about the most likely node first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) other_condition_messages: Vec<String>,
    /// How many more there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) other_condition_messages_left_out: Option<usize>,
    /// What the pod carries now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) condition: Option<JsonCondition>,
    pub(super) pre_filter: Option<JsonPreFilter>,
    pub(super) nodes: Vec<JsonNode>,
    pub(super) preemption: Option<JsonPreemption>,
    pub(super) selected: JsonSelected,
    /// Null for a pod that is not in the queue.
    pub(super) waiting: Option<JsonWaiting>,
    /// With `--as-scheduled`, for a pod that a node takes or that preempts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) as_scheduled: Option<JsonAsScheduled>,
    /// What helps a pod that fits nowhere: each was applied and decided again. The least disruptive first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remedies: Option<Vec<JsonRemedy>>,
    /// How many remedies were tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remedies_tried: Option<usize>,
    /// How many could be tried; in a large cluster more than were tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remedies_proposed: Option<usize>,
    pub(super) notes: Vec<JsonNote>,
}

/// Several decisions.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DecisionList")]
pub struct JsonDecisionList {
    pub(super) api_version: &'static str,
    pub(super) kind: &'static str,
    pub(super) items: Vec<JsonDecision>,
}

impl JsonDecisionList {
    /// A list of decisions.
    #[must_use]
    pub fn new(items: Vec<JsonDecision>) -> Self {
        Self { api_version: API_VERSION, kind: "DecisionList", items }
    }
}

/// The pod of this decision.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Pod")]
pub struct JsonPod {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) priority: i32,
    pub(super) preemption_policy: &'static str,
    pub(super) scheduler_name: String,
    pub(super) nominated_node_name: Option<String>,
}

/// Why the scheduling cycle ends without a result.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub(super) struct JsonError {
    /// `CycleError`: a step returns an error. `Timeout`: a step takes too long. `Crash`: kube-scheduler panics.
    pub(super) kind: &'static str,
    /// kube-scheduler's text; for a crash what happens.
    pub(super) text: String,
}

/// The `PodScheduled` condition of the pod, compared with `conditionMessage`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Condition")]
pub(super) struct JsonCondition {
    pub(super) message: Option<String>,
    /// `equal`; `stale` (changes in the cluster since then explain the difference); `different`; `none` (there is no message
    /// to compare).
    pub(super) relation: &'static str,
    /// The difference, or why there is nothing to compare.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) why: String,
    /// The visible changes since then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) changes: Vec<String>,
    /// A minor version of kube-scheduler that writes exactly this message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) written_by: Option<String>,
}

/// Which scheduler decides.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Scheduler")]
pub struct JsonScheduler {
    pub(super) version: String,
    pub(super) version_source: &'static str,
    pub(super) profile: String,
    pub(super) config: &'static str,
    /// The file, or the ConfigMap and its key; absent for the default profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) config_source: Option<String>,
    /// Gates that are set to something else than the version's default.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) feature_gates: BTreeMap<String, bool>,
    /// The filter plugins, in the order in which they are asked.
    pub(super) filters: Vec<&'static str>,
}

/// Where the objects come from.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Source")]
pub struct JsonSource {
    pub(super) kind: &'static str,
    pub(super) captured_at: Option<String>,
    pub(super) resource_versions: BTreeMap<String, String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PreFilter")]
pub(super) struct JsonPreFilter {
    pub(super) plugin: &'static str,
    pub(super) code: &'static str,
    pub(super) reasons: Vec<String>,
    /// As those of a node.
    pub(super) reason_codes: Vec<Option<&'static str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) evidence: Vec<JsonEvidence>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Node")]
pub(super) struct JsonNode {
    pub(super) name: String,
    pub(super) verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stage: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) plugin: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasons: Option<Vec<String>>,
    /// For each of `reasons` its stable code (`kubectl preempt rules`), or null if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) reason_codes: Vec<Option<&'static str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) evidence: Vec<JsonEvidence>,
    /// The plugins behind the first that reject the node as well, for explanation: kube-scheduler stops at the first. Absent
    /// where they are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) also_refused_by: Option<Vec<JsonRefusal>>,
    /// The pods of the same or a higher priority that are nominated to the node, as `namespace/name`: the filters count them
    /// as if they ran there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) nominated_pods: Vec<String>,
    /// By plugin: the weighted score. Present when two or more nodes are feasible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scores: Option<BTreeMap<String, i64>>,
    /// The sum of `scores`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) score: Option<i64>,
    /// By plugin: how the weighted score came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) score_details: Option<BTreeMap<&'static str, JsonScore>>,
}

/// A plugin that rejects a node.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Refusal")]
pub(super) struct JsonRefusal {
    pub(super) plugin: &'static str,
    pub(super) code: &'static str,
    pub(super) reasons: Vec<String>,
    /// As those of a node.
    pub(super) reason_codes: Vec<Option<&'static str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) evidence: Vec<JsonEvidence>,
}

/// One plugin's score of one node: `weighted` is `normalized` times `weight`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Score")]
pub(super) struct JsonScore {
    /// As the plugin counts.
    pub(super) raw: i64,
    /// 0 to 100.
    pub(super) normalized: i64,
    pub(super) weight: i64,
    pub(super) weighted: i64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Waiting")]
pub(super) struct JsonWaiting {
    /// What may keep a pod that fits.
    pub(super) kept_by: Vec<String>,
    pub(super) retried_on: Vec<JsonRetry>,
    pub(super) first_backoff_seconds: u32,
    pub(super) longest_backoff_seconds: u32,
    /// After so long it is tried again without any event; absent where only events bring it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) flush_seconds: Option<u32>,
}

/// Upon which event a pod is tried again that a plugin has refused.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Retry")]
pub(super) struct JsonRetry {
    pub(super) plugin: &'static str,
    pub(super) when: &'static str,
}

/// Something that makes the answer less sure, or that is worth knowing.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Note")]
pub struct JsonNote {
    /// What it means: `kubectl preempt rules CODE`. Stable: `PRE-9nn`.
    pub(super) code: &'static str,
    /// `info`, `warning` or `error`; an error may change the answer.
    pub(super) severity: &'static str,
    /// The first 100 objects that it concerns: `Pod NAMESPACE/NAME`, `Node NAME`, or a kind such as `persistentvolumes`.
    pub(super) objects: Vec<String>,
    pub(super) text: String,
    /// How many objects it concerns; 1 if it concerns none.
    pub(super) count: usize,
}

impl JsonNote {
    /// A note.
    #[must_use]
    pub fn new(note: &Note) -> Self {
        Self {
            code: note.doc.code,
            severity: note.severity.name(),
            objects: note.objects.iter().map(ToString::to_string).collect(),
            text: note.text.clone(),
            count: note.count,
        }
    }
}
