use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    DryRunContext, Goal, NotSearched, PlanCertificate, PlanCost, PlanProof, certify, cost_of,
};
use crate::framework::cycle::{NodeVerdict, PreparedCycle};
use crate::preemption;
use crate::testing::{At, NOW, at, budget, node, objects, pod};
use model::cluster::{NodeIx, PodIx};

/// The certificate of the first plan, and each set of pods of each node that makes room.
type Searched = Option<(PlanCertificate, BTreeMap<(NodeIx, Vec<PodIx>), Plan>)>;

/// A set of pods that makes room.
struct Plan {
    /// Its cost with its pods counted in one order, and in the reverse of it.
    costs: [PlanCost; 2],
    /// Whether no pod of lower priority of its node has several budgets.
    is_simple: bool,
}

/// The cost with the violations counted as kube-scheduler does: each pod once.
fn counted(pods: &[PodIx], context: &DryRunContext) -> PlanCost {
    let cluster = context.view.cluster;
    let budgets_of = |pod: &PodIx| context.budgets.of(cluster.pod(*pod), cluster);
    let is_violation = |at: usize| {
        budgets_of(&pods[at]).iter().any(|budget| {
            let counted = pods[..=at].iter().filter(|pod| budgets_of(pod).contains(budget));
            counted.count() as i64 > cluster.budget(*budget).allowed
        })
    };
    let violations = (0..pods.len()).filter(|at| is_violation(*at)).count() as i64;
    PlanCost { violations, ..cost_of(pods, context) }
}

/// Removes every set of pods of lower priority of every node.
fn search(prepared: &PreparedCycle) -> Searched {
    let (now, cluster) = (NOW.parse().unwrap(), prepared.cycle.cluster());
    let verdicts = prepared.filter_all();
    if verdicts.contains(&NodeVerdict::Feasible) {
        return None;
    }
    let report = preemption::evaluate(prepared, &verdicts, now);
    let winner = report.winners.first()?;
    let certificate = certify(prepared, &report, report.candidate(*winner)?, now);
    let context = DryRunContext::new(prepared.cycle.view, now);
    let mut plans = BTreeMap::new();
    for node in cluster.node_indices() {
        let lower = cluster.pods_on(node).iter().copied();
        let lower: Vec<PodIx> =
            lower.filter(|pod| cluster.pod(*pod).priority < prepared.cycle.pod.priority).collect();
        let budgets_of = |pod: &PodIx| context.budgets.of(cluster.pod(*pod), cluster);
        let is_simple = lower.iter().all(|pod| budgets_of(pod).len() < 2);
        for set in 1_u32..1 << lower.len() {
            let chosen = lower.iter().enumerate().filter(|(at, _)| set & (1 << at) != 0);
            let chosen: Vec<PodIx> = chosen.map(|(_, pod)| *pod).collect();
            let mut state = prepared.node_state(node);
            chosen.iter().for_each(|pod| state.remove_pod(*pod));
            if state.check().is_none() {
                let back: Vec<PodIx> = chosen.iter().rev().copied().collect();
                let costs = [counted(&chosen, &context), counted(&back, &context)];
                plans.insert((node, chosen), Plan { costs, is_simple });
            }
        }
    }
    Some((certificate, plans))
}

/// Compares a proof with all sets; whether it is proven or shown.
fn compare(
    proof: &PlanProof,
    goal: Goal,
    cost: PlanCost,
    plans: &BTreeMap<(NodeIx, Vec<PodIx>), Plan>,
) -> bool {
    let is_compared = |plan: &&Plan| match proof {
        PlanProof::Better(_) => plan.is_simple || goal == Goal::Fewest,
        _ => true,
    };
    let costs = plans.values().filter(is_compared).flat_map(|plan| plan.costs);
    let better: Vec<PlanCost> = costs.filter(|other| goal.is_better(*other, cost)).collect();
    match proof {
        PlanProof::Proven => assert!(better.is_empty(), "{goal:?} {cost:?}: {better:?}"),
        PlanProof::Better(plan) => {
            let mut victims = plan.victims.clone();
            victims.sort_unstable();
            let costs = plans[&(plan.node, victims)].costs;
            assert!(goal == Goal::Fewest || costs == [plan.cost; 2], "{plan:?} {costs:?}");
            assert_eq!(costs[0].victims, plan.cost.victims, "{plan:?}");
            assert!(goal.is_better(plan.cost, cost), "{plan:?} {cost:?}");
            assert!(!better.iter().any(|other| goal.is_better(*other, plan.cost)), "{plan:?}");
        }
        PlanProof::NotProven(_) | PlanProof::NotTried(_) => return false,
    }
    true
}

fn app(index: usize) -> &'static str {
    ["a", "b", "c"][index]
}

/// A pod on a node: its CPU, priority, app, and whether it uses the host port.
type RandomPod = (u32, i32, usize, bool);

