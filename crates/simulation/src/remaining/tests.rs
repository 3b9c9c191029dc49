use jiff::Timestamp;
use serde_json::Value;

use crate::planning::{self, Proposal};
use model::cluster::pod::PodIx;
use profile::{Profile, SchedulerVersion, VersionSource};
use scheduler::decision;
use scheduler::framework::cluster_view::ClusterView;
use testing::{NOW, Pod, budget, cluster, node, objects, pod};

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
fn where_the_rest_does_not_make_room_the_scheduler_is_asked_again() {
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
fn where_the_pod_fits_nothing_is_left() {
    let mut roomy = full(four(), 2);
    roomy.push(node("m").cpu("4").into());
    assert_eq!(rest(roomy), "Fits([\"m\"])");
}
