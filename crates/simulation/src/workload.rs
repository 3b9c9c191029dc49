//! The pods of a manifest: the Pod itself, or the pods that the controller of a workload creates
//! from its template.
//!
//! Upstream: `pkg/controller/controller_utils.go` `GetPodFromTemplate`,
//! `pkg/controller/statefulset/stateful_set_utils.go` (1.37). Numbers replace the random suffixes
//! of names.

use serde_json::{Map, Value, json};

use super::remark::PlanRemark;
use model::notes::SettledBy;
use model::snapshot::{Kind, group_of};

/// The objects that follow from one manifest.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pods {
    /// Pods as their controller creates them, before the API server has added anything.
    pub pods: Vec<Value>,
    /// Other objects that would exist with them: the owner of the pods, and the claims of a
    /// StatefulSet.
    pub others: Vec<Value>,
    /// Remarks about what was left out.
    pub remarks: Vec<PlanRemark>,
}

/// The use of a pod's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameUse {
    /// No pod has the name.
    No,
    /// A pending pod has the name.
    Waits,
    /// A pod that is or was on a node has the name.
    Runs,
}

/// Looks up the use of a pod's name, by namespace and name.
pub(crate) type NameLookup<'t> = &'t dyn Fn(&str, &str) -> NameUse;

/// The kinds that create pods.
pub const KINDS: [&str; 9] = [
    "Pod",
    "PodTemplate",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "ReplicationController",
    "Job",
    "CronJob",
    "DaemonSet",
];

/// Kinds of other API groups that create pods from a template as kinds of Kubernetes do.
const OTHER_KINDS: [(&str, &str); 5] = [
    ("apps.openshift.io", "DeploymentConfig"),
    ("apps.kruise.io", "CloneSet"),
    ("apps.kruise.io", "StatefulSet"),
    ("apps.kruise.io", "DaemonSet"),
    ("argoproj.io", "Rollout"),
];
/// How deep a pod template is looked for in an object of another group.
const TEMPLATE_DEPTH: usize = 8;

/// Maximum number of pods of one manifest.
const MOST_PODS: u32 = 10_000;

/// The suffix in place of the hash of a template, which the API server would compute.
const HASH: &str = "simulated";

/// A manifest that creates pods.
#[derive(Debug)]
pub struct ManifestWorkload<'m> {
    pub(crate) kind: &'m str,
    /// Whether its kind is one of another API group.
    pub(crate) is_foreign: bool,
    pub name: String,
    /// The prefix of the names of its pods.
    prefix: String,
    pub namespace: String,
    manifest: &'m Value,
}

/// A string in a manifest; empty if it is missing.
fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, pointer: &str) -> Option<u32> {
    value.pointer(pointer).and_then(Value::as_u64).map(|n| u32::try_from(n).unwrap_or(u32::MAX))
}

/// Whether an object belongs to an API group outside Kubernetes. Its kind may have the name of a
/// Kubernetes kind.
pub(super) fn is_of_another_group(object: &Value) -> bool {
    let group = group_of(text(object, "/apiVersion"));
    group.contains('.') && Kind::ALL.iter().all(|kind| kind.group() != group)
}

/// Whether an object of another API group has a pod template that its controller is known to use as
/// those of Kubernetes do.
pub(super) fn is_known_template(object: &Value) -> bool {
    let of = (group_of(text(object, "/apiVersion")), text(object, "/kind"));
    let has_template = object.pointer("/spec/template/spec").is_some_and(Value::is_object);
    has_template && OTHER_KINDS.contains(&of)
}

/// Whether there is a pod template somewhere in a value.
fn holds_template(value: &Value, depth: usize) -> bool {
    if depth == 0 {
        return false;
    }
    match value {
        Value::Object(fields) => {
            fields.get("spec").and_then(|spec| spec.get("containers")).is_some_and(Value::is_array)
                || fields.values().any(|value| holds_template(value, depth - 1))
        }
        Value::Array(items) => items.iter().any(|item| holds_template(item, depth - 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// A remark about an object of another API group that creates pods by its own rules; `None` if it
/// creates none.
pub(super) fn foreign_remark(object: &Value) -> Option<String> {
    let (kind, name) = (text(object, "/kind"), text(object, "/metadata/name"));
    let has_template = object.get("spec").is_some_and(|spec| holds_template(spec, TEMPLATE_DEPTH));
    let is_known = OTHER_KINDS.iter().any(|(_, other)| *other == kind);
    let creates_pods = KINDS.contains(&kind) || is_known || has_template;
    (creates_pods && is_of_another_group(object)).then(|| {
        let group = group_of(text(object, "/apiVersion"));
        format!("{kind} {name} of {group} is passed over: which pods its controller creates is not known here")
    })
}

/// The object in a field, which is created if it is missing.
pub(super) fn object_at<'v>(
    value: &'v mut Value,
    field: &str,
) -> Option<&'v mut Map<String, Value>> {
    object_in(value.as_object_mut()?, field)
}

pub(super) fn object_in<'v>(
    object: &'v mut Map<String, Value>,
    field: &str,
) -> Option<&'v mut Map<String, Value>> {
    let entry = object.entry(field).or_insert_with(|| json!({}));
    if entry.is_null() {
        *entry = json!({});
    }
    entry.as_object_mut()
}

