//! What the API server changes in a new pod before the scheduler sees it, as far as it affects the
//! decision. What cannot be determined is returned as remarks.
//!
//! Upstream (1.37): `pkg/apis/core/v1/defaults.go`, `pkg/registry/core/pod/strategy.go`
//! `PrepareForCreate`,
//! `plugin/pkg/admission/{priority,defaulttolerationseconds,limitranger,runtimeclass}`.

mod amounts;
mod limits;
mod quota;

use serde_json::{Map, Value, json};

use model::cluster::Cluster;
use model::cluster::priority_class::{PriorityClass, SYSTEM_CLASSES};
use model::cluster::system_taint::NOT_READY;
use model::snapshot::Kind;
use model::snapshot::storage::BETA_STORAGE_CLASS;
use scheduler::decision::unread::Question;

pub(crate) use quota::QuotaUse;
pub use quota::{PodCharge, PodCharges};

/// Remarks about the admission of a pod.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    /// What was applied, or is unknown but rarely matters.
    pub told: Vec<String>,
    /// What could not be applied, so that the real pod may differ.
    pub open: Vec<String>,
}

/// Why a pod is not created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotAdmitted {
    /// The pod is incomplete.
    Invalid(String),
    /// The API server would reject it.
    Refused(String),
}

/// Applies to `pod` the defaults and admission plugins of the API server of `cluster`. Returns
/// remarks about them.
///
/// # Errors
/// Why the pod would not be created.
pub(crate) fn admit(pod: &mut Value, cluster: &Cluster) -> Result<Remarks, NotAdmitted> {
    let namespace =
        pod.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or("default").to_owned();
    let name = pod.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut remarks = Remarks::default();
    let Some(spec) = pod.get_mut("spec").and_then(Value::as_object_mut) else {
        return Err(NotAdmitted::Invalid(format!("Pod {namespace}/{name} has no spec")));
    };
    if spec.get("containers").and_then(Value::as_array).is_none_or(Vec::is_empty) {
        return Err(NotAdmitted::Invalid(format!("Pod {namespace}/{name} has no containers")));
    }
    default_requests(spec);
    limit_ranges(spec, &namespace, cluster, &mut remarks);
    default_ports(spec);
    prioritize(spec, cluster, &mut remarks).map_err(NotAdmitted::Refused)?;
    tolerate(spec);
    let class = spec.get("runtimeClassName").and_then(Value::as_str);
    if let Some(class) = class.filter(|_| !spec.get("overhead").is_some_and(Value::is_object)) {
        remarks.open.push(format!(
            "what RuntimeClass {class} adds is not applied: overhead, node selector and tolerations, as far as it has any"
        ));
    }
    pod_level(spec);
    if let Some(why) = limits::refusal(spec, &namespace, cluster) {
        return Err(NotAdmitted::Refused(why));
    }
    label_keys(pod);
    let is_listed = cluster.header.resource_versions.contains_key(Kind::ResourceQuota.plural());
    if let Some(missing) = cluster.unread(Kind::ResourceQuota) {
        remarks.open.push(format!(
            "whether ResourceQuotas in namespace {namespace} refuse pods is not known: {}",
            missing.reason
        ));
    } else if cluster.quotas.is_empty() && !is_listed {
        remarks.told.push(format!(
            "ResourceQuotas in namespace {namespace} are not checked: the input has none"
        ));
    }
    for kind in Question::Create.kinds().map(|needed| needed.kind) {
        if cluster.notes.iter().flat_map(|note| &note.lacks).any(|lack| lack.is_of_all(kind)) {
            let kinds = kind.plural();
            remarks.open.push(format!(
                "some {kinds} cannot be read: what they set for new pods, or refuse, may be something else"
            ));
        }
    }
    Ok(remarks)
}

