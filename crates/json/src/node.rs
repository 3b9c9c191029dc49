//! Whether nodes can go away.

use serde::{Deserialize, Serialize};

use crate::common::{Note, PodId, Scheduler, Source};
use crate::simulation::{DrainChange, Hazard, Step};
use crate::{ApiVersion, Text, kind};

/// `node`: whether nodes can be drained, so that every pod of them gets another node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeRemovalList {
    pub api_version: ApiVersion,
    pub kind: kind::NodeRemovalList,
    pub scheduler: Scheduler,
    pub source: Source,
    /// The answer in a sentence without a full stop.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Whether all of them can, one after the other.
    pub all_can: bool,
    /// Those that can, in an order that works.
    pub order: Vec<String>,
    /// Whether there are orders that were not tried, in which more of them might.
    pub orders_left: bool,
    /// How many fresh nodes like them are there while one goes; 0 if they go away for good.
    pub surge: usize,
    /// How many timings were tried: which pods are evicted first, and which of several nodes that
    /// are as good they get.
    pub timings: usize,
    /// Whether a rule shows that every order of evictions and bindings ends alike. Otherwise the
    /// answer holds for the timings tried.
    #[serde(default)]
    pub every_order: bool,
    /// The commands that drain those that can.
    pub commands: Vec<String>,
    /// What an administrator may change so that the drain of every node ends, all of it together;
    /// each was simulated, for up to 20 nodes. Empty if nothing that was tried helps, or nothing
    /// is needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<DrainChange>,
    /// Of pods on these nodes of which objects of kind `EvictionRequest` ask: who has to respond, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub eviction_requests: Vec<String>,
    /// Why pods of nodes whose kubelet does not report are not evicted, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_evicting: Vec<String>,
    /// Those that can in their order, then those that cannot.
    pub items: Vec<NodeRemoval>,
    pub notes: Vec<Note>,
}

/// Whether one node can be drained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeRemoval {
    pub node: String,
    /// The answer about it in a sentence without a full stop.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// `Can`, `Cannot`, `DependsOnTiming` (on which pod gets a node first), `DependsOnReadiness` (on
    /// whether replacements become Ready whose predecessors are not) or `Unsure`.
    pub verdict: Text,
    /// Whether with another of the timings tried other pods are refused or get no node. The verdict
    /// may be the same with all of them.
    #[serde(default)]
    pub depends_on_timing: bool,
    /// With how many of the timings tried every pod gets another node.
    #[serde(default)]
    pub timings_done: usize,
    /// What keeps it, with all of the timings tried or with some; empty if it can.
    pub reasons: Vec<Reason>,
    /// The pods that have to leave, in the order of their evictions.
    pub pods: Vec<DrainedPod>,
    /// The pods that stay: those of DaemonSets and static ones.
    pub staying: Vec<StayingPod>,
    /// The budgets that refuse an eviction at first, and permit it once replacements are Ready.
    pub waits_for: Vec<Budget>,
    /// Pods that wait already and get a node meanwhile: they may take the room first.
    pub pending: Vec<Step>,
    /// What the scheduler decides about the replacements, and about those of pods that they preempt.
    pub cascade: Vec<Step>,
    /// The pods elsewhere that moved pods preempt, with the nodes of their replacements.
    pub preempted: Vec<PreemptedPod>,
    /// How many rounds of evictions it takes: each waits until the replacements of the former are
    /// Ready.
    pub rounds: usize,
    /// Fresh nodes that are there while it is drained.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fresh_nodes: Vec<String>,
    /// Whether its kubelet does not report: pods that are evicted do not end until the node is
    /// removed.
    pub silent_kubelet: bool,
    /// What keeps autoscalers from removing it, which does not keep `kubectl drain`.
    pub autoscaler_holds: Vec<AutoscalerHold>,
    /// What autoscalers have said about it, the latest first.
    pub autoscaler_events: Vec<AutoscalerEvent>,
}

/// Something that keeps a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "NodeRemovalReason")
)]
#[serde(rename_all = "camelCase")]
pub struct Reason {
    /// `NoNode`, `Budget` (it allows no disruption to the end), `BudgetNotObserved`,
    /// `SeveralBudgets`, `Stuck` (being deleted, and does not end), `ComesBack`, `Unknown` or
    /// `NotFollowed`.
    pub name: Text,
    /// The same in a sentence.
    pub text: String,
    /// `EveryOrder` (a rule shows that it holds in every order of evictions and bindings),
    /// `OrdersTried` (with all timings tried) or `SomeOrders` (with some of them).
    #[serde(default)]
    pub holds: Text,
    /// The budgets: of `SeveralBudgets`, all that select the pods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<Budget>,
    /// The pods: `NAMESPACE/NAME`.
    pub pods: Vec<String>,
}

/// A budget at one moment of a drain, as the eviction API reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DrainBudget"))]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    pub namespace: String,
    pub name: String,
    /// How many more disruptions it allows.
    pub allowed: i64,
    /// How many of its pods are Ready.
    pub healthy: i64,
    /// How many have to be.
    pub desired: i64,
    /// How many pods it counts.
    pub expected: i64,
    /// `IfHealthyBudget` or `AlwaysAllow`.
    pub unhealthy_pod_eviction_policy: Text,
    /// Why its controller cannot count its pods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_error: Option<String>,
}

/// A pod that has to leave a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DrainedPod {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub priority: i32,
    /// Controllers as `Kind/name`, nearest first.
    pub owners: Vec<String>,
    /// `Moves`, `NoNode`, `ComesBack`, `Unknown` (of its replacement), `NotRecreated`, `Refused`,
    /// `Stuck` or `Ends` (it is being deleted, and its replacement is there already).
    pub outcome: Text,
    /// What else happens to it with other timings tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_outcomes: Vec<Text>,
    /// The nodes that its replacement may get, the one of the usual timing first.
    pub nodes: Vec<String>,
    /// Other nodes that accept it, where it may go if another pod comes first.
    pub also_possible: Vec<String>,
    /// The pods that its replacement preempts.
    pub preempts: Vec<PodId>,
    /// The round of evictions in which it leaves; absent if it stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<usize>,
    /// The budgets that refuse its eviction, at first or to the end.
    pub refused_by: Vec<Budget>,
    /// What is lost or dangerous.
    pub hazards: Vec<Hazard>,
    /// `Gone`, `Static`, `Replaced`, `Pinned`, `Retried` or `Unknown`: what its owner does.
    pub afterwards: Text,
    /// Why its replacement gets no node, or why that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A pod elsewhere that a moved pod preempts, directly or in turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreemptedPod {
    pub namespace: String,
    pub name: String,
    /// The nodes that its replacement may get, as of a pod that leaves.
    pub nodes: Vec<String>,
    pub also_possible: Vec<String>,
}

/// A pod that a drain leaves on its node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StayingPod {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    /// `DaemonSet` or `Static`.
    pub because: Text,
}

/// What keeps an autoscaler from removing a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AutoscalerHold {
    /// `cluster-autoscaler` or `karpenter`.
    pub by: Text,
    /// What it does and why, in a clause.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The pod because of which it does: `NAMESPACE/NAME`; absent if the node itself says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// `Annotation`; or, by the defaults of cluster-autoscaler, `Bare`, `LocalStorage` or
    /// `SystemPod`.
    pub reason: Text,
    /// The annotation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotation: Option<Text>,
    /// What lifts it: annotations and flags of the autoscaler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifted_by: Option<String>,
}

/// What an autoscaler has said about a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AutoscalerEvent {
    pub component: String,
    pub reason: String,
    pub message: String,
    pub time: Option<String>,
}
