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
