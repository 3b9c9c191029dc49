//! The selected nodes as JSON.

use json::decision::{Odds, OpenVictims, Selected, VictimSets};

use super::DecisionJson;
use engine::cluster::{NodeIx, PodIx};
use engine::decision::Decision;
use engine::decision::sampling::NodeProbability;

impl DecisionJson<'_> {
    pub(super) fn selected(&self, decision: &Decision) -> Selected {
        let mut nodes = decision.selected().to_vec();
        nodes.sort_unstable();
        let mut victims = Vec::new();
        for node in &nodes {
            let of_node = self.victim_sets(*node, decision);
            if !of_node.sets.is_empty() {
                victims.push(of_node);
            }
        }
        let odds = decision.odds();
        Selected {
            certainty: decision.certainty().name().into(),
            nodes: nodes.iter().map(|node| self.node(*node)).collect(),
            possible: odds.filter(|odds| !odds.complete).map(|odds| odds.possible),
            sample_size: odds.map(|odds| odds.sample_size),
            odds: odds.map_or(&[][..], |odds| &odds.nodes).iter().map(|n| self.odds(n)).collect(),
            victims,
        }
    }

    /// The possible sets of victims on a node, one of which is evicted, and what is uncertain about
    /// them.
    fn victim_sets(&self, node: NodeIx, decision: &Decision) -> VictimSets {
        let sets = decision.victim_sets(node);
        let open = decision.victim_choices(node).filter(|choices| !choices.is_settled());
        VictimSets {
            node: self.node(node),
            sets: sets.iter().map(|set| self.pods(set)).collect(),
            open: open.map(|choices| OpenVictims {
                fewest: choices.count().fewest,
                most: choices.count().most,
                always: self.pods(&choices.always()),
                among: self.pods(&choices.open()),
                complete: choices.complete,
            }),
        }
    }

    fn pods(&self, pods: &[PodIx]) -> Vec<String> {
        pods.iter().map(|pod| self.cluster.pod_name(*pod)).collect()
    }

    /// The probability of a node, as a fraction where it is known exactly.
    fn odds(&self, share: &NodeProbability) -> Odds {
        let probability = match share.fraction {
            Some((above, below)) => format!("{above}/{below}"),
            None => share.probability.to_string(),
        };
        Odds { node: self.node(share.node), probability }
    }
}
