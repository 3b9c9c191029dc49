//! The nodes that the scheduler may pick with sampling. A decision evaluates every node, while the scheduler starts at
//! some node and stops once it has found enough. Here the result is computed for every possible start, and the
//! probability of each node follows from the counts.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `findNodesThatPassFilters`, `pkg/scheduler/framework/preemption/preemption.go`
//! `DryRunPreemption` (1.37), as one worker runs them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rayon::prelude::*;

use super::notes::{self, SAMPLING};
use super::{Decision, Outcome};
use crate::cluster::node::NodeIx;
use crate::cluster::notes::Note;
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::node_order;
use crate::framework::nodes_to_find;
use crate::framework::plugin::Cycle;
use crate::framework::score::ScoreTable;
use crate::plugins;
use crate::preemption::PreemptionReport;
use crate::preemption::dry_run::DryRun;
use crate::preemption::pick_node;

/// The most sets of nodes that are scored.
const SETS_SCORED: usize = 512;

/// The nodes at which the scheduler may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Starts {
    /// Every node, with equal probability.
    All,
    /// The node with this number in the scheduler's order, modulo the number of nodes.
    Seed(u64),
}

/// The set from which the scheduler picks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SamplingStage {
    /// The feasible nodes.
    Feasible,
    /// The candidates for preemption.
    Preemption,
}

/// The nodes that the scheduler may pick with sampling, with their probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    /// The set from which it picks.
    pub stage: SamplingStage,
    /// Whether it may stop before it has evaluated all nodes.
    pub sampled: bool,
    /// The number of starts that were evaluated; 1 if all of them lead to the same result.
    pub starts: usize,
    /// The number of nodes or candidates after which the scheduler stops.
    pub sample_size: usize,
    /// The nodes that it may pick, the most probable first. Their probabilities add up to 1.
    pub nodes: Vec<NodeProbability>,
}

/// The probability with which a node is picked.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeProbability {
    /// The node.
    pub node: NodeIx,
    /// The number of starts from which it is one of the best nodes.
    pub best: usize,
    /// The number of these starts from which other nodes tie with it.
    pub tied: usize,
    /// The exact probability as a fraction in lowest terms; `None` if it does not fit in 64 bits.
    pub fraction: Option<(u64, u64)>,
    /// The probability.
    pub probability: f64,
}

/// The result of one or more starts.
struct StartResult {
    /// The number of starts.
    starts: usize,
    /// The best nodes, without duplicates.
    best: Vec<NodeIx>,
}

