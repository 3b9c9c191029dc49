//! What an answer is based on: which version decided, for which cluster or file, and as of when.

use jiff::Timestamp;

use crate::headline::rules_in_short;
use crate::node_name::NodeNames;
use crate::pod_report::PodReport;
use crate::words;

/// Maximum number of files that a line names.
const NAMED: usize = 3;

/// The kind of source that the objects were read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// A cluster.
    Live,
    /// Files or standard input.
    File,
}

/// The origin of the objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputOrigin {
    /// A cluster, by the name of its context or by its address.
    Cluster(String),
    /// Files, folders or standard input, at least one.
    Files(Vec<String>),
}

impl InputOrigin {
    /// The files, as a sentence names them; `None` for a cluster.
    pub fn files(&self) -> Option<String> {
        match self {
            Self::Cluster(_) => None,
            Self::Files(names) => Some(words::list(names, NAMED)),
        }
    }
}

/// What a page knows besides the decisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The origin of the objects.
    pub place: InputOrigin,
    /// The time of the decisions, from which ages are computed.
    pub as_of: Timestamp,
    /// How pages name the nodes.
    pub nodes: NodeNames,
}

impl Origin {
    /// The line about the origin of the decisions of one scheduler.
    pub fn text(&self, decisions: &[PodReport]) -> String {
        decisions
            .first()
            .map(|decision| self.line(&rules_in_short(decision.profile())))
            .unwrap_or_default()
    }

    /// The same line, with the version whose `rules` decided. For a cluster that was just read, the
    /// time of day is enough.
    pub fn line(&self, rules: &str) -> String {
        let (place, format) = match &self.place {
            InputOrigin::Cluster(name) => (format!("Cluster: {name}"), "%H:%M:%S UTC"),
            InputOrigin::Files(names) => {
                let title = if names.len() == 1 { "File" } else { "Files" };
                (format!("{title}: {}", words::list(names, NAMED)), "%Y-%m-%d %H:%M:%S UTC")
            }
        };
        format!("Rules: kube-scheduler {rules}   {place}   As of: {}", self.as_of.strftime(format))
    }
}
