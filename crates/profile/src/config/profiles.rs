//! `KubeSchedulerConfiguration`: its profiles.

use serde_json::Value;

use super::api::{self, Api};
use super::component;
use super::configuration::Configuration;
use super::context::{Context, lineup};
use super::error::{ConfigError, strict, unknown_field};
use super::framework;
use super::settings::{ProfileSettings, Remark};
use super::{args, extender, wire};
use crate::args::PluginArgs;
use crate::before_1_23::lists;
use crate::history::PluginLists;
use crate::plugins::{PluginSettings, PointSettings};
use crate::point::Point;
use crate::{Profile, before_1_23};

/// Plugins that a version of the configuration refuses: the version, the first and the last minor that does so, how it
/// puts it, and their names.
const GONE: &[(Api, u16, u16, &str, &[&str])] = &[
    (
        Api::V1Beta2,
        22,
        22,
        "removed",
        &[
            "NodeLabel",
            "ServiceAffinity",
            "NodePreferAvoidPods",
            "NodeResourcesLeastAllocated",
            "NodeResourcesMostAllocated",
            "RequestedToCapacityRatio",
        ],
    ),
    (Api::V1, 25, 28, "invalid", &["SelectorSpread"]),
    (Api::V1, 31, u16::MAX, "invalid", &["AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"]),
];

/// Plugins that score what `NodeResourcesFit` scores, and may not do so besides it.
const INSTEAD_OF_FIT: [&str; 3] =
    ["NodeResourcesLeastAllocated", "NodeResourcesMostAllocated", "RequestedToCapacityRatio"];

/// Reads a configuration of version `api`.
pub(super) fn read(value: &Value, api: Api, base: &Profile) -> Result<Configuration, ConfigError> {
    let context = Context { api, base };
    let mut remarks = Vec::new();
    let raw = decode(value, &context, &mut remarks)?;
    if let Some(path) = api::null_duration(value).filter(|_| api >= Api::V1Beta1) {
        return Err(ConfigError::new(path, "strict decoding error: time: invalid duration \"\""));
    }
    component::check(&raw, &context)?;
    check_top(&raw)?;
    let mut profiles = match api {
        Api::V1Alpha1 => vec![read_alpha1(&raw, &context, &mut remarks)?],
        _ => read_all(&raw, &context)?,
    };
    let extenders = extender::read(&raw.extenders, api)?;
    extender::ignore_managed_resources(&raw.extenders, &mut profiles);
    if raw.disable_preemption {
        profiles.iter_mut().for_each(|p| p.plugins.post_filter.disabled.push("*".to_owned()));
    }
    Ok(Configuration { api, profiles, extenders, remarks })
}

/// Decodes the file. Fields that do not exist are errors or, for schedulers that are lenient, passed over and remarked.
fn decode(value: &Value, context: &Context, remarks: &mut Vec<Remark>) -> Result<wire::Configuration, ConfigError> {
    let (api, version) = (context.api, context.base.version);
    let mut value = value.clone();
    loop {
        let unknown = match api::foreign_field(&value, api, version) {
            Some(path) => unknown_field(&path),
            None => match strict(&value, "") {
                Ok(raw) => return Ok(raw),
                Err(error) => error,
            },
        };
        let is_field = unknown.problem == unknown_field(&unknown.path).problem;
        if api.is_strict(version) || !is_field || !api::remove(&mut value, &unknown.path) {
            return Err(unknown);
        }
        let text = format!("field {} does not exist in {} and is ignored", unknown.path, api.name());
        remarks.push(Remark::harmless(text));
    }
}

fn check_top(raw: &wire::Configuration) -> Result<(), ConfigError> {
    let positive = |value: Option<i64>, path: &str, problem: &str| match value {
        Some(value) if value <= 0 => Err(ConfigError::invalid(path, value, problem)),
        _ => Ok(()),
    };
    positive(raw.parallelism.map(i64::from), "parallelism", "should be an integer value greater than zero")?;
    positive(raw.pod_initial_backoff_seconds, "podInitialBackoffSeconds", "must be greater than 0")?;
    let backoff = (raw.pod_initial_backoff_seconds.unwrap_or(1), raw.pod_max_backoff_seconds.unwrap_or(10));
    if backoff.1 < backoff.0 {
        let problem = "must be greater than or equal to PodInitialBackoffSeconds";
        return Err(ConfigError::invalid("podMaxBackoffSeconds", backoff.1, problem));
    }
    check_percentage(raw.percentage_of_nodes_to_score, "percentageOfNodesToScore")
}

