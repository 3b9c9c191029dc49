use std::sync::LazyLock;

use rayon::prelude::*;
use serde_json::{Value, json};
use testing::{NOW, Pod, at, budget, cluster, node, objects, pod, share};

use super::*;
use crate::sequence::play::DrainEnd;

fn assessed(objects: Vec<Value>, nodes: &[&str], surge: usize) -> NodesRemoval {
    let nodes: Vec<String> = nodes.iter().map(|name| (*name).to_owned()).collect();
    let profiles = [at("1.37").profile()];
    let now = NOW.parse().expect("a time");
    let request = RemovalRequest { nodes: &nodes, surge, profiles: &profiles, now };
    assess(&cluster(objects), request)
}

/// `NODE VERDICT` of each node, and then what is in its way or where its pods go.
fn told(removal: &NodesRemoval) -> Vec<String> {
    removal.nodes.iter().map(words).collect()
}

fn words(found: &NodeRemoval) -> String {
    let mut words = format!("{} {}", found.node, found.verdict.name());
    for (pod, refused) in found.play.refused() {
        let names: Vec<&str> = refused.budgets.iter().map(|budget| budget.name.as_str()).collect();
        words.push_str(&format!(", {} {:?} {}", pod.victim.pod.name, refused.why, names.join("+")));
    }
    for step in found.play.homeless() {
        words.push_str(&format!(", {} no node", step.id.name()));
    }
    for (pod, places) in &found.places {
        let nodes: Vec<&str> =
            places.nodes.iter().chain(places.also_possible.iter()).map(String::as_str).collect();
        let nodes = nodes.join("|");
        words.push_str(&format!(", {}>{nodes}", pod.trim_start_matches("default/")));
    }
    for budget in found.play.waits() {
        words.push_str(&format!(", waits {}", budget.name));
    }
    words
}

fn web(name: &str, on: &str) -> Pod {
    pod(name).cpu("1").label("app", "web").replica_of("web").ready().on(on)
}

fn drained(objects: Vec<serde_json::Value>, nodes: &[&str]) -> Simulation {
    let cluster = cluster(objects);
    let nodes: Vec<NodeIx> = nodes.iter().filter_map(|name| cluster.find_node(name)).collect();
    let profiles = [at("1.37").profile()];
    let settings = SimulationSettings::new(&profiles, NOW.parse().expect("a time")).following(3);
    drain(cluster, &nodes, settings).0
}

#[test]
fn replacements_of_drained_pods_are_placed_on_other_nodes() {
    let found = drained(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("2"),
            pod("a").cpu("2").replica_of("web").on("n1"),
            pod("b").cpu("1").replica_of("web").on("n1"),
            pod("bare").cpu("1").on("n1"),
            pod("agent").of("apps/v1", "DaemonSet", "agent").on("n1"),
        ],
        &["n1"],
    );
    let [node] = found.drains.as_slice() else { panic!("{found:?}") };
    let mut names: Vec<&str> = node.victims.iter().map(|victim| victim.pod.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!((names, node.staying), (vec!["a", "b", "bare"], 1));
    let places: Vec<bool> = found.cascade.iter().map(Step::is_placed).collect();
    assert_eq!(places.len(), 2, "no controller replaces the third");
    assert_eq!(places.iter().filter(|placed| **placed).count(), 1, "n2 has room for one of them");
    assert!(!found.all_placed());
    let totals = found.totals();
    assert_eq!((totals.evicted, totals.replacements, totals.replacements_pending), (3, 2, 1));
}

/// The changes that let n1 drain, in short.
fn changes(objects: Vec<Value>) -> Vec<String> {
    let removal = assessed(objects, &["n1"], 0);
    let short = |change: &DrainChange| match change {
        DrainChange::Replica { workload, replicas, .. } => format!("{} {replicas}", workload.name),
        DrainChange::MinReplicas { workload, autoscaler, replicas, before } => {
            format!("{} {autoscaler} {replicas} of {}-{}", workload.name, before.min, before.max)
        }
        DrainChange::MaxUnavailable { name, pods, .. } => format!("{name} max {pods}"),
        DrainChange::MinAvailable { name, least, .. } => format!("{name} min {least}"),
        DrainChange::EvictUnready { name, .. } => format!("{name} unready"),
    };
    removal.changes.iter().map(short).collect()
}

