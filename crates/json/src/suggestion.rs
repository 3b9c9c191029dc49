//! The smallest change that lets waiting pods in.

use serde::{Deserialize, Serialize};

use crate::common::{Note, PodId, Scheduler, Source};
use crate::decision::Remedy;
use crate::edit::Edit;
use crate::{ApiVersion, Text, kind};

/// `suggest`: what places pending pods without an eviction that loses a pod. An item per kind of
/// pod; `many` answers for several pods together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SuggestionList {
    pub api_version: ApiVersion,
    pub kind: kind::SuggestionList,
    pub scheduler: Scheduler,
    pub source: Source,
    /// For single pods: of several that are alike the first one.
    pub items: Vec<Suggestion>,
    /// For all pods together; null if one is asked about.
    pub many: Option<ForMany>,
    pub notes: Vec<Note>,
}

/// What lets one pod in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    pub pod: PodId,
    pub priority: i32,
    /// How many of the pods that are asked about are like it.
    pub alike: usize,
    /// What kube-scheduler decides about it now, as in a decision.
    pub outcome: Text,
    /// The nodes that it gets without any change, or for which pods are evicted.
    pub nodes: Vec<String>,
    /// The pods that kube-scheduler evicts for it if nothing is changed.
    pub victims: Vec<PodId>,
    /// The pods to move; null if moving pods does not let it in, or nothing was found.
    pub moves: Option<MovePlan>,
    pub searched: Searched,
    /// What else lets it in without an eviction, the least disruptive first; each was tried.
    pub changes: Vec<Remedy>,
    /// The smallest node that lets it in, among those like one that is there.
    pub node: Option<NewNode>,
    /// Why nothing can be said; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
}

/// How much was searched for pods to move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Searched {
    /// How many sets of moves were played through.
    pub plays: usize,
    /// Every set of moves up to this size was ruled out.
    pub complete_up_to: usize,
}

/// Pods that move one after the other, played through before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MovePlan {
    /// `Smallest` (every smaller set was ruled out), `FewestMoves` (every set of fewer moves was) or
    /// `BestFound`.
    pub proof: Text,
    pub moves: Vec<Move>,
    /// Whether the PodDisruptionBudgets were not read, so that `budgetAllows` of a move without a
    /// budget is not known.
    #[serde(rename = "pdbsUnknown", default, skip_serializing_if = "std::ops::Not::not")]
    pub pdbs_unknown: bool,
    /// The node that is cordoned until all have moved.
    pub freed: String,
    /// The node that kube-scheduler then selects for the pod.
    pub node: String,
    /// The commands, in order, for a shell.
    pub commands: Vec<String>,
}

/// A pod that moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Move {
    pub pod: PodId,
    pub priority: i32,
    pub from: String,
    pub to: String,
    /// Whether its replacement may as well get another node.
    pub open: bool,
    /// Whether the data of an emptyDir volume or the work of a Job is lost.
    pub loses_work: bool,
    /// Whether it is the only running pod of its controller.
    pub only_replica: bool,
    pub grace_seconds: i64,
    /// The disruptions that its budget allows before it moves; null if no budget selects it.
    pub budget_allows: Option<i64>,
}

/// A node like one that is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewNode {
    /// The node that it is like.
    pub like: String,
    /// The pool of that node; may be empty.
    pub pool: String,
    /// Its machine and resources.
    pub shape: String,
}

/// What helps many pods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ForMany {
    /// How many pods wait.
    pub pods: usize,
    /// The pods that fit without a change.
    pub fit_now: Vec<PodId>,
    /// The pods that do not.
    pub left: Vec<PodId>,
    /// How many pods were not placed at all, because the steps were used up.
    pub not_tried: usize,
    /// Single actions, the one that lets in the most first.
    pub actions: Vec<Action>,
    /// By kind of node, how many more place the pods.
    pub nodes: Vec<NodesNeeded>,
}

/// A change and what it leads to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Action {
    pub edit: Edit,
    /// The pods that it lets in.
    pub lets_in: Vec<PodId>,
}

/// How many nodes of a kind place pods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodesNeeded {
    #[serde(flatten)]
    pub node: NewNode,
    pub number: usize,
    /// How many of the pods that are left they place.
    pub places: usize,
    /// How many they do not: those need something else.
    pub remain: usize,
}
