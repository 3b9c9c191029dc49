//! Which plugins run at which extension point, in which order, with which weight.
//!
//! Upstream: `pkg/scheduler/apis/config/v1/default_plugins.go`,
//! `pkg/scheduler/framework/runtime/framework.go` `expandMultiPointPlugins` (1.37).

use std::collections::BTreeMap;

use super::Features;
use super::before_1_23::lists;
pub use super::point::Point;
use super::registry::{self, DEFAULTS, InTree, OTHERS};
use crate::history::PluginLists;

/// The configuration of one extension point, or of all of them (`multiPoint`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PointSettings {
    /// Names with their weight, 0 for none.
    pub enabled: Vec<(String, i64)>,
    /// Names, or `*` for all.
    pub disabled: Vec<String>,
}

impl PointSettings {
    pub(super) fn disables(&self, name: &str) -> bool {
        self.disabled.iter().any(|d| d == name)
    }

    pub(super) fn disables_all(&self) -> bool {
        self.disables("*")
    }

    pub(super) fn enables(&self, name: &str) -> bool {
        self.enabled(name).is_some()
    }

    fn enabled(&self, name: &str) -> Option<&(String, i64)> {
        self.enabled.iter().find(|(enabled, _)| enabled == name)
    }
}

/// The configuration of a profile's plugins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PluginSettings {
    /// All extension points.
    pub multi_point: PointSettings,
    /// Before the active queue.
    pub pre_enqueue: PointSettings,
    /// Once per cycle.
    pub pre_filter: PointSettings,
    /// Once per node.
    pub filter: PointSettings,
    /// If no node takes the pod.
    pub post_filter: PointSettings,
    /// If too few pods of a group fit.
    pub pod_group_post_filter: PointSettings,
    /// Before scoring.
    pub pre_score: PointSettings,
    /// Once per feasible node.
    pub score: PointSettings,
    /// Points that do not affect decisions, by their names in the configuration.
    pub elsewhere: Vec<(&'static str, PointSettings)>,
}

impl PluginSettings {
    /// Every point with its name in the configuration.
    pub(super) fn points(&self) -> impl Iterator<Item = (&'static str, &PointSettings)> {
        let deciding = [
            ("multiPoint", &self.multi_point),
            ("preEnqueue", &self.pre_enqueue),
            ("preFilter", &self.pre_filter),
            ("filter", &self.filter),
            ("postFilter", &self.post_filter),
            ("podGroupPostFilter", &self.pod_group_post_filter),
            ("preScore", &self.pre_score),
            ("score", &self.score),
        ];
        deciding.into_iter().chain(self.elsewhere.iter().map(|(name, settings)| (*name, settings)))
    }
}

/// An enabled plugin that is not known here.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OutOfTreePlugin {
    pub name: String,
    /// Points at which it is enabled, by their names in the configuration.
    pub points: Vec<&'static str>,
}

/// The plugins of a profile, in the order in which they run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PluginSet {
    /// PreEnqueue.
    pub pre_enqueue: Vec<&'static str>,
    /// PreFilter.
    pub pre_filter: Vec<&'static str>,
    pub filter: Vec<&'static str>,
    /// PostFilter.
    pub post_filter: Vec<&'static str>,
    /// PostFilter for groups.
    pub pod_group_post_filter: Vec<&'static str>,
    /// PreScore.
    pub pre_score: Vec<&'static str>,
    /// Score, with weights.
    pub score: Vec<(&'static str, i64)>,
    /// Plugins whose PreFilter the profile's version has.
    pub could_pre_filter: Vec<&'static str>,
    /// Plugins whose PreScore the profile's version has.
    pub could_pre_score: Vec<&'static str>,
    /// Plugins that are not the scheduler's own, by name.
    pub out_of_tree: Vec<OutOfTreePlugin>,
}

impl PluginSet {
    /// Whether scheduling gates hold a pod back.
    #[must_use]
    pub fn scheduling_gates(&self) -> bool {
        self.pre_enqueue.contains(&"SchedulingGates")
    }

    /// Whether DefaultPreemption runs.
    #[must_use]
    pub fn preempts(&self) -> bool {
        self.post_filter.contains(&"DefaultPreemption")
    }

    /// The plugins of a profile with these `settings`.
    #[must_use]
    pub fn new(features: &Features, settings: &PluginSettings) -> Self {
        let defaults = if features.default_plugins.plugin_lists == PluginLists::MultiPoint {
            registry::multi_point(features)
        } else {
            Vec::new()
        };
        let all = merge(&defaults, &settings.multi_point);
        let names = |point, of: &PointSettings| -> Vec<&'static str> {
            plugins_at(features, &all, point, of).into_iter().map(|(name, _)| name).collect()
        };
        Self {
            pre_enqueue: names(Point::PreEnqueue, &settings.pre_enqueue),
            pre_filter: names(Point::PreFilter, &settings.pre_filter),
            filter: names(Point::Filter, &settings.filter),
            post_filter: names(Point::PostFilter, &settings.post_filter),
            pod_group_post_filter: if features.pod_groups.group_preemption {
                names(Point::PodGroupPostFilter, &settings.pod_group_post_filter)
            } else {
                preemption_of_groups(features, settings)
            },
            pre_score: names(Point::PreScore, &settings.pre_score),
            score: plugins_at(features, &all, Point::Score, &settings.score),
            could_pre_filter: registry::having(Point::PreFilter, features),
            could_pre_score: registry::having(Point::PreScore, features),
            out_of_tree: out_of_tree(settings),
        }
    }
}

