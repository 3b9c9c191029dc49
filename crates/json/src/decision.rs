//! The decision about one pod.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::autoscaling::Autoscaling;
use crate::common::{Note, Scheduler, Source};
use crate::edit::Edit;
use crate::evidence::Evidence;
use crate::preemption::{Competitor, Preemption};
use crate::{ApiVersion, Text, kind};

/// `explain` of one pod.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    pub api_version: ApiVersion,
    pub kind: kind::Decision,
    pub pod: Pod,
    /// The version, configuration and filters that decided.
    pub scheduler: Scheduler,
    /// The cluster, file or snapshot that was read.
    pub source: Source,
    /// The time of the decision, from which ages are counted; pods that have not started count as
    /// started then.
    pub decided_at: String,
    /// `Schedulable`, `Preempt`, `Unschedulable`, `NotInQueue` or `Error`.
    pub outcome: Text,
    /// The pod, its priority and the verdict as a sentence, which says so where it is not certain; absent for
    /// the steps of a simulation and the sides of a comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
    /// The group of the pod, if kube-scheduler schedules it as a whole: `outcome` is then what that
    /// means for the pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Membership>,
    /// What the pod waits for once it gets a node, if it is one of a gang in 1.35.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permit: Option<Permit>,
    /// What keeps the pod out of the queue, in a sentence; null unless the outcome is `NotInQueue`.
    pub why: Option<String>,
    /// What keeps the pod out of the queue, as a value; absent unless the outcome is `NotInQueue`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<Hold>,
    /// Who holds the pod instead of kube-scheduler, or before it, and its own reason; absent if
    /// kube-scheduler decides about the pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<Holder>,
    /// Why a pod that has a node, or had one, does not run; absent if nothing says that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_running: Option<NotRunning>,
    /// What is known of the scheduler if no scheduler seems to look at the pod; else absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence: Option<Silence>,
    /// The kind of the error and kube-scheduler's text; null unless the outcome is `Error`.
    pub error: Option<Error>,
    /// kube-scheduler's message about the nodes.
    pub message: Option<String>,
    /// What is written into the pod's condition. Where the node, or the number of victims, is open:
    /// the most likely message.
    pub condition_message: Option<String>,
    /// The other messages that may be written instead, as far as they were found, those about the
    /// most likely node first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_condition_messages: Vec<String>,
    /// How many more messages there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_condition_messages_left_out: Option<usize>,
    /// The condition that the pod carries now, and its `relation` to `conditionMessage`: `equal`,
    /// `stale`, `different` or `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<Condition>,
    /// What rejected the pod before any node was looked at, or left only some nodes.
    pub pre_filter: Option<PreFilter>,
    /// What rejected which node, with code, reasons, operands (`evidence`) and scores;
    /// `alsoRefusedBy` has the filters after the first.
    pub nodes: Vec<Node>,
    /// With `explain --bars`: how full the nodes are for the pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bars: Option<Box<Bars>>,
    /// Which nodes are the nearest to taking a pod that gets none; absent if no filter rejects a
    /// node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Nearest>,
    /// Whether the pod may preempt, the dry run of every node, the tie-break (`ladder`) and
    /// `winners`; `awaits` has the node that it gets once terminating pods are gone.
    pub preemption: Option<Preemption>,
    /// Pending pods that may take the room of the evictions; at most ten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub competitors: Vec<Competitor>,
    /// How many there are, if more than `competitors` has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub competitors_total: Option<usize>,
    /// The nodes that may be taken, and how certain that is.
    pub selected: Selected,
    /// What the pod's own `nominatedNodeName` is worth; absent without one, and for a pod that is
    /// not in the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nomination: Option<Nomination>,
    /// When the pod is tried again; null for a pod that is not in the queue.
    pub waiting: Option<Waiting>,
    /// What has happened to the pod so far, and when; absent if the input has neither Events about its
    /// attempts and victims nor pods that are ending for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
    /// The probability of each node with `--as-scheduled`, for a pod that a node takes or that preempts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_scheduled: Option<AsScheduled>,
    /// What decides against the node that `--why-not` names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<WhyNot>,
    /// Of `explain`, for a pod that preempts on at most 1,000 nodes and without extenders, if it is the only
    /// one or the list is short: whether another plan of evictions is better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_certificate: Option<PlanCertificate>,
    /// What helps a pod that fits nowhere: each was applied and decided again. The least disruptive
    /// first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedies: Option<Vec<Remedy>>,
    /// How many remedies were tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedies_tried: Option<usize>,
    /// How many could be tried; in a large cluster more than were tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedies_proposed: Option<usize>,
    /// What autoscalers do about the pod; absent if it needs no node, or none was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autoscaling: Option<Autoscaling>,
    /// Who acts next, as in a list of pending pods; absent where no autoscaler was found,
    /// and for members of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who_acts: Option<Text>,
    /// How far the answer can be relied on, the most severe first.
    pub notes: Vec<Note>,
}

