//! Why pods were evicted or deleted, after the fact: what Events, conditions and the remaining pods
//! say about it.
//!
//! A cause is named only if some source says so. The preemptor is known by name or UID, or not at
//! all; pods that merely may have preempted are kept separate.

pub mod message;
mod programs;
pub mod rerun;

use std::collections::BTreeMap;

use jiff::Timestamp;
use message::Named;

use model::cluster::event::{DESCHEDULER, Event, OF_VPA, ObjectRef};
use model::cluster::node::Taint;
use model::cluster::pod::{ContainerExit, Phase};
use model::cluster::template::{TaintEffect, TolerationOperator};
use model::cluster::{Cluster, Pod, PodIx};
use simulation::plan::PodId;

/// How a pod was disrupted, as far as is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disruption {
    pub pod: PodId,
    pub cause: EvictionCause,
    /// When.
    pub time: Option<Timestamp>,
    /// The node on which it ran.
    pub node: Option<String>,
    pub priority: Option<i32>,
    /// Whether it is still there.
    pub state: PodState,
    /// How its containers ended, as far as its status says.
    pub exits: Vec<ContainerExit>,
    pub sources: Vec<EvidenceSource>,
}

impl Disruption {
    /// Whether a kubelet that ended it evicted it, or may have: another reason in its status rules that
    /// out, since a kubelet also ends pods that its node cannot run.
    pub fn may_be_kubelet_eviction(&self) -> bool {
        let other = |source: &EvidenceSource| matches!(source, EvidenceSource::Status { reason, .. } if reason != "Evicted");
        !self.sources.iter().any(other)
    }
}

/// Whether a pod still exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PodState {
    /// It is being deleted.
    Terminating,
    /// It has ended, but its object still exists.
    Finished,
    /// It exists, and runs or waits.
    There,
    /// No pod with this UID exists.
    Gone,
}

/// Why a pod was evicted or deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvictionCause {
    /// kube-scheduler preempted it.
    Preempted(RecordedPreemptor),
    /// The descheduler evicted it, through the eviction API.
    Descheduler { strategy: String },
    /// The Vertical Pod Autoscaler evicted it, so that its successor gets other requests.
    VerticalAutoscaler,
    /// The kubelet ended it because its node shuts down.
    NodeShutdown {
        /// What it wrote.
        message: String,
    },
    /// The kubelet evicted it, because its node lacks a resource.
    Kubelet {
        /// What it wrote.
        message: String,
    },
    /// The kubelet stopped it to admit a critical pod, such as a static one.
    KubeletAdmission {
        /// What it wrote.
        message: String,
    },
    /// It does not tolerate a `NoExecute` taint of its node, or no longer.
    Taint {
        /// The taints of this effect that its node has and that were there then, as far as is
        /// known, without those that the pod tolerates for ever.
        taints: Vec<String>,
    },
    /// Pod garbage collection: its node is gone, or it was orphaned.
    PodGc,
    /// A request to the eviction API: a drain, an autoscaler, or another client.
    EvictionApi,
    /// Karpenter evicted it, to remove or replace its node.
    Karpenter {
        /// Why, such as `Underutilized`, or what it wrote.
        why: String,
    },
    /// cluster-autoscaler evicted it, to remove its node.
    ScaleDown,
    /// Kueue stopped it, to give its quota to another Workload.
    Kueue {
        /// The Workload that got it.
        by: QuotaTaker,
        /// Why, in Kueue's words; may be empty.
        why: String,
    },
    /// KAI evicted it.
    Kai {
        /// The PodGroup in whose favour it did so, as `NAMESPACE/NAME`, if known.
        group: Option<String>,
        /// What it wrote.
        message: String,
    },
    /// Its own controller deleted it: it was scaled down, or replaced.
    Owner {
        /// Kind of the controller.
        kind: String,
        name: String,
    },
    /// It was not evicted: a program tried to, and was refused or changed its mind.
    Refused {
        /// The name under which it writes Events.
        by: String,
        /// What it wrote.
        message: String,
    },
    /// It was deleted by an unknown request.
    Unknown,
}

/// The Workload for which Kueue preempted another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotaTaker {
    pub uid: String,
    /// `NAMESPACE/NAME`, if it is still there.
    pub name: Option<String>,
}

