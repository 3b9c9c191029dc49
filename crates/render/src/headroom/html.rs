//! How many more pods like one fit, as a heat map for the browser, without scripts: a cell per
//! node, darker the more copies it takes.

use engine::simulation::headroom::{Headroom, NodeGroup, NodeGrouping};

use super::{counted, defragmentation, headline, in_pieces, requests};
use crate::escape::html as escaped;
use crate::html::{document, inline};
use crate::safe::Printable;
use answers::questions::headroom::HeadroomReport;
use answers::words;

const TITLE: &str = "Room for more pods";
/// The number of steps of the heat map, not counting zero.
const STEPS: usize = 5;

pub fn page(report: &HeadroomReport) -> Printable {
    let room = &report.room;
    let mut body = format!("<main>\n<h1>{}</h1>\n", escaped(&headline(room)));
    if room.unknown.is_none() {
        if let Some(next) = &room.next {
            body.push_str(&format!("<p>One more: {}</p>\n", escaped(next)));
        }
        body.push_str(&format!("<p>{}</p>\n", escaped(&in_pieces(room))));
        if let Some(text) = defragmentation(room) {
            body.push_str(&format!("<p>{}</p>\n", escaped(&text)));
        }
        body.push_str(&priorities(room));
        body.push_str(&largest(room));
        for by in NodeGrouping::ALL {
            body.push_str(&groups(room, by));
        }
        body.push_str(&map(room));
    }
    let mut notes = String::new();
    for note in &room.notes {
        let text = escaped(&answers::notes::sentence(note));
        notes.push_str(&format!("<li>{}: {text}</li>\n", note.severity.name()));
    }
    if !notes.is_empty() {
        body.push_str(&format!("<h2>Notes</h2>\n<ul>\n{notes}</ul>\n"));
    }
    body.push_str("</main>\n");
    Printable::new(document(TITLE, inline::HEADROOM, None, &body))
}

fn table(caption: &str, heads: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = format!("<table>\n<caption>{}</caption>\n<thead><tr>", escaped(caption));
    for head in heads {
        table.push_str(&format!("<th scope=\"col\">{head}</th>"));
    }
    table.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        table.push_str("<tr>");
        for cell in row {
            table.push_str(&format!("<td>{}</td>", escaped(cell)));
        }
        table.push_str("</tr>\n");
    }
    table.push_str("</tbody>\n</table>\n");
    table
}

fn priorities(room: &Headroom) -> String {
    let mut rows = Vec::new();
    for row in &room.priorities {
        rows.push(vec![
            row.priority.to_string(),
            row.class.clone().unwrap_or_default(),
            counted(row.without_preemption),
            row.with_preemption.map_or_else(|| "-".to_owned(), counted),
        ]);
    }
    table("By priority", &["Priority", "Class", "Fit now", "With preemption"], &rows)
}

fn largest(room: &Headroom) -> String {
    if room.largest.is_empty() {
        return String::new();
    }
    let mut rows = Vec::new();
    for pod in &room.largest {
        let what = pod
            .grown
            .as_ref()
            .map_or_else(|| "same proportions".to_owned(), |resource| format!("most {resource}"));
        rows.push(vec![what, requests(&pod.requests), pod.node.clone()]);
    }
    table("The largest pod that fits", &["Which", "Requests", "Node"], &rows)
}

fn groups(room: &Headroom, by: NodeGrouping) -> String {
    let of = room.groups.iter().filter(|group| group.by == by);
    let row = |group: &NodeGroup| {
        let numbers = [group.nodes, group.with_room, group.fits].map(words::group_digits);
        std::iter::once(group.name.clone()).chain(numbers).collect()
    };
    let rows: Vec<Vec<String>> = of.map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    table(
        &format!("By {}", by.name().to_lowercase()),
        &[by.name(), "Nodes", "With room", "Fit now"],
        &rows,
    )
}

/// The cells of the nodes, each with its name and number for those who cannot see the colour.
fn map(room: &Headroom) -> String {
    let most = room.nodes.iter().map(|node| node.fits).max().unwrap_or(0);
    let mut map = format!(
        "<h2>Nodes</h2>\n<p>How many copies each node takes; hatched: none; the darkest: {}.</p>\n<ul class=\"map\">\n",
        words::group_digits(most)
    );
    for node in &room.nodes {
        let heat = (node.fits * STEPS).div_ceil(most.max(1));
        let name = escaped(&node.node);
        map.push_str(&format!(
            "<li class=\"h{heat}\" title=\"{name}: {0}\" aria-label=\"{name}: {0}\">{0}</li>\n",
            node.fits
        ));
    }
    map.push_str("</ul>\n");
    map
}
