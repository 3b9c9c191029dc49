//! Controllers of pods of kinds that no decision reads: Deployments, DaemonSets, `CronJobs`, and those
//! of other programs. They say why pods are missing, so they are kept as far as that.

use serde::{Deserialize, Deserializer, Serialize};

use super::managed_fields::{AllocatableChange, FieldChange, LabelChange, ManagedField};
use super::object::group_of;
use super::{Object, others};

/// Such a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControllerKind {
    pub kind: &'static str,
    /// API group.
    pub group: &'static str,
    pub plural: &'static str,
    /// The versions that may be served, newest first.
    pub versions: &'static [&'static str],
}

/// All of them; those of Kubernetes first.
pub const KINDS: [ControllerKind; 10] = [
    of("Deployment", "apps", "deployments", &["v1"]),
    of("DaemonSet", "apps", "daemonsets", &["v1"]),
    of("CronJob", "batch", "cronjobs", &["v1"]),
    of("Job", "batch.volcano.sh", "jobs", &["v1alpha1"]),
    of("JobSet", "jobset.x-k8s.io", "jobsets", &["v1alpha2"]),
    of("LeaderWorkerSet", "leaderworkerset.x-k8s.io", "leaderworkersets", &["v1"]),
    of("RayCluster", "ray.io", "rayclusters", &["v1"]),
    of("RayJob", "ray.io", "rayjobs", &["v1"]),
    of("MPIJob", "kubeflow.org", "mpijobs", &["v2beta1", "v1"]),
    of("PyTorchJob", "kubeflow.org", "pytorchjobs", &["v1"]),
];

/// The Job of Kubernetes, which is a kind that is read; only who has suspended it is read from here.
pub const JOB: ControllerKind = of("Job", "batch", "jobs", &["v1"]);

/// The ReplicationController, which is read for its selector; what it wants is read from here.
pub const REPLICATION_CONTROLLER: ControllerKind =
    of("ReplicationController", "", "replicationcontrollers", &["v1"]);

/// What sets how many pods a workload has. It is read where an input has it, and not from the API
/// server.
pub const POD_AUTOSCALER: ControllerKind =
    of("HorizontalPodAutoscaler", "autoscaling", "horizontalpodautoscalers", &["v2", "v1"]);

const fn of(
    kind: &'static str,
    group: &'static str,
    plural: &'static str,
    versions: &'static [&'static str],
) -> ControllerKind {
    ControllerKind { kind, group, plural, versions }
}

