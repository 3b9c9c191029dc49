//! THE table of version differences: one row per feature gate or behaviour, one field of [`Features`] per row.
//!
//! A rule never looks at a version: it reads a field. Adding a difference is one row here, one branch in the rule, and
//! one scenario that shows it.

use super::gates::Overrides;
use super::version::SchedulerVersion;

/// One row of the table.
#[derive(Debug)]
pub struct Row {
    /// Name of the field in [`Features`].
    pub field: &'static str,
    /// Feature gate, for what a gate decides.
    pub gate: Option<&'static str>,
    /// What changes.
    pub summary: &'static str,
    /// Where upstream says so.
    pub source: &'static str,
    /// From which version on it has which value; before the first entry it is off.
    pub changes: &'static [(SchedulerVersion, bool)],
    set: fn(&mut Features, bool),
}

impl Row {
    /// Its value in `version`.
    #[must_use]
    pub fn at(&self, version: SchedulerVersion) -> bool {
        self.changes.iter().rev().find(|(since, _)| *since <= version).is_some_and(|(_, on)| *on)
    }
}

impl Features {
    /// The defaults of `version`.
    #[must_use]
    pub fn of(version: SchedulerVersion) -> Self {
        Self::with(version, &Overrides::new())
    }

    /// What `version` does when its gates are set like that.
    #[must_use]
    pub fn with(version: SchedulerVersion, gates: &Overrides) -> Self {
        let mut features = Self::default();
        for row in HISTORY {
            let set = row.gate.and_then(|gate| gates.get(gate)).copied();
            (row.set)(&mut features, set.unwrap_or_else(|| row.at(version)));
        }
        features
    }
}

