//! The cluster of one situation: set up, and cleared away before the next.

use std::collections::BTreeSet;

use serde_json::json;

use crate::http::Api;
use crate::objects::{CLASSES, LAST, NAMESPACE, Object};
use crate::plane::{Plane, wait_for};

/// What situations are made of, in the order in which it is cleared away.
const COLLECTIONS: [&str; 14] = [
    "/apis/apps/v1/namespaces/stage/deployments",
    "/apis/apps/v1/namespaces/stage/daemonsets",
    "/apis/apps/v1/namespaces/stage/replicasets",
    "/apis/apps/v1/namespaces/stage/statefulsets",
    "/apis/batch/v1/namespaces/stage/jobs",
    "/apis/policy/v1/namespaces/stage/poddisruptionbudgets",
    "/api/v1/namespaces/stage/persistentvolumeclaims",
    "/api/v1/persistentvolumes",
    "/apis/storage.k8s.io/v1/storageclasses",
    "/apis/resource.k8s.io/v1/namespaces/stage/resourceclaims",
    "/apis/resource.k8s.io/v1/resourceslices",
    "/apis/resource.k8s.io/v1/deviceclasses",
    "/apis/scheduling.k8s.io/v1beta1/namespaces/stage/podgroups",
    "/api/v1/nodes",
];

/// What pods may have that are to stay while they are deleted.
pub const FINALIZER: &str = "example.com/agree";

pub struct Stage {
    pub admin: Api,
}

/// Waits until the scheduler has seen what is there, which it has to before it is stopped.
pub fn settle() {
    std::thread::sleep(std::time::Duration::from_millis(300));
}

impl Stage {
    /// An empty one, whatever the situation before has left.
    pub fn new(plane: &Plane) -> Self {
        let stage = Self { admin: plane.admin() };
        plane.scheduler.go_on();
        plane.kubelets.finish(true);
        plane.kubelets.linger(std::time::Duration::ZERO);
        stage.prepare();
        // Releases differ in what they serve.
        let served: Vec<&str> =
            COLLECTIONS.into_iter().filter(|path| stage.admin.serves(path)).collect();
        for path in &served {
            stage.admin.must("DELETE", path, Some(&json!({"propagationPolicy": "Background"})));
        }
        let pods = format!("/api/v1/namespaces/{NAMESPACE}/pods");
        wait_for("an empty stage", || {
            stage.admin.must("DELETE", &pods, Some(&json!({"gracePeriodSeconds": 0})));
            for pod in stage
                .admin
                .list(&pods)
                .iter()
                .filter(|pod| pod["metadata"]["finalizers"].is_array())
            {
                let path = format!("{pods}/{}", pod["metadata"]["name"].as_str().expect("a name"));
                // It may be gone meanwhile.
                let _ = stage.admin.send(
                    "PATCH",
                    &path,
                    Some(&json!({"metadata": {"finalizers": null}})),
                );
            }
            served.iter().chain([&pods.as_str()]).all(|path| stage.admin.list(path).is_empty())
        });
        stage
    }

    /// Makes what all situations share, once.
    fn prepare(&self) {
        if self.admin.serves(&format!("/api/v1/namespaces/{NAMESPACE}")) {
            return;
        }
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
        self.admin.create("/api/v1/namespaces", &namespace);
        for (name, value, policy) in CLASSES {
            let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                "metadata": {"name": name}, "value": value, "preemptionPolicy": policy});
            self.admin.create("/apis/scheduling.k8s.io/v1/priorityclasses", &class);
        }
        let account = format!("/api/v1/namespaces/{NAMESPACE}/serviceaccounts/default");
        wait_for("the account", || self.admin.serves(&account));
    }

    /// Creates objects, and waits until controllers have seen what they must.
    pub fn build(&self, objects: &[Object]) {
        for object in objects {
            self.create(object);
        }
        for budget in objects.iter().filter(|o| o.spares.is_some()) {
            let path = format!("{}/{}", budget.path, budget.name());
            wait_for("the budget's controller", || {
                self.admin.get(&path)["status"]["disruptionsAllowed"].as_i64() == budget.spares
            });
        }
    }

    /// Lets those pods go that waited until everything else is there.
    pub fn let_go(&self, objects: &[Object]) {
        for pod in
            objects.iter().filter(|pod| pod.json["spec"]["schedulingGates"][0]["name"] == LAST)
        {
            self.admin.patch(
                &format!("{}/{}", pod.path, pod.name()),
                &json!({"spec": {"schedulingGates": null}}),
            );
        }
    }

    /// Creates an object; returns its uid.
    pub fn create(&self, object: &Object) -> String {
        let made = self.admin.create(&object.path, &object.json);
        let path = format!("{}/{}", object.path, object.name());
        if object.path == "/api/v1/nodes" {
            // Every node is made with a taint that goes once it is ready.
            self.admin.patch(&path, &json!({"spec": {"taints": object.json["spec"]["taints"]}}));
        }
        if let Some(status) = &object.status {
            self.admin.patch(&format!("{path}/status"), status);
        }
        made["metadata"]["uid"].as_str().expect("a uid").to_owned()
    }

    /// No Event says any more what happened.
    pub fn forget_events(&self) {
        self.admin.must("DELETE", &format!("/api/v1/namespaces/{NAMESPACE}/events"), None);
    }

    /// The uids of all pods that have not been told to end.
    pub fn uids(&self) -> BTreeSet<String> {
        let pods = self.admin.list("/api/v1/pods");
        let alive = pods.iter().filter(|pod| !pod["metadata"]["deletionTimestamp"].is_string());
        alive.map(|pod| pod["metadata"]["uid"].as_str().expect("a uid").to_owned()).collect()
    }
}