/// Whether a profile with these `settings` instantiates one of the plugins `names`: one that is
/// enabled for all points or at any, even if it is disabled at all others.
pub(super) fn makes_any(features: &Features, settings: &PluginSettings, names: &[&str]) -> bool {
    let all = merge(&registry::multi_point(features), &settings.multi_point);
    let made = |name: &&str| {
        all.iter().any(|(enabled, _)| enabled == name)
            || settings.points().any(|(_, point)| point.enabled(name).is_some())
    };
    names.iter().any(made)
}

/// Before PostFilter for groups became a separate point, DefaultPreemption runs for them wherever
/// it is enabled.
///
/// Upstream: `pkg/scheduler/framework/runtime/framework.go` `NewFramework` (1.36).
fn preemption_of_groups(features: &Features, settings: &PluginSettings) -> Vec<&'static str> {
    ["DefaultPreemption"]
        .into_iter()
        .filter(|name| makes_any(features, settings, &[name]))
        .collect()
}

/// The plugins of one point with their weights.
fn plugins_at(
    features: &Features,
    all: &[(String, i64)],
    point: Point,
    own: &PointSettings,
) -> Vec<(&'static str, i64)> {
    if features.default_plugins.plugin_lists != PluginLists::MultiPoint {
        let listed = merge(&lists::at_point(features, point), own);
        let named =
            |(name, weight): (String, i64)| Some((registry::known_name(&name)?, weight.max(1)));
        if all.is_empty() {
            return listed.into_iter().filter_map(named).collect();
        }
        // Since 1.23 a configuration with lists may also have plugins for all points.
        let own = PointSettings { enabled: listed, disabled: own.disabled.clone() };
        return expand(all, point, &own)
            .into_iter()
            .map(|(plugin, weight)| (plugin.name, weight))
            .collect();
    }
    let has_point = |(plugin, _): &(&'static InTree, i64)| plugin.has(point, features);
    expand(all, point, own)
        .into_iter()
        .filter(has_point)
        .map(|(plugin, weight)| (plugin.name, weight))
        .collect()
}

/// Merges `multiPoint` of the user into the defaults: a plugin that is named again keeps its
/// position, a new one comes last.
pub(super) fn merge(defaults: &[(String, i64)], user: &PointSettings) -> Vec<(String, i64)> {
    let kept = defaults.iter().filter(|(name, _)| !user.disables_all() && !user.disables(name));
    let mut merged: Vec<(String, i64)> =
        kept.map(|plugin| user.enabled(&plugin.0).unwrap_or(plugin).clone()).collect();
    for plugin in &user.enabled {
        if !merged.iter().any(|(name, _)| *name == plugin.0) {
            merged.push(plugin.clone());
        }
    }
    merged
}

/// The plugins of one point: those named by both it and `multiPoint`; those only in `multiPoint`;
/// those only in the point.
fn expand(
    multi_point: &[(String, i64)],
    point: Point,
    own: &PointSettings,
) -> Vec<(&'static InTree, i64)> {
    let find = |(name, weight): &(String, i64)| {
        let plugin = DEFAULTS.iter().find(|p| p.name == name && p.points.contains(&point))?;
        // A weight of 0 counts as 1, wherever it was left out.
        Some((plugin, if *weight == 0 { 1 } else { *weight }))
    };
    if own.disables_all() {
        return own.enabled.iter().filter_map(find).collect();
    }
    let both = |(name, _): &&(String, i64)| {
        multi_point.iter().any(|(n, _)| n == name) && !own.disables(name)
    };
    let inherited =
        multi_point.iter().filter(|(name, _)| !own.disables(name) && own.enabled(name).is_none());
    let overriding = own.enabled.iter().filter(both);
    let alone = own.enabled.iter().filter(|plugin| !both(plugin));
    overriding.chain(inherited).chain(alone).filter_map(find).collect()
}

fn out_of_tree(settings: &PluginSettings) -> Vec<OutOfTreePlugin> {
    let mut strangers: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
    for (point, set) in settings.points() {
        for (name, _) in set.enabled.iter().filter(|(name, _)| !is_in_tree(name)) {
            strangers.entry(name).or_default().push(point);
        }
    }
    strangers
        .into_iter()
        .map(|(name, points)| OutOfTreePlugin { name: name.to_owned(), points })
        .collect()
}

/// Whether `name` is one of the scheduler's own plugins in any version, with known behaviour.
#[must_use]
pub fn is_in_tree(name: &str) -> bool {
    registry::known_name(name).is_some() || OTHERS.iter().any(|plugin| plugin.name == name)
}

#[cfg(test)]
mod tests;