#[test]
fn drain_that_budgets_stop_gets_through_with_what_is_changed() {
    let least = |number: &str| budget("b").selects("app", "web").with("/spec/minAvailable", number);
    let most = |number: i64| budget("b").selects("app", "web").with("/spec/maxUnavailable", number);
    let one = |budget: testing::Budget, n2: &str| {
        objects![node("n1").cpu("4"), node("n2").cpu(n2), web("a", "n1"), budget]
    };
    let two = |budget: testing::Budget| {
        objects![node("n1").cpu("4"), node("n2").cpu("4"), web("a", "n1"), web("b", "n2"), budget]
    };
    let unready = web("a", "n1").with("/status/conditions", json!([]));
    for (case, objects, want) in [
        ("a replica more", one(least("1").healthy(1, 1, 1), "4"), &["web 2"][..]),
        (
            "a replica more by what sets them",
            [
                one(least("1").healthy(1, 1, 1), "4"),
                objects![json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
                    "metadata": {"name": "h", "namespace": "default"},
                    "spec": {"scaleTargetRef": {"kind": "ReplicaSet", "name": "web"}, "maxReplicas": 5}})],
            ]
            .concat(),
            &["web h 2 of 1-5"],
        ),
        ("no room for a second replica", one(least("1").healthy(1, 1, 1), "1"), &["b min 0"]),
        (
            "pods without a controller",
            objects![
                node("n1").cpu("4"),
                node("n2").cpu("4"),
                pod("a").label("app", "web").ready().on("n1"),
                pod("b").label("app", "web").ready().on("n2"),
                least("2").healthy(2, 2, 2)
            ],
            &["b min 1"],
        ),
        (
            "a share of all pods grows with them",
            one(least("100%").healthy(1, 1, 1), "4"),
            &["b max 1"],
        ),
        ("none may be missing", two(most(0).healthy(2, 2, 2)), &["b max 1"]),
        ("half of an odd number", two(least("60%").healthy(2, 2, 2)), &["web 3"]),
        (
            "a pod that is not Ready",
            objects![node("n1").cpu("4"), node("n2").cpu("4"), unready, most(0).healthy(0, 1, 1)],
            &["b unready"],
        ),
        ("a pod elsewhere that is not Ready", two(most(1).healthy(1, 1, 2)), &["b max 2"]),
        (
            "several budgets of a pod",
            objects![
                node("n1").cpu("4"),
                node("n2").cpu("4"),
                web("a", "n1"),
                most(0).healthy(1, 1, 1),
                most(0).with("/metadata/name", "c").healthy(1, 1, 1)
            ],
            &[],
        ),
        ("no need", two(most(1).allowed(1).healthy(2, 1, 2)), &[]),
    ] {
        assert_eq!(changes(objects), want, "{case}");
    }
}

#[test]
fn two_nodes_drained_together_take_none_of_their_pods() {
    let found = drained(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("4"),
            pod("a").cpu("2").replica_of("web").on("n1"),
            pod("b").cpu("1").replica_of("web").on("n2"),
        ],
        &["n1", "n2"],
    );
    assert!(
        found.cascade.iter().all(|step| matches!(step.proposal, Proposal::Impossible(_))),
        "{found:?}"
    );
}

#[test]
fn budgets_are_used_up_in_the_order_of_eviction() {
    let web = |name| pod(name).cpu("1").label("app", "web").replica_of("web").on("n1");
    let found = drained(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("4"),
            web("a"),
            web("b"),
            budget("web").selects("app", "web").allowed(1),
        ],
        &["n1"],
    );
    let violated: Vec<bool> =
        found.drains[0].victims.iter().map(|victim| victim.budgets[0].is_violated()).collect();
    assert_eq!(violated, [false, true]);
}

