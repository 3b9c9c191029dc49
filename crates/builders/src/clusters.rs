//! Clusters of objects that tests build.

use serde_json::{Value, json};

use model::cluster::build::Builder;
use model::cluster::{Cluster, PodIx};
use model::decode::decode;

/// The cluster of a list of objects.
pub fn cluster(objects: Vec<Value>) -> Cluster {
    let mut list = json!({"apiVersion": "v1", "kind": "List"});
    list["items"] = objects.into();
    cluster_of(&list)
}

/// The cluster of a JSON list.
pub fn cluster_of(list: &Value) -> Cluster {
    let mut builder = Builder::new();
    decode(&list.to_string(), "test", &mut builder).expect("a readable list");
    builder.finish()
}

pub fn snapshot(objects: Vec<Value>, header: &Value) -> Cluster {
    let mut list =
        json!({"apiVersion": "preempt/v1alpha1", "kind": "Snapshot", "snapshot": header});
    list["items"] = objects.into();
    cluster_of(&list)
}

/// The pod of that name, or `namespace/name`.
pub fn find(cluster: &Cluster, pod: &str) -> PodIx {
    let (namespace, name) = pod.split_once('/').unwrap_or(("default", pod));
    cluster.find_pod(namespace, name).expect("the pod is among the objects")
}
