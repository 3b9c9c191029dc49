//! Plugins: one rule, one file, named after its name in the scheduler's configuration. Where a plugin filters and
//! scores, the longer part may have a file of its own below it. Plugins that are one rule share a file.

pub mod cloud_disk_limits;
pub mod dynamic_resources;
pub mod image_locality;
pub mod inter_pod_affinity;
pub mod node_affinity;
pub mod node_declared_features;
pub mod node_name;
pub mod node_ports;
pub mod node_prefer_avoid_pods;
pub mod node_resources_balanced_allocation;
pub mod node_resources_fit;
pub mod node_unschedulable;
pub mod node_volume_limits;
pub mod pod_topology_spread;
pub mod selector_spread;
pub mod taint_toleration;
pub mod volume_binding;
pub mod volume_restrictions;
pub mod volume_zone;

use crate::framework::plugin::{FilterPlugins, FilterSlot, Plugin, Preparation};
use crate::framework::score::{ScorePlugin, Scorer};
use crate::profile::plugins::PluginSet;

/// Every plugin that filters, in the order of the newest supported version, then those of older ones. The order in a cycle
/// is the profile's.
pub static ALL: &[&dyn Plugin] = &[
    &node_name::NodeName,
    &node_unschedulable::NodeUnschedulable,
    &taint_toleration::TaintToleration,
    &node_affinity::NodeAffinity,
    &node_ports::NodePorts,
    &node_resources_fit::NodeResourcesFit,
    &volume_restrictions::VolumeRestrictions,
    &node_volume_limits::NodeVolumeLimits,
    &volume_binding::VolumeBinding,
    &volume_zone::VolumeZone,
    &pod_topology_spread::PodTopologySpread,
    &inter_pod_affinity::InterPodAffinity,
    &dynamic_resources::DynamicResources,
    &node_declared_features::NodeDeclaredFeatures,
    &cloud_disk_limits::EBS,
    &cloud_disk_limits::GCE_PD,
    &cloud_disk_limits::AZURE_DISK,
];

/// Rules under the names that they had up to 1.17, when they were predicates.
static PREDICATES: &[(&str, &[&dyn Plugin])] = &[
    ("CheckNodeUnschedulable", &[&node_unschedulable::NodeUnschedulable]),
    (
        "GeneralPredicates",
        &[
            &node_resources_fit::NodeResourcesFit,
            &node_name::NodeName,
            &node_ports::NodePorts,
            &node_affinity::NodeAffinity,
        ],
    ),
    ("HostName", &[&node_name::NodeName]),
    ("PodFitsHostPorts", &[&node_ports::NodePorts]),
    ("MatchNodeSelector", &[&node_affinity::NodeAffinity]),
    ("PodFitsResources", &[&node_resources_fit::NodeResourcesFit]),
    ("NoDiskConflict", &[&volume_restrictions::VolumeRestrictions]),
    ("PodToleratesNodeTaints", &[&taint_toleration::TaintToleration]),
    ("MaxEBSVolumeCount", &[&cloud_disk_limits::EBS]),
    ("MaxGCEPDVolumeCount", &[&cloud_disk_limits::GCE_PD]),
    ("MaxAzureDiskVolumeCount", &[&cloud_disk_limits::AZURE_DISK]),
    ("MaxCSIVolumeCountPred", &[&node_volume_limits::NodeVolumeLimits]),
    ("CheckVolumeBinding", &[&volume_binding::VolumeBinding]),
    ("NoVolumeZoneConflict", &[&volume_zone::VolumeZone]),
    ("EvenPodsSpread", &[&pod_topology_spread::PodTopologySpread]),
    ("MatchInterPodAffinity", &[&inter_pod_affinity::InterPodAffinity]),
];

/// The names that a filter had as a predicate.
pub fn predicates_of(plugin: &str) -> impl Iterator<Item = &'static str> {
    let is = move |rules: &[&dyn Plugin]| rules.iter().any(|rule| rule.doc().name == plugin);
    PREDICATES.iter().filter(move |(_, rules)| is(rules)).map(|(name, _)| *name)
}