/// The preemptor of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedPreemptor {
    Pod {
        pod: PodId,
        /// Its priority, if it is still there.
        priority: Option<i32>,
    },
    /// A pod or group known only by its UID.
    Uid {
        /// `pod`, `podgroup` or `compositepodgroup`.
        kind: String,
        uid: String,
    },
    /// Nothing names it. These pods of higher priority have been on the node, or nominated to it,
    /// since then.
    NotNamed {
        /// These pods.
        since: Vec<PodId>,
    },
}

/// A source about the end of a pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum EvidenceSource {
    Event {
        reason: String,
        message: String,
        /// Who wrote it.
        component: String,
    },
    /// The pod's condition `DisruptionTarget`.
    Condition { reason: String, message: String },
    /// The pod's `status.reason` and `status.message`.
    Status {
        reason: String,
        /// The message, in the kubelet's words; may be empty.
        message: String,
    },
    /// The pod's `deletionTimestamp`.
    Deletion,
}

/// All traces of one pod.
#[derive(Default)]
struct Traces<'c> {
    /// Events about its eviction.
    events: Vec<&'c Event>,
    /// Events about evictions that were tried and did not happen.
    refusals: Vec<&'c Event>,
    pod: Option<PodIx>,
}

/// The pods, indexed as Events and nodes refer to them.
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

    /// A pod of the cluster as the preemptor.
    fn preemptor(&self, ix: PodIx) -> RecordedPreemptor {
        let pod = self.cluster.pod(ix);
        RecordedPreemptor::Pod { pod: PodId::of(pod, self.cluster), priority: Some(pod.priority) }
    }
}

/// Every pod with a trace of having been evicted or being deleted, by namespace and name; the
/// latest first for pods with the same name.
pub fn find(cluster: &Cluster) -> Vec<Disruption> {
    let mut traces: BTreeMap<PodId, Traces> = BTreeMap::new();
    for event in &cluster.events {
        let name = subject(event, cluster);
        let traces = traces.entry(name).or_default();
        if event.is_refusal(cluster) {
            traces.refusals.push(event);
        } else {
            traces.events.push(event);
        }
    }
    for ix in cluster.pod_indices() {
        let pod = cluster.pod(ix);
        let name = PodId::of(pod, cluster);
        let tells =
            pod.disruption.is_some() || pod.is_terminating() || !pod.status_reason().is_empty();
        if tells || traces.contains_key(&name) {
            traces.entry(name).or_default().pod = Some(ix);
        }
    }
    let pods = Pods::of(cluster);
    let mut disruptions: Vec<Disruption> =
        merged(traces).into_iter().map(|(name, traces)| disruption(name, &traces, &pods)).collect();
    disruptions.sort_by(|a, b| {
        let by_name = (&a.pod.namespace, &a.pod.name).cmp(&(&b.pod.namespace, &b.pod.name));
        by_name.then_with(|| b.time.cmp(&a.time))
    });
    disruptions
}

