use std::collections::BTreeMap;

use serde_json::Value;

use super::{pick, ranks};
use crate::preemption::dry_run::Candidate;
use crate::preemption::evaluate;
use crate::testing::{Answer, NOW, Pod, at, budget, decide, node, objects, pod};
use model::cluster::node::NodeIx;

const FEWEST_VIOLATIONS: &str = "fewest PDB violations";
const LOWEST_PRIORITY: &str = "lowest priority of the most important victim";
const SMALLEST_SUM: &str = "smallest sum of victim priorities (+2^31 each)";
const FEWEST_VICTIMS: &str = "fewest victims";
const LATEST_START: &str = "latest start of the longest-running victim of highest priority";

/// The choice between node `m` with `on_m` and node `n` with `on_n`; all these pods have to be
/// evicted.
fn choose(on_m: Vec<Pod>, on_n: Vec<Pod>, more: Vec<Value>) -> Answer {
    let mut objects =
        objects![node("m").cpu("2"), node("n").cpu("2"), pod("p").cpu("2").priority(100)];
    for (node, pods) in [("m", on_m), ("n", on_n)] {
        let share = format!("{}m", 2000 / pods.len());
        objects.extend(pods.into_iter().map(|p| p.cpu(&share).on(node).into()));
    }
    objects.extend(more);
    decide(objects, "p")
}

fn decided_by(answer: &Answer) -> (String, usize) {
    let tie_break = answer.tie_break();
    (tie_break.last().cloned().unwrap_or_default(), tie_break.len())
}

#[test]
fn each_step_decides_once() {
    let protect = || objects![budget("b").selects("app", "web")];
    let (early, late) = ("2025-01-01T00:00:00Z", "2025-06-01T00:00:00Z");
    let lowest = i32::MIN;
    for (step, (name, winner), on_m, on_n, more) in [
        (
            1,
            (FEWEST_VIOLATIONS, "n"),
            vec![pod("a").priority(1).label("app", "web")],
            vec![pod("b").priority(9)],
            protect(),
        ),
        (
            2,
            (LOWEST_PRIORITY, "m"),
            vec![pod("a").priority(1), pod("b").priority(1)],
            vec![pod("c").priority(2)],
            objects![],
        ),
        (
            3,
            (SMALLEST_SUM, "n"),
            vec![pod("a").priority(5), pod("b").priority(4)],
            vec![pod("c").priority(5), pod("d").priority(3)],
            objects![],
        ),
        // Each victim adds at least 0, and only the lowest possible priority adds exactly 0.
        (
            4,
            (FEWEST_VICTIMS, "m"),
            vec![pod("a").priority(5)],
            vec![pod("c").priority(5), pod("d").priority(lowest)],
            objects![],
        ),
        (
            5,
            (LATEST_START, "n"),
            vec![pod("a").started(early)],
            vec![pod("b").started(late)],
            objects![],
        ),
    ] {
        let answer = choose(on_m, on_n, more);
        assert_eq!(decided_by(&answer), (format!("{name}: {winner}"), step), "{name}");
        assert_eq!(
            (answer.winners().as_str(), answer.selected().as_str()),
            (winner, winner),
            "{name}"
        );
    }
}

#[test]
fn node_with_more_victims_costs_more_at_any_priority() {
    let answer = choose(
        vec![pod("a").priority(5)],
        vec![pod("c").priority(5), pod("d").priority(-10)],
        objects![],
    );
    assert_eq!(decided_by(&answer), (format!("{SMALLEST_SUM}: m"), 3));
    let values = &answer.preemption.as_ref().expect("candidates").tie_break[2].values;
    let (m, n) = (answer.node_ix("m"), answer.node_ix("n"));
    assert_eq!(values, &BTreeMap::from([(m, (1 << 31) + 5), (n, (1 << 32) - 5)]));
}

