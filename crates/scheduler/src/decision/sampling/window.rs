//! The best candidate that preemption finds from each start.
//!
//! A sliding-window minimum: as the start moves on, candidates leave the window at the front and
//! others enter at the back. A queue of ascending ranks always has the best candidate in front, so
//! all starts together cost one pass.
//!
//! Upstream: `pkg/scheduler/framework/preemption/preemption.go` `DryRunPreemption` (1.22 to 1.37):
//! parallel workers append to two lists, of candidates with and without violated budgets. Each list
//! keeps the first `enough`, and the search ends when there is one without violations and `enough`
//! in total. A worker may be slower than all others, so any candidates may be found first.

use std::collections::VecDeque;

use model::cluster::NodeIx;

/// A candidate with its rank in the tie-break.
#[derive(Debug, Clone, Copy)]
pub(super) struct RankedCandidate {
    pub(super) node: NodeIx,
    pub(super) rank: usize,
    pub(super) violates: bool,
}

/// The potential nodes that the search visits from a start. It goes around at most once, and stops
/// after `enough` candidates of which at least one violates no budget. At most `enough` of each
/// kind are kept.
pub(super) struct Window<'p> {
    /// The candidates by position; `None` for potential nodes where no eviction helps.
    potential: &'p [Option<RankedCandidate>],
    enough: usize,
    start: usize,
    /// The position after the last one searched. Positions continue past the last node when the
    /// search wraps around.
    end: usize,
    non_violating: CandidatesInWindow,
    violating: CandidatesInWindow,
}

impl<'p> Window<'p> {
    pub(super) fn new(potential: &'p [Option<RankedCandidate>], enough: usize) -> Self {
        let (non_violating, violating) = <(CandidatesInWindow, CandidatesInWindow)>::default();
        Self { potential, enough, start: 0, end: 0, non_violating, violating }
    }

    /// The best candidates from `start` on; starts have to ascend.
    pub(super) fn best_from(&mut self, start: usize) -> Vec<NodeIx> {
        // Candidates before the new start leave the window, if the search had reached them.
        for position in self.start..start {
            if let Some(candidate) = self.candidate(position)
                && position < self.end
            {
                self.candidates_like(candidate).leave(position);
            }
        }
        self.start = self.start.max(start);

        // The search continues where it stopped, until it has found enough or gone around once.
        self.end = self.end.max(start);
        while self.end < start + self.potential.len() && !self.is_enough() {
            if let Some(candidate) = self.candidate(self.end) {
                let (position, enough) = (self.end, self.enough);
                self.candidates_like(candidate).enter(position, candidate, enough);
            }
            self.end += 1;
        }

        // The lowest rank is in front of one queue or of both; equal ranks follow it.
        let queues = [&self.non_violating.ascending, &self.violating.ascending];
        let lowest_rank =
            queues.iter().filter_map(|queue| queue.front()).map(|best| best.candidate.rank).min();
        let mut best = Vec::new();
        for queue in queues {
            let tied = queue.iter().take_while(|placed| Some(placed.candidate.rank) == lowest_rank);
            best.extend(tied.map(|placed| placed.candidate.node));
        }
        best
    }

    fn is_enough(&self) -> bool {
        self.non_violating.number > 0
            && self.non_violating.number + self.violating.number >= self.enough
    }

    fn candidate(&self, position: usize) -> Option<RankedCandidate> {
        *self.potential.get(position % self.potential.len())?
    }

    /// The window's candidates of the same kind as this one: with or without violated budgets.
    fn candidates_like(&mut self, candidate: RankedCandidate) -> &mut CandidatesInWindow {
        if candidate.violates { &mut self.violating } else { &mut self.non_violating }
    }
}

/// A candidate and its position in the search.
struct PlacedCandidate {
    position: usize,
    candidate: RankedCandidate,
}

/// The candidates of one kind in the window.
#[derive(Default)]
struct CandidatesInWindow {
    /// How many count towards the limit.
    number: usize,
    /// The candidates with no lower rank after them, so ranks ascend. Any other candidate leaves
    /// the window before a better one that follows it, so it is never the best.
    ascending: VecDeque<PlacedCandidate>,
    /// Candidates beyond the limit, queued until one leaves the window.
    queued: VecDeque<PlacedCandidate>,
}

impl CandidatesInWindow {
    fn enter(&mut self, position: usize, candidate: RankedCandidate, enough: usize) {
        let placed = PlacedCandidate { position, candidate };
        if self.number >= enough {
            self.queued.push_back(placed);
        } else {
            self.count(placed);
        }
    }

    fn count(&mut self, placed: PlacedCandidate) {
        self.number += 1;
        while self.ascending.back().is_some_and(|last| last.candidate.rank > placed.candidate.rank)
        {
            self.ascending.pop_back();
        }
        self.ascending.push_back(placed);
    }

