//! How many more pods like one fit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::common::{Note, Scheduler, Source};
use crate::{ApiVersion, Text, kind};

/// `headroom`: how many more pods like one fit now. An item per priority; `nodes`, `groups` and
/// `pieces` say where the room is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Headroom {
    pub api_version: ApiVersion,
    pub kind: kind::Headroom,
    pub scheduler: Scheduler,
    pub source: Source,
    /// The answer in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The pod that the copies are like: `NAMESPACE/NAME`.
    pub pod: String,
    /// What each copy requests, by resource.
    pub requests: BTreeMap<String, String>,
    /// By priority: that of the pod first, then those of the classes, the highest first. Empty if
    /// nothing can be said.
    pub items: Vec<PriorityRoom>,
    /// kube-scheduler's message about the first copy of the pod's own priority that fits no more.
    pub next: Option<String>,
    pub pieces: Pieces,
    /// What moving pods gives, each move played through; absent where that is not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defragmentation: Option<Defragmentation>,
    /// The largest pods that fit; each was tried, and one that is a unit larger, too.
    pub largest: Vec<LargestPod>,
    /// The nodes by zone, pool and shape.
    pub groups: Vec<NodeGroup>,
    /// Every node, by name.
    pub nodes: Vec<NodeRoom>,
    /// Why nothing can be said; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    pub notes: Vec<Note>,
}

/// How many copies of one priority fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PriorityRoom {
    pub priority: i32,
    /// The class that gives it; null if none does.
    pub class: Option<String>,
    /// Whether it is the pod's own priority.
    pub own: bool,
    pub without_preemption: RoomCount,
    /// Null if pods of this priority do not preempt, or where that cannot be counted.
    pub with_preemption: Option<RoomCount>,
}

/// A number of copies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RoomCount {
    pub number: usize,
    /// Whether no more fit; otherwise it is a lower bound: the steps were used up.
    pub complete: bool,
    /// `NodeByNode`: no copy makes a difference for another node, and each was filled by itself.
    /// `OneByOne`: each copy was placed by a decision of its own, and then counted as bound.
    pub method: Text,
    /// Whether kube-scheduler may place some copies elsewhere, after which another number may fit.
    pub order_open: bool,
    /// How many pods are evicted for them; null where that was not counted.
    pub evicted: Option<usize>,
}

/// What is free in sum, on the nodes that take a copy or would without the pods that may run
/// elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Pieces {
    /// What it means, in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// `Room`, `Fragmented` (noticeably more copies would fit if what is free were in one piece) or
    /// `Full`.
    pub state: Text,
    /// For how many copies it would be enough in one piece; null if a copy requests nothing.
    pub in_sum: Option<usize>,
    /// How many nodes these are.
    pub nodes: usize,
    /// The resource that runs out first.
    pub scarcest: Option<String>,
    pub resources: Vec<FreeResource>,
}

/// What moving pods gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Defragmentation {
    /// The same in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// How many more copies fit.
    pub gains: usize,
    /// How many pods move for them.
    pub moves: usize,
    /// Whether more moves may make more room.
    pub may_go_on: bool,
}

/// What is free of a resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FreeResource {
    pub resource: String,
    /// What a copy requests.
    pub requested: String,
    /// In sum.
    pub free: String,
    /// On the node that has the most of it.
    pub largest: String,
}

/// A pod as large as can be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LargestPod {
    /// The one resource of which it requests more; null if all are larger by the same factor.
    pub grown: Option<String>,
    pub requests: BTreeMap<String, String>,
    /// A node on which it fits.
    pub node: String,
}

/// Nodes that have something in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeGroup {
    /// `Zone`, `Pool` or `Shape`.
    pub by: Text,
    /// Empty for nodes without the label.
    pub name: String,
    pub nodes: usize,
    /// How many of them take a copy.
    pub with_room: usize,
    /// How many copies fit there.
    pub fits: usize,
}

/// How many copies a node takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeRoom {
    pub name: String,
    pub fits: usize,
}
