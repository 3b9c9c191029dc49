//! The shapes of the JSON answer about a group of pods.

use schemars::JsonSchema;
use serde::Serialize;

use crate::hold::JsonHold;
use crate::preemption::JsonVictim;
use crate::types::{JsonNode, JsonNote, JsonPreFilter, JsonScheduler, JsonSource};

/// The decision about a group of pods, where kube-scheduler schedules groups as a whole.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GroupDecision")]
pub struct JsonGroupDecision {
    pub(super) api_version: &'static str,
    pub(super) kind: &'static str,
    pub(super) group: JsonGroup,
    pub(super) scheduler: JsonScheduler,
    pub(super) source: JsonSource,
    /// The time of the decision; pods that have not started count as started then.
    pub(super) decided_at: String,
    /// `Schedulable`, `Preempt`, `Awaits` (the victims of an earlier preemption are terminating), `Unschedulable`, `NotInQueue` or
    /// `Error`.
    pub(super) outcome: &'static str,
    /// What keeps the group out of the queue; absent unless the outcome is `NotInQueue`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hold: Option<JsonGroupHold>,
    /// kube-scheduler's error; absent unless the outcome is `Error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    /// The pods that wait for a node, in the order in which they are tried.
    pub(super) members: Vec<JsonMember>,
    /// The pods of the group that are on nodes.
    pub(super) running: Vec<JsonPlaced>,
    /// Pods of the group, as `namespace/name`, that wait for another scheduler; they do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) of_other_schedulers: Vec<String>,
    /// Why controllers did not make pods of the group, as their Events or their status say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) not_made: Vec<JsonNotMade>,
    /// The condition that kube-scheduler writes about the group; null if it writes none.
    pub(super) condition: Option<JsonGroupCondition>,
    /// The condition that the group carries now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) condition_now: Option<JsonGroupCondition>,
    /// The tree that the group belongs to, if kube-scheduler schedules it with other groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tree: Option<JsonTree>,
    /// Null if the scheduler does not run it.
    pub(super) preemption: Option<JsonGroupPreemption>,
    /// The victims of a plan that evicts less than kube-scheduler's, which makes one plan only; absent if none was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) alternative: Option<Vec<JsonGroupVictim>>,
    /// The topology domains that were tried; empty if the group is not limited to one.
    pub(super) placements: Vec<JsonPlacement>,
    /// `Certain`, `OneOf` (nodes that are as good) or `Unsure` (a note of severity error).
    pub(super) certainty: &'static str,
    pub(super) notes: Vec<JsonNote>,
}

/// Decisions about several groups.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GroupDecisionList")]
pub struct JsonGroupDecisionList {
    pub(super) api_version: &'static str,
    pub(super) kind: &'static str,
    pub(super) items: Vec<JsonGroupDecision>,
    /// The Workloads that were asked for, as far as they exist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) workloads: Vec<JsonWorkload>,
}

/// A Workload, and what was made of it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Workload")]
pub struct JsonWorkload {
    pub(super) namespace: String,
    pub(super) name: String,
    /// Its templates of PodGroups, or in 1.35 its pod groups.
    pub(super) groups: Vec<JsonMadeGroups>,
}

/// A template of a Workload, or in 1.35 one of its pod groups.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MadeGroups")]
pub(super) struct JsonMadeGroups {
    pub(super) name: String,
    /// Of a gang.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_count: Option<i64>,
    /// The PodGroups that were made from it, or in 1.35 what pods name of it; empty if there are none.
    pub(super) groups: Vec<String>,
}

/// A PodGroup; where `exists` is false, pods name it and the other fields are absent.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PodGroup")]
pub(super) struct JsonGroup {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) exists: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uid: Option<String>,
    /// `gang` or `basic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) policy: Option<&'static str>,
    /// Of a gang.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_count: Option<i64>,
    /// `spec.priority`; null if it has none, which counts as 0.
    pub(super) priority: Option<i32>,
    /// `single` or `all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) disruption_mode: Option<&'static str>,
    /// The node label of its topology constraint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) topology_key: Option<String>,
    /// The Workload that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) workload: Option<String>,
    /// The CompositePodGroup that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<String>,
}

/// A group of a tree that has less than it needs.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GroupLack")]
pub(super) struct JsonLack {
    /// `PodGroup` or `CompositePodGroup`.
    pub(super) kind: &'static str,
    /// Its name.
    pub(super) name: String,
    /// How many pods exist, or how many of its groups have what they need.
    pub(super) has: usize,
    /// How many it needs.
    pub(super) needs: i64,
}

/// The tree that a group belongs to.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GroupTree")]
pub(super) struct JsonTree {
    /// The CompositePodGroup that is its root.
    pub(super) root: String,
    /// The outcome for the root, as for a group.
    pub(super) outcome: &'static str,
    /// kube-scheduler's text about the root, if it cannot get what it needs. It is written about none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    /// The groups of the tree, from the root down, in the order in which they are tried.
    pub(super) groups: Vec<JsonTreeRow>,
}

