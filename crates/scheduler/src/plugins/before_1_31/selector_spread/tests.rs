use serde_json::json;

use crate::testing::{at, node, objects, pod};
use profile::Profile;

/// The score of SelectorSpread, under whatever name, on nodes a, b and c, of which a and b share a
/// zone.
fn scores(version: &str, constraints: bool, with_service: bool) -> [i64; 3] {
    let host = |name: &str, zone: &str| {
        node(name).cpu("9").label("failure-domain.beta.kubernetes.io/zone", zone)
    };
    let mut incoming = pod("p").label("app", "web");
    if constraints {
        let constraint =
            json!({"topologyKey": "x", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"});
        incoming = incoming.with("/spec/topologySpreadConstraints", json!([constraint]));
    }
    let mut objects = objects![
        host("a", "1"),
        host("b", "1"),
        host("c", "2"),
        pod("w1").label("app", "web").on("a"),
        pod("w2").label("app", "web").on("a"),
        pod("w3").label("app", "web").on("c"),
        pod("leaving").label("app", "web").terminating().on("b"),
        pod("other").label("app", "db").on("b"),
        incoming,
    ];
    if with_service {
        objects.push(json!({
            "apiVersion": "v1", "kind": "Service",
            "metadata": {"name": "s", "namespace": "default"}, "spec": {"selector": {"app": "web"}},
        }));
    }
    let answer = at(version).decide(objects, "p");
    let names = ["SelectorSpreadPriority", "DefaultPodTopologySpread", "SelectorSpread"];
    let score = |node: &str| names.iter().find_map(|name| answer.scores(node, name));
    ["a", "b", "c"].map(|node| score(node).map_or(-1, |(_, _, weighted)| weighted))
}

#[test]
fn few_pods_of_the_series_on_the_node_and_in_the_zone_are_best() {
    // a: 2 of 2 on the node, 2 of 2 in its zone; b: 0 and 2; c: 1 and 1.
    assert_eq!(scores("1.16", false, true), [0, 3, 5]);
    for version in ["1.17", "1.18", "1.19"] {
        assert_eq!(scores(version, false, true), [0, 33, 50], "{version}");
    }
    assert_eq!(scores("1.20", false, true), [-1, -1, -1], "default constraints take its place");
}

#[test]
fn without_a_series_all_nodes_are_best() {
    assert_eq!(scores("1.12", false, false), [10, 10, 10]);
    assert_eq!(scores("1.19", false, false), [100, 100, 100]);
}

#[test]
fn pods_with_constraints_of_their_own_are_left_alone_since_1_18() {
    assert_eq!(scores("1.17", true, true), [0, 33, 50]);
    assert_eq!(scores("1.18", true, true), [0, 0, 0]);
}

#[test]
fn without_pre_score_its_score_fails() {
    let off = |profile: &mut Profile| {
        profile
            .plugins
            .pre_score
            .retain(|plugin| !["DefaultPodTopologySpread", "SelectorSpread"].contains(plugin));
    };
    let failed = |key: &str| {
        format!(
            "error while running score plugin for pod \"p\": Error reading \"{key}\" from cycleState: not found"
        )
    };
    let constraint =
        json!([{"topologyKey": "x", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"}]);
    let spread = pod("p").with("/spec/topologySpreadConstraints", constraint);
    for (row, version, pod, want) in [
        ("its first name", "1.18", pod("p"), failed("PreScoreDefaultPodTopologySpread")),
        ("its second name", "1.19", pod("p"), failed("PreScoreSelectorSpread")),
        ("constraints of its own", "1.19", spread, String::new()),
    ] {
        let answer = at(version).with(off).decide(objects![node("a"), node("b"), pod], "p");
        assert_eq!(answer.message(), want, "{row}");
    }
}
