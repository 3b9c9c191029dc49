//! An audit as a JUnit report: a test per check, and one per finding.

use engine::audit::{AuditGap, Check, Finding};
use engine::notes::Severity;

use super::of;
use crate::junit::{Case, CaseResult, Suite};
use crate::safe::Printable;
use answers::notes;
use answers::questions::audit::{self as words, AuditReport};

/// The report. Findings that fail the audit are failures, without such a limit warnings and errors;
/// checks that were left out count as skipped, once per gap. Notes come at the end.
pub fn report(report: &AuditReport) -> Printable {
    let (audit, least) = (&report.audit, report.fail_on.unwrap_or(Severity::Warning));
    let mut cases = Vec::new();
    for check in Check::all() {
        let found: Vec<&Finding> = of(report, check).collect();
        let gaps: Vec<&AuditGap> =
            audit.gaps.iter().filter(|gap| gap.left_out.contains(&check)).collect();
        for gap in &gaps {
            let result = CaseResult::IsSkipped(words::gap(gap));
            cases.push(Case { result, ..of_check(check, "") });
        }
        if found.is_empty() && gaps.is_empty() {
            cases.push(of_check(check, ""));
        }
        for finding in found {
            cases.push(of_finding(check, finding, least));
        }
    }
    let remarks = audit.notes.iter();
    let remarks = remarks.map(|note| format!("{} [{}]", notes::sentence(note), note.doc.code));
    Suite { name: "kubectl preempt audit", cases, remarks: remarks.collect() }.report()
}

/// A test of a check that passes; `object` ends its name.
fn of_check(check: &Check, object: &str) -> Case {
    let name = check.title.to_owned() + object;
    Case { class: check.code.to_owned(), name, ..Case::default() }
}

fn of_finding(check: &Check, finding: &Finding, least: Severity) -> Case {
    let says = finding.clause();
    let advice = format!("{} To fix it: {}.", check.meaning, check.fix);
    let case = of_check(check, &format!(": {}", words::object(&finding.object)));
    if check.severity >= least {
        let kind = check.severity.name();
        let result = CaseResult::Fails { kind, message: says, text: vec![advice] };
        Case { result, ..case }
    } else {
        Case { output: vec![format!("{says}. {advice}")], ..case }
    }
}
