//! The result of `kubectl preempt verify`, as JSON.

use crate::decision as parts;
use answers::origin::SourceKind;
use engine::cluster::Cluster;
use engine::decision::verify::{Verification, VerificationResult};
use engine::notes::Note;
use engine::profile::Profile;
use json::verification::{Summary, Verification as JsonVerification, VerificationList};
use json::{ApiVersion, kind};

/// The JSON of comparisons.
pub fn verification_list(
    found: &[Verification],
    cluster: &Cluster,
    notes: &[Note],
    profile: &Profile,
    source: SourceKind,
) -> VerificationList {
    let count = |verdict: VerificationResult| found.iter().filter(|f| f.verdict == verdict).count();
    VerificationList {
        api_version: ApiVersion::default(),
        kind: kind::VerificationList::default(),
        scheduler: parts::scheduler(profile),
        source: parts::source(&cluster.header, source),
        summary: Summary {
            equal: count(VerificationResult::Equal),
            stale: count(VerificationResult::Stale),
            different: count(VerificationResult::Different),
            no_message: count(VerificationResult::NoMessage),
        },
        items: found.iter().map(|f| item(f, cluster)).collect(),
        notes: notes.iter().map(parts::note).collect(),
    }
}

fn item(found: &Verification, cluster: &Cluster) -> JsonVerification {
    let pod = cluster.pod(found.pod);
    JsonVerification {
        namespace: cluster.text(pod.namespace).to_owned(),
        name: pod.name.to_string(),
        uid: pod.uid.to_string(),
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
