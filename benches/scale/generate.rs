//! A synthetic cluster as the API server would send it: one mixed `List` whose objects carry
//! everything that a decision ignores (managed fields, annotations, env, probes, mounts), so that a
//! file weighs what it weighs in life.
//!
//! The same options give the same bytes. The pod [`PREEMPTOR`] wants half a node and tolerates
//! every taint: no node takes it as it is, every node is worth a dry run, and each dry run ends
//! with several victims.

use std::io::{self, Write};

use fastrand::Rng;
use serde_json::{Value, json};

/// Namespace and name of the pod that wants half a node.
pub const PREEMPTOR: (&str, &str) = ("team-000", "preemptor");
/// An instant after every time in the cluster.
pub const NOW: &str = "2026-03-01T12:00:00Z";

pub const NAMESPACES: usize = 100;
const WORKLOADS: usize = 600;
const ZONES: [&str; 3] = ["eu-west-1a", "eu-west-1b", "eu-west-1c"];
const COMPONENTS: [&str; 3] = ["frontend", "backend", "batch"];
const INSTANCES: [&str; 2] = ["m6i.8xlarge", "m7i.8xlarge"];
const REGISTRY: &str = "registry.example.com";
/// Class names and values; the preemptor's stands between `high` and `critical`.
const CLASSES: [(&str, i32); 6] = [
    ("system-node-critical", 2_000_001_000),
    ("critical", 1_000_000),
    ("urgent", 100_000),
    ("high", 10_000),
    ("standard", 1_000),
    ("low", -10),
];
/// What workloads ask for, in thousandths of a core; one core on average.
const MILLI_CPU: [usize; 6] = [250, 500, 750, 1_000, 1_500, 2_000];
/// A node has room for its pods and a little more.
const NODE_MILLI_CPU_PER_POD: usize = 1_100;
const NODE_MEBI_PER_POD: usize = 4_096;
/// One in so many nodes is tainted.
const TAINTED: usize = 25;
/// One in so many workloads carries the optional constraints.
const CONSTRAINED: usize = 10;

/// What to generate.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Number of nodes.
    pub nodes: usize,
    /// Pods on each node.
    pub pods_per_node: usize,
    /// Number of PodDisruptionBudgets.
    pub budgets: usize,
    /// Namespaces that pods and budgets are spread over, at least one.
    pub namespaces: usize,
    /// Required anti-affinity on a share of the workloads and on the preemptor.
    pub affinity: bool,
    /// `DoNotSchedule` spread on a share of the workloads and on the preemptor.
    pub spread: bool,
    /// Pending pods besides the preemptor.
    pub pending: usize,
    /// How many different ones they are, at least one: each asks for amounts of its own.
    pub pending_kinds: usize,
    /// Another seed is another cluster of the same kind.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            nodes: 1_000,
            pods_per_node: 30,
            budgets: 500,
            namespaces: NAMESPACES,
            affinity: false,
            spread: false,
            pending: 0,
            pending_kinds: 1,
            seed: 1,
        }
    }
}

/// Writes the cluster as one JSON `List`.
///
/// # Errors
/// The writer's.
pub fn write(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let mut rng = Rng::with_seed(options.seed);
    let workloads: Vec<Workload> =
        (0..WORKLOADS).map(|index| Workload::new(index, options, &mut rng)).collect();
    let daemons: Vec<Workload> = ["node-agent", "log-shipper", "network-proxy"]
        .into_iter()
        .enumerate()
        .map(|(index, name)| Workload::daemon(WORKLOADS + index, name, &mut rng))
        .collect();
    let mut list = List::open(out)?;
    for (name, value) in CLASSES {
        list.item(&priority_class(name, value, &mut rng))?;
    }
    for index in 0..options.namespaces {
        list.item(&namespace(index, &mut rng))?;
    }
    for index in 0..options.budgets {
        list.item(&budget(index, &workloads, &mut rng))?;
    }
    let form = node_form(options);
    for index in 0..options.nodes {
        list.text(&node(index, &form, &mut rng))?;
    }
    let preemptor = preemptor(options, &workloads, &mut rng);
    list.item(&preemptor)?;
    for index in 0..options.pending {
        list.item(&pending(index, &preemptor, options, &mut rng))?;
    }
    for node in 0..options.nodes {
        for (ordinal, workload) in
            pods_on(options, &workloads, &daemons, &mut rng).into_iter().enumerate()
        {
            list.text(&workload.pod(node, node * options.pods_per_node + ordinal, &mut rng))?;
        }
    }
    list.close()
}

