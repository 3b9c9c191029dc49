//! The pods that wait.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::common::{Likelihood, Note, Scheduler, Source};
use crate::decision::{Holder, NotRunning, Silence};
use crate::preemption::Competitor;
use crate::workload::MissingPods;
use crate::{ApiVersion, Text, kind};

/// `pending`: every pending pod, an item each, or one for the pods of a group that is scheduled as
/// a whole: the highest priority first, then the oldest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PendingList {
    pub api_version: ApiVersion,
    pub kind: kind::PendingList,
    pub scheduler: Scheduler,
    pub source: Source,
    /// Whether the pods were placed one after the other (`--in-order`), each seeing where the
    /// earlier ones went; else each was decided alone, on the unchanged cluster.
    pub in_order: bool,
    /// How many pods have come to each verdict.
    pub summary: BTreeMap<Text, usize>,
    pub items: Vec<Pod>,
    /// The pods that have a node and are Pending nevertheless: kube-scheduler is done with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub starting: Vec<StartingPod>,
    /// The pods that run and wait for an in-place resize.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resizing: Vec<StartingPod>,
    /// The workloads that lack pods, which were never created and so wait for no node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workloads: Vec<MissingPods>,
    pub notes: Vec<Note>,
}

/// A pod that has a node and does not run yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StartingPod {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub node: String,
    pub created: Option<String>,
    pub not_running: NotRunning,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PendingPod"))]
#[serde(rename_all = "camelCase")]
pub struct Pod {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    /// Its controller; null if it has none. Pods of one owner with the same answer are one row of
    /// the text.
    pub owner: Option<Owner>,
    /// Set for a PodGroup whose pods are scheduled as a whole: the item stands for the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_group: Option<Group>,
    pub priority: i32,
    pub created: Option<String>,
    /// `Fits`, `Preempts`, `Waits`, `Blocked`, `Error`, `Gated` or `NotInQueue`.
    pub verdict: Text,
    /// What keeps it from the nodes that are the nearest to taking it; null if it fits or is not in
    /// the queue.
    pub cause: Option<Cause>,
    /// Where it would go, or be nominated to, the most likely node first; one of them if there are
    /// several. Of a pod that waits for its victims: the node that it gets once they are gone.
    pub nodes: Vec<String>,
    /// As `selected.certainty` of a Decision.
    pub certainty: Text,
    /// How likely it is the first of `nodes`, where kube-scheduler does not look at every node;
    /// else null.
    pub likelihood: Option<Likelihood>,
    /// The pods that it would preempt on the first of them: `namespace/name`.
    pub victims: Vec<String>,
    #[serde(rename = "numPDBViolations")]
    pub num_pdb_violations: usize,
    /// Whether the PodDisruptionBudgets were not read, so that `numPDBViolations` is not known.
    #[serde(rename = "pdbsUnknown", default, skip_serializing_if = "std::ops::Not::not")]
    pub pdbs_unknown: bool,
    /// What it needs, in a word or two, such as `cpu 2`; absent if nothing is missing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub needs: String,
    /// What the nearest nodes have of it at most, such as `0.9`, or `node 4` if even an empty node
    /// has no more; absent if nothing is missing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub have: String,
    /// Pending pods that may take the room of the evictions; at most ten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub competitors: Vec<Competitor>,
    /// How many there are, if more than `competitors` has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub competitors_total: Option<usize>,
    /// What has to happen next, in words.
    pub waits_for: String,
    /// Who acts next: `scheduler`, `autoscaler`, `nobody`, `not known`, or the program that holds the
    /// pod, such as `Volcano` or `Volcano, autoscaler`; absent where no autoscaler was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who_acts: Option<Text>,
    /// What autoscalers do about the pod, as `autoscaling.verdict` of a Decision; absent if it needs
    /// no node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autoscaling: Option<Text>,
    /// Whether part of what decides is not modelled or could not be read; the notes tell.
    pub unsure: bool,
    /// What its own `nominatedNodeName` is worth; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nomination: Option<Nomination>,
    /// As that of a Decision: who acts, if that is not kube-scheduler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<Holder>,
    /// As that of a Decision: what is known of the scheduler if no scheduler seems to look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence: Option<Silence>,
}

/// The nomination of a pod, in short: the `nomination` of a Decision has more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "PendingNomination")
)]
#[serde(rename_all = "camelCase")]
pub struct Nomination {
    /// The node, which may not exist.
    pub node: String,
    /// As in a Decision.
    pub state: Text,
    /// As in a Decision.
    pub ends: Text,
    /// As in a Decision.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stops_autoscalers: bool,
    /// As in a Decision: `PRE-967` for a stuck nomination.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Text>,
}

/// The pods of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PendingGroup"))]
pub struct Group {
    /// The names of those that wait for a node, in the order in which they are tried.
    pub waiting: Vec<String>,
    /// How many are on nodes.
    pub running: usize,
    /// How many of the pods that wait have which verdict, if not all have that of the group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<PodsWithVerdict>,
}

/// Pods of a group with the same verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PodsWithVerdict {
    pub verdict: Text,
    pub pods: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PendingOwner"))]
#[serde(rename_all = "camelCase")]
pub struct Owner {
    pub kind: String,
    pub name: String,
    pub uid: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PendingCause"))]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// Empty if the cycle ended before any plugin could refuse.
    pub plugin: String,
    /// The stable code of the first reason (`kubectl preempt rules`); absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Text>,
    pub reasons: Vec<String>,
    /// What that means here, in words.
    pub details: Vec<String>,
    /// How many nodes it keeps the pod from.
    pub nodes: usize,
    /// The node, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// How many nodes there are, without those that the pod excludes by their names, as the pods of
    /// a DaemonSet do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
    /// How near these nodes are to taking the pod, as `nearest.nearness` of a Decision; absent if
    /// it is not the cause of a node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearness: Option<Text>,
}
