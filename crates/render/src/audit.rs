//! An audit as text, SARIF and JUnit.

use engine::audit::{Audit, Check, Finding};
use engine::notes::Severity;

use crate::junit::{JunitCase, JunitFailure, JunitReport};
use crate::notes;
use crate::page::{Page, Span, Tone};
use crate::safe::Printable;
use crate::sarif::{
    Invocation, Location, LogicalLocation, Notification, PhysicalLocation, Sarif,
    SarifConfiguration, SarifResult, SarifRule, level, text,
};
use answers::audit::{self as words, number};
use answers::extent::Extent;
use answers::origin::{InputOrigin, Origin};
use answers::words::count;

/// Where the checks are described.
const CHECKS: &str = "https://github.com/kubectl-preempt/kubectl-preempt/blob/main/docs/AUDIT.md";

/// The page: the summary, what it is based on, and a section per check with the findings, why they
/// matter and what helps.
pub fn page(audit: &Audit, origin: &Origin, rules: &str, extent: Extent) -> Page {
    let mut page = Page::default();
    page.line(0, vec![Span::new(summary(audit), Tone::Strong)]);
    page.quiet(0, origin.line(rules));
    let mut checks: Vec<&Check> = audit.findings.iter().map(|found| found.check).collect();
    checks.dedup();
    for check in checks {
        section(&mut page, check, audit, extent);
    }

    // What was not checked comes after what was found: a reader must not take a short list for a
    // good cluster.
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

/// The findings of a check, why they matter and what helps.
fn section(page: &mut Page, check: &Check, audit: &Audit, extent: Extent) {
    let tone = if check.severity == Severity::Info { Tone::Quiet } else { Tone::Bad };
    page.gap();
    page.line(
        0,
        vec![
            Span::new(format!("{} {}", check.severity.name(), check.code), tone),
            Span::new(format!("  {}", check.title), Tone::Strong),
        ],
    );
    let findings: Vec<&Finding> = of(audit, check).collect();
    let shown = extent.shown(findings.len());
    for found in findings.iter().take(shown) {
        page.line(2, vec![words::sentence(found).into()]);
    }
    page.left_out(2, findings.len() - shown, "finding");
    page.quiet(2, check.meaning);
    page.line(2, vec!["To fix it: ".into(), check.fix.into()]);
}

fn of<'a>(audit: &'a Audit, check: &Check) -> impl Iterator<Item = &'a Finding> {
    audit.findings.iter().filter(move |found| found.check == check)
}

fn summary(audit: &Audit) -> String {
    if audit.findings.is_empty() {
        return "Nothing was found.".to_owned();
    }
    [Severity::Error, Severity::Warning, Severity::Info]
        .map(|severity| count(number(audit, severity), severity.name()))
        .join(", ")
}

/// The JUnit report, a test per check and one per finding. Findings of `least` severity or above
/// are failures.
pub fn junit(audit: &Audit, least: Severity) -> Printable {
    let mut report = JunitReport::default();
    for check in Check::all() {
        let of_check = || JunitCase {
            class: check.code,
            name: check.title.to_owned(),
            ..JunitCase::default()
        };
        let findings: Vec<&Finding> = of(audit, check).collect();

        // A check that was left out is skipped once per gap; without findings and gaps it passes.
        let mut ran = true;
        for gap in audit.gaps.iter().filter(|gap| gap.left_out.contains(&check)) {
            ran = false;
            report.add(JunitCase { skipped: Some(words::gap(gap)), ..of_check() });
        }
        if findings.is_empty() && ran {
            report.add(of_check());
        }
        for found in findings {
            let advice = format!("{} To fix it: {}.", check.meaning, check.fix);
            let mut case = of_check();
            case.name = format!("{}: {}", check.title, words::object(&found.object));
            if check.severity >= least {
                case.failure = Some(JunitFailure {
                    kind: check.severity.name(),
                    message: found.clause(),
                    lines: vec![advice],
                });
            } else {
                case.output = vec![format!("{}. {advice}", found.clause())];
            }
            report.add(case);
        }
    }
    let mut remarks = Vec::new();
    for note in &audit.notes {
        remarks.push(format!("{} [{}]", answers::notes::sentence(note), note.doc.code));
    }
    report.finish("kubectl preempt audit", &remarks)
}

/// The SARIF file about an audit of `place` by this `version` of the program: a rule per check, a
/// result per finding.
pub fn sarif(audit: &Audit, place: &InputOrigin, version: &str) -> Sarif {
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
