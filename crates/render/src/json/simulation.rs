//! What `kubectl preempt simulate` found, as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use engine::decision::sampling::Likelihood;
use engine::edits::Edit;
use engine::json::{JsonNote, JsonScheduler, JsonSource, SourceKind};

use engine::profile::Profile;
use engine::simulation::plan::{Afterwards, BudgetUse, PinnedBy, Plan, PlannedVictim, PodId};
use engine::simulation::planning::Proposal;
use engine::simulation::sequence::{PodOutcome, Simulation};
use engine::snapshot::{API_VERSION, Header};

/// A pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PodId")]
pub struct JsonPodId {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// UID; empty for a pod that is not in the cluster.
    pub uid: String,
}

impl From<&PodId> for JsonPodId {
    fn from(pod: &PodId) -> Self {
        Self { namespace: pod.namespace.clone(), name: pod.name.clone(), uid: pod.uid.clone() }
    }
}

/// What would happen.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Simulation")]
pub struct JsonSimulation {
    api_version: &'static str,
    kind: &'static str,
    scheduler: JsonScheduler,
    source: JsonSource,
    /// What is assumed, in the order of the flags.
    assumptions: Vec<Edit>,
    /// The pods that were asked about, in the scheduler's order: each sees what the former do.
    steps: Vec<JsonSimulationStep>,
    /// The replacements of victims, generation by generation.
    cascade: Vec<JsonSimulationStep>,
    /// Replacements without a decision, because they are too many or come too late.
    not_followed: usize,
    notes: Vec<JsonNote>,
}

/// The decision for one pod.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SimulationStep")]
struct JsonSimulationStep {
    /// The pod; of the cascade, the one that is replaced.
    pod: JsonPodId,
    priority: i32,
    /// 0 for a pod that was asked about, 1 for the replacement of one of its victims, and so on.
    depth: usize,
    /// `Fits`, `Evict`, `Awaits` (all pods of the plan are terminating already), `Impossible` or `Unknown`.
    outcome: &'static str,
    /// Where it goes, the most likely node first; several where kube-scheduler may take any.
    nodes: Vec<String>,
    /// How likely it is the first of `nodes`, where kube-scheduler does not look at every node.
    #[serde(skip_serializing_if = "Option::is_none")]
    likelihood: Option<JsonLikelihood>,
    /// With `--on`: where the scheduler itself would go.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scheduler_picks: Vec<String>,
    /// Why there is no way, or why none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<JsonPlan>,
}

/// How likely the most likely node is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Likelihood")]
pub(super) struct JsonLikelihood {
    /// 0 to 1; null if that takes too long to find out.
    probability: Option<f64>,
    /// Whether the probability comes from every node at which kube-scheduler may begin to look.
    complete: bool,
    /// How many nodes may be chosen.
    possible: usize,
}

impl From<Likelihood> for JsonLikelihood {
    fn from(Likelihood { probability, complete, possible }: Likelihood) -> Self {
        Self { probability, complete, possible }
    }
}

