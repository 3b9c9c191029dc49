//! The nodes drawn: a strip of all of them by zone or pool, each with its verdict, and a bar for those
//! that tell the most.

use answers::pod_report::PodReport;
use answers::room::{NodeState, NodesAlike, RoomOnNodes};
use answers::words;
use engine::decision::room::ResourceRoom;
use textwrap::core::display_width;

use super::section::{ScreenSection, SectionRow};
use crate::page::{Column, Page, Span, Tone};

/// The cells of a bar.
const CELLS: usize = 20;
/// The cells of a pool that is too large for one cell per node.
const SHARE: usize = 20;
/// The most rows of the strip; if there are more groups, the last row counts the other nodes.
const GROUPS: usize = 4;

/// The sign of a node in the strip.
pub(crate) const fn sign(state: NodeState) -> &'static str {
    match state {
        NodeState::Chosen => "★",
        NodeState::Fits => "✓",
        NodeState::Candidate => "◆",
        NodeState::Full => "×",
        NodeState::Cordoned => "C",
        NodeState::NotReady => "N",
        NodeState::Tainted => "T",
        NodeState::Elsewhere => "A",
        NodeState::Otherwise => "?",
        NodeState::NotTried => "-",
    }
}

pub(crate) const fn tone(state: NodeState) -> Tone {
    match state {
        NodeState::Chosen | NodeState::Fits => Tone::Good,
        NodeState::Candidate => Tone::Bad,
        NodeState::Full
        | NodeState::Cordoned
        | NodeState::NotReady
        | NodeState::Tainted
        | NodeState::Elsewhere
        | NodeState::Otherwise
        | NodeState::NotTried => Tone::Plain,
    }
}

/// How many lines the strip takes.
pub(super) fn strip_lines(rooms: &RoomOnNodes) -> usize {
    2 + rooms.groups.len().min(GROUPS)
}

/// All nodes by zone or pool, with what the signs mean.
pub(super) fn strip(rooms: &RoomOnNodes, page: &mut Page) {
    let nodes = words::count(rooms.nodes.len(), "node");
    let mut head = vec![Span::new(nodes, Tone::Strong)];
    if !rooms.ending.is_empty() {
        head.push(Span::new(format!("  *{}", rooms.ending), Tone::Quiet));
    }
    page.title(head);

    let mut states: Vec<NodeState> =
        rooms.groups.iter().flat_map(|group| group.states.keys().copied()).collect();
    states.sort_unstable();
    states.dedup();
    let mut legend: Vec<Span> = Vec::new();
    for state in states {
        let gap = if legend.is_empty() { "" } else { "  " };
        legend.push(gap.into());
        legend.push(Span::drawn(sign(state), tone(state)));
        legend.push(Span::new(format!(" {}", state.words()), Tone::Quiet));
    }
    page.item(2, legend);

    let are_many = rooms.groups.len() > GROUPS;
    let number = if are_many { GROUPS - 1 } else { rooms.groups.len() };
    let shown = rooms.groups.get(..number).unwrap_or_default();
    let width = shown.iter().map(|group| display_width(&group.name)).max().unwrap_or_default();
    for group in shown {
        let gap = width.saturating_sub(display_width(&group.name));
        let mut line: Vec<Span> = vec![format!("{}{}  ", group.name, " ".repeat(gap)).into()];
        let cells =
            if rooms.singly { group.states.clone().into_iter().collect() } else { shares(group) };
        for (state, cells) in cells {
            line.push(Span::drawn(sign(state).repeat(cells), tone(state)));
        }
        line.push(Span::new(format!("  {}", words::group_digits(group.nodes())), Tone::Quiet));
        page.item(2, line);
    }
    let rest: usize = rooms.groups.iter().skip(number).map(NodesAlike::nodes).sum();
    page.left_out(2, rest, "node");
}

/// The cells of a large group: as many as the nodes' share, and one at least for each state.
pub(crate) fn shares(group: &NodesAlike) -> Vec<(NodeState, usize)> {
    let nodes = group.nodes().max(1);
    let mut cells: Vec<(NodeState, usize)> = Vec::with_capacity(group.states.len());
    for (state, count) in &group.states {
        cells.push((*state, ((count * SHARE + nodes / 2) / nodes).max(1)));
    }
    // Rounding may give some more or fewer than there are: the largest share bears it.
    let sum: usize = cells.iter().map(|(_, cells)| cells).sum();
    if let Some((_, most)) = cells.iter_mut().max_by_key(|(_, cells)| *cells) {
        *most = (*most + SHARE).saturating_sub(sum).max(1);
    }
    cells
}

