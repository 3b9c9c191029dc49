//! The texts that InterPodAffinity writes.

use crate::framework::reason::{Message, Obstacle, When};
use profile::history::AffinityReasons;

/// All of them.
pub(super) static ALL: &[&Message] =
    &[&GENERAL, &GENERAL_RULES, &AFFINITY, &ANTI_AFFINITY, &EXISTING_ANTI_AFFINITY, &UNREADABLE];

pub(super) static GENERAL: Message = Message {
    code: "PRE-223",
    text: "node(s) didn't match pod affinity/anti-affinity",
    meaning: "A required pod affinity or anti-affinity, of this pod or of one that runs already, does not hold; the reason next to it says which.",
    preemption: "Depends on the reason next to it.",
    remedy: "see the reason next to it",
    obstacle: Obstacle::PodAffinity,
    when: When::Rows(&[|f| {
        f.inter_pod_affinity.affinity_reasons == AffinityReasons::GeneralAndOwn
    }]),
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.19)",
};

pub(super) static GENERAL_RULES: Message = Message {
    code: "PRE-224",
    text: "node(s) didn't match pod affinity/anti-affinity rules",
    when: When::Rows(&[|f| f.inter_pod_affinity.affinity_reasons == AffinityReasons::RulesAndOwn]),
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.21)",
    ..GENERAL
};

pub(super) static AFFINITY: Message = Message {
    code: "PRE-225",
    text: "node(s) didn't match pod affinity rules",
    meaning: "The node's domain runs no pod that matches this pod's required pod affinity.",
    preemption: "Never: no eviction starts such a pod.",
    remedy: "make sure that pods which match the affinity run there, or change the affinity",
    obstacle: Obstacle::PodAffinity,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.37)",
};

pub(super) static ANTI_AFFINITY: Message = Message {
    code: "PRE-226",
    text: "node(s) didn't match pod anti-affinity rules",
    meaning: "The node's domain runs a pod that matches this pod's required pod anti-affinity.",
    preemption: "Helps if evicting pods of lower priority on the node removes them all from the domain; pods of other nodes are not evicted.",
    remedy: "add nodes in domains without such pods, or change the anti-affinity",
    obstacle: Obstacle::PodAffinity,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.37)",
};

pub(super) static EXISTING_ANTI_AFFINITY: Message = Message {
    code: "PRE-227",
    text: "node(s) didn't satisfy existing pods anti-affinity rules",
    meaning: "A pod that runs in the node's domain has a required anti-affinity which this pod's labels match.",
    preemption: "Helps if those pods run on the node itself and have a lower priority.",
    remedy: "add nodes in domains without such pods, or change their anti-affinity or this pod's labels",
    obstacle: Obstacle::PodAffinity,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.37)",
};

pub(super) static UNREADABLE: Message = Message {
    code: "PRE-270",
    text: "parsing pod: {}",
    meaning: "A term of the pod's affinity or anti-affinity cannot be read.",
    preemption: "Never: evicting pods does not change the pod.",
    remedy: "correct the pod's affinity",
    obstacle: Obstacle::Pod,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.37)",
};
