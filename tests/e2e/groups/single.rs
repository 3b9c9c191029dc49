//! Single pods among groups, and pods of groups where the scheduler knows none.

use super::old;
use crate::objects::{group, node, pod};
use crate::situations::Outcome::Preempts;
use crate::situations::Situation;

pub static SITUATIONS: &[Situation] = &[
    Situation::new(
        "a pod that evicts a group as a whole",
        || {
            vec![
                node("n1", "2"),
                node("n2", "1").taint("gpu"),
                group("old", Some(2)).class("low").together(),
                old("a", "n1"),
                old("b", "n2"),
                pod("c").cpu("1").class("high").on("n1"),
            ]
        },
        || pod("p").cpu("1").class("high"),
        Preempts("n1", 2),
    ),
    Situation::new(
        "a pod that evicts one pod of a group",
        || {
            let group = group("old", Some(2)).class("low");
            vec![
                node("n1", "1"),
                node("n2", "1").taint("gpu"),
                group,
                old("a", "n1"),
                old("b", "n2"),
            ]
        },
        || pod("p").cpu("1").class("high"),
        Preempts("n1", 1),
    ),
    Situation::new(
        "a pod that spares what a group of higher priority protects",
        || {
            vec![
                node("n1", "1"),
                node("n2", "1"),
                group("safe", Some(1)).class("high"),
                pod("a").cpu("1").class("low").of("safe").on("n1"),
                pod("b").cpu("1").class("middle").on("n2"),
            ]
        },
        || pod("p").cpu("1").class("high"),
        Preempts("n2", 1),
    )
    .next(Preempts("n1", 1)),
];

/// Where the scheduler's gate is off.
pub static ALONE: &[Situation] = &[Situation::new(
    "a pod of a group, and a scheduler that knows no groups",
    || {
        vec![
            node("n1", "1"),
            node("n2", "1").taint("gpu"),
            group("old", Some(2)).class("high").together(),
            group("new", Some(3)),
            old("a", "n1"),
            old("b", "n2"),
        ]
    },
    || pod("p").cpu("1").class("high").of("new"),
    Preempts("n1", 1),
)];
