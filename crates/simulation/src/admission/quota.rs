//! `ResourceQuotas`: which new pods do not fit into what their namespace may still request.
//!
//! Upstream: `CheckRequest` of apiserver's `pkg/admission/plugin/resourcequota/controller.go`, and
//! `pkg/quota/v1/evaluator/core/pods.go` (1.37).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::amounts::{AmountKind, Amounts, containers, of_pod, own};
use model::cluster::quota::{QuotaScope, ResourceQuota};
use model::cluster::{Cluster, Quantity};

/// The resources that each container must specify if a quota limits them.
const REQUIRED: [&str; 6] =
    ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];

/// The usage of quotas, including the pods admitted so far.
#[derive(Debug, Default)]
pub(crate) struct QuotaUse {
    /// By namespace and name of the quota.
    used: BTreeMap<(String, String), Amounts>,
}

/// What a rejection adds if the use includes pods that are decided before this one.
const BESIDES: &str = " besides the pods before this one";

impl QuotaUse {
    /// Counts a pod, whose defaults and priority have been applied.
    ///
    /// # Errors
    /// Why a quota of its namespace refuses it; then it is not counted.
    pub(crate) fn admit(&mut self, pod: &Value, cluster: &Cluster) -> Result<(), String> {
        let namespace =
            pod.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or("default");
        let empty = Map::new();
        let spec = pod.get("spec").and_then(Value::as_object).unwrap_or(&empty);
        let usage = usage(spec);
        let mut counted = Vec::new();
        for quota in &cluster.quotas {
            if cluster.text(quota.namespace) != namespace || !counts(quota, pod, spec, cluster) {
                continue;
            }
            let name = cluster.text(quota.name);
            let hard = amounts(&quota.hard, cluster);
            if let Some(missing) = unnamed(&hard, spec) {
                return Err(format!("ResourceQuota {name}: a container must specify {missing}"));
            }
            // Pods before this one count, too, although the quota's status does not show them.
            let key = (namespace.to_owned(), name.to_owned());
            let written = amounts(&quota.used, cluster);
            let before = self.used.get(&key).unwrap_or(&written);
            let mut after = before.clone();
            for (resource, most) in &hard {
                let Some(more) = usage.get(resource).filter(|more| **more != Quantity::ZERO) else {
                    continue;
                };
                let used = after.entry(resource.clone()).or_insert(Quantity::ZERO);
                *used += *more;
                if used.amount_cmp(*most).is_gt() {
                    let limit = amount_text(&quota.hard, resource, cluster);
                    let used = match amount_text(&quota.used, resource, cluster) {
                        "" => "0",
                        used => used,
                    };
                    let besides = if *before == written { "" } else { BESIDES };
                    return Err(format!(
                        "ResourceQuota {name}: {resource} is limited to {limit}, and {used} of it is used{besides}"
                    ));
                }
            }
            counted.push((key, after));
        }
        self.used.extend(counted);
        Ok(())
    }
}

/// The text of an amount; empty if there is none.
fn amount_text<'c>(
    labels: &model::cluster::selector::Labels,
    resource: &str,
    cluster: &'c Cluster,
) -> &'c str {
    let entry = labels.iter().find(|(name, _)| cluster.text(*name) == resource);
    entry.map_or("", |(_, amount)| cluster.text(*amount))
}

fn amounts(labels: &model::cluster::selector::Labels, cluster: &Cluster) -> Amounts {
    labels
        .iter()
        .filter_map(|(resource, amount)| {
            let quantity = Quantity::parse(cluster.text(*amount)).ok()?;
            Some((cluster.text(*resource).to_owned(), quantity))
        })
        .collect()
}

/// What a pod uses of the resources of quotas.
fn usage(spec: &Map<String, Value>) -> Amounts {
    let mut usage = Amounts::new();
    for count in ["pods", "count/pods"] {
        usage.insert(count.to_owned(), Quantity::from_units(1));
    }
    for (resource, amount) in of_pod(spec, AmountKind::Requests) {
        let is_native = ["cpu", "memory", "ephemeral-storage"].contains(&resource.as_str())
            || resource.starts_with("hugepages-");
        usage.insert(format!("requests.{resource}"), amount);
        // Extended resources have no short name.
        if is_native {
            usage.insert(resource, amount);
        }
    }
    for (resource, amount) in of_pod(spec, AmountKind::Limits) {
        if ["cpu", "memory", "ephemeral-storage"].contains(&resource.as_str()) {
            usage.insert(format!("limits.{resource}"), amount);
        }
    }
    usage
}

