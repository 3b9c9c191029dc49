//! The record of a preemptor: its nomination (`status.nominatedNodeName`), and where it is.

use std::fmt;

use jiff::Timestamp;
use json::apply::NominationState;

use engine::simulation::plan::{Placement, PodId};

/// The last observed placement of a preemptor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Landing {
    /// The run did not wait for it.
    #[default]
    NotAwaited,
    /// It had no node when it was last read.
    Waiting,
    Bound {
        node: String,
        /// When the binding was observed.
        at: Timestamp,
    },
    Gone,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreemptorEvent {
    Nomination(NominationEvent),
    /// The run began to wait for it.
    Awaited,
    /// It was observed on this node.
    Bound(String),
    Gone,
    /// Reading it is not permitted: the run does not wait for it.
    Hidden,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreemptorRecord {
    pub pod: PodId,
    /// The node of the plan.
    pub node: String,
    pub nomination: RecordedNomination,
    pub landing: Landing,
}

impl PreemptorRecord {
    pub(super) fn new(placement: &Placement) -> Self {
        Self {
            pod: placement.pod.clone(),
            node: placement.node.clone(),
            nomination: RecordedNomination::default(),
            landing: Landing::default(),
        }
    }

    pub(super) fn record(&mut self, at: Timestamp, event: PreemptorEvent) {
        match event {
            PreemptorEvent::Nomination(event) => self.nomination.record(event),
            PreemptorEvent::Awaited => self.landing = Landing::Waiting,
            PreemptorEvent::Bound(node) => self.landing = Landing::Bound { node, at },
            PreemptorEvent::Gone => self.landing = Landing::Gone,
            PreemptorEvent::Hidden => self.landing = Landing::NotAwaited,
        }
    }
}

/// Why the nomination is in its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NominationReason {
    /// A message of the server or the network.
    Message(String),
    /// Another client nominated the pod to another node.
    NominatedElsewhere {
        pod: PodId,
        /// The other node.
        node: String,
        /// The field manager of the other client, if known.
        manager: Option<String>,
    },
    /// Every attempt had a conflict or no response.
    OutOfAttempts,
    /// It is unknown whether it was cleared.
    ClearingUnknown,
    /// It could not be cleared; the last message.
    NotCleared(String),
}

impl fmt::Display for NominationReason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Message(text) => f.write_str(text),
            Self::NominatedElsewhere { pod, node, manager } => {
                write!(f, "{} is nominated to {node}", pod.full_name())?;
                manager.iter().try_for_each(|manager| write!(f, " by {manager}"))
            }
            Self::OutOfAttempts => {
                f.write_str("the pod changes all the time, or the server does not answer")
            }
            Self::ClearingUnknown => f.write_str("it is not known whether it is still set"),
            Self::NotCleared(last) => write!(f, "it could not be reset: {last}"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NominationEvent {
    /// The pod was already nominated to the node.
    FoundSet,
    /// The response leaves open whether the request was executed; the message.
    Unanswered(String),
    /// The nomination by this run was accepted or observed.
    Set,
    Failed(NominationReason),
    /// It is no longer set.
    Cleared,
    /// It is unknown whether it is still set.
    ClearingUnknown,
    /// It could not be cleared; the last message.
    NotCleared(String),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedNomination {
    pub state: NominationState,
    /// Why it is in that state, unless it succeeded.
    pub reason: Option<NominationReason>,
}

impl RecordedNomination {
    pub(super) fn record(&mut self, event: NominationEvent) {
        match event {
            NominationEvent::FoundSet if self.state == NominationState::NotSet => {
                self.state = NominationState::AlreadySet;
            }
            // A request without a response may have set it.
            NominationEvent::FoundSet => {}
            NominationEvent::Unanswered(text) => {
                self.state = NominationState::Unknown;
                self.reason = Some(NominationReason::Message(text));
            }
            NominationEvent::Set => self.state = NominationState::Set,
            NominationEvent::Failed(reason) => {
                if self.state != NominationState::Unknown {
                    self.state = NominationState::Refused;
                }
                self.reason = Some(reason);
            }
            NominationEvent::Cleared => {
                self.state = NominationState::Cleared;
                self.reason = None;
            }
            NominationEvent::ClearingUnknown => {
                self.state = NominationState::Unknown;
                self.reason = Some(NominationReason::ClearingUnknown);
            }
            NominationEvent::NotCleared(last) => {
                self.state = NominationState::Set;
                self.reason = Some(NominationReason::NotCleared(last));
            }
        }
    }

    /// Whether this run set it, or may have, and it may still be set.
    pub(in crate::apply) fn may_be_ours(&self) -> bool {
        matches!(self.state, NominationState::Set | NominationState::Unknown)
    }
}
