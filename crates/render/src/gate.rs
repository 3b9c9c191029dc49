//! The findings of a gate for manifests, for people and for CI systems: as lines below the page of
//! a simulation, as a comment for a pull request, as annotations of GitHub's workflows, as SARIF
//! and as a JUnit report.

mod markdown;

use engine::notes::Severity;
use engine::profile::Profile;
use engine::rules::{self, RulebookEntry};
use engine::simulation::document::ManifestDocument;
use engine::simulation::gate::{GateEvidence, PolicyFinding, PolicyGate};
use engine::simulation::sequence::Simulation;

use crate::escape::visible;
use crate::junit::{Case, CaseResult, Suite};
use crate::link;
use crate::page::{Page, Span, Tone};
use crate::safe::Printable;
use crate::sarif::{
    Invocation, Location, LogicalLocation, Notification, PhysicalLocation, Sarif,
    SarifConfiguration, SarifResult, SarifRule, level, text,
};
use answers::origin::Origin;
use answers::questions::simulate::SimulateReport;
use answers::questions::simulate::gate as words;
pub use markdown::comment;

/// The name of standard input, which is no file of a repository: nothing can be annotated there.
const STDIN: &str = "standard input";

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

    /// The manifest that a finding or an outcome concerns.
    fn document(&self, index: Option<usize>) -> Option<&'r ManifestDocument> {
        self.simulation.documents.get(index?)
    }

    /// The text of a finding, with the object whose manifest it concerns, if there is one.
    pub(crate) fn line(&self, finding: &PolicyFinding) -> String {
        let text = words::sentence(finding);
        match self.document(finding.document) {
            Some(document) => format!("{} ({}): {text}", document.object(), document.place()),
            None => text,
        }
    }
}

/// Adds the verdict and what it fails on to the page of a simulation.
pub fn add(page: &mut Page, report: GateReport) {
    page.gap();
    let fails = report.gate.verdict.fails();
    let tone = if fails { Tone::Bad } else { Tone::Good };
    let head = words::verdict(report.gate);
    page.line(0, vec![Span::new(capitalized(&head), tone)]);
    for finding in report.gate.verdict.findings.iter().filter(|finding| finding.fails) {
        let code = Span::new(format!(" [{}]", words::code(finding)), Tone::Quiet);
        page.line(2, vec![report.line(finding).into(), code]);
    }
    for finding in &report.gate.verdict.findings {
        let Some(reason) = &finding.ignored else { continue };
        let text =
            format!("accepted: {} [{}]: {reason}", report.line(finding), words::code(finding));
        page.quiet(2, text);
    }
}

pub(crate) fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The column at which a manifest could not be read.
fn column(finding: &PolicyFinding) -> Option<usize> {
    match &finding.evidence {
        GateEvidence::Unread { column, .. } => *column,
        _ => None,
    }
}

