//! The decisions of several schedulers, compared.

use serde::{Deserialize, Serialize};

use crate::decision::{Decision, Pod};
use crate::{ApiVersion, Text, kind};

/// `explain --compare`: the decisions of several schedulers for one pod.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DecisionComparison {
    pub api_version: ApiVersion,
    pub kind: kind::DecisionComparison,
    pub pod: Pod,
    /// The pod runs, and the decisions are those if it were recreated (`--running`).
    #[serde(default)]
    pub recreated: bool,
    /// Whether all decisions are the same.
    pub same: bool,
    /// One per version, in the order in which they were named.
    pub items: Vec<Decision>,
    /// Between each version and the next.
    pub differences: Vec<Difference>,
}

/// `explain --compare` of several pods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DecisionComparisonList {
    pub api_version: ApiVersion,
    pub kind: kind::DecisionComparisonList,
    /// With `--running`: the number of running pods that were tried. `items` has the pending pods,
    /// and of these those that would be placed differently, or all if pods were named.
    #[serde(default)]
    pub running: Option<usize>,
    pub items: Vec<DecisionComparison>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    pub from: String,
    pub to: String,
    /// What differs: `outcome`, `preFilter`, `filtered`, `scores`, `eligible`, `candidates`,
    /// `rejected`, `selected`, `message`, `conditionMessage`, `waiting`, `notes`.
    pub fields: Vec<Text>,
    /// The nodes about which the two differ.
    pub nodes: Vec<String>,
    /// How many rules the two versions do not share, whether or not they matter to this pod.
    pub rules_changed: usize,
    /// The rules that make this difference.
    pub rules: Vec<Rule>,
    /// Whether the search for rules came to its end; else some of them may not matter.
    pub complete: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// Its name in docs/VERSIONS.md.
    pub field: Text,
    /// The plugin that differs, as `rules` and the configuration name it, or the part of the
    /// scheduler.
    #[serde(default)]
    pub plugin: Text,
    pub summary: Text,
    /// Feature gate that decides it.
    pub gate: Option<Text>,
    /// Whether it holds in `to`; in `from` it is the other way round.
    pub holds: bool,
    /// The version that brought the rule or did away with it; null if a gate that is set decides.
    pub since: Option<String>,
    /// Where upstream says so.
    pub source: Text,
    pub url: Option<String>,
    /// The fields of the difference that depend on it.
    pub fields: Vec<Text>,
    /// About which nodes.
    pub nodes: Vec<String>,
}