impl<'m> ManifestWorkload<'m> {
    /// Reads a manifest; `None` if its kind creates no pods. `namespace` is the default if the
    /// manifest names none.
    ///
    /// # Errors
    /// What is wrong with the manifest.
    pub(crate) fn read(manifest: &'m Value, namespace: &str) -> Result<Option<Self>, String> {
        let kind = text(manifest, "/kind");
        let is_foreign = is_of_another_group(manifest);
        let creates_pods =
            if is_foreign { is_known_template(manifest) } else { KINDS.contains(&kind) };
        if !creates_pods {
            return Ok(None);
        }
        let (name, prefix) =
            match (text(manifest, "/metadata/name"), text(manifest, "/metadata/generateName")) {
                ("", "") => return Err(format!("a {kind} without metadata.name")),
                ("", prefix) if kind == "Pod" => (format!("{prefix}0"), prefix.to_owned()),
                ("", prefix) => (format!("{prefix}0"), format!("{prefix}0-")),
                (name, _) => (name.to_owned(), format!("{name}-")),
            };
        let own = text(manifest, "/metadata/namespace");
        let namespace = if own.is_empty() { namespace } else { own }.to_owned();
        Ok(Some(Self { kind, is_foreign, name, prefix, namespace, manifest }))
    }

    /// What is to be known of its pods if its controller creates none because it is suspended.
    /// Kueue suspends every Job that waits for its quota.
    fn suspension(&self) -> Option<PlanRemark> {
        let is_set = |pointer: &str| self.manifest.pointer(pointer) == Some(&Value::Bool(true));
        let field = match self.kind {
            "Job" | "CronJob" if is_set("/spec/suspend") => "spec.suspend",
            "CronJob" if is_set("/spec/jobTemplate/spec/suspend") => {
                "spec.jobTemplate.spec.suspend"
            }
            _ => return None,
        };
        let Self { kind, namespace, name, .. } = self;
        let text = format!(
            "{kind} {namespace}/{name} is suspended: it has no pods until {field} is false, and what is shown holds for then"
        );
        Some(text.into())
    }

    /// Whether it creates a pod per node, so that its pods depend on the nodes.
    pub(crate) fn is_daemon(&self) -> bool {
        self.kind == "DaemonSet"
    }

    /// Its pods; their number is `replicas` or the number in the manifest.
    ///
    /// # Errors
    /// What is wrong with the manifest.
    pub(crate) fn pods(&self, replicas: Option<u32>, taken: NameLookup) -> Result<Pods, String> {
        let is_paused = self.kind == "Deployment"
            && self.manifest.pointer("/spec/paused") == Some(&Value::Bool(true));
        let number = replicas.unwrap_or_else(|| if is_paused { 0 } else { self.replicas() });
        if number > MOST_PODS {
            let Self { kind, name, .. } = self;
            return Err(format!(
                "{kind} {name}: {number} pods are too many: at most {MOST_PODS} are simulated"
            ));
        }
        if self.kind == "Pod" { Ok(self.plain(number, taken)) } else { self.made(number, taken) }
    }

    /// How many pods it creates at once.
    pub(crate) fn replicas(&self) -> u32 {
        let job = match self.kind {
            "Pod" | "PodTemplate" => return 1,
            "Job" => "/spec",
            "CronJob" => "/spec/jobTemplate/spec",
            _ => return number(self.manifest, "/spec/replicas").unwrap_or(1),
        };
        let parallel = number(self.manifest, &format!("{job}/parallelism")).unwrap_or(1);
        number(self.manifest, &format!("{job}/completions"))
            .map_or(parallel, |completions| completions.min(parallel))
    }

