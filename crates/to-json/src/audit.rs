//! An audit as JSON.

use crate::{ToJson, decision as parts};
use answers::questions::audit::{self as words, AuditReport};
use engine::audit::{AuditGap, Finding, GapCause, ObjectName};
use engine::notes::Severity;
use json::audit::{Audit as JsonAudit, Finding as JsonFinding, Gap as JsonGap, Object, Summary};
use json::{ApiVersion, kind};

/// The JSON of an audit.
impl ToJson for AuditReport {
    type Json = JsonAudit;

    fn json(&self) -> JsonAudit {
        let audit = &self.audit;
        JsonAudit {
            api_version: ApiVersion::default(),
            kind: kind::Audit::default(),
            source: parts::source(&self.basis.header, self.basis.source),
            summary: Summary {
                error: self.number(Severity::Error),
                warning: self.number(Severity::Warning),
                info: self.number(Severity::Info),
            },
            items: audit.findings.iter().map(item).collect(),
            not_checked: audit.gaps.iter().map(gap).collect(),
            notes: audit.notes.iter().map(parts::note).collect(),
        }
    }
}

fn item(finding: &Finding) -> JsonFinding {
    let check = finding.check;
    JsonFinding {
        code: check.code.into(),
        check: check.name,
        severity: check.severity.name().into(),
        object: object(&finding.object),
        evidence: finding.evidence.clone(),
        text: words::sentence(finding),
        meaning: check.meaning.into(),
        fix: check.fix.into(),
    }
}

fn gap(gap: &AuditGap) -> JsonGap {
    let objects = match &gap.cause {
        GapCause::Unread(note) | GapCause::UnreadThere(note) => note.objects.as_slice(),
        GapCause::Absent | GapCause::Refused(_) => &[],
    };
    JsonGap {
        resource: gap.kind.map(|kind| kind.resource().into()),
        objects: objects.iter().map(ToString::to_string).collect(),
        codes: gap.left_out.iter().map(|check| check.code.into()).collect(),
        text: words::gap(gap),
    }
}

fn object(object: &ObjectName) -> Object {
    Object {
        kind: object.kind.clone(),
        namespace: object.namespace.clone(),
        name: object.name.clone(),
    }
}
