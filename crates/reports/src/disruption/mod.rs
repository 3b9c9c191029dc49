//! Why pods were evicted or deleted, after the fact: what Events, conditions and the pods that are left say about it.
//!
//! A cause is only named where something says so. Who preempted a pod is known by name or UID, or not at all; pods that may
//! have done it are kept apart.

pub mod message;
pub mod rerun;

use std::collections::BTreeMap;

use jiff::Timestamp;
use message::Named;

use model::cluster::Cluster;
use model::cluster::event::{DESCHEDULER, Event, ObjectRef};
use model::cluster::pod::{ContainerExit, Phase, Pod, PodIx};
use simulation::plan::PodId;

/// What was seen of the end of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disruption {
    /// The pod.
    pub pod: PodId,
    /// Its end.
    pub cause: Cause,
    /// When.
    pub time: Option<Timestamp>,
    /// The node on which it ran.
    pub node: Option<String>,
    /// Its priority.
    pub priority: Option<i32>,
    /// Whether it is still there.
    pub state: State,
    /// How its containers ended, as far as its status says.
    pub exits: Vec<ContainerExit>,
    /// What says so.
    pub sources: Vec<Source>,
}

/// Whether a pod is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is being deleted.
    Terminating,
    /// It has ended, but its object is there.
    Finished,
    /// It is there and runs, or waits.
    There,
    /// No pod of this UID is there.
    Gone,
}

/// Why a pod was evicted or deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// kube-scheduler preempted it.
    Preempted(Preemptor),
    /// The descheduler evicted it, by the eviction API.
    Descheduler {
        /// Its strategy.
        strategy: String,
    },
    /// The kubelet evicted it, because its node lacks a resource, or because the node shuts down.
    Kubelet {
        /// What it wrote.
        message: String,
    },
    /// The kubelet stopped it to admit a critical pod, such as a static one.
    KubeletAdmission {
        /// What it wrote.
        message: String,
    },
    /// It does not tolerate a `NoExecute` taint of its node.
    Taint,
    /// Its node is gone, or it was left over.
    PodGc,
    /// A request to the eviction API: a drain, an autoscaler, or another client.
    EvictionApi,
    /// Its own controller deleted it: it was scaled down, or replaced.
    Owner {
        /// Kind of the controller.
        kind: String,
        /// Its name.
        name: String,
    },
    /// It was deleted, and nothing says by which request.
    Unknown,
}

/// Which pod preempted a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preemptor {
    /// This one.
    Pod {
        /// The pod.
        pod: PodId,
        /// Its priority, if it is still there.
        priority: Option<i32>,
    },
    /// A pod or group of pods of which only the UID is known.
    Uid {
        /// `pod`, `podgroup` or `compositepodgroup`.
        kind: String,
        /// The UID.
        uid: String,
    },
    /// Nothing names it. These pods of higher priority are on the node, or nominated to it, since then.
    NotNamed {
        /// They.
        since: Vec<PodId>,
    },
}

/// Something that tells of the end of a pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// An Event.
    Event {
        /// Its reason.
        reason: String,
        /// Its message.
        message: String,
        /// Who wrote it.
        component: String,
    },
    /// The pod's condition `DisruptionTarget`.
    Condition {
        /// Its reason.
        reason: String,
        /// Its message.
        message: String,
    },
    /// The pod's `status.reason` and `status.message`.
    Status {
        /// The reason.
        reason: String,
        /// The message, in the kubelet's words; may be empty.
        message: String,
    },
    /// The pod's `deletionTimestamp`.
    Deletion,
}

/// All that is seen of one pod.
#[derive(Default)]
struct Traces<'c> {
    events: Vec<&'c Event>,
    pod: Option<PodIx>,
}

/// The pods, as Events and nodes refer to them.
struct Pods<'c> {
    cluster: &'c Cluster,
    by_uid: BTreeMap<&'c str, PodIx>,
    /// Active pods by their node, or by the one to which they are nominated.
    by_node: BTreeMap<&'c str, Vec<PodIx>>,
}