impl Decision<'_> {
    /// Computes which nodes the scheduler may pick, and adds notes about the assumptions. Nothing is computed if the
    /// scheduler selects no node. If extenders are called, they are called for every set of nodes.
    pub fn enumerate(&mut self, starts: Starts, now: Timestamp) {
        let found = match (self.outcome, &self.scores, &self.preemption) {
            (Outcome::Schedulable, Some(table), _) => self.among_feasible(table, starts),
            (Outcome::Schedulable, None, _) => {
                let end = StartResult { starts: 1, best: self.selected.clone() };
                Ok(Sampling::new(SamplingStage::Feasible, false, self.selected.len(), &[end]))
            }
            (Outcome::Preempt, _, Some(report)) => Ok(self.among_candidates(report, starts, now)),
            (Outcome::Preempt | Outcome::Unschedulable | Outcome::NotInQueue, ..) => return,
        };
        let added = match &found {
            Ok(found) => self.assumptions(found, starts),
            Err(error) => vec![Note::warning(SAMPLING, format!("some starts end the cycle: {error}"))],
        };
        self.sampling = found.ok();
        self.notes.extend(added);
        notes::sort(&mut self.notes);
    }

    /// The nodes that are `wanted`, in the scheduler's order.
    fn in_order(&self, wanted: impl Fn(NodeIx) -> bool) -> Vec<NodeIx> {
        node_order::by_zone(self.view).into_iter().filter(|node| wanted(*node)).collect()
    }

    fn verdict_is(&self, node: NodeIx, verdict: &NodeVerdict) -> bool {
        self.nodes.get(node.0 as usize) == Some(verdict)
    }

    /// # Errors
    /// The error of scoring one of the sets of nodes.
    fn among_feasible(&self, table: &ScoreTable, starts: Starts) -> Result<Sampling, String> {
        let order = self.in_order(|node| !self.verdict_is(node, &NodeVerdict::ExcludedByPreFilter));
        let enough = nodes_to_find::enough(self.profile(), order.len());
        let (at, feasible): (Vec<usize>, Vec<NodeIx>) = order
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, node)| self.verdict_is(*node, &NodeVerdict::Feasible))
            .unzip();
        if feasible.len() <= enough {
            let end = StartResult { starts: 1, best: table.best() };
            return Ok(Sampling::new(SamplingStage::Feasible, false, enough, &[end]));
        }
        // All starts between two feasible nodes lead to the same set of nodes.
        let mut windows: BTreeMap<usize, usize> = BTreeMap::new();
        for start in positions(starts, order.len(), feasible.len()) {
            *windows.entry(at.partition_point(|feasible_at| *feasible_at < start) % feasible.len()).or_default() += 1;
        }
        let cycle = Cycle::of(self.view, self.pod, self.now);
        let plugins = plugins::scores(&self.profile().plugins);
        let windows: Vec<(usize, usize)> = windows.into_iter().collect();
        let end = |(first, starts): &(usize, usize)| {
            let mut nodes: Vec<NodeIx> = feasible.iter().cycle().skip(*first).take(enough).copied().collect();
            nodes.sort_unstable();
            // A single node is selected without being scored.
            let best =
                if enough == 1 { nodes } else { ScoreTable::new(&cycle, &plugins, nodes).map(|table| table.best())? };
            Ok(StartResult { starts: *starts, best })
        };
        let ends: Result<Vec<StartResult>, String> = windows.par_iter().map(end).collect();
        Ok(Sampling::new(SamplingStage::Feasible, true, enough, &ends?))
    }

    fn among_candidates(&self, report: &PreemptionReport, starts: Starts, now: Timestamp) -> Sampling {
        let ranks = pick_node::ranks(report.candidates(), self.view.cluster, &self.profile().features.preemption, now);
        let order = self.in_order(|node| report.dry_runs.contains_key(&node));
        let potential: Vec<Option<RankedCandidate>> = order
            .iter()
            .map(|node| match report.dry_runs.get(node) {
                Some(DryRun::Candidate(candidate)) => {
                    Some(RankedCandidate { node: *node, rank: *ranks.get(node)?, violates: candidate.violations > 0 })
                }
                Some(DryRun::NoCandidate { .. } | DryRun::Failed(_)) | None => None,
            })
            .collect();
        let sampled = report.sample_size < ranks.len();
        let starts = if sampled { positions(starts, potential.len(), 0) } else { vec![0] };
        let end = |start: usize| StartResult { starts: 1, best: best_found(&potential, start, report.sample_size) };
        let ends: Vec<StartResult> = starts.into_iter().map(end).collect();
        Sampling::new(SamplingStage::Preemption, sampled, report.sample_size, &ends)
    }

    /// Notes about the assumptions behind the probabilities.
    fn assumptions(&self, found: &Sampling, starts: Starts) -> Vec<Note> {
        let mut notes = Vec::new();
        let affected = self.preemption.as_ref().is_some_and(|report| !report.budget_orders.affected.is_empty());
        if affected {
            notes.push(Note::info(SAMPLING, "the odds are those of one order of budgets; others are not counted in"));
        }
        if !found.sampled {
            return notes;
        }
        let odds = "the odds are those of a scheduler with one worker, to which nodes became known by name, and which picks \
                    any of those that tie; its real workers run at the same time and may get further";
        notes.push(Note::info(SAMPLING, odds));
        let any_order = match found.stage {
            // The node names that PreFilter returns are a set without an order.
            SamplingStage::Feasible => matches!(self.pre_filter, PreFilter::SomeNodes { .. }),
            SamplingStage::Preemption => notes::tries_in_random_order(self),
        };
        if any_order {
            let text = "this version goes through these nodes in random order: the odds are those of one order of many";
            notes.push(Note::warning(SAMPLING, text));
        }
        let anywhere = self.nodes.iter().filter(|verdict| **verdict != NodeVerdict::ExcludedByPreFilter).count();
        match starts {
            Starts::Seed(seed) => {
                let text = format!("one start was gone through, that of seed {seed}; others may end elsewhere");
                notes.push(Note::info(SAMPLING, text));
            }
            Starts::All if found.stage == SamplingStage::Feasible && found.starts < anywhere => {
                let text = format!("of {anywhere} starts {}, evenly spread, were gone through", found.starts);
                notes.push(Note::warning(SAMPLING, text));
            }
            Starts::All => {}
        }
        notes
    }
}

