//! The rules of the API server that decide about pods, beyond the types of fields: a manifest that
//! breaks one is refused, and so are pods that never reach kube-scheduler. What depends on the cluster
//! is not checked here, and of the other rules only those about the places and the number of pods.
//!
//! Upstream: `pkg/apis/core/validation/validation.go`, `pkg/apis/apps/validation/validation.go`,
//! `pkg/apis/batch/validation/validation.go` (1.37).

use std::cmp::Ordering;
use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::PodSpec;
use model::cluster::Quantity;
use serde::Deserialize as _;
use serde_json::{Map, Value};

/// Maximum length of the value of a label.
const LABEL_LENGTH: usize = 63;
/// The largest priority of a class that is not one of the system's.
const HIGHEST_PRIORITY: i64 = 1_000_000_000;

type Checked = Result<(), String>;

/// Checks an object of a known kind, whose fields have the right types.
///
/// # Errors
/// The first field that is wrong, and what to do about it.
pub(crate) fn check(object: &Value) -> Checked {
    let kind = text_of(object, "kind");
    // What decides about pods: the templates of workloads, and what counts them, stops them or ranks
    // them. Without restartPolicy a pod has Always, which Jobs may not have.
    match kind {
        "Pod" => pod("", object, &[]),
        "PodTemplate" => pod("template.", object.pointer("/template").unwrap_or(&Value::Null), &[]),
        "CronJob" => {
            let path = "spec.jobTemplate.spec.template.";
            let template =
                object.pointer("/spec/jobTemplate/spec/template").unwrap_or(&Value::Null);
            restart_policy(path, template, &["OnFailure", "Never"])?;
            template_of(path, template, &[])
        }
        "Job" => {
            let template = object.pointer("/spec/template").unwrap_or(&Value::Null);
            restart_policy("spec.template.", template, &["OnFailure", "Never"])?;
            template_of("spec.template.", template, &[])
        }
        "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" => {
            let template = object.pointer("/spec/template").unwrap_or(&Value::Null);
            selector(object.pointer("/spec/selector"), template)?;
            strategy(object, kind)?;
            restart_policy("spec.template.", template, &["Always"])?;
            // The claims of a StatefulSet become volumes of its pods.
            let claims = object.pointer("/spec/volumeClaimTemplates").and_then(Value::as_array);
            let claims = claims.into_iter().flatten();
            let names = claims.filter_map(|claim| claim.pointer("/metadata/name")?.as_str());
            template_of("spec.template.", template, &names.collect::<Vec<_>>())
        }
        "PodDisruptionBudget" => {
            if is_set(object, "/spec/minAvailable") && is_set(object, "/spec/maxUnavailable") {
                return Err("spec: minAvailable and maxUnavailable cannot be both set: remove one"
                    .to_owned());
            }
            Ok(())
        }
        "PriorityClass" => {
            let value = object.pointer("/value").and_then(Value::as_i64).unwrap_or_default();
            let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
            if value > HIGHEST_PRIORITY && !name.starts_with("system-") {
                return Err(format!(
                    "value: {value} is above {HIGHEST_PRIORITY}, which only the system's classes may be"
                ));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn is_set(object: &Value, path: &str) -> bool {
    object.pointer(path).is_some_and(|value| !value.is_null())
}

/// The text in a field of an object, "" without it.
fn text_of<'v>(object: &'v Value, field: &str) -> &'v str {
    object.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The selector of a workload has to select its own pods.
fn selector(selector: Option<&Value>, template: &Value) -> Checked {
    let Some(selector) = selector.filter(|selector| !selector.is_null()) else {
        return Err("spec.selector: Required value: select the labels of spec.template".to_owned());
    };
    let none = Map::new();
    let labels = template.pointer("/metadata/labels").and_then(Value::as_object).unwrap_or(&none);
    let pairs = selector.get("matchLabels").and_then(Value::as_object);
    let missing = pairs.into_iter().flatten().find(|(key, value)| labels.get(*key) != Some(*value));
    if let Some((key, value)) = missing {
        let value = value.as_str().unwrap_or_default();
        return Err(format!(
            "spec.template.metadata.labels: `selector` does not match template `labels`: add {key}: {value} to the template, or \
             select its labels"
        ));
    }
    // An empty selector would take over every pod of the namespace.
    let expressions = selector.get("matchExpressions").and_then(Value::as_array);
    let is_empty = pairs.is_none_or(Map::is_empty) && expressions.is_none_or(Vec::is_empty);
    if is_empty {
        return Err("spec.selector: empty selector is invalid: select the labels of spec.template"
            .to_owned());
    }
    for expression in expressions.into_iter().flatten() {
        let own = labels.get(text_of(expression, "key"));
        let values = expression.get("values").and_then(Value::as_array);
        let is_listed = own.is_some_and(|own| values.is_some_and(|values| values.contains(own)));
        let matches = match text_of(expression, "operator") {
            "In" => is_listed,
            "NotIn" => !is_listed,
            "Exists" => own.is_some(),
            "DoesNotExist" => own.is_none(),
            other => {
                return Err(format!(
                    "spec.selector.matchExpressions: \"{other}\" is not an operator: use In, NotIn, Exists or DoesNotExist"
                ));
            }
        };
        if !matches {
            return Err("spec.template.metadata.labels: `selector` does not match template `labels`: change one of them".to_owned());
        }
    }
    Ok(())
}

fn strategy(object: &Value, kind: &str) -> Checked {
    let field = if kind == "Deployment" { "strategy" } else { "updateStrategy" };
    let strategy = object.pointer(&format!("/spec/{field}")).unwrap_or(&Value::Null);
    let way = strategy.get("type").and_then(Value::as_str);
    let known: &[&str] = match kind {
        "Deployment" => &["Recreate", "RollingUpdate"],
        "StatefulSet" | "DaemonSet" => &["OnDelete", "RollingUpdate"],
        _ => return Ok(()),
    };
    if let Some(other) = way.filter(|way| !known.contains(way)) {
        return Err(format!(
            "spec.{field}.type: \"{other}\" is not supported: use {}",
            known.join(" or ")
        ));
    }
    // What belongs to another way of updating is refused, as it would have no effect.
    let rolling = strategy.get("rollingUpdate").filter(|rolling| rolling.is_object());
    if way.is_some_and(|way| way != "RollingUpdate") && rolling.is_some() {
        return Err(format!(
            "spec.{field}.rollingUpdate: may not be specified when type is {}: remove it",
            way.unwrap_or_default()
        ));
    }
    // With neither room for new pods nor leave to stop old ones nothing could ever move.
    let surge = strategy.pointer("/rollingUpdate/maxSurge");
    let unavailable = strategy.pointer("/rollingUpdate/maxUnavailable");
    if kind == "Deployment" && is_zero(surge) && is_zero(unavailable) {
        return Err(format!(
            "spec.{field}.rollingUpdate.maxUnavailable: may not be 0 when maxSurge is 0: raise one of them"
        ));
    }
    for (name, value) in [("maxSurge", surge), ("maxUnavailable", unavailable)] {
        let is_number = match value {
            Some(Value::Number(number)) => number.as_i64().is_some_and(|number| number >= 0),
            Some(Value::String(text)) => {
                let percent =
                    text.strip_suffix('%').and_then(|percent| percent.parse::<u32>().ok());
                percent.is_some_and(|percent| name == "maxSurge" || percent <= 100)
            }
            _ => true,
        };
        if !is_number {
            return Err(format!(
                "spec.{field}.rollingUpdate.{name}: use a whole number, or a percentage such as 25%"
            ));
        }
    }
    Ok(())
}

fn is_zero(value: Option<&Value>) -> bool {
    value.is_some_and(|value| value.as_i64() == Some(0) || value.as_str() == Some("0%"))
}

fn restart_policy(path: &str, template: &Value, allowed: &[&str]) -> Checked {
    let policy =
        template.pointer("/spec/restartPolicy").and_then(Value::as_str).unwrap_or_default();
    let policy = if policy.is_empty() { "Always" } else { policy };
    if allowed.contains(&policy) || template.get("spec").is_none() {
        return Ok(());
    }
    Err(format!(
        "{path}spec.restartPolicy: \"{policy}\" is not supported: use {}",
        allowed.join(" or ")
    ))
}

/// The template of a workload's pods, which get volumes with the names of `claims`.
fn template_of(path: &str, template: &Value, claims: &[&str]) -> Checked {
    let spec = template.get("spec").unwrap_or(&Value::Null);
    let node = text_of(spec, "nodeName");
    if !node.is_empty() {
        return Err(format!(
            "{path}spec.nodeName: its pods go to {node} past kube-scheduler, whether they fit there or not: use nodeSelector"
        ));
    }
    if let Some(priority) = spec.get("priority").and_then(Value::as_i64).filter(|p| *p != 0)
        && text_of(spec, "priorityClassName").is_empty()
    {
        return Err(format!(
            "{path}spec.priority: the integer value of priority ({priority}) must not be provided in pod spec: name a \
             PriorityClass in priorityClassName"
        ));
    }
    pod(path, template, claims)
}

/// A pod, or the template of one, which has volumes for `claims` besides its own.
fn pod(path: &str, pod: &Value, claims: &[&str]) -> Checked {
    labels(&format!("{path}metadata.labels"), pod.pointer("/metadata/labels"))?;
    let Some(spec) = pod.get("spec") else { return Ok(()) };
    // Its types have been checked.
    let Ok(typed) = PodSpec::deserialize(spec) else { return Ok(()) };
    let path = format!("{path}spec");
    let mut names = BTreeSet::new();
    let volumes = typed.volumes.iter().flatten().map(|volume| volume.name.as_str());
    let volumes: BTreeSet<&str> = volumes.chain(claims.iter().copied()).collect();
    let inits = typed.init_containers.iter().flatten().map(|one| ("initContainers", one));
    for (index, (list, container)) in
        typed.containers.iter().map(|one| ("containers", one)).enumerate().chain(inits.enumerate())
    {
        let at = format!("{path}.{list}[{index}]");
        if !names.insert(container.name.as_str()) {
            return Err(format!(
                "{at}.name: Duplicate value: \"{}\": give it another name",
                container.name
            ));
        }
        for (number, mount) in container.volume_mounts.iter().flatten().enumerate() {
            if !volumes.contains(mount.name.as_str()) {
                return Err(format!(
                    "{at}.volumeMounts[{number}].name: Not found: \"{}\": add it to {path}.volumes",
                    mount.name
                ));
            }
        }
        for (number, port) in container.ports.iter().flatten().enumerate() {
            if !(1..=65535).contains(&port.container_port) {
                return Err(format!(
                    "{at}.ports[{number}].containerPort: must be between 1 and 65535, inclusive"
                ));
            }
        }
    }
    if typed.containers.is_empty() {
        return Err(format!("{path}.containers: Required value: a pod needs a container"));
    }
    for list in ["containers", "initContainers"] {
        for (index, container) in
            spec.get(list).and_then(Value::as_array).into_iter().flatten().enumerate()
        {
            amounts(&format!("{path}.{list}[{index}].resources"), container.get("resources"))?;
        }
    }
    amounts(&format!("{path}.resources"), spec.get("resources"))?;
    if let Some(policy) = typed.preemption_policy.as_deref()
        && !["Never", "PreemptLowerPriority", ""].contains(&policy)
    {
        return Err(format!(
            "{path}.preemptionPolicy: \"{policy}\" is not supported: use Never or PreemptLowerPriority"
        ));
    }
    tolerations(&path, &typed)?;
    spread(&path, &typed)?;
    affinity(&path, &typed)
}

/// A label's key or value that no object may have.
fn labels(path: &str, labels: Option<&Value>) -> Checked {
    for (key, value) in labels.and_then(Value::as_object).into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        let name = key.rsplit('/').next().unwrap_or_default();
        if name.is_empty() || !is_label(name) {
            return Err(format!(
                "{path}: \"{key}\" is no key of a label: use letters, digits, -, _ and ."
            ));
        }
        if !is_label(value) {
            return Err(format!(
                "{path}[{key}]: \"{value}\" is no value of a label: use at most {LABEL_LENGTH} letters, digits, -, _ and ."
            ));
        }
    }
    Ok(())
}

fn is_label(text: &str) -> bool {
    const BETWEEN: [char; 3] = ['-', '_', '.'];
    text.len() <= LABEL_LENGTH
        && text.chars().all(|c| c.is_ascii_alphanumeric() || BETWEEN.contains(&c))
        && !text.starts_with(BETWEEN)
        && !text.ends_with(BETWEEN)
}

/// Requests and limits: no amount is negative, and none is requested beyond its limit.
fn amounts(path: &str, resources: Option<&Value>) -> Checked {
    let Some(resources) = resources else { return Ok(()) };
    for side in ["requests", "limits"] {
        for (name, value) in amounts_of(resources, side) {
            amount(&format!("{path}.{side}[{name}]"), value)?;
        }
    }
    for (name, value) in amounts_of(resources, "requests") {
        let limit = amounts_of(resources, "limits").find(|(limited, _)| *limited == name);
        let (requested, text) = amount(&format!("{path}.requests[{name}]"), value)?;
        // What cannot be overcommitted has a limit, and that is the request.
        let is_extended = name.contains('/') && !name.starts_with("kubernetes.io/")
            || name.starts_with("hugepages-");
        let Some((_, limit)) = limit else {
            if is_extended {
                return Err(format!(
                    "{path}.limits: Required value: a limit must be set for non overcommitable resource {name}"
                ));
            }
            continue;
        };
        let (limited, limit) = amount(&format!("{path}.limits[{name}]"), limit)?;
        match requested.amount_cmp(limited) {
            Ordering::Greater => {
                return Err(format!(
                    "{path}.requests[{name}]: Invalid value: \"{text}\": must be less than or equal to {name} limit of {limit}: \
                     raise the limit or lower the request"
                ));
            }
            Ordering::Less if is_extended => {
                return Err(format!(
                    "{path}.requests[{name}]: Invalid value: \"{text}\": must be equal to {name} limit of {limit}"
                ));
            }
            Ordering::Less | Ordering::Equal => {}
        }
    }
    Ok(())
}

/// The resources that are given in the requests or the limits.
fn amounts_of<'r>(
    resources: &'r Value,
    side: &str,
) -> impl Iterator<Item = (&'r String, &'r Value)> + use<'r> {
    let given = resources.get(side).and_then(Value::as_object);
    given.into_iter().flatten().filter(|(_, value)| !value.is_null())
}

