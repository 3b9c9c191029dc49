//! Why there is no answer.

use engine::cluster::build::Builder;
use engine::edits::EditError;

use crate::input_flags::InputFlags;
use crate::words::arguments;

/// What to do about an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// A sentence.
    Sentence(String),
    /// Commands of this program, behind a sentence if there is one.
    Commands { before: Option<String>, commands: Vec<CommandHint> },
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
            Self::Commands { before, commands } => {
                let before = before.iter().map(|sentence| format!("{sentence} "));
                let commands = commands.iter().map(|command| {
                    format!("{program} {} {}", arguments(&command.words), command.says)
                });
                let commands = commands.collect::<Vec<_>>().join(", ");
                format!("{}{commands}", before.collect::<String>())
            }
        }
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Self::Sentence(text)
    }
}

impl From<&str> for Hint {
    fn from(text: &str) -> Self {
        Self::Sentence(text.to_owned())
    }
}

impl From<Vec<CommandHint>> for Hint {
    fn from(commands: Vec<CommandHint>) -> Self {
        Self::Commands { before: None, commands }
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
    /// What the question is about is not in the input; in kubectl's words, which has
    /// `Error from server (NotFound):` before them if there is a server.
    #[error("{resource} \"{name}\" not found")]
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
        hint: Option<Hint>,
    },
}

impl From<EditError> for AnswerError {
    fn from(refusal: EditError) -> Self {
        match refusal {
            EditError::NotFound { resource, name } => {
                Self::NotFound { resource: resource.to_owned(), name, hint: None }
            }
            EditError::Value(problem) => Self::usage(problem),
        }
    }
}

impl AnswerError {
    /// An input from which nothing can be decided.
    pub fn input(origin: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Input { origin: origin.into(), problem: problem.into() }
    }

    /// The question makes no sense.
    pub fn usage(problem: impl Into<String>) -> Self {
        Self::Usage { problem: problem.into(), hint: None }
    }

    /// The question makes no sense; with what to do.
    pub fn usage_hint(problem: impl Into<String>, hint: impl Into<Hint>) -> Self {
        Self::Usage { problem: problem.into(), hint: Some(hint.into()) }
    }

    /// The same with commands that ask about this input.
    #[must_use]
    pub(crate) fn about(mut self, flags: &InputFlags) -> Self {
        let hint = match &mut self {
            Self::NotFound { hint, .. } | Self::Usage { hint, .. } => hint.as_mut(),
            Self::Input { .. } => None,
        };
        if let Some(Hint::Commands { commands, .. }) = hint {
            for command in commands {
                let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
                command.words = flags.command(&words);
            }
        }
        self
    }

    /// An input without objects; `builder` was to receive them.
    pub fn no_objects(origin: &str, builder: &Builder) -> Self {
        match builder.unread() {
            Some(first) => Self::input(origin, format!("no object in it can be read: {first}")),
            None => Self::input(origin, "no Kubernetes object in it"),
        }
    }
}
