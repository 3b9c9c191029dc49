//! `-o junit`: a test per document of the manifests, and one for findings about all of them.

use engine::simulation::document::ManifestDocument;
use engine::simulation::gate::PolicyFinding;

use super::GateReport;
use crate::junit::{Case, CaseResult, Suite};
use crate::safe::Printable;
use crate::simulation::totals;
use answers::questions::simulate::gate as words;

/// The report. What fails the gate is a failure of its document's test; other findings are its
/// output.
pub fn report(report: GateReport) -> Printable {
    let GateReport { simulation, gate, .. } = report;
    let mut cases = Vec::new();
    for outcome in &gate.verdict.outcomes {
        let document = outcome.document.and_then(|index| simulation.documents.get(index));
        let passes = format!(
            "{} of {} placed{}",
            outcome.placed,
            answers::words::count(outcome.pods, "pod"),
            if outcome.nodes.is_empty() {
                String::new()
            } else {
                format!(" on {}", answers::words::list(&outcome.nodes, 3))
            }
        );
        let found = findings_of(report, outcome.document, &outcome.first);
        cases.push(Case {
            class: document.map_or_else(|| "pods".to_owned(), |document| document.file.clone()),
            name: document.map_or_else(|| outcome.first.clone(), ManifestDocument::object),
            place: document.map(|document| (document.file.clone(), document.line)),
            ..case(passes, &found)
        });
    }

    // Findings about all documents stand in a test of their own.
    let about_all: Vec<&PolicyFinding> =
        gate.verdict.findings.iter().filter(|finding| finding.is_about_all()).collect();
    cases.push(Case {
        class: "pods".to_owned(),
        name: "all manifests".to_owned(),
        ..case(totals(simulation), &about_all)
    });
    Suite { name: "kubectl preempt simulate", cases, remarks: Vec::new() }.report()
}

/// The findings about the pods of a document, or about a pod that no manifest creates.
fn findings_of<'r>(
    report: GateReport<'r>,
    document: Option<usize>,
    first: &str,
) -> Vec<&'r PolicyFinding> {
    let findings = report.gate.verdict.findings.iter();
    let of_this = findings.filter(|finding| match document {
        Some(_) => finding.document == document && !finding.is_about_all(),
        None => finding.document.is_none() && finding.pods.iter().any(|pod| pod == first),
    });
    of_this.collect()
}

/// The result of a test that says this, with the findings that it is about.
fn case(says: String, found: &[&PolicyFinding]) -> Case {
    let (mut output, mut failures, mut first_code) = (vec![says], Vec::new(), "");
    for finding in found {
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
