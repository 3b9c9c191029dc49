use model::edits::{Edit, EditError, TaintPattern};
use serde_json::{Value, json};
use testing::{budget, device_class, node, objects, pod, priority_class, scene};

fn objects() -> Vec<serde_json::Value> {
    objects![
        node("n1").cpu("2").label("zone", "a").taint("gpu", "yes", "NoSchedule"),
        node("n2").cpu("2").label("zone", "b"),
        pod("a").cpu("2").priority(5).label("app", "web").on("n2"),
        pod("done").on("n2").phase("Succeeded"),
        budget("b").selects("app", "web").allowed(1),
        budget("b").ns("other").allowed(7),
        priority_class("high", 10),
        priority_class("polite", 10).with("/preemptionPolicy", "Never"),
        priority_class("huge", 3_000_000_000),
        pod("p").cpu("2"),
    ]
}

fn taint(text: &str) -> TaintPattern {
    TaintPattern::parse(text).expect("a taint")
}

fn tolerates(key: &str) -> Edit {
    Edit::Toleration { taint: taint(key) }
}

fn cordon(node: &str) -> Edit {
    Edit::Cordon { node: node.to_owned() }
}

fn priority(priority: i32) -> Edit {
    Edit::Priority { priority }
}

fn class(name: &str) -> Edit {
    Edit::PriorityClass { name: name.to_owned() }
}

fn remove(name: &str) -> Edit {
    Edit::RemovePod { namespace: "default".to_owned(), name: name.to_owned() }
}

fn zone(value: &str) -> Edit {
    Edit::NodeSelector { key: "zone".to_owned(), value: value.to_owned() }
}

fn request(resource: &str, amount: &str) -> Edit {
    Edit::Request { resource: resource.to_owned(), amount: amount.to_owned() }
}

fn pdb(namespace: &str, allowed: i64) -> Edit {
    Edit::Budget { namespace: namespace.to_owned(), name: "b".to_owned(), allowed }
}

/// The first word of the answer about `p` and the node.
fn with(edits: &[Edit]) -> String {
    let scene = edits.iter().cloned().fold(scene(objects()), testing::Scene::edit);
    let steps = scene.run(&["p"]).steps();
    steps[0].split(':').next().expect("a word").to_owned()
}

#[test]
fn edit_of_pod_or_budget_changes_the_decision() {
    for (edits, want) in [
        (vec![], "p no"),
        (vec![priority(10)], "p takes n2 from a"),
        (vec![priority(5)], "p no"),
        (vec![class("high")], "p takes n2 from a"),
        (vec![class("polite")], "p no"),
        (vec![class("system-cluster-critical")], "p takes n2 from a"),
        (vec![class("huge")], "p takes n2 from a"),
        (vec![tolerates("gpu")], "p fits n1"),
        (vec![tolerates("other")], "p no"),
        (vec![tolerates("gpu"), zone("b")], "p no"),
        (vec![tolerates("gpu"), zone("b"), zone("a")], "p fits n1"),
        (vec![tolerates("gpu"), cordon("n1")], "p no"),
        (vec![remove("a")], "p fits n2"),
        (vec![remove("a"), cordon("n2")], "p no"),
        (vec![request("cpu", "0")], "p fits n2"),
        (vec![request("cpu", "100m"), tolerates("gpu"), zone("a")], "p fits n1"),
        (vec![request("example.com/fpga", "1"), remove("a")], "p no"),
        (vec![request("cpu", "3"), remove("a")], "p no"),
    ] {
        assert_eq!(with(&edits), want, "{edits:?}");
    }
}

#[test]
fn request_edit_sets_the_deciding_request_and_leaves_the_others() {
    let fits = |spec: testing::Pod, amount: &str| {
        let objects = objects![node("n").cpu("2"), spec];
        let run = scene(objects).edit(request("cpu", amount)).run(&["p"]);
        run.steps()[0].contains("fits")
    };
    let container = |cpu: &str| testing::container(cpu, &[("cpu", cpu)]);
    for (spec, most, more, what) in [
        (pod("p").cpu("9"), "2", "2001m", "one container"),
        (pod("p"), "2", "2001m", "one without requests"),
        (
            pod("p").containers(vec![container("1"), container("6")]),
            "1",
            "1001m",
            "the larger of two containers",
        ),
        (pod("p").init(container("5")), "2", "2001m", "an init container"),
        (pod("p").sidecar(container("5")), "2", "2001m", "a sidecar"),
        (pod("p").overhead("cpu", "1"), "1", "1001m", "a container beside overhead"),
        (pod("p").pod_level("cpu", "5"), "2", "2001m", "the pod as a whole"),
        (
            pod("p").pod_level("memory", "0").cpu("1"),
            "2",
            "2001m",
            "the pod as a whole, of something else",
        ),
    ] {
        assert!(fits(spec.clone(), most), "{what}: {most} fits");
        assert!(!fits(spec, more), "{what}: {more} does not");
    }
}

