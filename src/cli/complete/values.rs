//! The type of an argument's values, by the argument's name: one table for all commands.

use clap::ValueHint;

use super::protocol::{FILES, FOLDERS};

/// What the values of an argument refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// Pods, or owners of pods.
    Targets,
    Pods,
    Namespaces,
    Nodes,
    PriorityClasses,
    /// Contexts of the kubeconfig.
    Contexts,
    /// Clusters of the kubeconfig.
    Clusters,
    /// Users of the kubeconfig.
    Users,
    /// Versions of kube-scheduler.
    Versions,
    /// Files, or folders with files.
    Files,
    Folders,
    /// Anything else, without candidates.
    Free,
}

/// The arguments with candidates, by their clap ids.
const ARGUMENTS: &[(&str, Values)] = &[
    ("pods", Values::Targets),
    ("preemptor", Values::Targets),
    ("remove_pod", Values::Pods),
    ("namespace", Values::Namespaces),
    ("on", Values::Nodes),
    ("nodes", Values::Nodes),
    ("cordon", Values::Nodes),
    ("priority", Values::PriorityClasses),
    ("context", Values::Contexts),
    ("cluster", Values::Clusters),
    ("user", Values::Users),
    ("scheduler_version", Values::Versions),
    ("compare", Values::Versions),
    ("from", Values::Files),
    ("against", Values::Files),
    ("before", Values::Files),
    ("gone", Values::Pods),
    ("filenames", Values::Files),
    ("add_node", Values::Files),
    ("output", Values::Files),
    ("kubeconfig", Values::Files),
    ("scheduler_config", Values::Files),
    ("certificate_authority", Values::Files),
    ("client_certificate", Values::Files),
    ("client_key", Values::Files),
    ("cache_dir", Values::Folders),
    ("dir", Values::Folders),
];

/// `command` with hints for the completion scripts of shells: which arguments are files or folders.
#[must_use]
pub fn with_value_hints(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| match Values::of(&arg) {
        Some(Values::Files) => arg.value_hint(ValueHint::AnyPath),
        Some(Values::Folders) => arg.value_hint(ValueHint::DirPath),
        _ => arg,
    });
    command.mut_subcommands(with_value_hints)
}

impl Values {
    /// The type of the values of `arg`; `None` if it takes none, or if clap knows all of them.
    pub(super) fn of(arg: &clap::Arg) -> Option<Self> {
        if !arg.get_action().takes_values() || !arg.get_possible_values().is_empty() {
            return None;
        }
        let known =
            ARGUMENTS.iter().find(|(name, _)| arg.get_id() == name).map(|(_, values)| *values);
        Some(known.unwrap_or(Self::Free))
    }

    /// The directive for values that the shell itself completes.
    pub(super) fn directive(self) -> Option<u32> {
        match self {
            Self::Files => Some(FILES),
            Self::Folders => Some(FOLDERS),
            _ => None,
        }
    }
}
