//! The header of a journal and the events of a run.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::preemptor::PreemptorEvent;
use super::victim::VictimEvent;
use crate::apply::options::{DryRunMode, Mode};
use crate::apply::signals::Signal;
use crate::exit::Exit;
use engine::simulation::plan::{PodId, PreemptorId};

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
