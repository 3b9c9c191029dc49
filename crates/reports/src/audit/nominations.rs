//! Nominations that reserve resources to no purpose, and victims of preemption that do not end.

use json::audit::{Check as CheckName, Evidence};

use super::NAMED;
use super::check::{Check, Finding, NodePart};
use super::scope::AuditScope;
use model::words::{age, list};
use scheduler::decision::lingering::LingersBy;

pub(super) static CHECKS: &[&Check] = &[&STALE, &STUCK];

/// The further effect of a nomination that leads nowhere.
const NO_NODE: &str = "; meanwhile no autoscaler adds a node for it";

static STALE: Check = Check {
    code: "AUD-308",
    name: CheckName::StaleNomination,
    title: "A nomination keeps room that its pod cannot use",
    meaning: "The pod has status.nominatedNodeName, but does not fit on that node, or the node is gone. Until the nomination is \
              cleared, kube-scheduler keeps the room there from other pods of its priority or lower, and no autoscaler adds a \
              node for the pod (PRE-967).",
    fix: "delete the pod, so that its controller makes a new one, or make room for it on the node; `explain` tells \
          what clears the nomination, and kubectl patch --subresource=status can",
    find: |scope| {
        let cluster = scope.cluster;
        scope
            .nominations()
            .stale
            .iter()
            .map(|(pod, evidence)| {
                let object = (&cluster.workload(cluster.pod(*pod))).into();
                Finding { check: &STALE, object, evidence: evidence.clone() }
            })
            .collect()
    },
    clause: |evidence| {
        let Evidence::StaleNomination {
            pod,
            priority,
            node,
            node_exists,
            reserves,
            taken_by,
            ends: _,
            stops_autoscalers,
        } = evidence
        else {
            return None;
        };
        let alone = if *stops_autoscalers { NO_NODE } else { "" };
        if !node_exists {
            return Some(format!(
                "{pod} of priority {priority} is nominated to {node}, which does not exist{alone}"
            ));
        }
        let reserved = if reserves.is_empty() {
            "a place for a pod".to_owned()
        } else {
            reserves.join(" and ")
        };
        let takers = match taken_by.len() {
            0 => String::new(),
            1 => format!("; {} has taken the room", list(taken_by, NAMED)),
            _ => format!("; {} have taken the room", list(taken_by, NAMED)),
        };
        Some(format!(
            "{pod} is nominated to {node}, where it does not fit{takers}; {reserved} is kept there from pods of priority \
             {priority} or lower{alone}"
        ))
    },
    is_made: |scope| {
        let mut pods = scope.cluster.pods.iter();
        pods.any(|pod| pod.is_waiting() && !pod.nominated_node.is_empty())
    },
    reads_nodes: NodePart::All,
    ..Check::OF_PODS
};

static STUCK: Check = Check {
    code: "AUD-309",
    name: CheckName::StuckVictim,
    title: "A victim of preemption does not end",
    meaning: "The pod was evicted to make room and should be gone by now. Until it is, kube-scheduler neither places the pod \
              that waits for it nor evicts others for that one.",
    fix: "remove what keeps it: a finalizer whose program is gone, or a node that does not come back (delete the Node, or taint it \
          node.kubernetes.io/out-of-service)",
    find: stuck_victims,
    clause: |evidence| {
        let Evidence::StuckVictim {
            pod,
            node,
            overdue_seconds,
            grace_seconds,
            kept_by,
            finalizers,
            waiting,
        } = evidence
        else {
            return None;
        };
        let mut why: Vec<String> = Vec::new();
        for by in kept_by {
            why.push(match by.as_str() {
                "NodeGone" => format!("its node {node} does not exist"),
                "SilentKubelet" => format!("the kubelet of {node} does not report"),
                "Finalizers" => format!("finalizer {} is still set", list(finalizers, NAMED)),
                _ => format!("its kubelet has not ended it within {}", age(*grace_seconds)),
            });
        }
        let for_whom = match waiting.as_slice() {
            [] => String::new(),
            waiting => format!("; waited for by {}", list(waiting, NAMED)),
        };
        let overdue = age(*overdue_seconds);
        Some(format!("{pod} should have ended {overdue} ago: {}{for_whom}", why.join(" and ")))
    },
    is_made: |scope| {
        let mut pods = scope.cluster.pods.iter();
        pods.any(|pod| pod.is_running() && pod.is_terminating())
    },
    reads_nodes: NodePart::All,
    ..Check::OF_PODS
};

fn stuck_victims(scope: &AuditScope) -> Vec<Finding> {
    let cluster = scope.cluster;
    let mut findings = Vec::new();
    for (victim, (lingering, waiting)) in &scope.nominations().stuck {
        let pod = cluster.pod(*victim);
        let finalizers = lingering.by.iter().flat_map(|by| match by {
            LingersBy::Finalizers(names) => &**names,
            LingersBy::NodeGone | LingersBy::SilentKubelet | LingersBy::GracePeriod(_) => &[],
        });
        let evidence = Evidence::StuckVictim {
            pod: cluster.pod_name(*victim),
            node: cluster.text(pod.node_name).to_owned(),
            overdue_seconds: lingering.overdue,
            grace_seconds: pod.grace_seconds,
            kept_by: lingering.by.iter().map(|by| by.name().to_owned()).collect(),
            finalizers: finalizers.map(|name| cluster.text(*name).to_owned()).collect(),
            waiting: waiting.clone(),
        };
        findings.push(Finding { check: &STUCK, object: (&cluster.workload(pod)).into(), evidence });
    }
    findings
}

#[cfg(test)]
pub(super) mod tests {
    use crate::audit::tests::{Example, web};
    use testing::{objects, pod};

    pub(in crate::audit) fn examples() -> Vec<Example> {
        let waits = |cpu: &str| pod("n").cpu(cpu).priority(500).replica_of("n").nominated("n1");
        let leaving = |due: &str| web("w").preempted().with("/metadata/deletionTimestamp", due);
        vec![
            Example { code: "AUD-308", found: objects![waits("4")], clean: objects![waits("1")] },
            Example {
                code: "AUD-309",
                found: objects![leaving("2020-01-01T00:00:00Z")],
                clean: objects![leaving("2030-01-01T00:00:00Z")],
            },
        ]
    }
}
