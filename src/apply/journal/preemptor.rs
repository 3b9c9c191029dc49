//! The record of a pod that gets room: its nomination, and where it is.

use jiff::Timestamp;

use super::nomination::{Nomination, NominationEvent};
use engine::simulation::plan::{Placement, PodId};

/// Where a pod is, as far as the run observed it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Landing {
    /// The run did not wait for it.
    #[default]
    NotAwaited,
    /// It had no node when it was last read.
    Waiting,
    /// It is bound to a node.
    Bound {
        /// The node.
        node: String,
        /// When that was observed.
        at: Timestamp,
    },
    /// It does not exist any more.
    Gone,
}

/// Something that happened to a pod that gets room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreemptorEvent {
    /// Something happened to its nomination.
    Nomination(NominationEvent),
    /// The run began to wait for it.
    Awaited,
    /// It was seen on this node.
    Bound(String),
    /// It was seen to be gone.
    Gone,
    /// It may not be read: the run does not wait for it.
    Hidden,
}

/// The record of a pod that gets room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreemptorRecord {
    /// The pod.
    pub pod: PodId,
    /// The node of the plan.
    pub node: String,
    /// Its nomination.
    pub nomination: Nomination,
    /// Where it is.
    pub landing: Landing,
}

impl PreemptorRecord {
    pub(super) fn new(placement: &Placement) -> Self {
        Self {
            pod: placement.pod.clone(),
            node: placement.node.clone(),
            nomination: Nomination::default(),
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
