//! Pods.

use serde_json::{Value, json};

use super::events::{self, Times};
use super::fields::Field;
use super::{Described, Description, is_status, without_nothing};
use crate::cluster::node::taint_parts;

/// What `kubectl describe pod` does not print.
const HIDDEN: &str = "kubectl describe does not print affinity, scheduling gates, overhead, preemptionPolicy and \
                      schedulerName; kubectl get pods -A -o json has them";

/// Adds the pod of a description.
pub(super) fn read(pod: &Description<'_>, times: &Times, described: &mut Described) {
    let node = pod.value("Node").and_then(|node| node.split('/').next());
    let metadata = pod.metadata();
    let mut object = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {
            "containers": containers(pod.field("Containers")),
            "initContainers": containers(pod.field("Init Containers")),
            "nodeName": node,
            "nodeSelector": pod.pairs("Node-Selectors", "="),
            "tolerations": tolerations(pod.field("Tolerations")),
            "topologySpreadConstraints": spread(pod.field("Topology Spread Constraints")),
            "volumes": volumes(pod.field("Volumes"), pod.name),
            "priority": pod.value("Priority").and_then(|text| text.parse::<i32>().ok()),
            "priorityClassName": pod.value("Priority Class Name"),
            "serviceAccountName": pod.value("Service Account"),
            "runtimeClassName": pod.value("Runtime Class Name"),
        },
        "status": {
            "phase": phase(pod),
            "reason": pod.value("Reason"),
            "message": pod.value("Message"),
            "qosClass": pod.value("QoS Class").unwrap_or_default(),
            "nominatedNodeName": pod.value("NominatedNodeName"),
            "startTime": pod.value("Start Time").and_then(events::rfc3339),
            "conditions": conditions(pod),
            "containerStatuses": statuses(pod.field("Containers")),
            "initContainerStatuses": statuses(pod.field("Init Containers")),
        },
    });
    // A pod that ends says since when, and how long it may take.
    if let Some(status) = pod.value("Status").filter(|status| status.starts_with("Terminating")) {
        let since = status
            .split_once("(lasts ")
            .and_then(|(_, age)| times.before(age.trim_end_matches(')')));
        let grace = pod.value("Termination Grace Period").and_then(events::duration);
        if let Some(metadata) = object.get_mut("metadata") {
            metadata["deletionTimestamp"] = since.or_else(|| times.before("0s")).into();
            metadata["deletionGracePeriodSeconds"] = grace.map(|grace| grace.as_secs()).into();
        }
    }
    without_nothing(&mut object);
    described.add(object, Some(("spec.affinity", HIDDEN)));
}

/// The phase: that of a pod that ends is not shown, but follows from its node.
fn phase<'t>(pod: &Description<'t>) -> &'t str {
    let status = pod.value("Status").unwrap_or("Pending");
    match status.split_whitespace().next().unwrap_or_default() {
        "Terminating" if pod.value("Node").is_some() => "Running",
        "Terminating" => "Pending",
        word => word,
    }
}

/// Name and whether it is true, of each line of the table; the message of the last try stands in the Event.
fn conditions(pod: &Description<'_>) -> Vec<Value> {
    let message = last_message(pod);
    pod.rows("Conditions").iter().filter_map(|row| condition(row, message)).collect()
}

fn condition(row: &str, message: Option<&str>) -> Option<Value> {
    let mut words = row.split_whitespace();
    let (name, status) = (words.next()?, words.next()?);
    if !is_status(status) {
        return None;
    }
    let is_tried = name == "PodScheduled" && status == "False" && message.is_some();
    let reason = is_tried.then_some("Unschedulable");
    let message = message.filter(|_| is_tried);
    let mut condition =
        json!({"type": name, "status": status, "reason": reason, "message": message});
    without_nothing(&mut condition);
    Some(condition)
}

/// What kube-scheduler wrote last.
fn last_message<'t>(pod: &Description<'t>) -> Option<&'t str> {
    let events = pod.rows("Events").iter().filter_map(|row| events::of_row(row));
    let mut by_scheduler = events.filter(|event| {
        event.reason == "FailedScheduling"
            && !["karpenter", "cluster-autoscaler"].contains(&event.from)
    });
    by_scheduler.next_back().map(|event| event.message)
}

fn containers(field: Option<&Field<'_>>) -> Vec<Value> {
    field.map(Field::fields).unwrap_or_default().iter().map(container).collect()
}

fn container(field: &Field<'_>) -> Value {
    json!({
        "name": field.name,
        "image": field.value_of("Image").unwrap_or_default(),
        "resources": {
            "requests": field.values_of("Requests"),
            "limits": field.values_of("Limits"),
        },
        "ports": ports(field),
    })
}

/// `Port: 80/TCP` with `Host Port: 8080/TCP`, or several of each in `Ports` and `Host Ports`.
fn ports(container: &Field<'_>) -> Vec<Value> {
    let (inner, outer) =
        (numbered(container, ["Port", "Ports"]), numbered(container, ["Host Port", "Host Ports"]));
    inner
        .into_iter()
        .enumerate()
        .map(|(at, (port, protocol))| {
            let host = outer.get(at).map_or(0, |(port, _)| *port);
            let mut port = json!({"containerPort": port, "protocol": protocol});
            if host > 0 {
                port["hostPort"] = host.into();
            }
            port
        })
        .collect()
}

