//! No smaller set of moves lets a pod in than the one that is suggested: every set of one and of two
//! moves is tried by brute force, on clusters of up to eight nodes.
//!
//! The brute force knows the definition alone: pods leave one after the other, each with its node
//! and the freed node cordoned, and fit again without evictions; then the pod in question fits. It
//! shares no code with the search but the decision.

use std::cmp::Reverse;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::Value;

use super::{At, law};
use engine::cluster::{Cluster, NodeIx, PodIx};
use engine::decision::decide;
use engine::framework::cluster_view::ClusterView;
use engine::profile::Profile;
use engine::simulation::suggest::{Proof, SuggestSettings, for_pod};
use testing::{at, budget, cluster, node, pod, share};

const APPS: [&str; 3] = ["web", "db", "cache"];

#[derive(Debug, Clone)]
struct Runs {
    node: usize,
    cpu: u32,
    priority: i32,
    app: usize,
    grace: i64,
    job: bool,
    bare: bool,
    away: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Scene {
    nodes: Vec<(u32, u8)>,
    running: Vec<Runs>,
    cpu: u32,
    away: bool,
    spread: bool,
    budget: Option<(usize, i64)>,
}

fn runs(terms: bool) -> impl Strategy<Value = Runs> {
    let first = (0..8usize, 1..=4u32, -1..=2i32, 0..APPS.len());
    let second = (0..3i64, proptest::bool::weighted(0.1), proptest::bool::weighted(0.1));
    (first, second, proptest::bool::weighted(0.15)).prop_map(
        move |((node, cpu, priority, app), (grace, job, bare), away)| Runs {
            node,
            cpu,
            priority,
            app,
            grace: 10 * grace,
            job,
            bare,
            away: away && terms,
        },
    )
}

/// With `terms` pods may repel each other and spread, so that they depend on other nodes.
pub(super) fn scenes(terms: bool) -> impl Strategy<Value = Scene> {
    let nodes = proptest::collection::vec((3..=6u32, 0..2u8), 2..=if terms { 5 } else { 8 });
    let running = proptest::collection::vec(runs(terms), 2..=if terms { 7 } else { 9 });
    let budget = proptest::option::weighted(0.3, (0..APPS.len(), 0..2i64));
    (nodes, running, 3..=6u32, any::<(bool, bool)>(), budget).prop_map(
        move |(nodes, running, cpu, (away, spread), budget)| Scene {
            nodes,
            running,
            cpu,
            away: away && terms,
            spread: spread && terms,
            budget,
        },
    )
}

impl Scene {
    pub(super) fn objects(&self) -> Vec<Value> {
        let mut objects: Vec<Value> = Vec::new();
        let mut free: Vec<i64> = Vec::new();
        for (index, (cpu, zone)) in self.nodes.iter().enumerate() {
            let name = format!("n{index}");
            objects.push(node(&name).cpu(&cpu.to_string()).zone(&format!("z{zone}")).into());
            free.push(i64::from(*cpu));
        }
        for (index, runs) in self.running.iter().enumerate() {
            let at = runs.node % self.nodes.len();
            // What does not fit is left out: a node never has more than it can hold.
            if free[at] < i64::from(runs.cpu) {
                continue;
            }
            free[at] -= i64::from(runs.cpu);
            let app = APPS[runs.app];
            let mut running = pod(&format!("r{index}"))
                .cpu(&runs.cpu.to_string())
                .priority(runs.priority)
                .grace(runs.grace)
                .label("app", app)
                .on(&format!("n{at}"));
            if runs.job {
                running = running.of("batch/v1", "Job", app);
            } else if !runs.bare {
                running = running.replica_of(app);
            }
            if runs.away {
                running = running.away("zone", "app", app);
            }
            objects.push(running.into());
        }
        // The pod in question cannot preempt, so that only moves help.
        let mut asks = pod("p").cpu(&self.cpu.to_string()).label("app", "web").never_preempts();
        if self.away {
            asks = asks.away("zone", "app", "db");
        }
        if self.spread {
            asks = asks.spread("zone", 1, "app", "web");
        }
        objects.push(asks.into());
        if let Some((app, allowed)) = self.budget {
            objects.push(budget("some").selects("app", APPS[app]).allowed(allowed).into());
        }
        objects
    }
}

/// What is compared, the smallest first: the priorities of the pods, the highest first, how many
/// lose work, how many are the only replica, and their grace periods together.
type Cost = (Vec<i32>, usize, usize, i64);

struct BruteForce<'a> {
    cluster: &'a Cluster,
    profile: &'a Profile,
    goal: PodIx,
    movable: Vec<PodIx>,
}

