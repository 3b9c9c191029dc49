use serde_json::{Value, json};

use crate::decision::remedy::{RANKS, Remedies, RemedyKind};
use crate::decision::{Explanation, decide};
use crate::framework::cluster_view::ClusterView;
use crate::testing::{NOW, Node, Pod, at, cluster, node, objects, pod};
use model::cluster::Cluster;
use model::edits;
use profile::Profile;

fn with<R>(cluster: &Cluster, profile: &Profile, then: impl FnOnce(&mut Explanation) -> R) -> R {
    let view = ClusterView::new(cluster, profile);
    let pod = cluster.find_pod("default", "p").expect("the pod");
    then(&mut decide(&view, pod, NOW.parse().expect("a time")).into())
}

fn remedies(cluster: &Cluster) -> Remedies {
    with(cluster, &at("1.37").profile(), |decision| {
        decision.seek_remedies();
        decision.remedies.take().unwrap_or_default()
    })
}

/// `Kind: summary > nodes` of each remedy.
fn found(objects: Vec<Value>) -> Vec<String> {
    let remedies = remedies(&cluster(objects)).found;
    remedies
        .iter()
        .map(|r| format!("{:?}: {} > {}", r.kind, r.summary, r.nodes.join(" ")))
        .collect()
}

fn of_kind(objects: Vec<Value>, kind: RemedyKind) -> Vec<String> {
    let kind = format!("{kind:?}: ");
    found(objects).iter().filter_map(|text| text.strip_prefix(&kind)).map(str::to_owned).collect()
}

#[test]
fn remedies_for_a_full_node() {
    let objects = objects![
        node("n1").cpu("2"),
        pod("low").cpu("1").priority(5).on("n1"),
        pod("high").cpu("500m").priority(9).on("n1"),
        pod("p").cpu("1").priority(1),
    ];
    assert_eq!(
        found(objects),
        [
            "AddNode: add one more node like n1 > n1-copy",
            "LowerRequest: lower cpu from 1 to 0.5 > n1",
            "FreeResources: free 0.5 cpu on n1 > n1",
        ]
    );
}

#[test]
fn no_request_that_is_larger_fits() {
    let objects = |requested: &str| {
        objects![
            node("n1").cpu("2").memory("4Gi"),
            node("n2").cpu("3").memory("1Gi"),
            pod("a").cpu("700m").memory("1Gi").on("n1"),
            pod("p").cpu(requested).memory("3Gi"),
        ]
    };
    assert_eq!(
        of_kind(objects("3"), RemedyKind::LowerRequest),
        [""; 0],
        "less than half of it would be left"
    );
    assert_eq!(
        of_kind(objects("2600m"), RemedyKind::LowerRequest),
        ["lower cpu from 2.6 to 1.3 > n1"]
    );
    assert_eq!(of_kind(objects("2601m"), RemedyKind::LowerRequest), [""; 0]);
    assert_eq!(found(objects("1300m")), [""; 0]);
    assert_ne!(found(objects("1301m")), [""; 0]);
}

#[test]
fn taints_of_another_pool_are_tolerated_or_removed() {
    let objects = objects![
        node("n1").taint("gpu", "yes", "NoSchedule").taint("team", "", "NoExecute"),
        node("n2").taint("node.kubernetes.io/not-ready", "", "NoSchedule"),
        pod("p"),
    ];
    assert_eq!(
        found(objects),
        [
            "RepairNode: repair n2, until it has no taint node.kubernetes.io/not-ready (the control plane sets it while the kubelet is not ready) > n2",
            "AddNode: add one more node like n2 > n2-copy",
            "Tolerate: tolerate taint gpu=yes:NoSchedule and tolerate taint team:NoExecute > n1",
            "RemoveTaint: remove taint gpu=yes:NoSchedule from n1 and remove taint team:NoExecute from n1 > n1",
        ]
    );
}

