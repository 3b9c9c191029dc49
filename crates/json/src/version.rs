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
pub struct Schedulers {
    pub oldest: String,
    pub newest: String,
    pub alpha: String,
}
