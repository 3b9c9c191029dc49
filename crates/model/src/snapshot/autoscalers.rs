//! Custom objects of autoscalers and their users: pools and claims of Karpenter, requests, buffers
//! and quotas of cluster-autoscaler, scaled machine groups. Only the fields are read that decide
//! which node may be added, or why none is.

use super::amount::{Amounts, Time};
use super::meta::{LabelSelector, ObjectMeta};
use super::node::Taint;
use super::record::{annotations, json_wire};
use super::text::{Map, Str};

json_wire! {
    /// `status.conditions[]` of a custom object.
    pub struct Condition {
        #[serde(rename = "type")]
        kind: Str<'a>,
        status: Str<'a>,
        reason: Str<'a>,
        message: Str<'a>,
        last_transition_time: Time<'a> ;
    }

    /// `karpenter.sh/v1` `NodePool`: which nodes Karpenter may create.
    pub struct NodePool {
        metadata: ObjectMeta<'a>,
        spec: NodePoolSpec<'a>,
        status: NodePoolStatus<'a> ;
    }

    /// `spec` of a pool.
    pub struct NodePoolSpec {
        limits: Amounts<'a>,
        template: NodeTemplate<'a> ;
        /// Pools of higher weight are tried first.
        weight: i64,
        /// The nodes of a pool that does not grow for pods.
        replicas: Option<i64>,
    }

    /// `spec.template` of a pool.
    pub struct NodeTemplate {
        metadata: TemplateMeta<'a>,
        spec: NodeClaimSpec<'a> ;
    }

    /// `spec.template.metadata` of a pool.
    pub struct TemplateMeta {
        labels: Map<'a> ;
    }

    /// `spec` of a claim, and `spec.template.spec` of a pool.
    pub struct NodeClaimSpec {
        requirements: Vec<Requirement<'a>>,
        taints: Vec<Taint<'a>>,
        startup_taints: Vec<Taint<'a>>,
        node_class_ref: NodeClassRef<'a> ;
    }

    /// `requirements[]`: a requirement of a node selector, and how many values it must leave.
    pub struct Requirement {
        key: Str<'a>,
        operator: Str<'a>,
        values: Vec<Str<'a>> ;
        min_values: Option<i64>,
    }

    /// `nodeClassRef`.
    pub struct NodeClassRef {
        group: Str<'a>,
        kind: Str<'a>,
        name: Str<'a> ;
    }

    /// `status` of a pool.
    pub struct NodePoolStatus {
        /// The capacity of its nodes.
        resources: Amounts<'a>,
        conditions: Vec<Condition<'a>> ;
    }

    /// `karpenter.sh/v1` `NodeClaim`: a node that Karpenter has, or is making.
    pub struct NodeClaim {
        metadata: ObjectMeta<'a>,
        spec: NodeClaimSpec<'a>,
        status: NodeClaimStatus<'a> ;
    }

    /// `status` of a claim.
    pub struct NodeClaimStatus {
        node_name: Str<'a>,
        capacity: Amounts<'a>,
        allocatable: Amounts<'a>,
        conditions: Vec<Condition<'a>> ;
    }

    /// `karpenter.sh/v1alpha1` `NodeOverlay`: resources of matching nodes beyond those of the
    /// cloud's instance type.
    pub struct NodeOverlay {
        metadata: ObjectMeta<'a>,
        spec: NodeOverlaySpec<'a> ;
    }

    /// `spec` of an overlay.
    pub struct NodeOverlaySpec {
        requirements: Vec<Requirement<'a>>,
        capacity: Amounts<'a> ;
    }

    /// A class of nodes of a cloud provider: its name and whether it is ready.
    pub struct NodeClass {
        metadata: ObjectMeta<'a>,
        status: Conditions<'a> ;
    }

    /// `status`: only its conditions.
    pub struct Conditions {
        conditions: Vec<Condition<'a>> ;
    }

    /// `autoscaling.x-k8s.io` `ProvisioningRequest`: nodes asked for before the pods are let in.
    pub struct ProvisioningRequest {
        metadata: ObjectMeta<'a>,
        spec: ProvisioningRequestSpec<'a>,
        status: Conditions<'a> ;
    }

    /// `spec` of a request.
    pub struct ProvisioningRequestSpec {
        provisioning_class_name: Str<'a> ;
    }

    /// `autoscaling.x-k8s.io` `CapacityBuffer`: room that an autoscaler keeps free.
    pub struct CapacityBuffer {
        metadata: ObjectMeta<'a>,
        status: CapacityBufferStatus<'a> ;
    }

    /// `status` of a buffer.
    pub struct CapacityBufferStatus {
        conditions: Vec<Condition<'a>> ;
        replicas: Option<i64>,
    }

    /// `autoscaling.x-k8s.io` `CapacityQuota`: how much nodes may have in all.
    pub struct CapacityQuota {
        metadata: ObjectMeta<'a>,
        spec: CapacityQuotaSpec<'a>,
        status: CapacityQuotaStatus<'a> ;
    }

    /// `spec` of a quota.
    pub struct CapacityQuotaSpec {
        /// `None` selects every node.
        selector: Option<LabelSelector<'a>>,
        limits: Resources<'a> ;
    }

    /// `limits` and `used` of a quota.
    pub struct Resources {
        resources: Amounts<'a> ;
    }

    /// `status` of a quota.
    pub struct CapacityQuotaStatus {
        used: Resources<'a>,
        conditions: Vec<Condition<'a>> ;
    }

    /// `autoscaling.openshift.io/v1beta1` `MachineAutoscaler`: how far a machine set may grow.
    pub struct MachineAutoscaler {
        metadata: ObjectMeta<'a>,
        spec: MachineAutoscalerSpec<'a> ;
    }

    /// `spec` of a machine autoscaler.
    pub struct MachineAutoscalerSpec {
        scale_target_ref: ScaleTargetRef<'a> ;
        min_replicas: i64,
        max_replicas: i64,
    }

    /// `scaleTargetRef`.
    pub struct ScaleTargetRef {
        kind: Str<'a>,
        name: Str<'a> ;
    }

    /// `autoscaling.openshift.io/v1` `ClusterAutoscaler`: settings of cluster-autoscaler.
    pub struct ClusterAutoscaler {
        metadata: ObjectMeta<'a>,
        spec: ClusterAutoscalerSpec<'a> ;
    }

    /// `spec` of a cluster autoscaler.
    pub struct ClusterAutoscalerSpec {
        resource_limits: ResourceLimits<'a> ;
        pod_priority_threshold: Option<i64>,
    }

    /// `spec.resourceLimits`.
    pub struct ResourceLimits {
        gpus: Vec<GpuLimit<'a>> ;
        max_nodes_total: Option<i64>,
    }

    /// `gpus[]`: the most devices of a type.
    pub struct GpuLimit {
        #[serde(rename = "type")]
        kind: Str<'a> ;
        max: i64,
    }

    /// A group of machines of Cluster API or OpenShift, with what its annotations say of its size.
    pub struct MachineGroup {
        metadata: MachineGroupMeta<'a>,
        spec: MachineGroupSpec<'a> ;
    }

    /// `metadata` of a group of machines.
    pub struct MachineGroupMeta {
        name: Str<'a>,
        namespace: Str<'a>,
        annotations: ScaleAnnotations<'a> ;
    }

    /// `spec` of a group of machines.
    pub struct MachineGroupSpec {
        cluster_name: Str<'a> ;
        replicas: Option<i64>,
    }

    /// `cloud.google.com/v1` `ComputeClass`: how GKE chooses nodes for pods that name it.
    pub struct ComputeClass {
        metadata: ObjectMeta<'a>,
        spec: ComputeClassSpec<'a> ;
    }

    /// `spec` of a compute class.
    pub struct ComputeClassSpec {
        when_unsatisfiable: Str<'a>,
        node_pool_auto_creation: Option<AutoCreation> ;
    }
}

