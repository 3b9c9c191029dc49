//! The trait of a score plugin, and the run of all of them over the feasible nodes.
//!
//! Upstream: `pkg/scheduler/framework/runtime/framework.go` `RunPreScorePlugins`, `RunScorePlugins`
//! (1.37).

mod sets;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::cluster_view::known_nodes::ScoreKey;
use super::cluster_view::{NodeInfo, PARALLEL_FROM};
use super::extender::{self, ExtenderScores};
use super::extender_client::ExtenderClient;
use super::failure::StepFailure;
use super::node_order;
use super::plugin::{Cycle, MAX_NODE_SCORE, Preparation, RuleDoc, Signer};
use model::cluster::NodeIx;
use model::parallel;
use profile::history::PluginLists;
use profile::registry;
pub(crate) use sets::NodeSets;

/// A plugin with a Score, and maybe a PreScore.
pub trait ScorePlugin: Signer + Sync {
    /// The plugin's documentation.
    fn doc(&self) -> &'static RuleDoc;
    /// PreScore. `feasible` are the nodes that passed every filter, by name: two or more.
    fn prepare<'c>(&self, cycle: &Cycle<'c>, feasible: &[NodeIx]) -> PreparedScore<'c>;

    /// The error of Score if a configuration disables PreScore of the plugin, whose name in the
    /// profile is `name`; `None` for a plugin that computes its state itself, or that needs none
    /// for this pod.
    fn error_without_pre_score(&self, _name: &str, _: &Cycle) -> Option<String> {
        None
    }

    /// The state if PreScore cannot skip the plugin: in versions that never skip it, or if a
    /// configuration disables PreScore and Score computes the state itself.
    fn prepare_without_pre_score<'c>(
        &self,
        cycle: &Cycle<'c>,
        feasible: &[NodeIx],
    ) -> PreparedScore<'c> {
        self.prepare(cycle, feasible)
    }
}

/// The score plugins of a profile, at both of their extension points.
#[derive(Default)]
pub struct ScorePlugins {
    /// PreScore, in order, whether or not Score of the plugin is enabled.
    pub pre_score: Vec<PreScorer>,
    /// Score, in order.
    pub score: Vec<Scorer>,
}

/// A plugin whose PreScore a profile runs.
pub struct PreScorer {
    /// Its name in the profile.
    pub name: &'static str,
    pub plugin: &'static dyn ScorePlugin,
}

/// A score plugin of a profile.
pub struct Scorer {
    /// Its name in the profile.
    pub name: &'static str,
    pub plugin: &'static dyn ScorePlugin,
    pub weight: i64,
    /// How its Score obtains the state that PreScore writes.
    pub pre_score: Preparation,
}

/// The result of PreScore.
pub enum PreparedScore<'c> {
    /// The plugin does not score this pod, and is not among the scores.
    Skip,
    /// The plugin failed, which ends the cycle.
    Failed(StepFailure),
    Ready(Box<dyn Score + 'c>),
}

impl<'c> PreparedScore<'c> {
    pub fn ready(score: impl Score + 'c) -> Self {
        Self::Ready(Box::new(score))
    }

    /// The plugin failed with this error.
    pub fn failed(error: impl Into<String>) -> Self {
        Self::Failed(StepFailure::Error(error.into()))
    }
}

/// The error of a plugin without the state of its PreScore; since 1.20 it starts with `begins`.
pub(crate) fn no_state(begins: &str, plugin: &str, cycle: &Cycle) -> String {
    let begins = if cycle.features().cycle.plugin_errors_short { begins } else { "Error reading" };
    format!("{begins} \"PreScore{plugin}\" from cycleState: not found")
}

/// The Score extension point, with the state that PreScore wrote.
pub trait Score: Send + Sync {
    /// The raw score of a feasible node.
    ///
    /// # Errors
    /// That of upstream's Score; it ends the cycle.
    fn score(&self, node: &NodeInfo) -> Result<i64, StepFailure>;

    /// What of the pod the raw score follows from, if it follows from that, the node and the pods on
    /// it alone: it then holds for every pod of which that is the same, while the node and its pods
    /// stay.
    fn known_by(&self) -> Option<ScoreKey> {
        None
    }

    /// NormalizeScore: raw scores of the feasible nodes, in their order, to 0..=`MAX_NODE_SCORE`.
    /// `None` for a plugin without it, whose raw scores count as they are.
    fn normalize(&self, raw: &[i64]) -> Option<Vec<i64>> {
        let _ = raw;
        None
    }

