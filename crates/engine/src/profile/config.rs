//! The file that a kube-scheduler is started with, checked as strictly as the scheduler of that version checks it:
//! a `KubeSchedulerConfiguration` of any version, or a `Policy`.
//!
//! Upstream: `kube-scheduler/config/v1/types.go`, `pkg/scheduler/apis/config/v1/defaults.go`,
//! `pkg/scheduler/apis/config/validation/validation.go` (1.37), and their predecessors since 1.12.

mod api;
mod args;
pub mod extender;
pub mod policy;
mod profiles;
mod wire;

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub use api::Api;
pub use extender::Extender;

use super::args::PluginArgs;
use super::plugins::PluginSettings;
use super::{Features, PluginSet, Profile};
use crate::profile::history::PluginLists;

/// What is wrong with a configuration, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    /// Path of the field; empty for the whole file.
    pub path: String,
    /// What is wrong with it.
    pub problem: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.problem) } else { write!(f, "{}: {}", self.path, self.problem) }
    }
}

impl ConfigError {
    fn new(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { path: path.into(), problem: problem.into() }
    }

    fn invalid(path: impl Into<String>, value: impl fmt::Debug, problem: &str) -> Self {
        Self::new(path, format!("Invalid value: {value:?}: {problem}"))
    }
}

/// A configuration as far as it decides anything here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    /// Which of the versions it is written in.
    pub api: Api,
    /// One per `schedulerName`, at least one.
    pub profiles: Vec<ProfileSettings>,
    /// Webhooks that the scheduler asks, in the order of the file.
    pub extenders: Vec<Extender>,
    /// What of it the scheduler passes over, or what is not known here.
    pub remarks: Vec<Remark>,
}

/// Something that the reader of an answer must know about the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Whether it may change the answer.
    pub decides: bool,
    /// One sentence.
    pub text: String,
}

impl Remark {
    /// Something that may change the answer.
    pub fn deciding(text: impl Into<String>) -> Self {
        Self { decides: true, text: text.into() }
    }

    /// Something that changes nothing.
    pub fn harmless(text: impl Into<String>) -> Self {
        Self { decides: false, text: text.into() }
    }
}

/// What a configuration says of one profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileSettings {
    /// `schedulerName`.
    pub scheduler_name: String,
    /// `percentageOfNodesToScore`, its own or that of all; 0 or `None`: by the number of nodes.
    pub percentage_of_nodes_to_score: Option<i64>,
    /// `plugins`.
    pub plugins: PluginSettings,
    /// `pluginConfig`.
    pub args: PluginArgs,
}

impl ProfileSettings {
    /// The profile of a scheduler to which nothing is said.
    fn new() -> Self {
        Self {
            scheduler_name: "default-scheduler".to_owned(),
            percentage_of_nodes_to_score: None,
            plugins: PluginSettings::default(),
            args: PluginArgs::default(),
        }
    }
}

impl Configuration {
    /// Reads a configuration from its JSON form, as the scheduler of `base` does.
    ///
    /// # Errors
    /// The first thing that kube-scheduler would refuse, with its path.
    pub fn read(value: &Value, base: &Profile) -> Result<Self, ConfigError> {
        let api = Api::of(value, base.version)?;
        if api == Api::Policy { policy::read(value, base) } else { profiles::read(value, api, base) }
    }

    /// The profiles of a scheduler of the version of `base`, which it replaces.
    #[must_use]
    pub fn profiles(&self, base: &Profile) -> Vec<Profile> {
        let names: Vec<String> = self.profiles.iter().map(|p| p.scheduler_name.clone()).collect();
        let lineup = lineup(self.api, base);
        let profile = |settings: &ProfileSettings| Profile {
            scheduler_name: settings.scheduler_name.clone(),
            all_names: names.clone(),
            config_source: base.config_source.clone(),
            percentage_of_nodes_to_score: settings.percentage_of_nodes_to_score,
            plugins: PluginSet::new(&lineup, &settings.plugins),
            settings: settings.plugins.clone(),
            args: settings.args.clone(),
            extenders: self.extenders.clone(),
            remarks: base.remarks.iter().chain(&self.remarks).cloned().collect(),
            features: base.features.clone(),
            gates: base.gates.clone(),
            version: base.version,
            source: base.source,
        };
        self.profiles.iter().map(profile).collect()
    }
}

/// The features by which default plugins are chosen: a scheduler that reads several versions of the configuration has
/// default plugins for each.
///
/// Upstream: `pkg/scheduler/apis/config/v1beta1/default_plugins.go` (1.22), `v1beta2/default_plugins.go` (1.22 to 1.27).
fn lineup(api: Api, base: &Profile) -> Features {
    let mut lineup = base.features.clone();
    match api {
        Api::V1Beta1 | Api::Policy => {
            (lineup.node_resources_fit.fit_scores, lineup.node_prefer_avoid_pods.avoid_pods) = (false, true);
        }
        Api::V1Beta2 => lineup.default_plugins.plugin_lists = PluginLists::PerPoint,
        Api::V1Alpha1 | Api::V1Alpha2 | Api::V1Beta3 | Api::V1 => {}
    }
    lineup
}

/// Decodes `value`, refusing fields that do not exist.
fn strict<T: DeserializeOwned>(value: &Value, path: &str) -> Result<T, ConfigError> {
    serde_path_to_error::deserialize(value).map_err(|e| {
        let inner = match e.path().to_string() {
            root if root == "." => String::new(),
            inner => inner,
        };
        let path =
            if path.is_empty() || inner.is_empty() { format!("{path}{inner}") } else { format!("{path}.{inner}") };
        let message = e.inner().to_string();
        if message.starts_with(UNKNOWN_FIELD) {
            return unknown_field(&path);
        }
        ConfigError::new(path, format!("strict decoding error: {}", wrong_type(&message)))
    })
}

/// How the decoder begins to say that a field does not exist.
const UNKNOWN_FIELD: &str = "unknown field";

/// The scheduler's words for a field that does not exist.
fn unknown_field(path: &str) -> ConfigError {
    ConfigError::new(path, format!("strict decoding error: unknown field {path:?}"))
}

/// The decoder's words for a value of another type, without Rust's names of types.
fn wrong_type(message: &str) -> String {
    let Some((found, expected)) =
        message.split_once(": ").and_then(|(_, rest)| rest.rsplit_once(", expected ")).map(|(f, e)| (f, e.trim()))
    else {
        return message.to_owned();
    };
    let expected = match expected {
        "i64" | "u64" | "i32" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        text if text.starts_with("struct ") => "an object",
        text => text,
    };
    let found = found.replace("sequence", "list").replace("map", "object");
    format!("cannot read {found} where {expected} belongs")
}

#[cfg(test)]
mod tests;