fn cluster(
    nodes: &[Vec<RandomPod>],
    room: u32,
    budgets: &[(usize, i64)],
    constraint: usize,
) -> Vec<Value> {
    let mut preemptor = pod("p").cpu(&room.to_string()).priority(9).label("app", "a");
    let selector = json!({"matchLabels": {"app": "a"}});
    let term = json!([{"topologyKey": "zone", "labelSelector": selector}]);
    match constraint {
        0 => {
            preemptor = preemptor.constraint(
                json!({"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}),
            );
        }
        1 => {
            preemptor = preemptor.with(
                "/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution",
                term,
            );
        }
        2 => {
            let term =
                json!([{"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "b"}}}]);
            preemptor = preemptor.with(
                "/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution",
                term,
            );
        }
        3 => preemptor = preemptor.port(80, "TCP", ""),
        _ => {}
    }
    // What is short differs between nodes: cpu, memory, or the number of pods.
    let memory = |cpu: u32, priority: i32| 1 + (cpu + priority.unsigned_abs()) % 3;
    if !nodes.is_empty() {
        preemptor = preemptor.memory(&format!("{}Gi", room % 5));
    }
    let mut objects = objects![preemptor];
    for (index, pods) in nodes.iter().enumerate() {
        let total: u32 = pods.iter().map(|(cpu, ..)| cpu).sum();
        let total_memory: u32 =
            pods.iter().map(|(cpu, priority, ..)| memory(*cpu, *priority)).sum();
        let name = format!("n{index}");
        let zone = ["x", "y"][index % 2];
        let mut one = node(&name).cpu(&total.max(room).to_string()).label("zone", zone);
        one = one.memory(&format!("{}Gi", total_memory.max(room % 5)));
        if (index + pods.len()).is_multiple_of(3) {
            one = one.pods(u32::try_from(pods.len()).unwrap());
        }
        objects.push(one.into());
        for (at, (cpu, priority, of_app, port)) in pods.iter().enumerate() {
            let mut one = pod(&format!("v-{index}-{at}"))
                .cpu(&cpu.to_string())
                .memory(&format!("{}Gi", memory(*cpu, *priority)))
                .priority(*priority)
                .label("app", app(*of_app))
                .on(&name);
            if *port && at == 0 {
                one = one.port(80, "TCP", "");
            }
            objects.push(one.into());
        }
    }
    for (index, (of_app, allowed)) in budgets.iter().enumerate() {
        let name = format!("b-{index}");
        objects.push(budget(&name).selects("app", app(*of_app)).allowed(*allowed).into());
    }
    objects
}

fn certified(scheduler: At<'_>, objects: Vec<Value>) -> Searched {
    scheduler.with_cycle(objects, "p", search)
}

#[test]
fn greedy_reprieve_that_evicts_more_than_needed_is_shown() {
    // The two pods of priority 2 are reprieved first; beside them both small ones have to go. Evicting
    // the large one alone is worse by its priority, and one pod fewer.
    let objects = objects![
        node("n").cpu("6"),
        pod("large").cpu("4").priority(2).on("n"),
        pod("one").cpu("1").priority(1).on("n"),
        pod("two").cpu("1").priority(1).on("n"),
        pod("p").cpu("2").priority(9),
    ];
    let (found, plans) = certified(at("1.37"), objects).expect("a plan");
    assert_eq!((found.cost.victims, found.cost.highest), (2, 1));
    assert_eq!(found.cheapest, PlanProof::Proven);
    let PlanProof::Better(fewer) = &found.fewest else { panic!("{found:?}") };
    assert_eq!((fewer.cost.victims, fewer.cost.highest), (1, 2));
    assert!(compare(&found.fewest, Goal::Fewest, found.cost, &plans));
}

#[test]
fn violation_that_another_set_avoids_is_shown() {
    // kube-scheduler counts both pods of the budget, which allows one: that of the higher priority
    // uses it up, so the other one is tried first and stays, but its victim costs more.
    let objects = objects![
        node("n").cpu("4"),
        pod("a").cpu("2").priority(5).on("n").label("app", "db"),
        pod("b").cpu("2").priority(1).on("n").label("app", "db"),
        budget("db").selects("app", "db").allowed(1),
        pod("p").cpu("2").priority(9),
    ];
    let (found, _) = certified(at("1.37"), objects).expect("a plan");
    assert_eq!((found.cost.violations, found.cost.highest), (0, 5));
    let PlanProof::Better(plan) = &found.cheapest else { panic!("{found:?}") };
    assert_eq!((plan.cost.violations, plan.cost.highest), (0, 1));
}

#[test]
fn victim_that_two_budgets_do_not_allow_is_counted_once() {
    // The pod of priority 5 has both budgets, that of priority 6 one: they violate a budget each.
    // With a budget that still allows something, the order of counting decides.
    let objects = |allowed| {
        objects![
            node("n").cpu("2"),
            node("m").cpu("2"),
            pod("two").cpu("2").priority(5).on("n").label("app", "a").label("tier", "x"),
            pod("one").cpu("2").priority(6).on("m").label("app", "a"),
            budget("app").selects("app", "a").allowed(0),
            budget("tier").selects("tier", "x").allowed(allowed),
            pod("p").cpu("2").priority(9),
        ]
    };
    let (found, _) = certified(at("1.37"), objects(0)).expect("a plan");
    assert_eq!((found.cost.violations, found.cost.highest), (1, 5));
    assert_eq!(found.cheapest, PlanProof::Proven);
    let (found, _) = certified(at("1.37"), objects(1)).expect("a plan");
    let PlanProof::NotProven(nodes) = &found.cheapest else { panic!("{found:?}") };
    assert_eq!(nodes.iter().map(|(_, why)| *why).collect::<Vec<_>>(), [NotSearched::Order]);
    assert_eq!(found.fewest, PlanProof::Proven);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: builders::share::of(250, 6000), ..ProptestConfig::default() })]

    /// What is proven or shown agrees with all sets of pods of all nodes.
    #[test]
    fn proofs_agree_with_all_sets(
        nodes in proptest::collection::vec(
            proptest::collection::vec((1..4_u32, 1..4_i32, 0..3_usize, any::<bool>()), 0..7), 1..4),
        room in 1..8_u32,
        budgets in proptest::collection::vec((0..3_usize, 0..3_i64), 0..3),
        constraint in 0..8_usize,
        version in prop_oneof![Just("1.37"), Just("1.33"), Just("1.24"), Just("1.20")],
    ) {
        let objects = cluster(&nodes, room, &budgets, constraint);
        if let Some((found, plans)) = certified(at(version), objects) {
            compare(&found.cheapest, Goal::Cheapest, found.cost, &plans);
            compare(&found.fewest, Goal::Fewest, found.cost, &plans);
        }
    }
}

/// Numbers that look random; the same state gives the same ones.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// 100 nodes that are nearly full of 10 to 29 pods each of several sizes and priorities, and a pod
/// that fits on none of them.
fn hundred_nodes(seed: u64) -> Vec<Value> {
    let mut numbers = Numbers(seed);
    let constraint = usize::try_from(numbers.below(8)).unwrap();
    let room = 500 + 500 * numbers.below(7);
    let mut objects = cluster(&[], 1, &[(0, 2), (1, 0)], constraint);
    let request = format!("{room}m").into();
    objects[0]["spec"]["containers"][0]["resources"]["requests"]["cpu"] = request;
    for index in 0..100 {
        let (name, mut total) = (format!("n{index}"), numbers.below(300));
        for at in 0..10 + numbers.below(20) {
            let cpu = 50 + 50 * numbers.below(20);
            total += cpu;
            let one = pod(&format!("v-{index}-{at}"))
                .cpu(&format!("{cpu}m"))
                .memory(&format!("{}Mi", 64 * (1 + numbers.below(8))))
                .priority(i32::try_from(numbers.below(12)).unwrap())
                .label("app", app(usize::try_from(numbers.below(3)).unwrap()))
                .on(&name);
            objects.push(one.into());
        }
        let zone = ["x", "y", "z"][index % 3];
        let total = total.max(room);
        objects.push(node(&name).cpu(&format!("{total}m")).label("zone", zone).into());
    }
    objects
}

#[test]
fn plans_in_hundred_nodes_are_mostly_proven_or_shown() {
    let (mut all, mut settled, mut shown) = (0, 0, 0);
    let mut slowest = std::time::Duration::ZERO;
    for seed in 0..builders::share::of(4, 200) {
        let found = at("1.37").with_cycle(hundred_nodes(seed), "p", |prepared| {
            let now = NOW.parse().unwrap();
            let verdicts = prepared.filter_all();
            if verdicts.contains(&NodeVerdict::Feasible) {
                return None;
            }
            let report = preemption::evaluate(prepared, &verdicts, now);
            let winner = *report.winners.first()?;
            let start = std::time::Instant::now();
            let found = certify(prepared, &report, report.candidate(winner)?, now);
            slowest = slowest.max(start.elapsed());
            Some(found)
        });
        let Some(found) = found else { continue };
        all += 1;
        settled += usize::from(!matches!(found.cheapest, PlanProof::NotProven(_)));
        shown += usize::from(matches!(found.cheapest, PlanProof::Better(_)));
        if let PlanProof::NotProven(nodes) = &found.cheapest {
            println!(
                "seed {seed}: {} nodes {:?}, victims {}",
                nodes.len(),
                nodes[0].1,
                found.cost.victims
            );
        }
    }
    println!("{all} plans, {settled} settled, {shown} better shown, slowest {slowest:?}");
    assert!(settled * 10 >= all * 9, "{settled} of {all}");
}