/// Controllers name the pods that they delete without a UID. Such an Event belongs to the only pod
/// of this name with other traces.
fn merged(mut traces: BTreeMap<PodId, Traces<'_>>) -> BTreeMap<PodId, Traces<'_>> {
    let nameless: Vec<PodId> = traces.keys().filter(|name| name.uid.is_empty()).cloned().collect();
    for name in nameless {
        let mut others = traces.keys().filter(|other| {
            !other.uid.is_empty() && other.namespace == name.namespace && other.name == name.name
        });
        let (Some(only), None) = (others.next(), others.next()) else { continue };
        let only = only.clone();
        if let Some(own) = traces.remove(&name) {
            let traces = traces.entry(only).or_default();
            traces.events.extend(own.events);
            traces.refusals.extend(own.refusals);
        }
    }
    traces
}

/// The prefixes of a controller's Event about deleting a pod; the name of the pod follows. The
/// third is that of 1.34 and older.
const DELETED: [&str; 3] = ["Deleted pod: ", "Delete Pod ", "delete Pod "];

/// The pod that an Event concerns; for a controller's Event, the one that its message names.
///
/// Upstream: `pkg/controller/controller_utils.go` (`Deleted pod: NAME`),
/// `pkg/controller/statefulset/stateful_pod_control.go` (`Delete Pod NAME in StatefulSet ...`)
/// (1.37).
fn subject(event: &Event, cluster: &Cluster) -> PodId {
    let object = &event.object;
    if cluster.text(object.kind) == "Pod" {
        return object_name(object, cluster);
    }
    let deleted = DELETED.iter().find_map(|begins| event.message.strip_prefix(begins));
    let name = deleted.and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
    PodId {
        namespace: cluster.text(object.namespace).to_owned(),
        name: name.to_owned(),
        uid: String::new(),
    }
}

fn object_name(object: &ObjectRef, cluster: &Cluster) -> PodId {
    let namespace = cluster.text(object.namespace).to_owned();
    PodId { namespace, name: object.name.to_string(), uid: object.uid.to_string() }
}

/// Combines the traces of a pod.
fn disruption(name: PodId, traces: &Traces, pods: &Pods) -> Disruption {
    let cluster = pods.cluster;
    let pod = traces.pod.map(|ix| cluster.pod(ix));
    let evidence = Evidence::new(pod, traces, cluster);
    let state = match pod {
        None => PodState::Gone,
        Some(pod) if pod.is_terminating() => PodState::Terminating,
        Some(pod) if pod.phase != Phase::Active => PodState::Finished,
        Some(_) => PodState::There,
    };
    let end = DisruptedPod {
        node: evidence.node(),
        time: time(pod, traces),
        priority: pod.map(|pod| pod.priority),
    };
    Disruption {
        pod: name,
        cause: cause(&evidence, &end, pods),
        time: end.time,
        node: end.node,
        priority: end.priority,
        state,
        exits: pod
            .and_then(|pod| pod.end.as_ref())
            .map(|end| end.exits.to_vec())
            .unwrap_or_default(),
        sources: sources(pod, traces, cluster),
    }
}

/// When it was evicted. The condition is the best source, then the last Event, then the end of the
/// grace period minus its length.
fn time(pod: Option<&Pod>, traces: &Traces) -> Option<Timestamp> {
    let condition = pod.and_then(|pod| pod.disruption.as_ref()?.since);
    let last = |events: &[&Event]| events.iter().filter_map(|event| event.time).max();
    condition
        .or_else(|| last(&traces.events))
        .or_else(|| {
            let pod = pod?;
            pod.deletion?.checked_sub(jiff::SignedDuration::from_secs(pod.grace_seconds)).ok()
        })
        .or_else(|| last(&traces.refusals))
}

fn sources(pod: Option<&Pod>, traces: &Traces, cluster: &Cluster) -> Vec<EvidenceSource> {
    let text = |sym| cluster.text(sym).to_owned();
    let events = traces.events.iter().chain(&traces.refusals);
    let mut sources: Vec<EvidenceSource> = events
        .map(|event| EvidenceSource::Event {
            reason: text(event.reason),
            message: event.message.to_string(),
            component: text(event.component),
        })
        .collect();
    if let Some(pod) = pod {
        let condition = pod.disruption.as_ref().map(|condition_of_pod| EvidenceSource::Condition {
            reason: condition_of_pod.reason.to_string(),
            message: condition_of_pod.message.to_string(),
        });
        sources.extend(condition);
        if let Some(end) = pod.end.as_ref().filter(|end| !end.reason.is_empty()) {
            sources.push(EvidenceSource::Status {
                reason: end.reason.to_string(),
                message: end.message.to_string(),
            });
        }
        sources.extend(pod.is_terminating().then_some(EvidenceSource::Deletion));
    }
    sources.sort();
    sources.dedup();
    sources
}

/// What is known about a disrupted pod besides the cause.
struct DisruptedPod {
    node: Option<String>,
    time: Option<Timestamp>,
    priority: Option<i32>,
}

/// The evidence for why a pod was evicted or deleted.
struct Evidence<'t, 'c> {
    events: &'t [&'c Event],
    refusals: &'t [&'c Event],
    cluster: &'c Cluster,
    pod: Option<&'c Pod>,
    /// The reason of the condition `DisruptionTarget`; empty without the condition.
    condition: &'c str,
    /// The pod's `status.reason`; may be empty.
    status: &'c str,
}

