//! Nominations that reserve resources to no purpose, victims of preemption that do not end, and
//! nodes whose pods do not leave.

use json::audit::{Check as CheckName, Evidence};

use super::NAMED;
use super::check::{Check, Finding, NodePart, ObjectName};
use super::scope::AuditScope;
use model::cluster::system_taint::NOT_READY;
use model::cluster::template::TaintEffect;
use model::words::{age, count, list};
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

/// How many seconds a node may be silent: the control plane first waits whether it comes back.
const PATIENCE: i64 = 60;

pub(super) static SILENT: Check = Check {
    code: "AUD-311",
    name: CheckName::SilentNode,
    title: "A node that is not Ready keeps its pods",
    meaning: "The kubelet of the node does not report, or says that it is not ready. Only a NoExecute taint evicts the pods \
              there, and the node has none, so they stay and are not replaced elsewhere.",
    fix: "repair the kubelet or delete the Node; `node` says why the control plane has not set the taint",
    find: silent_nodes,
    clause: |evidence| {
        let Evidence::SilentNode { pods, seconds, taints } = evidence else { return None };
        let since = seconds.map_or_else(String::new, |seconds| format!(" for {}", age(seconds)));
        let taints = match taints.as_slice() {
            [] => "it has no taint for that".to_owned(),
            taints => format!("it has only {}", list(taints, NAMED)),
        };
        Some(format!("not Ready{since}, with {}; {taints}", count(*pods, "pod")))
    },
    is_made: |scope| !scope.cluster.nodes.is_empty(),
    reads_nodes: NodePart::All,
    ..Check::OF_PODS
};

fn silent_nodes(scope: &AuditScope) -> Vec<Finding> {
    let cluster = scope.cluster;
    let mut findings = Vec::new();
    for ix in cluster.node_indices() {
        let node = cluster.node(ix);
        let ready = node.ready.as_deref();
        let status = ready.map_or("", |ready| cluster.text(ready.status));
        let is_ready = matches!(status, "" | "True") && !node.is_silent(cluster);
        let taints = node.taints.iter().filter(|t| NOT_READY.contains(&cluster.text(t.key)));
        if is_ready || taints.clone().any(|taint| taint.effect == TaintEffect::NoExecute) {
            continue;
        }
        let since = ready.and_then(|ready| ready.since);
        let seconds = since.map(|since| scope.now.as_second() - since.as_second());
        let pods = cluster.pods_on(ix).iter().filter(|pod| cluster.pod(**pod).is_active()).count();
        if pods == 0 || seconds.is_some_and(|seconds| seconds < PATIENCE) {
            continue;
        }
        let taints =
            taints.map(|taint| format!("{}:{}", cluster.text(taint.key), taint.effect.name()));
        let evidence = Evidence::SilentNode { pods, seconds, taints: taints.collect() };
        let object = ObjectName::of_cluster("Node", cluster.node_name(ix));
        findings.push(Finding { check: &SILENT, object, evidence });
    }
    findings
}

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
    use serde_json::json;

    use crate::audit::tests::{Example, web};
    use testing::{node, objects, pod};

    pub(in crate::audit) fn examples() -> Vec<Example> {
        let waits = |cpu: &str| pod("n").cpu(cpu).priority(500).replica_of("n").nominated("n1");
        let not_ready = |effect: &str| {
            node("n9").taint("node.kubernetes.io/unreachable", "", effect).with(
                "/status/conditions",
                json!([{"type": "Ready", "status": "Unknown",
                    "lastTransitionTime": "2020-01-01T00:00:00Z"}]),
            )
        };
        let leaving = |due: &str| web("w").preempted().with("/metadata/deletionTimestamp", due);
        vec![
            Example { code: "AUD-308", found: objects![waits("4")], clean: objects![waits("1")] },
            Example {
                code: "AUD-309",
                found: objects![leaving("2020-01-01T00:00:00Z")],
                clean: objects![leaving("2030-01-01T00:00:00Z")],
            },
            Example {
                code: "AUD-311",
                found: objects![not_ready("NoSchedule"), web("w").on("n9")],
                clean: objects![not_ready("NoExecute"), web("w").on("n9")],
            },
        ]
    }
}
