//! Room for the pods of a group, on several nodes.

use kubectl_preempt::apply::journal::{Landing, NominationState, VictimState};
use kubectl_preempt::apply::{ApplyOptions, Mode};
use serde_json::json;
use testing::{assert_begins, assert_has};

use super::{assert_run, carried_out, sent};
use crate::apply::model::Model;
use crate::apply::rig::{Rig, options};
use crate::apply::server::{Answer, Fault, Request};

/// Two nodes with a pod each that has to be removed for one of the two pods of the group `train`.
fn train() -> Model {
    let mut model = Model { grace: 1, schedules: true, ..Model::default() };
    model.add_node("n1", 4000);
    model.add_node("n2", 4000);
    model.add_pod("low-a", 1, 4000, Some("n1"), "a");
    model.add_pod("low-b", 2, 4000, Some("n2"), "b");
    let pods = [
        model.add_pod("t-0", 100, 4000, None, "train"),
        model.add_pod("t-1", 100, 4000, None, "train"),
    ];
    model.add_group("train", &pods);
    model
}

fn rig() -> Rig {
    with(|_, _| None)
}

fn with(hook: impl FnMut(&Request, &mut Model) -> Option<Fault> + Send + 'static) -> Rig {
    Rig::new(train(), hook).unwrap()
}

fn is_removal_of(name: &str, request: &Request) -> bool {
    request.is_removal() && !request.is_dry() && request.pod_name() == Some(name)
}

#[test]
fn victims_of_all_nodes_are_removed_and_every_pod_is_bound() {
    let mut rig = rig();
    let ran = rig.run(options());
    assert_eq!((ran.code(), ran.problem().as_str()), (0, ""), "{:#?}", ran.lines);
    assert_eq!(sent(&rig), ["evict low-a", "evict low-b"]);
    for line in [
        "You are about to evict the following 2 pod(s) for podgroup shop/train:",
        "  pod/low-a -n shop on node n1",
        "  pod/low-b -n shop on node n2",
        "waiting for 2 pods of podgroup/train to be on nodes",
    ] {
        assert!(ran.lines.iter().any(|said| said == line), "{line}: {:#?}", ran.lines);
    }
    assert!(ran.said("pod/t-0 bound to n") && ran.said("pod/t-1 bound to n"));
    assert!(ran.landings().iter().all(|landing| matches!(landing, Landing::Bound { .. })));
    let preemptor =
        json!({"kind": "PodGroup", "namespace": "shop", "name": "train", "uid": "u-train"});
    assert_eq!(
        (&ran.json["plan"]["preemptor"], &ran.json["plan"]["node"]),
        (&preemptor, &json!(null))
    );
    let members = ran.json["members"].as_array().unwrap();
    let told: Vec<_> =
        members.iter().map(|pod| (&pod["name"], &pod["node"], &pod["landing"]["state"])).collect();
    let bound = json!("Bound");
    assert_eq!(
        told,
        [(&json!("t-0"), &json!("n1"), &bound), (&json!("t-1"), &json!("n2"), &bound)]
    );
    assert!(ran.json["landing"].is_null() && ran.json["nomination"].is_null());
}

#[test]
fn every_pod_is_nominated_to_its_node_before_the_first_eviction() {
    let mut rig = rig();
    let ran = rig.run(ApplyOptions { nominate: true, ..options() });
    assert_run(&ran, &rig, 0, &["nominate t-0", "nominate t-1", "evict low-a", "evict low-b"]);
    assert!(ran.said("pod/t-0 nominated to n1") && ran.said("pod/t-1 nominated to n2"));
    assert!(
        ran.json["members"]
            .as_array()
            .unwrap()
            .iter()
            .all(|pod| pod["nomination"]["state"] == "Set")
    );
}

#[test]
fn nominations_are_cleared_if_one_cannot_be_set() {
    let mut rig = with(|request, _| {
        let refused = request.method == "PATCH" && request.pod_name() == Some("t-1");
        refused.then(|| Fault::Instead(Answer::status(403, "Forbidden", "no")))
    });
    let ran = rig.run(ApplyOptions { nominate: true, ..options() });
    assert_eq!(ran.code(), 2, "{:#?}", ran.lines);
    assert_eq!(carried_out(&rig), ["nominate t-0", "nominate t-0"], "set and cleared");
    let states: Vec<NominationState> = ran
        .report
        .journal
        .preemptors()
        .iter()
        .map(|preemptor| preemptor.nomination.state)
        .collect();
    assert_eq!(states, [NominationState::Cleared, NominationState::Refused]);
    assert!(ran.said("pod/t-0 no longer nominated"));
}

#[test]
fn delete_mode_writes_what_the_scheduler_writes_for_a_group() {
    let mut rig = rig();
    let ran = rig.run(ApplyOptions { mode: Mode::Delete, record: true, ..options() });
    assert_eq!(ran.code(), 0, "{:#?}", ran.lines);
    let requests = rig.view(|view| view.requests.clone());
    let patch = requests.iter().find(|request| request.method == "PATCH").unwrap();
    let message = &patch.body["status"]["conditions"][0]["message"];
    assert_eq!(message, "default-scheduler: preempting to accommodate a higher priority podgroup");
    let event = &requests.iter().find(|request| request.path.ends_with("/events")).unwrap().body;
    let note = event["note"].as_str().unwrap();
    assert_begins(note, "Preempted by podgroup u-train on node cluster (kubectl-preempt");
    assert_eq!(
        (&event["related"]["kind"], &event["related"]["name"]),
        (&json!("PodGroup"), &json!("train"))
    );
}

#[test]
fn the_run_stops_where_another_pod_would_have_to_go() {
    // While the first victim is evicted, a pod of a higher priority takes its node.
    let mut rig = with(|request, model| {
        if is_removal_of("low-a", request) {
            model.add_pod("other", 200, 4000, Some("n1"), "other");
        }
        None
    });
    let ran = rig.run(options());
    assert_run(&ran, &rig, 4, &["evict low-a"]);
    assert_eq!(ran.states()[1], VictimState::DryRunPassed);
    assert_has(&ran.problem(), "no eviction helps podgroup shop/train any more");
}

#[test]
fn victims_that_can_stay_after_all_are_not_removed() {
    let mut rig = with(|request, model| {
        if is_removal_of("low-a", request) {
            model.add_node("n3", 4000);
        }
        None
    });
    let ran = rig.run(options());
    assert_run(&ran, &rig, 0, &["evict low-a"]);
    assert_eq!(ran.states()[1], VictimState::DryRunPassed);
}

#[test]
fn a_pod_of_the_group_that_is_gone_ends_the_run() {
    let mut rig = with(|request, model| {
        if is_removal_of("low-b", request) {
            let uid = model.now.named("t-1").unwrap().uid.clone();
            model.remove_pod(&uid);
        }
        None
    });
    let ran = rig.run(options());
    assert_eq!(ran.code(), 4, "{:#?}", ran.lines);
    assert_has(&ran.problem(), "shop/t-1 no longer exists");
}

#[test]
fn recreated_group_gets_no_evictions() {
    let mut rig = rig();
    rig.view(|view| view.model.now.groups[0].uid = "u-other".to_owned());
    let ran = rig.run(options());
    assert_eq!((ran.code(), sent(&rig).len()), (2, 0), "{:#?}", ran.lines);
    assert_has(&ran.problem(), "podgroup shop/train no longer exists");
}
