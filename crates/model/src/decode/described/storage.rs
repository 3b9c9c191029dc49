//! Claims, volumes and storage classes.

use serde_json::{Value, json};

use super::events;
use super::fields::Field;
use super::workloads::expression;
use super::{Described, Description};

/// What `kubectl describe pvc` does not print.
const HIDDEN: &str = "kubectl describe does not print how much a claim asks for, and its selector; kubectl get pvc -A -o json \
                      has them";

/// What the Events of a claim do not say of its class.
const CLASS_OF_EVENT: &str = "an Event of a claim shows that it exists and when it binds, and nothing else; kubectl get storageclass \
                              -o json has the rest";

/// Adds the object of a description of storage; `None` if it is none.
pub(super) fn read(object: &Description<'_>, described: &mut Described) -> Option<&'static str> {
    if object.has("Used By") || object.has("StorageClass") && object.has("Volume") {
        claim(object, described);
        Some("PersistentVolumeClaim")
    } else if object.has("Reclaim Policy") && object.has("Claim") {
        described.add(volume(object), None);
        Some("PersistentVolume")
    } else if object.has("VolumeBindingMode") {
        described.add(class(object), None);
        Some("StorageClass")
    } else {
        None
    }
}

/// `RWO,ROX` as the API names them.
fn access_modes(object: &Description<'_>) -> Vec<&'static str> {
    let modes = object.value("Access Modes").unwrap_or_default().split(',');
    let modes = modes.filter_map(|short| match short.trim() {
        "RWO" => Some("ReadWriteOnce"),
        "ROX" => Some("ReadOnlyMany"),
        "RWX" => Some("ReadWriteMany"),
        "RWOP" => Some("ReadWriteOncePod"),
        _ => None,
    });
    modes.collect()
}

fn claim(claim: &Description<'_>, described: &mut Described) {
    let volume = claim.value("Volume");
    let modes = access_modes(claim);
    let size = claim.value("Capacity");
    let object = json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": claim.metadata(),
        "spec": {
            "storageClassName": claim.value("StorageClass").unwrap_or_default(),
            "volumeName": volume.unwrap_or_default(),
            "volumeMode": claim.value("VolumeMode").unwrap_or("Filesystem"),
            "accessModes": modes,
            "resources": {"requests": {"storage": size.unwrap_or("0")}},
        },
        "status": {"phase": claim.value("Status").unwrap_or_default()},
    });
    // Of a class that is not described, the controller of volumes says how it binds.
    let mut events = claim.rows("Events").iter().filter_map(|row| events::of_row(row));
    let selected = claim.pairs("Annotations", ":");
    // That it is provisioned shows nothing: classes of both modes have that.
    let waits = events
        .any(|event| ["WaitForFirstConsumer", "WaitForPodScheduled"].contains(&event.reason))
        || selected.contains_key("volume.kubernetes.io/selected-node");
    let mode = "WaitForFirstConsumer";
    if let Some(name) = claim.value("StorageClass").filter(|_| waits) {
        let class = json!({
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": name},
            "provisioner": "unknown",
            "volumeBindingMode": mode,
        });
        described.add(class, Some(("provisioner", CLASS_OF_EVENT)));
    }
    // Of a bound claim the volume decides.
    let hidden = volume.is_none().then_some(("spec.resources.requests", HIDDEN));
    described.add(object, hidden);
}

fn volume(volume: &Description<'_>) -> Value {
    let source = volume.field("Source");
    let of_source = source.map(Field::values).unwrap_or_default();
    let kind = of_source.get("Type").and_then(Value::as_str).unwrap_or_default();
    let kind = kind.split_whitespace().next().unwrap_or_default();
    let source = match kind {
        "CSI" => {
            json!({"csi": {"driver": of_source.get("Driver"), "volumeHandle": of_source.get("VolumeHandle")}})
        }
        "AWSElasticBlockStore" => {
            json!({"awsElasticBlockStore": {"volumeID": of_source.get("VolumeID")}})
        }
        "GCEPersistentDisk" => json!({"gcePersistentDisk": {"pdName": of_source.get("PDName")}}),
        "AzureDisk" => json!({"azureDisk": {"diskName": of_source.get("DiskName")}}),
        "LocalVolume" => json!({"local": {"path": of_source.get("Path")}}),
        _ => json!({"hostPath": {"path": of_source.get("Path")}}),
    };
    let claim = volume.value("Claim").and_then(|claim| claim.split_once('/'));
    let mut spec = json!({
        "storageClassName": volume.value("StorageClass").unwrap_or_default(),
        "volumeMode": volume.value("VolumeMode").unwrap_or("Filesystem"),
        "accessModes": access_modes(volume),
        "capacity": {"storage": volume.value("Capacity").unwrap_or("0")},
        "claimRef": claim.map(|(namespace, name)| json!({
            "kind": "PersistentVolumeClaim", "namespace": namespace, "name": name})),
        "nodeAffinity": node_affinity(volume.field("Node Affinity")),
    });
    if let (Value::Object(spec), Value::Object(source)) = (&mut spec, source) {
        spec.extend(source);
        spec.retain(|_, value| !value.is_null());
    }
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": volume.metadata(),
        "spec": spec,
        "status": {"phase": volume.value("Status").unwrap_or_default()},
    })
}

/// `Required Terms:` with `Term 0:  topology.kubernetes.io/zone in [a, b]`, one expression on a line.
fn node_affinity(field: Option<&Field<'_>>) -> Option<Value> {
    let terms = field?.field("Required Terms")?;
    let terms: Vec<Value> = terms
        .fields()
        .iter()
        .map(|term| {
            let expressions: Vec<Value> = term.lines().into_iter().filter_map(expression).collect();
            json!({"matchExpressions": expressions})
        })
        .collect();
    Some(json!({"required": {"nodeSelectorTerms": terms}}))
}

fn class(class: &Description<'_>) -> Value {
    let mut metadata = class.metadata();
    if class.value("IsDefaultClass") == Some("Yes") {
        metadata["annotations"]["storageclass.kubernetes.io/is-default-class"] = "true".into();
    }
    json!({
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": metadata,
        "provisioner": class.value("Provisioner").unwrap_or_default(),
        "volumeBindingMode": class.value("VolumeBindingMode").unwrap_or("Immediate"),
    })
}
