//! The file that a kube-scheduler is started with, checked as strictly as by the scheduler of that
//! version: a `KubeSchedulerConfiguration` of any version, or a `Policy`.
//!
//! Upstream: `kube-scheduler/config/v1/types.go`, `pkg/scheduler/apis/config/v1/defaults.go`,
//! `pkg/scheduler/apis/config/validation/validation.go` (1.37), and their predecessors since 1.12.

mod api;
mod args;
pub mod before_1_23;
mod component;
mod configuration;
mod context;
mod error;
pub mod extender;
mod file;
mod framework;
mod node_terms;
mod openshift;
mod profiles;
mod settings;
mod wire;

use serde_json::Value;

pub use api::Api;
use before_1_23::policy;
pub use configuration::Configuration;
use context::lineup;
use error::repeated_field;
pub use error::{ConfigError, ConfigStage};
pub use extender::Extender;
pub use file::ConfigFile;
pub use openshift::openshift;
pub use settings::{ConfigRemark, ProfileSettings};

use super::{PluginSet, Profile};

impl Configuration {
    /// Reads a configuration from its JSON form, as the scheduler of `base` does.
    ///
    /// # Errors
    /// The first thing that kube-scheduler would reject, with its path.
    pub fn read(value: &Value, base: &Profile) -> Result<Self, ConfigError> {
        Self::read_file(&ConfigFile::from(value.clone()), base)
    }

    /// Reads a configuration file, as the scheduler of `base` does: as [`Self::read`], and fields
    /// that stand twice in it are errors where anything decodes them.
    ///
    /// # Errors
    /// The first thing that kube-scheduler would refuse, with its path.
    pub fn read_file(file: &ConfigFile, base: &Profile) -> Result<Self, ConfigError> {
        let api = Api::of(&file.value, base.version)?;
        if api != Api::Policy {
            return profiles::read(file, api, base);
        }
        if let Some(field) = file.repeated.first() {
            return Err(repeated_field(&field.path));
        }
        policy::read(&file.value, base)
    }

    /// The profiles of a scheduler of the version of `base`, which they replace.
    pub fn profiles(&self, base: &Profile) -> Vec<Profile> {
        let names: Vec<String> = self.profiles.iter().map(|p| p.scheduler_name.clone()).collect();
        let lineup = lineup(self.api, base);
        let mut profiles = Vec::with_capacity(self.profiles.len());
        for settings in &self.profiles {
            // The queue listens to events for the plugins of all profiles.
            let mut other_settings = Vec::new();
            for other in &self.profiles {
                if other.scheduler_name != settings.scheduler_name {
                    other_settings.push(other.plugins.clone());
                }
            }
            profiles.push(Profile {
                label: None,
                scheduler_name: settings.scheduler_name.clone(),
                all_names: names.clone(),
                config_source: base.config_source.clone(),
                version_gap: base.version_gap.clone(),
                percentage_of_nodes_to_score: settings.percentage_of_nodes_to_score,
                percentage_of_placements_to_score: settings.percentage_of_placements_to_score,
                plugins: PluginSet::new(&lineup, &settings.plugins),
                settings: settings.plugins.clone(),
                other_settings,
                args: settings.args.clone(),
                extenders: self.extenders.clone(),
                remarks: base.remarks.iter().chain(&self.remarks).cloned().collect(),
                features: base.features.clone(),
                gates: base.gates.clone(),
                group_evidence: base.group_evidence,
                version: base.version,
                source: base.source,
            });
        }
        profiles
    }
}

#[cfg(test)]
mod tests;
