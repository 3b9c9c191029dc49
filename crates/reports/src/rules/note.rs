//! The notes as rules, collected from the plugins and steps that write them.

use super::{RuleKind, RulebookEntry};
use model::cluster::notes as input;
use model::notes::NoteDoc;
use profile::doubts as profile_doubts;
use profile::span::VersionSpan;
use scheduler::decision::doubts;
use scheduler::groups;
use scheduler::plugins;
use simulation::{NOTES, gate};

/// All notes, by code.
pub(super) fn rules() -> Vec<RulebookEntry> {
    let mut docs: Vec<&'static NoteDoc> =
        [input::DOCS, profile_doubts::DOCS, groups::doubts::DOCS, NOTES].concat();
    docs.extend(doubts::DOCS.iter().copied().flatten());
    docs.extend(plugins::DOUBTS.iter().flat_map(|plugin| plugin.notes()));
    docs.sort();
    let notes = docs
        .into_iter()
        .map(|doc| rule(doc, "Does not take part: it says how far the answer can be relied on."));
    let findings = gate::FINDINGS
        .iter()
        .map(|doc| rule(doc, "Does not take part: the gate of `simulate` reports it."));
    notes.chain(findings).collect()
}

fn rule(doc: &'static NoteDoc, preemption: &'static str) -> RulebookEntry {
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
