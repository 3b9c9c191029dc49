//! The record of a preemptor: its nomination and where it is.

use jiff::Timestamp;

use super::nomination::{NominationEvent, RecordedNomination};
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
