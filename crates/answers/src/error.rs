//! Why there is no answer.

use engine::cluster::build::Builder;

/// Why there is no answer. That a pod cannot be scheduled is an answer, not an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// An input from which nothing can be decided.
    #[error("{origin}: {problem}")]
    Input {
        /// The file, or the configuration.
        origin: String,
        /// The problem.
        problem: String,
    },
    /// The question makes no sense.
    #[error("{problem}")]
    Usage {
        /// What is wrong.
        problem: String,
        /// What to do.
        hint: Option<String>,
    },
}

impl AnswerError {
    /// An input from which nothing can be decided.
    pub(crate) fn input(origin: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Input { origin: origin.into(), problem: problem.into() }
    }

    /// The question makes no sense.
    pub(crate) fn usage(problem: impl Into<String>) -> Self {
        Self::Usage { problem: problem.into(), hint: None }
    }

    /// An input without objects; `builder` was to receive them.
    pub fn no_objects(origin: &str, builder: &Builder) -> Self {
        match builder.unread() {
            Some(first) => Self::input(origin, format!("no object in it can be read: {first}")),
            None => Self::input(origin, "no Kubernetes object in it"),
        }
    }
}
