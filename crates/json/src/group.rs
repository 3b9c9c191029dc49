//! The decision about a group of pods.

use serde::{Deserialize, Serialize};

use crate::common::{Note, Scheduler, Source};
use crate::decision::{Hold, Node, PreFilter};
use crate::preemption::Victim;
use crate::{ApiVersion, Text, kind};

/// `explain podgroup/NAME`: the decision about a group of pods, where kube-scheduler schedules
/// groups as a whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GroupDecision {
    pub api_version: ApiVersion,
    pub kind: kind::GroupDecision,
    pub group: Group,
    pub scheduler: Scheduler,
    pub source: Source,
    /// The time of the decision; pods that have not started count as started then.
    pub decided_at: String,
    /// `Schedulable`, `Preempt`, `Awaits` (the victims of an earlier preemption are terminating),
    /// `Unschedulable`, `NotInQueue` or `Error`.
    pub outcome: Text,
    /// The cycles that follow at once, for the pods that get no node although enough others do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later_cycles: Vec<LaterCycle>,
    /// What keeps the group out of the queue; absent unless the outcome is `NotInQueue`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<GroupHold>,
    /// kube-scheduler's error; absent unless the outcome is `Error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The pods that wait for a node, in the order in which they are tried.
    pub members: Vec<Member>,
    /// The pods of the group that are on nodes.
    pub running: Vec<PodOnNode>,
    /// Pods of the group, as `namespace/name`, that wait for another scheduler; they do not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of_other_schedulers: Vec<String>,
    /// Why controllers did not make pods of the group, as their Events or their status say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_made: Vec<NotMade>,
    /// The condition that kube-scheduler writes about the group; null if it writes none.
    pub condition: Option<Condition>,
    /// The condition that the group carries now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition_now: Option<Condition>,
    /// The tree that the group belongs to, if kube-scheduler schedules it with other groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<Tree>,
    /// Null if the scheduler does not run it.
    pub preemption: Option<Preemption>,
    /// The victims of a plan that evicts less than kube-scheduler's, which makes one plan only;
    /// absent if none was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alternative: Option<Vec<GroupVictim>>,
    /// What the cycle may lead to, if that is more than one thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Outcomes>,
    /// The topology domains that were tried; empty if the group is not limited to one.
    pub placements: Vec<Placement>,
    /// `Certain`, `OneOf` (nodes or victims that are as good) or `Unsure` (a note of severity error).
    pub certainty: Text,
    pub notes: Vec<Note>,
}

/// `explain workload/NAME`, or of several groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GroupDecisionList {
    pub api_version: ApiVersion,
    pub kind: kind::GroupDecisionList,
    pub items: Vec<GroupDecision>,
    /// The Workloads that were asked for, as far as they exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workloads: Vec<Workload>,
}

/// A further cycle of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LaterCycle {
    /// As `outcome` of the group.
    pub outcome: Text,
    /// How many of its pods are tried.
    pub tried: usize,
    /// Those that get a node, now or once the victims are gone.
    pub placed: Vec<PodOnNode>,
    /// The pods that are evicted, `namespace/name`.
    pub victims: Vec<String>,
    /// As `certainty` of the group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<Text>,
    /// As `outcomes` of the group, whichever outcome the cycle before it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Outcomes>,
}

/// What a cycle may lead to where kube-scheduler takes any of several nodes, topology domains or
/// victims that are as good.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GroupOutcomes"))]
#[serde(rename_all = "camelCase")]
pub struct Outcomes {
    /// Whether these are all. If not, there are too many to try each.
    pub complete: bool,
    /// The smallest number of victims.
    pub fewest: usize,
    /// The largest number of victims.
    pub most: usize,
    /// The pods that are evicted in any case, `namespace/name`.
    pub always: Vec<String>,
    /// The pods some of which are evicted.
    pub among: Vec<String>,
    /// At most 32 of them; one happens. Pods that are alike may also change places.
    pub items: Vec<PossibleOutcome>,
    /// How many there are.
    pub number: usize,
}

/// An outcome of a cycle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "GroupPossibleOutcome")
)]
#[serde(rename_all = "camelCase")]
pub struct PossibleOutcome {
    /// As `outcome` of the group.
    pub outcome: Text,
    /// The pods that get a node, now or once the victims are gone.
    pub placed: Vec<PodOnNode>,
    /// The sets of pods, `namespace/name`, of which one is evicted; absent if there are more than
    /// 32.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub victim_sets: Option<Vec<Vec<String>>>,
}

/// A Workload, and what was made of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Workload {
    pub namespace: String,
    pub name: String,
    /// Its templates of PodGroups, or in 1.35 its pod groups.
    pub groups: Vec<MadeGroups>,
}

/// A template of a Workload, or in 1.35 one of its pod groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MadeGroups {
    pub name: String,
    /// Of a gang.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_count: Option<i64>,
    /// The PodGroups that were made from it, or in 1.35 what pods name of it; empty if there are
    /// none.
    pub groups: Vec<String>,
}