/// What is known of the scheduler of a pod that no scheduler has looked at for long, or whose
/// scheduler does not run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Silence {
    /// `kube-scheduler`, or the `schedulerName` of the pod.
    pub scheduler: String,
    /// `Down` (none of its pods is Ready, or its Lease is not renewed), `Runs`, or `NotShown` (the
    /// input has neither its pods nor its Lease).
    pub state: Text,
    /// For how long no scheduler has looked at the pod; absent if it was rejected before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<i64>,
    /// What was read about the scheduler, in words.
    pub facts: Vec<String>,
    /// A command of kubectl that tells more.
    pub command: String,
}

/// The nodes that are the nearest to taking a pod that gets none. Their cause is the pod's cause,
/// however many other nodes there are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Nearest {
    /// The nodes, by name.
    pub nodes: Vec<String>,
    /// What it would take: `Full` (other pods have what it needs), `Closed` (cordoned, still
    /// starting or ill), `TooSmall` (even when empty), `OtherPool` (taints, labels, the place of a
    /// volume, no such device), `Reserved` (the control plane, or a node that is being removed) or
    /// `OtherName` (the pod asks for other nodes by name).
    pub nearness: Text,
    /// The plugin whose reason counts on the first of them, and that reason.
    pub plugin: Text,
    pub reason: String,
    /// What the pod requests and no node of the cluster has, however empty it is. Then nothing else
    /// helps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmeetable: Vec<Unmeetable>,
    /// The pods that request most of what those nodes lack of cpu, memory or storage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by: Option<String>,
}

/// A request that no node could ever meet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Unmeetable {
    pub resource: String,
    /// What the pod requests, as a quantity.
    pub requested: String,
    /// What the largest node has when it is empty.
    pub most: String,
}

/// What the nomination of a pod is worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Nomination {
    /// The node, which may not exist.
    pub node: String,
    /// `Used` (the pod gets the node, or preempts there), `Waits` (for its victims), `Stuck` (its
    /// victims should have ended), `NodeGone`, `DoesNotFit` or `OtherNode` (the pod gets another
    /// one).
    pub state: Text,
    /// What it keeps from pods of the pod's priority or a lower one: quantities by resource. Empty
    /// for a node that is gone.
    pub reserves: BTreeMap<String, String>,
    /// Pods that have what the pod lacks on the node, and that it cannot preempt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken_by: Vec<String>,
    /// The victims that should have ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stuck: Vec<StuckPod>,
    /// What ends it: `Placed`, `VictimsGone`, `Replaced` or `Cleared` (by kube-scheduler at its
    /// next attempt), or `PodDeleted`.
    pub ends: Text,
    /// Whether autoscalers pass over the pod because of it. Absent if the pod gets its node, and if
    /// kube-scheduler has not marked it as unschedulable: then it will be bound soon, or another
    /// program has set the nomination.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stops_autoscalers: bool,
    /// `PRE-967` if they do so for nothing: the pod does not fit on the node, where nothing is
    /// terminating, or the node is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Text>,
}

/// A pod that is being deleted and should have ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StuckPod {
    /// `namespace/name`.
    pub pod: String,
    pub overdue_seconds: i64,
    /// What keeps it: `NodeGone`, `SilentKubelet`, `Finalizers` or `GracePeriod` (the kubelet has
    /// not ended it within that).
    pub kept_by: Vec<Text>,
    /// Its finalizers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub finalizers: Vec<String>,
}

/// `explain` of several pods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DecisionList {
    pub api_version: ApiVersion,
    pub kind: kind::DecisionList,
    pub items: Vec<Decision>,
}

/// The pod of this decision.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Pod {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub priority: i32,
    pub preemption_policy: Text,
    pub scheduler_name: String,
    pub nominated_node_name: Option<String>,
}

/// The group of a pod, where kube-scheduler schedules it as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Membership {
    pub namespace: String,
    pub name: String,
    /// As that of a `GroupDecision`.
    pub outcome: Text,
    /// As that of a member in a `GroupDecision`: `outcome`, `nodes` and `selected` of the Decision
    /// are what was found for the pod beside the pods of the group that are tried before it.
    pub result: Text,
    /// How many pods of the group exist.
    pub pods: usize,
    /// Of a gang.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_count: Option<i64>,
}

