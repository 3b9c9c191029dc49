use super::*;
use crate::apply::options::{DryRunMode, Mode};
use crate::apply::server::outcome::WriteOutcome;
use crate::apply::signals::Signal;
use engine::decision::competitors::Competitors;
use engine::simulation::plan::{Afterwards, Placement, PlanPreemptor, PlannedVictim};

/// A plan that removes the pods `v-0`, `v-1`, … for the pod `web`.
pub(in crate::apply) fn plan(victims: usize) -> Plan {
    let pod = |name: String| PodId { namespace: "shop".to_owned(), uid: format!("u-{name}"), name };
    let victim = |n: usize| PlannedVictim {
        pod: pod(format!("v-{n}")),
        resource_version: "1".to_owned(),
        node: "n1".to_owned(),
        priority: i32::try_from(n).unwrap(),
        grace_seconds: 30,
        terminating_until: None,
        owners: Vec::new(),
        budgets: Vec::new(),
        hazards: Vec::new(),
        afterwards: Afterwards::Unknown,
    };
    let web = pod("web".to_owned());
    let preemptor = PlanPreemptor {
        id: PreemptorId::Pod(web.clone()),
        priority: 100,
        scheduler: "default-scheduler".to_owned(),
    };
    let placed = vec![Placement { pod: web, node: "n1".to_owned() }];
    Plan {
        preemptor,
        placed,
        tied: Vec::new(),
        victims: (0..victims).map(victim).collect(),
        competitors: Competitors::default(),
    }
}