#[test]
fn edited_budget_is_identified_by_namespace() {
    let uses = |edit| scene(objects()).edit(priority(10)).edit(edit).run(&["p"]).budgets();
    assert_eq!(uses(pdb("default", 0)), ["a: b 0>-1 violated"]);
    assert_eq!(uses(pdb("default", 3)), ["a: b 3>2"]);
    assert_eq!(uses(pdb("other", 0)), ["a: b 1>0"]);
}

#[test]
fn edit_of_missing_object_is_an_error() {
    let missing = |resource, name: &str| EditError::NotFound { resource, name: name.to_owned() };
    for (edit, want) in [
        (remove("absent"), missing("pods", "default/absent")),
        (remove("done"), missing("pods", "default/done")),
        (cordon("n9"), missing("nodes", "n9")),
        (pdb("nowhere", 1), missing("poddisruptionbudgets", "nowhere/b")),
        (class("absent"), missing("priorityclasses", "absent")),
        (
            remove("p"),
            EditError::Value("pod default/p is the one to place: it cannot be removed".to_owned()),
        ),
    ] {
        let error = scene(objects()).edit(edit).try_run(&["p"]).expect_err("a refusal");
        assert_eq!(error, want);
    }
    let error =
        scene(objects()).edit(request("cpu", "much")).try_run(&["p"]).expect_err("a refusal");
    assert!(
        matches!(&error, EditError::Value(why) if why.starts_with("the amount `much` of cpu is not a quantity"))
    );
}

#[test]
fn all_pods_that_are_asked_about_are_edited_and_no_others() {
    let mut objects = objects();
    objects.push(pod("q").cpu("2").into());
    let simulated = scene(objects).edit(priority(7)).run(&["p", "q"]);
    assert_eq!(simulated.0.steps.iter().map(|s| s.priority).collect::<Vec<_>>(), [7, 7]);
    assert_eq!(simulated.plan().victims[0].priority, 5);
}

fn name(node: &str) -> String {
    node.to_owned()
}

fn free(node: &str, resource: &str, amount: &str) -> Edit {
    Edit::Free { node: name(node), resources: [(resource.to_owned(), amount.to_owned())].into() }
}

#[test]
fn edit_of_node_changes_the_decision() {
    let untaint = |text: &str| Edit::RemoveTaint { node: name("n1"), taint: taint(text) };
    let like = |node: &str| Edit::AddNodeLike { node: name(node) };
    let never = Edit::PreemptionPolicy { policy: model::edits::PreemptionPolicy::Never };
    let may =
        Edit::PreemptionPolicy { policy: model::edits::PreemptionPolicy::PreemptLowerPriority };
    for (edits, want) in [
        (vec![untaint("gpu")], "p fits n1"),
        (vec![untaint("gpu=yes:NoSchedule")], "p fits n1"),
        (vec![free("n2", "cpu", "2")], "p fits n2"),
        (vec![free("n2", "cpu", "1999m")], "p no"),
        (vec![free("n2", "cpu", "9")], "p fits n2"),
        (vec![free("n2", "cpu", "9"), request("cpu", "2001m")], "p no"),
        (vec![free("n2", "cpu", "1"), free("n2", "cpu", "1")], "p fits n2"),
        (vec![free("n2", "cpu", "1"), priority(10)], "p takes n2 from a"),
        (vec![free("n2", "cpu", "1"), priority(10), request("cpu", "3")], "p no"),
        (vec![free("n2", "memory", "1Gi")], "p no"),
        (vec![free("n2", "example.com/none", "1")], "p no"),
        (vec![Edit::RemoveNode { node: name("n2") }, priority(10)], "p no"),
        (vec![Edit::Drain { node: name("n2") }], "p no"),
        (vec![Edit::Drain { node: name("n2") }, Edit::Uncordon { node: name("n2") }], "p fits n2"),
        (vec![cordon("n2"), Edit::Uncordon { node: name("n2") }, remove("a")], "p fits n2"),
        (vec![like("n2")], "p fits n2-copy"),
        (vec![like("n2"), like("n2"), cordon("n2-copy")], "p fits n2-copy-2"),
        (vec![like("n2"), zone("b")], "p fits n2-copy"),
        (vec![like("n1")], "p no"),
        (vec![priority(10), never.clone()], "p no"),
        (vec![class("polite"), may], "p takes n2 from a"),
        (vec![remove("a"), never], "p fits n2"),
    ] {
        assert_eq!(with(&edits), want, "{edits:?}");
    }
}

