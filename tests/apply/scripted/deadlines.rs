//! Time limits: whatever the server leaves unanswered, a run ends, and says what it knows.

use std::time::{Duration, Instant};

use kubectl_preempt::apply::journal::{Landing, VictimState};
use kubectl_preempt::apply::{ApplyOptions, WaitTimes};
use serde_json::json;

use super::{carried_out, is_removal_of, sent, two};
use crate::apply::rig::{Ran, Rig, fast, options};
use crate::apply::server::{Answer, Fault, Request};
use testing::assert_has;

/// Long enough for everything before the first eviction on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(15);
/// What no run may last.
const TOO_LONG: Duration = Duration::from_secs(120);

/// Runs on [`two`] with a time limit. From the first request on for which `when` holds, every answer
/// gets the fault.
fn from_then_on(
    when: impl Fn(&Request) -> bool + Send + 'static,
    fault: Fault,
    more: &ApplyOptions,
) -> (Ran, Rig) {
    let mut begun = false;
    let mut rig = Rig::new(two(), move |request, _| {
        begun |= when(request);
        begun.then(|| fault.clone())
    })
    .unwrap();
    rig.view(|view| view.model.schedules = false);
    let since = Instant::now();
    let wait_times = WaitTimes { closing: Duration::from_millis(300), ..more.wait_times };
    let ran = rig.run(ApplyOptions { wait_times, ..*more });
    assert!(since.elapsed() < TOO_LONG, "{:?}", since.elapsed());
    (ran, rig)
}

fn late() -> ApplyOptions {
    let request_timeout = Some(TOO_LONG * 2);
    ApplyOptions { timeout: Some(TIMEOUT), request_timeout, ..options() }
}

#[test]
fn server_that_falls_silent_before_any_eviction_ends_the_run_with_nothing_done() {
    let silent = Fault::Delay(TOO_LONG * 2);
    let options = ApplyOptions { timeout: Some(Duration::from_secs(1)), ..late() };
    let (ran, rig) = from_then_on(|r| r.path == "/version", silent, &options);
    assert_eq!((ran.code(), sent(&rig).len()), (2, 0), "{:?}", ran.lines);
    assert_eq!(ran.problem(), "nothing was done: timed out after 1s");
}

#[test]
fn server_that_falls_silent_at_an_eviction_ends_the_run_half_way() {
    let silent = Fault::Delay(TOO_LONG * 2);
    let (ran, _) = from_then_on(|r| is_removal_of("low-a", r), silent, &late());
    assert_eq!((ran.code(), ran.json["outcome"].as_str()), (4, Some("Stopped")), "{:?}", ran.lines);
    assert_eq!(ran.states(), [VictimState::Unknown, VictimState::DryRunPassed]);
    assert_has(&ran.problem(), "stopped half-way: timed out after 15s");
    assert_has(&ran.problem(), "did not answer before the time of 15s was over");
}

#[test]
fn unauthorized_for_ever_is_said_by_the_time_out() {
    let unauthorized = Fault::Instead(Answer::status(401, "Unauthorized", "Unauthorized"));
    // The pauses are longer than the run, whose time ends in the first one.
    let slow = WaitTimes { retry: TOO_LONG, longest: TOO_LONG, ..fast() };
    for request in ["a read of the victim", "the wait for the preemptor"] {
        let mut begun = false;
        let (answered, first) = std::sync::mpsc::channel();
        let unauthorized = unauthorized.clone();
        let mut rig = Rig::new(two(), move |r, _| {
            begun |= match request {
                "a read of the victim" => r.method == "GET" && r.pod_name() == Some("low-a"),
                _ => r.has("watch=true") && r.field("metadata.name") == Some("web"),
            };
            begun.then(|| {
                let _ = answered.send(());
                unauthorized.clone()
            })
        })
        .unwrap();
        rig.view(|view| view.model.schedules = false);
        let time_is_up = rig.time_is_up.clone();
        std::thread::spawn(move || {
            if first.recv().is_ok() {
                std::thread::sleep(Duration::from_secs(3));
                time_is_up.send_replace(true);
            }
        });
        let ran = rig.run(ApplyOptions { wait_times: slow.clone(), ..options() });
        let problem = ran.problem();
        assert!(
            problem.contains("timed out after 300s") && problem.contains("Unauthorized"),
            "{request}: {problem} {:?}",
            ran.lines
        );
    }
}

#[test]
fn time_for_the_question_does_not_count() {
    let mut rig = Rig::new(two(), |_, _| None).unwrap();
    rig.user.answers = Some(vec!["y"]);
    rig.user.on_ask = Some((rig.server.view.clone(), Box::new(|_| std::thread::sleep(TIMEOUT))));
    let ran = rig.run(ApplyOptions { yes: false, ..late() });
    assert_eq!(ran.code(), 0, "{} {:?}", ran.problem(), ran.lines);
}

#[test]
fn preemptor_that_has_failed_is_said_to_have() {
    let failed = |uid: &str| {
        Answer::ok(&json!({"kind": "Pod", "apiVersion": "v1",
            "metadata": {"name": "web", "namespace": "shop", "uid": uid, "resourceVersion": "900"},
            "spec": {}, "status": {"phase": "Failed"}}))
    };
    // Lists leave out pods that have finished.
    let mut uid = String::new();
    let mut rig = Rig::new(two(), move |request, model| {
        if request.is_removal() && request.is_dry() && uid.is_empty() {
            uid.clone_from(&model.now.named("web").unwrap().uid);
            model.remove_pod(&uid);
        }
        let is_read = request.method == "GET" && request.pod_name() == Some("web");
        (is_read && !uid.is_empty()).then(|| Fault::Instead(failed(&uid)))
    })
    .unwrap();
    let ran = rig.run(options());
    assert_eq!((ran.code(), sent(&rig).len()), (2, 0), "{:?}", ran.lines);
    assert_eq!(
        ran.problem(),
        "nothing was done: the plan has changed: shop/web has finished (Failed)"
    );

    // While it waits, too.
    let mut rig = Rig::new(two(), move |request, model| {
        let uid = model.now.named("web")?.uid.clone();
        let waits = model.now.named("low-b").is_none_or(|pod| pod.leaving.is_some());
        let is_read = request.method == "GET" && request.pod_name() == Some("web");
        (is_read && waits).then(|| Fault::Instead(failed(&uid)))
    })
    .unwrap();
    rig.view(|view| view.model.schedules = false);
    let ran = rig.run(options());
    assert_has(&ran.problem(), "shop/web has finished (Failed)");
    assert_eq!((ran.code(), ran.landings()), (4, vec![&Landing::Waiting]));
}

#[test]
fn victim_that_left_after_a_request_without_answer_is_not_said_to_be_evicted() {
    let mut model = two();
    model.grace = 0;
    let mut rig = Rig::new(model, |request, model| {
        is_removal_of("low-a", request).then(|| {
            model.remove_pod(&model.now.named("low-a").unwrap().uid.clone());
            Fault::CutBefore
        })
    })
    .unwrap();
    let ran = rig.run(options());
    assert_eq!((ran.code(), carried_out(&rig)), (0, vec!["evict low-b".to_owned()]));
    let victim = &ran.json["victims"][0];
    assert_eq!(victim["state"], "Gone");
    assert_has(victim["reason"].as_str().unwrap(), "whether by this command is not known: ");
    assert!(
        ran.said("  shop/low-a: gone (whether by this command is not known"),
        "{:?}",
        ran.lines
    );
    assert!(!ran.said("shop/low-a: evicted") && !ran.said("pod/low-a evicted"), "{:?}", ran.lines);
}
