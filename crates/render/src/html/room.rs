//! The resources of the nodes for a pod: what is requested there, what evictions free and what is
//! still missing; and the nodes by pool and zone.

use super::{HtmlRow, folded, number, table, text};
use crate::escape::{html, html_names};
use answers::pod_report::PodReport;
use answers::room::{NodeRoom, RoomOnNodes, label_of};
use answers::scale::Scale;
use answers::words;
use engine::decision::room::ResourceRoom;
use engine::framework::operands::ResourceId;
use engine::simulation::headroom::groups::{POOLS, ZONES};

/// Maximum number of nodes that are shown with their resources.
const NODES_SHOWN: usize = 20;
/// Maximum number of groups of nodes.
const GROUPS_SHOWN: usize = 30;

/// Appends the sections about resources per node and per group of nodes.
pub(super) fn sections(out: &mut String, model: &PodReport) {
    let Some(rooms) = model.room_on_nodes() else { return };
    nodes(out, model, &rooms);
    groups(out, model, &rooms);
}

/// Appends the section with a row per node.
fn nodes(out: &mut String, model: &PodReport, rooms: &RoomOnNodes) {
    let (cluster, wanted) = (model.cluster(), &rooms.wanted);
    let names: Vec<String> =
        wanted.iter().map(|(resource, _)| resource.name(cluster).to_owned()).collect();
    let heads: Vec<_> = [text("Node"), text("Pool"), text("Zone")]
        .into_iter()
        .chain(names.iter().map(|name| text(name)))
        .collect();
    let shown = rooms.nodes.iter().take(NODES_SHOWN);
    let rows = shown.map(|NodeRoom { node, rooms, .. }| {
        let labels = [&POOLS[..], &ZONES].map(|keys| place(label_of(model.cluster(), *node, keys)));
        let cells =
            rooms.iter().zip(wanted).map(|(room, (resource, _))| cell(*room, *resource, model));
        let [pool, zone] = labels;
        HtmlRow::new([html_names(model.node(*node)), pool, zone].into_iter().chain(cells))
    });
    let mut content = table("named room", &heads, rows.collect::<Vec<_>>());
    let key = "The bar is what the node can give: dark is requested by pods that stay, orange by pods that evictions remove.";
    content.push_str(&format!("<p class=\"quiet\">{key}"));
    if rooms.nodes.len() > NODES_SHOWN {
        let rest = words::count(rooms.nodes.len() - NODES_SHOWN, "more node");
        content.push_str(&format!(" {rest} lack more; -o csv has them all."));
    }
    content.push_str("</p>\n");
    folded(out, "Room on the nodes", &content);
}

/// A bar with its numbers.
fn cell(room: ResourceRoom, resource: ResourceId, model: &PodReport) -> String {
    let amounts = [room.wanted, room.free(), room.freed, room.missing(), room.allocatable];
    let scale = Scale::of(resource, &amounts, model.cluster()).in_cores();
    // More may be requested than there is, on nodes that have become smaller.
    let total = i128::from(room.allocatable.max(room.used).max(1));
    let [stays, freed] = [room.used.saturating_sub(room.freed), room.freed.min(room.used)]
        .map(|value| i128::from(value.max(0)) * 100 / total);
    let mut words = vec![
        format!("wants {}", scale.text(room.wanted)),
        format!("{} free of {}", scale.text(room.free()), scale.text(room.allocatable)),
    ];
    if room.freed > 0 && room.free() < room.wanted {
        words.push(format!("evictions free {}", scale.text(room.freed)));
    }
    let missing = match room.missing() {
        0 => String::new(),
        missing => {
            format!(" <strong class=\"bad\">{} missing</strong>", html(&scale.text(missing)))
        }
    };
    format!(
        "<svg class=\"bar\" aria-hidden=\"true\"><rect class=\"stays\" width=\"{stays}%\" height=\"100%\"/>\
         <rect x=\"{stays}%\" width=\"{freed}%\" height=\"100%\"/></svg>{}{missing}",
        html(&words.join(", "))
    )
}

