//! What makes preemption surprising, dangerous or useless in a cluster?

use engine::audit::{self, Audit, AuditGap, Finding, GapCause, ObjectName};
use engine::cluster::Cluster;
use engine::notes::Severity;

use super::{Basis, Report, Verdict, in_order};
use crate::error::AnswerError;
use crate::input::LoadedInput;
use crate::notes;

/// What is audited.
#[derive(Debug, Default)]
pub struct AuditRequest {
    /// Only findings about this namespace, and about objects without one.
    pub namespace: Option<String>,
    /// Another cluster, whose priority classes are compared.
    pub against: Option<Cluster>,
    /// The least severity of a finding that fails the audit.
    pub fail_on: Option<Severity>,
}

/// The findings, and what could not be examined.
#[derive(Debug, Clone)]
pub struct AuditReport {
    pub basis: Basis,
    pub audit: Audit,
    /// The least severity of a finding that fails the audit.
    pub fail_on: Option<Severity>,
}

impl Report for AuditReport {
    fn verdict(&self) -> Verdict {
        let mut severities = self.audit.findings.iter().map(|finding| finding.check.severity);
        let fails = self.fail_on.is_some_and(|least| severities.any(|severity| severity >= least));
        Verdict::new(!fails, self.audit.is_unsure())
    }

    fn reorder(&mut self, order: &[usize]) {
        self.audit.findings = in_order(&self.audit.findings, order);
    }
}

impl AuditReport {
    /// How many findings have this severity.
    pub fn number(&self, severity: Severity) -> usize {
        self.audit.findings.iter().filter(|found| found.check.severity == severity).count()
    }
}

/// Audits the cluster.
///
/// # Errors
/// Files that lack the nodes.
pub fn audit(input: &LoadedInput, request: &AuditRequest) -> Result<AuditReport, AnswerError> {
    input.check_nodes()?;
    let other = request.against.as_ref();
    let mut audit = audit::run(&input.cluster, other, &input.profile, input.now);
    if let Some(namespace) = &request.namespace {
        audit.keep_namespace(namespace);
    }
    Ok(AuditReport { basis: Basis::of(input), audit, fail_on: request.fail_on })
}

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
    let codes = gap.left_out.iter().map(|check| check.code).collect::<Vec<_>>().join(", ");
    let what = match &gap.cause {
        GapCause::Refused(answer) => {
            let plural = if kind.ends_with('s') { "es" } else { "s" };
            format!("{kind}{plural} could not be read: {answer}")
        }
        GapCause::Absent => format!("the input has no {kind}"),
        GapCause::Unread(note) => {
            return format!("{}; left out for it: {codes}", notes::sentence(note));
        }
        GapCause::UnreadThere(note) => {
            return format!(
                "in the other cluster, {}; left out for it: {codes}",
                notes::sentence(note)
            );
        }
    };
    if gap.left_out.is_empty() {
        return format!("{what}: if the cluster has some, findings about them are missing");
    }
    format!("{what}; left out: {codes}")
}
