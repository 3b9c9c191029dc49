//! Default plugins up to 1.22, with a list for each extension point; up to 1.16 predicates and
//! priorities. Since 1.23 there is one list for all points, but configurations of v1beta2 have
//! these up to 1.27.
//!
//! Upstream: `pkg/scheduler/algorithmprovider/registry.go` (1.18 to 1.22),
//! `pkg/scheduler/algorithmprovider/defaults/defaults.go` and
//! `pkg/scheduler/algorithm/predicates/predicates.go` (up to 1.17).

use crate::Features;
use crate::condition::{FeatureCondition, always};
use crate::history::PluginLists;
use crate::point::Point;

/// An entry of the list of one point: name, weight, and in which versions it is listed.
type Entry = (&'static str, i64, FeatureCondition);

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
    /// Up to 1.22; before 1.19 preemption was not a plugin.
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
    /// Up to 1.17, in the order in which the scheduler checks them.
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
pub fn at_point(features: &Features, point: Point) -> Vec<(String, i64)> {
    let list = match point {
        Point::PostFilter => POST_FILTERS,
        Point::Filter if features.default_plugins.plugin_lists == PluginLists::Predicates => {
            PREDICATES
        }
        Point::Score if features.default_plugins.plugin_lists == PluginLists::Predicates => {
            PRIORITIES
        }
        Point::PreEnqueue => PRE_ENQUEUES,
        _ if features.default_plugins.plugin_lists == PluginLists::Predicates => return Vec::new(),
        Point::PreFilter if features.default_plugins.plugin_lists < PluginLists::PerPoint => {
            return Vec::new();
        }
        Point::PreFilter => PRE_FILTERS,
        Point::Filter if features.default_plugins.taints_before_resources => FILTERS,
        Point::Filter => FILTERS_RESOURCES_FIRST,
        Point::PreScore => PRE_SCORES,
        Point::Score => SCORES,
        // Points that do not affect decisions have no list.
        Point::PodGroupPostFilter
        | Point::QueueSort
        | Point::Reserve
        | Point::Permit
        | Point::PreBind
        | Point::Bind
        | Point::PostBind
        | Point::PlacementGenerate
        | Point::PlacementScore
        | Point::PlacementFeasible => return Vec::new(),
    };
    let there = list.iter().filter(|(.., is_there)| is_there(features));
    there.map(|(name, weight, _)| ((*name).to_owned(), *weight)).collect()
}

pub fn names() -> impl Iterator<Item = &'static str> {
    let lists = [PRE_FILTERS, FILTERS, PRE_SCORES, SCORES, PREDICATES, PRIORITIES];
    lists.into_iter().flatten().map(|(name, ..)| *name)
}
