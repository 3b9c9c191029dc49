//! The nodes that the scheduler may pick with sampling. A decision evaluates every node, while the scheduler starts at
//! some node and stops once it has found enough. Here the result is computed for every possible start, and the
//! probability of each node follows from the counts.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `findNodesThatPassFilters`, `pkg/scheduler/framework/preemption/preemption.go`
//! `DryRunPreemption` (1.37), as one worker runs them.

mod odds;
mod parallel;
mod window;

use std::collections::BTreeMap;

use jiff::Timestamp;
use rayon::prelude::*;

use super::{Decision, Outcome};
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::failure::Failure;
use crate::framework::node_order;
use crate::framework::nodes_to_find;
use crate::framework::plugin::Cycle;
use crate::framework::score::ScoreTable;
use crate::preemption::PreemptionReport;
use crate::preemption::dry_run::DryRun;
use crate::preemption::pick_node;
use model::cluster::node::NodeIx;
use model::notes::{self, Note, NoteDoc};
pub use odds::{Likelihood, NodeProbability, Sampling, SamplingStage};
use odds::{Picks, StartResult};
use window::{RankedCandidate, Window};

/// The most sets of nodes that are scored.
const SETS_SCORED: usize = 512;
/// The most nodes that are scored for [`Decision::odds`], over all sets: at 5,000 nodes this takes less than 100 ms.
const NODES_SCORED: usize = 50_000;
/// The fewest sets that say something about the odds.
const FEWEST_SETS: usize = 8;

/// The nodes at which the scheduler may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Starts {
    /// Every node, with equal probability.
    All,
    /// As many nodes, evenly spread, as a decision can afford.
    Affordable,
    /// The node with this number in the scheduler's order, modulo the number of nodes.
    Seed(u64),
}

static ODDS: NoteDoc = NoteDoc {
    code: "PRE-932",
    name: "what the odds assume",
    meaning: "The odds of the nodes hold under these assumptions about the scheduler.",
};
static ODDS_OPEN: NoteDoc = NoteDoc {
    code: "PRE-933",
    name: "odds that are not complete",
    meaning: "The odds do not include every order in which the scheduler may look at the nodes.",
};

/// What notes about odds mean.
pub(super) static DOCS: &[&NoteDoc] = &[&ODDS, &ODDS_OPEN];

/// Whether a note says that the scheduler does not look at every node.
pub(super) fn is_about_sampling(note: &Note) -> bool {
    [&ODDS, &ODDS_OPEN].contains(&note.doc)
}

