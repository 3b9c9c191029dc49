//! Kubernetes objects, one builder per kind. A new node has capacity for 110 pods and nothing else;
//! a new pod requests nothing and is pending in namespace `default`.

use serde_json::{Map, Value, json};

/// Sets `value` at a JSON pointer, and creates the objects and lists on the way.
fn set(root: &mut Value, pointer: &str, value: Value) {
    let mut at = root;
    for part in pointer.trim_start_matches('/').split('/') {
        let part = part.replace("~1", "/");
        if at.is_null() {
            *at = Value::Object(Map::new());
        }
        at = at.as_object_mut().expect("an object on the way").entry(part).or_insert(Value::Null);
    }
    *at = value;
}

/// Appends `value` to the list at a JSON pointer.
fn push(root: &mut Value, pointer: &str, value: Value) {
    let mut list = root.pointer(pointer).cloned().unwrap_or_else(|| json!([]));
    list.as_array_mut().expect("a list").push(value);
    set(root, pointer, list);
}

macro_rules! builder {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name(pub Value);

        impl From<$name> for Value {
            fn from(built: $name) -> Self {
                built.0
            }
        }

        impl $name {
            /// Sets any field, by JSON pointer.
            pub fn with(mut self, pointer: &str, value: impl Into<Value>) -> Self {
                set(&mut self.0, pointer, value.into());
                self
            }

            /// Appends to any list, by JSON pointer.
            pub fn push(mut self, pointer: &str, value: impl Into<Value>) -> Self {
                push(&mut self.0, pointer, value.into());
                self
            }

            pub fn label(self, key: &str, value: &str) -> Self {
                self.with(&format!("/metadata/labels/{}", key.replace('/', "~1")), value)
            }
        }
    };
}

builder!(Node);
builder!(Pod);
builder! {
    /// A PodDisruptionBudget.
    Budget
}
builder! {
    /// A PersistentVolumeClaim.
    Claim
}
builder! {
    /// A PersistentVolume.
    Volume
}
builder! {
    /// Any other object.
    Other
}

/// A node with capacity for 110 pods.
pub fn node(name: &str) -> Node {
    Node(json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
        "status": {"allocatable": {"pods": "110"}},
    }))
}

impl Node {
    pub fn allocatable(self, resource: &str, quantity: &str) -> Self {
        self.with(&format!("/status/allocatable/{}", resource.replace('/', "~1")), quantity)
    }

    pub fn cpu(self, quantity: &str) -> Self {
        self.allocatable("cpu", quantity)
    }

    pub fn memory(self, quantity: &str) -> Self {
        self.allocatable("memory", quantity)
    }

    pub fn pods(self, count: u32) -> Self {
        self.allocatable("pods", &count.to_string())
    }

    /// Removes its allocatable resources.
    pub fn bare(self) -> Self {
        self.with("/status/allocatable", json!({}))
    }

    pub fn created(self, time: &str) -> Self {
        self.with("/metadata/creationTimestamp", time)
    }

    pub fn zone(self, zone: &str) -> Self {
        self.label("zone", zone)
    }

    pub fn taint(self, key: &str, value: &str, effect: &str) -> Self {
        self.push("/spec/taints", json!({"key": key, "value": value, "effect": effect}))
    }

    pub fn cordoned(self) -> Self {
        self.with("/spec/unschedulable", true)
    }

    pub fn declares(self, feature: &str) -> Self {
        self.push("/status/declaredFeatures", feature)
    }
}

/// A pending pod with one container that requests nothing.
pub fn pod(name: &str) -> Pod {
    Pod(json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}")},
        "spec": {"containers": [{"name": "c"}]},
        "status": {"phase": "Pending"},
    }))
}

/// A container or init container with these requests.
pub fn container(name: &str, requests: &[(&str, &str)]) -> Value {
    let requests: Map<String, Value> =
        requests.iter().map(|(k, v)| ((*k).to_owned(), json!(v))).collect();
    json!({"name": name, "resources": {"requests": requests}})
}

/// `key=value` as a label selector.
pub fn labels(key: &str, value: &str) -> Value {
    json!({"matchLabels": {key: value}})
}

impl Pod {
    pub fn ns(self, namespace: &str) -> Self {
        self.with("/metadata/namespace", namespace)
    }

    /// The requests of its only container.
    pub fn requests(mut self, resource: &str, quantity: &str) -> Self {
        let container = self.0.pointer_mut("/spec/containers/0").expect("a container");
        set(
            container,
            &format!("/resources/requests/{}", resource.replace('/', "~1")),
            quantity.into(),
        );
        self
    }

