//! Kubernetes objects in few words. Whatever has no word of its own is set by [`Object::with`].

use serde_json::{Value, json};

use crate::kubelets::running;

/// The namespace of everything that has one.
pub const NAMESPACE: &str = "stage";

/// The gate of [`Object::last`].
pub const LAST: &str = "example.com/last";

/// Priority classes of the test: name, value, preemption policy.
pub const CLASSES: [(&str, i64, &str); 6] = [
    ("low", 100, "PreemptLowerPriority"),
    ("middle", 500, "PreemptLowerPriority"),
    ("high", 1000, "PreemptLowerPriority"),
    ("polite", 1000, "Never"),
    ("queen", 5000, "PreemptLowerPriority"),
    ("king", 5000, "Never"),
];

/// An object, and where it is created.
#[derive(Debug, Clone)]
pub struct Object {
    /// Of the collection.
    pub path: String,
    pub json: Value,
    /// Written after creation, as objects are created without.
    pub status: Option<Value>,
    /// Of a budget: how many pods it must be found to spare.
    pub spares: Option<i64>,
}

impl Object {
    fn new(path: &str, json: Value) -> Self {
        Self { path: path.to_owned(), json, status: None, spares: None }
    }

    fn namespaced(api: &str, plural: &str, json: Value) -> Self {
        Self::new(&format!("{api}/namespaces/{NAMESPACE}/{plural}"), json)
    }

    pub fn name(&self) -> &str {
        self.json["metadata"]["name"].as_str().expect("a name")
    }

    /// Sets a field, and whatever is missing above it.
    pub fn with(mut self, pointer: &str, value: Value) -> Self {
        set(&mut self.json, pointer, value);
        self
    }

    pub fn label(self, key: &str, value: &str) -> Self {
        self.with(&format!("/metadata/labels/{}", key.replace('/', "~1")), json!(value))
    }

    /// Of a pod: what it asks for.
    pub fn asks(self, resource: &str, quantity: &str) -> Self {
        let set = |pod: Self, list| {
            let field = resource.replace('/', "~1");
            pod.with(&format!("/spec/containers/0/resources/{list}/{field}"), json!(quantity))
        };
        // What is not divisible needs a limit, too.
        let divisible = ["cpu", "memory"].contains(&resource);
        let pod = set(self, "requests");
        if divisible { pod } else { set(pod, "limits") }
    }

    pub fn cpu(self, quantity: &str) -> Self {
        self.asks("cpu", quantity)
    }

    pub fn class(self, name: &str) -> Self {
        self.with("/spec/priorityClassName", json!(name))
    }

    /// Of a pod: it runs there, since a while.
    pub fn on(mut self, node: &str) -> Self {
        self.status = Some(running(60));
        self.with("/spec/nodeName", json!(node))
    }

    /// Makes it a pod that has run for `minutes`.
    pub fn since(mut self, minutes: i64) -> Self {
        self.status = Some(running(minutes));
        self
    }

    /// Of a pod: the port of the node that it takes.
    pub fn port(self, port: u16) -> Self {
        self.with("/spec/containers/0/ports", json!([{"containerPort": port, "hostPort": port}]))
    }

    /// Of a pod: its claim.
    pub fn claim(self, name: &str) -> Self {
        self.with(
            "/spec/volumes",
            json!([{"name": "v", "persistentVolumeClaim": {"claimName": name}}]),
        )
    }

    /// Of a pod: it must not, or must, be in one zone or on one node with pods of an app.
    pub fn near(self, affinity: &str, app: &str, key: &str) -> Self {
        let term = json!({"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}});
        self.with(
            &format!("/spec/affinity/{affinity}/requiredDuringSchedulingIgnoredDuringExecution"),
            json!([term]),
        )
    }

    /// Of a pod: nodes may differ by one in the number of pods of an app.
    pub fn spread(self, app: &str, key: &str) -> Self {
        let rule = json!({"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": app}}});
        self.with("/spec/topologySpreadConstraints", json!([rule]))
    }
}

fn set(target: &mut Value, pointer: &str, value: Value) {
    let mut place = target;
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/");
        place = match step.parse::<usize>() {
            Ok(index) => &mut place[index],
            Err(_) => &mut place[step],
        };
    }
    *place = value;
}

/// A node that is ready, with this much CPU, 8Gi of memory and room for ten pods.
pub fn node(name: &str, cpu: &str) -> Object {
    let room = json!({"cpu": cpu, "memory": "8Gi", "pods": "10", "ephemeral-storage": "10Gi"});
    let mut node = Object::new(
        "/api/v1/nodes",
        json!({"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}}, "spec": {}}),
    );
    let ready = json!({"type": "Ready", "status": "True", "reason": "KubeletReady"});
    node.status =
        Some(json!({"status": {"capacity": room, "allocatable": room, "conditions": [ready]}}));
    node
}

pub fn node_in(zone: &str, name: &str, cpu: &str) -> Object {
    node(name, cpu).label("topology.kubernetes.io/zone", zone)
}

impl Object {
    /// Of a node: more of what pods may ask for.
    pub fn offers(mut self, resource: &str, quantity: &str) -> Self {
        if let Some(status) = &mut self.status {
            for list in ["capacity", "allocatable"] {
                status["status"][list][resource] = json!(quantity);
            }
        }
        self
    }

    /// Of a node.
    pub fn taint(self, key: &str) -> Self {
        self.with("/spec/taints", json!([{"key": key, "effect": "NoSchedule"}]))
    }
}

/// A pod without priority and requests that ends at once when it is deleted.
pub fn pod(name: &str) -> Object {
    let container = json!({"name": "c", "image": "none", "resources": {"requests": {}}});
    Object::namespaced(
        "/api/v1",
        "pods",
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {}},
            "spec": {"containers": [container], "terminationGracePeriodSeconds": 30}}),
    )
}

