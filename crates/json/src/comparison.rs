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
    /// The answer in a sentence without a full stop.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
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
    /// How many pods change, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<String>,
    /// With `--running`: the number of running pods that were tried. `items` has the pending pods,
    /// and of these those that would be placed differently, or all if pods were named.
    #[serde(default)]
    pub running: Option<usize>,
    pub items: Vec<DecisionComparison>,
    /// With `--replay`: the running pods placed again; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
}

/// Running pods placed again, one after the other in the order of their start, by each scheduler.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Replay {
    /// How many pods were placed again.
    pub placed: usize,
    /// How many running pods stay where they are: not asked about, of DaemonSets, static,
    /// terminating, members of groups, or of other schedulers.
    pub staying: usize,
    /// The cluster of today, then as each scheduler leaves it.
    pub layouts: Vec<Layout>,
    /// The workloads that spread otherwise over zones, those that change most first.
    pub spreads: Vec<WorkloadSpread>,
    /// The pods that some scheduler puts elsewhere than another one.
    pub moved: Vec<MovedPod>,
}

/// How pods lie on the nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Layout {
    /// The scheduler; `today` for the first.
    pub by: String,
    /// How many pods are elsewhere than in the layout before.
    pub moved: usize,
    /// How many pods no node takes.
    pub without_node: usize,
    /// The plugins that decide about the moved pods, with the number of pods.
    pub plugins: Vec<PluginMoves>,
    /// How many nodes have any of the pods.
    pub nodes_used: usize,
    /// The most cpu and memory that is free on one node.
    pub largest_cpu: String,
    pub largest_memory: String,
}

/// How many pods a plugin decides about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PluginMoves {
    pub plugin: Text,
    pub pods: usize,
}

/// How unevenly the pods of a workload lie in the zones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkloadSpread {
    pub namespace: String,
    pub kind: String,
    pub name: String,
    /// The difference between the zones with the most and the fewest of its pods, by layout.
    pub skews: Vec<usize>,
}

/// Where a pod goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MovedPod {
    /// `namespace/name`.
    pub pod: String,
    /// Its node by layout; null where no node takes it.
    pub nodes: Vec<Option<String>>,
    /// The plugin that decides between each of these nodes and the next; null if they are the same.
    pub plugins: Vec<Option<Text>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    pub from: String,
    pub to: String,
    /// What changes, in a clause; empty if nothing does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What differs: `outcome`, `preFilter`, `filtered`, `scores`, `eligible`, `candidates`,
    /// `rejected`, `selected`, `message`, `conditionMessage`, `waiting`, `notes`.
    pub fields: Vec<Text>,
    /// The nodes about which the two differ.
    pub nodes: Vec<String>,
    /// How many rules the two versions do not share, whether or not they matter to this pod.
    pub rules_changed: usize,
    /// The rules that make this difference.
    pub rules: Vec<Rule>,
    /// The plugins that decide between the two: those of the rules, else the one that decides
    /// between the nodes.
    #[serde(default)]
    pub plugins: Vec<Text>,
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