#[test]
fn node_whose_pods_fit_elsewhere_can_be_drained() {
    let found = assessed(
        objects![node("n1").cpu("4"), node("n2").cpu("4"), web("a", "n1"), web("b", "n1")],
        &["n1"],
        0,
    );
    assert_eq!(told(&found), ["n1 Can, a>n2, b>n2"]);
    assert!(found.all_can() && !found.is_unsure());
}

#[test]
fn pod_that_fits_nowhere_keeps_the_node() {
    let found = assessed(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("1"),
            web("a", "n1"),
            web("big", "n1").cpu("3"),
        ],
        &["n1"],
        0,
    );
    assert_eq!(told(&found), ["n1 Cannot, big no node, a>n2"]);
}

#[test]
fn pods_that_contend_for_one_place_cannot_both_move() {
    let found = assessed(
        objects![node("n1").cpu("4"), node("n2").cpu("1"), web("a", "n1"), web("b", "n1")],
        &["n1"],
        0,
    );
    assert_eq!(found.nodes[0].verdict, RemovalVerdict::Cannot, "{:?}", told(&found));
    assert_eq!(found.nodes[0].play.homeless().count(), 1);
}

#[test]
fn outcome_that_depends_on_the_order_has_a_note() {
    // Large and small fit beside each other only if the large one gets the large node.
    let small = |name| web(name, "n1").cpu("2");
    let found = assessed(
        objects![
            node("n1").cpu("8"),
            node("n2").cpu("4"),
            node("n3").cpu("2"),
            small("a"),
            web("big", "n1").cpu("4"),
        ],
        &["n1"],
        0,
    );
    assert_eq!(found.nodes[0].verdict, RemovalVerdict::DependsOnTiming, "{:?}", told(&found));
    assert!(found.is_unsure());
}

/// `REASON PODS HOLDS` of each obstacle of the first node.
fn obstacles(removal: &NodesRemoval) -> Vec<String> {
    let found = &removal.nodes[0].obstacles;
    let words = found.iter().map(|obstacle| {
        let (reason, holds) = (&obstacle.reason, obstacle.holds.name());
        let mut pods: Vec<String> = match reason {
            RemovalObstacle::Budget { pods, .. } => {
                pods.iter().map(|pod| pod.name.clone()).collect()
            }
            RemovalObstacle::NoNode { pod, .. } => vec![pod.name.clone()],
            other => panic!("{other:?}"),
        };
        pods.sort();
        format!("{} {} {holds}", reason.name(), pods.join("+"))
    });
    words.collect()
}

#[test]
fn order_without_contention_holds_for_every_order() {
    let found = assessed(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("2"),
            web("a", "n1"),
            web("big", "n1").cpu("3"),
            pod("db").ready().label("app", "db").replica_of("db").on("n1"),
            budget("db").selects("app", "db").allowed(0).healthy(1, 1, 1),
        ],
        &["n1"],
        0,
    );
    assert!(found.every_order && !found.nodes[0].depends_on_timing(), "{:?}", told(&found));
    assert_eq!(obstacles(&found), ["NoNode big EveryOrder", "Budget db EveryOrder"]);
}

#[test]
fn pod_that_a_budget_refuses_depends_on_which_one_left_first() {
    let two = |name: &str| web(name, "n1").cpu("2");
    let found = assessed(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("1"),
            two("a"),
            two("b"),
            budget("web").selects("app", "web").allowed(1).healthy(2, 1, 2),
        ],
        &["n1"],
        0,
    );
    assert_eq!(found.nodes[0].verdict, RemovalVerdict::Cannot);
    // One of the two gets no node in any order, whichever it is.
    assert_eq!(obstacles(&found), ["NoNode a OrdersTried", "Budget a+b SomeOrders"]);
    let others = |pod: &str| found.nodes[0].other_outcomes[pod].iter().copied().collect::<Vec<_>>();
    assert_eq!(others("default/a"), [DrainOutcome::Refused]);
    assert!(others("default/b").contains(&DrainOutcome::NoNode), "{:?}", others("default/b"));
}

