//! Runs without faults.

use std::time::Duration;

use kubectl_preempt::apply::journal::{Landing, NominationState, VictimState};
use kubectl_preempt::apply::{ApplyOptions, DryRunMode, Mode};
use serde_json::json;

use super::{assert_run, budget, carried_out, rig, sent, two, uid};
use crate::apply::rig::{Rig, options};
use crate::apply::server::Request;

#[test]
fn victims_are_removed_one_at_a_time_and_the_preemptor_is_bound() {
    let mut rig = rig();
    let ran = rig.run(options());
    assert_eq!((ran.code(), ran.problem().as_str()), (0, ""));
    assert_eq!(sent(&rig), ["evict low-a", "evict low-b"]);
    assert_eq!(ran.states(), [VictimState::Gone, VictimState::Gone]);
    let server = format!("server http://{}/ (v1.37.1)", rig.server.address);
    let mut lines = ran.lines.clone();
    // Either of the two may be seen to be gone first.
    lines.sort_by_key(|line| line.starts_with("pod/low"));
    assert_eq!(
        lines[..8],
        [
            format!("context main, {server}, as user jane"),
            "You are about to evict the following 2 pod(s) from node n1 for pod shop/web:"
                .to_owned(),
            "  pod/low-a -n shop".to_owned(),
            "  pod/low-b -n shop".to_owned(),
            "This cannot be undone.".to_owned(),
            "evicting pod shop/low-a".to_owned(),
            "evicting pod shop/low-b".to_owned(),
            "waiting for pod/web to be on a node".to_owned(),
        ]
    );
    assert!(
        ran.said("  shop/low-a: evicted: gone") && ran.said("  shop/low-b: evicted: gone"),
        "{:?}",
        ran.lines
    );
    assert!(
        ran.said("pod/low-a evicted")
            && ran.said("pod/low-b evicted")
            && ran.said("pod/web bound to n1")
    );
    assert_eq!(ran.json["kind"], "ApplyResult");
    assert_eq!(ran.json["outcome"], "Applied");
    assert_eq!(ran.json["cluster"]["context"], "main");
    assert_eq!(
        ran.json["user"],
        json!({"name": "jane", "uid": "u-jane", "groups": ["devs", "system:authenticated"]})
    );
    assert_eq!(ran.json["landing"]["node"], "n1");
    assert_eq!(ran.json["warnings"], json!([]));
    let attempts = ran.json["victims"][0]["attempts"].as_array().unwrap();
    let told: Vec<_> = attempts
        .iter()
        .map(|a| (&a["request"], &a["dryRun"], &a["status"], &a["outcome"]))
        .collect();
    assert_eq!(
        told,
        [
            (&json!("evict"), &json!(true), &json!(201), &json!("Accepted")),
            (&json!("evict"), &json!(false), &json!(201), &json!("Accepted")),
        ]
    );
}

#[test]
fn requests_have_the_uid_of_the_pod_and_the_name_of_the_program() {
    let mut rig = rig();
    let ran = rig.run(ApplyOptions { grace_period: Some(7), ..options() });
    assert_eq!(ran.code(), 0);
    let removals = rig.view(|view| view.requests.clone()).into_iter().filter(Request::is_removal);
    let bodies: Vec<_> = removals.map(|r| (r.body.clone(), r)).collect();
    assert_eq!(bodies.len(), 4, "two dry runs and two evictions");
    let first = &bodies[2].0;
    let uid = uid(&rig, 0).uid;
    let options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": uid}, "gracePeriodSeconds": 7});
    assert_eq!(first["deleteOptions"], options);
    assert_eq!((&first["apiVersion"], &first["kind"]), (&json!("policy/v1"), &json!("Eviction")));
    let agent = &bodies[2].1.headers.iter().find(|(name, _)| name == "user-agent").unwrap().1;
    assert!(agent.starts_with("kubectl-preempt/"), "{agent}");
}

#[test]
fn delete_mode_does_what_the_scheduler_does() {
    let mut rig = rig();
    let ran = rig.run(ApplyOptions { mode: Mode::Delete, ..options() });
    assert_eq!(ran.code(), 0, "{:?}", ran.lines);
    let expected = ["condition low-a", "delete low-a", "condition low-b", "delete low-b"];
    assert_eq!(carried_out(&rig), expected);
    assert!(ran.said("deleting pod shop/low-a") && ran.said("pod/low-a deleted"));
    let patch = rig.view(|w| w.requests.iter().find(|r| r.method == "PATCH").cloned()).unwrap();
    assert_eq!(
        patch.headers.iter().find(|(n, _)| n == "content-type").unwrap().1,
        "application/strategic-merge-patch+json"
    );
    let condition = &patch.body["status"]["conditions"][0];
    assert_eq!(
        condition["message"],
        "default-scheduler: preempting to accommodate a higher priority pod"
    );
}

#[test]
fn a_deletion_without_permission_to_patch_warns() {
    let mut rig = rig();
    rig.view(|view| view.denied.push(("patch", "pods/status")));
    let ran = rig.run(ApplyOptions { mode: Mode::Delete, ..options() });
    assert_run(&ran, &rig, 0, &["delete low-a", "delete low-b"]);
    assert!(ran.said(
        "Warning: may not patch pods/status in namespace shop: victims go without the condition"
    ));
}

