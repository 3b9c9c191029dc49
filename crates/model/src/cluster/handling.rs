//! Objects of programs that decide about pods instead of kube-scheduler, or before it: the objects
//! that represent pods, and the queues in which these wait. No decision of kube-scheduler reads
//! them.

use jiff::Timestamp;

use super::autoscaling::parts::{Amounts, ObjectCondition, amounts};
use super::event::Event;
use super::pod::OwnerRef;
use super::quantity::Quantity;
use super::reader::{Identity, ReadContext};
use super::symbols::Sym;
use crate::notes::Subject;
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
    /// Requests that pods go, and what became of them.
    pub evictions: Vec<PodEviction>,
}

/// An `EvictionRequest`: somebody wants a pod to go; or an `Eviction`: who responds to that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodEviction {
    pub kind: Kind,
    pub namespace: Sym,
    pub name: Sym,
    /// The pod that should go, by name and UID.
    pub pod: Sym,
    pub pod_uid: Box<str>,
    /// Who wants it, without those who have withdrawn.
    pub requesters: Box<[Sym]>,
    /// Those who must respond, in the order in which they are asked.
    pub responders: Box<[Responder]>,
    pub conditions: Box<[ObjectCondition]>,
}

/// A program that helps a pod to go, before the eviction API is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Responder {
    pub name: Sym,
    /// `Inactive`, `Active`, `Interrupted`, `Canceled` or `Completed`.
    pub state: Sym,
    pub priority: i64,
    pub started: Option<Timestamp>,
    /// When it last said that it still works on it.
    pub heartbeat: Option<Timestamp>,
    /// When it expects to be done.
    pub expected: Option<Timestamp>,
    pub message: Box<str>,
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
    pub created: Option<Timestamp>,
    /// For Kueue: its priority in the queue.
    pub priority: i64,
    /// For Kueue: what all its pods request, by resource.
    pub requests: Amounts,
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
    /// For a ClusterQueue: whether a workload that does not fit lets those behind it wait, too.
    pub is_strict: bool,
    /// For a ClusterQueue: with whom it shares quota; may be empty.
    pub cohort: Sym,
    /// For a ClusterQueue: its quota and what is used of it, in the order of its flavors.
    pub quotas: Box<[FlavorQuota]>,
    /// For an ElasticQuota: its limits by resource.
    pub max: Box<[(Sym, Sym)]>,
    /// For an ElasticQuota: what its pods use, by resource.
    pub used: Box<[(Sym, Sym)]>,
}

/// The quota of a ClusterQueue in one resource of one flavor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlavorQuota {
    pub flavor: Sym,
    pub resource: Sym,
    pub nominal: Quantity,
    /// How much more it may borrow; `None` for as much as its cohort has.
    pub borrowing_limit: Option<Quantity>,
    /// What workloads with quota use; `None` if the status does not say.
    pub used: Option<Quantity>,
}

impl PodEviction {
    fn read(kind: Kind, wire: &wire::Work, reader: &mut ReadContext) -> Self {
        let (meta, spec, status) = (&wire.metadata, &wire.spec, &wire.status);
        let mut requesters = Vec::new();
        if spec.intent.as_str() == "Eviction" {
            requesters.push(reader.intern(&spec.requester));
        }
        for requester in status.requesters.iter().filter(|one| one.intent.as_str() == "Eviction") {
            requesters.push(reader.intern(&requester.name));
        }
        let mut responders = Vec::new();
        for target in &status.target_responders {
            let own = status.responders.iter().find(|one| one.name == target.name);
            responders.push(Responder {
                name: reader.intern(&target.name),
                state: reader.intern(&target.state),
                priority: target.priority,
                started: own.and_then(|own| own.start_time.parse().ok()),
                heartbeat: own.and_then(|own| own.heartbeat_time.parse().ok()),
                expected: own.and_then(|own| own.expected_completion_time.parse().ok()),
                message: Box::from(own.map_or("", |own| own.message.as_str())),
            });
        }
        // The highest priority is asked first; of equal ones the first by domain.
        responders.sort_by(|a, b| {
            let domain = |one: &Responder| higher_domain(reader.symbols.text(one.name));
            b.priority.cmp(&a.priority).then_with(|| domain(a).cmp(&domain(b)))
        });
        Self {
            kind,
            namespace: namespace(kind, meta.namespace.as_str(), reader),
            name: reader.intern(&meta.name),
            pod: reader.intern(&spec.target.pod.name),
            pod_uid: Box::from(spec.target.pod.uid.as_str()),
            requesters: requesters.into(),
            responders: responders.into(),
            conditions: ObjectCondition::read_all(&status.conditions, reader),
        }
    }
}

