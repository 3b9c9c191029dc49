//! The nodes that the scheduler may pick with sampling. A decision evaluates every node, while the
//! scheduler starts at some node and stops once it has found enough. Here the result is computed
//! for every possible start, and the probability of each node follows from the counts.
//!
//! Upstream: `pkg/scheduler/schedule_one.go` `findNodesThatPassFilters`,
//! `pkg/scheduler/framework/preemption/preemption.go` `DryRunPreemption` (1.37), as one worker runs
//! them.

mod odds;
mod window;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::filters::FilterReport;
use super::{Decision, Explanation, Outcome};
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::failure::StepFailure;
use crate::framework::node_order::{self, enough};
use crate::framework::plugin::Cycle;
use crate::framework::score::{NodeSets, ScoredNodes};
use crate::preemption::{PreemptionReport, pick_node};
use model::cluster::NodeIx;
use model::notes::{self, Note, NoteDoc};
pub use odds::{Likelihood, NodeProbability, Sampling, SamplingStage, Selection};
use odds::{Picks, StartResult};
use window::{RankedCandidate, Window};

/// Maximum number of node sets that are scored.
const SETS_SCORED: usize = 512;
/// Maximum number of nodes scored for [`Decision::odds`], over all sets: at 5,000 nodes this takes
/// less than 100 ms.
const NODES_SCORED: usize = 50_000;
/// Minimum number of sets for a meaningful estimate of the odds.
const FEWEST_SETS: usize = 8;

/// The nodes at which the scheduler may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Starts {
    /// Every node, with equal probability.
    All,
    /// As many evenly spread nodes as a decision can afford.
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

/// Whether a note says that the scheduler samples nodes.
pub(super) fn is_about_sampling(note: &Note) -> bool {
    [&ODDS, &ODDS_OPEN].contains(&note.doc)
}

impl Explanation<'_> {
    /// Computes which nodes the scheduler may pick, and adds notes about the assumptions. Does
    /// nothing if the scheduler selects no node. If extenders are called, they are called for every
    /// set of nodes.
    pub fn enumerate(&mut self, starts: Starts) {
        let decision = &self.decision;
        let cycle = Cycle::of(decision.view, decision.pod, decision.now);
        let sampler = Sampler::new(&cycle, &decision.filters);
        let sampling = match &decision.outcome {
            Outcome::Schedulable { scores: Some(table), .. } => decision
                .filters
                .score(&cycle, table.nodes.clone())
                .and_then(|scored| sampler.among_feasible(&scored, starts)),
            Outcome::Schedulable { scores: None, selection } => {
                let end = StartResult { starts: 1, best: selection.nodes.clone() };
                Ok(Sampling::new(SamplingStage::Feasible, None, selection.nodes.len(), &[end]))
            }
            Outcome::Preempt { plan: Some(report), .. } => {
                Ok(sampler.among_candidates(report, &sampler.ranked(report), starts))
            }
            Outcome::Preempt { plan: None, .. }
            | Outcome::Unschedulable { .. }
            | Outcome::Error(_)
            | Outcome::NotInQueue(_) => return,
        };
        let added = match &sampling {
            Ok(sampling) => decision.assumptions(sampling, starts),
            Err(failure) => vec![Note::warning(
                &ODDS_OPEN,
                format!("some starts end the cycle: {}", failure.text()),
            )],
        };
        self.sampling = sampling.ok();
        added.into_iter().for_each(|note| notes::add(&mut self.decision.notes, note));
        notes::sort(&mut self.decision.notes);
    }
}

/// Computes what a scheduler that samples nodes may pick.
pub(super) struct Sampler<'s> {
    cycle: &'s Cycle<'s>,
    filters: &'s FilterReport,
}

impl<'s> Sampler<'s> {
    pub(super) const fn new(cycle: &'s Cycle<'s>, filters: &'s FilterReport) -> Self {
        Self { cycle, filters }
    }

