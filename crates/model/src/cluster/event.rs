//! Events that say why a pod was evicted, deleted, not created or not scheduled. Others are not
//! kept, and no decision reads any.

use jiff::Timestamp;

use super::Cluster;
use super::reader::ReadContext;
use super::symbols::Sym;
use crate::snapshot::meta::pods;
use crate::snapshot::{Str, others as wire};

/// Reasons of Events about pods that have a node and do not start, by the kubelet and by the
/// controller that attaches volumes.
const OF_STARTS: [&str; 10] = [
    "FailedAttachVolume",
    "FailedMount",
    "FailedMapVolume",
    "FailedCreatePodSandBox",
    "NetworkNotReady",
    "FailedPrepareDynamicResources",
    "Failed",
    "BackOff",
    "ErrImageNeverPull",
    "InspectFailed",
];

/// Reasons of Events about pods that are kept. kube-scheduler writes the first, the kubelet the
/// next two, then the taint manager and the Vertical Pod Autoscaler.
const OF_PODS: [&str; 5] = ["Preempted", "Evicted", "Preempting", "TaintManagerEviction", OF_VPA];

/// The reason that a scheduler gives for leaving a pod pending.
const NOT_SCHEDULED: &str = "FailedScheduling";

/// The reason that controllers give for deleting a pod themselves.
const OF_OWNERS: &str = "SuccessfulDelete";

/// The reason that controllers give for failing to create a pod.
pub const NOT_MADE: &str = "FailedCreate";

/// The names of the descheduler, whose Events about pods are kept: their reason is the name of a
/// strategy. The second is that of the newer Events API.
pub const DESCHEDULER: [&str; 2] = ["sigs.k8s.io/descheduler", "sigs.k8s.io.descheduler"];

/// The reasons that the descheduler and cluster-autoscaler give for an eviction that was refused.
const NOT_EVICTED: [&str; 2] = ["EvictionFailed", "ScaleDownFailed"];

/// The reason that the Vertical Pod Autoscaler gives for an eviction.
pub const OF_VPA: &str = "EvictedByVPA";

/// The prefix of the taint manager's message about a pod that it does not delete after all.
const STAYS: &str = "Cancelling deletion";

/// Autoscalers whose Events are kept: those about nodes whatever their reason, those about pods and
/// about themselves as answers. Upstream: cluster-autoscaler `core/scaledown` (1.33), Karpenter
/// `pkg/controllers/disruption/events` (1.6).
pub const AUTOSCALERS: [&str; 3] = ["cluster-autoscaler", "karpenter", "eks-auto-mode/compute"];

/// The reasons of Events in which autoscalers say that they evicted a pod, or tried to. Karpenter
/// writes the first, cluster-autoscaler the others; Karpenter's `Evicted` is also a reason of the kubelet.
const OF_SCALE_DOWNS: [&str; 3] = ["Disrupted", "ScaleDown", "ScaleDownFailed"];

/// The prefix of Kueue's messages about a preemption.
///
/// Upstream: `pkg/scheduler/preemption/preemption.go` (August 2026).
pub const KUEUE_PREEMPTED: &str = "Preempted to accommodate a workload (UID: ";

/// The kinds of objects about which Events of autoscalers are kept.
const SCALED: [&str; 4] = ["Pod", "NodePool", "NodeClaim", "ConfigMap"];

/// A kept Event, by its subject.
#[derive(Debug, Clone)]
pub(super) enum EventSubject {
    /// Why a pod was removed or not created.
    OfPods(Event),
    /// Why a pod that has a node does not start.
    OfStart(Event),
    /// An autoscaler's answer.
    ByAutoscaler(Event),
    /// Why a group of pods waits, from the program that holds it.
    ByHandler(Event),
    /// That a scheduler found no node for a pod.
    OfScheduling(Event),
}

/// The reasons of Events about PodGroups that are kept. KAI writes them.
const OF_GROUPS: [&str; 4] = ["NotReady", "Unschedulable", "StaleJob", "Evict"];

/// The reason of KAI's Events about pods.
const OF_KAI: &str = "Unschedulable";

/// An object that an Event names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectRef {
    pub kind: Sym,
    pub namespace: Sym,
    pub name: Box<str>,
    /// Its UID; empty if it is not named.
    pub uid: Box<str>,
}

#[derive(Debug, Clone)]
pub struct Event {
    /// Its subject.
    pub object: ObjectRef,
    /// `related`: for a preemption, the preemptor.
    pub related: Option<ObjectRef>,
    /// Why it was written.
    pub reason: Sym,
    pub message: Box<str>,
    /// Who wrote it.
    pub component: Sym,
    /// When it was written last.
    pub time: Option<Timestamp>,
    /// When what it says happened first.
    pub first: Option<Timestamp>,
    /// How often it has happened at least: schedulers count a series on, and write that rarely.
    pub count: u32,
    /// Namespace and name of the PodGroup for which KAI evicted pods; only its annotations say so.
    pub evictor: Option<(Sym, Sym)>,
}

