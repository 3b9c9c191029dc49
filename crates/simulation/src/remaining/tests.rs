use jiff::Timestamp;
use serde_json::{Value, json};

use crate::planning::{self, Proposal};
use crate::sequence::{self, SimulationSettings};
use model::cluster::PodIx;
use profile::{Profile, SchedulerVersion, VersionSource};
use scheduler::decision;
use scheduler::framework::cluster_view::ClusterView;
use scheduler::groups;
use testing::{NOW, Pod, at, budget, cluster, node, objects, pod, pod_group};

/// A node of four CPUs with its pods, of which the pod `p` with priority 10 needs three.
fn full(on: Vec<Pod>, allowed: i64) -> Vec<Value> {
    let mut objects = objects![node("n").cpu("4"), pod("p").cpu("3").priority(10)];
    objects.push(budget("b").selects("app", "web").allowed(allowed).into());
    objects.extend(on.into_iter().map(|pod| pod.cpu("1").label("app", "web").on("n").into()));
    objects
}

/// Four pods, the first of which is the most important.
fn four() -> Vec<Pod> {
    (1..=4).map(|i| pod(&format!("b{i}")).started(&format!("2025-12-0{i}T00:00:00Z"))).collect()
}

fn now() -> Timestamp {
    NOW.parse().expect("a time")
}

/// What `then` makes of the decision about `p`.
fn proposal(objects: Vec<Value>, then: impl FnOnce(&decision::Decision) -> Proposal) -> Proposal {
    let cluster = cluster(objects);
    let profile =
        Profile::new(SchedulerVersion::parse("1.37").expect("a version"), VersionSource::Flag);
    let view = ClusterView::new(&cluster, &profile);
    let pod: PodIx = cluster.find_pod("default", "p").expect("there is a pod p");
    then(&decision::decide(&view, pod, now()))
}

fn names(proposal: &Proposal) -> String {
    match proposal {
        Proposal::Evict(plan) => {
            plan.victims.iter().map(|v| v.pod.name.as_str()).collect::<Vec<_>>().join(" ")
        }
        other => format!("{other:?}"),
    }
}

/// The plan for four pods, and what is left of it among `left`.
fn rest(left: Vec<Value>) -> String {
    let planned = proposal(full(four(), 2), planning::as_scheduled);
    assert_eq!(names(&planned), "b4 b2 b1");
    let plan = planned.plan().expect("a plan");
    names(&proposal(left, |decision| super::propose(decision, plan)))
}

fn without(name: &str, allowed: i64) -> Vec<Value> {
    full(
        four()
            .into_iter()
            .zip(1..)
            .filter(|(_, i)| format!("b{i}") != name)
            .map(|(pod, _)| pod)
            .collect(),
        allowed,
    )
}

#[test]
fn the_rest_of_a_plan_holds_though_the_scheduler_would_evict_others_now() {
    // The eviction of b4 has used up one of two disruptions: the scheduler would reprieve b2 first
    // now, not b3.
    let anew = proposal(without("b4", 1), planning::as_scheduled);
    assert_eq!(names(&anew), "b3 b1");
    assert_eq!(rest(without("b4", 1)), "b2 b1");
}

#[test]
fn victims_that_can_stay_after_all_are_not_in_the_rest() {
    // A pod that is no victim left by itself. The eviction of b4 would violate the budget, so it is
    // reprieved first.
    assert_eq!(rest(without("b3", 2)), "b2 b1");
}

#[test]
fn rest_of_plan_that_makes_no_room_is_replaced_by_a_new_decision() {
    let mut raised = full(
        four()
            .into_iter()
            .zip(1..)
            .map(|(pod, i)| if i == 1 { pod.priority(5) } else { pod })
            .collect(),
        2,
    );
    assert_eq!(rest(raised.clone()), "b4 b2 b1", "still lower");
    for object in &mut raised {
        if object["metadata"]["name"] == "b1" {
            object["spec"]["priority"] = 10.into();
        }
    }
    assert_eq!(rest(raised), "b4 b3 b2", "b1 is not lower any more, so b3 has to go, too");
    let mut more = full(four(), 2);
    more.push(pod("more").cpu("1").priority(20).on("n").into());
    assert_eq!(rest(more), "b4 b3 b2 b1");
}

#[test]
fn rest_of_plan_is_empty_once_the_pod_fits() {
    let mut roomy = full(four(), 2);
    roomy.push(node("m").cpu("4").into());
    assert_eq!(rest(roomy), "Fits([\"m\"])");
}

/// Two nodes that two victims fill, and a group of two pods that preempts them.
fn two_full_nodes() -> Vec<Value> {
    let victim = |name: &str, on: &str| {
        pod(name).cpu("2").on(on).started("2025-06-01T00:00:00Z").replica_of("web")
    };
    let member = |name: &str| {
        pod(name).cpu("2").priority(10).with("/spec/schedulingGroup/podGroupName", "g")
    };
    let group = pod_group("g").with("/spec/priority", 10).with("/metadata/uid", "uid-g");
    objects![
        node("n1").cpu("2"),
        node("n2").cpu("2"),
        victim("v1", "n1"),
        victim("v2", "n2"),
        group.with("/spec/schedulingPolicy", json!({"gang": {"minCount": 2}})),
        member("a"),
        member("b"),
    ]
}

/// What is left of the plan for two full nodes, in a cluster of these objects.
fn rest_for_group(objects: Vec<Value>) -> String {
    let profile = at("1.37").gates("GenericWorkload=true").profile();
    let full = testing::cluster(two_full_nodes());
    let asked = [testing::find(&full, "a")];
    let settings = SimulationSettings::new(std::slice::from_ref(&profile), now());
    let simulation = sequence::run(full, &asked, settings);
    let plan = simulation.steps[0].proposal.plan().expect("a plan");
    let cluster = cluster(objects);
    let view = ClusterView::new(&cluster, &profile);
    let group = cluster.find_pod_group("default", "g").expect("the group");
    let decision = groups::decide(&view, group, now());
    match super::propose_group(&decision, plan) {
        Proposal::Evict(plan) => {
            let names: Vec<&str> =
                plan.victims.iter().map(|victim| victim.pod.name.as_str()).collect();
            format!("evict {}", names.join(" "))
        }
        Proposal::GroupFits(placed) => format!("fits {}", placed.len()),
        other => format!("{other:?}"),
    }
}

#[test]
fn rest_of_group_plan_follows_the_cluster() {
    let without = |name: &str| {
        two_full_nodes()
            .into_iter()
            .filter(|object| object["metadata"]["name"] != name)
            .collect::<Vec<Value>>()
    };
    let with =
        |object: Pod| two_full_nodes().into_iter().chain([object.into()]).collect::<Vec<Value>>();
    let small = pod("other").cpu("2").on("n3").started("2025-06-01T00:00:00Z");
    let mut third = with(small);
    third.push(node("n3").cpu("2").into());
    let mut roomy = without("v1");
    roomy.push(node("n3").cpu("2").into());
    assert_eq!(rest_for_group(two_full_nodes()), "evict v2 v1", "nothing is gone yet");
    assert_eq!(rest_for_group(without("v1")), "evict v2", "one is gone");
    assert_eq!(rest_for_group(third), "evict v2 v1", "a pod that was not agreed to stays");
    assert_eq!(rest_for_group(roomy), "fits 2", "the rest need not go");
}
