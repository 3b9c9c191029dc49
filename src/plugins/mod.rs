//! Plugins: one rule, one file, named after its name in the scheduler's configuration. Where a plugin filters and
//! scores, the longer part may have a file of its own below it.

pub mod dynamic_resources;
pub mod image_locality;
pub mod inter_pod_affinity;
pub mod node_affinity;
pub mod node_declared_features;
pub mod node_name;
pub mod node_ports;
pub mod node_resources_balanced_allocation;
pub mod node_resources_fit;
pub mod node_unschedulable;
pub mod node_volume_limits;
pub mod pod_topology_spread;
pub mod taint_toleration;
pub mod volume_binding;
pub mod volume_restrictions;
pub mod volume_zone;

use crate::framework::plugin::{FilterPlugins, HasPreFilter, Plugin};
use crate::framework::score::{ScorePlugin, Scorer};
use crate::profile::plugins::{PluginSet, Point};

/// Every plugin that filters, in the order of the newest supported version. The order in a cycle is the profile's.
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
];

/// The filter plugins of a profile.
#[must_use]
pub fn filters(set: &PluginSet) -> FilterPlugins {
    let find = |name: &&'static str| ALL.iter().copied().find(|p| p.doc().name == *name);
    let with = |name: &&'static str| {
        let pre_filter = match (set.pre_filter.contains(name), PluginSet::has_point(name, Point::PreFilter)) {
            (true, _) => HasPreFilter::Yes,
            (false, true) => HasPreFilter::Disabled,
            (false, false) => HasPreFilter::None,
        };
        Some((find(name)?, pre_filter))
    };
    FilterPlugins {
        pre_filter: set.pre_filter.iter().filter_map(find).collect(),
        filter: set.filter.iter().filter_map(with).collect(),
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
];

/// The score plugins of a profile.
#[must_use]
pub fn scores(set: &PluginSet) -> Vec<Scorer> {
    let find = |(name, weight): &(&'static str, i64)| {
        let plugin = SCORES.iter().copied().find(|p| p.doc().name == *name)?;
        let unprepared = PluginSet::has_point(name, Point::PreScore) && !set.pre_score.contains(name);
        Some(Scorer { plugin, weight: *weight, unprepared })
    };
    set.score.iter().filter_map(find).collect()
}
