use serde_json::{Value, json};

use crate::testing::{Pod, at, decide, labels, node, objects, pod};

const NAME: &str = "PodTopologySpread";

fn web(name: &str, node: &str) -> Pod {
    pod(name).label("app", "web").on(node)
}

fn soft(key: &str, max_skew: i64) -> Pod {
    let constraint = json!({"topologyKey": key, "maxSkew": max_skew, "labelSelector": labels("app", "web"),
        "whenUnsatisfiable": "ScheduleAnyway"});
    pod("p").label("app", "web").constraint(constraint)
}

/// Nodes a1 and a2 in zone a, b in zone b, c without a zone; all with a hostname.
fn zones() -> Vec<Value> {
    let zone = |name: &str, zone: &str| node(name).label("kubernetes.io/hostname", name).zone(zone);
    let labelled = [("a1", "a"), ("a2", "a"), ("b", "b")].map(|(name, z)| zone(name, z));
    let labelled = labelled.map(Value::from);
    [labelled.to_vec(), objects![node("c").label("kubernetes.io/hostname", "c")]].concat()
}

#[test]
fn the_emptier_the_domain_the_higher_the_score() {
    // A domain of two or three counts ln(2 + domains) per pod.
    for (row, objects, want) in [
        ("all empty", objects![soft("zone", 1)], [(0, 100), (0, 100), (0, 100), (0, 0)]),
        (
            "two in zone a",
            objects![web("v", "a1"), web("w", "a2"), soft("zone", 1)],
            [(3, 0), (3, 0), (0, 100), (0, 0)],
        ),
        (
            "a skew is added before",
            objects![web("v", "a1"), web("w", "a2"), soft("zone", 4)],
            [(6, 50), (6, 50), (3, 100), (0, 0)],
        ),
        (
            "every host is a domain",
            objects![web("v", "a1"), web("w", "a1"), soft("kubernetes.io/hostname", 1)],
            [(4, 0), (0, 100), (0, 100), (0, 100)],
        ),
        (
            "pods that are being deleted or in another namespace do not count",
            objects![web("v", "a1").terminating(), web("w", "a1").ns("other"), soft("zone", 1)],
            [(0, 100), (0, 100), (0, 100), (0, 0)],
        ),
    ] {
        let answer = decide([zones(), objects].concat(), "p");
        assert_eq!(["a1", "a2", "b", "c"].map(|n| answer.score(n, NAME)), want, "{row}");
    }
}

/// Two nodes in two zones, the first with a pod of the service.
fn hosts() -> Vec<Value> {
    let host = |name: &str| {
        node(name)
            .label("kubernetes.io/hostname", name)
            .label("topology.kubernetes.io/zone", &format!("zone-{name}"))
    };
    objects![host("a"), host("b"), web("v", "a")]
}

#[test]
fn a_pod_without_constraints_is_spread_with_its_service_and_controller() {
    let service = |selector: Value| {
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "namespace": "default"},
            "spec": {"selector": selector}})
    };
    let controller = |api: &str, kind: &str, selector: Value| {
        json!({"apiVersion": api, "kind": kind, "metadata": {"name": "o", "namespace": "default"},
            "spec": {"selector": selector}})
    };
    let plain = || pod("p").label("app", "web");
    let owned = |api: &str, kind: &str| {
        let owner =
            json!({"apiVersion": api, "kind": kind, "name": "o", "uid": "u", "controller": true});
        plain().push("/metadata/ownerReferences", owner)
    };
    let app = || labels("app", "web");
    for (row, objects, spread) in [
        ("nothing selects it", objects![plain()], false),
        ("a service does", objects![service(json!({"app": "web"})), plain()], true),
        ("a service of other pods", objects![service(json!({"app": "db"})), plain()], false),
        ("a service without a selector", objects![service(Value::Null), plain()], false),
        ("a service of all pods adds nothing", objects![service(json!({})), plain()], false),
        (
            "a replica set",
            objects![controller("apps/v1", "ReplicaSet", app()), owned("apps/v1", "ReplicaSet")],
            true,
        ),
        (
            "a stateful set",
            objects![controller("apps/v1", "StatefulSet", app()), owned("apps/v1", "StatefulSet")],
            true,
        ),
        (
            "a stateful set of another kind of cluster",
            objects![
                controller("apps/v1", "StatefulSet", app()),
                owned("apps.kruise.io/v1", "StatefulSet")
            ],
            false,
        ),
        (
            "a replication controller",
            objects![
                controller("v1", "ReplicationController", json!({"app": "web"})),
                owned("v1", "ReplicationController")
            ],
            true,
        ),
        ("a controller that is gone", objects![owned("apps/v1", "ReplicaSet")], false),
        (
            "a job does not spread",
            objects![controller("batch/v1", "Job", app()), owned("batch/v1", "Job")],
            false,
        ),
    ] {
        let answer = decide([hosts(), objects].concat(), "p");
        assert_eq!(answer.score_plugins("a").iter().any(|p| p == NAME), spread, "{row}");
        if spread {
            // Skews of 3 and 5 on both; one pod in one of two hosts and zones counts ln 4 each.
            assert_eq!(["a", "b"].map(|n| answer.score(n, NAME)), [(9, 66), (6, 100)], "{row}");
        }
    }
}

#[test]
fn eras_weigh_differently() {
    // Zone a has two matching pods, zone b none; c has no zone.
    let objects = || [zones(), objects![web("v", "a1"), web("w", "a2"), soft("zone", 1)]].concat();
    let of = |version: &str| {
        let answer = at(version).decide(objects(), "p");
        ["a1", "b", "c"]
            .map(|node| answer.scores(node, NAME).map_or(-1, |(_, _, weighted)| weighted))
    };
    assert_eq!(of("1.17"), [-1, -1, -1]);
    assert_eq!(of("1.18"), [50, 100, 0], "the share of all pods that are elsewhere");
    assert_eq!(of("1.19"), [0, 200, 0]);
    let raw = |version: &str| at(version).decide(objects(), "p").raw_score("a1", NAME);
    assert_eq!((raw("1.23"), raw("1.24")), (2, 3), "2.77 was cut off, is rounded");
}

#[test]
fn pods_without_constraints_scored_best_everywhere_up_to_1_27() {
    let objects = || [zones(), objects![pod("p")]].concat();
    let names = |version: &str| at(version).decide(objects(), "p").score_plugins("a1");
    for (version, there) in [("1.22", true), ("1.27", true), ("1.28", false)] {
        assert_eq!(names(version).contains(&NAME.to_owned()), there, "{version}");
    }
}
