//! Which plugins run at which extension point, in which order, with which weight.
//!
//! Upstream: `pkg/scheduler/apis/config/v1/default_plugins.go`,
//! `pkg/scheduler/framework/runtime/framework.go` `expandMultiPointPlugins` (1.37).

use std::collections::BTreeMap;

use super::Features;
use super::before_1_23::lists;
pub use super::point::Point;
use super::registry::{self, DEFAULTS, InTreePlugin, OTHERS};
use crate::history::{PluginLists, PointOrder};

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
    /// Known plugins that reserve what the pod needs on its node.
    pub reserve: Vec<&'static str>,
    /// Plugins that score twice, with an unknown result.
    pub scored_twice: Vec<&'static str>,
    /// Plugins that are not the scheduler's own, by name.
    pub out_of_tree: Vec<OutOfTreePlugin>,
}

impl PluginSet {
    /// Whether scheduling gates hold a pod back.
    pub fn scheduling_gates(&self) -> bool {
        self.pre_enqueue.contains(&"SchedulingGates")
    }

    /// Whether a plugin reserves that does not run where it finds what to reserve.
    pub fn reserves_unprepared(&self) -> bool {
        self.reserve.iter().any(|name| self.lacks_state(name) || !self.filter.contains(name))
    }

    /// Whether the state that a plugin's PreFilter leaves is missing, because the configuration
    /// disables it there.
    pub fn lacks_state(&self, name: &str) -> bool {
        self.could_pre_filter.contains(&name) && !self.pre_filter.contains(&name)
    }

    /// Whether DefaultPreemption runs.
    pub fn preempts(&self) -> bool {
        self.post_filter.contains(&"DefaultPreemption")
    }

    /// The plugins of a profile with these `settings`.
    pub fn new(features: &Features, settings: &PluginSettings) -> Self {
        let defaults = if features.default_plugins.plugin_lists == PluginLists::MultiPoint {
            registry::multi_point(features)
        } else {
            Vec::new()
        };
        let all = merge(&defaults, &settings.multi_point);
        Self {
            pre_enqueue: names_at(features, &all, Point::PreEnqueue, &settings.pre_enqueue),
            pre_filter: names_at(features, &all, Point::PreFilter, &settings.pre_filter),
            filter: names_at(features, &all, Point::Filter, &settings.filter),
            post_filter: names_at(features, &all, Point::PostFilter, &settings.post_filter),
            pod_group_post_filter: if features.pod_groups.group_preemption {
                names_at(features, &all, Point::PodGroupPostFilter, &settings.pod_group_post_filter)
            } else {
                preemption_of_groups(features, settings)
            },
            pre_score: names_at(features, &all, Point::PreScore, &settings.pre_score),
            score: plugins_at(features, &all, Point::Score, &settings.score),
            reserve: RESERVING
                .into_iter()
                .filter(|name| reserves(name, features, &all, settings))
                .collect(),
            scored_twice: scored_twice(features, &all, &settings.score),
            could_pre_filter: registry::having(Point::PreFilter, features),
            could_pre_score: registry::having(Point::PreScore, features),
            out_of_tree: out_of_tree(settings),
        }
    }
}

/// The plugins that reserve something.
const RESERVING: [&str; 2] = ["VolumeBinding", "DynamicResources"];

/// Whether a plugin reserves in a profile that says `settings`; `all` are the plugins for all
/// points. Where each point has a list of default plugins, it does if it filters.
fn reserves(
    name: &str,
    features: &Features,
    all: &[(String, i64)],
    settings: &PluginSettings,
) -> bool {
    if features.default_plugins.plugin_lists != PluginLists::MultiPoint {
        let filters = plugins_at(features, all, Point::Filter, &settings.filter);
        return filters.iter().any(|(plugin, _)| *plugin == name);
    }
    let nothing = PointSettings::default();
    let own = settings.points().find(|(point, _)| *point == Point::Reserve.name());
    let own = own.map_or(&nothing, |(_, own)| own);
    let is_for_all = all.iter().any(|(plugin, _)| plugin == name);
    own.enables(name) || (is_for_all && !own.disables_all() && !own.disables(name))
}

