//! `KubeSchedulerConfiguration`: its profiles.

use serde_json::Value;

use super::api::{self, Api};
use super::component;
use super::configuration::Configuration;
use super::context::{Context, lineup};
use super::error::{
    self, ConfigError, ConfigStage, Problems, repeated_field, strict, unknown_field,
};
use super::file::ConfigFile;
use super::framework;
use super::settings::{ConfigRemark, ProfileSettings};
use super::{args, extender, wire};
use crate::args::PluginArgs;
use crate::before_1_23::lists;
use crate::history::PluginLists;
use crate::plugins::{PluginSettings, PointSettings};
use crate::point::Point;
use crate::{Profile, before_1_23};

/// Plugins that a version of the configuration rejects: the version, the first and last minor that
/// does so, its wording, and their names.
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
    (
        Api::V1,
        31,
        u16::MAX,
        "invalid",
        &["AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"],
    ),
];

/// Points at which those are not looked for: there such a plugin counts as unknown.
const NOT_VALIDATED: [&str; 1] = ["multiPoint"];

/// Further ones up to 1.37.
const NOT_VALIDATED_YET: [&str; 2] = ["placementGenerate", "placementScore"];

/// Plugins that score what `NodeResourcesFit` scores, and may not be used together with it.
const INSTEAD_OF_FIT: [&str; 3] =
    ["NodeResourcesLeastAllocated", "NodeResourcesMostAllocated", "RequestedToCapacityRatio"];

/// Reads a configuration of version `api`.
pub(super) fn read(
    file: &ConfigFile,
    api: Api,
    base: &Profile,
) -> Result<Configuration, ConfigError> {
    let value = &file.value;
    check_earlier_values(file, api, base)?;
    let context = Context { api, base };
    let (mut remarks, mut problems) = (Vec::new(), Problems::default());
    // Before v1beta1 the timeouts of extenders are numbers.
    if let Some(error) = api::first_wrong_duration(value).filter(|_| api >= Api::V1Beta1) {
        return Err(error);
    }
    let raw = decode(value, &context, &mut remarks, &mut problems)?;
    for field in &file.repeated {
        if is_decoded(&field.path, &raw, &context) {
            problems.add(repeated_field(&field.path));
        }
    }
    component::check(&raw, &context, &mut problems);
    check_top(&raw, &context, &mut problems);
    let mut profiles = match api {
        Api::V1Alpha1 => vec![read_alpha1(&raw, &context, &mut remarks, &mut problems)?],
        _ => read_all(&raw, &context, &mut problems),
    };
    let extenders = extender::read(&raw.extenders, api, &mut problems);
    if api > Api::V1Alpha1 {
        let by_plugins = problems.take(ConfigStage::Start);
        start(&raw, &profiles, by_plugins, &context, &mut problems);
    }
    problems.first()?;
    extender::ignore_managed_resources(&raw.extenders, &mut profiles);
    if raw.disable_preemption {
        profiles.iter_mut().for_each(|p| p.plugins.post_filter.disabled.push("*".to_owned()));
    }
    Ok(Configuration { api, profiles, extenders, remarks })
}

/// Decodes the file. Unknown fields are problems or, for lenient schedulers, ignored with a remark.
fn decode(
    value: &Value,
    context: &Context,
    remarks: &mut Vec<ConfigRemark>,
    problems: &mut Problems,
) -> Result<wire::Configuration, ConfigError> {
    let (api, version) = (context.api, context.base.version);
    let mut value = value.clone();
    while let Some(path) = api::foreign_field(&value, api, version) {
        if !error::remove(&mut value, &path) {
            return Err(unknown_field(&path));
        }
        if api.is_strict(version) {
            problems.add(unknown_field(&path));
        } else {
            remarks.push(passed_over(&path, api));
        }
    }
    if api.is_strict(version) {
        return error::decode(&value, "", problems);
    }
    loop {
        let unknown: ConfigError = match strict(&value, "") {
            Ok(raw) => return Ok(raw),
            Err(error) => error,
        };
        if unknown.stage != ConfigStage::Fields || !error::remove(&mut value, &unknown.path) {
            return Err(unknown);
        }
        remarks.push(passed_over(&unknown.path, api));
    }
}

