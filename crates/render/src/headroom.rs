//! How many more pods like one fit, as text, HTML and metrics.

mod html;
mod metrics;

use engine::simulation::headroom::{
    Amount, Count, CountMethod, Headroom, LargestPod, NodeGroup, NodeGrouping, PiecesState,
    PriorityRoom,
};

pub use html::page as html;
pub use metrics::text as metrics;

use crate::notes;
use crate::page::{Column, Drawn, Page, Sign, Span, Tone};
use answers::extent::{ALL_SHOWS_IT, Extent};
use answers::questions::headroom::HeadroomReport;
use answers::words;

/// The page: the answer, what it is based on, the priorities, the largest pod, the groups of nodes,
/// and the notes.
impl Drawn for HeadroomReport {
    fn page(&self, extent: Extent) -> Page {
        let HeadroomReport { basis, room } = self;
        let mut page = Page::default();
        let (sign, tone) = sign(room);
        page.line(0, vec![Span::signed(sign, "", tone), Span::new(headline(room), Tone::Strong)]);
        page.line(2, vec![Span::new(basis.line(), Tone::Quiet)]);
        if room.unknown.is_some() {
            notes::add(&mut page, &room.notes, extent.is_all());
            return page;
        }
        if let Some(next) = &room.next {
            page.line(2, vec![Span::new("One more: ", Tone::Quiet), next.as_str().into()]);
        }
        page.line(2, vec![in_pieces(room).into()]);
        if let Some(text) = defragmentation(room) {
            page.line(2, vec![text.into()]);
        }
        priorities(&mut page, room);
        largest(&mut page, room);
        for by in NodeGrouping::ALL {
            groups(&mut page, room, by, extent);
        }
        if extent.is_whole() {
            nodes(&mut page, room);
        }
        notes::add(&mut page, &room.notes, extent.is_all());
        page
    }
}

fn sign(room: &Headroom) -> (Sign, Tone) {
    let number = room.own().map(|own| own.without_preemption.number);
    match number {
        None => (Sign::Unknown, Tone::Bad),
        Some(_) if room.is_unsure() => (Sign::Unknown, Tone::Bad),
        Some(0) => (Sign::No, Tone::Bad),
        Some(_) => (Sign::Yes, Tone::Good),
    }
}

/// `12 more pods like shop/web fit now (priority 0, cpu=1,memory=2Gi each), 15 with preemption`.
pub(super) fn headline(room: &Headroom) -> String {
    let name = room.pod.full_name();
    if let Some(why) = &room.unknown {
        return format!("How many more pods like {name} fit is not known: {why}.");
    }
    let Some(own) = room.own() else { return format!("Nothing is known about {name}.") };
    let number = own.without_preemption;
    let fit = match number.number {
        0 if number.is_complete => format!("No more pod like {name} fits now"),
        1 if number.is_complete => format!("1 more pod like {name} fits now"),
        several => {
            let least = if number.is_complete { "" } else { "At least " };
            format!("{least}{} more pods like {name} fit now", words::group_digits(several))
        }
    };
    let with = match &own.with_preemption {
        None => String::new(),
        Some(with) if with.number == number.number && with.is_complete => {
            ", and no more with preemption".to_owned()
        }
        Some(with) => format!(", {} with preemption", counted(*with)),
    };
    let each = requests(&room.requests);
    let each = if each.is_empty() { String::new() } else { format!(", {each} each") };
    let mut doubts: Vec<&str> = Vec::new();
    if room.is_cut_short() {
        doubts.push("counting stopped after as many steps as a cluster of this size gets");
    }
    if room.is_unsure() {
        doubts.push("not certain: see the notes");
    }
    let doubt = if doubts.is_empty() { String::new() } else { format!(" ({})", doubts.join("; ")) };
    format!("{fit} (priority {}{each}){with}.{doubt}", own.priority)
}

/// A number, or a lower bound.
pub(super) fn counted(count: Count) -> String {
    let number = words::group_digits(count.number);
    if count.is_complete { number } else { format!("at least {number}") }
}

pub(super) fn requests(amounts: &[Amount]) -> String {
    let pairs: Vec<String> =
        amounts.iter().map(|amount| format!("{}={}", amount.resource, amount.amount)).collect();
    pairs.join(",")
}

/// Whether the nodes are full, or the free resources are fragmented.
pub(super) fn in_pieces(room: &Headroom) -> String {
    let pieces = &room.pieces;
    let placed = room.own().map_or(0, |own| own.without_preemption.number);
    let nodes = words::count(pieces.nodes, "node");
    let scarcest = pieces.scarcest.as_deref().unwrap_or("pods");
    let largest = pieces.resources.iter().map(|free| {
        format!("{} {} free, at most {} on one", free.resource, free.free, free.largest)
    });
    let largest: Vec<String> = largest.collect();
    let largest =
        if largest.is_empty() { String::new() } else { format!(" ({})", largest.join("; ")) };
    match (pieces.state, pieces.in_sum) {
        (PiecesState::Fragmented, Some(in_sum)) => format!(
            "Fragmented: on the {nodes} that may take one, what is free is enough for {} in sum, and for {} in pieces \
             as they are{largest}.",
            words::group_digits(in_sum),
            words::group_digits(placed),
        ),
        (PiecesState::Full, _) if pieces.nodes == 0 => {
            "Full: no node takes one, not even without the pods that may run elsewhere.".to_owned()
        }
        (PiecesState::Full, _) => format!(
            "Full: on the {nodes} that may take one, {scarcest} is not enough for one more, in whichever pieces{largest}."
        ),
        (PiecesState::Room | PiecesState::Fragmented, _) => {
            format!("Not fragmented: {scarcest} runs out first{largest}.")
        }
    }
}