/// So many pods like this one, kept at that number by their controller.
pub fn replicas(name: &str, count: usize, like: &Object) -> Object {
    Object::namespaced(
        "/apis/apps/v1",
        "replicasets",
        json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name},
            "spec": {"replicas": count, "selector": {"matchLabels": like.json["metadata"]["labels"]},
                "template": {"metadata": {"labels": like.json["metadata"]["labels"]}, "spec": like.json["spec"]}}}),
    )
}

/// A workload of a kind of `apps/v1` whose pods are like this one, so many of them.
pub fn workload(kind: &str, name: &str, count: usize, like: &Object) -> Object {
    let plural = format!("{}s", kind.to_lowercase());
    let mut spec = json!({"selector": {"matchLabels": {"app": name}},
        "template": {"metadata": {"labels": like.json["metadata"]["labels"]}, "spec": like.json["spec"]}});
    if kind != "DaemonSet" {
        spec["replicas"] = json!(count);
    }
    if kind == "StatefulSet" {
        spec["serviceName"] = json!(name);
    }
    Object::namespaced(
        "/apis/apps/v1",
        &plural,
        json!({"apiVersion": "apps/v1", "kind": kind,
            "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec}),
    )
}

/// A Job that runs so many pods like this one at a time.
pub fn job(name: &str, count: usize, like: &Object) -> Object {
    let mut spec = like.json["spec"].clone();
    spec["restartPolicy"] = json!("Never");
    Object::namespaced(
        "/apis/batch/v1",
        "jobs",
        json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": NAMESPACE},
            "spec": {"parallelism": count, "template": {
                "metadata": {"labels": like.json["metadata"]["labels"]}, "spec": spec}}}),
    )
}

/// A PodGroup: a gang of this size, or a basic group.
pub fn group(name: &str, min_count: Option<i64>) -> Object {
    let policy = min_count
        .map_or_else(|| json!({"basic": {}}), |count| json!({"gang": {"minCount": count}}));
    Object::namespaced(
        "/apis/scheduling.k8s.io/v1beta1",
        "podgroups",
        json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": name},
            "spec": {"schedulingPolicy": policy}}),
    )
}

impl Object {
    /// Of a pod: its group.
    pub fn of(self, group: &str) -> Self {
        self.with("/spec/schedulingGroup/podGroupName", json!(group))
    }

    /// Of a pod: it waits until everything else is there.
    pub fn last(self) -> Self {
        self.with("/spec/schedulingGates", json!([{"name": LAST}]))
    }

    /// Of a group: its pods are evicted together.
    pub fn together(self) -> Self {
        self.with("/spec/disruptionMode", json!({"all": {}}))
    }

    /// Of a group: its pods have to be on nodes with one value of this label.
    pub fn within(self, key: &str) -> Self {
        self.with("/spec/schedulingConstraints", json!({"topology": [{"key": key}]}))
    }
}

/// A budget for the pods of an app that allows `spares` disruptions once it is counted.
pub fn budget(name: &str, app: &str, min_available: i64, spares: i64) -> Object {
    let mut budget = Object::namespaced(
        "/apis/policy/v1",
        "poddisruptionbudgets",
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name},
            "spec": {"minAvailable": min_available, "selector": {"matchLabels": {"app": app}}}}),
    );
    budget.spares = Some(spares);
    budget
}

/// A class whose volumes are bound at once, or when a pod is scheduled; no provisioner creates any.
pub fn storage_class(name: &str, mode: &str) -> Object {
    Object::new(
        "/apis/storage.k8s.io/v1/storageclasses",
        json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
            "provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": mode}),
    )
}

pub fn claim(name: &str, class: &str) -> Object {
    Object::namespaced(
        "/api/v1",
        "persistentvolumeclaims",
        json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "annotations": {}},
            "spec": {"storageClassName": class, "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}}}}),
    )
}

/// A device of a class of its own on a node, and a claim for a device of that class that has a
/// label which it has not.
pub fn device_on(node: &str, claimed: &str) -> [Object; 3] {
    let api = "/apis/resource.k8s.io/v1";
    let slice = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
        "metadata": {"name": format!("slice-{node}")},
        "spec": {"driver": "gpu.example.com", "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": "gpu-0", "attributes": {"model": {"string": "small"}}}]}});
    let class = json!({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"},
        "spec": {"selectors": [{"cel": {"expression": "device.driver == 'gpu.example.com'"}}]}});
    let big = "device.attributes['gpu.example.com'].model == 'big'";
    let claim = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": claimed},
        "spec": {"devices": {"requests": [{"name": "gpu",
            "exactly": {"deviceClassName": "gpu", "selectors": [{"cel": {"expression": big}}]}}]}}});
    [
        Object::new(&format!("{api}/resourceslices"), slice),
        Object::new(&format!("{api}/deviceclasses"), class),
        Object::namespaced(api, "resourceclaims", claim),
    ]
}

/// A volume that is on one node, and its claim, bound to each other.
pub fn volume_on(node: &str, claimed: &str, class: &str) -> [Object; 2] {
    let volume = Object::new(
        "/api/v1/persistentvolumes",
        json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": format!("volume-{claimed}")},
            "spec": {"storageClassName": class, "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
                "local": {"path": "/volume"}, "claimRef": {"namespace": NAMESPACE, "name": claimed},
                "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                    {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}]}}}}),
    );
    let mut claim = claim(claimed, class)
        .with("/spec/volumeName", json!(volume.name()))
        .with("/metadata/annotations/pv.kubernetes.io~1bind-completed", json!("yes"));
    claim.status = Some(json!({"status": {"phase": "Bound"}}));
    [volume, claim]
}
