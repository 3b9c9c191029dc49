//! The node that the pod is nominated to: what it waits for there, and which pods took its room.

use super::{Decision, Outcome, nominated_first};
use crate::framework::status::{Evidence, Rejection, ResourceId};
use crate::preemption::dry_run::Candidate;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use model::cluster::resources::ResourceKind;

impl Decision<'_> {
    /// The nominated node, if it exists.
    pub fn nominated(&self) -> Option<NodeIx> {
        let cluster = self.view.cluster;
        nominated_first::nominated(cluster.pod(self.pod), cluster)
    }

    /// What the pod requests, as `RESOURCE=AMOUNT`: what a nomination of it reserves.
    #[must_use]
    pub fn requested(&self) -> Vec<String> {
        let cluster = self.view.cluster;
        let wanted = self.view.incoming(cluster.pod(self.pod));
        let mut all = vec![(ResourceId::Cpu, wanted.milli_cpu), (ResourceId::Memory, wanted.memory)];
        all.push((ResourceId::EphemeralStorage, wanted.ephemeral_storage));
        all.extend(wanted.scalars.iter().map(|(name, amount)| (ResourceId::Scalar(*name), *amount)));
        all.retain(|(_, amount)| *amount != 0);
        let text = |(id, amount): &(ResourceId, i64)| format!("{}={}", id.name(cluster), id.amount(*amount, cluster));
        all.iter().map(text).collect()
    }

    /// Pods on a node that have what the pod lacks there and that it cannot preempt: those that started last, as many as would do.
    #[must_use]
    pub fn takers_of(&self, node: NodeIx, rejection: &Rejection) -> Vec<PodIx> {
        let cluster = self.view.cluster;
        let priority = cluster.pod(self.pod).priority;
        let stays = |pod: &PodIx| {
            let pod = cluster.pod(*pod);
            pod.is_active() && !pod.is_terminating() && pod.priority >= priority
        };
        let mut there: Vec<PodIx> = cluster.pods_on(node).iter().copied().filter(stays).collect();
        there.sort_by_key(|pod| std::cmp::Reverse(cluster.pod(*pod).start_time.or(cluster.pod(*pod).created)));
        let mut takers: Vec<PodIx> = Vec::new();
        for reason in &rejection.reasons {
            let Evidence::Resource { resource, requested, used, allocatable, .. } = &reason.evidence else { continue };
            let mut missing = requested.saturating_sub(allocatable.saturating_sub(*used));
            // A pod that an empty node has no room for lost it to nobody.
            if requested > allocatable {
                continue;
            }
            let name = resource.name(cluster);
            let (kind, Some(symbol)) = (ResourceKind::of(name), cluster.symbols.get(name)) else { continue };
            for pod in &there {
                let has = match resource {
                    ResourceId::Pods => 1,
                    _ => self.view.footprint(cluster.pod(*pod)).amount(kind, symbol),
                };
                if missing > 0 && has > 0 {
                    missing -= has;
                    if !takers.contains(pod) {
                        takers.push(*pod);
                    }
                }
            }
        }
        takers
    }

    /// What the pod waits for that has preempted already: its nominated node, with the pods that are leaving it and without which it
    /// fits there. `None` if it fits somewhere now, or not there even then.
    #[must_use]
    pub fn awaited(&self) -> Option<&Candidate> {
        if let Outcome::Unschedulable { preemption } = &self.outcome {
            preemption.as_ref()?.awaited.as_ref()
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests;
