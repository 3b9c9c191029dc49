//! The selected nodes as JSON, and those that a sampling scheduler may pick.

use json::decision::{AsScheduled, Odds, OpenVictims, Selected, Share, VictimSets};

use super::{DecisionJson, node_names, pod_names};
use engine::cluster::NodeIx;
use engine::decision::Decision;
use engine::decision::sampling::{NodeProbability, Sampling, SamplingStage};

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
            nodes: node_names(&nodes, self.cluster),
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
            sets: sets.iter().map(|set| pod_names(set, self.cluster)).collect(),
            open: open.map(|choices| OpenVictims {
                fewest: choices.count().fewest,
                most: choices.count().most,
                always: pod_names(&choices.always(), self.cluster),
                among: pod_names(&choices.open(), self.cluster),
                complete: choices.complete,
            }),
        }
    }

    /// The probability of a node, as a fraction where it is known exactly.
    fn odds(&self, share: &NodeProbability) -> Odds {
        let probability = match share.fraction {
            Some((above, below)) => format!("{above}/{below}"),
            None => share.probability.to_string(),
        };
        Odds { node: self.node(share.node), probability }
    }

    pub(super) fn as_scheduled(&self, found: &Sampling) -> AsScheduled {
        let kind = match found.stage {
            SamplingStage::Feasible => "feasible",
            SamplingStage::Preemption => "preemption",
        };
        AsScheduled {
            kind: kind.into(),
            sampled: found.sampled,
            starts: found.starts,
            sample_size: found.sample_size,
            nodes: found.nodes.iter().map(|node| self.share(node)).collect(),
        }
    }

    fn share(&self, share: &NodeProbability) -> Share {
        Share {
            name: self.node(share.node),
            numerator: share.fraction.map(|(above, _)| above),
            denominator: share.fraction.map(|(_, below)| below),
            probability: share.probability,
            best_from: share.best,
            tied_from: share.tied,
        }
    }
}
