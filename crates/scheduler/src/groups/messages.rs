//! What kube-scheduler writes about pod groups.

use crate::framework::reason::{Message, Obstacle, When};
use crate::plugins::dynamic_resources::UNRESERVED;
use profile::span::VersionSpan;

/// All messages about groups.
pub static MESSAGES: &[&Message] = &[
    &UNSCHEDULABLE,
    &MIN_COUNT,
    &MEMBER_FAILED,
    &SCHEDULER_NAMES,
    &PRIORITIES,
    &POLICIES,
    &POLICY_OF_GROUP,
    &NO_VICTIMS,
    &FOUND,
    &ONGOING,
    &NO_PLACEMENTS,
    &PLACEMENTS,
    &CLAIMS_RETURNED,
    &GROUP_CLAIM_RETURNED,
    &GROUP_CLAIM_UNRESERVED,
    &WAITS_FOR_VICTIMS,
    &GROUP_PREEMPTS,
    &PLACEMENT_GROUP,
    &CONSTRAINED_GROUP,
    &NOT_REGISTERED,
    &HIERARCHY_SCHEDULERS,
    &HIERARCHY_PRIORITIES,
    &HIERARCHY_POLICIES,
    &GROUP_FAILED,
    &THRESHOLD,
    &GROUP_UNFIT,
];

/// The releases that schedule groups, where their gates are on.
const POD_GROUPS: When = When::Releases(VersionSpan::since(36, 0));
/// Those that check the pods of a group one by one.
const BEFORE_HIERARCHIES: When = When::Releases(VersionSpan::since(36, 0).before(38, 0));
/// Those that check a group with all that it belongs to.
const HIERARCHIES: When = When::Releases(VersionSpan::since(38, 0));

/// The prefix of the group's reasons.
pub(super) static UNSCHEDULABLE: Message = Message {
    code: "PRE-621",
    text: "pod group is unschedulable",
    meaning: "The group that the pod belongs to cannot be placed, so none of its tried pods is placed; the text that follows says why.",
    preemption: "Depends on the text that follows.",
    remedy: "see what the other pods of the group report",
    obstacle: Obstacle::None,
    when: POD_GROUPS,
    source: "pkg/scheduler/schedule_one_podgroup.go (1.37)",
};

/// Too few pods of a gang fit.
pub(super) static MIN_COUNT: Message = Message {
    code: "PRE-622",
    text: "minCount ({}) cannot be satisfied: {} scheduled, {} remaining",
    meaning: "Fewer pods of the gang can be placed than its minCount; pods are tried in a fixed order, and those after the one that decided are not tried at all.",
    preemption: "Helps if the group may preempt: see the text behind `pod group preemption:`.",
    remedy: "make room for the pods of the group that report a reason of their own, or lower minCount",
    obstacle: Obstacle::Room,
    when: When::Releases(VersionSpan::since(37, 0).before(38, 0)),
    source: "pkg/scheduler/schedule_one_podgroup.go (1.37)",
};

/// An error of another member.
pub(super) static MEMBER_FAILED: Message = Message {
    code: "PRE-623",
    text: "failed to schedule other pod from a pod group: {}",
    meaning: "Another pod of the group ended with an error, and so does this one.",
    preemption: "Never: an eviction does not remove the error.",
    remedy: "see the error that follows it",
    obstacle: Obstacle::None,
    when: POD_GROUPS,
    source: "pkg/scheduler/schedule_one_podgroup.go (1.37)",
};

/// Members have different schedulers.
pub(super) static SCHEDULER_NAMES: Message = Message {
    code: "PRE-624",
    text: "all pods in a single pod group should have the same .spec.schedulerName set, got: \"{}\" and \"{}\"",
    meaning: "Pods of one group are left to different schedulers, so none of them is scheduled.",
    preemption: "Never: evicting pods does not change the group.",
    remedy: "give all pods of the group the same schedulerName",
    obstacle: Obstacle::Pod,
    when: BEFORE_HIERARCHIES,
    source: "pkg/scheduler/schedule_one_podgroup.go (1.37)",
};

