//! The selected nodes as JSON.

use json::decision::{Odds, OpenVictims, Selected, VictimSets};

use super::DecisionJson;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use scheduler::decision::Decision;
use scheduler::decision::sampling::NodeProbability;

impl DecisionJson<'_> {
    pub(super) fn selected(&self, decision: &Decision) -> Selected {
        let mut nodes = decision.selected().to_vec();
        nodes.sort_unstable();
        let sets = |node: &NodeIx| {
            let sets = decision.victim_sets(*node);
            let names =
                |set: &Vec<PodIx>| set.iter().map(|pod| self.cluster.pod_name(*pod)).collect();
            let open = decision.victim_choices(*node).filter(|choices| !choices.is_settled());
            let open = open.map(|choices| OpenVictims {
                fewest: choices.count().fewest,
                most: choices.count().most,
                always: names(&choices.always()),
                among: names(&choices.open()),
                complete: choices.complete,
            });
            VictimSets { node: self.node(*node), sets: sets.iter().map(names).collect(), open }
        };
        let odds = |share: &NodeProbability| Odds {
            node: self.node(share.node),
            probability: share.fraction.map_or_else(
                || share.probability.to_string(),
                |(above, below)| format!("{above}/{below}"),
            ),
        };
        let victims = nodes.iter().map(sets).filter(|of_node| !of_node.sets.is_empty()).collect();
        Selected {
            certainty: decision.certainty().name().into(),
            nodes: nodes.iter().map(|node| self.node(*node)).collect(),
            possible: decision.odds().filter(|odds| !odds.complete).map(|odds| odds.possible),
            sample_size: decision.odds().map(|odds| odds.sample_size),
            odds: decision.odds().into_iter().flat_map(|found| &found.nodes).map(odds).collect(),
            victims,
        }
    }
}
