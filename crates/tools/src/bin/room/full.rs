//! Clusters that are nearly full: no node has room for the pod that waits, and what is free on all of
//! them together is enough. In some, pods hold devices by claims that are made for them alone.

use fastrand::Rng;
use serde_json::{Value, json};

const APPS: [&str; 4] = ["web", "db", "cache", "batch"];

/// What pods hold besides cpu.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// At times extended resources.
    Resources,
    /// Devices.
    Devices,
}

/// The driver of all devices, and the request of all claims.
pub const DRIVER: &str = "gpu.example.com";
pub const REQUEST: &str = "r";

/// Cases for a release without answers, one per line.
pub fn cases(kind: Kind, version: &str, seed: u64, count: usize) -> String {
    let mut rng = Rng::with_seed(seed);
    let mut text = String::new();
    for index in 0..count {
        let case = json!({
            "id": format!("v{version}/full/s{seed}-{index:06}"),
            "scheduler": {"version": version, "config": null},
            "now": "2026-01-01T00:00:00Z",
            "pod": "default/p",
            "cluster": {"apiVersion": "v1", "kind": "List", "items": objects(kind, &mut rng)},
        });
        text.push_str(&case.to_string());
        text.push('\n');
    }
    text
}

struct Free {
    cpu: i64,
    gpu: i64,
    /// Devices of the node that no claim has got.
    devices: Vec<String>,
}

fn objects(kind: Kind, rng: &mut Rng) -> Vec<Value> {
    let mut objects = vec![json!({"apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": "default", "labels": {"kubernetes.io/metadata.name": "default"}}})];
    let with_terms = rng.u8(..3) > 0;
    let with_gpus = kind == Kind::Resources && rng.u8(..3) == 0;
    if kind == Kind::Devices {
        objects.push(json!({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass",
            "metadata": {"name": "gpu"}, "spec": {}}));
    }
    let mut free: Vec<Free> = Vec::new();
    for at in 0..rng.usize(2..=8) {
        let (cpu, gpu) = (rng.i64(4..=8), if with_gpus { 4 } else { 0 });
        let amounts = json!({"cpu": cpu.to_string(), "memory": "32Gi", "pods": "20",
            "nvidia.com/gpu": gpu.to_string()});
        let name = format!("n{at}");
        objects.push(json!({"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "uid": format!("node-{at}"), "labels": {"kubernetes.io/hostname": name,
                "topology.kubernetes.io/zone": format!("z{}", rng.u8(..3))}},
            "spec": {}, "status": {"capacity": amounts, "allocatable": amounts}}));
        let devices: Vec<String> = if kind == Kind::Devices {
            (0..rng.usize(..=4)).map(|device| format!("d{device}")).collect()
        } else {
            Vec::new()
        };
        if !devices.is_empty() {
            objects.push(slice(&format!("n{at}"), &devices));
        }
        free.push(Free { cpu, gpu, devices });
    }
    for index in 0..rng.usize(4..=20) {
        let at = rng.usize(..free.len());
        let (cpu, gpu) = (rng.i64(1..=3), if with_gpus { rng.i64(0..=2) } else { 0 });
        if free[at].cpu < cpu || free[at].gpu < gpu {
            continue;
        }
        free[at].cpu -= cpu;
        free[at].gpu -= gpu;
        let app = APPS[rng.usize(..APPS.len())];
        let mut pod = pod(&format!("r{index:02}"), app, cpu, gpu, rng.i64(-1..=2));
        pod["spec"]["nodeName"] = format!("n{at}").into();
        pod["status"] = json!({"phase": "Running", "startTime": "2025-12-01T00:00:00Z"});
        if with_terms {
            terms(rng, &mut pod, app);
        }
        let held = rng.usize(..=2).min(free[at].devices.len());
        if held > 0 {
            let devices: Vec<String> = free[at].devices.drain(..held).collect();
            let mut claim = claim(&mut pod, held);
            claim["status"] = allocation(&pod, &format!("n{at}"), &devices);
            objects.push(claim);
        }
        objects.push(pod);
    }
    let app = APPS[rng.usize(..APPS.len())];
    let largest = free.iter().map(|free| free.cpu).max().unwrap_or(0);
    let devices = free.iter().map(|free| free.gpu).max().unwrap_or(0);
    let by_devices = with_gpus && devices < 4 && rng.bool();
    let (cpu, gpu) = if by_devices { (1, devices + 1) } else { (largest + 1, 0) };
    let mut asks = pod("p", app, cpu, gpu, 0);
    asks["spec"]["preemptionPolicy"] = "Never".into();
    if with_terms {
        terms(rng, &mut asks, app);
    }
    let most = free.iter().map(|free| free.devices.len()).max().unwrap_or(0);
    if kind == Kind::Devices && rng.u8(..4) > 0 {
        // Often what is short are devices alone.
        if rng.bool() {
            for list in ["requests", "limits"] {
                asks["spec"]["containers"][0]["resources"][list]["cpu"] = "1".into();
            }
        }
        objects.push(claim(&mut asks, most + 1));
    }
    objects.push(asks);
    if rng.u8(..3) == 0 {
        let app = APPS[rng.usize(..APPS.len())];
        objects.push(json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": "some", "namespace": "default"}, "spec": {"selector": {"matchLabels": {"app": app}}},
            "status": {"disruptionsAllowed": rng.i64(0..=1)}}));
    }
    objects
}