impl Decision<'_> {
    /// Sets the odds of the feasible nodes if the scheduler does not look at all of them.
    pub(super) fn sample_feasible(&mut self) {
        let Some(table) = &self.scores else { return };
        let nodes = self.nodes.iter().filter(|verdict| **verdict != NodeVerdict::ExcludedByPreFilter).count();
        let enough = nodes_to_find::enough(self.profile(), nodes);
        let feasible = table.nodes.len();
        if self.passed_plugins() <= enough {
            return;
        }
        let affordable = self.view.extender_client.is_none() && NODES_SCORED / enough.max(1) >= FEWEST_SETS;
        let found = if affordable { self.among_feasible(table, Starts::Affordable).ok() } else { None };
        let unknown = || Sampling::unknown(SamplingStage::Feasible, enough, feasible);
        self.set_odds(found.unwrap_or_else(unknown));
    }

    /// Sets the odds of the candidates of `report` if the scheduler does not look for all of them.
    pub(super) fn sample_candidates(&mut self, report: &PreemptionReport) {
        let found = self.among_candidates(report, Starts::All, self.now);
        if found.sampled {
            self.set_odds(found);
            // Those that only workers in parallel, or another order of nodes, lead to are less likely than any with odds.
            for node in self.sampled_winners(report, self.now) {
                if !self.selected.contains(&node) {
                    self.selected.push(node);
                }
            }
        }
    }

    /// The candidates that the scheduler may nominate when it stops early, the best first.
    fn sampled_winners(&self, report: &PreemptionReport, now: Timestamp) -> Vec<NodeIx> {
        let ranks = pick_node::ranks(report.candidates(), self.view.cluster, &self.profile().features.preemption, now);
        let ranked = report.candidates().filter_map(|candidate| {
            let rank = *ranks.get(&candidate.node)?;
            Some(RankedCandidate { node: candidate.node, rank, violates: candidate.violations > 0 })
        });
        parallel::winners(ranked.collect(), report.sample_size)
    }

    /// How many nodes passed the plugins: the scheduler asks extenders only once it has found enough of these.
    fn passed_plugins(&self) -> usize {
        self.extended.as_ref().map_or_else(|| self.feasible().count(), |left| left.passed)
    }

    fn set_odds(&mut self, odds: Sampling) {
        if odds.nodes.is_empty() {
            let mut others: Vec<NodeIx> = self.feasible().filter(|node| !self.selected.contains(node)).collect();
            self.selected.append(&mut others);
        } else {
            self.selected = odds.nodes.iter().map(|share| share.node).collect();
        }
        self.odds = Some(odds);
    }

    /// Computes which nodes the scheduler may pick, and adds notes about the assumptions. Nothing is computed if the
    /// scheduler selects no node. If extenders are called, they are called for every set of nodes.
    pub fn enumerate(&mut self, starts: Starts, now: Timestamp) {
        let found = match (&self.outcome, &self.scores, &self.preemption) {
            (Outcome::Schedulable, Some(table), _) => self.among_feasible(table, starts),
            (Outcome::Schedulable, None, _) => {
                let end = StartResult { starts: 1, best: self.selected.clone() };
                Ok(Sampling::new(SamplingStage::Feasible, None, self.selected.len(), &[end]))
            }
            (Outcome::Preempt, _, Some(report)) => Ok(self.among_candidates(report, starts, now)),
            (Outcome::Preempt | Outcome::Unschedulable | Outcome::Error(_) | Outcome::NotInQueue(_), ..) => return,
        };
        let added = match &found {
            Ok(found) => self.assumptions(found, starts),
            Err(failure) => vec![Note::warning(&ODDS_OPEN, format!("some starts end the cycle: {}", failure.text()))],
        };
        self.sampling = found.ok();
        added.into_iter().for_each(|note| notes::add(&mut self.notes, note));
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
    fn among_feasible(&self, table: &ScoreTable, starts: Starts) -> Result<Sampling, Failure> {
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
            return Ok(Sampling::new(SamplingStage::Feasible, None, enough, &[end]));
        }
        // All starts between two feasible nodes lead to the same set of nodes.
        let mut windows: BTreeMap<usize, usize> = BTreeMap::new();
        let most = if starts == Starts::Affordable { NODES_SCORED / enough.max(1) } else { SETS_SCORED };
        let positions = positions(starts, order.len(), feasible.len(), most.min(SETS_SCORED));
        let all = positions.len() == order.len() && !self.any_order(SamplingStage::Feasible);
        for start in positions {
            *windows.entry(at.partition_point(|feasible_at| *feasible_at < start) % feasible.len()).or_default() += 1;
        }
        let cycle = Cycle::of(self.view, self.pod, self.now);
        let windows: Vec<(usize, usize)> = windows.into_iter().collect();
        let end = |(first, starts): &(usize, usize)| {
            let mut nodes: Vec<NodeIx> = feasible.iter().cycle().skip(*first).take(enough).copied().collect();
            nodes.sort_unstable();
            // A single node is selected without being scored.
            let best = if enough == 1 { nodes } else { self.score(&cycle, nodes).map(|table| table.best())? };
            Ok(StartResult { starts: *starts, best })
        };
        let ends: Result<Vec<StartResult>, Failure> = windows.par_iter().map(end).collect();
        let from = if all { Picks::Listed } else { Picks::AnyOf(feasible.len()) };
        Ok(Sampling::new(SamplingStage::Feasible, Some(from), enough, &ends?))
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
        let starts = if sampled { positions(starts, potential.len(), 0, SETS_SCORED) } else { vec![0] };
        let all = starts.len() == potential.len() && !self.any_order(SamplingStage::Preemption);
        let mut window = Window::new(&potential, report.sample_size);
        let end = |start: usize| StartResult { starts: 1, best: window.best_from(start) };
        let ends: Vec<StartResult> = starts.into_iter().map(end).collect();
        // Workers in parallel may find any of these first.
        let winners = if sampled { self.sampled_winners(report, now) } else { Vec::new() };
        let is_listed = |node: &NodeIx| ends.iter().any(|end| end.best.contains(node));
        let from = if all && winners.iter().all(is_listed) { Picks::Listed } else { Picks::AnyOf(winners.len()) };
        Sampling::new(SamplingStage::Preemption, sampled.then_some(from), report.sample_size, &ends)
    }

    /// Whether the scheduler goes through the nodes in an order that is not known.
    fn any_order(&self, stage: SamplingStage) -> bool {
        match stage {
            // The node names that PreFilter returns are a set without an order.
            SamplingStage::Feasible => matches!(self.pre_filter, PreFilter::SomeNodes { .. }),
            // Where PreFilter rejected the pod, preemption tries the nodes in the order of the node tree.
            SamplingStage::Preemption => {
                self.profile().features.preemption.potential_nodes_in_any_order
                    && !matches!(self.pre_filter, PreFilter::Rejected { .. })
            }
        }
    }

    /// Notes about the assumptions behind the probabilities.
    pub(super) fn assumptions(&self, found: &Sampling, starts: Starts) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.preemption.as_ref().is_some_and(|report| !report.budget_orders.victims.is_empty()) {
            notes.push(Note::info(&ODDS, "the odds are those of one order of budgets; others are not included"));
        }
        if !found.sampled {
            return notes;
        }
        let odds = "the odds assume a scheduler with one worker, which has the nodes in the order of their names and picks any of those that tie; its real workers run in parallel and may look at more nodes";
        notes.push(Note::info(&ODDS, odds));
        if found.nodes.is_empty() {
            return notes;
        }
        if self.any_order(found.stage) {
            let text = "this version goes through these nodes in random order: the odds are those of one order of many";
            notes.push(Note::warning(&ODDS_OPEN, text));
        }
        let anywhere = self.nodes.iter().filter(|verdict| **verdict != NodeVerdict::ExcludedByPreFilter).count();
        match starts {
            Starts::Seed(seed) => {
                let text = format!("one start was tried, that of seed {seed}; others may pick other nodes");
                notes.push(Note::info(&ODDS, text));
            }
            Starts::All if found.stage == SamplingStage::Feasible && found.starts < anywhere => {
                let text = format!("of {anywhere} starts {}, evenly spread, were tried", found.starts);
                notes.push(Note::warning(&ODDS_OPEN, text));
            }
            Starts::All | Starts::Affordable => {}
        }
        notes
    }
}

/// The starts to evaluate among `nodes` nodes, if they lead to `sets` sets to score, of which `most` can be scored.
fn positions(starts: Starts, nodes: usize, sets: usize, most: usize) -> Vec<usize> {
    match starts {
        // The remainder is smaller than the number of nodes, so the conversion succeeds.
        Starts::Seed(seed) => vec![usize::try_from(seed % nodes.max(1) as u64).unwrap_or(0)],
        Starts::All | Starts::Affordable if sets > most => (0..most).map(|at| at * nodes / most).collect(),
        Starts::All | Starts::Affordable => (0..nodes).collect(),
    }
}

#[cfg(test)]
mod tests;
