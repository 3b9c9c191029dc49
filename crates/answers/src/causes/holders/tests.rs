use serde_json::{Value, json};

use crate::causes;
use crate::pod_report::PodReport;
use testing::{at, cluster, node, objects, pod};

/// The details of the groups of nodes that reject pod `p`, by the first reason.
fn causes(version: &str, objects: Vec<Value>) -> Vec<String> {
    at(version).look(&cluster(objects), "p", |decision| {
        causes::first_causes(decision).1.into_iter().map(|cause| cause.group.cause()).collect()
    })
}

#[test]
fn ports_are_said_with_the_pods_that_hold_them() {
    let web = |name: &str, on: &str| pod(name).port(80, "TCP", "").on(on);
    let p = || pod("p").port(80, "TCP", "");
    let many = || ["a", "b", "c", "d"].map(|name| Value::from(node(name))).to_vec();
    let agents =
        |node: &str| web(&format!("agent-{node}"), node).of("apps/v1", "DaemonSet", "agent");
    for (want, objects) in [
        ("host port 80/TCP is in use by default/v", objects![node("a"), web("v", "a"), p()]),
        (
            "host port 80/TCP is in use by default/v (a) and default/w (b)",
            objects![node("a"), node("b"), web("v", "a"), web("w", "b"), p()],
        ),
        (
            "host port 80/TCP is in use by default/v; host port 443/TCP is in use by default/w",
            objects![
                node("a"),
                web("v", "a"),
                pod("w").port(443, "TCP", "").on("a"),
                p().port(443, "TCP", "")
            ],
        ),
        (
            "host port 80/TCP: 127.0.0.1:80/TCP is in use by default/v",
            objects![node("a"), pod("v").port(80, "TCP", "127.0.0.1").on("a"), p()],
        ),
        (
            "host port 80/TCP is in use by default/v (a), default/w (b), default/x (c) and 1 more",
            [many(), objects![web("v", "a"), web("w", "b"), web("x", "c"), web("y", "d"), p()]]
                .concat(),
        ),
        (
            "host port 80/TCP is in use by the pods of DaemonSet default/agent",
            [many(), objects![agents("a"), agents("b"), agents("c"), agents("d"), p()]].concat(),
        ),
    ] {
        assert_eq!(causes("1.37", objects), [want]);
    }
}

#[test]
fn amounts_as_large_as_64_bits_have_holders() {
    let huge = |name: &str| pod(name).requests("cpu", "9223372036854775").on("n");
    let objects = objects![
        node("n").allocatable("cpu", "9223372036854775"),
        huge("a"),
        huge("b"),
        pod("p").requests("cpu", "2")
    ];
    let [cause] = &causes("1.32", objects)[..] else { panic!("one cause") };
    assert!(
        cause.ends_with("held by default/a (9223372036854775) and default/b (9223372036854775)"),
        "{cause}"
    );
}

#[test]
fn disks_are_said_with_the_pod_that_holds_them() {
    let with_disk =
        |name: &str| pod(name).volume(json!({"name": "v", "gcePersistentDisk": {"pdName": "a"}}));
    let objects = objects![node("n"), with_disk("v").on("n"), with_disk("p")];
    assert_eq!(causes("1.37", objects), ["the disk of volume v is in use by default/v"]);
}

#[test]
fn anti_affinity_is_said_with_the_pod_its_domain_and_whose_rule_it_is() {
    let zones = || objects![node("a").zone("a"), node("a2").zone("a"), node("b").zone("b")];
    let db = |name: &str, on: &str| pod(name).label("app", "db").on(on);
    let own = || pod("p").away("zone", "app", "db");
    let keeps_away = |name: &str, on: &str| pod(name).away("zone", "app", "web").on(on);
    let web = || pod("p").label("app", "web");
    for version in ["1.12", "1.16", "1.18", "1.20", "1.21", "1.37"] {
        for (want, pods) in [
            ("the pod's own anti-affinity: default/d is in zone=a", objects![db("d", "a"), own()]),
            (
                "the pod's own anti-affinity: default/d and 1 more are in zone=a",
                objects![db("d", "a"), db("e", "a2"), own()],
            ),
            (
                "the pod's own anti-affinity over zone: default/d is in a, default/e is in b",
                objects![db("d", "a"), db("e", "b"), own()],
            ),
            (
                "another pod's anti-affinity: default/d is in zone=a",
                objects![keeps_away("d", "a"), web()],
            ),
            (
                "another pod's anti-affinity over zone: default/d is in a, default/e is in b",
                objects![keeps_away("d", "a"), keeps_away("e", "b"), web()],
            ),
        ] {
            assert_eq!(causes(version, [zones(), pods].concat()), [want], "{version}");
        }
    }
}

