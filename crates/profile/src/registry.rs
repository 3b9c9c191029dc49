//! The scheduler's own plugins, and which of them a version runs by default: at which points, in
//! which order, with which weight.
//!
//! Upstream: `pkg/scheduler/apis/config/v1/default_plugins.go` (1.23 to 1.37: one list for all
//! extension points). Older schedulers have a list for each point, see [`lists`].

use super::Features;
use super::before_1_23::lists;
pub use super::condition::{FeatureCondition, always};
pub use super::point::Point;
use crate::history::PluginLists;

/// One of the scheduler's own plugins.
#[derive(Debug)]
pub struct InTreePlugin {
    /// Its name in the configuration.
    pub name: &'static str,
    /// Points at which it affects decisions.
    pub(super) points: &'static [Point],
    /// Points at which it does not affect decisions.
    pub(super) elsewhere: &'static [Point],
    /// Weight of its score if none is set.
    weight: i64,
    /// Whether a version has the plugin.
    exists: FeatureCondition,
    /// Whether a version has its PreFilter.
    pre_filter: FeatureCondition,
    /// Whether a version has its PreScore.
    pre_score: FeatureCondition,
    /// Whether its PreScore may skip its Score in a version.
    skips: FeatureCondition,
    /// Whether a version has its Score.
    score: FeatureCondition,
}

impl InTreePlugin {
    /// Whether it has the extension point in a version.
    pub fn has(&self, point: Point, features: &Features) -> bool {
        self.points.contains(&point)
            && match point {
                Point::PreFilter => (self.pre_filter)(features),
                Point::PreScore => (self.pre_score)(features),
                Point::Score => (self.score)(features),
                _ => true,
            }
    }

    /// Whether a version has it at the extension point, even if it does not affect decisions there.
    pub fn extends(&self, point: Point, features: &Features) -> bool {
        self.has(point, features)
            || (self.elsewhere.contains(&point) && features.extension_points.has(self.name, point))
    }
}

macro_rules! in_tree {
    ($($(#[$meta:meta])* $list:ident: $($name:literal [$($point:ident)*] $(elsewhere [$($elsewhere:ident)+])?
        $(weight $weight:literal)? $(if $exists:ident.$row:ident)?
        $(pre_filter if $pre_filter:ident.$pre_filter_row:ident)? $(pre_score if $pre_score:ident.$pre_score_row:ident)?
        $(skips if $skips:ident.$skips_row:ident)?
        $(score if $score:ident.$score_row:ident)?;)+)+) => { $(
        $(#[$meta])*
        pub static $list: &[InTreePlugin] = &[$(InTreePlugin {
            name: $name,
            points: &[$(Point::$point),*],
            elsewhere: &[$($(Point::$elsewhere),+)?],
            weight: in_tree!(@weight $($weight)?),
            exists: in_tree!(@when $($exists.$row)?),
            pre_filter: in_tree!(@when $($pre_filter.$pre_filter_row)?),
            pre_score: in_tree!(@when $($pre_score.$pre_score_row)?),
            skips: in_tree!(@when $($skips.$skips_row)?),
            score: in_tree!(@when $($score.$score_row)?),
        }),+];
    )+ };
    (@weight) => { 1 };
    (@weight $weight:literal) => { $weight };
    (@when) => { always };
    (@when $part:ident.$row:ident) => { |features| features.$part.$row };
}

in_tree! {
    /// Every plugin that is enabled by default in some version with one list for all points, in the
    /// newest order.
    DEFAULTS:
    "SchedulingGates" [PreEnqueue] if queue.scheduling_gates;
    "PrioritySort" [] elsewhere [QueueSort];
    "NodeName" [PreFilter Filter] pre_filter if node_name.node_name_narrows;
    "NodeUnschedulable" [Filter] elsewhere [PreFilter];
    "TaintToleration" [Filter PreScore Score] elsewhere [PreFilter] weight 3;
    "NodeAffinity" [PreFilter Filter PreScore Score] weight 2 skips if node_affinity.node_affinity_score_skips;
    "NodePorts" [PreFilter Filter];
    "NodeResourcesFit" [PreFilter Filter PreScore Score] elsewhere [PlacementScore];
    "VolumeRestrictions" [PreFilter Filter];
    "EBSLimits" [Filter] elsewhere [PreFilter] if cloud_disk_limits.cloud_disk_limits;
    "GCEPDLimits" [Filter] elsewhere [PreFilter] if cloud_disk_limits.cloud_disk_limits;
    "NodeVolumeLimits" [PreFilter Filter];
    "AzureDiskLimits" [Filter] elsewhere [PreFilter] if cloud_disk_limits.cloud_disk_limits;
    "VolumeBinding" [PreFilter Filter PreScore Score] elsewhere [Reserve PreBind] pre_score if volume_binding.volume_binding_score_skips;
    "VolumeZone" [PreFilter Filter] pre_filter if volume_zone.volume_zone_pre_filter;
    "PodTopologySpread" [PreFilter Filter PreScore Score] weight 2 skips if pod_topology_spread.spread_score_skips;
    "InterPodAffinity" [PreFilter Filter PreScore Score] weight 2 skips if inter_pod_affinity.affinity_score_skips;
    "DynamicResources" [PreEnqueue PreFilter Filter PostFilter PodGroupPostFilter Score] elsewhere [PreScore Reserve PreBind PostBind] weight 2 if dra.dynamic_resources score if dra.dra_scores;
    "DefaultPreemption" [PostFilter PodGroupPostFilter] elsewhere [PreEnqueue Reserve];
    "NodeResourcesBalancedAllocation" [PreScore Score] skips if node_resources_balanced_allocation.balance_score_skips;
    "ImageLocality" [Score];
    "DefaultBinder" [] elsewhere [Bind];
    "NodeDeclaredFeatures" [PreFilter Filter] if node_declared_features.node_declared_features;

    /// Further plugins that a configuration may name without affecting decisions.
    OTHERS:
    "GangScheduling" [] elsewhere [PreEnqueue Permit Reserve PlacementFeasible];
    "TopologyPlacementGenerator" [] elsewhere [PlacementGenerate];
    "PodGroupPodsCount" [] elsewhere [PlacementScore];
    "DeferredPodScheduling" [] elsewhere [PreFilter Filter Permit];

    /// The scheduler's own plugins that a configuration may name, but whose behaviour is unknown
    /// here.
    UNDECIDED:
    "CinderLimits" [] elsewhere [PreFilter Filter];
}

/// The plugin of that name, in any version with one list for all points.
pub fn in_tree(name: &str) -> Option<&'static InTreePlugin> {
    DEFAULTS.iter().chain(OTHERS).chain(UNDECIDED).find(|plugin| plugin.name == name)
}