/// Members have different priorities.
pub(super) static PRIORITIES: Message = Message {
    code: "PRE-625",
    text: "all pods in a single pod group should have the same priority as the pod group's priority, got {} and {}",
    meaning: "A pod of the group has another priority than the PodGroup, so none of its pods is scheduled; a PodGroup without a priority has 0.",
    preemption: "Never: evicting pods does not change the group.",
    remedy: "give the PodGroup the priorityClassName of its pods",
    obstacle: Obstacle::Pod,
    when: When::Releases(VersionSpan::since(37, 0).before(38, 0)),
    source: "pkg/scheduler/schedule_one_podgroup.go (1.37)",
};

/// Members have different policies.
pub(super) static POLICIES: Message = Message {
    code: "PRE-626",
    text: "all pods in a single pod group should have the same preemption policy, got {} and {}",
    meaning: "Pods of one group have different preemptionPolicies, so none of them is scheduled.",
    preemption: "Never: evicting pods does not change the group.",
    remedy: "give all pods of the group the same PriorityClass",
    obstacle: Obstacle::Pod,
    when: When::Releases(VersionSpan::since(37, 0).before(38, 0)),
    source: "pkg/scheduler/schedule_one_podgroup.go (1.37)",
};

/// A member's policy differs from the group's.
pub(super) static POLICY_OF_GROUP: Message = Message {
    code: "PRE-627",
    text: "all pods in a single pod group should have the same preemption policy as the pod group's preemption policy, got {} and {}",
    meaning: "A pod has another preemptionPolicy than its PodGroup, so no pod of the group is scheduled.",
    preemption: "Never: evicting pods does not change the group.",
    remedy: "give the PodGroup and its pods the same preemptionPolicy",
    obstacle: Obstacle::Pod,
    when: When::Releases(VersionSpan::since(37, 0).before(38, 0)),
    source: "pkg/scheduler/schedule_one_podgroup.go (1.37)",
};

/// Nothing has a lower priority.
pub(super) static NO_VICTIMS: Message = Message {
    code: "PRE-628",
    text: "No preemption victims found for incoming preemptor",
    meaning: "No pod and no group in the cluster has a lower priority than the group, so no pod can be evicted.",
    preemption: "Never, unless priorities change.",
    remedy: "give the PodGroup and its pods a higher PriorityClass than pods that they may replace, or make room otherwise",
    obstacle: Obstacle::Pod,
    when: POD_GROUPS,
    source: "pkg/scheduler/framework/preemption/podgrouppreemption.go (1.37)",
};

/// Preemption found nodes for the group.
pub(super) static FOUND: Message = Message {
    code: "PRE-629",
    text: "found a placement for podgroup, preempting {} victims",
    meaning: "Preemption found a place for the group and evicts that many pods; the group is tried again when they are gone.",
    preemption: "It helps.",
    remedy: "wait for the victims to terminate",
    obstacle: Obstacle::Wait,
    when: When::Releases(VersionSpan::since(37, 0)),
    source: "pkg/scheduler/framework/preemption/podgrouppreemption.go (1.37)",
};

/// Victims are still terminating.
pub(super) static ONGOING: Message = Message {
    code: "PRE-630",
    text: "ongoing preemption on nominated nodes",
    meaning: "The scheduler has evicted pods for this group already, and waits until they are gone.",
    preemption: "Preemption has already happened.",
    remedy: "wait for the grace period of the victims; look for finalizers or a dead node if it takes longer",
    obstacle: Obstacle::Wait,
    when: When::Releases(VersionSpan::since(37, 0)),
    source: "pkg/scheduler/framework/preemption/podgrouppreemption.go (1.37)",
};

/// There are no domains.
pub(super) static NO_PLACEMENTS: Message = Message {
    code: "PRE-631",
    text: "no feasible placements found",
    meaning: "The topology constraint of the group leaves no domain: no node has the label that it names.",
    preemption: "Never: no eviction labels a node.",
    remedy: "label nodes with the key of the topology constraint, or change it",
    obstacle: Obstacle::NodeLabels,
    when: POD_GROUPS,
    source: "pkg/scheduler/framework/plugins/topologyaware/topology_placement.go (1.37)",
};