/// What a pod of a gang waits for at Permit once it gets a node, where each pod has a cycle of its
/// own (1.35).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Permit {
    /// `WORKLOAD/POD-GROUP`, or `WORKLOAD/POD-GROUP/KEY` of a replica.
    pub gang: String,
    /// How many of its pods have to have a node.
    pub min_count: i64,
    /// How many are on nodes.
    pub running: usize,
    /// How many are on nodes or get one, when those that wait are tried one after the other.
    pub assumed: usize,
    /// How many more evict pods, and get a node when those are gone.
    pub evicts: usize,
}

/// Why a pod that has a node does not run, as its kubelet and controllers write it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NotRunning {
    /// A clause about the pod.
    pub cause: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// The command that shows more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// What keeps a pod out of the queue.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Hold {
    /// `Finished`, `Assigned`, `OtherScheduler` (`pod.schedulerName`), `Deleting`, `Gated`,
    /// `Claims`, `Group`, or of a pod of a gang in 1.35 `MissingWorkload`, `MissingPodGroup` or
    /// `TooFewPods`.
    pub kind: Text,
    /// For `Finished`: `Succeeded` or `Failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Text>,
    /// For `Assigned`: the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_name: Option<String>,
    /// For `Assigned`: claims that no volume will be found for, since the pod was put on the node
    /// past kube-scheduler.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unbound_claims: Vec<String>,
    /// For `Gated`: the names of the gates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scheduling_gates: Vec<String>,
    /// For `Claims`: kube-scheduler's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// For `TooFewPods`: how many pods of the gang exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pods: Option<usize>,
}

/// Who holds a pod. All texts are those of the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Holder {
    /// A program of docs/HANDLERS.md, such as `Kueue`, or the name of a scheduler that is not known
    /// here.
    pub name: String,
    /// `Gates` (scheduling gates), `SchedulerName`, or `Quota`: kube-scheduler, or a scheduler like
    /// it, looks at the pod, and its condition tells of a quota or gang.
    pub held_by: Text,
    /// In one word, such as `WaitingForQuota`; empty if it says nothing.
    pub reason: String,
    /// What the pod waits in or with, as `KIND NAME`; may be empty.
    pub place: String,
    /// The same in a sentence, of a long one the beginning; may be empty.
    pub message: String,
    /// What else is known of where it waits, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// The objects that say so, as `KIND NAMESPACE/NAME`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<String>,
    /// Whether autoscalers look at the pod, where the program decides that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autoscalers_look: Option<bool>,
    /// Resources that would say why, and that could not be read or are not in the input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_read: Vec<Text>,
}

/// Why the scheduling cycle ends without a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Error {
    /// `CycleError`: a step returns an error. `Timeout`: a step takes too long. `Crash`:
    /// kube-scheduler panics.
    pub kind: Text,
    /// kube-scheduler's text; for a crash what happens.
    pub text: String,
}

/// The `PodScheduled` condition of the pod, compared with `conditionMessage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    pub message: Option<String>,
    /// `equal`; `stale` (changes in the cluster since then explain the difference); `different`;
    /// `none` (there is no message to compare).
    pub relation: Text,
    /// The difference, or why there is nothing to compare.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The visible changes since then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// The newest minor version of kube-scheduler that writes exactly this message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_by: Option<String>,
    /// The oldest of the minor versions before that one that all write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_since: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreFilter {
    pub plugin: Text,
    pub code: Text,
    pub reasons: Vec<String>,
    /// As those of a node.
    pub reason_codes: Vec<Option<Text>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Node {
    pub name: String,
    pub verdict: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasons: Option<Vec<String>>,
    /// For each of `reasons` its stable code (`kubectl preempt rules`), or null if it has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reason_codes: Vec<Option<Text>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// The plugins behind the first that reject the node as well, for explanation: kube-scheduler
    /// stops at the first. Absent where they are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub also_refused_by: Option<Vec<Refusal>>,
    /// The pods of the same or a higher priority that are nominated to the node, as
    /// `namespace/name`: the filters count them as if they ran there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nominated_pods: Vec<String>,
    /// By plugin: the weighted score. Present when two or more nodes are feasible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<BTreeMap<String, i64>>,
    /// The sum of `scores`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<i64>,
    /// By plugin: how the weighted score came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_details: Option<BTreeMap<Text, Score>>,
    /// With `explain --nodes`: what the node has of each resource that the pod requests.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub room: BTreeMap<String, Room>,
}