#[test]
fn one_node_has_its_own_holders() {
    let objects = objects![
        node("a"),
        node("b"),
        pod("v").port(80, "TCP", "").on("a"),
        pod("w").port(80, "TCP", "").on("b"),
        pod("p").port(80, "TCP", "")
    ];
    at("1.37").look(&cluster(objects), "p", |decision| {
        let model = PodReport::from(decision.clone());
        let texts: Vec<String> = decision
            .rejections()
            .flat_map(|(_, _, rejection)| model.with_operands(rejection))
            .collect();
        let text = "node(s) didn't have free ports for the requested pod ports";
        assert_eq!(
            texts,
            ["default/v", "default/w"]
                .map(|pod| format!("{text} (host port 80/TCP is in use by {pod})"))
        );
    });
}

#[test]
fn devices_and_other_extended_resources_are_said_with_the_pods_that_hold_most_of_them() {
    let gpu = "nvidia.com/gpu";
    let gpus = |name: &str, count: &str| node(name).allocatable(gpu, count);
    let user = |name: &str, count: &str, on: &str| pod(name).requests(gpu, count).on(on);
    let p = || pod("p").requests(gpu, "1");
    for (want, objects) in [
        (
            "nvidia.com/gpu: requests 1, 0 free of 4; held by default/llm (4)",
            objects![gpus("a", "4"), user("llm", "4", "a"), p()],
        ),
        (
            "nvidia.com/gpu: requests 1, at most 0 free of 4; held by default/llm (4 on a), default/v (1 on b) and default/w (1 on b)",
            objects![
                gpus("a", "4"),
                gpus("b", "2"),
                user("llm", "4", "a"),
                user("v", "1", "b"),
                user("w", "1", "b"),
                p()
            ],
        ),
        (
            "nvidia.com/gpu: requests 1, 0 free of 4; held by default/s (1), default/t (1), default/u (1) and 1 more",
            objects![
                gpus("a", "4"),
                user("s", "1", "a"),
                user("t", "1", "a"),
                user("u", "1", "a"),
                user("v", "1", "a"),
                p()
            ],
        ),
    ] {
        assert_eq!(causes("1.37", objects), [want]);
    }
}

#[test]
fn pods_that_hold_most_of_cpu_and_memory_are_said_of_the_nearest_node_if_nothing_can_be_evicted() {
    let user = |name: &str, cpu: &str, on: &str| pod(name).cpu(cpu).priority(5).on(on);
    for (want, objects) in [
        (
            "cpu: requests 2, 1 free of 4; held by default/v (2) and default/w (1)",
            objects![
                node("a").cpu("4"),
                user("v", "2", "a"),
                user("w", "1", "a"),
                pod("p").cpu("2").priority(5)
            ],
        ),
        (
            "cpu: requests 2, at most 1 free of 4; on b held by default/w (3)",
            objects![
                node("a").cpu("4"),
                node("b").cpu("4"),
                user("v", "4", "a"),
                user("w", "3", "b"),
                pod("p").cpu("2")
            ],
        ),
        (
            "cpu: requests 2, 1 free of 4",
            objects![node("a").cpu("4"), user("v", "3", "a"), pod("p").cpu("2").priority(9)],
        ),
    ] {
        assert_eq!(causes("1.37", objects), [want]);
    }
}
