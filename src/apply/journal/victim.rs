//! The record of one victim: the requests that were sent for it, and the state derived from
//! responses and observations.

use std::fmt;

use jiff::Timestamp;
use json::apply::VictimState;

use crate::apply::server::outcome::WriteOutcome;
use engine::simulation::plan::{PlannedVictim, PodId};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestKind {
    Evict,
    Delete,
    /// Sets the condition `DisruptionTarget` of a pod.
    Condition,
    /// Removes that condition.
    ClearCondition,
    /// Writes an Event on a pod.
    Event,
}

impl RequestKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Evict => "evict",
            Self::Delete => "delete",
            Self::Condition => "condition",
            Self::ClearCondition => "clearCondition",
            Self::Event => "event",
        }
    }

    /// The API that the server must serve for it.
    const fn served_as(self) -> &'static str {
        match self {
            Self::Evict => "pods/eviction",
            Self::Delete => "the deletion of pods",
            Self::Condition | Self::ClearCondition => "pods/status",
            Self::Event => "events",
        }
    }

    const fn is_removal(self) -> bool {
        matches!(self, Self::Evict | Self::Delete)
    }
}

/// What the run did to the condition `DisruptionTarget` of a victim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionState {
    Untouched,
    /// Its request got no response.
    MaybeSet,
    Set,
    /// The condition was set and removed again.
    TakenBack,
}

/// A request that was sent, with its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestAttempt {
    pub request: RequestKind,
    pub dry_run: bool,
    pub sent_at: Timestamp,
    /// HTTP status, if there was a response.
    pub status: Option<u16>,
    pub outcome: WriteOutcome,
}

impl RequestAttempt {
    /// Whether the server executed it, or may have.
    fn may_be_done(&self) -> bool {
        !self.dry_run && matches!(self.outcome, WriteOutcome::Accepted | WriteOutcome::Unknown(_))
    }
}

/// Why a victim is in its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VictimReason {
    /// A PodDisruptionBudget blocks the eviction for now; the server's message.
    Blocked(String),
    /// A PodDisruptionBudget blocks the eviction and can never allow it, whatever the health of the
    /// pods.
    NeverAllowed {
        message: String,
        /// `status.desiredHealthy` of the budget.
        desired_healthy: i32,
        /// `status.expectedPods` of the budget.
        expected_pods: i32,
    },
    /// Several disruption budgets select the pod; the server's message.
    SeveralBudgets(String),
    /// The server rejected the request.
    Rejected {
        /// `Forbidden`, `Invalid`, …
        reason: String,
        message: String,
    },
    /// The pod exists, but the server does not serve the path of the request.
    NotServed { request: RequestKind, message: String },
    /// Other clients changed the pod at each attempt; the server's last message.
    Conflicts(String),
    /// The pod has left, and whether by a request of this run is not known: it got no answer; the
    /// last message.
    MaybeOurs(String),
    /// Any other message of the server or the network.
    Message(String),
}

