//! Node, as far as the scheduler reads it. Upstream: `api/core/v1/types.go` (1.37).

use super::amount::Amounts;
use super::text::{Map, Str, wire};

wire! {
    /// A node.
    pub struct Node {
        metadata: NodeMeta<'a>,
        spec: NodeSpec<'a>,
        status: NodeStatus<'a> ;
    }

    /// `metadata` of a node. Of its annotations one is read.
    pub struct NodeMeta {
        name: Str<'a>,
        uid: Str<'a>,
        resource_version: Str<'a>,
        /// RFC 3339.
        creation_timestamp: Str<'a>,
        labels: Map<'a>,
        annotations: NodeAnnotations<'a> ;
    }

    /// The annotation of nodes that schedulers up to 1.21 read.
    pub struct NodeAnnotations {
        /// JSON: the controllers whose pods the node should avoid.
        #[serde(rename = "scheduler.alpha.kubernetes.io/preferAvoidPods")]
        prefer_avoid_pods: Str<'a> ;
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
        /// RFC 3339; set by controllers, rarely by users.
        time_added: Str<'a> ;
    }

    /// `node.status`.
    pub struct NodeStatus {
        allocatable: Amounts<'a>,
        declared_features: Vec<Str<'a>>,
        images: Vec<Image<'a>>,
        node_info: NodeInfo<'a> ;
    }

    /// `status.nodeInfo`, of which the version of the kubelet is read: no kubelet is newer than its control plane.
    pub struct NodeInfo {
        kubelet_version: Str<'a> ;
    }

    /// `status.images[]`.
    pub struct Image {
        names: Vec<Str<'a>> ;
        size_bytes: i64,
    }
}
