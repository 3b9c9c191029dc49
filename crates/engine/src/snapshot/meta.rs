//! `ObjectMeta` and selectors, as far as the decision reads them. Upstream: `apimachinery/pkg/apis/meta/v1/types.go`.

use super::text::{Map, Str, wire};

wire! {
    /// `metadata`. Managed fields are never read, and of the annotations one.
    pub struct ObjectMeta {
        name: Str<'a>,
        namespace: Str<'a>,
        uid: Str<'a>,
        resource_version: Str<'a>,
        /// RFC 3339.
        creation_timestamp: Str<'a>,
        /// RFC 3339; set on a terminating object.
        deletion_timestamp: Str<'a>,
        labels: Map<'a>,
        annotations: MirrorAnnotation<'a>,
        owner_references: Vec<OwnerReference<'a>> ;
        deletion_grace_period_seconds: Option<i64>,
    }

    /// The annotation by which kubelet and API server know the mirror pod of a static pod.
    pub struct MirrorAnnotation {
        #[serde(rename = "kubernetes.io/config.mirror")]
        mirror: Str<'a> ;
    }

    /// One owner of an object.
    pub struct OwnerReference {
        api_version: Str<'a>,
        kind: Str<'a>,
        name: Str<'a>,
        uid: Str<'a> ;
        controller: bool,
    }

    /// `metav1.LabelSelector`.
    pub struct LabelSelector {
        match_labels: Map<'a>,
        match_expressions: Vec<Expression<'a>> ;
    }

    /// A requirement of a label selector or of a node selector term.
    pub struct Expression {
        key: Str<'a>,
        operator: Str<'a>,
        values: Vec<Str<'a>> ;
    }
}