impl<'c> Pods<'c> {
    fn of(cluster: &'c Cluster) -> Self {
        let mut pods = Self { cluster, by_uid: BTreeMap::new(), by_node: BTreeMap::new() };
        for ix in cluster.pod_indices() {
            let pod = cluster.pod(ix);
            if !pod.uid.is_empty() {
                pods.by_uid.entry(&pod.uid).or_insert(ix);
            }
            let node = if pod.node_name.is_empty() { pod.nominated_node } else { pod.node_name };
            if pod.is_active() && !node.is_empty() {
                pods.by_node.entry(cluster.text(node)).or_default().push(ix);
            }
        }
        pods
    }
}

/// Every pod of which something tells that it was evicted or is being deleted, by namespace and name; of pods of the same name
/// the latest first.
#[must_use]
pub fn find(cluster: &Cluster) -> Vec<Disruption> {
    let mut traces: BTreeMap<PodId, Traces> = BTreeMap::new();
    for event in &cluster.events {
        let name = subject(event, cluster);
        traces.entry(name).or_default().events.push(event);
    }
    for ix in cluster.pod_indices() {
        let pod = cluster.pod(ix);
        let name = PodId::of(pod, cluster);
        let tells = pod.disruption.is_some() || pod.is_terminating() || !pod.status_reason().is_empty();
        if tells || traces.contains_key(&name) {
            traces.entry(name).or_default().pod = Some(ix);
        }
    }
    let pods = Pods::of(cluster);
    let mut found: Vec<Disruption> =
        merged(traces).into_iter().map(|(name, traces)| of(name, &traces, &pods)).collect();
    let key = |found: &Disruption| (found.pod.namespace.clone(), found.pod.name.clone());
    found.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| b.time.cmp(&a.time)));
    found
}

