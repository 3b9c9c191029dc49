//! An audit as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use engine::audit::{Audit, Check, Evidence, Finding, Gap, GapCause, ObjectName};
use engine::json::{JsonNote, JsonSource, SourceKind};
use engine::notes::Severity;
use engine::snapshot::{API_VERSION, Header, Kind};

use super::{number, words};

/// What an audit found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Audit")]
pub struct JsonAudit {
    api_version: &'static str,
    kind: &'static str,
    source: JsonSource,
    summary: JsonSummary,
    /// The most severe first, then by code and object.
    items: Vec<JsonFinding>,
    /// What could not be looked at.
    not_checked: Vec<JsonGap>,
    /// Rules of the scheduler that are not known.
    notes: Vec<JsonNote>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AuditSummary")]
struct JsonSummary {
    error: usize,
    warning: usize,
    info: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AuditFinding")]
struct JsonFinding {
    /// Stable: `AUD-nnn`.
    code: &'static str,
    /// The name of the check.
    check: Check,
    /// `error`, `warning` or `info`.
    severity: &'static str,
    object: ObjectName,
    evidence: Evidence,
    /// The finding as a sentence.
    text: String,
    /// Why it matters.
    meaning: &'static str,
    /// What to do about it.
    fix: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AuditGap")]
struct JsonGap {
    /// Plural resource; null for an object of which not even the kind could be read.
    resource: Option<&'static str>,
    /// The first 100 objects that could not be read, or not in full: `Pod NAMESPACE/NAME`. Empty where none of the
    /// resource could be read.
    objects: Vec<String>,
    /// The checks that were left out: for these objects alone, if there are some.
    codes: Vec<&'static str>,
    text: String,
}

impl JsonAudit {
    /// The output type of an audit of the cluster with this header.
    #[must_use]
    pub fn new(audit: &Audit, header: &Header, source: SourceKind) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "Audit",
            source: JsonSource::new(header, source),
            summary: JsonSummary {
                error: number(audit, Severity::Error),
                warning: number(audit, Severity::Warning),
                info: number(audit, Severity::Info),
            },
            items: audit.findings.iter().map(item).collect(),
            not_checked: audit.gaps.iter().map(gap).collect(),
            notes: audit.notes.iter().map(JsonNote::new).collect(),
        }
    }
}

fn item(finding: &Finding) -> JsonFinding {
    let check = finding.check();
    JsonFinding {
        code: check.code(),
        check,
        severity: check.severity().name(),
        object: finding.object.clone(),
        evidence: finding.evidence.clone(),
        text: words::sentence(finding),
        meaning: words::meaning(check),
        fix: words::fix(check),
    }
}

fn gap(gap: &Gap) -> JsonGap {
    let objects = match &gap.cause {
        GapCause::Unread(note) | GapCause::UnreadThere(note) => note.objects.as_slice(),
        GapCause::Absent | GapCause::Refused(_) => &[],
    };
    JsonGap {
        resource: gap.kind.map(Kind::plural),
        objects: objects.iter().map(ToString::to_string).collect(),
        codes: gap.left_out.iter().map(|check| check.code()).collect(),
        text: words::gap(gap),
    }
}
