//! The texts that DynamicResources writes.

use crate::framework::reason::{Message, Obstacle, When};
use profile::span::VersionSpan;

/// All of them.
pub(super) static ALL: &[&Message] = &[
    &NOT_ALL,
    &NOT_HERE,
    &LEFT_OVER,
    &NO_RESOURCE,
    &TIMED_OUT,
    &CLAIM_NOT_FOUND,
    &CLAIM_DELETED,
    &NOT_CREATED,
    &NO_CLASS,
    &NO_SOURCE,
    &FOREIGN_CLAIM,
    &FOREIGN_CLAIM_OF_OLD,
    &NO_SUBREQUESTS,
    &UNKNOWN_REQUEST,
    &POOL_NOT_USABLE,
    &CAPACITY_IS_OFF,
    &DERIVED_IS_OFF,
    &DERIVED_IS_INVALID,
    &DERIVED_FAILS,
    &INVALID_POOLS,
    &POOL_NOT_ON_NODE,
    &NOTHING_TO_DEALLOCATE,
    &STILL_NOT_SCHEDULABLE,
    &DEALLOCATED,
    &SPECIAL_DELETED,
    &OPERATIONS_NOT_SKIPPED,
    &FOREIGN_CLAIM_IN_GROUP,
];

pub(super) static NOT_ALL: Message = Message {
    code: "PRE-245",
    text: "cannot allocate all claims",
    meaning: "The node has no free devices that match a ResourceClaim of the pod.",
    preemption: "Never: evicting a pod does not free the devices of its claims in the simulation.",
    remedy: "free devices, add a node with such devices, or loosen the selectors of the claim",
    obstacle: Obstacle::Devices,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

pub(super) static NOT_HERE: Message = Message {
    code: "PRE-246",
    text: "resourceclaim not available on the node",
    meaning: "A ResourceClaim of the pod holds devices that this node cannot use.",
    preemption: "Never: a claim keeps its devices.",
    remedy: "make room on the nodes that can use the devices",
    obstacle: Obstacle::Devices,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

pub(super) static LEFT_OVER: Message = Message {
    code: "PRE-247",
    text: "cannot schedule extended resource claim",
    meaning: "An earlier attempt left a claim for extended resources that does not suit this node; it is given back first.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "wait: the claim is given back and the pod tried again",
    obstacle: Obstacle::Wait,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

pub(super) static NO_RESOURCE: Message = Message {
    code: "PRE-248",
    text: "cannot fit resource",
    meaning: "An extended resource that devices could provide is not there on the node.",
    preemption: "Never: evicting a pod adds no devices.",
    remedy: "add nodes with such devices, or make sure that their driver publishes ResourceSlices",
    obstacle: Obstacle::Devices,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

pub(super) static TIMED_OUT: Message = Message {
    code: "PRE-249",
    text: "timed out trying to allocate devices",
    meaning: "The search for devices on the node took longer than the scheduler allows.",
    preemption: "Never: evicting pods does not shorten the search.",
    remedy: "ask for fewer devices or with simpler constraints",
    obstacle: Obstacle::Devices,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

pub(super) static CLAIM_NOT_FOUND: Message = Message {
    code: "PRE-250",
    text: "could not find ResourceClaim \"{}\"",
    meaning: "The pod names a ResourceClaim that does not exist.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "create the ResourceClaim, or correct its name in the pod",
    obstacle: Obstacle::Devices,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

pub(super) static CLAIM_DELETED: Message = Message {
    code: "PRE-251",
    text: "resourceclaim \"{}\" is being deleted",
    meaning: "A ResourceClaim of the pod is being deleted.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "wait until it is gone, then create it again",
    obstacle: Obstacle::Wait,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

pub(super) static NOT_CREATED: Message = Message {
    code: "PRE-252",
    text: "pod \"{}\": ResourceClaim not created yet",
    meaning: "The ResourceClaim of a claim template has not been created yet.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "see that kube-controller-manager runs and the ResourceClaimTemplate exists",
    obstacle: Obstacle::Wait,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

pub(super) static NO_CLASS: Message = Message {
    code: "PRE-253",
    text: "request {}: device class {} does not exist",
    meaning: "A request of a ResourceClaim names a DeviceClass that does not exist.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "create the DeviceClass, or correct its name",
    obstacle: Obstacle::Devices,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

pub(super) static NO_SOURCE: Message = Message {
    code: "PRE-271",
    text: "pod \"{}\", spec.resourceClaim \"{}\": none of the supported fields are set",
    meaning: "An entry of spec.resourceClaims names neither a claim nor a template.",
    preemption: "Never: evicting pods does not change the pod.",
    remedy: "name a ResourceClaim or a ResourceClaimTemplate in the pod",
    obstacle: Obstacle::Pod,
    when: When::Always,
    source: "dynamic-resource-allocation/resourceclaim/resourceclaim.go (1.37)",
};

pub(super) static FOREIGN_CLAIM: Message = Message {
    code: "PRE-272",
    text: "ResourceClaim {}/{} was not created for Pod {} (Pod is not owner)",
    meaning: "The ResourceClaim that stands for the pod's claim template belongs to something else.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "delete the claim, so that one can be made for the pod",
    obstacle: Obstacle::Devices,
    when: When::Rows(&[|f| f.dra.claims_of_a_pod]),
    source: "dynamic-resource-allocation/resourceclaim/resourceclaim.go (1.37)",
};

/// The same in older versions.
pub(super) static FOREIGN_CLAIM_OF_OLD: Message = Message {
    code: "PRE-282",
    text: "ResourceClaim {}/{} was not created for pod {} (pod is not owner)",
    when: When::Rows(&[|f| !f.dra.claims_of_a_pod]),
    source: "dynamic-resource-allocation/resourceclaim/resourceclaim.go (1.35)",
    ..FOREIGN_CLAIM
};

pub(super) static NO_SUBREQUESTS: Message = Message {
    code: "PRE-273",
    text: "resource claim {}/{}, request {}: has subrequests, but the DRAPrioritizedList feature is disabled",
    meaning: "A request lists alternatives (firstAvailable), which this scheduler does not read, since its gate is off.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "enable DRAPrioritizedList, or ask for one kind of device",
    obstacle: Obstacle::None,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

pub(super) static UNKNOWN_REQUEST: Message = Message {
    code: "PRE-274",
    text: "resource claim {}/{}, request {}: unknown request type",
    meaning: "A request of a ResourceClaim has a form that this scheduler does not know.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "correct the ResourceClaim, or upgrade the scheduler",
    obstacle: Obstacle::None,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

pub(super) static POOL_NOT_ON_NODE: Message = Message {
    code: "PRE-283",
    text: "claim {}, request {}: asks for all devices, but resource pool {} is currently {}",
    meaning: "A request wants every device of a pool whose ResourceSlices are incomplete or invalid.",
    preemption: "Never: evicting pods does not change the ResourceSlices.",
    remedy: "wait until the driver has published all ResourceSlices of the pool, or see its log",
    obstacle: Obstacle::Devices,
    when: When::Rows(&[|f| f.dra.dra_unusable_pools_by_node]),
    source: "kubernetes/kubernetes#141898",
};

pub(super) static INVALID_POOLS: Message = Message {
    code: "PRE-275",
    text: "invalid resource pools were encountered",
    meaning: "The ResourceSlices that publish the node's devices contradict each other.",
    preemption: "Never: evicting pods does not change the ResourceSlices.",
    remedy: "see the ResourceSlices of the node and the log of their driver",
    obstacle: Obstacle::Devices,
    when: When::Always,
    source: "dynamic-resource-allocation/structured/internal/stable/allocator_stable.go (1.37)",
};

/// An error that ends the cycle; the text is built in `dra/requests.rs`.
static POOL_NOT_USABLE: Message = Message {
    code: "PRE-276",
    text: "running {} filter plugin: claim {}: asks for all devices, but resource pool {} is currently {}",
    meaning: "A request wants every device of a pool whose ResourceSlices are incomplete or invalid; the scheduling cycle ends with an error.",
    preemption: "Never: the cycle ends before preemption.",
    remedy: "wait until the driver has published all ResourceSlices of the pool, or see its log",
    obstacle: Obstacle::Devices,
    when: When::Rows(&[|f| !f.dra.dra_unusable_pools_by_node]),
    source: "dynamic-resource-allocation/structured/internal/stable/allocator_stable.go (1.37)",
};

/// An error that ends the cycle; the text is built in `dra/requests.rs`.
static CAPACITY_IS_OFF: Message = Message {
    code: "PRE-277",
    text: "running {} filter plugin: claim {}: has capacity requests, but the DRAConsumableCapacity feature is disabled",
    meaning: "A request asks for a part of a device's capacity, which this scheduler does not allocate, since its gate is off; the scheduling cycle ends with an error.",
    preemption: "Never: the cycle ends before preemption.",
    remedy: "enable DRAConsumableCapacity, or ask for whole devices",
    obstacle: Obstacle::None,
    when: When::Always,
    source: "dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go (1.37)",
};

/// An error that ends the cycle; the text is built in `dra/requests.rs`.
static DERIVED_IS_OFF: Message = Message {
    code: "PRE-278",
    text: "running {} filter plugin: claim {}: cannot handle request with derived attributes, the feature is disabled",
    meaning: "A request derives attributes, which this scheduler does not support, since its gate is off; the scheduling cycle ends with an error.",
    preemption: "Never: the cycle ends before preemption.",
    remedy: "enable DRADerivedAttributes, or constrain attributes that devices have",
    obstacle: Obstacle::None,
    when: When::Rows(&[|f| f.dra.dra_refuses_derived]),
    source: "dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go (1.37)",
};

/// An error that ends the cycle; the text is built in `dra/derived.rs`.
static DERIVED_IS_INVALID: Message = Message {
    code: "PRE-279",
    text: "running {} filter plugin: compile derived attribute {} failed: {}",
    meaning: "The expression of a derived attribute does not compile, or makes no attribute; the scheduling cycle ends with an error.",
    preemption: "Never: the cycle ends before preemption.",
    remedy: "correct the expression in the ResourceClaim",
    obstacle: Obstacle::None,
    when: When::Rows(&[|f| f.dra.dra_refuses_derived]),
    source: "dynamic-resource-allocation/structured/internal/experimental/allocator_experimental.go (1.37)",
};

/// An error that ends the cycle; the text is built in `dra/derived.rs`.
static DERIVED_FAILS: Message = Message {
    code: "PRE-280",
    text: "running {} filter plugin: evaluate derived attribute {} on device {} failed: {}",
    meaning: "The expression of a derived attribute fails for a device; the scheduling cycle ends with an error.",
    preemption: "Never: the cycle ends before preemption.",
    remedy: "make the expression handle attributes that devices may lack, with has() or .? and orValue()",
    obstacle: Obstacle::None,
    when: When::Rows(&[|f| f.dra.dra_refuses_derived]),
    source: "dynamic-resource-allocation/structured/internal/experimental/allocator_experimental.go (1.37)",
};

pub(super) static NOTHING_TO_DEALLOCATE: Message = Message {
    code: "PRE-308",
    text: "no new claims to deallocate",
    meaning: "Claims of this pod hold devices, and giving them back would not help.",
    preemption: "Never: evicting a pod does not free the devices of its claims in the simulation.",
    remedy: "see the reason that DynamicResources gives for the nodes",
    obstacle: Obstacle::Devices,
    when: When::Rows(&[|f| f.dra.dra_post_filter_text]),
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

pub(super) static STILL_NOT_SCHEDULABLE: Message = Message {
    code: "PRE-310",
    text: "still not schedulable",
    meaning: "No claim of this pod could be given back so that the pod would fit.",
    ..NOTHING_TO_DEALLOCATE
};

pub(super) static DEALLOCATED: Message = Message {
    code: "PRE-311",
    text: "deallocation of ResourceClaim completed",
    meaning: "A claim of this pod held devices that do not suit any node that is left; the scheduler gave them back and tries the pod again.",
    preemption: "Not needed.",
    remedy: "wait: the pod is tried again",
    obstacle: Obstacle::Wait,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

pub(super) static SPECIAL_DELETED: Message = Message {
    code: "PRE-312",
    text: "deletion of ResourceClaim completed",
    meaning: "The scheduler deleted the claim for extended resources that an earlier attempt left behind, and tries the pod again.",
    ..DEALLOCATED
};

pub(super) static OPERATIONS_NOT_SKIPPED: Message = Message {
    code: "PRE-314",
    text: "resource claim {} allocation requires DRAOptionalNodeOperations feature on the node",
    meaning: "A claim that the pod shares with another of its group gets devices which need a node that can skip operations on them, which this node cannot.",
    preemption: "Never: a claim keeps its devices.",
    remedy: "make room on the nodes that can skip operations on devices",
    obstacle: Obstacle::Devices,
    when: When::Rows(&[|f| f.dra.dra_node_operations]),
    source: "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)",
};

pub(super) static FOREIGN_CLAIM_IN_GROUP: Message = Message {
    code: "PRE-315",
    text: "ResourceClaim {}/{} was not created for Pod {} (neither Pod nor PodGroup {} is the owner)",
    meaning: "The ResourceClaim that stands for the pod's claim template belongs neither to the pod nor to its group.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "delete the claim, so that one can be made for the pod or its group",
    obstacle: Obstacle::Devices,
    when: When::Releases(VersionSpan::since(36, 0)),
    source: "dynamic-resource-allocation/resourceclaim/resourceclaim.go (1.37)",
};