/// Maximum number of duplicate fields whose earlier value is examined.
const MOST_EARLIER: usize = 8;

/// Refuses earlier values of fields that stand twice, as the decoder does, which reads each: those of
/// the wrong type.
fn check_earlier_values(file: &ConfigFile, api: Api, base: &Profile) -> Result<(), ConfigError> {
    for field in file.repeated.iter().take(MOST_EARLIER) {
        let mut value = file.value.clone();
        error::replace(&mut value, &field.path, field.earlier.clone());
        // What is wrong elsewhere is found again without the earlier value, in its order.
        if let Err(error) = read(&value.into(), api, base)
            && error.stage <= ConfigStage::Arguments
            && error.path.starts_with(&field.path)
        {
            return Err(error);
        }
    }
    Ok(())
}

/// Whether the scheduler decodes the value at `path`, where JSON must not have duplicate fields.
/// Parity: it keeps the arguments of a plugin for which it has no type as they are.
fn is_decoded(path: &str, raw: &wire::Configuration, context: &Context) -> bool {
    let Some(plugin) = whose_arguments(path, raw) else { return true };
    args::exist(plugin, context)
}

/// The plugin within whose arguments `path` leads.
fn whose_arguments<'c>(path: &str, raw: &'c wire::Configuration) -> Option<&'c str> {
    let (profile, path) = path.strip_prefix("profiles[")?.split_once("].pluginConfig[")?;
    let (place, path) = path.split_once("].args")?;
    if path.is_empty() {
        return None;
    }
    let profile = raw.profiles.get(profile.parse::<usize>().ok()?)?;
    Some(&profile.plugin_config.get(place.parse::<usize>().ok()?)?.name)
}

fn passed_over(path: &str, api: Api) -> ConfigRemark {
    ConfigRemark::harmless(format!("field {path} does not exist in {} and is ignored", api.name()))
}

fn check_top(raw: &wire::Configuration, context: &Context, problems: &mut Problems) {
    let positive = |value: Option<i64>, path: &str, problem: &str| match value {
        Some(value) if value <= 0 => Err(ConfigError::invalid(path, value, problem)),
        _ => Ok(()),
    };
    let parallelism = raw.parallelism.map(i64::from);
    problems.keep(positive(
        parallelism,
        "parallelism",
        "should be an integer value greater than zero",
    ));
    problems.keep(positive(
        raw.pod_initial_backoff_seconds,
        "podInitialBackoffSeconds",
        "must be greater than 0",
    ));
    let least = raw.pod_initial_backoff_seconds.unwrap_or(1);
    let most = raw.pod_max_backoff_seconds.unwrap_or(10);
    if most < least {
        let problem = "must be greater than or equal to PodInitialBackoffSeconds";
        problems.add(ConfigError::invalid("podMaxBackoffSeconds", most, problem));
    }
    problems.keep(check_percentage(raw.percentage_of_nodes_to_score, "percentageOfNodesToScore"));
    problems.keep(check_placements(
        raw.percentage_of_placements_to_score,
        "percentageOfPlacementsToScore",
        context,
    ));
}

/// How many placements of a group are tried may be set only while there are any.
fn check_placements(
    percentage: Option<i32>,
    path: &str,
    context: &Context,
) -> Result<(), ConfigError> {
    if percentage.is_some() && !context.base.features.pod_groups.group_placements {
        let problem = "Forbidden: percentageOfPlacementsToScore requires TopologyAwareWorkloadScheduling feature gate to be enabled";
        return Err(ConfigError::new(path, problem));
    }
    check_percentage(percentage, path)
}

fn check_percentage(percentage: Option<i32>, path: &str) -> Result<(), ConfigError> {
    match percentage {
        Some(p) if !(0..=100).contains(&p) => {
            Err(ConfigError::invalid(path, p, "not in valid range [0-100]"))
        }
        _ => Ok(()),
    }
}

