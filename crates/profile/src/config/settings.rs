//! The configuration of one profile, and remarks on it.

use crate::args::PluginArgs;
use crate::plugins::PluginSettings;

/// A remark on the configuration for the reader of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigRemark {
    /// Whether it may affect the answer.
    pub decides: bool,
    /// One sentence.
    pub text: String,
}

impl ConfigRemark {
    /// A remark that may affect the answer.
    pub fn deciding(text: impl Into<String>) -> Self {
        Self { decides: true, text: text.into() }
    }

    /// A remark without effect on the answer.
    pub fn harmless(text: impl Into<String>) -> Self {
        Self { decides: false, text: text.into() }
    }
}

/// The configuration of one profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileSettings {
    /// `schedulerName`.
    pub scheduler_name: String,
    /// `percentageOfNodesToScore`, its own or the global one; 0 or `None`: by the number of nodes.
    pub percentage_of_nodes_to_score: Option<i64>,
    /// `percentageOfPlacementsToScore`, its own or that of the configuration.
    pub percentage_of_placements_to_score: Option<i64>,
    /// `plugins`.
    pub plugins: PluginSettings,
    /// `pluginConfig`.
    pub args: PluginArgs,
}

impl ProfileSettings {
    /// The profile of a scheduler without a configuration.
    pub(in crate::config) fn new() -> Self {
        Self {
            scheduler_name: "default-scheduler".to_owned(),
            percentage_of_nodes_to_score: None,
            percentage_of_placements_to_score: None,
            plugins: PluginSettings::default(),
            args: PluginArgs::default(),
        }
    }
}
