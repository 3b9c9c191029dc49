//! The questions: one file each, with its request, its report, and the function between them.
//!
//! A request is checked values: no flag, no text of the command line. A report owns everything that
//! any outlet says about the answer, so that the screen, the JSON, the gate, the server for agents
//! and the page draw the same conclusions. Nothing is concluded after it.

use engine::profile::Profile;
use engine::snapshot::Header;
use jiff::Timestamp;

use crate::headline::rules_in_short;
use crate::input::LoadedInput;
use crate::origin::{Origin, SourceKind};

/// How a question was answered, from best to worst. The exit code of a command is made of it alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Yes, or the question is not one of yes or no.
    Yes,
    /// No: no node takes the pod, a node cannot be drained, nothing helps.
    No,
    /// Something that the answer depends on is not modelled, was not read, or is left open.
    Uncertain,
}

impl Verdict {
    /// [`Self::Uncertain`] if `uncertain`, else whether the answer is `yes`.
    pub const fn new(yes: bool, uncertain: bool) -> Self {
        match (uncertain, yes) {
            (true, _) => Self::Uncertain,
            (false, true) => Self::Yes,
            (false, false) => Self::No,
        }
    }
}

/// What each report has besides its answer: which scheduler decided, about what, and as of when.
#[derive(Debug, Clone)]
pub struct Basis {
    /// The first profile of the scheduler.
    pub profile: Profile,
    /// Versions of the cluster and its programs, and what could not be read.
    pub header: Header,
    /// Whether the objects came from a cluster or from files.
    pub source: SourceKind,
    /// The cluster or the files, and the time of the answer.
    pub origin: Origin,
}

impl Basis {
    /// The basis of answers about `input`.
    pub fn of(input: &LoadedInput) -> Self {
        Self {
            profile: input.profile.clone(),
            header: input.cluster.header.clone(),
            source: input.source,
            origin: input.origin(),
        }
    }

    /// The time of the answer.
    pub const fn now(&self) -> Timestamp {
        self.origin.as_of
    }

    /// The version that decided, as pages name it.
    pub fn rules(&self) -> String {
        rules_in_short(&self.profile)
    }

    /// The line about the version that decided, the cluster or the files, and the time.
    pub fn line(&self) -> String {
        self.origin.line(&self.rules())
    }
}
