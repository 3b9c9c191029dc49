//! The texts that PodTopologySpread writes.

use crate::framework::reason::{Message, Obstacle, When};

/// All of them.
pub(super) static ALL: &[&Message] = &[&SKEW, &MISSING_LABEL];

pub(super) static SKEW: Message = Message {
    code: "PRE-221",
    text: "node(s) didn't match pod topology spread constraints",
    meaning: "With this pod, the node's domain would hold more matching pods than the emptiest domain by more than maxSkew.",
    preemption: "Helps where evicting matching pods lowers the count of the node's domain.",
    remedy: "raise maxSkew, free or add nodes in the emptier domains, or set whenUnsatisfiable: ScheduleAnyway",
    obstacle: Obstacle::Spread,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.37)",
};

pub(super) static MISSING_LABEL: Message = Message {
    code: "PRE-222",
    text: "node(s) didn't match pod topology spread constraints (missing required label)",
    meaning: "The node lacks the label that defines the domains of a spread constraint (topologyKey).",
    preemption: "Never: no eviction labels a node.",
    remedy: "label the node with the topologyKey, or change the constraint",
    obstacle: Obstacle::NodeLabels,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/podtopologyspread/filtering.go (1.37)",
};