/// The amount in the field `at`, and how it is written.
fn amount(at: &str, value: &Value) -> Result<(Quantity, String), String> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let amount = Quantity::parse(&text)
        .map_err(|_| format!("{at}: \"{text}\" is not a quantity: write it as 500m, 2 or 1Gi"))?;
    if amount.amount_cmp(Quantity::ZERO) == Ordering::Less {
        return Err(format!("{at}: Invalid value: \"{text}\": must be greater than or equal to 0"));
    }
    Ok((amount, text))
}

fn tolerations(path: &str, spec: &PodSpec) -> Checked {
    for (index, toleration) in spec.tolerations.iter().flatten().enumerate() {
        let at = format!("{path}.tolerations[{index}]");
        let key = toleration.key.as_deref().unwrap_or_default();
        let operator = toleration.operator.as_deref().unwrap_or_default();
        let value = toleration.value.as_deref().unwrap_or_default();
        let effect = toleration.effect.as_deref().unwrap_or_default();
        // Without a key it tolerates every taint, and there is nothing to compare.
        if key.is_empty() && operator != "Exists" {
            return Err(format!(
                "{at}.operator: must be Exists when key is empty, which means to match all taints"
            ));
        }
        if operator == "Exists" && !value.is_empty() {
            return Err(format!(
                "{at}.operator: Invalid value: value must be empty when operator is Exists"
            ));
        }
        if !["", "Exists", "Equal", "Lt", "Gt"].contains(&operator) {
            return Err(format!(
                "{at}.operator: \"{operator}\" is not supported: use Equal or Exists"
            ));
        }
        if !["", "NoSchedule", "PreferNoSchedule", "NoExecute"].contains(&effect) {
            return Err(format!(
                "{at}.effect: \"{effect}\" is not supported: use NoSchedule, PreferNoSchedule or NoExecute"
            ));
        }
        // Only NoExecute evicts pods, so only there is something to wait for.
        if toleration.toleration_seconds.is_some() && effect != "NoExecute" {
            return Err(format!("{at}.effect: must be NoExecute when tolerationSeconds is set"));
        }
    }
    Ok(())
}

