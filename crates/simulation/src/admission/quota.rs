//! `ResourceQuotas`: which new pods do not fit into what their namespace may still request.
//!
//! Upstream: `CheckRequest` of apiserver's `pkg/admission/plugin/resourcequota/controller.go`, and
//! `pkg/quota/v1/evaluator/core/pods.go` (1.37).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::amounts::{AmountKind, Amounts, containers, of_pod, own};
use model::cluster::quota::{QuotaScope, ResourceQuota};
use model::cluster::resource_requests::{Container, Requests};
use model::cluster::{Cluster, PodIx, Quantity};

/// The resources that each container must specify if a quota limits them.
const REQUIRED: [&str; 6] =
    ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];

/// The usage of quotas, including the pods admitted so far.
#[derive(Debug, Default)]
pub(crate) struct QuotaUse {
    /// By namespace and name of the quota.
    used: BTreeMap<(String, String), Amounts>,
    /// What pods use that are there, of quotas that no controller has counted.
    existing: BTreeMap<(String, String), Amounts>,
}

/// What pods cost in quotas, by their namespaces and names.
pub type PodCharges = BTreeMap<(String, String), PodCharge>;

/// What quotas count of a pod beside its requests, and which of them do: only its manifest says so.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PodCharge {
    /// The names of the quotas that count it.
    quotas: Vec<String>,
    /// Its limits, as `limits.cpu`.
    limits: Amounts,
    /// Why the API server does not take the pod, however much is left.
    refusal: Option<String>,
}

impl PodCharge {
    /// That of a pod whose defaults and priority have been applied.
    pub(crate) fn of(pod: &Value, cluster: &Cluster) -> Self {
        let (namespace, empty) = (namespace(pod), Map::new());
        let spec = pod.get("spec").and_then(Value::as_object).unwrap_or(&empty);
        let mut charge = Self { limits: usage(spec), ..Self::default() };
        charge.limits.retain(|resource, _| resource.starts_with("limits."));
        let quotas = cluster.quotas.iter();
        for quota in quotas.filter(|quota| cluster.text(quota.namespace) == namespace) {
            if counts(quota, pod, spec, cluster) {
                let name = cluster.text(quota.name).to_owned();
                let unnamed = unnamed(&amounts(&quota.hard, cluster), spec);
                charge.refusal = charge.refusal.or_else(|| Some(must_specify(&name, &unnamed?)));
                charge.quotas.push(name);
            }
        }
        charge
    }

    /// That of a pod of the cluster whose template is not read: by its requests and its priority.
    pub(crate) fn as_read(pod: PodIx, cluster: &Cluster) -> Self {
        Self { refusal: None, ..Self::of(&as_read(pod, cluster), cluster) }
    }

    /// That of a pod which the API server does not take.
    pub(crate) fn refused(why: String) -> Self {
        Self { refusal: Some(why), ..Self::default() }
    }

    /// Whether the quota counts the pod.
    pub(crate) fn is_of(&self, quota: &str) -> bool {
        self.quotas.iter().any(|own| own == quota)
    }

    /// Its limit of a resource, such as `limits.cpu`.
    pub(crate) fn limit(&self, resource: &str) -> Quantity {
        self.limits.get(resource).copied().unwrap_or(Quantity::ZERO)
    }

    /// Why the API server does not take the pod however much is left.
    pub(crate) fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }
}

fn listed(containers: &[Container], cluster: &Cluster) -> Value {
    let list = containers.iter().map(|container| {
        let restart = if container.sidecar { "Always" } else { "" };
        json!({"resources": written(&container.requests, cluster), "restartPolicy": restart})
    });
    list.collect()
}

fn written(requests: &Requests, cluster: &Cluster) -> Value {
    let pairs = requests.iter();
    let pairs = pairs.map(|(name, amount)| (cluster.text(*name), cluster.text(*amount)));
    json!({"requests": pairs.map(|(name, amount)| (name.to_owned(), amount.into())).collect::<Map<_, _>>()})
}

