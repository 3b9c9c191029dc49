//! The result of `simulate --apply`.

use serde::{Deserialize, Serialize};

use crate::common::PodId;
use crate::{ApiVersion, Text, kind};

/// `simulate --apply`: what was sent, what came back, and how each victim ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApplyResult {
    pub api_version: ApiVersion,
    pub kind: kind::ApplyResult,
    /// How it ended.
    pub outcome: Outcome,
    /// Exit code of the program.
    pub exit_code: u8,
    /// Why it ended, if not as planned.
    pub reason: Option<String>,
    /// Which cluster.
    pub cluster: Cluster,
    /// The user, in the server's words; null if it does not say.
    pub user: Option<User>,
    /// `evict` or `delete`.
    pub mode: Text,
    /// `none`, `client` or `server`.
    pub dry_run: Text,
    /// The plan that was carried out.
    pub plan: Plan,
    /// The victims of the plan, in the order of eviction.
    pub victims: Vec<Victim>,
    /// The result of `--nominate` for a pod that is scheduled alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nomination: Option<Nomination>,
    /// Where that pod is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landing: Option<Landing>,
    /// The pods of a group that get nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
    /// When it began.
    pub started_at: String,
    /// When the evictions were agreed to; null if they were not.
    pub confirmed_at: Option<String>,
    /// When it ended.
    pub finished_at: Option<String>,
    /// What was also written to standard error.
    pub warnings: Vec<String>,
}

/// How an apply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ApplyOutcome"))]
pub enum Outcome {
    /// Nothing is decided yet.
    Running,
    /// Everything was done, and the pod is on a node (with `--wait`).
    Applied,
    /// The pod needs no eviction (any more): it fits, or is on a node.
    NotNeeded,
    /// No eviction makes the pod fit: there was no plan.
    Impossible,
    /// Nothing was to be done.
    DryRun,
    /// Nothing was done.
    Refused,
    /// Part of it was done.
    Stopped,
    /// By a signal.
    Interrupted,
    /// One that a newer program has.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Other,
}

/// A cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ApplyCluster"))]
#[serde(rename_all = "camelCase")]
pub struct Cluster {
    /// The kubeconfig's context, if one was used.
    pub context: Option<String>,
    /// The address of the API server.
    pub server: String,
    /// Its version, if it says.
    pub version: Option<String>,
}

/// The user that the server authenticates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ApplyUser"))]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// Name.
    pub name: String,
    /// UID, if it has one.
    pub uid: Option<String>,
    /// Groups.
    pub groups: Vec<String>,
}

/// Which plan it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ApplyPlan"))]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// SHA-1 of the pod or group, the nodes and the victims in their order.
    pub hash: String,
    /// The node of a pod that is scheduled alone; null if no node takes the pod, and for a group.
    pub node: Option<String>,
    /// The pod or the group that gets the room.
    pub preemptor: Preemptor,
}

/// A pod or a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ApplyPreemptor"))]
#[serde(rename_all = "camelCase")]
pub struct Preemptor {
    /// `Pod` or `PodGroup`.
    pub kind: Text,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// UID; empty for a pod that is not in the cluster.
    pub uid: String,
}

/// The result for a pod of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MemberResult"))]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// Which pod.
    #[serde(flatten)]
    pub pod: PodId,
    /// Its node in the plan.
    pub node: String,
    /// The result of `--nominate`.
    pub nomination: Nomination,
    /// Where it is.
    pub landing: Landing,
}

/// The result for a victim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "VictimResult"))]
#[serde(rename_all = "camelCase")]
pub struct Victim {
    /// Which pod.
    #[serde(flatten)]
    pub pod: PodId,
    /// Its priority.
    pub priority: i32,
    /// How far it is.
    pub state: VictimState,
    /// Why it is no further, if something keeps it.
    pub reason: Option<String>,
    /// HTTP status of the last answer to a request that was more than a dry run.
    pub status: Option<u16>,
    /// When the server accepted its eviction, if it did.
    pub accepted_at: Option<String>,
    /// When it was seen to be gone.
    pub gone_at: Option<String>,
    /// Every request that was sent for it.
    pub attempts: Vec<Attempt>,
}

/// How far a victim is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum VictimState {
    /// Nothing was sent for it but dry runs.
    NotStarted,
    /// The server's dry run said yes.
    DryRunPassed,
    /// The server's dry run said no.
    DryRunRefused,
    /// The server said no: it stays.
    Refused,
    /// A request was sent, it is not known whether it was carried out, and the pod was untouched
    /// when it was last looked at.
    Unknown,
    /// The server accepted the eviction; the pod was not seen since.
    Accepted,
    /// It was being deleted before anything was sent, and is so still.
    AlreadyTerminating,
    /// It is being deleted.
    Terminating,
    /// It is gone, and nothing of ours was accepted for it.
    GoneByItself,
    /// It is gone.
    Gone,
    /// One that a newer program has.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Other,
}

/// A request that was sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// `evict`, `delete`, `condition` or `event`.
    pub request: Text,
    /// Whether the server was only to try.
    pub dry_run: bool,
    /// When it was sent.
    pub sent_at: String,
    /// `Accepted`, `BlockedByBudget`, `Busy`, `NotFound`, `Replaced`, `Conflict`, `Refused`,
    /// `NotSent`, `Unknown`, …
    pub outcome: Text,
    /// HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// What the server or the network said.
    pub message: Option<String>,
}

/// The result of the nomination.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Nomination {
    /// How far it is.
    pub state: NominationState,
    /// What was in the way.
    pub reason: Option<String>,
}

/// How far a nomination is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum NominationState {
    /// It was not asked for, or not come to.
    #[default]
    NotSet,
    /// Somebody else had set the same node before.
    AlreadySet,
    /// Could not be set.
    Refused,
    /// We set it, and it stands.
    Set,
    /// We set it, and took it back.
    Cleared,
    /// We may have set it, and could not take it back or find out.
    Unknown,
    /// One that a newer program has.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Other,
}

/// Where the pod is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Landing {
    /// How far it is.
    pub state: LandingState,
    /// Its node.
    pub node: Option<String>,
    /// When it was seen there.
    pub at: Option<String>,
}

/// How far the pod is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum LandingState {
    /// It was not looked at.
    NotAwaited,
    /// It waited for a node when it was last looked at.
    Waiting,
    /// It is on a node.
    Bound,
    /// It is gone.
    Gone,
    /// One that a newer program has.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Other,
}