    fn plain(&self, number: u32, taken: NameLookup) -> Pods {
        let mut made = Pods::default();
        let mut pod = self.manifest.clone();
        object_at(&mut pod, "metadata").map(|meta| meta.remove("generateName"));
        if let Some(fields) = pod.as_object_mut() {
            fields.remove("status");
        }
        let full_name = format!("Pod {}/{}", self.namespace, self.name);
        let generated = text(self.manifest, "/metadata/name").is_empty();
        let place = if generated { NameUse::No } else { taken(&self.namespace, &self.name) };
        // A manifest from `kubectl get -o yaml` describes a new pod like the exported one.
        let exported = pod.pointer("/metadata/uid").is_some();
        if exported {
            let of_the_object = [
                "uid",
                "resourceVersion",
                "creationTimestamp",
                "deletionTimestamp",
                "deletionGracePeriodSeconds",
            ];
            object_at(&mut pod, "metadata")
                .map(|meta| of_the_object.map(|field| meta.remove(field)));
            let bound =
                object_at(&mut pod, "spec").and_then(|spec| spec.remove("nodeName")).is_some();
            if bound && place != NameUse::Runs {
                let text = format!(
                    "{full_name} is read as a new pod like it, without its node and status"
                );
                made.remarks.push(text.into());
            }
        }
        let names = match (number, place) {
            (1, NameUse::No) if !generated => vec![self.name.clone()],
            (1, NameUse::Waits) => {
                let text =
                    format!("{full_name} is already pending: the pod of the file replaces it");
                made.remarks.push(text.into());
                vec![self.name.clone()]
            }
            (number, place) => {
                let names = self.free_names(number, taken);
                if place == NameUse::Runs {
                    let names = names.join(", ");
                    let text = format!(
                        "{full_name} is already on a node: another one is simulated, {names}"
                    );
                    made.remarks.push(text.into());
                }
                names
            }
        };
        for name in names {
            made.pods.push(self.named(pod.clone(), &name));
        }
        made
    }

    /// The pods created from a template.
    fn made(&self, number: u32, taken: NameLookup) -> Result<Pods, String> {
        let mut made = self.named_pods(&self.free_names(number, taken))?;
        made.remarks.extend(self.suspension());
        if number == 0 {
            let Self { kind, name, .. } = self;
            let text = format!("{kind} {name} creates no pods with its own settings");
            made.remarks.push(PlanRemark::settled_by(text, SettledBy::Replicas));
        }
        made.others.extend(self.selecting_owner());
        Ok(made)
    }

    /// The pods with these names, as its controller creates them from its template.
    ///
    /// # Errors
    /// The manifest has no template.
    pub(crate) fn named_pods(&self, names: &[String]) -> Result<Pods, String> {
        let mut made = Pods::default();
        for name in names {
            let mut pod = self.pod(name)?;
            self.claim(&mut pod, name, &mut made.others);
            made.pods.push(pod);
        }
        Ok(made)
    }

