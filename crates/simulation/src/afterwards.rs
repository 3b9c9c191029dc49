//! The owners of a victim, and what they do after its eviction.

use super::plan::{Afterwards, OwnerName, PinnedBy};
use model::cluster::{Cluster, NodeIx, Pod, PodIx, storage};

/// The controllers of a pod, nearest first, as far as they are in the cluster.
pub fn owners(pod: &Pod, cluster: &Cluster) -> Vec<OwnerName> {
    cluster
        .controllers(pod)
        .into_iter()
        .map(|owner| OwnerName {
            kind: cluster.text(owner.kind).to_owned(),
            name: cluster.text(owner.name).to_owned(),
        })
        .collect()
}

/// What the owner of a pod on `node` does after the pod is deleted.
pub fn of(pod: PodIx, node: NodeIx, cluster: &Cluster) -> Afterwards {
    if cluster.pod(pod).mirror {
        return Afterwards::Static;
    }
    let Some(owner) = cluster.pod(pod).controller else { return Afterwards::Gone };
    let group = cluster.text(owner.api_version).rsplit_once('/').map_or("", |(group, _)| group);
    if !["", "apps", "batch", "extensions"].contains(&group) {
        // Other API groups have kinds of the same names that behave differently.
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

/// Whether the owner replaces a pod while it is still being deleted.
pub(crate) fn is_replaced_early(owners: &[OwnerName]) -> bool {
    owners.first().is_some_and(|owner| {
        ["ReplicaSet", "ReplicationController", "Job"].contains(&owner.kind.as_str())
    })
}

/// What restricts every pod of this template to `node`, in a cluster with other nodes.
fn pinned(pod: PodIx, node: NodeIx, cluster: &Cluster) -> Option<PinnedBy> {
    let pod = cluster.pod(pod);
    let template = cluster.template(pod);
    let others = || {
        cluster.node_indices().filter(move |other| *other != node).map(|other| cluster.node(other))
    };
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