    pub fn cpu(self, quantity: &str) -> Self {
        self.requests("cpu", quantity)
    }

    pub fn memory(self, quantity: &str) -> Self {
        self.requests("memory", quantity)
    }

    /// Replaces its containers.
    pub fn containers(self, containers: Vec<Value>) -> Self {
        self.with("/spec/containers", containers)
    }

    pub fn init(self, container: Value) -> Self {
        self.push("/spec/initContainers", container)
    }

    pub fn sidecar(self, mut container: Value) -> Self {
        set(&mut container, "/restartPolicy", "Always".into());
        self.init(container)
    }

    pub fn overhead(self, resource: &str, quantity: &str) -> Self {
        self.with(&format!("/spec/overhead/{resource}"), quantity)
    }

    /// `spec.resources.requests`.
    pub fn pod_level(self, resource: &str, quantity: &str) -> Self {
        self.with(&format!("/spec/resources/requests/{}", resource.replace('/', "~1")), quantity)
    }

    pub fn priority(self, priority: i32) -> Self {
        self.with("/spec/priority", priority)
    }

    /// Assigns it to a node.
    pub fn on(self, node: &str) -> Self {
        self.with("/spec/nodeName", node).with("/status/phase", "Running")
    }

    /// Makes it Ready, which budgets count and the scheduler ignores.
    pub fn ready(self) -> Self {
        self.push("/status/conditions", json!({"type": "Ready", "status": "True"}))
    }

    /// Sets its controller, by kind and name.
    pub fn of(self, api_version: &str, kind: &str, name: &str) -> Self {
        let owner = json!({"apiVersion": api_version, "kind": kind, "name": name, "uid": format!("uid-{name}"),
            "controller": true});
        self.push("/metadata/ownerReferences", owner)
    }

    /// Makes a ReplicaSet its controller.
    pub fn replica_of(self, set: &str) -> Self {
        self.of("apps/v1", "ReplicaSet", set)
    }

    pub fn created(self, time: &str) -> Self {
        self.with("/metadata/creationTimestamp", time)
    }

    /// Sets its termination grace period in seconds.
    pub fn grace(self, seconds: i64) -> Self {
        self.with("/spec/terminationGracePeriodSeconds", seconds)
    }

    /// Makes it a pod that was not created yet.
    pub fn unmade(self) -> Self {
        self.with("/metadata/uid", "")
    }

    pub fn nominated(self, node: &str) -> Self {
        self.with("/status/nominatedNodeName", node)
    }

    pub fn phase(self, phase: &str) -> Self {
        self.with("/status/phase", phase)
    }

    pub fn started(self, time: &str) -> Self {
        self.with("/status/startTime", time)
    }

    /// Marks it as being deleted.
    pub fn terminating(self) -> Self {
        self.with("/metadata/deletionTimestamp", crate::NOW)
    }

    /// Marks it as being deleted after preemption by the scheduler.
    pub fn preempted(self) -> Self {
        let condition = json!({"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"});
        self.terminating().push("/status/conditions", condition)
    }

    /// Gives it the condition of a pod that the scheduler rejected with this message, in the minute
    /// before [`crate::NOW`].
    pub fn refused(self, message: &str) -> Self {
        self.condition("Unschedulable", message, crate::BEFORE)
    }

    /// Adds a `PodScheduled` condition that is False.
    pub fn condition(self, reason: &str, message: &str, since: &str) -> Self {
        let condition = json!({"type": "PodScheduled", "status": "False", "reason": reason, "message": message,
            "lastTransitionTime": since});
        self.push("/status/conditions", condition)
    }

    pub fn never_preempts(self) -> Self {
        self.with("/spec/preemptionPolicy", "Never")
    }

    pub fn gated(self, gate: &str) -> Self {
        self.push("/spec/schedulingGates", json!({"name": gate}))
    }

    pub fn scheduler(self, name: &str) -> Self {
        self.with("/spec/schedulerName", name)
    }

    /// A toleration; empty texts are left out.
    pub fn tolerates(self, key: &str, operator: &str, value: &str, effect: &str) -> Self {
        let parts = [("key", key), ("operator", operator), ("value", value), ("effect", effect)];
        let said = parts.into_iter().filter(|(_, text)| !text.is_empty());
        self.push(
            "/spec/tolerations",
            said.map(|(k, v)| (k.to_owned(), json!(v))).collect::<Map<_, _>>(),
        )
    }

