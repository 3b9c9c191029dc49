//! What `ResourceQuotas` leave while a change is played: a pod of a rollout is made only if they have
//! room for it, which old pods give back when they leave.
//!
//! Upstream: `CheckRequest` of apiserver's `pkg/admission/plugin/resourcequota/controller.go` (1.37).
//! Scopes and limits are left out: a pod of the cluster no longer has the fields that they are about.

use model::cluster::resources::{ResourceKind, Resources};
use model::cluster::{Cluster, Quantity, Sym};

/// What a quota counts of a pod.
#[derive(Debug, Clone, Copy)]
enum CountedAmount {
    Pods,
    MilliCpu,
    Memory,
    EphemeralStorage,
    Scalar(Sym),
}

impl CountedAmount {
    /// That of a resource of a quota: `pods`, `cpu` or `requests.cpu`.
    fn of(resource: &str, cluster: &Cluster) -> Option<Self> {
        match resource.strip_prefix("requests.").unwrap_or(resource) {
            "pods" | "count/pods" => Some(Self::Pods),
            "cpu" => Some(Self::MilliCpu),
            "memory" => Some(Self::Memory),
            "ephemeral-storage" => Some(Self::EphemeralStorage),
            name if resource.starts_with("requests.") => {
                cluster.symbols.get(name).map(Self::Scalar)
            }
            _ => None,
        }
    }

    fn read(self, text: &str) -> Option<i64> {
        let quantity = Quantity::parse(text).ok()?;
        let kind =
            if matches!(self, Self::MilliCpu) { ResourceKind::Cpu } else { ResourceKind::Memory };
        Some(kind.count(quantity))
    }

    fn amount(self, requests: &Resources) -> i64 {
        match self {
            Self::Pods => 1,
            Self::MilliCpu => requests.milli_cpu,
            Self::Memory => requests.memory,
            Self::EphemeralStorage => requests.ephemeral_storage,
            Self::Scalar(name) => requests.scalar(name).unwrap_or_default(),
        }
    }
}

/// The limit of one resource in a quota, and how much of it is used.
#[derive(Debug, Clone)]
struct QuotaLimit {
    namespace: Sym,
    quota: Sym,
    resource: Sym,
    counts: CountedAmount,
    most: i64,
    used: i64,
    /// The limit as it is written.
    text: Sym,
}

/// The limits of all quotas.
#[derive(Debug, Clone, Default)]
pub(super) struct QuotaLimits(Vec<QuotaLimit>);

impl QuotaLimits {
    /// The limits that a change has to keep, with what their controller has counted.
    pub(super) fn of(cluster: &Cluster) -> Self {
        let mut limits = Vec::new();
        let quotas = cluster.quotas.iter();
        for quota in quotas.filter(|quota| quota.scopes.is_empty() && quota.is_counted) {
            for (resource, most) in &quota.hard {
                let Some(counts) = CountedAmount::of(cluster.text(*resource), cluster) else {
                    continue;
                };
                let used = quota.used.iter().find(|(name, _)| name == resource);
                let used = used.map_or("0", |(_, amount)| cluster.text(*amount));
                let read = (counts.read(cluster.text(*most)), counts.read(used));
                if let (Some(limit), Some(used)) = read {
                    limits.push(QuotaLimit {
                        namespace: quota.namespace,
                        quota: quota.name,
                        resource: *resource,
                        counts,
                        most: limit,
                        used,
                        text: *most,
                    });
                }
            }
        }
        Self(limits)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts a pod of the namespace that is made.
    ///
    /// # Errors
    /// Which quota has no room for it; then it is not counted.
    pub(super) fn admit(
        &mut self,
        namespace: Sym,
        requests: &Resources,
        cluster: &Cluster,
    ) -> Result<(), String> {
        let own = self.0.iter().filter(|limit| limit.namespace == namespace);
        for limit in own {
            let more = limit.counts.amount(requests);
            if more > 0 && limit.used.saturating_add(more) > limit.most {
                let [quota, resource, most] =
                    [limit.quota, limit.resource, limit.text].map(|text| cluster.text(text));
                return Err(format!(
                    "ResourceQuota {quota} limits {resource} to {most}, and too little of it is left meanwhile"
                ));
            }
        }
        self.count(namespace, requests, 1);
        Ok(())
    }

    /// Adds a pod of the namespace, or takes it away if `times` is -1.
    pub(super) fn count(&mut self, namespace: Sym, requests: &Resources, times: i64) {
        for limit in self.0.iter_mut().filter(|limit| limit.namespace == namespace) {
            limit.used = limit.used.saturating_add(limit.counts.amount(requests) * times);
        }
    }
}
