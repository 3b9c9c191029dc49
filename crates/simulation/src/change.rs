//! What a manifest changes of an object that exists: what `kubectl apply` makes of both, whether its
//! pods change with it, and what the API server does not let change.
//!
//! Upstream: `staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go`,
//! `pkg/apis/apps/validation/validation.go` and `pkg/apis/batch/validation/validation.go` (1.37).

pub mod plan;

use serde_json::{Map, Value};

use super::plan::PodId;
use model::cluster::Quantity;

/// A field that is not there.
const NONE: &Value = &Value::Null;

/// The annotation in which `kubectl apply` keeps the manifest that it applied last.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The field that identifies the items of a list; the items of any other list are replaced together.
const ITEM_KEYS: [(&str, &str); 11] = [
    ("containers", "name"),
    ("initContainers", "name"),
    ("volumes", "name"),
    ("env", "name"),
    ("imagePullSecrets", "name"),
    ("resourceClaims", "name"),
    ("ports", "containerPort"),
    ("volumeMounts", "mountPath"),
    ("volumeDevices", "devicePath"),
    ("hostAliases", "ip"),
    ("topologySpreadConstraints", "topologyKey"),
];

/// The only fields of a StatefulSet's spec that may change.
const MUTABLE_OF_STATEFUL_SET: [&str; 7] = [
    "minReadySeconds",
    "ordinals",
    "persistentVolumeClaimRetentionPolicy",
    "replicas",
    "revisionHistoryLimit",
    "template",
    "updateStrategy",
];

/// What becomes of a workload that makes pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// It does not exist yet.
    New,
    /// It stays as it is, and so do its pods.
    Unchanged,
    /// Only the number of its pods changes, or nothing that its pods have.
    Scaled,
    /// Its pods are replaced.
    RolledOut,
    /// It is deleted, with its pods.
    Gone,
}

impl ChangeKind {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "New",
            Self::Unchanged => "Unchanged",
            Self::Scaled => "Scaled",
            Self::RolledOut => "RolledOut",
            Self::Gone => "Gone",
        }
    }
}

/// A workload of the manifests, or one that they delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkloadChange {
    /// The index of its document; `None` for one that is deleted.
    pub document: Option<usize>,
    pub kind: String,
    pub namespace: String,
    pub name: String,
    pub what: ChangeKind,
    /// How many pods it wants before and after the change.
    pub before: usize,
    pub after: usize,
    /// Whether the input has the template of its pods, so that `what` is certain.
    pub is_template_known: bool,
    /// Its pods that leave, in the order in which its controller removes them.
    pub removed: Vec<PodId>,
    /// Whether its controller may remove others: it goes by times that are not read.
    pub is_removal_open: bool,
    /// Pods that were not Ready before the change, and that its controller therefore counts out.
    pub unready: usize,
    /// Where its rollout stops.
    pub stop: Option<RolloutStop>,
    /// Pods of the new template that are not made, because it stops before.
    pub unmade: Vec<PodId>,
}

/// Where a rollout stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolloutStop {
    /// How many pods of the new template are available.
    pub available: usize,
    pub wanted: usize,
    /// The pod that holds it up.
    pub pod: String,
    /// Old pods that are still there.
    pub old: usize,
    pub cause: StopCause,
}

/// Why the controller does not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopCause {
    /// The pod gets no node, for this reason, and this many pods may be unavailable.
    NoNode { why: String, max_unavailable: usize },
    /// A quota does not let the controller make the pod, for this reason.
    Refused(String),
    /// The pod was not Ready before the change, and the controller waits for it.
    NotReady,
    /// Whether the pod gets a node is not known, for this reason.
    NotKnown(String),
}

impl WorkloadChange {
    /// That of a workload about which nothing else is known yet.
    fn of([kind, namespace, name]: [&str; 3], what: ChangeKind) -> Self {
        Self {
            document: None,
            kind: kind.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            what,
            before: 0,
            after: 0,
            is_template_known: true,
            removed: Vec::new(),
            is_removal_open: false,
            unready: 0,
            stop: None,
            unmade: Vec::new(),
        }
    }

