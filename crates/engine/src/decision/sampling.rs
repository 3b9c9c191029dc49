//! What the scheduler itself may pick. The decision looks at every node; the scheduler begins somewhere, and stops once it
//! has seen enough. Here every beginning is gone through, and counted where it ends.
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

/// So many sets of nodes are scored at most.
const SETS_SCORED: usize = 512;

/// Where the scheduler begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Starts {
    /// Anywhere, with equal chance.
    All,
    /// At the node of that number, counted around, in its order of nodes.
    Seed(u64),
}

/// What is picked from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Nodes that take the pod.
    Feasible,
    /// Candidates for preemption.
    Preemption,
}

/// What the scheduler itself may pick.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    /// What it picks from.
    pub stage: Stage,
    /// Whether it may stop before it has seen all of them.
    pub sampled: bool,
    /// Beginnings that were gone through; one where all lead to the same.
    pub starts: usize,
    /// It stops after so many.
    pub sample_size: usize,
    /// Nodes that it may pick, the likeliest first. Their probabilities sum up to 1.
    pub nodes: Vec<Share>,
}

/// How likely a node is picked.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// The node.
    pub node: NodeIx,
    /// From how many starts it is one of the best.
    pub best: usize,
    /// From how many of them others are as good.
    pub tied: usize,
    /// The exact probability, in lowest terms; `None` if that takes numbers of more than 64 bits.
    pub fraction: Option<(u64, u64)>,
    /// The probability.
    pub probability: f64,
}

/// What some starts lead to.
struct End {
    /// How many they are.
    starts: usize,
    /// The best nodes, each once.
    best: Vec<NodeIx>,
}

impl Decision<'_> {
    /// Finds out what the scheduler itself may pick, and notes what that assumes. There is nothing to find where it picks
    /// nothing. Extenders that are asked would be asked about every set of nodes.
    pub fn enumerate(&mut self, starts: Starts, now: Timestamp) {
        let found = match (self.outcome, &self.scores, &self.preemption) {
            (Outcome::Schedulable, Some(table), _) => self.among_feasible(table, starts),
            (Outcome::Schedulable, None, _) => {
                let end = End { starts: 1, best: self.selected.clone() };
                Ok(Sampling::new(Stage::Feasible, false, self.selected.len(), &[end]))
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

    /// Nodes in the scheduler's order, as far as `wanted`.
    fn in_order(&self, wanted: impl Fn(NodeIx) -> bool) -> Vec<NodeIx> {
        node_order::by_zone(self.view).into_iter().filter(|node| wanted(*node)).collect()
    }

    fn verdict_is(&self, node: NodeIx, verdict: &NodeVerdict) -> bool {
        self.nodes.get(node.0 as usize) == Some(verdict)
    }

    /// # Errors
    /// What scoring some set of nodes fails with.
    fn among_feasible(&self, table: &ScoreTable, starts: Starts) -> Result<Sampling, String> {
        let order = self.in_order(|node| !self.verdict_is(node, &NodeVerdict::ExcludedByPreFilter));
        let enough = nodes_to_find::enough(self.profile(), order.len());
        let (at, takers): (Vec<usize>, Vec<NodeIx>) = order
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, node)| self.verdict_is(*node, &NodeVerdict::Feasible))
            .unzip();
        if takers.len() <= enough {
            let end = End { starts: 1, best: table.best() };
            return Ok(Sampling::new(Stage::Feasible, false, enough, &[end]));
        }
        // Starts lead to the same set of nodes as the next node that takes the pod does.
        let mut windows: BTreeMap<usize, usize> = BTreeMap::new();
        for start in positions(starts, order.len(), takers.len()) {
            *windows.entry(at.partition_point(|taker| *taker < start) % takers.len()).or_default() += 1;
        }
        let cycle = Cycle::of(self.view, self.pod);
        let plugins = plugins::scores(&self.profile().plugins);
        let windows: Vec<(usize, usize)> = windows.into_iter().collect();
        let end = |(first, starts): &(usize, usize)| {
            let mut nodes: Vec<NodeIx> = takers.iter().cycle().skip(*first).take(enough).copied().collect();
            nodes.sort_unstable();
            // One node is taken without being scored.
            let best =
                if enough == 1 { nodes } else { ScoreTable::new(&cycle, &plugins, nodes).map(|table| table.best())? };
            Ok(End { starts: *starts, best })
        };
        let ends: Result<Vec<End>, String> = windows.par_iter().map(end).collect();
        Ok(Sampling::new(Stage::Feasible, true, enough, &ends?))
    }

    fn among_candidates(&self, report: &PreemptionReport, starts: Starts, now: Timestamp) -> Sampling {
        let places =
            pick_node::places(report.candidates(), self.view.cluster, &self.profile().features.preemption, now);
        let order = self.in_order(|node| report.dry_runs.contains_key(&node));
        let tried: Vec<Option<Tried>> = order
            .iter()
            .map(|node| match report.dry_runs.get(node) {
                Some(DryRun::Candidate(candidate)) => {
                    Some(Tried { node: *node, place: *places.get(node)?, violates: candidate.violations > 0 })
                }
                Some(DryRun::NoCandidate { .. } | DryRun::Failed(_)) | None => None,
            })
            .collect();
        let sampled = report.sample_size < places.len();
        let starts = if sampled { positions(starts, tried.len(), 0) } else { vec![0] };
        let end = |start: usize| End { starts: 1, best: walk(&tried, start, report.sample_size) };
        let ends: Vec<End> = starts.into_iter().map(end).collect();
        Sampling::new(Stage::Preemption, sampled, report.sample_size, &ends)
    }

    /// What the odds rest on.
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
            // Nodes that the pod asks for by name are a set.
            Stage::Feasible => matches!(self.pre_filter, PreFilter::SomeNodes { .. }),
            Stage::Preemption => in_any_order(self),
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
            Starts::All if found.stage == Stage::Feasible && found.starts < anywhere => {
                let text = format!("of {anywhere} starts {}, evenly spread, were gone through", found.starts);
                notes.push(Note::warning(SAMPLING, text));
            }
            Starts::All => {}
        }
        notes
    }
}

