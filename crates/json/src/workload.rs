//! Workloads whose pods are missing.

use serde::{Deserialize, Serialize};

use crate::common::Source;
use crate::{ApiVersion, Text, kind};

/// `explain` of workloads that have no pods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkloadList {
    pub api_version: ApiVersion,
    pub kind: kind::WorkloadList,
    pub source: Source,
    pub items: Vec<MissingPods>,
}

/// A workload that has fewer pods than it wants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MissingPods {
    /// The kind of the workload, such as `Deployment`.
    pub kind: String,
    pub namespace: String,
    pub name: String,
    /// How many pods it wants; null if it does not say.
    pub wanted: Option<i64>,
    /// How many it has.
    pub existing: usize,
    /// `Refused`, `Kueue`, `Suspended`, `EarlierPod`, `NotObserved`, `Condition`, `Finished`,
    /// `NoneWanted` or `NotKnown`.
    pub cause: Text,
    /// What refuses the pods: `ResourceQuota`, `LimitRange`, `PodSecurity`, `Webhook`,
    /// `WebhookUnreachable`, `ValidatingAdmissionPolicy`, `SecurityContextConstraints`,
    /// `ServiceAccount`, `PriorityClass`, `NamespaceTerminating`, `Invalid` or `Other`; else absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_by: Option<Text>,
    /// The name of the quota, the webhook or the missing object; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_by_name: Option<String>,
    /// The cause in words.
    pub why: String,
    /// The message itself; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Who wrote the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_by: Option<String>,
    /// What else is known, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// What to do, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
}
