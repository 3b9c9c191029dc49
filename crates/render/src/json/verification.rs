//! What `kubectl preempt verify` found, as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use engine::json::{JsonNote, JsonScheduler, JsonSource, SourceKind};

use engine::cluster::Cluster;
use engine::decision::verify::{Verification, VerificationResult};
use engine::notes::Note;
use engine::profile::Profile;
use engine::snapshot::API_VERSION;

/// Conditions of pods compared with the scheduler's rules.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "VerificationList")]
pub struct JsonVerificationList {
    api_version: &'static str,
    kind: &'static str,
    scheduler: JsonScheduler,
    source: JsonSource,
    summary: JsonSummary,
    items: Vec<JsonVerification>,
    /// Rules of the scheduler that are not known.
    notes: Vec<JsonNote>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "VerificationSummary")]
struct JsonSummary {
    equal: usize,
    stale: usize,
    different: usize,
    no_message: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Verification")]
struct JsonVerification {
    namespace: String,
    name: String,
    uid: String,
    /// `Equal`, `Stale`, `Different` or `NoMessage`.
    result: &'static str,
    /// The difference, or why there is nothing to compare; empty if equal.
    what: String,
    /// What the condition says.
    written: Option<String>,
    /// What the scheduler would write now; null if it would place the pod.
    computed: Option<String>,
    /// When the condition became False; its text may be younger.
    since: Option<String>,
    /// What is seen to have changed since then.
    evidence: Vec<String>,
    /// Whether part of what decides is not modelled or could not be read.
    unsure: bool,
    /// If different: a minor of the scheduler that writes exactly this.
    written_by: Option<String>,
}

impl JsonVerificationList {
    /// The output type of a list of comparisons.
    #[must_use]
    pub fn new(
        found: &[Verification],
        cluster: &Cluster,
        notes: &[Note],
        profile: &Profile,
        source: SourceKind,
    ) -> Self {
        let count = |verdict: VerificationResult| found.iter().filter(|f| f.verdict == verdict).count();
        Self {
            api_version: API_VERSION,
            kind: "VerificationList",
            scheduler: JsonScheduler::new(profile),
            source: JsonSource::new(&cluster.header, source),
            summary: JsonSummary {
                equal: count(VerificationResult::Equal),
                stale: count(VerificationResult::Stale),
                different: count(VerificationResult::Different),
                no_message: count(VerificationResult::NoMessage),
            },
            items: found.iter().map(|f| item(f, cluster)).collect(),
            notes: notes.iter().map(JsonNote::new).collect(),
        }
    }
}

fn item(found: &Verification, cluster: &Cluster) -> JsonVerification {
    let pod = cluster.pod(found.pod);
    JsonVerification {
        namespace: cluster.text(pod.namespace).to_owned(),
        name: pod.name.to_string(),
        uid: pod.uid.to_string(),
        result: found.verdict.name(),
        what: found.what.clone(),
        written: found.written.clone(),
        computed: found.computed.clone(),
        since: found.since.map(|t| t.to_string()),
        evidence: found.evidence.clone(),
        unsure: found.unsure,
        written_by: found.written_by.clone(),
    }
}
