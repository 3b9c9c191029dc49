//! The table of version differences: one row per feature gate or behaviour, one field of one struct per row.
//!
//! Every plugin, and every other part of the scheduler that changed, has a file here with its rows. A rule never looks at
//! a version: it reads the fields of its own struct, such as [`TaintToleration`]. To add a difference, add a row to that
//! file, a branch to the rule, and a scenario to `tests/rows`.
//!
//! [`HISTORY`] is the whole table, [`Features`] are the values of one version.

mod cycle;
mod default_plugins;
mod default_selector;
mod dra;
mod extenders;
mod image_locality;
mod inter_pod_affinity;
pub mod legacy;
mod message;
mod node_affinity;
mod node_declared_features;
mod node_name;
mod node_ports;
mod node_resources_balanced_allocation;
mod node_resources_fit;
mod node_volume_limits;
mod pod_topology_spread;
mod preemption;
mod queue;
mod requests;
mod row;
mod taint_toleration;
mod tolerations;
mod volume_binding;
mod volume_limits;
mod volume_migration;
mod volume_restrictions;
mod volume_zone;

use std::sync::LazyLock;

use super::gates::Overrides;
use super::version::SchedulerVersion;
pub use cycle::{ExcludedNodes, SchedulingCycle};
pub use default_plugins::{DefaultPlugins, PluginLists};
pub use default_selector::DefaultSelector;
pub use dra::{DistinctAttribute, DynamicResources, SharedCounters};
pub use extenders::Extenders;
pub use image_locality::{ImageLocality, ImageVolumes};
pub use inter_pod_affinity::{AffinityReasons, InterPodAffinity};
pub use legacy::{CloudDiskLimits, NodePreferAvoidPods, SelectorSpread};
use legacy::{cloud_disk_limits, node_prefer_avoid_pods, selector_spread};
pub use message::{FitMessage, PreemptionText};
pub use node_affinity::{NodeAffinity, NodeAffinityText};
pub use node_declared_features::NodeDeclaredFeatures;
pub use node_name::NodeName;
pub use node_ports::NodePorts;
pub use node_resources_balanced_allocation::{BalanceScore, NodeResourcesBalancedAllocation};
pub use node_resources_fit::{NodeResourcesFit, ZeroRequests};
pub use node_volume_limits::{CsiLimits, NodeVolumeLimits, UnmadeVolumes};
pub use pod_topology_spread::{PodTopologySpread, SpreadScore, SpreadUpdate};
pub use preemption::{BudgetCounting, NominatedPreempts, Preemption, VictimOrder};
pub use queue::Queue;
pub use requests::Requests;
use row::At;
pub use row::{Row, VersionChange};
pub use taint_toleration::{TaintText, TaintToleration};
pub use tolerations::Tolerations;
pub use volume_binding::VolumeBinding;
pub use volume_limits::{MissingClaims, VolumeLimits};
pub use volume_migration::VolumeMigration;
pub use volume_restrictions::VolumeRestrictions;
pub use volume_zone::{VolumeZone, ZoneLabels};

macro_rules! parts {
    ($($part:ident: $type:ident,)+) => {
        /// What the scheduler of one version does; computed once, then only read.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct Features {
            $(#[doc = concat!("See [`", stringify!($type), "`].")] pub $part: $type,)+
        }

        impl Features {
            /// What the scheduler of `version` does when its feature gates are set like that.
            #[must_use]
            pub fn with(version: SchedulerVersion, gates: &Overrides) -> Self {
                let at = At { version, gates };
                Self { $($part: $type::at(&at),)+ }
            }
        }

        /// All rows, part by part, in the order of the scheduling cycle.
        pub static HISTORY: LazyLock<Vec<Row>> = LazyLock::new(|| [$($part::ROWS),+].concat());
    };
}

parts! {
    default_plugins: DefaultPlugins,
    cycle: SchedulingCycle,
    requests: Requests,
    tolerations: Tolerations,
    node_name: NodeName,
    taint_toleration: TaintToleration,
    node_affinity: NodeAffinity,
    node_ports: NodePorts,
    node_resources_fit: NodeResourcesFit,
    volume_restrictions: VolumeRestrictions,
    volume_limits: VolumeLimits,
    cloud_disk_limits: CloudDiskLimits,
    node_volume_limits: NodeVolumeLimits,
    volume_migration: VolumeMigration,
    volume_binding: VolumeBinding,
    volume_zone: VolumeZone,
    pod_topology_spread: PodTopologySpread,
    default_selector: DefaultSelector,
    selector_spread: SelectorSpread,
    inter_pod_affinity: InterPodAffinity,
    dra: DynamicResources,
    node_declared_features: NodeDeclaredFeatures,
    node_resources_balanced_allocation: NodeResourcesBalancedAllocation,
    image_locality: ImageLocality,
    node_prefer_avoid_pods: NodePreferAvoidPods,
    extenders: Extenders,
    message: FitMessage,
    queue: Queue,
    preemption: Preemption,
}

impl Features {
    /// The defaults of `version`.
    #[must_use]
    pub fn of(version: SchedulerVersion) -> Self {
        Self::with(version, &Overrides::new())
    }
}