impl fmt::Display for VictimReason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Blocked(text)
            | Self::SeveralBudgets(text)
            | Self::Conflicts(text)
            | Self::Message(text) => f.write_str(text),
            Self::NeverAllowed { message, desired_healthy, expected_pods } => write!(
                f,
                "{message}; it wants {desired_healthy} of {expected_pods} pods healthy and never allows any eviction"
            ),
            Self::MaybeOurs(message) => {
                write!(f, "whether by this command is not known: {message}")
            }
            Self::Rejected { reason, message } => write!(f, "{reason}: {message}"),
            Self::NotServed { request, message } => {
                let what = request.served_as();
                write!(f, "the server shows the pod, and does not serve {what}: {message}")
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VictimEvent {
    /// A request was sent; with or without a response.
    Answered(RequestAttempt),
    /// The dry run failed permanently.
    DryRunRefused(VictimReason),
    /// The removal failed permanently.
    Refused(VictimReason),
    /// The pod was observed terminating.
    SeenTerminating,
    /// The pod was observed to be gone, or another pod has its name.
    SeenGone,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VictimRecord {
    pub pod: PodId,
    pub priority: i32,
    pub state: VictimState,
    /// Why it is in that state, if something blocks its removal.
    pub reason: Option<VictimReason>,
    /// When the server accepted its removal.
    pub accepted_at: Option<Timestamp>,
    /// When its absence was observed.
    pub gone_at: Option<Timestamp>,
    /// Every request that was sent for it.
    pub attempts: Vec<RequestAttempt>,
}

impl VictimRecord {
    /// Whether the pod no longer occupies the node: removed or terminating.
    pub(in crate::apply) const fn is_leaving(&self) -> bool {
        match self.state {
            VictimState::NotStarted
            | VictimState::DryRunPassed
            | VictimState::DryRunRefused
            | VictimState::Refused
            | VictimState::Unknown
            | VictimState::Other => false,
            VictimState::Accepted
            | VictimState::AlreadyTerminating
            | VictimState::Terminating
            | VictimState::GoneByItself
            | VictimState::Gone => true,
        }
    }

    pub(in crate::apply) const fn is_gone(&self) -> bool {
        matches!(self.state, VictimState::Gone | VictimState::GoneByItself)
    }

    pub(super) fn new(victim: &PlannedVictim) -> Self {
        Self {
            pod: victim.pod.clone(),
            priority: victim.priority,
            state: VictimState::NotStarted,
            reason: None,
            accepted_at: None,
            gone_at: None,
            attempts: Vec::new(),
        }
    }

    pub(super) fn record(&mut self, at: Timestamp, event: VictimEvent) {
        match event {
            VictimEvent::Answered(attempt) => self.answered(at, attempt),
            VictimEvent::DryRunRefused(reason) => {
                self.set(VictimState::DryRunRefused, Some(reason));
            }
            VictimEvent::Refused(reason) => {
                // An earlier request without a response may still be executed.
                let unknown = self.state == VictimState::Unknown;
                self.set(
                    if unknown { VictimState::Unknown } else { VictimState::Refused },
                    Some(reason),
                );
            }
            VictimEvent::SeenTerminating => {
                let ours = self.may_be_removed_by_us();
                self.set(
                    if ours { VictimState::Terminating } else { VictimState::AlreadyTerminating },
                    self.maybe_ours(),
                );
            }
            VictimEvent::SeenGone => {
                let ours = self.may_be_removed_by_us();
                let reason = self.maybe_ours();
                self.set(if ours { VictimState::Gone } else { VictimState::GoneByItself }, reason);
                self.gone_at.get_or_insert(at);
            }
        }
    }

    fn answered(&mut self, at: Timestamp, attempt: RequestAttempt) {
        let RequestAttempt { request, dry_run, .. } = attempt;
        match &attempt.outcome {
            WriteOutcome::Accepted if request.is_removal() && dry_run => {
                self.set(VictimState::DryRunPassed, None);
            }
            WriteOutcome::Accepted if request.is_removal() => {
                self.set(VictimState::Accepted, None);
                self.accepted_at = Some(at);
            }
            WriteOutcome::Unknown(text) if request.is_removal() && !dry_run => {
                self.set(VictimState::Unknown, Some(VictimReason::Message(text.clone())));
            }
            WriteOutcome::Budget { text, .. } if request != RequestKind::Event && !dry_run => {
                self.set(VictimState::NotStarted, Some(VictimReason::Blocked(text.clone())));
            }
            // The step that sent the request decides how to proceed.
            _ => {}
        }
        self.attempts.push(attempt);
    }

    /// The reason of a pod that has left after requests of which none got an answer.
    fn maybe_ours(&self) -> Option<VictimReason> {
        if !self.is_maybe_ours() {
            return None;
        }
        let unanswered = self.attempts.iter().rev().find(|attempt| attempt.may_be_done());
        unanswered.map(|attempt| VictimReason::MaybeOurs(attempt.outcome.text().to_owned()))
    }

    /// Whether a removal was sent that the server may have executed, and none that it has.
    pub(in crate::apply) fn is_maybe_ours(&self) -> bool {
        self.accepted_at.is_none() && self.may_be_removed_by_us()
    }

    fn set(&mut self, state: VictimState, reason: Option<VictimReason>) {
        self.state = state;
        self.reason = reason;
    }

    /// HTTP status of the last response to a request about the pod, dry runs excluded.
    pub fn last_status(&self) -> Option<u16> {
        let sent = self.attempts.iter().filter(|a| !a.dry_run && a.request != RequestKind::Event);
        sent.filter_map(|attempt| attempt.status).next_back()
    }

    /// The message of the last response, if it had one.
    pub(in crate::apply) fn last_message(&self) -> Option<&str> {
        let last = self.attempts.last()?;
        Some(last.outcome.text()).filter(|text| !text.is_empty())
    }

    pub(in crate::apply) fn last_request(&self) -> Option<RequestKind> {
        self.attempts.last().map(|attempt| attempt.request)
    }

    /// Whether a removal was sent that the server executed, or may have.
    pub(in crate::apply) fn may_be_removed_by_us(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.request.is_removal() && attempt.may_be_done())
    }

    pub fn condition(&self) -> ConditionState {
        let mut state = ConditionState::Untouched;
        for attempt in self.attempts.iter().filter(|attempt| attempt.may_be_done()) {
            state = match (attempt.request, &attempt.outcome) {
                (RequestKind::Condition, WriteOutcome::Accepted) => ConditionState::Set,
                (RequestKind::Condition, _) if state == ConditionState::Untouched => {
                    ConditionState::MaybeSet
                }
                (RequestKind::ClearCondition, WriteOutcome::Accepted) => ConditionState::TakenBack,
                _ => state,
            };
        }
        state
    }

    pub(super) fn is_touched(&self) -> bool {
        self.attempts.iter().any(RequestAttempt::may_be_done)
    }
}
