//! Plugins of the scheduler: one rule per file, named after the plugin's name in the configuration.
//! A large plugin has a folder of the same name with its parts. Plugins that were removed by 1.31
//! are in `before_1_31`; what only older versions of a plugin do is in a module of that plugin
//! named after the release.

pub mod before_1_31;
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

use crate::framework::doubts::Doubts;
use crate::framework::plugin::{Cycle, FilterPlugins, FilterSlot, Plugin, Preparation};
use crate::framework::reserved::Reserved;
use crate::framework::score::{PreScorer, ScorePlugin, ScorePlugins, Scorer};
use before_1_31::names::{PREDICATES, PRIORITIES};
use model::cluster::NodeIx;
use profile::plugins::PluginSet;

/// Every plugin that filters, in the order of the newest supported version, followed by those of
/// older ones. The order in a cycle is that of the profile.
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
    &before_1_31::cloud_disk_limits::EBS,
    &before_1_31::cloud_disk_limits::GCE_PD,
    &before_1_31::cloud_disk_limits::AZURE_DISK,
];

/// The names that a filter had as a predicate.
pub fn predicates_of(plugin: &str) -> impl Iterator<Item = &'static str> {
    PREDICATES
        .iter()
        .filter(move |(_, rules)| rules.iter().any(|rule| rule.doc().name == plugin))
        .map(|(name, _)| *name)
}

/// The other names that a score has had.
pub fn priorities_of(plugin: &str) -> impl Iterator<Item = &'static str> {
    PRIORITIES.iter().filter(move |(_, score)| score.doc().name == plugin).map(|(name, _)| *name)
}

/// The filter plugins of a profile.
pub fn filters(set: &PluginSet) -> FilterPlugins {
    let find = |name: &&'static str| ALL.iter().copied().find(|p| p.doc().name == *name);
    FilterPlugins {
        pre_filter: set.pre_filter.iter().filter_map(find).collect(),
        filter: set
            .filter
            .iter()
            .filter_map(|name| {
                let pre_filter = Preparation::of(
                    set.could_pre_filter.contains(name),
                    set.pre_filter.contains(name),
                );
                let predicate = PREDICATES
                    .iter()
                    .find(|(predicate, _)| predicate == name)
                    .map(|(_, rules)| rules.to_vec());
                Some(FilterSlot {
                    name,
                    rules: predicate.or_else(|| Some(vec![find(name)?]))?,
                    pre_filter,
                })
            })
            .collect(),
    }
}

/// Reserve of the plugins of a profile: what the cycle's pod holds once it is assumed on `node`.
///
/// # Errors
/// Why the pod cannot be placed there after all.
///
/// Upstream: `pkg/scheduler/framework/runtime/framework.go` `RunReservePluginsReserve` (1.37).
pub(crate) fn reserve(cycle: &Cycle, node: NodeIx) -> Result<Reserved, String> {
    let set = &cycle.view.profile.plugins;
    let mut reserved = cycle.view.reserved().clone();
    reserved.volume_ties.clear();
    for plugin in ALL.iter().filter(|plugin| set.reserve.contains(&plugin.doc().name)) {
        let name = plugin.doc().name;
        // Without PreFilter there is no state to read, not even that of a pod without claims. A
        // plugin whose gate is off does not look for it.
        let error = plugin.error_without_pre_filter();
        let needs_state = plugin.filter_without_pre_filter(cycle).is_none();
        let done = match error.filter(|_| needs_state && set.lacks_state(name)) {
            Some(error) => Err(error.to_owned()),
            None => plugin.reserve(cycle, node, &mut reserved),
        };
        done.map_err(|e| format!("running Reserve plugin {name:?}: {e}"))?;
    }
    Ok(reserved)
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
    &before_1_31::selector_spread::SelectorSpread,
    &before_1_31::node_prefer_avoid_pods::NodePreferAvoidPods,
];

/// Every plugin that may have caveats.
pub static DOUBTS: &[&dyn Doubts] = &[
    &node_resources_fit::NodeResourcesFit,
    &volume_restrictions::VolumeRestrictions,
    &node_volume_limits::NodeVolumeLimits,
    &volume_binding::VolumeBinding,
    &volume_zone::VolumeZone,
    &pod_topology_spread::PodTopologySpread,
    &inter_pod_affinity::InterPodAffinity,
    &dynamic_resources::DynamicResources,
    &before_1_31::selector_spread::SelectorSpread,
];

/// Whether a profile runs the plugin of that name, to filter or to score.
pub fn runs(set: &PluginSet, plugin: &str) -> bool {
    let filters = filters(set);
    let rules = filters.filter.iter().flat_map(|slot| &slot.rules).chain(&filters.pre_filter);
    rules.into_iter().any(|rule| rule.doc().name == plugin)
        || scores(set).score.iter().any(|scorer| scorer.plugin.doc().name == plugin)
}

/// The score plugins of a profile.
pub fn scores(set: &PluginSet) -> ScorePlugins {
    let find = |name: &&'static str| {
        let own = SCORES.iter().copied().find(|p| p.doc().name == *name);
        own.or_else(|| Some(PRIORITIES.iter().find(|(priority, _)| priority == name)?.1))
    };
    ScorePlugins {
        pre_score: set
            .pre_score
            .iter()
            .filter_map(|name| Some(PreScorer { name, plugin: find(name)? }))
            .collect(),
        score: set
            .score
            .iter()
            .filter_map(|(name, weight)| {
                let pre_score = Preparation::of(
                    set.could_pre_score.contains(name),
                    set.pre_score.contains(name),
                );
                Some(Scorer { name, plugin: find(name)?, weight: *weight, pre_score })
            })
            .collect(),
    }
}