/// A bar for each of the nodes that tell the most, at most `most` of them.
pub(super) fn bars(report: &PodReport, rooms: &RoomOnNodes, most: usize) -> ScreenSection {
    let shown = rooms.telling(most);
    let scale = rooms.scale(&shown);
    let mut rows = Vec::with_capacity(shown.len());
    for row in shown {
        let Some(room) = rooms.bar(row) else { continue };
        let amounts = [room.kept(), room.freed, room.free()].map(|amount| scale.text(amount));
        let [kept, freed, free] = amounts.map(Span::from);
        let cells = vec![
            Span::drawn(sign(row.state), tone(row.state)),
            rooms.short_name(row.node).into(),
            Span::drawn(bar(room), Tone::Plain),
            kept,
            freed,
            free,
            report.why_on(row).into(),
        ];
        rows.push(SectionRow { cells, weight: 1 });
    }
    let signs =
        [("█", " stays  "), ("▒", " may evict  "), ("·", " free  "), ("┃", " request ends here")];
    let mut head = vec![Span::new(format!("Needs {}", rooms.needs()), Tone::Strong), "   ".into()];
    for (sign, meaning) in signs {
        head.push(Span::drawn(sign, Tone::Plain));
        head.push(Span::new(meaning, Tone::Quiet));
    }
    ScreenSection {
        head,
        indent: 0,
        columns: vec![
            Column::default(),
            Column::new("NODE").nodes(8),
            Column::default(),
            // The bar shows them, too.
            Column::new("KEEPS").dropped(3),
            Column::new("EVICT").dropped(2),
            Column::new("FREE").dropped(1),
            Column::new("WHY").prose(12),
        ],
        rows,
        noun: "",
        ..ScreenSection::default()
    }
}

/// The bar of a node, all cells being what the node has. The request ends at `┃`, or beyond the node
/// where there is `>`.
fn bar(room: ResourceRoom) -> String {
    let node = i128::from(room.allocatable.max(1));
    let at = |amount: i64| -> usize {
        let cells = i128::from(amount.max(0)) * CELLS as i128 / node;
        usize::try_from(cells).unwrap_or(usize::MAX)
    };
    let (kept, taken) = (at(room.kept()), at(room.used));
    let ends = room.kept().saturating_add(room.wanted);
    // A request that ends where the node does ends in its last cell.
    let end = if ends > room.allocatable { CELLS } else { at(ends).min(CELLS - 1) };
    let mut text = String::with_capacity(CELLS * 3 + 1);
    for cell in 0..CELLS {
        text.push(match cell {
            cell if cell == end => '┃',
            cell if cell < kept => '█',
            cell if cell < taken => '▒',
            _ => '·',
        });
    }
    text.push(if end == CELLS { '>' } else { ' ' });
    text
}

#[cfg(test)]
mod tests {
    use super::{bar, shares};
    use answers::room::{NodeState, NodesAlike};
    use engine::decision::room::ResourceRoom;
    use engine::framework::operands::ResourceId;

    fn room(allocatable: i64, used: i64, freed: i64, wanted: i64) -> ResourceRoom {
        ResourceRoom { resource: ResourceId::Cpu, wanted, allocatable, used, freed }
    }

    #[test]
    fn bar_shows_what_stays_what_goes_and_where_the_request_ends() {
        for (room, text) in [
            (room(20, 15, 5, 8), "██████████▒▒▒▒▒···┃· "),
            (room(20, 20, 0, 4), "████████████████████>"),
            // Exactly as large as what is left.
            (room(20, 16, 0, 4), "████████████████···┃ "),
            (room(10, 5, 0, 90), "██████████··········>"),
            // More is requested than there is.
            (room(5, 20, 18, 2), "████████▒▒▒▒▒▒▒▒┃▒▒▒ "),
            (room(0, 0, 0, 1), "····················>"),
        ] {
            assert_eq!(bar(room), text, "{room:?}");
        }
    }

    #[test]
    fn a_share_of_a_pool_has_a_cell_however_small_it_is() {
        let states = [(NodeState::Chosen, 1), (NodeState::Candidate, 270), (NodeState::Full, 29)];
        let group = NodesAlike { name: String::new(), states: states.into_iter().collect() };
        assert_eq!(
            shares(&group),
            [(NodeState::Chosen, 1), (NodeState::Candidate, 17), (NodeState::Full, 2)]
        );
    }
}
