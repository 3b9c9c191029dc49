//! The owners of a victim, and what they do after its eviction.

use super::plan::{Afterwards, OwnerName, PinnedBy};
use model::cluster::{Cluster, Node, NodeIx, Pod, PodIx, storage};

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
    volume_elsewhere(pod, others, cluster).map(PinnedBy::Volume)
}

/// The claim of a pod whose volume no node of the cluster can use.
pub(crate) fn lost_volume(pod: PodIx, cluster: &Cluster) -> Option<String> {
    volume_elsewhere(cluster.pod(pod), || cluster.nodes.iter(), cluster)
}

/// The claim of a pod whose volume none of `nodes` can use.
fn volume_elsewhere<'c, I: Iterator<Item = &'c Node>>(
    pod: &Pod,
    nodes: impl Fn() -> I,
    cluster: &Cluster,
) -> Option<String> {
    cluster.claims_of(pod).find_map(|used| {
        let volume = cluster.storage.volume(used.claim.filter(|_| !used.ephemeral)?.volume_name)?;
        let affinity = volume.affinity.as_ref();
        let is_usable = nodes()
            .any(|node| storage::selects(affinity, cluster.labels(node.labels), &cluster.symbols));
        (!is_usable).then(|| used.name.to_string())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{of, owners};
    use crate::plan::{Afterwards, PinnedBy};
    use testing::{Pod, claim, cluster, find, node, objects, owner, pod, volume};

    /// What happens after the eviction of a pod on `n1` of two nodes; one is in zone a, with a disk,
    /// one in zone b.
    fn afterwards(pod: Pod) -> Afterwards {
        let cluster = cluster(objects![
            node("n1").zone("a").label("disk", "ssd"),
            node("n2").zone("b"),
            claim("local", "").bound("pv-local"),
            volume("pv-local", "").on_nodes("disk", "ssd"),
            claim("remote", "").bound("pv-remote"),
            volume("pv-remote", ""),
            claim("lost", "").bound("pv-gone"),
            pod.on("n1"),
        ]);
        of(find(&cluster, "v"), cluster.find_node("n1").expect("a node"), &cluster)
    }

    #[test]
    fn evicted_pod_kind_decides_its_replacement() {
        let v = || pod("v");
        let replica = || v().replica_of("web");
        let volume_of = |name: &str| Afterwards::Pinned(PinnedBy::Volume(name.to_owned()));
        let ephemeral = json!({"name": "e", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}});
        for (pod, want) in [
            (v(), Afterwards::Gone),
            (v().of("v1", "Node", "n1"), Afterwards::Static),
            (v().of("apps/v1", "DaemonSet", "d"), Afterwards::Pinned(PinnedBy::DaemonSet)),
            (replica(), Afterwards::Replaced),
            (v().of("apps/v1", "StatefulSet", "s"), Afterwards::Replaced),
            (v().of("v1", "ReplicationController", "r"), Afterwards::Replaced),
            (v().of("batch/v1", "Job", "j"), Afterwards::Retried),
            (
                v().of("batch/v1", "Job", "j").selects_nodes("zone", "a"),
                Afterwards::Pinned(PinnedBy::NodeSelector),
            ),
            (v().of("batch.volcano.sh/v1alpha1", "Job", "j"), Afterwards::Unknown),
            (v().of("apps.kruise.io/v1", "StatefulSet", "s"), Afterwards::Unknown),
            (v().of("argoproj.io/v1alpha1", "Workflow", "w"), Afterwards::Unknown),
            (v().of("", "ReplicaSet", "hand-written"), Afterwards::Replaced),
            (replica().selects_nodes("zone", "a"), Afterwards::Pinned(PinnedBy::NodeSelector)),
            (
                replica().selects_nodes("zone", "nowhere"),
                Afterwards::Pinned(PinnedBy::NodeSelector),
            ),
            (replica().claim("local"), volume_of("local")),
            (replica().claim("remote"), Afterwards::Replaced),
            (
                replica()
                    .claim("remote")
                    .volume(json!({"persistentVolumeClaim": {"claimName": "local"}})),
                volume_of("local"),
            ),
            (replica().claim("lost"), Afterwards::Replaced),
            (replica().claim("absent"), Afterwards::Replaced),
            (replica().volume(ephemeral), Afterwards::Replaced),
            (
                replica().selects_nodes("zone", "a").claim("local"),
                Afterwards::Pinned(PinnedBy::NodeSelector),
            ),
            (
                v().of("apps/v1", "DaemonSet", "d").claim("local"),
                Afterwards::Pinned(PinnedBy::DaemonSet),
            ),
            (v().claim("local"), Afterwards::Gone),
        ] {
            let text = format!("{pod:?}");
            assert_eq!(afterwards(pod), want, "{text}");
        }
    }

    #[test]
    fn an_affinity_to_the_node_by_name_ties_to_it() {
        let by_name =
            json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]});
        let v = pod("v").replica_of("web").node_term(by_name);
        assert_eq!(afterwards(v), Afterwards::Pinned(PinnedBy::NodeSelector));
    }

    #[test]
    fn pod_on_the_only_node_is_not_pinned() {
        let cluster = cluster(objects![
            node("n1").zone("a"),
            pod("v").replica_of("web").selects_nodes("zone", "a").on("n1")
        ]);
        let node = cluster.find_node("n1").expect("a node");
        assert_eq!(of(find(&cluster, "v"), node, &cluster), Afterwards::Replaced);
    }

    #[test]
    fn a_volume_of_another_claim_of_the_same_name_does_not_count() {
        let cluster = cluster(objects![
            node("n1").label("disk", "ssd"),
            node("n2"),
            claim("local", "").ns("other").bound("pv"),
            volume("pv", "").on_nodes("disk", "ssd"),
            pod("v").replica_of("web").claim("local").on("n1"),
        ]);
        let node = cluster.find_node("n1").expect("a node");
        assert_eq!(of(find(&cluster, "v"), node, &cluster), Afterwards::Replaced);
    }

    #[test]
    fn chains_of_owners() {
        let chain = |objects: Vec<serde_json::Value>| {
            let cluster = cluster(objects);
            let owners = owners(cluster.pod(find(&cluster, "v")), &cluster);
            owners.iter().map(|o| format!("{}/{}", o.kind, o.name)).collect::<Vec<_>>().join(" ")
        };
        let v = || pod("v").replica_of("web-5d");
        assert_eq!(chain(objects![pod("v")]), "");
        assert_eq!(chain(objects![v()]), "ReplicaSet/web-5d");
        let set = |controller| owner("ReplicaSet", "web-5d", controller);
        assert_eq!(chain(objects![v(), set(None)]), "ReplicaSet/web-5d");
        assert_eq!(
            chain(objects![v(), set(Some(("Deployment", "web")))]),
            "ReplicaSet/web-5d Deployment/web"
        );
        let elsewhere = set(Some(("Deployment", "web"))).with("/metadata/namespace", "other");
        assert_eq!(
            chain(objects![v(), elsewhere]),
            "ReplicaSet/web-5d",
            "another one of that name"
        );
        let own = set(Some(("ReplicaSet", "web-5d")));
        assert_eq!(
            chain(objects![v(), own]).split(' ').count(),
            8,
            "an owner of itself ends somewhere"
        );
    }

    #[test]
    fn every_fate_has_a_text() {
        let pinned =
            [PinnedBy::DaemonSet, PinnedBy::NodeSelector, PinnedBy::Volume("data".to_owned())];
        let others = [
            Afterwards::Gone,
            Afterwards::Static,
            Afterwards::Replaced,
            Afterwards::Retried,
            Afterwards::Unknown,
        ];
        let texts: Vec<String> =
            pinned.map(Afterwards::Pinned).iter().chain(&others).map(Afterwards::text).collect();
        let different: std::collections::BTreeSet<&String> = texts.iter().collect();
        assert_eq!(different.len(), 8);
        assert!(texts[2].contains("claim data"));
    }
}