/// The brackets and commas of a `List`.
struct List<'w, W> {
    out: &'w mut W,
    first: bool,
}

impl<'w, W: Write> List<'w, W> {
    fn open(out: &'w mut W) -> io::Result<Self> {
        out.write_all(b"{\"apiVersion\":\"v1\",\"items\":[")?;
        Ok(Self { out, first: true })
    }

    fn item(&mut self, object: &Value) -> io::Result<()> {
        self.text(&object.to_string())
    }

    fn text(&mut self, object: &str) -> io::Result<()> {
        if !std::mem::take(&mut self.first) {
            self.out.write_all(b",")?;
        }
        self.out.write_all(object.as_bytes())
    }

    fn close(self) -> io::Result<()> {
        self.out.write_all(b"],\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"\"}}\n")
    }
}

/// Fills in a form: the JSON of an object with slots, `<name>` for a value of `values` and `<12>`
/// for that many random letters. Building every object from scratch would take longer than all that
/// is measured.
fn fill(form: &str, values: &[(&str, &str)], rng: &mut Rng) -> String {
    let mut filled = String::with_capacity(form.len() + form.len() / 4);
    let mut pieces = form.split('<');
    filled.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (slot, rest) = piece.split_once('>').unwrap_or((piece, ""));
        match values.iter().find(|(name, _)| *name == slot) {
            Some((_, value)) => filled.push_str(value),
            None => push_letters(&mut filled, slot.parse().unwrap_or_default(), rng),
        }
        filled.push_str(rest);
    }
    filled
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Controller {
    ReplicaSet,
    StatefulSet,
    DaemonSet,
}

impl Controller {
    const fn name(self) -> &'static str {
        match self {
            Self::ReplicaSet => "ReplicaSet",
            Self::StatefulSet => "StatefulSet",
            Self::DaemonSet => "DaemonSet",
        }
    }
}

/// What the pods of one controller have in common.
struct Workload {
    index: usize,
    name: String,
    namespace: String,
    /// Name of the controller.
    owner: String,
    owner_uid: String,
    hash: String,
    controller: Controller,
    class: Option<(&'static str, i32)>,
    milli_cpu: usize,
    constraints: Constraints,
    sidecar: bool,
    /// Its pods, see [`fill`].
    form: String,
}

/// Optional parts of a pod's spec.
#[derive(Debug, Clone, Copy, Default)]
struct Constraints {
    affinity: bool,
    spread: bool,
}

impl Workload {
    fn new(index: usize, options: &Options, rng: &mut Rng) -> Self {
        let team = index % options.namespaces;
        let name = format!(
            "{}-{index:03}",
            ["api", "web", "worker", "cache", "search", "billing"][index % 6]
        );
        let hash = letters(rng, 10);
        let controller =
            if index % 12 == 5 { Controller::StatefulSet } else { Controller::ReplicaSet };
        let class = match rng.u32(..100) {
            0..40 => None,
            40..55 => Some(CLASSES[5]),
            55..85 => Some(CLASSES[4]),
            85..95 => Some(CLASSES[3]),
            _ => Some(CLASSES[1]),
        };
        let mut workload = Self {
            index,
            namespace: format!("team-{team:03}"),
            owner: if controller == Controller::ReplicaSet {
                format!("{name}-{hash}")
            } else {
                name.clone()
            },
            owner_uid: uid(rng),
            hash,
            controller,
            class,
            milli_cpu: MILLI_CPU[rng.usize(..MILLI_CPU.len())],
            constraints: Constraints {
                affinity: options.affinity && index % CONSTRAINED == 1,
                spread: options.spread && index % CONSTRAINED == 2,
            },
            sidecar: index.is_multiple_of(5),
            form: String::new(),
            name,
        };
        workload.form = workload.pod_form().to_string();
        workload
    }

