//! Taints that programs set, such as the control plane, cloud providers and autoscalers: what each
//! says about its node.
//!
//! They must be distinguished from taints by which people reserve nodes for some pods: a toleration
//! is an answer only to the latter.

use super::Cluster;
use super::node::{Node, Taint};

/// The key of the taint that the control plane sets while a kubelet does not report.
pub const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
/// The keys of the taints that the control plane sets while a node is not Ready.
pub const NOT_READY: [&str; 2] = ["node.kubernetes.io/not-ready", UNREACHABLE];

/// What a program-set taint says about its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaintRole {
    /// The node is still starting: the taint is removed once a program has set up the node.
    Starting,
    /// The node is unhealthy or was shut down: the taint is removed once it is healthy.
    Ill,
    /// The node is cordoned.
    Cordoned,
    /// The node is about to be removed.
    Leaving,
    /// The node belongs to the control plane.
    ControlPlane,
}

/// A taint that a program sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SystemTaint {
    /// Its meaning for the node.
    pub role: TaintRole,
    /// Who sets and removes it, or what it says about the node, as a clause.
    pub why: &'static str,
}

/// How the keys of a row are matched.
#[derive(Debug, Clone, Copy)]
enum Keys {
    One(&'static str),
    Prefix(&'static str),
    Suffix(&'static str),
}

impl Keys {
    fn have(self, key: &str) -> bool {
        match self {
            Self::One(one) => key == one,
            Self::Prefix(prefix) => key.starts_with(prefix),
            Self::Suffix(suffix) => key.ends_with(suffix),
        }
    }
}

/// Who sets and removes a start-up taint that anyone may define.
const BY_WHAT_STARTS: &str =
    "a start-up taint: set when the node joins, removed by what has to start there";

/// The first row that matches a taint's key is used.
///
/// Upstream: `staging/src/k8s.io/api/core/v1/well_known_taints.go`,
/// `k8s.io/cloud-provider/api/well_known_taints.go` (1.37); the documents of cluster-autoscaler,
/// Karpenter, Cilium, Cluster API and the CSI drivers of AWS for theirs.
const TABLE: [(Keys, TaintRole, &str); 28] = {
    use Keys::{One, Prefix, Suffix};
    use TaintRole::{ControlPlane, Cordoned, Ill, Leaving, Starting};
    [
        (One("node.kubernetes.io/unschedulable"), Cordoned, "the node is cordoned"),
        (
            One("node.cloudprovider.kubernetes.io/uninitialized"),
            Starting,
            "the kubelet sets it with --cloud-provider=external, the cloud controller manager removes it",
        ),
        (
            One("node.kubernetes.io/network-unavailable"),
            Starting,
            "set by the cloud provider or the network add-on, which removes it once the node's network is set up",
        ),
        (
            One("node.cluster.x-k8s.io/uninitialized"),
            Starting,
            "set when the node joins, removed by Cluster API",
        ),
        (
            One("karpenter.sh/unregistered"),
            Starting,
            "Karpenter sets it and removes it once the node is registered",
        ),
        (
            One("node.cilium.io/agent-not-ready"),
            Starting,
            "set when the node joins, removed by Cilium once its agent runs there",
        ),
        (
            Suffix("/agent-not-ready"),
            Starting,
            "set when the node joins, removed by an agent once it runs there",
        ),
        (Prefix("startup-taint.cluster-autoscaler.kubernetes.io/"), Starting, BY_WHAT_STARTS),
        (Prefix("ignore-taint.cluster-autoscaler.kubernetes.io/"), Starting, BY_WHAT_STARTS),
        (Prefix("readiness.k8s.io/"), Starting, BY_WHAT_STARTS),
        (
            One("node.kubernetes.io/not-ready"),
            Ill,
            "the control plane sets it while the kubelet is not ready",
        ),
        (One(UNREACHABLE), Ill, "the control plane sets it while the kubelet does not report"),
        (
            One("node.kubernetes.io/memory-pressure"),
            Ill,
            "its kubelet reports that memory runs out",
        ),
        (One("node.kubernetes.io/disk-pressure"), Ill, "its kubelet reports that the disk is full"),
        (
            One("node.kubernetes.io/pid-pressure"),
            Ill,
            "its kubelet reports that process IDs run out",
        ),
        (One("node.kubernetes.io/out-of-disk"), Ill, "its kubelet reports that the disk is full"),
        (One("node.kubernetes.io/out-of-service"), Ill, "it was declared out of service"),
        (One("node.cloudprovider.kubernetes.io/shutdown"), Ill, "its machine is shut down"),
        (Prefix("node.kubernetes.io/"), Ill, "set by the control plane"),
        (Prefix("node.cloudprovider.kubernetes.io/"), Ill, "set by the cloud controller"),
        (One("ToBeDeletedByClusterAutoscaler"), Leaving, "cluster-autoscaler removes the node"),
        (
            One("DeletionCandidateOfClusterAutoscaler"),
            Leaving,
            "cluster-autoscaler may remove the node",
        ),
        (Prefix("karpenter.sh/disrupt"), Leaving, "Karpenter removes the node"),
        (Prefix("aws-node-termination-handler/"), Leaving, "the node's machine is taken away"),
        (
            One("cloud.google.com/impending-node-termination"),
            Leaving,
            "the node's machine is taken away",
        ),
        (One("node-role.kubernetes.io/control-plane"), ControlPlane, "a control-plane node"),
        (One("node-role.kubernetes.io/master"), ControlPlane, "a control-plane node"),
        (One("node-role.kubernetes.io/etcd"), ControlPlane, "a node of etcd"),
    ]
};

impl SystemTaint {
    /// What a taint with this key says about its node; `None` for one that people set.
    pub fn of(key: &str) -> Option<Self> {
        // Installers of some distributions write the role as one word.
        let key = if key == "node-role.kubernetes.io/controlplane" {
            "node-role.kubernetes.io/control-plane"
        } else {
            key
        };
        TABLE
            .iter()
            .find(|(keys, ..)| keys.have(key))
            .map(|(_, role, why)| Self { role: *role, why })
    }
}

impl Taint {
    /// What the taint says about its node, if a program sets it.
    pub fn system(&self, cluster: &Cluster) -> Option<SystemTaint> {
        SystemTaint::of(cluster.text(self.key))
    }

    /// Whether it describes the node's current state, so that a new node of the same kind would not
    /// have it.
    pub fn is_of_state(&self, cluster: &Cluster) -> bool {
        self.system(cluster).is_some_and(|system| system.role != TaintRole::ControlPlane)
    }
}

/// Whether a taint with this key marks nodes of the control plane.
fn is_of_control_plane(key: &str) -> bool {
    SystemTaint::of(key).is_some_and(|system| system.role == TaintRole::ControlPlane)
}

/// The role that a label gives a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeRole {
    ControlPlane,
    Worker,
}

/// The role that a label gives its node, in the forms of kubeadm, kubeasz, kops, RKE and `MicroK8s`.
pub fn role_by_label(key: &str, value: &str) -> Option<NodeRole> {
    const ROLE_IS_VALUE: [&str; 4] =
        ["kubernetes.io/role", "node.kubernetes.io/role", "kubernetes.io/node-role", "node-role"];
    const OF_CONTROL_PLANE: [&str; 3] = [
        "node.kubernetes.io/microk8s-controlplane",
        "rke.cattle.io/control-plane-role",
        "rke.cattle.io/etcd-role",
    ];
    let role = match key.strip_prefix("node-role.kubernetes.io/") {
        Some(role) => role,
        None if ROLE_IS_VALUE.contains(&key) => value,
        None if OF_CONTROL_PLANE.contains(&key) => "control-plane",
        None if key == "rke.cattle.io/worker-role" => "worker",
        None => return None,
    };
    match role {
        _ if value == "false" => None,
        "control-plane" | "controlplane" | "master" | "etcd" => Some(NodeRole::ControlPlane),
        "worker" | "node" | "compute" => Some(NodeRole::Worker),
        _ => None,
    }
}

impl Cluster {
    /// Whether the nodes of the control plane are kept free of application pods by cordons or taints
    /// alone: there are other nodes, and no node of the control plane is open.
    pub fn keeps_control_plane_free(&self) -> bool {
        let mut has_workers = false;
        for node in &self.nodes {
            let is_open = !node.unschedulable && !node.taints.iter().any(Taint::repels);
            match node.is_control_plane(self) {
                true if is_open => return false,
                true => {}
                false => has_workers = true,
            }
        }
        has_workers
    }
}

impl Node {
    /// Whether the node belongs to the control plane, by a taint or by its labels. A label that it
    /// is a worker, too, outweighs the others: installers give small clusters both.
    pub fn is_control_plane(&self, cluster: &Cluster) -> bool {
        if self.taints.iter().any(|taint| is_of_control_plane(cluster.text(taint.key))) {
            return true;
        }
        let mut by_label = false;
        for (key, value) in cluster.labels(self.labels) {
            match role_by_label(cluster.text(*key), cluster.text(*value)) {
                Some(NodeRole::Worker) => return false,
                Some(NodeRole::ControlPlane) => by_label = true,
                None => {}
            }
        }
        by_label
    }

    /// Whether the node's kubelet has stopped reporting, judging by its taints.
    pub fn is_silent(&self, cluster: &Cluster) -> bool {
        const SILENT: [&str; 3] = [
            UNREACHABLE,
            "node.kubernetes.io/out-of-service",
            "node.cloudprovider.kubernetes.io/shutdown",
        ];
        self.taints.iter().any(|taint| SILENT.contains(&cluster.text(taint.key)))
    }
}

#[cfg(test)]
mod tests {
    use super::{NodeRole, SystemTaint, TaintRole, role_by_label};

    #[test]
    fn role_label_says_whether_node_is_of_the_control_plane() {
        const YES: Option<NodeRole> = Some(NodeRole::ControlPlane);
        const NO: Option<NodeRole> = Some(NodeRole::Worker);
        for (key, value, role) in [
            ("node-role.kubernetes.io/control-plane", "", YES),
            ("node-role.kubernetes.io/master", "true", YES),
            ("node-role.kubernetes.io/controlplane", "true", YES),
            ("kubernetes.io/role", "master", YES),
            ("node.kubernetes.io/microk8s-controlplane", "microk8s-controlplane", YES),
            ("rke.cattle.io/etcd-role", "true", YES),
            ("node-role.kubernetes.io/control-plane", "false", None),
            ("node-role.kubernetes.io/worker", "", NO),
            ("kubernetes.io/role", "node", NO),
            ("node-role.kubernetes.io/infra", "", None),
            ("role", "master", None),
            ("kubernetes.io/hostname", "master", None),
        ] {
            assert_eq!(role_by_label(key, value), role, "{key}={value}");
        }
    }

    #[test]
    fn taint_key_identifies_the_kind_of_node() {
        for (key, role) in [
            ("node.kubernetes.io/unschedulable", Some(TaintRole::Cordoned)),
            ("node.cloudprovider.kubernetes.io/uninitialized", Some(TaintRole::Starting)),
            ("ebs.csi.aws.com/agent-not-ready", Some(TaintRole::Starting)),
            ("node.kubernetes.io/not-ready", Some(TaintRole::Ill)),
            ("node.kubernetes.io/not-known-yet", Some(TaintRole::Ill)),
            ("karpenter.sh/disrupted", Some(TaintRole::Leaving)),
            ("node-role.kubernetes.io/controlplane", Some(TaintRole::ControlPlane)),
            ("node-role.kubernetes.io/worker", None),
            ("nvidia.com/gpu", None),
            ("team", None),
        ] {
            assert_eq!(SystemTaint::of(key).map(|found| found.role), role, "{key}");
        }
    }
}
