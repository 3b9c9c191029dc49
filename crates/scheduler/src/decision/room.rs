//! How much room nodes have for a pod: what is requested there, what evictions free, and what is
//! missing then.

use super::Decision;
use crate::framework::operands::ResourceId;
use crate::preemption::PreemptionReport;
use model::cluster::NodeIx;
use model::cluster::resources::Resources;

/// A resource that the pod requests, on one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceRoom {
    pub resource: ResourceId,
    /// How much the pod requests.
    pub wanted: i64,
    /// How much the node has for pods.
    pub allocatable: i64,
    /// How much its pods request.
    pub used: i64,
    /// What the pods request that are evicted or, where that is not enough, that are of lower
    /// priority.
    pub freed: i64,
}

impl ResourceRoom {
    /// What pods request that stay.
    pub fn kept(self) -> i64 {
        self.used.saturating_sub(self.freed).max(0)
    }

    /// What no pod requests.
    pub fn free(self) -> i64 {
        self.allocatable.saturating_sub(self.used).max(0)
    }

    /// What is missing after the evictions.
    pub fn missing(self) -> i64 {
        let left = self.allocatable.saturating_sub(self.used.saturating_sub(self.freed));
        self.wanted.saturating_sub(left).max(0)
    }
}

impl Decision<'_> {
    /// The resources that the pod requests, with the amounts.
    pub fn wanted(&self) -> Vec<(ResourceId, i64)> {
        let wanted = self.view.incoming(self.view.cluster.pod(self.pod));
        let scalars = wanted.scalars.iter().map(|(name, _)| ResourceId::Scalar(*name));
        let all = [ResourceId::Cpu, ResourceId::Memory, ResourceId::EphemeralStorage]
            .into_iter()
            .chain(scalars);
        let amounts = all.map(|resource| (resource, resource.of(&wanted)));
        amounts.filter(|(_, amount)| *amount > 0).collect()
    }

    /// The room of a node in each of these resources.
    pub fn room_on(&self, node: NodeIx, wanted: &[(ResourceId, i64)]) -> Vec<ResourceRoom> {
        let cluster = self.view.cluster;
        let priority = cluster.pod(self.pod).priority;
        let candidate = self.preemption().and_then(|report| report.candidate(node));
        let mut freed = Resources::default();
        for pod in cluster.pods_on(node) {
            let goes = match candidate {
                Some(candidate) => candidate.victims.iter().any(|victim| victim.pod == *pod),
                None => cluster.pod(*pod).priority < priority,
            };
            if goes && self.preemption().is_some_and(PreemptionReport::tried) {
                freed += self.view.requested_by(*pod);
            }
        }
        let (allocatable, used) = (&cluster.node(node).allocatable, self.view.requested_on(node));
        wanted
            .iter()
            .map(|(resource, wanted)| ResourceRoom {
                resource: *resource,
                wanted: *wanted,
                allocatable: resource.of(allocatable),
                used: resource.of(used),
                freed: resource.of(&freed),
            })
            .collect()
    }
}
