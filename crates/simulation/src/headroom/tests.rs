use super::*;
use serde_json::{Value, json};
use testing::decisions::{At, NOW, at, cluster, find, node, objects, pod};
use testing::priority_class;

fn asked(objects: Vec<Value>, at: At) -> Headroom {
    let cluster = cluster(objects);
    let profile = at.profile();
    let now = NOW.parse().expect("a time");
    assess(&cluster, find(&cluster, "p"), HeadroomSettings { profile: &profile, now })
}

fn own(objects: Vec<Value>) -> (usize, Option<usize>, CountMethod) {
    let room = asked(objects, at("1.37"));
    let own = room.own().expect("a row of its own priority");
    assert!(own.without_preemption.is_complete);
    let with = own.with_preemption.as_ref().map(|count| count.number);
    (own.without_preemption.number, with, own.without_preemption.method)
}

#[test]
fn copies_fill_every_node_that_takes_the_pod() {
    let counted = own(objects![
        node("a").cpu("4"),
        node("b").cpu("3").pods(2),
        node("c").cpu("8").cordoned(),
        pod("low").cpu("2").on("a"),
        pod("p").cpu("1").priority(5),
    ]);
    assert_eq!(counted, (2 + 2, Some(4 + 2), CountMethod::NodeByNode));
}

#[test]
fn copies_that_repel_each_other_by_host_get_a_node_each() {
    let counted = own(objects![
        node("a").cpu("4").label("kubernetes.io/hostname", "a"),
        node("b").cpu("4").label("kubernetes.io/hostname", "b"),
        pod("p").cpu("1").label("app", "x").away("kubernetes.io/hostname", "app", "x"),
    ]);
    assert_eq!(counted, (2, Some(2), CountMethod::NodeByNode));
}

#[test]
fn copies_that_spread_over_zones_are_placed_one_by_one() {
    let counted = own(objects![
        node("a").cpu("4").zone("z1"),
        node("b").cpu("1").zone("z2"),
        pod("p").cpu("1").label("app", "x").spread("zone", 1, "app", "x"),
    ]);
    // One in each zone, and one more in the larger one.
    assert_eq!(counted, (3, Some(3), CountMethod::OneByOne));
}

#[test]
fn copies_that_repel_each_other_by_zone_get_a_zone_each() {
    let counted = own(objects![
        node("a").cpu("4").zone("z1"),
        node("b").cpu("4").zone("z1"),
        node("c").cpu("4").zone("z2"),
        pod("p").cpu("1").label("app", "x").away("zone", "app", "x"),
    ]);
    assert_eq!(counted, (2, Some(2), CountMethod::OneByOne));
}

