//! The words of an audit that do not belong to any check.

use engine::audit::{Audit, AuditGap, Finding, GapCause, ObjectName};
use engine::notes::Severity;

use crate::notes;

/// The object, as kubectl names it: `Deployment shop/web`.
pub fn object(object: &ObjectName) -> String {
    let ObjectName { kind, namespace, name } = object;
    let slash = if namespace.is_empty() { "" } else { "/" };
    format!("{kind} {namespace}{slash}{name}")
}

/// A finding as one sentence, without a full stop.
pub fn sentence(finding: &Finding) -> String {
    format!("{}: {}", object(&finding.object), finding.clause())
}

/// What could not be examined, as one sentence without a full stop.
pub fn gap(gap: &AuditGap) -> String {
    let kind = gap.kind.map_or("object", |kind| kind.name());
    let codes = || gap.left_out.iter().map(|check| check.code).collect::<Vec<_>>().join(", ");
    let what = match &gap.cause {
        GapCause::Refused(answer) => format!("{kind}s could not be read: {answer}"),
        GapCause::Absent => format!("the input has no {kind}"),
        GapCause::Unread(note) => {
            return format!("{}; left out for it: {}", notes::sentence(note), codes());
        }
        GapCause::UnreadThere(note) => {
            return format!(
                "in the other cluster, {}; left out for it: {}",
                notes::sentence(note),
                codes()
            );
        }
    };
    if gap.left_out.is_empty() {
        return format!("{what}: if the cluster has some, findings about them are missing");
    }
    format!("{what}; left out: {}", codes())
}

/// How many findings have this severity.
pub fn number(audit: &Audit, severity: Severity) -> usize {
    audit.findings.iter().filter(|found| found.check.severity == severity).count()
}
