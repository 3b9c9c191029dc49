//! What kube-scheduler rejects when it creates the plugins of a profile.
//!
//! Upstream: `pkg/scheduler/framework/runtime/framework.go` `NewFramework`,
//! `expandMultiPointPlugins`, `updatePluginList`, `getValidScoreWeights` (1.28 to 1.37).

use super::context::{Context, lineup};
use super::error::ConfigError;
use crate::history::PluginLists;
use crate::plugins::{self, PluginSettings, PointSettings, is_in_tree};
use crate::point::Point;
use crate::registry;

/// The maximum score of a plugin, before its weight.
const MAX_SCORE: i64 = 100;

/// The Go interface that a plugin of a point implements.
fn interface(point: &str) -> String {
    let mut letters = point.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain("Plugin".chars()).collect()
}

/// The points of a profile in the order in which the scheduler checks them.
const ORDER: [&str; 17] = [
    "preFilter",
    "filter",
    "postFilter",
    "reserve",
    "preScore",
    "score",
    "preBind",
    "bind",
    "postBind",
    "permit",
    "preEnqueue",
    "queueSort",
    "unreserve",
    "placementGenerate",
    "placementScore",
    "placementFeasible",
    "podGroupPostFilter",
];

/// The plugins of one profile.
struct Plugins<'s> {
    settings: &'s PluginSettings,
    context: &'s Context<'s>,
    /// Those for all points, with their weights.
    all: Vec<(String, i64)>,
    /// Whether the version of the configuration has a list of default plugins per point instead of
    /// one for all.
    has_lists: bool,
}

/// Checks the plugins of a profile.
pub(super) fn check(
    settings: &PluginSettings,
    scheduler_name: &str,
    context: &Context,
    path: &str,
) -> Result<(), ConfigError> {
    if context.base.features.default_plugins.plugin_lists != PluginLists::MultiPoint {
        return check_registered_once(settings, path);
    }
    let plugins = Plugins::new(settings, context);
    plugins.check_points(path)?;
    plugins.check_multi_point(&format!("{path}.multiPoint"))?;
    plugins.check_queue_sort(scheduler_name, path)?;
    plugins.check_bind(scheduler_name, path)?;
    plugins.check_weights("score", &format!("{path}.score"))?;
    plugins.check_weights("placementScore", &format!("{path}.placementScore"))
}

/// Whether a profile instantiates the plugin: one that is enabled at any point, or for all.
pub(super) fn makes(settings: &PluginSettings, plugin: &str, context: &Context) -> bool {
    plugins::makes_any(&lineup(context.api, context.base), settings, &[plugin])
}

/// Whether the default arguments of a plugin are looked up: if it is enabled anywhere, up to 1.37
/// anywhere but as a PostFilter for groups.
pub(super) fn gets_args(settings: &PluginSettings, plugin: &str, context: &Context) -> bool {
    if context.checks_placements() {
        return makes(settings, plugin, context);
    }
    let elsewhere =
        PluginSettings { pod_group_post_filter: PointSettings::default(), ..settings.clone() };
    makes(&elsewhere, plugin, context)
}

/// Rejects plugins that a point lists twice.
fn check_registered_once(settings: &PluginSettings, path: &str) -> Result<(), ConfigError> {
    for (point, set) in settings.points() {
        for (index, (plugin, _)) in set.enabled.iter().enumerate() {
            if set.enabled.iter().take(index).any(|(earlier, _)| earlier == plugin) {
                return Err(registered(plugin, format!("{path}.{point}.enabled[{index}]")));
            }
        }
    }
    Ok(())
}

fn registered(plugin: &str, path: String) -> ConfigError {
    ConfigError::new(path, format!("plugin {plugin:?} already registered"))
}

fn missing(plugin: &str, point: &str, path: String) -> ConfigError {
    ConfigError::new(path, format!("{} {plugin:?} does not exist", interface(point)))
}

impl<'s> Plugins<'s> {
    fn new(settings: &'s PluginSettings, context: &'s Context<'s>) -> Self {
        let lineup = lineup(context.api, context.base);
        let has_lists = lineup.default_plugins.plugin_lists != PluginLists::MultiPoint;
        let defaults = if has_lists { Vec::new() } else { registry::multi_point(&lineup) };
        Self { settings, context, all: plugins::merge(&defaults, &settings.multi_point), has_lists }
    }

    /// Whether the release has the plugin at the point; `None` for a plugin that is not the
    /// scheduler's own.
    fn extends(&self, plugin: &str, point: &str) -> Option<bool> {
        let plugin = registry::in_tree(plugin)?;
        Some(
            Point::named(point)
                .is_some_and(|point| plugin.extends(point, &self.context.base.features)),
        )
    }

