use serde_json::{Value, json};

use super::is_similar;
use crate::causes;
use testing::{Node, Pod, at, claim, cluster, node, objects, pod, volume};

/// The details of the groups of nodes that reject pod `p`, by the first reason.
fn causes(objects: Vec<Value>) -> Vec<String> {
    at("1.37").look(&cluster(objects), "p", |decision| {
        causes::first_causes(decision)
            .1
            .into_iter()
            .map(|cause| cause.group.details.join("; "))
            .collect()
    })
}

/// Checks that one of the causes is `want`.
fn says(row: &str, want: &str, objects: Vec<Value>) {
    let found = causes(objects);
    assert!(found.iter().any(|cause| cause == want), "{row}: {found:?}");
}

fn asks_for(key: &str, operator: &str, values: &[&str]) -> Pod {
    let expression = json!({"key": key, "operator": operator, "values": values});
    pod("p").node_term(json!({"matchExpressions": [expression]}))
}

fn amd64(name: &str) -> Node {
    node(name).label("kubernetes.io/arch", "amd64")
}

#[test]
fn labels_nodes_lack_are_said_with_what_the_nodes_have() {
    for (row, want, objects) in [
        (
            "a pair that differs in case",
            "nodeSelector disktype=SSD: no node has it, 1 has ssd",
            objects![
                node("a").label("disktype", "ssd"),
                node("b"),
                pod("p").selects_nodes("disktype", "SSD")
            ],
        ),
        (
            "a pair that other nodes have",
            "nodeSelector disk=ssd: 1 node has hdd, 1 lacks the label",
            objects![
                node("a").label("disk", "hdd"),
                node("b"),
                node("c").label("disk", "ssd").cpu("1"),
                pod("p").selects_nodes("disk", "ssd").cpu("2")
            ],
        ),
        (
            "a value that no node has, nor one like it",
            "kubernetes.io/arch In [arm64]: no node has it, 2 have amd64",
            objects![amd64("a"), amd64("b"), asks_for("kubernetes.io/arch", "In", &["arm64"])],
        ),
        (
            "several values",
            "kubernetes.io/arch In [arm64, s390x]: no node has any of them, 1 has amd64",
            objects![amd64("a"), asks_for("kubernetes.io/arch", "In", &["arm64", "s390x"])],
        ),
    ] {
        says(row, want, objects);
    }
}

#[test]
fn keys_no_node_has_and_other_operators_are_said_with_what_comes_near() {
    for (row, want, objects) in [
        (
            "a key with another prefix",
            "arch In [amd64]: no node has the label, 2 have kubernetes.io/arch",
            objects![amd64("a"), amd64("b"), asks_for("arch", "In", &["amd64"])],
        ),
        (
            "a key like no other",
            "gpu Exists: no node has the label",
            objects![amd64("a"), asks_for("gpu", "Exists", &[])],
        ),
        (
            "a value that is not wanted",
            "kubernetes.io/arch NotIn [amd64]: 1 node has amd64",
            objects![amd64("a"), asks_for("kubernetes.io/arch", "NotIn", &["amd64"])],
        ),
        (
            "a bound",
            "cores Gt 8: 1 node has 8, 1 lacks the label",
            objects![node("a").label("cores", "8"), node("b"), asks_for("cores", "Gt", &["8"])],
        ),
        (
            "an empty term",
            "the only term of required node affinity can select no node",
            objects![node("a"), pod("p").node_term(json!({}))],
        ),
        (
            "more values than are named",
            "host In [e]: no node has it, 4 have other values, such as a, b and c",
            objects![
                node("a").label("host", "a"),
                node("b").label("host", "b"),
                node("c").label("host", "c"),
                node("d").label("host", "d"),
                asks_for("host", "In", &["e"])
            ],
        ),
    ] {
        says(row, want, objects);
    }
}

