//! Errors without an answer. That a pod cannot be scheduled is an answer, not an error.

use std::io;
use std::path::Path;

use crate::program;
use engine::decode::DecodeError;
use engine::edits::EditError;
use files::FileError;
use render::name::NotAName;

/// An error that a user can act on: what went wrong in one line, and what to do in [`Error::hint`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An input that cannot be read.
    #[error("{origin}: {problem}")]
    Input {
        /// The file, or `standard input`.
        origin: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The cluster does not have the object, in kubectl's words.
    #[error("Error from server (NotFound): {resource} \"{name}\" not found")]
    NotFound {
        /// Plural resource.
        resource: String,
        /// Its name.
        name: String,
        /// Which object may be meant instead.
        hint: Option<String>,
    },
    /// Flags or values that make no sense.
    #[error("{problem}")]
    Usage {
        /// What is wrong.
        problem: String,
        /// What to do.
        hint: Option<String>,
    },
    /// The cluster could not be reached, or refused the request.
    #[error("{problem}")]
    Cluster {
        /// What was tried, and the answer.
        problem: String,
        /// What to do.
        hint: Option<String>,
    },
}

impl From<EditError> for Error {
    fn from(refusal: EditError) -> Self {
        match refusal {
            EditError::NotFound { resource, name } => {
                Self::NotFound { resource: resource.to_owned(), name, hint: None }
            }
            EditError::Value(problem) => Self::usage(problem),
        }
    }
}

impl From<NotAName> for Error {
    fn from(refusal: NotAName) -> Self {
        Self::input("output", refusal.to_string())
    }
}

impl Error {
    /// An input that cannot be read.
    pub fn input(origin: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Input { origin: origin.into(), problem: problem.into() }
    }

    /// A file that the system does not let us read or write; `what` is what was tried.
    #[must_use]
    pub fn io(path: &Path, what: &str, error: &io::Error) -> Self {
        let why = match error.kind() {
            io::ErrorKind::NotFound => "no such file or directory".to_owned(),
            io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            _ => error.to_string(),
        };
        Self::input(
            path.display().to_string(),
            if what.is_empty() { why } else { format!("{what}: {why}") },
        )
    }

    /// Flags or values that make no sense, and what to do instead.
    pub fn usage_hint(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { problem: problem.into(), hint: Some(hint.into()) }
    }

    /// Flags or values that make no sense.
    pub fn usage(problem: impl Into<String>) -> Self {
        Self::Usage { problem: problem.into(), hint: None }
    }

    /// An answer on which nothing is evicted, and why it is not certain.
    #[must_use]
    pub fn uncertain(why: &str) -> Self {
        Self::Cluster {
            problem: format!("nothing is evicted on an uncertain answer: {why}"),
            hint: Some(program::command("explain shows all notes")),
        }
    }

    /// An answer by assumed rules, on which nothing is evicted.
    #[must_use]
    pub fn assumed(rules: &str) -> Self {
        Self::Cluster {
            problem: format!("nothing is evicted by assumed rules: {rules}"),
            hint: Some("--scheduler-version gives the version".to_owned()),
        }
    }

    /// What the user can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Input { .. } => None,
            Self::NotFound { hint, .. } | Self::Usage { hint, .. } | Self::Cluster { hint, .. } => {
                hint.as_deref()
            }
        }
    }
}

impl From<answers::Error> for Error {
    fn from(error: answers::Error) -> Self {
        match error {
            answers::Error::Input { origin, problem } => Self::Input { origin, problem },
            answers::Error::Usage { problem, hint } => Self::Usage { problem, hint },
        }
    }
}

impl From<FileError> for Error {
    fn from(FileError { origin, problem }: FileError) -> Self {
        Self::Input { origin, problem }
    }
}

impl From<DecodeError> for Error {
    fn from(DecodeError { origin, problem, .. }: DecodeError) -> Self {
        Self::Input { origin, problem }
    }
}
