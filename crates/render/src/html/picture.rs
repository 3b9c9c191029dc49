//! The nodes drawn, as on a terminal: a strip of all of them by zone or pool, and a bar for those that
//! tell the most. What each part stands for is said where it is pointed at, or has the focus.

use answers::pod_report::PodReport;
use answers::room::{NodeRoom, NodeState, NodesAlike, RoomOnNodes};
use answers::scale::Scale;
use answers::words;
use engine::decision::room::ResourceRoom;

use super::{Head, HtmlRow, number, table, text};
use crate::escape::{html, html_names};
use crate::page::Tone;
use crate::screen::bars::{shares, sign, tone};

/// The most bars.
const BARS: usize = 8;
/// The most rows of the strip.
const GROUPS: usize = 30;

/// Appends the picture; nothing for a pod that requests nothing, or was not tried on nodes.
pub(super) fn write(out: &mut String, model: &PodReport) {
    let Some(rooms) = model.room_on_nodes() else { return };
    let nodes = words::count(rooms.nodes.len(), "node");
    out.push_str("<section class=\"picture\" aria-label=\"The nodes\">\n");
    out.push_str(&format!("<h2>{nodes}</h2>\n<p class=\"legend quiet\">{}</p>\n", legend(&rooms)));
    strip(out, model, &rooms);
    bars(out, model, &rooms);
    out.push_str("</section>\n");
}

fn class(state: NodeState) -> &'static str {
    match tone(state) {
        Tone::Good => "cell good",
        Tone::Bad => "cell bad",
        Tone::Plain | Tone::Strong | Tone::Quiet => "cell",
    }
}

fn legend(rooms: &RoomOnNodes) -> String {
    let mut states: Vec<NodeState> =
        rooms.groups.iter().flat_map(|group| group.states.keys().copied()).collect();
    states.sort_unstable();
    states.dedup();
    let mut legend = String::new();
    for state in states {
        let (class, sign) = (class(state), sign(state));
        legend.push_str(&format!("<span class=\"{class}\">{sign}</span> {} ", state.words()));
    }
    legend
}

/// A cell that says something.
fn cell(out: &mut String, state: NodeState, says: &str) {
    let (class, sign, says) = (class(state), sign(state), html(says));
    out.push_str(&format!(
        "<span class=\"{class}\" role=\"img\" title=\"{says}\" aria-label=\"{says}\">{sign}</span>"
    ));
}

/// A row per zone or pool: a cell per node, or a cell per share of many nodes.
fn strip(out: &mut String, model: &PodReport, rooms: &RoomOnNodes) {
    out.push_str("<table class=\"strip\">\n<tbody>\n");
    for group in rooms.groups.iter().take(GROUPS) {
        out.push_str(&format!("<tr><td>{}</td><td>", html_names(&group.name)));
        if rooms.singly {
            let mut own: Vec<&NodeRoom> =
                rooms.nodes.iter().filter(|row| rooms.group_of(row.node) == group.name).collect();
            own.sort_by_key(|row| (row.state, row.node));
            for row in own {
                let says = format!("{}: {}", model.node(row.node), said(model, row));
                cell(out, row.state, &says);
            }
        } else {
            for (state, cells) in shares(group) {
                let count = group.states.get(&state).copied().unwrap_or_default();
                let of = words::count(group.nodes(), "node");
                let says = format!(
                    "{}: {} of {of}: {}",
                    group.name,
                    words::group_digits(count),
                    state.words()
                );
                (0..cells).for_each(|_| cell(out, state, &says));
            }
        }
        out.push_str(&format!("</td><td>{}</td></tr>\n", words::group_digits(group.nodes())));
    }
    out.push_str("</tbody></table>\n");
    let rest: usize = rooms.groups.iter().skip(GROUPS).map(NodesAlike::nodes).sum();
    if rest > 0 {
        let rest = words::count(rest, "more node");
        out.push_str(&format!("<p class=\"quiet\">and {rest} in smaller groups</p>\n"));
    }
}

/// The state of a node, and why.
fn said(model: &PodReport, row: &NodeRoom) -> String {
    let (state, why) = (row.state.words(), model.why_on(row));
    if state == why { why } else { format!("{state}, {why}") }
}

fn bars(out: &mut String, model: &PodReport, rooms: &RoomOnNodes) {
    let shown = rooms.telling(BARS);
    let scale = rooms.scale(&shown);
    let mut rows = Vec::new();
    for row in shown {
        let Some(room) = rooms.bar(row) else { continue };
        let amounts =
            [room.kept(), room.freed, room.free()].map(|amount| html(&scale.text(amount)));
        let [kept, freed, free] = amounts;
        let says = format!("{}: {}", model.node(row.node), amounts_of(room, scale));
        let node = html_names(model.node(row.node));
        rows.push(HtmlRow::new([
            format!("<span class=\"{}\">{}</span> {node}", class(row.state), sign(row.state)),
            bar(room, &says),
            kept,
            freed,
            free,
            html_names(&model.why_on(row)),
        ]));
    }
    let heads: [Head<'_>; 6] = [
        text("Node"),
        text("Bar"),
        number("Keeps"),
        number("May evict"),
        number("Free"),
        text("Why"),
    ];
    out.push_str(&format!(
        "<p><strong>Needs {}</strong> <span class=\"quiet\">grey stays, orange may be evicted, the \
         line is where the request ends</span></p>\n{}",
        html(&rooms.needs()),
        table("named bars", &heads, rows)
    ));
}

/// What a bar shows, in words.
fn amounts_of(room: ResourceRoom, scale: Scale<'_>) -> String {
    format!(
        "keeps {}, may evict {}, free {} of {}; the request ends at {}",
        scale.text(room.kept()),
        scale.text(room.freed),
        scale.text(room.free()),
        scale.text(room.allocatable),
        scale.text(room.kept().saturating_add(room.wanted))
    )
}

/// The bar of a node, all of it being what the node has.
fn bar(room: ResourceRoom, says: &str) -> String {
    // More may be requested than there is, and a request may end beyond the node.
    let node = i128::from(room.allocatable.max(room.used).max(1));
    let share = |amount: i64| (i128::from(amount.max(0)) * 1000 / node).min(995);
    let percent = |share: i128| format!("{}.{}%", share / 10, share % 10);
    let (kept, used) = (share(room.kept()), share(room.used));
    let ends = share(room.kept().saturating_add(room.wanted));
    let says = html(says);
    format!(
        "<span class=\"part\" role=\"img\" title=\"{says}\" aria-label=\"{says}\">\
         <svg class=\"bar\" aria-hidden=\"true\"><rect class=\"stays\" width=\"{}\" height=\"100%\"/><rect x=\"{}\" width=\"{}\" height=\"100%\"/>\
         <rect class=\"ends\" x=\"{}\" width=\"2\" height=\"100%\"/></svg></span>",
        percent(kept),
        percent(kept),
        percent(used - kept),
        percent(ends)
    )
}