/// Numbers and protocols of the field with one of the names.
fn numbered(container: &Field<'_>, names: [&str; 2]) -> Vec<(u16, String)> {
    let field = names.iter().find_map(|name| container.field(name));
    let text = field.and_then(|field| field.value()).unwrap_or_default();
    text.split(',')
        .filter_map(|port| {
            let (number, protocol) = port.trim().split_once('/')?;
            // `8080/TCP (http)` names it, too.
            let protocol = protocol.split_whitespace().next()?;
            Some((number.parse().ok()?, protocol.to_owned()))
        })
        .collect()
}

/// Which state each container is in, with the reason.
fn statuses(field: Option<&Field<'_>>) -> Vec<Value> {
    let containers = field.map(Field::fields).unwrap_or_default();
    containers.iter().filter_map(status).collect()
}

fn status(container: &Field<'_>) -> Option<Value> {
    let state = container.field("State")?;
    let name = state.value()?.to_lowercase();
    let mut of_state =
        json!({"reason": state.value_of("Reason"), "message": state.value_of("Message")});
    without_nothing(&mut of_state);
    let restarts = container.value_of("Restart Count").and_then(|count| count.parse::<u32>().ok());
    let ready = container.value_of("Ready") == Some("True");
    Some(json!({
        "name": container.name, "state": {name: of_state}, "ready": ready,
        "restartCount": restarts.unwrap_or_default(),
    }))
}

fn tolerations(field: Option<&Field<'_>>) -> Vec<Value> {
    field.map(Field::lines).unwrap_or_default().into_iter().map(toleration).collect()
}

/// `key=value:NoSchedule op=Exists for 300s`, each part of which may be missing.
fn toleration(line: &str) -> Value {
    let (line, seconds) = match line.split_once(" for ") {
        Some((line, seconds)) => (line, events::duration(seconds).map(|time| time.as_secs())),
        None => (line, None),
    };
    let exists = line.split_whitespace().any(|word| word == "op=Exists");
    let taint = line.split_whitespace().find(|word| !word.starts_with("op=")).unwrap_or_default();
    let (key, value, effect) = taint_parts(taint);
    let operator = if exists { "Exists" } else { "Equal" };
    let mut toleration = json!({
        "key": key, "operator": operator, "value": value, "effect": effect,
        "tolerationSeconds": seconds,
    });
    without_nothing(&mut toleration);
    toleration
}

fn spread(field: Option<&Field<'_>>) -> Vec<Value> {
    field.map(Field::lines).unwrap_or_default().into_iter().filter_map(constraint).collect()
}

/// `topology.kubernetes.io/zone:DoNotSchedule when max skew 1 is exceeded for selector app=web`.
fn constraint(line: &str) -> Option<Value> {
    let (domain, rest) = line.split_once(" when max skew ")?;
    let (key, action) = domain.rsplit_once(':')?;
    let (skew, selector) = rest.split_once(" is exceeded")?;
    let selector = selector.strip_prefix(" for selector ").map(super::workloads::label_selector);
    let skew: i32 = skew.parse().ok()?;
    let mut constraint = json!({
        "topologyKey": key, "whenUnsatisfiable": action, "maxSkew": skew, "labelSelector": selector,
    });
    without_nothing(&mut constraint);
    Some(constraint)
}

/// Volumes by their types; of a type that no rule reads only the name is kept.
fn volumes(field: Option<&Field<'_>>, pod: &str) -> Vec<Value> {
    field.map(Field::fields).unwrap_or_default().iter().map(|field| volume(field, pod)).collect()
}

fn volume(volume: &Field<'_>, pod: &str) -> Value {
    let kind =
        volume.value_of("Type").and_then(|kind| kind.split_whitespace().next()).unwrap_or_default();
    let source = match kind {
        "PersistentVolumeClaim" => json!({"persistentVolumeClaim": {
            "claimName": volume.value_of("ClaimName").unwrap_or_default(),
            "readOnly": volume.value_of("ReadOnly") == Some("true")}}),
        "EphemeralVolume" => {
            json!({"persistentVolumeClaim": {"claimName": format!("{pod}-{}", volume.name)}})
        }
        "AWSElasticBlockStore" => {
            json!({"awsElasticBlockStore": {"volumeID": volume.value_of("VolumeID")}})
        }
        "GCEPersistentDisk" => json!({"gcePersistentDisk": {"pdName": volume.value_of("PDName"),
            "readOnly": volume.value_of("ReadOnly") == Some("true")}}),
        "AzureDisk" => json!({"azureDisk": {"diskName": volume.value_of("DiskName")}}),
        "HostPath" => json!({"hostPath": {"path": volume.value_of("Path")}}),
        "CSI" => json!({"csi": {"driver": volume.value_of("Driver")}}),
        "EmptyDir" => json!({"emptyDir": {}}),
        _ => json!({"projected": {}}),
    };
    let mut object = json!({"name": volume.name});
    if let (Value::Object(object), Value::Object(source)) = (&mut object, source) {
        object.extend(source);
    }
    object
}
