//! `KubeSchedulerConfiguration`: the file that a kube-scheduler is started with, checked as strictly as it checks it.
//!
//! Upstream: `kube-scheduler/config/v1/types.go`, `pkg/scheduler/apis/config/v1/defaults.go`,
//! `pkg/scheduler/apis/config/validation/validation.go` (1.37).

mod args;
mod wire;

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::args::PluginArgs;
use super::plugins::{PluginSettings, PointSettings};
use super::{PluginSet, Profile};

/// `apiVersion` of the configurations that are read.
const API_VERSION: &str = "kubescheduler.config.k8s.io/v1";
/// Their `kind`.
const KIND: &str = "KubeSchedulerConfiguration";
/// Plugins that no longer exist, which version v1 of the configuration refuses.
const GONE: [&str; 4] = ["AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"];

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
    /// One per `schedulerName`, at least one.
    pub profiles: Vec<ProfileSettings>,
    /// Webhooks that the scheduler asks.
    pub extenders: Vec<Extender>,
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

/// A webhook that the scheduler asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extender {
    /// Where it is.
    pub url: String,
    /// What it does: `filter`, `prioritize`, `preempt`, `bind`.
    pub verbs: Vec<&'static str>,
    /// Whether the scheduler goes on without it.
    pub ignorable: bool,
    /// Resources that make it interested in a pod; none: in every pod.
    pub managed_resources: Vec<String>,
}

impl Configuration {
    /// Reads a configuration from its JSON form.
    ///
    /// # Errors
    /// The first thing that kube-scheduler would refuse, with its path.
    pub fn read(value: &Value) -> Result<Self, ConfigError> {
        check_head(value)?;
        let raw: wire::Configuration = strict(value, "")?;
        if raw.parallelism.is_some_and(|p| p <= 0) {
            return Err(ConfigError::invalid(
                "parallelism",
                raw.parallelism.unwrap_or(0),
                "should be an integer value greater than zero",
            ));
        }
        check_percentage(raw.percentage_of_nodes_to_score, "percentageOfNodesToScore")?;
        let mut profiles = Vec::new();
        for (index, profile) in raw.profiles.iter().enumerate() {
            let path = format!("profiles[{index}]");
            let mut settings = read_profile(profile, &path, raw.profiles.len() == 1)?;
            settings.percentage_of_nodes_to_score =
                settings.percentage_of_nodes_to_score.or(raw.percentage_of_nodes_to_score);
            if let Some(first) =
                profiles.iter().position(|p: &ProfileSettings| p.scheduler_name == settings.scheduler_name)
            {
                let problem = format!("Duplicate value: \"profiles[{first}].schedulerName\"");
                return Err(ConfigError::new(format!("{path}.schedulerName"), problem));
            }
            profiles.push(settings);
        }
        if profiles.is_empty() {
            profiles.push(ProfileSettings {
                scheduler_name: "default-scheduler".to_owned(),
                percentage_of_nodes_to_score: raw.percentage_of_nodes_to_score,
                plugins: PluginSettings::default(),
                args: PluginArgs::default(),
            });
        }
        let extenders = read_extenders(&raw.extenders)?;
        ignore_managed_resources(&raw.extenders, &mut profiles);
        Ok(Self { profiles, extenders })
    }

    /// The profiles of a scheduler of the version of `base`, which it replaces.
    #[must_use]
    pub fn profiles(&self, base: &Profile) -> Vec<Profile> {
        let names: Vec<String> = self.profiles.iter().map(|p| p.scheduler_name.clone()).collect();
        let profile = |settings: &ProfileSettings| Profile {
            scheduler_name: settings.scheduler_name.clone(),
            all_names: names.clone(),
            from_file: true,
            percentage_of_nodes_to_score: settings.percentage_of_nodes_to_score,
            plugins: PluginSet::new(&base.features, &settings.plugins),
            settings: settings.plugins.clone(),
            args: settings.args.clone(),
            extenders: self.extenders.clone(),
            features: base.features.clone(),
            gates: base.gates.clone(),
            version: base.version,
            source: base.source,
        };
        self.profiles.iter().map(profile).collect()
    }
}

fn check_head(value: &Value) -> Result<(), ConfigError> {
    let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
    let (kind, version) = (text("kind"), text("apiVersion"));
    if kind != KIND {
        let problem = if kind.is_empty() { "is missing".to_owned() } else { format!("is `{kind}`") };
        return Err(ConfigError::new("kind", format!("{problem}; a scheduler configuration says {KIND}")));
    }
    if version != API_VERSION {
        return Err(ConfigError::new("apiVersion", format!("is `{version}`; only {API_VERSION} is read")));
    }
    Ok(())
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
        ConfigError::new(path, format!("strict decoding error: {}", e.inner()))
    })
}

fn check_percentage(percentage: Option<i64>, path: &str) -> Result<(), ConfigError> {
    match percentage {
        Some(p) if !(0..=100).contains(&p) => Err(ConfigError::invalid(path, p, "not in valid range [0-100]")),
        _ => Ok(()),
    }
}