    /// A pod with that name, as its controller creates it.
    ///
    /// # Errors
    /// The manifest has no template.
    pub(crate) fn pod(&self, name: &str) -> Result<Value, String> {
        let path = match self.kind {
            "PodTemplate" => "/template",
            "CronJob" => "/spec/jobTemplate/spec/template",
            _ => "/spec/template",
        };
        let template =
            self.manifest.pointer(path).filter(|t| t.get("spec").is_some_and(Value::is_object));
        let template = template.ok_or_else(|| {
            let (field, Self { kind, name, .. }) =
                (path.trim_start_matches('/').replace('/', "."), self);
            format!("{kind} {name} has no pod template ({field}.spec)")
        })?;
        let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "spec": template.get("spec")});
        if let Some(meta) = object_at(&mut pod, "metadata") {
            for field in ["labels", "annotations"] {
                meta.extend(
                    template
                        .pointer(&format!("/metadata/{field}"))
                        .map(|v| (field.to_owned(), v.clone())),
                );
            }
            if let Some((api, kind, owner)) = self.controller() {
                let owner =
                    json!([{"apiVersion": api, "kind": kind, "name": owner, "controller": true}]);
                meta.insert("ownerReferences".to_owned(), owner);
            }
        }
        let mut pod = self.named(pod, name);
        if let Some(labels) =
            object_at(&mut pod, "metadata").and_then(|meta| object_in(meta, "labels"))
        {
            let added = self.labels(name).into_iter();
            labels.extend(added.map(|(key, value)| (key.to_owned(), value.into())));
        }
        Ok(pod)
    }

    /// API version, kind and name of the object that controls its pods.
    fn controller(&self) -> Option<(&'m str, &'m str, String)> {
        let name = self.name.clone();
        match self.kind {
            "DeploymentConfig" => Some(("v1", "ReplicationController", format!("{name}-1"))),
            "Rollout" => Some(("apps/v1", "ReplicaSet", format!("{name}-{HASH}"))),
            kind if self.is_foreign => Some((text(self.manifest, "/apiVersion"), kind, name)),
            "Deployment" => Some(("apps/v1", "ReplicaSet", format!("{name}-{HASH}"))),
            "ReplicaSet" => Some(("apps/v1", "ReplicaSet", name)),
            "StatefulSet" => Some(("apps/v1", "StatefulSet", name)),
            "DaemonSet" => Some(("apps/v1", "DaemonSet", name)),
            "ReplicationController" => Some(("v1", "ReplicationController", name)),
            "Job" => Some(("batch/v1", "Job", name)),
            "CronJob" => Some(("batch/v1", "Job", format!("{name}-0"))),
            _ => None,
        }
    }

    /// Labels that its controller adds.
    fn labels(&self, pod: &str) -> Vec<(&'static str, String)> {
        match (self.kind, self.controller()) {
            ("Deployment", _) => vec![("pod-template-hash", HASH.to_owned())],
            ("Rollout", _) => vec![("rollouts-pod-template-hash", HASH.to_owned())],
            ("DeploymentConfig", Some((_, _, controller))) => {
                vec![("deployment", controller), ("deploymentconfig", self.name.clone())]
            }
            ("StatefulSet", _) => {
                let index = pod.rsplit('-').next().unwrap_or_default().to_owned();
                vec![
                    ("statefulset.kubernetes.io/pod-name", pod.to_owned()),
                    ("apps.kubernetes.io/pod-index", index),
                ]
            }
            ("Job" | "CronJob", Some((_, _, job))) => {
                vec![("batch.kubernetes.io/job-name", job.clone()), ("job-name", job)]
            }
            _ => Vec::new(),
        }
    }

    /// The owner whose selector selects its pods, for kinds whose owners the scheduler reads.
    pub(crate) fn selecting_owner(&self) -> Option<Value> {
        let (api, kind, name) = self.controller().filter(|(api, kind, _)| {
            ["v1", "apps/v1"].contains(api) && !["Job", "DaemonSet"].contains(kind)
        })?;
        let mut selector = self.manifest.pointer("/spec/selector").cloned().unwrap_or(Value::Null);
        let mut meta = json!({"name": name, "namespace": self.namespace});
        // What the controller adds to the labels of its pods, it adds to its selector.
        let added = self.labels("").into_iter().map(|(key, value)| (key.to_owned(), value.into()));
        match self.kind {
            "DeploymentConfig" => {
                if let Some(labels) = selector.as_object_mut() {
                    labels.extend(added);
                }
            }
            "Deployment" | "Rollout" => {
                if let Some(labels) = object_at(&mut selector, "matchLabels") {
                    labels.extend(added);
                }
            }
            _ => {}
        }
        if self.kind == "Deployment" {
            let deployment = json!([{"apiVersion": "apps/v1", "kind": "Deployment", "name": self.name, "controller": true}]);
            if let Some(meta) = meta.as_object_mut() {
                meta.insert("ownerReferences".to_owned(), deployment);
            }
        }
        Some(
            json!({"apiVersion": api, "kind": kind, "metadata": meta, "spec": {"selector": selector}}),
        )
    }

    /// The claims that a StatefulSet creates for a pod.
    fn claim(&self, pod: &mut Value, name: &str, others: &mut Vec<Value>) {
        let templates =
            self.manifest.pointer("/spec/volumeClaimTemplates").and_then(Value::as_array);
        for template in templates.into_iter().flatten().filter(|_| self.kind == "StatefulSet") {
            let volume = text(template, "/metadata/name");
            let claim = format!("{volume}-{name}");
            let spec = template.get("spec").cloned().unwrap_or(Value::Null);
            let annotations =
                template.pointer("/metadata/annotations").cloned().unwrap_or(Value::Null);
            others.push(json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": {"name": claim, "namespace": self.namespace, "annotations": annotations}, "spec": spec}));
            let Some(spec) = object_at(pod, "spec") else { continue };
            let volumes = spec.entry("volumes").or_insert_with(|| json!([]));
            if volumes.is_null() {
                *volumes = json!([]);
            }
            if let Some(volumes) = volumes.as_array_mut() {
                volumes.retain(|v| text(v, "/name") != volume);
                volumes
                    .push(json!({"name": volume, "persistentVolumeClaim": {"claimName": claim}}));
            }
        }
    }

    fn free_names(&self, number: u32, taken: NameLookup) -> Vec<String> {
        let start = self::number(self.manifest, "/spec/ordinals/start")
            .filter(|_| self.kind == "StatefulSet");
        let names =
            (u64::from(start.unwrap_or(0))..).map(|index| format!("{}{index}", self.prefix));
        names
            .filter(|name| taken(&self.namespace, name) == NameUse::No)
            .take(number as usize)
            .collect()
    }

    fn named(&self, mut pod: Value, name: &str) -> Value {
        if let Some(meta) = object_at(&mut pod, "metadata") {
            meta.insert("name".to_owned(), name.into());
            meta.insert("namespace".to_owned(), self.namespace.clone().into());
        }
        pod
    }
}

#[cfg(test)]
mod tests;