/// Sets the default storage class of a claim that names none. Returns a remark about it.
///
/// Upstream: `plugin/pkg/admission/storage/storageclass/setdefault`,
/// `pkg/volume/util/storageclass.go` (1.37): of several defaults the youngest counts.
pub(crate) fn admit_claim(claim: &mut Value, cluster: &Cluster) -> Option<String> {
    const FIELD: &str = "storageClassName";
    let annotated =
        claim.pointer("/metadata/annotations").and_then(|a| a.get(BETA_STORAGE_CLASS)).is_some();
    // An empty name requests a volume without a class, so no default applies.
    if annotated || claim.pointer("/spec").and_then(|s| s.get(FIELD)).is_some_and(Value::is_string)
    {
        return None;
    }
    let name =
        claim.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let defaults = cluster.storage.default_classes(&cluster.symbols);
    let class = cluster.text(*defaults.first()?);
    if let Some(spec) = claim.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert(FIELD.to_owned(), class.into());
    }
    let of = if defaults.len() > 1 {
        "the first by name of several default StorageClasses"
    } else {
        "the default StorageClass"
    };
    Some(format!("claim {name} is of {of}, {class}"))
}

fn containers(spec: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    let lists = spec
        .iter_mut()
        .filter(|(field, _)| matches!(field.as_str(), "containers" | "initContainers"));
    lists.filter_map(|(_, list)| list.as_array_mut()).flatten()
}

/// The field `resources` of a container, which is created if it is missing.
fn resources(container: &mut Value) -> Option<&mut Map<String, Value>> {
    let resources = container.as_object_mut()?.entry("resources").or_insert_with(|| json!({}));
    if resources.is_null() {
        *resources = json!({});
    }
    resources.as_object_mut()
}

/// Adds the amounts that `list` does not contain yet.
fn fill(
    resources: &mut Map<String, Value>,
    list: &str,
    amounts: impl Iterator<Item = (String, Value)>,
) -> bool {
    let amounts: Vec<(String, Value)> = amounts.collect();
    if amounts.is_empty() {
        return false;
    }
    let entry = resources.entry(list).or_insert_with(|| json!({}));
    if entry.is_null() {
        *entry = json!({});
    }
    let Some(filled) = entry.as_object_mut() else { return false };
    let before = filled.len();
    for (resource, amount) in amounts {
        filled.entry(resource).or_insert(amount);
    }
    filled.len() > before
}

/// A limit is also the default of the request.
fn default_requests(spec: &mut Map<String, Value>) {
    for container in containers(spec) {
        let Some(resources) = resources(container) else { continue };
        let limits =
            resources.get("limits").and_then(Value::as_object).cloned().unwrap_or_default();
        fill(resources, "requests", limits.into_iter());
    }
}

/// Applies the LimitRanges of the namespace to containers without requests or limits.
fn limit_ranges(
    spec: &mut Map<String, Value>,
    namespace: &str,
    cluster: &Cluster,
    remarks: &mut Remarks,
) {
    let mut applied = Vec::new();
    for range in
        cluster.limit_ranges.iter().filter(|range| cluster.text(range.namespace) == namespace)
    {
        let [limits, requests] = [&range.limits, &range.requests].map(|amounts| {
            amounts.iter().map(|(resource, amount)| {
                (cluster.text(*resource).to_owned(), Value::from(cluster.text(*amount)))
            })
        });
        let mut changed = false;
        for container in containers(spec) {
            let Some(resources) = resources(container) else { continue };
            changed |= fill(resources, "limits", limits.clone());
            changed |= fill(resources, "requests", requests.clone());
        }
        if changed {
            applied.push(cluster.text(range.name).to_owned());
        }
    }
    if applied.len() > 1 {
        let several = applied.join(", ");
        remarks.told.push(format!(
            "the API server decides which of the LimitRanges {several} in namespace {namespace} comes first: here it is the first by name"
        ));
    }
    if !applied.is_empty() {
        remarks.told.push(format!(
            "defaults of LimitRange {} in namespace {namespace} are applied",
            applied.join(", ")
        ));
    } else if let Some(missing) = cluster.unread(Kind::LimitRange) {
        remarks.open.push(format!(
            "defaults of LimitRanges in namespace {namespace} are not applied: {}",
            missing.reason
        ));
    } else if cluster.limit_ranges.is_empty()
        && !cluster.header.resource_versions.contains_key(Kind::LimitRange.plural())
    {
        remarks.told.push(format!(
            "LimitRange defaults in namespace {namespace} are not applied: the input has no LimitRange"
        ));
    }
}

