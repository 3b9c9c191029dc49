//! What is recorded about a run as a whole, and the events of a run.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::preemptor::PreemptorEvent;
use super::victim::VictimEvent;
use crate::apply::options::{DryRun, Mode};
use crate::apply::signals::Signal;
use crate::exit::Exit;
use engine::simulation::plan::{PodId, PreemptorId};

/// What is known before the first event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// How victims are removed.
    pub mode: Mode,
    /// How much of the run is a rehearsal.
    pub dry_run: DryRun,
    /// The kubeconfig's context, if one is used.
    pub context: Option<String>,
    /// The address of the API server.
    pub server: String,
    /// The hash that identifies the plan, see `plan_hash`.
    pub plan_hash: String,
    /// The pod or group for which the victims are removed.
    pub preemptor: PreemptorId,
    /// When the run started.
    pub started_at: Timestamp,
}

/// The user as whom the server authenticates the requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// User name.
    pub name: String,
    /// UID, if the user has one.
    pub uid: Option<String>,
    /// Groups.
    pub groups: Vec<String>,
}

/// What the user confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmation {
    /// When.
    pub at: Timestamp,
    /// The disruption budgets that the plan violated then, as `namespace/name`.
    pub violated_budgets: BTreeSet<String>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplyOutcome {
    /// The plan was carried out, and the preemptor is bound to a node if the run waited for that.
    Applied,
    /// The preemptor needs no removal (any more): it fits, or it is bound.
    NotNeeded,
    /// No eviction makes the preemptor fit, so there was no plan.
    Impossible,
    /// The rehearsal succeeded.
    DryRun,
    /// The run stopped before it changed anything.
    Refused,
    /// The run stopped after it had changed something.
    Stopped,
    /// A signal ended the run.
    Interrupted(Signal),
}

impl ApplyOutcome {
    /// How the program exits.
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

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// How it ended.
    pub outcome: ApplyOutcome,
    /// The problem that stopped it, if one did.
    pub problem: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The server reported its version and the user's identity, each if it does.
    Identified {
        /// `gitVersion`.
        version: Option<String>,
        /// The user.
        user: Option<User>,
    },
    /// A warning was printed.
    Warned(String),
    /// The user confirmed a plan that violates these disruption budgets (`namespace/name`).
    Confirmed {
        /// The budgets.
        violated_budgets: BTreeSet<String>,
    },
    /// Something happened to a victim.
    Victim(PodId, VictimEvent),
    /// Something happened to a pod that gets room.
    Preemptor(PodId, PreemptorEvent),
    /// The run ended.
    Ended {
        /// How.
        outcome: ApplyOutcome,
        /// The problem that stopped it, if one did.
        problem: Option<String>,
    },
}
