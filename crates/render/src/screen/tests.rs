use serde_json::{Value, json};

use engine::decision::{Explanation, decide};
use engine::framework::cluster_view::ClusterView;

use super::{SCREEN, body, page};
use crate::page::Paper;
use answers::causes::NOT_FOR_DEVICES;
use answers::origin::{InputOrigin, Origin};
use answers::pod_report::PodReport;
use testing::{
    NOW, assert_begins, assert_has, assert_lacks, at, budget, cluster, node, objects, pod,
};

/// The page about these pods.
fn shown(objects: Vec<Value>, pods: &[&str]) -> String {
    shown_by("1.37", objects, pods)
}

/// The page by the rules of a version.
fn shown_by(version: &str, objects: Vec<Value>, pods: &[&str]) -> String {
    let cluster = cluster(objects);
    let profile = at(version).profile();
    let view = ClusterView::new(&cluster, &profile);
    let now = NOW.parse().expect("a time");
    let decisions: Vec<PodReport> = pods
        .iter()
        .map(|name| {
            let pod = cluster.find_pod("default", name).expect("the pod");
            let mut decision = Explanation::from(decide(&view, pod, now));
            decision.run_other_filters();
            PodReport::from(decision)
        })
        .collect();
    let origin = Origin {
        place: InputOrigin::Files(vec!["f".to_owned()]),
        as_of: now,
        nodes: answers::node_name::NodeNames::default(),
    };
    page(&decisions, &origin, false, SCREEN).print(Paper::PLAIN).to_string()
}

