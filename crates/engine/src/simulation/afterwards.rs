//! What a victim's owners are, and what they do once it is gone.

use super::plan::{Afterwards, OwnerName, PinnedBy};
use crate::cluster::Cluster;
use crate::cluster::node::NodeIx;
use crate::cluster::pod::{OwnerRef, Pod, PodIx};
use crate::cluster::storage;

/// Longest chain of owners that is followed.
const GENERATIONS: usize = 8;

/// Controllers of a pod, nearest first, as far as they are known.
#[must_use]
pub fn owners(pod: &Pod, cluster: &Cluster) -> Vec<OwnerName> {
    let mut chain = Vec::new();
    let mut next: Option<OwnerRef> = pod.controller;
    while let Some(owner) = next.filter(|_| chain.len() < GENERATIONS) {
        chain.push(OwnerName { kind: cluster.text(owner.kind).to_owned(), name: cluster.text(owner.name).to_owned() });
        let known = cluster
            .owners
            .iter()
            .find(|o| o.kind == owner.kind && o.name == owner.name && o.namespace == pod.namespace);
        next = known.and_then(|o| o.controller);
    }
    chain
}

/// What becomes of the work of a pod on `node` when it is deleted.
#[must_use]
pub fn of(pod: PodIx, node: NodeIx, cluster: &Cluster) -> Afterwards {
    let Some(owner) = cluster.pod(pod).controller else { return Afterwards::Gone };
    let group = cluster.text(owner.api_version).rsplit_once('/').map_or("", |(group, _)| group);
    if !["", "apps", "batch", "extensions"].contains(&group) {
        // Others name their kinds like these, and go about it their own way.
        return Afterwards::Unknown;
    }
    match cluster.text(owner.kind) {
        "Node" => Afterwards::Static,
        "DaemonSet" => Afterwards::Pinned(PinnedBy::DaemonSet),
        "ReplicaSet" | "StatefulSet" | "ReplicationController" => {
            pinned(pod, node, cluster).map_or(Afterwards::Replaced, Afterwards::Pinned)
        }
        "Job" => pinned(pod, node, cluster).map_or(Afterwards::Retried, Afterwards::Pinned),
        _ => Afterwards::Unknown,
    }
}

/// Whether the owner has made another already, once a pod is being deleted.
#[must_use]
pub fn is_replaced_early(owners: &[OwnerName]) -> bool {
    owners.first().is_some_and(|owner| ["ReplicaSet", "ReplicationController", "Job"].contains(&owner.kind.as_str()))
}

/// What ties every pod of this template to `node`, in a cluster that has other nodes.
fn pinned(pod: PodIx, node: NodeIx, cluster: &Cluster) -> Option<PinnedBy> {
    let pod = cluster.pod(pod);
    let template = cluster.template(pod);
    let others = || cluster.node_indices().filter(move |other| *other != node).map(|other| cluster.node(other));
    if cluster.nodes.len() < 2 {
        return None;
    }
    if !others().any(|other| template.selects(cluster.node_facts(other), &cluster.symbols)) {
        return Some(PinnedBy::NodeSelector);
    }
    cluster.claims_of(pod).find_map(|used| {
        let volume = cluster.storage.volume(used.claim.filter(|_| !used.ephemeral)?.volume_name)?;
        let reaches = |labels| storage::selects(volume.affinity.as_ref(), labels, &cluster.symbols);
        let elsewhere = others().any(|other| reaches(cluster.labels(other.labels)));
        (!elsewhere).then(|| PinnedBy::Volume(used.name.to_string()))
    })
}

#[cfg(test)]
mod tests;