    /// The state that PreScore would have written if, of the feasible nodes, only these had been
    /// found; `None` for a plugin that does not look at which nodes are feasible, so that this state
    /// and the raw scores are those of every set of nodes.
    fn narrowed(&self, feasible: &[NodeIx]) -> Option<Box<dyn Score + '_>>;

    /// The same for nodes in groups, for a plugin that knows which of them it scores alike.
    fn grouped(&self) -> Option<&dyn GroupedScore> {
        None
    }
}

/// A plugin that tells before which nodes have the same score, whichever others are feasible.
pub trait GroupedScore {
    /// Adds to `key` what the score of a node depends on. Nodes with the same key have the same score
    /// in every set of nodes.
    fn add_key(&self, node: &NodeInfo, key: &mut Vec<i64>);

    /// How many nodes of these groups count. Sets of the same groups in which as many count have the
    /// same scores.
    fn counted(&self, groups: &[NodeGroup]) -> usize;

    /// The state that PreScore would have written if the nodes of these groups had been found. It
    /// is asked about the first node of each group.
    fn narrowed(&self, groups: &[NodeGroup]) -> Box<dyn Score + '_>;
}

/// Nodes that a plugin scores alike.
#[derive(Debug, Clone, Copy)]
pub struct NodeGroup {
    /// One of them.
    pub first: NodeIx,
    /// How many they are.
    pub count: usize,
}

/// Counts of pods by node, each counted when it is first asked for. States that are narrowed to
/// fewer nodes share them.
#[derive(Clone)]
pub(crate) enum CountsByNode {
    Asked(Arc<[OnceLock<i64>]>),
    /// Counted for an earlier decision.
    Known(Arc<Vec<i64>>),
}

impl CountsByNode {
    /// Nothing is counted yet on this many nodes.
    pub(crate) fn new(nodes: usize) -> Self {
        Self::Asked(std::iter::repeat_with(OnceLock::new).take(nodes).collect())
    }

    /// The count of a node. One that is known alone has other pods than that of the view.
    pub(crate) fn of(&self, node: &NodeInfo, count: impl FnOnce() -> i64) -> i64 {
        let at = node.node.0 as usize;
        match self {
            Self::Known(known) if !node.bare => known.get(at).copied().unwrap_or_else(count),
            Self::Asked(asked) if !node.bare => match asked.get(at) {
                Some(asked) => *asked.get_or_init(count),
                None => count(),
            },
            Self::Known(_) | Self::Asked(_) => count(),
        }
    }
}

/// `DefaultNormalizeScore`: scales the scores so that the largest becomes `best`; `reverse`
/// subtracts each from `best`.
///
/// Upstream: `pkg/scheduler/framework/plugins/helper/normalize_score.go` (1.37).
pub(crate) fn normalize_by_max(raw: &[i64], best: i64, reverse: bool) -> Vec<i64> {
    let max = raw.iter().copied().max().unwrap_or(0).max(0);
    if max == 0 {
        return if reverse { vec![best; raw.len()] } else { raw.to_vec() };
    }
    let scaled = raw.iter().map(|score| best.wrapping_mul(*score) / max);
    scaled.map(|s| if reverse { best - s } else { s }).collect()
}

/// A node and its known raw scores by plugin; `None` if it has yet to be scored.
pub(crate) type KeptScores<'s> = (NodeIx, Option<&'s [(&'static str, i64)]>);

/// The scores of the feasible nodes, by plugin and in total.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScoreTable {
    /// The feasible nodes, by name; one that an extender returned several times is listed as often.
    pub nodes: Vec<NodeIx>,
    /// The plugins that scored, in the profile's order.
    pub plugins: Vec<PluginScores>,
    pub extenders: Vec<ExtenderScores>,
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

/// The scores of the feasible nodes, with the state of each plugin: what it takes to score some of
/// these nodes by themselves, as a scheduler does that stops looking once it has found enough.
pub(crate) struct ScoredNodes<'c> {
    pub(crate) table: ScoreTable,
    /// The state of each plugin that scored, by name.
    states: BTreeMap<&'static str, Box<dyn Score + 'c>>,
}

impl ScoredNodes<'_> {
    /// The scores of some of the nodes, as if no other had been found. Extenders are not asked.
    ///
    /// # Errors
    /// The failure that ends the cycle.
    pub(crate) fn narrowed(
        &self,
        cycle: &Cycle,
        nodes: Vec<NodeIx>,
    ) -> Result<ScoreTable, StepFailure> {
        let at: Vec<usize> = nodes.iter().filter_map(|node| self.table.position(*node)).collect();
        let mut scored = Vec::with_capacity(self.table.plugins.len());
        for all in &self.table.plugins {
            let (plugin, weight) = (all.plugin, all.weight);
            let Some(state) = self.states.get(plugin) else { continue };
            // Most plugins know nothing of other nodes: what they found for all nodes holds.
            let (raw, normalized) = if let Some(narrowed) = state.narrowed(&nodes) {
                let raw = raw_scores(&*narrowed, cycle, &nodes)
                    .map_err(|failure| failure.map(|error| score_error(plugin, error, cycle)))?;
                let normalized = narrowed.normalize(&raw).unwrap_or_else(|| raw.clone());
                (raw, normalized)
            } else {
                let raw: Vec<i64> = at.iter().filter_map(|at| all.raw.get(*at).copied()).collect();
                let normalized = state.normalize(&raw).unwrap_or_else(|| raw.clone());
                (raw, normalized)
            };
            scored.push(PluginScores { plugin, weight, raw, normalized });
        }
        ScoreTable::of_scores(cycle, nodes, scored, None)
    }
}

