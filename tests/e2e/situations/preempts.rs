//! Pods for which others are thrown out: which, and where.

use super::Outcome::{Preempts, Refuses, Waits};
use super::Situation;
use crate::objects::{budget, node, node_in, pod};

const ZONE: &str = "topology.kubernetes.io/zone";
const HOST: &str = "kubernetes.io/hostname";

pub static SITUATIONS: &[Situation] = &[
    Situation::new(
        "one victim",
        || vec![node("n1", "2"), pod("a").cpu("2").class("low").on("n1")],
        || pod("p").cpu("1").class("high"),
        Preempts("n1", 1),
    )
    .smoke(),
    Situation::new(
        "several victims, the rest is spared",
        || {
            let small = |name: &str| pod(name).cpu("500m").class("low").on("n1");
            let kept = pod("kept").cpu("1").class("middle").on("n1");
            vec![
                node("n1", "3"),
                small("a"),
                small("b").since(10),
                small("c").since(90),
                small("d").since(5),
                kept,
            ]
        },
        || pod("p").cpu("1500m").class("high"),
        Preempts("n1", 3),
    )
    .smoke(),
    Situation::new(
        "the node where no budget is violated",
        || {
            vec![
                node("n1", "1"),
                node("n2", "1"),
                pod("a").label("app", "web").cpu("1").on("n1"),
                pod("b").cpu("1").class("middle").on("n2"),
                budget("web", "web", 1, 0),
            ]
        },
        || pod("p").cpu("1").class("high"),
        Preempts("n2", 1),
    )
    .smoke(),
    Situation::new(
        "a budget is violated where nothing else helps",
        || {
            let web = |name: &str| pod(name).label("app", "web").cpu("1").class("low");
            vec![
                node("n1", "2"),
                node("n2", "1").taint("gpu"),
                web("a").on("n1"),
                web("b").on("n1").since(10),
                budget("web", "web", 1, 1),
            ]
        },
        || pod("p").cpu("2").class("high"),
        Preempts("n1", 2),
    )
    .smoke(),
    Situation::new(
        "pods that a budget guards are spared first",
        || {
            let small = |name: &str| pod(name).cpu("1").class("low").on("n1");
            vec![
                node("n1", "2"),
                small("a").label("app", "web").since(1),
                small("b"),
                budget("web", "web", 1, 0),
            ]
        },
        || pod("p").cpu("1").class("high"),
        Preempts("n1", 1),
    ),
    Situation::new(
        "the least important victim",
        || {
            vec![
                node("n1", "1"),
                node("n2", "1"),
                node("n3", "1"),
                pod("a").cpu("1").class("middle").on("n1"),
                pod("b").cpu("1").class("low").on("n2"),
                pod("c").cpu("1").class("middle").on("n3"),
            ]
        },
        || pod("p").cpu("1").class("high"),
        Preempts("n2", 1),
    )
    .smoke(),
    Situation::new(
        "the fewest victims",
        || {
            let low = |name: &str, cpu| pod(name).cpu(cpu).class("low");
            vec![
                node("n1", "2"),
                node("n2", "2"),
                low("a", "1").on("n1"),
                low("b", "1").on("n1"),
                low("c", "2").on("n2"),
            ]
        },
        || pod("p").cpu("2").class("high"),
        Preempts("n2", 1),
    ),
    Situation::new(
        "the victim that started last",
        || {
            let low = |name: &str| pod(name).cpu("1").class("low");
            vec![
                node("n1", "1"),
                node("n2", "1"),
                node("n3", "1"),
                low("a").on("n1").since(500),
                low("b").on("n2").since(20),
                low("c").on("n3").since(90),
            ]
        },
        || pod("p").cpu("1").class("high"),
        Preempts("n2", 1),
    )
    .smoke(),
    Situation::new(
        "who holds the port",
        || {
            vec![
                node("n1", "2"),
                pod("a").port(80).class("low").on("n1"),
                pod("b").port(81).class("low").on("n1"),
            ]
        },
        || pod("p").port(80).class("high"),
        Preempts("n1", 1),
    ),
    Situation::new(
        "who bears no nearness",
        || {
            let shy = pod("shy").class("low").near("podAntiAffinity", "web", HOST);
            vec![node("n1", "2"), shy.on("n1"), pod("b").class("low").on("n1")]
        },
        || pod("p").label("app", "web").class("high"),
        Preempts("n1", 1),
    ),
    Situation::new(
        "whom the pod bears no nearness to",
        || {
            let web = |name: &str| pod(name).label("app", "web").class("low");
            vec![
                node("n1", "2"),
                node("n2", "2").taint("gpu"),
                web("a").on("n1"),
                web("b").on("n1"),
            ]
        },
        || pod("p").class("high").near("podAntiAffinity", "web", HOST),
        Preempts("n1", 2),
    ),
    Situation::new(
        "who makes the zone too full",
        || {
            let web = |name: &str| pod(name).label("app", "web").class("low");
            vec![
                node_in("east", "n1", "4"),
                node_in("west", "n2", "4").taint("gpu"),
                web("a").on("n1"),
                pod("b").class("low").on("n1"),
            ]
        },
        || {
            pod("p").label("app", "web").class("high").spread("web", ZONE).with(
                "/spec/topologySpreadConstraints/0/nodeTaintsPolicy",
                serde_json::json!("Ignore"),
            )
        },
        Preempts("n1", 1),
    ),
    Situation::new(
        "nodes where it does not help are left alone",
        || {
            let low = |name: &str| pod(name).cpu("2").class("low");
            vec![
                node("n1", "2").taint("gpu"),
                node("n2", "1"),
                node("n3", "2"),
                low("a").on("n1"),
                pod("b").class("low").on("n2"),
                low("c").on("n3"),
                pod("d").class("high").on("n3"),
            ]
        },
        || pod("p").cpu("2").class("high"),
        Preempts("n3", 1),
    ),
    Situation::new(
        "room that is meant for somebody more important",
        || vec![node("n1", "2"), node("n2", "1"), pod("a").cpu("2").class("low").on("n1")],
        || pod("p").cpu("1500m").class("middle"),
        Refuses("Insufficient cpu"),
    )
    .after(1, || vec![pod("first").cpu("2").class("high")]),
    Situation::new(
        "no room beside somebody more important",
        || {
            vec![
                node("n1", "3"),
                node("n2", "1"),
                pod("a").cpu("2").class("low").on("n1"),
                pod("b").cpu("1").class("low").on("n1"),
                pod("c").cpu("1").class("low").on("n2"),
            ]
        },
        || pod("p").cpu("1").class("middle"),
        Preempts("n2", 1),
    )
    .after(2, || vec![pod("first").cpu("3").class("high")]),
    Situation::new(
        "its victims take their time",
        || {
            vec![
                node("n1", "2"),
                node("n2", "2"),
                pod("a").cpu("2").class("low").on("n1"),
                pod("b").cpu("1900m").class("high").on("n2"),
                pod("leaves").cpu("100m").class("high").on("n2"),
            ]
        },
        || pod("p").cpu("1").class("high"),
        Waits("preemption: not eligible due to a terminating pod on the nominated node."),
    )
    .smoke(),
];
