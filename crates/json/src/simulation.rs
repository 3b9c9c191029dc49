//! What would happen.

use serde::{Deserialize, Serialize};

use crate::common::{GroupId, Likelihood, Note, PodId, Scheduler, Source};
use crate::edit::Edit;
use crate::preemption::Competitor;
use crate::{ApiVersion, Text, kind};

/// `simulate`: what would happen. `assumptions` are the edits that the what-if flags make.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Simulation {
    pub api_version: ApiVersion,
    pub kind: kind::Simulation,
    pub scheduler: Scheduler,
    pub source: Source,
    /// The answer in a sentence without a full stop: about the drain, all pods, or the only one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What is assumed, in the order of the flags.
    pub assumptions: Vec<Edit>,
    /// The simulation in numbers.
    #[serde(default)]
    pub totals: Totals,
    /// The nodes that are drained, if a drain was asked about: `--drain` without pods. The
    /// replacements are in `cascade`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drains: Vec<Drain>,
    /// Of a drain: what an administrator may change so that it ends; see `NodeRemovalList`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drain_changes: Vec<DrainChange>,
    /// Of a drain or a change: pods that wait already and get a node meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub competing: Vec<Step>,
    /// How the workloads of the manifests change; absent if none of them exists yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// What a change comes to in several orders in which controllers act and pods come to the
    /// scheduler; the first of them is shown in detail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orders: Option<Orders>,
    /// The pods that were asked about, or their groups, in the scheduler's order: each sees what
    /// the former do.
    pub steps: Vec<Step>,
    /// Pods of manifests that the API server would not create.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Refused>,
    /// The replacements of victims, generation by generation.
    pub cascade: Vec<Step>,
    /// Replacements without a decision, because they are too many or come too late.
    pub not_followed: usize,
    /// What `--fail-on`, `--max-victims`, `--protect` or `--no-fail` make of it, if one is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    pub notes: Vec<Note>,
}

/// What an administrator may change before nodes go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DrainChange {
    /// `Replica` (one more, before the nodes go), `MinReplicas` (the same by a
    /// `HorizontalPodAutoscaler`), `MinAvailable`, `MaxUnavailable` or `EvictUnready`
    /// (of a PodDisruptionBudget, while the drain lasts).
    pub name: Text,
    /// The same in a clause.
    pub text: String,
    /// The object that changes, as `Kind/name`.
    pub object: String,
    pub namespace: String,
    /// The commands that change it.
    pub commands: Vec<String>,
    /// The command that undoes it afterwards; absent if what was there before is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
}

/// What a change comes to in the orders that were played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ChangeOrders"))]
#[serde(rename_all = "camelCase")]
pub struct Orders {
    pub played: usize,
    /// In how many of them the change completes.
    pub completes: usize,
    /// The workloads of which pods end Pending or are preempted in one of them.
    pub workloads: Vec<WorkloadRange>,
}

/// A number that depends on the order in which pods come to the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "NumberRange"))]
#[serde(rename_all = "camelCase")]
pub struct Range {
    pub fewest: usize,
    pub most: usize,
}

/// How many pods of a workload end Pending, and are preempted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkloadRange {
    /// `Pod` for a pod without a controller.
    pub kind: String,
    pub namespace: String,
    pub name: String,
    pub pending: Range,
    pub preempted: Range,
}

/// A document of a manifest that makes pods.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The file, or `standard input`.
    pub file: String,
    /// The line on which the document begins, from 1.
    pub line: usize,
    pub kind: String,
    pub namespace: String,
    pub name: String,
}

/// How a workload changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WorkloadChange"))]
#[serde(rename_all = "camelCase")]
pub struct Change {
    pub kind: String,
    pub namespace: String,
    pub name: String,
    /// `New`, `Unchanged`, `Scaled`, `RolledOut` or `Gone`.
    pub change: Text,
    /// How many pods it wants before and after.
    pub before: usize,
    pub after: usize,
    /// Whether the input has the template of its pods, so that `change` is certain.
    pub certain: bool,
    /// Its pods that leave, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<PodId>,
    /// Where the change stops, if it does not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stops: Option<ChangeStop>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Manifest>,
}

/// Where a change stops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangeStop {
    /// How many of the pods that are wanted are available.
    pub available: usize,
    pub wanted: usize,
    /// The pod that holds it up, `namespace/name`.
    pub pod: String,
    pub text: String,
}

/// A pod that the API server would not create.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RefusedPod"))]
#[serde(rename_all = "camelCase")]
pub struct Refused {
    pub pod: PodId,
    pub why: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Manifest>,
}

/// What a change does that it should not do, and whether that is a failure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Gate {
    /// The verdict in a clause.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Whether something fails: then the exit code is not 0.
    pub fails: bool,
    /// `unschedulable`, `victims`, `pdb`, `new-node` and `uncertain`, as far as they fail.
    pub fail_on: Vec<Text>,
    /// The most pods that may be evicted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_victims: Option<usize>,
    /// The namespaces and selectors of pods that may not be evicted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protect: Vec<String>,
    /// Whether findings never fail (`--no-fail`).
    #[serde(default)]
    pub report_only: bool,
    /// The pods that are evicted, also for the replacements of others.
    pub evicted: usize,
    /// What was found, what fails first.
    pub findings: Vec<GateFinding>,
    /// The outcome for each manifest with pods, those with something to say first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<GateOutcome>,
}