#[test]
fn pod_that_gets_no_node_depends_on_which_one_came_first() {
    let found = assessed(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("1"),
            web("a", "n1"),
            pod("b").cpu("1").label("app", "db").replica_of("db").ready().on("n1"),
        ],
        &["n1"],
        0,
    );
    assert_eq!(found.nodes[0].verdict, RemovalVerdict::Cannot);
    assert!(!found.every_order && found.nodes[0].depends_on_timing());
    let mut words = obstacles(&found);
    words.sort();
    assert_eq!(words, ["NoNode a SomeOrders", "NoNode b SomeOrders"]);
}

#[test]
fn pod_that_may_become_ready_leaves_open_what_its_budget_refuses() {
    let found = assessed(
        objects![
            node("n1").cpu("8"),
            node("n2").cpu("8"),
            node("n3").cpu("1"),
            pod("a").cpu("1").label("app", "web").replica_of("web").on("n1"),
            web("b", "n1"),
            web("big", "n1").label("app", "big").cpu("9"),
            budget("web").selects("app", "web").allowed(0).healthy(1, 1, 2),
        ],
        &["n1"],
        0,
    );
    assert_eq!(found.nodes[0].verdict, RemovalVerdict::Cannot);
    assert_eq!(obstacles(&found), ["NoNode big OrdersTried", "Budget b SomeOrders"]);
}

#[test]
fn budget_makes_the_drain_wait_until_replacements_are_ready() {
    let found = assessed(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("4"),
            web("a", "n1"),
            web("b", "n1"),
            web("c", "n2"),
            budget("web").selects("app", "web").allowed(1).healthy(3, 2, 3),
        ],
        &["n1"],
        0,
    );
    assert_eq!(told(&found), ["n1 Can, a>n2, b>n2, waits web"]);
    assert_eq!(found.nodes[0].play.rounds, 2);
}

#[test]
fn budget_that_allows_none_refuses_to_the_end() {
    let found = assessed(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("4"),
            web("a", "n1"),
            pod("free").ready().replica_of("free").on("n1"),
            budget("web").selects("app", "web").allowed(0).healthy(1, 1, 1),
        ],
        &["n1"],
        0,
    );
    assert_eq!(told(&found), ["n1 Cannot, a Exhausted web, free>n2"]);
}

#[test]
fn two_budgets_of_one_pod_are_named() {
    let found = assessed(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("4"),
            web("a", "n1"),
            budget("one").selects("app", "web").allowed(1).healthy(2, 1, 2),
            budget("two").selects("app", "web").allowed(1).healthy(2, 1, 2),
        ],
        &["n1"],
        0,
    );
    assert_eq!(told(&found), ["n1 Cannot, a SeveralBudgets one+two"]);
}

#[test]
fn unready_pod_counts_as_gone_only_if_its_replacement_does_not_recover() {
    let unready = |name| pod(name).cpu("1").label("app", "web").replica_of("web").on("n1");
    let found = assessed(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("4"),
            unready("a"),
            web("b", "n1"),
            budget("web").selects("app", "web").allowed(0).healthy(1, 1, 2),
        ],
        &["n1"],
        0,
    );
    assert_eq!(told(&found), ["n1 DependsOnReadiness, b Exhausted web, a>n2, b>n2"]);
}

#[test]
fn pods_that_wait_already_may_take_the_room() {
    let found = assessed(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("1"),
            web("a", "n1"),
            pod("first").cpu("1").replica_of("other"),
        ],
        &["n1"],
        0,
    );
    assert_eq!(found.nodes[0].verdict, RemovalVerdict::DependsOnTiming, "{:?}", told(&found));
    assert_eq!(found.nodes[0].play.pending[0].id.name(), "first");
}

#[test]
fn waiting_pod_that_comes_before_the_cordon_may_preempt_what_a_budget_keeps() {
    let found = assessed(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("1"),
            web("low", "n1").cpu("4"),
            pod("high").cpu("4").priority(10).replica_of("high"),
            budget("web").selects("app", "web").allowed(0).healthy(1, 1, 1),
        ],
        &["n1"],
        0,
    );
    assert_eq!(found.nodes[0].verdict, RemovalVerdict::Cannot);
    assert_eq!(
        obstacles(&found),
        ["Budget low SomeOrders", "NoNode low SomeOrders", "NoNode high SomeOrders"]
    );
    assert!(!found.every_order);
}