impl Event {
    /// Reads an Event; `None` if it says neither why a pod was removed or not created nor what an
    /// autoscaler answers.
    pub(super) fn read(wire: &wire::Event, reader: &mut ReadContext) -> Option<EventSubject> {
        let component = first(&[
            &wire.reporting_component,
            &wire.reporting_controller,
            &wire.source.component,
            &wire.deprecated_source.component,
        ]);
        let object = if wire.involved_object.kind.is_empty() {
            &wire.regarding
        } else {
            &wire.involved_object
        };
        // Most Events are of no interest: those about pods that have left a node, or about owners
        // that make none, and what autoscalers and other programs answer are kept.
        let (reason, is_pod) = (wire.reason.as_str(), object.kind.as_str() == "Pod");
        let message = first(&[&wire.message, &wire.note]);
        let is_of_kueue = message.starts_with(KUEUE_PREEMPTED);
        let is_kept = if is_pod {
            OF_PODS.contains(&reason)
                || DESCHEDULER.contains(&component)
                || is_of_kueue
                || AUTOSCALERS.contains(&component) && OF_SCALE_DOWNS.contains(&reason)
        } else if object.kind.as_str() == "Node" {
            AUTOSCALERS.contains(&component)
        } else {
            [OF_OWNERS, NOT_MADE].contains(&reason)
        };
        let is_answer =
            !is_kept && AUTOSCALERS.contains(&component) && SCALED.contains(&object.kind.as_str());
        let is_of_group = !is_kept
            && (object.kind.as_str() == "PodGroup" && OF_GROUPS.contains(&reason)
                || is_pod && reason == OF_KAI
                || is_of_kueue);
        let is_of_start = !is_kept && !is_answer && is_pod && OF_STARTS.contains(&reason);
        let is_of_scheduling = !is_kept && !is_answer && is_pod && reason == NOT_SCHEDULED;
        if !is_kept && !is_answer && !is_of_group && !is_of_start && !is_of_scheduling {
            return None;
        }
        // A series has a time of its own, and each of the two APIs has other fields.
        let times = [
            &wire.series.last_observed_time,
            &wire.last_timestamp,
            &wire.deprecated_last_timestamp,
            &wire.event_time,
            &wire.first_timestamp,
            &wire.deprecated_first_timestamp,
        ];
        let firsts = [&wire.event_time, &wire.first_timestamp, &wire.deprecated_first_timestamp];
        let parsed = |times: &[&Str<'_>]| times.iter().find_map(|time| time.parse().ok());
        let count = wire.series.count.max(wire.count).max(wire.deprecated_count);
        let related =
            (!wire.related.name.is_empty()).then(|| ObjectRef::read(&wire.related, reader));
        let event = Self {
            object: ObjectRef::read(object, reader),
            related,
            reason: reader.intern(&wire.reason),
            message: Box::from(first(&[&wire.message, &wire.note])),
            component: reader.intern(component),
            time: parsed(&times),
            first: parsed(&firsts),
            count: u32::try_from(count.max(1)).unwrap_or(u32::MAX),
            evictor: evictor(wire, reader),
        };
        Some(match (is_kept, is_of_group) {
            (false, false) if is_of_start => EventSubject::OfStart(event),
            (false, false) if is_of_scheduling => EventSubject::OfScheduling(event),
            (true, _) => EventSubject::OfPods(event),
            (false, true) => EventSubject::ByHandler(event),
            (false, false) => EventSubject::ByAutoscaler(event),
        })
    }
}

impl Event {
    /// Whether it says that a pod was not evicted after all.
    pub fn is_refusal(&self, cluster: &Cluster) -> bool {
        NOT_EVICTED.contains(&cluster.text(self.reason)) || self.message.starts_with(STAYS)
    }
}

fn evictor(wire: &wire::Event, reader: &mut ReadContext) -> Option<(Sym, Sym)> {
    let annotations = &wire.metadata.annotations;
    let name = annotations.get(pods::KAI_EVICTOR).filter(|name| !name.is_empty())?;
    let namespace = annotations.get(pods::KAI_EVICTOR_NAMESPACE).unwrap_or_default();
    Some((reader.intern(namespace), reader.intern(name)))
}

/// The first non-empty text, for fields that the versions of Event name differently.
fn first<'w>(texts: &[&'w Str<'_>]) -> &'w str {
    texts.iter().map(|text| text.as_str()).find(|text| !text.is_empty()).unwrap_or_default()
}

impl ObjectRef {
    fn read(wire: &wire::ObjectReference, reader: &mut ReadContext) -> Self {
        Self {
            kind: reader.intern(&wire.kind),
            namespace: reader.namespace(&wire.namespace),
            name: Box::from(wire.name.as_str()),
            uid: Box::from(wire.uid.as_str()),
        }
    }
}