#[test]
fn user_label_is_proposed_for_a_node_without_it() {
    let wants = |key: &str| pod("p").with("/spec/nodeSelector", json!({key: "ssd"}));
    let nodes = |pod: Pod| objects![node("n1").label("disktype", "hdd"), node("n2"), pod];
    assert_eq!(
        of_kind(nodes(wants("disktype")), RemedyKind::LabelNode),
        ["label n2 with disktype=ssd > n2"],
        "a node with another value says what it has"
    );
    let affinity = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [
            {"key": "disktype", "operator": "In", "values": ["ssd", "nvme"]}]}]}}});
    assert_eq!(
        of_kind(nodes(pod("p").with("/spec/affinity", affinity)), RemedyKind::LabelNode),
        ["label n2 with disktype=ssd > n2"]
    );
    for by_program in ["topology.kubernetes.io/zone", "eks.amazonaws.com/nodegroup"] {
        assert_eq!(of_kind(nodes(wants(by_program)), RemedyKind::LabelNode), [""; 0]);
    }
    let pool = objects![node("n0").label("disktype", "ssd").taint("a", "b", "NoSchedule")];
    assert_eq!(
        of_kind([pool, nodes(wants("disktype"))].concat(), RemedyKind::LabelNode),
        [""; 0],
        "n0 is such a node: others need not have what makes it one"
    );
    let tainted = objects![node("n1").taint("a", "b", "NoSchedule"), wants("disktype")];
    assert_eq!(of_kind(tainted, RemedyKind::LabelNode), [""; 0], "something else is against it");
}

#[test]
fn node_that_is_starting_is_waited_for() {
    let uninitialized = "node.cloudprovider.kubernetes.io/uninitialized";
    let objects = |starting: Node| {
        let control_plane =
            node("cp1").cpu("4").taint("node-role.kubernetes.io/master", "", "NoSchedule");
        objects![control_plane, starting, pod("p").cpu("2")]
    };
    assert_eq!(
        found(objects(node("w2").cpu("4").taint(uninitialized, "true", "NoSchedule"))),
        [format!(
            "AwaitNode: once w2 has no taint {uninitialized} (the kubelet sets it with --cloud-provider=external, the cloud controller manager removes it) > w2"
        ),],
        "a new node would have the taint, too"
    );
    let not_ready = |created: &str| {
        let node = node("w2")
            .cpu("4")
            .taint("node.kubernetes.io/not-ready", "", "NoExecute")
            .created(created);
        found(objects(node.taint("node.kubernetes.io/not-ready", "", "NoSchedule")))
            .first()
            .cloned()
            .unwrap_or_default()
    };
    let no_taint = "has no taint node.kubernetes.io/not-ready (the control plane sets it while the kubelet is not ready)";
    assert_eq!(
        not_ready("2025-12-31T23:58:00Z"),
        format!("AwaitNode: once w2 {no_taint} > w2"),
        "it was created just now"
    );
    assert_eq!(
        not_ready("2025-06-01T00:00:00Z"),
        format!("RepairNode: repair w2, until it {no_taint} > w2")
    );
    let full = [
        objects(node("w2").cpu("4").taint(uninitialized, "true", "NoSchedule")),
        objects![pod("a").cpu("3").on("w2")],
    ];
    assert_eq!(of_kind(full.concat(), RemedyKind::AwaitNode), [""; 0], "it would be full");
}

#[test]
fn taints_that_programs_set_are_neither_tolerated_nor_removed() {
    for key in [
        "node-role.kubernetes.io/control-plane",
        "node-role.kubernetes.io/master",
        "node.kubernetes.io/unreachable",
        "node.cilium.io/agent-not-ready",
        "ToBeDeletedByClusterAutoscaler",
        "karpenter.sh/disrupted",
    ] {
        let objects = objects![node("n1").taint(key, "", "NoSchedule"), pod("p")];
        for text in found(objects) {
            assert!(
                !text.starts_with("Tolerate") && !text.starts_with("RemoveTaint"),
                "{key}: {text}"
            );
        }
    }
}

#[test]
fn uncordon_is_proposed_if_nothing_else_rejects_the_pod() {
    let cordoned = || {
        node("n1").cpu("2").cordoned().taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
    };
    let full = objects![cordoned(), pod("a").cpu("1500m").on("n1"), pod("p").cpu("1")];
    assert_eq!(found(full), ["AddNode: add one more node like n1 > n1-copy"]);
    assert_eq!(
        found(objects![cordoned(), pod("p").cpu("1")]),
        ["Uncordon: uncordon n1 > n1", "AddNode: add one more node like n1 > n1-copy"]
    );
}