#[test]
fn pod_slots_are_freed() {
    let objects = objects![node("n").pods(2), pod("a").on("n"), pod("b").on("n"), pod("p"),];
    let fits = |amount: Option<&str>| {
        let scene =
            amount.iter().fold(scene(objects.clone()), |scene, n| scene.edit(free("n", "pods", n)));
        scene.run(&["p"]).steps()[0].starts_with("p fits")
    };
    assert_eq!([None, Some("0"), Some("1"), Some("7")].map(fits), [false, false, true, true]);
}

#[test]
fn a_node_is_drained_as_kubectl_does_it() {
    let objects = objects![
        node("n"),
        pod("bare").on("n"),
        pod("web").of("apps/v1", "ReplicaSet", "web").on("n"),
        pod("agent").of("apps/v1", "DaemonSet", "agent").on("n"),
        pod("static").of("v1", "Node", "n").on("n"),
    ];
    let mut cluster = testing::cluster(objects);
    model::edits::apply(&mut cluster, &[], &[Edit::Drain { node: name("n") }]).expect("a node");
    let node = cluster.find_node("n").expect("a node");
    let left: Vec<&str> =
        cluster.pods_on(node).iter().map(|pod| &*cluster.pod(*pod).name).collect();
    assert_eq!(left, ["agent", "static"]);
    assert!(cluster.node(node).unschedulable);
}

#[test]
fn node_that_is_added_like_another_has_pods_like_its_daemon_set_and_static_ones() {
    let on = |name: &str| json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]});
    let agent = |name: &str, set: &str| pod(name).of("apps/v1", "DaemonSet", set).cpu("500m");
    let waiting = agent("late-1", "late").node_term(on("n"));
    let elsewhere = agent("other-1", "other").node_term(on("m"));
    let pinned = agent("pinned-1", "pinned").on("n").selects_nodes("kubernetes.io/hostname", "n");
    let objects = objects![
        node("n").cpu("4"),
        node("m").cpu("1"),
        pod("web").on("n").cpu("2"),
        agent("agent-1", "agent").on("n"),
        agent("agent-2", "agent").on("n"),
        pod("static").of("v1", "Node", "n").on("n").cpu("500m"),
        pinned,
        waiting,
        elsewhere,
        pod("p"),
    ];
    // An agent of each DaemonSet that wants the node, and the static pod: 1500m of 4.
    for (cpu, want) in [("2500m", "p fits n-copy"), ("2501m", "p no")] {
        let simulated = scene(objects.clone()).edit(request("cpu", cpu));
        let simulated = simulated.edit(Edit::AddNodeLike { node: name("n") }).run(&["p"]);
        let steps = simulated.steps();
        assert_eq!(steps[0].split(':').next(), Some(want), "{cpu}");
    }
    let mut cluster = testing::cluster(objects);
    let before = cluster.find_pod("default", "p").expect("a pod");
    let like = Edit::AddNodeLike { node: name("n") };
    model::edits::apply(&mut cluster, &[before], &[like.clone(), like]).expect("a node");
    assert_eq!(&*cluster.pod(before).name, "p", "indices stay valid");
    for node in ["n-copy", "n-copy-2"] {
        let there = cluster.pods_on(cluster.find_node(node).expect("a node"));
        let names: Vec<&str> = there.iter().map(|pod| &*cluster.pod(*pod).name).collect();
        let wanted = ["agent-1", "static", "late-1"].map(|pod| format!("{pod}-{node}"));
        assert_eq!(names, wanted);
        assert!(cluster.find_pod("default", &wanted[0]).is_some());
    }
}

