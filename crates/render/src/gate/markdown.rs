//! `-o markdown`: a comment for a pull request that fits one screen.

use engine::notes::Severity;
use engine::simulation::document::ManifestDocument;
use engine::simulation::gate::PolicyFinding;

use super::{GateReport, capitalized};
use crate::escape::{markdown, markdown_code};
use answers::headline::{doubt, rules_in_short};
use answers::notes;
use answers::questions::simulate::gate::FindingTopic;
use answers::questions::simulate::{changes, gate as words};
use answers::words::{count, list};

/// Maximum number of rows of the table.
const ROWS: usize = 10;
/// Maximum number of lines of a section.
const LINES: usize = 5;
/// Maximum number of nodes that a cell names.
const NODES: usize = 3;

/// The first line of a comment, which identifies it when it is replaced.
pub const MARKER: &str = "<!-- kubectl-preempt: simulate -->";

/// The comment: the verdict, a row per document, then failures, evictions, waiting pods, rejected
/// pods and what is uncertain.
pub fn comment(report: GateReport) -> String {
    let GateReport { simulation, gate, profile, origin } = report;
    let mut out =
        format!("{MARKER}\n### {}\n\n", markdown(&capitalized(&words::totals(simulation))));
    let doubt = doubt(simulation.notes.iter());
    let based_on = origin.line(&rules_in_short(profile));
    out.push_str(&format!(
        "**{}.**{doubt} {}\n",
        markdown(&capitalized(&words::verdict(gate))),
        markdown(&based_on.replace("   ", "; "))
    ));
    if let Some(summary) = changes::summary(simulation) {
        out.push_str(&format!("\n{}.\n", markdown(&capitalized(&summary))));
    }
    table(&mut out, report);

    for (belongs_to, title) in SECTIONS {
        let mut lines = Vec::new();
        for finding in &gate.verdict.findings {
            if words::topic(finding) == *belongs_to {
                lines.push(line(report, finding));
            }
        }
        section(&mut out, title, &lines);
    }
    let mut warnings = Vec::new();
    for note in &simulation.notes {
        if note.severity == Severity::Warning {
            warnings.push(format!("{} ({})", markdown(&notes::sentence(note)), note.doc.code));
        }
    }
    section(&mut out, "Notes", &warnings);
    out
}

/// The sections in their order, with their titles.
const SECTIONS: &[(FindingTopic, &str)] = &[
    (FindingTopic::Fails, "Fails"),
    (FindingTopic::Refused, "Refused"),
    (FindingTopic::Waits, "Waits"),
    (FindingTopic::WithoutNode, "Without a node"),
    (FindingTopic::Evicted, "Evicted"),
    (FindingTopic::NotCertain, "Not certain"),
];

/// A section with at most [`LINES`] lines; omitted if it is empty.
fn section(out: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    out.push_str(&format!("\n**{title}**\n\n"));
    for line in lines.iter().take(LINES) {
        out.push_str(&format!("- {line}\n"));
    }
    let rest = lines.len().saturating_sub(LINES);
    if rest > 0 {
        out.push_str(&format!("- and {rest} more\n"));
    }
}

fn line(report: GateReport, finding: &PolicyFinding) -> String {
    let text = format!("{} ({})", markdown(&words::sentence(finding)), words::code(finding));
    match finding.document.and_then(|index| report.simulation.documents.get(index)) {
        Some(document) => {
            let (object, place) = (markdown_code(&document.object()), document.place());
            format!("{object} ({}): {text}", markdown(&place))
        }
        None => capitalized(&text),
    }
}

/// A row per document: those with something to say first.
fn table(out: &mut String, report: GateReport) {
    let GateReport { simulation, gate, .. } = report;
    let outcomes = words::outcomes(gate);
    if outcomes.is_empty() {
        return;
    }
    out.push_str("\n| Manifest | Pods placed | Where | Evicts |\n| --- | --- | --- | --- |\n");
    for outcome in outcomes.iter().take(ROWS) {
        let document = outcome.document.and_then(|index| simulation.documents.get(index));
        let name = document.map_or_else(|| outcome.first.clone(), ManifestDocument::object);
        let nodes: Vec<String> =
            outcome.nodes.iter().take(NODES).map(|node| markdown_code(node)).collect();
        let more = outcome.nodes.len() - nodes.len();
        let mut place = match (nodes.is_empty(), more) {
            (true, _) => "–".to_owned(),
            (false, 0) => list(&nodes, NODES),
            (false, more) => format!("{} and {more} more", nodes.join(", ")),
        };
        place.push_str(&words::of_nodes(outcome));
        let evicts =
            if outcome.evicted == 0 { "–".to_owned() } else { count(outcome.evicted, "pod") };
        out.push_str(&format!(
            "| {} | {} of {} | {place} | {evicts} |\n",
            markdown_code(&name),
            outcome.placed,
            outcome.pods
        ));
    }
    let rest = outcomes.len().saturating_sub(ROWS);
    if rest > 0 {
        let others = outcomes.iter().skip(ROWS);
        let fit = others.filter(|outcome| words::fits_freely(outcome)).count();
        let all = if fit == rest { " that fit without evictions" } else { "" };
        out.push_str(&format!("\nand {}{all}\n", count(rest, "more manifest")));
    }
}