/// The one profile of `v1alpha1`.
fn read_alpha1(
    raw: &wire::Configuration,
    context: &Context,
    remarks: &mut Vec<ConfigRemark>,
    problems: &mut Problems,
) -> Result<ProfileSettings, ConfigError> {
    let mut settings = ProfileSettings::new();
    settings.percentage_of_nodes_to_score = raw.percentage_of_nodes_to_score.map(i64::from);
    if let Some(name) = raw.scheduler_name.as_deref().filter(|name| !name.is_empty()) {
        name.clone_into(&mut settings.scheduler_name);
    }
    if context.base.features.default_plugins.plugin_lists < PluginLists::PerPoint
        && (raw.plugins.is_some() || !raw.plugin_config.is_empty())
    {
        remarks.push(ConfigRemark::deciding(
            "it adds plugins to predicates and priorities; what they do is not known",
        ));
    } else {
        if let Some(plugins) = &raw.plugins {
            settings.plugins = read_plugins(plugins, context, "plugins")?;
            // The point that is now PreScore had this name.
            settings.plugins.pre_score = std::mem::take(&mut settings.plugins.post_filter);
        }
        read_args(&raw.plugin_config, context, "pluginConfig", &mut settings.args, problems);
    }
    if let Some(weight) = raw.hard_pod_affinity_symmetric_weight {
        args::check_hard_weight(weight.into(), "hardPodAffinitySymmetricWeight")?;
        settings.args.hard_pod_affinity_weight = weight.into();
    }
    let source = &raw.algorithm_source;
    if let Some(provider) = &source.provider {
        let provided =
            before_1_23::provider_plugins(provider, &context.base.features).ok_or_else(|| {
                let problem = format!("algorithm provider {provider:?} is not registered");
                ConfigError::new("algorithmSource.provider", problem)
            })?;
        settings.plugins.score.disabled.extend(provided.score.disabled);
        settings.plugins.score.enabled.extend(provided.score.enabled);
    }
    let policy =
        source.policy.as_ref().and_then(|policy| match (&policy.file, &policy.config_map) {
            (Some(file), _) => Some(format!("file {}", file.path)),
            (None, Some(map)) => Some(format!("ConfigMap {}/{}", map.namespace, map.name)),
            (None, None) => None,
        });
    if let Some(policy) = policy {
        let text = format!(
            "predicates and priorities are in the Policy of {policy}, which was not read: pass it instead"
        );
        remarks.push(ConfigRemark::deciding(text));
    }
    Ok(settings)
}

fn read_all(
    raw: &wire::Configuration,
    context: &Context,
    problems: &mut Problems,
) -> Vec<ProfileSettings> {
    let mut profiles: Vec<ProfileSettings> = Vec::new();
    for (index, profile) in raw.profiles.iter().enumerate() {
        let path = format!("profiles[{index}]");
        let mut settings = read_profile(profile, context, &path, raw.profiles.len() == 1, problems);
        settings.percentage_of_nodes_to_score = settings
            .percentage_of_nodes_to_score
            .or(raw.percentage_of_nodes_to_score.map(i64::from));
        settings.percentage_of_placements_to_score = settings
            .percentage_of_placements_to_score
            .or(raw.percentage_of_placements_to_score.map(i64::from));
        if let Some(first) =
            profiles.iter().position(|p| p.scheduler_name == settings.scheduler_name)
        {
            let problem = format!("Duplicate value: \"profiles[{first}].schedulerName\"");
            problems.add(ConfigError::new(format!("{path}.schedulerName"), problem));
        }
        profiles.push(settings);
    }
    if profiles.is_empty() {
        profiles.push(ProfileSettings {
            percentage_of_nodes_to_score: raw.percentage_of_nodes_to_score.map(i64::from),
            percentage_of_placements_to_score: raw.percentage_of_placements_to_score.map(i64::from),
            ..ProfileSettings::new()
        });
    }
    problems.keep(check_queue_sort(&raw.profiles, context));
    profiles
}