impl ControllerKind {
    /// Its name with the group, as kubectl writes it.
    pub fn resource(&self) -> String {
        match self.group {
            "" => self.plural.to_owned(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// Whether it is one of Kubernetes' own, which every server has.
    pub fn is_built_in(&self) -> bool {
        !self.group.contains('.')
    }
}

/// Such an object, of whichever kind.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ControllerObject {
    pub kind: String,
    api_version: String,
    pub metadata: Metadata,
    pub spec: Spec,
    pub status: Status,
    /// Who suspended or paused it; `None` if nobody did, or its managed fields do not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspended_by: Option<FieldChange>,
}

/// Who suspended a Job.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Suspension {
    pub namespace: String,
    pub name: String,
    pub by: FieldChange,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Metadata {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub creation_timestamp: String,
    #[serde(deserialize_with = "or_default")]
    pub labels: Labels,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub owner_references: Vec<Owner>,
    pub generation: i64,
    /// Only what is read from them is kept.
    #[serde(skip_serializing, deserialize_with = "or_default")]
    managed_fields: Vec<ManagedField>,
}

/// The only label that is kept.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Labels {
    #[serde(rename = "kueue.x-k8s.io/queue-name")]
    pub queue: String,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Owner {
    pub api_version: String,
    pub kind: String,
    pub name: String,
    pub uid: String,
    pub controller: bool,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Spec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i64>,
    /// Of Volcano.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_available: Option<i64>,
    pub suspend: bool,
    pub paused: bool,
    /// Of a `HorizontalPodAutoscaler`, as the next two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_target_ref: Option<ScaleTarget>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_replicas: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_replicas: Option<i64>,
}

/// The workload that a `HorizontalPodAutoscaler` scales, in its namespace.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScaleTarget {
    pub kind: String,
    pub name: String,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Status {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Of a Deployment.
    pub replicas: i64,
    /// Of a DaemonSet, as the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub desired_number_scheduled: Option<i64>,
    pub current_number_scheduled: i64,
    /// Of Volcano.
    #[serde(deserialize_with = "or_default")]
    pub state: State,
    pub conditions: Vec<Condition>,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    pub phase: String,
    pub message: String,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Condition {
    #[serde(rename = "type")]
    pub kind: String,
    pub status: String,
    pub reason: String,
    pub message: String,
}

/// A field whose value may be of another type in another program's object, or null.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    input: D,
) -> Result<T, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either<T> {
        Known(T),
        Other(serde::de::IgnoredAny),
    }
    Ok(match Either::<T>::deserialize(input)? {
        Either::Known(value) => value,
        Either::Other(_) => T::default(),
    })
}

impl ControllerObject {
    /// The controller that this object is, of which `json` is the whole; `None` for nearly all
    /// objects, and for one of which a field has another type.
    pub fn of(object: &Object<'_>, json: &str) -> Option<Self> {
        if matches!(object, Object::ReplicationController(_)) {
            return Self::of_list(&REPLICATION_CONTROLLER, "v1", json);
        }
        let Object::Other(kind) = object else { return None };
        let known = || KINDS.iter().chain([&POD_AUTOSCALER]);
        if !known().any(|known| known.kind == kind.as_str()) {
            return None;
        }
        let mut whole = Self::read(json)?;
        kind.as_str().clone_into(&mut whole.kind);
        // An item of a typed list does not name its group.
        let is_named = whole.api_version.is_empty()
            || known().any(|one| one.kind == whole.kind && one.group == whole.group());
        is_named.then_some(whole)
    }

    /// The item of a list of `kind`, of which `json` is the whole.
    pub fn of_list(kind: &ControllerKind, version: &str, json: &str) -> Option<Self> {
        let mut whole = Self::read(json)?;
        kind.kind.clone_into(&mut whole.kind);
        whole.api_version = match kind.group {
            "" => version.to_owned(),
            group => format!("{group}/{version}"),
        };
        Some(whole)
    }

    fn read(json: &str) -> Option<Self> {
        let mut whole: Self = serde_json::from_str(json).ok()?;
        let managed = std::mem::take(&mut whole.metadata.managed_fields);
        if whole.spec.suspend || whole.spec.paused {
            whole.suspended_by = FieldChange::of_suspension(&managed);
        }
        Some(whole)
    }

    pub fn group(&self) -> &str {
        group_of(&self.api_version)
    }

    /// Whether it has all the pods that it wants, and shows no sign of anything else.
    pub fn is_complete(&self) -> bool {
        let Self { spec, status, .. } = self;
        let says_why = status.conditions.iter().any(|one| {
            one.status == "True" && !matches!(one.kind.as_str(), "Available" | "Progressing")
        });
        let is_observed = status.observed_generation.unwrap_or(0) >= self.metadata.generation;
        let has_pods = match self.kind.as_str() {
            "Deployment" | "ReplicationController" => status.replicas >= spec.replicas.unwrap_or(1),
            "DaemonSet" => {
                status.current_number_scheduled >= status.desired_number_scheduled.unwrap_or(0)
            }
            // The pods of a CronJob are those of its Jobs.
            "CronJob" => return true,
            _ => return status.conditions.iter().any(Condition::is_end),
        };
        has_pods && is_observed && !says_why && !spec.suspend && !spec.paused
    }
}

impl Condition {
    /// Whether the workload has ended.
    fn is_end(&self) -> bool {
        self.status == "True"
            && matches!(self.kind.as_str(), "Complete" | "Completed" | "Succeeded" | "Failed")
    }
}

impl Suspension {
    /// Who suspended this Job, of which `json` is the whole.
    pub fn of(job: &others::Job<'_>, json: &str) -> Option<Self> {
        if !job.spec.suspend {
            return None;
        }
        Self::read(json)
    }

