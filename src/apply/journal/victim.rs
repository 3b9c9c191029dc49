//! The record of one victim: the requests that were sent for it, and the state that follows from
//! the answers and from what was observed.

use std::fmt;

use jiff::Timestamp;

use crate::apply::server::outcome::WriteOutcome;
use engine::simulation::plan::{PlannedVictim, PodId};

/// The state of a victim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum VictimState {
    /// Nothing but dry runs was sent for it, or a PodDisruptionBudget blocks its eviction for now.
    NotStarted,
    /// The server's dry run accepted its removal.
    DryRunPassed,
    /// The server's dry run rejected its removal.
    DryRunRefused,
    /// The server rejected its removal: it stays.
    Refused,
    /// A removal was sent, its outcome is not known, and the pod was untouched when it was last
    /// read.
    Unknown,
    /// The server accepted its removal; the pod was not read since.
    Accepted,
    /// It was terminating before anything was sent, and is so still.
    AlreadyTerminating,
    /// It is terminating after a removal of this run.
    Terminating,
    /// It is gone, and no removal of this run can have done it.
    GoneByItself,
    /// It is gone after a removal of this run.
    Gone,
}

impl VictimState {
    /// Whether the pod no longer occupies the node: removed, or terminating.
    pub(in crate::apply) const fn is_leaving(self) -> bool {
        match self {
            Self::NotStarted
            | Self::DryRunPassed
            | Self::DryRunRefused
            | Self::Refused
            | Self::Unknown => false,
            Self::Accepted
            | Self::AlreadyTerminating
            | Self::Terminating
            | Self::GoneByItself
            | Self::Gone => true,
        }
    }

    /// Whether the pod does not exist any more.
    pub(in crate::apply) const fn is_gone(self) -> bool {
        matches!(self, Self::Gone | Self::GoneByItself)
    }
}

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestKind {
    /// Evicts a pod.
    Evict,
    /// Deletes a pod.
    Delete,
    /// Sets the condition `DisruptionTarget` of a pod.
    Condition,
    /// Takes it back.
    ClearCondition,
    /// Writes an Event on a pod.
    Event,
}

impl RequestKind {
    /// The name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Evict => "evict",
            Self::Delete => "delete",
            Self::Condition => "condition",
            Self::ClearCondition => "clearCondition",
            Self::Event => "event",
        }
    }

    /// What the server has to serve for it.
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
    /// Nothing.
    Untouched,
    /// Its request had no answer.
    MaybeSet,
    /// The server has set it.
    Set,
    /// The server has set it, and removed it again.
    TakenBack,
}

/// A request that was sent, with its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// What it does.
    pub request: RequestKind,
    /// Whether it was a dry run.
    pub dry_run: bool,
    /// When it was sent.
    pub sent_at: Timestamp,
    /// HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// What the answer means.
    pub outcome: WriteOutcome,
}

impl Attempt {
    /// Whether the server carried it out, or may have.
    fn may_be_done(&self) -> bool {
        !self.dry_run && matches!(self.outcome, WriteOutcome::Accepted | WriteOutcome::Unknown(_))
    }
}

/// Why a victim is in its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VictimReason {
    /// A PodDisruptionBudget blocks the eviction for now; the server's message.
    Blocked(String),
    /// A PodDisruptionBudget blocks the eviction and cannot allow it whatever the health of the
    /// pods.
    NeverAllowed {
        /// The server's message.
        message: String,
        /// `status.desiredHealthy` of the budget.
        desired_healthy: i64,
        /// `status.expectedPods` of the budget.
        expected_pods: i64,
    },
    /// Several disruption budgets select the pod; the server's message.
    SeveralBudgets(String),
    /// The server rejected the request.
    Rejected {
        /// `Forbidden`, `Invalid`, …
        reason: String,
        /// The server's message.
        message: String,
    },
    /// The server shows the pod, and has nothing at the path of the request.
    NotServed {
        /// The request.
        request: RequestKind,
        /// Its message.
        message: String,
    },
    /// Other clients changed the pod each time; the server's last message.
    Conflicts(String),
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
            Self::Rejected { reason, message } => write!(f, "{reason}: {message}"),
            Self::NotServed { request, message } => {
                let what = request.served_as();
                write!(f, "the server shows the pod, and does not serve {what}: {message}")
            }
        }
    }
}

/// Something that happened to a victim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VictimEvent {
    /// A request was sent and answered, or got no answer.
    Answered(Attempt),
    /// The dry run failed for good.
    DryRunRefused(VictimReason),
    /// The removal failed for good.
    Refused(VictimReason),
    /// The pod was seen terminating.
    SeenTerminating,
    /// The pod was seen to be gone, or another pod has its name.
    SeenGone,
}

/// The record of one victim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VictimRecord {
    /// The pod.
    pub pod: PodId,
    /// Its priority.
    pub priority: i32,
    /// Its state.
    pub state: VictimState,
    /// Why it is in that state, if something blocks its removal.
    pub reason: Option<VictimReason>,
    /// When the server accepted its removal, if it did.
    pub accepted_at: Option<Timestamp>,
    /// When it was seen to be gone.
    pub gone_at: Option<Timestamp>,
    /// Every request that was sent for it.
    pub attempts: Vec<Attempt>,
}

impl VictimRecord {
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
                // An earlier request without an answer may still be carried out.
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
                    None,
                );
            }
            VictimEvent::SeenGone => {
                let ours = self.may_be_removed_by_us();
                self.set(if ours { VictimState::Gone } else { VictimState::GoneByItself }, None);
                self.gone_at.get_or_insert(at);
            }
        }
    }

    fn answered(&mut self, at: Timestamp, attempt: Attempt) {
        let Attempt { request, dry_run, .. } = attempt;
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
            // The step that sent the request decides what follows.
            _ => {}
        }
        self.attempts.push(attempt);
    }

    fn set(&mut self, state: VictimState, reason: Option<VictimReason>) {
        self.state = state;
        self.reason = reason;
    }

    /// HTTP status of the last answer to a request about the pod that was no dry run.
    #[must_use]
    pub fn last_status(&self) -> Option<u16> {
        let sent = self.attempts.iter().filter(|a| !a.dry_run && a.request != RequestKind::Event);
        sent.filter_map(|attempt| attempt.status).next_back()
    }

    /// The message of the last answer, if it had one.
    pub(in crate::apply) fn last_message(&self) -> Option<&str> {
        let last = self.attempts.last()?;
        Some(last.outcome.text()).filter(|text| !text.is_empty())
    }

    /// The last request.
    pub(in crate::apply) fn last_request(&self) -> Option<RequestKind> {
        self.attempts.last().map(|attempt| attempt.request)
    }

    /// Whether a removal was sent that the server carried out or may have.
    pub(in crate::apply) fn may_be_removed_by_us(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.request.is_removal() && attempt.may_be_done())
    }

    /// What the run did to the condition `DisruptionTarget`.
    #[must_use]
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
        self.attempts.iter().any(Attempt::may_be_done)
    }
}
