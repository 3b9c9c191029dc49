//! The pods of a DaemonSet: one for each node that its controller selects, bound to it by node
//! affinity.
//!
//! Upstream: `pkg/controller/daemon/daemon_controller.go` `NodeShouldRunDaemonPod`,
//! `pkg/controller/daemon/util/daemonset_util.go` (1.37).

use serde_json::{Value, json};

use super::workload::{ManifestWorkload, Pods, object_at, object_in};
use model::cluster::{Cluster, PodIx, Template};
use model::snapshot::pod::PodSpec;
use model::wrong_value::WrongValue;

/// The tolerations that the controller adds to every pod: the key of a taint and its effect.
const TOLERATED: [(&str, &str); 6] = [
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
];

/// The toleration that it adds to pods on the host network.
const OF_HOST_NETWORK: (&str, &str) = ("node.kubernetes.io/network-unavailable", "NoSchedule");

/// The pods that a DaemonSet in `cluster` would get. A node that already has one of its pods gets
/// no other.
///
/// # Errors
/// What is wrong with the manifest.
pub(crate) fn pods(set: &ManifestWorkload, cluster: &Cluster) -> Result<Pods, String> {
    let mut model = set.pod(&set.name)?;
    tolerate(&mut model);
    let spec = model.get("spec").map(Value::to_string).unwrap_or_default();
    let spec: PodSpec = serde_json::from_str(&spec).map_err(|e| {
        let wrong =
            WrongValue::of(&spec, &e, &|line| serde_json::from_str::<PodSpec>(line).map(drop));
        format!("DaemonSet {}: spec.template.spec.{} is of the wrong type", set.name, wrong.path)
    })?;
    let mut symbols = cluster.symbols.clone();
    let template = Template::read(&spec, &mut symbols);

    // A node counts as served by a pod that is on it, and by one that waits for it.
    let mut waiting: Vec<PodIx> = cluster.pod_indices().collect();
    waiting.retain(|pod| cluster.pod(*pod).is_waiting() && is_of(set, cluster, *pod));
    let mut found = Pods::default();
    let mut there = 0;
    for ix in cluster.node_indices() {
        let node = cluster.node(ix);
        let facts = cluster.node_facts(node);
        if !template.selects(facts, &symbols)
            || template.untolerated(&node.taints, &symbols, true).is_some()
        {
            continue;
        }
        let has_pod = cluster.pods_on(ix).iter().any(|pod| is_of(set, cluster, *pod))
            || waiting
                .iter()
                .any(|pod| cluster.template(cluster.pod(*pod)).selects(facts, &cluster.symbols));
        if has_pod {
            there += 1;
            continue;
        }

        let node = cluster.text(node.name);
        let mut pod = model.clone();
        pin(&mut pod, node);
        if let Some(meta) = object_at(&mut pod, "metadata") {
            meta.insert("name".to_owned(), format!("{}-{node}", set.name).into());
        }
        found.pods.push(pod);
    }

    if there > 0 {
        let text = format!(
            "DaemonSet {} has a pod for {there} of its nodes already: those get none",
            set.name
        );
        found.remarks.push(text.into());
    }
    if found.pods.is_empty() {
        let text =
            format!("DaemonSet {} makes no pods: no further node is one of its nodes", set.name);
        found.remarks.push(text.into());
    }
    Ok(found)
}

fn is_of(set: &ManifestWorkload, cluster: &Cluster, pod: PodIx) -> bool {
    let pod = cluster.pod(pod);
    cluster.text(pod.namespace) == set.namespace
        && pod.controller.is_some_and(|owner| {
            cluster.text(owner.kind) == "DaemonSet" && cluster.text(owner.name) == set.name
        })
}

fn tolerate(pod: &mut Value) {
    let host = pod.pointer("/spec/hostNetwork").and_then(Value::as_bool) == Some(true);
    let Some(spec) = object_at(pod, "spec") else { return };
    let list = spec.entry("tolerations").or_insert_with(|| json!([]));
    if list.is_null() {
        *list = json!([]);
    }
    let Some(list) = list.as_array_mut() else { return };
    for (key, effect) in TOLERATED.into_iter().chain(host.then_some(OF_HOST_NETWORK)) {
        list.push(json!({"key": key, "operator": "Exists", "effect": effect}));
    }
}

/// Replaces the required node affinity of the pod by the name of the node: the controller has
/// already evaluated the original one.
fn pin(pod: &mut Value, node: &str) {
    let by_name = json!({"nodeSelectorTerms": [{"matchFields":
        [{"key": "metadata.name", "operator": "In", "values": [node]}]}]});
    let affinity = object_at(pod, "spec").and_then(|spec| object_in(spec, "affinity"));
    if let Some(affinity) = affinity.and_then(|affinity| object_in(affinity, "nodeAffinity")) {
        affinity.insert("requiredDuringSchedulingIgnoredDuringExecution".to_owned(), by_name);
    }
}

#[cfg(test)]
mod tests;