/// Whether a profile that says `settings` makes one of the plugins `names`: one that is enabled for
/// all points or at any, even if it is disabled at all others.
pub(super) fn makes_any(features: &Features, settings: &PluginSettings, names: &[&str]) -> bool {
    let all = merge(&registry::multi_point(features), &settings.multi_point);
    names.iter().any(|name| {
        all.iter().any(|(enabled, _)| enabled == name)
            || settings.points().any(|(_, point)| point.enabled(name).is_some())
    })
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

/// The plugins of one point.
fn names_at(
    features: &Features,
    all: &[(String, i64)],
    point: Point,
    own: &PointSettings,
) -> Vec<&'static str> {
    plugins_at(features, all, point, own).into_iter().map(|(name, _)| name).collect()
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
        return expand(all, point, &own, features.default_plugins.point_order)
            .into_iter()
            .map(|(plugin, weight)| (plugin.name, weight))
            .collect();
    }
    expand(all, point, own, features.default_plugins.point_order)
        .into_iter()
        .filter(|(plugin, _)| plugin.has(point, features))
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

/// The plugins that a point enables, in the order of the configuration.
#[derive(Default)]
struct OwnPlugins<'s> {
    /// Those that run before the plugins that only `multiPoint` enables.
    before: Vec<&'s (String, i64)>,
    /// The plugins that run after them.
    behind: Vec<&'s (String, i64)>,
    /// Those that run a second time.
    again: Vec<&'s (String, i64)>,
}

impl<'s> OwnPlugins<'s> {
    fn new(own: &'s PointSettings, multi_point: &[(String, i64)], order: PointOrder) -> Self {
        let overrides = |(name, _): &&(String, i64)| {
            multi_point.iter().any(|(n, _)| n == name) && !own.disables(name)
        };
        if own.disables_all() || order == PointOrder::Own {
            return Self { before: own.enabled.iter().collect(), ..Self::default() };
        }
        if order == PointOrder::SomeOverriding {
            return Self::taken_out_one_by_one(own, overrides);
        }
        let (before, behind) = own.enabled.iter().partition(overrides);
        Self { before, behind, again: Vec::new() }
    }

    /// Parity: the scheduler removes plugins from the list while iterating over its original
    /// length. After a removal the following plugins move up, so the next one is skipped, and the
    /// last ones are visited again at their old positions.
    fn taken_out_one_by_one(
        own: &'s PointSettings,
        overrides: impl Fn(&&'s (String, i64)) -> bool,
    ) -> Self {
        let mut made = Self::default();
        let mut list: Vec<&(String, i64)> = own.enabled.iter().collect();
        let mut length = list.len();
        for at in 0..list.len() {
            let Some(plugin) = list.get(at).copied().filter(&overrides) else { continue };
            let place = list.iter().take(length).position(|kept| kept.0 == plugin.0);
            let Some(place) = place else {
                made.again.push(plugin);
                continue;
            };
            made.before.push(plugin);
            list.copy_within(place + 1..length, place);
            length -= 1;
        }
        list.truncate(length);
        Self { behind: list, ..made }
    }
}

/// The plugins of one point: those that it enables and `multiPoint`, too; those that `multiPoint`
/// alone enables; those that it alone enables.
fn expand(
    multi_point: &[(String, i64)],
    point: Point,
    own: &PointSettings,
    order: PointOrder,
) -> Vec<(&'static InTreePlugin, i64)> {
    let find = |(name, weight): &(String, i64)| {
        let plugin = DEFAULTS.iter().find(|p| p.name == name && p.points.contains(&point))?;
        // A weight of 0 counts as 1, wherever it was left out.
        Some((plugin, if *weight == 0 { 1 } else { *weight }))
    };
    let OwnPlugins { before, behind, again: _ } = OwnPlugins::new(own, multi_point, order);
    let inherited = multi_point.iter().filter(|(name, _)| {
        !own.disables_all() && !own.disables(name) && own.enabled(name).is_none()
    });
    before.into_iter().chain(inherited).chain(behind).filter_map(find).collect()
}

/// Plugins that a configuration makes kube-scheduler score with twice.
fn scored_twice(
    features: &Features,
    all: &[(String, i64)],
    score: &PointSettings,
) -> Vec<&'static str> {
    let order = features.default_plugins.point_order;
    let own = OwnPlugins::new(score, all, order);
    let mut names: Vec<&'static str> =
        own.again.iter().filter_map(|(name, _)| registry::known_name(name)).collect();
    names.dedup();
    names
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
pub fn is_in_tree(name: &str) -> bool {
    registry::known_name(name).is_some() || OTHERS.iter().any(|plugin| plugin.name == name)
}

#[cfg(test)]
mod tests;