/// The journal of a run that applies `plan` and has done nothing yet.
pub(in crate::apply) fn journal(plan: &Plan) -> Journal {
    let header = Header {
        mode: Mode::Evict,
        dry_run: DryRunMode::None,
        context: Some("main".to_owned()),
        server: "https://server".to_owned(),
        plan_hash: plan_hash(plan),
        preemptor: plan.preemptor.id.clone(),
        started_at: Timestamp::UNIX_EPOCH,
    };
    Journal::new(header, plan)
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn attempt(request: RequestKind, dry_run: bool, outcome: WriteOutcome) -> VictimEvent {
    VictimEvent::Answered(RequestAttempt {
        request,
        dry_run,
        sent_at: at(0),
        status: Some(201),
        outcome,
    })
}

fn evicted(outcome: WriteOutcome) -> VictimEvent {
    attempt(RequestKind::Evict, false, outcome)
}

fn accepted() -> VictimEvent {
    evicted(WriteOutcome::Accepted)
}

fn unanswered() -> VictimEvent {
    evicted(WriteOutcome::Unknown(text("reset")))
}

fn blocked() -> VictimEvent {
    evicted(WriteOutcome::Budget { text: text("guard"), retry_after: None })
}

fn refused() -> VictimEvent {
    VictimEvent::Refused(VictimReason::Rejected { reason: text("Forbidden"), message: text("no") })
}

/// The record of a victim to which these events happened, one a second.
fn after(events: &[VictimEvent]) -> VictimRecord {
    let plan = plan(2);
    let mut journal = journal(&plan);
    let pod = &plan.victims[1].pod;
    for (second, event) in (1..).zip(events) {
        journal.record(at(second), JournalEvent::Victim(pod.clone(), event.clone()));
    }
    assert_eq!(
        journal.victims()[0],
        VictimRecord::new(&plan.victims[0]),
        "the other victim is as it was"
    );
    journal.victim(pod).unwrap().clone()
}

#[test]
fn the_state_of_a_victim_follows_from_its_events() {
    use VictimEvent::{DryRunRefused, SeenGone, SeenTerminating};
    use VictimState as S;
    let dry_run = |outcome| attempt(RequestKind::Evict, true, outcome);
    let condition = |outcome| attempt(RequestKind::Condition, false, outcome);
    let event = |outcome| attempt(RequestKind::Event, false, outcome);
    let unknown_whose = "whether by this command is not known: reset";
    let budget = || WriteOutcome::Budget { text: text("guard"), retry_after: None };
    for (events, state, reason) in [
        (vec![], S::NotStarted, ""),
        (vec![dry_run(WriteOutcome::Accepted)], S::DryRunPassed, ""),
        (vec![dry_run(WriteOutcome::Unknown(text("reset")))], S::NotStarted, ""),
        (
            vec![dry_run(budget()), DryRunRefused(VictimReason::Blocked(text("guard")))],
            S::DryRunRefused,
            "guard",
        ),
        (vec![accepted()], S::Accepted, ""),
        (vec![attempt(RequestKind::Delete, false, WriteOutcome::Accepted)], S::Accepted, ""),
        (
            vec![accepted(), event(WriteOutcome::Refused { reason: text("r"), text: text("t") })],
            S::Accepted,
            "",
        ),
        (vec![accepted(), event(budget())], S::Accepted, ""),
        (vec![accepted(), SeenTerminating], S::Terminating, ""),
        (vec![accepted(), SeenTerminating, SeenGone], S::Gone, ""),
        (vec![accepted(), SeenGone], S::Gone, ""),
        (vec![unanswered()], S::Unknown, "reset"),
        (vec![unanswered(), SeenTerminating], S::Terminating, unknown_whose),
        (vec![unanswered(), SeenGone], S::Gone, unknown_whose),
        (vec![unanswered(), accepted(), SeenGone], S::Gone, ""),
        (vec![unanswered(), accepted()], S::Accepted, ""),
        (vec![unanswered(), refused()], S::Unknown, "Forbidden: no"),
        (vec![unanswered(), evicted(WriteOutcome::Conflict(text("c")))], S::Unknown, "reset"),
        (vec![refused()], S::Refused, "Forbidden: no"),
        (vec![blocked()], S::NotStarted, "guard"),
        (vec![blocked(), accepted()], S::Accepted, ""),
        (vec![blocked(), SeenGone], S::GoneByItself, ""),
        (vec![SeenTerminating], S::AlreadyTerminating, ""),
        (vec![SeenTerminating, SeenGone], S::GoneByItself, ""),
        (vec![dry_run(WriteOutcome::Accepted), SeenGone], S::GoneByItself, ""),
        // The condition removes nothing.
        (vec![condition(WriteOutcome::Accepted)], S::NotStarted, ""),
        (vec![condition(WriteOutcome::Unknown(text("reset")))], S::NotStarted, ""),
        (vec![condition(WriteOutcome::Accepted), SeenGone], S::GoneByItself, ""),
    ] {
        let victim = after(&events);
        let told = victim.reason.as_ref().map(ToString::to_string).unwrap_or_default();
        assert_eq!((victim.state, told.as_str()), (state, reason), "{events:?}");
        assert_eq!(victim.is_gone(), victim.gone_at.is_some(), "{events:?}");
        let sent = events.iter().filter(|event| matches!(event, VictimEvent::Answered(_))).count();
        assert_eq!(victim.attempts.len(), sent, "{events:?}");
    }
}

#[test]
fn the_time_of_a_removal_is_that_of_its_first_observation() {
    let gone = after(&[
        accepted(),
        VictimEvent::SeenTerminating,
        VictimEvent::SeenGone,
        VictimEvent::SeenGone,
    ]);
    assert_eq!((gone.accepted_at, gone.gone_at), (Some(at(1)), Some(at(3))));
}

#[test]
fn the_last_status_is_that_of_a_request_that_was_no_dry_run() {
    let answer = |request, dry_run, status| {
        let outcome = WriteOutcome::Busy { text: text("busy"), retry_after: None };
        VictimEvent::Answered(RequestAttempt { request, dry_run, sent_at: at(0), status, outcome })
    };
    let evict = |status| answer(RequestKind::Evict, false, status);
    for (events, status) in [
        (vec![], None),
        (vec![answer(RequestKind::Evict, true, Some(429))], None),
        (vec![evict(Some(429)), evict(None)], Some(429)),
        (vec![evict(Some(429)), evict(Some(201))], Some(201)),
        (vec![evict(Some(201)), answer(RequestKind::Event, false, Some(403))], Some(201)),
        (vec![answer(RequestKind::Condition, false, Some(200))], Some(200)),
    ] {
        assert_eq!(after(&events).last_status(), status, "{events:?}");
    }
}

#[test]
fn changes_of_the_cluster_are_recorded() {
    let condition = |outcome| attempt(RequestKind::Condition, false, outcome);
    for (event, touched, ours) in [
        (attempt(RequestKind::Evict, true, WriteOutcome::Accepted), false, false),
        (evicted(WriteOutcome::NotSent(text("refused"))), false, false),
        (blocked(), false, false),
        (condition(WriteOutcome::Accepted), true, false),
        (condition(WriteOutcome::Unknown(text("reset"))), true, false),
        (unanswered(), true, true),
        (accepted(), true, true),
    ] {
        let victim = after(std::slice::from_ref(&event));
        assert_eq!(
            (victim.is_touched(), victim.may_be_removed_by_us()),
            (touched, ours),
            "{event:?}"
        );
    }
    assert!(after(&[condition(WriteOutcome::Accepted)]).condition() == ConditionState::Set);
    assert!(
        after(&[condition(WriteOutcome::Conflict(text("c")))]).condition()
            == ConditionState::Untouched
    );
}

#[test]
fn victims_that_leave_no_longer_count() {
    let plan = plan(3);
    let mut journal = journal(&plan);
    let [first, second, third] = [0, 1, 2].map(|n: usize| plan.victims[n].pod.clone());
    journal.record(at(1), JournalEvent::Victim(first.clone(), accepted()));
    journal.record(at(2), JournalEvent::Victim(second, unanswered()));
    journal.record(at(3), JournalEvent::Victim(third.clone(), VictimEvent::SeenTerminating));
    assert_eq!(journal.leaving(), [first, third]);
    let stranger = PodId { namespace: text("shop"), name: text("v-0"), uid: text("another") };
    journal.record(at(4), JournalEvent::Victim(stranger.clone(), accepted()));
    assert!(journal.victim(&stranger).is_none() && !journal.is_leaving(&stranger));
}

#[test]
fn the_state_of_the_nomination_follows_from_its_events() {
    use NominationEvent as E;
    let failed = || E::Failed(NominationReason::OutOfAttempts);
    let failure = "the pod changes all the time, or the server does not answer";
    for (events, state, reason, ours) in [
        (vec![], NominationState::NotSet, "", false),
        (vec![E::FoundSet], NominationState::AlreadySet, "", false),
        (vec![E::Set], NominationState::Set, "", true),
        (vec![failed()], NominationState::Refused, failure, false),
        (vec![E::Unanswered(text("reset"))], NominationState::Unknown, "reset", true),
        (vec![E::Unanswered(text("reset")), E::FoundSet], NominationState::Unknown, "reset", true),
        (vec![E::Unanswered(text("reset")), E::Set], NominationState::Set, "reset", true),
        (vec![E::Unanswered(text("reset")), failed()], NominationState::Unknown, failure, true),
        (vec![E::Set, E::Cleared], NominationState::Cleared, "", false),
        (vec![E::Unanswered(text("reset")), E::Cleared], NominationState::Cleared, "", false),
        (
            vec![E::Set, E::ClearingUnknown],
            NominationState::Unknown,
            "it is not known whether it is still set",
            true,
        ),
        (
            vec![E::Set, E::NotCleared(text("busy"))],
            NominationState::Set,
            "it could not be reset: busy",
            true,
        ),
    ] {
        let mut journal = journal(&plan(0));
        let web = plan(0).placed.remove(0).pod;
        for event in &events {
            let event = PreemptorEvent::Nomination(event.clone());
            journal.record(at(1), JournalEvent::Preemptor(web.clone(), event));
        }
        let nomination = &journal.preemptor(&web).unwrap().nomination;
        let told = nomination.reason.as_ref().map(ToString::to_string).unwrap_or_default();
        assert_eq!((nomination.state, told.as_str()), (state, reason), "{events:?}");
        assert_eq!(journal.has_changed_anything(), ours, "{events:?}");
    }
}

#[test]
fn a_run_has_an_exit_code_at_any_time() {
    let mut journal = journal(&plan(0));
    assert_eq!(journal.exit(), Exit::Answered);
    for (outcome, exit) in [
        (ApplyOutcome::Applied, Exit::Answered),
        (ApplyOutcome::NotNeeded, Exit::Answered),
        (ApplyOutcome::DryRun, Exit::Answered),
        (ApplyOutcome::Refused, Exit::Failed),
        (ApplyOutcome::Stopped, Exit::Stopped),
        (ApplyOutcome::Interrupted(Signal::Interrupt), Exit::Interrupted),
        (ApplyOutcome::Interrupted(Signal::Terminate), Exit::Terminated),
    ] {
        journal.record(at(1), JournalEvent::Ended { outcome, problem: None });
        assert_eq!(journal.exit(), exit, "{outcome:?}");
    }
}

#[test]
fn warnings_are_kept_once() {
    let mut journal = journal(&plan(0));
    ["a", "b", "a"]
        .into_iter()
        .for_each(|warning| journal.record(at(1), JournalEvent::Warned(text(warning))));
    assert_eq!(journal.warnings(), ["a", "b"]);
}

#[test]
fn plans_that_differ_have_different_hashes() {
    let reversed = Plan { victims: plan(2).victims.into_iter().rev().collect(), ..plan(2) };
    let placed = vec![Placement { node: text("n2"), ..plan(2).placed.remove(0) }];
    let elsewhere = Plan { placed, ..plan(2) };
    assert_eq!(plan_hash(&plan(2)), plan_hash(&plan(2)));
    for other in [plan(1), reversed, elsewhere] {
        assert_ne!(plan_hash(&plan(2)), plan_hash(&other));
    }
}