macro_rules! history {
    ($($(#[doc = $summary:literal])+ $field:ident $(gate $gate:literal)? from $source:literal
        { $(($minor:literal, $patch:literal) => $on:literal),+ $(,)? })+) => {
        /// What the scheduler of one version does; computed once, then only read.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct Features {
            $($(#[doc = $summary])+ pub $field: bool,)+
        }

        /// All rows, in the order of the scheduling cycle.
        pub static HISTORY: &[Row] = &[$(Row {
            field: stringify!($field),
            gate: history!(@gate $($gate)?),
            summary: concat!($($summary),+),
            source: $source,
            changes: &[$((SchedulerVersion::new($minor, $patch), $on)),+],
            set: |features, on| features.$field = on,
        }),+];
    };
    (@gate) => { None };
    (@gate $gate:literal) => { Some($gate) };
}

history! {
    /// A pod's nomination reserves room while scheduling gates still hold the pod.
    gated_nominations from "kubernetes/kubernetes#139057" { (37, 0) => true }

    /// NodeName is the first filter, before NodeUnschedulable.
    node_name_first from "pkg/scheduler/apis/config/v1/default_plugins.go (1.37)" { (37, 0) => true }

    /// NodeName narrows the nodes in PreFilter.
    node_name_narrows from "pkg/scheduler/framework/plugins/nodename/node_name.go (1.37)" { (37, 0) => true }

    /// The message of an untolerated taint does not name the taint.
    taint_unnamed from "kubernetes/kubernetes#134740" { (34, 2) => true }

    /// Tolerations know the operators Lt and Gt.
    toleration_comparison gate "TaintTolerationComparisonOperators" from "pkg/features/kube_features.go (1.35)"
        { (35, 0) => false }

    /// Requests of `spec.resources` replace the sum of the containers.
    pod_level_resources gate "PodLevelResources" from "pkg/features/kube_features.go (1.34)" { (34, 0) => true }

    /// Pods on nodes count what the kubelet has allocated.
    in_place_resize gate "InPlacePodVerticalScaling" from "pkg/features/kube_features.go (1.33)" { (33, 0) => true }

    /// Pods on nodes count pod-level amounts that the kubelet has allocated.
    in_place_pod_level_resize gate "InPlacePodLevelResourcesVerticalScaling"
        from "pkg/features/kube_features.go (1.36)" { (36, 0) => true }

    /// What is allocated is compared with the spec for the whole pod, not container by container.
    whole_pod_footprint from "kubernetes/kubernetes#140047" { (37, 0) => true }

    /// A request above the node's allocatable amount cannot be helped by preemption.
    fit_beyond_allocatable_unresolvable from "pkg/scheduler/framework/plugins/noderesources/fit.go (1.34)"
        { (34, 0) => true }

    /// The reason for a claim in use says that no node will do, not that this one has the pod.
    claim_in_use_on_any_node from "pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.34)"
        { (34, 0) => true }

    /// Portworx volumes count as CSI volumes on every node with a CSINode, as those of other in-tree plugins did before,
    /// not only where the CSINode lists the plugin.
    portworx_migrated_on_every_csi_node from "pkg/scheduler/framework/plugins/nodevolumelimits/utils.go (1.36)"
        { (36, 0) => true }

    /// Pods keep away from nodes that lack the CSI driver of one of their volumes.
    volume_limit_scaling gate "VolumeLimitScaling" from "pkg/features/kube_features.go (1.37)"
        { (35, 0) => false, (37, 0) => true }

    /// They do so only for drivers that ask for it.
    missing_driver_is_opt_in from "pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (1.36)"
        { (36, 0) => true }

    /// Claims and volumes of different volume attributes classes do not match.
    volume_attributes_class gate "VolumeAttributesClass" from "pkg/features/kube_features.go (1.34)"
        { (34, 0) => true }

    /// Pods of a group are scheduled and evicted together.
    pod_groups gate "GenericWorkload" from "pkg/features/kube_features.go (1.37)" { (35, 0) => false }

    /// Extended resources that a DeviceClass stands for are left to DynamicResources.
    dra_extended_resources gate "DRAExtendedResource" from "pkg/features/kube_features.go (1.36)" { (36, 0) => true }

    /// `matchLabelKeys` of a spread constraint narrow its selector.
    spread_match_label_keys gate "MatchLabelKeysInPodTopologySpread" from "pkg/features/kube_features.go (1.33)"
        { (33, 0) => true }

    /// `labelSelector: {}` of a spread constraint counts every pod of the namespace.
    spread_counts_everything from "kubernetes/kubernetes#141340" { (38, 0) => true }

    /// A namespace selector of the pod's own terms also matches every namespace if it matches no labels at all.
    namespace_selector_bug from "kubernetes/kubernetes#141526" { (34, 0) => true, (37, 0) => false }

    /// Terms on `kubernetes.io/hostname` are about the node's own pods, not about all nodes with its host name.
    affinity_by_node gate "InterPodAffinityHostnameFastPath" from "kubernetes/kubernetes#138198" { (37, 0) => false }

    /// Nodes must declare the features that a pod's spec needs.
    node_declared_features gate "NodeDeclaredFeatures" from "pkg/features/kube_features.go (1.36)" { (36, 0) => true }

    /// `bindMountOptions` need a declared feature.
    bind_mount_options_feature from "component-helpers/nodedeclaredfeatures/features/volumebindmountoptions (1.37)"
        { (37, 0) => true }

    /// DynamicResources is one of the plugins.
    dynamic_resources gate "DynamicResourceAllocation" from "pkg/features/kube_features.go (1.34)" { (34, 0) => true }

    /// PostFilter of DynamicResources is about pods without claims, too, and fails when PreFilter stopped before it.
    dra_post_filter from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.34)" { (34, 0) => true }

    /// A request may list alternatives.
    dra_prioritized_list gate "DRAPrioritizedList" from "pkg/features/kube_features.go (1.34)" { (34, 0) => true }

    /// A request may look at devices in use without using them up.
    dra_admin_access gate "DRAAdminAccess" from "pkg/features/kube_features.go (1.34)" { (34, 0) => true }

    /// Devices may share counters, and say for themselves on which nodes they are.
    dra_partitionable_devices gate "DRAPartitionableDevices" from "pkg/features/kube_features.go (1.36)"
        { (36, 0) => true }

    /// Taints of devices keep claims away.
    dra_device_taints gate "DRADeviceTaints" from "pkg/features/kube_features.go (1.36)" { (36, 0) => true }

    /// DeviceTaintRules taint devices.
    dra_device_taint_rules gate "DRADeviceTaintRules" from "pkg/features/kube_features.go (1.37)" { (37, 0) => true }

    /// Claims may share a device and take parts of its capacity.
    dra_consumable_capacity gate "DRAConsumableCapacity" from "pkg/features/kube_features.go (1.36)"
        { (36, 0) => true }

    /// Ranges of capacity may be fractional.
    dra_fractional_capacity gate "DRAFractionalCapacityRange" from "pkg/features/kube_features.go (1.37)"
        { (37, 0) => false }

    /// Devices may have conditions that must hold before a pod is bound.
    dra_binding_conditions gate "DRADeviceBindingConditions" from "pkg/features/kube_features.go (1.36)"
        { (36, 0) => true }

    /// Drivers may report on the devices that claims hold.
    dra_device_status gate "DRAResourceClaimDeviceStatus" from "pkg/features/kube_features.go (1.33)"
        { (33, 0) => true }

    /// Reports on devices alone make the scheduler choose the experimental allocator.
    dra_status_is_experimental from "dynamic-resource-allocation/structured/allocator.go (1.34)"
        { (34, 0) => true, (35, 0) => false }

    /// The incubating allocator knows of capacity and of `distinctAttribute`; before, only the experimental one did.
    dra_incubating_capacity from "dynamic-resource-allocation/structured/internal/incubating (1.36)" { (36, 0) => true }

    /// An alternative that asks for capacity in vain is named itself, not the request that lists it.
    dra_refused_alternative_named from "dynamic-resource-allocation/structured/internal/experimental (1.35)"
        { (35, 0) => true }

    /// `distinctAttribute` compares values; before, it compared where they are stored, which differs for each device.
    dra_distinct_by_value from "dynamic-resource-allocation/structured/internal/experimental/constraint.go (1.35)"
        { (35, 0) => true }

    /// Slices with counters have no devices and count for their pool; before, they were slices like any other, with
    /// counters for their own devices.
    dra_counters_per_pool from "dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go (1.35)"
        { (35, 0) => true }

    /// Slices of a pool are tried by name; before, those with binding conditions came last.
    dra_slices_by_name from "dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go (1.36)"
        { (36, 0) => true }

    /// Whether a pool is complete is asked of all its slices; incomplete pools are passed over, invalid ones are no error.
    dra_whole_pools from "dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go (1.35)"
        { (35, 0) => true }

    /// An alternative that wants all devices is looked for on its own; before, it got mixed up with the first.
    dra_alternatives_apart from "dynamic-resource-allocation/structured/internal/incubating (1.36)" { (36, 0) => true }

    /// Shared counters count per driver and pool, not per pool name, and slices with counters need not be for the node.
    dra_counters_per_driver from "kubernetes/kubernetes#140431" { (37, 0) => true }

    /// `distinctAttribute` compares devices, not requests.
    dra_distinct_devices from "kubernetes/kubernetes#140437" { (37, 0) => true }

    /// Amounts that cannot be counted are errors, and all devices are those that could ever hold the amount.
    dra_strict_capacity from "kubernetes/kubernetes#140600" { (37, 0) => true }

    /// The limit on devices of a claim is reported by request.
    dra_limit_per_request from "dynamic-resource-allocation/structured/internal/incubating (1.37)" { (37, 0) => true }

    /// Errors of selectors name the device.
    dra_errors_name_device from "dynamic-resource-allocation/structured/internal/incubating (1.37)" { (37, 0) => true }

    /// Slices with compatibility groups are passed over.
    dra_compatibility_groups_skipped from "dynamic-resource-allocation/structured/internal/incubating (1.37)"
        { (37, 0) => true }

    /// Allocations that skip node operations need a node that declares it can.
    dra_node_operations from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)"
        { (37, 0) => true }

    /// A search for devices that takes too long is an error of the cycle.
    dra_timeout_is_error from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.36)"
        { (36, 0) => true }

    /// Claims that were allocated before have a score, too; before, they made scoring fail.
    dra_scores_held_claims from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.36)"
        { (36, 0) => true }

    /// DynamicResources adds `no new claims to deallocate` to the message.
    dra_post_filter_text from "kubernetes/kubernetes#140222" { (34, 0) => true, (37, 0) => false }

    /// VolumeBinding scores nodes by the storage that is left.
    storage_capacity_scoring gate "StorageCapacityScoring" from "pkg/features/kube_features.go (1.37)" { (33, 0) => false, (37, 0) => true }

    /// DynamicResources scores nodes by the alternatives that they offer.
    dra_scores from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.35)" { (35, 0) => true }

    /// NodeResourcesBalancedAllocation scores how much the pod improves the balance, not the balance it leaves.
    balance_improvement from "pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go (1.36)" { (36, 0) => true }

    /// Images mounted as volumes count in ImageLocality.
    image_volumes_score from "pkg/scheduler/framework/plugins/imagelocality/image_locality.go (1.36)" { (36, 0) => true }

    /// Images mounted as volumes raise the amount that makes the best score.
    image_volumes_raise_maximum from "kubernetes/kubernetes#138951" { (37, 0) => true }

    /// A pod that has not started counts as started when the dry run begins, not when two pods are compared.
    unstarted_keep_order from "pkg/scheduler/framework/preemption/types.go (1.37)" { (37, 0) => true }

    /// A pod violates at the first exhausted budget; budgets behind it are not counted down.
    budgets_stop_at_first from "pkg/scheduler/framework/preemption/util.go (1.37)" { (37, 0) => true }

    /// A budget with `selector: {}` protects every pod of its namespace, and pods without labels may be protected.
    budgets_select_everything from "kubernetes/kubernetes#141785" { (38, 0) => true }

    /// The message tells which node was found and how many victims it costs.
    success_message from "kubernetes/kubernetes#140180" { (37, 0) => true }
}
