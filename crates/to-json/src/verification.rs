//! The result of `kubectl preempt verify`, as JSON.

use crate::decision as parts;
use answers::questions::verify::{VerifiedPod, VerifyReport};
use engine::decision::verify::VerificationResult;
use json::verification::{Summary, Verification as JsonVerification, VerificationList};
use json::{ApiVersion, kind};

/// The JSON of comparisons.
pub fn verification_list(report: &VerifyReport) -> VerificationList {
    VerificationList {
        api_version: ApiVersion::default(),
        kind: kind::VerificationList::default(),
        scheduler: parts::scheduler(&report.basis.profile),
        source: parts::source(&report.basis.header, report.basis.source),
        summary: Summary {
            equal: report.number(VerificationResult::Equal),
            stale: report.number(VerificationResult::Stale),
            different: report.number(VerificationResult::Different),
            no_message: report.number(VerificationResult::NoMessage),
        },
        items: report.items.iter().map(item).collect(),
        notes: report.notes.iter().map(parts::note).collect(),
    }
}

fn item(VerifiedPod { id, found }: &VerifiedPod) -> JsonVerification {
    JsonVerification {
        namespace: id.namespace.clone(),
        name: id.name.clone(),
        uid: id.uid.clone(),
        result: found.verdict.name().into(),
        what: found.what.clone(),
        written: found.written.clone(),
        computed: found.computed.clone(),
        since: found.since.map(|t| t.to_string()),
        evidence: found.evidence.clone(),
        unsure: found.unsure,
        written_by: found.written_by.clone(),
        written_since: found.written_since.clone(),
    }
}
