//! Which running pods can be preempted, as JSON.

use crate::decision as parts;
use answers::origin::SourceKind;
use engine::cluster::Cluster;
use engine::cluster::owner::Workload;
use engine::profile::Profile;
use engine::risk::preemptors::PreemptingPods;
use engine::risk::{DeclaredPreemptor, OnNode, PodRisk, Risk, WorkloadRisk};
use engine::simulation::plan::PreemptorId;
use json::risk::{
    Budget, NamedPreemptor, OnNode as JsonOnNode, PodRisk as JsonPodRisk, PreemptorKind, RiskList,
    Taker, Workload as JsonWorkload, WorkloadRisk as JsonWorkloadRisk,
};
use json::{ApiVersion, kind};

/// The JSON of a risk.
pub fn risk_list(
    risk: &Risk,
    cluster: &Cluster,
    profile: &Profile,
    source: SourceKind,
) -> RiskList {
    RiskList {
        api_version: ApiVersion::default(),
        kind: kind::RiskList::default(),
        scheduler: parts::scheduler(profile),
        source: parts::source(&cluster.header, source),
        preemptors: risk.declared.iter().map(|declared| named(declared, cluster)).collect(),
        items: risk.workloads.iter().map(|workload| item(workload, cluster)).collect(),
        notes: risk.notes.iter().map(parts::note).collect(),
    }
}

fn named(declared: &DeclaredPreemptor, cluster: &Cluster) -> NamedPreemptor {
    let on = |found: &OnNode| match found {
        OnNode::Fits => ("Fits", Vec::new()),
        OnNode::Preempts(pods) => {
            ("Preempts", pods.iter().map(|pod| cluster.pod_name(*pod)).collect())
        }
        OnNode::Cannot => ("Cannot", Vec::new()),
    };
    let nodes = declared.nodes.iter().map(|(node, found)| {
        let (result, victims) = on(found);
        JsonOnNode {
            name: cluster.text(cluster.node(*node).name).to_owned(),
            result: result.into(),
            victims,
        }
    });
    NamedPreemptor {
        pod: cluster.pod_name(declared.pod),
        priority: cluster.pod(declared.pod).priority,
        outcome: declared.outcome.name().into(),
        selected: declared
            .selected
            .iter()
            .map(|node| cluster.text(cluster.node(*node).name).to_owned())
            .collect(),
        nodes: nodes.collect(),
    }
}

fn item(workload: &WorkloadRisk, cluster: &Cluster) -> JsonWorkloadRisk {
    let preemptor = |(priority, by): &(i64, PreemptingPods)| PreemptorKind {
        priority: *priority,
        class: match by {
            PreemptingPods::Class(name) => Some(name.clone()),
            PreemptingPods::Pods(_) => None,
        },
    };
    let budgets = workload.budgets.iter().map(|ix| cluster.budget(*ix));
    JsonWorkloadRisk {
        exposure: workload.exposure().name().into(),
        priority: workload.priority,
        running: workload.running,
        evicted_now: workload.evicted(),
        all_at_once: workload.all_at_once,
        all_on: workload.all_on.map(|node| cluster.text(cluster.node(node).name).to_owned()),
        preempted_by: workload.preemptors.iter().map(preemptor).collect(),
        budgets: budgets
            .map(|budget| Budget { name: budget.name.to_string(), allowed: budget.allowed })
            .collect(),
        pods: workload.pods.iter().map(|pod| pod_risk(pod, cluster)).collect(),
        workload: self::workload(&workload.workload),
    }
}

fn workload(workload: &Workload) -> JsonWorkload {
    JsonWorkload {
        kind: workload.kind.clone(),
        namespace: workload.namespace.clone(),
        name: workload.name.clone(),
    }
}

fn pod_risk(risk: &PodRisk, cluster: &Cluster) -> JsonPodRisk {
    let pod = cluster.pod(risk.pod);
    let takers = risk.takers.iter();
    JsonPodRisk {
        name: pod.name.to_string(),
        node: cluster.text(pod.node_name).to_owned(),
        priority: pod.priority,
        exposure: risk.exposure.name().into(),
        takers: takers
            .map(|taker| Taker { pod: cluster.pod_name(taker.pod), selected: taker.chosen })
            .collect(),
        evicted_by: risk.evicted_by.as_ref().map(PreemptorId::full_name),
        unprotected_by: cluster
            .eviction_guards(pod)
            .iter()
            .map(|guard| guard.annotation().into())
            .collect(),
    }
}