impl ScoreTable {
    /// Runs PreScore, Score and NormalizeScore of `plugins` on the feasible `nodes`.
    ///
    /// # Errors
    /// The failure that ends the cycle.
    pub fn new(
        cycle: &Cycle,
        plugins: &ScorePlugins,
        nodes: Vec<NodeIx>,
    ) -> Result<Self, StepFailure> {
        Ok(Self::of_answer(cycle, plugins, nodes, false)?.table)
    }

    /// The same for nodes that an extender returned: a node may be listed several times, and `bare`
    /// ones are scored without their pods and images.
    ///
    /// # Errors
    /// The failure that ends the cycle.
    pub(crate) fn of_answer<'c>(
        cycle: &Cycle<'c>,
        plugins: &ScorePlugins,
        nodes: Vec<NodeIx>,
        bare: bool,
    ) -> Result<ScoredNodes<'c>, StepFailure> {
        if !bare {
            return Self::scored(
                cycle,
                plugins,
                nodes,
                |plugin, score: &dyn Score, nodes: &[NodeIx]| {
                    known_scores(plugin, score, cycle, nodes)
                },
            );
        }
        Self::scored(cycle, plugins, nodes, |_, score, nodes| {
            nodes.iter().map(|node| score.score(&NodeInfo::bare(*node))).collect()
        })
    }

    /// The same with `kept` raw scores, by plugin; a node without any is scored.
    ///
    /// Upstream: `pkg/scheduler/framework/runtime/batch.go` `rescoreHintedNode` (1.37).
    ///
    /// # Errors
    /// The failure of a plugin.
    pub(crate) fn with_kept(
        cycle: &Cycle,
        plugins: &ScorePlugins,
        nodes: &[KeptScores],
    ) -> Result<Self, StepFailure> {
        let all = nodes.iter().map(|(node, _)| *node).collect();
        let scored = Self::scored(cycle, plugins, all, |plugin, score, _| {
            nodes
                .iter()
                .map(|(node, kept)| match kept {
                    Some(kept) => {
                        Ok(kept.iter().find(|(name, _)| *name == plugin).map_or(0, |(_, raw)| *raw))
                    }
                    None => score.score(cycle.view.info(*node)),
                })
                .collect()
        });
        Ok(scored?.table)
    }

    /// Runs the plugins; `raw` is the Score of one of them for all nodes.
    fn scored<'c>(
        cycle: &Cycle<'c>,
        plugins: &ScorePlugins,
        nodes: Vec<NodeIx>,
        raw: impl Fn(&'static str, &dyn Score, &[NodeIx]) -> Result<Vec<i64>, StepFailure>,
    ) -> Result<ScoredNodes<'c>, StepFailure> {
        let asks_extenders = !cycle.view.profile.extenders.is_empty();
        if plugins.score.is_empty() && !asks_extenders {
            // Without any score plugin and extender every node has the same score, and PreScore
            // does not run.
            let alike = i64::from(!cycle.features().cycle.no_score_is_zero);
            let totals = vec![alike; nodes.len()];
            let table = Self { nodes, plugins: Vec::new(), extenders: Vec::new(), totals };
            return Ok(ScoredNodes { table, states: BTreeMap::new() });
        }

        // PreScore of all plugins runs before any Score, and each plugin normalizes the scores of
        // all nodes at once.
        let mut prepared = run_pre_score(cycle, &plugins.pre_score, &nodes)?;
        let (mut scored, mut states) = (Vec::with_capacity(plugins.score.len()), BTreeMap::new());
        for scorer in &plugins.score {
            let (plugin, weight) = (scorer.name, scorer.weight);
            let failed =
                |failure: StepFailure| failure.map(|error| score_error(plugin, error, cycle));
            let score = match prepared.remove(plugin) {
                Some(PreScored::Skipped) => continue,
                Some(PreScored::Ready(score)) => score,
                None => scorer.without_pre_score(cycle, &nodes).map_err(failed)?,
            };
            let raw = raw(plugin, &*score, &nodes).map_err(failed)?;
            let normalized = score.normalize(&raw).unwrap_or_else(|| raw.clone());
            scored.push(PluginScores { plugin, weight, raw, normalized });
            states.insert(plugin, score);
        }
        let table = Self::of_scores(cycle, nodes, scored, cycle.view.extender_client)?;
        Ok(ScoredNodes { table, states })
    }

    /// Checks the scores of plugins, and sums them up with those of extenders.
    ///
    /// # Errors
    /// The error of a score that is out of range.
    fn of_scores(
        cycle: &Cycle,
        nodes: Vec<NodeIx>,
        plugins: Vec<PluginScores>,
        extenders: Option<&dyn ExtenderClient>,
    ) -> Result<Self, StepFailure> {
        if cycle.features().cycle.scores_checked {
            check_ranges(&plugins, || in_scheduler_order(&nodes, cycle))
                .map_err(|error| range_error(&error, cycle))?;
        }
        // Extenders add to the weighted sum; their scores are not normalized.
        let extenders =
            extenders.map(|ask| extender::scores(cycle, ask, &nodes)).unwrap_or_default();
        let mut totals = vec![0; nodes.len()];
        for plugin in &plugins {
            for (total, score) in totals.iter_mut().zip(&plugin.normalized) {
                *total += score * plugin.weight;
            }
        }
        for extender in &extenders {
            for (total, score) in totals.iter_mut().zip(&extender.added) {
                *total = total.wrapping_add(*score);
            }
        }
        Ok(Self { nodes, plugins, extenders, totals })
    }

    /// The nodes with the highest total; the scheduler picks one of them at random.
    pub fn best(&self) -> Vec<NodeIx> {
        let highest = self.totals.iter().max();
        let best = self.nodes.iter().zip(&self.totals).filter(|(_, t)| Some(*t) == highest);
        let mut best: Vec<NodeIx> = best.map(|(node, _)| *node).collect();
        // An extender may have returned a node several times.
        best.dedup();
        best
    }

    /// The position of a feasible node in the lists of this table.
    pub fn position(&self, node: NodeIx) -> Option<usize> {
        self.nodes.binary_search(&node).ok()
    }
}

