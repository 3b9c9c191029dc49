//! An audit as a JUnit report, which CI systems show: a test per check, and one per finding.

use engine::audit::{AuditGap, Check, Finding};
use engine::notes::Severity;

use super::of;
use crate::escape::html as xml;
use crate::safe::Printable;
use answers::notes;
use answers::questions::audit::{self as words, AuditReport};

/// The report. Findings that fail the audit are failures, without such a limit warnings and errors;
/// checks that were left out count as skipped, once per gap. Notes come at the end.
pub fn report(report: &AuditReport) -> Printable {
    let (audit, least) = (&report.audit, report.fail_on.unwrap_or(Severity::Warning));
    let mut cases = String::new();
    let (mut tests, mut failures, mut skipped) = (0, 0, 0);
    for check in Check::all() {
        let found: Vec<&Finding> = of(report, check).collect();
        let gaps: Vec<&AuditGap> =
            audit.gaps.iter().filter(|gap| gap.left_out.contains(&check)).collect();
        tests += (found.len() + gaps.len()).max(1);
        skipped += gaps.len();
        for gap in &gaps {
            case(
                &mut cases,
                check,
                None,
                &format!("<skipped message=\"{}\"/>", xml(&words::gap(gap))),
            );
        }
        if found.is_empty() && gaps.is_empty() {
            case(&mut cases, check, None, "");
        }
        for one in found {
            let says = xml(&one.clause());
            let advice = xml(&format!("{} To fix it: {}.", check.meaning, check.fix));
            let inner = if check.severity >= least {
                failures += 1;
                let severity = check.severity.name();
                format!("<failure type=\"{severity}\" message=\"{says}\">{advice}</failure>")
            } else {
                format!("<system-out>{says}. {advice}</system-out>")
            };
            case(&mut cases, check, Some(one), &inner);
        }
    }
    let noted: Vec<String> = audit
        .notes
        .iter()
        .map(|note| xml(&format!("{} [{}]", notes::sentence(note), note.doc.code)))
        .collect();
    if !noted.is_empty() {
        cases.push_str(&format!("    <system-err>{}</system-err>\n", noted.join("; ")));
    }
    let counts =
        format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"");
    Printable::new(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite name=\"kubectl preempt audit\" \
         {counts}>\n{cases}  </testsuite>\n</testsuites>\n"
    ))
}

fn case(out: &mut String, check: &Check, finding: Option<&Finding>, inner: &str) {
    let object =
        finding.map(|found| format!(": {}", words::object(&found.object))).unwrap_or_default();
    let name = xml(&format!("{}{object}", check.title));
    let open = format!("    <testcase classname=\"{}\" name=\"{name}\"", check.code);
    out.push_str(&if inner.is_empty() {
        format!("{open}/>\n")
    } else {
        format!("{open}>{inner}</testcase>\n")
    });
}