#[test]
fn each_class_counts_what_its_pods_may_preempt() {
    let mut never = priority_class("gentle", 50);
    never = never.with("/preemptionPolicy", "Never");
    let room = asked(
        objects![
            node("a").cpu("4"),
            pod("low").cpu("1").priority(10).on("a"),
            pod("high").cpu("1").priority(100).on("a"),
            pod("p").cpu("1"),
            priority_class("top", 1000),
            priority_class("middle", 100),
            never,
        ],
        at("1.37"),
    );
    let rows: Vec<(i32, &str, usize, Option<usize>)> = room
        .priorities
        .iter()
        .map(|row| {
            let with = row.with_preemption.as_ref().map(|count| count.number);
            (row.priority, row.class.as_deref().unwrap_or("-"), row.without_preemption.number, with)
        })
        .collect();
    let expected = [
        (0, "-", 2, Some(2)),
        (1000, "top", 2, Some(4)),
        (100, "middle", 2, Some(3)),
        (50, "gentle", 2, None),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn evictions_one_by_one_are_counted() {
    let room = asked(
        objects![
            node("a").cpu("2").zone("z1"),
            node("b").cpu("2").zone("z2"),
            pod("x").cpu("2").on("a"),
            pod("y").cpu("2").on("b"),
            pod("p").cpu("1").priority(5).label("app", "x").spread("zone", 1, "app", "x"),
        ],
        at("1.37"),
    );
    let own = room.own().expect("a row");
    assert_eq!(own.without_preemption.number, 0);
    let with = own.with_preemption.expect("it preempts");
    assert_eq!((with.number, with.evicted, with.method), (4, Some(2), CountMethod::OneByOne));
}

#[test]
fn fragmented_resources_are_distinguished_from_too_few() {
    let state = |objects: Vec<Value>| {
        let room = asked(objects, at("1.37"));
        (
            room.own().expect("a row").without_preemption.number,
            room.pieces.in_sum,
            room.pieces.state,
        )
    };
    let web = |name: &str, on: &str| pod(name).cpu("1").replica_of("web").on(on);
    let pieces = objects![
        node("a").cpu("2"),
        node("b").cpu("2"),
        web("w1", "a"),
        web("w2", "b"),
        pod("p").cpu("2"),
    ];
    assert_eq!(state(pieces.clone()), (0, Some(1), PiecesState::Fragmented));
    let moved = asked(pieces.clone(), at("1.37")).defragmentation.expect("it is tried");
    assert_eq!((moved.gains, moved.moves, moved.may_go_on), (1, 1, false));
    let full = objects![node("a").cpu("1"), web("w1", "a"), pod("p").cpu("1")];
    assert_eq!(state(full), (0, Some(0), PiecesState::Full));
    let room = objects![node("a").cpu("4"), pod("p").cpu("1")];
    assert_eq!(state(room), (4, Some(4), PiecesState::Room));
}

#[test]
fn the_largest_pod_is_as_large_as_the_largest_piece() {
    let room = asked(
        objects![
            node("a").cpu("8").memory("4Gi"),
            node("b").cpu("3").memory("16Gi"),
            node("t").cpu("64").memory("64Gi").taint("only", "x", "NoSchedule"),
            pod("p").cpu("1").memory("2Gi"),
        ],
        at("1.37"),
    );
    let text = |largest: &LargestPod| {
        let requests: Vec<String> =
            largest.requests.iter().map(|a| format!("{}={}", a.resource, a.amount)).collect();
        format!("{} on {}", requests.join(","), largest.node)
    };
    let largest: Vec<String> = room.largest.iter().map(text).collect();
    assert_eq!(
        largest,
        ["cpu=8,memory=2Gi on a", "cpu=1,memory=16Gi on b", "cpu=3,memory=6Gi on b"]
    );
}

#[test]
fn nodes_are_summed_up_by_zone_and_shape() {
    let room = asked(
        objects![
            node("a").cpu("4").label("topology.kubernetes.io/zone", "z1"),
            node("b").cpu("2").label("topology.kubernetes.io/zone", "z2"),
            node("c").cpu("4").label("topology.kubernetes.io/zone", "z1").cordoned(),
            pod("p").cpu("2"),
        ],
        at("1.37"),
    );
    let groups: Vec<(&str, &str, usize, usize, usize)> = room
        .groups
        .iter()
        .filter(|group| group.by == NodeGrouping::Zone)
        .map(|g| (g.by.name(), g.name.as_str(), g.nodes, g.with_room, g.fits))
        .collect();
    assert_eq!(groups, [("Zone", "z1", 2, 1, 2), ("Zone", "z2", 1, 1, 1)]);
}

#[test]
fn pods_that_are_not_placed_alone_are_not_counted() {
    let of_a_daemon = pod("p").of("apps/v1", "DaemonSet", "agent");
    let room = asked(objects![node("a"), of_a_daemon], at("1.37"));
    assert!(room.unknown.expect("a reason").contains("DaemonSet"));
    let templated = pod("p")
        .with("/spec/resourceClaims", json!([{"name": "gpu", "resourceClaimTemplateName": "gpu"}]));
    let room = asked(objects![node("a"), templated], at("1.37"));
    assert!(room.unknown.expect("a reason").contains("resource claims"));
}
