//! The pods that a manifest stands for: a Pod itself, or the pods that a workload's controller makes of its template.

use serde_json::{Map, Value, json};

/// What one manifest stands for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pods {
    /// Pods as their controller creates them, before the API server has added anything.
    pub pods: Vec<Value>,
    /// Other objects that would be there with them: the owner of the pods, claims of a StatefulSet.
    pub others: Vec<Value>,
    /// What was left out, in words.
    pub remarks: Vec<String>,
}

/// What a workload is made of.
struct Workload<'m> {
    kind: &'m str,
    name: String,
    namespace: String,
    spec: &'m Value,
}

/// Kinds of which [`pods`] makes pods.
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

/// The pods of `manifest`, as many as it says or `replicas`; `None`: it is of a kind that makes none. `namespace` is meant
/// where it names none, and `taken` tells which names of pods are taken.
///
/// # Errors
/// What is wrong with it, in words.
pub fn pods(
    manifest: &Value,
    namespace: &str,
    replicas: Option<u32>,
    taken: &dyn Fn(&str, &str) -> bool,
) -> Result<Option<Pods>, String> {
    let kind = manifest.get("kind").and_then(Value::as_str).unwrap_or_default();
    if !KINDS.contains(&kind) {
        return Ok(None);
    }
    let meta = manifest.get("metadata");
    let text = |field: &str| meta.and_then(|m| m.get(field)).and_then(Value::as_str).unwrap_or_default();
    let name = match (text("name"), text("generateName")) {
        ("", "") => return Err(format!("a {kind} without metadata.name")),
        ("", prefix) => format!("{prefix}0"),
        (name, _) => name.to_owned(),
    };
    let namespace = if text("namespace").is_empty() { namespace } else { text("namespace") }.to_owned();
    let nothing = Value::Null;
    let spec = manifest.get("spec").unwrap_or(&nothing);
    let workload = Workload { kind, name, namespace, spec };
    match kind {
        "Pod" => Ok(Some(workload.plain(manifest, replicas, taken))),
        "DaemonSet" => Err(format!(
            "DaemonSet {}: it makes a pod for each node, and its number is that of the nodes; give the pod of one node, as \
             kind Pod with a node affinity",
            workload.name
        )),
        "PodTemplate" => workload.made_of(manifest.get("template"), replicas.unwrap_or(1), taken).map(Some),
        "Job" => workload.made_of(spec.get("template"), replicas.unwrap_or_else(|| parallelism(spec)), taken).map(Some),
        "CronJob" => {
            let job = spec.pointer("/jobTemplate/spec").unwrap_or(&nothing);
            workload.made_of(job.get("template"), replicas.unwrap_or_else(|| parallelism(job)), taken).map(Some)
        }
        _ => {
            let said = spec.get("replicas").and_then(Value::as_u64).map(|n| u32::try_from(n).unwrap_or(u32::MAX));
            let number = replicas.or(said).unwrap_or(1);
            workload.made_of(spec.get("template"), number, taken).map(Some)
        }
    }
}

/// How many pods of a Job run at once.
fn parallelism(job: &Value) -> u32 {
    let number = |field: &str| job.get(field).and_then(Value::as_u64).map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    let parallel = number("parallelism").unwrap_or(1);
    number("completions").map_or(parallel, |completions| completions.min(parallel))
}