/// A cpu or memory resource that the quota limits and a container does not specify. A pod with its
/// own resources need not.
fn unnamed(hard: &Amounts, spec: &Map<String, Value>) -> Option<String> {
    let of_pod = spec.get("resources").and_then(Value::as_object);
    if of_pod.is_some_and(|resources| resources.values().any(serde_json::Value::is_object)) {
        return None;
    }
    for required in REQUIRED.into_iter().filter(|required| hard.contains_key(*required)) {
        let (side, resource) = match required.split_once('.') {
            Some(("limits", resource)) => (AmountKind::Limits, resource),
            Some((_, resource)) => (AmountKind::Requests, resource),
            None => (AmountKind::Requests, required),
        };
        let lists = ["containers", "initContainers"];
        let mut all = lists.into_iter().flat_map(|list| containers(spec, list));
        if all.any(|container| !own(container, side).contains_key(resource)) {
            return Some(required.to_owned());
        }
    }
    None
}

/// Whether a quota counts a pod: the pod is in each of its scopes.
fn counts(
    quota: &ResourceQuota,
    pod: &Value,
    spec: &Map<String, Value>,
    cluster: &Cluster,
) -> bool {
    quota.scopes.iter().all(|scope| is_in(scope, pod, spec, cluster))
}

fn is_in(scope: &QuotaScope, pod: &Value, spec: &Map<String, Value>, cluster: &Cluster) -> bool {
    let deadline = spec.get("activeDeadlineSeconds").and_then(Value::as_i64);
    let ends = deadline.is_some_and(|seconds| seconds >= 0);
    match cluster.text(scope.name) {
        "Terminating" => ends,
        "NotTerminating" => !ends,
        "BestEffort" => is_best_effort(spec),
        "NotBestEffort" => !is_best_effort(spec),
        "PriorityClass" => {
            let class = spec.get("priorityClassName").and_then(Value::as_str).unwrap_or_default();
            let is_one = scope.values.iter().any(|value| cluster.text(*value) == class);
            match cluster.text(scope.operator) {
                "Exists" => !class.is_empty(),
                "DoesNotExist" => class.is_empty(),
                "In" => !class.is_empty() && is_one,
                _ => !is_one,
            }
        }
        "CrossNamespacePodAffinity" => uses_other_namespaces(pod),
        // A scope for another kind of objects, or an unknown one, counts no pods.
        _ => false,
    }
}

/// Whether a pod has neither requests nor limits of cpu or memory.
fn is_best_effort(spec: &Map<String, Value>) -> bool {
    [AmountKind::Requests, AmountKind::Limits].into_iter().all(|side| {
        let amounts = of_pod(spec, side);
        ["cpu", "memory"]
            .into_iter()
            .all(|resource| amounts.get(resource).is_none_or(|amount| *amount == Quantity::ZERO))
    })
}

/// Whether a term of pod (anti-)affinity names namespaces.
fn uses_other_namespaces(pod: &Value) -> bool {
    let names = |term: &Value| {
        let list = term.get("namespaces").and_then(Value::as_array);
        list.is_some_and(|list| !list.is_empty())
            || term.get("namespaceSelector").is_some_and(|selector| !selector.is_null())
    };
    for side in ["podAffinity", "podAntiAffinity"] {
        for (list, inner) in [
            ("requiredDuringSchedulingIgnoredDuringExecution", ""),
            ("preferredDuringSchedulingIgnoredDuringExecution", "/podAffinityTerm"),
        ] {
            let terms = pod.pointer(&format!("/spec/affinity/{side}/{list}"));
            let terms = terms.and_then(Value::as_array).into_iter().flatten();
            if terms.filter_map(|term| term.pointer(inner)).any(names) {
                return true;
            }
        }
    }
    false
}
