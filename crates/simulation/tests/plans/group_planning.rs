use std::ops::ControlFlow;

use serde_json::{Value, json};

use model::cluster::PodIx;
use model::edits::Edit;
use simulation::plan::GroupId;
use simulation::sequence::each_in_order;
use testing::{NOW, Pod, Scene, at, budget, cluster, node, objects, pod, pod_group, scene};

/// A waiting pod of `group`, with the priority of the groups here.
fn member(name: &str, group: &str) -> Pod {
    pod(name).cpu("2").priority(10).with("/spec/schedulingGroup/podGroupName", group)
}

/// A group of priority 10, of which `min_count` pods have to be placed together.
fn gang(name: &str, min_count: i64) -> Value {
    let group =
        pod_group(name).with("/spec/priority", 10).with("/metadata/uid", format!("uid-{name}"));
    group.with("/spec/schedulingPolicy", json!({"gang": {"minCount": min_count}})).into()
}

/// A pod of priority 0 that takes all of a node.
fn victim(name: &str, on: &str) -> Pod {
    pod(name).cpu("2").on(on).started("2025-06-01T00:00:00Z").replica_of("web")
}

fn on(objects: Vec<Value>) -> Scene<'static> {
    scene(objects).at(at("1.37").gates("GenericWorkload=true"))
}

/// Two nodes that two victims fill.
fn two_full_nodes() -> Vec<Value> {
    objects![
        node("n1").cpu("2"),
        node("n2").cpu("2"),
        victim("v1", "n1"),
        victim("v2", "n2"),
        gang("g", 2),
        member("a", "g"),
        member("b", "g"),
    ]
}

#[test]
fn group_fits_or_evicts_or_is_held() {
    let roomy = objects![node("n1").cpu("4"), gang("g", 2), member("a", "g"), member("b", "g")];
    let short = objects![node("n1").cpu("4"), gang("g", 2), member("a", "g")];
    let held = objects![
        node("n1").cpu("4"),
        gang("g", 2),
        member("a", "g"),
        member("b", "g").gated("wait")
    ];
    let small = objects![node("n1").cpu("2"), gang("g", 2), member("a", "g"), member("b", "g")];
    let mut no_priority = roomy.clone();
    no_priority[1]["spec"]["priority"] = Value::Null;
    for (row, objects, expected) in [
        ("there is room", roomy, "g fits a@n1 b@n1"),
        ("there is room without victims", two_full_nodes(), "g takes a@n1 b@n2 from v2 v1"),
        (
            "too few pods exist",
            short,
            "g no: 1 of 2 pods exist; kube-scheduler waits for 1 more (minCount 2)",
        ),
        (
            "a pod is held back",
            held,
            "g no: it is held back with all its pods: pod default/b waits for its scheduling gate",
        ),
        ("nothing helps", small, "g no: minCount (2) cannot be satisfied"),
        (
            "an error",
            no_priority,
            "g no: the scheduling cycle ends with an error: all pods in a single pod group should",
        ),
    ] {
        let steps = on(objects).depth(0).run(&["a"]).steps();
        assert_eq!(steps.len(), 1, "{row}: {steps:?}");
        assert!(steps[0].starts_with(expected), "{row}: {steps:?}");
    }
}

#[test]
fn a_group_is_one_step_whichever_of_its_pods_are_meant() {
    for asked in [&["a"][..], &["b"], &["a", "b"], &["b", "a"]] {
        assert_eq!(
            on(two_full_nodes()).depth(0).run(asked).steps(),
            ["g takes a@n1 b@n2 from v2 v1"],
            "{asked:?}"
        );
    }
}

#[test]
fn groups_and_pods_take_turns_in_the_order_of_the_queue() {
    let objects = objects![
        node("n1").cpu("4"),
        gang("g", 1),
        gang("young", 1),
        pod("first").cpu("1").priority(11),
        pod("last").cpu("1").priority(9),
        member("a", "g").cpu("1").created("2025-11-01T00:00:00Z"),
        member("b", "young").cpu("1").created("2025-12-01T00:00:00Z"),
    ];
    let steps = on(objects).run(&["last", "b", "a", "first"]).steps();
    assert_eq!(steps, ["first fits n1", "g fits a@n1", "young fits b@n1", "last fits n1"]);
}

#[test]
fn pods_that_do_not_fit_beside_the_others_are_tried_again() {
    let objects = objects![
        node("n1").cpu("2"),
        node("n2").cpu("2"),
        victim("v2", "n2"),
        gang("g", 1),
        member("a", "g"),
        member("b", "g"),
    ];
    assert_eq!(on(objects).depth(0).run(&["a"]).steps(), ["g fits a@n1", "g takes b@n2 from v2"]);
}