/// Who is to go, and what that costs.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Plan")]
struct JsonPlan {
    node: String,
    /// In the order of eviction.
    victims: Vec<JsonPlannedVictim>,
    /// Seconds until the room is free at the latest, if all are deleted at once.
    seconds_to_room: i64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlannedVictim")]
struct JsonPlannedVictim {
    namespace: String,
    name: String,
    uid: String,
    priority: i32,
    grace_period_seconds: i64,
    terminating: bool,
    /// Controllers as `Kind/name`, nearest first.
    owners: Vec<String>,
    budgets: Vec<JsonBudgetUse>,
    hazards: Vec<JsonHazard>,
    /// `Gone`, `Static`, `Replaced`, `Pinned`, `Retried` or `Unknown`.
    afterwards: &'static str,
    /// What ties the replacement to the node: `DaemonSet`, `NodeSelector` or `Volume`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pinned_by: Option<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BudgetUse")]
struct JsonBudgetUse {
    namespace: String,
    name: String,
    allowed_before: i64,
    allowed_after: i64,
    violated: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Hazard")]
struct JsonHazard {
    name: &'static str,
    text: String,
    /// The flag without which `--apply` refuses; absent if it is only said.
    #[serde(skip_serializing_if = "Option::is_none")]
    waived_by: Option<&'static str>,
}

impl JsonSimulation {
    /// The output type of a simulation.
    #[must_use]
    pub fn new(
        simulation: &Simulation,
        header: &Header,
        profile: &Profile,
        source: SourceKind,
        now: jiff::Timestamp,
    ) -> Self {
        let steps = |steps: &[PodOutcome]| steps.iter().map(|s| step(s, now)).collect();
        Self {
            api_version: API_VERSION,
            kind: "Simulation",
            scheduler: JsonScheduler::new(profile),
            source: JsonSource::new(header, source),
            assumptions: simulation.assumptions.clone(),
            steps: steps(&simulation.steps),
            cascade: steps(&simulation.cascade),
            not_followed: simulation.not_followed,
            notes: simulation.notes.iter().map(JsonNote::new).collect(),
        }
    }
}

fn step(step: &PodOutcome, now: jiff::Timestamp) -> JsonSimulationStep {
    let (outcome, nodes, why, plan) = match &step.proposal {
        Proposal::Fits(nodes) => ("Fits", nodes.clone(), None, None),
        Proposal::Evict(plan) | Proposal::Awaits(plan) => {
            let outcome = if matches!(step.proposal, Proposal::Evict(_)) { "Evict" } else { "Awaits" };
            let nodes = std::iter::once(&plan.node).chain(&plan.tied).cloned().collect();
            (outcome, nodes, None, Some(self::plan(plan, now)))
        }
        Proposal::Impossible(why) => ("Impossible", Vec::new(), Some(why.clone()), None),
        Proposal::Unknown(why) => ("Unknown", Vec::new(), Some(why.clone()), None),
    };
    JsonSimulationStep {
        pod: JsonPodId::from(&step.pod),
        priority: step.priority,
        depth: step.depth,
        outcome,
        nodes,
        likelihood: step.likelihood.map(JsonLikelihood::from),
        scheduler_picks: step.scheduler_picks.clone(),
        why,
        plan,
    }
}

fn plan(plan: &Plan, now: jiff::Timestamp) -> JsonPlan {
    JsonPlan {
        node: plan.node.clone(),
        victims: plan.victims.iter().map(victim).collect(),
        seconds_to_room: plan.seconds_to_room(now),
    }
}

fn victim(victim: &PlannedVictim) -> JsonPlannedVictim {
    let pinned_by = match &victim.afterwards {
        Afterwards::Pinned(PinnedBy::DaemonSet) => Some("DaemonSet"),
        Afterwards::Pinned(PinnedBy::NodeSelector) => Some("NodeSelector"),
        Afterwards::Pinned(PinnedBy::Volume(_)) => Some("Volume"),
        _ => None,
    };
    let hazards =
        victim.hazards.iter().map(|h| JsonHazard { name: h.name(), text: h.text(), waived_by: h.waived_by() });
    JsonPlannedVictim {
        namespace: victim.pod.namespace.clone(),
        name: victim.pod.name.clone(),
        uid: victim.pod.uid.clone(),
        priority: victim.priority,
        grace_period_seconds: victim.grace_seconds,
        terminating: victim.terminating_until.is_some(),
        owners: victim.owners.iter().map(|o| format!("{}/{}", o.kind, o.name)).collect(),
        budgets: victim.budgets.iter().map(budget).collect(),
        hazards: hazards.collect(),
        afterwards: victim.afterwards.name(),
        pinned_by,
    }
}

fn budget(used: &BudgetUse) -> JsonBudgetUse {
    JsonBudgetUse {
        namespace: used.namespace.clone(),
        name: used.name.clone(),
        allowed_before: used.before,
        allowed_after: used.after,
        violated: used.is_violated(),
    }
}
