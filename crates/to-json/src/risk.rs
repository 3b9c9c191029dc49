//! Which running pods can be preempted, as JSON.

use crate::{ToJson, decision as parts};
use answers::questions::risk::RiskReport;
use engine::matrix::{MatrixRow, PreemptionMatrix};
use engine::risk::PreemptingPods;
use engine::risk::{DeclaredPreemptor, OnNode, PodRisk, WorkloadRisk};
use engine::simulation::plan::PreemptorId;
use json::risk::{
    Budget, MatrixRow as JsonMatrixRow, MatrixVictims, NamedPreemptor as JsonNamedPreemptor,
    OnNode as JsonOnNode, PodRisk as JsonPodRisk, PreemptionMatrix as JsonPreemptionMatrix,
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
            text: self.sentence(),
            preemptors: self.risk.declared.iter().map(named).collect(),
            matrix: self.matrix.as_ref().map(|found| matrix(found, self)),
            items: self.risk.workloads.iter().map(item).collect(),
            notes: self.risk.notes.iter().map(parts::note).collect(),
        }
    }
}

fn matrix(found: &PreemptionMatrix, report: &RiskReport) -> JsonPreemptionMatrix {
    JsonPreemptionMatrix {
        by: found.key.name().into(),
        running: found.running,
        reachable: found.reachable,
        rows: found.rows.iter().map(matrix_row).collect(),
        open: report.open_questions(),
    }
}

fn matrix_row(row: &MatrixRow) -> JsonMatrixRow {
    let victims = row.victims.iter();
    JsonMatrixRow {
        name: row.name.clone(),
        priority: row.priority,
        class: row.class.clone(),
        through: row.through.iter().map(|resource| (*resource).into()).collect(),
        namespaces: row.namespaces.as_ref().map(|names| names.iter().cloned().collect()),
        reach: row.reach,
        victims: victims
            .map(|(name, pods)| MatrixVictims { name: name.clone(), pods: *pods })
            .collect(),
        now: row.now,
    }
}

fn named(preemptor: &DeclaredPreemptor) -> JsonNamedPreemptor {
    JsonNamedPreemptor {
        pod: preemptor.pod.clone(),
        priority: preemptor.priority,
        outcome: preemptor.outcome.name().into(),
        selected: preemptor.selected.clone(),
        nodes: preemptor.nodes.iter().map(on_node).collect(),
    }
}

fn on_node((node, result): &(String, OnNode)) -> JsonOnNode {
    let (result, victims) = match result {
        OnNode::Fits => ("Fits", Vec::new()),
        OnNode::Preempts(victims) => ("Preempts", victims.clone()),
        OnNode::Cannot => ("Cannot", Vec::new()),
    };
    JsonOnNode { name: node.clone(), result: result.into(), victims }
}

fn preemptor_kind((priority, by): &(i64, PreemptingPods)) -> PreemptorKind {
    let class = match by {
        PreemptingPods::Class(name) => Some(name.clone()),
        PreemptingPods::Pods(_) => None,
    };
    PreemptorKind { priority: *priority, class }
}

fn item(risk: &WorkloadRisk) -> JsonWorkloadRisk {
    let budgets = risk.budgets.iter();
    JsonWorkloadRisk {
        exposure: risk.exposure().name().into(),
        priority: risk.priority,
        running: risk.running,
        evicted_now: risk.evicted(),
        all_at_once: risk.all_at_once,
        all_on: risk.all_on.clone(),
        preempted_by: risk.preemptors.iter().map(preemptor_kind).collect(),
        budgets: budgets
            .map(|budget| Budget { name: budget.name.clone(), allowed: budget.allowed })
            .collect(),
        pods: risk.pods.iter().map(pod_risk).collect(),
        workload: JsonWorkload {
            kind: risk.workload.kind.clone(),
            namespace: risk.workload.namespace.clone(),
            name: risk.workload.name.clone(),
        },
    }
}

fn pod_risk(pod: &PodRisk) -> JsonPodRisk {
    let takers = pod.takers.iter();
    JsonPodRisk {
        name: pod.pod.name.clone(),
        node: pod.node.clone(),
        priority: pod.priority,
        exposure: pod.exposure.name().into(),
        takers: takers
            .map(|taker| Taker { pod: taker.pod.clone(), selected: taker.chosen })
            .collect(),
        evicted_by: pod.evicted_by.as_ref().map(PreemptorId::full_name),
        unprotected_by: pod.guards.iter().map(|guard| guard.annotation().into()).collect(),
    }
}
