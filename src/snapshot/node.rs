//! Node, as far as the scheduler reads it. Upstream: `api/core/v1/types.go` (1.37).

use super::meta::ObjectMeta;
use super::text::{Map, Str, wire};

wire! {
    /// A node.
    pub struct Node {
        metadata: ObjectMeta<'a>,
        spec: NodeSpec<'a>,
        status: NodeStatus<'a> ;
    }

    /// `node.spec`.
    pub struct NodeSpec {
        taints: Vec<Taint<'a>> ;
        unschedulable: bool,
    }

    /// `spec.taints[]`.
    pub struct Taint {
        key: Str<'a>,
        value: Str<'a>,
        effect: Str<'a>,
        /// RFC 3339; controllers say it, people rarely do.
        time_added: Str<'a> ;
    }

    /// `node.status`.
    pub struct NodeStatus {
        allocatable: Map<'a>,
        declared_features: Vec<Str<'a>>,
        images: Vec<Image<'a>> ;
    }

    /// `status.images[]`.
    pub struct Image {
        names: Vec<Str<'a>> ;
        size_bytes: i64,
    }
}