/// The group fits in no domain.
pub(super) static PLACEMENTS: Message = Message {
    code: "PRE-632",
    text: "0/{} placements are available, first placement status: {}",
    meaning: "In none of the topology domains is there room for the whole group; the reason of one random domain follows.",
    preemption: "Helps if the group may preempt: see the text behind `pod group preemption:`.",
    remedy: "make room in one domain, or drop the topology constraint",
    obstacle: Obstacle::Room,
    when: POD_GROUPS,
    source: "pkg/scheduler/schedule_one_podgroup.go (1.37)",
};

/// The text that DynamicResources adds.
pub(super) static CLAIMS_RETURNED: Message = Message {
    code: "PRE-633",
    text: "deallocation and deletion of ResourceClaims completed",
    meaning: "The scheduler gave back the devices that pods of the group held; it says so of groups without claims, too.",
    preemption: "Not stated by this message.",
    remedy: "see the other reasons of the group",
    obstacle: Obstacle::None,
    when: When::Releases(VersionSpan::since(37, 0)),
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

/// A claim of the group was deallocated.
pub(super) static GROUP_CLAIM_RETURNED: Message = Message {
    code: "PRE-634",
    text: "deallocation of PodGroup ResourceClaim completed",
    meaning: "The scheduler gave back the devices that the group held, and tries it again.",
    preemption: "Not needed.",
    remedy: "wait: the group is tried again",
    obstacle: Obstacle::Wait,
    when: When::Releases(VersionSpan::since(37, 0)),
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

/// A claim of the group is no longer reserved.
static GROUP_CLAIM_UNRESERVED: Message = Message {
    code: "PRE-635",
    text: UNRESERVED,
    meaning: "The scheduler no longer reserves a ResourceClaim for the group, and tries it again.",
    when: POD_GROUPS,
    ..GROUP_CLAIM_RETURNED
};

/// Victims are still terminating, in 1.36.
pub(super) static WAITS_FOR_VICTIMS: Message = Message {
    code: "PRE-636",
    text: "pod group is waiting for preemption to complete",
    meaning: "The scheduler has evicted pods for pods of this group, and waits until they are gone.",
    preemption: "Preemption has already happened.",
    remedy: "wait for the victims to terminate",
    obstacle: Obstacle::Wait,
    when: When::Releases(VersionSpan::since(36, 0).before(37, 0)),
    source: "pkg/scheduler/schedule_one_podgroup.go (1.36)",
};

/// Only the group preempts, in 1.36.
pub(super) static GROUP_PREEMPTS: Message = Message {
    code: "PRE-637",
    text: "not eligible due to workload aware preemption enabled",
    meaning: "The pod does not preempt by itself: its group does.",
    preemption: "Depends on what its group reports.",
    remedy: "see the condition of the PodGroup",
    obstacle: Obstacle::None,
    when: When::Releases(VersionSpan::since(36, 0).before(37, 0)),
    source: "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.36)",
};

/// No preemption with a topology constraint, in 1.36.
pub(super) static PLACEMENT_GROUP: Message = Message {
    code: "PRE-638",
    text: "not eligible due to placement-based pod group scheduling limitation",
    meaning: "The pod belongs to a group with a topology constraint, and 1.36 does not preempt for such groups.",
    preemption: "Never in 1.36.",
    remedy: "drop the topology constraint, or make room otherwise",
    obstacle: Obstacle::Pod,
    when: When::Releases(VersionSpan::since(36, 0).before(37, 0)),
    source: "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.36)",
};

/// The same about the group.
pub(super) static CONSTRAINED_GROUP: Message = Message {
    code: "PRE-639",
    text: "workload aware preemption is not supported for pod groups with scheduling constraints",
    meaning: "The group has a topology constraint, and 1.36 does not preempt for such groups.",
    ..PLACEMENT_GROUP
};

/// The profile does not preempt.
pub(super) static NOT_REGISTERED: Message = Message {
    code: "PRE-640",
    text: "default preemption plugin is not registered, workload aware preemption is disabled",
    meaning: "The scheduler's profile does not run DefaultPreemption, so no pod is evicted for the group.",
    preemption: "Never, unless the profile runs DefaultPreemption.",
    remedy: "enable DefaultPreemption in the scheduler's configuration",
    obstacle: Obstacle::None,
    when: POD_GROUPS,
    source: "pkg/scheduler/schedule_one_podgroup.go (1.36)",
};

/// Pods of a hierarchy have different schedulers, since 1.38.
pub(super) static HIERARCHY_SCHEDULERS: Message = Message {
    code: "PRE-641",
    text: "all pods in a pod group hierarchy should have the same .spec.schedulerName set, got: \"{}\" (\"{}\") and \"{}\" (\"{}\")",
    meaning: "Pods of one group are left to different schedulers, so none of them is scheduled; the text names both pods.",
    when: HIERARCHIES,
    source: "pkg/scheduler/schedule_one_podgroup.go (1.38.0-beta.0)",
    ..SCHEDULER_NAMES
};

/// Pods of a hierarchy have different priorities, since 1.38.
pub(super) static HIERARCHY_PRIORITIES: Message = Message {
    code: "PRE-642",
    text: "all pods in a pod group hierarchy should have the same priority as the root pod group's priority, got {} (\"{}\") and {} (\"{}\")",
    meaning: "A pod has another priority than the group at the top of its hierarchy, so no pod of the hierarchy is scheduled; a group without a priority has 0.",
    when: HIERARCHIES,
    source: "pkg/scheduler/schedule_one_podgroup.go (1.38.0-beta.0)",
    ..PRIORITIES
};

/// Pods of a hierarchy have different policies, since 1.38.
pub(super) static HIERARCHY_POLICIES: Message = Message {
    code: "PRE-643",
    text: "all pods in a pod group hierarchy should have the same preemption policy, got {} (\"{}\") and {}",
    meaning: "A pod has another preemptionPolicy than the group at the top of its hierarchy, or than the first pod if that has none, so no pod of the hierarchy is scheduled.",
    when: HIERARCHIES,
    source: "pkg/scheduler/schedule_one_podgroup.go (1.38.0-beta.0)",
    ..POLICY_OF_GROUP
};

/// The group ended with an error, since 1.38.
pub(super) static GROUP_FAILED: Message = Message {
    code: "PRE-644",
    text: "parent pod group \"{}\" encountered an error",
    meaning: "The cycle of the group ended with an error, which the group or one of its other pods reports.",
    remedy: "see the condition of the PodGroup",
    when: HIERARCHIES,
    source: "pkg/scheduler/schedule_one_podgroup.go (1.38.0-beta.0)",
    ..MEMBER_FAILED
};

/// Too few parts of a group fit, since 1.38.
pub(super) static THRESHOLD: Message = Message {
    code: "PRE-645",
    text: "scheduling policy's minimum threshold ({}) cannot be satisfied: {} scheduled, {} unschedulable, {} not-evaluated",
    meaning: "Fewer pods of the group, or groups of a composite group, can be placed than its policy needs; they are tried in a fixed order, and those after the one that decided are not tried at all.",
    when: HIERARCHIES,
    source: "pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go (1.38.0-beta.0)",
    ..MIN_COUNT
};

/// A pod would fit, or was not tried, and its group does not fit, since 1.38.
pub(super) static GROUP_UNFIT: Message = Message {
    code: "PRE-646",
    text: "parent pod group \"{}\" is unschedulable",
    meaning: "The pod itself was not rejected: too few pods of its group got a node in this cycle, or they wait until victims are gone.",
    remedy: "see the condition of the PodGroup, and the other pods of the group",
    when: HIERARCHIES,
    source: "pkg/scheduler/schedule_one.go (1.38.0-beta.0)",
    ..MIN_COUNT
};