fn read_profile(raw: &wire::Profile, path: &str, only: bool) -> Result<ProfileSettings, ConfigError> {
    let scheduler_name = match raw.scheduler_name.as_deref() {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ if only => "default-scheduler".to_owned(),
        _ => return Err(ConfigError::new(format!("{path}.schedulerName"), "Required value")),
    };
    check_percentage(raw.percentage_of_nodes_to_score, &format!("{path}.percentageOfNodesToScore"))?;
    let plugins = raw.plugins.as_ref();
    let point = |name: &str, of: fn(&wire::Plugins) -> &wire::PluginSet| {
        plugins.map_or_else(|| Ok(PointSettings::default()), |p| read_point(of(p), &format!("{path}.plugins.{name}")))
    };
    let plugins = PluginSettings {
        multi_point: point("multiPoint", |p| &p.multi_point)?,
        pre_enqueue: point("preEnqueue", |p| &p.pre_enqueue)?,
        pre_filter: point("preFilter", |p| &p.pre_filter)?,
        filter: point("filter", |p| &p.filter)?,
        post_filter: point("postFilter", |p| &p.post_filter)?,
        pre_score: point("preScore", |p| &p.pre_score)?,
        score: point("score", |p| &p.score)?,
    };
    let mut args = PluginArgs::default();
    let mut seen: Vec<&str> = Vec::new();
    for (index, config) in raw.plugin_config.iter().enumerate() {
        let path = format!("{path}.pluginConfig[{index}]");
        if seen.contains(&config.name.as_str()) {
            return Err(ConfigError::new(path, format!("Duplicate value: {:?}", config.name)));
        }
        check_exists(&config.name, &path)?;
        seen.push(&config.name);
        args::read(&config.name, &config.args, &format!("{path}.args"), &mut args)?;
    }
    Ok(ProfileSettings {
        scheduler_name,
        percentage_of_nodes_to_score: raw.percentage_of_nodes_to_score,
        plugins,
        args,
    })
}

fn check_exists(plugin: &str, path: &str) -> Result<(), ConfigError> {
    if GONE.contains(&plugin) {
        let problem =
            format!("was invalid in version {API_VERSION:?} (KubeSchedulerConfiguration is version {API_VERSION:?})");
        return Err(ConfigError::invalid(path, plugin, &problem));
    }
    Ok(())
}

fn read_point(raw: &wire::PluginSet, path: &str) -> Result<PointSettings, ConfigError> {
    for (index, plugin) in raw.enabled.iter().enumerate() {
        check_exists(&plugin.name, &format!("{path}.enabled[{index}]"))?;
    }
    for (index, plugin) in raw.enabled.iter().enumerate() {
        if raw.enabled.iter().take(index).any(|earlier| earlier.name == plugin.name) {
            let problem = format!("plugin {:?} already registered", plugin.name);
            return Err(ConfigError::new(format!("{path}.enabled[{index}]"), problem));
        }
    }
    Ok(PointSettings {
        enabled: raw.enabled.iter().map(|p| (p.name.clone(), p.weight)).collect(),
        disabled: raw.disabled.iter().map(|p| p.name.clone()).collect(),
    })
}

fn read_extenders(raw: &[wire::Extender]) -> Result<Vec<Extender>, ConfigError> {
    let binders = raw.iter().filter(|e| !e.bind_verb.is_empty()).count();
    if binders > 1 {
        let found = format!("found {binders} extenders implementing bind");
        return Err(ConfigError::invalid("extenders", found, "only one extender can implement bind"));
    }
    let mut extenders = Vec::with_capacity(raw.len());
    for (index, extender) in raw.iter().enumerate() {
        if !extender.prioritize_verb.is_empty() && extender.weight <= 0 {
            let path = format!("extenders[{index}].weight");
            return Err(ConfigError::invalid(path, extender.weight, "must have a positive weight applied to it"));
        }
        let verbs = [
            ("filter", &extender.filter_verb),
            ("prioritize", &extender.prioritize_verb),
            ("preempt", &extender.preempt_verb),
            ("bind", &extender.bind_verb),
        ];
        extenders.push(Extender {
            url: extender.url_prefix.clone(),
            verbs: verbs.into_iter().filter(|(_, verb)| !verb.is_empty()).map(|(name, _)| name).collect(),
            ignorable: extender.ignorable,
            managed_resources: extender.managed_resources.iter().map(|r| r.name.clone()).collect(),
        });
    }
    Ok(extenders)
}

/// Resources that extenders take care of are not looked at by NodeResourcesFit.
///
/// Upstream: `pkg/scheduler/scheduler.go` `buildExtenders` (1.37).
fn ignore_managed_resources(extenders: &[wire::Extender], profiles: &mut [ProfileSettings]) {
    let managed = extenders.iter().flat_map(|e| &e.managed_resources).filter(|r| r.ignored_by_scheduler);
    let ignored: Vec<String> = managed.map(|r| r.name.clone()).collect();
    if !ignored.is_empty() {
        profiles.iter_mut().for_each(|p| p.args.ignored_resources.clone_from(&ignored));
    }
}

#[cfg(test)]
#[path = "config/tests.rs"]
mod tests;
