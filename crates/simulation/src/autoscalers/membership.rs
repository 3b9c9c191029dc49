//! To which group of cluster-autoscaler a node belongs: by the exact forms in which providers name
//! groups, and by the labels and annotations that they give to nodes. That one name is a part of
//! another says nothing: the nodes of `app` are not like those of `app-gpu`.
//!
//! Upstream: `cluster-autoscaler/cloudprovider/*` (1.36), and the documents of the clouds.

use model::cluster::{Cluster, Node, Sym};

/// Labels whose value is the group's whole name: of `DigitalOcean`, Linode, Scaleway, OVH, IBM, Civo,
/// Exoscale, Hetzner and Huawei.
const WHOLE_NAMES: [&str; 11] = [
    "doks.digitalocean.com/node-pool-id",
    "lke.linode.com/pool-id",
    "k8s.scaleway.com/pool",
    "k8s.scaleway.com/pool-name",
    "nodepool",
    "ibm-cloud.kubernetes.io/worker-pool-id",
    "ibm-cloud.kubernetes.io/worker-pool-name",
    "kubernetes.civo.com/civo-node-pool",
    "node.exoscale.net/nodepool-id",
    "hcloud/node-group",
    "cce.cloud.com/cce-nodepool",
];

/// The label with a node's zone.
const ZONE: &str = "topology.kubernetes.io/zone";

/// The letters of the ends of names that the control plane makes up.
///
/// Upstream: `staging/src/k8s.io/apimachinery/pkg/util/rand` (1.37).
const MADE_UP: &str = "bcdfghjklmnpqrstvwxz2456789";

/// What a node shows of its group.
struct Marks<'c> {
    name: &'c str,
    machine: &'c str,
    labels: &'c [(Sym, Sym)],
    cluster: &'c Cluster,
}

impl<'c> Marks<'c> {
    fn label(&self, key: &str) -> Option<&'c str> {
        let key = self.cluster.symbols.get(key)?;
        let (_, value) = self.labels.iter().find(|(label, _)| *label == key)?;
        Some(self.cluster.text(*value)).filter(|value| !value.is_empty())
    }
}

/// The index of the one group that a node belongs to; `None` if none or several may be it.
pub(super) fn group_of(node: &Node, names: &[&str], cluster: &Cluster) -> Option<usize> {
    let marks = Marks {
        name: cluster.text(node.name),
        machine: cluster.text(node.machine),
        labels: cluster.labels(node.labels),
        cluster,
    };
    let mut members = (0..names.len()).filter(|at| names.get(*at).is_some_and(|n| has(n, &marks)));
    let only = members.next()?;
    members.next().is_none().then_some(only)
}

/// Whether a group has a node.
fn has(group: &str, node: &Marks) -> bool {
    WHOLE_NAMES.iter().any(|key| node.label(key) == Some(group))
        || is_of_eks(group, node)
        || is_of_eksctl(group, node)
        || is_of_gke(group, node)
        || is_of_aks(group, node)
        || is_of_machines(group, node)
        || is_of_gardener(group, node)
        || is_of_kops(group, node)
}

/// `eks-NODEGROUP-UUID`.
fn is_of_eks(group: &str, node: &Marks) -> bool {
    let (Some(rest), Some(name)) =
        (group.strip_prefix("eks-"), node.label("eks.amazonaws.com/nodegroup"))
    else {
        return false;
    };
    rest.strip_prefix(name).and_then(|rest| rest.strip_prefix('-')).is_some_and(is_identifier)
}

