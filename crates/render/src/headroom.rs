//! How many more pods like one fit, as text, as a heat map for the browser, and as metrics.

use engine::simulation::headroom::{
    Count, CountMethod, Headroom, LargestPod, NodeGroup, NodeGrouping, PiecesState, PriorityRoom,
};

use crate::escape::html as escaped;
use crate::exposition::{Exposition, Gauge, label};
use crate::notes;
use crate::page::{Column, Drawn, Page, Sign, Span, Tone};
use crate::safe::Printable;
use answers::extent::{ALL_SHOWS_IT, Extent};
use answers::questions::Report as _;
use answers::questions::headroom::{HeadroomReport, counted, requests};
use answers::words;

/// The heading of the largest pods.
const LARGEST: &str = "The largest pod that fits";

/// The page: the answer, what it is based on, the priorities, the largest pod, the groups of nodes,
/// and the notes.
impl Drawn for HeadroomReport {
    fn page(&self, extent: Extent) -> Page {
        let HeadroomReport { basis, room } = self;
        let mut page = Page::default();
        page.verdict(Sign::of(self.verdict().into()), self.sentence());
        page.based_on(2, basis);
        // Where the number is not known, nothing else is, and the notes say why.
        if room.unknown.is_some() {
            notes::add(&mut page, &room.notes, extent.is_all());
            return page;
        }
        if let Some(next) = &room.next {
            let next = words::reasons_of(next);
            page.line(2, vec![Span::new("Next copy: ", Tone::Quiet), next.into()]);
        }
        page.line(2, vec![self.in_pieces().into()]);
        if let Some(text) = self.defragmentation() {
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

    /// A cell per node, darker the more copies it takes.
    fn picture(&self) -> String {
        if self.room.nodes.is_empty() { String::new() } else { heat_map(&self.room) }
    }
}

/// The row of a priority.
fn priority(row: &PriorityRoom) -> Vec<Span> {
    let (with, evicted) = match &row.with_preemption {
        None => ("-".to_owned(), "-".to_owned()),
        Some(count) => (counted(*count), count.evicted.map_or("-".to_owned(), words::group_digits)),
    };
    // How the numbers were found says how far they can be relied on.
    let mut how = vec![method(row.without_preemption)];
    how.extend(row.with_preemption.map(method));
    how.dedup();
    vec![
        Span::from(row.priority.to_string()),
        row.class.as_deref().unwrap_or("-").into(),
        if row.is_own { "own" } else { "" }.into(),
        counted(row.without_preemption).into(),
        with.into(),
        evicted.into(),
        Span::new(how.join("; "), Tone::Quiet),
    ]
}

const fn method(count: Count) -> &'static str {
    match count.method {
        CountMethod::NodeByNode => "node by node",
        CountMethod::OneByOne if count.is_order_open => "one by one, in one of several orders",
        CountMethod::OneByOne => "one by one",
    }
}

fn priorities(page: &mut Page, room: &Headroom) {
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
        room.priorities.iter().map(priority).collect(),
        "-o wide",
    );
}

fn largest(page: &mut Page, room: &Headroom) {
    if room.largest.is_empty() {
        return;
    }
    let mut rows = Vec::new();
    for pod in &room.largest {
        rows.push(vec![
            Span::from(grown(pod)),
            requests(&pod.requests).into(),
            pod.node.as_str().into(),
        ]);
    }
    page.section(LARGEST);
    let columns = [
        Column::new("").prose(10),
        Column::new("REQUESTS").prose(20),
        Column::new("NODE").nodes(12),
    ];
    page.table(2, columns, rows);
}

/// In what a pod is as large as it can be.
fn grown(pod: &LargestPod) -> String {
    match &pod.grown {
        Some(resource) => format!("most {resource}"),
        None => "same proportions".to_owned(),
    }
}

