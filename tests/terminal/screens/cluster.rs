//! Clusters of any size with names as AWS and GKE give them, made from a seed.

use fastrand::Rng;
use serde_json::{Value, json};

/// The instant of every answer.
pub const NOW: &str = "2026-06-01T03:12:09Z";

/// Every n-th node is a spot node, and so on; the rest is general.
const NODE_GROUPS: [(usize, &str, Option<&str>); 3] = [
    (10, "spot", Some("spot")),
    (13, "gpu", Some("nvidia.com/gpu")),
    (17, "control-plane", Some("node-role.kubernetes.io/control-plane")),
];

/// A cluster of `nodes` nodes. Three replicas of `payments/payments-api` are pending, and other
/// pods with other answers.
pub fn objects(nodes: usize) -> Vec<Value> {
    let mut made = Generator { rng: Rng::with_seed(7), objects: Vec::new() };
    for index in 0..nodes {
        made.node(index, nodes);
    }
    made.owner("apps/v1", "Deployment", "payments", "payments-api", None);
    made.owner(
        "apps/v1",
        "ReplicaSet",
        "payments",
        "payments-api-7f9c6d5b8d",
        Some("payments-api"),
    );
    for (tail, minutes) in [("q9th5", 12), ("2xk7m", 12), ("zz4vd", 11)] {
        let name = format!("payments-api-7f9c6d5b8d-{tail}");
        made.pending(
            "payments",
            &name,
            "ReplicaSet/payments-api-7f9c6d5b8d",
            100_000,
            "3",
            minutes,
            &json!({}),
        );
    }
    made.pending(
        "observability",
        "prometheus-k8s-operator-kube-prometheus-stack-0",
        "StatefulSet/prometheus-k8s",
        500,
        "60",
        200,
        &json!({}),
    );
    let gpu = json!({"nodeSelector": {"accelerator": "nvidia-h100-80gb-hbm3"}});
    made.pending(
        "ml-training",
        "llm-finetune-worker-7b-0",
        "Job/llm-finetune-worker-7b",
        1000,
        "1",
        45,
        &gpu,
    );
    let gates = json!({"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]});
    made.pending(
        "batch",
        "nightly-report-29144520-5tvb2",
        "Job/nightly-report-29144520",
        0,
        "1",
        90,
        &gates,
    );
    made.pending(
        "web",
        "frontend-6d4cf56db6-q7rtz",
        "ReplicaSet/frontend-6d4cf56db6",
        0,
        "50m",
        2,
        &json!({}),
    );
    made.pending(
        "web",
        "frontend-6d4cf56db6-x2m8k",
        "ReplicaSet/frontend-6d4cf56db6",
        0,
        "50m",
        2,
        &json!({}),
    );
    made.pending("legacy", "import", "", 0, "1500m", 3000, &json!({"preemptionPolicy": "Never"}));
    made.objects.push(json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": "kafka-connect", "namespace": "data", "generation": 1},
        "spec": {"selector": {"matchLabels": {"app": "kafka-connect"}}, "maxUnavailable": 1},
        "status": {"observedGeneration": 1, "disruptionsAllowed": 3, "currentHealthy": 5, "desiredHealthy": 4, "expectedPods": 5}}));
    made.objects
}

/// The same as a list, as kubectl writes it.
pub fn list(nodes: usize) -> String {
    json!({"apiVersion": "v1", "kind": "List", "items": objects(nodes)}).to_string()
}

struct Generator {
    rng: Rng,
    objects: Vec<Value>,
}

impl Generator {
    fn hash(&mut self, length: usize) -> String {
        const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        (0..length).map(|_| char::from(LETTERS[self.rng.usize(..LETTERS.len())])).collect()
    }