#[test]
fn closed_control_plane_is_neither_opened_nor_copied_for_an_application_pod() {
    let role = "node-role.kubernetes.io/control-plane";
    let master = || node("master").cpu("4").label(role, "").cordoned();
    let worker = |name: &str| node(name).cpu("4").taint("critical", "true", "NoSchedule");
    assert_eq!(
        found(objects![master(), worker("w1"), worker("w2"), pod("p").cpu("1")]),
        [
            "Tolerate: tolerate taint critical=true:NoSchedule > w1 w2",
            "RemoveTaint: remove taint critical=true:NoSchedule from w1 > w1",
            "RemoveTaint: remove taint critical=true:NoSchedule from w2 > w2",
        ]
    );
    assert_eq!(
        of_kind(objects![master(), pod("p").cpu("1")], RemedyKind::Uncordon),
        ["uncordon master > master"],
        "there is no other node"
    );
    let asks = pod("p").cpu("1").selects_nodes(role, "");
    let tainted = node("master").cpu("4").label(role, "").taint(role, "", "NoSchedule");
    assert_eq!(
        found(objects![tainted, worker("w1"), asks]),
        [format!("Tolerate: tolerate taint {role}:NoSchedule > master")],
        "it asks for the control plane"
    );
}

#[test]
fn model_of_a_new_node_is_a_healthy_one() {
    let objects = objects![
        node("a").cpu("2").cordoned(),
        node("b").cpu("2").taint("node.kubernetes.io/not-ready", "", "NoSchedule"),
        node("c").cpu("4").label("node-role.kubernetes.io/control-plane", ""),
        node("d").cpu("4"),
        pod("on-a").cpu("2").on("a"),
        pod("on-c").cpu("4").on("c"),
        pod("on-d").cpu("4").on("d"),
        pod("p").cpu("2"),
    ];
    assert_eq!(of_kind(objects, RemedyKind::AddNode), ["add one more node like d > d-copy"]);
}

#[test]
fn pods_that_are_being_deleted_are_waited_for() {
    let with = |spec: Pod| objects![node("n1").cpu("2"), spec.cpu("2").on("n1"), pod("p").cpu("2")];
    let wait = |spec: Pod| of_kind(with(spec), RemedyKind::Wait);
    assert_eq!(wait(pod("a").terminating()), ["wait until default/a has terminated > n1"]);
    let both =
        [with(pod("a").terminating()), objects![pod("b").terminating().cpu("2").on("n1")]].concat();
    let both = of_kind(both, RemedyKind::Wait);
    assert_eq!(both, ["wait until default/a and default/b have terminated > n1"]);
    assert_eq!(wait(pod("a")), [""; 0]);
}

#[test]
fn terminating_pod_is_never_evicted_and_is_ended_where_it_is_overdue() {
    let overdue = || pod("a").with("/metadata/deletionTimestamp", "2025-12-31T23:00:00Z");
    let with = |old: Pod| objects![node("n1").cpu("2"), old.cpu("2").on("n1"), pod("p").cpu("2")];
    let names_it = |objects: Vec<Value>| -> Vec<String> {
        found(objects).into_iter().filter(|text| text.contains("default/a")).collect()
    };
    assert_eq!(
        names_it(with(overdue())),
        ["EndStuckPod: force-delete default/a, 60m overdue, or repair the kubelet of n1 > n1"]
    );
    let kept = overdue().with("/metadata/finalizers", json!(["example.com/backup"]));
    assert_eq!(
        names_it(with(kept)),
        [
            "EndStuckPod: have example.com/backup removed from the finalizers of default/a, 60m overdue > n1"
        ]
    );
    let idle =
        objects![pod("b").with("/metadata/deletionTimestamp", "2025-12-31T23:00:00Z").on("n1")];
    assert_eq!(
        names_it([with(overdue()), idle].concat()),
        ["EndStuckPod: force-delete default/a, 60m overdue, or repair the kubelet of n1 > n1"],
        "b holds nothing that the pod needs"
    );
    let port = |name: &str| pod(name).port(80, "TCP", "");
    let leaving = objects![node("n1"), port("a").terminating().on("n1"), port("p")];
    assert_eq!(names_it(leaving), ["Wait: wait until default/a has terminated > n1"]);
}

/// A pod of the Deployment `web`, of the ReplicaSet with this hash.
fn replica(name: &str, hash: &str) -> Pod {
    pod(name).label("pod-template-hash", hash).of("apps/v1", "ReplicaSet", &format!("web-{hash}"))
}

