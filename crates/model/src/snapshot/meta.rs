//! `ObjectMeta` and selectors, as far as the decision reads them. Upstream:
//! `apimachinery/pkg/apis/meta/v1/types.go`.

use super::amount::Time;
use super::text::{Map, Str, annotations, wire};

wire! {
    /// `metadata`. Managed fields are never read, and of the annotations one.
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
        annotations: MirrorAnnotation<'a> = 12,
        owner_references: Vec<OwnerReference<'a>> = 13,
        /// What keeps a terminating object.
        finalizers: Vec<Str<'a>> = 14 ;
        deletion_grace_period_seconds: Option<i64> = 10,
    }

    /// One owner of an object.
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

annotations! {
    /// The annotation by which kubelet and API server know the mirror pod of a static pod, and those
    /// that keep other programs from evicting a pod.
    pub struct MirrorAnnotation {
        mirror = "kubernetes.io/config.mirror",
        do_not_disrupt = "karpenter.sh/do-not-disrupt",
        safe_to_evict = "cluster-autoscaler.kubernetes.io/safe-to-evict",
    }
}

/// Annotations of pods by which other programs than kube-scheduler know what they may do with a
/// pod.
pub mod pods {
    /// Karpenter does not evict the pod. Upstream: `pkg/apis/v1/labels.go` (1.14).
    pub const DO_NOT_DISRUPT: &str = "karpenter.sh/do-not-disrupt";
    /// With `"false"`, cluster-autoscaler does not evict the pod. Upstream:
    /// `cluster-autoscaler/utils/drain/drain.go` (1.36).
    pub const SAFE_TO_EVICT: &str = "cluster-autoscaler.kubernetes.io/safe-to-evict";
}
