//! The dumps that people have of a cluster, each laid out as its tool writes it, with the files of
//! other kinds that stand between the objects: the answer is that of the objects.

use serde_json::{Value, json};
use testing::assert_has;

use super::{NOW, Run, explain_stdin, folder, list, node, pod, run, with};

/// A node that is full of a pod of lower priority, and one that waits for it.
struct Objects {
    node: Value,
    old: Value,
    web: Value,
}

impl Objects {
    fn new() -> Self {
        let requests = "/spec/containers/0/resources/requests/cpu";
        let old = with(with(pod("old"), "/spec/nodeName", json!("n1")), requests, json!("3500m"));
        let old = with(with(old, "/spec/priority", json!(0)), "/status/phase", json!("Running"));
        let node = with(node("n1"), "/status/nodeInfo", json!({"kubeletVersion": "v1.33.4"}));
        Self { node, old, web: with(pod("web-1"), "/spec/priority", json!(1000)) }
    }

    /// The first line of the answer.
    fn first_line(&self) -> String {
        let answer =
            explain_stdin(list(&[self.node.clone(), self.old.clone(), self.web.clone()]), &[]);
        let line = first_line(&answer);
        assert!(answer.code == 0 && line.contains("will evict 1 pod on n1"), "{answer:?}");
        line
    }

    fn nodes(&self) -> Value {
        typed("Node", &[&self.node])
    }

    fn pods(&self) -> Value {
        typed("Pod", &[&self.old, &self.web])
    }
}

/// A list whose items do not name their kind.
fn typed(kind: &str, objects: &[&Value]) -> Value {
    let mut items: Vec<Value> = objects.iter().map(|object| (*object).clone()).collect();
    for fields in items.iter_mut().filter_map(Value::as_object_mut) {
        fields.remove("kind");
        fields.remove("apiVersion");
    }
    json!({"kind": format!("{kind}List"), "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": items})
}

fn yaml(value: &Value) -> String {
    serde_saphyr::to_string(value).unwrap()
}

/// The first half of a text.
fn cut(text: &str) -> String {
    text[..text.len() / 2].to_owned()
}

/// A list in YAML that ends in the middle of a name.
fn cut_yaml(kind: &str) -> String {
    format!("apiVersion: v1\nkind: {kind}List\nitems:\n- metadata:\n    name: 'x")
}

fn first_line(answer: &Run) -> String {
    answer.out.lines().next().unwrap_or_default().to_owned()
}

/// Explains the pod of a dump.
fn explain(files: &[(&str, String)], more: &[&str]) -> Run {
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
    let folder = folder(&files);
    run(&[&["explain", "web-1", "--now", NOW, "--from", folder.path().to_str().unwrap()], more]
        .concat())
}

/// The answer is that of the objects, and one line says how many files are none of Kubernetes.
#[track_caller]
fn is_read(files: &[(&str, String)], foreign: usize) {
    let answer = explain(files, &[]);
    assert_eq!((answer.code, first_line(&answer)), (0, Objects::new().first_line()), "{answer:?}");
    let warning = match foreign {
        0 => String::new(),
        1 => "Warning: 1 file is no Kubernetes object: ".to_owned(),
        count => format!("Warning: {count} files are no Kubernetes objects: "),
    };
    assert!(answer.err.starts_with(&warning), "{answer:?}");
    assert_eq!(answer.err.lines().count(), foreign.min(1), "{answer:?}");
}

/// `kubectl get … -o yaml > FILE`, and what else lies there.
#[test]
fn files_of_kubectl_get_are_read() {
    let objects = Objects::new();
    let generic =
        |items: &[&Value]| yaml(&json!({"apiVersion": "v1", "kind": "List", "items": items}));
    is_read(
        &[
            ("nodes.yaml", generic(&[&objects.node])),
            ("pods.yaml", generic(&[&objects.old, &objects.web])),
            ("pdb.json", json!({"apiVersion": "v1", "kind": "List", "items": []}).to_string()),
            ("notes.txt", "Name of the pod: web-1\n".to_owned()),
            ("notes.md", "kind: Pod\n".to_owned()),
        ],
        0,
    );
}

