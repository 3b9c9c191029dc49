//! A cluster in memory, as an API server sees it: nodes, pods, budgets, one resource version for
//! all. Tests change it, and [`Model::step`] does the work of kubelets and a scheduler.

use engine::simulation::plan::{GroupId, PodId, PreemptorId};
use serde_json::{Value, json};

/// The namespace of all objects.
pub const NAMESPACE: &str = "shop";

#[derive(Debug, Clone)]
pub struct Node {
    pub name: String,
    pub cpu: i64,
    pub cordoned: bool,
    pub version: u64,
}

#[derive(Debug, Clone)]
pub struct Pod {
    pub name: String,
    pub uid: String,
    pub version: u64,
    /// RFC 3339.
    pub created: String,
    pub priority: i32,
    /// Millicores.
    pub cpu: i64,
    pub node: Option<String>,
    pub nominated: Option<(String, String)>,
    /// The label `app`, by which budgets select it.
    pub app: String,
    /// Steps until it is gone, if it is terminating.
    pub leaving: Option<u32>,
    pub conditions: Vec<Value>,
    pub owned: bool,
    /// The PodGroup that it belongs to.
    pub group: Option<String>,
}

/// A PodGroup of which all pods have to be placed together.
#[derive(Debug, Clone)]
pub struct Group {
    pub name: String,
    pub uid: String,
    pub min_count: usize,
    pub priority: i32,
    pub version: u64,
}

#[derive(Debug, Clone)]
pub struct Budget {
    pub name: String,
    pub app: String,
    pub allowed: i64,
    pub desired: i64,
    pub expected: i64,
    pub version: u64,
}

/// A change that watches report.
#[derive(Debug, Clone)]
pub struct Change {
    pub version: u64,
    pub kind: &'static str,
    pub pod: Value,
    pub name: String,
}

#[derive(Debug, Clone, Default)]
pub struct State {
    pub version: u64,
    pub nodes: Vec<Node>,
    pub pods: Vec<Pod>,
    pub budgets: Vec<Budget>,
    pub groups: Vec<Group>,
}

#[derive(Debug, Default)]
pub struct Model {
    pub now: State,
    /// The states before each change, oldest first.
    pub before: Vec<State>,
    pub changes: Vec<Change>,
    /// How many steps a pod takes to stop.
    pub grace: u32,
    /// Whether there is a scheduler.
    pub schedules: bool,
    pub made: u32,
}

impl Pod {
    /// Whether it says that it is preempted.
    pub fn preempted(&self) -> bool {
        self.conditions.iter().any(|condition| condition["type"] == "DisruptionTarget")
    }

    pub fn id(&self) -> PodId {
        PodId { namespace: NAMESPACE.to_owned(), name: self.name.clone(), uid: self.uid.clone() }
    }

    pub fn json(&self) -> Value {
        let mut metadata = json!({"namespace": NAMESPACE, "name": self.name, "uid": self.uid,
            "resourceVersion": self.version.to_string(), "creationTimestamp": self.created,
            "labels": {"app": self.app}});
        if self.owned {
            metadata["ownerReferences"] = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs",
                "uid": "u-rs", "controller": true}]);
        }
        if self.leaving.is_some() {
            metadata["deletionTimestamp"] = json!("2099-01-01T00:00:00Z");
            metadata["deletionGracePeriodSeconds"] = json!(30);
        }
        let mut spec = json!({"schedulerName": "default-scheduler", "priority": self.priority,
            "terminationGracePeriodSeconds": 30,
            "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": format!("{}m", self.cpu)}}}]});
        let mut status = json!({"phase": if self.node.is_some() { "Running" } else { "Pending" },
            "conditions": self.conditions});
        if let Some(node) = &self.node {
            spec["nodeName"] = json!(node);
            status["startTime"] = json!("2026-01-01T00:00:00Z");
        }
        if let Some(group) = &self.group {
            spec["schedulingGroup"] = json!({"podGroupName": group});
        }
        if let Some((node, by)) = &self.nominated {
            status["nominatedNodeName"] = json!(node);
            metadata["managedFields"] = json!([{"manager": by, "operation": "Update", "subresource": "status",
                "fieldsType": "FieldsV1", "fieldsV1": {"f:status": {"f:nominatedNodeName": {}}}}]);
        }
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status})
    }
}