/// Controllers name the pods that they delete, without a UID. Such an Event belongs to the only pod of this name that left other
/// traces.
fn merged(mut traces: BTreeMap<PodId, Traces<'_>>) -> BTreeMap<PodId, Traces<'_>> {
    let nameless: Vec<PodId> = traces.keys().filter(|name| name.uid.is_empty()).cloned().collect();
    for name in nameless {
        let is_same =
            |other: &&PodId| (&other.namespace, &other.name) == (&name.namespace, &name.name) && !other.uid.is_empty();
        let mut others = traces.keys().filter(is_same).cloned();
        if let (Some(only), None) = (others.next(), others.next())
            && let Some(own) = traces.remove(&name)
        {
            traces.entry(only).or_default().events.extend(own.events);
        }
    }
    traces
}

/// How the Event of a controller that deletes a pod begins; the name of the pod follows. The third is that of 1.34 and older.
const DELETED: [&str; 3] = ["Deleted pod: ", "Delete Pod ", "delete Pod "];

/// The pod that an Event is about: of a controller's, the one that its message names.
///
/// Upstream: `pkg/controller/controller_utils.go` (`Deleted pod: NAME`), `pkg/controller/statefulset/stateful_pod_control.go`
/// (`Delete Pod NAME in StatefulSet ...`) (1.37).
fn subject(event: &Event, cluster: &Cluster) -> PodId {
    let object = &event.object;
    if cluster.text(object.kind) == "Pod" {
        return object_name(object, cluster);
    }
    let deleted = DELETED.iter().find_map(|begins| event.message.strip_prefix(begins));
    let name = deleted.and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
    PodId { namespace: cluster.text(object.namespace).to_owned(), name: name.to_owned(), uid: String::new() }
}

fn object_name(object: &ObjectRef, cluster: &Cluster) -> PodId {
    let namespace = cluster.text(object.namespace).to_owned();
    PodId { namespace, name: object.name.to_string(), uid: object.uid.to_string() }
}

fn of(name: PodId, traces: &Traces, pods: &Pods) -> Disruption {
    let cluster = pods.cluster;
    let pod = traces.pod.map(|ix| cluster.pod(ix));
    let state = match pod {
        None => State::Gone,
        Some(pod) if pod.is_terminating() => State::Terminating,
        Some(pod) if pod.phase != Phase::Active => State::Finished,
        Some(_) => State::There,
    };
    let own = pod.map(|pod| cluster.text(pod.node_name).to_owned()).filter(|node| !node.is_empty());
    let told = || traces.events.iter().find_map(|event| message::read(&event.message)?.node).map(str::to_owned);
    let node = own.or_else(told);
    let time = time(pod, traces);
    let priority = pod.map(|pod| pod.priority);
    let cause = cause(pod, traces, (node.as_deref(), time, priority), pods);
    let exits = pod.and_then(|pod| pod.end.as_ref()).map(|end| end.exits.to_vec()).unwrap_or_default();
    Disruption { pod: name, cause, time, node, priority, state, exits, sources: sources(pod, traces, cluster) }
}

/// When it was evicted: the condition says it best, then the last Event, then the end of the grace period less its length.
fn time(pod: Option<&Pod>, traces: &Traces) -> Option<Timestamp> {
    let condition = pod.and_then(|pod| pod.disruption.as_ref()?.since);
    let event = || traces.events.iter().filter_map(|event| event.time).max();
    let deletion = || {
        let pod = pod?;
        pod.deletion?.checked_sub(jiff::SignedDuration::from_secs(pod.grace_seconds)).ok()
    };
    condition.or_else(event).or_else(deletion)
}

fn sources(pod: Option<&Pod>, traces: &Traces, cluster: &Cluster) -> Vec<Source> {
    let text = |sym| cluster.text(sym).to_owned();
    let event = |event: &&Event| Source::Event {
        reason: text(event.reason),
        message: event.message.to_string(),
        component: text(event.component),
    };
    let mut sources: Vec<Source> = traces.events.iter().map(event).collect();
    if let Some(pod) = pod {
        let condition = pod
            .disruption
            .as_ref()
            .map(|found| Source::Condition { reason: found.reason.to_string(), message: found.message.to_string() });
        sources.extend(condition);
        if let Some(end) = pod.end.as_ref().filter(|end| !end.reason.is_empty()) {
            sources.push(Source::Status { reason: end.reason.to_string(), message: end.message.to_string() });
        }
        sources.extend(pod.is_terminating().then_some(Source::Deletion));
    }
    sources.sort();
    sources.dedup();
    sources
}

type Place<'p> = (Option<&'p str>, Option<Timestamp>, Option<i32>);