/// What moving pods gains, if that was tried.
pub(super) fn defragmentation(room: &Headroom) -> Option<String> {
    let found = room.defragmentation?;
    Some(match found.gains {
        0 => "No moves were found that make room for one more.".to_owned(),
        gains => {
            let least = if found.may_go_on { "at least " } else { "" };
            format!(
                "Moving {} makes room for {least}{} more (played through); `suggest` names the pods for a pending one.",
                words::count(found.moves, "pod"),
                words::group_digits(gains),
            )
        }
    })
}

fn priorities(page: &mut Page, room: &Headroom) {
    let cells = |row: &PriorityRoom| {
        let class = row.class.as_deref().unwrap_or("-");
        let own = if row.is_own { "own" } else { "" };
        let (with, evicted) = match &row.with_preemption {
            None => ("-".to_owned(), "-".to_owned()),
            Some(count) => {
                (counted(*count), count.evicted.map_or("-".to_owned(), words::group_digits))
            }
        };
        let counts = [Some(row.without_preemption), row.with_preemption];
        let by = |count: Count| match count.method {
            CountMethod::NodeByNode => "node by node",
            CountMethod::OneByOne if count.is_order_open => "one by one, in one of several orders",
            CountMethod::OneByOne => "one by one",
        };
        let mut how: Vec<&str> = counts.into_iter().flatten().map(by).collect();
        how.dedup();
        vec![
            Span::from(row.priority.to_string()),
            class.into(),
            own.into(),
            counted(row.without_preemption).into(),
            with.into(),
            evicted.into(),
            Span::new(how.join("; "), Tone::Quiet),
        ]
    };
    page.gap();
    page.table_also(
        0,
        [
            Column::new("PRIORITY"),
            Column::new("CLASS").names(12),
            Column::new("").dropped(2),
            Column::new("FIT NOW"),
            Column::new("WITH PREEMPTION").essential(),
            Column::new("EVICTED").dropped(3),
            Column::new("COUNTED").prose(12).dropped(4),
        ],
        room.priorities.iter().map(cells).collect(),
        "-o wide, a wider terminal",
    );
}

fn largest(page: &mut Page, room: &Headroom) {
    if room.largest.is_empty() {
        return;
    }
    page.gap();
    page.heading("The largest pod that fits");
    let cells = |pod: &LargestPod| {
        let what = match &pod.grown {
            Some(resource) => format!("most {resource}"),
            None => "same proportions".to_owned(),
        };
        vec![Span::from(what), requests(&pod.requests).into(), pod.node.as_str().into()]
    };
    page.table(
        2,
        [
            Column::new("").prose(10),
            Column::new("REQUESTS").prose(20),
            Column::new("NODE").nodes(12),
        ],
        room.largest.iter().map(cells).collect(),
    );
}

fn groups(page: &mut Page, room: &Headroom, by: NodeGrouping, extent: Extent) {
    let groups: Vec<&NodeGroup> = room.groups.iter().filter(|group| group.by == by).collect();
    if groups.is_empty() {
        return;
    }
    let shown = extent.shown(groups.len());
    let cells = |group: &&NodeGroup| {
        let name = if group.name.is_empty() { "(none)" } else { group.name.as_str() };
        vec![
            Span::from(name),
            words::group_digits(group.nodes).into(),
            words::group_digits(group.with_room).into(),
            words::group_digits(group.fits).into(),
        ]
    };
    page.gap();
    let title = match by {
        NodeGrouping::Zone => "ZONE",
        NodeGrouping::Pool => "POOL",
        NodeGrouping::Shape => "SHAPE",
    };
    page.table(
        0,
        [
            Column::new(title).prose(16),
            Column::new("NODES"),
            Column::new("WITH ROOM").dropped(1),
            Column::new("FIT NOW"),
        ],
        groups.iter().take(shown).map(cells).collect(),
    );
    if shown < groups.len() {
        page.left_out_but(0, words::count(groups.len() - shown, "more group"), ALL_SHOWS_IT);
    }
}

/// How many copies each node takes, for `-o wide`.
fn nodes(page: &mut Page, room: &Headroom) {
    if room.nodes.is_empty() {
        return;
    }
    let mut rows = Vec::with_capacity(room.nodes.len());
    for node in &room.nodes {
        rows.push(vec![Span::from(node.node.as_str()), words::group_digits(node.fits).into()]);
    }
    page.gap();
    page.table(0, [Column::new("NODE").nodes(16), Column::new("FIT NOW")], rows);
}