/// On the host network, every container port is also a host port.
fn default_ports(spec: &mut Map<String, Value>) {
    if spec.get("hostNetwork").and_then(Value::as_bool) != Some(true) {
        return;
    }
    for container in containers(spec) {
        let ports = container.get_mut("ports").and_then(Value::as_array_mut);
        for port in ports.into_iter().flatten().filter_map(Value::as_object_mut) {
            let spec_value = port.get("hostPort").and_then(Value::as_i64).unwrap_or(0);
            if let Some(number) = port.get("containerPort").cloned().filter(|_| spec_value == 0) {
                port.insert("hostPort".to_owned(), number);
            }
        }
    }
}

fn prioritize(
    spec: &mut Map<String, Value>,
    cluster: &Cluster,
    remarks: &mut Remarks,
) -> Result<(), String> {
    let asked =
        spec.get("priorityClassName").and_then(Value::as_str).unwrap_or_default().to_owned();
    let spec_value = spec.get("priority").and_then(Value::as_i64);
    let of_system = SYSTEM_CLASSES.iter().find(|(name, _)| *name == asked).map(|(_, value)| *value);
    if cluster.priority_classes.is_empty() && of_system.is_none() {
        // Every cluster has the system's classes, so an empty list means that they were not read.
        let refused = cluster.unread(Kind::PriorityClass);
        let why = refused.map_or("the input has no PriorityClasses".to_owned(), |missing| {
            format!("the PriorityClasses could not be read ({})", missing.reason)
        });
        let value = spec_value.unwrap_or(0);
        if asked.is_empty() {
            // One of the classes may be the default of all pods.
            let remarks = if refused.is_some() { &mut remarks.open } else { &mut remarks.told };
            remarks.push(format!("{why}: a pod without a class counts with priority {value}"));
        } else {
            remarks.open.push(format!("{why}: {asked} counts with priority {value}"));
        }
        spec.insert("priority".to_owned(), value.into());
        return Ok(());
    }
    let class = if asked.is_empty() {
        PriorityClass::default_of(&cluster.priority_classes)
    } else {
        known_class(&asked, cluster)?
    };
    let value = class.map(|class| class.value).or(of_system).unwrap_or(0);
    if let Some(spec_value) = spec_value.filter(|spec_value| *spec_value != value) {
        remarks.told.push(format!(
            "spec.priority says {spec_value}, but its priority class gives {value}, and that counts: the API server would refuse \
             the pod"
        ));
    }
    let policy = if class.is_some_and(|class| class.never_preempts) {
        "Never"
    } else {
        "PreemptLowerPriority"
    };
    let spec_value = spec.get("preemptionPolicy").and_then(Value::as_str).unwrap_or(policy);
    if spec_value != policy {
        remarks.told.push(format!(
            "spec.preemptionPolicy says {spec_value}, but its priority class gives {policy}, and that counts: the API server would \
             refuse the pod"
        ));
    }
    if let Some(class) = class.filter(|_| asked.is_empty()) {
        let name = cluster.text(class.name);
        remarks.told.push(format!("priority {value} comes from the default PriorityClass {name}"));
        spec.insert("priorityClassName".to_owned(), name.into());
    }
    spec.insert("priority".to_owned(), value.into());
    spec.insert("preemptionPolicy".to_owned(), policy.into());
    Ok(())
}

fn known_class<'c>(name: &str, cluster: &'c Cluster) -> Result<Option<&'c PriorityClass>, String> {
    let class_of_name =
        cluster.priority_classes.iter().find(|class| cluster.text(class.name) == name);
    if class_of_name.is_none() && SYSTEM_CLASSES.iter().any(|(system, _)| *system == name) {
        return Ok(None);
    }
    class_of_name.map(Some).ok_or_else(|| format!("no PriorityClass with name {name} was found"))
}

