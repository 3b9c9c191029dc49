//! `resource.k8s.io`: claims, slices, classes and taint rules, as far as allocation reads them. The
//! fields are those of v1, and those of v1beta1 where they differ (flat requests, `basic` devices).
//! Opaque configuration is not read.

use super::amount::{Amount, Amounts, Time};
use super::meta::{ObjectMeta, OwnerReference};
use super::pod::{Condition, NodeSelector};
use super::record::{annotations, json_wire};
use super::text::{Entries, Str};

json_wire! {
    /// DeviceClass: which devices belong to it, and its extended resource.
    pub struct DeviceClass {
        metadata: ObjectMeta<'a>,
        spec: DeviceClassSpec<'a> ;
    }

    /// `spec` of a device class.
    pub struct DeviceClassSpec {
        selectors: Vec<DeviceSelector<'a>>,
        extended_resource_name: Str<'a> ;
    }

    /// `selectors[]`.
    pub struct DeviceSelector {
        cel: Option<CelSelector<'a>> ;
    }

    /// `selectors[].cel`.
    pub struct CelSelector {
        expression: Str<'a> ;
    }

    /// ResourceClaim.
    pub struct ResourceClaim {
        metadata: ClaimMeta<'a>,
        spec: ResourceClaimSpec<'a>,
        status: ResourceClaimStatus<'a> ;
    }

    /// `metadata` of a claim: with the one annotation that the scheduler reads.
    pub struct ClaimMeta {
        name: Str<'a>,
        namespace: Str<'a>,
        uid: Str<'a>,
        resource_version: Str<'a>,
        deletion_timestamp: Time<'a>,
        owner_references: Vec<OwnerReference<'a>>,
        annotations: ClaimAnnotations<'a> ;
    }

    /// `spec` of a claim.
    pub struct ResourceClaimSpec {
        devices: DeviceClaim<'a> ;
    }

    /// `spec.devices`.
    pub struct DeviceClaim {
        requests: Vec<DeviceRequest<'a>>,
        constraints: Vec<DeviceConstraint<'a>> ;
    }

    /// `spec.devices.requests[]`; the fields after `first_available` are those of v1beta1.
    pub struct DeviceRequest {
        name: Str<'a>,
        exactly: Option<ExactRequest<'a>>,
        first_available: Vec<ExactRequest<'a>>,
        device_class_name: Str<'a>,
        selectors: Vec<DeviceSelector<'a>>,
        allocation_mode: Str<'a>,
        tolerations: Vec<DeviceToleration<'a>>,
        capacity: Option<CapacityRequirements<'a>> ;
        count: i64,
        admin_access: Option<bool>,
    }

    /// `exactly`, or one of `firstAvailable[]`, which has a name and no admin access.
    pub struct ExactRequest {
        name: Str<'a>,
        device_class_name: Str<'a>,
        selectors: Vec<DeviceSelector<'a>>,
        allocation_mode: Str<'a>,
        tolerations: Vec<DeviceToleration<'a>>,
        capacity: Option<CapacityRequirements<'a>>,
        /// Alpha (1.37).
        derived_attributes: Vec<DerivedAttribute<'a>> ;
        count: i64,
        admin_access: Option<bool>,
    }

    /// `derivedAttributes[]`.
    pub struct DerivedAttribute {
        name: Str<'a>,
        expression: Str<'a> ;
    }

    /// `tolerations[]` of a request.
    pub struct DeviceToleration {
        key: Str<'a>,
        operator: Str<'a>,
        value: Str<'a>,
        effect: Str<'a> ;
    }

    /// `capacity` of a request.
    pub struct CapacityRequirements {
        requests: Amounts<'a> ;
    }

    /// `spec.devices.constraints[]`.
    pub struct DeviceConstraint {
        requests: Vec<Str<'a>>,
        match_attribute: Option<Str<'a>>,
        distinct_attribute: Option<Str<'a>> ;
    }

    /// `status` of a claim.
    pub struct ResourceClaimStatus {
        allocation: Option<AllocationResult<'a>>,
        reserved_for: Vec<Consumer<'a>>,
        devices: Vec<AllocatedDeviceStatus<'a>> ;
    }

    /// `status.allocation`.
    pub struct AllocationResult {
        devices: DeviceAllocation<'a>,
        node_selector: Option<NodeSelector<'a>>,
        /// RFC 3339.
        allocation_timestamp: Time<'a> ;
    }

    /// `status.allocation.devices`.
    pub struct DeviceAllocation {
        results: Vec<DeviceResult<'a>> ;
    }

    /// `status.allocation.devices.results[]`.
    pub struct DeviceResult {
        request: Str<'a>,
        driver: Str<'a>,
        pool: Str<'a>,
        device: Str<'a>,
        binding_conditions: Vec<Str<'a>>,
        binding_failure_conditions: Vec<Str<'a>>,
        #[serde(rename = "shareID")]
        share_id: Option<Str<'a>>,
        consumed_capacity: Option<Amounts<'a>>,
        /// Alpha (1.37).
        skip_node_operations: Vec<Str<'a>> ;
        admin_access: Option<bool>,
    }

    /// `status.reservedFor[]`.
    pub struct Consumer {
        resource: Str<'a>,
        name: Str<'a>,
        uid: Str<'a> ;
    }

    /// `status.devices[]`: the status of an allocated device, which its driver writes.
    pub struct AllocatedDeviceStatus {
        driver: Str<'a>,
        pool: Str<'a>,
        device: Str<'a>,
        conditions: Vec<Condition<'a>> ;
    }

    /// ResourceSlice.
    pub struct ResourceSlice {
        metadata: ObjectMeta<'a>,
        spec: ResourceSliceSpec<'a> ;
    }

    /// `spec` of a slice.
    pub struct ResourceSliceSpec {
        driver: Str<'a>,
        pool: ResourcePool<'a>,
        node_name: Str<'a>,
        node_selector: Option<NodeSelector<'a>>,
        devices: Vec<Device<'a>>,
        shared_counters: Vec<CounterSet<'a>>,
        /// Alpha (1.37).
        skip_node_operations: Vec<Str<'a>> ;
        all_nodes: bool,
        per_device_node_selection: Option<bool>,
    }

    /// `spec.pool`.
    pub struct ResourcePool {
        name: Str<'a> ;
        generation: i64,
        resource_slice_count: i64,
    }

    /// `spec.sharedCounters[]`.
    pub struct CounterSet {
        name: Str<'a>,
        counters: Entries<'a, Counter<'a>> ;
    }

    pub struct Counter {
        value: Amount<'a> ;
    }

    /// `spec.devices[]`; v1beta1 has all but the name in `basic`.
    pub struct Device {
        name: Str<'a>,
        basic: Option<BasicDevice<'a>>,
        attributes: Entries<'a, Attribute<'a>>,
        capacity: Entries<'a, Capacity<'a>>,
        consumes_counters: Vec<CounterConsumption<'a>>,
        node_name: Str<'a>,
        node_selector: Option<NodeSelector<'a>>,
        taints: Vec<DeviceTaint<'a>>,
        binding_conditions: Option<Vec<Str<'a>>>,
        /// Alpha (1.37).
        node_allocatable_resources: Entries<'a, NodeAllocatableResource<'a>>,
        /// Alpha (1.36).
        node_allocatable_resource_mappings: Entries<'a, NodeAllocatableResource<'a>> ;
        all_nodes: bool,
        binds_to_node: bool,
        allow_multiple_allocations: bool,
    }

    /// `spec.devices[].nodeAllocatableResources`; only their presence matters.
    pub struct NodeAllocatableResource {
        capacity_key: Str<'a> ;
    }

    /// `spec.devices[].basic` of v1beta1.
    pub struct BasicDevice {
        attributes: Entries<'a, Attribute<'a>>,
        capacity: Entries<'a, Capacity<'a>>,
        consumes_counters: Vec<CounterConsumption<'a>>,
        node_name: Str<'a>,
        node_selector: Option<NodeSelector<'a>>,
        taints: Vec<DeviceTaint<'a>>,
        binding_conditions: Option<Vec<Str<'a>>> ;
        all_nodes: bool,
        binds_to_node: bool,
        allow_multiple_allocations: bool,
    }

    /// A device's attribute: one of the fields is set.
    pub struct Attribute {
        string: Option<Str<'a>>,
        version: Option<Str<'a>>,
        strings: Option<Vec<Str<'a>>>,
        versions: Option<Vec<Str<'a>>> ;
        int: Option<i64>,
        bool: Option<bool>,
        ints: Option<Vec<i64>>,
        bools: Option<Vec<bool>>,
    }

    /// A device's capacity.
    pub struct Capacity {
        value: Amount<'a>,
        request_policy: Option<RequestPolicy<'a>> ;
    }

    /// `requestPolicy`: which amounts of a shared device may be requested.
    pub struct RequestPolicy {
        default: Option<Amount<'a>>,
        valid_values: Option<Vec<Amount<'a>>>,
        valid_range: Option<ValidRange<'a>> ;
    }

    /// `requestPolicy.validRange`.
    pub struct ValidRange {
        min: Option<Amount<'a>>,
        max: Option<Amount<'a>>,
        step: Option<Amount<'a>> ;
    }

    /// `consumesCounters[]`.
    pub struct CounterConsumption {
        counter_set: Str<'a>,
        counters: Entries<'a, Counter<'a>>,
        /// Alpha (1.37).
        compatibility_groups: Vec<Str<'a>> ;
    }

    pub struct DeviceTaint {
        key: Str<'a>,
        value: Str<'a>,
        effect: Str<'a> ;
    }

    /// DeviceTaintRule: taints devices without a change of their slice.
    pub struct DeviceTaintRule {
        metadata: ObjectMeta<'a>,
        spec: DeviceTaintRuleSpec<'a> ;
    }

    /// `spec` of a taint rule.
    pub struct DeviceTaintRuleSpec {
        device_selector: Option<DeviceTaintSelector<'a>>,
        taint: DeviceTaint<'a> ;
    }

    /// `spec.deviceSelector`: a field that is not set matches everything.
    pub struct DeviceTaintSelector {
        driver: Option<Str<'a>>,
        pool: Option<Str<'a>>,
        device: Option<Str<'a>> ;
    }
}

annotations! {
    /// The only annotation of a claim that is read.
    pub struct ClaimAnnotations {
        extended_resource_claim = "resource.kubernetes.io/extended-resource-claim",
    }
}
