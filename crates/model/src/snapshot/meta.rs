//! `ObjectMeta` and selectors, as far as the decision reads them. Upstream:
//! `apimachinery/pkg/apis/meta/v1/types.go`.

use super::amount::Time;
use super::annotations::{AllowList, Annotations};
use super::record::wire;
use super::text::{Map, Str};

wire! {
    /// `metadata`. Managed fields are never read, and few annotations.
    pub struct ObjectMeta {
        name: Str<'a> = 1,
        namespace: Str<'a> = 3,
        uid: Str<'a> = 5,
        resource_version: Str<'a> = 6,
        /// RFC 3339.
        creation_timestamp: Time<'a> = 8,
        /// RFC 3339; set on a terminating object.
        deletion_timestamp: Time<'a> = 9,
        labels: Map<'a> = 11,
        annotations: Annotations<'a, OfPods> = 12,
        owner_references: Vec<OwnerReference<'a>> = 13,
        /// What keeps a terminating object.
        finalizers: Vec<Str<'a>> = 14 ;
        deletion_grace_period_seconds: Option<i64> = 10,
    }

    pub struct OwnerReference {
        api_version: Str<'a> = 5,
        kind: Str<'a> = 1,
        name: Str<'a> = 3,
        uid: Str<'a> = 4 ;
        controller: bool = 6,
    }

    /// `metav1.LabelSelector`.
    pub struct LabelSelector {
        match_labels: Map<'a> = 1,
        match_expressions: Vec<Expression<'a>> = 2 ;
    }

    /// A requirement of a label selector or of a node selector term.
    pub struct Expression {
        key: Str<'a> = 1,
        operator: Str<'a> = 2,
        values: Vec<Str<'a>> = 3 ;
    }
}

/// The annotations of pods that are read.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct OfPods;

impl AllowList for OfPods {
    const KEYS: &'static [&'static str] = &[
        MIRROR,
        pods::DO_NOT_DISRUPT,
        pods::SAFE_TO_EVICT,
        pods::SAFE_LOCAL_VOLUMES,
        pods::PREFER_NO_EVICTION,
        pods::DESCHEDULE,
        pods::PROVISIONING_REQUEST,
        pods::PROVISIONING_REQUEST_BEFORE,
        pods::SCALE_UP_DELAY,
        pods::KUEUE_WORKLOAD,
        pods::VOLCANO_GROUP,
        pods::KUBE_GROUP,
        pods::KOORDINATOR_GANG,
        pods::KOORDINATOR_RESERVATION,
        pods::YUNIKORN_APPLICATION,
        pods::YUNIKORN_QUEUE,
        pods::YUNIKORN_TASK_GROUP,
        pods::DELETION_COST,
        pods::KAI_GROUP,
        pods::KAI_EVICTOR,
        pods::KAI_EVICTOR_NAMESPACE,
    ];
}

/// The annotation that marks the mirror pod of a static pod.
pub const MIRROR: &str = "kubernetes.io/config.mirror";

/// Annotations by which programs other than kube-scheduler learn what they may do with a pod, or to
/// which of their objects it belongs. Labels with the same meaning are read with all labels.
pub mod pods {
    /// Karpenter does not evict the pod. Upstream: `pkg/apis/v1/labels.go` (1.14).
    pub const DO_NOT_DISRUPT: &str = "karpenter.sh/do-not-disrupt";
    /// With `"false"`, cluster-autoscaler does not evict the pod. Upstream:
    /// `cluster-autoscaler/utils/drain/drain.go` (1.36).
    pub const SAFE_TO_EVICT: &str = "cluster-autoscaler.kubernetes.io/safe-to-evict";
    /// The local volumes, by name and separated by commas, that do not keep cluster-autoscaler from
    /// evicting the pod. Upstream: `cluster-autoscaler/utils/drain/drain.go` (1.36).
    pub const SAFE_LOCAL_VOLUMES: &str =
        "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes";
    /// The descheduler evicts the pod last, or not at all; any value. Upstream:
    /// `pkg/utils/pod.go` of the descheduler.
    pub const PREFER_NO_EVICTION: &str = "descheduler.alpha.kubernetes.io/prefer-no-eviction";
    /// The descheduler may evict the pod although a check forbids it; any value, `"false"` too.
    pub const DESCHEDULE: &str = "descheduler.alpha.kubernetes.io/evict";
    /// The `ProvisioningRequest` that provides nodes for the pod: cluster-autoscaler adds no
    /// others. Upstream: `autoscaler/cluster-autoscaler/processors/provreq/pods_filter.go` (1.36).
    pub const PROVISIONING_REQUEST: &str = "autoscaling.x-k8s.io/consume-provisioning-request";
    /// The same in its deprecated spelling.
    pub const PROVISIONING_REQUEST_BEFORE: &str =
        "cluster-autoscaler.kubernetes.io/consume-provisioning-request";
    /// How long cluster-autoscaler waits before it acts for the pod. Upstream:
    /// `cluster-autoscaler/core/static_autoscaler.go` (1.36).
    pub const SCALE_UP_DELAY: &str = "cluster-autoscaler.kubernetes.io/pod-scale-up-delay";
    /// The Workload of Kueue by whose quota the pod runs.
    pub const KUEUE_WORKLOAD: &str = "kueue.x-k8s.io/workload";
    /// Volcano's name of the pod's PodGroup.
    pub const VOLCANO_GROUP: &str = "scheduling.volcano.sh/group-name";
    /// The name of the pod's PodGroup for Volcano and older batch schedulers.
    pub const KUBE_GROUP: &str = "scheduling.k8s.io/group-name";
    /// Koordinator's name of the pod's gang.
    pub const KOORDINATOR_GANG: &str = "gang.scheduling.koordinator.sh/name";
    /// Koordinator: the pod asks for a Reservation; any value.
    pub const KOORDINATOR_RESERVATION: &str = "scheduling.koordinator.sh/reservation-affinity";
    /// The pod's application in YuniKorn.
    pub const YUNIKORN_APPLICATION: &str = "yunikorn.apache.org/app-id";
    /// The pod's queue in YuniKorn.
    pub const YUNIKORN_QUEUE: &str = "yunikorn.apache.org/queue";
    /// The pod's task group in YuniKorn.
    pub const YUNIKORN_TASK_GROUP: &str = "yunikorn.apache.org/task-group-name";
    /// Of an Event of KAI: the name of the PodGroup for which pods were evicted.
    pub const KAI_EVICTOR: &str = "evictor-pod-group-name";
    pub const KAI_EVICTOR_NAMESPACE: &str = "evictor-pod-group-namespace";
    /// How much it costs to remove the pod when its ReplicaSet is scaled down: the lowest leaves first.
    /// Upstream: `pkg/apis/core/annotation_key_constants.go` (1.37).
    pub const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
    /// KAI's name of the pod's PodGroup.
    pub const KAI_GROUP: &str = "pod-group-name";
}