#[test]
fn replacements_of_victims_see_the_group_on_its_nodes() {
    let mut objects = two_full_nodes();
    objects.push(node("n3").cpu("2").into());
    let simulated = on(objects).run(&["a"]);
    // v1 and v2 need not go: there is a third node, and the group takes it with one of theirs.
    assert_eq!(simulated.steps(), ["g takes a@n1 b@n2 from v2 v1"]);
    let cascade = simulated.cascade();
    assert_eq!(cascade.len(), 2, "{cascade:?}");
    assert!(cascade[0].ends_with(" fits n3"), "{cascade:?}");
}

#[test]
fn edit_changes_group_with_its_pods() {
    let objects = || {
        let mut objects = two_full_nodes();
        objects
            .iter_mut()
            .filter(|object| {
                object["metadata"]["name"].as_str().is_some_and(|n| n.starts_with('v'))
            })
            .for_each(|victim| victim["spec"]["priority"] = 50.into());
        objects
    };
    let steps = |edits: Vec<Edit>| {
        edits.into_iter().fold(on(objects()).depth(0), Scene::edit).run(&["a", "b"]).steps()
    };
    assert!(steps(Vec::new())[0].starts_with("g no: "));
    assert_eq!(steps(vec![Edit::Priority { priority: 60 }]), ["g takes a@n1 b@n2 from v2 v1"]);
}

#[test]
fn a_plan_names_the_group_its_pods_and_the_nodes_of_the_victims() {
    let mut objects = two_full_nodes();
    objects.push(budget("web").selects("app", "web").allowed(1).into());
    let simulated = on(objects).run(&["a"]);
    let plan = simulated.plan();
    let id = &plan.preemptor.id;
    assert_eq!(
        (id.resource(), id.full_name().as_str(), id.uid()),
        ("podgroup", "default/g", "uid-g")
    );
    assert_eq!(
        (plan.preemptor.priority, plan.preemptor.scheduler.as_str()),
        (10, "default-scheduler")
    );
    let victims: Vec<(&str, &str)> = plan
        .victims
        .iter()
        .map(|victim| (victim.pod.name.as_str(), victim.node.as_str()))
        .collect();
    assert_eq!(victims, [("v2", "n2"), ("v1", "n1")]);
    assert_eq!(plan.nodes(), ["n1", "n2"]);
}

#[test]
fn a_group_awaits_victims_that_are_terminating() {
    let mut objects = two_full_nodes();
    for (name, node) in [("v1", "n1"), ("v2", "n2")] {
        objects.retain(|object| object["metadata"]["name"] != name);
        let leaving = victim(name, node).preempted();
        objects.push(leaving.into());
    }
    for (name, node) in [("a", "n1"), ("b", "n2")] {
        objects.retain(|object| object["metadata"]["name"] != name);
        objects.push(member(name, "g").nominated(node).into());
    }
    assert_eq!(on(objects).depth(0).run(&["a"]).steps(), ["g takes a@n1 b@n2 once gone v2 v1"]);
}

#[test]
fn every_decision_in_order_is_that_of_the_group() {
    let cluster = cluster(two_full_nodes());
    let pods: Vec<PodIx> =
        ["a", "b"].iter().filter_map(|name| cluster.find_pod("default", name)).collect();
    let profile = at("1.37").gates("GenericWorkload=true").profile();
    let mut told = Vec::new();
    each_in_order(cluster, &pods, &[profile], NOW.parse().expect("a time"), |decision| {
        let node = decision.membership.as_ref().and_then(|membership| membership.node);
        let node = node.map(|node| decision.view.cluster.node_name(node).to_owned());
        told.push((decision.outcome.name(), node.unwrap_or_default()));
        ControlFlow::Continue(())
    });
    assert_eq!(told, [("Preempt", "n1".to_owned()), ("Preempt", "n2".to_owned())]);
}

#[test]
fn pods_of_1_36_that_preempt_one_by_one_make_one_plan() {
    let one_by_one =
        at("1.36").gates("GenericWorkload=true,GangScheduling=true,WorkloadAwarePreemption=false");
    let steps = scene(two_full_nodes()).at(one_by_one).depth(0).run(&["a"]).steps();
    assert_eq!(steps, ["g takes b@n1 a@n2 from v2 v1"]);
    let together =
        at("1.36").gates("GenericWorkload=true,GangScheduling=true,WorkloadAwarePreemption=true");
    let steps = scene(two_full_nodes()).at(together).depth(0).run(&["a"]).steps();
    assert_eq!(steps, ["g takes b@n1 a@n2 from v2 v1"]);
}

#[test]
fn the_identity_of_a_group() {
    let cluster = cluster(two_full_nodes());
    let group = cluster.find_pod_group("default", "g").expect("the group");
    let id = GroupId::of(group, &cluster);
    assert_eq!(
        (id.namespace.as_str(), id.name.as_str(), id.uid.as_str()),
        ("default", "g", "uid-g")
    );
}
