//! What `kubectl preempt simulate` found, as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use engine::decision::sampling::Likelihood;
use engine::edits::Edit;
use engine::json::{JsonNote, JsonScheduler, JsonSource, SourceKind};

use engine::profile::Profile;
use engine::simulation::plan::{
    Afterwards, BudgetUse, GroupId, PinnedBy, Placement, Plan, PlannedVictim, PodId, PreemptorId, nodes_of,
};
use engine::simulation::planning::Proposal;
use engine::simulation::sequence::{OpenVictims, Simulation, Step};
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

/// A PodGroup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GroupId")]
pub struct JsonGroupId {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// UID.
    pub uid: String,
}

impl From<&GroupId> for JsonGroupId {
    fn from(group: &GroupId) -> Self {
        Self { namespace: group.namespace.clone(), name: group.name.clone(), uid: group.uid.clone() }
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
    /// The pods that were asked about, or their groups, in the scheduler's order: each sees what the former do.
    steps: Vec<JsonSimulationStep>,
    /// The replacements of victims, generation by generation.
    cascade: Vec<JsonSimulationStep>,
    /// Replacements without a decision, because they are too many or come too late.
    not_followed: usize,
    notes: Vec<JsonNote>,
}

/// The decision for one pod, or for the pods of a group together.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SimulationStep")]
struct JsonSimulationStep {
    /// The pod, if it is scheduled alone; of the cascade, the one that is replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pod: Option<JsonPodId>,
    /// The group whose pods are scheduled together.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<JsonGroupId>,
    priority: i32,
    /// 0 for a pod that was asked about, 1 for the replacement of one of its victims, and so on.
    depth: usize,
    /// `Fits`, `Evict`, `Awaits` (all pods of the plan are terminating already), `Impossible` or `Unknown`.
    outcome: &'static str,
    /// Where it goes, the most likely node first; several where kube-scheduler may take any. Of a group, the nodes of all its pods.
    nodes: Vec<String>,
    /// The pods of a group that get a node, in the order in which they are tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    placements: Vec<JsonPlacement>,
    /// The waiting pods of a group that get no node although others do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<JsonPodId>,
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
    /// Which pods kube-scheduler itself may evict instead of those of the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    open_victims: Option<JsonOpenVictims>,
}

/// Pods of the same importance, of which kube-scheduler evicts some: which, depends on an order that the API does not show.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SimulatedOpenVictims")]
struct JsonOpenVictims {
    /// The smallest number of them that is evicted.
    fewest: usize,
    /// The largest number of them that is evicted.
    most: usize,
    /// The pods.
    pods: Vec<JsonPodId>,
    /// Whether every order was tried. If not, there are too many.
    complete: bool,
}

impl From<&OpenVictims> for JsonOpenVictims {
    fn from(OpenVictims { count, pods, complete }: &OpenVictims) -> Self {
        let pods = pods.iter().map(JsonPodId::from).collect();
        Self { fewest: count.fewest, most: count.most, pods, complete: *complete }
    }
}

/// A pod and its node.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Placement")]
struct JsonPlacement {
    #[serde(flatten)]
    pod: JsonPodId,
    node: String,
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
    /// The node of a pod that is scheduled alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<String>,
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
    /// Its node.
    node: String,
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
        let steps = |steps: &[Step]| steps.iter().map(|s| step(s, now)).collect();
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

fn step(step: &Step, now: jiff::Timestamp) -> JsonSimulationStep {
    let (outcome, nodes, why) = match &step.proposal {
        Proposal::Fits(nodes) => ("Fits", nodes.clone(), None),
        Proposal::GroupFits(placed) => ("Fits", nodes_of(placed).into_iter().map(str::to_owned).collect(), None),
        Proposal::Evict(plan) => ("Evict", with_tied(plan), None),
        Proposal::Awaits(plan) => ("Awaits", with_tied(plan), None),
        Proposal::Impossible(why) => ("Impossible", Vec::new(), Some(why.clone())),
        Proposal::Unknown(why) => ("Unknown", Vec::new(), Some(why.clone())),
    };
    let (pod, group) = match &step.id {
        PreemptorId::Pod(pod) => (Some(pod.into()), None),
        PreemptorId::Group(group) => (None, Some(group.into())),
    };
    let plan = step.proposal.plan();
    let placed = match &step.proposal {
        Proposal::GroupFits(placed) => placed.as_slice(),
        _ => plan.map_or(&[][..], |plan| &plan.placed),
    };
    let placement = |placed: &Placement| JsonPlacement { pod: (&placed.pod).into(), node: placed.node.clone() };
    JsonSimulationStep {
        placements: if group.is_some() { placed.iter().map(placement).collect() } else { Vec::new() },
        pod,
        group,
        priority: step.priority,
        depth: step.depth,
        outcome,
        nodes,
        left_out: step.left_out.iter().map(JsonPodId::from).collect(),
        likelihood: step.likelihood.map(JsonLikelihood::from),
        scheduler_picks: step.scheduler_picks.clone(),
        why,
        plan: plan.map(|plan| self::plan(plan, now)),
        open_victims: step.open_victims.as_ref().map(JsonOpenVictims::from),
    }
}

/// The nodes of a plan, and those that tie with that of a pod.
fn with_tied(plan: &Plan) -> Vec<String> {
    nodes_of(&plan.placed).into_iter().map(str::to_owned).chain(plan.tied.iter().cloned()).collect()
}

fn plan(plan: &Plan, now: jiff::Timestamp) -> JsonPlan {
    let node = plan.preemptor.id.pod().and(plan.placed.first()).map(|placement| placement.node.clone());
    JsonPlan { node, victims: plan.victims.iter().map(victim).collect(), seconds_to_room: plan.seconds_to_room(now) }
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
        node: victim.node.clone(),
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