/// What caused it. What says most comes first: the eviction API also marks what the descheduler evicts.
fn cause(pod: Option<&Pod>, traces: &Traces, place: Place, pods: &Pods) -> Cause {
    let cluster = pods.cluster;
    let event = |reason: &str| traces.events.iter().find(|event| cluster.text(event.reason) == reason);
    let condition = pod.and_then(|pod| pod.disruption.as_ref()).map_or("", |found| &found.reason);
    let status = pod.map_or("", Pod::status_reason);
    // What is being deleted already may be preempted again, by another pod.
    let preempted = traces.events.iter().filter(|event| cluster.text(event.reason) == "Preempted");
    let preempted = preempted.min_by_key(|event| event.time);
    if preempted.is_some() || ["PreemptionByScheduler", "PreemptionByKubeScheduler"].contains(&condition) {
        return Cause::Preempted(preemptor(preempted.copied(), place, pods));
    }
    if let Some(event) = traces.events.iter().find(|event| cluster.text(event.component) == DESCHEDULER) {
        return Cause::Descheduler { strategy: cluster.text(event.reason).to_owned() };
    }
    // Events are gone after an hour; the status keeps the kubelet's sentence as long as the pod is there.
    let said = |reason: &str| {
        let of_status = pod.and_then(|pod| pod.end.as_ref()).map(|end| &end.message);
        let of_condition = pod.and_then(|pod| pod.disruption.as_ref()).map(|found| &found.message);
        let all = event(reason).map(|event| &event.message).into_iter().chain(of_status).chain(of_condition);
        all.into_iter().find(|message| !message.is_empty()).map(ToString::to_string).unwrap_or_default()
    };
    if event("Preempting").is_some() || status == "Preempting" {
        return Cause::KubeletAdmission { message: said("Preempting") };
    }
    if event("Evicted").is_some() || condition == "TerminationByKubelet" || status == "Evicted" {
        return Cause::Kubelet { message: said("Evicted") };
    }
    match condition {
        "DeletionByTaintManager" => return Cause::Taint,
        "DeletionByPodGC" => return Cause::PodGc,
        "EvictionByEvictionAPI" => return Cause::EvictionApi,
        _ if event("TaintManagerEviction").is_some() => return Cause::Taint,
        _ => {}
    }
    // Only a kubelet gives a pod that failed a reason: it ends or rejects it, such as when its node shuts down.
    if !status.is_empty() && pod.is_some_and(|pod| pod.phase == Phase::Failed) {
        return Cause::Kubelet { message: Some(said(status)).filter(|m| !m.is_empty()).unwrap_or(status.to_owned()) };
    }
    let owner = event("SuccessfulDelete").map(|event| &event.object);
    owner.map_or(Cause::Unknown, |owner| Cause::Owner {
        kind: cluster.text(owner.kind).to_owned(),
        name: owner.name.to_string(),
    })
}

/// The preemptor that an Event names, or the pods that may be it.
fn preemptor(event: Option<&Event>, place: Place, pods: &Pods) -> Preemptor {
    let cluster = pods.cluster;
    let known = |ix: PodIx| Preemptor::Pod {
        pod: PodId::of(cluster.pod(ix), cluster),
        priority: Some(cluster.pod(ix).priority),
    };
    let by_uid = |uid: &str| pods.by_uid.get(uid).copied();
    if let Some(related) = event.and_then(|event| event.related.as_ref()) {
        let gone = || Preemptor::Pod { pod: object_name(related, cluster), priority: None };
        return by_uid(&related.uid).map_or_else(gone, known);
    }
    let is_earlier = |pod: &&Pod| place.1.is_none_or(|time| pod.created.is_none_or(|created| created <= time));
    match event.and_then(|event| message::read(&event.message)).map(|message| message.by) {
        Some(Named::Uid { kind, uid }) => {
            by_uid(uid).map_or_else(|| Preemptor::Uid { kind: kind.to_owned(), uid: uid.to_owned() }, known)
        }
        // A pod of this name that was created later is another one.
        Some(Named::Pod { namespace, name }) => Preemptor::Pod {
            pod: PodId { namespace: namespace.to_owned(), name: name.to_owned(), uid: String::new() },
            priority: cluster
                .find_pod(namespace, name)
                .map(|ix| cluster.pod(ix))
                .filter(is_earlier)
                .map(|pod| pod.priority),
        },
        Some(Named::NoOne) | None => Preemptor::NotNamed { since: since(place, pods) },
    }
}

/// Pods of higher priority that started on the node after that time, or are nominated to it.
fn since((node, time, priority): Place, pods: &Pods) -> Vec<PodId> {
    let (Some(node), Some(time)) = (node, time) else { return Vec::new() };
    let is_newcomer = |pod: &&Pod| {
        let is_new = pod.node_name.is_empty() || pod.start_time.is_some_and(|start| start >= time);
        is_new && priority.is_none_or(|priority| pod.priority > priority)
    };
    let there = pods.by_node.get(node).into_iter().flatten().map(|ix| pods.cluster.pod(*ix));
    there.filter(is_newcomer).map(|pod| PodId::of(pod, pods.cluster)).collect()
}

#[cfg(test)]
mod tests;
