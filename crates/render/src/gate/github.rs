//! `-o github`: workflow commands of GitHub Actions, which become annotations on the lines of the
//! manifests.

use engine::simulation::gate::GateEvidence;

use super::{GateReport, capitalized, verdict};
use crate::escape::visible;
use crate::safe::Printable;
use crate::simulation::totals;
use answers::questions::simulate::gate as words;

/// The name of standard input, at which nothing can be annotated.
const STDIN: &str = "standard input";

/// The commands, a line per finding, and one about all pods at the end. Nothing else is printed,
/// since GitHub interprets some texts as commands anywhere in a line.
pub fn annotations(report: GateReport) -> Printable {
    let mut out = String::new();
    for finding in &report.gate.verdict.findings {
        let level = match &finding.evidence {
            _ if finding.fails => "error",
            GateEvidence::Evicts(_) | GateEvidence::NeedsNewNode(_) => "notice",
            _ => "warning",
        };
        let document = finding.document.and_then(|ix| report.simulation.documents.get(ix));
        let mut properties: Vec<String> = Vec::new();
        if let Some(document) = document.filter(|document| document.file != STDIN) {
            let file = document.file.strip_prefix("./").unwrap_or(&document.file);
            properties.push(format!("file={}", property(file)));
            properties.push(format!("line={}", document.line.max(1)));
            if let GateEvidence::Unread { column: Some(column), .. } = &finding.evidence {
                properties.push(format!("col={column}"));
            }
        }
        let object = document.map(|document| format!(" {}", document.object()));
        let title = format!("{}{}", words::code(finding), object.unwrap_or_default());
        properties.push(format!("title={}", property(&title)));
        let message = data(&words::sentence(finding));
        out.push_str(&format!("::{level} {}::{message}\n", properties.join(",")));
    }
    let level = if report.gate.verdict.fails() { "error" } else { "notice" };
    let text = format!("{}; {}", totals(report.simulation), verdict(report.gate));
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
