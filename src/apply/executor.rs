//! The state that every step shares: the plan, the connection, the clock, the planner, the journal
//! and the user. The name is kube-scheduler's: its preemption `Executor` carries out what the
//! evaluation has chosen.
//!
//! Upstream: `pkg/scheduler/framework/preemption/executor.go` (1.37).

mod clock;
mod decide;
mod followed;
mod requests;
mod stop;

use std::time::Duration;

use tokio::time::Instant;

use super::Ui;
use super::journal::{Journal, JournalEvent, PreemptorEvent, VictimEvent};
use crate::api::client::Reader;
use crate::api::config::Connection;
use crate::api::writer::Writer;
use crate::apply::options::ApplyOptions;
use crate::error::Error;
use decide::Freshness;
use engine::simulation::plan::{Placement, Plan, PodId, PreemptorId};
use followed::Followed;
use render::page::sanitize;

pub(super) use clock::{Clock, now};
pub(super) use decide::PlannerThread;
pub(super) use stop::{PlanChange, StepResult, StopReason, between_plans, between_victims};

/// Carries out one plan.
pub(super) struct Executor<'u> {
    /// The plan, as confirmed by the last complete decision.
    pub plan: Plan,
    /// The connection and the options.
    pub session: ApplySession,
    /// The deadline and the signals.
    pub clock: Clock,
    /// Everything that was planned, sent, received and observed.
    journal: Journal,
    planner: PlannerThread,
    followed: Followed,
    freshness: Freshness,
    /// The time of the last decision; `None` if something was sent or the run paused since.
    decided_at: Option<Instant>,
    /// Whether that decision confirmed the complete plan.
    confirms_plan: bool,
    /// As of the last decision, the pods on the nodes of the plan that have come since the first.
    pub(super) newcomers: Vec<Placement>,
    /// Why the last request or decision failed; `None` after one that succeeded.
    trouble: Option<String>,
    ui: &'u mut dyn Ui,
}

impl<'u> Executor<'u> {
    pub(super) fn new(
        plan: Plan,
        session: ApplySession,
        clock: Clock,
        journal: Journal,
        planner: PlannerThread,
        ui: &'u mut dyn Ui,
    ) -> Self {
        let (followed, freshness) = (Followed::new(), Freshness::default());
        Self {
            plan,
            session,
            clock,
            journal,
            planner,
            followed,
            freshness,
            decided_at: None,
            confirms_plan: false,
            newcomers: Vec::new(),
            trouble: None,
            ui,
        }
    }

    /// Whether the last decision is recent enough to send a request now. A slow response or a
    /// stopped terminal makes it stale, like a pause.
    pub(super) fn decision_is_current(&self) -> bool {
        self.decided_at.is_some_and(|at| at.elapsed() <= self.session.options.wait_times.decision)
    }

    /// Whether the last decision is recent enough and confirmed the complete plan.
    pub(super) fn plan_is_current(&self) -> bool {
        self.confirms_plan && self.decision_is_current()
    }

    /// Records that the last decision confirmed the complete plan.
    pub(super) fn confirm_plan(&mut self) {
        self.confirms_plan = true;
    }

    /// Requires a new decision before the next removal.
    pub(super) fn outdate_decision(&mut self) {
        self.decided_at = None;
        self.confirms_plan = false;
    }

    /// Records why a request or a decision failed, for a run that ends before one succeeds.
    pub(super) fn failed(&mut self, why: &str) {
        self.trouble = Some(why.to_owned());
    }

    /// Records that a request or a decision succeeded.
    pub(super) fn succeeded(&mut self) {
        self.trouble = None;
    }

    /// Why the last request or decision failed, if it did.
    pub(super) fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    pub(super) fn preemptor_name(&self) -> String {
        preemptor_name(&self.plan.preemptor.id)
    }

    /// The victims for which a removal is sent, in the order of the plan: those that are not
    /// already terminating.
    pub(super) fn victims_to_remove(&self) -> Vec<PodId> {
        let staying = self.plan.victims.iter().filter(|victim| victim.terminating_until.is_none());
        staying.map(|victim| victim.pod.clone()).collect()
    }

    /// The victims that still occupy the node, in the order of the plan.
    pub(super) fn victims_left(&self) -> Vec<PodId> {
        let victims = self.plan.victims.iter().map(|victim| &victim.pod);
        victims.filter(|pod| !self.journal.is_leaving(pod)).cloned().collect()
    }

    /// The user name as reported by the server, else as in the kubeconfig.
    pub(super) fn user_name(&self) -> Option<String> {
        let named = self.journal.user().map(|user| user.name.clone());
        named.or_else(|| self.session.reader.peer.user.clone())
    }

    pub(super) fn journal(&self) -> &Journal {
        &self.journal
    }