#[test]
fn old_pod_of_the_same_deployment_is_deleted_for_the_new_one() {
    let delete = ["delete default/a, which the rolling update keeps until this pod is ready \
                   (strategy Recreate, or maxSurge: 0, avoids that) > n1"];
    let gpu = "nvidia.com/gpu";
    let apart = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}]}});
    let app = |pod: Pod| pod.label("app", "web").with("/spec/affinity", apart.clone());
    let host = |node: Node| node.label("kubernetes.io/hostname", "n1");
    for (row, node, old, new) in [
        (
            "port",
            node("n1"),
            replica("a", "5f").port(80, "TCP", ""),
            replica("p", "7d").port(80, "TCP", ""),
        ),
        ("cpu", node("n1").cpu("2"), replica("a", "5f").cpu("2"), replica("p", "7d").cpu("2")),
        (
            "device",
            node("n1").allocatable(gpu, "1"),
            replica("a", "5f").requests(gpu, "1"),
            replica("p", "7d").requests(gpu, "1"),
        ),
        ("anti-affinity", host(node("n1")), app(replica("a", "5f")), app(replica("p", "7d"))),
    ] {
        let objects = objects![node, old.on("n1"), new];
        assert_eq!(of_kind(objects.clone(), RemedyKind::ReplaceOldPod), delete, "{row}");
        assert_eq!(of_kind(objects, RemedyKind::EvictEqualOrHigher), [""; 0], "{row}");
    }
    let with = |old: Pod, new: Pod| {
        let objects = objects![node("n1").cpu("2"), old.cpu("2").on("n1"), new.cpu("2")];
        of_kind(objects, RemedyKind::ReplaceOldPod)
    };
    assert_eq!(with(replica("a", "7d"), replica("p", "7d")), [""; 0], "the same ReplicaSet");
    assert_eq!(with(pod("a"), replica("p", "7d")), [""; 0], "of no Deployment");
    let other = pod("a").label("pod-template-hash", "5f").of("apps/v1", "ReplicaSet", "db-5f");
    assert_eq!(with(other, replica("p", "7d")), [""; 0], "of another one");
}

#[test]
fn a_pod_that_does_not_preempt_may_be_allowed_to() {
    let objects = objects![
        node("n1").cpu("2"),
        pod("a").cpu("2").priority(5).on("n1"),
        pod("p").cpu("2").priority(7).never_preempts(),
    ];
    let found = found(objects);
    assert!(found.contains(
        &"AllowPreemption: set its preemptionPolicy to PreemptLowerPriority > n1".to_owned()
    ));
    assert!(
        found.contains(&"EvictPods: evict default/a (priority 5) > n1".to_owned()),
        "{found:?}"
    );
    assert!(!found.iter().any(|text| text.starts_with("RaisePriority")), "{found:?}");
}

#[test]
fn lowest_class_that_helps_is_used() {
    let class = |name: &str, value: i64| json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value});
    let objects = objects![
        node("n1").cpu("2"),
        node("n2").cpu("2"),
        pod("a").cpu("2").priority(50).on("n1"),
        pod("b").cpu("1").priority(20).on("n2"),
        pod("c").cpu("1").priority(30).on("n2"),
        pod("p").cpu("2").priority(1),
    ];
    assert_eq!(
        of_kind(objects.clone(), RemedyKind::RaisePriority),
        [""; 0],
        "no class, no priority"
    );
    let mut never = class("never", 35);
    never["preemptionPolicy"] = json!("Never");
    let classes =
        [class("low", 25), never, class("mid", 40), class("high", 1000), class("mid-too", 40)];
    let raised = of_kind([objects.clone(), classes.to_vec()].concat(), RemedyKind::RaisePriority);
    assert_eq!(raised, ["give it PriorityClass mid (priority 40, now 1) > n2"]);
    let of_system = vec![class("low", 25), class("system-cluster-critical", 2_000_000_000)];
    assert_eq!(of_kind([objects, of_system].concat(), RemedyKind::RaisePriority), [""; 0]);
}

