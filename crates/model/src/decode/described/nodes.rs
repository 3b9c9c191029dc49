//! Nodes, and the pods of their tables.

use serde_json::{Map, Value, json};

use super::events::{self, Times};
use super::fields::Field;
use super::{Described, Description, is_status};
use crate::cluster::Quantity;
use crate::cluster::node::taint_parts;

/// What the table of a node shows of a pod is its requests alone.
pub(super) const ONLY_IN_TABLE: &str = "only the table of its node shows it, with its requests: priority, labels, ports and \
                                        affinity are not in it; kubectl get pods -A -o json has them";

/// What stands for pods that the table of a node lacks.
pub(super) const NOT_IN_TABLE: &str = "it stands for the pods of its node that the text does not show, with what they request \
                                       together as far as Allocated resources says it; kubectl describe node shows them";

/// A priority above those of all pods.
const UNTOUCHABLE: i32 = 2_000_001_000;

/// Adds the node of a description, and the pods of its table.
pub(super) fn read(node: &Description<'_>, times: &Times, described: &mut Described) {
    let mut metadata = node.metadata();
    metadata["creationTimestamp"] =
        node.value("CreationTimestamp").and_then(events::rfc3339).into();
    let taints = node.field("Taints").map(Field::lines).unwrap_or_default();
    let system = node.field("System Info");
    let version = system.and_then(|system| system.value_of("Kubelet Version"));
    let os = system.and_then(|system| system.value_of("Operating System"));
    let architecture = system.and_then(|system| system.value_of("Architecture"));
    let object = json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        "spec": {
            "unschedulable": node.value("Unschedulable") == Some("true"),
            "taints": taints.into_iter().map(taint).collect::<Vec<_>>(),
            "providerID": node.value("ProviderID").unwrap_or_default(),
        },
        "status": {
            "capacity": node.values("Capacity"),
            "allocatable": node.values("Allocatable"),
            "conditions": conditions(node),
            "nodeInfo": {
                "kubeletVersion": version.unwrap_or_default(),
                "operatingSystem": os.unwrap_or_default(),
                "architecture": architecture.unwrap_or_default(),
            },
        },
    });
    described.add(object, None);

    let pods: Vec<Value> = node
        .rows("Non-terminated Pods")
        .iter()
        .filter_map(|row| pod(row, node.name, times))
        .collect();
    let others = others(node, &pods);
    for pod in pods {
        described.add(pod, Some(("spec.affinity", ONLY_IN_TABLE)));
    }
    if let Some(pod) = others {
        described.add(pod, Some(("spec.affinity", NOT_IN_TABLE)));
    }
}

fn taint(line: &str) -> Value {
    let (key, value, effect) = taint_parts(line);
    json!({"key": key, "value": value.unwrap_or_default(), "effect": effect})
}

/// The pods that a table lacks which was cut or is missing, as one that cannot be evicted: what the
/// pods of the node request together is below the table.
fn others(node: &Description<'_>, pods: &[Value]) -> Option<Value> {
    let counted = node.value("Non-terminated Pods").and_then(|count| {
        count.trim_start_matches('(').split_whitespace().next()?.parse::<usize>().ok()
    });
    let is_whole = counted == Some(pods.len());
    let all = node.rows("Allocated resources").iter().filter_map(|row| {
        let mut words = row.split_whitespace();
        let (resource, amount) = (words.next()?, Quantity::parse(words.next()?).ok()?);
        Some((resource, amount))
    });
    let mut requests = Map::new();
    for (resource, amount) in all {
        let of_pods = pods.iter().filter_map(|pod| {
            let requests = &pod["spec"]["containers"][0]["resources"]["requests"];
            requests[resource].as_str().and_then(|amount| Quantity::parse(amount).ok())
        });
        let rest = of_pods.fold(amount, |rest, own| rest - own);
        // A whole table still has no column for resources besides these, and rounds nothing of them.
        let is_listed = is_whole && ["cpu", "memory"].contains(&resource);
        if rest > Quantity::ZERO && !is_listed {
            requests.insert(resource.to_owned(), rest.to_string().into());
        }
    }
    if is_whole && requests.is_empty() {
        return None;
    }
    Some(json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": "not-shown", "name": format!("pods-of-{}", node.name)},
        "spec": {
            "nodeName": node.name,
            "priority": UNTOUCHABLE,
            "containers": [{"name": "all", "resources": {"requests": requests}}],
        },
        "status": {"phase": "Running"},
    }))
}

fn conditions(node: &Description<'_>) -> Vec<Value> {
    node.rows("Conditions").iter().filter_map(|row| condition(row)).collect()
}

/// `Ready True Fri, 14 Nov … Fri, 14 Nov … KubeletReady kubelet is posting ready status`.
fn condition(row: &str) -> Option<Value> {
    let mut columns = row.split("  ").map(str::trim).filter(|column| !column.is_empty());
    let (name, status) = (columns.next()?, columns.next()?);
    if !is_status(status) {
        return None;
    }
    let (heard, changed) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
    Some(json!({
        "type": name, "status": status,
        "lastHeartbeatTime": events::rfc3339(heard), "lastTransitionTime": events::rfc3339(changed),
        "reason": columns.next().unwrap_or_default(), "message": columns.next().unwrap_or_default(),
    }))
}

/// `kube-system dns-1 100m (1%) 0 (0%) 50Mi (0%) 0 (0%) 94d`: requests and limits of cpu and memory.
fn pod(row: &str, node: &str, times: &Times) -> Option<Value> {
    let words: Vec<&str> = row.split_whitespace().collect();
    // Up to 1.12 the table has no ages.
    let [namespace, name, cpu, share, _, _, memory, _, _, _, ref rest @ ..] = words[..] else {
        return None;
    };
    let age = rest.first().copied().unwrap_or_default();
    if !share.starts_with('(') {
        return None;
    }
    let mut requests = Map::new();
    for (resource, amount) in [("cpu", cpu), ("memory", memory)] {
        if amount != "0" {
            requests.insert(resource.to_owned(), amount.into());
        }
    }
    Some(json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": namespace, "name": name, "creationTimestamp": times.before(age)},
        "spec": {
            "nodeName": node,
            "containers": [{"name": "all", "resources": {"requests": requests}}],
        },
        "status": {"phase": "Running"},
    }))
}