#[test]
fn node_whose_pod_only_preemption_removes_depends_on_when_the_cordon_comes() {
    let found = assessed(
        objects![
            node("n1").cpu("4").label("disk", "ssd"),
            node("n2").cpu("4"),
            web("low", "n1").cpu("4"),
            pod("high").cpu("4").priority(10).selects_nodes("disk", "ssd"),
            budget("web").selects("app", "web").allowed(0).healthy(1, 1, 1),
        ],
        &["n1"],
        0,
    );
    assert_eq!(found.nodes[0].verdict, RemovalVerdict::DependsOnTiming);
    assert_eq!(obstacles(&found), ["Budget low SomeOrders"]);
    let others = &found.nodes[0].other_outcomes["default/low"];
    assert_eq!(others.iter().copied().collect::<Vec<_>>(), [DrainOutcome::Moves]);
}

#[test]
fn waiting_pod_that_fits_nowhere_even_by_preemption_leaves_the_answer_certain() {
    let found = assessed(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("1"),
            web("low", "n1").cpu("4"),
            pod("huge").cpu("5").priority(10).replica_of("huge"),
            pod("modest").cpu("4").replica_of("modest"),
            budget("web").selects("app", "web").allowed(0).healthy(1, 1, 1),
        ],
        &["n1"],
        0,
    );
    assert_eq!(obstacles(&found), ["Budget low EveryOrder"]);
    assert!(found.every_order);
}

#[test]
fn waiting_pods_that_never_fit_are_not_too_many_to_follow() {
    let mut objects = objects![node("n1").cpu("4"), node("n2").cpu("4"), web("a", "n1")];
    for number in 0..101 {
        let name = format!("huge-{number}");
        let cpu = format!("{}m", 5000 + number);
        objects.push(pod(&name).cpu(&cpu).priority(10).replica_of("huge").into());
    }
    let found = assessed(objects.clone(), &["n1"], 0);
    assert_eq!(told(&found), ["n1 Can, a>n2"]);
    assert!(found.every_order);

    // As many that only the pods of the nodes keep from them are followed, and are too many.
    objects.truncate(3);
    for number in 0..101 {
        let cpu = format!("{}m", 3900 + number);
        objects.push(pod(&format!("large-{number}")).cpu(&cpu).replica_of("large").into());
    }
    let found = assessed(objects, &["n1"], 0);
    assert_eq!(found.nodes[0].verdict, RemovalVerdict::Unsure);
}

#[test]
fn moved_pod_evicts_less_important_ones() {
    let found = assessed(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("1"),
            node("n3").cpu("1"),
            web("a", "n1").priority(10),
            pod("low").cpu("1").replica_of("low").ready().on("n2"),
            pod("tall").cpu("1").priority(20).replica_of("tall").ready().on("n3"),
        ],
        &["n1"],
        0,
    );
    assert_eq!(told(&found), ["n1 Cannot, low no node, a>n2"]);
}

#[test]
fn bare_static_and_daemon_pods_do_not_move() {
    let mirror =
        pod("static").with("/metadata/annotations/kubernetes.io~1config.mirror", "x").on("n1");
    let found = assessed(
        objects![
            node("n1").cpu("4"),
            node("n2").cpu("4"),
            pod("bare").ready().on("n1"),
            pod("agent").of("apps/v1", "DaemonSet", "agent").on("n1"),
            mirror,
        ],
        &["n1"],
        0,
    );
    assert_eq!(told(&found), ["n1 Can"]);
    let play = &found.nodes[0].play;
    assert_eq!(lost(play).len(), 1);
    let staying: Vec<(&str, bool)> =
        play.staying.iter().map(|pod| (pod.pod.name.as_str(), pod.is_static)).collect();
    assert_eq!(staying, [("agent", false), ("static", true)]);
}

