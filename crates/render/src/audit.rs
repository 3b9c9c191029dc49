//! An audit as text, SARIF and JUnit.

mod junit;
mod sarif;

use engine::audit::{Check, Finding};
use engine::notes::Severity;

pub use junit::report as junit;
pub use sarif::sarif;

use crate::notes;
use crate::page::{Drawn, Page, Span, Tone};
use answers::extent::Extent;
use answers::questions::audit::{self as words, AuditReport};
use answers::words::count;

/// The page: the summary, what it is based on, and a section per check with the findings, why they
/// matter and what helps.
impl Drawn for AuditReport {
    fn page(&self, extent: Extent) -> Page {
        let audit = &self.audit;
        let mut page = Page::default();
        page.line(0, vec![Span::new(summary(self), Tone::Strong)]);
        page.line(0, vec![Span::new(self.basis.line(), Tone::Quiet)]);
        for check in checks_that_found(self) {
            page.gap();
            let tone = if check.severity == Severity::Info { Tone::Quiet } else { Tone::Bad };
            page.line(
                0,
                vec![
                    Span::new(format!("{} {}", check.severity.name(), check.code), tone),
                    Span::new(format!("  {}", check.title), Tone::Strong),
                ],
            );
            let findings: Vec<&Finding> = of(self, check).collect();
            let shown = extent.shown(findings.len());
            for found in findings.iter().take(shown) {
                page.line(2, vec![words::sentence(found).into()]);
            }
            if shown < findings.len() {
                page.left_out(2, count(findings.len() - shown, "more finding"));
            }
            page.line(2, vec![Span::new(check.meaning, Tone::Quiet)]);
            page.line(2, vec!["To fix it: ".into(), check.fix.into()]);
        }
        if !audit.gaps.is_empty() {
            page.gap();
        }
        for gap in &audit.gaps {
            let (head, tone) = if gap.left_out.is_empty() {
                ("note: ", Tone::Quiet)
            } else {
                ("not checked: ", Tone::Bad)
            };
            page.line(0, vec![Span::new(head, tone), words::gap(gap).into()]);
        }
        notes::add(&mut page, &audit.notes, extent.is_whole());
        page
    }
}

fn checks_that_found(report: &AuditReport) -> Vec<&'static Check> {
    let mut checks: Vec<&Check> = report.audit.findings.iter().map(|found| found.check).collect();
    checks.dedup();
    checks
}

fn of<'a>(report: &'a AuditReport, check: &Check) -> impl Iterator<Item = &'a Finding> {
    report.audit.findings.iter().filter(move |found| found.check == check)
}

fn summary(report: &AuditReport) -> String {
    if report.audit.findings.is_empty() {
        return "Nothing was found.".to_owned();
    }
    let of = |severity: Severity| count(report.number(severity), severity.name());
    format!("{}, {}, {}", of(Severity::Error), of(Severity::Warning), of(Severity::Info))
}
