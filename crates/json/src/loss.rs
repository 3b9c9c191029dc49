//! What the loss of nodes costs.

use serde::{Deserialize, Serialize};

use crate::common::{Note, Scheduler, Source};
use crate::node::Budget;
use crate::simulation::{DrainChange, Range, Step};
use crate::{ApiVersion, Text, kind};

/// `simulate --fail`: what happens to pods whose nodes are gone at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeLossList {
    pub api_version: ApiVersion,
    pub kind: kind::NodeLossList,
    pub scheduler: Scheduler,
    pub source: Source,
    /// The answer in a sentence: how many losses are survived, and what the worst costs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// `node`, `zone` or `pool`: what is lost each on its own; absent for one loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each: Option<Text>,
    /// How many nodes are in no such domain.
    pub outside: usize,
    /// Whether there may be budgets that were not read.
    pub budgets_unknown: bool,
    /// The losses, the worst first.
    pub items: Vec<NodeLoss>,
}

/// The loss of nodes, all at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeLoss {
    /// What is lost, such as `zone b`.
    pub name: String,
    /// The answer in a sentence.
    pub text: String,
    pub nodes: Vec<String>,
    /// How many pods are lost with the nodes, without those of DaemonSets and static ones.
    pub lost: usize,
    /// How many pods of DaemonSets and static pods go with them.
    pub of_nodes: usize,
    /// How many of the lost pods nothing replaces.
    pub gone: usize,
    /// How many pods stay Pending in the end: at least those of which this is known.
    pub pending: Range,
    /// Of how many of these it is not known whether they get a node.
    pub not_known: usize,
    /// How many more stay Pending in the first order that do so without the loss, too.
    pub pending_anyway: usize,
    /// Whether one of them is not Pending in another order.
    pub pending_anyway_open: bool,
    /// How many pods are preempted by replacements.
    pub preempted: Range,
    /// How many pods that stay Pending in the first order get a node that an autoscaler adds.
    pub autoscaled: usize,
    /// How many workloads have no Ready pod until a replacement is Ready.
    pub down: usize,
    /// The workloads that lose pods, to the loss or to a preemptor, the worst hit first.
    pub workloads: Vec<LostWorkload>,
    /// The budgets that have fewer Ready pods than they ask for, until replacements are Ready.
    pub budgets: Vec<Budget>,
    /// Replicas that, added first, leave a Ready pod of workloads that have none otherwise: simulated
    /// for the first 8 workloads of one loss.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<DrainChange>,
    /// In how many orders the replacements came to the scheduler.
    pub orders: usize,
    /// What the scheduler decides in the first order: about the replacements, and about those of
    /// pods that they preempt.
    pub steps: Vec<Step>,
    /// Replacements of preempted pods that are not followed because there are too many.
    pub not_followed: usize,
    pub notes: Vec<Note>,
}

/// What happens to the pods of an owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LostWorkload {
    pub namespace: String,
    /// The kind of its topmost controller, or `Pod`.
    pub kind: String,
    pub name: String,
    /// How many of its pods are Ready before the loss.
    pub ready: usize,
    /// How many of these are left right after it.
    pub left: usize,
    pub lost: usize,
    pub gone: usize,
    /// How many are replaced only once their node's object is deleted, if it stays in the API.
    pub until_deleted: usize,
    pub preempted: Range,
    pub pending: Range,
    /// How many more of its lost and preempted pods would be Pending in the first order without the
    /// loss, too.
    pub pending_anyway: usize,
    /// Whether `pendingAnyway` is another number in another order.
    pub pending_anyway_open: bool,
    /// The nodes of its replacements in the first order.
    pub places: Vec<Place>,
    /// Why pods of it stay Pending.
    pub why: Vec<String>,
    /// The claims whose volumes no node that is left can use.
    pub lost_volumes: Vec<String>,
}

/// How many pods a node gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PodsOnNode"))]
#[serde(rename_all = "camelCase")]
pub struct Place {
    pub node: String,
    pub pods: usize,
}
