//! Controllers of pods of kinds that no decision reads: Deployments, DaemonSets, `CronJobs`, and those
//! of other programs. They say why pods are missing, so of files they are kept as far as that.

use serde::{Deserialize, Deserializer};

use super::Object;
use super::object::group_of;

/// Their kinds, with the API group.
const KINDS: [(&str, &str); 10] = [
    ("Deployment", "apps"),
    ("DaemonSet", "apps"),
    ("CronJob", "batch"),
    ("Job", "batch.volcano.sh"),
    ("JobSet", "jobset.x-k8s.io"),
    ("LeaderWorkerSet", "leaderworkerset.x-k8s.io"),
    ("RayCluster", "ray.io"),
    ("RayJob", "ray.io"),
    ("MPIJob", "kubeflow.org"),
    ("PyTorchJob", "kubeflow.org"),
];

/// Such an object, of whichever kind.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ControllerObject {
    pub kind: String,
    api_version: String,
    pub metadata: Metadata,
    pub spec: Spec,
    pub status: Status,
}

#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Metadata {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub creation_timestamp: String,
    #[serde(deserialize_with = "or_default")]
    pub labels: Labels,
    pub owner_references: Vec<Owner>,
    pub generation: i64,
}

/// The only label that is kept.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub struct Labels {
    #[serde(rename = "kueue.x-k8s.io/queue-name")]
    pub queue: String,
}

#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Owner {
    pub api_version: String,
    pub kind: String,
    pub name: String,
    pub uid: String,
    pub controller: bool,
}

#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Spec {
    pub replicas: Option<i64>,
    /// Of Volcano.
    pub min_available: Option<i64>,
    pub suspend: bool,
    pub paused: bool,
}

#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Status {
    pub observed_generation: Option<i64>,
    /// Of a DaemonSet.
    pub desired_number_scheduled: Option<i64>,
    /// Of Volcano.
    #[serde(deserialize_with = "or_default")]
    pub state: State,
    pub conditions: Vec<Condition>,
}

#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub struct State {
    pub phase: String,
    pub message: String,
}

#[derive(Debug, Default, Clone, Deserialize)]
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
        let Object::Other(kind) = object else { return None };
        if !KINDS.iter().any(|(name, _)| *name == kind.as_str()) {
            return None;
        }
        let mut whole: Self = serde_json::from_str(json).ok()?;
        kind.as_str().clone_into(&mut whole.kind);
        // An item of a typed list does not name its group.
        let is_named =
            whole.api_version.is_empty() || KINDS.contains(&(&whole.kind, whole.group()));
        is_named.then_some(whole)
    }

    pub fn group(&self) -> &str {
        group_of(&self.api_version)
    }
}