    fn daemon(index: usize, name: &str, rng: &mut Rng) -> Self {
        let mut workload = Self {
            index,
            name: name.to_owned(),
            namespace: "kube-system".to_owned(),
            owner: name.to_owned(),
            owner_uid: uid(rng),
            hash: letters(rng, 10),
            controller: Controller::DaemonSet,
            class: Some(CLASSES[0]),
            milli_cpu: 100,
            constraints: Constraints::default(),
            sidecar: false,
            form: String::new(),
        };
        workload.form = workload.pod_form().to_string();
        workload
    }

    fn selector(&self) -> Value {
        json!({"matchLabels": {"app": self.name}})
    }

    fn pod_name(&self, ordinal: usize, rng: &mut Rng) -> String {
        match self.controller {
            Controller::StatefulSet => format!("{}-{ordinal}", self.owner),
            Controller::ReplicaSet | Controller::DaemonSet => {
                format!("{}-{}", self.owner, letters(rng, 5))
            }
        }
    }

    fn labels(&self) -> Value {
        let mut labels = json!({
            "app": self.name,
            "app.kubernetes.io/component": COMPONENTS[self.index % 3],
            "app.kubernetes.io/managed-by": "Helm",
            "app.kubernetes.io/part-of": format!("product-{:02}", self.index % 40),
            "app.kubernetes.io/version": format!("v1.{}.{}", self.index % 30, self.index % 7),
        });
        match self.controller {
            Controller::ReplicaSet => labels["pod-template-hash"] = json!(self.hash),
            Controller::StatefulSet => {
                labels["controller-revision-hash"] = json!(format!("{}-{}", self.name, self.hash));
                labels["apps.kubernetes.io/pod-index"] = json!("<ordinal>");
                labels["statefulset.kubernetes.io/pod-name"] = json!("<name>");
            }
            Controller::DaemonSet => {
                labels["controller-revision-hash"] = json!(self.hash);
                labels["pod-template-generation"] = json!("7");
            }
        }
        labels
    }

    fn requests(&self) -> Value {
        json!({"cpu": format!("{}m", self.milli_cpu), "memory": format!("{}Mi", self.milli_cpu * 2)})
    }

    fn resources(&self) -> Value {
        json!({"limits": {"memory": format!("{}Mi", self.milli_cpu * 3)}, "requests": self.requests()})
    }