/// `kubectl cluster-info dump > FILE`, in a directory that is named and has nothing else to read.
#[test]
fn directory_with_the_printed_dump_alone_is_read() {
    let objects = Objects::new();
    let list =
        |kind: &str, items: &[&Value]| serde_json::to_string_pretty(&typed(kind, items)).unwrap();
    let dump = format!(
        "{}\n{}\n==== START logs for container c of pod default/old-1 ====\n{{[\n==== END logs \
         for container c of pod default/old-1 ====\n",
        list("Node", &[&objects.node]),
        list("Pod", &[&objects.old, &objects.web])
    );
    for name in ["dump.txt", "cluster.log", "dump"] {
        is_read(&[(name, dump.clone()), ("notes.txt", "Name of the pod: web-1\n".to_owned())], 0);
    }
    let none = explain(&[("notes.txt", "Name of the pod: web-1\n".to_owned())], &[]);
    assert_eq!(none.code, 2, "{none:?}");
    assert_has(&none.err, "the directory holds no .json");
}

#[test]
fn packing_that_is_not_read_is_named() {
    for (bytes, name) in [
        (&b"\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46"[..], "xz"),
        (b"BZh91AY&SY\x9b\x0c", "bzip2"),
        (b"7z\xbc\xaf\x27\x1c\x00\x04", "7-Zip"),
        (b"Rar!\x1a\x07\x01\x00", "RAR"),
    ] {
        let folder = folder(&[("bundle", bytes)]);
        let path = folder.path().join("bundle");
        let answer = run(&["pending", "--from", path.to_str().unwrap()]);
        let problem = format!("it is packed with {name}, which is not read: unpack it first");
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(answer.err.contains(&problem), "{answer:?}");
    }
}

/// `kubectl cluster-info dump --all-namespaces --output-directory`.
#[test]
fn cluster_info_dump_is_read() {
    let objects = Objects::new();
    let empty = |kind: &str| serde_json::to_string_pretty(&typed(kind, &[])).unwrap();
    let logs = "==== START logs for container main of pod default/old ====\n{\"kind\": \"Pod\"}\n";
    is_read(
        &[
            ("nodes.json", serde_json::to_string_pretty(&objects.nodes()).unwrap()),
            ("default/pods.json", serde_json::to_string_pretty(&objects.pods()).unwrap()),
            ("default/events.json", empty("Event")),
            ("default/services.json", empty("Service")),
            ("default/replication-controllers.json", empty("ReplicationController")),
            ("default/daemonsets.json", empty("DaemonSet")),
            ("default/deployments.json", empty("Deployment")),
            ("default/replicasets.json", empty("ReplicaSet")),
            ("default/old/logs.txt", logs.to_owned()),
            ("kube-system/pods.json", empty("Pod")),
        ],
        0,
    );
}

/// The files of a must-gather beside those about the scheduler.
fn must_gather(objects: &Objects) -> Vec<(&'static str, String)> {
    let whole = |object: &Value| format!("---\n{}", yaml(object));
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}});
    let version = json!({"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
        "status": {"desired": {"version": "4.20.3"}}});
    let operators = json!({"apiVersion": "config.openshift.io/v1", "kind": "ClusterOperatorList",
        "items": [{"metadata": {"name": "kube-scheduler"}}]});
    vec![
        ("quay-io-x/version", "openshift/must-gather\n4.20.3\n".to_owned()),
        ("quay-io-x/timestamp", "2026-06-01 11:00:00\n".to_owned()),
        ("quay-io-x/event-filter.html", "<html></html>\n".to_owned()),
        ("quay-io-x/cluster-scoped-resources/core/nodes/n1.yaml", whole(&objects.node)),
        (
            "quay-io-x/cluster-scoped-resources/config.openshift.io/clusterversions/version.yaml",
            whole(&version),
        ),
        (
            "quay-io-x/cluster-scoped-resources/config.openshift.io/clusteroperators.yaml",
            whole(&operators),
        ),
        ("quay-io-x/namespaces/default/default.yaml", whole(&namespace)),
        ("quay-io-x/namespaces/default/core/pods.yaml", whole(&objects.pods())),
        ("quay-io-x/namespaces/default/core/configmaps.yaml", cut_yaml("ConfigMap")),
        // Each pod is there twice.
        ("quay-io-x/namespaces/default/pods/old/old.yaml", whole(&objects.old)),
        ("quay-io-x/namespaces/default/pods/web-1/web-1.yaml", whole(&objects.web)),
        (
            "quay-io-x/namespaces/default/pods/old/main/main/logs/current.log",
            "{\"kind\": \"Pod\"}\n".to_owned(),
        ),
        (
            "quay-io-x/monitoring/prometheus/rules.json",
            "{\"status\":\"success\",\"data\":{\"groups\":[]}}".to_owned(),
        ),
        (
            "quay-io-x/etcd_info/endpoint_health.json",
            "[{\"endpoint\":\"https://10.0.0.1\",\"health\":true}]".to_owned(),
        ),
        ("quay-io-x/host_service_logs/masters/kubelet_service.log", "started\n".to_owned()),
    ]
}

