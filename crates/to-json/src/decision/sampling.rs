//! The nodes that a sampling scheduler may pick, as JSON.

use json::decision::{AsScheduled, Share};

use super::DecisionJson;
use engine::decision::sampling::{NodeProbability, Sampling, SamplingStage};

impl DecisionJson<'_> {
    pub(super) fn as_scheduled(&self, found: &Sampling) -> AsScheduled {
        let share = |share: &NodeProbability| Share {
            name: self.node(share.node),
            numerator: share.fraction.map(|(above, _)| above),
            denominator: share.fraction.map(|(_, below)| below),
            probability: share.probability,
            best_from: share.best,
            tied_from: share.tied,
        };
        AsScheduled {
            kind: match found.stage {
                SamplingStage::Feasible => "feasible",
                SamplingStage::Preemption => "preemption",
            }
            .into(),
            sampled: found.sampled,
            starts: found.starts,
            sample_size: found.sample_size,
            nodes: found.nodes.iter().map(share).collect(),
        }
    }
}
