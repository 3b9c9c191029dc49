//! What follows a decision to preempt: the nomination and the eviction of the victims. The
//! scheduler does both; this file has the texts that it writes about them.
//!
//! Upstream: `pkg/scheduler/framework/preemption/executor.go`, `preemption.go` (1.37).

use super::importance::StepDoc;
use crate::framework::reason::{Message, Obstacle, When};
use profile::span::VersionSpan;

/// The remedy for a pod that was evicted.
const RECREATED: &str = "see what owns the pod: its controller creates another, which is scheduled like any pod; give it a higher PriorityClass to keep it";

pub(super) static NOMINATION: StepDoc = StepDoc {
    code: "PRE-408",
    name: "nomination",
    meaning: "The chosen node is written into status.nominatedNodeName, and its room is reserved for the pod; the pod is tried again when the victims are gone, and may get another node.",
    when: When::Always,
    source: "pkg/scheduler/framework/preemption/preemption.go (1.37)",
};

pub(super) static EVICTION: StepDoc = StepDoc {
    code: "PRE-409",
    name: "eviction",
    meaning: "Victims get the condition DisruptionTarget and are deleted with their own grace period; budgets are not checked again.",
    when: When::Always,
    source: "pkg/scheduler/framework/preemption/executor.go (1.37)",
};

/// Preemption found a node.
pub(crate) static FOUND: Message = Message {
    code: "PRE-306",
    text: "found a potential placement for pod on node {}, preempting {} victims",
    meaning: "Preemption found a node and evicts that many pods there; the pod is tried again when they are gone.",
    preemption: "It helps.",
    remedy: "wait for the victims to terminate",
    obstacle: Obstacle::Wait,
    when: When::Rows(&[|f| f.message.success_message]),
    source: "pkg/scheduler/framework/preemption/preemption.go (1.37)",
};

/// What is written about victims: in the event `Preempted`, and in the condition
/// `DisruptionTarget`.
pub static MESSAGES: &[&Message] = &[
    &BY_OTHER,
    &PREEMPTED_BY,
    &PREEMPTED_BY_A_POD,
    &PREEMPTED_BY_POD,
    &PREEMPTED_BY_GROUP,
    &PREEMPTED_BY_COMPOSITE,
    &TARGET_ALPHA,
    &TARGET_OF_POD,
    &TARGET_OF_GROUP,
    &TARGET_OF_COMPOSITE,
];

/// The event of a victim up to 1.15.
static BY_OTHER: Message = Message {
    code: "PRE-601",
    text: "by {}/{} on node {}",
    meaning: "kube-scheduler evicted this pod to make room for the pod that is named (event Preempted of the victim).",
    preemption: "Preemption has already happened.",
    remedy: RECREATED,
    obstacle: Obstacle::None,
    when: When::Releases(VersionSpan::since(12, 0).before(16, 0)),
    source: "pkg/scheduler/scheduler.go (1.15)",
};

/// The same later. Late patches of 1.24 and 1.25 write the next one already.
static PREEMPTED_BY: Message = Message {
    code: "PRE-602",
    text: "Preempted by {}/{} on node {}",
    when: When::Releases(VersionSpan::since(16, 0).before(26, 1)),
    source: "pkg/scheduler/framework/preemption/preemption.go (1.23)",
    ..BY_OTHER
};

/// The same without a name.
static PREEMPTED_BY_A_POD: Message = Message {
    code: "PRE-603",
    text: "Preempted by a pod on node {}",
    meaning: "kube-scheduler evicted this pod to make room for another one, which it does not name (event Preempted of the victim).",
    when: When::Releases(VersionSpan::since(24, 10).before(29, 0)),
    source: "pkg/scheduler/framework/preemption/preemption.go (1.28)",
    ..BY_OTHER
};

/// The same with a UID. A victim that was not bound yet is dropped without the API: `(in
/// kube-scheduler memory)` follows.
static PREEMPTED_BY_POD: Message = Message {
    code: "PRE-604",
    text: "Preempted by pod {} on node {}",
    meaning: "kube-scheduler evicted this pod to make room for the pod with that UID (event Preempted of the victim).",
    when: When::Releases(VersionSpan::since(29, 0)),
    source: "pkg/scheduler/framework/preemption/executor.go (1.37)",
    ..BY_OTHER
};

/// The same for a group.
static PREEMPTED_BY_GROUP: Message = Message {
    code: "PRE-605",
    text: "Preempted by podgroup {} on node {}",
    meaning: "kube-scheduler evicted this pod to make room for the PodGroup with that UID (event Preempted of the victim); the node is always `cluster`.",
    when: When::Releases(VersionSpan::since(36, 0)),
    ..PREEMPTED_BY_POD
};

/// The same for a group of groups.
static PREEMPTED_BY_COMPOSITE: Message = Message {
    code: "PRE-606",
    text: "Preempted by compositepodgroup {} on node {}",
    meaning: "kube-scheduler evicted this pod to make room for the CompositePodGroup with that UID (event Preempted of the victim); the node is always `cluster`.",
    when: When::Releases(VersionSpan::since(37, 0)),
    ..PREEMPTED_BY_POD
};

/// The condition of a victim in 1.25, where a gate was on.
static TARGET_ALPHA: Message = Message {
    code: "PRE-607",
    text: "Kube-scheduler: preempting",
    meaning: "kube-scheduler evicted this pod to make room for one of higher priority (condition of the victim, reason PreemptionByKubeScheduler).",
    when: When::Releases(VersionSpan::since(25, 0).before(26, 0)),
    source: "pkg/scheduler/framework/preemption/preemption.go (1.25)",
    ..BY_OTHER
};

/// The condition `DisruptionTarget` of a victim.
static TARGET_OF_POD: Message = Message {
    code: "PRE-608",
    text: "{}: preempting to accommodate a higher priority pod",
    meaning: "The scheduler that is named evicted this pod to make room for one of higher priority (condition DisruptionTarget of the victim, reason PreemptionByScheduler; PreemptionByKubeScheduler in 1.26).",
    when: When::Releases(VersionSpan::since(26, 0)),
    ..PREEMPTED_BY_POD
};

/// The same for a group.
static TARGET_OF_GROUP: Message = Message {
    code: "PRE-609",
    text: "{}: preempting to accommodate a higher priority podgroup",
    meaning: "The scheduler that is named evicted this pod to make room for a PodGroup of higher priority (condition DisruptionTarget of the victim, reason PreemptionByScheduler).",
    ..PREEMPTED_BY_GROUP
};

/// The same for a group of groups.
static TARGET_OF_COMPOSITE: Message = Message {
    code: "PRE-610",
    text: "{}: preempting to accommodate a higher priority compositepodgroup",
    meaning: "The scheduler that is named evicted this pod to make room for a CompositePodGroup of higher priority (condition DisruptionTarget of the victim, reason PreemptionByScheduler).",
    ..PREEMPTED_BY_COMPOSITE
};