fn pod(name: &str, app: &str, cpu: i64, gpu: i64, priority: i64) -> Value {
    let mut requests = json!({"cpu": cpu.to_string(), "memory": "1Gi"});
    if gpu > 0 {
        requests["nvidia.com/gpu"] = gpu.to_string().into();
    }
    json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "uid": format!("pod-{name}"), "labels": {"app": app},
            "creationTimestamp": "2025-12-01T00:00:00Z"},
        "spec": {"schedulerName": "default-scheduler", "priority": priority,
            "containers": [{"name": "c", "image": "img:1", "resources": {"requests": requests, "limits": requests}}]},
        "status": {"phase": "Pending"}})
}

/// The devices of a node.
fn slice(node: &str, devices: &[String]) -> Value {
    let devices: Vec<Value> = devices.iter().map(|name| json!({"name": name})).collect();
    json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": node},
        "spec": {"driver": DRIVER, "nodeName": node, "devices": devices,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1}}})
}

/// Creates a claim for that many devices, used by one pod only.
fn claim(pod: &mut Value, devices: usize) -> Value {
    let (name, uid) = (pod["metadata"]["name"].clone(), pod["metadata"]["uid"].clone());
    let claim = format!("{}-gpu", name.as_str().unwrap_or_default());
    pod["spec"]["resourceClaims"] = json!([{"name": "gpu", "resourceClaimTemplateName": "gpu"}]);
    pod["spec"]["containers"][0]["resources"]["claims"] = json!([{"name": "gpu"}]);
    pod["status"]["resourceClaimStatuses"] = json!([{"name": "gpu", "resourceClaimName": claim}]);
    json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
        "metadata": {"name": claim, "namespace": "default", "uid": format!("uid-{claim}"),
            "annotations": {"resource.kubernetes.io/pod-claim-name": "gpu"},
            "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid, "controller": true}]},
        "spec": {"devices": {"requests": [{"name": REQUEST, "exactly": {"deviceClassName": "gpu",
            "allocationMode": "ExactCount", "count": devices}}]}}})
}

/// The status of a pod's claim that has got these devices of a node.
pub fn allocation(pod: &Value, node: &str, devices: &[String]) -> Value {
    let results: Vec<Value> = devices
        .iter()
        .map(|device| json!({"request": REQUEST, "driver": DRIVER, "pool": node, "device": device}))
        .collect();
    let on_node = json!({"key": "metadata.name", "operator": "In", "values": [node]});
    json!({
        "allocation": {"devices": {"results": results},
            "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [on_node]}]}},
        "reservedFor": [{"resource": "pods", "name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]}],
    })
}

/// Gives some pods a term that makes them depend on other nodes.
fn terms(rng: &mut Rng, pod: &mut Value, app: &str) {
    let key = if rng.bool() { "topology.kubernetes.io/zone" } else { "kubernetes.io/hostname" };
    let selector = json!({"matchLabels": {"app": app}});
    match rng.u8(..8) {
        0 => {
            pod["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] =
                json!([{"topologyKey": key, "labelSelector": selector}]);
        }
        1 => {
            pod["spec"]["topologySpreadConstraints"] = json!([{"topologyKey": key, "maxSkew": 2,
                "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}]);
        }
        _ => {}
    }
}