/// A group of a tree.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TreeGroup")]
pub(super) struct JsonTreeRow {
    /// `PodGroup` or `CompositePodGroup`.
    pub(super) kind: &'static str,
    /// Its name.
    pub(super) name: String,
    /// How many groups are above it.
    pub(super) depth: usize,
    /// How many pods or groups it needs.
    pub(super) needs: i64,
    /// How many of its pods are on nodes or get one, or how many of its groups get what they need; in a tree that gets no cycle, how
    /// many of its pods exist, or of its groups have their pods.
    pub(super) has: usize,
    /// Whether it was tried.
    pub(super) tried: bool,
}

/// What keeps a group out of the queue.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GroupHold")]
pub(super) struct JsonGroupHold {
    /// `MissingPodGroup`, `NothingWaits`, `TooFewPods`, `MissingCompositePodGroup`, `TooFewInTree`, `Member` or `Deleting`.
    pub(super) kind: &'static str,
    /// How many pods of the group exist.
    pub(super) pods: usize,
    /// For `MissingCompositePodGroup`: its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) composite_pod_group: Option<String>,
    /// For `TooFewInTree`: the groups of the tree that have less than they need, from the root down.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) lacking: Vec<JsonLack>,
    /// For `Member`: the pod as `namespace/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pod: Option<String>,
    /// For `Member`: what keeps this pod out of the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hold: Option<JsonHold>,
}

/// A pod of the group that waits for a node.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GroupMember")]
pub(super) struct JsonMember {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) priority: i32,
    /// What was found beside the pods before it: `Placed`, `Rejected`, `NotTried` or `Failed`; `Held` if the group gets no cycle.
    pub(super) result: &'static str,
    /// The node that it gets, now or once the victims are gone; else null.
    pub(super) node: Option<String>,
    /// The nodes that are as good, if it is placed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tied: Vec<String>,
    /// The PodScheduled condition that kube-scheduler writes; null if it writes none.
    pub(super) condition: Option<JsonMemberCondition>,
    /// What the cycle does with `status.nominatedNodeName`: `Kept`, `Cleared` or `Set`; absent if the group gets no cycle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) nomination: Option<&'static str>,
    /// Set if PreFilter rejects the pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pre_filter: Option<JsonPreFilter>,
    /// The nodes that reject it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) rejected_by: Vec<JsonNode>,
    /// The pods that are evicted for it alone, up to 1.36: `NAMESPACE/NAME`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) victims: Vec<String>,
}

/// Reason and message of a condition.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GroupMemberCondition")]
pub(super) struct JsonMemberCondition {
    pub(super) reason: String,
    pub(super) message: String,
}

/// A condition of a PodGroup.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GroupCondition")]
pub(super) struct JsonGroupCondition {
    pub(super) status: bool,
    pub(super) reason: String,
    pub(super) message: String,
}

/// A pod on a node.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GroupPodOnNode")]
pub(super) struct JsonPlaced {
    /// `namespace/name`.
    pub(super) pod: String,
    pub(super) node: String,
}

/// A controller that did not make a pod.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PodNotMade")]
pub(super) struct JsonNotMade {
    /// The controller as `Kind/name`.
    pub(super) by: String,
    /// That of its Event (`FailedCreate`) or of its condition (such as `BackoffLimitExceeded` of a Job that has failed), or `Suspended`.
    pub(super) reason: String,
    /// Empty for a Job that is suspended.
    pub(super) message: String,
}

/// Preemption for a group: one plan for all of its pods.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GroupPreemption")]
pub(super) struct JsonGroupPreemption {
    /// `Evicts`, `Ongoing`, `Never`, `NothingToEvict`, `NotHelpful` or `Failed`.
    pub(super) verdict: &'static str,
    /// kube-scheduler's text.
    pub(super) message: String,
    /// For `Ongoing`: the pods that are terminating, as `namespace/name`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) terminating: Vec<String>,
    /// For `Evicts`: the pods to evict, in kube-scheduler's order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) victims: Option<Vec<JsonGroupVictim>>,
    #[serde(rename = "numPDBViolations", skip_serializing_if = "Option::is_none")]
    pub(super) num_pdb_violations: Option<usize>,
    /// For `Evicts`: where the plan places the pods of the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) placed: Option<Vec<JsonPlaced>>,
    /// How many pods have a lower priority.
    pub(super) potential_victims: usize,
}

/// A pod that is evicted for a group.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GroupVictim")]
pub(super) struct JsonGroupVictim {
    pub(super) node: Option<String>,
    /// The group as `namespace/name` whose pods are evicted together; null if the pod is evicted alone.
    pub(super) together_with: Option<String>,
    /// The pod of the group as `namespace/name` that does not fit beside it.
    pub(super) blocks_pod: Option<String>,
    #[serde(flatten)]
    pub(super) victim: JsonVictim,
}

/// What was found in one topology domain.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GroupPlacement")]
pub(super) struct JsonPlacement {
    /// The value of the label.
    pub(super) domain: String,
    pub(super) nodes: Vec<String>,
    pub(super) fits: bool,
    /// kube-scheduler's text, if too few pods fit.
    pub(super) message: Option<String>,
    /// Null unless several domains are large enough.
    pub(super) score: Option<i64>,
    pub(super) chosen: bool,
}