impl Group {
    pub fn id(&self) -> GroupId {
        GroupId { namespace: NAMESPACE.to_owned(), name: self.name.clone(), uid: self.uid.clone() }
    }

    pub fn json(&self) -> Value {
        json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PodGroup",
            "metadata": {"namespace": NAMESPACE, "name": self.name, "uid": self.uid,
                "resourceVersion": self.version.to_string()},
            "spec": {"schedulingPolicy": {"gang": {"minCount": self.min_count}}, "priority": self.priority}})
    }
}

impl Budget {
    pub fn json(&self) -> Value {
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"namespace": NAMESPACE, "name": self.name, "uid": format!("u-{}", self.name),
                "generation": 1, "resourceVersion": self.version.to_string()},
            "spec": {"minAvailable": self.desired, "selector": {"matchLabels": {"app": self.app}}},
            "status": {"observedGeneration": 1, "disruptionsAllowed": self.allowed, "currentHealthy": self.expected,
                "desiredHealthy": self.desired, "expectedPods": self.expected}})
    }
}

impl Node {
    pub fn json(&self) -> Value {
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": self.name, "uid": format!("u-{}", self.name),
                "resourceVersion": self.version.to_string(), "labels": {"kubernetes.io/hostname": self.name}},
            "spec": {"unschedulable": self.cordoned},
            "status": {"allocatable": {"cpu": format!("{}m", self.cpu), "memory": "8Gi", "pods": "110"},
                "conditions": [{"type": "Ready", "status": "True"}]}})
    }
}

impl State {
    pub fn pod(&self, uid: &str) -> Option<&Pod> {
        self.pods.iter().find(|pod| pod.uid == uid)
    }

    pub fn named(&self, name: &str) -> Option<&Pod> {
        self.pods.iter().find(|pod| pod.name == name)
    }

    /// What room is made for: the group, if there is one, else the pod `web`.
    pub fn preemptor(&self) -> Option<PreemptorId> {
        let group = self.groups.first().map(|group| PreemptorId::Group(group.id()));
        group.or_else(|| self.named("web").map(|pod| PreemptorId::Pod(pod.id())))
    }

    /// All objects as one list.
    pub fn objects(&self) -> Value {
        let nodes = self.nodes.iter().map(Node::json);
        let pods = self.pods.iter().map(Pod::json);
        let budgets = self.budgets.iter().map(Budget::json);
        let groups = self.groups.iter().map(Group::json);
        let items: Vec<Value> = nodes.chain(pods).chain(budgets).chain(groups).collect();
        json!({"apiVersion": "v1", "kind": "List", "items": items})
    }

    fn free(&self, node: &Node) -> i64 {
        node.cpu
            - self
                .pods
                .iter()
                .filter(|p| p.node.as_ref() == Some(&node.name))
                .map(|p| p.cpu)
                .sum::<i64>()
    }
}

impl Model {
    /// Changes the cluster; `change` sets the new version on the objects that it changes.
    fn commit(&mut self, change: impl FnOnce(&mut State, u64)) {
        self.before.push(self.now.clone());
        self.now.version += 1;
        let version = self.now.version;
        change(&mut self.now, version);
    }

    pub fn add_node(&mut self, name: &str, cpu: i64) {
        let name = name.to_owned();
        self.commit(|state, version| {
            state.nodes.push(Node { name, cpu, cordoned: false, version });
        });
    }

    pub fn change_node(&mut self, name: &str, change: impl FnOnce(&mut Node)) {
        self.commit(|state, version| {
            if let Some(node) = state.nodes.iter_mut().find(|node| node.name == name) {
                change(node);
                node.version = version;
            }
        });
    }

    /// Adds a pod, pending if it has no node. Returns its UID.
    pub fn add_pod(
        &mut self,
        name: &str,
        priority: i32,
        cpu: i64,
        node: Option<&str>,
        app: &str,
    ) -> String {
        self.made += 1;
        let uid = format!("u-{name}-{}", self.made);
        let pod = Pod {
            name: name.to_owned(),
            uid: uid.clone(),
            version: 0,
            created: "2026-01-01T00:00:00Z".to_owned(),
            priority,
            cpu,
            node: node.map(str::to_owned),
            nominated: None,
            app: app.to_owned(),
            leaving: None,
            conditions: Vec::new(),
            owned: true,
            group: None,
        };
        self.commit(|state, version| state.pods.push(Pod { version, ..pod }));
        self.told("ADDED", &uid);
        uid
    }