    /// A node and the pods on it.
    fn node(&mut self, index: usize, of: usize) {
        let group = NODE_GROUPS.iter().find(|(every, ..)| of > 5 && index % every == every - 1);
        let name = match group {
            Some((_, pool @ ("spot" | "gpu"), _)) => {
                format!("gke-prod-eu-{pool}-pool-1-{}-{}", self.hash(8), self.hash(4))
            }
            _ => {
                format!(
                    "ip-10-{}-{}-{}.eu-central-1.compute.internal",
                    index / 5000,
                    index / 250 % 20,
                    index % 250 + 1
                )
            }
        };
        let taints: Vec<Value> =
            group.iter().filter_map(|(_, _, taint)| *taint).map(taint).collect();
        let mut spec = json!({"taints": taints});
        if of > 5 && index == 3 {
            spec["unschedulable"] = json!(true);
            spec["taints"] =
                json!([{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]);
        }
        if of > 5 && index == 4 {
            spec["taints"] = json!([{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"},
                {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]);
        }
        self.objects.push(json!({"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}}, "spec": spec,
            "status": {"allocatable": {"cpu": "9890m", "memory": "38Gi", "pods": "58"},
                "nodeInfo": {"kubeletVersion": "v1.35.4-eks-1a2b3c4"}}}));
        self.pods_on(&name, index);
    }

    fn pods_on(&mut self, name: &str, index: usize) {
        let replica = self.hash(5);
        self.running(
            "kube-system",
            &format!("kube-proxy-{replica}"),
            "DaemonSet/kube-proxy",
            name,
            2_000_001_000,
            "100m",
            900,
        );
        let connect = ["1", "2"].map(|tail| format!("kafka-connect-84b7f9d5c6-{}{tail}", &replica));
        for (pod, hours) in connect.iter().zip([40 + index * 37 % 400, 170]) {
            self.running(
                "data",
                pod,
                "ReplicaSet/kafka-connect-84b7f9d5c6",
                name,
                -10,
                "1200m",
                hours,
            );
        }
        let build = format!("Job/build-{}", 29_144 + index);
        self.running(
            "ci",
            &format!("build-{}-{replica}", 29_144 + index),
            &build,
            name,
            -10,
            "900m",
            180 + index * 13 % 90,
        );
        if index % 4 == 1 {
            self.running("debug", &format!("shell-{replica}"), "", name, -20, "300m", 30);
        }
        let free = if index % 4 == 1 { 6100 } else { 6400 };
        let rest = format!("{}m", free + self.rng.usize(..9) * 10);
        self.running(
            "search",
            &format!("opensearch-data-{index}"),
            "StatefulSet/opensearch-data",
            name,
            50_000,
            &rest,
            400,
        );
    }

    #[expect(clippy::too_many_arguments, reason = "each is a property of its own")]
    fn running(
        &mut self,
        namespace: &str,
        name: &str,
        owner: &str,
        node: &str,
        priority: i32,
        cpu: &str,
        hours: usize,
    ) {
        let mut pod = pod_of(namespace, name, owner, priority, cpu, hours * 60);
        pod["spec"]["nodeName"] = json!(node);
        pod["status"] = json!({"phase": "Running", "startTime": ago(hours * 60)});
        self.objects.push(pod);
    }

    #[expect(clippy::too_many_arguments, reason = "each is a property of its own")]
    fn pending(
        &mut self,
        namespace: &str,
        name: &str,
        owner: &str,
        priority: i32,
        cpu: &str,
        minutes: usize,
        spec: &Value,
    ) {
        let mut pod = pod_of(namespace, name, owner, priority, cpu, minutes);
        for (key, value) in spec.as_object().unwrap() {
            pod["spec"][key] = value.clone();
        }
        pod["status"] = json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]});
        self.objects.push(pod);
    }

    fn owner(&mut self, version: &str, kind: &str, namespace: &str, name: &str, of: Option<&str>) {
        let mut owner = json!({"apiVersion": version, "kind": kind,
            "metadata": {"name": name, "namespace": namespace, "uid": format!("{kind}-{name}")}});
        if let Some(of) = of {
            owner["metadata"]["ownerReferences"] = json!([{"apiVersion": version, "kind": "Deployment", "name": of,
                "uid": format!("Deployment-{of}"), "controller": true}]);
        }
        self.objects.push(owner);
    }
}

fn taint(key: &str) -> Value {
    let value = if key.starts_with("node-role") { "" } else { "present" };
    json!({"key": key, "value": value, "effect": "NoSchedule"})
}

fn ago(minutes: usize) -> String {
    let now: jiff::Timestamp = NOW.parse().unwrap();
    (now - jiff::SignedDuration::from_mins(i64::try_from(minutes).unwrap())).to_string()
}

fn pod_of(
    namespace: &str,
    name: &str,
    owner: &str,
    priority: i32,
    cpu: &str,
    minutes: usize,
) -> Value {
    let app = owner
        .split_once('/')
        .map_or(name, |(_, owner)| owner.rsplit_once('-').map_or(owner, |(app, _)| app));
    let mut pod = json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": format!("{namespace}-{name}"),
            "labels": {"app": app}, "creationTimestamp": ago(minutes)},
        "spec": {"priority": priority, "containers": [{"name": "main",
            "resources": {"requests": {"cpu": cpu, "memory": "512Mi"}}}]}});
    if let Some((kind, name)) = owner.split_once('/') {
        let group = match kind {
            "Job" => "batch/v1",
            _ => "apps/v1",
        };
        pod["metadata"]["ownerReferences"] = json!([{"apiVersion": group, "kind": kind, "name": name,
            "uid": format!("{kind}-{name}"), "controller": true}]);
    }
    pod
}
