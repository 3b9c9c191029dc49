//! Signals: the run ends in order, and its journal is reported.

use std::time::Duration;

use kubectl_preempt::apply::journal::{NominationState, VictimState};
use kubectl_preempt::apply::{ApplyOptions, Signal, WaitTimes};
use tokio::sync::watch;

use super::{blocked, carried_out, is_removal_of, sent, two};
use crate::apply::rig::{Ran, Rig, fast, options};
use crate::apply::server::{Fault, Request};
use testing::{assert_ends, assert_has};

/// A run that gets `signal` with the first request for which `when` holds; that request gets the
/// `fault`.
fn signalled(
    signal: Signal,
    when: impl Fn(&Request) -> bool + Send + 'static,
    fault: Option<Fault>,
    options: ApplyOptions,
) -> (Ran, Rig) {
    let mut rig = Rig::new(two(), |_, _| None).unwrap();
    let signals: watch::Sender<_> = rig.signals.clone();
    rig.view(|view| {
        view.model.schedules = false;
        view.hook = Box::new(move |request, _| {
            when(request).then(|| {
                signals.send(Some((signal, 1))).unwrap();
                fault.clone()
            })?
        });
    });
    let ran = rig.run(options);
    (ran, rig)
}

#[test]
fn a_signal_before_any_write_changes_nothing() {
    let (ran, rig) = signalled(Signal::Interrupt, |r| r.path == "/api/v1/pods", None, options());
    assert_eq!((ran.code(), sent(&rig).len()), (130, 0));
    assert_eq!(ran.problem(), "nothing was done: interrupted");
    assert_eq!(ran.json["outcome"], "Interrupted");
}

#[test]
fn a_request_in_progress_is_finished_after_a_signal() {
    let slow = Some(Fault::Delay(Duration::from_millis(60)));
    let when = |r: &Request| is_removal_of("low-a", r);
    let (ran, rig) =
        signalled(Signal::Terminate, when, slow, ApplyOptions { nominate: true, ..options() });
    assert_eq!(ran.code(), 143);
    assert_eq!(carried_out(&rig), ["nominate web", "evict low-a", "nominate web"]);
    assert_eq!(ran.outcomes(0), ["Accepted"]);
    assert!(
        matches!(ran.states()[0], VictimState::Terminating | VictimState::Gone),
        "{:?}",
        ran.states()
    );
    assert_eq!(ran.states()[1], VictimState::DryRunPassed);
    assert_eq!(ran.nomination().state, NominationState::Cleared);
    assert_eq!(ran.problem(), "stopped half-way: interrupted by SIGTERM");
    assert!(
        ran.said("interrupted by SIGTERM") && ran.said("  shop/low-b: untouched"),
        "{:?}",
        ran.lines
    );
}

#[test]
fn a_hang_up_ends_the_run_in_order() {
    let slow = Some(Fault::Delay(Duration::from_millis(60)));
    let (ran, rig) = signalled(Signal::HangUp, |r| is_removal_of("low-a", r), slow, options());
    assert_eq!((ran.code(), carried_out(&rig)), (129, vec!["evict low-a".to_owned()]));
    assert_eq!(ran.problem(), "stopped half-way: interrupted by SIGHUP");
}

#[test]
fn a_request_without_an_answer_is_aborted_after_a_signal() {
    let hangs = Some(Fault::Delay(Duration::from_secs(2)));
    let when = |r: &Request| is_removal_of("low-a", r);
    let wait_times = WaitTimes { finish: Duration::from_millis(200), ..fast() };
    let options = ApplyOptions { wait_times, ..options() };
    let (ran, _) = signalled(Signal::Interrupt, when, hangs, options);
    assert_eq!(
        (ran.code(), ran.outcomes(0), ran.states()[0]),
        (130, vec!["Unknown"], VictimState::Unknown)
    );
    assert!(
        ran.said("unknown: it may still be evicted; it was not changed when last read"),
        "{:?}",
        ran.lines
    );
    assert_has(
        ran.json["victims"][0]["attempts"][1]["message"].as_str().unwrap(),
        "interrupted by SIGINT",
    );
}

#[test]
fn a_signal_ends_a_wait_at_once() {
    let text = "The disruption budget guard needs 2 healthy pods and has 2 currently";
    let slow = WaitTimes { budget: Duration::from_secs(600), ..fast() };
    let when = |r: &Request| is_removal_of("low-a", r);
    let options = ApplyOptions { wait_times: slow, timeout: Some(Duration::ZERO), ..options() };
    let (ran, rig) = signalled(Signal::Interrupt, when, Some(blocked(text)), options);
    assert_eq!((ran.code(), sent(&rig).len()), (130, 1));
    assert_eq!(ran.problem(), "nothing was done: interrupted");
}

#[test]
fn a_signal_ends_the_wait_for_the_preemptor_at_once() {
    let when = |r: &Request| r.has("watch=true") && r.field("metadata.name") == Some("web");
    let (ran, _) = signalled(
        Signal::Interrupt,
        when,
        None,
        ApplyOptions { timeout: Some(Duration::ZERO), ..options() },
    );
    assert_eq!(ran.code(), 130);
    assert_ends(&ran.problem(), ": interrupted");
    assert_eq!(ran.json["landing"]["state"], "Waiting");
}

#[test]
fn a_signal_ends_a_question() {
    let mut rig = Rig::new(two(), |_, _| None).unwrap();
    rig.user.answers = Some(Vec::new());
    rig.user.thinks = true;
    let signals = rig.signals.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        signals.send(Some((Signal::Interrupt, 1))).unwrap();
    });
    let ran = rig.run(ApplyOptions { yes: false, ..options() });
    thread.join().unwrap();
    assert_eq!((ran.code(), sent(&rig).len()), (130, 0));
}
