use serde_json::{Value, json};

use crate::testing::{Pod, decide, labels, node, objects, pod};

const NAME: &str = "InterPodAffinity";

fn zones() -> Vec<Value> {
    objects![node("a1").zone("a"), node("a2").zone("a"), node("b").zone("b"), node("c")]
}

fn prefers(pod: Pod, side: &str, weight: i64, app: &str) -> Pod {
    let term = json!({"topologyKey": "zone", "labelSelector": labels("app", app)});
    let weighted = json!({"weight": weight, "podAffinityTerm": term});
    pod.push(
        &format!("/spec/affinity/{side}/preferredDuringSchedulingIgnoredDuringExecution"),
        weighted,
    )
}

fn db(name: &str, node: &str) -> Pod {
    pod(name).label("app", "db").on(node)
}

fn web() -> Pod {
    pod("p").label("app", "web")
}

#[test]
fn preferences_of_the_pod_and_of_the_running_ones_add_up() {
    let (near, away) = ("podAffinity", "podAntiAffinity");
    for (row, objects, want) in [
        (
            "the pod likes two in zone a",
            objects![db("d", "a1"), db("e", "a2"), prefers(web(), near, 5, "db")],
            [(10, 100), (0, 0), (0, 0)],
        ),
        (
            "the pod dislikes one",
            objects![db("d", "a1"), prefers(web(), away, 5, "db")],
            [(-5, 0), (0, 100), (0, 100)],
        ),
        (
            "a running pod likes it",
            objects![prefers(db("d", "b"), near, 3, "web"), web()],
            [(0, 0), (3, 100), (0, 0)],
        ),
        (
            "a running pod dislikes it, less than another likes it",
            objects![
                prefers(db("d", "b"), away, 3, "web"),
                prefers(db("e", "a1"), near, 4, "web"),
                web()
            ],
            [(4, 100), (-3, 0), (0, 42)],
        ),
        (
            "what a running pod requires counts one",
            objects![db("d", "a1").near("zone", "app", "web"), web()],
            [(1, 100), (0, 0), (0, 0)],
        ),
        (
            "likes and dislikes that cancel out are still an opinion",
            objects![db("d", "a1"), prefers(prefers(web(), near, 5, "db"), away, 5, "db")],
            [(0, 0), (0, 0), (0, 0)],
        ),
    ] {
        let answer = decide([zones(), objects].concat(), "p");
        assert_eq!(["a1", "b", "c"].map(|n| answer.score(n, NAME)), want, "{row}");
    }
}

#[test]
fn without_any_preference_that_applies_there_is_no_score() {
    for (row, objects) in [
        ("nobody prefers anything", objects![db("d", "a1"), web()]),
        ("nobody to prefer", objects![prefers(web(), "podAffinity", 5, "db")]),
        (
            "only on a node without the label",
            objects![db("d", "c"), prefers(web(), "podAffinity", 5, "db")],
        ),
        (
            "in another namespace",
            objects![db("d", "a1").ns("other"), prefers(web(), "podAffinity", 5, "db")],
        ),
    ] {
        let answer = decide([zones(), objects].concat(), "p");
        assert!(!answer.score_plugins("a1").iter().any(|p| p == NAME), "{row}");
    }
}