    pub fn selects_nodes(self, key: &str, value: &str) -> Self {
        self.with(&format!("/spec/nodeSelector/{}", key.replace('/', "~1")), value)
    }

    /// A term of required node affinity: `matchExpressions` and `matchFields`.
    pub fn node_term(self, term: Value) -> Self {
        let path = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";
        self.push(path, term)
    }

    /// A host port of its first container.
    pub fn port(mut self, port: i64, protocol: &str, ip: &str) -> Self {
        let container = self.0.pointer_mut("/spec/containers/0").expect("a container");
        push(container, "/ports", json!({"hostPort": port, "protocol": protocol, "hostIP": ip}));
        self
    }

    /// Adds a volume that uses a claim.
    pub fn claim(self, claim: &str) -> Self {
        self.volume(json!({"persistentVolumeClaim": {"claimName": claim}}))
    }

    /// A volume; it is named `v` unless it says otherwise.
    pub fn volume(self, mut volume: Value) -> Self {
        if volume.get("name").is_none() {
            set(&mut volume, "/name", "v".into());
        }
        self.push("/spec/volumes", volume)
    }

    /// A required affinity term to pods with a label.
    pub fn near(self, topology_key: &str, key: &str, value: &str) -> Self {
        self.affinity(
            "podAffinity",
            json!({"topologyKey": topology_key, "labelSelector": labels(key, value)}),
        )
    }

    /// A required anti-affinity term to pods with a label.
    pub fn away(self, topology_key: &str, key: &str, value: &str) -> Self {
        self.affinity(
            "podAntiAffinity",
            json!({"topologyKey": topology_key, "labelSelector": labels(key, value)}),
        )
    }

    /// A required term of `podAffinity` or `podAntiAffinity`.
    pub fn affinity(self, side: &str, term: Value) -> Self {
        self.push(
            &format!("/spec/affinity/{side}/requiredDuringSchedulingIgnoredDuringExecution"),
            term,
        )
    }

    /// A `DoNotSchedule` constraint over pods with a label.
    pub fn spread(self, topology_key: &str, max_skew: i64, key: &str, value: &str) -> Self {
        self.constraint(json!({"topologyKey": topology_key, "maxSkew": max_skew, "labelSelector": labels(key, value)}))
    }

    /// A constraint; `DoNotSchedule` unless it says otherwise.
    pub fn constraint(self, mut constraint: Value) -> Self {
        if constraint.get("whenUnsatisfiable").is_none() {
            set(&mut constraint, "/whenUnsatisfiable", "DoNotSchedule".into());
        }
        self.push("/spec/topologySpreadConstraints", constraint)
    }
}

/// A budget in namespace `default` that selects nothing and allows nothing.
pub fn budget(name: &str) -> Budget {
    Budget(json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
    }))
}

impl Budget {
    pub fn ns(self, namespace: &str) -> Self {
        self.with("/metadata/namespace", namespace)
    }

    pub fn selects(self, key: &str, value: &str) -> Self {
        self.selector(labels(key, value))
    }

    pub fn selector(self, selector: Value) -> Self {
        self.with("/spec/selector", selector)
    }

    pub fn allowed(self, disruptions: i64) -> Self {
        self.with("/status/disruptionsAllowed", disruptions)
    }

    /// Sets its status: pods that are Ready, that have to be, and that are expected.
    pub fn healthy(self, current: i64, desired: i64, expected: i64) -> Self {
        self.with("/status/currentHealthy", current)
            .with("/status/desiredHealthy", desired)
            .with("/status/expectedPods", expected)
    }

    /// Adds a pod to `disruptedPods`: its eviction is already counted.
    pub fn disrupted(self, pod: &str) -> Self {
        self.with(&format!("/status/disruptedPods/{pod}"), crate::NOW)
    }
}

/// A namespace with labels.
pub fn namespace(name: &str) -> Other {
    Other(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}))
}

/// A PodGroup in namespace `default`.
pub fn pod_group(name: &str) -> Other {
    Other(json!({
        "apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": name, "namespace": "default"},
    }))
}

/// A Workload of 1.35 with these pod groups.
pub fn workload(name: &str, pod_groups: &Value) -> Other {
    Other(json!({
        "apiVersion": "scheduling.k8s.io/v1alpha1", "kind": "Workload", "metadata": {"name": name, "namespace": "default"},
        "spec": {"podGroups": pod_groups},
    }))
}