/// The other names that a score has had.
pub fn priorities_of(plugin: &str) -> impl Iterator<Item = &'static str> {
    PRIORITIES.iter().filter(move |(_, score)| score.doc().name == plugin).map(|(name, _)| *name)
}

/// The filter plugins of a profile.
#[must_use]
pub fn filters(set: &PluginSet) -> FilterPlugins {
    let find = |name: &&'static str| ALL.iter().copied().find(|p| p.doc().name == *name);
    let slot = |name: &&'static str| {
        let pre_filter = Preparation::of(set.could_pre_filter.contains(name), set.pre_filter.contains(name));
        let predicate = PREDICATES.iter().find(|(predicate, _)| predicate == name).map(|(_, rules)| rules.to_vec());
        Some(FilterSlot { name, rules: predicate.or_else(|| Some(vec![find(name)?]))?, pre_filter })
    };
    FilterPlugins {
        pre_filter: set.pre_filter.iter().filter_map(find).collect(),
        filter: set.filter.iter().filter_map(slot).collect(),
    }
}

/// Every plugin that scores, in the order of the newest supported version.
pub static SCORES: &[&dyn ScorePlugin] = &[
    &taint_toleration::TaintToleration,
    &node_affinity::NodeAffinity,
    &node_resources_fit::NodeResourcesFit,
    &volume_binding::VolumeBinding,
    &pod_topology_spread::PodTopologySpread,
    &inter_pod_affinity::InterPodAffinity,
    &dynamic_resources::DynamicResources,
    &node_resources_balanced_allocation::NodeResourcesBalancedAllocation,
    &image_locality::ImageLocality,
    &selector_spread::SelectorSpread,
    &node_prefer_avoid_pods::NodePreferAvoidPods,
];

/// Scores under the names that they had before they got today's.
static PRIORITIES: &[(&str, &dyn ScorePlugin)] = &[
    ("InterPodAffinityPriority", &inter_pod_affinity::InterPodAffinity),
    ("LeastRequestedPriority", &node_resources_fit::LEAST_ALLOCATED),
    ("NodeResourcesLeastAllocated", &node_resources_fit::LEAST_ALLOCATED),
    ("MostRequestedPriority", &node_resources_fit::MOST_ALLOCATED),
    ("NodeResourcesMostAllocated", &node_resources_fit::MOST_ALLOCATED),
    ("RequestedToCapacityRatio", &node_resources_fit::CAPACITY_RATIO),
    ("BalancedResourceAllocation", &node_resources_balanced_allocation::NodeResourcesBalancedAllocation),
    ("NodeAffinityPriority", &node_affinity::NodeAffinity),
    ("TaintTolerationPriority", &taint_toleration::TaintToleration),
    ("ImageLocalityPriority", &image_locality::ImageLocality),
    ("EvenPodsSpreadPriority", &pod_topology_spread::PodTopologySpread),
    ("SelectorSpreadPriority", &selector_spread::SelectorSpread),
    ("DefaultPodTopologySpread", &selector_spread::SelectorSpread),
    ("NodePreferAvoidPodsPriority", &node_prefer_avoid_pods::NodePreferAvoidPods),
];

/// The score plugins of a profile.
#[must_use]
pub fn scores(set: &PluginSet) -> Vec<Scorer> {
    let find = |(name, weight): &(&'static str, i64)| {
        let own = SCORES.iter().copied().find(|p| p.doc().name == *name);
        let plugin = own.or_else(|| Some(PRIORITIES.iter().find(|(priority, _)| priority == name)?.1))?;
        let pre_score = Preparation::of(set.could_pre_score.contains(name), set.pre_score.contains(name));
        Some(Scorer { name, plugin, weight: *weight, pre_score })
    };
    set.score.iter().filter_map(find).collect()
}