    fn affinity(&self) -> Value {
        if self.controller == Controller::DaemonSet {
            let field = json!([{"key": "metadata.name", "operator": "In", "values": ["<node>"]}]);
            let terms = json!({"nodeSelectorTerms": [{"matchFields": field}]});
            return json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}});
        }
        if self.constraints.affinity { anti_affinity(&self.selector()) } else { Value::Null }
    }

    fn spread(&self) -> Value {
        if self.constraints.spread { spread(&self.selector(), 5) } else { Value::Null }
    }

    /// The containers of a pod of this workload, and what the kubelet says of them.
    fn containers(&self) -> (Vec<Value>, Vec<Value>) {
        let image = format!(
            "{REGISTRY}/{}/{}:1.{}.{}",
            self.namespace,
            self.name,
            self.index % 30,
            self.index % 7
        );
        let env: Vec<Value> = (0..6)
            .map(|i| json!({"name": format!("{}_SETTING_{i}", self.name.to_uppercase()), "value": "<24>"}))
            .chain([
                json!({"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}}),
                json!({"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"key": "password", "name": self.name}}}),
            ])
            .collect();
        let probe = |path: &str| {
            json!({"failureThreshold": 3, "httpGet": {"path": path, "port": "http", "scheme": "HTTP"},
                "initialDelaySeconds": 10, "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1})
        };
        let mounts = json!([
            {"mountPath": "/etc/config", "name": "config", "readOnly": true},
            {"mountPath": "/var/cache", "name": "scratch"},
            {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "<volume>", "readOnly": true},
        ]);
        let main = json!({
            "args": ["--config=/etc/config/app.yaml", "--listen=:8080", "--name=<name>"],
            "env": env, "image": image, "imagePullPolicy": "IfNotPresent",
            "livenessProbe": probe("/healthz"), "name": self.name,
            "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"},
                {"containerPort": 9090, "name": "metrics", "protocol": "TCP"}],
            "readinessProbe": probe("/readyz"), "resources": self.resources(),
            "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]},
                "readOnlyRootFilesystem": true, "runAsNonRoot": true},
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
            "volumeMounts": mounts,
        });
        let mut statuses = vec![container_status(&self.name, &image, &self.resources(), &mounts)];
        let mut containers = vec![main];
        if self.sidecar {
            let image = format!("{REGISTRY}/mesh/proxy:2.4.1");
            let resources = json!({"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "50m", "memory": "64Mi"}});
            containers.push(json!({
                "args": ["proxy", "sidecar"], "image": image, "imagePullPolicy": "IfNotPresent", "name": "proxy",
                "resources": resources, "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "File", "volumeMounts": mounts,
            }));
            statuses.push(container_status("proxy", &image, &resources, &mounts));
        }
        (containers, statuses)
    }

    /// A pod of this workload.
    fn pod(&self, node: usize, ordinal: usize, rng: &mut Rng) -> String {
        let (created, started) = times(rng);
        let values = [
            ("name", &*self.pod_name(ordinal, rng)),
            ("node", &node_name(node)),
            ("ordinal", &ordinal.to_string()),
            ("uid", &uid(rng)),
            ("version", &version(rng)),
            ("created", &created),
            ("started", &started),
            ("volume", &format!("kube-api-access-{}", letters(rng, 5))),
            (
                "address",
                &format!("10.{}.{}.{}", 64 + node / 256 % 64, node % 256, ordinal % 250 + 1),
            ),
            ("host", &node_address(node)),
        ];
        fill(&self.form, &values, rng)
    }

    fn pod_form(&self) -> Value {
        let (containers, statuses) = self.containers();
        let mut spec = json!({
            "containers": containers, "dnsPolicy": "ClusterFirst", "enableServiceLinks": true, "nodeName": "<node>",
            "nodeSelector": {"kubernetes.io/os": "linux"}, "preemptionPolicy": "PreemptLowerPriority",
            "priority": self.class.map_or(0, |(_, value)| value), "restartPolicy": "Always",
            "schedulerName": "default-scheduler", "securityContext": {"fsGroup": 1000, "runAsUser": 1000},
            "serviceAccount": self.name, "serviceAccountName": self.name, "terminationGracePeriodSeconds": 30,
            "tolerations": self.tolerations(), "volumes": self.volumes(),
        });
        if let Some((class, _)) = self.class {
            spec["priorityClassName"] = json!(class);
        }
        for (field, value) in
            [("affinity", self.affinity()), ("topologySpreadConstraints", self.spread())]
        {
            if !value.is_null() {
                spec[field] = value;
            }
        }
        let conditions = conditions(&[
            "PodReadyToStartContainers",
            "Initialized",
            "Ready",
            "ContainersReady",
            "PodScheduled",
        ]);
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {
                "annotations": self.annotations(), "creationTimestamp": "<created>",
                "generateName": format!("{}-", self.owner), "generation": 1, "labels": self.labels(),
                "managedFields": pod_managed_fields(&self.name), "name": "<name>", "namespace": self.namespace,
                "ownerReferences": [{"apiVersion": "apps/v1", "blockOwnerDeletion": true, "controller": true,
                    "kind": self.controller.name(), "name": self.owner, "uid": self.owner_uid}],
                "resourceVersion": "<version>", "uid": "<uid>",
            },
            "spec": spec,
            "status": {
                "conditions": conditions, "containerStatuses": statuses, "hostIP": "<host>",
                "hostIPs": [{"ip": "<host>"}], "observedGeneration": 1, "phase": "Running", "podIP": "<address>",
                "podIPs": [{"ip": "<address>"}], "qosClass": "Burstable", "startTime": "<started>",
            },
        })
    }

    fn annotations(&self) -> Value {
        json!({
            "checksum/config": "<64>",
            "kubectl.kubernetes.io/restartedAt": "2026-01-10T09:12:44+01:00",
            "prometheus.io/path": "/metrics", "prometheus.io/port": "9090", "prometheus.io/scrape": "true",
            "team.example.com/notes": format!("<name>: \"owned\" by {}", self.namespace),
        })
    }

    fn tolerations(&self) -> Value {
        if self.controller == Controller::DaemonSet {
            return json!([{"operator": "Exists"}]);
        }
        let seconds = |key: &str| json!({"effect": "NoExecute", "key": key, "operator": "Exists", "tolerationSeconds": 300});
        json!([seconds("node.kubernetes.io/not-ready"), seconds("node.kubernetes.io/unreachable")])
    }

    fn volumes(&self) -> Value {
        let mut volumes = vec![
            json!({"configMap": {"defaultMode": 420, "name": self.name}, "name": "config"}),
            json!({"emptyDir": {"sizeLimit": "1Gi"}, "name": "scratch"}),
            json!({"name": "<volume>", "projected": {"defaultMode": 420, "sources": [
                {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
                {"downwardAPI": {"items": [{"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
                    "path": "namespace"}]}},
            ]}}),
        ];
        if self.controller == Controller::StatefulSet {
            volumes.push(
                json!({"name": "data", "persistentVolumeClaim": {"claimName": "data-<name>"}}),
            );
        }
        Value::Array(volumes)
    }
}

fn anti_affinity(selector: &Value) -> Value {
    let terms = json!([{"labelSelector": selector, "topologyKey": "kubernetes.io/hostname"}]);
    json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}})
}

