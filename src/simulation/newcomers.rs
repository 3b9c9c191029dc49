//! Pods that do not exist yet join a cluster: those of manifests, and further ones like those of an owner that is there.

use jiff::Timestamp;
use serde_json::Value;

use super::{admission, workload};
use crate::cluster::Cluster;
use crate::cluster::pod::{Pod, PodIx};

/// Kinds without a namespace, among those that the decision reads.
const WITHOUT_NAMESPACE: [&str; 11] = [
    "Node",
    "PriorityClass",
    "Namespace",
    "PersistentVolume",
    "StorageClass",
    "CSINode",
    "CSIDriver",
    "VolumeAttachment",
    "DeviceClass",
    "ResourceSlice",
    "DeviceTaintRule",
];

/// Objects of manifests, sorted by what is done with them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Newcomers {
    /// Pods, not yet admitted.
    pub pods: Vec<Value>,
    /// What joins the cluster before them.
    pub others: Vec<Value>,
    /// What is to be said about them.
    pub remarks: Vec<String>,
}

/// Sorts manifests. `namespace` is meant where one names none.
///
/// # Errors
/// What is wrong with a manifest, in words.
pub fn of(
    manifest: &Value,
    namespace: &str,
    replicas: Option<u32>,
    cluster: &Cluster,
    into: &mut Newcomers,
) -> Result<(), String> {
    let joined = &into.pods;
    let is_named = |pod: &Value, namespace: &str, name: &str| {
        let field = |path| pod.pointer(path).and_then(Value::as_str);
        field("/metadata/namespace") == Some(namespace) && field("/metadata/name") == Some(name)
    };
    let taken = |namespace: &str, name: &str| {
        cluster.find_pod(namespace, name).is_some() || joined.iter().any(|pod| is_named(pod, namespace, name))
    };
    match workload::pods(manifest, namespace, replicas, &taken)? {
        Some(found) => {
            into.pods.extend(found.pods);
            into.others.extend(found.others);
            into.remarks.extend(found.remarks);
        }
        None => into.others.push(with_namespace(manifest.clone(), namespace)),
    }
    Ok(())
}

fn with_namespace(mut object: Value, namespace: &str) -> Value {
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
    if !WITHOUT_NAMESPACE.contains(&kind)
        && let Some(meta) = object.get_mut("metadata").and_then(Value::as_object_mut)
    {
        meta.entry("namespace").or_insert_with(|| namespace.into());
    }
    object
}

impl Newcomers {
    /// The pods as the API server of `cluster`, which [`Self::others`] have joined, would store them.
    ///
    /// # Errors
    /// Why it would refuse one.
    pub fn admit(mut self, cluster: &Cluster) -> Result<(Vec<Value>, Vec<String>), String> {
        for pod in &mut self.pods {
            for remark in admission::admit(pod, cluster)? {
                if !self.remarks.contains(&remark) {
                    self.remarks.push(remark);
                }
            }
        }
        Ok((self.pods, self.remarks))
    }
}

/// `number` further pods like `pod`, as its owner `name` would make them.
pub fn more_like(pod: PodIx, name: &str, number: u32, cluster: &mut Cluster, now: Timestamp) -> Vec<Pod> {
    let model = cluster.pod(pod).clone();
    let namespace = cluster.text(model.namespace).to_owned();
    let names = (0u64..).map(|index| format!("{name}-{index}"));
    let free: Vec<String> =
        names.filter(|name| cluster.find_pod(&namespace, name).is_none()).take(number as usize).collect();
    free.into_iter()
        .map(|name| {
            let mut new = cluster.copy(pod, now);
            // The claims of a StatefulSet are named after the pod.
            new.claims = model.claims.iter().map(|claim| cluster.claim_for(*claim, &model.name, &name)).collect();
            new.name = name.into();
            new
        })
        .collect()
}

#[cfg(test)]
#[path = "newcomers/tests.rs"]
mod tests;
