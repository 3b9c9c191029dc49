//! Workloads, budgets and quotas.

use serde_json::{Map, Value, json};

use super::{Described, Description, is_status, without_nothing};

/// Adds the workload or quota of a description; `None` if it is none.
pub(super) fn read(object: &Description<'_>, described: &mut Described) -> Option<&'static str> {
    let (kind, version) = if object.has("StrategyType") {
        ("Deployment", "apps/v1")
    } else if object.has("Update Strategy") && object.has("Replicas") {
        ("StatefulSet", "apps/v1")
    } else if object.has("Parallelism") {
        ("Job", "batch/v1")
    } else if object.has("Pods Status") && object.has("Replicas") {
        ("ReplicaSet", "apps/v1")
    } else if object.fields.iter().any(|field| is_quota(field.name)) {
        described.add(quota(object), None);
        return Some("ResourceQuota");
    } else {
        return None;
    };
    let (wanted, made) = replicas(object.value("Replicas").unwrap_or_default());
    let template = object.field("Pod Template");
    let labels = template.and_then(|template| template.field("Labels"));
    let labels = labels.map(|field| field.pairs("=")).unwrap_or_default();
    let conditions = object.rows("Conditions").iter().filter_map(|row| {
        let words: Vec<&str> = row.split_whitespace().collect();
        let [name, status, reason] = words[..] else { return None };
        is_status(status).then(|| json!({"type": name, "status": status, "reason": reason}))
    });
    described.add(
        json!({
            "apiVersion": version,
            "kind": kind,
            "metadata": object.metadata(),
            "spec": {
                "replicas": wanted,
                "selector": object.value("Selector").map(label_selector),
                "template": {"metadata": {"labels": labels}, "spec": {"containers": []}},
            },
            "status": {
                "replicas": made,
                "conditions": conditions.collect::<Vec<_>>(),
            },
        }),
        None,
    );
    Some(kind)
}

/// How many are wanted, and how many there are: `1 desired | 1 updated | 1 total`, `1 current / 1 desired`.
fn replicas(text: &str) -> (Option<u32>, Option<u32>) {
    let number = |name: &str| {
        let mut parts = text.split(['|', '/']).map(str::trim);
        parts.find_map(|part| part.strip_suffix(name)?.trim().parse().ok())
    };
    (number("desired"), number("total").or_else(|| number("current")))
}

fn is_quota(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    words == ["Resource", "Used", "Hard"]
}

/// The table of a quota: resource, used, hard.
fn quota(quota: &Description<'_>) -> Value {
    let (mut used, mut hard) = (Map::new(), Map::new());
    for field in &quota.fields {
        let words: Vec<&str> = field.name.split_whitespace().collect();
        let [resource, is, most] = words[..] else { continue };
        if resource != "Resource" && !resource.starts_with('-') {
            used.insert(resource.to_owned(), is.into());
            hard.insert(resource.to_owned(), most.into());
        }
    }
    json!({
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": quota.metadata(),
        "spec": {"hard": hard.clone()},
        "status": {"used": used, "hard": hard},
    })
}

/// Adds the budget of a description.
pub(super) fn read_budget(budget: &Description<'_>, described: &mut Described) {
    let status = budget.field("Status");
    let count =
        |name: &str| status.and_then(|status| status.field(name)?.value()?.parse::<u32>().ok());
    let mut spec = json!({
        "minAvailable": pods_or_share(budget.value("Min available")),
        "maxUnavailable": pods_or_share(budget.value("Max unavailable")),
        "selector": budget.value("Selector").map(label_selector),
    });
    without_nothing(&mut spec);
    described.add(
        json!({
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": budget.metadata(),
            "spec": spec,
            "status": {
                "disruptionsAllowed": count("Allowed disruptions").unwrap_or_default(),
                "currentHealthy": count("Current").unwrap_or_default(),
                "desiredHealthy": count("Desired").unwrap_or_default(),
                "expectedPods": count("Total").unwrap_or_default(),
            },
        }),
        None,
    );
}

/// A number of pods, or `25%`.
fn pods_or_share(text: Option<&str>) -> Option<Value> {
    let text = text.filter(|text| *text != "N/A")?;
    Some(text.parse::<u32>().map_or_else(|_| Value::from(text), Value::from))
}

/// `app=web,tier in (a,b),!old` as the API has it.
pub(super) fn label_selector(text: &str) -> Value {
    let (mut labels, mut expressions) = (Map::new(), Vec::new());
    let mut depth = 0;
    let parts = text.split(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once('=') {
            Some((key, value)) if !key.ends_with('!') => {
                labels.insert(key.to_owned(), value.into());
            }
            _ => expressions.extend(expression(part)),
        }
    }
    json!({"matchLabels": labels, "matchExpressions": expressions})
}

/// `zone in [a, b]`, `tier notin (a,b)`, `disk exists`, `!old`.
pub(super) fn expression(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Some(key) = text.strip_prefix('!') {
        return Some(json!({"key": key, "operator": "DoesNotExist"}));
    }
    let mut words = text.splitn(3, ' ');
    let key = words.next()?;
    let operator = match words.next() {
        Some("in") => "In",
        Some("notin") => "NotIn",
        Some("gt") => "Gt",
        Some("lt") => "Lt",
        Some("doesnotexist") => "DoesNotExist",
        _ => "Exists",
    };
    let values = words.next().unwrap_or_default().trim_matches(['[', ']', '(', ')']);
    let values = values.split(',').map(str::trim).filter(|value| !value.is_empty());
    let values: Vec<&str> = values.collect();
    Some(json!({"key": key, "operator": operator, "values": values}))
}