fn spread(selector: &Value, max_skew: u32) -> Value {
    json!([{"labelSelector": selector, "maxSkew": max_skew, "topologyKey": "topology.kubernetes.io/zone",
        "whenUnsatisfiable": "DoNotSchedule"}])
}

/// The workloads of the pods of one node: every daemon, and others that together do not ask for
/// more than there is.
fn pods_on<'w>(
    options: &Options,
    workloads: &'w [Workload],
    daemons: &'w [Workload],
    rng: &mut Rng,
) -> Vec<&'w Workload> {
    let mut pods: Vec<&Workload> = daemons.iter().take(options.pods_per_node).collect();
    let taken: usize = pods.iter().map(|w| w.milli_cpu).sum();
    let mut left = options.pods_per_node * NODE_MILLI_CPU_PER_POD - taken;
    while pods.len() < options.pods_per_node {
        let fits = |workload: &&Workload| workload.milli_cpu <= left;
        let smallest = || workloads.iter().min_by_key(|w| w.milli_cpu).filter(fits);
        let drawn = &workloads[rng.usize(..workloads.len())];
        let Some(workload) = Some(drawn).filter(fits).or_else(smallest) else { break };
        left -= workload.milli_cpu;
        pods.push(workload);
    }
    pods
}

/// The pending pod that wants half a node.
fn preemptor(options: &Options, workloads: &[Workload], rng: &mut Rng) -> Value {
    let like = &workloads[0];
    let half = |per_pod: usize| options.pods_per_node * per_pod / 2;
    let requests = json!({"cpu": format!("{}m", half(NODE_MILLI_CPU_PER_POD)),
        "memory": format!("{}Mi", half(NODE_MEBI_PER_POD))});
    let mut spec = json!({
        "containers": [{"name": "main", "image": "example.com/main:1", "resources": {"requests": requests}}],
        "nodeSelector": {"kubernetes.io/os": "linux"}, "preemptionPolicy": "PreemptLowerPriority",
        "priority": CLASSES[2].1, "priorityClassName": CLASSES[2].0, "schedulerName": "default-scheduler",
        "tolerations": [{"key": "dedicated", "operator": "Exists"}],
    });
    if options.affinity {
        spec["affinity"] = anti_affinity(&like.selector());
    }
    if options.spread {
        spec["topologySpreadConstraints"] = spread(&like.selector(), 50);
    }
    let labels = json!({"app": like.name});
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"creationTimestamp": NOW, "labels": labels, "name": PREEMPTOR.1, "namespace": PREEMPTOR.0,
            "resourceVersion": version(rng), "uid": uid(rng)},
        "spec": spec, "status": {"phase": "Pending", "qosClass": "Burstable"},
    })
}

