//! What kube-scheduler refuses when it makes the plugins of a profile.
//!
//! Upstream: `pkg/scheduler/framework/runtime/framework.go` `NewFramework`, `expandMultiPointPlugins`, `updatePluginList`,
//! `getValidScoreWeights`, and the plugins themselves (1.28 to 1.37; what a plugin of 1.23 to 1.27 may extend is that of 1.22 or
//! 1.28).

use super::context::{Context, lineup};
use super::error::ConfigError;
use crate::history::PluginLists;
use crate::plugins::{self, PluginSettings, PointSettings, is_in_tree};
use crate::registry;

/// The largest score of a plugin, before its weight.
const MAX_SCORE: i64 = 100;

/// Releases, by their minors: the first, and the first without it again.
type Minors = std::ops::Range<u16>;

/// In every release.
const EVER: Minors = 0..u16::MAX;

/// A plugin of the scheduler's own: the releases that have it, and its points with the releases in which it has them.
type Extends = (&'static str, Minors, &'static [(&'static str, Minors)]);

static PLUGINS: &[Extends] = &[
    ("SchedulingGates", 26..u16::MAX, &[("preEnqueue", EVER)]),
    ("PrioritySort", EVER, &[("queueSort", EVER)]),
    ("NodeName", EVER, &[("preFilter", 37..u16::MAX), ("filter", EVER)]),
    ("NodeUnschedulable", EVER, &[("preFilter", 37..u16::MAX), ("filter", EVER)]),
    ("TaintToleration", EVER, &[("preFilter", 37..u16::MAX), ("filter", EVER), ("preScore", EVER), ("score", EVER)]),
    ("NodeAffinity", EVER, &[("preFilter", EVER), ("filter", EVER), ("preScore", EVER), ("score", EVER)]),
    ("NodePorts", EVER, &[("preFilter", EVER), ("filter", EVER)]),
    (
        "NodeResourcesFit",
        EVER,
        &[("preFilter", EVER), ("filter", EVER), ("preScore", EVER), ("score", EVER), ("placementScore", 36..u16::MAX)],
    ),
    ("VolumeRestrictions", EVER, &[("preFilter", EVER), ("filter", EVER)]),
    ("NodeVolumeLimits", EVER, &[("preFilter", EVER), ("filter", EVER)]),
    ("EBSLimits", 0..32, &[("preFilter", EVER), ("filter", EVER)]),
    ("GCEPDLimits", 0..32, &[("preFilter", EVER), ("filter", EVER)]),
    ("AzureDiskLimits", 0..32, &[("preFilter", EVER), ("filter", EVER)]),
    (
        "VolumeBinding",
        EVER,
        &[
            ("preFilter", EVER),
            ("filter", EVER),
            ("reserve", EVER),
            ("preBind", EVER),
            ("preScore", 30..u16::MAX),
            ("score", EVER),
        ],
    ),
    ("VolumeZone", EVER, &[("preFilter", EVER), ("filter", EVER)]),
    ("PodTopologySpread", EVER, &[("preFilter", EVER), ("filter", EVER), ("preScore", EVER), ("score", EVER)]),
    ("InterPodAffinity", EVER, &[("preFilter", EVER), ("filter", EVER), ("preScore", EVER), ("score", EVER)]),
    (
        "DynamicResources",
        26..u16::MAX,
        &[
            ("preEnqueue", EVER),
            ("preFilter", EVER),
            ("filter", EVER),
            ("postFilter", EVER),
            ("podGroupPostFilter", 37..u16::MAX),
            ("preScore", 0..32),
            ("score", 35..u16::MAX),
            ("reserve", EVER),
            ("preBind", 30..u16::MAX),
            ("postBind", 0..32),
        ],
    ),
    (
        "DefaultPreemption",
        EVER,
        &[("preEnqueue", 32..u16::MAX), ("postFilter", EVER), ("podGroupPostFilter", 36..u16::MAX)],
    ),
    ("NodeResourcesBalancedAllocation", EVER, &[("preScore", EVER), ("score", EVER)]),
    ("ImageLocality", EVER, &[("score", EVER)]),
    ("DefaultBinder", EVER, &[("bind", EVER)]),
    ("NodeDeclaredFeatures", 35..u16::MAX, &[("preFilter", EVER), ("filter", EVER)]),
    ("GangScheduling", 35..u16::MAX, &[("preEnqueue", EVER), ("permit", EVER), ("reserve", 35..36)]),
    ("TopologyPlacementGenerator", 36..u16::MAX, &[("placementGenerate", EVER)]),
    ("PodGroupPodsCount", 36..u16::MAX, &[("placementScore", EVER)]),
    ("DeferredPodScheduling", 37..u16::MAX, &[("preFilter", EVER), ("filter", EVER), ("permit", EVER)]),
];

/// Go's name for what a plugin of a point implements.
fn interface(point: &str) -> String {
    let mut letters = point.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain("Plugin".chars()).collect()
}

/// The plugins of one profile.
pub(super) struct Plugins<'s> {
    settings: &'s PluginSettings,
    context: &'s Context<'s>,
    /// Those for all points, with their weights.
    all: Vec<(String, i64)>,
}

/// Checks the plugins of a profile.
pub(super) fn check(
    settings: &PluginSettings,
    scheduler_name: &str,
    context: &Context,
    path: &str,
) -> Result<(), ConfigError> {
    if context.base.features.default_plugins.plugin_lists != PluginLists::MultiPoint {
        return Ok(());
    }
    let lineup = lineup(context.api, context.base);
    let has_lists = lineup.default_plugins.plugin_lists != PluginLists::MultiPoint;
    let defaults = if has_lists { Vec::new() } else { registry::multi_point(&lineup) };
    let plugins = Plugins { settings, context, all: plugins::merge(&defaults, &settings.multi_point) };
    plugins.check_known(path)?;
    plugins.check_extends(path)?;
    // Of the lists of old, each has its own plugin by default.
    let listed = |name: &str| if has_lists { vec![(name.to_owned(), 0)] } else { Vec::new() };
    plugins.check_queue_sort(&listed("PrioritySort"), scheduler_name, path)?;
    plugins.check_bind(&listed("DefaultBinder"), scheduler_name, path)?;
    plugins.check_weights(&format!("{path}.score"))
}

impl Plugins<'_> {
    fn find(plugin: &str) -> Option<&'static Extends> {
        PLUGINS.iter().find(|(name, ..)| *name == plugin)
    }

    /// Whether the release has the plugin at the point; `None` for a plugin that is not the scheduler's own.
    fn extends(&self, plugin: &str, point: &str) -> Option<bool> {
        let (_, _, points) = Self::find(plugin)?;
        let minor = self.context.minor();
        Some(points.iter().any(|(name, minors)| *name == point && minors.contains(&minor)))
    }

    /// Refuses plugins of other releases.
    fn check_known(&self, path: &str) -> Result<(), ConfigError> {
        let minor = self.context.minor();
        for (point, set) in self.settings.points() {
            for (index, (plugin, _)) in set.enabled.iter().enumerate() {
                if Self::find(plugin).is_some_and(|(_, minors, _)| !minors.contains(&minor)) {
                    let problem = format!("{} {plugin:?} does not exist", interface(point));
                    return Err(ConfigError::new(format!("{path}.{point}.enabled[{index}]"), problem));
                }
            }
        }
        Ok(())
    }

    /// Refuses plugins at points that they do not have.
    fn check_extends(&self, path: &str) -> Result<(), ConfigError> {
        for (point, set) in self.settings.points().filter(|(point, _)| *point != "multiPoint") {
            for (index, (plugin, _)) in set.enabled.iter().enumerate() {
                if self.extends(plugin, point) == Some(false) {
                    let problem = format!("plugin {plugin:?} does not extend {} plugin", interface(point));
                    return Err(ConfigError::new(format!("{path}.{point}.enabled[{index}]"), problem));
                }
            }
        }
        Ok(())
    }

    /// The plugins of a point of which the scheduler has one of its own: their names, and whether others may be among them,
    /// since plugins that are not known here are enabled for all points.
    fn at(&self, point: &str, listed: &[(String, i64)]) -> (Vec<String>, bool) {
        let nothing = PointSettings::default();
        let own = self.settings.points().find(|(name, _)| *name == point).map_or(&nothing, |(_, own)| own);
        let mut names: Vec<String> = plugins::merge(listed, own).into_iter().map(|(name, _)| name).collect();
        if own.disables_all() {
            return (names, false);
        }
        let strangers = self.all.iter().any(|(name, _)| !is_in_tree(name));
        for (name, _) in &self.all {
            if self.extends(name, point) == Some(true) && !own.disables(name) && !names.contains(name) {
                names.push(name.clone());
            }
        }
        (names, strangers)
    }

    fn check_queue_sort(&self, listed: &[(String, i64)], scheduler_name: &str, path: &str) -> Result<(), ConfigError> {
        let (names, others) = self.at("queueSort", listed);
        if names.len() == 1 || (names.is_empty() && others) {
            return Ok(());
        }
        let problem = format!(
            "only one queue sort plugin required for profile with scheduler name {scheduler_name:?}, but got {}",
            names.len()
        );
        Err(ConfigError::new(format!("{path}.queueSort"), problem))
    }

    fn check_bind(&self, listed: &[(String, i64)], scheduler_name: &str, path: &str) -> Result<(), ConfigError> {
        let (names, others) = self.at("bind", listed);
        if !names.is_empty() || others {
            return Ok(());
        }
        let problem = format!("at least one bind plugin is needed for profile with scheduler name {scheduler_name:?}");
        Err(ConfigError::new(format!("{path}.bind"), problem))
    }

    /// Parity: weights are added up with those of plugins that do not score here, and a negative one overflows what is left
    /// for the next.
    fn check_weights(&self, path: &str) -> Result<(), ConfigError> {
        let mut seen: Vec<&str> = Vec::new();
        let mut total = 0_i64;
        for (name, weight) in self.settings.score.enabled.iter().chain(&self.all) {
            if self.extends(name, "score") == Some(false) || seen.contains(&name.as_str()) {
                continue;
            }
            seen.push(name);
            let score = MAX_SCORE.wrapping_mul(if *weight == 0 { 1 } else { *weight });
            if score > i64::MAX.wrapping_sub(total) {
                return Err(ConfigError::new(path, "score plugins: total score of Score plugins could overflow"));
            }
            total = total.wrapping_add(score);
        }
        Ok(())
    }
}