/// `-o github`: workflow commands of GitHub Actions, which become annotations on the lines of the
/// manifests. A line per finding, and one about all pods at the end. Nothing else is printed, since
/// GitHub interprets some texts as commands anywhere in a line.
pub fn annotations(report: GateReport) -> Printable {
    let mut out = String::new();
    for finding in &report.gate.verdict.findings {
        let level = match words::severity(finding) {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let document = report.document(finding.document);
        let mut properties: Vec<String> = Vec::new();
        if let Some(document) = document.filter(|document| document.file != STDIN) {
            let file = document.file.strip_prefix("./").unwrap_or(&document.file);
            properties.push(format!("file={}", property(file)));
            properties.push(format!("line={}", document.line.max(1)));
            properties.extend(column(finding).map(|column| format!("col={column}")));
        }
        let object = document.map(|document| format!(" {}", document.object()));
        let title = format!("{}{}", words::code(finding), object.unwrap_or_default());
        properties.push(format!("title={}", property(&title)));
        let message = data(&words::sentence(finding));
        out.push_str(&format!("::{level} {}::{message}\n", properties.join(",")));
    }
    let level = if report.gate.verdict.fails() { "error" } else { "notice" };
    let text = format!("{}; {}", words::totals(report.simulation), words::verdict(report.gate));
    let title = property("kubectl preempt");
    out.push_str(&format!("::{level} title={title}::{}\n", data(&capitalized(&text))));
    Printable::new(out)
}

/// The text of a command: GitHub decodes these escapes and no others.
fn data(text: &str) -> String {
    visible(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// `-o junit`: a test per document of the manifests, and one for findings about all of them. What
/// fails the gate is a failure of its document's test; other findings are its output.
pub fn junit(report: GateReport) -> Printable {
    let GateReport { simulation, gate, .. } = report;
    let mut cases = Vec::new();
    for outcome in &gate.verdict.outcomes {
        let document = report.document(outcome.document);
        let placed = words::placed(outcome);
        let findings =
            gate.verdict.findings.iter().filter(|finding| words::is_of(finding, outcome));
        cases.push(Case {
            class: document.map_or_else(|| "pods".to_owned(), |document| document.file.clone()),
            name: document.map_or_else(|| outcome.first.clone(), ManifestDocument::object),
            place: document.map(|document| (document.file.clone(), document.line)),
            ..case(placed, findings)
        });
    }

    // Findings about all documents stand in a test of their own.
    let about_all = gate.verdict.findings.iter().filter(|finding| finding.is_about_all());
    cases.push(Case {
        class: "pods".to_owned(),
        name: "all manifests".to_owned(),
        ..case(words::totals(simulation), about_all)
    });
    Suite { name: "kubectl preempt simulate", cases, remarks: Vec::new() }.report()
}

/// The result of a test that says this, with the findings that it is about.
fn case<'f>(says: String, findings: impl Iterator<Item = &'f PolicyFinding>) -> Case {
    let (mut output, mut failures, mut first_code) = (vec![says], Vec::new(), "");
    for finding in findings {
        let line = format!("{} [{}]", words::sentence(finding), words::code(finding));
        if !finding.fails {
            output.push(line);
            continue;
        }
        if failures.is_empty() {
            first_code = words::code(finding);
        }
        failures.push(line);
    }
    let result = match failures.first().cloned() {
        Some(message) => CaseResult::Fails { kind: first_code, message, text: failures },
        None => CaseResult::Passes,
    };
    Case { result, output, ..Case::default() }
}

/// `-o sarif`: a rule per code that was found, a result per finding, at the line of its document.
/// The file is of this `version` of the program.
pub fn sarif(report: GateReport, version: &str) -> Sarif {
    let GateReport { simulation, gate, .. } = report;
    // Notes are about the whole answer, and code scanning accepts no result without a position.
    let findings = gate.verdict.findings.iter();
    let findings: Vec<&PolicyFinding> =
        findings.filter(|finding| !matches!(finding.evidence, GateEvidence::Doubt(_))).collect();
    let mut codes: Vec<&'static str> =
        findings.iter().map(|finding| words::code(finding)).collect();
    codes.sort_unstable();
    codes.dedup();
    let book = rules::all();
    let rules = codes.iter().map(|code| rule(code, &book)).collect();
    let results = findings.iter().map(|finding| outcome(report, finding, &codes)).collect();
    let invocation = Invocation {
        execution_successful: !simulation.is_unsure() && simulation.unread.is_empty(),
        tool_execution_notifications: simulation.notes.iter().map(Notification::of).collect(),
    };
    Sarif::new(version, rules, invocation, results)
}

fn rule(code: &'static str, book: &[RulebookEntry]) -> SarifRule {
    let entry = book.iter().find(|entry| entry.code == code);
    let (name, meaning) = entry.map_or((code, code), |entry| (entry.name, entry.meaning));
    let help = entry.and_then(|entry| entry.remedy).unwrap_or(meaning);
    SarifRule {
        id: code,
        short_description: text(name),
        full_description: text(meaning),
        help: text(help),
        help_uri: link::of(code),
        default_configuration: SarifConfiguration { level: "warning" },
    }
}

fn outcome(report: GateReport, finding: &PolicyFinding, codes: &[&'static str]) -> SarifResult {
    let code = words::code(finding);
    let location = match report.document(finding.document) {
        Some(document) => {
            let place = PhysicalLocation::new(&document.file, Some(document.line));
            let (kind, namespace) = (&document.kind, &document.namespace);
            Some(Location {
                physical_location: (document.file != STDIN).then(|| place.at(column(finding))),
                logical_locations: [LogicalLocation::new(kind, namespace, &document.name)],
            })
        }
        // A pod that no manifest creates stands in no file.
        None => finding.pods.first().map(|pod| Location {
            physical_location: None,
            logical_locations: [LogicalLocation::new("Pod", "", pod)],
        }),
    };
    SarifResult {
        rule_id: code,
        rule_index: codes.iter().position(|known| *known == code).unwrap_or_default(),
        level: level(words::severity(finding)),
        message: text(words::sentence(finding)),
        locations: location.into_iter().collect(),
    }
}

#[cfg(test)]
mod tests;