    /// The feasible nodes that the scheduler may select, with their odds if it does not look at all
    /// of them.
    pub(super) fn select_host(&self, scored: &ScoredNodes) -> Selection {
        let enough = enough(self.cycle.view.profile, self.filters.searched());
        let (best, feasible) = (scored.table.best(), scored.table.nodes.len());
        if self.filters.passed_plugins() <= enough {
            return best.into();
        }
        // Extenders would be asked for every set of nodes.
        let affordable = self.cycle.view.extender_client.is_none()
            && NODES_SCORED / enough.max(1) >= FEWEST_SETS;
        let sampling =
            if affordable { self.among_feasible(scored, Starts::Affordable).ok() } else { None };
        let odds = sampling
            .unwrap_or_else(|| Sampling::unknown(SamplingStage::Feasible, enough, feasible));
        if !odds.nodes.is_empty() {
            return Selection {
                nodes: odds.nodes.iter().map(|share| share.node).collect(),
                odds: Some(odds),
            };
        }
        // Without odds, any feasible node may be selected.
        let others: Vec<NodeIx> =
            self.filters.feasible().filter(|node| !best.contains(node)).collect();
        Selection { nodes: best.into_iter().chain(others).collect(), odds: Some(odds) }
    }

    /// The candidates of `report` that the scheduler may nominate, with their odds if it samples
    /// candidates.
    pub(super) fn select_candidate(&self, report: &PreemptionReport) -> Selection {
        let ranked = self.ranked(report);
        let odds = self.among_candidates(report, &ranked, Starts::All);
        if !odds.sampled {
            return report.winners.clone().into();
        }
        let mut nodes: Vec<NodeIx> = odds.nodes.iter().map(|share| share.node).collect();
        if nodes.is_empty() {
            nodes.clone_from(&report.winners);
        }
        // Candidates that win only with parallel workers, or in another order of nodes, are less
        // likely than any with odds. Most of thousands may be such.
        let listed: BTreeSet<NodeIx> = nodes.iter().copied().collect();
        let winners = window::winners(ranked, report.sample_size);
        nodes.extend(winners.into_iter().filter(|node| !listed.contains(node)));
        Selection { nodes, odds: Some(odds) }
    }

    /// The candidates by name, with the rank of each in the tie-break, 0 for the best.
    fn ranked(&self, report: &PreemptionReport) -> Vec<RankedCandidate> {
        let features = &self.cycle.features().preemption;
        let ranks =
            pick_node::ranks(report.candidates(), self.cycle.cluster(), features, self.cycle.now);
        let mut ranked = Vec::with_capacity(ranks.len());
        for (candidate, rank) in report.candidates().zip(ranks) {
            let (node, violates) = (candidate.node, candidate.violations > 0);
            ranked.push(RankedCandidate { node, rank, violates });
        }
        ranked
    }

    /// The nodes that satisfy `wanted`, in the scheduler's order.
    fn in_order(&self, wanted: impl Fn(NodeIx) -> bool) -> Vec<NodeIx> {
        node_order::by_zone(self.cycle.view).iter().copied().filter(|node| wanted(*node)).collect()
    }

