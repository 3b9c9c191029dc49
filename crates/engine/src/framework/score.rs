//! The trait of a score plugin, and the run of all of them over the feasible nodes.
//!
//! Upstream: `pkg/scheduler/framework/runtime/framework.go` `RunPreScorePlugins`, `RunScorePlugins` (1.37).

use rayon::prelude::*;

use super::cluster_view::{NodeInfo, PARALLEL_FROM};
use super::extender::{self, ExtenderScores};
use super::plugin::{Cycle, MAX_NODE_SCORE, Preparation, RuleDoc};
use crate::cluster::node::NodeIx;
use crate::profile::history::PluginLists;
use crate::profile::registry;

/// A plugin with a Score, and maybe a PreScore.
pub trait ScorePlugin: Sync {
    /// The plugin's documentation.
    fn doc(&self) -> &'static RuleDoc;
    /// PreScore. `feasible` are the nodes that passed every filter, by name: two or more.
    fn prepare<'c>(&self, cycle: &Cycle<'c>, feasible: &[NodeIx]) -> PreparedScore<'c>;

    /// The error of Score when a configuration disables only the plugin's PreScore; `None` for a plugin that computes
    /// its state itself.
    fn error_without_pre_score(&self) -> Option<&'static str> {
        None
    }

    /// The state that Score computes itself when a configuration disables only PreScore.
    fn prepare_without_pre_score<'c>(&self, cycle: &Cycle<'c>, feasible: &[NodeIx]) -> PreparedScore<'c> {
        self.prepare(cycle, feasible)
    }
}

/// A score plugin of a profile.
pub struct Scorer {
    /// The name under which the profile knows it.
    pub name: &'static str,
    /// The plugin.
    pub plugin: &'static dyn ScorePlugin,
    /// Its weight.
    pub weight: i64,
    /// How its Score obtains the state that PreScore writes.
    pub pre_score: Preparation,
}

/// The result of PreScore.
pub enum PreparedScore<'c> {
    /// The plugin does not score this pod; it does not appear among the scores.
    Skip,
    /// The plugin failed, which ends the cycle with this error.
    Failed(String),
    /// The score is ready.
    Ready(Box<dyn Score + 'c>),
}

impl<'c> PreparedScore<'c> {
    /// The score is ready.
    pub fn ready(score: impl Score + 'c) -> Self {
        Self::Ready(Box::new(score))
    }
}

/// The Score extension point, with the state that PreScore wrote.
pub trait Score: Send + Sync {
    /// The raw score of a feasible node.
    ///
    /// # Errors
    /// The error of upstream's Score; it ends the cycle.
    fn score(&self, node: &NodeInfo) -> Result<i64, String>;

    /// NormalizeScore: raw scores of the feasible nodes, in their order, to 0..=`MAX_NODE_SCORE`.
    fn normalize(&self, raw: &[i64]) -> Vec<i64> {
        raw.to_vec()
    }
}

/// `DefaultNormalizeScore`: scales the scores so that the largest becomes `best`; `reverse` subtracts each from `best`.
///
/// Upstream: `pkg/scheduler/framework/plugins/helper/normalize_score.go` (1.37).
#[must_use]
pub(crate) fn normalize_by_max(raw: &[i64], best: i64, reverse: bool) -> Vec<i64> {
    let max = raw.iter().copied().max().unwrap_or(0).max(0);
    if max == 0 {
        return if reverse { vec![best; raw.len()] } else { raw.to_vec() };
    }
    let scaled = raw.iter().map(|score| best.wrapping_mul(*score) / max);
    scaled.map(|s| if reverse { best - s } else { s }).collect()
}

/// The scores of the feasible nodes, by plugin and in total.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScoreTable {
    /// The feasible nodes, by name.
    pub nodes: Vec<NodeIx>,
    /// The plugins that scored, in the profile's order.
    pub plugins: Vec<PluginScores>,
    /// The extenders that scored.
    pub(crate) extenders: Vec<ExtenderScores>,
    /// Sum of the weighted scores, by node.
    pub totals: Vec<i64>,
}

/// The scores of one plugin for every feasible node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginScores {
    /// Plugin name.
    pub plugin: &'static str,
    /// Its weight in the profile.
    pub weight: i64,
    /// The raw score, by node.
    pub raw: Vec<i64>,
    /// The normalized score, 0 to 100, by node.
    pub normalized: Vec<i64>,
}