/// Plugins that register for events of each DeviceClass, where extended resources are left to
/// DynamicResources.
///
/// Upstream: `pkg/scheduler/eventhandlers.go` `addAllEventHandlers`, which fills the map from
/// extended resources to classes only where a plugin has registered (1.35 to 1.37).
pub(super) const DEVICE_CLASS_WATCHERS: [&str; 2] = ["NodeResourcesFit", "DynamicResources"];

/// Plugins, predicates and priorities that no version runs by default and that a configuration of
/// some version may name.
const ON_REQUEST: [&str; 7] = [
    "NodeResourcesMostAllocated",
    "RequestedToCapacityRatio",
    "HostName",
    "PodFitsHostPorts",
    "MatchNodeSelector",
    "PodFitsResources",
    "MostRequestedPriority",
];

/// The default plugins of a version with one list for all points, with their weights.
pub fn multi_point(features: &Features) -> Vec<(String, i64)> {
    let mut order: Vec<&InTreePlugin> = DEFAULTS.iter().filter(|p| (p.exists)(features)).collect();
    if !features.node_name.node_name_first {
        let places =
            ["NodeName", "NodeUnschedulable"].map(|name| order.iter().position(|p| p.name == name));
        if let [Some(name), Some(unschedulable)] = places {
            order.swap(name, unschedulable);
        }
    }
    order.into_iter().map(|p| (p.name.to_owned(), p.weight)).collect()
}

/// The plugins of a version that have the point, whatever the configuration.
pub fn having(point: Point, features: &Features) -> Vec<&'static str> {
    if features.default_plugins.plugin_lists == PluginLists::MultiPoint {
        return DEFAULTS.iter().filter(|p| p.has(point, features)).map(|p| p.name).collect();
    }
    lists::at_point(features, point).iter().filter_map(|(name, _)| known_name(name)).collect()
}

/// Whether a PreScore of the version may skip its plugin, which then has no score. Versions
/// without the list for all points never do.
pub fn may_skip_score(name: &str, features: &Features) -> bool {
    DEFAULTS.iter().any(|plugin| {
        plugin.name == name && plugin.has(Point::PreScore, features) && (plugin.skips)(features)
    })
}

/// The name of a plugin, predicate or priority of the scheduler's own in any version.
pub fn known_name(name: &str) -> Option<&'static str> {
    DEFAULTS.iter().map(|p| p.name).chain(lists::names()).chain(ON_REQUEST).find(|own| *own == name)
}
