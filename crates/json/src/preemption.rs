//! Preemption in the decision about a pod: the dry run of every node, and the tie-break.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Text;
use crate::evidence::Evidence;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Preemption {
    pub eligible: bool,
    /// Set if preemption is off, so that no node is tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off: Option<Off>,
    pub ineligible_reason: Option<Text>,
    /// The stable code of `ineligibleReason`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ineligible_code: Option<Text>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terminating: Vec<String>,
    /// When each pod of `terminating` should be gone (`metadata.deletionTimestamp`), in the same
    /// order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terminating_until: Vec<Option<String>>,
    /// Set if the pod gets its nominated node once pods are gone that are terminating already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub awaits: Option<Awaited>,
    /// Whether the PodDisruptionBudgets were not read, so that `numPDBViolations` is not known.
    #[serde(rename = "pdbsUnknown", default, skip_serializing_if = "std::ops::Not::not")]
    pub pdbs_unknown: bool,
    pub nodes: Vec<DryRun>,
    pub ladder: Vec<Step>,
    pub winners: Vec<String>,
}

/// A pending pod that may take the room that evictions make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Competitor {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub priority: i32,
    /// `spec.schedulerName`.
    pub scheduler: String,
    /// Why it may be tried first: `HigherPriority`, `EqualPriority`, `Replica` (of the preemptor,
    /// with its priority), `NothingReserved` (its priority is lower) or `OtherScheduler`.
    pub reason: Text,
    /// `ComesFirst`: it takes the room; `MayTake`: it has other places as well, or the order is
    /// open.
    pub certainty: Text,
}

/// What a pod waits for that has preempted already.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Awaited {
    /// The nominated node.
    pub node: String,
    /// The pods, as `namespace/name`, that have to be gone; some of `terminating`.
    pub pods: Vec<String>,
}

/// Preemption is off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PreemptionOff"))]
pub struct Off {
    /// The profile that does not run DefaultPreemption.
    pub profile: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DryRun {
    pub name: String,
    pub verdict: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub victims: Option<Vec<Victim>>,
    #[serde(rename = "numPDBViolations", skip_serializing_if = "Option::is_none")]
    pub num_pdb_violations: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spared: Option<Vec<Spared>>,
    /// The pods of lower priority as `namespace/name`, in the order in which they are put back. An
    /// extender may name other victims.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reprieve_order: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<Text>,
    pub reasons: Vec<String>,
    /// As those of a node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reason_codes: Vec<Option<Text>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// Where there is no pod of lower priority: how many pods have the priority of the preemptor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equal_priority_pods: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Victim {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub resource_version: String,
    pub priority: i32,
    pub start_time: Option<String>,
    pub terminating: bool,
    /// `status.qosClass`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qos_class: Option<Text>,
    pub owner: Option<String>,
    /// The controllers as `Kind/name`, the nearest first, as far as they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owners: Vec<String>,
    pub pdb_violations: Vec<String>,
    /// The budgets that select the pod.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<Budget>,
    pub blocks: Option<Block>,
    /// Annotations by which the pod asks other programs not to evict it, such as
    /// `karpenter.sh/do-not-disrupt`. They do not protect it from preemption.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unprotected_by: Vec<Text>,
}

/// A PodDisruptionBudget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Budget {
    /// `namespace/name`.
    pub name: String,
    /// `status.disruptionsAllowed`.
    pub allowed: i64,
}

/// What refuses the preemptor when the victim stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Block {
    pub plugin: Text,
    pub reasons: Vec<String>,
    /// As those of a node.
    pub reason_codes: Vec<Option<Text>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Spared {
    pub namespace: String,
    pub name: String,
    pub priority: i32,
    pub start_time: Option<String>,
    pub terminating: bool,
    pub owner: Option<String>,
    /// Whether its eviction would violate a budget; such pods are put back first.
    #[serde(rename = "violatesPDB")]
    pub violates_pdb: bool,
    pub why: Text,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    pub criterion: Text,
    pub values: BTreeMap<String, StepValue>,
    pub survivors: Vec<String>,
}

/// A value that nodes are compared by: a number, or a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StepValue {
    Number(i64),
    Text(String),
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for StepValue {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "StepValue".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        // The published schema does not say which values there are.
        true.into()
    }
}
