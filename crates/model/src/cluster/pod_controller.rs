//! How many pods a controller wants, and what it says of those that are missing.

use jiff::Timestamp;

use super::Cluster;
use super::pod::OwnerRef;
use super::reader::ReadContext;
use super::symbols::Sym;
use crate::snapshot::controllers::ControllerObject;
use crate::snapshot::managed_fields::FieldChange;
use crate::snapshot::meta::ObjectMeta;
use crate::snapshot::{Kind, others as wire};

/// The label that names Kueue's LocalQueue.
const QUEUE_NAME: &str = "kueue.x-k8s.io/queue-name";

/// A controller of pods, directly or through another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodController {
    pub kind: Sym,
    /// Its API group, as far as the object names it.
    pub group: Sym,
    pub namespace: Sym,
    pub name: Sym,
    pub uid: Sym,
    pub created: Option<Timestamp>,
    pub controller: Option<OwnerRef>,
    /// How many pods it wants at the same time; `None` if it does not say.
    pub wanted: Option<i64>,
    pub is_suspended: bool,
    /// Who suspended or paused it; `None` if nothing says so.
    pub suspended_by: Option<FieldChange>,
    /// Whether its program has not looked at this version of it.
    pub is_unobserved: bool,
    /// The LocalQueue of Kueue that it names; may be empty.
    pub queue: Sym,
    pub conditions: Box<[ControllerCondition]>,
}

/// A `HorizontalPodAutoscaler`: what sets how many pods a workload has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodAutoscaler {
    pub namespace: Sym,
    pub name: Sym,
    /// Kind and name of the workload that it scales.
    pub target_kind: Sym,
    pub target: Sym,
    pub min_replicas: i64,
    pub max_replicas: i64,
}

impl PodAutoscaler {
    /// `None` for an object that is something else or scales nothing.
    pub(super) fn read(object: &ControllerObject, reader: &mut ReadContext) -> Option<Self> {
        let (meta, spec) = (&object.metadata, &object.spec);
        let target = spec.scale_target_ref.as_ref()?;
        let min_replicas = spec.min_replicas.unwrap_or(1);
        Some(Self {
            namespace: in_namespace(&meta.namespace, reader),
            name: reader.intern(&meta.name),
            target_kind: reader.intern(&target.kind),
            target: reader.intern(&target.name),
            min_replicas,
            max_replicas: spec.max_replicas.unwrap_or(min_replicas),
        })
    }
}

/// A condition of a controller that is True, or its phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControllerCondition {
    pub kind: Sym,
    pub reason: Sym,
    pub message: Box<str>,
}

impl PodController {
    /// The condition of this type.
    pub fn condition(&self, kind: &str, cluster: &Cluster) -> Option<&ControllerCondition> {
        self.conditions.iter().find(|condition| cluster.text(condition.kind) == kind)
    }

    fn new(kind: Kind, meta: &ObjectMeta, reader: &mut ReadContext) -> Self {
        Self {
            kind: reader.intern(kind.name()),
            group: reader.intern(kind.group()),
            namespace: reader.namespace(&meta.namespace),
            name: reader.intern(&meta.name),
            uid: reader.intern(&meta.uid),
            created: meta.creation_timestamp.parse().ok(),
            controller: OwnerRef::read(&meta.owner_references, reader),
            wanted: None,
            is_suspended: false,
            suspended_by: None,
            is_unobserved: false,
            queue: reader.intern(meta.labels.get(QUEUE_NAME).unwrap_or_default()),
            conditions: Box::default(),
        }
    }

    pub(super) fn of_replica_set(set: &wire::ReplicaSet, reader: &mut ReadContext) -> Self {
        let conditions = set.status.conditions.iter();
        let conditions = conditions.filter(|one| one.status.as_str() == "True");
        let mut read = Vec::new();
        for one in conditions {
            read.push(condition(&one.kind, &one.reason, &one.message, reader));
        }
        Self {
            wanted: Some(set.spec.replicas.unwrap_or(1)),
            conditions: read.into(),
            ..Self::new(Kind::ReplicaSet, &set.metadata, reader)
        }
    }