#[test]
fn pod_that_does_not_end_keeps_the_node() {
    let stuck = web("a", "n1").with("/metadata/deletionTimestamp", "2020-01-01T00:00:00Z");
    let found = assessed(objects![node("n1").cpu("4"), node("n2").cpu("4"), stuck], &["n1"], 0);
    assert_eq!(found.nodes[0].verdict, RemovalVerdict::Cannot);
    assert_eq!(found.nodes[0].play.pods[0].end, DrainEnd::Stuck);
}

#[test]
fn pod_that_tolerates_the_cordon_comes_back() {
    let taint = "node.kubernetes.io/unschedulable";
    let back = web("a", "n1").cpu("4").tolerates(taint, "Exists", "", "NoSchedule");
    let found = assessed(objects![node("n1").cpu("4"), node("n2").cpu("1"), back], &["n1"], 0);
    assert_eq!(found.nodes[0].verdict, RemovalVerdict::Cannot);
    assert_eq!(found.nodes[0].play.back(), ["default/a"]);
}

#[test]
fn several_nodes_go_in_an_order_that_works() {
    let three = || {
        objects![
            node("n1").cpu("2"),
            node("n2").cpu("2"),
            node("n3").cpu("2"),
            web("a", "n1"),
            web("b", "n2"),
        ]
    };
    let found = assessed(three(), &["n1", "n2"], 0);
    assert_eq!((found.in_order, found.all_can()), (2, true), "{:?}", told(&found));
    let found = assessed(three(), &["n1", "n2", "n3"], 0);
    assert_eq!(found.in_order, 2, "{:?}", told(&found));
    assert_eq!(found.nodes[2].verdict, RemovalVerdict::Cannot);
}

#[test]
fn fresh_nodes_make_room_for_a_rolling_upgrade() {
    let full = || {
        objects![
            node("n1").cpu("1"),
            node("n2").cpu("1"),
            web("a", "n1"),
            web("b", "n2"),
            pod("agent").of("apps/v1", "DaemonSet", "agent").on("n1"),
        ]
    };
    let none = assessed(full(), &["n1", "n2"], 0);
    assert_eq!(none.in_order, 0, "{:?}", told(&none));
    let one = assessed(full(), &["n1", "n2"], 1);
    assert_eq!((one.in_order, one.all_can()), (2, true), "{:?}", told(&one));
    assert_eq!(one.nodes[0].places["default/a"].nodes, ["n1-copy"]);
}

#[test]
fn autoscalers_are_held_by_annotations_bare_pods_and_system_pods() {
    let key = |key: &str| format!("/metadata/annotations/{}", key.replace('/', "~1"));
    let found = assessed(
        objects![
            node("n1").with(&key("cluster-autoscaler.kubernetes.io/scale-down-disabled"), "true"),
            node("n2"),
            pod("asks").with(&key(DO_NOT_DISRUPT), "true").replica_of("x").on("n1"),
            pod("bare").on("n1"),
            pod("safe").with(&key(SAFE_TO_EVICT), "true").on("n1"),
            pod("unsafe").with(&key(SAFE_TO_EVICT), "false").replica_of("x").on("n1"),
            pod("dns").ns("kube-system").replica_of("dns").on("n1"),
        ],
        &["n1"],
        0,
    );
    let holds: Vec<String> = (found.nodes[0].holds.iter())
        .map(|hold| {
            let pod = hold.pod.as_ref().map_or("node", |pod| pod.name.as_str());
            format!("{} {pod} {}", hold.by.name(), hold.why.name())
        })
        .collect();
    assert_eq!(
        holds,
        [
            "cluster-autoscaler node Annotation",
            "karpenter asks Annotation",
            "cluster-autoscaler bare Bare",
            "cluster-autoscaler unsafe Annotation",
            "cluster-autoscaler dns SystemPod",
        ]
    );
}