/// One sign of why a pod ended.
enum Sign {
    /// An Event with this reason.
    Event(&'static str),
    /// An Event of one of these components.
    Components(&'static [&'static str]),
    /// Its kubelet says that the node shuts down.
    Shutdown,
    /// The condition `DisruptionTarget` with this reason.
    Condition(&'static str),
    /// This `status.reason`.
    Status(&'static str),
    /// The pod has failed, and its status gives any reason. Only a kubelet does that when it ends
    /// or rejects the pod, for example because its node shuts down.
    FailedWithReason,
}

/// The cause that the signs of a row point to, see [`EvictionCause`].
enum Meaning {
    Preempted,
    Descheduler,
    VerticalAutoscaler,
    KubeletAdmission,
    NodeShutdown,
    Kubelet,
    KubeletStatus,
    Taint,
    PodGc,
    EvictionApi,
    Owner,
}

/// The kubelet's words for a node that shuts down.
///
/// Upstream: `pkg/kubelet/nodeshutdown/nodeshutdown_manager.go` (1.37).
const SHUTDOWN: &str = "imminent node shutdown";

/// Signs with the same meaning.
struct Row {
    signs: &'static [Sign],
    meaning: Meaning,
}

/// What the signs mean. The first row with a sign of the pod decides, so the most specific come
/// first: the eviction API also marks what the descheduler evicts.
static ROWS: &[Row] = &[
    Row {
        signs: &[
            Sign::Event("Preempted"),
            Sign::Condition("PreemptionByScheduler"),
            // Its name in 1.25 and 1.26.
            Sign::Condition("PreemptionByKubeScheduler"),
        ],
        meaning: Meaning::Preempted,
    },
    Row { signs: &[Sign::Components(&DESCHEDULER)], meaning: Meaning::Descheduler },
    Row { signs: &[Sign::Event(OF_VPA)], meaning: Meaning::VerticalAutoscaler },
    Row {
        signs: &[Sign::Event("Preempting"), Sign::Status("Preempting")],
        meaning: Meaning::KubeletAdmission,
    },
    Row { signs: &[Sign::Shutdown], meaning: Meaning::NodeShutdown },
    Row {
        signs: &[
            Sign::Event("Evicted"),
            Sign::Condition("TerminationByKubelet"),
            Sign::Status("Evicted"),
        ],
        meaning: Meaning::Kubelet,
    },
    Row { signs: &[Sign::Condition("DeletionByTaintManager")], meaning: Meaning::Taint },
    Row { signs: &[Sign::Condition("DeletionByPodGC")], meaning: Meaning::PodGc },
    Row { signs: &[Sign::Condition("EvictionByEvictionAPI")], meaning: Meaning::EvictionApi },
    // An Event alone is weaker evidence than a condition.
    Row { signs: &[Sign::Event("TaintManagerEviction")], meaning: Meaning::Taint },
    Row { signs: &[Sign::FailedWithReason], meaning: Meaning::KubeletStatus },
    Row { signs: &[Sign::Event("SuccessfulDelete")], meaning: Meaning::Owner },
];

impl<'t, 'c> Evidence<'t, 'c> {
    fn new(pod: Option<&'c Pod>, traces: &'t Traces<'c>, cluster: &'c Cluster) -> Self {
        let condition =
            pod.and_then(|pod| pod.disruption.as_ref()).map_or("", |condition| &condition.reason);
        let status = pod.map_or("", Pod::status_reason);
        Self { events: &traces.events, refusals: &traces.refusals, cluster, pod, condition, status }
    }

    /// The node on which the pod ran: its own, or that of an Event.
    fn node(&self) -> Option<String> {
        let own = self.pod.map_or("", |pod| self.cluster.text(pod.node_name));
        if !own.is_empty() {
            return Some(own.to_owned());
        }
        let mut events = self.events.iter().chain(self.refusals);
        let node = events.find_map(|event| {
            message::read(&event.message)
                .and_then(|message| message.node)
                .or_else(|| message::descheduled_from(&event.message))
        });
        node.map(str::to_owned)
    }

    /// The first Event with this reason.
    fn event(&self, reason: &str) -> Option<&'c Event> {
        self.events.iter().copied().find(|event| self.cluster.text(event.reason) == reason)
    }

    /// The first Event of one of these components.
    fn event_of(&self, components: &[&str]) -> Option<&'c Event> {
        let mut events = self.events.iter().copied();
        events.find(|event| components.contains(&self.cluster.text(event.component)))
    }