    pub(super) fn into_journal(self) -> Journal {
        self.journal
    }

    pub(super) fn record(&mut self, event: JournalEvent) {
        self.journal.record(now(), event);
        self.ui.recorded(&self.journal);
    }

    /// Records an event about a preemptor.
    pub(super) fn record_preemptor(&mut self, pod: &PodId, event: PreemptorEvent) {
        self.record(JournalEvent::Preemptor(pod.clone(), event));
    }

    /// Records an event about a victim, and shows the victim's state if it changed.
    pub(super) fn record_victim(&mut self, pod: &PodId, event: VictimEvent) {
        let shown = |journal: &Journal| {
            journal.victim(pod).map(|victim| (victim.state, victim.reason.clone()))
        };
        let before = shown(&self.journal);
        self.record(JournalEvent::Victim(pod.clone(), event));
        let after = shown(&self.journal);
        if let Some((state, reason)) = after.filter(|after| before.as_ref() != Some(after)) {
            let text = reason.map(|reason| reason.to_string()).unwrap_or_default();
            self.ui.progress(pod, state, &sanitize(&text));
        }
    }

    pub(super) fn show_progress(&mut self, pod: &PodId, detail: &str) {
        if let Some(victim) = self.journal.victim(pod) {
            self.ui.progress(pod, victim.state, &sanitize(detail));
        }
    }

    /// Waits for `wait` with jitter, and observes the terminating victims meanwhile. The last
    /// decision becomes stale.
    pub(super) async fn pause(&mut self, wait: Duration) -> StepResult<()> {
        self.outdate_decision();
        let wait = self.session.options.wait_times.jittered(wait, fastrand::u64(..));
        self.follow_leaving();
        let end = Instant::now() + wait;
        while let Some((pod, observation)) = self.observe_until(end).await? {
            self.see_victim(&pod, observation);
        }
        Ok(())
    }

    /// Prints an informational line.
    pub(super) fn say(&mut self, text: &str) {
        self.ui.say(&sanitize(text));
    }

    /// Prints a line that `--quiet` does not suppress.
    pub(super) fn say_always(&mut self, text: &str) {
        self.ui.warn(&sanitize(text));
    }

    /// Prints a warning and records it.
    pub(super) fn warn(&mut self, text: &str) {
        self.ui.warn(&format!("Warning: {}", sanitize(text)));
        self.record(JournalEvent::Warned(text.to_owned()));
    }

    /// Whether the user can be prompted.
    pub(super) fn can_ask(&self) -> bool {
        self.ui.can_ask()
    }

    /// The line that the user enters at `question`; empty at the end of the input.
    pub(super) async fn ask(&mut self, question: &str) -> StepResult<String> {
        let since = Instant::now();
        let answer = self.ui.ask(&sanitize(question));
        let answer =
            self.clock.run_untimed(since, answer).await?.ok().flatten().unwrap_or_default();
        Ok(answer)
    }

    /// Ends the display of progress.
    pub(super) fn end_progress(&mut self) {
        self.ui.done();
    }
}

/// `ns/web-0`, `podgroup ns/train`.
pub(super) fn preemptor_name(id: &PreemptorId) -> String {
    match id {
        PreemptorId::Pod(pod) => pod.full_name(),
        PreemptorId::Group(_) => format!("{} {}", id.resource(), id.full_name()),
    }
}

/// Default timeout of a request: slightly more than the server's own.
const SERVER_TIMEOUT: Duration = Duration::from_secs(65);

/// The session of one run.
pub(in crate::apply) struct ApplySession {
    pub options: ApplyOptions,
    pub reader: Reader,
    pub writer: Writer,
    /// Whether conditions of victims are patched: in delete mode, if permitted.
    pub patches_conditions: bool,
    /// Whether Events are written: if requested and permitted.
    pub writes_events: bool,
    /// Whether the server predates the eviction API of `policy/v1`.
    pub beta_evictions: bool,
}

impl ApplySession {
    /// Connects to the server of `connection`.
    ///
    /// # Errors
    /// When the client cannot be built.
    pub(in crate::apply) fn new(
        connection: Connection,
        options: ApplyOptions,
    ) -> Result<Self, Error> {
        let timeout = options.request_timeout.filter(|t| !t.is_zero()).unwrap_or(SERVER_TIMEOUT);
        Ok(Self {
            reader: Reader::new(connection.clone(), Some(timeout))?,
            writer: Writer::new(connection, timeout)?,
            patches_conditions: false,
            writes_events: options.record,
            beta_evictions: false,
            options,
        })
    }

    /// The warnings of the server, deduplicated per client.
    pub(in crate::apply) fn warnings(&self) -> Vec<String> {
        self.reader.warnings().into_iter().chain(self.writer.warnings()).collect()
    }
}