impl Workload<'_> {
    fn plain(&self, manifest: &Value, replicas: Option<u32>, taken: &dyn Fn(&str, &str) -> bool) -> Pods {
        let mut pod = manifest.clone();
        let mut remarks = Vec::new();
        let exported = pod.pointer("/metadata/uid").is_some();
        if let Some(fields) = pod.as_object_mut() {
            fields.remove("status");
        }
        if exported {
            // What `kubectl get -o yaml` wrote: asked about is another pod like it.
            if let Some(meta) = pod.get_mut("metadata").and_then(Value::as_object_mut) {
                let of_the_object =
                    ["uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"];
                of_the_object.iter().for_each(|field| drop(meta.remove(*field)));
            }
            let bound = pod.get_mut("spec").and_then(Value::as_object_mut).and_then(|spec| spec.remove("nodeName"));
            if bound.is_some() {
                remarks.push(format!(
                    "Pod {}/{} is taken for a new one like it: its node and status are left out",
                    self.namespace, self.name
                ));
            }
        }
        let copies = replicas.unwrap_or(1);
        let names = match copies {
            1 => vec![self.name.clone()],
            copies => self.free_names(copies, taken),
        };
        if copies == 1 && taken(&self.namespace, &self.name) {
            remarks.push(format!("Pod {}/{} is there already: the one of the file is used", self.namespace, self.name));
        }
        let pods = names.into_iter().map(|name| self.named(pod.clone(), &name)).collect();
        Pods { pods, others: Vec::new(), remarks }
    }

    /// `number` pods of a template.
    fn made_of(
        &self,
        template: Option<&Value>,
        number: u32,
        taken: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Pods, String> {
        let template = template
            .filter(|t| t.get("spec").is_some_and(Value::is_object))
            .ok_or_else(|| format!("{} {}: it has no pod template (spec.template.spec)", self.kind, self.name))?;
        let mut found = Pods::default();
        let owner = self.owner();
        for name in self.free_names(number, taken) {
            let mut pod = json!({"apiVersion": "v1", "kind": "Pod"});
            for part in ["metadata", "spec"] {
                if let (Some(fields), Some(value)) = (pod.as_object_mut(), template.get(part)) {
                    fields.insert(part.to_owned(), value.clone());
                }
            }
            let mut pod = self.named(pod, &name);
            if let Some((kind, owner)) = &owner
                && let Some(meta) = object_at(&mut pod, "metadata")
            {
                let api = if *kind == "ReplicationController" { "v1" } else { "apps/v1" };
                meta.insert(
                    "ownerReferences".to_owned(),
                    json!([{"apiVersion": api, "kind": kind, "name": owner, "controller": true}]),
                );
            }
            self.claim(&mut pod, &name, &mut found.others);
            found.pods.push(pod);
        }
        if let Some((kind, name)) = owner {
            let group = if kind == "ReplicationController" { "v1" } else { "apps/v1" };
            let selector = self.spec.get("selector").cloned().unwrap_or(Value::Null);
            found.others.push(json!({"apiVersion": group, "kind": kind,
                "metadata": {"name": name, "namespace": self.namespace}, "spec": {"selector": selector}}));
        }
        Ok(found)
    }

    /// Kind and name of the object that selects the pods, where the scheduler looks for one.
    fn owner(&self) -> Option<(&str, String)> {
        match self.kind {
            "Deployment" => Some(("ReplicaSet", self.name.clone())),
            "ReplicaSet" | "StatefulSet" | "ReplicationController" => Some((self.kind, self.name.clone())),
            _ => None,
        }
    }

    /// The claims that a StatefulSet makes for a pod.
    fn claim(&self, pod: &mut Value, name: &str, others: &mut Vec<Value>) {
        let templates = self.spec.get("volumeClaimTemplates").and_then(Value::as_array);
        for template in templates.into_iter().flatten().filter(|_| self.kind == "StatefulSet") {
            let volume = template.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
            let claim = format!("{volume}-{name}");
            let spec = template.get("spec").cloned().unwrap_or(Value::Null);
            others.push(json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": {"name": claim, "namespace": self.namespace}, "spec": spec}));
            let Some(spec) = object_at(pod, "spec") else { continue };
            let volumes = spec.entry("volumes").or_insert_with(|| json!([]));
            if let Some(volumes) = volumes.as_array_mut() {
                volumes.retain(|v| v.get("name").and_then(Value::as_str) != Some(volume));
                volumes.push(json!({"name": volume, "persistentVolumeClaim": {"claimName": claim}}));
            }
        }
    }

    fn free_names(&self, number: u32, taken: &dyn Fn(&str, &str) -> bool) -> Vec<String> {
        let names = (0u64..).map(|index| format!("{}-{index}", self.name));
        names.filter(|name| !taken(&self.namespace, name)).take(number as usize).collect()
    }

    fn named(&self, mut pod: Value, name: &str) -> Value {
        if let Some(meta) = object_at(&mut pod, "metadata") {
            meta.insert("name".to_owned(), name.into());
            meta.insert("namespace".to_owned(), self.namespace.clone().into());
        }
        pod
    }
}

/// The object in a field, made if need be.
fn object_at<'v>(value: &'v mut Value, field: &str) -> Option<&'v mut Map<String, Value>> {
    let entry = value.as_object_mut()?.entry(field).or_insert_with(|| json!({}));
    if entry.is_null() {
        *entry = json!({});
    }
    entry.as_object_mut()
}

#[cfg(test)]
#[path = "workload/tests.rs"]
mod tests;