    /// # Errors
    /// The error of scoring one of the sets of nodes.
    fn among_feasible(
        &self,
        scored: &ScoredNodes,
        starts: Starts,
    ) -> Result<Sampling, StepFailure> {
        let order = self
            .in_order(|node| self.filters.node(node) != Some(&NodeVerdict::ExcludedByPreFilter));
        let enough = enough(self.cycle.view.profile, order.len());
        let (at, feasible): (Vec<usize>, Vec<NodeIx>) = order
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, node)| self.filters.node(*node) == Some(&NodeVerdict::Feasible))
            .unzip();
        if feasible.len() <= enough {
            let end = StartResult { starts: 1, best: scored.table.best() };
            return Ok(Sampling::new(SamplingStage::Feasible, None, enough, &[end]));
        }
        // All starts between two feasible nodes lead to the same set of nodes.
        let mut windows: BTreeMap<usize, usize> = BTreeMap::new();
        let most =
            if starts == Starts::Affordable { NODES_SCORED / enough.max(1) } else { SETS_SCORED };
        let positions = positions(starts, order.len(), feasible.len(), most.min(SETS_SCORED));
        let all = positions.len() == order.len() && !self.any_order(SamplingStage::Feasible);
        for start in positions {
            *windows
                .entry(at.partition_point(|feasible_at| *feasible_at < start) % feasible.len())
                .or_default() += 1;
        }
        let windows: Vec<(usize, usize)> = windows.into_iter().collect();
        if enough > 1
            && self.cycle.view.extender_client.is_none()
            && let Some(ends) = self.best_of_windows(scored, &windows, &feasible, enough)
        {
            let from = if all { Picks::Listed } else { Picks::AnyOf(feasible.len()) };
            return Ok(Sampling::new(SamplingStage::Feasible, Some(from), enough, &ends));
        }

        // Each set is scored by itself where plugins do not tell which nodes are alike.
        let of_window = windows.par_iter().map(|(first, starts)| -> Result<_, StepFailure> {
            let mut nodes: Vec<NodeIx> =
                feasible.iter().cycle().skip(*first).take(enough).copied().collect();
            nodes.sort_unstable();
            // A single node is selected without being scored. Extenders are asked about each set of
            // nodes, whose answers may have nothing in common.
            let best = if enough == 1 {
                nodes
            } else if self.cycle.view.extender_client.is_some() {
                self.filters.score(self.cycle, nodes)?.table.best()
            } else {
                scored.narrowed(self.cycle, nodes)?.best()
            };
            Ok(StartResult { starts: *starts, best })
        });
        let ends: Vec<StartResult> = of_window.collect::<Result<_, _>>()?;
        let from = if all { Picks::Listed } else { Picks::AnyOf(feasible.len()) };
        Ok(Sampling::new(SamplingStage::Feasible, Some(from), enough, &ends))
    }

    /// The best nodes of each window of `enough` of the feasible nodes, given in the scheduler's
    /// order: where it begins, and with how many starts. `None` if some have to be scored by
    /// themselves.
    fn best_of_windows(
        &self,
        scored: &ScoredNodes,
        windows: &[(usize, usize)],
        feasible: &[NodeIx],
        enough: usize,
    ) -> Option<Vec<StartResult>> {
        let sets = NodeSets::new(scored, self.cycle)?;
        let mut positions = vec![None; self.filters.nodes.len()];
        for (at, node) in scored.table.nodes.iter().enumerate() {
            *positions.get_mut(node.0 as usize)? = Some(at);
        }
        let order = feasible.iter().map(|node| *positions.get(node.0 as usize)?);
        let order: Vec<usize> = order.collect::<Option<_>>()?;
        let firsts = windows.iter().map(|(first, _)| *first);
        let mut ends = Vec::with_capacity(windows.len());
        for ((_, starts), mut best) in
            windows.iter().zip(sets.best_of_windows(&order, enough, firsts)?)
        {
            best.sort_unstable();
            ends.push(StartResult { starts: *starts, best });
        }
        Some(ends)
    }

    /// `ranked` are the candidates; if the scheduler stops early, it may nominate any of
    /// [`window::winners`].
    fn among_candidates(
        &self,
        report: &PreemptionReport,
        ranked: &[RankedCandidate],
        starts: Starts,
    ) -> Sampling {
        let order = self.in_order(|node| report.dry_runs.contains_key(&node));
        let potential: Vec<Option<RankedCandidate>> = order
            .iter()
            .map(|node| {
                let at = ranked.binary_search_by_key(node, |candidate| candidate.node).ok()?;
                ranked.get(at).copied()
            })
            .collect();
        let sampled = report.sample_size < ranked.len();
        let starts =
            if sampled { positions(starts, potential.len(), 0, SETS_SCORED) } else { vec![0] };
        let all = starts.len() == potential.len() && !self.any_order(SamplingStage::Preemption);
        let mut window = Window::new(&potential, report.sample_size);
        let mut ends: Vec<StartResult> = Vec::with_capacity(starts.len());
        for start in starts {
            ends.push(StartResult { starts: 1, best: window.best_from(start) });
        }
        // Parallel workers may find any of these first.
        let winners =
            if sampled { window::winners(ranked.to_vec(), report.sample_size) } else { Vec::new() };
        let from =
            if all && winners.iter().all(|node| ends.iter().any(|end| end.best.contains(node))) {
                Picks::Listed
            } else {
                Picks::AnyOf(winners.len())
            };
        Sampling::new(SamplingStage::Preemption, sampled.then_some(from), report.sample_size, &ends)
    }

    /// Whether the scheduler's order of nodes is unknown.
    fn any_order(&self, stage: SamplingStage) -> bool {
        match stage {
            // The node names that PreFilter returns are an unordered set.
            SamplingStage::Feasible => {
                matches!(self.filters.pre_filter, PreFilter::SomeNodes { .. })
            }
            // Where PreFilter rejected the pod, preemption tries nodes in the order of the node
            // tree.
            SamplingStage::Preemption => {
                self.cycle.features().preemption.potential_nodes_in_any_order
                    && !matches!(self.filters.pre_filter, PreFilter::Rejected { .. })
            }
        }
    }
}

