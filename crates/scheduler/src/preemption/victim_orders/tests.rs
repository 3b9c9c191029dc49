use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::Value;

use crate::framework::cycle::PreparedCycle;
use crate::preemption::dry_run::{self, Candidate, DryRun, DryRunContext};
use crate::preemption::pick_node;
use crate::testing::{NOW, Pod, at, budget, decide, node, objects, pod};
use model::cluster::{NodeIx, PodIx};

const STARTED: &str = "2025-06-01T00:00:00Z";

fn running(name: &str, cpu: &str) -> Pod {
    pod(name).cpu(cpu).priority(1).on("n").started(STARTED)
}

/// The sets of victims of every order of the potential victims: at most as many as an insertion
/// sort keeps in order.
fn by_brute_force(prepared: &PreparedCycle) -> BTreeSet<BTreeSet<PodIx>> {
    candidates_of(prepared, "n").iter().map(victims_of).collect()
}

fn victims_of(candidate: &Candidate) -> BTreeSet<PodIx> {
    candidate.victims.iter().map(|victim| victim.pod).collect()
}

/// The candidates that the orders of the potential victims make of a node, without those that were
/// found before.
fn candidates_of(prepared: &PreparedCycle, node: &str) -> Vec<Candidate> {
    let cluster = prepared.cycle.cluster();
    let context = DryRunContext::new(prepared.cycle.view, NOW.parse().unwrap());
    let node = cluster.find_node(node).unwrap();
    let lower: Vec<PodIx> = cluster
        .pods_on(node)
        .iter()
        .copied()
        .filter(|p| cluster.pod(*p).priority < prepared.cycle.pod.priority)
        .collect();
    let (mut found, mut known) = (Vec::new(), BTreeSet::new());
    permutations(&mut lower.clone(), 0, &mut |order| {
        if let DryRun::Candidate(candidate) =
            dry_run::of_pods(prepared, node, order, &context, &|budget| budget.0 as usize)
            && known.insert((candidate.violations, victims_of(&candidate)))
        {
            found.push(candidate);
        }
    });
    found
}

/// The nodes that win for some orders on all of them, with the victims there: the tie is broken for
/// every combination.
fn winners_by_brute_force(
    prepared: &PreparedCycle,
    nodes: &[&str],
) -> BTreeSet<(NodeIx, BTreeSet<PodIx>)> {
    let mut combinations: Vec<Vec<Candidate>> = vec![Vec::new()];
    for found in
        nodes.iter().map(|node| candidates_of(prepared, node)).filter(|found| !found.is_empty())
    {
        let with = |before: &Vec<Candidate>| {
            found.iter().map(|c| [before.as_slice(), std::slice::from_ref(c)].concat()).collect()
        };
        combinations = combinations
            .iter()
            .flat_map(|before| -> Vec<Vec<Candidate>> { with(before) })
            .collect();
    }
    let (cluster, features) = (prepared.cycle.cluster(), &prepared.cycle.features().preemption);
    let mut winners = BTreeSet::new();
    for combination in &combinations {
        let (_, nodes) =
            pick_node::pick(combination.iter(), cluster, features, NOW.parse().unwrap());
        let won = combination.iter().filter(|candidate| nodes.contains(&candidate.node));
        winners.extend(won.map(|candidate| (candidate.node, victims_of(candidate))));
    }
    winners
}

fn permutations(items: &mut [PodIx], from: usize, visit: &mut impl FnMut(&[PodIx])) {
    if from == items.len() {
        return visit(items);
    }
    for i in from..items.len() {
        items.swap(from, i);
        permutations(items, from + 1, visit);
        items.swap(from, i);
    }
}

/// The sets of victims that the decision gives.
fn told(objects: Vec<Value>, version: &str) -> BTreeSet<BTreeSet<PodIx>> {
    let answer = at(version).decide(objects, "p");
    answer.victim_sets_on("n").into_iter().map(|set| set.into_iter().collect()).collect()
}

fn brute(objects: Vec<Value>, version: &str) -> BTreeSet<BTreeSet<PodIx>> {
    at(version).with_cycle(objects, "p", by_brute_force)
}

#[test]
fn pods_of_several_sizes_make_sets_of_several_sizes() {
    let answer = decide(
        objects![
            node("n").cpu("5"),
            running("a", "1"),
            running("b", "2"),
            running("c", "1"),
            running("d", "1"),
            pod("p").cpu("2").priority(9),
        ],
        "p",
    );
    assert_eq!(answer.victim_sets(), ["n: c d | b | a c | a d"]);
    assert_eq!(
        (answer.certainty(), answer.choices_on("n").map(|c| (c.count().fewest, c.count().most))),
        ("OneOf", Some((1, 2)))
    );
}

