use super::*;
use serde_json::{Value, json};
use testing::decisions::{NOW, at, budget, cluster, find, node, objects, pod};

fn asked(objects: Vec<Value>) -> Suggestion {
    let cluster = cluster(objects);
    let profile = at("1.37").profile();
    let now = NOW.parse().expect("a time");
    for_pod(&cluster, find(&cluster, "p"), SuggestSettings { profile: &profile, now })
}

/// `POD FROM>TO … NODE (PROOF)`.
fn moves(objects: Vec<Value>) -> String {
    let Some(plan) = asked(objects).moves else { return "none".to_owned() };
    let step = |step: &Move| format!("{} {}>{}", step.pod.name, step.from, step.to);
    let steps: Vec<String> = plan.moves.iter().map(step).collect();
    format!("{} {} ({:?})", steps.join(" "), plan.node, plan.proof)
}

fn web(name: &str, cpu: &str, on: &str) -> testing::Pod {
    pod(name).cpu(cpu).replica_of("web").on(on)
}

#[test]
fn pod_fits_once_one_pod_has_moved() {
    let objects = objects![
        node("a").cpu("4"),
        node("b").cpu("4"),
        web("w1", "2", "a"),
        web("w2", "1", "a"),
        web("w3", "2", "b"),
        pod("p").cpu("3"),
    ];
    assert_eq!(moves(objects), "w1 a>b a (Smallest)");
}

#[test]
fn pod_of_lower_priority_moves_before_one_with_a_shorter_grace_period() {
    let objects = |first: i32, second: i32| {
        objects![
            node("a").cpu("2"),
            node("b").cpu("3").pods(2),
            web("w1", "1", "a").priority(first).grace(60),
            web("w2", "1", "a").priority(second).grace(1),
            web("w3", "2", "b"),
            pod("p").cpu("1").selects_nodes("only", "a"),
        ]
        .into_iter()
        .map(|mut object: Value| {
            if object["metadata"]["name"] == "a" {
                object["metadata"]["labels"]["only"] = "a".into();
            }
            object
        })
        .collect::<Vec<Value>>()
    };
    assert_eq!(moves(objects(1, 2)), "w1 a>b a (Smallest)");
    assert_eq!(moves(objects(2, 2)), "w2 a>b a (Smallest)");
}

#[test]
fn two_pods_move_where_one_is_not_enough() {
    let objects = objects![
        node("a").cpu("4"),
        node("b").cpu("2"),
        node("c").cpu("2"),
        web("w1", "2", "a"),
        web("w2", "2", "a"),
        pod("p").cpu("4"),
    ];
    assert_eq!(moves(objects), "w1 a>b w2 a>c a (Smallest)");
}

#[test]
fn pod_moves_to_a_node_that_another_one_left_for_it() {
    // w1 is too large for what is free on b, until w2 has gone to c.
    let objects = objects![
        node("a").cpu("4"),
        node("b").cpu("4"),
        node("c").cpu("1"),
        web("w1", "4", "a"),
        web("w2", "1", "b"),
        pod("p").cpu("4").selects_nodes("only", "a"),
    ];
    let mut objects: Vec<Value> = objects;
    objects[0]["metadata"]["labels"]["only"] = "a".into();
    assert_eq!(moves(objects), "w2 b>c w1 a>b a (Smallest)");
}

#[test]
fn bare_pods_and_pods_with_exhausted_budgets_do_not_move() {
    let objects = |pod: testing::Pod| {
        objects![
            node("a").cpu("4"),
            node("b").cpu("3"),
            pod.cpu("3").on("a"),
            self::pod("p").cpu("4"),
            budget("none").selects("app", "kept").allowed(0),
        ]
    };
    assert_eq!(moves(objects(pod("w1").replica_of("web"))), "w1 a>b a (Smallest)");
    assert_eq!(moves(objects(pod("bare"))), "none");
    assert_eq!(moves(objects(pod("agent").of("apps/v1", "DaemonSet", "agent"))), "none");
    assert_eq!(moves(objects(pod("kept").replica_of("web").label("app", "kept"))), "none");
}

#[test]
fn devices_in_pieces_are_brought_together() {
    let gpu =
        |name: &str, on: &str| pod(name).requests("nvidia.com/gpu", "1").replica_of("train").on(on);
    let node = |name: &str| node(name).cpu("8").allocatable("nvidia.com/gpu", "4");
    let objects = objects![
        node("a"),
        node("b"),
        gpu("g1", "a"),
        gpu("g2", "a"),
        gpu("g3", "b"),
        gpu("g4", "b"),
        pod("p").requests("nvidia.com/gpu", "4"),
    ];
    assert_eq!(moves(objects), "g1 a>b g2 a>b a (Smallest)");
}