/// Whether it is a UUID, which reports often shorten, and nothing more.
fn is_identifier(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [first, rest @ ..] = parts.as_slice() else { return false };
    (6..=8).contains(&first.len())
        && rest.len() <= 4
        && rest.iter().all(|part| [4, 12].contains(&part.len()))
        && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// `eksctl-CLUSTER-nodegroup-NAME-NodeGroup-ID`.
fn is_of_eksctl(group: &str, node: &Marks) -> bool {
    let (Some(name), Some(rest)) =
        (node.label("alpha.eksctl.io/nodegroup-name"), group.strip_prefix("eksctl-"))
    else {
        return false;
    };
    let Some((cluster, _)) = rest.split_once(&format!("-nodegroup-{name}-NodeGroup-")) else {
        return false;
    };
    node.label("alpha.eksctl.io/cluster-name").is_none_or(|label| label == cluster)
}

/// `…/zones/ZONE/instanceGroups/gke-CLUSTER-POOL-HASH-grp`, of which each node's name has the part
/// from `gke` to the hash.
fn is_of_gke(group: &str, node: &Marks) -> bool {
    let last = group.rsplit('/').next().unwrap_or_default();
    let Some(base) = last.strip_suffix("-grp") else { return false };
    if let (Some((_, zones)), Some(zone)) = (group.split_once("/zones/"), node.label(ZONE))
        && zones.split('/').next() != Some(zone)
    {
        return false;
    }
    if node.name.starts_with("gke-") || node.name.starts_with("gk3-") {
        return node.name.strip_prefix(base).is_some_and(|rest| rest.starts_with('-'));
    }
    // Where the node has another name, its pool tells it, unless the cluster's name might be longer.
    let cluster = gke_cluster(base, node);
    cluster.is_some_and(|cluster| !cluster.is_empty() && !cluster.contains('-'))
}

/// The cluster in `gke-CLUSTER-POOL-HASH`, by the label of the node's pool.
fn gke_cluster<'g>(base: &'g str, node: &Marks) -> Option<&'g str> {
    let (middle, hash) = base.strip_prefix("gke-")?.rsplit_once('-')?;
    let is_hash = hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let pool = node.label("cloud.google.com/gke-nodepool")?;
    middle.strip_suffix(pool)?.strip_suffix('-').filter(|_| is_hash)
}

/// `aks-POOL-NUMBER-vmss`, and `aksPOOL` with Windows.
fn is_of_aks(group: &str, node: &Marks) -> bool {
    let label = node.label("kubernetes.azure.com/agentpool").or_else(|| node.label("agentpool"));
    let Some(pool) = label else { return false };
    let last = group.rsplit('/').next().unwrap_or_default();
    let set = last.strip_prefix("aks-").and_then(|last| last.strip_suffix("-vmss"));
    let number = set.and_then(|set| set.strip_prefix(pool)?.strip_prefix('-'));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        || last.strip_prefix("aks") == Some(pool)
}