#[test]
fn must_gather_is_read_and_names_pods_given_twice_once() {
    let objects = Objects::new();
    is_read(&must_gather(&objects), 3);
    let notes = explain(&must_gather(&objects), &["-o", "json"]).json()["notes"].clone();
    let twice: Vec<&Value> = notes
        .as_array()
        .unwrap()
        .iter()
        .filter(|note| note["text"].as_str().unwrap().contains("given twice"))
        .collect();
    assert_eq!(twice.len(), 1, "{notes}");
    assert_eq!(
        (&twice[0]["severity"], &twice[0]["count"]),
        (&json!("warning"), &json!(2)),
        "{notes}"
    );
}

/// The bundles of troubleshoot.sh, of today and with lists of an older version.
#[test]
fn support_bundle_is_read() {
    let objects = Objects::new();
    let bundle = |nodes: Value| {
        vec![
            (
                "b/version.yaml",
                "apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\nspec: {versionNumber: v0.120.0}\n"
                    .to_owned(),
            ),
            ("b/analysis.json", "[{\"name\": \"node.resources\", \"severity\": \"debug\"}]".to_owned()),
            (
                "b/cluster-info/cluster_version.json",
                "{\"info\": {\"major\": \"1\"}, \"string\": \"v1.33.4\"}".to_owned(),
            ),
            ("b/cluster-resources/nodes.json", nodes.to_string()),
            ("b/cluster-resources/namespaces.json", typed("Namespace", &[]).to_string()),
            ("b/cluster-resources/pods/default.json", objects.pods().to_string()),
            ("b/cluster-resources/pods/logs/default/old/main.log", "{\"kind\": \"Pod\"".to_owned()),
            (
                "b/cluster-resources/pod-disruption-budgets/default.json",
                json!({"kind": "PodDisruptionBudgetList", "apiVersion": "policy/v1", "items": []}).to_string(),
            ),
            ("b/cluster-resources/deployments/default.json", cut(&typed("Deployment", &[]).to_string())),
            ("b/cluster-resources/groups.json", "[{\"name\": \"apps\", \"versions\": []}]".to_owned()),
            ("b/cluster-resources/auth-cani-list/default.json", "{\"resourceRules\": []}".to_owned()),
            ("b/host-collectors/system/cpu.json", "{\"logicalCount\": 8}".to_owned()),
        ]
    };
    is_read(&bundle(objects.nodes()), 6);
    let kinds = json!([objects.node]);
    is_read(&bundle(kinds), 6);
}

/// The bundles of Harvester, Longhorn and Rancher.
#[test]
fn harvester_bundle_is_read() {
    let objects = Objects::new();
    let metrics = json!({"kind": "PodMetricsList", "apiVersion": "metrics.k8s.io/v1beta1", "items": [{"metadata":
        {"name": "old", "namespace": "default"}, "containers": [{"name": "main", "usage": {"cpu": "1"}}]}]});
    let machines = json!({"kind": "VirtualMachineList", "apiVersion": "kubevirt.io/v1", "items": [{"metadata": {"name": "v"}}]});
    for [nodes, pods] in [
        [
            "s/yamls/cluster/kubernetes/nodes.yaml",
            "s/yamls/namespaced/default/kubernetes/pods.yaml",
        ],
        ["s/yamls/cluster/v1/nodes.yaml", "s/yamls/namespaced/default/v1/pods.yaml"],
    ] {
        is_read(
            &[
                (
                    "s/metadata.yaml",
                    "projectName: Harvester\nkubernetesVersion: v1.33.4+rke2r1\n".to_owned(),
                ),
                ("s/bundleGenerationError.log", String::new()),
                (nodes, yaml(&objects.nodes())),
                (pods, yaml(&objects.pods())),
                (
                    "s/yamls/namespaced/default/metrics.k8s.io/v1beta1/podmetrics.yaml",
                    yaml(&metrics),
                ),
                ("s/yamls/namespaced/default/kubevirt.io/v1/virtualmachines.yaml", yaml(&machines)),
                ("s/yamls/namespaced/default/apps/v1/deployments.yaml", cut_yaml("Deployment")),
                ("s/logs/default/old/main.log", "kind: Pod\n".to_owned()),
                ("s/nodes/n1.zip", "PK".to_owned()),
            ],
            2,
        );
    }
}