    pub(super) fn of_stateful_set(set: &wire::Owner, reader: &mut ReadContext) -> Self {
        let wanted = Some(set.spec.replicas.unwrap_or(1));
        Self { wanted, ..Self::new(Kind::StatefulSet, &set.metadata, reader) }
    }

    pub(super) fn of_job(job: &wire::Job, reader: &mut ReadContext) -> Self {
        let mut read = Vec::new();
        for one in job.status.conditions.iter().filter(|one| one.status.as_str() == "True") {
            read.push(condition(&one.kind, &one.reason, &one.message, reader));
        }
        // Without completions, any success ends the Job.
        let parallelism = job.spec.parallelism.unwrap_or(1);
        let left = job.spec.completions.map(|all| (all - job.status.succeeded).max(0));
        Self {
            wanted: Some(left.map_or(parallelism, |left| left.min(parallelism))),
            is_suspended: job.spec.suspend,
            conditions: read.into(),
            ..Self::new(Kind::Job, &job.metadata, reader)
        }
    }

    pub(super) fn of_other(object: &ControllerObject, reader: &mut ReadContext) -> Self {
        let (meta, spec, status) = (&object.metadata, &object.spec, &object.status);
        let mut read = Vec::new();
        for one in status.conditions.iter().filter(|one| one.status == "True") {
            read.push(condition(&one.kind, &one.reason, &one.message, reader));
        }
        if !status.state.phase.is_empty() {
            read.push(condition("State", &status.state.phase, &status.state.message, reader));
        }
        let owner = meta.owner_references.iter().find(|owner| owner.controller);
        // What a CronJob or a DaemonSet has as replicas is no number of pods.
        let wanted = match object.kind.as_str() {
            "DaemonSet" => status.desired_number_scheduled,
            "Deployment" | "ReplicationController" => Some(spec.replicas.unwrap_or(1)),
            "Job" => spec.min_available,
            _ => None,
        };
        let is_set = object.kind == "Deployment" || object.kind == "DaemonSet";
        Self {
            kind: reader.intern(&object.kind),
            group: reader.intern(object.group()),
            namespace: in_namespace(&meta.namespace, reader),
            name: reader.intern(&meta.name),
            uid: reader.intern(&meta.uid),
            created: meta.creation_timestamp.parse().ok(),
            controller: owner.map(|owner| OwnerRef {
                api_version: reader.intern(&owner.api_version),
                kind: reader.intern(&owner.kind),
                name: reader.intern(&owner.name),
                uid: reader.intern(&owner.uid),
            }),
            wanted,
            is_suspended: spec.suspend || spec.paused,
            suspended_by: object.suspended_by.clone(),
            is_unobserved: is_set && status.observed_generation.unwrap_or(0) < meta.generation,
            queue: reader.intern(&meta.labels.queue),
            conditions: read.into(),
        }
    }
}

fn in_namespace(name: &str, reader: &mut ReadContext) -> Sym {
    reader.intern(if name.is_empty() { "default" } else { name })
}

fn condition(
    kind: &str,
    reason: &str,
    message: &str,
    reader: &mut ReadContext,
) -> ControllerCondition {
    ControllerCondition {
        kind: reader.intern(kind),
        reason: reader.intern(reason),
        message: Box::from(message),
    }
}

impl Cluster {
    /// The controller of a kind and name.
    pub fn pod_controller(
        &self,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Option<&PodController> {
        let wanted = [kind, namespace, name];
        let at = self.pod_controllers.binary_search_by(|one| {
            [one.kind, one.namespace, one.name].map(|sym| self.text(sym)).cmp(&wanted)
        });
        self.pod_controllers.get(at.ok()?)
    }
}
