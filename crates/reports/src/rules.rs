//! The rulebook: the meaning of every plugin, preemption step and message of kube-scheduler, and of
//! what the kubelet, cluster-autoscaler and Karpenter write about pods, for users. It affects no
//! decision. The versions of a rule are computed from the tables on which decisions are based;
//! `tests/docs/rules.rs` checks that the rulebook is complete.

mod component;
mod lookup;
mod message;

pub use lookup::{LookupResult, MessagePart, is_state, lookup};
pub use message::find;
use model::cluster::notes as input;
use model::notes::NoteDoc;
use profile::span::VersionSpan;
use profile::{Profile, doubts as profile_doubts};
use scheduler::decision::doubts;
use scheduler::framework::plugin::RuleDoc;
pub use scheduler::framework::reason::BLANK;
use scheduler::framework::reason::Obstacle;
use scheduler::preemption::STEPS;
use scheduler::preemption::pick_node::CRITERIA;
use scheduler::{groups, plugins};
use simulation::{NOTES, gate};

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
    let mut rules = of_plugins();
    rules.extend(of_steps());
    rules.extend(message::rules());
    rules.extend(component::rules());
    rules.extend(of_notes());
    rules
}

/// All notes, by code, from the plugins and steps that write them.
fn of_notes() -> Vec<RulebookEntry> {
    let mut docs: Vec<&'static NoteDoc> =
        [input::DOCS, profile_doubts::DOCS, groups::doubts::DOCS, NOTES].concat();
    docs.extend(doubts::DOCS.iter().copied().flatten());
    docs.extend(plugins::DOUBTS.iter().flat_map(|plugin| plugin.notes()));
    docs.sort();
    let notes = docs.into_iter().map(|doc| {
        of_note(doc, "Does not take part: it says how far the answer can be relied on.")
    });
    let findings = gate::FINDINGS
        .iter()
        .map(|doc| of_note(doc, "Does not take part: the gate of `simulate` reports it."));
    notes.chain(findings).collect()
}

fn of_note(doc: &'static NoteDoc, preemption: &'static str) -> RulebookEntry {
    RulebookEntry {
        code: doc.code,
        kind: RuleKind::Note,
        name: doc.name,
        also: Vec::new(),
        meaning: doc.meaning,
        preemption,
        remedy: None,
        obstacle: None,
        span: VersionSpan::ALWAYS,
        source: "",
    }
}

/// The source of the criteria.
const EVALUATOR: &str = "pkg/scheduler/framework/preemption/preemption.go (1.37)";

/// The steps of preemption, in the order in which the scheduler takes them.
fn of_steps() -> Vec<RulebookEntry> {
    let steps = STEPS
        .iter()
        .map(|step| of_step(step.code, step.name, step.meaning, step.when.span(), step.source));
    let criteria = CRITERIA.iter().map(|criterion| {
        let span = VersionSpan::of(|profile| criterion.exists_in(&profile.features.preemption));
        of_step(criterion.code, criterion.name, criterion.meaning, span, EVALUATOR)
    });
    steps.chain(criteria).collect()
}

fn of_step(
    code: &'static str,
    name: &'static str,
    meaning: &'static str,
    span: VersionSpan,
    source: &'static str,
) -> RulebookEntry {
    let preemption = "Is a part of it.";
    RulebookEntry {
        code,
        kind: RuleKind::Step,
        name,
        also: Vec::new(),
        meaning,
        preemption,
        remedy: None,
        obstacle: None,
        span,
        source,
    }
}

/// All filters, then all scores, with the versions in which they run by default.
fn of_plugins() -> Vec<RulebookEntry> {
    let filters = plugins::ALL.iter().map(|plugin| {
        let doc = plugin.doc();
        RulebookEntry {
            also: plugins::predicates_of(doc.name).collect(),
            meaning: doc.summary,
            preemption: doc.preemption,
            ..rule(doc, RuleKind::Filter, |profile| {
                let slots = plugins::filters(&profile.plugins).filter;
                slots.iter().flat_map(|slot| &slot.rules).any(|rule| rule.doc().name == doc.name)
            })
        }
    });
    let scores = plugins::SCORES.iter().map(|plugin| {
        let doc = plugin.doc();
        RulebookEntry {
            also: plugins::priorities_of(doc.name).collect(),
            ..rule(doc, RuleKind::Score, |profile| {
                plugins::scores(&profile.plugins)
                    .score
                    .iter()
                    .any(|s| s.plugin.doc().name == doc.name)
            })
        }
    });
    filters.chain(scores).collect()
}

fn of_plugin(
    doc: &'static RuleDoc,
    kind: RuleKind,
    runs: impl Fn(&Profile) -> bool,
) -> RulebookEntry {
    RulebookEntry {
        code: doc.code,
        kind,
        name: doc.name,
        also: Vec::new(),
        meaning: doc.scores.unwrap_or(doc.summary),
        preemption: "Does not take part: scores come after the filters.",
        remedy: None,
        obstacle: None,
        span: VersionSpan::of(runs),
        source: doc.source,
    }
}
