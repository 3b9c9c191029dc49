//! Objects that no scheduling rule reads: those of admission, controllers and reports.

use serde_json::{Value, json};

use crate::kinds::Other;

/// A priority class; it may be the default one.
pub fn priority_class(name: &str, value: i64) -> Other {
    Other(
        json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}),
    )
}

/// A LimitRange of namespace `default` with one item about containers.
pub fn limit_range(name: &str, mut item: Value) -> Other {
    item["type"] = "Container".into();
    Other(json!({
        "apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": name, "namespace": "default"},
        "spec": {"limits": [item]},
    }))
}

/// A controller in namespace `default`, such as a ReplicaSet, which may have a controller itself.
pub fn owner(kind: &str, name: &str, controller: Option<(&str, &str)>) -> Other {
    let controllers: Vec<Value> = controller
        .into_iter()
        .map(|(kind, name)| json!({"kind": kind, "name": name, "controller": true}))
        .collect();
    Other(json!({
        "apiVersion": "apps/v1", "kind": kind,
        "metadata": {"name": name, "namespace": "default", "ownerReferences": controllers},
    }))
}
