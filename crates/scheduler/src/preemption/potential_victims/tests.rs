use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::framework::cluster_view::{ClusterSums, ClusterView};
use crate::framework::cycle::PreparedCycle;
use crate::plugins;
use crate::preemption::dry_run::{self, DryRun};
use crate::testing::{NOW, at, budget, cluster, find, node, objects, pod};
use dra::device_selectors::DeviceSelectors;
use model::cluster::Quantity;
use profile::Profile;

/// What happens to the cluster between two decisions.
#[derive(Debug, Clone, Copy)]
enum Change {
    Remove(usize),
    Bind(usize),
    Priority(usize, i32),
    Request(usize),
    Allow(usize, i64),
    Nominate,
    /// A node has more for pods, which it keeps.
    Free(u32),
    Terminate(usize),
}

/// A pod on one of two nodes.
#[derive(Debug, Clone, Copy)]
struct Running {
    on: usize,
    cpu: usize,
    priority: i32,
    started: Option<usize>,
    label: usize,
    port: bool,
}

fn running() -> impl Strategy<Value = Running> {
    let started = prop_oneof![1 => Just(None), 4 => (0..3_usize).prop_map(Some)];
    (0..2_usize, 1..4_usize, 0..4_i32, started, 0..4_usize, prop::bool::weighted(0.2)).prop_map(
        |(on, cpu, priority, started, label, port)| Running {
            on,
            cpu,
            priority,
            started,
            label,
            port,
        },
    )
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0..8_usize).prop_map(Change::Remove),
        (0..8_usize).prop_map(Change::Bind),
        (0..8_usize, 0..5_i32).prop_map(|(pod, priority)| Change::Priority(pod, priority)),
        (0..8_usize).prop_map(Change::Request),
        (0..3_usize, -1..4_i64).prop_map(|(budget, allowed)| Change::Allow(budget, allowed)),
        Just(Change::Nominate),
        (0..2_u32).prop_map(Change::Free),
        (0..8_usize).prop_map(Change::Terminate),
    ]
}

fn objects_of(pods: &[Running]) -> Vec<Value> {
    let mut all = objects![
        node("n0").cpu("6"),
        node("n1").cpu("7"),
        budget("b0").selects("a", "0").allowed(1),
        budget("b1").selects("a", "1").allowed(0),
        budget("b2").selects("x", "y").allowed(2),
        pod("p").cpu("3").priority(3).port(80, "TCP", ""),
        pod("q").cpu("2").priority(3),
        pod("r").cpu("5").priority(2),
        pod("nominee").cpu("1").priority(3),
    ];
    for (index, running) in pods.iter().enumerate() {
        let mut pod = pod(&format!("w{index}"))
            .cpu(&running.cpu.to_string())
            .priority(running.priority)
            .on(&format!("n{}", running.on));
        if let Some(day) = running.started {
            pod = pod.started(&format!("2025-06-0{}T00:00:00Z", day + 1));
        }
        if running.label < 2 {
            pod = pod.label("a", &running.label.to_string());
        }
        if running.label != 3 {
            pod = pod.label("x", "y");
        }
        if running.port {
            pod = pod.port(80, "TCP", "");
        }
        all.extend(objects![pod]);
    }
    all
}

fn apply(change: Change, cluster: &mut Cluster) {
    let pod = |cluster: &Cluster, index| cluster.find_pod("default", &format!("w{index}"));
    match change {
        Change::Remove(index) => {
            if let Some(pod) = pod(cluster, index) {
                cluster.remove_pod(pod);
            }
        }
        Change::Bind(index) => {
            if let Some(pod) = pod(cluster, index) {
                cluster.recreate(pod, Timestamp::UNIX_EPOCH);
                cluster.bind(pod, NodeIx(1));
            }
        }
        Change::Priority(index, priority) => {
            if let Some(pod) = pod(cluster, index) {
                cluster.set_priority(pod, priority);
            }
        }
        Change::Request(index) => {
            if let Some(pod) = pod(cluster, index) {
                cluster.set_request(pod, "cpu", "1500m").expect("a quantity");
            }
        }
        Change::Allow(index, allowed) => {
            let budget = BudgetIx(u32::try_from(index).expect("a few"));
            cluster.set_disruptions_allowed(budget, allowed);
        }
        Change::Free(node) => {
            let one = Quantity::parse("1").expect("a quantity");
            cluster.free(NodeIx(node), "cpu", one);
        }
        Change::Terminate(index) => {
            if let Some(pod) = pod(cluster, index) {
                cluster.terminate(pod, Timestamp::UNIX_EPOCH);
            }
        }
        Change::Nominate => {
            let nominee = find(cluster, "nominee");
            cluster.nominate(nominee, Some(NodeIx(0)));
        }
    }
}

/// The dry runs of all pending pods on all nodes, with and without what is known.
fn both(view: &ClusterView, profile: &Profile) -> Vec<(DryRun, DryRun)> {
    let now: Timestamp = NOW.parse().expect("a time");
    let context = DryRunContext::new(view, now);
    let mut found = Vec::new();
    for name in ["p", "q", "r"] {
        let pod = find(view.cluster, name);
        let prepared = PreparedCycle::new(view, pod, now, &plugins::filters(&profile.plugins));
        let table = view.potential_victims(prepared.cycle.pod.priority, now);
        for node in view.cluster.node_indices() {
            let known = dry_run::run_known(&prepared, node, &context, &table);
            found.push((known, dry_run::run(&prepared, node, &context, &by_index)));
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(builders::share::of(96, 256)))]

    #[test]
    fn known_victims_after_changes_give_the_dry_run_of_unknown_ones(
        pods in prop::collection::vec(running(), 0..8),
        changes in prop::collection::vec(change(), 0..6),
        version in prop::sample::select(vec!["1.18", "1.21", "1.26", "1.33", "1.36", "1.37"]),
    ) {
        let profile = at(version).profile();
        let mut cluster = cluster(objects_of(&pods));
        let mut sums = std::sync::Arc::new(ClusterSums::new(&cluster, &profile));
        let selectors = DeviceSelectors::of(&cluster);
        for change in std::iter::once(None).chain(changes.into_iter().map(Some)) {
            if let Some(change) = change {
                apply(change, &mut cluster);
            }
            sums = sums.updated(&cluster, &profile);
            let view = ClusterView::with_sums(&cluster, &profile, selectors.clone(), sums.clone());
            for (known, new) in both(&view, &profile) {
                prop_assert_eq!(known, new, "{}: {:?}", version, change);
            }
        }
    }
}

#[test]
fn table_of_another_priority_is_kept_beside_the_first() {
    let profile = at("1.37").profile();
    let cluster = cluster(objects_of(&[]));
    let view = ClusterView::new(&cluster, &profile);
    let now: Timestamp = NOW.parse().expect("a time");
    let table = |priority| view.potential_victims(priority, now);
    let (three, two) = (table(3), table(2));
    assert!(Arc::ptr_eq(&three, &table(3)));
    assert!(Arc::ptr_eq(&two, &table(2)));
    for other in 4..12 {
        assert!(Arc::ptr_eq(&table(other), &table(other)));
    }
    assert!(!Arc::ptr_eq(&three, &table(3)), "only the last ones are kept");
}
