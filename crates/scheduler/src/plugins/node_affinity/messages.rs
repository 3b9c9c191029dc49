//! The texts that NodeAffinity writes.

use crate::framework::reason::{Message, Obstacle, When};
use profile::history::NodeAffinityText;

/// All of them.
pub(super) static ALL: &[&Message] =
    &[&NO_MATCH, &NO_AFFINITY, &NO_SELECTOR, &NOT_ENFORCED, &CONFLICT];

pub(super) static NO_MATCH: Message = Message {
    code: "PRE-213",
    text: "node(s) didn't match Pod's node affinity/selector",
    meaning: "The node lacks a label of spec.nodeSelector, or matches no term of the pod's required node affinity.",
    preemption: "Never: no eviction changes a node's labels.",
    remedy: "label a node, or change nodeSelector or the required node affinity",
    obstacle: Obstacle::NodeLabels,
    when: When::Rows(&[|f| {
        f.node_affinity.node_affinity_text == NodeAffinityText::AffinityOrSelector
    }]),
    source: "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.37)",
};

pub(super) static NO_AFFINITY: Message = Message {
    code: "PRE-214",
    text: "node(s) didn't match Pod's node affinity",
    when: When::Rows(&[|f| f.node_affinity.node_affinity_text == NodeAffinityText::Affinity]),
    source: "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.20)",
    ..NO_MATCH
};

pub(super) static NO_SELECTOR: Message = Message {
    code: "PRE-215",
    text: "node(s) didn't match node selector",
    when: When::Rows(&[|f| f.node_affinity.node_affinity_text == NodeAffinityText::Selector]),
    source: "pkg/scheduler/algorithm/predicates/error.go (1.17)",
    ..NO_MATCH
};

pub(super) static NOT_ENFORCED: Message = Message {
    code: "PRE-216",
    text: "node(s) didn't match scheduler-enforced node affinity",
    meaning: "The scheduler's own configuration (addedAffinity of its profile) keeps pods of this profile off the node.",
    preemption: "Never: no eviction changes a node's labels.",
    remedy: "label a node, change the profile's addedAffinity, or use another schedulerName",
    obstacle: Obstacle::NodeLabels,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.37)",
};

pub(super) static CONFLICT: Message = Message {
    code: "PRE-217",
    text: "pod affinity terms conflict",
    meaning: "The required node affinity asks for several different metadata.name at once; no node can have them.",
    preemption: "Never: evicting pods does not change the pod.",
    remedy: "name one node per term of the node affinity",
    obstacle: Obstacle::Pod,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (1.37)",
};
