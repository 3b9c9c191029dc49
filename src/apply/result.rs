//! What `simulate --apply` did, as JSON: the audit trail. Filled in while it runs, so that it is complete whenever it ends.

use schemars::JsonSchema;
use serde::Serialize;

use engine::simulation::plan::{Plan, PodId};
use engine::snapshot::API_VERSION;
use render::json::JsonPodId;

/// What was done, and what came of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApplyResult")]
pub struct JsonApplyResult {
    api_version: &'static str,
    kind: &'static str,
    /// How it ended.
    pub outcome: ApplyOutcome,
    /// Exit code of the program.
    pub exit_code: u8,
    /// Why it ended, if not as planned.
    pub reason: Option<String>,
    /// Which cluster.
    pub cluster: JsonCluster,
    /// As whom, in the server's words; null if it does not say.
    pub user: Option<JsonUser>,
    /// `evict` or `delete`.
    pub mode: &'static str,
    /// `none`, `client` or `server`.
    pub dry_run: &'static str,
    /// The plan that was carried out.
    pub plan: JsonPlanId,
    /// Everybody of the plan, in the order of eviction.
    pub victims: Vec<JsonVictimResult>,
    /// What became of `--nominate`.
    pub nomination: JsonNomination,
    /// Where the pod is.
    pub landing: JsonLanding,
    /// When it began.
    pub started_at: String,
    /// When the evictions were agreed to; null if they were not.
    pub confirmed_at: Option<String>,
    /// When it ended.
    pub finished_at: Option<String>,
    /// What was told on standard error beside.
    pub warnings: Vec<String>,
}

/// How an apply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub enum ApplyOutcome {
    /// Nothing is decided yet.
    Running,
    /// Everything was done, and the pod is on a node (with `--wait`).
    Applied,
    /// The pod needed nobody's room (any more): it fits, or is on a node.
    NotNeeded,
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
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApplyCluster")]
pub struct JsonCluster {
    /// The kubeconfig's context, if one was used.
    pub context: Option<String>,
    /// The address of the API server.
    pub server: String,
    /// Its version, if it says.
    pub version: Option<String>,
}

/// Whom the server takes us for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApplyUser")]
pub struct JsonUser {
    /// Name.
    pub name: String,
    /// UID, if it has one.
    pub uid: Option<String>,
    /// Groups.
    pub groups: Vec<String>,
}

/// Which plan it is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApplyPlan")]
pub struct JsonPlanId {
    /// SHA-1 of the pod, the node and the victims in their order.
    pub hash: String,
    /// The node.
    pub node: String,
    /// The pod that gets the room.
    pub preemptor: JsonPodId,
}

/// What became of a victim.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "VictimResult")]
pub struct JsonVictimResult {
    /// Which pod.
    #[serde(flatten)]
    pub pod: JsonPodId,
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
    pub attempts: Vec<JsonAttempt>,
}

/// How far a victim is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub enum VictimState {
    /// Nothing was sent for it but dry runs.
    NotStarted,
    /// The server's dry run said yes.
    DryRunPassed,
    /// The server's dry run said no.
    DryRunRefused,
    /// The server said no: it stays.
    Refused,
    /// A request was sent, nobody knows whether it was carried out, and the pod was untouched when it was last looked at.
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
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Attempt")]
pub struct JsonAttempt {
    /// `evict`, `delete`, `condition` or `event`.
    pub request: &'static str,
    /// Whether the server was only to try.
    pub dry_run: bool,
    /// When it was sent.
    pub sent_at: String,
    /// `Accepted`, `BlockedByBudget`, `Busy`, `NotFound`, `Replaced`, `Conflict`, `Refused`, `NotSent`, `Unknown`, …
    pub outcome: &'static str,
    /// HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// What the server or the network said.
    pub message: Option<String>,
}

/// What became of the nomination.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Nomination")]
pub struct JsonNomination {
    /// How far it is.
    pub state: NominationState,
    /// What was in the way.
    pub reason: Option<String>,
}

/// How far a nomination is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
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
}

/// Where the pod is.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Landing")]
pub struct JsonLanding {
    /// How far it is.
    pub state: LandingState,
    /// Its node.
    pub node: Option<String>,
    /// When it was seen there.
    pub at: Option<String>,
}

/// How far the pod is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub enum LandingState {
    /// Nobody looked.
    #[default]
    NotAwaited,
    /// It waited for a node when it was last looked at.
    Waiting,
    /// It is on a node.
    Bound,
    /// It is gone.
    Gone,
}

impl JsonApplyResult {
    /// A result of `plan` to which nothing has happened yet.
    #[must_use]
    pub fn new(plan: &Plan, hash: String, started_at: String) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "ApplyResult",
            outcome: ApplyOutcome::Running,
            exit_code: 0,
            reason: None,
            cluster: JsonCluster::default(),
            user: None,
            mode: "evict",
            dry_run: "none",
            plan: JsonPlanId { hash, node: plan.node.clone(), preemptor: (&plan.preemptor.pod).into() },
            victims: plan.victims.iter().map(|v| JsonVictimResult::new(&v.pod, v.priority)).collect(),
            nomination: JsonNomination::default(),
            landing: JsonLanding::default(),
            started_at,
            confirmed_at: None,
            finished_at: None,
            warnings: Vec::new(),
        }
    }
}

impl JsonVictimResult {
    fn new(pod: &PodId, priority: i32) -> Self {
        Self {
            pod: pod.into(),
            priority,
            state: VictimState::NotStarted,
            reason: None,
            status: None,
            accepted_at: None,
            gone_at: None,
            attempts: Vec::new(),
        }
    }
}