    /// Makes a group of waiting pods, with the priority of the first, all of which have to be
    /// placed together.
    pub fn add_group(&mut self, name: &str, pods: &[String]) {
        let priority = pods.first().and_then(|uid| self.now.pod(uid)).map_or(0, |pod| pod.priority);
        let group = Group {
            name: name.to_owned(),
            uid: format!("u-{name}"),
            min_count: pods.len(),
            priority,
            version: 0,
        };
        self.commit(|state, version| state.groups.push(Group { version, ..group }));
        for uid in pods {
            self.change_pod(uid, |pod| pod.group = Some(name.to_owned()));
        }
    }

    pub fn change_pod(&mut self, uid: &str, change: impl FnOnce(&mut Pod)) {
        self.commit(|state, version| {
            if let Some(pod) = state.pods.iter_mut().find(|pod| pod.uid == uid) {
                change(pod);
                pod.version = version;
            }
        });
        self.told("MODIFIED", uid);
    }

    pub fn remove_pod(&mut self, uid: &str) {
        let Some(pod) = self.now.pod(uid).cloned() else { return };
        self.commit(|state, _| state.pods.retain(|pod| pod.uid != uid));
        let version = self.now.version;
        let pod = Pod { version, ..pod };
        self.changes.push(Change { version, kind: "DELETED", pod: pod.json(), name: pod.name });
    }

    /// Replaces a pod by another one of its name.
    pub fn replace_pod(&mut self, uid: &str) {
        let Some(pod) = self.now.pod(uid).cloned() else { return };
        self.remove_pod(uid);
        let new = self.add_pod(&pod.name, pod.priority, pod.cpu, pod.node.as_deref(), &pod.app);
        if pod.group.is_some() {
            self.change_pod(&new, |new| new.group = pod.group);
        }
    }

    pub fn set_budget(&mut self, budget: Budget) {
        self.commit(|state, version| {
            state.budgets.retain(|other| other.name != budget.name);
            state.budgets.push(Budget { version, ..budget });
        });
    }

    /// Makes a pod terminate.
    pub fn delete(&mut self, uid: &str, at_once: bool) {
        if at_once {
            return self.remove_pod(uid);
        }
        let grace = self.grace;
        if self.now.pod(uid).is_some_and(|pod| pod.leaving.is_none()) {
            self.change_pod(uid, |pod| pod.leaving = Some(grace));
        }
    }

    fn told(&mut self, kind: &'static str, uid: &str) {
        if let Some(pod) = self.now.pod(uid) {
            let (pod, name) = (pod.json(), pod.name.clone());
            self.changes.push(Change { version: self.now.version, kind, pod, name });
        }
    }

    /// Kubelets remove pods whose grace period is over, and the scheduler binds a pod that fits: to
    /// its nominated node if it has one, else to the first.
    pub fn step(&mut self) {
        let leaving: Vec<(String, u32)> =
            self.now.pods.iter().filter_map(|pod| Some((pod.uid.clone(), pod.leaving?))).collect();
        for (uid, left) in leaving {
            if left == 0 {
                self.remove_pod(&uid);
            } else if let Some(pod) = self.now.pods.iter_mut().find(|pod| pod.uid == uid) {
                pod.leaving = Some(left - 1);
            }
        }
        if !self.schedules {
            return;
        }
        let waiting =
            self.now.pods.iter().filter(|pod| pod.node.is_none() && pod.leaving.is_none());
        let Some(pod) = waiting.max_by_key(|pod| pod.priority).cloned() else { return };
        let wanted = pod.nominated.as_ref().map(|(node, _)| node);
        let mut nodes: Vec<&Node> = self.now.nodes.iter().filter(|node| !node.cordoned).collect();
        nodes.sort_by_key(|node| Some(&node.name) != wanted);
        let Some(node) = nodes.into_iter().find(|node| self.now.free(node) >= pod.cpu) else {
            return;
        };
        let name = node.name.clone();
        self.change_pod(&pod.uid, |pod| {
            pod.node = Some(name);
            pod.nominated = None;
        });
    }
}