/// What the scheduler rejects while it creates its profiles, one after the other; `by_plugins` are
/// the problems that plugins find in their arguments when they are created.
fn start(
    raw: &wire::Configuration,
    profiles: &[ProfileSettings],
    by_plugins: Vec<ConfigError>,
    context: &Context,
    problems: &mut Problems,
) {
    let leaves_resources = !extender::ignored_resources(&raw.extenders).is_empty();
    for (index, profile) in profiles.iter().enumerate() {
        let path = format!("profiles[{index}]");
        let configured = raw
            .profiles
            .get(index)
            .map(|profile| profile.plugin_config.as_slice())
            .unwrap_or_default();
        // Parity: resources that are left to extenders are written into the arguments of
        // NodeResourcesFit, which a profile without that plugin may lack.
        if leaves_resources
            && !framework::makes(&profile.plugins, "NodeResourcesFit", context)
            && !configured.iter().any(|config| config.name == "NodeResourcesFit")
        {
            let problem = "can't find NodeResourcesFitArgs in plugin config";
            problems.add(
                ConfigError::new(format!("{path}.pluginConfig"), problem)
                    .at(ConfigStage::Extenders),
            );
        }
    }
    let mut by_plugins = by_plugins.into_iter().peekable();
    for (index, profile) in profiles.iter().enumerate() {
        while let Some(error) =
            by_plugins.next_if(|error| error.path.starts_with(&format!("profiles[{index}].")))
        {
            problems.add(error);
        }
        let path = format!("profiles[{index}].plugins");
        let configured = raw
            .profiles
            .get(index)
            .map(|profile| profile.plugin_config.as_slice())
            .unwrap_or_default();
        // Parity: plugins only at this point get no default arguments, and cannot be created
        // without any.
        for (place, (plugin, _)) in profile.plugins.pod_group_post_filter.enabled.iter().enumerate()
        {
            if args::exist(plugin, context)
                && !framework::gets_args(&profile.plugins, plugin, context)
                && !configured.iter().any(|config| config.name == *plugin)
            {
                let problem = format!("initializing plugin {plugin:?}");
                let path = format!("{path}.podGroupPostFilter.enabled[{place}]");
                problems.add(ConfigError::new(path, problem).at(ConfigStage::Start));
            }
        }
        let checked = framework::check(&profile.plugins, &profile.scheduler_name, context, &path);
        problems.keep(checked.map_err(|error| error.at(ConfigStage::Start)));
        // The queue sort plugin, enabled or by default.
        let (Some(first), Some(this)) = (raw.profiles.first(), raw.profiles.get(index)) else {
            continue;
        };
        let enabled = this.plugins.as_ref().and_then(|plugins| plugins.queue_sort.enabled.first());
        let sorting = enabled.map_or("PrioritySort", |plugin| plugin.name.as_str());
        if args_of(this, sorting) != args_of(first, sorting) {
            let problem = "different queue sort plugin args for profile";
            problems.add(
                ConfigError::new(format!("profiles[{index}].pluginConfig"), problem)
                    .at(ConfigStage::Start),
            );
        }
    }
}

/// All profiles share one queue.
fn check_queue_sort(profiles: &[wire::Profile], context: &Context) -> Result<(), ConfigError> {
    // If the point has its own list, the default plugin may be named or not.
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
        return Err(ConfigError::invalid(
            path,
            first.0.len(),
            "only one queue sort plugin can be enabled",
        ));
    }
    if let Some(index) = all.position(|other| other != first) {
        let path = format!("profiles[{}].plugins.queueSort", index + 1);
        return Err(ConfigError::new(
            path,
            "Invalid value: queueSort must be the same for all profiles",
        ));
    }
    check_queue_sort_args(profiles, first.0.first().map_or("", |(name, _)| name.as_str()))
}

/// The queue sort plugin of all profiles must have the same arguments in each. Parity: if none is
/// enabled, a plugin without a name is used.
fn check_queue_sort_args(profiles: &[wire::Profile], plugin: &str) -> Result<(), ConfigError> {
    let first = profiles
        .first()
        .filter(|_| !plugin.is_empty())
        .and_then(|profile| args_of(profile, plugin));
    let differs =
        |profile: &wire::Profile| args_of(profile, plugin).is_some_and(|args| Some(args) != first);
    match profiles.iter().skip(1).position(differs) {
        Some(index) => {
            let path = format!("profiles[{}].pluginConfig.args", index + 1);
            Err(ConfigError::new(path, "queueSort must be the same for all profiles"))
        }
        None => Ok(()),
    }
}

