//! What is known of pods without the nodes.

use serde::{Deserialize, Serialize};

use crate::common::Source;
use crate::workload::MissingPods;
use crate::{ApiVersion, Text, kind};

/// A command for whoever may not read the nodes, or the pods of other namespaces:
/// nothing is decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PartialList {
    pub api_version: ApiVersion,
    pub kind: kind::PartialList,
    pub source: Source,
    pub items: Vec<PartialPod>,
    /// The workloads whose pods were never created.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workloads: Vec<MissingPods>,
    /// What an administrator would have to grant for a decision, such as `list nodes`.
    pub needed: Vec<String>,
}

/// A pod, as far as it shows itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PartialPod {
    pub namespace: String,
    pub name: String,
    pub priority: i32,
    /// Where it stands, in words.
    pub state: String,
    /// The message of its condition; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The parts of that message.
    pub parts: Vec<PartialPart>,
    /// What else is known, in words.
    pub facts: Vec<String>,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PartialPart {
    pub text: String,
    /// How many nodes it counts; absent if it counts none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<usize>,
    /// The code of its rule; absent if the text is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Text>,
    /// What it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<Text>,
    /// What can be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Text>,
}