#[test]
fn pods_of_higher_priority_are_not_evicted() {
    let evictions = |priority: i32| {
        let objects = objects![
            node("n1").cpu("2"),
            pod("a").cpu("2").priority(priority).on("n1"),
            pod("p").cpu("1").priority(5).never_preempts(),
        ];
        found(objects).into_iter().filter(|text| text.starts_with("Evict")).collect::<Vec<_>>()
    };
    assert_eq!(evictions(4), ["EvictPods: evict default/a (priority 4) > n1"]);
    assert_eq!(evictions(5), ["EvictEqualOrHigher: evict default/a (priority 5) > n1"]);
    assert_eq!(evictions(6), [""; 0]);
}

#[test]
fn pod_whose_replacement_would_be_stuck_is_not_evicted() {
    let evictions = |more: Vec<Value>| {
        let member = pod("db-0")
            .cpu("2")
            .of("apps/v1", "StatefulSet", "db")
            .selects_nodes("disk", "ssd")
            .on("n1");
        let member = member.tolerates("k", "Exists", "", "");
        let objects = objects![
            node("n1").cpu("2").label("disk", "ssd"),
            member,
            pod("p").cpu("1").selects_nodes("disk", "ssd")
        ];
        of_kind([objects, more].concat(), RemedyKind::EvictEqualOrHigher)
    };
    assert_eq!(evictions(Vec::new()), [""; 0], "the problem would have moved");
    assert_eq!(evictions(objects![node("n2").cpu("1").label("disk", "ssd")]), [""; 0]);
    let other = objects![
        node("n2").cpu("1").label("disk", "ssd"),
        node("n3").cpu("2").label("disk", "ssd")
    ];
    assert_eq!(evictions(other), [""; 0], "p fits on n3");
    let tight = objects![node("n2").cpu("2").label("disk", "ssd").taint("k", "", "NoSchedule")];
    assert_eq!(
        evictions(tight),
        ["evict default/db-0 (priority 0) > n1"],
        "it tolerates what p does not"
    );
}

#[test]
fn pods_that_come_back_are_not_evicted() {
    let objects = objects![
        node("n1").cpu("2"),
        pod("agent").cpu("2").of("apps/v1", "DaemonSet", "agent").on("n1"),
        pod("p").cpu("1"),
    ];
    assert_eq!(of_kind(objects, RemedyKind::EvictEqualOrHigher), [""; 0]);
}

#[test]
fn the_holder_of_a_port_is_named() {
    let objects =
        objects![node("n1"), pod("a").port(80, "TCP", "").on("n1"), pod("p").port(80, "TCP", "")];
    assert_eq!(
        of_kind(objects, RemedyKind::EvictEqualOrHigher),
        ["evict default/a (priority 0) > n1"]
    );
}

#[test]
fn pod_that_no_edit_helps_has_no_remedy() {
    for objects in [
        objects![node("n1").label("zone", "a"), pod("p").selects_nodes("zone", "b")],
        objects![node("n1").cpu("1"), pod("p").requests("example.com/gpu", "1")],
        objects![node("n1"), pod("p").claim("absent")],
        objects![node("n1"), pod("p")],
        objects![node("n1").cordoned(), pod("p").scheduler("volcano")],
    ] {
        assert_eq!(found(objects), [""; 0]);
    }
}

#[test]
fn table_of_ranks_is_in_the_order_of_the_kinds() {
    for (at, rank) in RANKS.iter().enumerate() {
        assert_eq!(rank.kind as usize, at, "{}", rank.name);
        assert_eq!(format!("{:?}", rank.kind), rank.name);
    }
}

#[test]
fn every_remedy_of_a_small_cluster_is_tried() {
    let objects =
        objects![node("n1").cpu("2"), pod("a").cpu("2").priority(5).on("n1"), pod("p").cpu("1")];
    let remedies = remedies(&cluster(objects));
    assert!(remedies.tried == remedies.proposed && remedies.tried >= remedies.found.len());
}

#[test]
fn in_a_large_cluster_fewer_are_tried() {
    let most = [(3, 10), (100, 3_000), (1_000, 30_000), (5_000, 150_000), (15_000, 450_000)];
    assert_eq!(most.map(|(nodes, pods)| super::trial::most(nodes, pods)), [48, 48, 22, 4, 2]);
}