/// The name of a pool or zone; nodes may have none.
fn place(name: Option<&str>) -> String {
    html_names(name.filter(|name| !name.is_empty()).unwrap_or("–"))
}

/// Appends the section with a row per pool and zone; omitted if there is only one group.
fn groups(out: &mut String, model: &PodReport, rooms: &RoomOnNodes) {
    let groups = model.by_pool_and_zone(rooms);
    if groups.len() < 2 {
        return;
    }

    let cluster = model.cluster();
    let mut free = Vec::new();
    for (resource, _) in &rooms.wanted {
        free.push(format!("Most {} free", resource.name(cluster)));
    }
    let mut heads = vec![
        text("Pool"),
        text("Zone"),
        number("Nodes"),
        number("Fit"),
        number("Candidates"),
        text("Rejected by"),
    ];
    heads.extend(free.iter().map(|title| number(title)));

    let mut rows = Vec::new();
    for group in groups.iter().take(GROUPS_SHOWN) {
        let plugins: Vec<String> =
            group.rejected_by.iter().map(|(plugin, nodes)| format!("{plugin} {nodes}")).collect();
        let mut cells = vec![
            place(Some(&group.pool)),
            place(Some(&group.zone)),
            words::group_digits(group.nodes),
            words::group_digits(group.fit),
            words::group_digits(group.candidates),
            html(&plugins.join(", ")),
        ];
        for (most, (resource, wanted)) in group.most_free.iter().zip(&rooms.wanted) {
            let scale = Scale::of(*resource, &[*most, *wanted], cluster).in_cores();
            cells.push(html(&scale.text(*most)));
        }
        rows.push(HtmlRow::new(cells));
    }
    let mut content = table("named pools", &heads, rows);
    let rest = groups.len().saturating_sub(GROUPS_SHOWN);
    if rest > 0 {
        content.push_str(&format!(
            "<p class=\"quiet\">and {}</p>\n",
            words::count(rest, "more group")
        ));
    }
    folded(out, "Nodes by pool and zone", &content);
}

#[cfg(test)]
mod tests {
    use crate::html::page;
    use crate::program::ProgramName;
    use answers::pod_report::PodReport;
    use engine::decision::decide;
    use engine::framework::cluster_view::ClusterView;
    use testing::{NOW, at, cluster, node, objects, pod};

    #[test]
    fn room_counts_what_evictions_free_and_what_is_missing_then() {
        let objects = objects![
            node("a")
                .cpu("4500m")
                .label("agentpool", "general")
                .label("topology.kubernetes.io/zone", "z1"),
            node("b")
                .cpu("2")
                .label("agentpool", "batch")
                .label("topology.kubernetes.io/zone", "z2"),
            pod("low").cpu("2").on("a"),
            pod("high").cpu("1").priority(9).on("a"),
            pod("p").cpu("3").priority(5)
        ];
        let (cluster, profile) = (cluster(objects), at("1.37").profile());
        let view = ClusterView::new(&cluster, &profile);
        let decision = PodReport::from(decide(
            &view,
            cluster.find_pod("default", "p").unwrap(),
            NOW.parse().unwrap(),
        ));
        let wanted = decision.wanted();
        let of = |name: &str| decision.room_on(cluster.find_node(name).unwrap(), &wanted)[0];
        let (a, b) = (of("a"), of("b"));
        assert_eq!((a.wanted, a.free(), a.freed, a.missing()), (3000, 1500, 2000, 0));
        assert_eq!((b.free(), b.freed, b.missing()), (2000, 0, 1000));
        let html = page(&[decision], ProgramName::PLUGIN).unwrap();
        for text in [
            "Room on the nodes",
            "wants 3, 1.5 free of 4.5, evictions free 2",
            "<strong class=\"bad\">1 missing</strong>",
            "Nodes by pool and zone",
        ] {
            assert!(html.contains(text), "{text}: {html}");
        }
    }
}
