//! Which plugins run at which extension point, in which order, with which weight.
//!
//! Upstream: `pkg/scheduler/apis/config/v1/default_plugins.go`, `pkg/scheduler/framework/runtime/framework.go`
//! `expandMultiPointPlugins` (1.37).

use super::Features;

/// An extension point of the scheduling cycle that decides anything here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// Before the active queue.
    PreEnqueue,
    /// Once per cycle.
    PreFilter,
    /// Once per node.
    Filter,
    /// When no node takes the pod.
    PostFilter,
    /// Once per cycle, before scoring.
    PreScore,
    /// Once per feasible node.
    Score,
}

/// A plugin of the scheduler's own.
#[derive(Debug)]
pub struct InTree {
    /// Its name in the configuration.
    pub name: &'static str,
    points: &'static [Point],
    /// Weight of its score where none is set.
    weight: i64,
    /// Whether this version has it.
    exists: fn(&Features) -> bool,
}

const fn always(_: &Features) -> bool {
    true
}

macro_rules! in_tree {
    ($($name:literal [$($point:ident)*] $(weight $weight:literal)? $(if features.$gate:ident)?;)+) => {
        /// Every plugin that is enabled by default, in the order of the newest version.
        pub static DEFAULTS: &[InTree] = &[$(InTree {
            name: $name,
            points: &[$(Point::$point),*],
            weight: in_tree!(@weight $($weight)?),
            exists: in_tree!(@exists $($gate)?),
        }),+];
    };
    (@weight) => { 1 };
    (@weight $weight:literal) => { $weight };
    (@exists) => { always };
    (@exists $gate:ident) => { |features| features.$gate };
}

in_tree! {
    "SchedulingGates" [PreEnqueue];
    "PrioritySort" [];
    "NodeName" [PreFilter Filter];
    "NodeUnschedulable" [Filter];
    "TaintToleration" [Filter PreScore Score] weight 3;
    "NodeAffinity" [PreFilter Filter PreScore Score] weight 2;
    "NodePorts" [PreFilter Filter];
    "NodeResourcesFit" [PreFilter Filter PreScore Score];
    "VolumeRestrictions" [PreFilter Filter];
    "NodeVolumeLimits" [PreFilter Filter];
    "VolumeBinding" [PreFilter Filter PreScore Score];
    "VolumeZone" [PreFilter Filter];
    "PodTopologySpread" [PreFilter Filter PreScore Score] weight 2;
    "InterPodAffinity" [PreFilter Filter PreScore Score] weight 2;
    "DynamicResources" [PreEnqueue PreFilter Filter PostFilter Score] weight 2 if features.dynamic_resources;
    "DefaultPreemption" [PostFilter];
    "NodeResourcesBalancedAllocation" [PreScore Score];
    "ImageLocality" [Score];
    "DefaultBinder" [];
    "NodeDeclaredFeatures" [PreFilter Filter] if features.node_declared_features;
}

/// Names that a configuration may use besides those of [`DEFAULTS`] without changing what is decided here.
const OTHERS: [&str; 4] =
    ["GangScheduling", "TopologyPlacementGenerator", "PodGroupPodsCount", "DeferredPodScheduling"];

/// What a configuration says of one extension point, or of all of them (`multiPoint`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PointSettings {
    /// Names with their weight, 0 for none.
    pub enabled: Vec<(String, i64)>,
    /// Names, or `*` for all.
    pub disabled: Vec<String>,
}

impl PointSettings {
    fn disables(&self, name: &str) -> bool {
        self.disabled.iter().any(|d| d == name)
    }

    fn disables_all(&self) -> bool {
        self.disables("*")
    }

    fn enabled(&self, name: &str) -> Option<&(String, i64)> {
        self.enabled.iter().find(|(enabled, _)| enabled == name)
    }
}

/// What a configuration says of the plugins of a profile.
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
    /// When no node takes the pod.
    pub post_filter: PointSettings,
    /// Before scoring.
    pub pre_score: PointSettings,
    /// Once per feasible node.
    pub score: PointSettings,
}

/// The plugins of a profile, in the order in which they run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PluginSet {
    /// PreEnqueue.
    pub pre_enqueue: Vec<&'static str>,
    /// PreFilter.
    pub pre_filter: Vec<&'static str>,
    /// Filter.
    pub filter: Vec<&'static str>,
    /// PostFilter.
    pub post_filter: Vec<&'static str>,
    /// PreScore.
    pub pre_score: Vec<&'static str>,
    /// Score, with weights.
    pub score: Vec<(&'static str, i64)>,
    /// Plugins that are not the scheduler's own, sorted.
    pub out_of_tree: Vec<String>,
}