fn check_percentage(percentage: Option<i32>, path: &str) -> Result<(), ConfigError> {
    match percentage {
        Some(p) if !(0..=100).contains(&p) => Err(ConfigError::invalid(path, p, "not in valid range [0-100]")),
        _ => Ok(()),
    }
}

/// The one profile of `v1alpha1`.
fn read_alpha1(
    raw: &wire::Configuration,
    context: &Context,
    remarks: &mut Vec<Remark>,
) -> Result<ProfileSettings, ConfigError> {
    let mut settings = ProfileSettings::new();
    settings.percentage_of_nodes_to_score = raw.percentage_of_nodes_to_score.map(i64::from);
    if let Some(name) = raw.scheduler_name.as_deref().filter(|name| !name.is_empty()) {
        name.clone_into(&mut settings.scheduler_name);
    }
    if context.base.features.default_plugins.plugin_lists < PluginLists::PerPoint
        && (raw.plugins.is_some() || !raw.plugin_config.is_empty())
    {
        remarks.push(Remark::deciding("it adds plugins to predicates and priorities; what they do is not known"));
    } else {
        if let Some(plugins) = &raw.plugins {
            settings.plugins = read_plugins(plugins, context, "plugins")?;
            // The point that is now before scoring had this name.
            settings.plugins.pre_score = std::mem::take(&mut settings.plugins.post_filter);
        }
        read_args(&raw.plugin_config, context, "pluginConfig", &mut settings.args)?;
    }
    if let Some(weight) = raw.hard_pod_affinity_symmetric_weight {
        args::check_hard_weight(weight.into(), "hardPodAffinitySymmetricWeight")?;
        settings.args.hard_pod_affinity_weight = weight.into();
    }
    let source = &raw.algorithm_source;
    if let Some(provider) = &source.provider {
        let known = before_1_23::provider::provider_plugins(provider, &context.base.features).ok_or_else(|| {
            let problem = format!("algorithm provider {provider:?} is not registered");
            ConfigError::new("algorithmSource.provider", problem)
        })?;
        settings.plugins.score.disabled.extend(known.score.disabled);
        settings.plugins.score.enabled.extend(known.score.enabled);
    }
    let policy = source.policy.as_ref().and_then(|policy| match (&policy.file, &policy.config_map) {
        (Some(file), _) => Some(format!("file {}", file.path)),
        (None, Some(map)) => Some(format!("ConfigMap {}/{}", map.namespace, map.name)),
        (None, None) => None,
    });
    if let Some(policy) = policy {
        let text =
            format!("predicates and priorities are in the Policy of {policy}, which was not read: pass it instead");
        remarks.push(Remark::deciding(text));
    }
    Ok(settings)
}

fn read_all(raw: &wire::Configuration, context: &Context) -> Result<Vec<ProfileSettings>, ConfigError> {
    let mut profiles: Vec<ProfileSettings> = Vec::new();
    for (index, profile) in raw.profiles.iter().enumerate() {
        let path = format!("profiles[{index}]");
        let mut settings = read_profile(profile, context, &path, raw.profiles.len() == 1)?;
        settings.percentage_of_nodes_to_score =
            settings.percentage_of_nodes_to_score.or(raw.percentage_of_nodes_to_score.map(i64::from));
        if let Some(first) = profiles.iter().position(|p| p.scheduler_name == settings.scheduler_name) {
            let problem = format!("Duplicate value: \"profiles[{first}].schedulerName\"");
            return Err(ConfigError::new(format!("{path}.schedulerName"), problem));
        }
        profiles.push(settings);
    }
    if profiles.is_empty() {
        profiles.push(ProfileSettings {
            percentage_of_nodes_to_score: raw.percentage_of_nodes_to_score.map(i64::from),
            ..ProfileSettings::new()
        });
    }
    check_queue_sort(&raw.profiles, context)?;
    for (index, profile) in profiles.iter().enumerate() {
        framework::check(&profile.plugins, &profile.scheduler_name, context, &format!("profiles[{index}].plugins"))?;
    }
    Ok(profiles)
}

