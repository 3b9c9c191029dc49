//! Laws that hold for any cluster, tried on small random ones. The same clusters every time: a
//! quarter of them with every change, all in the long run; `PROPTEST_CASES` asks for more.

mod alike;
mod earlier;
mod everywhere;
pub mod hostile;
mod nearest;
mod outlets;
mod remedies;
mod risk;
mod simulated;
mod suggest;
mod unread;
mod wrong_types;

use std::cell::Cell;
use std::collections::BTreeSet;

use answers::origin::SourceKind;
use engine::cluster::Cluster;
use engine::cluster::node::NodeIx;
use engine::cluster::pod::PodIx;
use engine::decision::Explanation;
use engine::decision::sampling::Starts;
use engine::framework::cycle::NodeVerdict;
use engine::framework::status::{FilterVerdict, Rejection};
use engine::preemption::PreemptionReport;
use engine::preemption::dry_run::Candidate;
use engine::preemption::pick_node::CRITERIA;
use proptest::prelude::*;
use proptest::sample::{Index, subsequence};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use serde_json::Value;
use testing::{Answer, At, at, budget, decide, node, pod, share};

const VERSIONS: [&str; 5] = ["1.33.13", "1.34.4", "1.35.4", "1.36.3", "1.37.1"];
/// A law with fewer cases than these has large ones.
const FEW: u32 = 50;
const APPS: [&str; 3] = ["web", "db", "cache"];

#[derive(Debug, Clone)]
struct SomeNode {
    cpu: u32,
    pods: u32,
    zone: Option<u8>,
    tainted: bool,
    cordoned: bool,
}

#[derive(Debug, Clone)]
struct SomePod {
    node: Index,
    namespace: bool,
    cpu: u32,
    priority: i32,
    app: Option<u8>,
    port: Option<u8>,
    away: Option<(bool, u8)>,
    near: Option<(bool, u8)>,
    spread: Option<(bool, u8, i64)>,
    started: Option<u8>,
    tolerates: bool,
    terminating: bool,
}

/// What the laws about dry runs leave out, because the scheduler's own bookkeeping is off there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quirks {
    /// Anything goes.
    All,
    /// No terminating pods (topology spread does not count them, but counts their removal), no two
    /// holders of one port on a node (ports are a set), no nominated pods with terms of their own
    /// (a skipped plugin does not see them).
    None,
}

#[derive(Debug, Clone)]
struct Small {
    nodes: Vec<SomeNode>,
    running: Vec<SomePod>,
    nominated: Vec<SomePod>,
    budgets: Vec<(u8, i64)>,
    incoming: SomePod,
    version: &'static str,
    quirks: Quirks,
    /// Running pods go around the nodes in turn.
    evenly: bool,
}

fn some_node() -> impl Strategy<Value = SomeNode> {
    (
        1u32..=4,
        1u32..=6,
        prop::option::weighted(0.85, 0u8..3),
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.05),
    )
        .prop_map(|(cpu, pods, zone, tainted, cordoned)| SomeNode {
            cpu,
            pods,
            zone,
            tainted,
            cordoned,
        })
}

fn some_pod() -> impl Strategy<Value = SomePod> {
    let place = (
        any::<Index>(),
        prop::bool::weighted(0.15),
        0u32..=3,
        0i32..=4,
        prop::option::weighted(0.8, 0u8..3),
    );
    let terms = (
        prop::option::weighted(0.15, 0u8..2),
        prop::option::weighted(0.15, (any::<bool>(), 0u8..3)),
        prop::option::weighted(0.05, (any::<bool>(), 0u8..3)),
        prop::option::weighted(0.2, (any::<bool>(), 0u8..3, 1i64..=2)),
    );
    let rest = (prop::option::weighted(0.8, 0u8..4), any::<bool>(), prop::bool::weighted(0.1));
    (place, terms, rest).prop_map(|(place, terms, (started, tolerates, terminating))| {
        let ((node, namespace, cpu, priority, app), (port, away, near, spread)) = (place, terms);
        SomePod {
            node,
            namespace,
            cpu,
            priority,
            app,
            port,
            away,
            near,
            spread,
            started,
            tolerates,
            terminating,
        }
    })
}