#[test]
fn many_equal_pods_are_counted_and_not_listed() {
    let pods = (0..60).map(|i| running(&format!("w-{i:02}"), "1").into());
    let objects =
        [pods.collect(), objects![node("n").cpu("60").pods(200), pod("p").cpu("30").priority(9)]]
            .concat();
    let answer = decide(objects, "p");
    let found = answer.choices_on("n").unwrap();
    assert_eq!(
        (found.count().fewest, found.count().most, found.open().len(), found.complete),
        (30, 30, 60, true)
    );
    assert_eq!(answer.victim_sets_on("n").len(), 1, "that of the dry run");
}

#[test]
fn too_many_victim_orders_are_reported() {
    let pods = (1..=40).map(|i| running(&format!("w-{i:02}"), &format!("{}m", 90 + i * i)).into());
    let objects =
        [pods.collect(), objects![node("n").cpu("30").pods(200), pod("p").cpu("20").priority(9)]]
            .concat();
    let answer = decide(objects, "p");
    let found = answer.choices_on("n").unwrap();
    assert!(!found.complete && found.count().fewest < found.count().most, "{found:?}");
    assert_eq!(answer.certainty(), "OneOf");
}

#[test]
fn the_order_may_change_which_node_wins() {
    let objects = |cpu: &str| {
        objects![
            node("m").cpu("2"),
            pod("m-1").cpu("1").priority(1).on("m").started(STARTED),
            pod("m-2").cpu("1").priority(1).on("m").started(STARTED).label("other", "size"),
            node("n").cpu("3"),
            running("a", cpu),
            running("b", "2"),
            pod("p").cpu("2").priority(9),
        ]
    };
    // On n either `b` goes, or `a` and `b`... whichever is tried first stays, if the pod fits
    // beside it.
    let answer = decide(objects("1"), "p");
    assert_eq!(
        (answer.selected().as_str(), answer.certainty()),
        ("n", "Certain"),
        "only b makes room"
    );
    let answer = decide(objects("2"), "p");
    assert_eq!(answer.certainty(), "OneOf");
}

/// On n either `b` goes or two of the small pods; on m two pods that started then. All tie but for
/// that.
fn against(m_started: &str) -> Vec<Value> {
    objects![
        node("n").cpu("5"),
        running("a", "1"),
        running("b", "2"),
        running("c", "1"),
        running("d", "1"),
        node("m").cpu("2"),
        pod("m-1").cpu("1").priority(1).on("m").started(m_started),
        pod("m-2").cpu("1").priority(1).on("m").started(m_started),
        pod("p").cpu("2").priority(9),
    ]
}

#[test]
fn victims_that_make_another_node_win_are_omitted() {
    let all = "n: c d | b | a c | a d";
    for (m_started, selected, on_n) in [
        ("2025-05-31T00:00:00Z", "n", all),
        (STARTED, "m n", all),
        ("2025-06-02T00:00:00Z", "m n", "n: b"),
    ] {
        let answer = decide(against(m_started), "p");
        let sets = answer.victim_sets();
        assert_eq!(
            (answer.selected().as_str(), sets.last().map(String::as_str)),
            (selected, Some(on_n)),
            "{m_started}"
        );
        assert_eq!(answer.certainty(), "OneOf");
    }
}

#[test]
fn order_that_makes_another_node_win_is_reported() {
    let answer = decide(against("2025-06-02T00:00:00Z"), "p");
    let notes = answer.notes();
    let note = "4 pods on n are equal in priority and age: kube-scheduler evicts 1 of them, in an order that the API does not show, or picks another node";
    assert!(notes.iter().any(|told| told.contains(note)), "{notes:?}");
}

#[test]
fn rivals_with_orders_that_were_not_tried_exclude_nothing() {
    // m has too many orders for its worst set to be found.
    let tried = (1..=40)
        .map(|i| pod(&format!("w-{i:02}")).cpu(&format!("{}m", 90 + i * i)).priority(1).on("m"));
    let tried = tried.map(|pod| pod.started("2025-06-02T00:00:00Z").into()).collect();
    let mut objects = against(STARTED);
    objects.retain(|object| {
        !["m", "m-1", "m-2"].contains(&object["metadata"]["name"].as_str().unwrap())
    });
    let objects = [objects, tried, objects![node("m").cpu("24").pods(200)]].concat();
    let answer = decide(objects, "p");
    assert_eq!(answer.victim_sets_on("n").len(), 4, "{:?}", answer.victim_sets());
}

#[test]
fn violations_depend_on_which_pods_use_up_the_budget() {
    let objects = objects![
        node("n").cpu("3"),
        running("a", "1").label("app", "db"),
        running("b", "2").label("app", "db"),
        budget("db").selects("app", "db").allowed(1),
        pod("p").cpu("1").priority(9),
    ];
    assert_eq!(told(objects.clone(), "1.37"), brute(objects, "1.37"));
}

