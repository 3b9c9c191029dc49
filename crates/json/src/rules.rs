//! The rulebook.

use serde::{Deserialize, Serialize};

use crate::{ApiVersion, Text, kind};

/// `rules`; of a message, `parts` has its texts in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RuleList {
    pub api_version: ApiVersion,
    pub kind: kind::RuleList,
    pub items: Vec<Rule>,
    /// The parts of the message that was given, in its order; absent if it was something else.
    /// `items` are their rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<Part>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MessagePart"))]
#[serde(rename_all = "camelCase")]
pub struct Part {
    pub text: String,
    /// The number of nodes that it counts, where the message counts nodes.
    pub nodes: Option<usize>,
    /// Whether it belongs to what the message says of preemption.
    pub preemption: bool,
    /// The code of its rule; null if the text is not known.
    pub code: Option<Text>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// Stable: `PRE-nnn`.
    pub code: Text,
    pub kind: Text,
    /// The name of a plugin or step, or the text of a message, `{}` for what differs.
    pub name: Text,
    /// Other names; of a message, who says it.
    pub also: Vec<Text>,
    pub meaning: Text,
    /// Whether evicting pods can help.
    pub preemption: Text,
    pub remedy: Option<Text>,
    /// Of a message, what stands in the way of the pod: `Room`, `Toleration`, `Cordon`,
    /// `NodeLabels`, `Volume`, `Spread`, `PodAffinity`, `Devices`, `Wait`, `Pod` or `None`.
    pub obstacle: Option<Text>,
    /// The first release that has it, as far as they are known.
    pub since: Option<String>,
    /// The first release without it again.
    pub gone: Option<String>,
    /// Upstream's source.
    pub link: Option<String>,
}