/// A profile's arguments for a plugin, if any.
fn args_of<'p>(profile: &'p wire::Profile, plugin: &str) -> Option<&'p Value> {
    let config = profile.plugin_config.iter().find(|config| config.name == plugin);
    config.map(|config| &config.args).filter(|args| !args.is_null())
}

fn read_profile(
    raw: &wire::Profile,
    context: &Context,
    path: &str,
    only: bool,
    problems: &mut Problems,
) -> ProfileSettings {
    // Parity: a missing name means the default one, an empty name does not.
    let scheduler_name = match raw.scheduler_name.as_deref() {
        None if only => ProfileSettings::new().scheduler_name,
        name => name.unwrap_or_default().to_owned(),
    };
    if scheduler_name.is_empty() {
        problems.add(ConfigError::new(format!("{path}.schedulerName"), "Required value"));
    }
    problems.keep(check_percentage(
        raw.percentage_of_nodes_to_score,
        &format!("{path}.percentageOfNodesToScore"),
    ));
    problems.keep(check_placements(
        raw.percentage_of_placements_to_score,
        &format!("{path}.percentageOfPlacementsToScore"),
        context,
    ));
    let plugins = raw
        .plugins
        .as_ref()
        .map(|plugins| read_plugins(plugins, context, &format!("{path}.plugins")));
    let plugins = plugins.and_then(|plugins| problems.keep(plugins)).unwrap_or_default();
    let mut args = PluginArgs::default();
    let mut of_args = Problems::default();
    read_args(
        &raw.plugin_config,
        context,
        &format!("{path}.pluginConfig"),
        &mut args,
        &mut of_args,
    );
    // What a plugin itself validates is found only if it is created.
    let makes_fit = framework::makes(&plugins, "NodeResourcesFit", context);
    problems.append(of_args, |error| error.stage != ConfigStage::Start || makes_fit);
    let percentage_of_nodes_to_score = raw.percentage_of_nodes_to_score.map(i64::from);
    let percentage_of_placements_to_score = raw.percentage_of_placements_to_score.map(i64::from);
    ProfileSettings {
        scheduler_name,
        percentage_of_nodes_to_score,
        percentage_of_placements_to_score,
        plugins,
        args,
    }
}

fn read_plugins(
    raw: &wire::Plugins,
    context: &Context,
    path: &str,
) -> Result<PluginSettings, ConfigError> {
    let mut settings = PluginSettings {
        multi_point: read_point(&raw.multi_point, "multiPoint", context, path)?,
        pre_enqueue: read_point(&raw.pre_enqueue, "preEnqueue", context, path)?,
        pre_filter: read_point(&raw.pre_filter, "preFilter", context, path)?,
        filter: read_point(&raw.filter, "filter", context, path)?,
        post_filter: read_point(&raw.post_filter, "postFilter", context, path)?,
        pod_group_post_filter: read_point(
            &raw.pod_group_post_filter,
            "podGroupPostFilter",
            context,
            path,
        )?,
        pre_score: read_point(&raw.pre_score, "preScore", context, path)?,
        score: read_point(&raw.score, "score", context, path)?,
        ..PluginSettings::default()
    };

    // Points that do not affect decisions.
    for (name, set) in [
        ("queueSort", &raw.queue_sort),
        ("reserve", &raw.reserve),
        ("permit", &raw.permit),
        ("preBind", &raw.pre_bind),
        ("bind", &raw.bind),
        ("postBind", &raw.post_bind),
        ("unreserve", &raw.unreserve),
        ("placementGenerate", &raw.placement_generate),
        ("placementScore", &raw.placement_score),
        ("placementFeasible", &raw.placement_feasible),
    ] {
        settings.elsewhere.push((name, read_point(set, name, context, path)?));
    }

    // What concerns several points comes after the points.
    check_conflicts(&settings, context, &format!("{path}.score"))?;
    check_registered(&settings, context, path)?;
    Ok(settings)
}

