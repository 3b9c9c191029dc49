use jiff::Timestamp;
use model::cluster::NodeIx;
use proptest::prelude::*;
use serde_json::Value;

use super::pick;
use crate::decision;
use crate::decision::sampling::Starts;
use crate::framework::cluster_view::ClusterView;
use crate::testing::{at, cluster, find, node, objects, pod};

/// Nodes of different sizes in three zones, some of them tainted, with pods of three kinds on them,
/// and one pod that waits.
fn objects_of(sizes: &[u8], waits: u8) -> Vec<Value> {
    let mut objects = objects![];
    for (index, size) in sizes.iter().enumerate() {
        let name = format!("n{index:03}");
        let mut own = node(&name).cpu(&(size % 4 + 1).to_string()).zone(["a", "b", "c"][index % 3]);
        own = own.label("kubernetes.io/hostname", &name);
        if size % 5 == 0 {
            own = own.taint(
                "old",
                "yes",
                if size % 2 == 0 { "NoSchedule" } else { "PreferNoSchedule" },
            );
        }
        objects.push(own.into());
        if size % 3 == 0 {
            let app = ["even", "port", "far"][usize::from(size % 7) % 3];
            objects.push(pod(&format!("on-{index}")).cpu("1").label("app", app).on(&name).into());
        }
    }
    let asked = pod("p").cpu("1");
    objects.push(match waits % 4 {
        0 => asked.into(),
        1 => asked.label("app", "even").spread("zone", 1, "app", "even").into(),
        2 => asked.port(80, "TCP", "").into(),
        _ => asked.with("/spec/nodeSelector/zone", "a").into(),
    });
    objects
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(builders::share::of(64, 3000)))]

    #[test]
    fn a_pick_is_what_the_decision_says_of_its_start(
        sizes in prop::collection::vec(any::<u8>(), 1..180),
        waits in any::<u8>(),
        start in any::<u16>(),
        version in prop::sample::select(vec!["1.14", "1.19", "1.28", "1.37"]),
    ) {
        let objects = objects_of(&sizes, waits);
        let seed = u64::from(start);
        let answer = at(version).as_scheduled(Starts::Seed(seed)).decide(objects.clone(), "p");
        let (cluster, profile) = (cluster(objects), at(version).profile());
        let view = ClusterView::new(&cluster, &profile);
        let asked = find(&cluster, "p");
        let picked = pick(&view, asked, Timestamp::UNIX_EPOCH, usize::from(start));
        let decided = decision::decide(&view, asked, Timestamp::UNIX_EPOCH);
        let takes: Vec<NodeIx> = decided.feasible().collect();
        prop_assert_eq!(decision::feasible(&view, asked, Timestamp::UNIX_EPOCH), takes);
        let names = |picked: super::Pick| -> Vec<String> {
            picked.best.iter().map(|node| cluster.node_name(*node).to_owned()).collect()
        };
        if answer.outcome() == "Schedulable" {
            let mut said: Vec<String> =
                answer.odds().iter().map(|(name, ..)| (*name).to_owned()).collect();
            said.sort_unstable();
            prop_assert_eq!(picked.map(names), Some(said));
        } else {
            prop_assert_eq!(picked, None);
        }
    }
}

#[test]
fn the_next_cycle_starts_after_the_last_node_that_was_looked_at() {
    let mut objects: Vec<Value> =
        (0..120).map(|i| node(&format!("n{i:03}")).cpu("2").into()).collect();
    objects.push(pod("p").cpu("1").into());
    let (cluster, profile) = (cluster(objects), at("1.37").profile());
    let view = ClusterView::new(&cluster, &profile);
    // Of 120 nodes a hundred are enough.
    for (start, next) in [(0, 100), (30, 10), (119, 99), (150, 10)] {
        let picked = pick(&view, find(&cluster, "p"), Timestamp::UNIX_EPOCH, start);
        assert_eq!(picked.map(|picked| picked.next), Some(next), "{start}");
    }
}
