//! The result of `simulate --apply` as JSON. The comments on the fields are the descriptions in the published schema.

mod from_journal;

use schemars::JsonSchema;
use serde::Serialize;

use render::json::JsonPodId;

/// What was done, and what came of it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApplyResult")]
pub struct JsonApplyResult {
    api_version: &'static str,
    kind: &'static str,
    /// How it ended.
    outcome: JsonApplyOutcome,
    /// Exit code of the program.
    exit_code: u8,
    /// Why it ended, if not as planned.
    reason: Option<String>,
    /// Which cluster.
    cluster: JsonCluster,
    /// The user, in the server's words; null if it does not say.
    user: Option<JsonUser>,
    /// `evict` or `delete`.
    mode: &'static str,
    /// `none`, `client` or `server`.
    dry_run: &'static str,
    /// The plan that was carried out.
    plan: JsonPlanId,
    /// The victims of the plan, in the order of eviction.
    victims: Vec<JsonVictimResult>,
    /// The result of `--nominate` for a pod that is scheduled alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    nomination: Option<JsonNomination>,
    /// Where that pod is.
    #[serde(skip_serializing_if = "Option::is_none")]
    landing: Option<JsonLanding>,
    /// The pods of a group that get nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    members: Vec<JsonMemberResult>,
    /// When it began.
    started_at: String,
    /// When the evictions were agreed to; null if they were not.
    confirmed_at: Option<String>,
    /// When it ended.
    finished_at: Option<String>,
    /// What was also written to standard error.
    warnings: Vec<String>,
}

/// How an apply ended.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApplyOutcome")]
enum JsonApplyOutcome {
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
}

/// A cluster.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApplyCluster")]
struct JsonCluster {
    /// The kubeconfig's context, if one was used.
    context: Option<String>,
    /// The address of the API server.
    server: String,
    /// Its version, if it says.
    version: Option<String>,
}

/// The user that the server authenticates.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApplyUser")]
struct JsonUser {
    /// Name.
    name: String,
    /// UID, if it has one.
    uid: Option<String>,
    /// Groups.
    groups: Vec<String>,
}

/// Which plan it is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApplyPlan")]
struct JsonPlanId {
    /// SHA-1 of the pod or group, the nodes and the victims in their order.
    hash: String,
    /// The node of a pod that is scheduled alone; null if no node takes the pod, and for a group.
    node: Option<String>,
    /// The pod or the group that gets the room.
    preemptor: JsonPreemptor,
}

/// A pod or a group.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApplyPreemptor")]
struct JsonPreemptor {
    /// `Pod` or `PodGroup`.
    kind: &'static str,
    /// Namespace.
    namespace: String,
    /// Name.
    name: String,
    /// UID; empty for a pod that is not in the cluster.
    uid: String,
}

/// The result for a pod of a group.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MemberResult")]
struct JsonMemberResult {
    /// Which pod.
    #[serde(flatten)]
    pod: JsonPodId,
    /// Its node in the plan.
    node: String,
    /// The result of `--nominate`.
    nomination: JsonNomination,
    /// Where it is.
    landing: JsonLanding,
}

/// The result for a victim.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "VictimResult")]
struct JsonVictimResult {
    /// Which pod.
    #[serde(flatten)]
    pod: JsonPodId,
    /// Its priority.
    priority: i32,
    /// How far it is.
    state: JsonVictimState,
    /// Why it is no further, if something keeps it.
    reason: Option<String>,
    /// HTTP status of the last answer to a request that was more than a dry run.
    status: Option<u16>,
    /// When the server accepted its eviction, if it did.
    accepted_at: Option<String>,
    /// When it was seen to be gone.
    gone_at: Option<String>,
    /// Every request that was sent for it.
    attempts: Vec<JsonAttempt>,
}

/// How far a victim is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "VictimState")]
enum JsonVictimState {
    /// Nothing was sent for it but dry runs.
    NotStarted,
    /// The server's dry run said yes.
    DryRunPassed,
    /// The server's dry run said no.
    DryRunRefused,
    /// The server said no: it stays.
    Refused,
    /// A request was sent, it is not known whether it was carried out, and the pod was untouched when it was last looked at.
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
}

/// A request that was sent.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Attempt")]
struct JsonAttempt {
    /// `evict`, `delete`, `condition` or `event`.
    request: &'static str,
    /// Whether the server was only to try.
    dry_run: bool,
    /// When it was sent.
    sent_at: String,
    /// `Accepted`, `BlockedByBudget`, `Busy`, `NotFound`, `Replaced`, `Conflict`, `Refused`, `NotSent`, `Unknown`, …
    outcome: &'static str,
    /// HTTP status, if there was an answer.
    status: Option<u16>,
    /// What the server or the network said.
    message: Option<String>,
}

/// The result of the nomination.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Nomination")]
struct JsonNomination {
    /// How far it is.
    state: JsonNominationState,
    /// What was in the way.
    reason: Option<String>,
}

/// How far a nomination is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NominationState")]
enum JsonNominationState {
    /// It was not asked for, or not come to.
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
}

/// Where the pod is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Landing")]
struct JsonLanding {
    /// How far it is.
    state: JsonLandingState,
    /// Its node.
    node: Option<String>,
    /// When it was seen there.
    at: Option<String>,
}

/// How far the pod is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LandingState")]
enum JsonLandingState {
    /// It was not looked at.
    NotAwaited,
    /// It waited for a node when it was last looked at.
    Waiting,
    /// It is on a node.
    Bound,
    /// It is gone.
    Gone,
}

#[cfg(test)]
mod tests;