/// Adds the tolerations with which a pod stays on a node that is not ready for five minutes.
fn tolerate(spec: &mut Map<String, Value>) {
    let list = spec.entry("tolerations").or_insert_with(|| json!([]));
    if list.is_null() {
        *list = json!([]);
    }
    let Some(tolerations) = list.as_array_mut() else { return };
    for key in NOT_READY {
        let is_covered = tolerations.iter().any(|toleration| {
            let [own_key, effect] = ["key", "effect"]
                .map(|name| toleration.get(name).and_then(Value::as_str).unwrap_or_default());
            (own_key == key || own_key.is_empty()) && matches!(effect, "" | "NoExecute")
        });
        if !is_covered {
            tolerations
                .push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}));
        }
    }
}

/// The limit of a whole pod is its default request in a resource that neither the pod nor any
/// container requests.
///
/// Upstream: `pkg/api/pod/util.go` `DefaultPodLevelResources` (1.37). Its other defaults equal what
/// the scheduler computes itself.
fn pod_level(spec: &mut Map<String, Value>) {
    let Some(limits) =
        spec.get("resources").and_then(|r| r.get("limits")).and_then(Value::as_object).cloned()
    else {
        return;
    };
    let mut asked: Vec<String> = Vec::new();
    for container in containers(spec) {
        let requests = container.pointer("/resources/requests").and_then(Value::as_object);
        asked.extend(requests.into_iter().flat_map(Map::keys).cloned());
    }
    let wanted = limits.into_iter().filter(|(resource, _)| {
        let is_asked = asked.iter().any(|asked| asked == resource);
        resource.starts_with("hugepages-")
            || (["cpu", "memory"].contains(&resource.as_str()) && !is_asked)
    });
    if let Some(resources) = spec.get_mut("resources").and_then(Value::as_object_mut) {
        fill(resources, "requests", wanted);
    }
}

/// Merges the label keys of pod affinity terms into their selectors.
///
/// Upstream: `pkg/registry/core/pod/strategy.go` `mutatePodAffinity` (1.37). The scheduler itself
/// merges those of spread constraints.
fn label_keys(pod: &mut Value) {
    let labels =
        pod.pointer("/metadata/labels").and_then(Value::as_object).cloned().unwrap_or_default();
    for side in ["podAffinity", "podAntiAffinity"] {
        for (list, term) in [
            ("requiredDuringSchedulingIgnoredDuringExecution", ""),
            ("preferredDuringSchedulingIgnoredDuringExecution", "/podAffinityTerm"),
        ] {
            let terms = pod
                .pointer_mut(&format!("/spec/affinity/{side}/{list}"))
                .and_then(Value::as_array_mut);
            let terms = terms.into_iter().flatten().filter_map(|t| t.pointer_mut(term));
            terms.filter_map(Value::as_object_mut).for_each(|term| narrow(term, &labels));
        }
    }
}

fn narrow(term: &mut Map<String, Value>, labels: &Map<String, Value>) {
    let mut more = Vec::new();
    for (field, operator) in [("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")] {
        let keys = term
            .get(field)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let topology = keys.filter_map(|key| Some((key, labels.get(key)?)));
        more.extend(
            topology
                .map(|(key, value)| json!({"key": key, "operator": operator, "values": [value]})),
        );
    }
    // A term without a selector matches nothing, whatever its keys are.
    let Some(selector) =
        term.get_mut("labelSelector").and_then(Value::as_object_mut).filter(|_| !more.is_empty())
    else {
        return;
    };
    let expressions = selector.entry("matchExpressions").or_insert_with(|| json!([]));
    if expressions.is_null() {
        *expressions = json!([]);
    }
    if let Some(expressions) = expressions.as_array_mut() {
        // An exported manifest already contains them.
        more.retain(|new| !expressions.contains(new));
        expressions.append(&mut more);
    }
}

#[cfg(test)]
mod tests;
