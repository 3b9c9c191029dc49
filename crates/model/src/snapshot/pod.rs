//! Pod, as far as the scheduler reads it. Upstream: `api/core/v1/types.go` (1.37). Env, args,
//! command, probes and secrets are not listed here, so they are never decoded.

use super::amount::{Amounts, Time};
use super::json::{Fill, Input, Refused};
use super::meta::{Expression, LabelSelector, ObjectMeta};
use super::protobuf::{self, Malformed, Merge, Value};
use super::record::record;
use super::record::wire;
use super::text::{Map, Str};

wire! {
    pub struct Pod {
        metadata: ObjectMeta<'a> = 1,
        spec: PodSpec<'a> = 2,
        status: PodStatus<'a> = 3 ;
    }

    /// `pod.spec`.
    pub struct PodSpec {
        node_name: Str<'a> = 10,
        scheduler_name: Str<'a> = 19,
        priority_class_name: Str<'a> = 24,
        preemption_policy: Str<'a> = 31,
        /// Only shown, as the reason of the overhead.
        runtime_class_name: Str<'a> = 29,
        /// `None` is Go's nil; an empty map is not.
        node_selector: Option<Map<'a>> = 7,
        affinity: Option<Affinity<'a>> = 18,
        tolerations: Vec<Toleration<'a>> = 22,
        topology_spread_constraints: Vec<SpreadConstraint<'a>> = 33,
        scheduling_gates: Vec<Named<'a>> = 38,
        containers: Vec<Container<'a>> = 2,
        init_containers: Vec<Container<'a>> = 20,
        ephemeral_containers: Vec<EphemeralContainer<'a>> = 34,
        overhead: Amounts<'a> = 32,
        resources: Resources<'a> = 40,
        volumes: Vec<Volume<'a>> = 1,
        resource_claims: Vec<PodResourceClaim<'a>> = 39,
        scheduling_group: Option<SchedulingGroup<'a>> = 43,
        workload_ref: Option<PodWorkload<'a>> = 42 ;
        priority: Option<i32> = 25,
        host_network: bool = 11,
        host_users: Option<bool> = 37,
        termination_grace_period_seconds: Option<i64> = 4,
    }

    /// An object: only its name.
    pub struct Named {
        name: Str<'a> = 1 ;
    }

    /// `spec.resourceClaims[]`.
    pub struct PodResourceClaim {
        name: Str<'a> = 1,
        resource_claim_name: Option<Str<'a>> = 3,
        resource_claim_template_name: Option<Str<'a>> = 4 ;
    }

    /// `spec.schedulingGroup` (1.36+).
    pub struct SchedulingGroup {
        pod_group_name: Str<'a> = 1 ;
    }

    /// `spec.workloadRef` (1.35).
    pub struct PodWorkload {
        name: Str<'a> = 1,
        pod_group: Str<'a> = 2,
        pod_group_replica_key: Str<'a> = 3 ;
    }

    /// A container or init container, or what an ephemeral container shares with them.
    pub struct Container {
        name: Str<'a> = 1,
        image: Str<'a> = 2,
        /// `Always` marks a sidecar among the init containers.
        restart_policy: Str<'a> = 24,
        restart_policy_rules: Vec<RestartPolicyRule<'a>> = 25,
        ports: Vec<Port<'a>> = 6,
        resources: Resources<'a> = 8,
        volume_mounts: Vec<VolumeMount<'a>> = 9 ;
    }

    /// `restartPolicyRules[]`.
    pub struct RestartPolicyRule {
        action: Str<'a> = 1 ;
    }

    /// `volumeMounts[]`: mount options decide a required node feature.
    pub struct VolumeMount {
        bind_mount_options: Vec<Str<'a>> = 8 ;
    }

    /// `ports[]`.
    pub struct Port {
        #[serde(rename = "hostIP")]
        host_ip: Str<'a> = 5,
        protocol: Str<'a> = 4 ;
        host_port: i64 = 2,
    }

    /// `resources`; limits are not read, as in the scheduler.
    pub struct Resources {
        /// `None` is Go's nil.
        requests: Option<Amounts<'a>> = 2,
        claims: Vec<Named<'a>> = 3 ;
    }

    /// `tolerations[]`.
    pub struct Toleration {
        key: Str<'a> = 1,
        operator: Str<'a> = 2,
        value: Str<'a> = 3,
        effect: Str<'a> = 4 ;
        /// Only shown: for how long a `NoExecute` taint is tolerated.
        toleration_seconds: Option<i64> = 5,
    }

    /// `topologySpreadConstraints[]`.
    pub struct SpreadConstraint {
        topology_key: Str<'a> = 2,
        when_unsatisfiable: Str<'a> = 3,
        label_selector: Option<LabelSelector<'a>> = 4,
        match_label_keys: Vec<Str<'a>> = 8,
        node_affinity_policy: Str<'a> = 6,
        node_taints_policy: Str<'a> = 7 ;
        max_skew: i64 = 1,
        min_domains: Option<i64> = 5,
    }

    /// `affinity`.
    pub struct Affinity {
        node_affinity: Option<NodeAffinity<'a>> = 1,
        pod_affinity: Option<PodAffinity<'a>> = 2,
        pod_anti_affinity: Option<PodAffinity<'a>> = 3 ;
    }

    /// `affinity.nodeAffinity`.
    pub struct NodeAffinity {
        #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
        required: Option<NodeSelector<'a>> = 1,
        #[serde(rename = "preferredDuringSchedulingIgnoredDuringExecution")]
        preferred: Vec<PreferredTerm<'a>> = 2 ;
    }

    /// A node selector: terms are alternatives.
    pub struct NodeSelector {
        node_selector_terms: Vec<NodeSelectorTerm<'a>> = 1 ;
    }

    /// All of a term's requirements must hold.
    pub struct NodeSelectorTerm {
        match_expressions: Vec<Expression<'a>> = 1,
        match_fields: Vec<Expression<'a>> = 2 ;
    }

    pub struct PreferredTerm {
        preference: NodeSelectorTerm<'a> = 2 ;
        weight: i64 = 1,
    }

    /// `affinity.podAffinity` or `.podAntiAffinity`.
    pub struct PodAffinity {
        #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
        required: Vec<PodAffinityTerm<'a>> = 1,
        #[serde(rename = "preferredDuringSchedulingIgnoredDuringExecution")]
        preferred: Vec<WeightedPodAffinityTerm<'a>> = 2 ;
    }

    /// A term of pod (anti-)affinity.
    pub struct PodAffinityTerm {
        label_selector: Option<LabelSelector<'a>> = 1,
        namespaces: Vec<Str<'a>> = 2,
        namespace_selector: Option<LabelSelector<'a>> = 4,
        topology_key: Str<'a> = 3 ;
    }

    /// A preferred term of pod (anti-)affinity.
    pub struct WeightedPodAffinityTerm {
        pod_affinity_term: PodAffinityTerm<'a> = 2 ;
        weight: i64 = 1,
    }

    /// `volumes[]`, without config maps and secrets.
    pub struct Volume {
        name: Str<'a> = 1,
        persistent_volume_claim: Option<ClaimSource<'a>> = 2 / 10,
        gce_persistent_disk: Option<GceDisk<'a>> = 2 / 3,
        aws_elastic_block_store: Option<AwsDisk<'a>> = 2 / 4,
        azure_disk: Option<AzureDisk<'a>> = 2 / 22,
        cinder: Option<VolumeId<'a>> = 2 / 13,
        portworx_volume: Option<VolumeId<'a>> = 2 / 24,
        rbd: Option<Rbd<'a>> = 2 / 11,
        iscsi: Option<Iscsi<'a>> = 2 / 8,
        image: Option<ImageVolume<'a>> = 2 / 30 ;
        /// Present for a generic ephemeral volume.
        ephemeral: Option<Presence> = 2 / 29,
        /// Present for an `emptyDir`.
        empty_dir: Option<Presence> = 2 / 2,
    }

    /// `persistentVolumeClaim`.
    pub struct ClaimSource {
        claim_name: Str<'a> = 1 ;
    }

    /// `image`: an image mounted as a volume.
    pub struct ImageVolume {
        reference: Str<'a> = 1 ;
    }

    /// `gcePersistentDisk`.
    pub struct GceDisk {
        pd_name: Str<'a> = 1 ;
        read_only: bool = 4,
    }

    /// `awsElasticBlockStore`.
    pub struct AwsDisk {
        #[serde(rename = "volumeID")]
        volume_id: Str<'a> = 1 ;
    }

    /// `azureDisk`.
    pub struct AzureDisk {
        disk_name: Str<'a> = 1,
        #[serde(rename = "diskURI")]
        disk_uri: Str<'a> = 2,
        /// `None` is Go's nil.
        kind: Option<Str<'a>> = 6 ;
    }

    /// `cinder` or `portworxVolume`.
    pub struct VolumeId {
        #[serde(rename = "volumeID")]
        volume_id: Str<'a> = 1 ;
    }

    /// `rbd`.
    pub struct Rbd {
        monitors: Vec<Str<'a>> = 1,
        pool: Str<'a> = 4,
        image: Str<'a> = 2 ;
        read_only: bool = 8,
    }

    /// `iscsi`.
    pub struct Iscsi {
        iqn: Str<'a> = 2 ;
        read_only: bool = 6,
    }

    /// `pod.status`.
    pub struct PodStatus {
        phase: Str<'a> = 1,
        /// RFC 3339.
        start_time: Time<'a> = 7,
        nominated_node_name: Str<'a> = 11,
        /// Only shown: the scheduler does not read it.
        qos_class: Str<'a> = 9,
        /// Why a kubelet ended the pod.
        reason: Str<'a> = 4,
        /// The same in a sentence; only shown.
        message: Str<'a> = 3,
        conditions: Conditions<'a> = 2,
        container_statuses: Vec<ContainerStatus<'a>> = 8,
        init_container_statuses: Vec<ContainerStatus<'a>> = 10,
        /// Pod-level in-place resize.
        resources: Option<Resources<'a>> = 20,
        allocated_resources: Option<Amounts<'a>> = 19,
        resource_claim_statuses: Vec<ResourceClaimStatus<'a>> = 15,
        /// Alpha (1.36).
        node_allocatable_resource_claim_statuses: Vec<NodeAllocatableClaimStatus<'a>> = 21 ;
    }

    /// `status.nodeAllocatableResourceClaimStatuses[]`, of which only the presence is read.
    pub struct NodeAllocatableClaimStatus {
        resource_claim_name: Str<'a> = 1 ;
    }

    /// `status.conditions[]`.
    pub struct Condition {
        #[serde(rename = "type")]
        kind: Str<'a> = 1,
        status: Str<'a> = 2,
        reason: Str<'a> = 5,
        /// Of some conditions only, see [`Conditions`].
        message: Str<'a> = 6,
        /// RFC 3339; as the message.
        last_transition_time: Time<'a> = 4 ;
    }

    /// The resources of a container, as the kubelet reports them.
    pub struct ContainerStatus {
        name: Str<'a> = 1,
        /// Only shown.
        state: ContainerState<'a> = 2,
        allocated_resources: Option<Amounts<'a>> = 10,
        resources: Option<Resources<'a>> = 11 ;
    }

    /// `state` of a container: why it does not run.
    pub struct ContainerState {
        waiting: Option<WaitingState<'a>> = 1,
        terminated: Option<Terminated<'a>> = 3 ;
    }

    /// `state.waiting`.
    pub struct WaitingState {
        reason: Str<'a> = 1,
        message: Str<'a> = 2 ;
    }

    /// `state.terminated`, without what the container itself wrote.
    pub struct Terminated {
        reason: Str<'a> = 3 ;
        exit_code: i32 = 1,
    }

    /// `status.resourceClaimStatuses[]`.
    pub struct ResourceClaimStatus {
        name: Str<'a> = 1,
        /// `None`: the pod needs no claim after all.
        resource_claim_name: Option<Str<'a>> = 2 ;
    }
}