/// A CompositePodGroup in namespace `default`.
pub fn composite_group(name: &str) -> Other {
    Other(json!({
        "apiVersion": "scheduling.k8s.io/v1alpha3", "kind": "CompositePodGroup",
        "metadata": {"name": name, "namespace": "default"},
    }))
}

/// A device class that provides an extended resource; none if the name is empty.
pub fn device_class(name: &str, extended_resource: &str) -> Other {
    Other(json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": name},
        "spec": {"extendedResourceName": extended_resource},
    }))
}

/// A claim in namespace `default` for 1Gi that only one node writes to, not bound yet, of class
/// `class`.
pub fn claim(name: &str, class: &str) -> Claim {
    Claim(json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}")},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": class, "volumeMode": "Filesystem",
            "resources": {"requests": {"storage": "1Gi"}},
        },
        "status": {"phase": "Pending"},
    }))
}

impl Claim {
    pub fn ns(self, namespace: &str) -> Self {
        self.with("/metadata/namespace", namespace)
    }

    /// Binds it to a volume.
    pub fn bound(self, volume: &str) -> Self {
        let bound = self.with("/spec/volumeName", volume).with("/status/phase", "Bound");
        bound.with("/metadata/annotations/pv.kubernetes.io~1bind-completed", "yes")
    }

    /// Sets the access mode `ReadWriteOncePod`.
    pub fn one_pod(self) -> Self {
        self.with("/spec/accessModes", json!(["ReadWriteOncePod"]))
    }

    pub fn size(self, size: &str) -> Self {
        self.with("/spec/resources/requests/storage", size)
    }

    /// Sets a pod as its owner, as for an ephemeral volume.
    pub fn of_pod(self, pod: &str) -> Self {
        let owner = json!({"apiVersion": "v1", "kind": "Pod", "name": pod, "uid": format!("uid-{pod}"), "controller": true});
        self.push("/metadata/ownerReferences", owner)
    }
}

/// A free volume of 1Gi, of class `class` and of a type that no rule reads.
pub fn volume(name: &str, class: &str) -> Volume {
    Volume(json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": class, "volumeMode": "Filesystem",
            "capacity": {"storage": "1Gi"},
        },
        "status": {"phase": "Available"},
    }))
}

impl Volume {
    pub fn size(self, size: &str) -> Self {
        self.with("/spec/capacity/storage", size)
    }

    /// Makes it a volume of a CSI driver.
    pub fn csi(self, driver: &str, handle: &str) -> Self {
        self.with("/spec/csi", json!({"driver": driver, "volumeHandle": handle}))
    }

    /// Restricts it to nodes with a label.
    pub fn on_nodes(self, key: &str, value: &str) -> Self {
        let term = json!({"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]});
        self.push("/spec/nodeAffinity/required/nodeSelectorTerms", term)
    }

    /// Reserves it for a claim of namespace `default`.
    pub fn reserved(self, claim: &str) -> Self {
        self.with("/spec/claimRef", json!({"namespace": "default", "name": claim}))
    }
}

/// A class with `WaitForFirstConsumer`.
pub fn class(name: &str, provisioner: &str) -> Other {
    Other(json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
        "provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer",
    }))
}

/// A CSINode: drivers and the number of volumes that each may attach; negative means no limit.
pub fn csi_node(node: &str, drivers: &[(&str, i64)]) -> Other {
    let drivers: Vec<Value> = drivers
        .iter()
        .map(|(name, limit)| {
            if *limit < 0 {
                json!({"name": name})
            } else {
                json!({"name": name, "allocatable": {"count": limit}})
            }
        })
        .collect();
    Other(json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": node}, "spec": {"drivers": drivers},
    }))
}

/// A CSI driver with `storageCapacity`.
pub fn csi_driver(name: &str) -> Other {
    Other(json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": name},
        "spec": {"storageCapacity": true},
    }))
}

/// A CSIStorageCapacity: what is left for a class on nodes with a label.
pub fn storage_left(name: &str, class: &str, capacity: &str, node_label: (&str, &str)) -> Other {
    Other(json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity", "metadata": {"name": name, "namespace": "default"},
        "storageClassName": class, "capacity": capacity, "nodeTopology": labels(node_label.0, node_label.1),
    }))
}

/// A volume that is attached to a node.
pub fn attachment(driver: &str, node: &str, volume: &str) -> Other {
    Other(json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": format!("{node}-{volume}")},
        "spec": {"attacher": driver, "nodeName": node, "source": {"persistentVolumeName": volume}},
    }))
}