fn spread(path: &str, spec: &PodSpec) -> Checked {
    for (index, constraint) in spec.topology_spread_constraints.iter().flatten().enumerate() {
        let at = format!("{path}.topologySpreadConstraints[{index}]");
        if constraint.max_skew <= 0 {
            return Err(format!(
                "{at}.maxSkew: Invalid value: {}: must be greater than zero",
                constraint.max_skew
            ));
        }
        if constraint.topology_key.is_empty() {
            return Err(format!(
                "{at}.topologyKey: can not be empty: use e.g. topology.kubernetes.io/zone"
            ));
        }
        if !["DoNotSchedule", "ScheduleAnyway"].contains(&constraint.when_unsatisfiable.as_str()) {
            let given = &constraint.when_unsatisfiable;
            return Err(format!(
                "{at}.whenUnsatisfiable: \"{given}\" is not supported: use DoNotSchedule or ScheduleAnyway"
            ));
        }
    }
    Ok(())
}

/// The requirements of node affinity.
fn affinity(path: &str, spec: &PodSpec) -> Checked {
    let node = spec.affinity.as_ref().and_then(|affinity| affinity.node_affinity.as_ref());
    let required =
        node.and_then(|node| node.required_during_scheduling_ignored_during_execution.as_ref());
    let terms = required.into_iter().flat_map(|selector| &selector.node_selector_terms);
    for expression in terms.flat_map(|term| term.match_expressions.iter().flatten()) {
        let values = expression.values.as_deref().unwrap_or_default();
        let needs = match expression.operator.as_str() {
            "In" | "NotIn" => !values.is_empty(),
            "Exists" | "DoesNotExist" => values.is_empty(),
            "Gt" | "Lt" => matches!(values, [number] if number.parse::<i64>().is_ok()),
            _ => false,
        };
        if !needs {
            return Err(format!(
                "{path}.affinity.nodeAffinity: {} {} cannot have {} values: In and NotIn need some, Exists and DoesNotExist none, Gt \
                 and Lt a number",
                expression.key,
                expression.operator,
                values.len()
            ));
        }
    }
    Ok(())
}
