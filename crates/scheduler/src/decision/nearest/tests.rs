use serde_json::{Value, json};

use super::Nearness;
use crate::testing::{Node, Pod, at, cluster, node, objects, pod};

const CONTROL_PLANE: &str = "node-role.kubernetes.io/control-plane";

/// The nearest nodes, how near they are, and why they reject pod `p`, with all filters run.
fn nearest(objects: Vec<Value>) -> (String, Nearness, String) {
    at("1.37").look(&cluster(objects), "p", |decision| {
        decision.run_other_filters();
        let cluster = decision.view.cluster;
        let name = |node| cluster.node_name(node).to_owned();
        let causes = decision.node_causes(&decision.unmeetable());
        let nodes: Vec<String> =
            super::nearest(&causes).iter().map(|cause| name(cause.node)).collect();
        let first =
            causes.iter().min_by_key(|cause| (cause.distance, cause.node)).expect("a cause");
        (nodes.join(" "), first.distance.nearness, first.reason.text.render(cluster).into_owned())
    })
}

/// A node with four cores of which three are in use, and the pod that uses them.
fn full(name: &str) -> Vec<Value> {
    objects![node(name).cpu("4"), pod(&format!("on-{name}")).cpu("3").on(name)]
}

/// A node with `more` done to it, five times.
fn five(name: &str, more: impl Fn(Node) -> Node) -> Vec<Value> {
    (1..=5).map(|n| more(node(&format!("{name}{n}")).cpu("4")).into()).collect()
}

fn wants(cpu: &str) -> Pod {
    pod("p").cpu(cpu)
}

#[test]
fn nodes_that_never_take_the_pod_do_not_outvote_the_only_candidate() {
    let crowds: [(&str, Vec<Value>); 6] = [
        ("control plane", five("c", |node| node.taint(CONTROL_PLANE, "", "NoSchedule"))),
        ("another pool by taint", five("c", |node| node.taint("team", "a", "NoSchedule"))),
        (
            "another pool, cordoned",
            five("c", |node| node.taint("team", "a", "NoSchedule").cordoned()),
        ),
        (
            "being removed",
            five("c", |node| node.taint("ToBeDeletedByClusterAutoscaler", "1", "NoSchedule")),
        ),
        ("cordoned", five("c", Node::cordoned)),
        ("too small", five("c", |node| node.cpu("1"))),
    ];
    for (row, crowd) in crowds {
        let found = nearest([crowd, full("w1"), objects![wants("2")]].concat());
        assert_eq!(
            found,
            ("w1".to_owned(), Nearness::Full, "Insufficient cpu".to_owned()),
            "{row}"
        );
    }
}

#[test]
fn nodes_of_another_label_or_architecture_do_not_outvote_the_only_candidate() {
    let arm = |name: &str| node(name).cpu("4").label("kubernetes.io/arch", "arm64");
    let crowd = five("c", |node| node.label("kubernetes.io/arch", "amd64"));
    let only = objects![
        arm("w1"),
        pod("a").cpu("3").on("w1"),
        wants("2").selects_nodes("kubernetes.io/arch", "arm64")
    ];
    assert_eq!(nearest([crowd, only].concat()).0, "w1");
}

#[test]
fn nodes_without_the_device_do_not_outvote_the_node_that_has_it() {
    let gpu = "nvidia.com/gpu";
    let crowd = five("c", |node| node);
    let only = objects![
        node("w1").cpu("4").allocatable(gpu, "2"),
        pod("a").requests(gpu, "1").on("w1"),
        wants("1").requests(gpu, "2")
    ];
    assert_eq!(
        nearest([crowd, only].concat()),
        ("w1".to_owned(), Nearness::Full, format!("Insufficient {gpu}"))
    );
}

#[test]
fn daemon_set_pod_has_one_node() {
    let by_name =
        json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["w1"]}]});
    for version in ["1.19", "1.24", "1.37"] {
        let objects =
            [five("c", |node| node), full("w1"), objects![wants("2").node_term(by_name.clone())]]
                .concat();
        at(version).look(&cluster(objects), "p", |decision| {
            decision.run_other_filters();
            let cluster = decision.view.cluster;
            let causes = decision.node_causes(&decision.unmeetable());
            let name = |cause: &&super::NodeCause| cluster.node_name(cause.node);
            let nodes: Vec<&str> = super::nearest(&causes).iter().map(name).collect();
            assert_eq!(nodes, ["w1"], "{version}");
        });
    }
}

#[test]
fn closed_nodes_are_nearer_than_those_of_other_pools() {
    for key in [
        "node.cloudprovider.kubernetes.io/uninitialized",
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/network-unavailable",
        "node.cilium.io/agent-not-ready",
    ] {
        let crowd = five("c", |node| node.taint(CONTROL_PLANE, "", "NoSchedule"));
        let starting = node("w1").cpu("4").taint(key, "", "NoSchedule");
        let found = nearest([crowd, objects![starting, wants("2")]].concat());
        assert_eq!((found.0.as_str(), found.1), ("w1", Nearness::Closed), "{key}");
    }
    let of_control_plane = node("w1").cpu("4").cordoned().taint(CONTROL_PLANE, "", "NoSchedule");
    assert_eq!(nearest(objects![of_control_plane, wants("2")]).1, Nearness::Reserved);
}

#[test]
fn request_that_no_node_could_meet_comes_first() {
    let gpu = "nvidia.com/gpu";
    let tainted = |name: &str, gpus: &str| {
        node(name).cpu("4").allocatable(gpu, gpus).taint(gpu, "", "NoSchedule")
    };
    let objects = |gpus: &str| {
        let pod = wants("2").requests(gpu, gpus);
        [full("w1"), objects![tainted("g1", "4"), tainted("g2", "2"), pod]].concat()
    };
    let unmeetable = |objects: Vec<Value>| {
        at("1.37").look(&cluster(objects), "p", |decision| {
            decision.run_other_filters();
            let of = |found: &super::Unmeetable| {
                format!(
                    "{} {} > {}",
                    found.resource.name(decision.view.cluster),
                    found.requested,
                    found.most
                )
            };
            decision.unmeetable().iter().map(of).collect::<Vec<_>>()
        })
    };
    assert_eq!(unmeetable(objects("8")), ["nvidia.com/gpu 8 > 4"]);
    assert_eq!(unmeetable(objects("4")), [""; 0], "g1 has four");
    let (.., reason) = nearest(objects("8"));
    assert_eq!(reason, "Insufficient nvidia.com/gpu", "also on the node that lacks cpu");
}

#[test]
fn fewer_reasons_are_nearer() {
    let objects = objects![
        node("a").cpu("1").memory("1Gi"),
        node("b").cpu("1").memory("4Gi"),
        node("c").cpu("4").memory("4Gi"),
        pod("busy").cpu("3").on("c"),
        wants("2").memory("2Gi"),
    ];
    assert_eq!(nearest(objects).0, "c");
    let small = objects![
        node("a").cpu("1").memory("1Gi"),
        node("b").cpu("1").memory("4Gi"),
        node("z").cpu("9")
    ];
    assert_eq!(nearest([small, objects![wants("2").memory("2Gi")]].concat()).0, "b z");
}
