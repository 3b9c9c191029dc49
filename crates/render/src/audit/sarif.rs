//! An audit as SARIF: a rule per check, a result per finding.

use engine::audit::{Check, Finding};

use crate::sarif::{
    Invocation, Location, LogicalLocation, Notification, PhysicalLocation, Sarif,
    SarifConfiguration, SarifResult, SarifRule, level, text,
};
use answers::origin::InputOrigin;
use answers::questions::audit::{self as words, AuditReport};

/// Where the checks are described.
const CHECKS: &str =
    "https://github.com/kubectl-preempt/kubectl-preempt/blob/main/docs/commands/audit.md";

/// The file about an audit by this `version` of the program.
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
    let check = finding.check;
    let object = &finding.object;
    let physical_location = match place {
        InputOrigin::Cluster(_) => None,
        // Which of several files has the object is not known; code scanning wants a file.
        InputOrigin::Files(files) => files.first().map(|file| PhysicalLocation::new(file, None)),
    };
    SarifResult {
        rule_id: check.code,
        rule_index: Check::all().position(|known| known == check).unwrap_or_default(),
        level: level(check.severity),
        message: text(words::sentence(finding)),
        locations: vec![Location {
            physical_location,
            logical_locations: [LogicalLocation::new(
                object.kind.as_str(),
                &object.namespace,
                &object.name,
            )],
        }],
    }
}