    /// `Deployment shop/web`.
    pub fn object(&self) -> String {
        format!("{} {}/{}", self.kind, self.namespace, self.name)
    }
}

/// The manifest that was applied last, if the object says so.
pub fn last_applied(stored: &Value) -> Option<Value> {
    let annotations = stored.pointer("/metadata/annotations")?;
    serde_json::from_str(annotations.get(LAST_APPLIED)?.as_str()?).ok()
}

/// The object after `manifest` is applied to it. Fields that the manifest does not name stay, unless
/// `last` has them, which was applied before.
pub fn merged(stored: &Value, manifest: &Value, last: Option<&Value>) -> Value {
    merge("", stored, manifest, last.unwrap_or(NONE))
}

fn merge(field: &str, stored: &Value, new: &Value, last: &Value) -> Value {
    match (stored, new) {
        (Value::Object(old), Value::Object(fields)) => {
            Value::Object(merge_fields(field, old, fields, last))
        }
        (Value::Array(old), Value::Array(items)) => {
            Value::Array(merge_items(field, old, items, last))
        }
        _ => new.clone(),
    }
}

fn merge_fields(
    field: &str,
    stored: &Map<String, Value>,
    new: &Map<String, Value>,
    last: &Value,
) -> Map<String, Value> {
    // Of a strategy of another type, and of a volume, nothing stays that the manifest does not name.
    let is_replaced = ["strategy", "updateStrategy"].contains(&field)
        && stored.get("type") != new.get("type")
        || field == "volumes";
    let mut fields = if is_replaced { Map::new() } else { stored.clone() };
    for name in last.as_object().into_iter().flat_map(Map::keys) {
        if !new.contains_key(name) {
            fields.remove(name);
        }
    }
    for (name, value) in new {
        let before = stored.get(name).unwrap_or(NONE);
        let applied = last.get(name).unwrap_or(NONE);
        if value.is_null() {
            fields.remove(name);
        } else {
            fields.insert(name.clone(), merge(name, before, value, applied));
        }
    }
    fields
}

fn merge_items(field: &str, stored: &[Value], new: &[Value], last: &Value) -> Vec<Value> {
    let key = ITEM_KEYS.iter().find(|(list, _)| *list == field).map(|(_, key)| *key);
    let Some(key) = key else {
        // What the API server adds to the items of a list stays as long as they are as many.
        if stored.len() != new.len() {
            return new.to_vec();
        }
        let pairs = stored.iter().zip(new);
        return pairs.map(|(before, item)| merge("", before, item, NONE)).collect();
    };
    let applied = last.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut items: Vec<Value> = Vec::new();
    for item in new {
        let (before, last) = (with_key(stored, item, key), with_key(applied, item, key));
        items.push(merge(field, before, item, last));
    }
    for other in stored {
        if with_key(new, other, key).is_null() && with_key(applied, other, key).is_null() {
            items.push(other.clone());
        }
    }
    items
}

/// The item that the field `key` identifies as this one.
fn with_key<'v>(items: &'v [Value], item: &Value, key: &str) -> &'v Value {
    items.iter().find(|other| other.get(key) == item.get(key)).unwrap_or(NONE)
}

/// Whether two values mean the same: an empty value is as good as none, and amounts may be written in
/// several ways.
pub fn means_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => a.keys().chain(b.keys()).all(|name| {
            let (a, b) = (a.get(name).unwrap_or(NONE), b.get(name).unwrap_or(NONE));
            if name == "requests" || name == "limits" {
                return same_amounts(a, b);
            }
            means_same(a, b)
        }),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| means_same(a, b))
        }
        _ => one == other || is_empty(one) && is_empty(other),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.values().all(is_empty),
        Value::Array(items) => items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn same_amounts(one: &Value, other: &Value) -> bool {
    let (Value::Object(a), Value::Object(b)) = (one, other) else {
        return is_empty(one) && is_empty(other);
    };
    a.keys().chain(b.keys()).all(|name| match (quantity(a.get(name)), quantity(b.get(name))) {
        (Some(a), Some(b)) => a.amount_cmp(b).is_eq(),
        _ => a.get(name) == b.get(name),
    })
}

