//! The texts that TaintToleration writes.

use crate::framework::reason::{Message, Obstacle, When};
use profile::history::TaintText;

/// All of them.
pub(super) static ALL: &[&Message] = &[&UNTOLERATED, &NAMED_UNTOLERATED, &NAMED, &NOT_TOLERATED];

pub(super) static UNTOLERATED: Message = Message {
    code: "PRE-206",
    text: "node(s) had untolerated taint(s)",
    meaning: "The node has a taint (NoSchedule or NoExecute) that the pod does not tolerate; this text does not say which.",
    preemption: "Never: no eviction removes a taint.",
    remedy: "give the pod a toleration for the taint, or remove the taint",
    obstacle: Obstacle::Toleration,
    when: When::Rows(&[|f| f.taint_toleration.taint_text == TaintText::Unnamed]),
    source: "pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go (1.37)",
};

pub(super) static NAMED_UNTOLERATED: Message = Message {
    code: "PRE-209",
    text: "node(s) had untolerated taint {{}: {}}",
    meaning: "The node has this taint with effect NoSchedule or NoExecute, and the pod does not tolerate it.",
    when: When::Rows(&[|f| f.taint_toleration.taint_text == TaintText::NamedUntolerated]),
    source: "pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go (1.33)",
    ..UNTOLERATED
};

pub(super) static NAMED: Message = Message {
    code: "PRE-210",
    text: "node(s) had taint {{}: {}}, that the pod didn't tolerate",
    when: When::Rows(&[|f| f.taint_toleration.taint_text == TaintText::Named]),
    source: "pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go (1.23)",
    ..NAMED_UNTOLERATED
};

pub(super) static NOT_TOLERATED: Message = Message {
    code: "PRE-211",
    text: "node(s) had taints that the pod didn't tolerate",
    meaning: "The node has a taint with effect NoSchedule or NoExecute that the pod does not tolerate.",
    when: When::Rows(&[|f| f.taint_toleration.taint_text == TaintText::NotTolerated]),
    source: "pkg/scheduler/algorithm/predicates/error.go (1.17)",
    ..UNTOLERATED
};
