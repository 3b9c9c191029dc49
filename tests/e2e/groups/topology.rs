//! Groups whose pods have to be in one zone.

use super::Outcome::{Fits, Preempts, Refuses};
use super::scheduled::gang;
use super::{Situation, TOPOLOGY};
use crate::objects::{Object, node, node_in, pod};

const ZONE: &str = "topology.kubernetes.io/zone";

/// The same, within one zone.
fn gang_in_a_zone(count: usize, cpu: &str) -> Vec<Object> {
    let mut gang = gang(count, cpu, "high");
    gang[0] = gang[0].clone().within(ZONE);
    gang
}

pub static SITUATIONS: &[Situation] = &[
    Situation::new(
        "a gang that fits in one zone",
        || {
            vec![
                node_in("east", "n1", "2"),
                node_in("west", "n2", "3"),
                node_in("west", "n3", "1"),
                node("n4", "8"),
            ]
        },
        || gang_in_a_zone(3, "1"),
        Fits(3),
    )
    .gates(TOPOLOGY),
    Situation::new(
        "a gang that fits in no zone",
        || vec![node_in("east", "n1", "2"), node_in("west", "n2", "2"), node("n3", "8")],
        || gang_in_a_zone(3, "1"),
        Refuses(
            "pod group is unschedulable, 0/2 placements are available, first placement status: ",
        ),
    )
    .next(Refuses("0/2 placements are available, first placement status: "))
    .gates(TOPOLOGY),
    Situation::new(
        "a gang, and no node has the label",
        || vec![node("n1", "8")],
        || gang_in_a_zone(1, "1"),
        Refuses("no feasible placements found"),
    )
    .gates(TOPOLOGY),
    Situation::new(
        "a gang for which a zone is made free",
        || {
            vec![
                // Of as many nodes as the other: the scheduler tells of any one of them how many
                // nodes it has.
                node_in("east", "n0", "1"),
                node_in("east", "n1", "1"),
                node_in("west", "n2", "2"),
                node_in("west", "n3", "1"),
                pod("a").cpu("1").class("low").on("n1"),
                pod("d").cpu("1").class("high").on("n0"),
                pod("b").cpu("2").class("low").on("n2"),
                pod("c").cpu("1").class("middle").on("n3"),
            ]
        },
        || gang_in_a_zone(3, "1"),
        Preempts(2),
    )
    .gates(TOPOLOGY),
    Situation::new(
        "a gang without a zone, where zones count",
        || vec![node("n1", "2"), node("n2", "1"), pod("a").cpu("1").class("high").on("n2")],
        || gang(3, "1", "high"),
        Refuses(
            "pod group is unschedulable, 0/1 placements are available, first placement status: ",
        ),
    )
    .next(Refuses("0/1 placements are available, first placement status: "))
    .gates(TOPOLOGY),
];
