//! The journal of one run: everything that was planned, sent, received and observed, as plain
//! values. The steps record events; only the journal derives the state from them. It is pure: every
//! event has its time. `json` can build the JSON result from it at any time.
//!
//! ```text
//! journal.record(now, Event::Victim(pod, VictimEvent::Answered(attempt)))   // attempt.outcome: Accepted
//! journal.victim(&pod)                                                      // state: Accepted, accepted_at: now
//! ```

mod preemptor;
mod victim;

use std::collections::BTreeSet;

use jiff::Timestamp;
use sha1_smol::Sha1;

use crate::apply::options::{DryRunMode, Mode};
use crate::apply::server::outcome::WriteOutcome;
use crate::apply::signals::Signal;
use crate::exit::Exit;
use engine::simulation::plan::{Plan, PodId, PreemptorId};

pub use json::apply::{NominationState, VictimState};
pub use preemptor::{
    Landing, NominationEvent, NominationReason, PreemptorEvent, PreemptorRecord, RecordedNomination,
};
pub use victim::{
    ConditionState, RequestAttempt, RequestKind, VictimEvent, VictimReason, VictimRecord,
};

/// The record of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Journal {
    header: Header,
    version: Option<String>,
    user: Option<User>,
    confirmation: Option<Confirmation>,
    victims: Vec<VictimRecord>,
    preemptors: Vec<PreemptorRecord>,
    warnings: Vec<String>,
    end: Option<End>,
}

impl Journal {
    /// The journal of a run of `plan` without events.
    pub(super) fn new(header: Header, plan: &Plan) -> Self {
        Self {
            header,
            version: None,
            user: None,
            confirmation: None,
            victims: plan.victims.iter().map(VictimRecord::new).collect(),
            preemptors: plan.placed.iter().map(PreemptorRecord::new).collect(),
            warnings: Vec::new(),
            end: None,
        }
    }

    /// Records an event at `at`. Events about pods that are not in the plan are ignored.
    pub(super) fn record(&mut self, at: Timestamp, event: JournalEvent) {
        match event {
            JournalEvent::Identified { version, user } => {
                self.version = version;
                self.user = user;
            }
            JournalEvent::Warned(text) => {
                if !self.warnings.contains(&text) {
                    self.warnings.push(text);
                }
            }
            JournalEvent::Confirmed { violated_budgets } => {
                self.confirmation = Some(Confirmation { at, violated_budgets });
            }
            JournalEvent::Victim(pod, event) => {
                if let Some(victim) =
                    self.victims.iter_mut().find(|victim| victim.pod.uid == pod.uid)
                {
                    victim.record(at, event);
                }
            }
            JournalEvent::Preemptor(pod, event) => {
                if let Some(preemptor) =
                    self.preemptors.iter_mut().find(|preemptor| preemptor.pod.uid == pod.uid)
                {
                    preemptor.record(at, event);
                }
            }
            JournalEvent::Ended { outcome, problem } => {
                self.end = Some(End { outcome, problem, at });
            }
        }
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    /// `gitVersion` of the server, if it reported one.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The user, if the server reported one.
    pub fn user(&self) -> Option<&User> {
        self.user.as_ref()
    }

    /// The confirmation, if there was one.
    pub fn confirmation(&self) -> Option<&Confirmation> {
        self.confirmation.as_ref()
    }

    /// The victims, in the order of the plan.
    pub fn victims(&self) -> &[VictimRecord] {
        &self.victims
    }

    pub fn victim(&self, pod: &PodId) -> Option<&VictimRecord> {
        self.victims.iter().find(|victim| victim.pod.uid == pod.uid)
    }

    /// Why a victim that still exists stays, although the last request about it got a "not found".
    pub(in crate::apply) fn why_not_found(
        &self,
        pod: &PodId,
        outcome: &WriteOutcome,
    ) -> VictimReason {
        match (self.victim(pod).and_then(VictimRecord::last_request), outcome) {
            (Some(request), WriteOutcome::NoSuchApi(text)) => {
                VictimReason::NotServed { request, message: text.clone() }
            }
            (_, other) => VictimReason::Message(format!(
                "the server shows the pod, and does not find it: {}",
                other.text()
            )),
        }
    }

    /// The preemptors, in the order of the plan; empty if there was no plan.
    pub fn preemptors(&self) -> &[PreemptorRecord] {
        &self.preemptors
    }

    pub fn preemptor(&self, pod: &PodId) -> Option<&PreemptorRecord> {
        self.preemptors.iter().find(|preemptor| preemptor.pod.uid == pod.uid)
    }

    /// Deduplicated warnings.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// The exit code; [`Exit::Answered`] before the end.
    pub fn exit(&self) -> Exit {
        self.end.as_ref().map_or(Exit::Answered, |end| end.outcome.exit())
    }

    /// The same journal, of a run that ends here with this problem, in the middle of its work.
    #[must_use]
    pub(crate) fn broken_off(&self, at: Timestamp, problem: &str) -> Self {
        let mut journal = self.clone();
        let (outcome, problem) = (ApplyOutcome::Stopped, Some(problem.to_owned()));
        journal.record(at, JournalEvent::Ended { outcome, problem });
        journal
    }

    /// The victims that no longer occupy the node: removed or terminating.
    pub(super) fn leaving(&self) -> Vec<PodId> {
        self.victims
            .iter()
            .filter(|victim| victim.is_leaving())
            .map(|victim| victim.pod.clone())
            .collect()
    }

    pub(super) fn is_leaving(&self, pod: &PodId) -> bool {
        self.victim(pod).is_some_and(VictimRecord::is_leaving)
    }

    /// Whether the server executed the removal of a victim, or may have.
    pub(super) fn has_removed_victims(&self) -> bool {
        self.victims.iter().any(VictimRecord::may_be_removed_by_us)
    }

    /// Whether the server executed a request about a victim, or may have.
    pub(super) fn has_touched_victims(&self) -> bool {
        self.victims.iter().any(VictimRecord::is_touched)
    }

    /// Whether the run changed anything, or may have.
    pub(crate) fn has_changed_anything(&self) -> bool {
        self.has_touched_victims()
            || self.preemptors.iter().any(|preemptor| preemptor.nomination.may_be_ours())
    }
}

/// The hash that identifies a plan: SHA-1 of the preemptor, the victims in order, and the nodes of
/// the preemptors.
pub(super) fn plan_hash(plan: &Plan) -> String {
    let mut sha = Sha1::new();
    // Neither names nor UIDs contain a newline.
    let id = &plan.preemptor.id;
    sha.update(format!("{}/{}\n", id.full_name(), id.uid()).as_bytes());
    for victim in &plan.victims {
        sha.update(format!("{}/{}\n", victim.pod.full_name(), victim.pod.uid).as_bytes());
    }
    if let PreemptorId::Group(_) = id {
        for placement in &plan.placed {
            sha.update(format!("{}/{}\n", placement.pod.full_name(), placement.pod.uid).as_bytes());
        }
    }
    let nodes: Vec<&str> = plan.placed.iter().map(|placement| placement.node.as_str()).collect();
    sha.update(nodes.join("\n").as_bytes());
    sha.digest().to_string()
}

/// Facts known before the first event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub mode: Mode,
    pub dry_run: DryRunMode,
    /// The kubeconfig context, if one is used.
    pub context: Option<String>,
    pub server: String,
    /// The hash that identifies the plan, see `plan_hash`.
    pub plan_hash: String,
    pub preemptor: PreemptorId,
    pub started_at: Timestamp,
}

