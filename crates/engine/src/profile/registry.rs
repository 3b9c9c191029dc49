//! The scheduler's own plugins, and which of them a version runs by default, where, in which order, with which weight.
//!
//! Upstream: `pkg/scheduler/apis/config/v1/default_plugins.go` (1.23 to 1.37: one list for all extension points),
//! `pkg/scheduler/algorithmprovider/registry.go` (1.18 to 1.22: one list for each),
//! `pkg/scheduler/algorithmprovider/defaults/defaults.go` and `pkg/scheduler/algorithm/predicates/predicates.go` (up to
//! 1.17: predicates and priorities).

use super::Features;
use crate::profile::history::PluginLists;

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

/// Whether something is so in a version.
type Condition = fn(&Features) -> bool;

const fn always(_: &Features) -> bool {
    true
}

/// A plugin of the scheduler's own.
#[derive(Debug)]
pub struct InTree {
    /// Its name in the configuration.
    pub name: &'static str,
    pub(super) points: &'static [Point],
    /// Weight of its score where none is set.
    weight: i64,
    /// Whether this version has it.
    exists: Condition,
    /// Whether this version has its PreFilter.
    pre_filter: Condition,
    /// Whether this version has its PreScore.
    pre_score: Condition,
    /// Whether this version has its Score.
    score: Condition,
}

impl InTree {
    /// Whether it has the extension point in a version.
    #[must_use]
    pub fn has(&self, point: Point, features: &Features) -> bool {
        self.points.contains(&point)
            && match point {
                Point::PreFilter => (self.pre_filter)(features),
                Point::PreScore => (self.pre_score)(features),
                Point::Score => (self.score)(features),
                Point::PreEnqueue | Point::Filter | Point::PostFilter => true,
            }
    }
}

macro_rules! in_tree {
    ($($name:literal [$($point:ident)*] $(weight $weight:literal)? $(if $exists:ident.$row:ident)?
        $(pre_filter if $pre_filter:ident.$pre_filter_row:ident)? $(pre_score if $pre_score:ident.$pre_score_row:ident)?
        $(score if $score:ident.$score_row:ident)?;)+) => {
        /// Every plugin that is enabled by default in some version with one list for all points, in the newest order.
        pub static DEFAULTS: &[InTree] = &[$(InTree {
            name: $name,
            points: &[$(Point::$point),*],
            weight: in_tree!(@weight $($weight)?),
            exists: in_tree!(@when $($exists.$row)?),
            pre_filter: in_tree!(@when $($pre_filter.$pre_filter_row)?),
            pre_score: in_tree!(@when $($pre_score.$pre_score_row)?),
            score: in_tree!(@when $($score.$score_row)?),
        }),+];
    };
    (@weight) => { 1 };
    (@weight $weight:literal) => { $weight };
    (@when) => { always };
    (@when $part:ident.$row:ident) => { |features| features.$part.$row };
}

in_tree! {
    "SchedulingGates" [PreEnqueue] if queue.scheduling_gates;
    "PrioritySort" [];
    "NodeName" [PreFilter Filter] pre_filter if node_name.node_name_narrows;
    "NodeUnschedulable" [Filter];
    "TaintToleration" [Filter PreScore Score] weight 3;
    "NodeAffinity" [PreFilter Filter PreScore Score] weight 2 pre_score if node_affinity.node_affinity_score_skips;
    "NodePorts" [PreFilter Filter];
    "NodeResourcesFit" [PreFilter Filter PreScore Score];
    "VolumeRestrictions" [PreFilter Filter];
    "EBSLimits" [Filter] if cloud_disk_limits.cloud_disk_limits;
    "GCEPDLimits" [Filter] if cloud_disk_limits.cloud_disk_limits;
    "NodeVolumeLimits" [PreFilter Filter];
    "AzureDiskLimits" [Filter] if cloud_disk_limits.cloud_disk_limits;
    "VolumeBinding" [PreFilter Filter PreScore Score] pre_score if volume_binding.volume_binding_score_skips;
    "VolumeZone" [PreFilter Filter] pre_filter if volume_zone.volume_zone_pre_filter;
    "PodTopologySpread" [PreFilter Filter PreScore Score] weight 2 pre_score if pod_topology_spread.spread_score_skips;
    "InterPodAffinity" [PreFilter Filter PreScore Score] weight 2 pre_score if inter_pod_affinity.affinity_score_skips;
    "DynamicResources" [PreEnqueue PreFilter Filter PostFilter Score] weight 2 if dra.dynamic_resources score if dra.dra_scores;
    "DefaultPreemption" [PostFilter];
    "NodeResourcesBalancedAllocation" [PreScore Score] pre_score if node_resources_balanced_allocation.balance_score_skips;
    "ImageLocality" [Score];
    "DefaultBinder" [];
    "NodeDeclaredFeatures" [PreFilter Filter] if node_declared_features.node_declared_features;
}

