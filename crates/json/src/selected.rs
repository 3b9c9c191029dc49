//! Where the pod goes, as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::DecisionJson;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use scheduler::decision::Decision;
use scheduler::decision::sampling::NodeProbability;

/// Where the pod goes, or would be nominated to.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Selected")]
pub(super) struct JsonSelected {
    /// `Certain`; `OneOf` (a tie, or an order that the API does not show); `Sampled` (kube-scheduler does not look at every
    /// node); `Unsure` (a note of severity error may change the answer).
    pub(super) certainty: &'static str,
    /// Every node that may be chosen, by name.
    pub(super) nodes: Vec<String>,
    /// How many nodes may be chosen, if there may be others than `nodes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) possible: Option<usize>,
    /// Where kube-scheduler does not look at every node: the number of nodes that fit, or of candidates, after which it stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sample_size: Option<usize>,
    /// The most likely node first, where sampling makes the odds known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) odds: Vec<JsonOdds>,
    /// The pods that may be evicted on each of `nodes`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) victims: Vec<JsonVictimSets>,
}

/// How likely a node is chosen.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Odds")]
pub(super) struct JsonOdds {
    pub(super) node: String,
    /// A fraction in lowest terms such as `7/50`, exact if `selected.possible` is absent.
    pub(super) probability: String,
}

/// The pods that may be evicted on a node: one of the sets.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "VictimSets")]
pub(super) struct JsonVictimSets {
    pub(super) node: String,
    /// Pods as `namespace/name`. The first set is that of the dry run, unless another node wins with it; the others arise from
    /// orders that the API does not show.
    pub(super) sets: Vec<Vec<String>>,
    /// Where the order of equally important pods decides: what it leaves open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) open: Option<JsonOpenVictims>,
}

/// What the order of equally important pods leaves open.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "OpenVictims")]
pub(super) struct JsonOpenVictims {
    /// The smallest number of victims.
    pub(super) fewest: usize,
    /// The largest number of victims.
    pub(super) most: usize,
    /// The pods that are evicted in any order.
    pub(super) always: Vec<String>,
    /// The pods some of which are evicted.
    pub(super) among: Vec<String>,
    /// Whether `fewest`, `most` and `among` hold for every order. If not, there are too many orders to try each.
    pub(super) complete: bool,
}

impl DecisionJson<'_> {
    pub(super) fn selected(&self, decision: &Decision) -> JsonSelected {
        let mut nodes = decision.selected.clone();
        nodes.sort_unstable();
        let sets = |node: &NodeIx| {
            let sets = decision.victim_sets(*node);
            let names = |set: &Vec<PodIx>| set.iter().map(|pod| self.cluster.pod_name(*pod)).collect();
            let open = decision.victim_choices(*node).filter(|choices| !choices.is_settled());
            let open = open.map(|choices| JsonOpenVictims {
                fewest: choices.count().fewest,
                most: choices.count().most,
                always: names(&choices.always()),
                among: names(&choices.open()),
                complete: choices.complete,
            });
            JsonVictimSets { node: self.node(*node), sets: sets.iter().map(names).collect(), open }
        };
        let odds = |share: &NodeProbability| JsonOdds {
            node: self.node(share.node),
            probability: share
                .fraction
                .map_or_else(|| share.probability.to_string(), |(above, below)| format!("{above}/{below}")),
        };
        let victims = nodes.iter().map(sets).filter(|of_node| !of_node.sets.is_empty()).collect();
        JsonSelected {
            certainty: decision.certainty().name(),
            nodes: nodes.iter().map(|node| self.node(*node)).collect(),
            possible: decision.odds.as_ref().filter(|odds| !odds.complete).map(|odds| odds.possible),
            sample_size: decision.odds.as_ref().map(|odds| odds.sample_size),
            odds: decision.odds.iter().flat_map(|found| &found.nodes).map(odds).collect(),
            victims,
        }
    }
}
