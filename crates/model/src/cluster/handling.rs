//! Objects of programs that decide about pods instead of kube-scheduler, or before it: the objects
//! that represent pods, and the queues in which these wait. No decision of kube-scheduler reads
//! them.

use jiff::Timestamp;

use super::autoscaling::parts::ObjectCondition;
use super::event::Event;
use super::pod::OwnerRef;
use super::reader::{Identity, ReadContext};
use super::symbols::Sym;
use crate::snapshot::{Kind, handlers as wire};

/// The label with which Kueue marks the Job of a Workload.
const JOB_UID: &str = "kueue.x-k8s.io/job-uid";

/// What was read of them, by kind, namespace and name.
#[derive(Debug, Clone, Default)]
pub struct Handling {
    /// Objects that represent pods.
    pub works: Vec<Work>,
    /// Queues in which these wait.
    pub queues: Vec<Queue>,
    /// Events about them.
    pub events: Vec<Event>,
}

/// An object that represents pods: a Workload of Kueue, a PodGroup of Volcano, Koordinator or KAI,
/// or a Reservation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    pub kind: Kind,
    /// Its namespace; empty for a kind that has none.
    pub namespace: Sym,
    pub name: Sym,
    pub uid: Box<str>,
    /// Its controller; for a Workload, the Job.
    pub controller: Option<OwnerRef>,
    /// The UID of the Job that Kueue made it for; may be empty.
    pub job: Box<str>,
    /// Its queue; for Kueue, the LocalQueue.
    pub queue: Sym,
    /// For Kueue: the ClusterQueue that has reserved quota for it; may be empty.
    pub reserved_in: Sym,
    /// For Kueue: `spec.active`, absent as `true`.
    pub is_active: bool,
    /// How many of its pods must run together.
    pub min_member: Option<i64>,
    /// How many run.
    pub running: i64,
    /// Its phase; may be empty.
    pub phase: Sym,
    pub conditions: Box<[ObjectCondition]>,
    /// For Kueue: the admission checks that it also waits for.
    pub checks: Box<[AdmissionCheck]>,
    /// For KAI: why it is not scheduled, each with a reason and a message.
    pub explanations: Box<[HoldExplanation]>,
    /// For Kueue: when it is considered again.
    pub requeue_at: Option<Timestamp>,
}

/// A check of Kueue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdmissionCheck {
    pub name: Sym,
    /// `Pending`, `Ready`, `Retry` or `Rejected`.
    pub state: Sym,
    pub message: Box<str>,
}

/// Why something is not scheduled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoldExplanation {
    /// In one word.
    pub reason: Sym,
    /// In a sentence.
    pub message: Box<str>,
}

/// A queue: a LocalQueue or ClusterQueue of Kueue, a Queue of Volcano or KAI, or an ElasticQuota.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    pub kind: Kind,
    /// Its namespace; empty for a kind that has none.
    pub namespace: Sym,
    pub name: Sym,
    /// For a LocalQueue: its ClusterQueue.
    pub cluster_queue: Sym,
    /// For Kueue: `None`, `Hold` or `HoldAndDrain`; may be empty.
    pub stop_policy: Sym,
    /// For Volcano: its state; may be empty.
    pub state: Sym,
    pub conditions: Box<[ObjectCondition]>,
    /// For an ElasticQuota: its limits by resource.
    pub max: Box<[(Sym, Sym)]>,
    /// For an ElasticQuota: what its pods use, by resource.
    pub used: Box<[(Sym, Sym)]>,
}

impl Work {
    fn read(kind: Kind, wire: &wire::Work, reader: &mut ReadContext) -> Self {
        let (meta, spec, status) = (&wire.metadata, &wire.spec, &wire.status);
        let queue = if spec.queue_name.is_empty() { &spec.queue } else { &spec.queue_name };
        let mut explanations = Vec::new();
        for condition in &status.scheduling_conditions {
            if condition.status.as_str() == "False" {
                continue;
            }
            for explanation in &condition.reasons {
                explanations.push(HoldExplanation {
                    reason: reader.intern(&explanation.reason),
                    message: Box::from(explanation.message.as_str()),
                });
            }
            // Older versions write one reason and no list.
            if condition.reasons.is_empty() {
                explanations.push(HoldExplanation {
                    reason: reader.intern(&condition.reason),
                    message: Box::from(condition.message.as_str()),
                });
            }
        }
        Self {
            kind,
            namespace: namespace(kind, meta.namespace.as_str(), reader),
            name: reader.intern(&meta.name),
            uid: Box::from(meta.uid.as_str()),
            controller: OwnerRef::read(&meta.owner_references, reader),
            job: Box::from(meta.labels.get(JOB_UID).unwrap_or_default()),
            queue: reader.intern(queue),
            reserved_in: reader.intern(&status.admission.cluster_queue),
            is_active: spec.active.unwrap_or(true),
            min_member: spec.min_member,
            running: status.running,
            phase: reader.intern(&status.phase),
            conditions: ObjectCondition::read_all(&status.conditions, reader),
            checks: status
                .admission_checks
                .iter()
                .map(|check| AdmissionCheck {
                    name: reader.intern(&check.name),
                    state: reader.intern(&check.state),
                    message: Box::from(check.message.as_str()),
                })
                .collect(),
            explanations: explanations.into(),
            requeue_at: status.requeue_state.requeue_at.parse().ok(),
        }
    }
}

impl Queue {
    fn read(kind: Kind, wire: &wire::Queue, reader: &mut ReadContext) -> Self {
        let (meta, spec, status) = (&wire.metadata, &wire.spec, &wire.status);
        Self {
            kind,
            namespace: namespace(kind, meta.namespace.as_str(), reader),
            name: reader.intern(&meta.name),
            cluster_queue: reader.intern(&spec.cluster_queue),
            stop_policy: reader.intern(&spec.stop_policy),
            state: reader.intern(&status.state),
            conditions: ObjectCondition::read_all(&status.conditions, reader),
            max: spec.max.iter().map(|(k, v)| (reader.intern(k), reader.intern(v))).collect(),
            used: status.used.iter().map(|(k, v)| (reader.intern(k), reader.intern(v))).collect(),
        }
    }
}

/// The namespace of an object, if its kind is namespaced; absent as `default`.
fn namespace(kind: Kind, namespace: &str, reader: &mut ReadContext) -> Sym {
    match namespace {
        _ if !kind.is_namespaced() => Sym::EMPTY,
        "" => reader.intern("default"),
        namespace => reader.intern(namespace),
    }
}

impl Handling {
    pub(super) fn add_work(&mut self, kind: Kind, work: &wire::Work, reader: &mut ReadContext) {
        self.works.push(Work::read(kind, work, reader));
    }

    pub(super) fn add_queue(&mut self, kind: Kind, queue: &wire::Queue, reader: &mut ReadContext) {
        self.queues.push(Queue::read(kind, queue, reader));
    }

    /// Sorts everything, so that the order of the input does not matter.
    pub(super) fn sort(&mut self, reader: &mut ReadContext) {
        reader.sort_named(&mut self.works, |o| Identity::of(o.kind, o.namespace, o.name));
        reader.sort_named(&mut self.queues, |o| Identity::of(o.kind, o.namespace, o.name));
        self.events.sort_by(|a, b| {
            let key = |event: &Event| (event.time, reader.symbols.text(event.reason).to_owned());
            key(a)
                .cmp(&key(b))
                .then_with(|| (&*a.object.name, &*a.message).cmp(&(&*b.object.name, &*b.message)))
        });
    }
}
