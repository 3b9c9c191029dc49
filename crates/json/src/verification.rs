//! Conditions of pods, compared with what the scheduler would write.

use serde::{Deserialize, Serialize};

use crate::common::{Note, Scheduler, Source};
use crate::{ApiVersion, Text, kind};

/// `verify`: conditions of pods compared with the scheduler's rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct VerificationList {
    pub api_version: ApiVersion,
    pub kind: kind::VerificationList,
    pub scheduler: Scheduler,
    pub source: Source,
    pub summary: Summary,
    pub items: Vec<Verification>,
    /// Rules of the scheduler that are not known.
    pub notes: Vec<Note>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "VerificationSummary")
)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub equal: usize,
    pub stale: usize,
    pub different: usize,
    pub no_message: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    /// `Equal`, `Stale`, `Different` or `NoMessage`.
    pub result: Text,
    /// The difference, or why there is nothing to compare; empty if equal.
    pub what: String,
    /// What the condition says.
    pub written: Option<String>,
    /// What the scheduler would write now; null if it would place the pod.
    pub computed: Option<String>,
    /// When the condition became False; its text may be younger.
    pub since: Option<String>,
    /// What is seen to have changed since then.
    pub evidence: Vec<String>,
    /// Whether part of what decides is not modelled or could not be read.
    pub unsure: bool,
    /// If different: the newest minor of the scheduler that writes exactly this.
    pub written_by: Option<String>,
    /// The oldest of the minors before that one that all write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_since: Option<String>,
}
