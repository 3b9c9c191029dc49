//! The end of every run: reads victims in an open state once more, clears the nomination if the run
//! failed, and records and prints the outcome.

use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::journal::{
    ApplyOutcome, ConditionState, Journal, JournalEvent, Landing, PreemptorRecord, VictimEvent,
    VictimRecord, VictimState,
};
use crate::apply::server::pods::PodLookup;
use crate::apply::{ApplyReport, nominate, remove};
use crate::error::Error;
use engine::simulation::plan::PodId;

/// Finishes a run whose steps returned `end`.
pub(in crate::apply) async fn finish(
    mut executor: Executor<'_>,
    end: StepResult<ApplyOutcome>,
) -> ApplyReport {
    if let Err(reason) = &end {
        executor.end_progress();
        if let StopReason::Signal(signal) = reason {
            executor.say(&signal.text());
        }
    }
    // Nothing after this may take long: the server may be the one for which the run has timed out.
    let times = &executor.session.options.wait_times;
    let closing = match (&end, executor.clock.left()) {
        (Err(StopReason::Timeout(_)), _) => times.closing,
        (_, None) => times.finish + times.closing,
        (_, Some(left)) => left.min(times.finish + times.closing).max(times.closing),
    };
    executor.clock.close_within(closing);
    let trouble = executor.trouble().map(str::to_owned);
    read_open_victims(&mut executor).await;
    remove::clear_conditions(&mut executor).await;
    if end.is_err() {
        nominate::clear(&mut executor).await;
    }
    for warning in executor.session.warnings() {
        executor.warn(&warning);
    }
    let (outcome, problem) = match end {
        Ok(outcome) => (outcome, None),
        Err(reason) => {
            (outcome(executor.journal(), &reason), Some(problem(&executor, &reason, trouble)))
        }
    };
    executor.end_progress();
    if executor.journal().has_touched_victims() {
        summarize(&mut executor, problem.is_some());
    }
    executor.record(JournalEvent::Ended {
        outcome,
        problem: problem.as_ref().map(ToString::to_string),
    });
    ApplyReport { journal: executor.into_journal(), problem }
}

/// Reads the victims that may be gone by now.
async fn read_open_victims(executor: &mut Executor<'_>) {
    let is_open = |state| {
        matches!(state, VictimState::Unknown | VictimState::Accepted | VictimState::Terminating)
    };
    let victims = executor.journal().victims().iter();
    let open: Vec<PodId> =
        victims.filter(|victim| is_open(victim.state)).map(|victim| victim.pod.clone()).collect();
    for pod in open {
        match executor.read_pod_at_end(&pod).await {
            Some(PodLookup::Gone) => executor.victim_gone(&pod),
            Some(PodLookup::Found(view)) if view.deletion.is_some() => {
                executor.record_victim(&pod, VictimEvent::SeenTerminating);
            }
            Some(PodLookup::Found(_)) | None => {}
        }
    }
}

/// The outcome of a run that was stopped; it depends on whether the run had changed anything.
fn outcome(journal: &Journal, reason: &StopReason) -> ApplyOutcome {
    match reason {
        StopReason::Signal(signal) => ApplyOutcome::Interrupted(*signal),
        _ if journal.has_changed_anything() => ApplyOutcome::Stopped,
        _ => ApplyOutcome::Refused,
    }
}

/// The problem that stopped a run; `trouble` is what failed last before that.
fn problem(executor: &Executor<'_>, reason: &StopReason, trouble: Option<String>) -> Error {
    let journal = executor.journal();
    let done = if only_waited(journal) {
        let alone = journal
            .victims()
            .iter()
            .any(|victim| victim.state == VictimState::GoneByItself || victim.is_maybe_ours());
        let done = if alone { "gone" } else { executor.session.options.mode.done() };
        format!("all victims are {done}; stopped waiting for the pod")
    } else if journal.has_changed_anything() {
        "stopped half-way".to_owned()
    } else {
        "nothing was done".to_owned()
    };

    // After a timeout the question is what the run was waiting for.
    let mut problem = format!("{done}: {}", reason.text());
    if matches!(reason, StopReason::Timeout(_)) {
        let waits = |record: &&PreemptorRecord| record.landing == Landing::Waiting;
        let names: Vec<String> = journal
            .preemptors()
            .iter()
            .filter(waits)
            .map(|record| record.pod.full_name())
            .collect();
        match names.as_slice() {
            [] => {}
            [name] => problem.push_str(&format!("; pod {name} is not on a node yet")),
            names => problem.push_str(&format!("; pods {} are not on nodes yet", names.join(", "))),
        }
        if let Some(trouble) = trouble {
            problem.push_str(&format!("; last error: {trouble}"));
        }
    }
    Error::Cluster { problem, hint: reason.hint() }
}

/// Whether all victims are gone and the run was only waiting for its preemptors.
fn only_waited(journal: &Journal) -> bool {
    let waited = journal.preemptors().iter().any(|record| record.landing != Landing::NotAwaited);
    waited && journal.has_touched_victims() && journal.victims().iter().all(VictimRecord::is_gone)
}

/// Prints the state of each victim, even with `--quiet` if there is a problem.
fn summarize(executor: &mut Executor<'_>, problem: bool) {
    let done = executor.session.options.mode.done();
    let lines: Vec<String> = executor
        .journal()
        .victims()
        .iter()
        .map(|victim| {
            let reason =
                victim.reason.as_ref().map_or_else(String::new, |reason| format!(" ({reason})"));
            let condition = condition_text(victim);
            format!("  {}: {}{condition}{reason}", victim.pod.full_name(), state_text(victim, done))
        })
        .collect();
    for line in std::iter::once("Victims:".to_owned()).chain(lines) {
        if problem { executor.say_always(&line) } else { executor.say(&line) }
    }
}

/// Describes the remaining condition on a victim that stays.
fn condition_text(victim: &VictimRecord) -> &'static str {
    match victim.condition() {
        _ if victim.is_leaving() => "",
        ConditionState::Untouched => "",
        ConditionState::MaybeSet => "; its condition DisruptionTarget may be set",
        ConditionState::Set => "; its condition DisruptionTarget is set",
        ConditionState::TakenBack => "; its condition DisruptionTarget was set and then reset",
    }
}

fn state_text(victim: &VictimRecord, done: &str) -> String {
    match victim.state {
        VictimState::NotStarted | VictimState::DryRunPassed => "untouched".to_owned(),
        VictimState::DryRunRefused | VictimState::Refused => "stays: the server refused".to_owned(),
        VictimState::Unknown | VictimState::Other => {
            format!("unknown: it may still be {done}; it was not changed when last read")
        }
        VictimState::Accepted => format!("{done}: the server has accepted it"),
        VictimState::AlreadyTerminating => "being deleted, not by this command".to_owned(),
        // The reason says that it is not known by whom.
        VictimState::Terminating if victim.is_maybe_ours() => "being deleted".to_owned(),
        VictimState::Gone if victim.is_maybe_ours() => "gone".to_owned(),
        VictimState::Terminating => format!("{done}: being deleted"),
        VictimState::GoneByItself => "gone, not by this command".to_owned(),
        VictimState::Gone => format!("{done}: gone"),
    }
}
