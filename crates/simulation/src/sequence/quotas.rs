//! What `ResourceQuotas` leave while a change is played: a pod of a rollout is made only if they have
//! room for it, which old pods give back when they leave.
//!
//! Upstream: `CheckRequest` of apiserver's `pkg/admission/plugin/resourcequota/controller.go` (1.37).
//! Which quotas count a pod, and its limits, follow from its template: a pod of the cluster no longer
//! has the fields. Of one whose template is not read, what the pod itself tells counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::rollout::{PodCharge, PodCharges};
use model::cluster::quota::ResourceQuota;
use model::cluster::resources::{ResourceKind, Resources};
use model::cluster::{Cluster, PodIx, Quantity, Sym};

/// What a quota counts of a pod.
#[derive(Debug, Clone, Copy)]
enum CountedAmount {
    Pods,
    MilliCpu,
    Memory,
    EphemeralStorage,
    Scalar(Sym),
    /// The limits of cpu, or of another resource.
    CpuLimit,
    Limit,
}

impl CountedAmount {
    /// That of a resource of a quota: `pods`, `cpu`, `requests.cpu` or `limits.cpu`.
    fn of(resource: &str, cluster: &Cluster) -> Option<Self> {
        match resource {
            "limits.cpu" => return Some(Self::CpuLimit),
            "limits.memory" | "limits.ephemeral-storage" => return Some(Self::Limit),
            _ => {}
        }
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
        Quantity::parse(text).ok().map(|quantity| self.count(quantity))
    }

    fn count(self, quantity: Quantity) -> i64 {
        let is_cpu = matches!(self, Self::MilliCpu | Self::CpuLimit);
        let kind = if is_cpu { ResourceKind::Cpu } else { ResourceKind::Memory };
        kind.count(quantity)
    }

    fn amount(self, requests: &Resources) -> i64 {
        match self {
            Self::Pods => 1,
            Self::MilliCpu => requests.milli_cpu,
            Self::Memory => requests.memory,
            Self::EphemeralStorage => requests.ephemeral_storage,
            Self::Scalar(name) => requests.scalar(name).unwrap_or_default(),
            Self::CpuLimit | Self::Limit => 0,
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
    /// Whether its controller has counted what is used.
    is_counted: bool,
    /// The limit as it is written.
    text: Sym,
}

impl QuotaLimit {
    /// That of a resource; `None` for one that no pod uses, and an amount that cannot be read.
    fn of(quota: &ResourceQuota, resource: Sym, most: Sym, cluster: &Cluster) -> Option<Self> {
        let counts = CountedAmount::of(cluster.text(resource), cluster)?;
        let used = quota.used.iter().find(|(name, _)| *name == resource);
        let used = used.map_or("0", |(_, amount)| cluster.text(*amount));
        Some(Self {
            namespace: quota.namespace,
            quota: quota.name,
            resource,
            counts,
            most: counts.read(cluster.text(most))?,
            used: counts.read(used)?,
            is_counted: quota.is_counted,
            text: most,
        })
    }

    /// How much of it a pod uses.
    fn used_by(
        &self,
        pod: PodIx,
        charge: &PodCharge,
        requests: &Resources,
        cluster: &Cluster,
    ) -> i64 {
        let is_of =
            cluster.pod(pod).namespace == self.namespace && charge.is_of(cluster.text(self.quota));
        if !is_of {
            return 0;
        }
        match self.counts {
            CountedAmount::CpuLimit | CountedAmount::Limit => {
                self.counts.count(charge.limit(cluster.text(self.resource)))
            }
            counts => counts.amount(requests),
        }
    }
}

/// The limits of all quotas, and what pods are charged of which the manifests tell it.
#[derive(Debug, Clone, Default)]
pub(super) struct QuotaLimits {
    limits: Vec<QuotaLimit>,
    charges: Arc<BTreeMap<PodIx, PodCharge>>,
}

impl QuotaLimits {
    /// The limits that a change has to keep, with what their controller has counted.
    pub(super) fn of(charges: &PodCharges, cluster: &Cluster) -> Self {
        let mut limits = Vec::new();
        for quota in &cluster.quotas {
            let hard = quota.hard.iter();
            limits.extend(
                hard.filter_map(|(resource, most)| {
                    QuotaLimit::of(quota, *resource, *most, cluster)
                }),
            );
        }
        let charges = charges.iter().filter_map(|((namespace, name), charge)| {
            Some((cluster.find_pod(namespace, name)?, charge.clone()))
        });
        Self { limits, charges: Arc::new(charges.collect()) }
    }

    /// Whether they refuse no pod.
    pub(super) fn is_empty(&self) -> bool {
        self.limits.is_empty() && self.charges.values().all(|charge| charge.refusal().is_none())
    }

    /// The limits of quotas that no controller has counted yet.
    pub(super) fn uncounted(&self) -> Self {
        let limits = self.limits.iter().filter(|limit| !limit.is_counted);
        Self { limits: limits.cloned().collect(), charges: Arc::clone(&self.charges) }
    }

    /// Takes over what `counted` has counted of the same limits.
    pub(super) fn take_over(&mut self, counted: Self) {
        self.limits.retain(|limit| limit.is_counted);
        self.limits.extend(counted.limits);
    }

    fn charge(&self, pod: PodIx, cluster: &Cluster) -> PodCharge {
        let told = self.charges.get(&pod).cloned();
        told.unwrap_or_else(|| PodCharge::as_read(pod, cluster))
    }

    /// Counts a pod that is made.
    ///
    /// # Errors
    /// Which quota refuses it; then it is not counted.
    pub(super) fn admit(
        &mut self,
        pod: PodIx,
        requests: &Resources,
        cluster: &Cluster,
    ) -> Result<(), String> {
        let charge = self.charge(pod, cluster);
        if let Some(why) = charge.refusal() {
            return Err(why.to_owned());
        }
        for limit in &self.limits {
            let more = limit.used_by(pod, &charge, requests, cluster);
            if more > 0 && limit.used.saturating_add(more) > limit.most {
                let [quota, resource, most] =
                    [limit.quota, limit.resource, limit.text].map(|text| cluster.text(text));
                return Err(format!(
                    "ResourceQuota {quota} limits {resource} to {most}, and too little of it is left meanwhile"
                ));
            }
        }
        self.count(pod, requests, 1, cluster);
        Ok(())
    }

    /// Adds a pod, or takes it away if `times` is -1.
    pub(super) fn count(
        &mut self,
        pod: PodIx,
        requests: &Resources,
        times: i64,
        cluster: &Cluster,
    ) {
        let charge = self.charge(pod, cluster);
        for limit in &mut self.limits {
            let amount = limit.used_by(pod, &charge, requests, cluster);
            limit.used = limit.used.saturating_add(amount * times);
        }
    }
}