impl Decision<'_> {
    /// Notes about the assumptions of the probabilities.
    pub(super) fn assumptions(&self, sampling: &Sampling, starts: Starts) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.preemption().is_some_and(|report| !report.budget_orders.victims.is_empty()) {
            notes.push(Note::info(
                &ODDS,
                "the odds are estimates for one order of budgets; other orders are not included",
            ));
        }
        if !sampling.sampled {
            return notes;
        }
        let odds = "the odds assume a scheduler with one worker, which has the nodes in the order of their names and picks any of those that tie; its real workers run in parallel and may look at more nodes";
        notes.push(Note::info(&ODDS, odds));
        if sampling.nodes.is_empty() {
            return notes;
        }
        let cycle = Cycle::of(self.view, self.pod, self.now);
        if Sampler::new(&cycle, &self.filters).any_order(sampling.stage) {
            let text =
                "this version goes through these nodes in random order: the odds are estimates";
            notes.push(Note::warning(&ODDS_OPEN, text));
        }
        let anywhere = self.filters.searched();
        match starts {
            Starts::Seed(seed) => {
                let text = format!(
                    "one start was tried, that of seed {seed}; others may pick other nodes"
                );
                notes.push(Note::info(&ODDS, text));
            }
            Starts::All
                if sampling.stage == SamplingStage::Feasible && sampling.starts < anywhere =>
            {
                let text =
                    format!("of {anywhere} starts {}, evenly spread, were tried", sampling.starts);
                notes.push(Note::warning(&ODDS_OPEN, text));
            }
            Starts::All | Starts::Affordable => {}
        }
        notes
    }
}

/// The starts to evaluate among `nodes` nodes, if they lead to `sets` sets to score and at most
/// `most` can be scored.
fn positions(starts: Starts, nodes: usize, sets: usize, most: usize) -> Vec<usize> {
    match starts {
        // The remainder is smaller than the number of nodes, so the conversion succeeds.
        Starts::Seed(seed) => vec![usize::try_from(seed % nodes.max(1) as u64).unwrap_or(0)],
        Starts::All | Starts::Affordable if sets > most => {
            (0..most).map(|at| at * nodes / most).collect()
        }
        Starts::All | Starts::Affordable => (0..nodes).collect(),
    }
}

#[cfg(test)]
mod tests;