#[test]
fn pod_that_repels_another_zone_gets_room_when_that_one_moves() {
    let objects = objects![
        node("a").cpu("4").zone("z1"),
        node("b").cpu("4").zone("z1"),
        node("c").cpu("1").zone("z2"),
        node("d").cpu("4").zone("z2").taint("only", "x", "NoSchedule"),
        web("w1", "1", "b").label("app", "x"),
        pod("p").cpu("2").away("zone", "app", "x"),
    ];
    assert_eq!(moves(objects), "w1 b>c a (Smallest)");
}

#[test]
fn changes_other_than_an_eviction_evict_no_pod() {
    let answer = asked(objects![
        node("a").cpu("2"),
        node("big").cpu("8").cordoned(),
        pod("x").cpu("1").priority(-1).on("a"),
        pod("p").cpu("2"),
    ]);
    assert!(answer.moves.is_none() && answer.helps());
    let changes: Vec<&str> = answer.changes.iter().map(|r| r.kind.name()).collect();
    assert!(changes.contains(&"Uncordon") && !changes.contains(&"EvictPods"), "{changes:?}");
    assert_eq!(answer.victims.iter().map(|v| v.name.as_str()).collect::<Vec<_>>(), ["x"]);
    assert_eq!(answer.node.expect("a node").like, "a");
}

#[test]
fn for_many_pods_the_action_that_lets_in_the_most_comes_first() {
    let cluster = cluster(objects![
        node("a").cpu("1"),
        node("b").cpu("3").cordoned(),
        pod("p1").cpu("1"),
        pod("p2").cpu("1"),
        pod("p3").cpu("1"),
        pod("p4").cpu("1"),
        pod("p5").cpu("2"),
        pod("p6").cpu("9"),
    ]);
    let profile = at("1.37").profile();
    let settings = SuggestSettings { profile: &profile, now: NOW.parse().expect("a time") };
    let pods: Vec<PodIx> =
        cluster.pod_indices().filter(|pod| cluster.pod(*pod).is_waiting()).collect();
    let answer = many::for_many(&cluster, &pods, settings);
    assert_eq!((answer.fit_now.len(), answer.left.len()), (1, 5));
    let first = answer.actions.first().expect("an action");
    assert_eq!(first.edit, model::edits::Edit::Uncordon { node: "b".to_owned() });
    assert_eq!(first.lets_in.len(), 3);
    let needed = answer.nodes.first().expect("nodes");
    assert_eq!(
        (needed.node.like.as_str(), needed.number, needed.places, needed.remain),
        ("b", 3, 4, 1)
    );
}

/// Nodes of one shape are of two kinds if only one has devices, or a label that a waiting pod asks for;
/// other labels, also that of the host, make no kind.
#[test]
fn kinds_of_nodes_differ_by_devices_and_by_labels_that_waiting_pods_read() {
    let slice = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "n3"},
        "spec": {
            "driver": "gpu", "nodeName": "n3", "devices": [{"name": "d0"}],
            "pool": {"name": "n3", "generation": 1, "resourceSliceCount": 1},
        },
    });
    let nodes = objects![
        node("n1").cpu("4").label("rack", "a"),
        node("n2").cpu("4").label("rack", "b"),
        node("n3").cpu("4").label("rack", "b"),
    ];
    let by_host = || pod("p").cpu("9").selects_nodes("kubernetes.io/hostname", "n2");
    for (more, want) in [
        (objects![pod("p").cpu("9")], "n1"),
        (objects![by_host()], "n1"),
        (objects![pod("p").cpu("9").selects_nodes("rack", "b")], "n1 n2"),
        (objects![pod("p").cpu("9").selects_nodes("rack", "b").on("n2")], "n1"),
        (objects![slice.clone()], "n1 n3"),
        (objects![slice, pod("p").cpu("9").selects_nodes("rack", "b")], "n1 n2 n3"),
    ] {
        let kinds = nodes::kinds(&cluster([nodes.clone(), more].concat()));
        let names: Vec<&str> = kinds.iter().map(|kind| kind.like.as_str()).collect();
        assert_eq!(names.join(" "), want);
    }
}