fn small(quirks: Quirks, nodes: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Small> {
    let pods = *nodes.start()..=3 * nodes.end();
    (
        prop::collection::vec(some_node(), nodes),
        prop::collection::vec(some_pod(), pods),
        prop::collection::vec(some_pod(), 0..=2),
        prop::collection::vec((0u8..3, 0i64..=2), 0..=3),
        some_pod(),
        prop::sample::select(VERSIONS.to_vec()),
    )
        .prop_map(move |(nodes, running, nominated, budgets, mut incoming, version)| {
            // A pod that asks for something, and that is mostly more important, makes preemption
            // likely.
            incoming.cpu = incoming.cpu.max(2);
            incoming.priority += 3;
            Small { nodes, running, nominated, budgets, incoming, version, quirks, evenly: false }
        })
}

fn node_name(index: usize) -> String {
    format!("n{index:02}")
}

impl SomePod {
    fn build(&self, name: &str) -> testing::Pod {
        let key = |zone: bool| if zone { "zone" } else { "host" };
        let app = |app: u8| APPS[usize::from(app)];
        let mut built = pod(name).cpu(&format!("{}", self.cpu)).priority(self.priority);
        if self.namespace {
            built = built.ns("other");
        }
        if let Some(a) = self.app {
            built = built.label("app", app(a));
        }
        if let Some(port) = self.port {
            built = built.port(80 + i64::from(port), "TCP", "");
        }
        if let Some((zone, a)) = self.away {
            built = built.away(key(zone), "app", app(a));
        }
        if let Some((zone, a)) = self.near {
            built = built.near(key(zone), "app", app(a));
        }
        if let Some((zone, a, skew)) = self.spread {
            built = built.spread(key(zone), skew, "app", app(a));
        }
        if let Some(day) = self.started {
            built = built.started(&format!("2025-12-0{}T00:00:00Z", day + 1));
        }
        if self.tolerates {
            built = built.tolerates("k", "Exists", "", "");
        }
        if self.terminating { built.terminating() } else { built }
    }
}

impl Small {
    /// The running pods by name, with the index of their node.
    fn pods(&self) -> Vec<(String, usize, SomePod)> {
        let mut held = BTreeSet::new();
        let running = self.running.iter().enumerate().map(|(i, p)| {
            let turn = i % self.nodes.len();
            let (mut p, node) =
                (p.clone(), if self.evenly { turn } else { p.node.index(self.nodes.len()) });
            if self.quirks == Quirks::None {
                p.terminating = false;
                p.port = p.port.filter(|port| held.insert((node, *port)));
            }
            (format!("v{i:02}"), node, p)
        });
        running.collect()
    }

    /// All objects, but for the running pods named in `without`.
    fn objects(&self, without: &BTreeSet<String>) -> Vec<Value> {
        let mut objects: Vec<Value> = Vec::new();
        for (i, n) in self.nodes.iter().enumerate() {
            let mut built = node(&node_name(i))
                .cpu(&n.cpu.to_string())
                .pods(n.pods)
                .label("host", &node_name(i));
            if let Some(zone) = n.zone {
                built = built.zone(&format!("z{zone}"));
            }
            if n.tainted {
                built = built.taint("k", "v", "NoSchedule");
            }
            objects.push(if n.cordoned { built.cordoned() } else { built }.into());
        }
        for (name, node, p) in self.pods() {
            if !without.contains(&name) {
                objects.push(p.build(&name).on(&node_name(node)).into());
            }
        }
        for (i, p) in self.nominated.iter().enumerate() {
            let mut p = p.clone();
            if self.quirks == Quirks::None {
                (p.away, p.port, p.terminating) = (None, None, false);
            }
            let name = node_name(p.node.index(self.nodes.len()));
            objects.push(p.build(&format!("w{i}")).nominated(&name).into());
        }
        for (i, (app, allowed)) in self.budgets.iter().enumerate() {
            objects.push(
                budget(&format!("b{i}"))
                    .selects("app", APPS[usize::from(*app)])
                    .allowed(*allowed)
                    .into(),
            );
        }
        let incoming = SomePod { namespace: false, terminating: false, ..self.incoming.clone() };
        objects.push(incoming.build("p").into());
        objects
    }

    fn decide(&self, without: &BTreeSet<String>) -> Answer {
        at(self.version).decide(self.objects(without), "p")
    }
}

/// All that a scheduler decides about `p`, which can be compared whatever the order of the input
/// was.
fn whole(scheduler: At, cluster: &Cluster) -> Value {
    let json = |decision: &mut Explanation| {
        to_json::pod_report(&decision.clone().into(), SourceKind::File)
    };
    serde_json::to_value(scheduler.look(cluster, "p", json)).expect("plain JSON")
}

fn pod_names(answer: &Answer, pods: impl Iterator<Item = PodIx>) -> BTreeSet<String> {
    // Names are unique without their namespace.
    pods.map(|pod| answer.cluster.pod(pod).name.to_string()).collect()
}

fn victims(answer: &Answer, candidate: &Candidate) -> BTreeSet<String> {
    pod_names(answer, candidate.victims.iter().map(|victim| victim.pod))
}

fn node_named(answer: &Answer, node: NodeIx) -> String {
    answer.cluster.text(answer.cluster.node(node).name).to_owned()
}

/// How many nodes take the pod as it is.
fn feasible(answer: &Answer) -> usize {
    answer.nodes.iter().filter(|verdict| **verdict == NodeVerdict::Feasible).count()
}

/// Nodes where preemption works.
fn candidates(answer: &Answer) -> Vec<(String, &Candidate)> {
    let found = answer.preemption.iter().flat_map(PreemptionReport::candidates);
    found.map(|candidate| (node_named(answer, candidate.node), candidate)).collect()
}

/// Tries a law on `cases` random inputs in the long run, and on the first sixth of them with
/// every change; a law that has few and large inputs is always tried on all. The law says how often
/// it applied to an input; at least `applications` in all, or a sixth of it, so that a law that
/// never applies is not taken for one that holds.
fn law<S: Strategy>(
    cases: u32,
    applications: usize,
    inputs: S,
    check: impl Fn(S::Value) -> Result<usize, TestCaseError>,
) {
    let part = if cases >= FEW { share::of(6, 1) } else { 1 };
    let (cases, applications) = (cases.div_ceil(part), applications / part as usize);
    let more = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok());
    let config =
        Config { cases: more.unwrap_or(cases), failure_persistence: None, ..Config::default() };
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let applied = Cell::new(0);
    let outcome = runner.run(&inputs, |input| {
        applied.set(applied.get() + check(input)?);
        Ok(())
    });
    if let Err(e) = outcome {
        panic!("{e}");
    }
    println!("applied {} times", applied.get());
    assert!(applied.get() >= applications, "applied only {} times", applied.get());
}