/// The starts to evaluate among `nodes` nodes, if they lead to `sets` sets to score.
fn positions(starts: Starts, nodes: usize, sets: usize) -> Vec<usize> {
    match starts {
        // The remainder is smaller than the number of nodes, so the conversion succeeds.
        Starts::Seed(seed) => vec![usize::try_from(seed % nodes.max(1) as u64).unwrap_or(0)],
        Starts::All if sets > SETS_SCORED => (0..SETS_SCORED).map(|at| at * nodes / SETS_SCORED).collect(),
        Starts::All => (0..nodes).collect(),
    }
}

/// A candidate with its rank in the tie-break.
struct RankedCandidate {
    node: NodeIx,
    rank: usize,
    violates: bool,
}

/// The best candidates among those found from `start` on. The search stops after `enough` candidates one of which
/// violates no budget. Of each kind at most `enough` are kept.
fn best_found(potential: &[Option<RankedCandidate>], start: usize, enough: usize) -> Vec<NodeIx> {
    let (mut non_violating, mut violating) = (0, 0);
    let (mut rank, mut best) = (usize::MAX, Vec::new());
    for candidate in potential.iter().cycle().skip(start).take(potential.len()).flatten() {
        let found = if candidate.violates { &mut violating } else { &mut non_violating };
        if *found < enough {
            *found += 1;
            if candidate.rank < rank {
                (rank, best) = (candidate.rank, Vec::new());
            }
            if candidate.rank == rank {
                best.push(candidate.node);
            }
        }
        if non_violating > 0 && non_violating + violating >= enough {
            break;
        }
    }
    best
}

impl Sampling {
    fn new(stage: SamplingStage, sampled: bool, sample_size: usize, ends: &[StartResult]) -> Self {
        let starts = ends.iter().map(|end| end.starts).sum();
        // The number of starts by node and by number of nodes that tie.
        let mut shares: BTreeMap<NodeIx, BTreeMap<usize, usize>> = BTreeMap::new();
        for StartResult { starts, best } in ends {
            for node in best {
                *shares.entry(*node).or_default().entry(best.len()).or_default() += starts;
            }
        }
        let mut nodes: Vec<NodeProbability> =
            shares.into_iter().map(|(node, ties)| NodeProbability::new(node, &ties, starts)).collect();
        nodes.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.node.cmp(&b.node)));
        Self { stage, sampled, starts, sample_size, nodes }
    }
}

impl NodeProbability {
    #[expect(clippy::cast_precision_loss, reason = "numbers of nodes are far from where that matters")]
    fn new(node: NodeIx, ties: &BTreeMap<usize, usize>, starts: usize) -> Self {
        let probability = ties.iter().map(|(equals, from)| *from as f64 / *equals as f64).sum::<f64>() / starts as f64;
        let best = ties.values().sum();
        let tied = best - ties.get(&1).copied().unwrap_or(0);
        Self { node, best, tied, fraction: fraction(ties, starts), probability }
    }
}

/// The sum of `from / equals` divided by `starts`, as a fraction in lowest terms.
fn fraction(ties: &BTreeMap<usize, usize>, starts: usize) -> Option<(u64, u64)> {
    let (mut above, mut below) = (0_u128, u128::try_from(starts).ok()?);
    for (equals, from) in ties {
        let (equals, from) = (u128::try_from(*equals).ok()?, u128::try_from(*from).ok()?);
        let own = equals.checked_mul(u128::try_from(starts).ok()?)?;
        let common = (below / greatest_common_divisor(below, own)).checked_mul(own)?;
        above = above.checked_mul(common / below)?.checked_add(from.checked_mul(common / own)?)?;
        below = common;
    }
    let common_divisor = greatest_common_divisor(above, below);
    Some((u64::try_from(above / common_divisor).ok()?, u64::try_from(below / common_divisor).ok()?))
}

/// The greatest common divisor; `b` is not 0.
fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests;
