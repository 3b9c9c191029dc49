//! What the scheduler itself may pick, as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::DecisionJson;
use scheduler::decision::sampling::{NodeProbability, Sampling, SamplingStage};

/// What the scheduler itself may pick: it stops looking before it has seen every node, and where it starts is chance.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AsScheduled")]
pub(super) struct JsonAsScheduled {
    /// What it picks from: `feasible` nodes, or candidates of `preemption`.
    kind: &'static str,
    /// Whether it may stop before it has seen all of them; if not, every start leads to the same.
    sampled: bool,
    /// The starts that were tried, each as likely as the others.
    starts: usize,
    /// The number of nodes or candidates after which it stops looking.
    sample_size: usize,
    /// The likeliest first. Probabilities sum up to 1.
    nodes: Vec<JsonShare>,
}

/// How likely a node is picked.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Share")]
struct JsonShare {
    name: String,
    /// Of the exact probability, in lowest terms; null where that takes numbers of more than 64 bits.
    numerator: Option<u64>,
    denominator: Option<u64>,
    /// 0 to 1.
    probability: f64,
    /// From how many starts it is one of the best.
    best_from: usize,
    /// From how many of them others are as good.
    tied_from: usize,
}

impl DecisionJson<'_> {
    pub(super) fn as_scheduled(&self, found: &Sampling) -> JsonAsScheduled {
        let share = |share: &NodeProbability| JsonShare {
            name: self.node(share.node),
            numerator: share.fraction.map(|(above, _)| above),
            denominator: share.fraction.map(|(_, below)| below),
            probability: share.probability,
            best_from: share.best,
            tied_from: share.tied,
        };
        JsonAsScheduled {
            kind: match found.stage {
                SamplingStage::Feasible => "feasible",
                SamplingStage::Preemption => "preemption",
            },
            sampled: found.sampled,
            starts: found.starts,
            sample_size: found.sample_size,
            nodes: found.nodes.iter().map(share).collect(),
        }
    }
}