#[test]
fn without_waiting() {
    let mut rig = rig();
    let ran = rig.run(ApplyOptions { wait: false, ..options() });
    assert_eq!(ran.code(), 0);
    assert_eq!(ran.landings(), [&Landing::NotAwaited]);
    assert!(!ran.said("waiting for"));
    for state in ran.states() {
        assert!(matches!(state, VictimState::Terminating | VictimState::Gone), "{state:?}");
    }
}

#[test]
fn a_nomination_is_set_before_the_first_eviction() {
    let mut rig = rig();
    let ran = rig.run(ApplyOptions { nominate: true, ..options() });
    assert_run(&ran, &rig, 0, &["nominate web", "evict low-a", "evict low-b"]);
    assert_eq!(ran.nomination().state, NominationState::Set);
    assert!(ran.said("pod/web nominated to n1"));
}

#[test]
fn events_are_written_on_demand() {
    let mut rig = rig();
    let ran = rig.run(ApplyOptions { record: true, ..options() });
    assert_eq!(ran.code(), 0);
    assert_eq!(sent(&rig), ["evict low-a", "event ", "evict low-b", "event "]);
    let event = rig
        .view(|w| w.requests.iter().find(|r| r.path.ends_with("/events")).cloned())
        .unwrap()
        .body;
    for (field, value) in [
        ("reportingController", "kubectl-preempt"),
        ("action", "Preempting"),
        ("reason", "Preempted"),
    ] {
        assert_eq!(event[field], value);
    }
    assert_eq!(event["regarding"]["uid"], uid(&rig, 0).uid);
    let note = event["note"].as_str().unwrap();
    let hash = &ran.report.journal.header().plan_hash;
    let uid = rig.plan.preemptor.id.uid();
    assert_eq!(
        note,
        format!("Preempted by pod {uid} on node n1 (kubectl-preempt, user jane, plan {hash})")
    );
}

#[test]
fn dry_runs_change_nothing() {
    let mut rig = rig();
    let client = rig.run(ApplyOptions { dry_run: DryRunMode::Client, ..options() });
    assert_eq!((client.code(), rig.view(|w| w.requests.iter().any(Request::is_write))), (0, false));
    assert!(client.said("pod/low-a evicted (dry run)"));
    let server = rig.run(ApplyOptions { dry_run: DryRunMode::Server, ..options() });
    assert_eq!((server.code(), sent(&rig).len()), (0, 0));
    assert!(server.said("pod/low-b evicted (server dry run)"));
    assert_eq!(server.states(), [VictimState::DryRunPassed; 2]);
    assert_eq!(server.json["outcome"], "DryRun");
}

#[test]
fn a_terminating_victim_gets_no_request() {
    let mut model = two();
    model.grace = 400;
    let uid = model.now.named("low-a").unwrap().uid.clone();
    model.delete(&uid, false);
    let mut rig = Rig::new(model, |_, _| None).unwrap();
    let ran = rig.run(ApplyOptions { wait: false, ..options() });
    assert_eq!(ran.code(), 0, "{}", ran.problem());
    assert_eq!(sent(&rig), ["evict low-b"]);
    assert_eq!(ran.states()[0], VictimState::AlreadyTerminating);
    assert!(ran.said("  (pod/low-a -n shop is terminating already)"));
}

#[test]
fn a_preemptor_that_fits_without_removals_is_waited_for() {
    for change in ["fits", "bound"] {
        let mut rig = rig();
        rig.view(|view| {
            let web = view.model.now.named("web").unwrap().uid.clone();
            if change == "fits" {
                view.model.change_node("n1", |node| node.cpu = 8000);
            } else {
                view.model.change_pod(&web, |pod| pod.node = Some("n1".to_owned()));
            }
        });
        let ran = rig.run(options());
        assert_eq!((ran.code(), sent(&rig).len()), (0, 0), "{change}: {}", ran.problem());
        assert_eq!(ran.json["outcome"], "NotNeeded");
        assert_eq!(ran.json["landing"]["state"], "Bound");
        assert!(ran.said("nothing else needs evicting"));
    }
}

#[test]
fn a_watch_that_is_forbidden_is_no_failure() {
    let mut rig = Rig::new(two(), |request, _| {
        let answer = crate::apply::server::Answer::status(
            403,
            "Forbidden",
            "pods is forbidden: cannot watch",
        );
        request.has("watch=true").then_some(crate::apply::server::Fault::Instead(answer))
    })
    .unwrap();
    rig.view(|view| view.denied.push(("watch", "pods")));
    let ran = rig.run(options());
    assert_eq!((ran.code(), ran.states()), (0, vec![VictimState::Gone; 2]));
    assert!(ran.said("Warning: may not watch pods in namespace shop: will look every 3ms"));
}

#[test]
fn evictions_use_up_the_budgets() {
    let mut model = two();
    model.set_budget(budget("a", 1, 3));
    let mut rig = Rig::new(model, |_, _| None).unwrap();
    let ran = rig.run(ApplyOptions { timeout: Some(Duration::ZERO), ..options() });
    assert_eq!(ran.code(), 0);
    assert_eq!(rig.view(|view| view.model.now.budgets[0].allowed), 0);
}
