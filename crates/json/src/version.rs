//! The versions that are known.

use serde::{Deserialize, Serialize};

use crate::{ApiVersion, Text, kind};

/// `version`: the versions that are known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Version {
    pub api_version: ApiVersion,
    pub kind: kind::Version,
    /// Of this program.
    pub version: Text,
    /// The known versions of kube-scheduler.
    pub schedulers: Schedulers,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Schedulers {
    pub oldest: String,
    pub newest: String,
    /// The minor that is not released yet.
    pub alpha: String,
    /// The pre-release whose decisions were recorded for it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recorded_from: String,
}
