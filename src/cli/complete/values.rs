//! The type of an argument's values, by the argument's name: one table for all commands.

use super::protocol::{FILES, FOLDERS};

/// What the values of an argument refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueSource {
    /// Pods, or owners of pods.
    Targets,
    Pods,
    Namespaces,
    Nodes,
    /// Nodes, with more after a colon.
    NodesAnd,
    /// What `--fail` takes: nodes and zones.
    Domains,
    /// PodDisruptionBudgets, with a number after `=`.
    Budgets,
    PriorityClasses,
    /// Contexts of the kubeconfig.
    Contexts,
    /// Clusters of the kubeconfig.
    Clusters,
    /// Users of the kubeconfig.
    Users,
    /// Versions of kube-scheduler.
    Versions,
    /// Names and codes of rules.
    Rules,
    /// Codes of findings.
    Codes,
    /// Files, or folders with files.
    Files,
    Folders,
    /// Anything else, without candidates.
    Free,
}

/// The arguments with candidates, by their clap ids.
const ARGUMENTS: &[(&str, ValueSource)] = &[
    ("pods", ValueSource::Targets),
    ("preemptor", ValueSource::Targets),
    ("remove_pod", ValueSource::Pods),
    ("namespace", ValueSource::Namespaces),
    ("on", ValueSource::Nodes),
    ("nodes", ValueSource::Nodes),
    ("cordon", ValueSource::Nodes),
    ("drain", ValueSource::Nodes),
    ("uncordon", ValueSource::Nodes),
    ("add_node_like", ValueSource::Nodes),
    ("remove_node", ValueSource::Nodes),
    ("why_not", ValueSource::Nodes),
    ("free", ValueSource::NodesAnd),
    ("label_node", ValueSource::NodesAnd),
    ("remove_taint", ValueSource::NodesAnd),
    ("fail", ValueSource::Domains),
    ("pdb", ValueSource::Budgets),
    ("protect", ValueSource::Namespaces),
    ("priority", ValueSource::PriorityClasses),
    ("context", ValueSource::Contexts),
    ("cluster", ValueSource::Clusters),
    ("user", ValueSource::Users),
    ("scheduler_version", ValueSource::Versions),
    ("compare", ValueSource::Versions),
    ("name", ValueSource::Rules),
    ("ignore", ValueSource::Codes),
    ("from", ValueSource::Files),
    ("against", ValueSource::Files),
    ("before", ValueSource::Files),
    ("gone", ValueSource::Pods),
    ("filenames", ValueSource::Files),
    ("add_node", ValueSource::Files),
    ("output", ValueSource::Files),
    ("kubeconfig", ValueSource::Files),
    ("scheduler_config", ValueSource::Files),
    ("certificate_authority", ValueSource::Files),
    ("client_certificate", ValueSource::Files),
    ("client_key", ValueSource::Files),
    ("cache_dir", ValueSource::Folders),
    ("dir", ValueSource::Folders),
];

impl ValueSource {
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