    /// The same of an item of a list of Jobs.
    pub fn read(json: &str) -> Option<Self> {
        let whole = ControllerObject::read(json)?;
        let Metadata { namespace, name, .. } = whole.metadata;
        Some(Self { namespace, name, by: whole.suspended_by? })
    }
}

/// Who changed what keeps pods from a node.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeChanges {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cordon: Option<FieldChange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taints: Option<FieldChange>,
    /// By client.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelChange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocatable: Option<AllocatableChange>,
}

impl NodeChanges {
    /// Of the node, or of its metadata, of which `json` is the whole; `None` if they do not say.
    pub fn of(json: &str) -> Option<Self> {
        // Most nodes of files were written without them.
        if !json.contains("managedFields") {
            return None;
        }
        let Whole { metadata } = serde_json::from_str(json).ok()?;
        let entries = &metadata.managed_fields;
        let changes = Self {
            name: String::new(),
            cordon: FieldChange::of_cordon(entries),
            taints: FieldChange::of_taints(entries),
            labels: LabelChange::of_labels(entries),
            allocatable: FieldChange::of_allocatable(entries),
        };
        (changes != Self::default()).then_some(Self { name: metadata.name, ..changes })
    }

    /// Who has set this label, and when; the last one if several have.
    pub fn label(&self, key: &str) -> Option<&FieldChange> {
        let of_key = self.labels.iter().filter(|change| change.keys.iter().any(|own| own == key));
        of_key.map(|change| &change.by).max_by(|one, other| one.time.cmp(&other.time))
    }
}

/// An object of which only the metadata are read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Whole {
    metadata: Metadata,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn deployment(spec: &Value, status: &Value) -> ControllerObject {
        let json =
            json!({"metadata": {"name": "web", "generation": 2}, "spec": spec, "status": status});
        ControllerObject::of_list(&KINDS[0], "v1", &json.to_string()).expect("a Deployment")
    }

    #[test]
    fn deployment_is_complete_with_all_pods_and_no_sign_of_trouble() {
        let seen = |replicas: i64| json!({"observedGeneration": 2, "replicas": replicas});
        let three = || json!({"replicas": 3});
        for (row, one, complete) in [
            ("all pods", deployment(&three(), &seen(3)), true),
            ("pods are missing", deployment(&three(), &seen(1)), false),
            ("paused", deployment(&json!({"replicas": 3, "paused": true}), &seen(3)), false),
            (
                "not observed",
                deployment(&three(), &json!({"observedGeneration": 1, "replicas": 3})),
                false,
            ),
            (
                "condition",
                deployment(
                    &three(),
                    &json!({"observedGeneration": 2, "replicas": 3,
                    "conditions": [{"type": "ReplicaFailure", "status": "True"}]}),
                ),
                false,
            ),
        ] {
            assert_eq!(one.is_complete(), complete, "{row}");
        }
    }

    #[test]
    fn managed_fields_name_who_suspended_and_are_not_kept() {
        let json = json!({"metadata": {"name": "train", "namespace": "ml", "managedFields": [
            {"manager": "kubectl-create", "time": "2026-11-28T10:00:00Z", "fieldsV1": {"f:spec": {"f:parallelism": {}}}},
            {"manager": "kueue", "time": "2026-11-28T11:00:00Z", "fieldsV1": {"f:spec": {"f:suspend": {}}}},
        ]}, "spec": {"suspend": true}});
        let suspension = Suspension::read(&json.to_string()).expect("a suspension");
        assert_eq!((suspension.by.manager.as_str(), suspension.name.as_str()), ("kueue", "train"));
        let set =
            ControllerObject::of_list(&KINDS[4], "v1alpha2", &json.to_string()).expect("a JobSet");
        let kept = serde_json::to_string(&set).expect("JSON");
        assert!(kept.contains("kueue") && !kept.contains("parallelism"), "{kept}");
        let again: ControllerObject = serde_json::from_str(&kept).expect("the same");
        assert_eq!(again, set);
    }
}
