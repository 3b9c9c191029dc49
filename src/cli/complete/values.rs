//! Which values an argument takes, by its name: one table for all commands.

use clap::ValueHint;
use clap_complete::engine::CompletionCandidate;

use super::{FILES, FOLDERS, Typed};
use engine::profile::SchedulerVersion;

/// What an argument names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// Pods, or owners of pods.
    Targets,
    /// Pods.
    Pods,
    /// Namespaces.
    Namespaces,
    /// Nodes.
    Nodes,
    /// Priority classes.
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
    /// Folders.
    Folders,
    /// Anything else: nothing can be proposed.
    Free,
}

/// Arguments by their names.
const ARGUMENTS: &[(&str, Values)] = &[
    ("pods", Values::Targets),
    ("remove_pod", Values::Pods),
    ("namespace", Values::Namespaces),
    ("on", Values::Nodes),
    ("cordon", Values::Nodes),
    ("priority", Values::PriorityClasses),
    ("context", Values::Contexts),
    ("cluster", Values::Clusters),
    ("user", Values::Users),
    ("scheduler_version", Values::Versions),
    ("compare", Values::Versions),
    ("from", Values::Files),
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

/// `command` with what scripts for shells need to know: which arguments are files.
#[must_use]
pub fn hinted(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| match Values::of(&arg) {
        Some(Values::Files) => arg.value_hint(ValueHint::AnyPath),
        Some(Values::Folders) => arg.value_hint(ValueHint::DirPath),
        _ => arg,
    });
    command.mut_subcommands(hinted)
}

impl Values {
    /// The values of `arg`; `None` if it takes none, or lists them itself.
    pub(super) fn of(arg: &clap::Arg) -> Option<Self> {
        if !arg.get_action().takes_values() || !arg.get_possible_values().is_empty() {
            return None;
        }
        let known = ARGUMENTS.iter().find(|(name, _)| arg.get_id() == name).map(|(_, values)| *values);
        Some(known.unwrap_or(Self::Free))
    }

    /// What the shell shall do about them, if it knows better than we.
    pub(super) fn directive(self) -> Option<u32> {
        match self {
            Self::Files => Some(FILES),
            Self::Folders => Some(FOLDERS),
            _ => None,
        }
    }

    /// Values that begin with `current`.
    pub(super) fn candidates(self, current: &str, typed: &Typed) -> Vec<CompletionCandidate> {
        match self {
            Self::Files | Self::Folders | Self::Free => Vec::new(),
            Self::Versions => versions(current),
            _ => super::cluster::candidates(self, current, typed),
        }
    }
}

/// The newest first; of the alpha, that it is one.
fn versions(current: &str) -> Vec<CompletionCandidate> {
    let minors = (SchedulerVersion::OLDEST.minor..=SchedulerVersion::NEWEST.minor).rev();
    let known = minors.map(|minor| (format!("1.{minor}"), ""));
    let alpha = (SchedulerVersion::ALPHA.minor_text(), "alpha");
    let all = known.chain(std::iter::once(alpha)).filter(|(version, _)| version.starts_with(current));
    all.map(|(version, about)| {
        let help = Some(about).filter(|about| !about.is_empty()).map(Into::into);
        CompletionCandidate::new(version).help(help)
    })
    .collect()
}
