//! The closed list of exit codes.

use std::process::ExitCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The question was answered.
    Answered,
    /// It was answered with no, and `--exit-code` asked to be told so; a simulated pod gets no node; or the scheduler's
    /// message differs from its rules.
    No,
    /// Wrong flags, an input that cannot be read, or a cluster that cannot be reached.
    Failed,
    /// An answer was given, but part of what decides it is not modelled or could not be read.
    Partial,
}

impl Exit {
    /// Every way to end, in the order of the codes.
    pub const ALL: [Self; 4] = [Self::Answered, Self::No, Self::Failed, Self::Partial];

    /// The list as help texts show it.
    #[must_use]
    pub fn help() -> String {
        let lines = Self::ALL.map(|exit| format!("\n  {}  {}", exit.code(), exit.meaning()));
        format!("Exit codes:{}", lines.concat())
    }

    /// The code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Answered => 0,
            Self::No => 1,
            Self::Failed => 2,
            Self::Partial => 3,
        }
    }

    /// What it means, for help and documents.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Answered => "the question was answered (whatever the answer)",
            Self::No => {
                "with --exit-code: no node takes the pod, nothing helps; simulate: a pod gets no node; verify: a message differs"
            }
            Self::Failed => "wrong flags, unreadable input, cluster out of reach",
            Self::Partial => "answered, but part of what decides is not modelled or could not be read; see the notes",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
