//! The decisions of several schedulers for one snapshot, as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use engine::json::{JsonDecision, JsonPod, SourceKind};

use engine::cluster::Cluster;
use engine::cluster::node::NodeIx;
use engine::decision::compare::{Aspect, Cause, Comparison, Difference};
use engine::profile::change;
use engine::snapshot::API_VERSION;

/// The decisions of several schedulers for one pod.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DecisionComparison")]
pub struct JsonComparison {
    api_version: &'static str,
    kind: &'static str,
    pod: JsonPod,
    /// Whether all decisions are the same.
    same: bool,
    /// One per version, in the order in which they were named.
    items: Vec<JsonDecision>,
    /// Between each version and the next.
    differences: Vec<JsonDifference>,
}

/// Several pods.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DecisionComparisonList")]
pub struct JsonComparisonList {
    api_version: &'static str,
    kind: &'static str,
    items: Vec<JsonComparison>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Difference")]
struct JsonDifference {
    from: String,
    to: String,
    /// What differs: `outcome`, `preFilter`, `filtered`, `scores`, `eligible`, `candidates`, `rejected`, `selected`,
    /// `message`, `conditionMessage`, `waiting`, `notes`.
    fields: Vec<&'static str>,
    /// The nodes about which the two differ.
    nodes: Vec<String>,
    /// How many rules the two versions do not share, whether or not they matter to this pod.
    rules_changed: usize,
    /// The rules that make this difference.
    rules: Vec<JsonRule>,
    /// Whether the search for rules came to its end; else some of them may not matter.
    complete: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Rule")]
struct JsonRule {
    /// Its name in docs/VERSIONS.md.
    field: &'static str,
    summary: &'static str,
    /// Feature gate that decides it.
    gate: Option<&'static str>,
    /// Whether it holds in `to`; in `from` it is the other way round.
    holds: bool,
    /// The version that brought the rule or did away with it; null if a gate that is set decides.
    since: Option<String>,
    /// Where upstream says so.
    source: &'static str,
    url: Option<String>,
    /// The fields of the difference that depend on it.
    fields: Vec<&'static str>,
    /// About which nodes.
    nodes: Vec<String>,
}

impl JsonComparison {
    /// The output type of a comparison; `None` of no decisions.
    #[must_use]
    pub fn new(comparison: &Comparison, source: SourceKind) -> Option<Self> {
        let first = comparison.decisions.first()?;
        let cluster = first.view.cluster;
        let pairs = comparison.decisions.windows(2).zip(&comparison.differences);
        let versions = pairs.filter_map(|(pair, difference)| match pair {
            [from, to] => {
                Some(JsonDifference::new([from, to].map(|d| d.profile().version.to_string()), difference, cluster))
            }
            _ => None,
        });
        Some(Self {
            api_version: API_VERSION,
            kind: "DecisionComparison",
            pod: JsonPod::new(cluster, first.pod),
            same: comparison.same(),
            items: comparison.decisions.iter().map(|d| JsonDecision::new(d, source)).collect(),
            differences: versions.collect(),
        })
    }
}

impl JsonComparisonList {
    /// A list of comparisons.
    #[must_use]
    pub fn new(items: Vec<JsonComparison>) -> Self {
        Self { api_version: API_VERSION, kind: "DecisionComparisonList", items }
    }
}

impl JsonDifference {
    fn new([from, to]: [String; 2], difference: &Difference, cluster: &Cluster) -> Self {
        Self {
            from,
            to,
            fields: names(&difference.aspects),
            nodes: node_names(&difference.nodes, cluster),
            rules_changed: difference.changed,
            rules: difference.causes.iter().map(|cause| JsonRule::new(cause, cluster)).collect(),
            complete: difference.complete,
        }
    }
}

impl JsonRule {
    fn new(cause: &Cause, cluster: &Cluster) -> Self {
        let (row, about) = (cause.change.row, cause.change.about);
        Self {
            field: row.field,
            summary: about.summary.trim(),
            gate: row.gate,
            holds: cause.change.holds,
            since: cause.change.by_version.then(|| about.since.release_text()),
            source: about.source,
            url: change::link(about.source),
            fields: names(&cause.aspects),
            nodes: node_names(&cause.nodes, cluster),
        }
    }
}

fn node_names(nodes: &[NodeIx], cluster: &Cluster) -> Vec<String> {
    nodes.iter().map(|node| cluster.text(cluster.node(*node).name).to_owned()).collect()
}

fn names(aspects: &[Aspect]) -> Vec<&'static str> {
    aspects.iter().map(|aspect| aspect.name()).collect()
}
