use serde_json::Value;

use super::Starts;
use super::odds::{fraction, greatest_common_divisor};
use crate::testing::{Answer, At, Node, at, budget, node, objects, pod};
use profile::Profile;

/// The probabilities as `a 1/3, b 1/6`, the most probable node first.
fn odds(answer: &Answer) -> String {
    in_words(&answer.odds())
}

fn in_words(odds: &[(&str, u64, u64)]) -> String {
    odds.iter()
        .map(|(name, above, below)| format!("{name} {above}/{below}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Nodes `n000` to `n119`, with `special` ones among them, and a pod that fits on all of them.
fn large(special: Vec<(usize, Node)>) -> Vec<Value> {
    let mut nodes: Vec<Value> =
        (0..120).map(|i| node(&format!("n{i:03}")).cpu("2").into()).collect();
    for (at, node) in special {
        nodes[at] = node.into();
    }
    nodes.push(pod("p").cpu("1").into());
    nodes
}

#[test]
fn a_node_is_chosen_when_it_is_among_those_that_are_scored() {
    let roomy = |name: &str, cpu: &str| node(name).cpu(cpu);
    let best_and_next = || large(vec![(0, roomy("n000", "64")), (60, roomy("n060", "4"))]);
    let everywhere: fn(&mut Profile) = |profile| profile.percentage_of_nodes_to_score = Some(100);
    // Of 120 nodes 100 are scored; from 20 starts the best node is not among them.
    let sampled = at("1.37");
    for (row, scheduler, objects, want) in [
        ("both", sampled, best_and_next(), "n000 5/6, n060 1/6"),
        ("all are scored", sampled.with(everywhere), best_and_next(), "n000 1/1"),
        ("1.12", at("1.12"), best_and_next(), "n000 5/6, n060 1/6"),
        // Starts up to n000 find it; those from n001 to n020 stop before it.
        (
            "a node that rejects",
            sampled,
            large(vec![
                (0, roomy("n000", "64")),
                (60, roomy("n060", "4")),
                (119, roomy("n119", "500m")),
            ]),
            "n000 101/120, n060 19/120",
        ),
    ] {
        let answer = scheduler.as_scheduled(Starts::All).decide(objects, "p");
        assert_eq!(odds(&answer), want, "{row}");
        let sampled = want.contains(',');
        assert_eq!(answer.selected(), if sampled { "n000 n060" } else { "n000" }, "{row}");
        assert_eq!(answer.certainty(), if sampled { "Sampled" } else { "Certain" }, "{row}");
        let notes = answer.notes().join("\n");
        assert_eq!(
            notes.contains("a scheduler with one worker"),
            answer.sampling.as_ref().is_some_and(|found| found.sampled),
            "{row}"
        );
        assert!(!notes.contains("random order"), "{row}");
    }
}

#[test]
fn scores_depend_on_the_set_of_scored_nodes() {
    // Two taints with PreferNoSchedule: after normalizing, the node with two of them scores as low
    // as the lowest one.
    let avoided = |name: &str| node(name).cpu("2").taint("a", "b", "PreferNoSchedule");
    let mut nodes = large((0..119).map(|i| (i, avoided(&format!("n{i:03}")))).collect());
    nodes[119] = node("n119").cpu("2").into();
    let answer = at("1.37").as_scheduled(Starts::All).decide(nodes, "p");
    // From 20 starts n119 is not found, and the hundred nodes that are found tie.
    let odds = answer.odds();
    assert_eq!(odds[0], ("n119", 5, 6));
    assert_eq!(odds.len(), 120, "{odds:?}");
    assert!(odds.contains(&("n000", 1, 12000)), "{odds:?}");
    assert!(odds.contains(&("n050", 1, 600)), "{odds:?}");
}

#[test]
fn zones_take_turns() {
    // The empty nodes are the last two by name, but the third and fourth in the order of zones.
    let zoned = |i: usize, name: &str, cpu: &str| {
        node(name).cpu(cpu).label("topology.kubernetes.io/zone", if i < 118 { "a" } else { "b" })
    };
    let nodes: Vec<(usize, Node)> = (0..120)
        .map(|i| (i, zoned(i, &format!("n{i:03}"), if i == 118 { "64" } else { "2" })))
        .collect();
    let seed =
        |seed: u64| at("1.37").as_scheduled(Starts::Seed(seed)).decide(large(nodes.clone()), "p");
    // n000, n118, n001, n119, n002, ...
    for (start, found) in
        [(0, true), (1, true), (2, false), (21, false), (22, true), (121, true), (122, false)]
    {
        assert_eq!(odds(&seed(start)) == "n118 1/1", found, "{start}");
    }
    let note = seed(7).notes().join("\n");
    assert!(note.contains("info one start was tried, that of seed 7"), "{note}");
}

#[test]
fn without_scores_the_first_node_is_taken() {
    let nothing: fn(&mut Profile) = |profile| profile.plugins.score.clear();
    let cluster = || {
        let some = |name: &str| node(name).cpu("2");
        objects![some("a"), some("b"), node("c").cpu("500m"), some("d"), pod("p").cpu("1")]
    };
    let found =
        |version| odds(&at(version).with(nothing).as_scheduled(Starts::All).decide(cluster(), "p"));
    assert_eq!(found("1.37"), "d 1/2, a 1/4, b 1/4");
    assert_eq!(found("1.29"), "a 1/3, b 1/3, d 1/3", "before, all were looked at");
}

/// Two candidates are enough.
fn two(version: &str) -> At<'_> {
    at(version).with(|profile| {
        (profile.args.min_candidate_nodes_absolute, profile.args.min_candidate_nodes_percentage) =
            (2, 0);
    })
}

/// A node for every victim, by its priority; `None` is a node without any. Victims with `!` violate
/// a budget.
fn victims(priorities: &[(&str, Option<i32>)]) -> Vec<Value> {
    let mut objects = objects![pod("p").cpu("2").priority(100), budget("b").selects("app", "web")];
    for (name, priority) in priorities {
        let safe = priority.unwrap_or(200);
        let name = name.trim_end_matches('!');
        let victim = pod(&format!("on-{name}")).cpu("2").priority(safe).on(name);
        let protected = priorities.iter().any(|(marked, _)| *marked == format!("{name}!"));
        objects.push(if protected { victim.label("app", "web") } else { victim }.into());
        objects.push(node(name).cpu("2").into());
    }
    objects
}

#[test]
fn preemption_that_wants_no_candidate_nominates_none() {
    let few = || victims(&[("a", Some(1)), ("b", None), ("c", Some(2))]);
    let tenth: fn(&mut Profile) = |profile| profile.args.min_candidate_nodes_absolute = 0;
    let answer = at("1.37").with(tenth).decide(few(), "p");
    assert_eq!(answer.outcome(), "Unschedulable");
    let told = "preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.";
    assert!(answer.message().ends_with(told), "{}", answer.message());
    // A third of three nodes is one, and one is enough.
    let third: fn(&mut Profile) = |profile| {
        (profile.args.min_candidate_nodes_absolute, profile.args.min_candidate_nodes_percentage) =
            (0, 34);
    };
    assert_eq!(at("1.37").with(third).decide(few(), "p").outcome(), "Preempt");
}

#[test]
fn preemption_stops_at_enough_candidates() {
    let some = |priority| Some(priority);
    for (row, nodes, want) in [
        (
            "the better of two neighbours",
            vec![("a", some(1)), ("b", some(2)), ("c", some(3)), ("d", some(4))],
            "a 1/2, b 1/4, c 1/4",
        ),
        (
            "equals share",
            vec![("a", some(1)), ("b", some(1)), ("c", some(1))],
            "a 1/3, b 1/3, c 1/3",
        ),
        ("no more than enough", vec![("a", some(2)), ("b", some(1))], "b 1/1"),
        (
            "nodes that do not help are passed",
            vec![("a", some(1)), ("b", None), ("c", some(2)), ("d", some(3)), ("e", None)],
            "a 3/5, c 2/5",
        ),
        // From a: a violates, b does not, enough.
        (
            "violations lose",
            vec![("a!", some(1)), ("b", some(2)), ("c", some(3)), ("d", some(4))],
            "b 1/2, c 1/4, d 1/4",
        ),
        // The search continues until a candidate violates no budget, and keeps the first two of the
        // others.
        (
            "one that does not violate is looked for",
            vec![("a!", some(1)), ("b!", some(2)), ("c!", some(3)), ("d", some(4))],
            "d 1/1",
        ),
        (
            "all violate",
            vec![("a!", some(1)), ("b!", some(2)), ("c!", some(3)), ("d!", some(4))],
            "a 1/2, b 1/4, c 1/4",
        ),
    ] {
        let answer = two("1.37").as_scheduled(Starts::All).decide(victims(&nodes), "p");
        assert_eq!((answer.outcome(), odds(&answer).as_str()), ("Preempt", want), "{row}");
    }
}

#[test]
fn seeds_name_a_start() {
    let nodes = [("a", Some(1)), ("b", Some(2)), ("c", Some(3)), ("d", Some(4))];
    for (seed, want) in
        [(0, "a"), (1, "b"), (2, "c"), (3, "a"), (4, "a"), (u64::MAX, "a"), (u64::MAX - 1, "c")]
    {
        let answer = two("1.37").as_scheduled(Starts::Seed(seed)).decide(victims(&nodes), "p");
        assert_eq!(odds(&answer), format!("{want} 1/1"), "{seed}");
        assert_eq!(answer.sampling.expect("asked for").starts, 1);
    }
}

#[test]
fn before_1_20_all_candidates_are_found() {
    let nodes = [("a", Some(1)), ("b", Some(2)), ("c", Some(3))];
    for (version, want, any_order) in [
        ("1.19", "a 1/1", false),
        ("1.20", "a 2/3, b 1/3", false),
        ("1.31", "a 2/3, b 1/3", false),
        ("1.32", "a 2/3, b 1/3", true),
    ] {
        let answer = two(version).as_scheduled(Starts::All).decide(victims(&nodes), "p");
        assert_eq!(odds(&answer), want, "{version}");
        let told = answer.notes().iter().any(|note| note.contains("the odds are estimates"));
        assert_eq!(told, any_order, "{version}");
    }
}

#[test]
fn no_probabilities_without_a_picked_node() {
    let objects = || objects![node("a").cpu("1"), pod("p").cpu("2"), pod("q").cpu("2").gated("g")];
    for pod in ["p", "q"] {
        let answer = at("1.37").as_scheduled(Starts::All).decide(objects(), pod);
        assert_eq!(answer.sampling, None, "{pod}");
    }
    let nominated = objects![node("a"), node("b"), pod("p").nominated("b")];
    let answer = at("1.37").as_scheduled(Starts::All).decide(nominated, "p");
    assert_eq!(
        (odds(&answer).as_str(), answer.sampling.map(|found| found.sampled)),
        ("b 1/1", Some(false))
    );
    let not_asked = at("1.37").decide(objects![node("a"), pod("p")], "p");
    assert_eq!(not_asked.sampling, None);
}

#[test]
fn decision_has_probabilities() {
    let roomy = |name: &str, cpu: &str| node(name).cpu(cpu);
    let answer =
        at("1.37").decide(large(vec![(0, roomy("n000", "64")), (60, roomy("n060", "4"))]), "p");
    assert_eq!(answer.certainty(), "Sampled");
    assert_eq!(in_words(&answer.shares(answer.odds.as_ref())), "n000 5/6, n060 1/6");
    assert!(answer.odds.is_some_and(|found| found.complete));

    let nodes = [("a", Some(1)), ("b", Some(2)), ("c", Some(3))];
    let answer = two("1.31").decide(victims(&nodes), "p");
    assert_eq!(
        (answer.certainty(), answer.victim_sets()),
        ("Sampled", vec!["a: on-a".into(), "b: on-b".into()])
    );
    assert!(answer.odds.is_some_and(|found| found.complete));
    // In an order that is not known every candidate but the worst may win: two are looked for.
    let answer = two("1.32").decide(victims(&nodes), "p");
    assert_eq!(answer.certainty(), "Sampled");
    assert_eq!(answer.odds.map(|found| (found.complete, found.possible)), Some((false, 2)));
    // As many candidates as are looked for: the tie-break decides.
    assert_eq!(two("1.37").decide(victims(&nodes[..2]), "p").certainty(), "Certain");
}

#[test]
fn odds_that_take_too_long_are_not_guessed() {
    let everything: fn(&mut Profile) = |profile| profile.percentage_of_nodes_to_score = Some(90);
    let mut nodes: Vec<Value> =
        (0..7000).map(|i| node(&format!("n{i:04}")).cpu("2").into()).collect();
    nodes.push(pod("p").cpu("1").into());
    let answer = at("1.37").with(everything).decide(nodes, "p");
    assert_eq!((answer.certainty(), answer.selected().split(' ').count()), ("Sampled", 7000));
    let odds = answer.odds.expect("not every node is looked at");
    assert_eq!((odds.complete, odds.possible, odds.nodes), (false, 7000, Vec::new()));
}

#[test]
fn no_more_sets_are_scored_than_bearable() {
    let mut nodes: Vec<Value> =
        (0..600).map(|i| node(&format!("n{i:03}")).cpu("2").into()).collect();
    nodes.push(pod("p").cpu("1").into());
    let few: fn(&mut Profile) = |profile| profile.percentage_of_nodes_to_score = Some(1);
    let answer = at("1.37").with(few).as_scheduled(Starts::All).decide(nodes, "p");
    let found = answer.sampling.as_ref().expect("asked for");
    assert_eq!(found.starts, 512);
    let text = "warning of 600 starts 512, evenly spread, were tried";
    assert!(answer.notes().iter().any(|note| note == text), "{:?}", answer.notes());
    let sum: f64 = found.nodes.iter().map(|share| share.probability).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
}

#[test]
fn fractions_are_exact_or_not_given() {
    for (ties, starts, want) in [
        (vec![(1, 17)], 250, Some((17, 250))),
        (vec![(1, 4)], 4, Some((1, 1))),
        (vec![(2, 3), (3, 1)], 6, Some((11, 36))),
        (vec![(100, 20)], 120, Some((1, 600))),
        ((1..200).map(|equals| (equals, 1)).collect(), 5000, None),
    ] {
        assert_eq!(fraction(&ties.iter().copied().collect(), starts), want, "{ties:?}");
    }
    assert_eq!(
        (
            greatest_common_divisor(12, 18),
            greatest_common_divisor(7, 0),
            greatest_common_divisor(0, 5)
        ),
        (6, 7, 5)
    );
}
