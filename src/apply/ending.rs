//! The end, whatever it is: what is not known is looked at once more, the nomination is taken back if the plan failed, and
//! what was done is told.

use jiff::Timestamp;

use super::pods::Look;
use super::run::{Halt, Run, Step};
use super::{ApplyReport, request};
use crate::apply::result::{ApplyOutcome, LandingState, NominationState, VictimState};
use crate::error::Error;
use crate::exit::Exit;
use engine::simulation::plan::PodId;

/// The result of a run that came to `end`.
pub(super) async fn conclude(mut run: Run<'_>, end: Step<ApplyOutcome>) -> ApplyReport {
    if let Err(halt) = &end {
        run.ui.done();
        if let Halt::Signal(signal) = halt {
            run.say(&format!("{}: ending", signal.name()));
        }
    }
    run.look_once_more().await;
    if end.is_err() {
        run.take_nomination_back().await;
    }
    let warnings: Vec<String> = run.reader.warnings().into_iter().chain(run.writer.warnings()).collect();
    for warning in warnings {
        run.warn(&warning);
    }
    let (outcome, exit, problem) = match end {
        Ok(outcome) => (outcome, Exit::Answered, None),
        Err(halt) => run.halted(halt),
    };
    if problem.is_some() {
        run.summarize();
    }
    run.ui.done();
    let mut result = run.result;
    result.outcome = outcome;
    result.exit_code = exit.code();
    result.reason = problem.as_ref().map(ToString::to_string);
    result.finished_at = Some(request::seconds(Timestamp::now()));
    ApplyReport { result, exit, problem }
}

impl Run<'_> {
    /// Settles what can be settled about victims that are not known to be gone.
    async fn look_once_more(&mut self) {
        let open = [VictimState::Unknown, VictimState::Accepted, VictimState::Terminating];
        let open: Vec<PodId> =
            self.plan.victims.iter().map(|v| v.pod.clone()).filter(|pod| self.is_in(pod, &open)).collect();
        for pod in open {
            match self.last_look(&pod).await {
                Some(Look::Gone) => self.see_gone(&pod),
                Some(Look::Here(view)) if view.deletion.is_some() => {
                    self.set_state(&pod, VictimState::Terminating, None);
                }
                Some(Look::Here(_)) | None => {}
            }
        }
    }

    fn is_in(&self, pod: &PodId, states: &[VictimState]) -> bool {
        self.result.victims.iter().any(|victim| victim.pod.uid == pod.uid && states.contains(&victim.state))
    }

    /// How a run ends that was halted: by what was done before.
    fn halted(&self, halt: Halt) -> (ApplyOutcome, Exit, Option<Error>) {
        let nominated = matches!(self.result.nomination.state, NominationState::Set | NominationState::Unknown);
        let touched = self.was_touched() || nominated;
        let (outcome, exit) =
            if touched { (ApplyOutcome::Stopped, Exit::Stopped) } else { (ApplyOutcome::Refused, Exit::Failed) };
        let aside = if touched { "stopped half-way" } else { "nothing was done" };
        let cluster = |problem: String, hint: Option<String>| Some(Error::Cluster { problem, hint });
        match halt {
            Halt::Signal(signal) => {
                let problem = format!("{aside}: {}", signal.name());
                (ApplyOutcome::Interrupted, signal.exit(), cluster(problem, None))
            }
            Halt::Late(all) => {
                let waited = match self.result.landing.state {
                    LandingState::Waiting => format!("; pod {} is on no node yet", self.plan.preemptor.pod.full_name()),
                    LandingState::NotAwaited | LandingState::Bound | LandingState::Gone => String::new(),
                };
                let problem = format!("{aside}: timed out after {all:?}{waited}");
                (outcome, exit, cluster(problem, Some("--timeout allows more".to_owned())))
            }
            Halt::Stop { reason, hint } => (outcome, exit, cluster(format!("{aside}: {reason}"), hint)),
            Halt::Failed(error) => {
                let hint = error.hint().map(str::to_owned);
                (outcome, exit, cluster(format!("{aside}: {error}"), hint))
            }
        }
    }

    /// What was done and what was not, pod by pod.
    fn summarize(&mut self) {
        if !self.was_touched() {
            return;
        }
        let (_, done) = self.options.mode.words();
        let lines: Vec<String> = self
            .result
            .victims
            .iter()
            .map(|victim| {
                let name = format!("{}/{}", victim.pod.namespace, victim.pod.name);
                let reason = victim.reason.as_ref().map_or_else(String::new, |reason| format!(" ({reason})"));
                format!("  {name}: {}{reason}", in_words(victim.state, done))
            })
            .collect();
        self.ui.warn("What became of the victims:");
        for line in lines {
            self.ui.warn(&render::page::sanitize(&line));
        }
    }
}

fn in_words(state: VictimState, done: &str) -> String {
    match state {
        VictimState::NotStarted | VictimState::DryRunPassed => "untouched".to_owned(),
        VictimState::DryRunRefused | VictimState::Refused => "untouched: the server refused".to_owned(),
        VictimState::Unknown => format!("unknown: it may be {done} yet, and was untouched when last looked at"),
        VictimState::Accepted => format!("{done}: the server has accepted it"),
        VictimState::AlreadyTerminating => "being deleted, not by us".to_owned(),
        VictimState::Terminating => format!("{done}: being deleted"),
        VictimState::GoneByItself => "gone, not by us".to_owned(),
        VictimState::Gone => format!("{done}: gone"),
    }
}