/// Names that a configuration may use besides those of [`DEFAULTS`] without changing what is decided here.
pub const OTHERS: [&str; 4] =
    ["GangScheduling", "TopologyPlacementGenerator", "PodGroupPodsCount", "DeferredPodScheduling"];

/// Plugins, predicates and priorities that no version runs by default and that a configuration of some version may name.
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
#[must_use]
pub fn multi_point(features: &Features) -> Vec<(String, i64)> {
    let mut order: Vec<&InTree> = DEFAULTS.iter().filter(|p| (p.exists)(features)).collect();
    if !features.node_name.node_name_first {
        let places = ["NodeName", "NodeUnschedulable"].map(|name| order.iter().position(|p| p.name == name));
        if let [Some(name), Some(unschedulable)] = places {
            order.swap(name, unschedulable);
        }
    }
    order.into_iter().map(|p| (p.name.to_owned(), p.weight)).collect()
}

/// An entry of the list of one point: name, weight, and when it is there.
type Entry = (&'static str, i64, Condition);

macro_rules! entries {
    ($($(#[$meta:meta])* $list:ident: $($name:literal $(* $weight:literal)? $(if $part:ident$(.$row:ident)?)?
        $(unless $no_part:ident.$no_row:ident)?),+ $(,)?;)+) => { $(
        $(#[$meta])*
        static $list: &[Entry] = &[$(($name, entries!(@weight $($weight)?), entries!(@when $(if $part$(.$row)?)? $(unless $no_part.$no_row)?))),+];
    )+ };
    (@weight) => { 1 };
    (@weight $weight:literal) => { $weight };
    (@when) => { always };
    (@when if selector_spread) => { |features| features.default_plugins.spread_before_affinity && !features.pod_topology_spread.spread_system_defaults };
    (@when if spread_behind_affinity) => { |features| features.pod_topology_spread.pods_spread && !features.default_plugins.spread_before_affinity };
    (@when if $part:ident.$row:ident) => { |features| features.$part.$row };
    (@when unless $part:ident.$row:ident) => { |features| !features.$part.$row };
}

entries! {
    /// Since 1.26.
    PRE_ENQUEUES: "SchedulingGates" if queue.scheduling_gates;
    /// 1.18 to 1.22, and to 1.27 for configurations of v1beta2.
    PRE_FILTERS:
        "NodeResourcesFit", "NodePorts", "VolumeRestrictions" if volume_restrictions.read_write_once_pod,
        "PodTopologySpread" if default_plugins.spread_before_affinity, "InterPodAffinity",
        "PodTopologySpread" if spread_behind_affinity, "VolumeBinding" if volume_binding.volume_binding_pre_filter,
        "VolumeZone" if volume_zone.volume_zone_pre_filter, "NodeAffinity" if node_affinity.node_affinity_pre_filter;
    /// 1.18 and 1.19.
    FILTERS_RESOURCES_FIRST:
        "NodeUnschedulable", "NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity", "VolumeRestrictions",
        "TaintToleration", "EBSLimits", "GCEPDLimits", "NodeVolumeLimits", "AzureDiskLimits", "VolumeBinding",
        "VolumeZone", "PodTopologySpread" if default_plugins.spread_before_affinity, "InterPodAffinity",
        "PodTopologySpread" if spread_behind_affinity;
    /// 1.20 to 1.22.
    FILTERS:
        "NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
        "VolumeRestrictions", "EBSLimits", "GCEPDLimits", "NodeVolumeLimits", "AzureDiskLimits", "VolumeBinding",
        "VolumeZone", "PodTopologySpread", "InterPodAffinity";
    /// Up to 1.22; before 1.19 preemption was no plugin.
    POST_FILTERS: "DefaultPreemption";
    /// 1.18 to 1.22.
    PRE_SCORES:
        "InterPodAffinity", "PodTopologySpread" if default_plugins.spread_before_affinity,
        "DefaultPodTopologySpread" unless default_plugins.spread_before_affinity, "TaintToleration",
        "PodTopologySpread" if spread_behind_affinity, "NodeAffinity" if node_affinity.node_affinity_pre_filter,
        "SelectorSpread" if selector_spread;
    /// 1.18 to 1.22.
    SCORES:
        "NodeResourcesBalancedAllocation", "ImageLocality", "InterPodAffinity",
        "NodeResourcesLeastAllocated" unless node_resources_fit.fit_scores, "NodeResourcesFit" if node_resources_fit.fit_scores, "NodeAffinity",
        "NodePreferAvoidPods" * 10000 if node_prefer_avoid_pods.avoid_pods, "DefaultPodTopologySpread" unless default_plugins.spread_before_affinity,
        "PodTopologySpread" * 2 if default_plugins.spread_before_affinity, "TaintToleration",
        "PodTopologySpread" if spread_behind_affinity, "SelectorSpread" if selector_spread;
    /// Up to 1.17, in the order in which the scheduler looks at them.
    PREDICATES:
        "CheckNodeUnschedulable", "GeneralPredicates", "NoDiskConflict", "PodToleratesNodeTaints", "MaxEBSVolumeCount",
        "MaxGCEPDVolumeCount", "MaxCSIVolumeCountPred", "MaxAzureDiskVolumeCount", "CheckVolumeBinding",
        "NoVolumeZoneConflict", "EvenPodsSpread" if spread_behind_affinity, "MatchInterPodAffinity";
    /// Up to 1.17.
    PRIORITIES:
        "SelectorSpreadPriority", "InterPodAffinityPriority", "LeastRequestedPriority", "BalancedResourceAllocation",
        "NodePreferAvoidPodsPriority" * 10000, "NodeAffinityPriority", "TaintTolerationPriority",
        "ImageLocalityPriority", "EvenPodsSpreadPriority" if spread_behind_affinity;
}

/// The default plugins of one point, with their weights, in a version with a list for each.
#[must_use]
pub fn at_point(features: &Features, point: Point) -> Vec<(String, i64)> {
    let list = match point {
        Point::PostFilter => POST_FILTERS,
        Point::Filter if features.default_plugins.plugin_lists == PluginLists::Predicates => PREDICATES,
        Point::Score if features.default_plugins.plugin_lists == PluginLists::Predicates => PRIORITIES,
        Point::PreEnqueue => PRE_ENQUEUES,
        _ if features.default_plugins.plugin_lists == PluginLists::Predicates => return Vec::new(),
        Point::PreFilter if features.default_plugins.plugin_lists < PluginLists::PerPoint => return Vec::new(),
        Point::PreFilter => PRE_FILTERS,
        Point::Filter if features.default_plugins.taints_before_resources => FILTERS,
        Point::Filter => FILTERS_RESOURCES_FIRST,
        Point::PreScore => PRE_SCORES,
        Point::Score => SCORES,
    };
    let there = list.iter().filter(|(.., is_there)| is_there(features));
    there.map(|(name, weight, _)| ((*name).to_owned(), *weight)).collect()
}

/// The plugins of a version that have the point, whatever a configuration says.
#[must_use]
pub fn having(point: Point, features: &Features) -> Vec<&'static str> {
    if features.default_plugins.plugin_lists == PluginLists::MultiPoint {
        return DEFAULTS.iter().filter(|p| p.has(point, features)).map(|p| p.name).collect();
    }
    at_point(features, point).iter().filter_map(|(name, _)| known_name(name)).collect()
}

/// Whether a PreScore of the version may pass its plugin over, which then has no score. Those that came before the list
/// for all points never did.
#[must_use]
pub fn may_pass_over(name: &str, features: &Features) -> bool {
    DEFAULTS.iter().any(|plugin| plugin.name == name && plugin.has(Point::PreScore, features))
}

/// The name of a plugin, predicate or priority of the scheduler's own in any version.
#[must_use]
pub fn known_name(name: &str) -> Option<&'static str> {
    let lists = [PRE_FILTERS, FILTERS, PRE_SCORES, SCORES, PREDICATES, PRIORITIES];
    let listed = lists.into_iter().flatten().map(|(name, ..)| *name);
    DEFAULTS.iter().map(|p| p.name).chain(listed).chain(ON_REQUEST).find(|known| *known == name)
}