/// The labels of the domain of `example.org/key`, the top one first, and the key.
fn higher_domain(name: &str) -> (Vec<String>, String) {
    let (domain, key) = name.split_once('/').unwrap_or((name, ""));
    (domain.split('.').rev().map(str::to_owned).collect(), key.to_owned())
}

/// What all pods of a Workload of Kueue request: what its status says, else what their containers
/// do.
fn requests(wire: &wire::Work, of: &Subject, reader: &mut ReadContext) -> Amounts {
    let mut sums: Vec<(Sym, Quantity)> = Vec::new();
    let mut add = |part: &Amounts, times: i64| {
        for (resource, amount) in part {
            let all = amount.repeated(times);
            match sums.iter_mut().find(|(known, _)| known == resource) {
                Some((_, sum)) => *sum += all,
                None => sums.push((*resource, all)),
            }
        }
    };
    let asked = &wire.status.resource_requests;
    for request in asked {
        add(&amounts(&request.resources, of, "status.resourceRequests", reader), 1);
    }
    for set in wire.spec.pod_sets.iter().filter(|_| asked.is_empty()) {
        for container in &set.template.spec.containers {
            let part = amounts(&container.resources.requests, of, "spec.podSets", reader);
            add(&part, set.count);
        }
    }
    sums.into()
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
            created: meta.creation_timestamp.parse().ok(),
            priority: spec.priority,
            requests: requests(wire, &Subject::object(kind, &meta.namespace, &meta.name), reader),
        }
    }
}

impl Queue {
    fn read(kind: Kind, wire: &wire::Queue, reader: &mut ReadContext) -> Self {
        let (meta, spec, status) = (&wire.metadata, &wire.spec, &wire.status);
        let cohort = if spec.cohort_name.is_empty() { &spec.cohort } else { &spec.cohort_name };
        Self {
            kind,
            is_strict: spec.queueing_strategy.as_str() == "StrictFIFO",
            cohort: reader.intern(cohort),
            quotas: FlavorQuota::read_all(spec, status, reader),
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

impl FlavorQuota {
    fn read_all(
        spec: &wire::QueueSpec,
        status: &wire::QueueStatus,
        reader: &mut ReadContext,
    ) -> Box<[Self]> {
        let mut quotas = Vec::new();
        for flavor in spec.resource_groups.iter().flat_map(|group| &group.flavors) {
            let usage = status.flavors_reservation.iter().find(|used| used.name == flavor.name);
            for resource in &flavor.resources {
                let Some(nominal) = quantity(&resource.nominal_quota, reader) else { continue };
                let used = usage.and_then(|usage| {
                    let used = usage.resources.iter().find(|used| used.name == resource.name)?;
                    quantity(&used.total, reader)
                });
                let limit = resource.borrowing_limit.as_ref();
                quotas.push(Self {
                    flavor: reader.intern(&flavor.name),
                    resource: reader.intern(&resource.name),
                    nominal,
                    borrowing_limit: limit.and_then(|limit| quantity(limit, reader)),
                    used,
                });
            }
        }
        quotas.into()
    }
}

/// A quantity, if it is one.
fn quantity(text: &str, reader: &mut ReadContext) -> Option<Quantity> {
    let text = reader.intern(text);
    reader.quantity(text).ok()
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
        if matches!(kind, Kind::EvictionRequest | Kind::Eviction) {
            self.evictions.push(PodEviction::read(kind, work, reader));
            return;
        }
        self.works.push(Work::read(kind, work, reader));
    }

    pub(super) fn add_queue(&mut self, kind: Kind, queue: &wire::Queue, reader: &mut ReadContext) {
        self.queues.push(Queue::read(kind, queue, reader));
    }

    /// Sorts everything, so that the order of the input does not matter.
    pub(super) fn sort(&mut self, reader: &mut ReadContext) {
        reader.sort_named(&mut self.works, |o| Identity::of(o.kind, o.namespace, o.name));
        reader.sort_named(&mut self.evictions, |o| Identity::of(o.kind, o.namespace, o.name));
        reader.sort_named(&mut self.queues, |o| Identity::of(o.kind, o.namespace, o.name));
        self.events.sort_by(|a, b| {
            let key = |event: &Event| (event.time, reader.symbols.text(event.reason).to_owned());
            key(a)
                .cmp(&key(b))
                .then_with(|| (&*a.object.name, &*a.message).cmp(&(&*b.object.name, &*b.message)))
        });
    }
}
