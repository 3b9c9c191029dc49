//! `-o junit`: a test per document of the manifests, and one for findings about all of them.

use engine::simulation::document::ManifestDocument;
use engine::simulation::gate::PolicyFinding;

use super::GateReport;
use crate::escape::html as xml;
use crate::safe::Printable;
use crate::simulation::totals;
use answers::gate as words;

/// The name of the suite.
const SUITE: &str = "kubectl preempt simulate";

/// The report. What fails the gate is a failure of its document's test; other findings are its
/// output.
pub fn report(report: GateReport) -> Printable {
    let GateReport { simulation, gate, .. } = report;
    let (mut cases, mut tests, mut failures) = (String::new(), 0, 0);
    for outcome in &gate.verdict.outcomes {
        let document = outcome.document.and_then(|index| simulation.documents.get(index));
        let name = document.map_or_else(|| outcome.first.clone(), ManifestDocument::object);
        let mut place = String::new();
        let mut class = "pods".to_owned();
        if let Some(document) = document {
            place = format!(" file=\"{}\" line=\"{}\"", xml(&document.file), document.line);
            class.clone_from(&document.file);
        }
        let found = findings_of(report, outcome.document, &outcome.first);
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
        let case = Case { class: &class, name: &name, place: &place, says: &passes };
        tests += 1;
        failures += usize::from(case.write(&found, &mut cases));
    }
    let about_all: Vec<&PolicyFinding> =
        gate.verdict.findings.iter().filter(|finding| finding.is_about_all()).collect();
    let says = totals(simulation);
    let case = Case { class: "pods", name: "all manifests", place: "", says: &says };
    tests += 1;
    failures += usize::from(case.write(&about_all, &mut cases));

    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\"");
    Printable::new(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite \
         name=\"{SUITE}\" {counts}>\n{cases}  </testsuite>\n</testsuites>\n"
    ))
}

/// The findings about the pods of a document, or about a pod that no manifest creates.
fn findings_of<'r>(
    report: GateReport<'r>,
    document: Option<usize>,
    first: &str,
) -> Vec<&'r PolicyFinding> {
    let is_of = |finding: &&PolicyFinding| match document {
        Some(_) => finding.document == document && !finding.is_about_all(),
        None => finding.document.is_none() && finding.pods.iter().any(|pod| pod == first),
    };
    report.gate.verdict.findings.iter().filter(is_of).collect()
}

/// A test.
struct Case<'c> {
    class: &'c str,
    name: &'c str,
    place: &'c str,
    /// Its output, whether it fails or not.
    says: &'c str,
}

impl Case<'_> {
    /// Writes the test, and returns whether it fails. Readers show only the first failure of a
    /// test, so all are combined into one.
    fn write(&self, found: &[&PolicyFinding], out: &mut String) -> bool {
        let mut failures = Vec::new();
        let mut first_code = "";
        let mut told = vec![xml(self.says)];
        for finding in found {
            let line = xml(&format!("{} [{}]", words::sentence(finding), words::code(finding)));
            if !finding.fails {
                told.push(line);
                continue;
            }
            if failures.is_empty() {
                first_code = words::code(finding);
            }
            failures.push(line);
        }

        let (class, name, place) = (xml(self.class), xml(self.name), self.place);
        out.push_str(&format!("    <testcase classname=\"{class}\" name=\"{name}\"{place}>"));
        if let [first, ..] = failures.as_slice() {
            let all = failures.join("\n");
            out.push_str(&format!(
                "<failure type=\"{first_code}\" message=\"{first}\">{all}</failure>"
            ));
        }
        out.push_str(&format!("<system-out>{}</system-out></testcase>\n", told.join("\n")));
        !failures.is_empty()
    }
}