fn quantity(value: Option<&Value>) -> Option<Quantity> {
    match value? {
        Value::String(text) => Quantity::parse(text).ok(),
        number => Quantity::parse(&number.to_string()).ok(),
    }
}

/// The template of an object's pods, as far as it has one.
pub fn template(object: &Value) -> &Value {
    let path = match object.get("kind").and_then(Value::as_str) {
        Some("CronJob") => "/spec/jobTemplate",
        Some("Pod") => "/spec",
        _ => "/spec/template",
    };
    object.pointer(path).unwrap_or(NONE)
}

/// What the API server says against a change of an object; `None` if it takes it.
pub fn immutable(stored: &Value, merged: &Value) -> Option<String> {
    let kind = stored.get("kind").and_then(Value::as_str).unwrap_or_default();
    let is_changed = |path: &str| {
        let [before, after] = [stored, merged].map(|object| object.pointer(path).unwrap_or(NONE));
        !means_same(before, after)
    };
    let again = format!("delete the {kind} first, or give it another name");
    let fixed = |field: &str| {
        Some(format!(
            "{}: field is immutable: {again}",
            field.trim_start_matches('/').replace('/', ".")
        ))
    };
    match kind {
        "Deployment" | "DaemonSet" | "ReplicaSet" if is_changed("/spec/selector") => {
            fixed("/spec/selector")
        }
        "StatefulSet" => {
            let specs = [stored, merged].into_iter().filter_map(|object| object.get("spec"));
            let mut names = specs.filter_map(Value::as_object).flat_map(Map::keys);
            let name = names.find(|name| {
                !MUTABLE_OF_STATEFUL_SET.contains(&name.as_str())
                    && is_changed(&format!("/spec/{name}"))
            })?;
            Some(format!("spec.{name}: Forbidden: a StatefulSet cannot change it: {again}"))
        }
        "Pod" => {
            let [before, after] = [stored, merged].map(fixed_of_pod);
            let may_change = "spec.containers[*].image and a few others";
            (!means_same(&before, &after)).then(|| {
                format!("spec: Forbidden: pod updates may not change fields other than {may_change}: {again}")
            })
        }
        "Job" => {
            // Kueue and its like set where the pods of a suspended Job run.
            let is_suspended = stored.pointer("/spec/suspend") == Some(&Value::Bool(true));
            if is_changed("/spec/template") && !is_suspended {
                return fixed("/spec/template");
            }
            let is_indexed =
                stored.pointer("/spec/completionMode").and_then(Value::as_str) == Some("Indexed");
            ["/spec/completions", "/spec/completionMode", "/spec/selector"]
                .into_iter()
                .find(|field| is_changed(field) && !(is_indexed && *field == "/spec/completions"))
                .and_then(fixed)
        }
        _ => None,
    }
}