#[test]
fn every_victim_is_less_important_than_the_preemptor() {
    law(300, 100, small(Quirks::All, 1..=5), |cluster| {
        let answer = cluster.decide(&BTreeSet::new());
        let found = candidates(&answer);
        for (node, candidate) in &found {
            prop_assert!(!candidate.victims.is_empty(), "{node} has no victims");
            let violating = candidate.victims.iter().filter(|v| !v.violates.is_empty()).count();
            prop_assert_eq!(candidate.violations, violating);
            for victim in &candidate.victims {
                let pod = answer.cluster.pod(victim.pod);
                prop_assert!(pod.priority < cluster.incoming.priority, "{pod:?}");
            }
            let victims = victims(&answer, candidate);
            let spared = pod_names(&answer, candidate.reprieved.iter().copied());
            prop_assert!(victims.is_disjoint(&spared));
            let less_important = cluster
                .pods()
                .into_iter()
                .filter(|(_, _, p)| p.priority < cluster.incoming.priority);
            let on_node =
                less_important.filter(|(_, n, _)| node_name(*n) == *node).map(|(name, ..)| name);
            prop_assert_eq!(
                &victims | &spared,
                on_node.collect(),
                "everybody of lower priority has a fate"
            );
        }
        Ok(found.len())
    });
}