/// `KIND/NAMESPACE/NAME` of Cluster API and OpenShift, whose nodes name the object that made their
/// machine.
fn is_of_machines(group: &str, node: &Marks) -> bool {
    let mut parts = group.split('/');
    let (Some(kind), Some(namespace), Some(name), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    if kind == "MachineDeployment"
        && node.label("node.cluster.x-k8s.io/machinedeployment") == Some(name)
    {
        return true;
    }
    let mut parts = node.machine.split('/');
    let (Some(of_kind), Some(of_namespace), Some(of_name), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    if !of_namespace.is_empty() && of_namespace != namespace {
        return false;
    }
    match (kind, of_kind) {
        ("MachineDeployment", "MachineSet") | ("MachineSet", "Machine") => {
            let end = of_name.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
            end.is_some_and(is_made_up)
        }
        _ => kind == of_kind && name == of_name,
    }
}

/// Whether the end of a name is one that the control plane makes up: letters of its own, or a number.
fn is_made_up(end: &str) -> bool {
    end.len() >= 5
        && (end.chars().all(|c| MADE_UP.contains(c)) || end.bytes().all(|b| b.is_ascii_digit()))
}

/// `NAMESPACE.MACHINEDEPLOYMENT`, of which each machine's name has two made-up ends.
fn is_of_gardener(group: &str, node: &Marks) -> bool {
    let Some(machine) = node.label("node.gardener.cloud/machine-name") else { return false };
    let name = group.rsplit('.').next().unwrap_or(group);
    let ends = machine.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
    ends.and_then(|ends| ends.split_once('-'))
        .is_some_and(|(set, own)| !set.is_empty() && own.len() == 5 && !own.contains('-'))
}

/// `INSTANCEGROUP.CLUSTER`.
fn is_of_kops(group: &str, node: &Marks) -> bool {
    let name = node.label("kops.k8s.io/instancegroup");
    name.and_then(|name| group.strip_prefix(name)).is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::cluster::build::Builder;
    use model::decode::decode;
    use serde_json::{Value, json};

    fn member(names: &[&str], name: &str, labels: &Value, annotations: &Value) -> Option<usize> {
        let node = json!({"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": labels, "annotations": annotations}});
        let mut builder = Builder::new();
        decode(&node.to_string(), "test", &mut builder).expect("a node");
        let cluster = builder.finish();
        let node = cluster.nodes.iter().next().expect("a node");
        group_of(node, names, &cluster)
    }

    #[test]
    fn node_is_joined_by_the_exact_form_of_its_provider() {
        const UUID: &str = "0ac3f1d2-1111-2222-3333-444455556666";
        let eks = |name: &str| format!("eks-{name}-{UUID}");
        let gke = |zone: &str, name: &str| {
            format!("https://c/p/zones/{zone}/instanceGroups/gke-{name}-40ce0341-grp")
        };
        let (none, app) = (json!({}), json!({"eks.amazonaws.com/nodegroup": "app"}));
        let spot = json!({"eks.amazonaws.com/nodegroup": "app-spot"});
        let both = [eks("app-spot"), eks("app")];
        let both: Vec<&str> = both.iter().map(String::as_str).collect();
        assert_eq!(member(&both, "n", &app, &none), Some(1));
        assert_eq!(member(&both, "n", &spot, &none), Some(0));
        assert_eq!(member(&[&eks("app-spot")], "n", &app, &none), None);
        assert_eq!(member(&[&eks("app-a1b2c3d4")], "n", &app, &none), None);
        assert_eq!(member(&["my-app-asg"], "n", &app, &none), None);

        let pool = json!({"cloud.google.com/gke-nodepool": "app",
            "topology.kubernetes.io/zone": "eu-b"});
        let (b, c) = (gke("eu-b", "shop-app"), gke("eu-c", "shop-app"));
        assert_eq!(member(&[&c, &b], "gke-shop-app-40ce0341-x7k2", &pool, &none), Some(1));
        assert_eq!(member(&[&c, &b], "gke-shop-app-51df1452-x7k2", &pool, &none), None);
        assert_eq!(member(&[&gke("eu-b", "shop-web-app")], "n", &pool, &none), None);

        let aks = json!({"kubernetes.azure.com/agentpool": "app"});
        let names = ["aks-apps-1-vmss", "aks-app-17816125-vmss"];
        assert_eq!(member(&names, "n", &aks, &none), Some(1));
        assert_eq!(member(&["aksapp"], "n", &aks, &none), Some(0));

        let of = |kind: &str, name: &str| {
            json!({"cluster.x-k8s.io/owner-kind": kind, "cluster.x-k8s.io/owner-name": name,
                "cluster.x-k8s.io/cluster-namespace": "default"})
        };
        let groups = ["MachineDeployment/default/md", "MachineDeployment/default/md-gpu"];
        assert_eq!(member(&groups, "n", &none, &of("MachineSet", "md-x7k2p")), Some(0));
        assert_eq!(member(&groups, "n", &none, &of("MachineSet", "md-gpu-x7k2p")), Some(1));
        assert_eq!(member(&groups, "n", &none, &of("MachineSet", "md-gpu-spot-x7k2p")), None);
        let machine = json!({"machine.openshift.io/machine": "openshift-machine-api/c-w-a-x7k2p"});
        let group = "MachineSet/openshift-machine-api/c-w-a";
        assert_eq!(member(&[group], "n", &none, &machine), Some(0));

        let gardener = json!({"node.gardener.cloud/machine-name": "shoot--p--s-w-z1-5f7d9-abcde"});
        let group = "shoot--p--s.shoot--p--s-w-z1";
        assert_eq!(member(&[group], "n", &gardener, &none), Some(0));
        for key in WHOLE_NAMES {
            assert_eq!(member(&["x", "pool-1"], "n", &json!({key: "pool-1"}), &none), Some(1));
        }
    }
}
