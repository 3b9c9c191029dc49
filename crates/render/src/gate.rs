//! The findings of a gate for manifests, for people and for CI systems: as lines below the page of
//! a simulation, as a comment for a pull request, as annotations of GitHub's workflows, as SARIF
//! and as a JUnit report.

mod github;
mod junit;
mod markdown;
mod sarif;

use engine::profile::Profile;
use engine::simulation::gate::{FailCondition, PolicyFinding, PolicyGate};
use engine::simulation::sequence::Simulation;

use crate::page::{Page, Span, Tone};
use answers::origin::Origin;
use answers::questions::simulate::SimulateReport;
use answers::questions::simulate::gate as words;

/// A simulation with its gate's verdict, and what it is based on.
#[derive(Debug, Clone, Copy)]
pub struct GateReport<'r> {
    pub simulation: &'r Simulation,
    pub gate: &'r PolicyGate,
    /// The scheduler that decided.
    pub profile: &'r Profile,
    /// The cluster and the time.
    pub origin: &'r Origin,
}

impl<'r> GateReport<'r> {
    /// That of a simulation that was judged.
    pub fn of(report: &'r SimulateReport) -> Option<Self> {
        let SimulateReport { basis, simulation, gate, .. } = report;
        let gate = gate.as_ref()?;
        Some(Self { simulation, gate, profile: &basis.profile, origin: &basis.origin })
    }

    /// The text of a finding, with the object whose manifest it concerns, if there is one.
    pub(crate) fn line(&self, finding: &PolicyFinding) -> String {
        let text = words::sentence(finding);
        match finding.document.and_then(|index| self.simulation.documents.get(index)) {
            Some(document) => format!("{} ({}): {text}", document.object(), document.place()),
            None => text,
        }
    }
}

/// What the gate fails on: `unschedulable, uncertain`.
fn fails_on(gate: &PolicyGate) -> String {
    let policy = &gate.policy;
    let mut names: Vec<String> = FailCondition::ALL
        .into_iter()
        .filter(|condition| policy.fail_on.contains(condition))
        .filter(|condition| *condition != FailCondition::Victims || policy.max_victims.is_none())
        .map(|condition| condition.name().to_owned())
        .collect();
    if let Some(most) = policy.max_victims {
        names.push(format!("more than {most} victims"));
    }
    if !policy.protected_by.is_empty() {
        names.push(format!("victims of {}", policy.protected_by.join(", ")));
    }
    names.join(", ")
}

/// The verdict in a few words.
fn verdict(gate: &PolicyGate) -> String {
    let failures = gate.verdict.findings.iter().filter(|finding| finding.fails).count();
    if gate.policy.report_only {
        "the gate only reports (--no-fail)".to_owned()
    } else if failures > 0 {
        format!("the gate fails (on {})", fails_on(gate))
    } else {
        format!("the gate passes (it fails on {})", fails_on(gate))
    }
}

/// Adds the verdict and what it fails on to the page of a simulation.
pub fn add(page: &mut Page, report: GateReport) {
    page.gap();
    let fails = report.gate.verdict.fails();
    let tone = if fails { Tone::Bad } else { Tone::Good };
    let head = verdict(report.gate);
    page.line(0, vec![Span::new(capitalized(&head), tone)]);
    for finding in report.gate.verdict.findings.iter().filter(|finding| finding.fails) {
        let code = Span::new(format!(" [{}]", words::code(finding)), Tone::Quiet);
        page.line(2, vec![report.line(finding).into(), code]);
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

pub use github::annotations;
pub use junit::report as junit;
pub use markdown::comment;
pub use sarif::sarif;

#[cfg(test)]
mod tests;