#[test]
fn the_pod_fits_once_the_victims_are_gone() {
    law(250, 100, small(Quirks::None, 1..=5), |cluster| {
        let answer = cluster.decide(&BTreeSet::new());
        let found = candidates(&answer);
        for (node, candidate) in &found {
            let after = cluster.decide(&victims(&answer, candidate));
            prop_assert_eq!(after.node(node), "fits", "{}", node);
        }
        Ok(found.len())
    });
}

/// With affinity partners of the incoming pod a pod that comes back may even help, so such pods are
/// left out.
#[test]
fn no_pod_is_evicted_without_need() {
    law(250, 100, small(Quirks::None, 1..=5), |mut cluster| {
        cluster.incoming.near = None;
        let answer = cluster.decide(&BTreeSet::new());
        let mut tried = 0;
        for (node, candidate) in candidates(&answer) {
            let victims = victims(&answer, candidate);
            for kept in &victims {
                let mut gone = victims.clone();
                gone.remove(kept);
                let verdict = cluster.decide(&gone).node(&node);
                prop_assert!(verdict != "fits", "{kept} might have stayed on {node}");
                tried += 1;
            }
        }
        Ok(tried)
    });
}

#[test]
fn winners_are_candidates_and_losers_are_worse_in_the_step_that_dropped_them() {
    law(250, 60, small(Quirks::All, 2..=6), |cluster| {
        let answer = cluster.decide(&BTreeSet::new());
        let all: BTreeSet<String> = candidates(&answer).into_iter().map(|(n, _)| n).collect();
        let winners: BTreeSet<String> =
            answer.winners().split_whitespace().map(ToOwned::to_owned).collect();
        prop_assert!(winners.is_subset(&all));
        prop_assert_eq!(winners.is_empty(), all.is_empty());
        let outcome = match (feasible(&answer), winners.len()) {
            (1.., _) => "Schedulable",
            (0, 0) => "Unschedulable",
            (0, 1..) => "Preempt",
        };
        prop_assert_eq!(answer.outcome(), outcome);
        let mut left = all;
        let names = |nodes: &[NodeIx]| {
            nodes.iter().map(|node| node_named(&answer, *node)).collect::<BTreeSet<_>>()
        };
        for step in answer.preemption.iter().flat_map(|report| &report.tie_break) {
            let compared: Vec<NodeIx> = step.values.keys().copied().collect();
            prop_assert_eq!(names(&compared), left, "the losers of a step are out");
            let largest_wins = CRITERIA[step.criterion].name.starts_with("latest");
            let better = |a: i64, b: i64| a != b && (a < b) != largest_wins;
            let beaten =
                |node: &NodeIx| step.values.values().any(|v| better(*v, step.values[node]));
            let unbeaten: Vec<NodeIx> = compared.into_iter().filter(|node| !beaten(node)).collect();
            left = names(&unbeaten);
            prop_assert_eq!(&left, &names(&step.survivors));
        }
        prop_assert!(left.is_subset(&winners));
        Ok(answer.tie_break().len())
    });
}

#[test]
fn the_order_of_the_input_changes_nothing() {
    let inputs = small(Quirks::All, 1..=5).prop_flat_map(|cluster| {
        let objects = cluster.objects(&BTreeSet::new());
        (Just(cluster), Just(objects.clone()), Just(objects).prop_shuffle())
    });
    law(200, 60, inputs, |(cluster, objects, shuffled)| {
        let scheduler = at(cluster.version);
        let (a, b) = (testing::cluster(objects), testing::cluster(shuffled));
        prop_assert_eq!(whole(scheduler, &a).to_string(), whole(scheduler, &b).to_string());
        Ok(candidates(&scheduler.decide_in(&a, "p")).len())
    });
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let pools: Vec<rayon::ThreadPool> = [1, 2, 5]
        .map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("threads"))
        .into_iter()
        .collect();
    // Below 64 nodes no thread is used at all.
    law(8, 100, small(Quirks::All, 70..=90), |mut cluster| {
        // A host port that is taken on every node makes preemption necessary.
        cluster.incoming.port = Some(0);
        cluster.running.iter_mut().for_each(|p| p.port = Some(0));
        cluster.evenly = true;
        let objects = cluster.objects(&BTreeSet::new());
        let decide = || whole(at(cluster.version), &testing::cluster(objects.clone())).to_string();
        let mut answers = pools.iter().map(|pool| pool.install(decide));
        let first = answers.next().expect("a pool");
        for other in answers {
            prop_assert_eq!(&first, &other);
        }
        Ok(candidates(&cluster.decide(&BTreeSet::new())).len())
    });
}

