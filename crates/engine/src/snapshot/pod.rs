//! Pod, as far as the scheduler reads it. Upstream: `api/core/v1/types.go` (1.37). Env, args,
//! command, probes and secrets are not listed here, so they are never decoded.

use super::amount::Amounts;
use super::meta::{Expression, LabelSelector, ObjectMeta};
use super::text::{Map, Str, wire};
use crate::object_only;

wire! {
    /// A pod.
    pub struct Pod {
        metadata: ObjectMeta<'a>,
        spec: PodSpec<'a>,
        status: PodStatus<'a> ;
    }

    /// `pod.spec`.
    pub struct PodSpec {
        node_name: Str<'a>,
        scheduler_name: Str<'a>,
        priority_class_name: Str<'a>,
        preemption_policy: Str<'a>,
        /// `None` is Go's nil; an empty map is not.
        node_selector: Option<Map<'a>>,
        affinity: Option<Affinity<'a>>,
        tolerations: Vec<Toleration<'a>>,
        topology_spread_constraints: Vec<SpreadConstraint<'a>>,
        scheduling_gates: Vec<Named<'a>>,
        containers: Vec<Container<'a>>,
        init_containers: Vec<Container<'a>>,
        ephemeral_containers: Vec<Container<'a>>,
        overhead: Amounts<'a>,
        resources: Resources<'a>,
        volumes: Vec<Volume<'a>>,
        resource_claims: Vec<PodResourceClaim<'a>>,
        scheduling_group: Option<SchedulingGroup<'a>>,
        workload_ref: Option<Named<'a>> ;
        priority: Option<i32>,
        host_network: bool,
        host_users: Option<bool>,
        termination_grace_period_seconds: Option<i64>,
    }

    /// An object of which only the name is read.
    pub struct Named {
        name: Str<'a> ;
    }

    /// `spec.resourceClaims[]`.
    pub struct PodResourceClaim {
        name: Str<'a>,
        resource_claim_name: Option<Str<'a>>,
        resource_claim_template_name: Option<Str<'a>> ;
    }

    /// `spec.schedulingGroup` (1.36+).
    pub struct SchedulingGroup {
        pod_group_name: Str<'a> ;
    }

    /// A container, init container or ephemeral container.
    pub struct Container {
        name: Str<'a>,
        image: Str<'a>,
        /// `Always` marks a sidecar among the init containers.
        restart_policy: Str<'a>,
        restart_policy_rules: Vec<RestartPolicyRule<'a>>,
        ports: Vec<Port<'a>>,
        resources: Resources<'a>,
        volume_mounts: Vec<VolumeMount<'a>> ;
    }

    /// `restartPolicyRules[]`.
    pub struct RestartPolicyRule {
        action: Str<'a> ;
    }

    /// `volumeMounts[]`: mount options decide a required node feature.
    pub struct VolumeMount {
        bind_mount_options: Vec<Str<'a>> ;
    }

    /// `ports[]`.
    pub struct Port {
        #[serde(rename = "hostIP")]
        host_ip: Str<'a>,
        protocol: Str<'a> ;
        host_port: i64,
    }

    /// `resources`; limits are not read, as in the scheduler.
    pub struct Resources {
        /// `None` is Go's nil.
        requests: Option<Amounts<'a>>,
        claims: Vec<Named<'a>> ;
    }

    /// `tolerations[]`.
    pub struct Toleration {
        key: Str<'a>,
        operator: Str<'a>,
        value: Str<'a>,
        effect: Str<'a> ;
    }

    /// `topologySpreadConstraints[]`.
    pub struct SpreadConstraint {
        topology_key: Str<'a>,
        when_unsatisfiable: Str<'a>,
        label_selector: Option<LabelSelector<'a>>,
        match_label_keys: Vec<Str<'a>>,
        node_affinity_policy: Str<'a>,
        node_taints_policy: Str<'a> ;
        max_skew: i64,
        min_domains: Option<i64>,
    }

    /// `affinity`.
    pub struct Affinity {
        node_affinity: Option<NodeAffinity<'a>>,
        pod_affinity: Option<PodAffinity<'a>>,
        pod_anti_affinity: Option<PodAffinity<'a>> ;
    }

    /// `affinity.nodeAffinity`.
    pub struct NodeAffinity {
        #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
        required: Option<NodeSelector<'a>>,
        #[serde(rename = "preferredDuringSchedulingIgnoredDuringExecution")]
        preferred: Vec<PreferredTerm<'a>> ;
    }

    /// A node selector: terms are alternatives.
    pub struct NodeSelector {
        node_selector_terms: Vec<NodeSelectorTerm<'a>> ;
    }

    /// All of a term's requirements must hold.
    pub struct NodeSelectorTerm {
        match_expressions: Vec<Expression<'a>>,
        match_fields: Vec<Expression<'a>> ;
    }

    /// A preferred node selector term.
    pub struct PreferredTerm {
        preference: NodeSelectorTerm<'a> ;
        weight: i64,
    }

    /// `affinity.podAffinity` or `.podAntiAffinity`.
    pub struct PodAffinity {
        #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
        required: Vec<PodAffinityTerm<'a>>,
        #[serde(rename = "preferredDuringSchedulingIgnoredDuringExecution")]
        preferred: Vec<WeightedPodAffinityTerm<'a>> ;
    }

    /// A term of pod (anti-)affinity.
    pub struct PodAffinityTerm {
        label_selector: Option<LabelSelector<'a>>,
        namespaces: Vec<Str<'a>>,
        namespace_selector: Option<LabelSelector<'a>>,
        topology_key: Str<'a> ;
    }

    /// A preferred term of pod (anti-)affinity.
    pub struct WeightedPodAffinityTerm {
        pod_affinity_term: PodAffinityTerm<'a> ;
        weight: i64,
    }

    /// `volumes[]`, without config maps and secrets.
    pub struct Volume {
        name: Str<'a>,
        persistent_volume_claim: Option<ClaimSource<'a>>,
        gce_persistent_disk: Option<GceDisk<'a>>,
        aws_elastic_block_store: Option<AwsDisk<'a>>,
        azure_disk: Option<AzureDisk<'a>>,
        cinder: Option<VolumeId<'a>>,
        portworx_volume: Option<VolumeId<'a>>,
        rbd: Option<Rbd<'a>>,
        iscsi: Option<Iscsi<'a>>,
        image: Option<ImageVolume<'a>> ;
        /// Present for a generic ephemeral volume.
        ephemeral: Option<Presence>,
        /// Present for an `emptyDir`.
        empty_dir: Option<Presence>,
    }

    /// `persistentVolumeClaim`.
    pub struct ClaimSource {
        claim_name: Str<'a> ;
    }

    /// `image`: an image mounted as a volume.
    pub struct ImageVolume {
        reference: Str<'a> ;
    }

    /// `gcePersistentDisk`.
    pub struct GceDisk {
        pd_name: Str<'a> ;
        read_only: bool,
    }

    /// `awsElasticBlockStore`.
    pub struct AwsDisk {
        #[serde(rename = "volumeID")]
        volume_id: Str<'a> ;
    }

    /// `azureDisk`.
    pub struct AzureDisk {
        disk_name: Str<'a>,
        #[serde(rename = "diskURI")]
        disk_uri: Str<'a>,
        /// `None` is Go's nil.
        kind: Option<Str<'a>> ;
    }

    /// `cinder` or `portworxVolume`.
    pub struct VolumeId {
        #[serde(rename = "volumeID")]
        volume_id: Str<'a> ;
    }

    /// `rbd`.
    pub struct Rbd {
        monitors: Vec<Str<'a>>,
        pool: Str<'a>,
        image: Str<'a> ;
        read_only: bool,
    }

    /// `iscsi`.
    pub struct Iscsi {
        iqn: Str<'a> ;
        read_only: bool,
    }

    /// `pod.status`.
    pub struct PodStatus {
        phase: Str<'a>,
        /// RFC 3339.
        start_time: Str<'a>,
        nominated_node_name: Str<'a>,
        /// Only shown: the scheduler does not read it.
        qos_class: Str<'a>,
        /// Why a kubelet ended the pod.
        reason: Str<'a>,
        conditions: Conditions<'a>,
        container_statuses: Vec<ContainerStatus<'a>>,
        init_container_statuses: Vec<ContainerStatus<'a>>,
        /// Pod-level in-place resize.
        resources: Option<Resources<'a>>,
        allocated_resources: Option<Amounts<'a>>,
        resource_claim_statuses: Vec<ResourceClaimStatus<'a>>,
        /// Alpha (1.36).
        node_allocatable_resource_claim_statuses: Vec<NodeAllocatableClaimStatus<'a>> ;
    }

    /// `status.nodeAllocatableResourceClaimStatuses[]`, of which only the presence is read.
    pub struct NodeAllocatableClaimStatus {
        resource_claim_name: Str<'a> ;
    }

    /// `status.conditions[]`.
    pub struct Condition {
        #[serde(rename = "type")]
        kind: Str<'a>,
        status: Str<'a>,
        reason: Str<'a>,
        /// Of some conditions only, see [`Conditions`].
        message: Str<'a>,
        /// RFC 3339; as the message.
        last_transition_time: Str<'a> ;
    }

    /// The resources of a container, as the kubelet reports them.
    pub struct ContainerStatus {
        name: Str<'a>,
        allocated_resources: Option<Amounts<'a>>,
        resources: Option<Resources<'a>> ;
    }

    /// `status.resourceClaimStatuses[]`.
    pub struct ResourceClaimStatus {
        name: Str<'a>,
        /// `None`: the pod needs no claim after all.
        resource_claim_name: Option<Str<'a>> ;
    }
}

/// A field of which only the presence is read; its contents are skipped.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(remote = "Self")]
pub struct Presence {}

object_only!(Presence);

/// `status.conditions`. Messages and times are kept of a `PodScheduled` condition that is False and of a `DisruptionTarget`
/// condition, which the scheduler writes, and of no other.
#[derive(Debug, Default, Clone, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct Conditions<'a>(pub Vec<Condition<'a>>);

impl<'a> std::ops::Deref for Conditions<'a> {
    type Target = [Condition<'a>];
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'de: 'a, 'a> serde::Deserialize<'de> for Conditions<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut conditions = Vec::<Condition<'a>>::deserialize(deserializer)?;
        for condition in &mut conditions {
            let kept = [("PodScheduled", "False"), ("DisruptionTarget", "True")];
            if !kept.contains(&(condition.kind.as_str(), condition.status.as_str())) {
                condition.message = Str::default();
                condition.last_transition_time = Str::default();
            }
        }
        Ok(Self(conditions))
    }
}
