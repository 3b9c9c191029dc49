//! Which pods are add-ons, that is, monitor a cluster or keep it running. They are recognized by
//! their namespace, or by the labels in their manifests.

use model::cluster::{Cluster, Pod};

/// The namespace of the system.
const SYSTEM: &str = "kube-system";

/// Labels that name the application of a pod.
const LABELS: [&str; 3] = ["app.kubernetes.io/name", "k8s-app", "app"];

/// Values of these labels.
const NAMES: [&str; 34] = [
    "alertmanager",
    "aws-ebs-csi-driver",
    "aws-load-balancer-controller",
    "calico-node",
    "cert-manager",
    "cilium",
    "cluster-autoscaler",
    "coredns",
    "datadog",
    "ebs-csi-node",
    "external-dns",
    "falco",
    "flannel",
    "fluent-bit",
    "fluentd",
    "gatekeeper",
    "grafana",
    "ingress-nginx",
    "karpenter",
    "kube-dns",
    "kube-proxy",
    "kube-state-metrics",
    "kyverno",
    "loki",
    "metallb",
    "metrics-server",
    "node-exporter",
    "node-local-dns",
    "opentelemetry-collector",
    "prometheus",
    "prometheus-node-exporter",
    "prometheus-operator",
    "promtail",
    "vector",
];

pub(super) fn is_add_on(pod: &Pod, cluster: &Cluster) -> bool {
    cluster.text(pod.namespace) == SYSTEM
        || cluster.labels(pod.labels).iter().any(|(key, value)| {
            LABELS.contains(&cluster.text(*key))
                && NAMES.binary_search(&cluster.text(*value)).is_ok()
        })
}

#[cfg(test)]
mod tests {
    use super::NAMES;

    #[test]
    fn the_names_are_sorted() {
        assert!(NAMES.is_sorted());
    }
}