impl BruteForce<'_> {
    fn cost(&self, pods: &[PodIx]) -> Cost {
        let cluster = self.cluster;
        let mut priorities: Vec<i32> = pods.iter().map(|pod| cluster.pod(*pod).priority).collect();
        priorities.sort_unstable_by_key(|priority| Reverse(*priority));
        let of_job = |pod: &&PodIx| {
            cluster.pod(**pod).controller.is_some_and(|owner| cluster.text(owner.kind) == "Job")
        };
        let alone = |pod: &&PodIx| {
            let owner = cluster.pod(**pod).controller;
            let same = |other: &&engine::cluster::pod::Pod| {
                other.is_running()
                    && other.controller.map(|o| (o.kind, o.name)) == owner.map(|o| (o.kind, o.name))
            };
            cluster.pods.iter().filter(same).count() < 2
        };
        let grace = pods.iter().map(|pod| cluster.pod(*pod).grace_seconds).sum();
        let count = |which: &dyn Fn(&&PodIx) -> bool| pods.iter().filter(|pod| which(pod)).count();
        (priorities, count(&of_job), count(&alone), grace)
    }

    fn budgets_allow(&self, pods: &[PodIx]) -> bool {
        self.cluster.budgets.iter().all(|budget| {
            let selected = pods.iter().filter(|pod| {
                let labels = self.cluster.labels(self.cluster.pod(**pod).labels);
                budget.selector.matches(labels)
            });
            i64::try_from(selected.count()).unwrap() <= budget.allowed
        })
    }

    /// The node that a waiting pod gets.
    fn place(&self, cluster: &mut Cluster, pod: PodIx) -> Option<NodeIx> {
        let view = ClusterView::new(cluster, self.profile);
        let decision = decide(&view, pod, testing::NOW.parse().expect("a time"));
        let node = decision.fits().then(|| decision.selected()[0])?;
        drop(decision);
        drop(view);
        cluster.bind(pod, node);
        Some(node)
    }

    fn plays(&self, pods: &[PodIx], freed: NodeIx) -> bool {
        let mut cluster = self.cluster.clone();
        cluster.cordon(freed, true);
        for pod in pods {
            let Some(from) = cluster.node_of(*pod) else { return false };
            cluster.cordon(from, true);
            cluster.restart(*pod, testing::NOW.parse().expect("a time"));
            if self.place(&mut cluster, *pod).is_none() {
                return false;
            }
            if from != freed {
                cluster.cordon(from, false);
            }
        }
        cluster.cordon(freed, false);
        self.place(&mut cluster, self.goal).is_some()
    }

    /// The cost of the cheapest set of `size` moves.
    fn cheapest(&self, size: usize) -> Option<Cost> {
        let mut best: Option<Cost> = None;
        for first in &self.movable {
            let seconds: Vec<Option<PodIx>> = if size == 1 {
                vec![None]
            } else {
                self.movable.iter().filter(|other| *other != first).copied().map(Some).collect()
            };
            for second in seconds {
                let pods: Vec<PodIx> = std::iter::once(*first).chain(second).collect();
                let cost = self.cost(&pods);
                // What is no cheaper need not be played.
                if best.as_ref().is_some_and(|best| *best <= cost) || !self.budgets_allow(&pods) {
                    continue;
                }
                if self.cluster.node_indices().any(|freed| self.plays(&pods, freed)) {
                    best = Some(cost);
                }
            }
        }
        best
    }
}

fn holds(scene: &Scene, at: At) -> Result<usize, TestCaseError> {
    let cluster = cluster(scene.objects());
    let profile = at.profile();
    let goal = cluster.find_pod("default", "p").expect("the pod");
    let settings =
        SuggestSettings { profile: &profile, now: testing::NOW.parse().expect("a time") };
    let found = for_pod(&cluster, goal, settings);
    if !found.nodes.is_empty() {
        return Ok(0);
    }
    let movable: Vec<PodIx> = cluster
        .pod_indices()
        .filter(|pod| cluster.pod(*pod).is_running() && cluster.pod(*pod).controller.is_some())
        .collect();
    let brute = BruteForce { cluster: &cluster, profile: &profile, goal, movable };
    let Some(plan) = &found.moves else {
        for size in 1..=found.searched.complete_up_to.min(2) {
            prop_assert_eq!(brute.cheapest(size), None, "{} moves would do", size);
        }
        prop_assert!(found.searched.complete_up_to >= 2, "{:?}", found.searched);
        return Ok(1);
    };
    let moved: Vec<PodIx> = plan
        .moves
        .iter()
        .map(|step| cluster.find_pod("default", &step.pod.name).expect("a pod"))
        .collect();
    let freed = cluster.find_node(&plan.freed).expect("a node");
    prop_assert!(brute.plays(&moved, freed), "what is suggested does not play: {:?}", plan);
    prop_assert!(brute.budgets_allow(&moved));
    for size in 1..moved.len().min(3) {
        prop_assert_eq!(brute.cheapest(size), None, "{} moves are enough: {:?}", size, plan);
    }
    if moved.len() <= 2 {
        prop_assert_eq!(plan.proof, Proof::Smallest);
        prop_assert_eq!(brute.cheapest(moved.len()), Some(brute.cost(&moved)), "{:?}", plan);
    } else {
        prop_assert_ne!(plan.proof, Proof::Smallest);
    }
    Ok(1)
}

#[test]
fn suggested_moves_are_the_smallest_that_let_the_pod_in() {
    law(share::of(900, 1600), share::of(160, 300), scenes(false), |scene| {
        holds(&scene, at("1.37"))
    });
}

#[test]
fn suggested_moves_are_the_smallest_if_nodes_depend_on_each_other() {
    law(share::of(144, 600), share::of(36, 150), scenes(true), |scene| holds(&scene, at("1.37")));
}