    /// Removes the first candidate, which is at `position`. The first queued one takes its place.
    fn leave(&mut self, position: usize) {
        self.number -= 1;
        if self.ascending.front().is_some_and(|first| first.position == position) {
            self.ascending.pop_front();
        }
        if let Some(next) = self.queued.pop_front() {
            self.count(next);
        }
    }
}

/// The candidates that may win, the best first and ties by name, given more than `enough`
/// candidates.
pub(super) fn winners(mut candidates: Vec<RankedCandidate>, enough: usize) -> Vec<NodeIx> {
    // A violating candidate can win only if every candidate violates a budget: otherwise the search
    // continues until it finds a non-violating one.
    let violating = candidates.iter().filter(|candidate| candidate.violates).count();
    let beside = if violating == candidates.len() {
        0
    } else {
        candidates.retain(|candidate| !candidate.violates);
        violating.min(enough)
    };
    candidates.sort_by_key(|candidate| (candidate.rank, candidate.node));
    // A candidate wins if it is among those found first and no better one is. So there must be
    // enough others that are not better.
    let fewest = enough.saturating_sub(beside).clamp(1, candidates.len().max(1));
    let ranks: Vec<usize> = candidates.iter().map(|candidate| candidate.rank).collect();
    candidates
        .iter()
        .filter(|candidate| {
            (candidates.len() - ranks.partition_point(|other| *other < candidate.rank)) >= fewest
        })
        .map(|candidate| candidate.node)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Goes through the potential nodes from `start` on, as the scheduler does.
    fn searched(potential: &[Option<RankedCandidate>], start: usize, enough: usize) -> Vec<NodeIx> {
        let (mut non_violating, mut violating) = (Vec::new(), Vec::new());
        for candidate in potential.iter().cycle().skip(start).take(potential.len()).flatten() {
            let kind = if candidate.violates { &mut violating } else { &mut non_violating };
            if kind.len() < enough {
                kind.push(*candidate);
            }
            if !non_violating.is_empty() && non_violating.len() + violating.len() >= enough {
                break;
            }
        }
        let found = || non_violating.iter().chain(&violating);
        let lowest = found().map(|candidate| candidate.rank).min();
        found()
            .filter(|candidate| Some(candidate.rank) == lowest)
            .map(|candidate| candidate.node)
            .collect()
    }

    proptest! {
        #[test]
        fn the_window_holds_what_a_search_from_each_start_finds(
            potential in prop::collection::vec(prop::option::weighted(0.7, (0..6_usize, prop::bool::weighted(0.7))), 1..40),
            enough in 1..12_usize,
            step in 1..9_usize,
        ) {
            let place = |(node, found): (u32, Option<(usize, bool)>)| {
                found.map(|(rank, violates)| RankedCandidate { node: NodeIx(node), rank, violates })
            };
            let potential: Vec<Option<RankedCandidate>> = (0..).zip(potential).map(place).collect();
            let mut window = Window::new(&potential, enough);
            for start in (0..potential.len()).step_by(step) {
                let mut found = window.best_from(start);
                let mut want = searched(&potential, start, enough);
                found.sort_unstable();
                want.sort_unstable();
                prop_assert_eq!(found, want, "start {}", start);
            }
        }
    }
}

#[cfg(test)]
mod parallel_tests {
    use super::*;

    /// Candidates in the order of their nodes, each with its rank and whether it violates a budget.
    fn of(candidates: &[(usize, bool)], enough: usize) -> Vec<u32> {
        let ranked = candidates.iter().zip(0..).map(|((rank, violates), node)| RankedCandidate {
            node: NodeIx(node),
            rank: *rank,
            violates: *violates,
        });
        winners(ranked.collect(), enough).into_iter().map(|node| node.0).collect()
    }

    #[test]
    fn candidate_with_enough_worse_ones_may_win() {
        let plain = |ranks: &[usize], enough| {
            of(&ranks.iter().map(|rank| (*rank, false)).collect::<Vec<_>>(), enough)
        };
        assert_eq!(
            plain(&[0, 8, 1, 7, 2, 6, 3, 5, 4], 2),
            [0, 2, 4, 6, 8, 7, 5, 3],
            "all but the worst"
        );
        assert_eq!(plain(&[0, 1, 2], 1), [0, 1, 2], "the first that is found");
        assert_eq!(plain(&[0, 1, 1, 1], 3), [0, 1, 2, 3], "those that tie do not beat each other");
        assert_eq!(plain(&[0, 1, 2, 3], 3), [0, 1]);
    }

    #[test]
    fn candidate_with_violations_wins_only_without_others() {
        assert_eq!(
            of(&[(0, false), (1, false), (2, true), (3, true)], 2),
            [0, 1],
            "violations fill the sample"
        );
        assert_eq!(of(&[(0, false), (1, false), (2, false), (3, true)], 3), [0, 1]);
        assert_eq!(of(&[(0, true), (1, true), (2, true)], 2), [0, 1]);
    }
}