/// PreScore's result, as Score uses it.
enum PreScored<'c> {
    /// Score does not run.
    Skipped,
    /// The state of Score.
    Ready(Box<dyn Score + 'c>),
}

/// Runs PreScore of `plugins`. The first error ends the cycle, even that of a plugin whose Score is
/// disabled.
fn run_pre_score<'c>(
    cycle: &Cycle<'c>,
    plugins: &[PreScorer],
    nodes: &[NodeIx],
) -> Result<BTreeMap<&'static str, PreScored<'c>>, StepFailure> {
    let mut states = BTreeMap::new();
    for PreScorer { name, plugin } in plugins {
        let may_skip = registry::may_skip_score(name, cycle.features());
        let prepared = if may_skip {
            plugin.prepare(cycle, nodes)
        } else {
            plugin.prepare_without_pre_score(cycle, nodes)
        };
        let state = match prepared {
            PreparedScore::Skip if may_skip => PreScored::Skipped,
            PreparedScore::Skip => PreScored::Ready(Box::new(ZeroScore)),
            PreparedScore::Failed(failure) => {
                return Err(failure.map(|error| pre_score_error(name, error, cycle)));
            }
            PreparedScore::Ready(score) => PreScored::Ready(score),
        };
        states.insert(*name, state);
    }
    Ok(states)
}