#[test]
fn a_node_may_win_because_another_order_violates_no_budget() {
    // On n only b goes. Whether that violates the budget, which allows one, depends on whether a
    // comes first.
    let answer = decide(
        objects![
            node("m").cpu("2"),
            pod("m-1").cpu("2").priority(2).on("m").started(STARTED),
            node("n").cpu("3"),
            running("a", "1").label("app", "db"),
            running("b", "2").label("app", "db"),
            budget("db").selects("app", "db").allowed(1),
            pod("p").cpu("2").priority(9),
        ],
        "p",
    );
    assert_eq!(
        (answer.selected().as_str(), answer.victim_sets()),
        ("m n", vec!["m: m-1".into(), "n: b".into()])
    );
    let notes = answer.notes();
    assert!(
        notes.iter().any(|note| note.contains("evictions there violate a budget")),
        "{notes:?}"
    );
}

#[test]
fn in_1_38_uids_decide() {
    let objects = || {
        objects![
            node("n").cpu("2"),
            running("a", "1"),
            running("b", "1"),
            pod("p").cpu("1").priority(9)
        ]
    };
    assert_eq!(at("1.37").decide(objects(), "p").certainty(), "OneOf");
    let answer = at("1.38").decide(objects(), "p");
    assert_eq!(answer.dry_run("n"), "victims b, violations 0, spared a");
    assert_eq!(answer.choices_on("n"), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: builders::share::of(48, 192), ..ProptestConfig::default() })]

    /// The reported sets are exactly those to which some order leads.
    #[test]
    fn every_order_leads_to_a_reported_set(
        pods in proptest::collection::vec((1..4_u32, 0..2_usize, 1..3_i32, 0..2_usize, any::<bool>()), 2..7),
        room in 1..8_u32,
        budgets in proptest::collection::vec((0..2_usize, 0..3_i64), 0..2),
        version in prop_oneof![Just("1.37"), Just("1.33"), Just("1.24"), Just("1.20")],
    ) {
        let total: u32 = pods.iter().map(|(cpu, ..)| cpu).sum();
        let mut objects = objects![node("n").cpu(&total.to_string()), pod("p").cpu(&room.min(total).to_string()).priority(9)];
        for (index, (cpu, app, priority, second, port)) in pods.iter().enumerate() {
            let mut pod = running(&format!("v-{index}"), &cpu.to_string())
                .priority(*priority)
                .label("app", ["a", "b"][*app])
                .started(["2025-06-01T00:00:00Z", "2025-06-01T00:00:01Z"][*second]);
            if *port && index == 0 {
                pod = pod.port(80, "TCP", "");
            }
            objects.push(pod.into());
        }
        for (index, (app, allowed)) in budgets.iter().enumerate() {
            objects.push(budget(&format!("b-{index}")).selects("app", ["a", "b"][*app]).allowed(*allowed).into());
        }
        let (told, brute) = (told(objects.clone(), version), brute(objects, version));
        prop_assert_eq!(told, brute);
    }

    /// With several nodes, the reported sets make the node win for some orders of the others.
    #[test]
    fn every_winner_is_reported_with_the_victims_that_make_it_win(
        nodes in proptest::collection::vec(
            proptest::collection::vec((1..4_u32, 0..2_usize, 1..3_i32, 0..2_usize), 1..5), 2..4),
        room in 1..6_u32,
        allowed in proptest::option::of(0..3_i64),
        version in prop_oneof![Just("1.37"), Just("1.33"), Just("1.24"), Just("1.20")],
    ) {
        let names = ["l", "m", "n"].get(..nodes.len()).unwrap();
        let mut objects = objects![pod("p").cpu(&room.to_string()).priority(9)];
        for (name, pods) in names.iter().zip(&nodes) {
            let total: u32 = pods.iter().map(|(cpu, ..)| cpu).sum();
            objects.push(node(name).cpu(&total.to_string()).into());
            for (index, (cpu, app, priority, second)) in pods.iter().enumerate() {
                let victim = running(&format!("{name}-{index}"), &cpu.to_string()).on(name).priority(*priority);
                let victim = victim.label("app", ["a", "b"][*app]);
                objects.push(victim.started(["2025-06-01T00:00:00Z", "2025-06-01T00:00:01Z"][*second]).into());
            }
        }
        objects.extend(allowed.map(|allowed| budget("b").selects("app", "a").allowed(allowed).into()));
        let brute = at(version).with_cycle(objects.clone(), "p", |prepared| winners_by_brute_force(prepared, names));
        let answer = at(version).decide(objects, "p");
        let mut told = BTreeSet::new();
        for (at, name) in names.iter().enumerate() {
            let sets = answer.victim_sets_on(name).into_iter().map(|set| set.into_iter().collect());
            told.extend(sets.map(|set: BTreeSet<PodIx>| (NodeIx(u32::try_from(at).unwrap()), set)));
        }
        prop_assert_eq!(told, brute);
    }
}