#[test]
fn a_trial_in_a_larger_cluster_aims_at_a_node() {
    let mut objects = objects![pod("p").cpu("3").priority(1)];
    for n in 0..150 {
        objects.push(node(&format!("n{n:03}")).cpu("4").into());
        for i in 0..30 {
            objects.push(
                pod(&format!("a{n:03}-{i:02}"))
                    .cpu("100m")
                    .priority(i)
                    .on(&format!("n{n:03}"))
                    .into(),
            );
        }
    }
    let cluster = cluster(objects);
    let small = remedies(&cluster);
    assert!(small.tried == small.proposed && !small.found.is_empty(), "{small:?}");
    for remedy in &small.found {
        let mut changed = cluster.clone();
        let pod = changed.find_pod("default", "p").expect("the pod");
        edits::apply(&mut changed, &[pod], &remedy.edits).expect("edits");
        with(&changed, &at("1.37").profile(), |decision| {
            assert_eq!(decision.kind(), remedy.outcome);
        });
    }
}

/// Node `n1` with eight devices, of which three pods hold two each: `low` (priority 1), `mid` (5)
/// and `high` (9). The pod wants `count`.
fn gpus(count: u32, reserved_twice: bool) -> Vec<Value> {
    gpus_of(&[("low", 1, 2), ("mid", 5, 2), ("high", 9, 2)], count, reserved_twice)
}