/// Whether potential nodes are tried in an order that nothing shows. Where PreFilter refused them all, it is the usual one.
pub(super) fn in_any_order(decision: &Decision) -> bool {
    decision.profile().features.preemption.potential_nodes_in_any_order
        && !matches!(decision.pre_filter, PreFilter::Rejected { .. })
}

/// Where to begin among `nodes`, when that leads to `sets` sets to score.
fn positions(starts: Starts, nodes: usize, sets: usize) -> Vec<usize> {
    match starts {
        // The remainder is less than a number of nodes.
        Starts::Seed(seed) => vec![usize::try_from(seed % nodes.max(1) as u64).unwrap_or(0)],
        Starts::All if sets > SETS_SCORED => (0..SETS_SCORED).map(|at| at * nodes / SETS_SCORED).collect(),
        Starts::All => (0..nodes).collect(),
    }
}

/// A candidate, as a walk comes across it.
struct Tried {
    node: NodeIx,
    place: usize,
    violates: bool,
}

/// The best of the candidates that are found from `start` on before there are `enough` of them, one of which violates no
/// budget. Of each kind no more than `enough` are kept.
fn walk(tried: &[Option<Tried>], start: usize, enough: usize) -> Vec<NodeIx> {
    let (mut harmless, mut violating) = (0, 0);
    let (mut place, mut best) = (usize::MAX, Vec::new());
    for candidate in tried.iter().cycle().skip(start).take(tried.len()).flatten() {
        let found = if candidate.violates { &mut violating } else { &mut harmless };
        if *found < enough {
            *found += 1;
            if candidate.place < place {
                (place, best) = (candidate.place, Vec::new());
            }
            if candidate.place == place {
                best.push(candidate.node);
            }
        }
        if harmless > 0 && harmless + violating >= enough {
            break;
        }
    }
    best
}

impl Sampling {
    fn new(stage: Stage, sampled: bool, sample_size: usize, ends: &[End]) -> Self {
        let starts = ends.iter().map(|end| end.starts).sum();
        // By node, and by how many share the chance: from how many starts.
        let mut shares: BTreeMap<NodeIx, BTreeMap<usize, usize>> = BTreeMap::new();
        for End { starts, best } in ends {
            for node in best {
                *shares.entry(*node).or_default().entry(best.len()).or_default() += starts;
            }
        }
        let mut nodes: Vec<Share> = shares.into_iter().map(|(node, ties)| Share::new(node, &ties, starts)).collect();
        nodes.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.node.cmp(&b.node)));
        Self { stage, sampled, starts, sample_size, nodes }
    }
}

impl Share {
    #[expect(clippy::cast_precision_loss, reason = "numbers of nodes are far from where that matters")]
    fn new(node: NodeIx, ties: &BTreeMap<usize, usize>, starts: usize) -> Self {
        let probability = ties.iter().map(|(equals, from)| *from as f64 / *equals as f64).sum::<f64>() / starts as f64;
        let best = ties.values().sum();
        let tied = best - ties.get(&1).copied().unwrap_or(0);
        Self { node, best, tied, fraction: fraction(ties, starts), probability }
    }
}

/// The sum of `from / equals`, by `starts`.
fn fraction(ties: &BTreeMap<usize, usize>, starts: usize) -> Option<(u64, u64)> {
    let (mut above, mut below) = (0_u128, u128::try_from(starts).ok()?);
    for (equals, from) in ties {
        let (equals, from) = (u128::try_from(*equals).ok()?, u128::try_from(*from).ok()?);
        let own = equals.checked_mul(u128::try_from(starts).ok()?)?;
        let common = (below / divisor(below, own)).checked_mul(own)?;
        above = above.checked_mul(common / below)?.checked_add(from.checked_mul(common / own)?)?;
        below = common;
    }
    let divisor = divisor(above, below);
    Some((u64::try_from(above / divisor).ok()?, u64::try_from(below / divisor).ok()?))
}

/// The greatest common divisor; `b` is not 0.
fn divisor(a: u128, b: u128) -> u128 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests;
