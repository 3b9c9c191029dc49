//! The rulebook: the meaning of every plugin, preemption step and message of kube-scheduler, and of
//! what the kubelet, cluster-autoscaler and Karpenter write about pods, for users. It affects no
//! decision. The versions of a rule are computed from the tables on which decisions are based;
//! `tests/docs/rules.rs` checks that the rulebook is complete.

mod component;
mod lookup;
mod message;

pub use lookup::{LookupResult, MessagePart, is_state, lookup};
pub use message::find;
pub use scheduler::framework::reason::BLANK;

use model::cluster::notes as input;
use model::notes::NoteDoc;
use profile::doubts as profile_doubts;
use profile::span::VersionSpan;
use scheduler::decision::doubts;
use scheduler::framework::reason::Obstacle;
use scheduler::preemption::STEPS;
use scheduler::preemption::pick_node::CRITERIA;
use scheduler::{groups, plugins};
use simulation::{NOTES, gate};

/// What a step of preemption has to do with preemption.
const PART: &str = "Is a part of it.";
/// The source of the criteria of preemption.
const EVALUATOR: &str = "pkg/scheduler/framework/preemption/preemption.go (1.37)";

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
    let mut rules = filters_and_scores();
    rules.extend(steps());
    rules.extend(message::rules());
    rules.extend(component::rules());
    rules.extend(notes());
    rules
}

/// A rule of all versions, with what every rule has.
const fn rule(
    kind: RuleKind,
    code: &'static str,
    name: &'static str,
    meaning: &'static str,
    preemption: &'static str,
    source: &'static str,
) -> RulebookEntry {
    RulebookEntry {
        code,
        kind,
        name,
        also: Vec::new(),
        meaning,
        preemption,
        remedy: None,
        obstacle: None,
        span: VersionSpan::ALWAYS,
        source,
    }
}

/// The plugins by their documentation: all filters, then all scores, each with the versions in
/// which it runs by default.
fn filters_and_scores() -> Vec<RulebookEntry> {
    let mut rules = Vec::new();
    for plugin in plugins::ALL {
        let doc = plugin.doc();
        rules.push(RulebookEntry {
            also: plugins::predicates_of(doc.name).collect(),
            span: VersionSpan::of(|profile| {
                let slots = plugins::filters(&profile.plugins).filter;
                slots.iter().flat_map(|slot| &slot.rules).any(|rule| rule.doc().name == doc.name)
            }),
            ..rule(RuleKind::Filter, doc.code, doc.name, doc.summary, doc.preemption, doc.source)
        });
    }
    for plugin in plugins::SCORES {
        let doc = plugin.doc();
        let meaning = doc.scores.unwrap_or(doc.summary);
        let preemption = "Does not take part: scores come after the filters.";
        rules.push(RulebookEntry {
            also: plugins::priorities_of(doc.name).collect(),
            span: VersionSpan::of(|profile| {
                let scores = plugins::scores(&profile.plugins).score;
                scores.iter().any(|slot| slot.plugin.doc().name == doc.name)
            }),
            ..rule(RuleKind::Score, doc.code, doc.name, meaning, preemption, doc.source)
        });
    }
    rules
}

/// The steps of preemption, in the order in which the scheduler takes them; the criteria of the
/// tie-break are the last of them.
fn steps() -> Vec<RulebookEntry> {
    let mut rules = Vec::new();
    for step in STEPS {
        rules.push(RulebookEntry {
            span: step.when.span(),
            ..rule(RuleKind::Step, step.code, step.name, step.meaning, PART, step.source)
        });
    }
    for step in &CRITERIA {
        rules.push(RulebookEntry {
            span: VersionSpan::of(|profile| step.exists_in(&profile.features.preemption)),
            ..rule(RuleKind::Step, step.code, step.name, step.meaning, PART, EVALUATOR)
        });
    }
    rules
}

/// The notes by code, collected from the plugins and steps that write them; then the findings of
/// the gate.
fn notes() -> Vec<RulebookEntry> {
    let mut docs: Vec<&'static NoteDoc> =
        [input::DOCS, profile_doubts::DOCS, groups::doubts::DOCS, NOTES].concat();
    docs.extend(doubts::DOCS.iter().copied().flatten());
    docs.extend(plugins::DOUBTS.iter().flat_map(|plugin| plugin.notes()));
    docs.sort();

    // Neither takes part in preemption: they say how far an answer can be relied on, and what the
    // gate of `simulate` found.
    let mut rules = Vec::new();
    for NoteDoc { code, name, meaning } in docs {
        let preemption = "Does not take part: it says how far the answer can be relied on.";
        rules.push(rule(RuleKind::Note, code, name, meaning, preemption, ""));
    }
    for NoteDoc { code, name, meaning } in gate::FINDINGS {
        let preemption = "Does not take part: the gate of `simulate` reports it.";
        rules.push(rule(RuleKind::Note, code, name, meaning, preemption, ""));
    }
    rules
}
