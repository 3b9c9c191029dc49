//! Groups that get nodes: at once, or once others are evicted.

use super::Outcome::{Fits, Preempts};
use super::{Situation, old};
use crate::objects::{Object, budget, group, node, pod};

/// So many pods `g-0`, `g-1` … of group `g`, as large as said.
pub(super) fn gang(count: usize, cpu: &str, class: &str) -> Vec<Object> {
    let count_needed = i64::try_from(count).expect("few");
    let pods = (0..count).map(|i| pod(&format!("g-{i}")).cpu(cpu).class(class).of("g"));
    std::iter::once(group("g", Some(count_needed)).class(class)).chain(pods).collect()
}

pub static SITUATIONS: &[Situation] = &[
    Situation::new(
        "a gang that fits",
        || vec![node("n1", "4"), node("n2", "3"), pod("a").cpu("3").on("n1")],
        || gang(4, "1", "high"),
        Fits(4),
    ),
    Situation::new(
        "a gang of which one runs",
        || {
            let runs = pod("g-9").cpu("1").class("high").of("g").on("n1");
            vec![node("n1", "1"), node("n2", "1"), group("g", Some(2)).class("high"), runs]
        },
        || vec![pod("g-0").cpu("1").class("high").of("g")],
        Fits(1),
    ),
    Situation::new(
        "a basic group of which one pod does not fit",
        || vec![node("n1", "2"), pod("a").cpu("500m").class("high").on("n1")],
        || {
            let member = |name: &str, cpu| pod(name).cpu(cpu).class("high").of("g");
            vec![group("g", None).class("high"), member("g-0", "1").last(), member("g-1", "2")]
        },
        Fits(1),
    ),
    Situation::new(
        "two gangs, and room for one",
        || {
            vec![
                node("n1", "2"),
                group("first", Some(2)).class("low"),
                group("g", Some(2)).class("high"),
            ]
        },
        || {
            let low = |name: &str| pod(name).cpu("1").class("low").of("first");
            // The scheduler is to know both before it tries one.
            let first = [low("a-0").last(), low("a-1")];
            first.into_iter().chain(gang(2, "1", "high").into_iter().skip(1)).collect()
        },
        Fits(2),
    ),
    Situation::new(
        "a gang that evicts pods of several nodes",
        || {
            vec![
                node("n1", "2"),
                node("n2", "1"),
                node("n3", "4"),
                pod("a").cpu("1").class("low").on("n1"),
                pod("b").cpu("1").class("middle").on("n1"),
                pod("c").cpu("1").class("low").on("n2").since(10),
                pod("d").cpu("4").class("high").on("n3"),
            ]
        },
        || gang(3, "1", "high"),
        Preempts(3),
    ),
    Situation::new(
        "a gang that evicts no more than it has to",
        || {
            vec![
                node("n1", "4"),
                pod("a").cpu("1").class("low").on("n1"),
                pod("b").cpu("1").class("middle").on("n1"),
                pod("c").cpu("2").class("high").on("n1"),
            ]
        },
        || gang(1, "1", "high"),
        Preempts(1),
    ),
    Situation::new(
        "a gang of which one runs, and that evicts for the others",
        || {
            let runs = pod("g-9").cpu("1").class("high").of("g").on("n1");
            let gang = group("g", Some(3)).class("high");
            vec![
                node("n1", "1"),
                node("n2", "2"),
                gang,
                runs,
                pod("a").cpu("2").class("low").on("n2"),
            ]
        },
        || ["g-0", "g-1"].map(|name| pod(name).cpu("1").class("high").of("g")).to_vec(),
        Preempts(1),
    ),
    Situation::new(
        "a gang that evicts a group as a whole",
        || {
            vec![
                node("n1", "1"),
                node("n2", "1").taint("gpu"),
                group("old", Some(2)).class("low").together(),
                old("a", "n1"),
                old("b", "n2"),
                pod("c").class("low").on("n2"),
            ]
        },
        || gang(1, "1", "high"),
        Preempts(2),
    ),
    Situation::new(
        "a gang and a budget that it has to violate",
        || {
            let web = |name: &str, node: &str| {
                pod(name).label("app", "web").cpu("1").class("low").on(node)
            };
            vec![
                node("n1", "1"),
                node("n2", "2"),
                web("a", "n1"),
                web("b", "n2"),
                pod("c").cpu("1").class("low").on("n2").since(10),
                budget("web", "web", 1, 1),
            ]
        },
        || gang(3, "1", "high"),
        Preempts(3),
    ),
    Situation::new(
        "a gang that spares what a group of higher priority protects",
        || {
            vec![
                node("n1", "1"),
                node("n2", "1"),
                group("safe", Some(1)).class("high"),
                pod("a").cpu("1").class("low").of("safe").on("n1"),
                pod("b").cpu("1").class("low").on("n2"),
            ]
        },
        || gang(1, "1", "middle"),
        Preempts(1),
    )
    .without_next(),
];
