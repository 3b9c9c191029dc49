//! The room of the preemptor while it is waited for, and the victims that leave meanwhile.

use std::time::Duration;

use kubectl_preempt::apply::journal::VictimState;
use kubectl_preempt::apply::{ApplyOptions, Reservation, WaitTimes};

use super::{assert_run, blocked, end_time_after, is_removal_of, rig, sent, two};
use crate::apply::model::Model;
use crate::apply::rig::{Rig, fast, options};
use testing::{assert_begins, assert_has};

const UNRESERVED: &str = "nothing reserves the room for the pod: another pod may take it; --nominate reserves it against pods of \
                          equal or lower priority";

/// After how many decisions that do not end the wait its time is up.
const DECISIONS: usize = 10;

/// Options with which a run decides often while it waits.
fn deciding(reservation: Reservation) -> ApplyOptions {
    let wait_times = WaitTimes { decide: Duration::from_millis(20), ..fast() };
    ApplyOptions { reservation, wait_times, ..options() }
}

/// Once both victims are gone, a new pod takes their place before `web` does.
fn taken() -> Rig {
    let mut model = two();
    model.schedules = false;
    Rig::new(model, |_, model: &mut Model| {
        let there = |name: &str| model.now.named(name).is_some();
        if !there("low-a") && !there("low-b") && !there("low-c") {
            let uid = model.add_pod("low-c", 1, 4000, Some("n1"), "a");
            let now = jiff::Timestamp::now().to_string();
            model.change_pod(&uid, |pod| pod.created = now);
        }
        None
    })
    .unwrap()
}

#[test]
fn missing_reservation_is_reported_before_the_question() {
    let mut unreserved = rig();
    let ran = unreserved.run(deciding(Reservation::Nothing));
    assert!(ran.said(&format!("Warning: {UNRESERVED}")), "{:?}", ran.lines);
    assert_eq!(ran.json["warnings"], serde_json::json!([UNRESERVED]));
    for options in [options(), ApplyOptions { nominate: true, ..deciding(Reservation::Nothing) }] {
        let ran = rig().run(options);
        assert!(!ran.said("reserves the room"), "{:?}", ran.lines);
    }
    let ran = rig().run(ApplyOptions { wait: false, ..deciding(Reservation::Gated) });
    assert!(ran.said("Warning: the pod has scheduling gates: "), "{:?}", ran.lines);
}

#[test]
fn a_wait_for_room_that_another_pod_took_ends() {
    let mut rig = taken();
    let ran = rig.run(deciding(Reservation::Nothing));
    assert_run(&ran, &rig, 4, &["evict low-a", "evict low-b"]);
    assert_eq!(
        ran.problem(),
        "all victims are evicted; stopped waiting for the pod: pod shop/low-c took the room on n1",
        "{:?}",
        ran.lines
    );
    assert_eq!(ran.json["outcome"], "Stopped");
}

#[test]
fn older_pod_of_higher_priority_that_took_the_room_is_named() {
    let mut model = two();
    model.schedules = false;
    let king = model.add_pod("king", 5000, 4000, None, "a");
    let mut rig = Rig::new(model, move |_, model: &mut Model| {
        let there = |name: &str| model.now.named(name).is_some();
        if !there("low-a") && !there("low-b") {
            model.change_pod(&king, |pod| pod.node = Some("n1".to_owned()));
        }
        None
    })
    .unwrap();
    let ran = rig.run(deciding(Reservation::Nothing));
    assert_run(&ran, &rig, 4, &["evict low-a", "evict low-b"]);
    assert_has(&ran.problem(), "pod shop/king took the room on n1");
    assert_has(ran.json["reason"].as_str().unwrap_or_default(), "king");
}

#[test]
fn a_pod_that_preempts_by_itself_is_waited_for_even_then() {
    let mut rig = taken();
    end_time_after(&rig, DECISIONS, |model| model.now.named("low-c").is_some());
    let ran = rig.run(deciding(Reservation::Scheduler));
    assert_has(&ran.problem(), "timed out after 300s");
}

#[test]
fn victims_that_are_still_terminating_do_not_end_the_wait() {
    for reservation in [Reservation::Nothing, Reservation::Scheduler] {
        let mut model = two();
        model.grace = 1_000_000;
        let mut rig = Rig::new(model, |_, _| None).unwrap();
        // Its time ends once both have been seen to end, and a wait that they would end was over.
        let time_is_up = rig.time_is_up.clone();
        rig.user.on_progress = Some(Box::new(move |progress| {
            let ends = |name: &str| progress.contains(&(name.to_owned(), VictimState::Terminating));
            if ends("low-a") && ends("low-b") {
                let time_is_up = time_is_up.clone();
                std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(500));
                    time_is_up.send_replace(true);
                });
            }
        }));
        let ran = rig.run(deciding(reservation));
        assert_begins(&ran.problem(), "stopped half-way: timed out after 300s");
    }
}

#[test]
fn a_victim_that_is_gone_is_seen_while_another_one_is_blocked() {
    let mut blocks = 3;
    let mut rig = Rig::new(two(), move |request, _| {
        let again = is_removal_of("low-b", request) && blocks > 0;
        blocks -= i32::from(again);
        again.then(|| {
            blocked("The disruption budget guard needs 2 healthy pods and has 2 currently")
        })
    })
    .unwrap();
    let wait_times = WaitTimes { budget: Duration::from_millis(200), ..fast() };
    let ran = rig.run(ApplyOptions { wait_times, ..options() });
    assert_eq!((ran.code(), sent(&rig).len()), (0, 5), "{}", ran.problem());
    let at = |name: &str, state: VictimState| {
        let shown = rig.user.progress.iter().position(|seen| *seen == (name.to_owned(), state));
        shown.unwrap_or_else(|| panic!("{name} {state:?}: {:?}", rig.user.progress))
    };
    assert!(
        at("low-a", VictimState::Gone) < at("low-b", VictimState::Accepted),
        "{:?}",
        rig.user.progress
    );
}