/// Node `n1` with eight devices, and the pods that hold some: their names, priorities and numbers of
/// devices. The pod, of priority 7, wants `count`.
fn gpus_of(holders: &[(&str, i32, usize)], count: u32, reserved_twice: bool) -> Vec<Value> {
    let resource = |kind: &str, name: &str, spec: Value| {
        let metadata = json!({"name": name, "namespace": "default"});
        json!({"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec})
    };
    let asks = |count: u32| json!({"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu", "count": count}}]}});
    let devices: Vec<Value> = (0..8).map(|d| json!({"name": format!("d{d}")})).collect();
    let slice = json!({"driver": "gpu.example.com", "nodeName": "n1", "devices": devices,
        "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1}});
    let class =
        json!({"selectors": [{"cel": {"expression": "device.driver == 'gpu.example.com'"}}]});
    let user = |name: &str| {
        pod(name).push("/spec/resourceClaims", json!({"name": "c", "resourceClaimName": name}))
    };
    let mut objects = objects![
        node("n1"),
        user("p").priority(7),
        resource("ResourceSlice", "n1", slice),
        resource("DeviceClass", "gpu", class),
        resource("ResourceClaim", "p", asks(count)),
    ];
    let mut first = 0;
    for (name, priority, devices) in holders {
        let result = |d| json!({"request": "r", "driver": "gpu.example.com", "pool": "n1", "device": format!("d{d}")});
        let mut claim = resource("ResourceClaim", name, asks(2));
        let by =
            |name: &str| json!({"resource": "pods", "name": name, "uid": format!("uid-{name}")});
        let mut reserved = vec![by(name)];
        if reserved_twice {
            reserved.push(by("mid"));
        }
        let results: Vec<Value> = (first..first + devices).map(result).collect();
        first += devices;
        claim["status"] =
            json!({"reservedFor": reserved, "allocation": {"devices": {"results": results}}});
        objects.push(claim);
        objects.push(user(name).priority(*priority).on("n1").into());
    }
    objects
}

#[test]
fn the_pods_that_hold_devices_are_named() {
    let evictions = |count, twice| {
        let found = found(gpus(count, twice));
        found.into_iter().filter(|text| text.starts_with("Evict")).collect::<Vec<_>>()
    };
    assert_eq!(evictions(4, false), ["EvictPods: evict default/low (priority 1) > n1"]);
    assert_eq!(
        evictions(5, false),
        ["EvictPods: evict default/low (priority 1) and default/mid (priority 5) > n1"]
    );
    assert_eq!(evictions(8, false), [""; 0], "high is more important than the pod");
    assert_eq!(evictions(9, false), [""; 0], "there are eight");
    assert_eq!(found(gpus(2, false)), [""; 0], "two are free");
    assert_eq!(evictions(4, true), [""; 0], "without low its claim is still reserved for mid");
}

#[test]
fn no_more_pods_are_evicted_for_devices_than_needed() {
    let evictions = |holders: &[(&str, i32, usize)], count| {
        let found = found(gpus_of(holders, count, false));
        found.into_iter().filter(|text| text.starts_with("Evict")).collect::<Vec<_>>()
    };
    let equal = [("a", 0, 1), ("b", 0, 1), ("c", 0, 2), ("d", 9, 4)];
    assert_eq!(evictions(&equal, 2), ["EvictPods: evict default/c (priority 0) > n1"]);
    let one_is_enough = [("a", 0, 2), ("b", 5, 2), ("c", 5, 4)];
    assert_eq!(evictions(&one_is_enough, 2), ["EvictPods: evict default/a (priority 0) > n1"]);
    assert_eq!(evictions(&one_is_enough, 3), ["EvictPods: evict default/c (priority 5) > n1"]);
    assert_eq!(
        evictions(&one_is_enough, 5),
        ["EvictPods: evict default/c (priority 5) and default/a (priority 0) > n1"]
    );
}

#[test]
fn claim_reserved_for_a_missing_pod_stays_reserved() {
    let mut objects = gpus(4, false);
    objects.retain(|object| object["metadata"]["name"] != "low" || object["kind"] != "Pod");
    assert_eq!(
        of_kind(objects, RemedyKind::EvictPods),
        ["evict default/mid (priority 5) > n1"],
        "the claim of a pod that is not there is reserved all the same"
    );
}

/// What pod `p` has beside a container that requests half a core, and the advice to lower a
/// request.
fn lowered(field: &str, value: Value) -> Vec<String> {
    let pod = pod("p").cpu("500m").with(field, value);
    of_kind(objects![node("n1").cpu("4"), pod], RemedyKind::LowerRequest)
}

#[test]
fn lower_request_of_pod_with_overhead_is_what_the_container_requests() {
    let objects = |used: &str| {
        let pod = pod("p").cpu("2").with("/spec/overhead", json!({"cpu": "3"}));
        of_kind(
            objects![node("n1").cpu("4"), self::pod("a").cpu(used).on("n1"), pod],
            RemedyKind::LowerRequest,
        )
    };
    assert_eq!(objects("0"), ["lower cpu from 2 to 1 > n1"]);
    assert_eq!(objects("500m"), [""; 0], "500m are less than half of 2");
    assert_eq!(objects("1500m"), [""; 0], "the overhead alone is more than what is free");
}

#[test]
fn lower_request_names_the_container_that_decides() {
    let container =
        |name: &str, cpu: &str| json!({"name": name, "resources": {"requests": {"cpu": cpu}}});
    let mut sidecar = container("proxy", "4");
    sidecar["restartPolicy"] = json!("Always");
    let field = "/spec/initContainers";
    let setup = lowered(field, json!([container("setup", "6")]));
    assert_eq!(setup, ["lower cpu from 6 to 4 in init container setup > n1"]);
    assert_eq!(lowered(field, json!([sidecar])), ["lower cpu from 4 to 3.5 in sidecar proxy > n1"]);
    let together = lowered("/spec/containers", json!([container("a", "1"), container("b", "4")]));
    assert_eq!(together, ["lower cpu from 4 to 3 in container b > n1"]);
    let of_pod = |cpu: &str| lowered("/spec/resources", json!({"requests": {"cpu": cpu}}));
    assert_eq!(of_pod("5"), ["lower cpu from 5 to 4 in spec.resources > n1"]);
    let containers = json!([container("a", "5")]);
    let pod = pod("p")
        .with("/spec/containers", containers)
        .with("/spec/resources", json!({"requests": {"cpu": "6"}}));
    let covered = of_kind(objects![node("n1").cpu("4"), pod], RemedyKind::LowerRequest);
    assert_eq!(covered, [""; 0], "a pod cannot request less than its containers");
}

#[test]
fn much_memory_is_freed_and_requested_in_gibibytes() {
    let objects = || {
        objects![
            node("n1").cpu("2").memory("640Gi"),
            pod("old").memory("300000Mi").priority(9).on("n1"),
            pod("p").memory("400Gi").priority(1),
        ]
    };
    // 292.97Gi of 640Gi are requested, so 347.03Gi are free and 52.97Gi are missing.
    assert_eq!(of_kind(objects(), RemedyKind::FreeResources), ["free 53Gi memory on n1 > n1"]);
    assert_eq!(
        of_kind(objects(), RemedyKind::LowerRequest),
        ["lower memory from 400Gi to 347Gi > n1"]
    );
}