/// Code, plugin and reasons of a refusal.
type WhatIfError = (&'static str, String);

fn refusal(plugin: &'static str, rejection: &Rejection, cluster: &Cluster) -> WhatIfError {
    (plugin, format!("{} {}", rejection.code.name(), rejection.texts(cluster).join("; ")))
}

/// What is said of a node after some of its pods left and others came back, kept up step by step.
fn step_by_step(
    small: &Small,
    node: usize,
    gone: &[String],
    back: &[String],
) -> Option<WhatIfError> {
    at(small.version).with_cycle(small.objects(&BTreeSet::new()), "p", |cycle| {
        let cluster = cycle.cycle.cluster();
        let name = node_name(node);
        let mut state = cycle.node_state(cluster.find_node(&name).expect("a node"));
        let find = |name: &String| {
            let found = ["default", "other"].iter().find_map(|ns| cluster.find_pod(ns, name));
            found.expect("a pod")
        };
        gone.iter().for_each(|pod| state.remove_pod(find(pod)));
        back.iter().for_each(|pod| state.add_pod(find(pod)));
        match state.check() {
            None | Some((_, FilterVerdict::Fits)) => None,
            Some((plugin, FilterVerdict::Rejected(rejection))) => {
                Some(refusal(plugin, &rejection, cluster))
            }
            Some((plugin, FilterVerdict::Failed(e))) => panic!("{plugin}: {e:?}"),
        }
    })
}

/// The same, of a cluster that never had those pods.
fn from_scratch(small: &Small, node: usize, without: &BTreeSet<String>) -> Option<WhatIfError> {
    at(small.version).with_cycle(small.objects(without), "p", |cycle| {
        let cluster = cycle.cycle.cluster();
        match cycle.filter_all().swap_remove(node) {
            NodeVerdict::Feasible => None,
            NodeVerdict::Filtered { plugin, rejection } => {
                Some(refusal(plugin, &rejection, cluster))
            }
            other => panic!("{other:?}"),
        }
    })
}

#[test]
fn keeping_count_step_by_step_equals_counting_from_scratch() {
    let inputs = small(Quirks::None, 1..=4).prop_flat_map(|cluster| {
        let node = cluster.running.first().map_or(0, |p| p.node.index(cluster.nodes.len()));
        let pods = cluster.pods().into_iter().filter(|(_, n, _)| *n == node).map(|(name, ..)| name);
        let pods: Vec<String> = pods.collect();
        let gone = subsequence(pods.clone(), 0..=pods.len()).prop_shuffle();
        gone.prop_flat_map(move |gone| {
            let back = subsequence(gone.clone(), 0..=gone.len()).prop_shuffle();
            (Just(cluster.clone()), Just(node), Just(gone), back)
        })
    });
    law(300, 120, inputs, |(mut cluster, node, gone, back)| {
        // Mostly about the two plugins that keep state of their own; taints and cordons would hide
        // them.
        cluster.nodes[node].tainted = false;
        cluster.nodes[node].cordoned = false;
        cluster.nodes[node].cpu = 40;
        cluster.incoming.spread.get_or_insert((true, 0, 1));
        let without: BTreeSet<String> =
            gone.iter().filter(|p| !back.contains(p)).cloned().collect();
        let (kept, fresh) =
            (step_by_step(&cluster, node, &gone, &back), from_scratch(&cluster, node, &without));
        prop_assert_eq!(kept, fresh, "gone {:?}, back {:?}", gone, back);
        Ok(usize::from(!without.is_empty()))
    });
}

#[test]
fn a_builder_world_is_decided_as_expected() {
    // The simplest case by hand, so that the laws above are known to look at the right fields.
    let objects = testing::objects![
        node("n").cpu("1"),
        pod("v").cpu("1").on("n"),
        pod("p").cpu("1").priority(1)
    ];
    let answer = decide(objects, "p");
    let found = candidates(&answer);
    assert_eq!(
        found.iter().map(|(n, c)| (n.as_str(), victims(&answer, c))).collect::<Vec<_>>(),
        [("n", BTreeSet::from(["v".to_owned()]))]
    );
}

#[test]
fn certain_is_only_what_is_picked_from_every_start() {
    let large = (small(Quirks::All, 200..=1000), any::<bool>()).prop_map(|(mut cluster, empty)| {
        if empty {
            // More nodes take the pod than are looked for.
            cluster.running.truncate(50);
        }
        cluster
    });
    law(share::of(10, 24), share::of(2, 6), large, |cluster| {
        let few =
            |profile: &mut engine::profile::Profile| profile.args.min_candidate_nodes_absolute = 5;
        let scheduler = at(cluster.version).with(few).as_scheduled(Starts::All);
        let answer = scheduler.decide(cluster.objects(&BTreeSet::new()), "p");
        if answer.certainty() == "Certain" {
            prop_assert!(
                answer.odds().iter().all(|(_, above, below)| above == below),
                "{:?}",
                answer.odds()
            );
        }
        Ok(usize::from(answer.certainty() == "Sampled"))
    });
}

/// Sums of exact probabilities: whether they make 1.
fn make_one(odds: &[(&str, u64, u64)]) -> bool {
    let below: u64 = odds.iter().map(|(_, _, below)| below).product();
    odds.iter().map(|(_, above, of)| above * (below / of)).sum::<u64>() == below
}

#[test]
fn nodes_that_sampling_may_pick_are_candidates_and_include_every_winner() {
    law(300, 60, small(Quirks::All, 3..=8), |cluster| {
        let sampling = |profile: &mut engine::profile::Profile| {
            (
                profile.args.min_candidate_nodes_absolute,
                profile.args.min_candidate_nodes_percentage,
            ) = (1, 0);
        };
        let found = |scheduler: At| {
            scheduler.as_scheduled(Starts::All).decide(cluster.objects(&BTreeSet::new()), "p")
        };
        let (sampled, whole) =
            (found(at(cluster.version).with(sampling)), found(at(cluster.version)));
        let selected: BTreeSet<String> =
            whole.selected().split_whitespace().map(ToOwned::to_owned).collect();
        let budgets_matter = whole
            .notes()
            .iter()
            .any(|note| note.contains("order in which the scheduler walks them"));
        if selected.is_empty() || budgets_matter {
            return Ok(0);
        }
        let names = |odds: &[(&str, u64, u64)]| {
            odds.iter().map(|(name, ..)| (*name).to_owned()).collect::<BTreeSet<_>>()
        };
        prop_assert_eq!(
            &names(&whole.odds()),
            &selected,
            "without sampling it picks what is best of all"
        );
        prop_assert!(
            whole
                .odds()
                .iter()
                .all(|(_, above, below)| (*above, *below) == (1, selected.len() as u64))
        );
        prop_assert!(make_one(&whole.odds()) && make_one(&sampled.odds()), "{:?}", sampled.odds());
        prop_assert!(
            names(&sampled.odds()).is_superset(&selected),
            "from where it starts, the best is found"
        );
        if sampled.outcome() == "Preempt" {
            let all: BTreeSet<String> =
                candidates(&sampled).into_iter().map(|(name, _)| name).collect();
            prop_assert!(names(&sampled.odds()).is_subset(&all));
        }
        Ok(usize::from(sampled.sampling.is_some_and(|found| found.sampled)))
    });
}
