//! Which running pods can be preempted, as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use engine::cluster::Cluster;
use engine::cluster::owner::Workload;
use engine::json::{JsonNote, JsonScheduler, JsonSource, SourceKind};
use engine::profile::Profile;
use engine::risk::preemptors::Preemptor;
use engine::risk::{Declared, OnNode, PodRisk, Risk, WorkloadRisk};
use engine::snapshot::API_VERSION;

use super::node_name;

/// Which running pods can be preempted, by workload.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RiskList")]
pub struct JsonRiskList {
    api_version: &'static str,
    kind: &'static str,
    scheduler: JsonScheduler,
    source: JsonSource,
    /// The preemptors that the question names; empty for every priority class and the pods that wait.
    preemptors: Vec<JsonDeclared>,
    /// The most exposed first, then by name.
    items: Vec<JsonWorkload>,
    notes: Vec<JsonNote>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "NamedPreemptor")]
struct JsonDeclared {
    /// `NAMESPACE/NAME`.
    pod: String,
    priority: i32,
    /// As in a decision.
    outcome: &'static str,
    /// The nodes that it may be placed on or nominated to.
    selected: Vec<String>,
    nodes: Vec<JsonOnNode>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PreemptorOnNode")]
struct JsonOnNode {
    name: String,
    /// `Fits`, `Preempts` or `Cannot`.
    result: &'static str,
    /// The pods that it preempts there: `NAMESPACE/NAME`.
    victims: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WorkloadRisk")]
struct JsonWorkload {
    workload: Workload,
    /// How exposed its most exposed pod is: `Safe`, `Exposed` or `Victim`.
    exposure: &'static str,
    /// The lowest priority of its pods.
    priority: i32,
    /// Whether one preemptor can take all of its running pods at once.
    all_at_once: bool,
    /// The node on which all of its pods run, if they are several.
    all_on: Option<String>,
    /// Whose pods can preempt one of its pods, the highest first; empty if the question names the preemptors.
    preempted_by: Vec<JsonPreemptor>,
    /// The budgets that select its pods. kube-scheduler violates a budget if nothing else makes room.
    budgets: Vec<JsonBudget>,
    pods: Vec<JsonPodRisk>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PreemptorKind")]
struct JsonPreemptor {
    priority: i64,
    /// The priority class; null for pods of a priority that no class gives.
    class: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RiskBudget")]
struct JsonBudget {
    name: String,
    /// `status.disruptionsAllowed`.
    allowed: i64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PodRisk")]
struct JsonPodRisk {
    name: String,
    node: String,
    priority: i32,
    /// `Safe`: nothing of the declared kind can preempt it. `Exposed`: it can be preempted, but no pod does so now. `Victim`:
    /// a pod of `takers` has it among its victims on a candidate node.
    exposure: &'static str,
    takers: Vec<JsonTaker>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Taker")]
struct JsonTaker {
    /// `NAMESPACE/NAME`.
    pod: String,
    /// Whether the scheduler nominates it to this node.
    selected: bool,
}

impl JsonRiskList {
    /// The output type of a risk.
    #[must_use]
    pub fn new(risk: &Risk, cluster: &Cluster, profile: &Profile, source: SourceKind) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "RiskList",
            scheduler: JsonScheduler::new(profile),
            source: JsonSource::new(&cluster.header, source),
            preemptors: risk.declared.iter().map(|declared| named(declared, cluster)).collect(),
            items: risk.workloads.iter().map(|workload| item(workload, cluster)).collect(),
            notes: risk.notes.iter().map(JsonNote::new).collect(),
        }
    }
}

fn named(declared: &Declared, cluster: &Cluster) -> JsonDeclared {
    let on = |found: &OnNode| match found {
        OnNode::Fits => ("Fits", Vec::new()),
        OnNode::Preempts(pods) => ("Preempts", pods.iter().map(|pod| cluster.pod_name(*pod)).collect()),
        OnNode::Cannot => ("Cannot", Vec::new()),
    };
    let nodes = declared.nodes.iter().map(|(node, found)| {
        let (result, victims) = on(found);
        JsonOnNode { name: node_name(*node, cluster), result, victims }
    });
    JsonDeclared {
        pod: cluster.pod_name(declared.pod),
        priority: cluster.pod(declared.pod).priority,
        outcome: declared.outcome.name(),
        selected: declared.selected.iter().map(|node| node_name(*node, cluster)).collect(),
        nodes: nodes.collect(),
    }
}

fn item(workload: &WorkloadRisk, cluster: &Cluster) -> JsonWorkload {
    let preemptor = |(priority, by): &(i64, Preemptor)| JsonPreemptor {
        priority: *priority,
        class: match by {
            Preemptor::Class(name) => Some(name.clone()),
            Preemptor::Pods(_) => None,
        },
    };
    let budgets = workload.budgets.iter().map(|ix| cluster.budget(*ix));
    JsonWorkload {
        exposure: workload.exposure().name(),
        priority: workload.priority,
        all_at_once: workload.can_go_at_once(),
        all_on: workload.all_on.map(|node| node_name(node, cluster)),
        preempted_by: workload.preemptors.iter().map(preemptor).collect(),
        budgets: budgets.map(|budget| JsonBudget { name: budget.name.to_string(), allowed: budget.allowed }).collect(),
        pods: workload.pods.iter().map(|pod| pod_risk(pod, cluster)).collect(),
        workload: workload.workload.clone(),
    }
}

fn pod_risk(risk: &PodRisk, cluster: &Cluster) -> JsonPodRisk {
    let pod = cluster.pod(risk.pod);
    let takers = risk.takers.iter();
    JsonPodRisk {
        name: pod.name.to_string(),
        node: cluster.text(pod.node_name).to_owned(),
        priority: pod.priority,
        exposure: risk.exposure.name(),
        takers: takers.map(|taker| JsonTaker { pod: cluster.pod_name(taker.pod), selected: taker.chosen }).collect(),
    }
}
