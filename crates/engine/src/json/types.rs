//! The shapes of the JSON answer, field by field, and their schema.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::sampling::JsonAsScheduled;
use crate::cluster::notes::Note;
use crate::snapshot::API_VERSION;

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
    pub(super) outcome: &'static str,
    pub(super) why: Option<String>,
    pub(super) message: Option<String>,
    pub(super) condition_message: Option<String>,
    pub(super) pre_filter: Option<JsonPreFilter>,
    pub(super) nodes: Vec<JsonNode>,
    pub(super) preemption: Option<JsonPreemption>,
    pub(super) selected: JsonSelected,
    /// Null for a pod that is not in the queue.
    pub(super) waiting: Option<JsonWaiting>,
    /// With `--as-scheduled`, for a pod that a node takes or that preempts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) as_scheduled: Option<JsonAsScheduled>,
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

/// The pod that is decided about.
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
#[schemars(rename = "PreFilter")]
pub(super) struct JsonPreFilter {
    pub(super) plugin: &'static str,
    pub(super) code: &'static str,
    pub(super) reasons: Vec<String>,
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

/// The operands of a rejection; which fields there are depends on what was refused.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged, rename_all_fields = "camelCase")]
#[schemars(rename = "Evidence")]
pub(super) enum JsonEvidence {
    NodeName {
        node_name: String,
    },
    Cordoned {
        unschedulable: bool,
    },
    Taint {
        taint: String,
    },
    NodeSelector {
        label: String,
        wanted: String,
        found: Option<String>,
    },
    NodeAffinity {
        required_terms: usize,
    },
    Port {
        host_port: String,
        used_by: Option<String>,
        used_port: String,
    },
    Resource {
        resource: String,
        requested: String,
        used: String,
        allocatable: String,
    },
    MissingLabel {
        missing_label: String,
    },
    Spread {
        topology_key: String,
        domain: String,
        matching_pods: i64,
        minimum: i64,
        incoming: i64,
        max_skew: i64,
    },
    Affinity {
        topology_key: String,
        domain: Option<String>,
        matching_pods: i64,
    },
    AntiAffinity {
        topology_key: String,
        domain: String,
        direction: &'static str,
        matching_pods: i64,
        pod: Option<String>,
    },
    Disk {
        volume: String,
        used_by: String,
    },
    ClaimInUse {
        claim: String,
        used_by: String,
    },
    VolumeLimit {
        driver: String,
        limit: i64,
        attached: i64,
        wanted: i64,
    },
    MissingDriver {
        missing_driver: String,
    },
    Claim {
        claim: String,
        volume: Option<String>,
    },
    StorageSpace {
        claim: String,
        storage_class: String,
        wanted_bytes: i64,
    },
    VolumeZone {
        volume: String,
        label: String,
        found: Option<String>,
    },
    Feature {
        feature: &'static str,
    },
    Devices {
        claim: Option<String>,
        request: String,
        wanted: usize,
        devices: usize,
        selected: usize,
        in_use: usize,
        tainted: usize,
    },
    ClaimElsewhere {
        claims: Vec<String>,
    },
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Preemption")]
pub(super) struct JsonPreemption {
    pub(super) eligible: bool,
    pub(super) ineligible_reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) terminating: Vec<String>,
    pub(super) nodes: Vec<JsonDryRun>,
    pub(super) ladder: Vec<JsonStep>,
    pub(super) winners: Vec<String>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DryRun")]
pub(super) struct JsonDryRun {
    pub(super) name: String,
    pub(super) verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) victims: Option<Vec<JsonVictim>>,
    #[serde(rename = "numPDBViolations", skip_serializing_if = "Option::is_none")]
    pub(super) num_pdb_violations: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) spared: Option<Vec<JsonSpared>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) plugin: Option<&'static str>,
    pub(super) reasons: Vec<String>,
    /// As those of a node.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) reason_codes: Vec<Option<&'static str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) evidence: Vec<JsonEvidence>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Victim")]
pub(super) struct JsonVictim {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) resource_version: String,
    pub(super) priority: i32,
    pub(super) start_time: Option<String>,
    pub(super) terminating: bool,
    pub(super) owner: Option<String>,
    pub(super) pdb_violations: Vec<String>,
    pub(super) blocks: Option<JsonBlock>,
}

/// What refuses the preemptor when the victim stays.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Block")]
pub(super) struct JsonBlock {
    pub(super) plugin: &'static str,
    pub(super) reasons: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Spared")]
pub(super) struct JsonSpared {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) priority: i32,
    pub(super) why: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Step")]
pub(super) struct JsonStep {
    pub(super) criterion: &'static str,
    pub(super) values: BTreeMap<String, serde_json::Value>,
    pub(super) survivors: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Selected")]
pub(super) struct JsonSelected {
    pub(super) certainty: &'static str,
    pub(super) nodes: Vec<String>,
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
    pub(super) severity: &'static str,
    pub(super) subject: String,
    pub(super) text: String,
}

impl JsonNote {
    /// A note.
    #[must_use]
    pub fn new(note: &Note) -> Self {
        Self { severity: note.severity.name(), subject: note.subject.clone(), text: note.text.clone() }
    }
}
