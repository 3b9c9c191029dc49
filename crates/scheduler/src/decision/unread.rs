//! Kinds of objects that could not be read, or that the input does not contain: each rule states
//! how it depends on them.

mod questions;

use std::collections::BTreeMap;

use super::Decision;
use super::{pod_groups, priority};
use crate::framework::doubts::{DoubtContext, Reliance};
use crate::{plugins, preemption};
use model::cluster::Kind;
use model::notes::{Note, NoteDoc, Severity, Subject};
pub use questions::{Question, QuestionKind, TABLE, of_answer};

static UNREADABLE: NoteDoc = NoteDoc {
    code: "PRE-925",
    name: "a kind that could not be read",
    meaning: "The API server did not let these objects be read; with severity error, a rule for this pod reads them.",
};
static ABSENT: NoteDoc = NoteDoc {
    code: "PRE-926",
    name: "kinds that are not in the input",
    meaning: "The input has no object of these kinds, which rules for this pod read. If the cluster has some, the \
              answer may be another one.",
};

/// What notes about kinds mean.
pub static DOCS: &[&NoteDoc] = &[&UNREADABLE, &ABSENT];

/// How the rules that decide about the pod depend on one kind.
#[derive(Default)]
struct Dependence {
    /// Rules whose whole verdict is in question.
    rules: Vec<&'static str>,
    /// What else may differ.
    effects: Vec<&'static str>,
    unreadable: Option<Severity>,
    absent: Option<Severity>,
}

impl Dependence {
    fn of(kind: Kind, decision: &Decision, context: &DoubtContext) -> Self {
        let mut dependence = Self::default();
        let set = &decision.profile().plugins;
        for plugin in plugins::DOUBTS {
            let name = plugin.doc().name;
            if let Some(reliance) = plugin.relies_on(kind, context)
                && plugins::runs(set, name)
            {
                dependence.add(name, reliance);
            }
        }
        if let Some(reliance) = preemption::doubts::relies_on(kind, decision.preemption()) {
            dependence.add("", reliance);
        }
        if let Some(reliance) = pod_groups::relies_on(kind, decision) {
            dependence.add("", reliance);
        }
        if let Some(reliance) = priority::relies_on(kind, context.cycle) {
            dependence.add("", reliance);
        }
        if kind.is_essential() {
            dependence.add(
                "",
                Reliance::partial(Severity::Error, "no decision can be relied on without them"),
            );
        }
        dependence
    }

    fn add(&mut self, rule: &'static str, reliance: Reliance) {
        match reliance.effect {
            None => self.rules.push(rule),
            Some(effect) if !self.effects.contains(&effect) => self.effects.push(effect),
            Some(_) => {}
        }
        self.unreadable = self.unreadable.max(Some(reliance.unreadable));
        self.absent = self.absent.max(reliance.absent);
    }

    /// What may be wrong without the kind, as a clause.
    fn consequence(&self) -> String {
        let mut clauses: Vec<String> =
            self.effects.iter().map(|effect| (*effect).to_owned()).collect();
        match self.rules.as_slice() {
            [] => {}
            [rule] => clauses.push(format!("{rule} cannot be relied on")),
            [rules @ .., last] => {
                clauses.push(format!("{} and {last} cannot be relied on", rules.join(", ")));
            }
        }
        if clauses.is_empty() {
            "no rule for this pod reads them".to_owned()
        } else {
            clauses.join("; ")
        }
    }
}

/// Notes about kinds that could not be read, and about those that the input does not contain.
pub(super) fn doubts(decision: &Decision, context: &DoubtContext) -> Vec<Note> {
    // Gaps in an answer about autoscalers are named in that answer.
    let missing = context.cycle.cluster().header.unreadable.iter();
    let missing = missing.filter(|of| !of.kind().is_some_and(Kind::is_custom));
    let note = missing.map(|of| unreadable(of.kind(), &of.resource, &of.reason, decision, context));
    let mut notes: Vec<Note> = note.collect();
    notes.extend(absent(decision, context));
    notes
}

fn unreadable(
    kind: Option<Kind>,
    resource: &str,
    reason: &str,
    decision: &Decision,
    context: &DoubtContext,
) -> Note {
    let Some(kind) = kind else {
        return Note::warning(&UNREADABLE, format!("{resource} could not be read: {reason}"));
    };
    let dependence = Dependence::of(kind, decision, context);
    let text = format!("could not be read: {reason}; {}", dependence.consequence());
    Note::new(&UNREADABLE, dependence.unreadable.unwrap_or(Severity::Info), text)
        .about(Subject::Kind(kind))
}

/// Raises notes about the input to the severity that they have for this decision. A missing object,
/// one that is listed although it is gone, and an unreadable field that this decision reads all
/// count like a kind that could not be read.
pub(super) fn weigh(notes: &mut [Note], decision: &Decision, context: &DoubtContext) {
    let own = context.cycle.cluster().pod_subject(decision.pod);
    for note in notes.iter_mut().filter(|note| !note.lacks.is_empty()) {
        let is_own = note.may_be_about(&own);
        let severity = note
            .lacks
            .iter()
            .filter_map(|lack| match lack.kind {
                // The object may have been of any kind.
                None => Some(Severity::Error),
                Some(kind) if questions::is_read(lack, is_own, context) => {
                    Dependence::of(kind, decision, context).unreadable
                }
                Some(_) => None,
            })
            .max();
        note.severity = note.severity.max(severity.unwrap_or(note.severity));
    }
}

/// The note about all kinds of which the cluster may have objects that the input does not contain.
fn absent(decision: &Decision, context: &DoubtContext) -> Option<Note> {
    let cluster = context.cycle.cluster();
    let missed: BTreeMap<Kind, Dependence> = Kind::ALL
        .into_iter()
        .filter(|kind| cluster.may_lack(*kind))
        .map(|kind| (kind, Dependence::of(kind, decision, context)))
        .filter(|(_, dependence)| dependence.absent.is_some())
        .collect();
    let severity = missed.values().filter_map(|dependence| dependence.absent).max()?;
    let mut all = Dependence::default();
    for dependence in missed.values() {
        all.rules.extend(&dependence.rules);
    }
    // In the order in which the plugins run.
    let running = plugins::DOUBTS.iter().map(|plugin| plugin.doc().name);
    all.rules = running.filter(|name| all.rules.contains(name)).collect();
    let text = format!("not in the input; if the cluster has some, {}", all.consequence());
    let note = Note::new(&ABSENT, severity, text);
    Some(missed.keys().fold(note, |note, kind| note.about(Subject::Kind(*kind))))
}

#[cfg(test)]
mod tests;