/// A copied node has devices like those that are for its model alone, however they name it.
#[test]
fn a_node_like_another_has_its_own_devices() {
    let host = |names: Value| {
        json!({"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "kubernetes.io/hostname", "operator": "In", "values": names},
        ]}]})
    };
    let by_field = json!({"nodeSelectorTerms": [{"matchFields": [
        {"key": "metadata.name", "operator": "In", "values": ["n"]},
    ]}]});
    let other = json!({"name": "other", "nodeName": "m"});
    let (one, new) = (json!([{"name": "d"}]), "p fits n-copy");
    let per_device = |choice: Value| {
        let mut device = choice;
        device["name"] = "d".into();
        json!({"perDeviceNodeSelection": true, "devices": [device, other]})
    };
    for (slice, want) in [
        (json!({"nodeName": "n", "devices": one}), new),
        (json!({"nodeSelector": host(json!(["n"])), "devices": one}), new),
        (json!({"nodeSelector": by_field, "devices": one}), new),
        (per_device(json!({"nodeName": "n"})), new),
        (per_device(json!({"nodeSelector": host(json!(["n"]))})), new),
        (json!({"nodeSelector": host(json!(["n", "m"])), "devices": one}), "p unknown"),
        (json!({"allNodes": true, "devices": one}), new),
    ] {
        let mut spec = slice.clone();
        spec["driver"] = "gpu".into();
        spec["pool"] = json!({"name": "n", "generation": 1, "resourceSliceCount": 1});
        let objects = objects![
            node("n").label("kubernetes.io/hostname", "n").cordoned(),
            device_class("gpu", "").with("/spec", json!({})),
            json!({
                "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
                "metadata": {"name": "s"}, "spec": spec,
            }),
            json!({
                "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
                "metadata": {"name": "c", "namespace": "default"},
                "spec": {"devices": {"requests": [{"name": "r", "exactly": {
                    "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1,
                }}]}},
            }),
            pod("p").with("/spec/resourceClaims", json!([{"name": "c", "resourceClaimName": "c"}])),
        ];
        let like = Edit::AddNodeLike { node: name("n") };
        let copied = scene(objects).edit(like);
        let steps = copied.run(&["p"]).steps();
        assert_eq!(steps[0].split(':').next(), Some(want), "{slice}");
    }
}

#[test]
fn an_uncordoned_node_loses_the_taint_of_cordoned_ones() {
    let cordoned = node("n").cordoned().taint("node.kubernetes.io/unschedulable", "", "NoSchedule");
    let objects = objects![cordoned.clone().taint("gpu", "", "NoSchedule"), pod("p")];
    let mut cluster = testing::cluster(objects);
    model::edits::apply(&mut cluster, &[], &[Edit::Uncordon { node: name("n") }]).expect("a node");
    let node = &cluster.nodes[0];
    assert!(!node.unschedulable);
    assert_eq!(node.taints.iter().map(|t| cluster.text(t.key)).collect::<Vec<_>>(), ["gpu"]);
    let mut copied = testing::cluster(objects![cordoned]);
    model::edits::apply(&mut copied, &[], &[Edit::AddNodeLike { node: name("n") }])
        .expect("a node");
    let copy = &copied.nodes[1];
    assert!(!copy.unschedulable && copy.taints.is_empty(), "a new node is not cordoned");
}

#[test]
fn a_node_that_is_added_is_one_that_was_there() {
    let object = Box::new(serde_json::Value::from(node("n3").cpu("2")));
    let edit = Edit::AddNode { node: name("n3"), file: name("n3.json"), object };
    assert_eq!(with(std::slice::from_ref(&edit)), "p fits n3");
    assert_eq!(with(&[edit, cordon("n3")]), "p no", "other edits see it");
}

#[test]
fn nodes_and_taints_that_are_not_there() {
    let missing = |node: &str| EditError::NotFound { resource: "nodes", name: name(node) };
    let untaint =
        |node: &str, text: &str| Edit::RemoveTaint { node: name(node), taint: taint(text) };
    for (edit, want) in [
        (free("n9", "cpu", "1"), missing("n9")),
        (Edit::Uncordon { node: name("n9") }, missing("n9")),
        (Edit::Drain { node: name("n9") }, missing("n9")),
        (Edit::RemoveNode { node: name("n9") }, missing("n9")),
        (Edit::AddNodeLike { node: name("n9") }, missing("n9")),
        (untaint("n9", "gpu"), missing("n9")),
        (
            untaint("n1", "cpu:NoExecute"),
            value("node n1 has no taint cpu:NoExecute: it has gpu=yes:NoSchedule"),
        ),
        (untaint("n1", "gpu=no"), value("node n1 has no taint gpu=no: it has gpu=yes:NoSchedule")),
        (untaint("n2", "gpu"), value("node n2 has no taint gpu: it has none")),
    ] {
        let error = scene(objects()).edit(edit).try_run(&["p"]).expect_err("a refusal");
        assert_eq!(error, want);
    }
}

fn value(text: &str) -> EditError {
    EditError::Value(text.to_owned())
}

#[test]
fn words_of_edits() {
    for (edit, words) in [
        (request("cpu", "500m"), "cpu=500m"),
        (cordon("n1"), "n1 cordoned"),
        (free("n2", "cpu", "250m"), "cpu=250m freed on n2"),
        (
            Edit::RemoveTaint { node: name("n1"), taint: taint("gpu=yes:NoSchedule") },
            "taint gpu=yes:NoSchedule removed from n1",
        ),
        (tolerates("gpu"), "gpu tolerated"),
        (remove("a"), "pod default/a removed"),
        (priority(-7), "priority=-7"),
    ] {
        assert_eq!(edit.words(), words);
    }
}