/// A PodGroup; where `exists` is false, pods name it and the other fields are absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PodGroup"))]
#[serde(rename_all = "camelCase")]
pub struct Group {
    pub namespace: String,
    pub name: String,
    pub exists: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// `gang` or `basic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Text>,
    /// Of a gang.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_count: Option<i64>,
    /// `spec.priority`; null if it has none, which counts as 0.
    pub priority: Option<i32>,
    /// `single` or `all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disruption_mode: Option<Text>,
    /// The node label of its topology constraint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology_key: Option<String>,
    /// The Workload that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    /// The CompositePodGroup that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

/// A group of a tree that has less than it needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GroupLack"))]
#[serde(rename_all = "camelCase")]
pub struct Lack {
    /// `PodGroup` or `CompositePodGroup`.
    pub kind: Text,
    /// Its name.
    pub name: String,
    /// How many pods exist, or how many of its groups have what they need.
    pub has: usize,
    /// How many it needs.
    pub needs: i64,
}

/// The tree that a group belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GroupTree"))]
#[serde(rename_all = "camelCase")]
pub struct Tree {
    /// The CompositePodGroup that is its root.
    pub root: String,
    /// The outcome for the root, as for a group.
    pub outcome: Text,
    /// kube-scheduler's text about the root, if it cannot get what it needs. It is written about
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The groups of the tree, from the root down, in the order in which they are tried.
    pub groups: Vec<TreeGroup>,
}

/// A group of a tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TreeGroup {
    /// `PodGroup` or `CompositePodGroup`.
    pub kind: Text,
    /// Its name.
    pub name: String,
    /// How many groups are above it.
    pub depth: usize,
    /// How many pods or groups it needs.
    pub needs: i64,
    /// How many of its pods are on nodes or get one, or how many of its groups get what they need;
    /// in a tree that gets no cycle, how many of its pods exist, or of its groups have their pods.
    pub has: usize,
    /// Whether it was tried.
    pub tried: bool,
}

/// What keeps a group out of the queue.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GroupHold {
    /// `MissingPodGroup`, `NothingWaits`, `TooFewPods`, `MissingCompositePodGroup`, `TooFewInTree`,
    /// `Member` or `Deleting`.
    pub kind: Text,
    /// How many pods of the group exist.
    pub pods: usize,
    /// For `MissingCompositePodGroup`: its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composite_pod_group: Option<String>,
    /// For `TooFewInTree`: the groups of the tree that have less than they need, from the root
    /// down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacking: Vec<Lack>,
    /// For `Member`: the pod as `namespace/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// For `Member`: what keeps this pod out of the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<Hold>,
}

/// A pod of the group that waits for a node.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GroupMember"))]
#[serde(rename_all = "camelCase")]
pub struct Member {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub priority: i32,
    /// What was found beside the pods before it: `Placed`, `Rejected`, `NotTried` or `Failed`;
    /// `Held` if the group gets no cycle.
    pub result: Text,
    /// The node that it gets, now or once the victims are gone; else null.
    pub node: Option<String>,
    /// The nodes that are as good, if it is placed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tied: Vec<String>,
    /// The PodScheduled condition that kube-scheduler writes; null if it writes none.
    pub condition: Option<MemberCondition>,
    /// What the cycle does with `status.nominatedNodeName`: `Kept`, `Cleared` or `Set`; absent if
    /// the group gets no cycle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nomination: Option<Text>,
    /// Set if PreFilter rejects the pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pre_filter: Option<PreFilter>,
    /// The nodes that reject it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected_by: Vec<Node>,
    /// The pods that are evicted for it alone, up to 1.36: `NAMESPACE/NAME`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub victims: Vec<String>,
}

/// Reason and message of a condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "GroupMemberCondition")
)]
pub struct MemberCondition {
    pub reason: String,
    pub message: String,
}

/// A condition of a PodGroup.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GroupCondition"))]
pub struct Condition {
    pub status: bool,
    pub reason: String,
    pub message: String,
}

/// A pod on a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GroupPodOnNode"))]
pub struct PodOnNode {
    /// `namespace/name`.
    pub pod: String,
    pub node: String,
}

/// A controller that did not make a pod.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PodNotMade"))]
pub struct NotMade {
    /// The controller as `Kind/name`.
    pub by: String,
    /// That of its Event (`FailedCreate`) or of its condition (such as `BackoffLimitExceeded` of a
    /// Job that has failed), or `Suspended`.
    pub reason: String,
    /// Empty for a Job that is suspended.
    pub message: String,
}

/// Preemption for a group: one plan for all of its pods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GroupPreemption"))]
#[serde(rename_all = "camelCase")]
pub struct Preemption {
    /// `Evicts`, `Ongoing`, `Never`, `NothingToEvict`, `NotHelpful` or `Failed`.
    pub verdict: Text,
    /// kube-scheduler's text.
    pub message: String,
    /// For `Ongoing`: the pods that are terminating, as `namespace/name`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terminating: Vec<String>,
    /// For `Evicts`: the pods to evict, in kube-scheduler's order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub victims: Option<Vec<GroupVictim>>,
    #[serde(rename = "numPDBViolations", skip_serializing_if = "Option::is_none")]
    pub num_pdb_violations: Option<usize>,
    /// Whether the PodDisruptionBudgets were not read, so that `numPDBViolations` is not known.
    #[serde(rename = "pdbsUnknown", default, skip_serializing_if = "std::ops::Not::not")]
    pub pdbs_unknown: bool,
    /// For `Evicts`: where the plan places the pods of the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placed: Option<Vec<PodOnNode>>,
    /// How many pods have a lower priority.
    pub potential_victims: usize,
}

/// A pod that is evicted for a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GroupVictim {
    pub node: Option<String>,
    /// The group as `namespace/name` whose pods are evicted together; null if the pod is evicted
    /// alone.
    pub together_with: Option<String>,
    /// The pod of the group as `namespace/name` that does not fit beside it.
    pub blocks_pod: Option<String>,
    #[serde(flatten)]
    pub victim: Victim,
}

/// What was found in one topology domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "GroupPlacement"))]
pub struct Placement {
    /// The value of the label.
    pub domain: String,
    pub nodes: Vec<String>,
    pub fits: bool,
    /// kube-scheduler's text, if too few pods fit.
    pub message: Option<String>,
    /// Null unless several domains are large enough.
    pub score: Option<i64>,
    pub chosen: bool,
}
