//! Which running pods can be preempted.

use serde::{Deserialize, Serialize};

use crate::common::{Note, Scheduler, Source};
use crate::{ApiVersion, Text, kind};

/// `risk`: which running pods can be preempted, by workload. `preemptors` are those that `--for`
/// and `--requests` name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RiskList {
    pub api_version: ApiVersion,
    pub kind: kind::RiskList,
    pub scheduler: Scheduler,
    pub source: Source,
    /// How many pods are exposed how far, in a sentence without a full stop.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The preemptors that the question names; empty for every priority class and the pods that
    /// wait.
    pub preemptors: Vec<NamedPreemptor>,
    /// With `--by`: whose pods may evict which others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matrix: Option<PreemptionMatrix>,
    /// The most exposed first, then by name.
    pub items: Vec<WorkloadRisk>,
    pub notes: Vec<Note>,
}

/// Whose pods may evict which running pods, by priority and `preemptionPolicy`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreemptionMatrix {
    /// What the rows are: `class`, `namespace` or `subject`.
    pub by: Text,
    /// How many running pods are asked about, and how many of them some row may evict.
    pub running: usize,
    pub reachable: usize,
    /// The highest priority first.
    pub rows: Vec<MatrixRow>,
    /// What is assumed or not known of subjects, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
}

/// Which running pods those of a class, a namespace or a subject may evict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MatrixRow {
    /// The class, the namespace, or the subject as `User NAME`, `Group NAME` or
    /// `ServiceAccount NAMESPACE/NAME`.
    pub name: String,
    /// The highest priority of its pods that preempt: of a namespace, that of pods that are there; of
    /// a subject, that of any class that no quota keeps out, or of pods without one; null if quotas
    /// keep out all.
    pub priority: Option<i64>,
    /// The class that gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Of a subject: the resources with which it makes pods, by creating or changing them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<Text>,
    /// Of a subject: the namespaces; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespaces: Option<Vec<String>>,
    /// How many running pods these may evict.
    pub reach: usize,
    /// The same by class, or by namespace unless the rows are classes; the most first.
    pub victims: Vec<MatrixVictims>,
    /// How many are evicted now for waiting pods of the class or namespace.
    pub now: usize,
}

/// Running pods of a class or namespace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MatrixVictims {
    pub name: String,
    pub pods: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NamedPreemptor {
    /// `NAMESPACE/NAME`.
    pub pod: String,
    pub priority: i32,
    /// As in a decision.
    pub outcome: Text,
    /// The nodes that it may be placed on or nominated to.
    pub selected: Vec<String>,
    pub nodes: Vec<OnNode>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PreemptorOnNode"))]
#[serde(rename_all = "camelCase")]
pub struct OnNode {
    pub name: String,
    /// `Fits`, `Preempts` or `Cannot`.
    pub result: Text,
    /// The pods that it preempts there: `NAMESPACE/NAME`.
    pub victims: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkloadRisk {
    pub workload: Workload,
    /// How exposed its most exposed pod is: `Safe`, `Exposed`, `Candidate` or `Victim`.
    pub exposure: Text,
    /// The lowest priority of its pods.
    pub priority: i32,
    /// How many of its pods run, whether or not they are asked about.
    #[serde(default)]
    pub running: usize,
    /// How many of `pods` are evicted if the waiting or named pods get their turns in the order of
    /// the queue.
    #[serde(default)]
    pub evicted_now: usize,
    /// Whether one preemptor can take all of its running pods at once.
    pub all_at_once: bool,
    /// The node on which all of its running pods are, if they are several.
    pub all_on: Option<String>,
    /// Whose pods can preempt one of its pods, the highest first; empty if the question names the
    /// preemptors.
    pub preempted_by: Vec<PreemptorKind>,
    /// The budgets that select its pods. kube-scheduler violates a budget if nothing else makes
    /// room.
    pub budgets: Vec<Budget>,
    pub pods: Vec<PodRisk>,
}

/// What a pod belongs to: the outermost of its controllers that is known, such as a Deployment, or
/// the pod itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Workload {
    /// Its kind; `Pod` for a pod without a controller.
    pub kind: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreemptorKind {
    pub priority: i64,
    /// The priority class; null for pods of a priority that no class gives.
    pub class: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RiskBudget"))]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    pub name: String,
    /// `status.disruptionsAllowed`.
    pub allowed: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PodRisk {
    pub name: String,
    pub node: String,
    pub priority: i32,
    /// `Safe`: nothing of the declared kind can preempt it. `Exposed`: it can be preempted, but no
    /// pod does so now. `Candidate`: a pod of `takers` has it among its victims on a candidate node,
    /// and evicts it only if it comes first. `Victim`: it is evicted now, for `evictedBy`.
    pub exposure: Text,
    pub takers: Vec<Taker>,
    /// What it is evicted for if the waiting or named pods get their turns in the order of the
    /// queue: a pod or PodGroup, `NAMESPACE/NAME`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evicted_by: Option<String>,
    /// As those of a victim in a Decision: annotations that do not protect it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unprotected_by: Vec<Text>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Taker {
    /// `NAMESPACE/NAME`.
    pub pod: String,
    /// Whether the scheduler nominates it to this node.
    pub selected: bool,
}