#[test]
fn victims_without_replacement_or_with_budget_are_marked() {
    let text = shown(
        objects![
            node("n").cpu("4").label("kubernetes.io/hostname", "n"),
            node("small").cpu("1"),
            pod("bare").cpu("1").on("n").started(NOW),
            pod("agent").cpu("1").of("apps/v1", "DaemonSet", "agent").on("n").started(NOW),
            pod("web-1").cpu("1").replica_of("web").on("n").started(NOW),
            pod("db-1").cpu("1").replica_of("db").label("app", "db").on("n").started(NOW),
            budget("db").selects("app", "db").allowed(0),
            pod("p").cpu("4").priority(9),
        ],
        &["p"],
    );
    let ends = |name: &str| {
        let row =
            text.lines().find(|line| line.trim_start().starts_with(&format!("default/{name} ")));
        row.unwrap_or_else(|| panic!("{name}: {text}"))
            .rsplit("  ")
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(ends("bare"), "not recreated");
    assert_eq!(ends("agent"), "recreated on this node");
    assert_eq!(ends("web-1"), "up 0s");
    assert_eq!(ends("db-1"), "violates PDB db (allows 0)");
    assert_has(&text, "Evicts on n (the only candidate; 1 PDB violation)\n");
}

#[test]
fn identical_replicas_share_an_answer() {
    let of = |name: &str| pod(name).cpu("4").replica_of("web");
    let input =
        || objects![node("n").cpu("2"), of("a"), of("b"), of("c").cpu("8"), pod("d").cpu("4")];
    let text = shown(input(), &["a", "b"]);
    assert_begins(&text, "✗ ReplicaSet default/web (2 pods, priority 0): no node fits");
    assert!(
        text.contains("  Pods, each decided alone: a and b\n") && text.matches('✗').count() == 1,
        "{text}"
    );
    let text = shown(input(), &["a", "b", "c", "d"]);
    assert_begins(&text, "4 pending: 4 blocked\n  Rules: kube-scheduler 1.37   File: f   As of: ");
    assert_eq!((text.matches('✗').count(), text.matches("Rules: ").count()), (3, 1), "{text}");
}

#[test]
fn nodes_that_are_nearest_come_first() {
    let tainted = |name: &str| node(name).cpu("4").taint("gpu", "only", "NoSchedule");
    let mut input = objects![
        tainted("t1"),
        tainted("t2"),
        tainted("t3"),
        node("a").cpu("4"),
        pod("p").cpu("3").priority(1)
    ];
    input.push(pod("busy").cpu("2").priority(1).on("a").into());
    let text = shown(input.clone(), &["p"]);
    let causes = text.split("Why no node fits (4)\n").nth(1).unwrap_or_else(|| panic!("{text}"));
    assert!(
        causes.starts_with("  1  cpu: requests 3, 2 free of 4; held by default/busy (2) (a) "),
        "{text}"
    );
    assert!(
        causes
            .lines()
            .nth(1)
            .unwrap_or_default()
            .starts_with("  3  untolerated taint gpu=only:NoSchedule "),
        "{text}"
    );
}

#[test]
fn other_pods_that_an_order_may_have_evicted_are_named() {
    let victim = |name: &str, cpu: &str| pod(name).cpu(cpu).on("n").started(NOW);
    let text = shown(
        objects![
            node("n").cpu("4"),
            victim("a", "1"),
            victim("b", "2"),
            victim("c", "1"),
            pod("p").cpu("2").priority(9)
        ],
        &["p"],
    );
    let line =
        text.lines().find(|line| line.contains("Or others")).unwrap_or_else(|| panic!("{text}"));
    let sets = ["default/b", "default/a and default/c"];
    let expected = sets.map(|set| format!("same priority and start second: {set}"));
    assert!(expected.iter().any(|end| line.ends_with(end)), "{line}");
}

#[test]
fn request_is_said_with_its_origin() {
    let why = |field: &str, value: Value| {
        let pod =
            pod("p").cpu("500m").with("/spec/runtimeClassName", json!("kata")).with(field, value);
        let text = shown(objects![node("n").cpu("4"), pod], &["p"]);
        let line = text.lines().find(|line| line.contains("cpu: ")).unwrap_or_default();
        line.trim()
            .trim_start_matches("1  cpu: needs ")
            .split(',')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let init = |cpu: &str, policy: &str| json!([{"name": "init", "restartPolicy": policy, "resources": {"requests": {"cpu": cpu}}}]);
    let overhead = why("/spec/overhead", json!({"cpu": "4"}));
    assert_eq!(overhead, "4500m = 500m + 4 of overhead (RuntimeClass kata)");
    assert_eq!(
        why("/spec/initContainers", init("4", "Always")),
        "4500m = 500m + 4 of sidecar init"
    );
    assert_eq!(why("/spec/initContainers", init("6", "")), "6 of init container init");
    assert_eq!(
        why("/spec/resources", json!({"requests": {"cpu": "5"}})),
        "5 of pod-level resources"
    );
    assert_eq!(why("/spec/hostNetwork", json!(true)), "", "it fits");
}

#[test]
fn nodes_rejected_for_one_cause_share_a_row_in_every_version() {
    let objects = |n: usize| {
        objects![
            node(&format!("n{n}")).cpu("4"),
            pod(&format!("b{n}")).cpu("3").on(&format!("n{n}"))
        ]
    };
    let objects = [(1..=5).flat_map(objects).collect(), objects![pod("p").cpu("2")]].concat();
    for version in ["1.19", "1.21", "1.23", "1.24", "1.37"] {
        let text = shown_by(version, objects.clone(), &["p"]);
        let row = "5  no pod of lower priority to evict, but 5 pods of equal priority 0";
        assert!(text.contains(row), "{version}: {text}");
    }
}

#[test]
fn own_nomination_that_is_no_use_is_said() {
    let hi = || pod("hi").cpu("2").priority(1000).nominated("w1");
    let taken = shown(
        objects![node("w1").cpu("4"), pod("other").cpu("3").priority(1000).on("w1"), hi()],
        &["hi"],
    );
    for text in [
        "nominated to w1, which does not fit: cpu: requests 2, 1 free of 4; default/other has taken the room",
        "it reserves cpu=2 on w1 against pods of priority 1000 or lower; kube-scheduler clears it when it retries the pod",
    ] {
        assert!(taken.contains(text), "{text}: {taken}");
    }
    let gone = shown(objects![node("w2").cpu("1"), hi()], &["hi"]);
    assert_has(&gone, "nominated to w1, which no longer exists: it reserves nothing");
    let never = hi().with("/spec/preemptionPolicy", json!("Never"));
    let kept = shown(objects![node("w1").cpu("1"), never], &["hi"]);
    assert_has(&kept, "kube-scheduler does not clear it, since it does not try preemption");
    assert_lacks(&kept, "has taken the room");
    let fits = shown(objects![node("w1").cpu("4"), hi()], &["hi"]);
    assert_has(&fits, "kube-scheduler will pick w1");
    assert_lacks(&fits, "it reserves");
}

#[test]
fn victim_that_should_have_ended_is_said_with_what_it_blocks() {
    let victim = pod("v").cpu("1").priority(1).on("n").preempted();
    let victim = victim.with("/metadata/deletionTimestamp", "2025-12-31T23:00:00Z");
    let hi = || pod("hi").cpu("2").priority(9).nominated("n");
    let held = victim.clone().with("/metadata/finalizers", json!(["example.com/protect"]));
    let text = shown(objects![node("n").cpu("2"), held, hi()], &["hi"]);
    assert_begins(
        &text,
        "! default/hi (priority 9): stuck: it waits on n for default/v, overdue by 60m",
    );
    for line in [
        "default/v should have ended 60m ago: finalizer example.com/protect is still set; whatever set the finalizer has to remove it",
        "it reserves cpu=2 on n against pods of priority 9 or lower; that ends once its victims are gone, or with the pod",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let dead = node("n").cpu("2").taint("node.kubernetes.io/unreachable", "", "NoExecute");
    let tolerant = hi().tolerates("node.kubernetes.io/unreachable", "Exists", "", "");
    let text = shown(objects![dead, victim, tolerant], &["hi"]);
    assert_has(&text, "the kubelet of n does not report; it goes once n is back");
}

/// A pod that wants the device of node `gpu`, which another pod has.
fn devices() -> Vec<Value> {
    let pool = json!({"name": "gpu", "resourceSliceCount": 1, "generation": 1});
    let slice = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "gpu"},
        "spec": {"driver": "d", "nodeName": "gpu", "pool": pool, "devices": [{"name": "g0"}]}
    });
    let request = json!({"requests": [{"name": "r", "exactly": {"deviceClassName": "c", "allocationMode": "ExactCount", "count": 1}}]});
    let wanted = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "wanted", "namespace": "default"},
        "spec": {"devices": request}
    });
    let held = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "held", "namespace": "default"},
        "spec": {"devices": request},
        "status": {
            "allocation": {"devices": {"results": [{"request": "r", "driver": "d", "pool": "gpu", "device": "g0"}]}},
            "reservedFor": [{"resource": "pods", "name": "v", "uid": "v"}]
        }
    });
    let class = json!({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "c"}, "spec": {}});
    let of_pod = |name: &str, claim: &str| {
        pod(name)
            .with("/metadata/uid", name)
            .push("/spec/resourceClaims", json!({"name": "x", "resourceClaimName": claim}))
    };
    [
        objects![node("gpu"), of_pod("v", "held").on("gpu"), of_pod("p", "wanted")],
        vec![slice, wanted, held, class],
    ]
    .concat()
}

#[test]
fn devices_are_said_with_their_holders_and_what_is_not_done_for_them_is_never_shortened() {
    let cluster = cluster(devices());
    at("1.37").look(&cluster, "p", |decision| {
        let model = PodReport::from(decision.clone());
        let [cause] = model.first_causes() else { panic!("one cause") };
        assert_eq!(
            cause.group.details,
            [
                "claim wanted, request r: all matching devices are in use",
                "held by default/v (priority 0: 1)"
            ]
        );
        assert_eq!(cause.group.remark, Some(NOT_FOR_DEVICES));
        for width in [40, 60, 80, 100] {
            let paper = Paper { width: Some(width), ..Paper::PLAIN };
            let text = body(&model, SCREEN).print(paper).to_string();
            let words: Vec<&str> = text.split_whitespace().collect();
            assert!(words.join(" ").contains(NOT_FOR_DEVICES), "{width}: {text}");
        }
    });
}