/// `nodePoolAutoCreation` of a compute class.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct AutoCreation {
    /// Whether GKE creates node pools for pods of the class.
    pub enabled: bool,
}

super::record::record!(AutoCreation { enabled });

annotations! {
    /// Annotations with the size limits of a machine group and the capacity of its nodes.
    pub struct ScaleAnnotations {
        min_size = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size",
        max_size = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size",
        openshift_min_size = "machine.openshift.io/cluster-api-autoscaler-node-group-min-size",
        openshift_max_size = "machine.openshift.io/cluster-api-autoscaler-node-group-max-size",
        cpu = "capacity.cluster-autoscaler.kubernetes.io/cpu",
        memory = "capacity.cluster-autoscaler.kubernetes.io/memory",
        ephemeral_storage = "capacity.cluster-autoscaler.kubernetes.io/ephemeral-disk",
        max_pods = "capacity.cluster-autoscaler.kubernetes.io/maxPods",
        gpu_type = "capacity.cluster-autoscaler.kubernetes.io/gpu-type",
        gpu_count = "capacity.cluster-autoscaler.kubernetes.io/gpu-count",
        labels = "capacity.cluster-autoscaler.kubernetes.io/labels",
        taints = "capacity.cluster-autoscaler.kubernetes.io/taints",
        openshift_cpu = "machine.openshift.io/vCPU",
        openshift_memory = "machine.openshift.io/memoryMb",
        openshift_gpu = "machine.openshift.io/GPU",
    }
}