fn groups(page: &mut Page, room: &Headroom, by: NodeGrouping, extent: Extent) {
    let groups: Vec<&NodeGroup> = room.groups.iter().filter(|group| group.by == by).collect();
    if groups.is_empty() {
        return;
    }
    let shown = extent.shown(groups.len());
    let mut rows = Vec::new();
    for group in groups.iter().take(shown) {
        let name = if group.name.is_empty() { "(none)" } else { group.name.as_str() };
        let numbers = [group.nodes, group.with_room, group.fits].map(words::group_digits);
        rows.push(std::iter::once(Span::from(name)).chain(numbers.map(Span::from)).collect());
    }
    let title = match by {
        NodeGrouping::Zone => "ZONE",
        NodeGrouping::Pool => "POOL",
        NodeGrouping::Shape => "SHAPE",
    };
    let columns = [
        Column::new(title).prose(16),
        Column::new("NODES"),
        Column::new("WITH ROOM").dropped(1),
        Column::new("FIT NOW"),
    ];
    page.gap();
    page.table(0, columns, rows);
    page.left_out_but(0, groups.len() - shown, "group", ALL_SHOWS_IT);
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

/// The number of steps of the heat map, not counting zero.
const STEPS: usize = 5;

/// The cells of the nodes, each with its name and number for those who cannot see the colour.
fn heat_map(room: &Headroom) -> String {
    let most = room.nodes.iter().map(|node| node.fits).max().unwrap_or(0);
    let mut map = format!(
        "<section class=\"picture\">\n<h2>Copies per node (hatched = none, darkest = {})</h2>\n<ul class=\"map\">\n",
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
    map.push_str("</ul>\n</section>\n");
    map
}

const PODS: Gauge = Gauge {
    name: "kubectl_preempt_headroom_pods",
    help: "How many more pods like one fit, by priority; a lower bound unless complete.",
};
const GROUP: Gauge = Gauge {
    name: "kubectl_preempt_headroom_group_pods",
    help: "How many more pods like one fit on the nodes of a zone, pool or shape.",
};
const IN_SUM: Gauge = Gauge {
    name: "kubectl_preempt_headroom_in_sum_pods",
    help: "For how many pods what is free would be enough if it were in one piece.",
};
const FRAGMENTED: Gauge = Gauge {
    name: "kubectl_preempt_headroom_fragmented",
    help: "Whether noticeably more would fit if what is free were in one piece.",
};

const UNCERTAIN: Gauge = Gauge {
    name: "kubectl_preempt_headroom_uncertain",
    help: "Whether something that the other values depend on could not be read, or is not modelled.",
};

/// The metrics: a sample per priority, and per group of nodes. No samples if there is no answer.
pub fn metrics(report: &HeadroomReport) -> Printable {
    let room = &report.room;
    let mut out = Exposition::default();
    if room.unknown.is_some() {
        return out.end();
    }
    let (namespace, name) = (label(&room.pod.namespace), label(&room.pod.name));
    let pod = [("namespace", namespace.as_str()), ("pod", name.as_str())];

    // A sample per priority and way to count: a query sums over neither.
    out.begin(PODS);
    for row in &room.priorities {
        let class = label(row.class.as_deref().unwrap_or_default());
        let (priority, own) = (row.priority.to_string(), row.is_own.to_string());
        let counts = [("false", Some(row.without_preemption)), ("true", row.with_preemption)];
        for (preemption, count) in counts {
            let Some(count) = count else { continue };
            let complete = count.is_complete.to_string();
            let of_row = [
                ("priority", priority.as_str()),
                ("class", class.as_str()),
                ("own", own.as_str()),
                ("preemption", preemption),
                ("complete", complete.as_str()),
            ];
            out.sample(PODS, &[&pod[..], &of_row].concat(), count.number);
        }
    }

    out.begin(GROUP);
    for group in &room.groups {
        let (by, name) = (group.by.name().to_lowercase(), label(&group.name));
        let of_group = [("by", by.as_str()), ("name", name.as_str())];
        out.sample(GROUP, &[&pod[..], &of_group].concat(), group.fits);
    }

    out.begin(IN_SUM);
    if let Some(in_sum) = room.pieces.in_sum {
        out.sample(IN_SUM, &pod, in_sum);
    }
    out.begin(FRAGMENTED);
    let is_fragmented = room.pieces.state == PiecesState::Fragmented;
    out.sample(FRAGMENTED, &pod, u8::from(is_fragmented));
    out.begin(UNCERTAIN);
    out.sample(UNCERTAIN, &pod, u8::from(room.is_unsure()));
    out.end()
}
