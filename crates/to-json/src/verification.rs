//! The result of `kubectl preempt verify`, as JSON.

use crate::{ToJson, decision as parts};
use answers::questions::verify::{VerifiedPod, VerifyReport};
use engine::decision::verify::VerificationResult;
use json::verification::{Summary, Verification as JsonVerification, VerificationList};
use json::{ApiVersion, kind};

/// The JSON of comparisons.
impl ToJson for VerifyReport {
    type Json = VerificationList;

    fn json(&self) -> VerificationList {
        VerificationList {
            api_version: ApiVersion::default(),
            kind: kind::VerificationList::default(),
            scheduler: parts::scheduler(&self.basis.profile),
            source: parts::source(&self.basis.header, self.basis.source),
            summary: Summary {
                equal: self.number(VerificationResult::Equal),
                stale: self.number(VerificationResult::Stale),
                different: self.number(VerificationResult::Different),
                no_message: self.number(VerificationResult::NoMessage),
            },
            items: self.items.iter().map(item).collect(),
            notes: self.notes.iter().map(parts::note).collect(),
        }
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