    /// Whether the kubelet ended the pod because its node shuts down: by the reason of older
    /// versions, or by its words.
    fn is_shutdown(&self) -> bool {
        ["NodeShutdown", "Shutdown"].contains(&self.status)
            || self.pod.is_some_and(|pod| {
                let of_status = pod.end.as_ref().map(|end| &*end.message);
                let of_condition = pod.disruption.as_ref().map(|condition| &*condition.message);
                [of_status, of_condition].into_iter().flatten().any(|said| said.contains(SHUTDOWN))
            })
    }

    fn has(&self, sign: &Sign) -> bool {
        match sign {
            Sign::Event(reason) => self.event(reason).is_some(),
            Sign::Components(components) => self.event_of(components).is_some(),
            Sign::Shutdown => self.is_shutdown(),
            Sign::Condition(reason) => self.condition == *reason,
            Sign::Status(reason) => self.status == *reason,
            Sign::FailedWithReason => {
                !self.status.is_empty() && self.pod.is_some_and(|pod| pod.phase == Phase::Failed)
            }
        }
    }

    /// The kubelet's message; may be empty. Events disappear after an hour, while the status keeps
    /// the message as long as the pod exists.
    fn sentence(&self, reason: &str) -> String {
        let of_event = self.event(reason).map(|event| &event.message);
        let of_status = self.pod.and_then(|pod| pod.end.as_ref()).map(|end| &end.message);
        let of_condition =
            self.pod.and_then(|pod| pod.disruption.as_ref()).map(|condition| &condition.message);
        let mut messages = [of_event, of_status, of_condition].into_iter().flatten();
        messages.find(|message| !message.is_empty()).map(ToString::to_string).unwrap_or_default()
    }
}

/// The cause, by the first of the [`ROWS`] that applies.
fn cause(evidence: &Evidence, end: &DisruptedPod, pods: &Pods) -> EvictionCause {
    let cluster = pods.cluster;
    // These programs evict through the same API, and one writes the same condition as
    // kube-scheduler: their own statements are more reliable.
    if let Some(cause) = programs::cause(evidence) {
        return cause;
    }
    let row = ROWS.iter().find(|row| row.signs.iter().any(|sign| evidence.has(sign)));
    let Some(row) = row else { return not_evicted(evidence) };
    match row.meaning {
        Meaning::Preempted => {
            // A pod that is already terminating may be preempted again by another pod: the first
            // Event names the cause.
            let preempted =
                evidence.events.iter().filter(|event| cluster.text(event.reason) == "Preempted");
            EvictionCause::Preempted(preemptor(
                preempted.min_by_key(|event| event.time).copied(),
                end,
                pods,
            ))
        }
        Meaning::Descheduler => {
            let strategy =
                evidence.event_of(&DESCHEDULER).map_or("", |event| cluster.text(event.reason));
            EvictionCause::Descheduler { strategy: strategy.to_owned() }
        }
        Meaning::VerticalAutoscaler => EvictionCause::VerticalAutoscaler,
        Meaning::NodeShutdown => {
            EvictionCause::NodeShutdown { message: evidence.sentence(evidence.status) }
        }
        Meaning::KubeletAdmission => {
            EvictionCause::KubeletAdmission { message: evidence.sentence("Preempting") }
        }
        Meaning::Kubelet => EvictionCause::Kubelet { message: evidence.sentence("Evicted") },
        Meaning::KubeletStatus => {
            let sentence = evidence.sentence(evidence.status);
            let message = if sentence.is_empty() { evidence.status.to_owned() } else { sentence };
            EvictionCause::Kubelet { message }
        }
        Meaning::Taint => EvictionCause::Taint { taints: evicting_taints(evidence, end.time) },
        Meaning::PodGc => EvictionCause::PodGc,
        Meaning::EvictionApi => EvictionCause::EvictionApi,
        Meaning::Owner => match evidence.event("SuccessfulDelete").map(|event| &event.object) {
            Some(owner) => EvictionCause::Owner {
                kind: cluster.text(owner.kind).to_owned(),
                name: owner.name.to_string(),
            },
            None => EvictionCause::Unknown,
        },
    }
}

