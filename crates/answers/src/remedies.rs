//! Remedies: what would help, as texts.

use engine::decision::remedy::{Evicts, Remedies, Remedy, RemedyKind};
use engine::decision::{Explanation, OutcomeKind};

use super::pod_report::PodReport;
use super::words;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct RemedySection {
    /// The section's topic, a sentence or a heading.
    pub head: String,
    /// One remedy per line, with its effect.
    pub lines: Vec<String>,
    /// The command that shows the first remedy, without the program's name; empty without remedies.
    pub check: String,
}

/// The section about all remedies; `None` if none was looked for, or if there was none to try.
pub fn section(decision: &Explanation) -> Option<RemedySection> {
    let remedies = decision.remedies.as_ref().filter(|remedies| remedies.proposed > 0)?;
    let Some(first) = remedies.found.first() else {
        let head = format!("Nothing that was tried helps ({})", tried(remedies));
        return Some(RemedySection { head, ..RemedySection::default() });
    };
    // The same heading as that of the first screen.
    let each = if remedies.tried < remedies.proposed {
        format!("checked; {}", tried(remedies))
    } else {
        "checked".to_owned()
    };
    let lines = remedies.found.iter().map(line).collect();
    Some(RemedySection {
        head: format!("What would help ({each})"),
        lines,
        check: words::arguments(&first.check),
    })
}

/// The remedies that answer the question of a pod: for one that preempts, those without an eviction.
pub fn telling<'r>(report: &'r PodReport<'_>) -> impl Iterator<Item = &'r Remedy> {
    let preempts = report.kind() == OutcomeKind::Preempt;
    let found = report.remedies.iter().flat_map(|remedies| &remedies.found);
    found.filter(move |remedy| !preempts || remedy.kind.evicts() == Evicts::Nothing)
}

/// How many were tried.
pub fn tried(remedies: &Remedies) -> String {
    match (remedies.tried, remedies.proposed) {
        (tried, proposed) if tried < proposed => format!("{tried} of {proposed} ways were tried"),
        (tried, _) => words::count(tried, "way"),
    }
}

/// A remedy with its effect. Where the pod fits on the node that is changed, the change says so.
pub fn line(remedy: &Remedy) -> String {
    if let ([node], OutcomeKind::Schedulable) = (remedy.nodes.as_slice(), remedy.outcome) {
        let names_it = remedy.summary.split([' ', ',']).any(|word| word == node);
        if names_it || remedy.kind == RemedyKind::AddNode {
            return remedy.summary.clone();
        }
    }
    let places = match remedy.nodes.as_slice() {
        [node] => node.clone(),
        [one, other] => format!("{one} or {other}"),
        nodes => format!("one of {}", words::count(nodes.len(), "node")),
    };
    let verb = if remedy.outcome == OutcomeKind::Schedulable { "fits" } else { "preempts" };
    format!("{}: {verb} on {places}", remedy.summary)
}

#[cfg(test)]
mod tests;