/// A pending pod like the preemptor. Those of one kind are copies of one another; each kind asks for
/// a little less than the one before it, so that no two are decided as one.
fn pending(index: usize, preemptor: &Value, options: &Options, rng: &mut Rng) -> Value {
    let kind = index % options.pending_kinds.max(1);
    let mut pod = preemptor.clone();
    pod["metadata"]["name"] = json!(format!("pending-{kind:04}-{index:05}"));
    pod["metadata"]["uid"] = json!(uid(rng));
    pod["metadata"]["labels"] = json!({"app": format!("pending-{kind:04}")});
    // More than any node has free.
    let request = options.pods_per_node * NODE_MILLI_CPU_PER_POD * 3 / 5;
    pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] =
        json!(format!("{}m", request.saturating_sub(kind)));
    pod
}

fn node_name(index: usize) -> String {
    format!("ip-10-{}-{}-10.eu-west-1.compute.internal", index / 256, index % 256)
}

fn node_address(index: usize) -> String {
    format!("10.{}.{}.10", index / 256, index % 256)
}

fn node(index: usize, form: &str, rng: &mut Rng) -> String {
    let (created, started) = times(rng);
    let taint = r#"{"effect":"NoSchedule","key":"dedicated","value":"gpu"}"#;
    let values = [
        ("name", &*node_name(index)),
        ("address", &node_address(index)),
        ("pods", &format!("10.{}.{}.0/24", 64 + index / 256 % 64, index % 256)),
        ("zone", ZONES[index % ZONES.len()]),
        ("pool", &format!("pool-{}", index % 8)),
        ("instance", INSTANCES[index % INSTANCES.len()]),
        ("taint", if index.is_multiple_of(TAINTED) { taint } else { "" }),
        ("created", &created),
        ("started", &started),
        ("uid", &uid(rng)),
        ("version", &version(rng)),
    ];
    fill(form, &values, rng)
}

