//! The contract of a score plugin, and the run of all of them over the feasible nodes.
//!
//! Upstream: `pkg/scheduler/framework/runtime/framework.go` `RunPreScorePlugins`, `RunScorePlugins` (1.37).

use super::plugin::{Cycle, RuleDoc};
use super::world::NodeInfo;
use crate::cluster::node::NodeIx;

/// The best score of a node by one plugin, before the plugin's weight.
pub const MAX_NODE_SCORE: i64 = 100;

/// A plugin with a Score, and maybe a PreScore.
pub trait ScorePlugin: Sync {
    /// What it says of itself.
    fn doc(&self) -> &'static RuleDoc;
    /// PreScore. `feasible` are the nodes that passed every filter, by name: two or more.
    fn prepare<'c>(&self, cycle: &Cycle<'c>, feasible: &[NodeIx]) -> PreparedScore<'c>;
}

/// The outcome of PreScore.
pub enum PreparedScore<'c> {
    /// The plugin has no opinion; it does not appear among the scores.
    Skip,
    /// The plugin failed; the scheduler gives up the cycle with this error.
    Failed(String),
    /// Ready to score.
    Ready(Box<dyn Score + 'c>),
}

impl<'c> PreparedScore<'c> {
    /// Ready to score.
    pub fn ready(score: impl Score + 'c) -> Self {
        Self::Ready(Box::new(score))
    }
}

/// Score, on the state that PreScore left.
pub trait Score: Send + Sync {
    /// The raw score of a feasible node.
    ///
    /// # Errors
    /// What upstream's Score fails with; it ends the cycle.
    fn score(&self, node: &NodeInfo) -> Result<i64, String>;

    /// NormalizeScore: raw scores of the feasible nodes, in their order, to 0..=[`MAX_NODE_SCORE`].
    fn normalize(&self, raw: &[i64]) -> Vec<i64> {
        raw.to_vec()
    }
}

/// `DefaultNormalizeScore`: the largest raw score becomes 100; `reverse` turns the result around.
///
/// Upstream: `pkg/scheduler/framework/plugins/helper/normalize_score.go` (1.37).
#[must_use]
pub fn normalize_by_max(raw: &[i64], reverse: bool) -> Vec<i64> {
    let max = raw.iter().copied().max().unwrap_or(0).max(0);
    if max == 0 {
        return if reverse { vec![MAX_NODE_SCORE; raw.len()] } else { raw.to_vec() };
    }
    let scaled = raw.iter().map(|score| MAX_NODE_SCORE.wrapping_mul(*score) / max);
    scaled.map(|s| if reverse { MAX_NODE_SCORE - s } else { s }).collect()
}
