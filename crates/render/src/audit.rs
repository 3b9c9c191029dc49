//! An audit as text, SARIF and JUnit.

use engine::audit::{AuditGap, Check, Finding, GapCause};
use engine::notes::Severity;

use crate::junit::{Case, CaseResult, Suite};
use crate::notes;
use crate::page::{Drawn, Page, Span, Tone};
use crate::safe::Printable;
use crate::sarif::{
    Invocation, Location, LogicalLocation, Notification, PhysicalLocation, Sarif,
    SarifConfiguration, SarifResult, SarifRule, level, text,
};
use answers::extent::Extent;
use answers::origin::InputOrigin;
use answers::questions::audit::{self as words, AuditReport};
use answers::words::count;

/// Where the checks are described.
const CHECKS: &str =
    "https://github.com/kubectl-preempt/kubectl-preempt/blob/main/docs/commands/audit.md";

/// The page: the summary, what it is based on, and a section per check with the findings, why they
/// matter and what helps.
impl Drawn for AuditReport {
    fn page(&self, extent: Extent) -> Page {
        let audit = &self.audit;
        let mut page = Page::default();
        page.heading(summary(self));
        page.based_on(0, &self.basis);
        let mut checks: Vec<&Check> = audit.findings.iter().map(|found| found.check).collect();
        checks.dedup();
        for check in checks {
            section(&mut page, check, self, extent);
        }

        // What was not checked comes after what was found: a reader must not take a short list for
        // a good cluster.
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

/// The findings of a check, why they matter and what helps.
fn section(page: &mut Page, check: &Check, report: &AuditReport, extent: Extent) {
    let tone = if check.severity == Severity::Info { Tone::Quiet } else { Tone::Bad };
    page.gap();
    page.line(
        0,
        vec![
            Span::new(format!("{} {}", check.severity.name(), check.code), tone),
            Span::new(format!("  {}", check.title), Tone::Strong),
        ],
    );
    let findings: Vec<&Finding> = of(report, check).collect();
    let shown = extent.shown(findings.len());
    for found in findings.iter().take(shown) {
        page.line(2, vec![words::sentence(found).into()]);
    }
    page.left_out(2, findings.len() - shown, "finding");
    page.quiet(2, check.meaning);
    page.line(2, vec!["To fix it: ".into(), check.fix.into()]);
}

fn of<'a>(report: &'a AuditReport, check: &Check) -> impl Iterator<Item = &'a Finding> {
    report.audit.findings.iter().filter(move |found| found.check == check)
}

fn summary(report: &AuditReport) -> String {
    if report.audit.findings.is_empty() {
        let is_refused = |gap: &AuditGap| matches!(gap.cause, GapCause::Refused(_));
        let of_what = if report.audit.gaps.iter().any(is_refused) {
            " in what may be read: not all is checked"
        } else {
            ""
        };
        return format!("No problems found{of_what}.");
    }
    [Severity::Error, Severity::Warning, Severity::Info]
        .map(|severity| count(report.number(severity), severity.name()))
        .join(", ")
}

/// The JUnit report, a test per check and one per finding. Findings that fail the audit are
/// failures, without such a limit warnings and errors. Notes come at the end.
pub fn junit(report: &AuditReport) -> Printable {
    let (audit, least) = (&report.audit, report.fail_on.unwrap_or(Severity::Warning));
    let mut cases = Vec::new();
    for check in Check::all() {
        let findings: Vec<&Finding> = of(report, check).collect();
        let gaps: Vec<&AuditGap> =
            audit.gaps.iter().filter(|gap| gap.left_out.contains(&check)).collect();

        // A check that was left out is skipped once per gap; without findings and gaps it passes.
        for gap in &gaps {
            let result = CaseResult::IsSkipped(words::gap(gap));
            cases.push(Case { result, ..of_check(check, "") });
        }
        if findings.is_empty() && gaps.is_empty() {
            cases.push(of_check(check, ""));
        }
        for finding in findings {
            cases.push(of_finding(check, finding, least));
        }
    }
    let mut remarks = Vec::new();
    for note in &audit.notes {
        remarks.push(format!("{} [{}]", answers::notes::sentence(note), note.doc.code));
    }
    Suite { name: "kubectl preempt audit", cases, remarks }.report()
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

/// The SARIF file about an audit by this `version` of the program: a rule per check, a result per
/// finding.
pub fn sarif(report: &AuditReport, version: &str) -> Sarif {
    let (audit, place) = (&report.audit, &report.basis.origin.place);
    let gaps = audit.gaps.iter().map(|gap| {
        let level = if gap.left_out.is_empty() { "note" } else { "warning" };
        Notification::new(level, words::gap(gap))
    });
    let invocation = Invocation {
        execution_successful: !audit.is_unsure(),
        tool_execution_notifications: gaps
            .chain(audit.notes.iter().map(Notification::of))
            .collect(),
    };
    let results = audit.findings.iter().map(|found| outcome(found, place)).collect();
    Sarif::new(version, Check::all().map(rule).collect(), invocation, results)
}

fn rule(check: &Check) -> SarifRule {
    SarifRule {
        id: check.code,
        short_description: text(check.title),
        full_description: text(check.meaning),
        help: text(format!("To fix it: {}.", check.fix)),
        help_uri: CHECKS,
        default_configuration: SarifConfiguration { level: level(check.severity) },
    }
}

fn outcome(finding: &Finding, place: &InputOrigin) -> SarifResult {
    let (check, object) = (finding.check, &finding.object);
    let physical_location = match place {
        InputOrigin::Cluster(_) => None,
        // Which of several files has the object is not known; code scanning wants a file.
        InputOrigin::Files(files) => files.first().map(|file| PhysicalLocation::new(file, None)),
    };
    let kind = object.kind.as_str();
    SarifResult {
        rule_id: check.code,
        rule_index: Check::all().position(|known| known == check).unwrap_or_default(),
        level: level(check.severity),
        message: text(words::sentence(finding)),
        locations: vec![Location {
            physical_location,
            logical_locations: [LogicalLocation::new(kind, &object.namespace, &object.name)],
        }],
    }
}
