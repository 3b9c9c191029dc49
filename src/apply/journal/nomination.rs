//! The record of the nomination of a pod that gets room: its `status.nominatedNodeName`.

use std::fmt;

use engine::simulation::plan::PodId;

/// The state of the nomination.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NominationState {
    /// It was not requested, or the run did not get to it.
    #[default]
    NotSet,
    /// Another client had nominated the pod to the same node before.
    AlreadySet,
    /// It could not be set.
    Refused,
    /// This run set it, and it stands.
    Set,
    /// This run set it and cleared it.
    Cleared,
    /// This run may have set it, and could not clear it or read it.
    Unknown,
}

/// Why the nomination is in its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NominationReason {
    /// A message of the server or the network.
    Message(String),
    /// Another client nominated the pod to another node.
    NominatedElsewhere {
        /// The pod.
        pod: PodId,
        /// The other node.
        node: String,
        /// The field manager of the other client, if it is known.
        manager: Option<String>,
    },
    /// Every attempt collided with another client or got no answer.
    OutOfAttempts,
    /// Whether it was cleared is not known.
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

/// Something that happened to the nomination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NominationEvent {
    /// The pod was seen nominated to the node before this run set it.
    FoundSet,
    /// The request got no answer that tells whether it was carried out; the message.
    Unanswered(String),
    /// The nomination of this run was accepted, or was seen.
    Set,
    /// It cannot be set.
    Failed(NominationReason),
    /// It does not stand any more.
    Cleared,
    /// Whether it still stands is not known.
    ClearingUnknown,
    /// It could not be cleared; the last message.
    NotCleared(String),
}

/// The record of the nomination.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Nomination {
    /// Its state.
    pub state: NominationState,
    /// Why it is in that state, if something was in the way.
    pub reason: Option<NominationReason>,
}

impl Nomination {
    pub(super) fn record(&mut self, event: NominationEvent) {
        match event {
            NominationEvent::FoundSet if self.state == NominationState::NotSet => {
                self.state = NominationState::AlreadySet;
            }
            // A request without an answer may have set it.
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

    /// Whether this run set it, or may have, and it may still stand.
    pub(in crate::apply) fn may_be_ours(&self) -> bool {
        matches!(self.state, NominationState::Set | NominationState::Unknown)
    }
}
