//! What answers of several kinds have.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Text;

/// Which scheduler decides.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Scheduler {
    pub version: String,
    pub version_source: Text,
    pub profile: String,
    pub config: Text,
    /// The file, or the ConfigMap and its key; absent for the default profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_source: Option<String>,
    /// Gates that are set to something else than the version's default.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub feature_gates: BTreeMap<String, bool>,
    /// The filter plugins, in the order in which they are asked.
    pub filters: Vec<Text>,
}

/// Where the objects come from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Source {
    pub kind: Text,
    pub captured_at: Option<String>,
    pub resource_versions: BTreeMap<String, String>,
}

/// Something that makes the answer less sure, or that is worth knowing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// What it means: `kubectl preempt rules CODE`. Stable: `PRE-9nn`.
    pub code: Text,
    /// `info`, `warning` or `error`; an error may change the answer.
    pub severity: Text,
    /// The first 100 objects that it concerns: `Pod NAMESPACE/NAME`, `Node NAME`, or a kind such as
    /// `persistentvolumes`.
    pub objects: Vec<String>,
    pub text: String,
    /// How many objects it concerns; 1 if it concerns none.
    pub count: usize,
    /// What whoever asks can say or allow, so that the doubt goes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub settled_by: Option<SettledBy>,
}

/// What settles the doubt of a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum SettledBy {
    /// How the scheduler's feature gate of this name is set.
    FeatureGate(String),
    /// How several of its feature gates are set, which the text names.
    FeatureGates,
    /// That its extenders are asked.
    AskingExtenders,
    /// How many pods a workload creates.
    Replicas,
    /// How many disruptions a budget allows.
    AllowedDisruptions,
}

/// A pod.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PodId {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// UID; empty for a pod that is not in the cluster.
    pub uid: String,
}

/// A PodGroup.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GroupId {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// UID.
    pub uid: String,
}

/// How likely the most likely node is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Likelihood {
    /// 0 to 1; null if that takes too long to find out.
    pub probability: Option<f64>,
    /// Whether the probability comes from every node at which kube-scheduler may begin to look.
    pub complete: bool,
    /// How many nodes may be chosen.
    pub possible: usize,
}