#[test]
fn volumes_are_said_with_where_they_are_and_whether_a_node_is_there() {
    for (row, want, objects) in [
        (
            "a volume's zone, where no node is",
            "volume pv1 (claim data) is only reachable with topology.kubernetes.io/zone=us-east-2c: no node has it, 1 has us-east-2a",
            objects![
                node("a").label("topology.kubernetes.io/zone", "us-east-2a"),
                claim("data", "").bound("pv1"),
                volume("pv1", "").on_nodes("topology.kubernetes.io/zone", "us-east-2c"),
                pod("p").claim("data")
            ],
        ),
        (
            "a volume of a host that is gone",
            "volume pv1 (claim data) is only on host w9: no node has that hostname",
            objects![
                node("a").label("kubernetes.io/hostname", "a"),
                claim("data", "").bound("pv1"),
                volume("pv1", "").on_nodes("kubernetes.io/hostname", "w9"),
                pod("p").claim("data")
            ],
        ),
        (
            "a volume of another host",
            "volume pv1 (claim data) is only on host c: 2 nodes are others; c rejects it, too: cpu: requests 2, 0 of 1 already requested",
            objects![
                node("a").label("kubernetes.io/hostname", "a").cpu("4"),
                node("b").label("kubernetes.io/hostname", "b").cpu("4"),
                node("c").label("kubernetes.io/hostname", "c").cpu("1"),
                claim("data", "").bound("pv1"),
                volume("pv1", "").on_nodes("kubernetes.io/hostname", "c"),
                pod("p").claim("data").cpu("2")
            ],
        ),
        (
            "a volume's label",
            "volume pv1 is in topology.kubernetes.io/zone=eu-1c: no node has it, 1 has eu-1a",
            objects![
                node("a").label("topology.kubernetes.io/zone", "eu-1a"),
                claim("data", "").bound("pv1"),
                volume("pv1", "").label("topology.kubernetes.io/zone", "eu-1c"),
                pod("p").claim("data")
            ],
        ),
    ] {
        says(row, want, objects);
    }
}

#[test]
fn every_expression_of_the_closest_term_is_said() {
    let wants = pod("p").node_term(json!({"matchExpressions": [
        {"key": "disktype", "operator": "In", "values": ["nvme"]},
        {"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}]}));
    let want = "disktype In [nvme]: no node has it, 1 has ssd; kubernetes.io/arch In [arm64]: no node has it, 1 has amd64";
    assert_eq!(causes(objects![amd64("w1").label("disktype", "ssd"), wants]), [want]);
}

#[test]
fn texts_are_similar_by_case_prefix_and_one_slip() {
    for (one, other, similar) in [
        ("SSD", "ssd", true),
        ("A", "a", true),
        ("t3", "t3.large", false),
        ("t3a", "t3a.large", true),
        ("us-east-2c", "us-east-2a", true),
        ("disktpye", "disktype", true),
        ("disktype", "disktypes", true),
        ("disk-type", "disktype", true),
        ("amd64", "arm64", false),
        ("amd64", "s390x", false),
        ("nvme", "ssd", false),
        ("a", "b", false),
        ("gpu-node", "cpu-nodes", false),
        ("nodepool-name", "node_pool_name", true),
        ("environmnet", "enviroment", true),
    ] {
        assert_eq!(
            (is_similar(one, other), is_similar(other, one)),
            (similar, similar),
            "{one} {other}"
        );
    }
}

#[test]
fn resource_that_no_node_has_is_said_with_the_name_that_was_meant() {
    let gpu = |name: &str, resource: &str| node(name).allocatable(resource, "2");
    for (asked, has, want) in [
        ("nvidia.com/gpus", "nvidia.com/gpu", ", 2 nodes have nvidia.com/gpu"),
        ("nvida.com/gpu", "nvidia.com/gpu", ", 2 nodes have nvidia.com/gpu"),
        ("amd.com/gpu", "nvidia.com/gpu", ", 2 nodes have nvidia.com/gpu"),
        ("nvidia.com/gpu", "nvidia.com/mig-1g.10gb", ", 2 nodes have nvidia.com/mig-1g.10gb"),
        ("nvidia.com/gpu", "example.com/fpga", ""),
    ] {
        let pod = pod("p").requests(asked, "1");
        let found = causes(objects![gpu("a", has), gpu("b", has), node("c"), pod]);
        assert_eq!(found, [format!("{asked}: needs 1, no node has any{want}")]);
    }
}
