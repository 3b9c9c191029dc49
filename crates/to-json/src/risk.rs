//! Which running pods can be preempted, as JSON.

use crate::{ToJson, decision as parts};
use answers::questions::risk::{
    NamedPreemptor, NodeResult, PodAtRisk, PreemptorOnNode, RiskReport, WorkloadAtRisk,
};
use engine::risk::preemptors::PreemptingPods;
use engine::simulation::plan::PreemptorId;
use json::risk::{
    Budget, NamedPreemptor as JsonNamedPreemptor, OnNode as JsonOnNode, PodRisk as JsonPodRisk,
    PreemptorKind, RiskList, Taker, Workload as JsonWorkload, WorkloadRisk as JsonWorkloadRisk,
};
use json::{ApiVersion, kind};

/// The JSON of a risk.
impl ToJson for RiskReport {
    type Json = RiskList;

    fn json(&self) -> RiskList {
        RiskList {
            api_version: ApiVersion::default(),
            kind: kind::RiskList::default(),
            scheduler: parts::scheduler(&self.basis.profile),
            source: parts::source(&self.basis.header, self.basis.source),
            preemptors: self.preemptors.iter().map(named).collect(),
            items: self.workloads.iter().map(item).collect(),
            notes: self.notes.iter().map(parts::note).collect(),
        }
    }
}

fn named(preemptor: &NamedPreemptor) -> JsonNamedPreemptor {
    JsonNamedPreemptor {
        pod: preemptor.name.clone(),
        priority: preemptor.priority,
        outcome: preemptor.outcome.name().into(),
        selected: preemptor.selected.clone(),
        nodes: preemptor.nodes.iter().map(on_node).collect(),
    }
}

fn on_node(on: &PreemptorOnNode) -> JsonOnNode {
    let result = match on.result {
        NodeResult::Fits => "Fits",
        NodeResult::Preempts => "Preempts",
        NodeResult::Cannot => "Cannot",
    };
    JsonOnNode { name: on.node.clone(), result: result.into(), victims: on.victims.clone() }
}

fn preemptor_kind((priority, by): &(i64, PreemptingPods)) -> PreemptorKind {
    let class = match by {
        PreemptingPods::Class(name) => Some(name.clone()),
        PreemptingPods::Pods(_) => None,
    };
    PreemptorKind { priority: *priority, class }
}

fn item(found: &WorkloadAtRisk) -> JsonWorkloadRisk {
    let budgets = found.budgets.iter();
    JsonWorkloadRisk {
        exposure: found.exposure().name().into(),
        priority: found.priority,
        running: found.running,
        evicted_now: found.evicted(),
        all_at_once: found.all_at_once,
        all_on: found.all_on.clone(),
        preempted_by: found.preemptors.iter().map(preemptor_kind).collect(),
        budgets: budgets
            .map(|budget| Budget { name: budget.name.clone(), allowed: budget.allowed })
            .collect(),
        pods: found.pods.iter().map(pod_risk).collect(),
        workload: JsonWorkload {
            kind: found.workload.kind.clone(),
            namespace: found.workload.namespace.clone(),
            name: found.workload.name.clone(),
        },
    }
}

fn pod_risk(pod: &PodAtRisk) -> JsonPodRisk {
    let takers = pod.takers.iter();
    JsonPodRisk {
        name: pod.name.clone(),
        node: pod.node.clone(),
        priority: pod.priority,
        exposure: pod.exposure.name().into(),
        takers: takers
            .map(|taker| Taker { pod: taker.name.clone(), selected: taker.is_chosen })
            .collect(),
        evicted_by: pod.evicted_by.as_ref().map(PreemptorId::full_name),
        unprotected_by: pod.guards.iter().map(|guard| guard.annotation().into()).collect(),
    }
}
