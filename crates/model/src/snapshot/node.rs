//! Node, as far as the scheduler reads it. Upstream: `api/core/v1/types.go` (1.37).

use super::amount::{Amounts, Time};
use super::json::{Fill, Input, Refused};
use super::protobuf::{Malformed, Merge, Value};
use super::record::{annotations, wire};
use super::text::{Map, Str};

wire! {
    pub struct Node {
        metadata: NodeMeta<'a> = 1,
        spec: NodeSpec<'a> = 2,
        status: NodeStatus<'a> = 3 ;
    }

    /// `metadata` of a node. Of its annotations one is read.
    pub struct NodeMeta {
        name: Str<'a> = 1,
        uid: Str<'a> = 5,
        resource_version: Str<'a> = 6,
        /// RFC 3339.
        creation_timestamp: Time<'a> = 8,
        labels: Map<'a> = 11,
        annotations: NodeAnnotations<'a> = 12 ;
    }

    /// `node.spec`.
    pub struct NodeSpec {
        taints: Vec<Taint<'a>> = 5 ;
        unschedulable: bool = 4,
    }

    /// `spec.taints[]`.
    pub struct Taint {
        key: Str<'a> = 1,
        value: Str<'a> = 2,
        effect: Str<'a> = 3,
        /// RFC 3339; set by controllers, rarely by users.
        time_added: Time<'a> = 4 ;
    }

    /// `node.status`.
    pub struct NodeStatus {
        allocatable: Amounts<'a> = 2,
        declared_features: Vec<Str<'a>> = 14,
        images: Vec<Image<'a>> = 8,
        node_info: NodeInfo<'a> = 7,
        conditions: NodeConditions<'a> = 4 ;
    }

    /// `status.conditions[]`.
    pub struct NodeCondition {
        #[serde(rename = "type")]
        kind: Str<'a> = 1,
        status: Str<'a> = 2,
        reason: Str<'a> = 5,
        message: Str<'a> = 6,
        /// RFC 3339.
        last_transition_time: Time<'a> = 4 ;
    }

    /// `status.nodeInfo`: only the kubelet's version, since no kubelet is newer than its control
    /// plane.
    pub struct NodeInfo {
        kubelet_version: Str<'a> = 7 ;
    }

    /// `status.images[]`.
    pub struct Image {
        names: Vec<Str<'a>> = 1 ;
        size_bytes: i64 = 2,
    }
}

annotations! {
    /// The annotation that schedulers up to 1.21 read, those that exclude a node from
    /// scale-down, and those that say to which group of machines it belongs.
    pub struct NodeAnnotations {
        /// JSON: the controllers whose pods the node should avoid.
        prefer_avoid_pods = "scheduler.alpha.kubernetes.io/preferAvoidPods",
        /// `true`: cluster-autoscaler does not remove the node.
        scale_down_disabled = "cluster-autoscaler.kubernetes.io/scale-down-disabled",
        /// `true`: Karpenter does not remove the node.
        do_not_disrupt = "karpenter.sh/do-not-disrupt",
        /// The kind of Cluster API's object that made its machine.
        owner_kind = "cluster.x-k8s.io/owner-kind",
        /// The name of that object.
        owner_name = "cluster.x-k8s.io/owner-name",
        /// The namespace of that object.
        owner_namespace = "cluster.x-k8s.io/cluster-namespace",
        /// Namespace and name of OpenShift's machine.
        machine = "machine.openshift.io/machine",
    }
}

/// `status.conditions`, of which `Ready` alone is kept. Heartbeats are not read: they change every
/// few minutes.
#[derive(Debug, Default, Clone, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct NodeConditions<'a>(pub Vec<NodeCondition<'a>>);

impl NodeConditions<'_> {
    fn narrow(&mut self) {
        self.0.retain(|condition| condition.kind.as_str() == "Ready");
    }
}

impl<'a> Fill<'a> for NodeConditions<'a> {
    fn fill(&mut self, input: &mut dyn Input<'a>) -> Result<(), Refused> {
        self.0.fill(input)?;
        self.narrow();
        Ok(())
    }
}

impl<'a> Merge<'a> for NodeConditions<'a> {
    fn merge(&mut self, value: Value<'a>) -> Result<(), Malformed> {
        let mut condition = NodeCondition::default();
        condition.merge(value)?;
        self.0.push(condition);
        self.narrow();
        Ok(())
    }
}