fn node_form(options: &Options) -> String {
    let amount = |percent: usize| {
        let (cpu, mebi) = (NODE_MILLI_CPU_PER_POD, NODE_MEBI_PER_POD);
        json!({"cpu": format!("{}m", options.pods_per_node * cpu * percent / 100), "ephemeral-storage": "200Gi",
            "hugepages-1Gi": "0", "hugepages-2Mi": "0", "pods": (options.pods_per_node * 2 + 20).to_string(),
            "memory": format!("{}Mi", options.pods_per_node * mebi * percent / 100)})
    };
    let image = |i: usize| {
        let name = format!("{REGISTRY}/team-{i:03}/service-{i:02}");
        // An image has the same digest on every node.
        let digest = (i as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        json!({"names": [format!("{name}@sha256:{digest:064x}"), format!("{name}:1.{i}")], "sizeBytes": 123_456_789 + i})
    };
    let form = json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "annotations": {"csi.volume.kubernetes.io/nodeid": "{\"ebs.csi.aws.com\":\"i-<17>\"}",
                "node.alpha.kubernetes.io/ttl": "0"},
            "creationTimestamp": "<created>",
            "labels": {
                "beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
                "kubernetes.io/hostname": "<name>", "kubernetes.io/os": "linux", "node.example.com/pool": "<pool>",
                "node.kubernetes.io/instance-type": "<instance>", "topology.kubernetes.io/region": "eu-west-1",
                "topology.kubernetes.io/zone": "<zone>",
            },
            "managedFields": [{"apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:metadata": {"f:labels": {
                ".": {}, "f:kubernetes.io/arch": {}, "f:kubernetes.io/hostname": {}, "f:kubernetes.io/os": {}}},
                "f:status": {"f:allocatable": {".": {}, "f:cpu": {}, "f:memory": {}}, "f:conditions": {".": {}}}},
                "manager": "kubelet", "operation": "Update", "subresource": "status", "time": "<started>"}],
            "name": "<name>", "resourceVersion": "<version>", "uid": "<uid>",
        },
        "spec": {"podCIDR": "<pods>", "podCIDRs": ["<pods>"], "providerID": "aws:///<zone>/i-<17>",
            "taints": ["<taint>"]},
        "status": {
            "addresses": [{"address": "<address>", "type": "InternalIP"}, {"address": "<name>", "type": "Hostname"}],
            "allocatable": amount(100), "capacity": amount(104),
            "conditions": conditions(&["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"]),
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}}, "images": (0..30).map(image).collect::<Vec<_>>(),
            "nodeInfo": {"architecture": "amd64", "bootID": "<36>", "containerRuntimeVersion": "containerd://2.1.5",
                "kernelVersion": "6.12.58", "kubeProxyVersion": "", "kubeletVersion": "v1.37.0", "machineID": "<32>",
                "operatingSystem": "linux", "osImage": "Linux", "systemUUID": "<36>"},
        },
    });
    // The taint is an object or nothing, not a text.
    form.to_string().replace("\"<taint>\"", "<taint>")
}

fn priority_class(name: &str, value: i32, rng: &mut Rng) -> Value {
    json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name, "uid": uid(rng)},
        "preemptionPolicy": "PreemptLowerPriority", "value": value})
}

fn namespace(index: usize, rng: &mut Rng) -> Value {
    let name = format!("team-{index:03}");
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"labels": {"kubernetes.io/metadata.name": name,
        "team": name}, "name": name, "uid": uid(rng)}, "status": {"phase": "Active"}})
}

/// A budget for one workload; more budgets than workloads protect some twice.
fn budget(index: usize, workloads: &[Workload], rng: &mut Rng) -> Value {
    let workload = &workloads[index % workloads.len()];
    json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": format!("{}-{}", workload.name, index / workloads.len()), "namespace": workload.namespace,
            "resourceVersion": version(rng), "uid": uid(rng)},
        "spec": {"maxUnavailable": "10%", "selector": workload.selector()},
        "status": {"currentHealthy": 50, "desiredHealthy": 45, "disruptionsAllowed": rng.u32(..4), "expectedPods": 50,
            "observedGeneration": 1},
    })
}

fn container_status(name: &str, image: &str, resources: &Value, mounts: &Value) -> Value {
    json!({
        "allocatedResources": resources["requests"], "containerID": "containerd://<64>",
        "image": image, "imageID": format!("{image}@sha256:<64>"), "lastState": {}, "name": name,
        "ready": true, "resources": resources, "restartCount": 0, "started": true,
        "state": {"running": {"startedAt": "<started>"}}, "volumeMounts": mounts,
    })
}

