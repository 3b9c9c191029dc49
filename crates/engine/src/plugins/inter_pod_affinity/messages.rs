//! The texts that InterPodAffinity writes.

use crate::framework::reason::{Message, Obstacle, When};
use crate::profile::history::AffinityReasons;

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
    when: When::Rows(&[|f| f.inter_pod_affinity.affinity_reasons == AffinityReasons::GeneralAndOwn]),
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.19)",
};

pub(super) static GENERAL_RULES: Message = Message {
    code: "PRE-224",
    text: "node(s) didn't match pod affinity/anti-affinity rules",
    meaning: "A required pod affinity or anti-affinity, of this pod or of one that runs already, does not hold; the reason next to it says which.",
    preemption: "Depends on the reason next to it.",
    remedy: "see the reason next to it",
    obstacle: Obstacle::PodAffinity,
    when: When::Rows(&[|f| f.inter_pod_affinity.affinity_reasons == AffinityReasons::RulesAndOwn]),
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.21)",
};

pub(super) static AFFINITY: Message = Message {
    code: "PRE-225",
    text: "node(s) didn't match pod affinity rules",
    meaning: "No pod that this one has to be near to (required pod affinity) runs in the node's domain.",
    preemption: "Never: no eviction brings such a pod.",
    remedy: "see that the pods it wants to be near to run, or change the affinity",
    obstacle: Obstacle::PodAffinity,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.37)",
};

pub(super) static ANTI_AFFINITY: Message = Message {
    code: "PRE-226",
    text: "node(s) didn't match pod anti-affinity rules",
    meaning: "A pod that this one keeps away from (required pod anti-affinity) runs in the node's domain.",
    preemption: "Helps if evicting pods of lower priority on the node clears the domain; others' nodes are not tried.",
    remedy: "add nodes in domains without such pods, or change the anti-affinity",
    obstacle: Obstacle::PodAffinity,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.37)",
};

pub(super) static EXISTING_ANTI_AFFINITY: Message = Message {
    code: "PRE-227",
    text: "node(s) didn't satisfy existing pods anti-affinity rules",
    meaning: "A pod that runs in the node's domain has a required anti-affinity which this pod's labels match.",
    preemption: "Helps if those that object run on the node itself and have a lower priority.",
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
