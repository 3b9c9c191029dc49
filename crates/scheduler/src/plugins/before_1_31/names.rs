//! Names of predicates (up to 1.17) and priorities (up to 1.17, and of scores up to 1.22), and the
//! plugins that they became.
//!
//! Upstream: `pkg/scheduler/framework/plugins/legacy_registry.go` (1.22).

use super::{cloud_disk_limits, node_prefer_avoid_pods, selector_spread};
use crate::framework::plugin::Plugin;
use crate::framework::score::ScorePlugin;
use crate::plugins::{
    image_locality, inter_pod_affinity, node_affinity, node_name, node_ports,
    node_resources_balanced_allocation, node_resources_fit, node_unschedulable, node_volume_limits,
    pod_topology_spread, taint_toleration, volume_binding, volume_restrictions, volume_zone,
};

/// Rules under the names that they had up to 1.17, when they were predicates.
pub static PREDICATES: &[(&str, &[&dyn Plugin])] = &[
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

/// Scores under their earlier names.
pub static PRIORITIES: &[(&str, &dyn ScorePlugin)] = &[
    ("InterPodAffinityPriority", &inter_pod_affinity::InterPodAffinity),
    ("LeastRequestedPriority", &node_resources_fit::LEAST_ALLOCATED),
    ("NodeResourcesLeastAllocated", &node_resources_fit::LEAST_ALLOCATED),
    ("MostRequestedPriority", &node_resources_fit::MOST_ALLOCATED),
    ("NodeResourcesMostAllocated", &node_resources_fit::MOST_ALLOCATED),
    ("RequestedToCapacityRatio", &node_resources_fit::CAPACITY_RATIO),
    (
        "BalancedResourceAllocation",
        &node_resources_balanced_allocation::NodeResourcesBalancedAllocation,
    ),
    ("NodeAffinityPriority", &node_affinity::NodeAffinity),
    ("TaintTolerationPriority", &taint_toleration::TaintToleration),
    ("ImageLocalityPriority", &image_locality::ImageLocality),
    ("EvenPodsSpreadPriority", &pod_topology_spread::PodTopologySpread),
    ("SelectorSpreadPriority", &selector_spread::SelectorSpread),
    ("DefaultPodTopologySpread", &selector_spread::SelectorSpread),
    ("NodePreferAvoidPodsPriority", &node_prefer_avoid_pods::NodePreferAvoidPods),
];