/// The user as whom the server authenticates the requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub name: String,
    pub uid: Option<String>,
    pub groups: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmation {
    pub at: Timestamp,
    /// The disruption budgets that the plan violated at that time, as `namespace/name`.
    pub violated_budgets: BTreeSet<String>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplyOutcome {
    /// The plan was executed, and the preemptor is bound if the run waited for that.
    Applied,
    /// The preemptor needs no (further) removal: it fits, or it is bound.
    NotNeeded,
    /// No eviction makes the preemptor fit, so there was no plan.
    Impossible,
    /// The dry run succeeded.
    DryRun,
    /// The run stopped before it changed anything.
    Refused,
    /// The run stopped after it had changed something.
    Stopped,
    Interrupted(Signal),
}

impl ApplyOutcome {
    pub(crate) fn exit(self) -> Exit {
        match self {
            Self::Applied | Self::NotNeeded | Self::DryRun => Exit::Answered,
            Self::Impossible => Exit::No,
            Self::Refused => Exit::Failed,
            Self::Stopped => Exit::Stopped,
            Self::Interrupted(signal) => signal.exit(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    pub outcome: ApplyOutcome,
    /// The problem that stopped it, if there was one.
    pub problem: Option<String>,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalEvent {
    /// The server's version and the user's identity, as far as the server reported them.
    Identified {
        /// `gitVersion`.
        version: Option<String>,
        user: Option<User>,
    },
    Warned(String),
    /// The user confirmed a plan that violates these disruption budgets (`namespace/name`).
    Confirmed {
        violated_budgets: BTreeSet<String>,
    },
    Victim(PodId, VictimEvent),
    Preemptor(PodId, PreemptorEvent),
    Ended {
        outcome: ApplyOutcome,
        /// The problem that stopped it, if there was one.
        problem: Option<String>,
    },
}

#[cfg(test)]
pub(super) mod tests;
