//! The notes as rules: collected from the plugins and steps that say them.

use super::{Rule, RuleKind};
use crate::cluster::notes as input;
use crate::decision::doubts;
use crate::groups;
use crate::notes::NoteDoc;
use crate::plugins;
use crate::profile::doubts as profile;
use crate::profile::span::VersionSpan;
use crate::simulation::NOTES;

/// All notes, by code.
pub(super) fn rules() -> Vec<Rule> {
    let mut docs: Vec<&'static NoteDoc> = [input::DOCS, profile::DOCS, groups::doubts::DOCS, NOTES].concat();
    docs.extend(doubts::DOCS.iter().copied().flatten());
    docs.extend(plugins::DOUBTS.iter().flat_map(|plugin| plugin.notes()));
    docs.sort();
    docs.into_iter().map(rule).collect()
}

fn rule(doc: &'static NoteDoc) -> Rule {
    Rule {
        code: doc.code,
        kind: RuleKind::Note,
        name: doc.name,
        also: Vec::new(),
        meaning: doc.meaning,
        preemption: "Does not take part: it says how far the answer can be relied on.",
        remedy: None,
        obstacle: None,
        span: VersionSpan::ALWAYS,
        source: "",
    }
}