fn read_point(
    raw: &wire::PluginSet,
    name: &str,
    context: &Context,
    path: &str,
) -> Result<PointSettings, ConfigError> {
    let is_validated = context.checks_placements() || !NOT_VALIDATED_YET.contains(&name);
    if is_validated && !NOT_VALIDATED.contains(&name) {
        check_all_exist(raw, context, &format!("{path}.{name}"))?;
    }
    Ok(PointSettings {
        enabled: raw.enabled.iter().map(|p| (p.name.clone(), p.weight.into())).collect(),
        disabled: raw.disabled.iter().map(|p| p.name.clone()).collect(),
    })
}

fn check_all_exist(
    raw: &wire::PluginSet,
    context: &Context,
    path: &str,
) -> Result<(), ConfigError> {
    for (index, plugin) in raw.enabled.iter().enumerate() {
        check_exists(&plugin.name, context, &format!("{path}.enabled[{index}]"))?;
    }
    Ok(())
}

fn check_exists(plugin: &str, context: &Context, path: &str) -> Result<(), ConfigError> {
    let minor = context.minor();
    let refuses = |(api, first, last, _, names): &&(Api, u16, u16, &str, &[&str])| {
        *api <= context.api && (*first..=*last).contains(&minor) && names.contains(&plugin)
    };
    match GONE.iter().find(refuses) {
        Some((api, _, _, how, _)) => {
            let (since, this) = (api.name(), context.api.name());
            let problem = format!(
                "was {how} in version {since:?} (KubeSchedulerConfiguration is version {this:?})"
            );
            Err(ConfigError::invalid(path, plugin, &problem))
        }
        None => Ok(()),
    }
}

/// Upstream: `isScorePluginConflict` (1.22).
fn check_conflicts(
    settings: &PluginSettings,
    context: &Context,
    path: &str,
) -> Result<(), ConfigError> {
    if context.api != Api::V1Beta1 || context.minor() != 22 {
        return Ok(());
    }
    let score = &settings.score;
    let Some(index) = score.enabled.iter().position(|(name, _)| name == "NodeResourcesFit") else {
        return Ok(());
    };
    let least = INSTEAD_OF_FIT.first().copied().unwrap_or_default();
    let by_default = !score.disabled.iter().any(|name| name == least || name == "*");
    let beside = INSTEAD_OF_FIT.iter().filter(|name| {
        score.enabled.iter().any(|(n, _)| n == *name) || (**name == least && by_default)
    });
    let names: Vec<String> = beside.map(|name| format!("{name:?}")).collect();
    if names.is_empty() {
        return Ok(());
    }
    let (this, names) = (context.api.name(), names.join(" "));
    let problem = format!(
        "was conflict with [{names}] in version {this:?} (KubeSchedulerConfiguration is version {this:?})"
    );
    Err(ConfigError::invalid(format!("{path}.enabled[{index}]"), "NodeResourcesFit", &problem))
}

/// Up to v1beta1 a plugin that is enabled by default cannot be enabled again without being disabled
/// first.
fn check_registered(
    settings: &PluginSettings,
    context: &Context,
    path: &str,
) -> Result<(), ConfigError> {
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
        for (index, (plugin, _)) in of.enabled.iter().enumerate() {
            let is_default = defaults.iter().any(|(default, _)| default == plugin);
            let is_disabled = of.disabled.iter().any(|d| d == plugin || d == "*");
            if is_default && !is_disabled {
                let problem = format!("plugin {plugin:?} already registered");
                return Err(ConfigError::new(format!("{path}.{name}.enabled[{index}]"), problem));
            }
        }
    }
    Ok(())
}

fn read_args(
    raw: &[wire::PluginConfig],
    context: &Context,
    path: &str,
    args: &mut PluginArgs,
    problems: &mut Problems,
) {
    let mut seen: Vec<&str> = Vec::new();
    for (index, config) in raw.iter().enumerate() {
        let path = format!("{path}[{index}]");
        if seen.contains(&config.name.as_str()) {
            problems.add(ConfigError::new(&path, format!("Duplicate value: {:?}", config.name)));
        }
        problems.keep(check_exists(&config.name, context, &path));
        seen.push(&config.name);
        let read = args::read(
            &config.name,
            &config.args,
            &format!("{path}.args"),
            context,
            args,
            problems,
        );
        problems.keep(read.map_err(|error| match error.stage {
            ConfigStage::Values => error.at(ConfigStage::Arguments),
            _ => error,
        }));
    }
}