/// With `explain --bars`: how full the nodes are for the pod in the resource that most of them lack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Bars {
    pub resource: String,
    /// How much of it the pod requests.
    pub request: String,
    /// The ending that the names of all nodes share, such as `.ec2.internal`; commands take names
    /// without it.
    pub shared_ending: String,
    /// The nodes that tell the most, at most 20: candidates first, the best of them first.
    pub nodes: Vec<NodeBar>,
    /// All nodes, by zone or by pool and zone.
    pub groups: Vec<NodeStates>,
}

/// What is requested on a node, as Kubernetes quantities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeBar {
    pub node: String,
    /// `Chosen`, `Fits`, `Candidate`, `Full`, `Cordoned`, `NotReady`, `Tainted`, `Elsewhere`,
    /// `Otherwise` or `NotTried`.
    pub state: Text,
    /// What pods request that stay.
    pub kept: String,
    /// What the victims there request or, where evicting them is not enough, all pods of lower
    /// priority.
    pub evictable: String,
    /// What no pod requests.
    pub free: String,
    pub allocatable: String,
    pub why: String,
}

/// How many nodes of a group have which state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeStates {
    /// The zone, or pool and zone; empty for nodes without these labels.
    pub name: String,
    pub nodes: usize,
    /// By the names of `nodes[].state`.
    pub states: BTreeMap<Text, usize>,
}

/// What a node has of a resource that the pod requests, as Kubernetes quantities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RoomOnNode"))]
#[serde(rename_all = "camelCase")]
pub struct Room {
    /// How much the pod requests.
    pub wanted: String,
    pub allocatable: String,
    /// What no pod requests.
    pub free: String,
    /// What the victims there request or, where evicting them is not enough, all pods of lower
    /// priority; absent if nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freed_by_evictions: Option<String>,
    /// What is missing after these evictions; absent if there is enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// A plugin that rejects a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Refusal {
    pub plugin: Text,
    pub code: Text,
    pub reasons: Vec<String>,
    /// As those of a node.
    pub reason_codes: Vec<Option<Text>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

/// One plugin's score of one node: `weighted` is `normalized` times `weight`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Score {
    /// As the plugin counts.
    pub raw: i64,
    /// 0 to 100.
    pub normalized: i64,
    pub weight: i64,
    pub weighted: i64,
}

/// Where the pod goes, or would be nominated to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Selected {
    /// `Certain`; `OneOf` (a tie, or an order that the API does not show); `Sampled`
    /// (kube-scheduler does not look at every node); `Unsure` (a note of severity error may change
    /// the answer).
    pub certainty: Text,
    /// Every node that may be chosen, by name.
    pub nodes: Vec<String>,
    /// How many nodes may be chosen, if there may be others than `nodes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub possible: Option<usize>,
    /// Where kube-scheduler does not look at every node: the number of nodes that fit, or of
    /// candidates, after which it stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample_size: Option<usize>,
    /// The most likely node first, where sampling makes the odds known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub odds: Vec<Odds>,
    /// The pods that may be evicted on each of `nodes`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub victims: Vec<VictimSets>,
}

/// How likely a node is chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Odds {
    pub node: String,
    /// A fraction in lowest terms such as `7/50`, exact if `selected.possible` is absent.
    pub probability: String,
}

/// The pods that may be evicted on a node: one of the sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VictimSets {
    pub node: String,
    /// Pods as `namespace/name`. The first set is that of the dry run, unless another node wins
    /// with it; the others arise from orders that the API does not show.
    pub sets: Vec<Vec<String>>,
    /// Where the order of equally important pods decides: what it leaves open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenVictims>,
}

/// What the order of equally important pods leaves open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OpenVictims {
    /// The smallest number of victims.
    pub fewest: usize,
    /// The largest number of victims.
    pub most: usize,
    /// The pods that are evicted in any order.
    pub always: Vec<String>,
    /// The pods some of which are evicted.
    pub among: Vec<String>,
    /// Whether `fewest`, `most` and `among` hold for every order. If not, there are too many orders
    /// to try each.
    pub complete: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    /// What may keep a pod that fits.
    pub kept_by: Vec<String>,
    pub retried_on: Vec<Retry>,
    pub first_backoff_seconds: u32,
    pub longest_backoff_seconds: u32,
    /// After so long it is tried again without any event; absent where only events bring it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flush_seconds: Option<u32>,
}

/// Upon which event a pod is tried again that a plugin has refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Retry {
    pub plugin: Text,
    pub when: Text,
}

/// What has happened to a waiting pod, and what comes next. Times are those of RFC 3339.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Timeline {
    /// In the order of their times.
    pub moments: Vec<Moment>,
    /// When kube-scheduler tries the pod again at the latest; null if only an event leads to that.
    pub retried_by: Option<String>,
    /// The pods that are ending on the node to which the pod is nominated.
    pub ending: Vec<EndingVictim>,
}

