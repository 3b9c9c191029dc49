//! Node labels that programs set: kubelets, cloud providers, autoscalers, device plugins. They
//! state facts about the node, which writing another value would falsify.

/// Domains of such labels, with their subdomains.
///
/// Upstream: `staging/src/k8s.io/api/core/v1/well_known_labels.go` (1.37); the documents of the
/// clouds, of cluster-autoscaler, Karpenter and of the device plugins for theirs.
const DOMAINS: [&str; 19] = [
    "kubernetes.io",
    "k8s.io",
    "x-k8s.io",
    "karpenter.sh",
    "amazonaws.com",
    "k8s.aws",
    "google.com",
    "azure.com",
    "azure.microsoft.com",
    "digitalocean.com",
    "oracle.com",
    "ibm.com",
    "openshift.io",
    "rancher.io",
    "cattle.io",
    "k3s.io",
    "nvidia.com",
    "amd.com",
    "intel.com",
];

/// Names without a domain.
const NAMES: [&str; 1] = ["agentpool"];

/// The labels that name the pool or group of a node, as autoscalers and cloud providers set them.
pub const POOLS: [&str; 9] = [
    super::autoscaling::karpenter::POOL_LABEL,
    "eks.amazonaws.com/nodegroup",
    "alpha.eksctl.io/nodegroup-name",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "doks.digitalocean.com/node-pool",
    "kops.k8s.io/instancegroup",
    "node.cluster.x-k8s.io/machinedeployment",
];

/// The labels that name the type of a node's machine.
pub const MACHINES: [&str; 2] =
    ["node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"];

/// Whether labels with this key are set by programs, as far as is known.
pub fn is_set_by_program(key: &str) -> bool {
    let Some((domain, _)) = key.split_once('/') else { return NAMES.contains(&key) };
    DOMAINS.iter().any(|of_program| {
        domain.strip_suffix(*of_program).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::is_set_by_program;

    #[test]
    fn system_labels_are_distinguished_from_user_labels() {
        for (key, want) in [
            ("kubernetes.io/arch", true),
            ("topology.kubernetes.io/zone", true),
            ("eks.amazonaws.com/nodegroup", true),
            ("karpenter.sh/nodepool", true),
            ("nvidia.com/gpu.product", true),
            ("agentpool", true),
            ("disktype", false),
            ("example.com/team", false),
            ("notkubernetes.io/x", false),
        ] {
            assert_eq!(is_set_by_program(key), want, "{key}");
        }
    }
}
