//! The rulebook: what every plugin, preemption step and message of kube-scheduler means, for people. Nothing here decides.
//! Since when something holds is computed from the tables that decide; `tests/rules.rs` checks that nothing is left out.

mod lookup;
mod message;
mod messages;
mod plugin;
mod step;

pub use lookup::{LookupResult, lookup};
pub use message::{BLANK, Message, find};
pub use messages::MESSAGES;

use crate::profile::span::VersionSpan;

/// What a rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleKind {
    /// A plugin that refuses nodes.
    Filter,
    /// A plugin that ranks the nodes that are left.
    Score,
    /// A step of preemption.
    Step,
    /// A text that the scheduler writes.
    Message,
}

impl RuleKind {
    /// All, in the order in which the scheduler comes to them.
    pub const ALL: [Self; 4] = [Self::Filter, Self::Score, Self::Step, Self::Message];

    /// Its name in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Filter => "filter",
            Self::Score => "score",
            Self::Step => "preemption",
            Self::Message => "message",
        }
    }
}

/// An entry of the rulebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Stable code, `PRE-nnn`: never given to another rule. A plugin that filters and scores has one for both.
    pub code: &'static str,
    /// What it is.
    pub kind: RuleKind,
    /// The plugin's name in the configuration, the step's name, or the text of the message.
    pub name: &'static str,
    /// Other names: those of its predicate or priority, or, of a message, the plugin that says it.
    pub also: Vec<&'static str>,
    /// What it means, in a sentence.
    pub meaning: &'static str,
    /// Whether evicting pods can help against it, and when.
    pub preemption: &'static str,
    /// What would help.
    pub remedy: Option<&'static str>,
    /// Versions of kube-scheduler that have it.
    pub span: VersionSpan,
    /// Upstream path and version.
    pub source: &'static str,
}

/// Every rule: filters and scores in the scheduler's order, steps, messages.
#[must_use]
pub fn all() -> Vec<Rule> {
    let mut rules = plugin::rules();
    rules.extend(step::rules());
    rules.extend(messages::MESSAGES.iter().map(Message::rule));
    rules
}