impl ScoreTable {
    /// Runs PreScore, Score and NormalizeScore of `plugins`, which are in the profile's order, on the feasible `nodes`.
    ///
    /// # Errors
    /// The error that ends the cycle.
    pub fn new(cycle: &Cycle, plugins: &[Scorer], nodes: Vec<NodeIx>) -> Result<Self, String> {
        let mut ready = Vec::with_capacity(plugins.len());
        for Scorer { name, plugin, weight, pre_score } in plugins {
            let error = plugin.error_without_pre_score().filter(|_| *pre_score == Preparation::Disabled);
            if let Some(error) = error {
                return Err(score_error(name, error, cycle));
            }
            let runs = *pre_score == Preparation::Runs && registry::may_skip_score(name, cycle.features());
            let prepared =
                if runs { plugin.prepare(cycle, &nodes) } else { plugin.prepare_without_pre_score(cycle, &nodes) };
            match prepared {
                // Only PreScore can skip a plugin.
                PreparedScore::Skip if runs => {}
                PreparedScore::Skip => ready.push((*name, *weight, Box::new(ZeroScore) as Box<dyn Score>)),
                PreparedScore::Failed(e) => return Err(pre_score_error(name, &e, cycle)),
                PreparedScore::Ready(score) => ready.push((*name, *weight, score)),
            }
        }
        let mut scored = Vec::with_capacity(ready.len());
        for (plugin, weight, score) in ready {
            let raw = raw_scores(&*score, cycle, &nodes).map_err(|e| score_error(plugin, &e, cycle))?;
            let normalized = score.normalize(&raw);
            scored.push(PluginScores { plugin, weight, raw, normalized });
        }
        scored.iter().try_for_each(PluginScores::check_range)?;
        let extenders = cycle.view.extender_client.map(|ask| extender::scores(cycle, ask, &nodes)).unwrap_or_default();
        // Without any score plugin every node has the same score.
        let mut totals = vec![i64::from(scored.is_empty() && extenders.is_empty()); nodes.len()];
        for plugin in &scored {
            totals.iter_mut().zip(&plugin.normalized).for_each(|(total, score)| *total += score * plugin.weight);
        }
        for ExtenderScores { added, .. } in &extenders {
            totals.iter_mut().zip(added).for_each(|(total, score)| *total = total.saturating_add(*score));
        }
        Ok(Self { nodes, plugins: scored, extenders, totals })
    }

    /// The nodes with the highest total; the scheduler picks one of them at random.
    #[must_use]
    pub fn best(&self) -> Vec<NodeIx> {
        let highest = self.totals.iter().max();
        self.nodes.iter().zip(&self.totals).filter(|(_, t)| Some(*t) == highest).map(|(node, _)| *node).collect()
    }

    /// The position of a feasible node in the lists of this table.
    #[must_use]
    pub fn position(&self, node: NodeIx) -> Option<usize> {
        self.nodes.binary_search(&node).ok()
    }
}

fn pre_score_error(plugin: &str, error: &str, cycle: &Cycle) -> String {
    if cycle.features().cycle.plugin_errors_short {
        format!("running PreScore plugin {plugin:?}: {error}")
    } else {
        format!("error while running {plugin:?} prescore plugin for pod {:?}: {error}", cycle.pod.name)
    }
}

fn score_error(plugin: &str, error: &str, cycle: &Cycle) -> String {
    let features = cycle.features();
    if features.cycle.plugin_errors_short {
        format!("running Score plugins: plugin {plugin:?} failed with: {error}")
    } else if features.default_plugins.plugin_lists != PluginLists::Predicates {
        format!("error while running score plugin for pod {:?}: {error}", cycle.pod.name)
    } else {
        error.to_owned()
    }
}

/// The score 0, for a plugin whose Score runs although it has nothing to score.
struct ZeroScore;

impl Score for ZeroScore {
    fn score(&self, _: &NodeInfo) -> Result<i64, String> {
        Ok(0)
    }
}

fn raw_scores(score: &dyn Score, cycle: &Cycle, nodes: &[NodeIx]) -> Result<Vec<i64>, String> {
    let of_node = |node: &NodeIx| score.score(cycle.view.info(*node));
    if nodes.len() < PARALLEL_FROM {
        nodes.iter().map(of_node).collect()
    } else {
        nodes.par_iter().map(of_node).collect()
    }
}

impl PluginScores {
    fn check_range(&self) -> Result<(), String> {
        match self.normalized.iter().find(|score| !(0..=MAX_NODE_SCORE).contains(*score)) {
            None => Ok(()),
            Some(score) => Err(format!(
                "applying score defaultWeights on Score plugins: plugin \"{}\" returns an invalid score {score}, it \
                 should in the range of [0, {MAX_NODE_SCORE}] after normalizing",
                self.plugin
            )),
        }
    }
}

#[cfg(test)]
mod tests;
