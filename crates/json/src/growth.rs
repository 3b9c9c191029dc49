//! How many new nodes pods need.

use serde::{Deserialize, Serialize};

use crate::common::{Note, Scheduler, Source};
use crate::suggestion::NewNode;
use crate::{ApiVersion, Text, kind};

/// `simulate --nodes-needed`: the fewest new nodes with which every pod gets a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeDemand {
    pub api_version: ApiVersion,
    pub kind: kind::NodeDemand,
    pub scheduler: Scheduler,
    pub source: Source,
    /// The answer in a sentence.
    pub text: String,
    /// How many pods are asked about.
    pub pods: usize,
    /// How many of them get no node now and with any number of new nodes that was tried.
    pub not_helped: usize,
    /// Of how many it is not known whether they get a node.
    pub not_known: usize,
    /// If no pod is evicted.
    pub without_evictions: Growth,
    /// If pods are evicted where kube-scheduler preempts; those that get no node again are in
    /// `helpless` or `unknown`. Null if no running pod has a lower priority.
    pub with_evictions: Option<Growth>,
    pub notes: Vec<Note>,
}

/// New nodes with which every pod gets a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Growth {
    /// How many nodes were found to be enough, by playing it.
    pub number: usize,
    /// How many are needed at least.
    pub at_least: usize,
    /// Why fewer are not enough: `Bound` (wherever pods go), `Tried` (every smaller combination was
    /// played) or `BestFound` (fewer may be enough, down to `atLeast`).
    pub proof: Text,
    /// How many combinations of nodes were played.
    pub tried: usize,
    /// Whether a smaller combination may do if kube-scheduler chooses others of equally good nodes.
    pub open: bool,
    pub nodes: Vec<NodesOfKind>,
    /// Where `atLeast` comes from, if not from playing fewer.
    pub bounds: Vec<NodeBound>,
    /// How many pods are evicted with these nodes.
    pub evicted: usize,
    /// What gets no node with any number of new ones that was tried.
    pub helpless: Vec<LeftPod>,
    /// What may get a node: what decides about it is not known.
    pub unknown: Vec<LeftPod>,
}

/// How many nodes of a kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodesOfKind {
    #[serde(flatten)]
    pub node: NewNode,
    pub number: usize,
    /// What gets no node with one less of them.
    pub left_without: Vec<LeftPod>,
}

/// A number of new nodes that no placement of the pods goes below.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeBound {
    pub at_least: usize,
    /// The resource that is short, or the plugin that limits the pods of a node.
    pub constraint: String,
    pub text: String,
}

/// A pod, a group or a replacement without a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LeftPod {
    /// `namespace/name`; `group namespace/name` of a whole group.
    pub name: String,
    /// What the nodes nearest to taking it lack.
    pub why: Vec<String>,
}
