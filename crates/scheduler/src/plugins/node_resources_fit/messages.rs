//! The texts that NodeResourcesFit writes.

use crate::framework::reason::{Message, Obstacle, When};

/// All of them.
pub(super) static ALL: &[&Message] = &[
    &INSUFFICIENT_CPU,
    &INSUFFICIENT_MEMORY,
    &INSUFFICIENT_EPHEMERAL_STORAGE,
    &INSUFFICIENT_PODS,
    &TOO_MANY_PODS,
    &INSUFFICIENT,
    &NO_SIDECARS,
];

pub(super) static INSUFFICIENT_CPU: Message = Message {
    code: "PRE-201",
    text: "Insufficient cpu",
    meaning: "Unrequested CPU is too small; actual usage is ignored.",
    preemption: "Helps, unless the pod requests more than the node's allocatable.",
    remedy: "lower the cpu requests, free cpu on a node, or add a node that has enough",
    obstacle: Obstacle::Room,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/noderesources/fit.go (1.37)",
};

pub(super) static INSUFFICIENT_MEMORY: Message = Message {
    code: "PRE-202",
    text: "Insufficient memory",
    meaning: "Unrequested memory is too small; actual usage is ignored.",
    preemption: "Helps, unless the pod requests more than the node's allocatable.",
    remedy: "lower the memory requests, free memory on a node, or add a node that has enough",
    obstacle: Obstacle::Room,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/noderesources/fit.go (1.37)",
};

pub(super) static INSUFFICIENT_EPHEMERAL_STORAGE: Message = Message {
    code: "PRE-203",
    text: "Insufficient ephemeral-storage",
    meaning: "The node's pods leave less ephemeral storage of its allocatable than the pod requests.",
    preemption: "Helps, unless the pod requests more than the node's allocatable.",
    remedy: "lower the ephemeral-storage requests, or add a node that has enough",
    obstacle: Obstacle::Room,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/noderesources/fit.go (1.37)",
};

pub(super) static INSUFFICIENT_PODS: Message = Message {
    code: "PRE-204",
    text: "Insufficient pods",
    meaning: "The node runs as many pods as it may.",
    preemption: "Helps: an evicted pod makes room for one.",
    remedy: "add a node, or raise maxPods of the kubelet",
    obstacle: Obstacle::Room,
    when: When::Rows(&[|f| !f.node_resources_fit.too_many_pods_text]),
    source: "pkg/scheduler/framework/plugins/noderesources/fit.go (1.17)",
};

pub(super) static TOO_MANY_PODS: Message = Message {
    code: "PRE-205",
    text: "Too many pods",
    when: When::Rows(&[|f| f.node_resources_fit.too_many_pods_text]),
    source: "pkg/scheduler/framework/plugins/noderesources/fit.go (1.37)",
    ..INSUFFICIENT_PODS
};

pub(super) static INSUFFICIENT: Message = Message {
    code: "PRE-207",
    text: "Insufficient {}",
    meaning: "The node has too little unrequested of this extended resource or hugepage size, or none at all.",
    preemption: "Helps, unless the pod requests more than the node's allocatable.",
    remedy: "make sure that the device plugin runs on a node that has the resource, free some of it, or request less",
    obstacle: Obstacle::Room,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/noderesources/fit.go (1.37)",
};

pub(super) static NO_SIDECARS: Message = Message {
    code: "PRE-208",
    text: "Pod has a restartable init container and the SidecarContainers feature is disabled",
    meaning: "The scheduler of this version refuses pods with sidecar containers (init containers with restartPolicy Always), since its gate is off.",
    preemption: "Never: evicting pods does not change the pod.",
    remedy: "enable SidecarContainers, or make the sidecar an ordinary container",
    obstacle: Obstacle::Pod,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/noderesources/fit.go (1.32)",
};