/// The outcome for the pods of a manifest, or for a pod that no manifest makes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GateOutcome {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Manifest>,
    /// The first of the pods, `namespace/name`.
    pub first: String,
    /// How many get a node, and where, in a clause.
    pub text: String,
    pub pods: usize,
    pub placed: usize,
    /// How many pods are evicted for them.
    pub evicted: usize,
}

/// What a gate found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GateFinding {
    /// `PRE-nnn`: of pods without a node the reason that most nodes have, else what it is.
    pub code: Text,
    /// `unschedulable`, `victims`, `pdb`, `new-node` or `uncertain`.
    pub condition: Text,
    pub fails: bool,
    /// How severe it is for a CI system: `Error`, `Warning` or `Info`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Text>,
    /// Why it is accepted although it would fail: `--ignore`, or the reason of an annotation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignored: Option<String>,
    /// The document that it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Manifest>,
    /// The pods and groups of the manifests that it concerns, `namespace/name`; empty if it
    /// concerns all.
    pub pods: Vec<String>,
    /// The pods that are evicted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub victims: Vec<PodId>,
    pub text: String,
}

/// A simulation in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SimulationTotals"))]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// The pods that were asked about.
    pub pods: usize,
    /// Those that get a node, with or without evictions.
    pub placed: usize,
    /// The pods that are evicted for them, or by a drain.
    pub evicted: usize,
    /// The replacements of all victims, also of those that replacements evict.
    pub replacements: usize,
    /// The replacements that get no node.
    pub replacements_pending: usize,
}

/// A node that is drained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Drain {
    pub node: String,
    /// `Can`, `Cannot`, `DependsOnTiming`, `DependsOnReadiness` or `Unsure`: whether every pod of
    /// it gets another node, as `node` says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Text>,
    /// The pods that leave it, in the order of eviction.
    pub victims: Vec<Victim>,
    /// How many pods stay: those of DaemonSets and static ones.
    pub staying: usize,
    /// Of the victims, those that never leave: a budget refuses their eviction to the end, or they
    /// are being deleted and do not end. `node` says more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<PodId>,
    /// Seconds until the last pod has stopped, if no budget delays an eviction.
    pub seconds_to_room: i64,
}

/// The decision for one pod, or for the pods of a group together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SimulationStep"))]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// The pod, if it is scheduled alone; of the cascade, the one that is replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<PodId>,
    /// The group whose pods are scheduled together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupId>,
    /// The document of `-f` that makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Manifest>,
    pub priority: i32,
    /// 0 for a pod that was asked about, 1 for the replacement of one of its victims, and so on.
    pub depth: usize,
    /// The outcome in a sentence without a full stop.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// `Fits`, `Evict`, `Awaits` (all pods of the plan are terminating already), `Impossible` or
    /// `Unknown`.
    pub outcome: Text,
    /// Where it goes, the most likely node first; several where kube-scheduler may take any. Of a
    /// group, the nodes of all its pods.
    pub nodes: Vec<String>,
    /// The pods of a group that get a node, in the order in which they are tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placements: Vec<Placement>,
    /// The waiting pods of a group that get no node although others do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<PodId>,
    /// How likely it is the first of `nodes`, where kube-scheduler does not look at every node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likelihood: Option<Likelihood>,
    /// With `--on`: where the scheduler itself would go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scheduler_picks: Vec<String>,
    /// Why there is no way, or why none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// Which pods kube-scheduler itself may evict instead of those of the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_victims: Option<OpenVictims>,
    /// Who acts next if it stays pending: `autoscaler`, `nobody` or `not known`; absent where no
    /// autoscaler was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who_acts: Option<Text>,
    /// What autoscalers do about it, as `autoscaling.verdict` of a Decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autoscaling: Option<Text>,
}

/// A pod and its node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Placement {
    #[serde(flatten)]
    pub pod: PodId,
    pub node: String,
}

/// Who is to go, and what that costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The node of a pod that is scheduled alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// In the order of eviction.
    pub victims: Vec<Victim>,
    /// Seconds until the room is free at the latest, if all are deleted at once.
    pub seconds_to_room: i64,
    /// Pending pods that may take the room of the evictions; at most ten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub competitors: Vec<Competitor>,
    /// How many there are, if more than `competitors` has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub competitors_total: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PlannedVictim"))]
#[serde(rename_all = "camelCase")]
pub struct Victim {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    /// Its node.
    pub node: String,
    pub priority: i32,
    pub grace_period_seconds: i64,
    pub terminating: bool,
    /// Controllers as `Kind/name`, nearest first.
    pub owners: Vec<String>,
    pub budgets: Vec<BudgetUse>,
    pub hazards: Vec<Hazard>,
    /// `Gone`, `Static`, `Replaced`, `Pinned`, `Retried` or `Unknown`.
    pub afterwards: Text,
    /// What ties the replacement to the node: `DaemonSet`, `NodeSelector` or `Volume`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned_by: Option<Text>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BudgetUse {
    pub namespace: String,
    pub name: String,
    pub allowed_before: i64,
    pub allowed_after: i64,
    pub violated: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Hazard {
    pub name: Text,
    pub text: String,
    /// The flag without which `--apply` refuses; absent if it is only said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waived_by: Option<Text>,
}

/// Pods of the same importance, of which kube-scheduler evicts some: which, depends on an order
/// that the API does not show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "SimulatedOpenVictims")
)]
pub struct OpenVictims {
    /// The smallest number of them that is evicted.
    pub fewest: usize,
    /// The largest number of them that is evicted.
    pub most: usize,
    /// The pods.
    pub pods: Vec<PodId>,
    /// Whether every order was tried. If not, there are too many.
    pub complete: bool,
}