    fn exists(&self, plugin: &str) -> bool {
        self.context.base.features.extension_points.has_plugin(plugin)
    }

    fn at(&self, point: &str) -> Option<&'s PointSettings> {
        self.settings.points().find(|(name, _)| *name == point).map(|(_, set)| set)
    }

    /// Rejects plugins of other releases, at points that they do not have, and twice at a point.
    fn check_points(&self, path: &str) -> Result<(), ConfigError> {
        for point in ORDER {
            let Some(set) = self.at(point) else { continue };
            for (index, (plugin, _)) in set.enabled.iter().enumerate() {
                let path = format!("{path}.{point}.enabled[{index}]");
                if !self.exists(plugin) {
                    return Err(missing(plugin, point, path));
                }
                if self.extends(plugin, point) == Some(false) {
                    let problem =
                        format!("plugin {plugin:?} does not extend {} plugin", interface(point));
                    return Err(ConfigError::new(path, problem));
                }
                if set.enabled.iter().take(index).any(|(earlier, _)| earlier == plugin) {
                    return Err(registered(plugin, path));
                }
            }
        }
        Ok(())
    }

    /// Rejects plugins for all points that the release lacks, or that are listed twice and so come
    /// twice at one of their points.
    fn check_multi_point(&self, path: &str) -> Result<(), ConfigError> {
        let enabled = &self.settings.multi_point.enabled;
        for point in ORDER {
            let set = self.at(point);
            if set.is_some_and(PointSettings::disables_all) {
                continue;
            }
            for (index, (plugin, _)) in enabled.iter().enumerate() {
                let path = format!("{path}.enabled[{index}]");
                if !self.exists(plugin) {
                    return Err(missing(plugin, point, path));
                }
                let is_twice = enabled.iter().take(index).any(|(earlier, _)| earlier == plugin);
                let is_for_itself =
                    set.is_some_and(|set| set.disables(plugin) || set.enables(plugin));
                if is_twice && !is_for_itself && self.extends(plugin, point) != Some(false) {
                    return Err(registered(plugin, path));
                }
            }
        }
        Ok(())
    }

    /// The plugins at a point for which the scheduler has one of its own, `default` if each point
    /// has its list: their names, and whether there may be others, since unknown plugins are
    /// enabled for all points.
    fn names_at(&self, point: &str, default: &str) -> (Vec<String>, bool) {
        let nothing = PointSettings::default();
        let own = self.at(point).unwrap_or(&nothing);
        let listed = if self.has_lists { vec![(default.to_owned(), 0)] } else { Vec::new() };
        let mut names: Vec<String> =
            plugins::merge(&listed, own).into_iter().map(|(name, _)| name).collect();
        if own.disables_all() {
            return (names, false);
        }
        let strangers = self.all.iter().any(|(name, _)| !is_in_tree(name));
        for (name, _) in &self.all {
            if self.extends(name, point) == Some(true)
                && !own.disables(name)
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
        (names, strangers)
    }

    fn check_queue_sort(&self, scheduler_name: &str, path: &str) -> Result<(), ConfigError> {
        let (names, others) = self.names_at("queueSort", "PrioritySort");
        if names.len() == 1 || (names.is_empty() && others) {
            return Ok(());
        }
        let problem = format!(
            "only one queue sort plugin required for profile with scheduler name {scheduler_name:?}, but got {}",
            names.len()
        );
        Err(ConfigError::new(format!("{path}.queueSort"), problem))
    }

    fn check_bind(&self, scheduler_name: &str, path: &str) -> Result<(), ConfigError> {
        let (names, others) = self.names_at("bind", "DefaultBinder");
        if !names.is_empty() || others {
            return Ok(());
        }
        let problem = format!(
            "at least one bind plugin is needed for profile with scheduler name {scheduler_name:?}"
        );
        Err(ConfigError::new(format!("{path}.bind"), problem))
    }

    /// Parity: weights are added up with those of plugins that do not score here, and a negative
    /// one overflows what is left for the next.
    fn check_weights(&self, point: &str, path: &str) -> Result<(), ConfigError> {
        let own = self.at(point).map(|set| set.enabled.as_slice()).unwrap_or_default();
        let mut seen: Vec<&str> = Vec::new();
        let mut total = 0_i64;
        for (name, weight) in own.iter().chain(&self.all) {
            if self.extends(name, point) == Some(false) || seen.contains(&name.as_str()) {
                continue;
            }
            seen.push(name);
            let score = MAX_SCORE.wrapping_mul(if *weight == 0 { 1 } else { *weight });
            if score > i64::MAX.wrapping_sub(total) {
                return Err(ConfigError::new(path, "total score of Score plugins could overflow"));
            }
            total = total.wrapping_add(score);
        }
        Ok(())
    }
}
