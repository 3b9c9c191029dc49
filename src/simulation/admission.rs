//! What the API server adds to a new pod before the scheduler sees it, as far as it decides anything; what cannot be told
//! is said.
//!
//! Upstream (1.37): `pkg/apis/core/v1/defaults.go`, `plugin/pkg/admission/{priority,defaulttolerationseconds,limitranger}`.

use serde_json::{Map, Value, json};

use crate::cluster::{Cluster, PriorityClass};

/// The taints that a pod tolerates for a while, whatever it says.
const PASSING: [&str; 2] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/// The priority classes that every API server makes at its start.
///
/// Upstream: `pkg/apis/scheduling/v1/helpers.go` (1.37).
pub(super) const SYSTEM_CLASSES: [(&str, i64); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

/// Adds to `pod` what the API server of `cluster` would. Returns what could not be applied, in words.
///
/// # Errors
/// Why the API server would refuse the pod.
pub fn admit(pod: &mut Value, cluster: &Cluster) -> Result<Vec<String>, String> {
    let namespace = pod.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or("default").to_owned();
    let name = pod.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut remarks = Vec::new();
    let Some(spec) = pod.get_mut("spec").and_then(Value::as_object_mut) else {
        return Err(format!("Pod {namespace}/{name} has no spec"));
    };
    if spec.get("containers").and_then(Value::as_array).is_none_or(Vec::is_empty) {
        return Err(format!("Pod {namespace}/{name} has no containers"));
    }
    default_requests(spec);
    limit_ranges(spec, &namespace, cluster, &mut remarks);
    default_ports(spec);
    prioritize(spec, cluster, &mut remarks).map_err(|why| format!("Pod {namespace}/{name} would be refused: {why}"))?;
    tolerate(spec);
    if let Some(class) = spec.get("runtimeClassName").and_then(Value::as_str).filter(|_| !spec.contains_key("overhead"))
    {
        remarks.push(format!(
            "the overhead of RuntimeClass {class}, if it has one, is not added to pod {namespace}/{name}"
        ));
    }
    if spec.get("resources").and_then(|r| r.get("limits")).is_some_and(Value::is_object) {
        remarks.push(format!("defaults for the pod-level resources of pod {namespace}/{name} are not applied"));
    }
    Ok(remarks)
}

fn containers(spec: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    let lists = spec.iter_mut().filter(|(field, _)| matches!(field.as_str(), "containers" | "initContainers"));
    lists.filter_map(|(_, list)| list.as_array_mut()).flatten()
}

/// The resources of a container: its limits and its requests, made if need be.
fn resources(container: &mut Value) -> Option<&mut Map<String, Value>> {
    let resources = container.as_object_mut()?.entry("resources").or_insert_with(|| json!({}));
    if resources.is_null() {
        *resources = json!({});
    }
    resources.as_object_mut()
}

/// Adds what `list` does not say yet.
fn fill(resources: &mut Map<String, Value>, list: &str, amounts: impl Iterator<Item = (String, Value)>) -> bool {
    let amounts: Vec<(String, Value)> = amounts.collect();
    if amounts.is_empty() {
        return false;
    }
    let entry = resources.entry(list).or_insert_with(|| json!({}));
    if entry.is_null() {
        *entry = json!({});
    }
    let Some(known) = entry.as_object_mut() else { return false };
    let before = known.len();
    for (resource, amount) in amounts {
        known.entry(resource).or_insert(amount);
    }
    known.len() > before
}

/// A container that has a limit asks for as much, if it does not say otherwise.
fn default_requests(spec: &mut Map<String, Value>) {
    for container in containers(spec) {
        let Some(resources) = resources(container) else { continue };
        let limits = resources.get("limits").and_then(Value::as_object).cloned().unwrap_or_default();
        fill(resources, "requests", limits.into_iter());
    }
}

/// What the namespace gives to containers that say nothing.
fn limit_ranges(spec: &mut Map<String, Value>, namespace: &str, cluster: &Cluster, remarks: &mut Vec<String>) {
    let here = cluster.limit_ranges.iter().filter(|range| cluster.text(range.namespace) == namespace);
    let mut applied = Vec::new();
    for range in here {
        let amounts = |labels: &[(crate::cluster::symbols::Sym, crate::cluster::symbols::Sym)]| {
            let texts = labels.iter().map(|(resource, amount)| (cluster.text(*resource), cluster.text(*amount)));
            texts.map(|(resource, amount)| (resource.to_owned(), Value::from(amount))).collect::<Vec<_>>()
        };
        let mut changed = false;
        for container in containers(spec) {
            let Some(resources) = resources(container) else { continue };
            changed |= fill(resources, "limits", amounts(&range.limits).into_iter());
            changed |= fill(resources, "requests", amounts(&range.requests).into_iter());
        }
        if changed {
            applied.push(cluster.text(range.name).to_owned());
        }
    }
    let header = &cluster.header;
    let unread = header.unreadable.iter().find(|missing| missing.resource == "limitranges");
    if !applied.is_empty() {
        remarks.push(format!("defaults of LimitRange {} in namespace {namespace} are applied", applied.join(", ")));
    } else if let Some(missing) = unread {
        remarks.push(format!("defaults of LimitRanges in namespace {namespace} are not applied: {}", missing.reason));
    } else if cluster.limit_ranges.is_empty() && !header.resource_versions.contains_key("limitranges") {
        remarks.push(format!("defaults of LimitRanges in namespace {namespace} are not applied: the input has none"));
    }
}

/// Containers on the host's network take the host's ports of the same numbers.
fn default_ports(spec: &mut Map<String, Value>) {
    if spec.get("hostNetwork").and_then(Value::as_bool) != Some(true) {
        return;
    }
    for container in containers(spec) {
        let ports = container.get_mut("ports").and_then(Value::as_array_mut);
        for port in ports.into_iter().flatten().filter_map(Value::as_object_mut) {
            let said = port.get("hostPort").and_then(Value::as_i64).unwrap_or(0);
            if let Some(number) = port.get("containerPort").cloned().filter(|_| said == 0) {
                port.insert("hostPort".to_owned(), number);
            }
        }
    }
}

fn prioritize(spec: &mut Map<String, Value>, cluster: &Cluster, remarks: &mut Vec<String>) -> Result<(), String> {
    let asked = spec.get("priorityClassName").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !asked.is_empty()
        && cluster.priority_classes.is_empty()
        && !SYSTEM_CLASSES.iter().any(|(name, _)| *name == asked)
    {
        let said = spec.get("priority").and_then(Value::as_i64).unwrap_or(0);
        remarks.push(format!("the input has no PriorityClasses: {asked} is taken for priority {said}"));
        spec.insert("priority".to_owned(), said.into());
        return Ok(());
    }
    let class = if asked.is_empty() { global_default(cluster) } else { known_class(&asked, cluster)? };
    let of_system = SYSTEM_CLASSES.iter().find(|(name, _)| *name == asked).map(|(_, value)| (*value, false));
    let found = class.map(|class| (class.value, class.never_preempts)).or(of_system);
    let (value, never) = found.unwrap_or((0, false));
    match spec.get("priority").and_then(Value::as_i64) {
        Some(said) if said != value => {
            remarks.push(format!(
                "spec.priority says {said}, but its priority class gives {value}, and that counts: the API server would \
                 refuse the pod"
            ));
        }
        _ => {}
    }
    if let Some(class) = class.filter(|_| asked.is_empty()) {
        let name = cluster.text(class.name);
        remarks.push(format!("priority {value} comes from the default PriorityClass {name}"));
        spec.insert("priorityClassName".to_owned(), name.into());
    }
    spec.insert("priority".to_owned(), value.into());
    if never && !spec.contains_key("preemptionPolicy") {
        spec.insert("preemptionPolicy".to_owned(), "Never".into());
    }
    Ok(())
}

/// Parity: of several defaults the one with the lowest value counts.
fn global_default(cluster: &Cluster) -> Option<&PriorityClass> {
    cluster.priority_classes.iter().filter(|class| class.global_default).min_by_key(|class| class.value)
}

fn known_class<'c>(name: &str, cluster: &'c Cluster) -> Result<Option<&'c PriorityClass>, String> {
    let known = cluster.priority_classes.iter().find(|class| cluster.text(class.name) == name);
    if known.is_none() && SYSTEM_CLASSES.iter().any(|(system, _)| *system == name) {
        return Ok(None);
    }
    known.map(Some).ok_or_else(|| format!("no PriorityClass with name {name} was found"))
}

/// Pods stay on a node that is not ready for five minutes.
fn tolerate(spec: &mut Map<String, Value>) {
    let list = spec.entry("tolerations").or_insert_with(|| json!([]));
    if list.is_null() {
        *list = json!([]);
    }
    let Some(tolerations) = list.as_array_mut() else { return };
    for key in PASSING {
        let covers = |toleration: &Value| {
            let field = |name: &str| toleration.get(name).and_then(Value::as_str).unwrap_or_default();
            (field("key") == key || field("key").is_empty()) && matches!(field("effect"), "" | "NoExecute")
        };
        if !tolerations.iter().any(covers) {
            tolerations
                .push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}));
        }
    }
}

#[cfg(test)]
#[path = "admission/tests.rs"]
mod tests;
