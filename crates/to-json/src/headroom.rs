//! How many more pods like one fit, as JSON.

use std::collections::BTreeMap;

use crate::{ToJson, decision as parts};
use answers::questions::headroom::HeadroomReport;
use engine::simulation::headroom::{self as found, Amount, Count, CountMethod, PiecesState};
use json::headroom::{
    Defragmentation, FreeResource, Headroom as JsonHeadroom, LargestPod, NodeGroup, NodeRoom,
    Pieces, PriorityRoom, RoomCount,
};
use json::{ApiVersion, kind};

/// The JSON of an answer.
impl ToJson for HeadroomReport {
    type Json = JsonHeadroom;

    fn json(&self) -> JsonHeadroom {
        let HeadroomReport { basis, room } = self;
        JsonHeadroom {
            api_version: ApiVersion::default(),
            kind: kind::Headroom::default(),
            scheduler: parts::scheduler(&basis.profile),
            source: parts::source(&basis.header, basis.source),
            text: self.sentence(),
            pod: room.pod.full_name(),
            requests: amounts(&room.requests),
            items: room.priorities.iter().map(priority).collect(),
            next: room.next.clone(),
            pieces: pieces(self),
            defragmentation: defragmentation(self),
            largest: room.largest.iter().map(largest).collect(),
            groups: room.groups.iter().map(group).collect(),
            nodes: room.nodes.iter().map(node).collect(),
            unknown: room.unknown.clone(),
            notes: room.notes.iter().map(parts::note).collect(),
        }
    }
}

fn priority(row: &found::PriorityRoom) -> PriorityRoom {
    PriorityRoom {
        priority: row.priority,
        class: row.class.clone(),
        own: row.is_own,
        without_preemption: count(row.without_preemption),
        with_preemption: row.with_preemption.map(count),
    }
}

fn defragmentation(report: &HeadroomReport) -> Option<Defragmentation> {
    let found::Defragmentation { gains, moves, may_go_on } = report.room.defragmentation?;
    let text = report.defragmentation().unwrap_or_default();
    Some(Defragmentation { text, gains, moves, may_go_on })
}

fn largest(pod: &found::LargestPod) -> LargestPod {
    let requests = amounts(&pod.requests);
    LargestPod { grown: pod.grown.clone(), requests, node: pod.node.clone() }
}

fn group(group: &found::NodeGroup) -> NodeGroup {
    NodeGroup {
        by: group.by.name().into(),
        name: group.name.clone(),
        nodes: group.nodes,
        with_room: group.with_room,
        fits: group.fits,
    }
}

fn node(node: &found::NodeRoom) -> NodeRoom {
    NodeRoom { name: node.node.clone(), fits: node.fits }
}

fn amounts(amounts: &[Amount]) -> BTreeMap<String, String> {
    amounts.iter().map(|amount| (amount.resource.clone(), amount.amount.clone())).collect()
}

fn count(count: Count) -> RoomCount {
    RoomCount {
        number: count.number,
        complete: count.is_complete,
        method: match count.method {
            CountMethod::NodeByNode => "NodeByNode",
            CountMethod::OneByOne => "OneByOne",
        }
        .into(),
        order_open: count.is_order_open,
        evicted: count.evicted,
    }
}

fn pieces(report: &HeadroomReport) -> Pieces {
    let pieces = &report.room.pieces;
    let resources = pieces.resources.iter().map(|free| FreeResource {
        resource: free.resource.clone(),
        requested: free.requested.clone(),
        free: free.free.clone(),
        largest: free.largest.clone(),
    });
    Pieces {
        text: if report.room.unknown.is_some() { String::new() } else { report.in_pieces() },
        state: match pieces.state {
            PiecesState::Room => "Room",
            PiecesState::Fragmented => "Fragmented",
            PiecesState::Full => "Full",
        }
        .into(),
        in_sum: pieces.in_sum,
        nodes: pieces.nodes,
        scarcest: pieces.scarcest.clone(),
        resources: resources.collect(),
    }
}
