//! Why there is no answer.

use engine::cluster::build::Builder;

use crate::remedies::arguments;

/// What to do about an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// A sentence.
    Sentence(String),
    /// Commands of this program.
    Commands(Vec<CommandHint>),
}

/// A command of this program, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandHint {
    /// Its words, without the name of the program.
    words: Vec<String>,
    /// As the end of a sentence.
    says: &'static str,
}

impl CommandHint {
    /// The command with these words.
    pub(crate) fn new(words: &[&str], says: &'static str) -> Self {
        Self { words: words.iter().map(ToString::to_string).collect(), says }
    }
}

impl Hint {
    /// The hint as text, in which `program` is the name by which this program is called.
    pub fn text(&self, program: &str) -> String {
        match self {
            Self::Sentence(text) => text.clone(),
            Self::Commands(commands) => {
                let commands = commands
                    .iter()
                    .map(|command| format!("{} {}", arguments(&command.words), command.says));
                format!("{program} {}", commands.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Self::Sentence(text)
    }
}

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
    /// What the question is about is not in the input; in kubectl's words.
    #[error("Error from server (NotFound): {resource} \"{name}\" not found")]
    NotFound {
        /// The plural name of the resource, with its group.
        resource: String,
        /// The name.
        name: String,
        /// What may have been meant.
        hint: Option<Hint>,
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

    /// The question makes no sense; with what to do.
    pub(crate) fn usage_hint(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { problem: problem.into(), hint: Some(hint.into()) }
    }

    /// An input without objects; `builder` was to receive them.
    pub fn no_objects(origin: &str, builder: &Builder) -> Self {
        match builder.unread() {
            Some(first) => Self::input(origin, format!("no object in it can be read: {first}")),
            None => Self::input(origin, "no Kubernetes object in it"),
        }
    }
}