/// All profiles share one queue.
fn check_queue_sort(profiles: &[wire::Profile], context: &Context) -> Result<(), ConfigError> {
    // Where the point has a list of its own, the default plugin may be named or not.
    let lineup = lineup(context.api, context.base);
    let has_lists = lineup.default_plugins.plugin_lists != PluginLists::MultiPoint;
    let sets = |profile: &wire::Profile| -> (Vec<(String, i32)>, Vec<String>) {
        let set = profile.plugins.as_ref().map(|p| p.queue_sort.clone()).unwrap_or_default();
        let enabled = set.enabled.into_iter().map(|plugin| (plugin.name, plugin.weight));
        if has_lists {
            return (enabled.filter(|(name, _)| name != "PrioritySort").collect(), Vec::new());
        }
        (enabled.collect(), set.disabled.into_iter().map(|plugin| plugin.name).collect())
    };
    let mut all = profiles.iter().map(sets);
    let Some(first) = all.next() else { return Ok(()) };
    if first.0.len() > 1 {
        let path = "profiles[0].plugins.queueSort.Enabled";
        return Err(ConfigError::invalid(path, first.0.len(), "only one queue sort plugin can be enabled"));
    }
    match all.position(|other| other != first) {
        Some(index) => {
            let path = format!("profiles[{}].plugins.queueSort", index + 1);
            Err(ConfigError::new(path, "Invalid value: queueSort must be the same for all profiles"))
        }
        None => Ok(()),
    }
}

fn read_profile(
    raw: &wire::Profile,
    context: &Context,
    path: &str,
    only: bool,
) -> Result<ProfileSettings, ConfigError> {
    // Parity: a name that is left out is the default one, an empty name is not.
    let scheduler_name = match raw.scheduler_name.as_deref() {
        Some(name) if !name.is_empty() => name.to_owned(),
        None if only => ProfileSettings::new().scheduler_name,
        _ => return Err(ConfigError::new(format!("{path}.schedulerName"), "Required value")),
    };
    check_percentage(raw.percentage_of_nodes_to_score, &format!("{path}.percentageOfNodesToScore"))?;
    let plugins = match &raw.plugins {
        Some(plugins) => read_plugins(plugins, context, &format!("{path}.plugins"))?,
        None => PluginSettings::default(),
    };
    let mut args = PluginArgs::default();
    read_args(&raw.plugin_config, context, &format!("{path}.pluginConfig"), &mut args)?;
    let percentage_of_nodes_to_score = raw.percentage_of_nodes_to_score.map(i64::from);
    Ok(ProfileSettings { scheduler_name, percentage_of_nodes_to_score, plugins, args })
}

fn read_plugins(raw: &wire::Plugins, context: &Context, path: &str) -> Result<PluginSettings, ConfigError> {
    let point = |set: &wire::PluginSet, name: &str| read_point(set, context, &format!("{path}.{name}"));
    let elsewhere = [
        ("queueSort", &raw.queue_sort),
        ("reserve", &raw.reserve),
        ("permit", &raw.permit),
        ("preBind", &raw.pre_bind),
        ("bind", &raw.bind),
        ("postBind", &raw.post_bind),
        ("unreserve", &raw.unreserve),
        ("placementGenerate", &raw.placement_generate),
        ("placementScore", &raw.placement_score),
    ];
    let settings = PluginSettings {
        multi_point: point(&raw.multi_point, "multiPoint")?,
        pre_enqueue: point(&raw.pre_enqueue, "preEnqueue")?,
        pre_filter: point(&raw.pre_filter, "preFilter")?,
        filter: point(&raw.filter, "filter")?,
        post_filter: point(&raw.post_filter, "postFilter")?,
        pod_group_post_filter: point(&raw.pod_group_post_filter, "podGroupPostFilter")?,
        pre_score: point(&raw.pre_score, "preScore")?,
        score: point(&raw.score, "score")?,
        elsewhere: elsewhere
            .into_iter()
            .map(|(name, set)| point(set, name).map(|settings| (name, settings)))
            .collect::<Result<_, _>>()?,
    };
    check_conflicts(&settings, context, &format!("{path}.score"))?;
    check_registered(&settings, context, path)?;
    Ok(settings)
}