/// A pod of the cluster, with what is read of it that quotas count.
fn as_read(pod: PodIx, cluster: &Cluster) -> Value {
    let facts = cluster.pod(pod);
    let mut spec = Map::new();
    if let Some(requests) = cluster.resource_requests.get(facts.resource_requests) {
        spec.insert("containers".to_owned(), listed(&requests.containers, cluster));
        spec.insert("initContainers".to_owned(), listed(&requests.init_containers, cluster));
        let of_pod = requests.pod_level.as_ref().map(|requests| written(requests, cluster));
        spec.extend(of_pod.map(|resources| ("resources".to_owned(), resources)));
    }
    let mut classes = cluster.priority_classes.iter();
    if let Some(class) = classes.find(|class| class.value == i64::from(facts.priority)) {
        spec.insert("priorityClassName".to_owned(), cluster.text(class.name).into());
    }
    json!({"metadata": {"namespace": cluster.text(facts.namespace)}, "spec": spec})
}

/// What the pods that are there use of a quota that no controller has counted yet, such as one of the
/// same change. Their limits are not read.
fn existing_use(quota: &ResourceQuota, cluster: &Cluster) -> Amounts {
    let mut sum = Amounts::new();
    for index in cluster.pod_indices() {
        let facts = cluster.pod(index);
        if !facts.is_active() || facts.namespace != quota.namespace {
            continue;
        }
        let pod = as_read(index, cluster);
        let empty = Map::new();
        let spec = pod.get("spec").and_then(Value::as_object).unwrap_or(&empty);
        if counts(quota, &pod, spec, cluster) {
            for (resource, amount) in usage(spec) {
                *sum.entry(resource).or_insert(Quantity::ZERO) += amount;
            }
        }
    }
    sum
}

fn must_specify(quota: &str, resource: &str) -> String {
    format!("ResourceQuota {quota}: a container must specify {resource}")
}

fn namespace(pod: &Value) -> &str {
    pod.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or("default")
}

/// What a rejection adds if the use includes pods that are decided before this one.
const BESIDES: &str = " besides the pods before this one";

impl QuotaUse {
    /// Counts a pod, whose defaults and priority have been applied.
    ///
    /// # Errors
    /// Why a quota of its namespace refuses it; then it is not counted.
    pub(crate) fn admit(&mut self, pod: &Value, cluster: &Cluster) -> Result<(), String> {
        let (namespace, empty) = (namespace(pod), Map::new());
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
                return Err(must_specify(name, &missing));
            }
            // Pods before this one count, too, although the quota's status does not show them.
            let key = (namespace.to_owned(), name.to_owned());
            let written = if quota.is_counted {
                amounts(&quota.used, cluster)
            } else {
                let existing = self.existing.entry(key.clone());
                existing.or_insert_with(|| existing_use(quota, cluster)).clone()
            };
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
                        "" => {
                            let used = written.get(resource).copied();
                            used.unwrap_or(Quantity::ZERO).to_string()
                        }
                        used => used.to_owned(),
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

fn names_namespaces(term: &Value) -> bool {
    let list = term.get("namespaces").and_then(Value::as_array);
    list.is_some_and(|list| !list.is_empty())
        || term.get("namespaceSelector").is_some_and(|selector| !selector.is_null())
}

/// Whether a term of pod (anti-)affinity names namespaces.
fn uses_other_namespaces(pod: &Value) -> bool {
    for side in ["podAffinity", "podAntiAffinity"] {
        for (list, inner) in [
            ("requiredDuringSchedulingIgnoredDuringExecution", ""),
            ("preferredDuringSchedulingIgnoredDuringExecution", "/podAffinityTerm"),
        ] {
            let terms = pod.pointer(&format!("/spec/affinity/{side}/{list}"));
            let terms = terms.and_then(Value::as_array).into_iter().flatten();
            if terms.filter_map(|term| term.pointer(inner)).any(names_namespaces) {
                return true;
            }
        }
    }
    false
}