#[test]
fn hold_of_autoscaler_is_said_with_what_lifts_it() {
    let key = |key: &str| format!("/metadata/annotations/{}", key.replace('/', "~1"));
    let stores = |name: &str| {
        let volume = |name: &str| json!({"name": name, "emptyDir": {}});
        pod(name).volume(volume("data")).volume(volume("tmp")).replica_of("x").on("n1")
    };
    let found = assessed(
        objects![
            node("n1"),
            node("n2"),
            stores("all"),
            stores("part").with(&key(SAFE_LOCAL_VOLUMES), "tmp"),
            stores("none").with(&key(SAFE_LOCAL_VOLUMES), "tmp, data"),
            pod("unsafe").with(&key(SAFE_TO_EVICT), "false").replica_of("x").on("n1"),
        ],
        &["n1"],
        0,
    );
    let holds: Vec<String> = (found.nodes[0].holds.iter())
        .map(|hold| {
            let pod = hold.pod.as_ref().map_or("node", |pod| pod.name.as_str());
            format!("{pod}: {}", hold.lifted_by())
        })
        .collect();
    let local = |volumes: &str| {
        format!(
            "annotate the pod with {SAFE_TO_EVICT}=true, or with {SAFE_LOCAL_VOLUMES}={volumes}, or run \
             cluster-autoscaler with --skip-nodes-with-local-storage=false"
        )
    };
    assert_eq!(
        holds,
        [
            format!("all: {}", local("data,tmp")),
            format!("part: {}", local("data")),
            format!("unsafe: set {SAFE_TO_EVICT} to true"),
        ]
    );
}

use model::snapshot::meta::pods::{DO_NOT_DISRUPT, SAFE_LOCAL_VOLUMES, SAFE_TO_EVICT};

/// Chance by a number, the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % most
    }
}

/// A random cluster of replicas on a few nodes, with budgets that agree with their pods.
fn random(seed: u64) -> Vec<Value> {
    let mut chance = Chance(seed);
    let apps = ["cache", "db", "web"];
    let mut list = Vec::new();
    let mut healthy = [0; 3];
    let nodes = 2 + chance.below(4);
    for n in 0..nodes {
        let size = 2 + chance.below(4);
        list.push(node(&format!("n{n}")).cpu(&size.to_string()).into());
        let mut free = size * 2;
        for p in 0..chance.below(5) {
            let halves = 1 + chance.below(3);
            if halves > free {
                break;
            }
            free -= halves;
            let app = usize::try_from(chance.below(3)).expect("small");
            let mut made = pod(&format!("{}-{n}{p}", apps[app]))
                .cpu(&format!("{}m", halves * 500))
                .label("app", apps[app])
                .on(&format!("n{n}"));
            if chance.below(8) > 0 {
                made = made.replica_of(apps[app]);
            }
            if chance.below(8) > 0 {
                healthy[app] += 1;
                made = made.ready();
            }
            if chance.below(4) == 0 {
                made = made.priority(100);
            }
            list.push(made.into());
        }
    }
    if chance.below(4) == 0 {
        list.push(pod("waits").cpu("1").replica_of("waits").into());
    }
    for (app, healthy) in apps.iter().zip(healthy) {
        if chance.below(2) == 0 {
            let desired = i64::try_from(chance.below(4)).expect("small");
            let made = budget(app).selects("app", app).allowed((healthy - desired).max(0));
            list.push(made.healthy(healthy, desired, healthy.max(1)).into());
        }
    }
    list
}

/// A random cluster, and what is found about the removal of its first node.
struct Assessed {
    seed: u64,
    list: Vec<Value>,
    found: NodesRemoval,
}

/// 16 of them with every change, 150 in the long run; the tests share them, as each takes long.
static RANDOM: LazyLock<Vec<Assessed>> = LazyLock::new(|| {
    let assessed = |seed| {
        let list = random(seed);
        let found = assessed(list.clone(), &["n0"], 0);
        Assessed { seed, list, found }
    };
    (0..share::of(16, 150)).into_par_iter().map(assessed).collect()
});