/// Something that has happened to a pod.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Moment {
    /// `Created`, `ConditionFalse`, `FailedScheduling` or `Evicted` (pods, for this one).
    pub what: Text,
    pub at: String,
    /// When it happened last, if it has happened several times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// How often it has happened at least.
    pub count: u32,
    /// The reason of the condition, or the message of the Event, which is that of the first time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The pods that were evicted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pods: Vec<String>,
}

/// A pod that is ending.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EndingVictim {
    /// Namespace and name.
    pub pod: String,
    /// When its grace period ends; null if that could not be read.
    pub due: Option<String>,
    /// What keeps it although its grace period is over.
    pub kept_by: Vec<String>,
}

/// What decides against one node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WhyNot {
    pub node: String,
    /// The node that is selected instead; null if none is, or if it is this one.
    pub selected: Option<String>,
    /// `Nothing` if the node is selected, `Awaited` if it is once victims there are gone, `Chance` if
    /// it may be as one of equal nodes, `Sample` if it may be by which nodes are looked at, `Assigned`
    /// if the pod has a node, else what decides first: `Filter`, `TieBreak`, `Score`, `Nomination`,
    /// `Sampling` where enough nodes were found before it, or `NoCycle`.
    pub decides: Text,
    /// The same in a sentence, with its reasons or values.
    pub text: String,
    /// The plugin that rejects the node, or whose scores differ most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin: Option<String>,
    /// The criterion of the tie-break.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
}

/// Whether kube-scheduler's plan of evictions is the best one: all sets of pods of lower priority on
/// each node that preemption tries are searched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanCertificate {
    /// The node of kube-scheduler's plan; of several that tie, the first.
    pub node: String,
    pub cost: PlanCost,
    /// By the fields of `cost`, in their order: kube-scheduler's criteria but for the last, the start
    /// of the most important victims.
    pub cheapest: PlanProof,
    /// By the number of victims alone.
    pub fewest: PlanProof,
    /// Both in sentences.
    pub text: Vec<String>,
}

/// What evictions cost; the lowest is the best.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanCost {
    /// How many victims a PDB does not allow to evict. Unlike in kube-scheduler's dry run only the
    /// victims are counted.
    pub violations: i64,
    /// Whether the PodDisruptionBudgets were not read, so that `violations` is not known.
    #[serde(rename = "pdbsUnknown", default, skip_serializing_if = "std::ops::Not::not")]
    pub pdbs_unknown: bool,
    /// The priority of the most important victim.
    pub highest: i64,
    /// The sum of the victims' priorities, with 2^31 added to each.
    pub sum: i64,
    pub victims: usize,
}

/// Whether a plan is the best one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanProof {
    /// `Proven` (no set of pods is better), `Better` (the one named here is) or `NotProven`.
    pub verdict: Text,
    /// The node of the better plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Its victims, `NAMESPACE/NAME`, the most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub victims: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<PlanCost>,
    /// Of `NotProven`: the nodes that were not searched to the end, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_searched: Vec<String>,
}

/// What the scheduler itself may pick: it stops looking before it has seen every node, and where it
/// starts is chance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AsScheduled {
    /// What it picks from: `feasible` nodes, or candidates of `preemption`.
    pub kind: Text,
    /// Whether it may stop before it has seen all of them; if not, every start leads to the same.
    pub sampled: bool,
    /// The starts that were tried, each as likely as the others.
    pub starts: usize,
    /// The number of nodes or candidates after which it stops looking.
    pub sample_size: usize,
    /// The likeliest first. Probabilities sum up to 1.
    pub nodes: Vec<Share>,
}

/// How likely a node is picked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Share {
    pub name: String,
    /// Of the exact probability, in lowest terms; null where that takes numbers of more than 64
    /// bits.
    pub numerator: Option<u64>,
    pub denominator: Option<u64>,
    /// 0 to 1.
    pub probability: f64,
    /// From how many starts it is one of the best.
    pub best_from: usize,
    /// From how many of them others are as good.
    pub tied_from: usize,
}

/// Edits that help.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Remedy {
    /// What is done, such as `Uncordon`; docs/commands/explain.md has every kind.
    pub kind: Text,
    pub summary: String,
    pub edits: Vec<Edit>,
    /// `Schedulable` or `Preempt`.
    pub outcome: Text,
    /// The nodes that kube-scheduler then selects or nominates.
    pub nodes: Vec<String>,
    /// The command that shows it: the arguments behind the program's name. It exits with 0.
    pub check: Vec<String>,
}
