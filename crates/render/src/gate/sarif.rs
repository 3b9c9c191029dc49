//! `-o sarif`: a rule per code that was found, a result per finding, at the line of its document.

use engine::rules::{self, RulebookEntry};
use engine::simulation::gate::{GateEvidence, PolicyFinding};

use super::GateReport;
use crate::link;
use crate::sarif::{
    Invocation, Location, LogicalLocation, Notification, PhysicalLocation, Sarif,
    SarifConfiguration, SarifResult, SarifRule, text,
};
use answers::questions::simulate::gate as words;

/// The name of standard input, which is no file of a repository.
const STDIN: &str = "standard input";

/// The file of this `version` of the program.
pub fn sarif(report: GateReport, version: &str) -> Sarif {
    let book = rules::all();
    // Notes are about the whole answer, and code scanning accepts no result without a position.
    let located = |finding: &&PolicyFinding| !matches!(finding.evidence, GateEvidence::Doubt(_));
    let findings: Vec<&PolicyFinding> =
        report.gate.verdict.findings.iter().filter(located).collect();
    let mut codes: Vec<&'static str> =
        findings.iter().map(|finding| words::code(finding)).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules = codes.iter().map(|code| rule(code, &book)).collect();
    let results = findings.iter().map(|finding| outcome(report, finding, &codes)).collect();
    let invocation = Invocation {
        execution_successful: !report.simulation.is_unsure() && report.simulation.unread.is_empty(),
        tool_execution_notifications: report
            .simulation
            .notes
            .iter()
            .map(Notification::of)
            .collect(),
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
    let level = match &finding.evidence {
        _ if finding.fails => "error",
        GateEvidence::Evicts(_) | GateEvidence::NeedsNewNode(_) => "note",
        _ => "warning",
    };
    let column = match &finding.evidence {
        GateEvidence::Unread { column, .. } => *column,
        _ => None,
    };
    let document = finding.document.and_then(|index| report.simulation.documents.get(index));
    let location = match document {
        Some(document) => Some(Location {
            physical_location: (document.file != STDIN)
                .then(|| PhysicalLocation::new(&document.file, Some(document.line)).at(column)),
            logical_locations: [LogicalLocation::new(
                &document.kind,
                &document.namespace,
                &document.name,
            )],
        }),
        None => finding.pods.first().map(|pod| Location {
            physical_location: None,
            logical_locations: [LogicalLocation::new("Pod", "", pod)],
        }),
    };
    SarifResult {
        rule_id: code,
        rule_index: codes.iter().position(|known| *known == code).unwrap_or_default(),
        level,
        message: text(words::sentence(finding)),
        locations: location.into_iter().collect(),
    }
}
