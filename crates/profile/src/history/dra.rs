//! What differs in DynamicResources and of the allocator behind it from version to version.

use super::row::history;

history! {
    DynamicResources for "DynamicResources";

    flags {
        /// Extended resources that a DeviceClass stands for are left to DynamicResources.
        dra_extended_resources gate "DRAExtendedResource"
            from "pkg/features/kube_features.go (1.36)" { (36, 0) => true }

        /// DynamicResources is one of the plugins.
        dynamic_resources gate "DynamicResourceAllocation"
            from "pkg/features/kube_features.go (1.34)" { (34, 0) => true }

        /// PostFilter of DynamicResources runs for pods without claims, too, and fails when
        /// PreFilter stopped before it.
        dra_post_filter
            from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.34)"
            { (34, 0) => true }

        /// A request may list alternatives.
        dra_prioritized_list gate "DRAPrioritizedList" from "pkg/features/kube_features.go (1.34)"
            { (34, 0) => true }

        /// A request may look at devices in use without using them up.
        dra_admin_access gate "DRAAdminAccess" from "pkg/features/kube_features.go (1.34)"
            { (34, 0) => true }

        /// Devices may share counters, and say for themselves on which nodes they are.
        dra_partitionable_devices gate "DRAPartitionableDevices"
            from "pkg/features/kube_features.go (1.36)"
            { (36, 0) => true }

        /// Taints of devices keep claims away.
        dra_device_taints gate "DRADeviceTaints" from "pkg/features/kube_features.go (1.36)"
            { (36, 0) => true }

        /// DeviceTaintRules taint devices.
        dra_device_taint_rules gate "DRADeviceTaintRules"
            from "pkg/features/kube_features.go (1.37)" { (37, 0) => true }

        /// A DeviceTaintRule without a selector taints no device; before, it tainted every device.
        dra_rules_need_selector from "kubernetes/kubernetes#141648" { (37, 1) => true }

        /// Claims may share a device and take parts of its capacity.
        dra_consumable_capacity gate "DRAConsumableCapacity"
            from "pkg/features/kube_features.go (1.36)"
            { (36, 0) => true }

        /// A device that claims share is not allocated as a whole, even if its driver no longer
        /// lets claims share it.
        dra_shares_exclude from "kubernetes/kubernetes#140798" { (38, 0) => true }

        /// Ranges of capacity may be fractional.
        dra_fractional_capacity gate "DRAFractionalCapacityRange"
            from "pkg/features/kube_features.go (1.37)"
            { (37, 0) => false, (38, 0) => true }

        /// Devices may have conditions that must hold before a pod is bound.
        dra_binding_conditions gate "DRADeviceBindingConditions"
            from "pkg/features/kube_features.go (1.36)"
            { (36, 0) => true }

        /// Drivers may report on the devices that claims hold.
        dra_device_status gate "DRAResourceClaimDeviceStatus"
            from "pkg/features/kube_features.go (1.33)"
            { (33, 0) => true }

        /// Reports on devices alone make the scheduler choose the experimental allocator.
        dra_status_is_experimental from "dynamic-resource-allocation/structured/allocator.go (1.34)"
            { (34, 0) => true, (35, 0) => false }

        /// A message names the alternative whose capacity request fails, not the request that lists
        /// it.
        dra_refused_alternative_named
            from "dynamic-resource-allocation/structured/internal/experimental (1.35)"
            { (35, 0) => true }

        /// Slices of a pool are tried by name; before, those with binding conditions came last.
        dra_slices_by_name
            from "dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go (1.36)"
            { (36, 0) => true }

        /// Whether a pool is complete depends on all its slices; incomplete pools are ignored, and
        /// invalid ones are no error.
        dra_whole_pools
            from "dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go (1.35)"
            { (35, 0) => true }

        /// A request for all devices of a pool that is incomplete or invalid rejects the node;
        /// before, it ended the cycle.
        dra_unusable_pools_by_node from "kubernetes/kubernetes#141898" { (38, 0) => true }

        /// An alternative that wants all devices is searched for by itself; before, it was confused
        /// with the first.
        dra_alternatives_apart
            from "dynamic-resource-allocation/structured/internal/incubating (1.36)"
            { (36, 0) => true }

        /// The search for the next device of a request continues after the last one; before, it
        /// began again with the first device, so a shared device could be allocated to one request
        /// several times.
        dra_search_goes_on from "dynamic-resource-allocation/structured/internal/incubating (1.36)"
            { (36, 0) => true }

        /// A claim that was not created for the pod is one of a `Pod`, as opposed to a PodGroup;
        /// before, of a `pod`.
        claims_of_a_pod from "dynamic-resource-allocation/resourceclaim/resourceclaim.go (1.36)"
            { (36, 0) => true }

        /// The capacity of a device is checked again when it is allocated; before, that of another
        /// device was checked, and kube-scheduler panicked if the slice had none at that index.
        dra_capacity_of_own
            from "dynamic-resource-allocation/structured/internal/experimental (1.35)"
            { (35, 0) => true }

        /// Amounts that cannot be counted are errors, and `all` means the devices that could ever
        /// hold the amount.
        dra_strict_capacity from "kubernetes/kubernetes#140600" { (37, 0) => true }

        /// A capacity may be requested by its name with or without the driver's domain, however it
        /// is published; by both is an error.
        dra_capacity_by_full_name from "kubernetes/kubernetes#142202" { (38, 0) => true }

        /// A request for a negative amount is an error before it is rounded to what the device gives.
        dra_negative_requests_refused
            from "dynamic-resource-allocation/structured/internal/stable/consumable_capacity.go (1.38.0-beta.0)"
            { (38, 0) => true }

        /// kube-scheduler panics when a request for all devices gets one that consumes counters.
        dra_counters_of_all_crash
            from "dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go (1.36)"
            { (35, 0) => true, (35, 6) => false, (36, 0) => true, (36, 2) => false }

        /// A device of which claims hold shares has consumed its counters; before, only one that a
        /// claim holds as a whole.
        dra_shares_consume_counters
            from "dynamic-resource-allocation/structured/internal/allocatedstate.go (1.36)"
            { (36, 2) => true }

        /// A device that is rejected after its counters were consumed, for a taint or a constraint,
        /// gives them back, as does one that claims share and that is put back.
        dra_rejections_undone
            from "dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go (1.36)"
            { (36, 3) => true }

        /// Devices that a request has got already count twice towards the limit of its claim, so
        /// that it gets 16 at most.
        dra_limit_counts_twice from "dynamic-resource-allocation/structured/allocator.go (1.33)"
            { (33, 0) => true, (33, 1) => false }

        /// The limit on devices of a claim is reported by request.
        dra_limit_per_request from "kubernetes/kubernetes#141307"
            { (34, 12) => true, (35, 0) => false, (35, 9) => true, (36, 0) => false,
              (36, 5) => true, (37, 0) => false,
              (37, 1) => true }

        /// Errors of selectors name the device.
        dra_errors_name_device
            from "dynamic-resource-allocation/structured/internal/incubating (1.37)"
            { (37, 0) => true }

        /// Slices with compatibility groups are ignored.
        dra_compatibility_groups_skipped
            from "dynamic-resource-allocation/structured/internal/incubating (1.37)"
            { (37, 0) => true }

        /// Devices that share counters must have a compatibility group in common, if any of them
        /// declares one.
        dra_compatibility_groups gate "DRADeviceCompatibilityGroups"
            from "pkg/features/kube_features.go (1.37)"
            { (37, 0) => false }

        /// Devices that skip node operations are allocated only on nodes that declare they can.
        dra_optional_node_operations gate "DRAOptionalNodeOperations"
            from "pkg/features/kube_features.go (1.37)"
            { (37, 0) => false }

        /// Selectors read attributes that are lists; since 1.37 they do so without the gate, and
        /// constraints with it.
        dra_list_attributes gate "DRAListTypeAttributes" from "pkg/features/kube_features.go (1.36)"
            { (36, 0) => false }

        /// Constraints take attributes for sets where the gate for lists is on; before, no gate
        /// made them.
        dra_list_constraints
            from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)"
            { (37, 0) => true }

        /// Requests derive attributes for their constraints.
        dra_derived_attributes gate "DRADerivedAttributes"
            from "pkg/features/kube_features.go (1.37)"
            { (37, 0) => false }

        /// Requests with derived attributes end the cycle while the gate for these is off.
        dra_refuses_derived from "dynamic-resource-allocation/structured/internal/incubating (1.37)"
            { (37, 0) => true }

        /// Allocations that skip node operations need a node that declares it can.
        dra_node_operations
            from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)"
            { (37, 0) => true }

        /// A PodGroup has claims for devices, which its pods share: one that was made from a
        /// template belongs to the group.
        dra_group_claims gate "DRAWorkloadResourceClaims"
            from "pkg/features/kube_features.go (1.36)" { (36, 0) => false }

        /// A claim that got devices for another pod of the group, in the same cycle, holds its pods
        /// on the nodes of these devices.
        dra_pending_narrows
            from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.37)"
            { (37, 0) => true }

        /// A search for devices that takes too long is an error of the cycle.
        dra_timeout_is_error
            from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.36)"
            { (36, 0) => true }

        /// A constraint on an attribute whose value is of no type that it compares ends the cycle;
        /// before, such a device was rejected or taken. A derived list without elements is taken
        /// where there is nothing to compare it with.
        dra_constraints_need_values
            from "dynamic-resource-allocation/structured/internal/stable/constraint.go (1.38.0-beta.0)"
            { (38, 0) => true }

        /// Constraints compare versions without what follows `+`.
        dra_versions_without_build
            from "dynamic-resource-allocation/structured/internal/stable/constraint.go (1.38.0-beta.0)"
            { (38, 0) => true }

        /// Claims that are already allocated have a score, too; before, they made scoring fail.
        dra_scores_held_claims
            from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.36)"
            { (35, 6) => true, (36, 0) => false, (36, 2) => true }

        /// DynamicResources adds `no new claims to deallocate` to the message.
        dra_post_filter_text from "kubernetes/kubernetes#140222"
            { (34, 0) => true, (37, 0) => false }

        /// DynamicResources scores nodes by the alternatives that they offer.
        dra_scores
            from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.35)"
            { (35, 0) => true }

        /// DynamicResources scores nodes only where requests may list alternatives.
        dra_scores_need_list
            from "pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.36)"
            { (35, 6) => true, (36, 0) => false, (36, 2) => true }
    }

    values {
        /// How the class is found that stands for an extended resource.
        dra_class_lookup: ClassLookup {
            (35, 0) => ClassLookup::Cache,
                "A cache says which class stands for an extended resource. Before, NodeResourcesFit made a map of them, only for \
                 pods that request an extended resource, and left every scalar to DynamicResources without the map.",
                from "dynamic-resource-allocation/deviceclass/extendedresourcecache (1.35)";
        }

        /// What `distinctAttribute` compares.
        dra_distinct: DistinctAttribute {
            (35, 0) => DistinctAttribute::ValuesOfRequests,
                "`distinctAttribute` compares values; before, it compared addresses of values, which differ for each \
                 device.",
                from "dynamic-resource-allocation/structured/internal/experimental/constraint.go (1.35)";
            (37, 0) => DistinctAttribute::ValuesOfDevices,
                "`distinctAttribute` compares devices, not requests.",
                from "kubernetes/kubernetes#140437";
        }

        /// What device selectors mean and cost, and the errors that they end with.
        dra_cel: SelectorRelease {
            (36, 0) => SelectorRelease::V36,
                "Selectors may say `includes`.",
                from "dynamic-resource-allocation/cel/compile.go (1.36)";
            (37, 0) => SelectorRelease::V37,
                "Attributes are of any type and may be lists, and selectors are evaluated by a newer CEL.",
                from "dynamic-resource-allocation/cel/compile.go (1.37)";
            (38, 0) => SelectorRelease::V38,
                "An attribute whose value is of no known type fails where a selector reads it; before, every selector failed for \
                 its device. Selectors may say `isMask`.",
                from "dynamic-resource-allocation/cel/compile.go (1.38.0-beta.0)";
        }

        /// Which devices share counters.
        dra_counters: SharedCounters {
            (35, 0) => SharedCounters::PerPoolName,
                "Slices with counters have no devices and count for their pool; before, they were slices like \
                 any other, with counters for their own devices.",
                from "dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go (1.35)";
            (36, 4) => SharedCounters::PerPool,
                "Shared counters count per driver and pool, not per pool name.",
                from "kubernetes/kubernetes#140431";
            (37, 0) => SharedCounters::OfWholePool,
                "Slices with counters need not be for the node.",
                from "dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go (1.37)";
        }
    }
}

/// How the class is found that stands for an extended resource.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ClassLookup {
    /// By a map, in which a class has one name: `spec.extendedResourceName`, else that made of its
    /// own.
    #[default]
    Map,
    /// By a cache, in which a class may have both.
    Cache,
}

/// What `distinctAttribute` compares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DistinctAttribute {
    /// Where the values are stored, which differs for each device.
    #[default]
    Storage,
    /// The latest value of each request.
    ValuesOfRequests,
    ValuesOfDevices,
}

/// The release whose evaluation of device selectors a version has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SelectorRelease {
    /// 1.34 and 1.35.
    #[default]
    V34,
    /// 1.36.
    V36,
    /// 1.37.
    V37,
    /// 1.38.
    V38,
}

/// Which devices share counters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SharedCounters {
    /// Those of one slice.
    #[default]
    PerSlice,
    /// Those of pools with one name, whatever their drivers.
    PerPoolName,
    /// Those of one pool.
    PerPool,
    /// The same, and slices with counters need not be for the node.
    OfWholePool,
}
