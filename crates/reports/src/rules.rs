//! The rulebook: the meaning of every plugin, preemption step and message of kube-scheduler, and of
//! what the kubelet, cluster-autoscaler and Karpenter write about pods, for users. It affects no
//! decision. The versions of a rule are computed from the tables on which decisions are based;
//! `tests/docs/rules.rs` checks that the rulebook is complete.

mod component;
mod lookup;
mod message;
mod note;
mod plugin;
mod step;

pub use lookup::{LookupResult, MessagePart, is_state, lookup};
pub use message::find;
pub use scheduler::framework::reason::BLANK;
use scheduler::framework::reason::Obstacle;

use profile::span::VersionSpan;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleKind {
    /// A plugin that filters out nodes.
    Filter,
    /// A plugin that scores the feasible nodes.
    Score,
    /// A step of preemption.
    Step,
    /// A text that the scheduler writes.
    Message,
    /// A text that another component writes about pods.
    Component,
    /// A note of this program about an answer.
    Note,
}

impl RuleKind {
    /// All kinds, in the order of the scheduling cycle.
    pub const ALL: [Self; 6] =
        [Self::Filter, Self::Score, Self::Step, Self::Message, Self::Component, Self::Note];

    /// Its name in the output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Filter => "filter",
            Self::Score => "score",
            Self::Step => "preemption",
            Self::Message => "message",
            Self::Component => "component",
            Self::Note => "note",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulebookEntry {
    /// The stable code, `PRE-nnn`, which is never reused. A plugin that filters and scores has one
    /// code for both.
    pub code: &'static str,
    pub kind: RuleKind,
    /// The plugin's name in the configuration, the step's name, or the text of the message.
    pub name: &'static str,
    /// Other names: its predicate or priority or, for a message, the plugin that writes it.
    pub also: Vec<&'static str>,
    /// Its meaning in one sentence.
    pub meaning: &'static str,
    /// Whether evicting pods can help against it, and when.
    pub preemption: &'static str,
    /// What the user can do.
    pub remedy: Option<&'static str>,
    /// What a message says is against the pod.
    pub obstacle: Option<Obstacle>,
    /// The versions of kube-scheduler that have it.
    pub span: VersionSpan,
    /// Upstream path and version; empty for a note, which upstream does not have.
    pub source: &'static str,
}

/// All rules: filters and scores in the scheduler's order, then steps, messages, texts of other
/// components and notes.
pub fn all() -> Vec<RulebookEntry> {
    let mut rules = plugin::rules();
    rules.extend(step::rules());
    rules.extend(message::rules());
    rules.extend(component::rules());
    rules.extend(note::rules());
    rules
}
