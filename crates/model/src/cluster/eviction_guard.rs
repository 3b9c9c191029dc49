//! Annotations by which a pod asks a program not to evict it. Each program has its own;
//! kube-scheduler has none, so they do not protect a pod from preemption.

use super::Cluster;
use super::pod::Pod;
use crate::snapshot::meta::pods;

/// The program that honors an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EvictionGuard {
    /// `karpenter.sh/do-not-disrupt`, with `"true"` or for some time after the pod's start.
    Karpenter,
    /// `cluster-autoscaler.kubernetes.io/safe-to-evict: "false"`.
    ClusterAutoscaler,
    /// `descheduler.alpha.kubernetes.io/prefer-no-eviction`, with any value.
    Descheduler,
    /// `descheduler.alpha.kubernetes.io/evict: "false"`. The descheduler only checks whether the
    /// annotation exists, and then may evict the pod despite its own checks: this requests the
    /// opposite of what its value says.
    MistakenForDescheduler,
}

impl EvictionGuard {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::Karpenter, Self::ClusterAutoscaler, Self::Descheduler, Self::MistakenForDescheduler];

    /// The annotation, with its value where only that value requests protection.
    pub const fn annotation(self) -> &'static str {
        match self {
            Self::Karpenter => pods::DO_NOT_DISRUPT,
            Self::ClusterAutoscaler => "cluster-autoscaler.kubernetes.io/safe-to-evict=false",
            Self::Descheduler => pods::PREFER_NO_EVICTION,
            Self::MistakenForDescheduler => "descheduler.alpha.kubernetes.io/evict=false",
        }
    }

    /// Whether a pod carries the annotation.
    fn is_on(self, pod: &Pod, cluster: &Cluster) -> bool {
        match self {
            Self::Karpenter => cluster.annotation(pod, pods::DO_NOT_DISRUPT).is_some_and(|value| {
                value == "true" || go::parse_duration(value).is_some_and(|nanos| nanos > 0)
            }),
            Self::ClusterAutoscaler => {
                cluster.annotation(pod, pods::SAFE_TO_EVICT) == Some("false")
            }
            Self::Descheduler => cluster.annotation(pod, pods::PREFER_NO_EVICTION).is_some(),
            Self::MistakenForDescheduler => {
                cluster.annotation(pod, pods::DESCHEDULE) == Some("false")
            }
        }
    }
}

impl Cluster {
    /// The annotations by which a pod asks programs other than kube-scheduler not to evict it.
    #[must_use]
    pub fn eviction_guards(&self, pod: &Pod) -> Vec<EvictionGuard> {
        // Most pods have none of the annotations that are read.
        if pod.annotations.is_empty() {
            return Vec::new();
        }
        EvictionGuard::ALL.into_iter().filter(|guard| guard.is_on(pod, self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::EvictionGuard;
    use crate::decode::read_cluster;

    #[test]
    fn annotation_guards_pod_only_with_value_that_its_program_takes() {
        use EvictionGuard::{ClusterAutoscaler, Descheduler, Karpenter, MistakenForDescheduler};
        for (key, value, guard) in [
            ("karpenter.sh/do-not-disrupt", "true", Some(Karpenter)),
            ("karpenter.sh/do-not-disrupt", "2h", Some(Karpenter)),
            ("karpenter.sh/do-not-disrupt", "false", None),
            ("karpenter.sh/do-not-disrupt", "True", None),
            ("karpenter.sh/do-not-disrupt", "-1h", None),
            ("karpenter.sh/do-not-disrupt", "", None),
            ("cluster-autoscaler.kubernetes.io/safe-to-evict", "false", Some(ClusterAutoscaler)),
            ("cluster-autoscaler.kubernetes.io/safe-to-evict", "true", None),
            ("descheduler.alpha.kubernetes.io/prefer-no-eviction", "", Some(Descheduler)),
            ("descheduler.alpha.kubernetes.io/evict", "false", Some(MistakenForDescheduler)),
            ("descheduler.alpha.kubernetes.io/evict", "true", None),
            ("example.com/do-not-evict", "true", None),
        ] {
            let pod = json!({"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": "p", "annotations": {key: value}}});
            let cluster = read_cluster(&pod.to_string(), "a pod").expect("a pod");
            let found = cluster.eviction_guards(&cluster.pods[0]);
            assert_eq!(found, guard.into_iter().collect::<Vec<_>>(), "{key}: {value}");
        }
    }
}