#[test]
fn sonobuoy_results_are_read() {
    let objects = Objects::new();
    is_read(
        &[
            ("resources/cluster/core_v1_nodes.json", objects.nodes().to_string()),
            ("resources/ns/default/core_v1_pods.json", objects.pods().to_string()),
            ("resources/ns/default/core_v1_limitranges.json", typed("LimitRange", &[]).to_string()),
            ("servergroups.json", "{\"kind\": \"APIGroupList\", \"groups\": []}".to_owned()),
            ("serverversion.json", "{\"major\": \"1\", \"minor\": \"33\"}".to_owned()),
            ("meta/config.json", "{\"Description\": \"DEFAULT\", \"UUID\": \"x\"}".to_owned()),
            ("meta/run.log", "started\n".to_owned()),
            ("plugins/e2e/sonobuoy_results.yaml", "name: e2e\nstatus: passed\n".to_owned()),
            ("podlogs/default/old/logs/main.txt", "{\"kind\": \"Pod\"}".to_owned()),
            ("hosts/n1/configz.json", "{\"kubeletconfig\": {}}".to_owned()),
        ],
        4,
    );
}

/// The reports of Fairwinds Insights' agent have nodes without taints, controllers, and no pods: they
/// are no objects, and must not be taken for some.
#[test]
fn reports_about_a_cluster_beside_its_objects_are_passed_over() {
    let objects = Objects::new();
    let workloads = json!({"ServerVersion": "1.33", "CreationTime": NOW, "SourceName": "c",
        "SourceType": "Cluster", "Nodes": [{"Name": "n2", "Labels": {}, "Annotations": {},
            "Allocatable": {"cpu": "64", "memory": "256Gi", "pods": "110"}}],
        "Namespaces": [{"metadata": {"name": "default", "uid": "u"}, "status": {"phase": "Active"}}],
        "Controllers": [{"Kind": "Deployment", "Name": "web", "Namespace": "default",
            "Containers": [{"Name": "c", "Image": "i"}]}]});
    let polaris = json!({"PolarisOutputVersion": "1.0", "SourceType": "Cluster", "ClusterInfo":
        {"Version": "1.33", "Nodes": 1, "Pods": 2}, "Results": [{"Name": "web", "Namespace":
        "default", "Kind": "Deployment", "PodResult": {"Name": "", "Results": {}}}]});
    is_read(
        &[
            ("nodes.json", objects.nodes().to_string()),
            ("pods.json", objects.pods().to_string()),
            // By its name it could hold Workloads, so a note says that it holds none.
            ("insights/workloads.json", workloads.to_string()),
            ("insights/polaris.json", polaris.to_string()),
        ],
        1,
    );
    let alone = explain(&[("workloads.json", workloads.to_string())], &[]);
    assert!(alone.code == 2 && alone.err.lines().count() <= 2, "{alone:?}");
}

/// Pods that are cut off make the answer unsure in each layout.
#[test]
fn dumps_whose_pods_are_cut_off_give_no_sure_answer() {
    let objects = Objects::new();
    for path in [
        "kube-system/pods.json",
        "namespaces/x/core/pods.yaml",
        "cluster-resources/pods/x.json",
        "resources/ns/x/core_v1_pods.json",
    ] {
        let files = [
            ("nodes.json", objects.nodes().to_string()),
            ("pods.json", objects.pods().to_string()),
        ];
        let answer = explain(
            &[&files[..], &[(path, cut(&objects.pods().to_string()))]].concat(),
            &["-o", "json"],
        );
        assert_eq!(answer.code, 3, "{path}: {answer:?}");
        assert!(answer.json()["notes"].to_string().contains(path), "{path}: {answer:?}");
    }
}

/// `Scheduler` as `oc adm inspect` writes it: alone, or in a list.
fn openshift_scheduler(profile: &str) -> Value {
    json!({"apiVersion": "config.openshift.io/v1", "kind": "Scheduler", "metadata": {"name": "cluster"},
        "spec": {"mastersSchedulable": false, "policy": {"name": ""}, "profile": profile}})
}

/// Exit code, the configuration that counts, and the notes.
fn configured(more: &[(&str, String)]) -> (i32, Value, String) {
    let files = [&must_gather(&Objects::new())[..], more].concat();
    let answer = explain(&files, &["-o", "json"]);
    let json = answer.json();
    (answer.code, json["scheduler"]["configSource"].clone(), json["notes"].to_string())
}

