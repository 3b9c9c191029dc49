use serde_json::{Value, json};

use super::first_causes;
use engine::decision::{Explanation, decide};
use engine::framework::cluster_view::ClusterView;
use testing::{Node, Pod, at, cluster, node, objects, pod};

/// The first cause of pod `p`, and on how many nodes.
fn first_cause(objects: Vec<Value>) -> String {
    let cluster = cluster(objects);
    let profile = at("1.31").profile();
    let view = ClusterView::new(&cluster, &profile);
    let pod = cluster.find_pod("default", "p").expect("the pod");
    let decision = decide(&view, pod, testing::NOW.parse().expect("a time"));
    let mut decision = Explanation::from(decision);
    decision.run_other_filters();
    let (_, causes) = first_causes(&decision);
    let first = &causes.first().expect("a cause").group;
    format!("{} {}", first.nodes.len(), first.cause())
}

fn sized(name: &str) -> Node {
    node(name).cpu("4").memory("8Gi")
}

fn worker(n: usize) -> Node {
    let name = format!("worker-0{n}");
    sized(&name).label("kubernetes.io/hostname", &name)
}

/// A pod as most are: small, and no DaemonSet's.
fn small() -> Pod {
    pod("p").cpu("100m").memory("64Mi")
}

/// Three workers, each with the same fault.
fn workers(fault: impl Fn(Node) -> Node) -> Vec<Value> {
    (1..=3).map(|n| fault(worker(n)).into()).collect()
}

