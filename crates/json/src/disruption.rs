//! Why pods were evicted.

use serde::{Deserialize, Serialize};

use crate::common::{PodId, Source};
use crate::{ApiVersion, Text, kind};

/// `why-evicted`: why pods were evicted or deleted. `unknown` is what cannot be known, `decision`
/// what `--before` shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DisruptionList {
    pub api_version: ApiVersion,
    pub kind: kind::DisruptionList,
    pub source: Source,
    pub items: Vec<Disruption>,
    /// Why Events may be missing; null if they were read.
    pub gap: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Disruption {
    pub pod: PodId,
    /// `Preempted`, `Descheduler`, `VerticalPodAutoscaler`, `Kubelet`, `KubeletAdmission`,
    /// `NodeShutdown`, `Taint`, `PodGc`, `EvictionApi`, `Karpenter`, `ClusterAutoscaler`, `Kueue`,
    /// `KAI`, `Owner`, `Refused` or `Unknown`.
    pub cause: Text,
    /// Why it was evicted, in a clause.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What prevents the next time; absent where nothing says what happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Text>,
    /// What the cause says besides: a message, a strategy, or a controller as `KIND NAME`.
    pub detail: Option<String>,
    /// For what Kueue or KAI evicted it: `Workload NAMESPACE/NAME` or `PodGroup NAMESPACE/NAME`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The pod that preempted it, as far as something names it.
    pub preemptor: Option<Preemptor>,
    /// RFC 3339.
    pub time: Option<String>,
    pub node: Option<String>,
    /// The priority of the pod; null if it is gone.
    pub priority: Option<i32>,
    /// `Terminating`, `Finished`, `There` or `Gone`.
    pub state: Text,
    /// The decision on the snapshot of `--before`; null without one, and if it cannot be run again.
    pub decision: Option<Rerun>,
    /// What is not known; the exit code is 3 if there is something.
    pub unknown: Vec<String>,
    /// Why it has not left, of a pod that is still there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stays: Vec<String>,
    /// Its containers that have terminated, as its status says.
    #[serde(default)]
    pub containers: Vec<ContainerExit>,
    pub sources: Vec<Trace>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Preempting"))]
#[serde(rename_all = "camelCase")]
pub struct Preemptor {
    /// The pod, if it is known by name.
    pub pod: Option<PodId>,
    /// Its priority, if it is still there.
    pub priority: Option<i32>,
    /// The UID of a pod or group that is no longer there.
    pub uid: Option<String>,
    /// If nothing names it: pods of higher priority that came to the node since then.
    pub since: Vec<PodId>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PreemptionRerun"))]
#[serde(rename_all = "camelCase")]
pub struct Rerun {
    /// As in a decision.
    pub outcome: Text,
    pub node: String,
    pub selected: Vec<String>,
    pub victims: Vec<Neighbour>,
    /// The most important first.
    pub spared: Vec<Neighbour>,
    /// Whether the pod is a victim on the snapshot.
    pub is_victim: bool,
    /// From this priority on it is no victim of this preemptor.
    pub sparing_priority: i32,
    /// Whether a PodDisruptionBudget that selects pods with its labels and allows no disruption
    /// spares it; null if it has no labels.
    pub budget_spares: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Neighbour {
    /// `NAMESPACE/NAME`.
    pub name: String,
    pub priority: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContainerExit {
    pub name: String,
    pub exit_code: i32,
    /// Such as `OOMKilled`; empty if there is none.
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DisruptionSource"))]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    /// `Event`, `Condition`, `Status` or `Deletion`.
    pub kind: Text,
    pub reason: String,
    /// What it says; of `Status`, the pod's `status.message`.
    pub message: String,
    /// Who wrote the Event.
    pub component: String,
}