fn read_point(raw: &wire::PluginSet, context: &Context, path: &str) -> Result<PointSettings, ConfigError> {
    for (index, plugin) in raw.enabled.iter().enumerate() {
        check_exists(&plugin.name, context, &format!("{path}.enabled[{index}]"))?;
    }
    for (index, plugin) in raw.enabled.iter().enumerate() {
        if raw.enabled.iter().take(index).any(|earlier| earlier.name == plugin.name) {
            let problem = format!("plugin {:?} already registered", plugin.name);
            return Err(ConfigError::new(format!("{path}.enabled[{index}]"), problem));
        }
    }
    Ok(PointSettings {
        enabled: raw.enabled.iter().map(|p| (p.name.clone(), p.weight.into())).collect(),
        disabled: raw.disabled.iter().map(|p| p.name.clone()).collect(),
    })
}

fn check_exists(plugin: &str, context: &Context, path: &str) -> Result<(), ConfigError> {
    let minor = context.minor();
    let refuses = |(api, first, last, _, names): &&(Api, u16, u16, &str, &[&str])| {
        *api <= context.api && (*first..=*last).contains(&minor) && names.contains(&plugin)
    };
    match GONE.iter().find(refuses) {
        Some((api, _, _, how, _)) => {
            let (since, this) = (api.name(), context.api.name());
            let problem = format!("was {how} in version {since:?} (KubeSchedulerConfiguration is version {this:?})");
            Err(ConfigError::invalid(path, plugin, &problem))
        }
        None => Ok(()),
    }
}

/// Upstream: `isScorePluginConflict` (1.22).
fn check_conflicts(settings: &PluginSettings, context: &Context, path: &str) -> Result<(), ConfigError> {
    if context.api != Api::V1Beta1 || context.minor() != 22 {
        return Ok(());
    }
    let score = &settings.score;
    let Some(index) = score.enabled.iter().position(|(name, _)| name == "NodeResourcesFit") else { return Ok(()) };
    let least = INSTEAD_OF_FIT.first().copied().unwrap_or_default();
    let by_default = !score.disabled.iter().any(|name| name == least || name == "*");
    let beside = INSTEAD_OF_FIT
        .iter()
        .filter(|name| score.enabled.iter().any(|(n, _)| n == *name) || (**name == least && by_default));
    let names: Vec<String> = beside.map(|name| format!("{name:?}")).collect();
    if names.is_empty() {
        return Ok(());
    }
    let (this, names) = (context.api.name(), names.join(" "));
    let problem =
        format!("was conflict with [{names}] in version {this:?} (KubeSchedulerConfiguration is version {this:?})");
    Err(ConfigError::invalid(format!("{path}.enabled[{index}]"), "NodeResourcesFit", &problem))
}

/// Up to v1beta1 a plugin that is enabled by default cannot be enabled again, only after it is disabled.
fn check_registered(settings: &PluginSettings, context: &Context, path: &str) -> Result<(), ConfigError> {
    if context.api > Api::V1Beta1 {
        return Ok(());
    }
    let lineup = lineup(context.api, context.base);
    for (point, name, of) in [
        (Point::PreFilter, "preFilter", &settings.pre_filter),
        (Point::Filter, "filter", &settings.filter),
        (Point::PostFilter, "postFilter", &settings.post_filter),
        (Point::PreScore, "preScore", &settings.pre_score),
        (Point::Score, "score", &settings.score),
    ] {
        let defaults = lists::at_point(&lineup, point);
        let kept = |name: &str| !of.disabled.iter().any(|d| d == name || d == "*");
        let again = |(name, _): &(String, i64)| kept(name) && defaults.iter().any(|(default, _)| default == name);
        if let Some(index) = of.enabled.iter().position(again) {
            let plugin = of.enabled.get(index).map(|(name, _)| name.as_str()).unwrap_or_default();
            let problem = format!("plugin {plugin:?} already registered");
            return Err(ConfigError::new(format!("{path}.{name}.enabled[{index}]"), problem));
        }
    }
    Ok(())
}

fn read_args(
    raw: &[wire::PluginConfig],
    context: &Context,
    path: &str,
    args: &mut PluginArgs,
) -> Result<(), ConfigError> {
    let mut seen: Vec<&str> = Vec::new();
    for (index, config) in raw.iter().enumerate() {
        let path = format!("{path}[{index}]");
        if seen.contains(&config.name.as_str()) {
            return Err(ConfigError::new(path, format!("Duplicate value: {:?}", config.name)));
        }
        check_exists(&config.name, context, &path)?;
        seen.push(&config.name);
        args::read(&config.name, &config.args, &format!("{path}.args"), context, args)?;
    }
    Ok(())
}