/// A field that may be present; its contents are skipped.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Presence {}

record!(Presence {});

impl Merge<'_> for Presence {
    fn merge(&mut self, value: Value) -> Result<(), Malformed> {
        value.bytes().map(drop)
    }
}

/// `ephemeralContainers[]`. In protobuf, the fields of a container are in a message of their own.
#[derive(Debug, Default, Clone, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct EphemeralContainer<'a>(pub Container<'a>);

impl<'a> Fill<'a> for EphemeralContainer<'a> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        self.0.fill(input)
    }
}

impl<'a> Merge<'a> for EphemeralContainer<'a> {
    fn merge(&mut self, value: Value<'a>) -> Result<(), Malformed> {
        protobuf::merge_only(1, value, &mut self.0)
    }
}

/// `status.conditions`. Messages and times are kept of a `PodScheduled` condition that is False, of
/// a `DisruptionTarget` condition, and of those about a resize, and of no other.
#[derive(Debug, Default, Clone, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct Conditions<'a>(pub Vec<Condition<'a>>);

impl<'a> std::ops::Deref for Conditions<'a> {
    type Target = [Condition<'a>];
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'a> Fill<'a> for Conditions<'a> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        self.0.fill(input)?;
        self.0.iter_mut().for_each(Condition::narrow);
        Ok(())
    }
}

impl<'a> Merge<'a> for Conditions<'a> {
    fn merge(&mut self, value: Value<'a>) -> Result<(), Malformed> {
        let mut condition = Condition::default();
        condition.merge(value)?;
        condition.narrow();
        self.0.push(condition);
        Ok(())
    }
}

impl Condition<'_> {
    /// Takes away what is kept of other conditions only.
    fn narrow(&mut self) {
        let kept = [
            ("PodScheduled", "False"),
            ("DisruptionTarget", "True"),
            ("PodResizePending", "True"),
            ("PodResizeInProgress", "True"),
        ];
        if !kept.contains(&(self.kind.as_str(), self.status.as_str())) {
            self.message = Str::default();
            self.last_transition_time = Time::default();
        }
    }
}
