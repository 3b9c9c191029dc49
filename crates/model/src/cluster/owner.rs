//! Controllers of pods: the objects that replace an evicted pod, and whose selectors default
//! topology spreading uses.

use super::Cluster;
use super::pod::{OwnerRef, Pod};
use super::reader::ReadContext;
use super::selector::{Selector, label};
use super::symbols::Sym;
use crate::snapshot::meta::{LabelSelector, ObjectMeta};
use crate::snapshot::{Kind, others as wire};

/// Maximum length of the chain of controllers that is followed.
const GENERATIONS: usize = 8;

/// The workload of a pod: the outermost of its known controllers, such as a Deployment, or the pod
/// itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Workload {
    /// Its kind; `Pod` for a pod without a controller.
    pub kind: String,
    pub namespace: String,
    pub name: String,
}

impl Cluster {
    /// The controllers of a pod, nearest first, as far as they are in the cluster.
    pub fn controllers(&self, pod: &Pod) -> Vec<OwnerRef> {
        let mut chain = Vec::new();
        let mut next = pod.controller;
        while let Some(owner) = next.filter(|_| chain.len() < GENERATIONS) {
            chain.push(owner);
            let owner = self.owners.iter().find(|o| {
                o.name == owner.name && o.namespace == pod.namespace && o.is(owner.kind, self)
            });
            next = owner.and_then(|o| o.controller);
        }
        chain
    }

    /// The Deployment of a ReplicaSet that the input may lack: its name ends with the hash that is
    /// also a label of the pod.
    fn deployment_of(&self, owner: &OwnerRef, pod: &Pod) -> Option<&str> {
        let is_set = self.text(owner.kind) == Kind::ReplicaSet.name();
        let key = self.symbols.get("pod-template-hash").filter(|_| is_set)?;
        let hash = self.text(label(self.labels(pod.labels), key)?);
        let name = self.text(owner.name).strip_suffix(hash)?.strip_suffix('-')?;
        let is_known = self.owners.iter().any(|o| {
            o.name == owner.name && o.namespace == pod.namespace && o.is(owner.kind, self)
        });
        (!is_known && !name.is_empty()).then_some(name)
    }

    pub fn workload(&self, pod: &Pod) -> Workload {
        let text = |sym: Sym| self.text(sym).to_owned();
        let namespace = text(pod.namespace);
        match self.controllers(pod).last() {
            Some(owner) => match self.deployment_of(owner, pod) {
                Some(name) => {
                    Workload { kind: "Deployment".to_owned(), namespace, name: name.to_owned() }
                }
                None => Workload { kind: text(owner.kind), namespace, name: text(owner.name) },
            },
            None => Workload {
                kind: Kind::Pod.name().to_owned(),
                namespace,
                name: pod.name.to_string(),
            },
        }
    }
}

/// A controller of pods: ReplicationController, ReplicaSet, StatefulSet or Job.
#[derive(Debug, Clone)]
pub struct Owner {
    pub kind: Kind,
    pub namespace: Sym,
    pub name: Sym,
    pub controller: Option<OwnerRef>,
    /// The pods that it selects; `Nothing` if it has no selector, or an invalid one.
    pub selector: Selector,
    /// Why it creates no pods, or too few, according to its status.
    pub hindrance: Option<PodHindrance>,
}

/// Why a controller creates no pods, or too few.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PodHindrance {
    /// A ReplicaSet could not create one: reason and message of its condition `ReplicaFailure`.
    ///
    /// Upstream: `pkg/controller/replicaset/replica_set_utils.go` `calculateStatus` (1.37).
    ReplicaFailure(Box<str>, Box<str>),
    /// A Job is suspended.
    Suspended,
    /// A Job has failed: reason and message of its condition `Failed`.
    ///
    /// Upstream: `pkg/controller/job/job_controller.go` `enactJobFinished` (1.37).
    JobFailed(Box<str>, Box<str>),
}

impl PodHindrance {
    pub(super) fn of_replica_set(status: &wire::ReplicaSetStatus) -> Option<Self> {
        let failed = status
            .conditions
            .iter()
            .find(|c| (c.kind.as_str(), c.status.as_str()) == ("ReplicaFailure", "True"));
        let failure = failed?;
        Some(Self::ReplicaFailure(failure.reason.as_str().into(), failure.message.as_str().into()))
    }

    pub(super) fn of_job(job: &wire::Job) -> Option<Self> {
        match job
            .status
            .conditions
            .iter()
            .find(|c| (c.kind.as_str(), c.status.as_str()) == ("Failed", "True"))
        {
            Some(failure) => Some(Self::JobFailed(
                failure.reason.as_str().into(),
                failure.message.as_str().into(),
            )),
            None => job.spec.suspend.then_some(Self::Suspended),
        }
    }
}

impl Owner {
    /// Whether its kind is called `kind`.
    pub fn is(&self, kind: Sym, cluster: &Cluster) -> bool {
        self.kind.name() == cluster.text(kind)
    }

    /// Reads a controller with a label selector. Parity: the scheduler ignores a selector that
    /// cannot be parsed.
    pub(super) fn read(
        kind: Kind,
        meta: &ObjectMeta,
        selector: Option<&LabelSelector>,
        reader: &mut ReadContext,
    ) -> Self {
        let selector = Selector::read(selector, &mut reader.symbols).unwrap_or(Selector::Nothing);
        Self {
            kind,
            namespace: reader.namespace(&meta.namespace),
            name: reader.intern(&meta.name),
            controller: OwnerRef::read(&meta.owner_references, reader),
            selector,
            hindrance: None,
        }
    }

    /// Reads a ReplicationController, which selects pods by plain labels. Without a selector it
    /// selects every pod.
    pub(super) fn read_replication_controller(
        wire: &wire::LabelSelecting,
        reader: &mut ReadContext,
    ) -> Self {
        let pairs = wire.spec.selector.as_ref().map(|map| reader.selected(map)).unwrap_or_default();
        let meta = &wire.metadata;
        Self {
            kind: Kind::ReplicationController,
            namespace: reader.namespace(&meta.namespace),
            name: reader.intern(&meta.name),
            controller: OwnerRef::read(&meta.owner_references, reader),
            selector: Selector::All(Box::default()).and_labels(&pairs),
            hindrance: None,
        }
    }
}