#[test]
fn profile_of_openshift_is_the_configuration() {
    const ALONE: &str =
        "quay-io-x/cluster-scoped-resources/config.openshift.io/schedulers/cluster.yaml";
    const LISTED: &str = "quay-io-x/cluster-scoped-resources/config.openshift.io/schedulers.yaml";
    for (profile, said) in [
        ("LowNodeUtilization", "profile LowNodeUtilization"),
        ("HighNodeUtilization", "profile HighNodeUtilization"),
        ("NoScoring", "profile NoScoring"),
        ("", "its default profile"),
    ] {
        let object = openshift_scheduler(profile);
        let listed = json!({"apiVersion": "config.openshift.io/v1", "kind": "SchedulerList", "items": [{
            "metadata": object["metadata"], "spec": object["spec"]}]});
        for file in [(ALONE, yaml(&object)), (LISTED, yaml(&listed))] {
            let (code, source, notes) = configured(&[file]);
            assert_eq!(
                (code, source),
                (0, json!(format!("OpenShift's Scheduler cluster, {said}"))),
                "{notes}"
            );
        }
    }
    let (code, source, notes) = configured(&[(ALONE, yaml(&openshift_scheduler("Fastest")))]);
    assert_eq!((code, source), (3, Value::Null), "{notes}");
    assert_has(&notes, "profile Fastest: not known for kube-scheduler 1.33, and passed over");
}

#[test]
fn static_pod_of_openshift_shows_flags_and_names_the_configuration_that_is_missing() {
    const PODS: &str = "quay-io-x/namespaces/openshift-kube-scheduler/core/pods.yaml";
    let pod = |gates: &str| {
        let list = json!({"apiVersion": "v1", "kind": "PodList", "items": [{
            "metadata": {"name": "openshift-kube-scheduler-m1", "namespace": "openshift-kube-scheduler", "uid": "s",
                         "labels": {"app": "openshift-kube-scheduler"}},
            "spec": {"nodeName": "n1", "containers": [
                {"name": "kube-scheduler", "image": "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:ab",
                 "command": ["hyperkube", "kube-scheduler"],
                 "args": ["--config=/etc/kubernetes/config.yaml", format!("--feature-gates={gates}")]},
                {"name": "kube-scheduler-cert-syncer", "args": ["--namespace=x"]}]},
            "status": {"phase": "Running"}}]});
        (PODS, yaml(&list))
    };
    let own = "AdminNetworkPolicy=true,GatewayAPI=false";
    let (code, source, notes) = configured(&[pod(own)]);
    assert_eq!((code, source), (3, Value::Null), "{notes}");
    for part in [
        "openshift-kube-scheduler/openshift-kube-scheduler-m1 is started with --config=/etc/kubernetes/config.yaml",
        "ConfigMap config of namespace openshift-kube-scheduler",
        "also sets gates that kube-scheduler does not have, passed over: AdminNetworkPolicy=true, GatewayAPI=false",
    ] {
        assert!(notes.contains(part), "{part}: {notes}");
    }
    // With the object that chooses the profile nothing is missing.
    let scheduler = (
        "quay-io-x/cluster-scoped-resources/config.openshift.io/schedulers/cluster.yaml",
        yaml(&openshift_scheduler("LowNodeUtilization")),
    );
    let (code, source, notes) = configured(&[pod(own), scheduler.clone()]);
    let profile = "OpenShift's Scheduler cluster, profile LowNodeUtilization";
    assert_eq!((code, source), (0, json!(profile)), "{notes}");
    // A gate of a newer kube-scheduler is not OpenShift's own.
    let (code, _, notes) = configured(&[pod("GenericWorkload=true"), scheduler]);
    assert_eq!(code, 3, "{notes}");
    assert_has(&notes, "unrecognized feature gate: GenericWorkload");
}

#[test]
fn config_map_of_openshift_comes_before_its_profile() {
    let config =
        json!({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}).to_string();
    let map = |name: &str, data: Value| json!({"metadata": {"name": name, "namespace": "openshift-kube-scheduler"}, "data": data});
    let maps = json!({"apiVersion": "v1", "kind": "ConfigMapList", "items": [
        map("config-7", json!({"config.yaml": "{}"})), map("config", json!({"config.yaml": config})),
        map("serviceaccount-ca", json!({"ca-bundle.crt": "x"}))]});
    let files = [
        (
            "quay-io-x/cluster-scoped-resources/config.openshift.io/schedulers/cluster.yaml",
            yaml(&openshift_scheduler("NoScoring")),
        ),
        ("quay-io-x/namespaces/openshift-kube-scheduler/core/configmaps.yaml", yaml(&maps)),
    ];
    let (code, source, notes) = configured(&files);
    let origin = "ConfigMap openshift-kube-scheduler/config, key config.yaml";
    assert_eq!((code, source), (0, json!(origin)), "{notes}");
}