/// The control planes of installers: closed by a cordon, by a taint of their role, or by another.
fn control_planes() -> [(&'static str, Node); 5] {
    let master =
        || node("master").cpu("16").memory("64Gi").label("kubernetes.io/hostname", "master");
    let cordon =
        |node: Node| node.cordoned().taint("node.kubernetes.io/unschedulable", "", "NoSchedule");
    [
        ("kubeasz", cordon(master().label("kubernetes.io/role", "master"))),
        ("label", cordon(master().label("node-role.kubernetes.io/control-plane", ""))),
        (
            "kubeadm",
            master().label("node-role.kubernetes.io/control-plane", "").taint(
                "node-role.kubernetes.io/control-plane",
                "",
                "NoSchedule",
            ),
        ),
        (
            "old kubeadm, cordoned",
            cordon(master()).taint("node-role.kubernetes.io/master", "", "NoSchedule"),
        ),
        (
            "k3s",
            master()
                .label("node-role.kubernetes.io/control-plane", "true")
                .label("node-role.kubernetes.io/etcd", "true")
                .taint("CriticalAddonsOnly", "true", "NoExecute"),
        ),
    ]
}

/// Node affinity with one requirement.
fn affinity(key: &str, operator: &str, values: &[&str]) -> Pod {
    let requirement = json!({"key": key, "operator": operator, "values": values});
    small().node_term(json!({"matchExpressions": [requirement]}))
}

/// Pods that fill a worker.
fn full(cpu: &str) -> Vec<Value> {
    (1..=3).map(|n| pod(&format!("on-{n}")).cpu(cpu).on(&format!("worker-0{n}")).into()).collect()
}

#[test]
fn fault_of_the_workers_comes_before_the_closed_control_plane() {
    let tainted = |key, value, effect| workers(move |node| node.taint(key, value, effect));
    let plain = || workers(|node| node);
    let own = |key: &str| json!({"app": key});
    let apart = |operator: &str| {
        let term = json!([{"labelSelector": {"matchLabels": own("web")},
            "topologyKey": "kubernetes.io/hostname"}]);
        let field = format!("/spec/affinity/{operator}");
        small().with(&field, json!({"requiredDuringSchedulingIgnoredDuringExecution": term}))
    };
    let web = |n: usize| -> Value {
        pod(&format!("web-{n}")).label("app", "web").on(&format!("worker-0{n}")).into()
    };
    let faults: [(&str, Vec<Value>, Pod, &str); 20] = [
        (
            "taint",
            tainted("critical", "true", "NoSchedule"),
            small(),
            "3 untolerated taint critical=true:NoSchedule",
        ),
        (
            "taint that evicts",
            tainted("maintenance", "", "NoExecute"),
            small(),
            "3 untolerated taint maintenance:NoExecute",
        ),
        (
            "taint of a state",
            tainted("node.kubernetes.io/not-ready", "", "NoSchedule"),
            small(),
            "3 untolerated taint node.kubernetes.io/not-ready:NoSchedule",
        ),
        (
            "pressure",
            tainted("node.kubernetes.io/disk-pressure", "", "NoSchedule"),
            small(),
            "3 untolerated taint node.kubernetes.io/disk-pressure:NoSchedule",
        ),
        (
            "wrong toleration",
            tainted("team", "a", "NoSchedule"),
            small().tolerates("team", "Equal", "b", ""),
            "3 untolerated taint team=a:NoSchedule",
        ),
        ("cordons", workers(Node::cordoned), small(), "3 cordoned"),
        (
            "node selector",
            plain(),
            small().selects_nodes("disktype", "ssd"),
            "4 nodeSelector disktype=ssd: no node has the label",
        ),
        (
            "value of a node selector",
            workers(|node| node.label("disktype", "hdd")),
            small().selects_nodes("disktype", "ssd"),
            "4 nodeSelector disktype=ssd: no node has it",
        ),
        (
            "affinity",
            plain(),
            affinity("gpu", "Exists", &[]),
            "4 gpu Exists: no node has the label",
        ),
        (
            "affinity In",
            plain(),
            affinity("zone", "In", &["a", "b"]),
            "4 zone In [a, b]: no node has the label",
        ),
        (
            "affinity NotIn",
            plain(),
            affinity("kubernetes.io/hostname", "NotIn", &["worker-01", "worker-02", "worker-03"]),
            "3 kubernetes.io/hostname NotIn",
        ),
        (
            "affinity DoesNotExist",
            workers(|node| node.label("old", "")),
            affinity("old", "DoesNotExist", &[]),
            "3 old DoesNotExist",
        ),
        (
            "affinity Gt",
            workers(|node| node.label("gen", "1")),
            affinity("gen", "Gt", &["3"]),
            "3 gen",
        ),
        (
            "host that does not exist",
            plain(),
            affinity("kubernetes.io/hostname", "In", &["worker-09"]),
            "4 kubernetes.io/hostname In [worker-09]: no node has that hostname",
        ),
        (
            "too much cpu",
            plain(),
            pod("p").cpu("6"),
            "3 cpu: requests 6, even an empty node has only 4",
        ),
        (
            "too much of all",
            plain(),
            pod("p").cpu("100"),
            "4 cpu: needs 100, no node has more than 16",
        ),
        (
            "too much memory",
            plain(),
            pod("p").memory("16Gi"),
            "3 memory: requests 16Gi, even an empty node has only 8Gi",
        ),
        (
            "full",
            [plain(), full("3900m")].concat(),
            pod("p").cpu("500m"),
            "3 cpu: requests 0.5, at most 0.1 free of 4",
        ),
        (
            "anti-affinity",
            [plain(), (1..=3).map(web).collect()].concat(),
            apart("podAntiAffinity"),
            "3 the pod's own anti-affinity",
        ),
        ("pod affinity", plain(), apart("podAffinity"), "3"),
    ];
    for (installer, master) in control_planes() {
        for (fault, nodes, pod, want) in &faults {
            let objects = [nodes.clone(), objects![master.clone(), pod.clone()]].concat();
            let cause = first_cause(objects);
            // A cause that is the same on all nodes may or may not count the control plane.
            let rest = |text: &str| text.split_once(' ').map(|(_, rest)| rest.to_owned());
            let is_right = match rest(want) {
                Some(wanted) => rest(&cause).is_some_and(|text| text.starts_with(&wanted)),
                None => !cause.contains("cordoned") && !cause.contains("untolerated"),
            };
            assert!(is_right, "{installer}, {fault}: {cause}");
        }
    }
}

#[test]
fn node_that_the_pod_selects_comes_before_nodes_that_it_excludes() {
    let gpu = || sized("gpu1").label("pool", "gpu");
    let others = || objects![sized("w1"), sized("w2"), sized("w3").label("pool", "web")];
    let pod = || small().selects_nodes("pool", "gpu");
    for (row, selected, want) in [
        (
            "tainted",
            gpu().taint("pool", "gpu", "NoSchedule"),
            "1 untolerated taint pool=gpu:NoSchedule",
        ),
        ("cordoned", gpu().cordoned(), "1 cordoned"),
        (
            "leaving",
            gpu().taint("ToBeDeletedByClusterAutoscaler", "1", "NoSchedule"),
            "1 untolerated taint ToBeDeleted",
        ),
        ("too small", gpu().cpu("50m"), "1 cpu: requests 100m, even an empty node has only 50m"),
    ] {
        let cause = first_cause([others(), objects![selected, pod()]].concat());
        assert!(cause.starts_with(want), "{row}: {cause}");
    }
    let without = first_cause([others(), objects![pod()]].concat());
    assert!(without.starts_with("3 nodeSelector pool=gpu: no node has it"), "{without}");
}

#[test]
fn control_plane_counts_where_the_pod_asks_for_it_or_where_it_takes_pods() {
    let role = "node-role.kubernetes.io/control-plane";
    let master = || sized("master").label(role, "").label("kubernetes.io/hostname", "master");
    let tainted = || objects![worker(1).taint("critical", "true", "NoSchedule")];
    let cordoned = || master().cordoned();
    for (row, nodes, pod, want) in [
        ("by role", objects![cordoned()], small().selects_nodes(role, ""), "1 cordoned"),
        (
            "by host name",
            objects![cordoned()],
            small().selects_nodes("kubernetes.io/hostname", "master"),
            "1 cordoned",
        ),
        (
            "by role, and it is tainted",
            objects![master().taint(role, "", "NoSchedule")],
            small().selects_nodes(role, ""),
            "1 untolerated taint node-role.kubernetes.io/control-plane:NoSchedule",
        ),
        (
            "by toleration",
            objects![cordoned().taint(role, "", "NoSchedule")],
            small().tolerates(role, "Exists", "", "NoSchedule"),
            "1 cordoned",
        ),
        (
            "another one takes pods",
            objects![cordoned(), sized("server-2").cpu("10m").label(role, "true")],
            small(),
            "1 cordoned",
        ),
        (
            "it is a worker, too",
            objects![cordoned().label("node-role.kubernetes.io/worker", "true")],
            small(),
            "1 cordoned",
        ),
        (
            "it takes pods, but is full",
            objects![master().cpu("50m")],
            small(),
            "1 cpu: requests 100m",
        ),
    ] {
        let cause = first_cause([nodes, tainted(), objects![pod]].concat());
        assert!(cause.starts_with(want), "{row}: {cause}");
    }
    let alone = first_cause(objects![cordoned(), small()]);
    assert!(alone.starts_with("1 cordoned"), "{alone}");
}

#[test]
fn node_that_is_cordoned_or_ill_is_said_with_how_long() {
    let since = |key: &str, time: &str| {
        let taint = json!([{"key": key, "effect": "NoSchedule", "timeAdded": time}]);
        move |node: Node| node.with("/spec/taints", taint.clone())
    };
    let (cordon, not_ready) = ("node.kubernetes.io/unschedulable", "node.kubernetes.io/not-ready");
    let hour = |key: &str| since(key, "2025-12-31T23:00:00Z");
    let cordoned = |n: usize, time: &str| since(cordon, time)(worker(n).cordoned());
    for (row, nodes, want) in [
        ("one", objects![cordoned(1, "2025-12-31T23:00:00Z")], "1 cordoned for 60m"),
        (
            "two times",
            objects![cordoned(1, "2025-12-31T23:00:00Z"), cordoned(2, "2025-12-31T22:50:00Z")],
            "2 cordoned for 60m to 70m",
        ),
        (
            "time not known of one",
            objects![hour(cordon)(worker(1).cordoned()), worker(2).cordoned()],
            "2 cordoned",
        ),
        ("later than now", objects![cordoned(1, "2026-06-01T00:00:00Z")], "1 cordoned"),
        (
            "not ready",
            objects![hour(not_ready)(worker(1))],
            "1 untolerated taint node.kubernetes.io/not-ready:NoSchedule for 60m",
        ),
        (
            "not ready since a transition",
            objects![
                worker(1)
                    .with("/spec/taints", json!([{"key": not_ready, "effect": "NoSchedule"}]))
                    .push(
                        "/status/conditions",
                        json!({"type": "Ready", "status": "False",
                        "lastTransitionTime": "2025-12-31T23:00:00Z"})
                    )
            ],
            "1 untolerated taint node.kubernetes.io/not-ready:NoSchedule for 60m",
        ),
        (
            "a person's taint",
            objects![hour("team")(worker(1))],
            "1 untolerated taint team:NoSchedule",
        ),
    ] {
        assert_eq!(first_cause([nodes, objects![small()]].concat()), want, "{row}");
    }
}
