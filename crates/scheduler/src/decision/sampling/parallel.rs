//! Which candidates may win where the scheduler stops once it has found enough, in whatever order
//! its workers find them.
//!
//! Upstream: `pkg/scheduler/framework/preemption/preemption.go` `DryRunPreemption` (1.22 to 1.37):
//! parallel workers append to two lists, of candidates with and without violated budgets. Each list
//! keeps the first `enough`, and the search ends when there is one without violations and `enough`
//! in total. A worker may be slower than all others, so any candidates may be found first.

use model::cluster::NodeIx;

use super::window::RankedCandidate;

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