/// Plays what is told on a model of its own: budgets are counted from pods, and room from requests.
fn replay(list: &[Value], play: &DrainPlay) {
    let text =
        |value: &Value, at: &str| value.pointer(at).and_then(Value::as_str).map(str::to_owned);
    let app = |name: &str| name.split('-').next().unwrap_or_default().to_owned();
    let is_ready = |pod: &Value| pod.pointer("/status/conditions/0/status").is_some();
    let mut healthy: BTreeMap<String, i64> = BTreeMap::new();
    let mut ready: BTreeMap<String, bool> = BTreeMap::new();
    let mut desired: BTreeMap<String, i64> = BTreeMap::new();
    for object in list {
        let name = text(object, "/metadata/name").expect("a name");
        match text(object, "/kind").as_deref() {
            Some("Pod") => {
                ready.insert(name.clone(), is_ready(object));
                *healthy.entry(app(&name)).or_default() += i64::from(is_ready(object));
            }
            Some("PodDisruptionBudget") => {
                let least = object.pointer("/status/desiredHealthy").and_then(Value::as_i64);
                desired.insert(name, least.expect("a number"));
            }
            _ => {}
        }
    }
    for round in 1..=play.rounds {
        let mut gone = Vec::new();
        for pod in play.pods.iter().filter(|pod| pod.end == DrainEnd::Evicted { round }) {
            let name = &pod.victim.pod.name;
            let left = healthy.entry(app(name)).or_default();
            let least = desired.get(&app(name)).copied();
            if ready[name] {
                assert!(
                    least.is_none_or(|least| *left > least),
                    "{name} in round {round}: {play:?}"
                );
                *left -= 1;
            }
            gone.push(name.clone());
        }
        for name in gone.iter().filter(|name| ready[*name]) {
            if play.places.contains_key(&format!("default/{name}")) {
                *healthy.entry(app(name)).or_default() += 1;
            }
        }
    }
}

#[test]
fn removable_node_drains_without_violation_and_leaves_no_pod() {
    let mut done = 0;
    for Assessed { seed, list, found } in RANDOM.iter() {
        let one = &found.nodes[0];
        if one.verdict != RemovalVerdict::Can {
            continue;
        }
        done += 1;
        // Preemption may violate budgets, which this model does not play.
        if one.play.steps.iter().all(|step| step.depth == 1) {
            replay(list, &one.play);
        }
        for pod in &one.play.pods {
            let place = one.play.places.get(&pod.victim.pod.full_name());
            let is_gone = pod.victim.afterwards == crate::plan::Afterwards::Gone;
            assert!(is_gone || place.is_some_and(|node| node != "n0"), "seed {seed}: {pod:?}");
        }
    }
    assert!((RANDOM.len() / 5..RANDOM.len()).contains(&done), "{done} of {}", RANDOM.len());
}

#[test]
fn cause_of_removal_is_gone_without_its_object() {
    let mut causes = 0;
    for Assessed { seed, list, found } in RANDOM.iter() {
        let one = &found.nodes[0];
        if one.verdict != RemovalVerdict::Cannot {
            continue;
        }
        let refusing = |one: &NodeRemoval| {
            let names = one.play.refused().flat_map(|(_, refused)| refused.budgets.clone());
            names.map(|budget| budget.name).collect::<BTreeSet<String>>()
        };
        let homeless = |one: &NodeRemoval| {
            one.play.homeless().map(|step| step.id.name().to_owned()).collect::<BTreeSet<String>>()
        };
        assert!(refusing(one).len() + homeless(one).len() > 0, "seed {seed}: no cause");
        for (kind, name) in (refusing(one).into_iter().map(|name| ("PodDisruptionBudget", name)))
            .chain(homeless(one).into_iter().map(|name| ("Pod", name)))
        {
            causes += 1;
            let is_it = |object: &Value| {
                object["kind"] == kind && object["metadata"]["name"] == name.as_str()
            };
            let without: Vec<Value> =
                list.iter().filter(|object| !is_it(object)).cloned().collect();
            let next = assessed(without, &["n0"], 0);
            let next = &next.nodes[0];
            let still = if kind == "Pod" { homeless(next) } else { refusing(next) };
            assert!(!still.contains(&name), "seed {seed}: {kind} {name} is gone");
        }
    }
    assert!(causes * 8 >= RANDOM.len(), "{causes} of {}", RANDOM.len());
}