/// The fields of a pod's spec that an update may not change. Tolerations may be added: those that
/// every pod gets are not in its manifest.
fn fixed_of_pod(pod: &Value) -> Value {
    let mut spec = pod.get("spec").cloned().unwrap_or_default();
    if let Some(fields) = spec.as_object_mut() {
        for free in ["activeDeadlineSeconds", "tolerations", "schedulingGates"] {
            fields.remove(free);
        }
    }
    for list in ["containers", "initContainers"] {
        let containers = spec.get_mut(list).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten().filter_map(Value::as_object_mut) {
            container.remove("image");
        }
    }
    spec
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn stored() -> Value {
        json!({"kind": "Deployment", "metadata": {"name": "web", "uid": "u"}, "spec": {"replicas": 4,
            "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"creationTimestamp": null,
                "labels": {"app": "web"}}, "spec": {"dnsPolicy": "ClusterFirst", "containers": [
                    {"name": "c", "image": "web:1", "imagePullPolicy": "Always", "env": [{"name": "A", "value": "1"}],
                     "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}},
                    {"name": "sidecar", "image": "proxy"}]}}}})
    }

    fn manifest(template: &Value) -> Value {
        json!({"kind": "Deployment", "metadata": {"name": "web"}, "spec": {
            "selector": {"matchLabels": {"app": "web"}}, "template": template}})
    }

    #[test]
    fn template_changes_only_by_what_the_manifest_says() {
        let container = |fields: Value| {
            let mut container = json!({"name": "c", "image": "web:1"});
            for (name, value) in fields.as_object().cloned().unwrap_or_default() {
                container[name] = value;
            }
            json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}})
        };
        for (template, changes) in [
            (container(json!({})), false),
            (
                container(json!({"resources": {"requests": {"cpu": "1000m", "memory": "1024Mi"}}})),
                false,
            ),
            (container(json!({"resources": {"requests": {"cpu": 1}}})), false),
            (container(json!({"env": [{"name": "A", "value": "1"}]})), false),
            (container(json!({"securityContext": {}})), false),
            (container(json!({"resources": {"requests": {"cpu": "2"}}})), true),
            (container(json!({"image": "web:2"})), true),
            (container(json!({"env": [{"name": "A", "value": "2"}]})), true),
            (container(json!({"env": [{"name": "B", "value": "1"}]})), true),
        ] {
            let merged = merged(&stored(), &manifest(&template), None);
            let is_same = means_same(super::template(&stored()), super::template(&merged));
            assert_eq!(is_same, !changes, "{template}");
            assert_eq!(merged["spec"]["replicas"], 4, "what the manifest does not say stays");
        }
    }

    #[test]
    fn fields_that_were_applied_before_go_with_the_manifest() {
        let template = json!({"metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "web:1"}]}});
        let last = json!({"spec": {"replicas": 4, "template": {"spec": {"containers": [
            {"name": "c", "image": "web:1", "env": [{"name": "A", "value": "1"}]}, {"name": "sidecar"}]}}}});
        let merged = merged(&stored(), &manifest(&template), Some(&last));
        assert_eq!(merged["spec"].get("replicas"), None);
        let containers =
            merged["spec"]["template"]["spec"]["containers"].as_array().expect("a list");
        assert_eq!(containers.len(), 1);
        assert_eq!(containers[0].get("env"), None);
        assert_eq!(containers[0]["resources"]["requests"]["cpu"], "1");
    }

    #[test]
    fn fields_that_cannot_change_are_named() {
        let change = |path: &str, value: Value, mut object: Value| {
            *object.pointer_mut(path).expect("the field") = value;
            object
        };
        let job = json!({"kind": "Job", "spec": {"parallelism": 1, "completions": 1, "template": {"spec": {}}}});
        let set = json!({"kind": "StatefulSet", "spec": {"serviceName": "a", "replicas": 1}});
        let other = json!({"matchLabels": {"app": "api"}});
        for (before, after, problem) in [
            (stored(), stored(), None),
            (
                stored(),
                change("/spec/selector", other, stored()),
                Some("spec.selector: field is immutable"),
            ),
            (set.clone(), change("/spec/replicas", json!(2), set.clone()), None),
            (
                set.clone(),
                change("/spec/serviceName", json!("b"), set),
                Some("spec.serviceName: Forbidden"),
            ),
            (job.clone(), change("/spec/parallelism", json!(2), job.clone()), None),
            (
                job.clone(),
                change("/spec/completions", json!(2), job.clone()),
                Some("spec.completions: field"),
            ),
            (
                job.clone(),
                change("/spec/template/spec", json!({"a": 1}), job),
                Some("spec.template: field"),
            ),
        ] {
            let said = immutable(&before, &after);
            assert_eq!(said.is_some(), problem.is_some(), "{said:?}");
            let said = said.unwrap_or_default();
            assert!(said.starts_with(problem.unwrap_or_default()), "{said}");
        }
    }
}