fn conditions(kinds: &[&str]) -> Vec<Value> {
    let condition = |kind: &&str| {
        let status = if kind.ends_with("Pressure") { "False" } else { "True" };
        json!({"lastProbeTime": null, "lastTransitionTime": "<started>", "observedGeneration": 1, "status": status, "type": kind})
    };
    kinds.iter().map(condition).collect()
}

fn pod_managed_fields(container: &str) -> Value {
    let key = format!("k:{{\"name\":\"{container}\"}}");
    let probe = json!({".": {}, "f:failureThreshold": {}, "f:httpGet": {".": {}, "f:path": {}, "f:port": {}},
        "f:periodSeconds": {}, "f:timeoutSeconds": {}});
    json!([
        {"apiVersion": "v1", "fieldsType": "FieldsV1", "manager": "kube-controller-manager", "operation": "Update",
            "time": "<created>", "fieldsV1": {
                "f:metadata": {"f:generateName": {}, "f:labels": {".": {}, "f:app": {}, "f:pod-template-hash": {}},
                    "f:ownerReferences": {".": {}}},
                "f:spec": {"f:containers": {(key): {".": {}, "f:args": {}, "f:env": {".": {}}, "f:image": {},
                    "f:livenessProbe": probe, "f:name": {}, "f:readinessProbe": probe, "f:resources": {".": {}},
                    "f:volumeMounts": {".": {}, "k:{\"mountPath\":\"/etc/config\"}": {".": {}, "f:mountPath": {}}}}},
                    "f:dnsPolicy": {}, "f:restartPolicy": {}, "f:schedulerName": {}, "f:volumes": {".": {}}}}},
        {"apiVersion": "v1", "fieldsType": "FieldsV1", "manager": "kubelet", "operation": "Update",
            "subresource": "status", "time": "<created>", "fieldsV1": {"f:status": {"f:conditions": {
                "k:{\"type\":\"Ready\"}": {".": {}, "f:lastTransitionTime": {}, "f:status": {}, "f:type": {}}},
                "f:containerStatuses": {}, "f:hostIP": {}, "f:phase": {}, "f:podIP": {}, "f:startTime": {}}}},
    ])
}

/// When an object was created and when it started, within the six weeks before [`NOW`].
fn times(rng: &mut Rng) -> (String, String) {
    let now: jiff::Timestamp = NOW.parse().unwrap_or_default();
    let age = rng.i64(3_600..42 * 86_400);
    let at = |age: i64| {
        jiff::Timestamp::from_second(now.as_second() - age).unwrap_or_default().to_string()
    };
    (at(age), at(age - rng.i64(1..30)))
}

fn letters(rng: &mut Rng, length: usize) -> String {
    let mut letters = String::with_capacity(length);
    push_letters(&mut letters, length, rng);
    letters
}

/// Letters as controllers use them in generated names: no vowels, so no words.
fn push_letters(text: &mut String, length: usize, rng: &mut Rng) {
    const LETTERS: &[u8; 32] = b"bcdfghjklmnpqrstvwxz245678924567";
    for start in (0..length).step_by(12) {
        let mut bits = rng.u64(..);
        for _ in start..length.min(start + 12) {
            text.push(char::from(LETTERS[(bits & 31) as usize]));
            bits >>= 5;
        }
    }
}

fn uid(rng: &mut Rng) -> String {
    let (a, b) = (rng.u64(..), rng.u64(..));
    let node = b & 0xffff_ffff_ffff;
    format!(
        "{:08x}-{:04x}-4{:03x}-a{:03x}-{node:012x}",
        a >> 32,
        a >> 16 & 0xffff,
        a & 0xfff,
        b >> 48 & 0xfff
    )
}

fn version(rng: &mut Rng) -> String {
    rng.u32(100_000_000..900_000_000).to_string()
}
