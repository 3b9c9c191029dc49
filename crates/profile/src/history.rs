//! The table of version differences: one row per feature gate or behaviour, one field of one struct
//! per row.
//!
//! Every plugin, and every other part of the scheduler that changed, has a file here with its rows.
//! A rule never checks a version: it reads the fields of its own struct, such as
//! [`TaintToleration`]. To add a difference, add a row to that file, a branch to the rule, and a
//! scenario to the folder of that part in `tests/versions/rows`.
//!
//! [`HISTORY`] is the whole table, [`Features`] are the values of one version.

pub mod before_1_31;
mod cycle;
mod default_plugins;
mod default_selector;
mod dra;
mod extenders;
mod extension_points;
mod image_locality;
mod inter_pod_affinity;
mod message;
mod node_affinity;
mod node_declared_features;
mod node_name;
mod node_ports;
mod node_resources_balanced_allocation;
mod node_resources_fit;
mod node_volume_limits;
mod pod_groups;
mod pod_topology_spread;
mod preemption;
mod queue;
mod requests;
mod row;
mod selector_errors;
mod taint_toleration;
mod tolerations;
mod volume_binding;
mod volume_limits;
mod volume_migration;
mod volume_restrictions;
mod volume_zone;

use std::fmt::Debug;
use std::sync::LazyLock;

use super::version::SchedulerVersion;
pub use before_1_31::{CloudDiskLimits, NodePreferAvoidPods, SelectorSpread};
use before_1_31::{cloud_disk_limits, node_prefer_avoid_pods, selector_spread};
pub use cycle::{ExcludedNodes, SchedulingCycle};
pub use default_plugins::{DefaultPlugins, PluginLists, PointOrder};
pub use default_selector::DefaultSelector;
pub use dra::{ClassLookup, DistinctAttribute, DynamicResources, SelectorRelease, SharedCounters};
pub use extenders::Extenders;
pub use extension_points::{ExtensionPoints, POINT_ENTRIES, PointEntry};
pub use image_locality::{ImageLocality, ImageVolumes};
pub use inter_pod_affinity::{AffinityReasons, InterPodAffinity};
pub use message::{FitMessage, PreemptionWording};
pub use node_affinity::{NodeAffinity, NodeAffinityText};
pub use node_declared_features::NodeDeclaredFeatures;
pub use node_name::NodeName;
pub use node_ports::NodePorts;
pub use node_resources_balanced_allocation::{BalanceScore, NodeResourcesBalancedAllocation};
pub use node_resources_fit::{NodeResourcesFit, ZeroRequests};
pub use node_volume_limits::{CsiLimits, NodeVolumeLimits, UnmadeVolumes};
pub use pod_groups::PodGroups;
pub use pod_topology_spread::{PodTopologySpread, SpreadScore, SpreadUpdate};
pub use preemption::{BudgetCounting, NominatedPreempts, Preemption, VictimOrder};
pub use queue::Queue;
pub use requests::Requests;
use row::{At, PartRow};
pub use row::{Overrides, VersionChange};
pub use selector_errors::{RequirementErrors, SelectorErrors};
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
            /// What the scheduler of `version` does with these feature gates.
            pub fn with(version: SchedulerVersion, gates: &Overrides) -> Self {
                let at = At { version, gates };
                Self { $($part: $type::at(&at),)+ }
            }
        }

        /// All rows, part by part, in the order of the scheduling cycle.
        pub static HISTORY: LazyLock<Vec<HistoryRow>> = LazyLock::new(|| {
            let parts = [$(rows($part::ROWS, |features| &features.$part, |features| &mut features.$part)),+];
            parts.into_iter().flatten().collect()
        });
    };
}

parts! {
    default_plugins: DefaultPlugins,
    extension_points: ExtensionPoints,
    cycle: SchedulingCycle,
    requests: Requests,
    tolerations: Tolerations,
    selector_errors: SelectorErrors,
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
    pod_groups: PodGroups,
    preemption: Preemption,
}

impl Features {
    /// The defaults of `version`.
    pub fn of(version: SchedulerVersion) -> Self {
        Self::with(version, &Overrides::new())
    }
}

/// One row of the table: a value that depends on the version.
///
/// Most rows are flags. A row of another type combines several flags that describe one fact, such
/// as a text with four wordings.
#[derive(Debug)]
pub struct HistoryRow {
    /// The plugin whose rule reads it, or the part of the scheduler.
    pub plugin: &'static str,
    /// Name of its field; no two rows have the same.
    pub field: &'static str,
    /// Feature gate, for a flag that a gate decides.
    pub gate: Option<&'static str>,
    /// For a flag, what holds while it is on; for another value, its meaning.
    pub summary: &'static str,
    /// The versions from which it has another value. Before the first one a flag is off, and any
    /// other value is the default of its type.
    pub changes: &'static [VersionChange],
    /// Reads and writes the value.
    value: Box<dyn Value>,
}

impl HistoryRow {
    /// Whether the row covers setting its gate in `version`.
    pub fn knows(&self, version: SchedulerVersion) -> bool {
        row::knows(version, self.changes.iter().map(|change| change.since))
    }

    /// Its value in `version`, if it is a flag.
    pub fn at(&self, version: SchedulerVersion) -> Option<bool> {
        self.of(&Features::of(version))
    }

    /// Its value among `features`, if it is a flag.
    pub fn of(&self, features: &Features) -> Option<bool> {
        self.value.flag(features)
    }

    /// Its value among `features`, as text.
    pub fn text(&self, features: &Features) -> String {
        self.value.text(features)
    }

    /// Whether `a` and `b` have the same value.
    pub fn same(&self, a: &Features, b: &Features) -> bool {
        self.value.same(a, b)
    }

    /// Copies the value from `from` to `to`.
    pub fn copy(&self, from: &Features, to: &mut Features) {
        self.value.copy(from, to);
    }
}

/// Access to the value of a row, independent of its type and part.
trait Value: Debug + Send + Sync {
    fn flag(&self, features: &Features) -> Option<bool>;
    fn text(&self, features: &Features) -> String;
    fn same(&self, a: &Features, b: &Features) -> bool;
    fn copy(&self, from: &Features, to: &mut Features);
}

/// A row of one part, as access to all features.
#[derive(Debug)]
struct InPart<P: 'static> {
    row: &'static PartRow<P>,
    part: fn(&Features) -> &P,
    part_mut: fn(&mut Features) -> &mut P,
}

impl<P: Debug> Value for InPart<P> {
    fn flag(&self, features: &Features) -> Option<bool> {
        (self.row.flag)((self.part)(features))
    }

    fn text(&self, features: &Features) -> String {
        (self.row.text)((self.part)(features))
    }

    fn same(&self, a: &Features, b: &Features) -> bool {
        (self.row.same)((self.part)(a), (self.part)(b))
    }

    fn copy(&self, from: &Features, to: &mut Features) {
        (self.row.copy)((self.part)(from), (self.part_mut)(to));
    }
}

/// Converts the rows of one part to rows of the table.
fn rows<P: Debug>(
    rows: &'static [PartRow<P>],
    part: fn(&Features) -> &P,
    part_mut: fn(&mut Features) -> &mut P,
) -> Vec<HistoryRow> {
    let mut of_table = Vec::with_capacity(rows.len());
    for row in rows {
        of_table.push(HistoryRow {
            plugin: row.plugin,
            field: row.field,
            gate: row.gate,
            summary: row.summary,
            changes: row.changes,
            value: Box::new(InPart { row, part, part_mut }),
        });
    }
    of_table
}
