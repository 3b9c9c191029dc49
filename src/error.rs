//! Errors that prevent an answer. An unschedulable pod is an answer, not an error.

use std::io;
use std::path::Path;

use crate::program;
use answers::questions::simulate::Refusal;
use engine::decode::DecodeError;
use engine::edits::EditError;
use files::FileError;
use render::name::NotAName;

/// An error that a user can act on: the problem in one line, and what to do in [`Error::hint`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Unreadable input.
    #[error("{origin}: {problem}")]
    Input {
        /// The file, or `standard input`.
        origin: String,
        problem: String,
    },
    /// There is no such object; in kubectl's words.
    #[error("{resource} \"{name}\" not found")]
    NotFound {
        /// Plural name of the resource.
        resource: String,
        name: String,
        /// A suggestion, such as a similar name.
        hint: Option<String>,
    },
    /// Invalid flags or values.
    #[error("{problem}")]
    Usage { problem: String, hint: Option<String> },
    /// The API server has answered that the user may not do this.
    #[error("{problem}")]
    Forbidden {
        /// The request and the response.
        problem: String,
        hint: Option<String>,
    },
    /// The cluster could not be reached, or rejected the request.
    #[error("{problem}")]
    Cluster {
        /// The request and the response.
        problem: String,
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
    /// Unreadable input.
    pub fn input(origin: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Input { origin: origin.into(), problem: problem.into() }
    }

    /// The operating system denied access to a file; `what` is the attempted operation.
    pub fn io(path: &Path, what: &str, error: &io::Error) -> Self {
        let why = Self::io_problem(error);
        Self::input(
            path.display().to_string(),
            if what.is_empty() { why } else { format!("{what}: {why}") },
        )
    }

    /// What the operating system said, in the words of other programs.
    pub fn io_problem(error: &io::Error) -> String {
        match error.kind() {
            io::ErrorKind::NotFound => "no such file or directory".to_owned(),
            io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            _ => error.to_string(),
        }
    }

    /// Invalid flags or values, with a suggestion.
    pub fn usage_hint(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { problem: problem.into(), hint: Some(hint.into()) }
    }

    /// Invalid flags or values.
    pub fn usage(problem: impl Into<String>) -> Self {
        Self::Usage { problem: problem.into(), hint: None }
    }

    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Input { .. } => None,
            Self::NotFound { hint, .. }
            | Self::Usage { hint, .. }
            | Self::Forbidden { hint, .. }
            | Self::Cluster { hint, .. } => hint.as_deref(),
        }
    }
}

impl From<answers::AnswerError> for Error {
    fn from(error: answers::AnswerError) -> Self {
        match error {
            answers::AnswerError::Input { origin, problem } => Self::Input { origin, problem },
            answers::AnswerError::NotFound { resource, name, hint } => {
                let hint = hint.map(|hint| hint.text(program::program().typed()));
                Self::NotFound { resource, name, hint }
            }
            answers::AnswerError::Usage { problem, hint } => {
                let hint = hint.map(|hint| hint.text(program::program().typed()));
                Self::Usage { problem, hint }
            }
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        let hint = match &refusal {
            Refusal::AssumedRules(_) => Some("--scheduler-version gives the version".to_owned()),
            Refusal::Uncertain(_) => Some(program::command("explain shows all notes")),
            Refusal::Unknown(_) => None,
        };
        Self::Cluster { problem: refusal.to_string(), hint }
    }
}

impl From<FileError> for Error {
    fn from(FileError { origin, problem, .. }: FileError) -> Self {
        Self::Input { origin, problem }
    }
}

impl From<DecodeError> for Error {
    fn from(DecodeError { origin, problem, .. }: DecodeError) -> Self {
        Self::Input { origin, problem }
    }
}
