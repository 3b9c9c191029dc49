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
pub mod pod_topology_spread;
pub mod taint_toleration;

use crate::framework::plugin::Plugin;
use crate::framework::score::ScorePlugin;

/// Every plugin that filters, in the order of the newest supported version. The order in a cycle is the profile's.
pub static ALL: &[&dyn Plugin] = &[
    &node_name::NodeName,
    &node_unschedulable::NodeUnschedulable,
    &taint_toleration::TaintToleration,
    &node_affinity::NodeAffinity,
    &node_ports::NodePorts,
    &node_resources_fit::NodeResourcesFit,
    &pod_topology_spread::PodTopologySpread,
    &inter_pod_affinity::InterPodAffinity,
    &dynamic_resources::DynamicResources,
    &node_declared_features::NodeDeclaredFeatures,
];

/// The plugins named by `order`, in that order.
#[must_use]
pub fn ordered(order: &[&str]) -> Vec<&'static dyn Plugin> {
    order.iter().filter_map(|name| ALL.iter().copied().find(|p| p.doc().name == *name)).collect()
}

/// Every plugin that scores, in the order of the newest supported version.
pub static SCORES: &[&dyn ScorePlugin] = &[
    &taint_toleration::TaintToleration,
    &node_affinity::NodeAffinity,
    &node_resources_fit::NodeResourcesFit,
    &pod_topology_spread::PodTopologySpread,
    &inter_pod_affinity::InterPodAffinity,
    &dynamic_resources::DynamicResources,
    &node_resources_balanced_allocation::NodeResourcesBalancedAllocation,
    &image_locality::ImageLocality,
];

/// The score plugins named by `order`, with their weights, in that order.
#[must_use]
pub fn weighted(order: &[(&str, i64)]) -> Vec<(&'static dyn ScorePlugin, i64)> {
    let find = |name: &str| SCORES.iter().copied().find(|p| p.doc().name == name);
    order.iter().filter_map(|(name, weight)| Some((find(name)?, *weight))).collect()
}
