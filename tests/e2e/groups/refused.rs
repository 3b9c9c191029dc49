//! Groups that get no cycle, and groups that get no nodes.

use serde_json::json;

use super::Outcome::{Fails, Refuses, Waits};
use super::scheduled::gang;
use super::{NO_POLICY, POLICY, Situation};
use crate::objects::{group, node, pod};

pub static SITUATIONS: &[Situation] = &[
    Situation::new(
        "a gang of which a pod is missing",
        || vec![node("n1", "4")],
        || gang(3, "1", "high").into_iter().filter(|object| object.name() != "g-1").collect(),
        Waits("TooFewPods"),
    )
    .says("2 of 3 pods exist; kube-scheduler waits for 1 more (minCount 3)"),
    Situation::new(
        "a group that does not exist",
        || vec![node("n1", "4")],
        || gang(2, "1", "high").into_iter().skip(1).collect(),
        Waits("MissingPodGroup"),
    )
    .says("does not exist"),
    Situation::new(
        "a gang of which a pod has a gate",
        || vec![node("n1", "4")],
        || {
            let mut gang = gang(2, "1", "high");
            let gated = gang.pop().expect("a pod").with("/spec/schedulingGates", json!([{"name": "example.com/wait"}]));
            gang.into_iter().chain([gated]).collect()
        },
        Waits("Member"),
    )
    .says("g-1"),
    Situation::new(
        "a gang of which a pod is for another scheduler",
        || vec![node("n1", "4")],
        || {
            let mut gang = gang(2, "1", "high");
            let foreign = gang.pop().expect("a pod").with("/spec/schedulerName", json!("mine"));
            gang.into_iter().chain([foreign]).collect()
        },
        Waits("TooFewPods"),
    )
    .says("1 of 2 pods exist"),
    Situation::new(
        "a gang that is larger than the cluster",
        || vec![node("n1", "2"), node("n2", "1"), pod("a").cpu("1").class("low").on("n1")],
        || gang(4, "1", "high"),
        Refuses("pod group preemption: minCount (4) cannot be satisfied"),
    )
    .next(Refuses("pod group preemption: scheduling policy's minimum threshold (4)")),
    Situation::new(
        "a gang, and nothing that is less important",
        || vec![node("n1", "2"), node("n2", "1"), pod("a").cpu("1").class("high").on("n2")],
        || gang(3, "1", "high"),
        Refuses("No preemption victims found for incoming preemptor"),
    ),
    Situation::new(
        "a gang whose last pod is never tried",
        || vec![node("n1", "2"), node("n2", "1")],
        || {
            let mut gang = gang(3, "2", "high");
            let small = pod("g-2").cpu("1").class("high").of("g");
            gang.pop();
            gang.into_iter().chain([small]).collect()
        },
        Refuses("minCount (3) cannot be satisfied: 1 scheduled, 1 remaining"),
    )
    .next(Refuses("(3) cannot be satisfied: 1 scheduled, 1 unschedulable, 1 not-evaluated")),
    Situation::new(
        "a gang whose pods come in another order than that of their names",
        || vec![node("n1", "1")],
        || {
            let mut gang = gang(2, "1", "high");
            gang[1..].reverse();
            gang
        },
        Refuses("minCount (2) cannot be satisfied: 1 scheduled, 0 remaining"),
    )
    .next(Refuses("(2) cannot be satisfied: 1 scheduled, 1 unschedulable, 0 not-evaluated")),
    Situation::new(
        "a gang that may not preempt",
        || vec![node("n1", "1"), pod("a").cpu("1").class("low").on("n1")],
        || {
            // The API server fills in another policy before it looks at the class.
            let polite = group("g", Some(1)).class("polite").with("/spec/preemptionPolicy", json!("Never"));
            vec![polite, pod("g-0").cpu("1").class("polite").of("g")]
        },
        Refuses("pod group preemption: not eligible due to preemptionPolicy=Never."),
    ),
    Situation::new(
        "a gang of which one pod may not preempt",
        || vec![node("n1", "1"), pod("a").cpu("1").class("low").on("n1")],
        || {
            let mut gang = gang(2, "1", "high");
            gang.pop();
            gang.into_iter().chain([pod("g-1").cpu("1").class("polite").of("g")]).collect()
        },
        Fails(
            "all pods in a single pod group should have the same preemption policy, got Never and PreemptLowerPriority",
        ),
    )
    .gates(NO_POLICY)
    .without_next(),
    Situation::new(
        "a group that may not preempt, where its policy counts",
        || vec![node("n1", "1"), pod("a").cpu("1").class("low").on("n1")],
        || {
            // The API server fills in another policy before it looks at the class.
            let polite = group("g", Some(1)).class("polite").with("/spec/preemptionPolicy", json!("Never"));
            vec![polite, pod("g-0").cpu("1").class("polite").of("g")]
        },
        Refuses("pod group preemption: not eligible due to preemptionPolicy=Never."),
    )
    .gates(POLICY)
    .without_next(),
    Situation::new(
        "pods that may preempt less than their group",
        || vec![node("n1", "1"), pod("a").cpu("1").class("low").on("n1")],
        || vec![group("g", Some(1)).class("high"), pod("g-0").cpu("1").class("polite").of("g")],
        Fails("the same preemption policy as the pod group's preemption policy"),
    )
    .gates(POLICY)
    .without_next(),
    Situation::new(
        "a group without a priority",
        || vec![node("n1", "4")],
        || vec![group("g", Some(1)), pod("g-0").cpu("1").class("high").of("g")],
        Fails(
            "all pods in a single pod group should have the same priority as the pod group's priority, got 1000 and 0",
        ),
    )
    .next(Fails("pod group hierarchy should have the same priority")),
];
