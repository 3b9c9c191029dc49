//! The best of the candidates that preemption finds from a start on, for one start after the other: the minimum of a sliding window,
//! with a queue of ascending ranks, so that all starts together take as long as one.

use std::collections::VecDeque;

use model::cluster::node::NodeIx;

/// A candidate with its rank in the tie-break.
#[derive(Debug, Clone, Copy)]
pub(super) struct RankedCandidate {
    pub(super) node: NodeIx,
    pub(super) rank: usize,
    pub(super) violates: bool,
}

/// The potential nodes that the search goes through from a start on. It goes around once at most, and stops after
/// `enough` candidates one of which violates no budget. Of each kind at most `enough` are kept.
pub(super) struct Window<'p> {
    potential: &'p [Option<RankedCandidate>],
    enough: usize,
    start: usize,
    end: usize,
    non_violating: Kept,
    violating: Kept,
}

impl<'p> Window<'p> {
    pub(super) fn new(potential: &'p [Option<RankedCandidate>], enough: usize) -> Self {
        let (non_violating, violating) = (Kept::default(), Kept::default());
        Self { potential, enough, start: 0, end: 0, non_violating, violating }
    }

    /// The best candidates from `start` on; starts have to ascend.
    pub(super) fn best_from(&mut self, start: usize) -> Vec<NodeIx> {
        // The window begins at the start: candidates before it leave.
        while self.start < start {
            let at = self.start;
            if let Some(left) = self.candidate(at).filter(|_| at < self.end) {
                self.kept(left).leave(at);
            }
            self.start += 1;
        }
        // It ends where the scheduler stops, or where the search has gone around. The end never moves back: from a later start
        // the scheduler stops no earlier.
        self.end = self.end.max(start);
        while self.end < start + self.potential.len() && !self.is_enough() {
            if let Some(found) = self.candidate(self.end) {
                let (at, enough) = (self.end, self.enough);
                self.kept(found).enter(at, found, enough);
            }
            self.end += 1;
        }
        // The lowest rank of a kind is at the front of its queue; those that tie with it stand behind it.
        let kinds = [&self.non_violating, &self.violating];
        let rank = kinds.iter().filter_map(|kept| kept.lowest.front()).map(|(_, best)| best.rank).min();
        let best = kinds.iter().flat_map(|kept| kept.lowest.iter().take_while(|(_, c)| Some(c.rank) == rank));
        best.map(|(_, candidate)| candidate.node).collect()
    }

    fn is_enough(&self) -> bool {
        self.non_violating.number > 0 && self.non_violating.number + self.violating.number >= self.enough
    }

    fn candidate(&self, at: usize) -> Option<RankedCandidate> {
        *self.potential.get(at % self.potential.len())?
    }

    fn kept(&mut self, of: RankedCandidate) -> &mut Kept {
        if of.violates { &mut self.violating } else { &mut self.non_violating }
    }
}

/// The candidates of one kind, with their positions.
#[derive(Default)]
struct Kept {
    /// How many are kept.
    number: usize,
    /// Those of the kept ones behind which none has a lower rank: ranks ascend.
    lowest: VecDeque<(usize, RankedCandidate)>,
    /// Those that were found when enough were kept.
    left_over: VecDeque<(usize, RankedCandidate)>,
}

impl Kept {
    fn enter(&mut self, at: usize, found: RankedCandidate, enough: usize) {
        if self.number >= enough {
            self.left_over.push_back((at, found));
            return;
        }
        self.number += 1;
        while self.lowest.back().is_some_and(|(_, last)| last.rank > found.rank) {
            self.lowest.pop_back();
        }
        self.lowest.push_back((at, found));
    }

    fn leave(&mut self, at: usize) {
        self.number -= 1;
        if self.lowest.front().is_some_and(|(first, _)| *first == at) {
            self.lowest.pop_front();
        }
        if let Some((at, next)) = self.left_over.pop_front() {
            let enough = self.number + 1;
            self.enter(at, next, enough);
        }
    }
}

#[cfg(test)]
mod tests;