/// The last try to evict a pod that is there and not being deleted.
fn not_evicted(evidence: &Evidence) -> EvictionCause {
    let last = evidence.refusals.iter().max_by_key(|event| event.time);
    match last.filter(|_| !evidence.pod.is_some_and(Pod::is_terminating)) {
        Some(event) => EvictionCause::Refused {
            by: evidence.cluster.text(event.component).to_owned(),
            message: event.message.to_string(),
        },
        None => EvictionCause::Unknown,
    }
}

/// The taints of the node that may have evicted the pod.
fn evicting_taints(evidence: &Evidence, time: Option<Timestamp>) -> Vec<String> {
    let cluster = evidence.cluster;
    let Some(node) = evidence.node().and_then(|name| cluster.find_node(&name)) else {
        return Vec::new();
    };
    let node = cluster.node(node);
    let mut taints = Vec::new();
    for taint in node.taints.iter().filter(|taint| taint.effect == TaintEffect::NoExecute) {
        let added = node.tainted_since(taint.key);
        let is_later = added.zip(time).is_some_and(|(added, time)| added > time);
        let is_tolerated = evidence.pod.is_some_and(|pod| tolerates_for_ever(pod, taint, cluster));
        if is_later || is_tolerated {
            continue;
        }
        let (key, value) = (cluster.text(taint.key), cluster.text(taint.value));
        let value = if value.is_empty() { String::new() } else { format!("={value}") };
        taints.push(format!("{key}{value}:NoExecute"));
    }
    taints
}

fn tolerates_for_ever(pod: &Pod, taint: &Taint, cluster: &Cluster) -> bool {
    cluster.template(pod).tolerations.iter().any(|toleration| {
        toleration.seconds.is_none()
            && toleration.effect.is_none_or(|effect| effect == taint.effect)
            && (toleration.key.is_empty() || toleration.key == taint.key)
            && (toleration.operator == TolerationOperator::Exists
                || toleration.value == taint.value)
    })
}

/// The preemptor that an Event names, or the pods that it may be.
fn preemptor(event: Option<&Event>, end: &DisruptedPod, pods: &Pods) -> RecordedPreemptor {
    let cluster = pods.cluster;
    // A reference has the UID, so it is more reliable than a name in the message.
    if let Some(related) = event.and_then(|event| event.related.as_ref()) {
        return match pods.by_uid.get(&*related.uid) {
            Some(ix) => pods.preemptor(*ix),
            None => RecordedPreemptor::Pod { pod: object_name(related, cluster), priority: None },
        };
    }
    match event.and_then(|event| message::read(&event.message)).map(|message| message.by) {
        Some(Named::Uid { kind, uid }) => match pods.by_uid.get(uid) {
            Some(ix) => pods.preemptor(*ix),
            None => RecordedPreemptor::Uid { kind: kind.to_owned(), uid: uid.to_owned() },
        },
        Some(Named::Pod { namespace, name }) => {
            // A pod of this name that was created later is a different one.
            let pod = cluster.find_pod(namespace, name).map(|ix| cluster.pod(ix));
            let pod = pod.filter(|pod| match (pod.created, end.time) {
                (Some(created), Some(time)) => created <= time,
                (None, _) | (_, None) => true,
            });
            RecordedPreemptor::Pod {
                pod: PodId {
                    namespace: namespace.to_owned(),
                    name: name.to_owned(),
                    uid: String::new(),
                },
                priority: pod.map(|pod| pod.priority),
            }
        }
        Some(Named::NoOne) | None => RecordedPreemptor::NotNamed { since: since(end, pods) },
    }
}

/// Pods of higher priority that started on the node after that time, or are nominated to it.
fn since(end: &DisruptedPod, pods: &Pods) -> Vec<PodId> {
    let (Some(node), Some(time)) = (&end.node, end.time) else { return Vec::new() };
    let mut since = Vec::new();
    for ix in pods.by_node.get(node.as_str()).into_iter().flatten() {
        let pod = pods.cluster.pod(*ix);
        let is_new = pod.node_name.is_empty() || pod.start_time.is_some_and(|start| start >= time);
        if is_new && end.priority.is_none_or(|priority| pod.priority > priority) {
            since.push(PodId::of(pod, pods.cluster));
        }
    }
    since
}

#[cfg(test)]
mod tests;