#[test]
fn starts_of_the_most_important_victims_count_and_of_those_the_earliest() {
    let at = |name: &str, priority, month: u32| {
        pod(name).priority(priority).started(&format!("2025-{month:02}-01T00:00:00Z"))
    };
    for (row, on_m, on_n, winner) in [
        (
            "less important ones do not count",
            vec![at("a", 2, 5), at("b", 1, 1)],
            vec![at("c", 2, 4), at("d", 1, 9)],
            "m",
        ),
        (
            "the earliest of equals counts",
            vec![at("a", 2, 5), at("b", 2, 1)],
            vec![at("c", 2, 4), at("d", 2, 3)],
            "n",
        ),
        (
            "one that has not started counts as started now",
            vec![pod("a")],
            vec![at("b", 0, 12)],
            "m",
        ),
        ("a tie is a tie", vec![at("a", 2, 5)], vec![at("b", 2, 5)], "m n"),
        ("neither has started: a tie", vec![pod("a")], vec![pod("b")], "m n"),
    ] {
        let answer = choose(on_m, on_n, objects![]);
        assert_eq!(decided_by(&answer), (format!("{LATEST_START}: {winner}"), 5), "{row}");
        assert_eq!(answer.winners(), winner, "{row}");
    }
}

#[test]
fn a_single_candidate_is_taken_without_a_look() {
    let answer = choose(vec![pod("a").priority(100)], vec![pod("b").priority(1)], objects![]);
    assert_eq!((answer.tie_break().len(), answer.winners().as_str()), (0, "n"));
}

#[test]
fn losers_of_a_step_are_out_for_good() {
    // The victim on m is younger, but has the higher priority.
    let answer = choose(
        vec![pod("a").priority(2).started("2025-06-01T00:00:00Z")],
        vec![pod("b").priority(1).started("2025-01-01T00:00:00Z")],
        objects![],
    );
    assert_eq!(
        answer.tie_break(),
        [format!("{FEWEST_VIOLATIONS}: m n"), format!("{LOWEST_PRIORITY}: n")]
    );
}

#[test]
fn a_tie_is_reported() {
    let answer = choose(vec![pod("a")], vec![pod("b")], objects![]);
    assert_eq!((answer.certainty(), answer.winners().as_str()), ("OneOf", "m n"));
}

#[test]
fn ranks_agree_with_the_steps() {
    let (early, late) = ("2025-01-01T00:00:00Z", "2025-06-01T00:00:00Z");
    let mut objects = objects![pod("p").cpu("2").priority(100), budget("b").selects("app", "web")];
    for (name, victims) in [
        ("a", vec![pod("a1").priority(5).started(early)]),
        ("b", vec![pod("b1").priority(5).started(late)]),
        ("c", vec![pod("c1").priority(5).started(late)]),
        (
            "d",
            vec![pod("d1").priority(5).started(late), pod("d2").priority(i32::MIN).started(late)],
        ),
        ("e", vec![pod("e1").priority(1).label("app", "web")]),
        ("f", vec![pod("f1").priority(9)]),
    ] {
        objects.push(node(name).cpu("2").into());
        let share = format!("{}m", 2000 / victims.len());
        objects.extend(victims.into_iter().map(|p| Value::from(p.cpu(&share).on(name))));
    }
    let now = NOW.parse().expect("a time");
    for version in ["1.12", "1.19", "1.37"] {
        let compared = at(version).with_cycle(objects.clone(), "p", |prepared| {
            let report = evaluate(prepared, &prepared.filter_all(), now);
            let (cluster, features) =
                (prepared.cycle.cluster(), &prepared.cycle.features().preemption);
            let all: Vec<&Candidate> = report.candidates().collect();
            let ranks = ranks(all.iter().copied(), cluster, features, now);
            let ranks: BTreeMap<NodeIx, usize> =
                all.iter().zip(ranks).map(|(candidate, rank)| (candidate.node, rank)).collect();
            for chosen in 1..1_usize << all.len() {
                let some = || {
                    all.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, c)| *c)
                };
                let left = pick(some(), cluster, features, now).1;
                let lowest = some().map(|c| ranks[&c.node]).min();
                let with_lowest: Vec<_> =
                    some().map(|c| c.node).filter(|n| Some(ranks[n]) == lowest).collect();
                assert_eq!(left, with_lowest, "{version} {chosen:b}");
            }
            all.len()
        });
        assert_eq!(compared, 6, "{version}");
    }
}