impl PluginSet {
    /// The plugins of a profile that says `settings`.
    #[must_use]
    pub fn new(features: &Features, settings: &PluginSettings) -> Self {
        let all = merge(&defaults(features), &settings.multi_point);
        let names = |point, of: &PointSettings| -> Vec<&'static str> {
            expand(&all, point, of).into_iter().map(|(plugin, _)| plugin.name).collect()
        };
        Self {
            pre_enqueue: names(Point::PreEnqueue, &settings.pre_enqueue),
            pre_filter: names(Point::PreFilter, &settings.pre_filter),
            filter: names(Point::Filter, &settings.filter),
            post_filter: names(Point::PostFilter, &settings.post_filter),
            pre_score: names(Point::PreScore, &settings.pre_score),
            score: expand(&all, Point::Score, &settings.score)
                .into_iter()
                .map(|(plugin, weight)| (plugin.name, weight))
                .collect(),
            out_of_tree: out_of_tree(settings),
        }
    }

    /// Whether the plugin has an extension point `point` in this version at all.
    #[must_use]
    pub fn has_point(name: &str, point: Point) -> bool {
        DEFAULTS.iter().any(|p| p.name == name && p.points.contains(&point))
    }
}

/// The default plugins of a version with their weights.
fn defaults(features: &Features) -> Vec<(String, i64)> {
    let mut order: Vec<&InTree> = DEFAULTS.iter().filter(|p| (p.exists)(features)).collect();
    if !features.node_name_first {
        let places = ["NodeName", "NodeUnschedulable"].map(|name| order.iter().position(|p| p.name == name));
        if let [Some(name), Some(unschedulable)] = places {
            order.swap(name, unschedulable);
        }
    }
    order.into_iter().map(|p| (p.name.to_owned(), p.weight)).collect()
}

/// `multiPoint` of the user over the defaults: what is named again keeps its place, what is new comes last.
fn merge(defaults: &[(String, i64)], user: &PointSettings) -> Vec<(String, i64)> {
    let kept = defaults.iter().filter(|(name, _)| !user.disables_all() && !user.disables(name));
    let mut merged: Vec<(String, i64)> = kept.map(|plugin| user.enabled(&plugin.0).unwrap_or(plugin).clone()).collect();
    for plugin in &user.enabled {
        if !merged.iter().any(|(name, _)| *name == plugin.0) {
            merged.push(plugin.clone());
        }
    }
    merged
}

/// The plugins of one point: those that it names and `multiPoint`, too; those of `multiPoint` alone; those it alone names.
fn expand(multi_point: &[(String, i64)], point: Point, own: &PointSettings) -> Vec<(&'static InTree, i64)> {
    let find = |(name, weight): &(String, i64)| {
        let plugin = DEFAULTS.iter().find(|p| p.name == name && p.points.contains(&point))?;
        // A weight of nothing is 1, wherever it was left out.
        Some((plugin, if *weight == 0 { 1 } else { *weight }))
    };
    if own.disables_all() {
        return own.enabled.iter().filter_map(find).collect();
    }
    let both = |(name, _): &&(String, i64)| multi_point.iter().any(|(n, _)| n == name) && !own.disables(name);
    let inherited = multi_point.iter().filter(|(name, _)| !own.disables(name) && own.enabled(name).is_none());
    let overriding = own.enabled.iter().filter(both);
    let alone = own.enabled.iter().filter(|plugin| !both(plugin));
    overriding.chain(inherited).chain(alone).filter_map(find).collect()
}

fn out_of_tree(settings: &PluginSettings) -> Vec<String> {
    let points = [
        &settings.multi_point,
        &settings.pre_enqueue,
        &settings.pre_filter,
        &settings.filter,
        &settings.post_filter,
        &settings.pre_score,
        &settings.score,
    ];
    let names = points.into_iter().flat_map(|p| p.enabled.iter().map(|(name, _)| name));
    let mut unknown: Vec<String> = names.filter(|name| !is_in_tree(name)).cloned().collect();
    unknown.sort_unstable();
    unknown.dedup();
    unknown
}

/// Whether `name` is a plugin of the scheduler's own in any version.
#[must_use]
pub fn is_in_tree(name: &str) -> bool {
    DEFAULTS.iter().any(|p| p.name == name) || OTHERS.contains(&name)
}

#[cfg(test)]
#[path = "plugins/tests.rs"]
mod tests;