impl Scorer {
    /// The state of a Score whose PreScore did not run, or the error of Score.
    fn without_pre_score<'c>(
        &self,
        cycle: &Cycle<'c>,
        nodes: &[NodeIx],
    ) -> Result<Box<dyn Score + 'c>, StepFailure> {
        let disabled = self.pre_score == Preparation::Disabled;
        if let Some(error) =
            disabled.then(|| self.plugin.error_without_pre_score(self.name, cycle)).flatten()
        {
            return Err(StepFailure::Error(error));
        }
        match self.plugin.prepare_without_pre_score(cycle, nodes) {
            // Only PreScore can skip a plugin.
            PreparedScore::Skip => Ok(Box::new(ZeroScore)),
            PreparedScore::Failed(failure) => Err(failure),
            PreparedScore::Ready(score) => Ok(score),
        }
    }
}

fn pre_score_error(plugin: &str, error: &str, cycle: &Cycle) -> String {
    if cycle.features().cycle.plugin_errors_short {
        format!("running PreScore plugin {plugin:?}: {error}")
    } else {
        format!(
            "error while running {plugin:?} prescore plugin for pod {:?}: {error}",
            cycle.pod.name
        )
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

fn range_error(error: &str, cycle: &Cycle) -> String {
    if cycle.features().cycle.plugin_errors_short {
        format!("applying score defaultWeights on Score plugins: {error}")
    } else {
        format!(
            "error while applying score defaultWeights for pod {:?}: score {error}",
            cycle.pod.name
        )
    }
}

/// A score of 0, for a plugin whose Score runs although there is nothing to score.
struct ZeroScore;

impl Score for ZeroScore {
    fn score(&self, _: &NodeInfo) -> Result<i64, StepFailure> {
        Ok(0)
    }

    fn narrowed(&self, _: &[NodeIx]) -> Option<Box<dyn Score + '_>> {
        None
    }
}

fn raw_scores(score: &dyn Score, cycle: &Cycle, nodes: &[NodeIx]) -> Result<Vec<i64>, StepFailure> {
    // Where decisions are remembered, many are made, beside others: threads would cost more than they
    // save.
    let least = if cycle.view.known_nodes.is_some() { usize::MAX } else { PARALLEL_FROM };
    parallel::map(nodes, least, |node| score.score(cycle.view.info(*node)))
}

/// Scores of all nodes are kept where at least one of this many nodes takes the pod.
const MOST_SPARE: usize = 16;

/// The same, of which those of nodes that have not changed may be known from earlier decisions.
fn known_scores(
    plugin: &'static str,
    score: &dyn Score,
    cycle: &Cycle,
    nodes: &[NodeIx],
) -> Result<Vec<i64>, StepFailure> {
    // Of a pod that few nodes take, the others need no score.
    let takes_many = nodes.len() >= cycle.view.infos().len() / MOST_SPARE;
    let key = score.known_by().filter(|_| takes_many);
    let known = cycle.view.known_nodes.as_ref().zip(key).and_then(|(known, key)| {
        known.scores(cycle.view, (plugin, key), |infos| {
            parallel::map(infos, PARALLEL_FROM, |info| score.score(info).ok())
        })
    });
    let Some(known) = known else { return raw_scores(score, cycle, nodes) };
    let mut raw = Vec::with_capacity(nodes.len());
    for node in nodes {
        raw.push(match known.get(node.0 as usize) {
            Some(Some(known)) => *known,
            _ => score.score(cycle.view.info(*node))?,
        });
    }
    Ok(raw)
}

/// The indices of the nodes in the scheduler's order.
fn in_scheduler_order(nodes: &[NodeIx], cycle: &Cycle) -> Vec<usize> {
    let order = node_order::by_zone(cycle.view);
    order.iter().filter_map(|node| nodes.iter().position(|other| other == node)).collect()
}

/// Checks that the scheduler accepts all scores. `in_order` gives the indices of the nodes in its
/// order.
///
/// # Errors
/// The first score that it rejects.
fn check_ranges(
    scored: &[PluginScores],
    in_order: impl FnOnce() -> Vec<usize>,
) -> Result<(), String> {
    let valid = 0..=MAX_NODE_SCORE;
    if scored.iter().flat_map(|plugin| &plugin.normalized).all(|score| valid.contains(score)) {
        return Ok(());
    }
    // Parity: nodes are checked in the scheduler's order, all scores of one node together.
    for index in in_order() {
        for plugin in scored {
            let Some(score) = plugin.normalized.get(index).filter(|score| !valid.contains(score))
            else {
                continue;
            };
            let plugin = plugin.plugin;
            return Err(format!(
                "plugin \"{plugin}\" returns an invalid score {score}, it should in the range of [0, {MAX_NODE_SCORE}] \
                 after normalizing"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
