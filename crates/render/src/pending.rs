//! All pending pods as a table: the verdict, the reason, and what the pod waits for.

mod metrics;

use jiff::Timestamp;

use super::html::other_pages;
use super::name::NotAName;
use super::notes;
use super::page::{Column, Drawn, Page, Span, Tone, page_of};
use super::program::ProgramName;
use super::safe::Printable;
use super::workload;
use answers::causes::NOT_FOR_DEVICES;
use answers::extent::Extent;
use answers::node_name::NamePlace;
use answers::not_running::StartingPod;
use answers::origin::Origin;
use answers::questions::pending::{
    DecisionSequence, NODES_NAMED, Pending, PendingReport, PendingRow, PendingVerdict, RowGroup,
    groups, summary,
};
use answers::who_acts::WhoActs;
use answers::words;
use answers::words::arguments;
use answers::workload::MissingPods;
use engine::notes::{Note, Severity};
pub use metrics::{NAMES as METRICS, ReadState, openmetrics};

/// The index of the verdict among the cells of a row.
const VERDICT: usize = 3;

/// Maximum number of rows for pods that have a node, unless the layout is wide.
const STARTING_SHOWN: usize = 10;

/// The most workloads without pods above a list that is kept up to date.
const WORKLOADS_SHOWN: usize = 2;

/// The layout of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct Layout {
    /// Whether there is a column for the namespace.
    pub namespaces: bool,
    /// Whether causes and victims are shown in full, with a row per pod.
    pub wide: bool,
    /// Whether column headings, the summary and the line below the table are shown.
    pub headers: bool,
    /// Whether there is a column for who acts next, because an autoscaler was found.
    pub actors: bool,
    /// Whether the answer about a row stands beside the table, which then leaves out the nodes.
    pub answered: bool,
    /// The time of the decisions, from which ages are computed.
    pub now: Timestamp,
}

impl Drawn for PendingReport {
    fn page(&self, extent: Extent) -> Page {
        let mut page = self.cut.map(page_of).unwrap_or_default();
        let layout = Layout {
            namespaces: self.all_namespaces,
            wide: extent.is_whole(),
            headers: true,
            actors: self.pending.names_actors(),
            answered: false,
            now: self.basis.now(),
        };
        page.append(self::page(&self.pending, layout, &self.basis.origin));
        page.append(starting(self, layout));
        page
    }

    /// The way to the other pages about the same input.
    fn picture(&self) -> String {
        other_pages(&self.basis.flags, &self.pending, ProgramName::PLUGIN)
    }
}

/// The pods that have a node and are Pending nevertheless, and those that wait for more of what their
/// node has.
#[must_use]
pub fn starting(report: &PendingReport, layout: Layout) -> Page {
    let mut page = Page::default();
    let (verbs, them) = if report.starting.len() == 1 {
        ("is Pending and has", "it")
    } else {
        ("are Pending and have", "them")
    };
    let number = words::count(report.starting.len(), "pod");
    let head = format!("{number} {verbs} a node: kube-scheduler is done with {them}");
    on_nodes(&mut page, &report.starting, &head, "WHY IT DOES NOT RUN", layout);
    let number = words::count(report.resizing.len(), "pod");
    let verb = if report.resizing.len() == 1 { "runs and has" } else { "run and have" };
    let head = format!("{number} {verb} an in-place resize that is not done; explain says more");
    on_nodes(&mut page, &report.resizing, &head, "WHY IT IS NOT DONE", layout);
    page
}

/// Adds a table of pods that have a node, if there are any.
fn on_nodes(page: &mut Page, pods: &[StartingPod], head: &str, why: &'static str, layout: Layout) {
    if pods.is_empty() {
        return;
    }
    page.gap();
    page.heading(head);
    let shown = if layout.wide { pods.len() } else { pods.len().min(STARTING_SHOWN) };
    let mut rows = Vec::new();
    for pod in pods.iter().take(shown) {
        let name = if layout.namespaces {
            format!("{}/{}", pod.namespace, pod.name)
        } else {
            pod.name.clone()
        };
        rows.push(vec![
            name.into(),
            pod.node.clone().into(),
            Span::new(pod.not_running.cause.clone(), Tone::Bad),
        ]);
    }
    let columns = [
        Column::new("POD").pods(24),
        Column::new("NODE").nodes(14).dropped(1),
        Column::new(why).prose(28),
    ];
    page.table(0, columns, rows);
    if shown < pods.len() {
        page.quiet(0, format!("and {} more; -o wide shows all", pods.len() - shown));
    }
}

/// The page: the summary, what it is based on, a row per pod or group of pods, how they were
/// decided, and the notes.
#[must_use]
pub fn page(pending: &Pending, layout: Layout, origin: &Origin) -> Page {
    let layout = Layout { actors: pending.names_actors(), ..layout };
    let mut page = Page::default();
    if pending.rows.is_empty() {
        workload::table(&mut page, &pending.workloads);
        return page;
    }
    if layout.headers {
        page = head(pending, origin);
    }
    if layout.wide {
        table(&mut page, &pending.rows, layout, &pending.ending);
    } else {
        add_table(&mut page, &groups(&pending.rows), layout, &pending.ending, "-o wide");
    }
    // A narrow terminal may have cut it off the cause.
    let details =
        pending.rows.iter().filter_map(|row| row.cause.as_ref()).flat_map(|cause| &cause.details);
    if layout.headers && !layout.wide && details.into_iter().any(|detail| detail == NOT_FOR_DEVICES)
    {
        page.quiet(0, NOT_FOR_DEVICES);
    }
    if layout.headers && pending.rows.len() > 1 {
        page.quiet(0, below(pending.sequence));
    }
    workload::table(&mut page, &pending.workloads);
    if let Some(words) = pending.next_command().filter(|_| layout.headers) {
        let command = Span::command(arguments(&words), Tone::Plain);
        page.choices(Span::new("More: ", Tone::Quiet), vec![command]);
    }
    let mut shown: Vec<Note> = pending.notes.clone();
    shown.retain(|note| layout.wide || note.severity == Severity::Error);
    notes::add(&mut page, &shown, layout.wide);
    page
}

/// The workloads that lack pods, in a line each for the first, and in one for the rest.
pub fn workloads_in_short(page: &mut Page, workloads: &[MissingPods]) {
    for missing in workloads.iter().take(WORKLOADS_SHOWN) {
        page.line(0, vec![Span::new(format!("{}: {}", missing.title(), missing.why), Tone::Bad)]);
    }
    if workloads.len() > WORKLOADS_SHOWN {
        let more = words::count(workloads.len() - WORKLOADS_SHOWN, "more workload");
        page.quiet(0, format!("and {more} without pods; pending without -w lists them"));
    }
}

/// The first lines of the page: the summary, and what it is based on.
#[must_use]
pub fn head(pending: &Pending, origin: &Origin) -> Page {
    head_with(
        pending,
        summary(&pending.rows.iter().collect::<Vec<_>>(), "", pending.counted())
            + &pending.together_text(),
        origin,
    )
}

/// The same if only the rows `shown` are: how many of all they are, and which.
#[must_use]
pub fn head_of(pending: &Pending, shown: &[&PendingRow], origin: &Origin) -> Page {
    let all: usize = pending.rows.iter().map(PendingRow::pods).sum();
    head_with(
        pending,
        summary(shown, &format!(" of {}", words::group_digits(all)), pending.counted()),
        origin,
    )
}

/// What helps the most of them at once. Nodes have their names in short, as in the table, which has the
/// ending.
pub fn one_action(page: &mut Page, text: &str, layout: Layout, origin: &Origin) {
    let text = if layout.wide {
        text.to_owned()
    } else {
        origin.nodes.shorten(text, NamePlace::Sentence).into_owned()
    };
    page.line(0, vec![text.into()]);
}

fn head_with(pending: &Pending, summary: String, origin: &Origin) -> Page {
    let mut page = Page::default();
    page.line(0, vec![Span::new(summary, Tone::Strong)]);
    let rules = pending.rules.as_deref().unwrap_or_default();
    page.based_on_rules(0, origin, rules);
    page
}

/// The line below the table.
const fn below(sequence: DecisionSequence) -> &'static str {
    match sequence {
        DecisionSequence::Alone => {
            "Counted one by one, so several may count on the same room; --in-order places them together."
        }
        DecisionSequence::InOrder => {
            "The pods are placed one after the other: each is decided with the earlier ones placed."
        }
    }
}

/// Adds a table of `rows`: as in the list, pods of one owner that get the same answer share a row,
/// unless the layout is wide.
pub fn table<'r>(
    page: &mut Page,
    rows: impl IntoIterator<Item = &'r PendingRow>,
    layout: Layout,
    ending: &str,
) {
    let shared: Vec<RowGroup<'r>> = if layout.wide {
        rows.into_iter().map(|row| RowGroup { first: row, pods: 1 }).collect()
    } else {
        groups(rows)
    };
    add_table(page, &shared, layout, ending, "");
}

/// The first of the rows that share a row of the table.
#[must_use]
pub fn firsts(rows: Vec<&PendingRow>, layout: Layout) -> Vec<&PendingRow> {
    if layout.wide { rows } else { groups(rows).into_iter().map(|group| group.first).collect() }
}

/// `elsewhere` says where to find the columns that a narrow terminal omits.
fn add_table(
    page: &mut Page,
    groups: &[RowGroup<'_>],
    layout: Layout,
    ending: &str,
    elsewhere: &'static str,
) {
    // NODE and VICTIMS answer the question, so they stay on any terminal.
    let node = if layout.answered {
        Column::new("NODE").of_nodes().dropped(4)
    } else {
        Column::new("NODE").of_nodes().essential()
    };
    let mut columns = vec![
        Column::new("NAME").pods(20),
        Column::new("PRIORITY").dropped(2),
        Column::new("AGE").dropped(1),
        Column::new("VERDICT"),
        Column::new("CAUSE").prose(20).in_full(),
        Column::new("NEEDS").in_short(),
        Column::new("HAVE").in_short(),
        node.nodes(14).in_full(),
        node.in_short(),
        Column::new("VICTIMS").essential(),
        Column::new("WAITING ON").prose(16).dropped(3),
    ];
    if layout.actors {
        columns.insert(VERDICT + 1, Column::new("WHO ACTS"));
    }
    if layout.namespaces {
        columns.insert(0, Column::new("NAMESPACE").names(8));
    }
    if !layout.headers {
        columns = columns.into_iter().map(Column::untitled).collect();
    }
    let mut rows = Vec::new();
    for group in groups {
        rows.push(match group.pods {
            1 => cells(group.first, group.name(), layout, ending),
            _ => cells(&group.first.of_several(), group.name(), layout, ending),
        });
    }
    // Where only the table is drawn, it has the ending of the names in a line of its own.
    let note = if ending.is_empty() || !layout.headers || !elsewhere.is_empty() {
        String::new()
    } else {
        format!("Nodes: *{ending}")
    };
    page.table_in_short(columns, rows, if layout.headers { elsewhere } else { "" }, note);
}

/// The cells of a row, with `name` in the column of names.
fn cells(row: &PendingRow, name: String, layout: Layout, ending: &str) -> Vec<Span> {
    let age = row.created.map_or_else(
        || "<unknown>".to_owned(),
        |created| words::age(layout.now.as_second() - created.as_second()),
    );
    let verdict = format!("{}{}", row.verdict.word(), if row.is_unsure() { "?" } else { "" });
    let mut cells = vec![
        name.into(),
        row.priority.to_string().into(),
        age.into(),
        Span::new(verdict, tone(row.verdict)),
    ];
    if layout.actors {
        let who = row.who_acts().map_or_else(|| "-".to_owned(), WhoActs::text);
        cells.push(who.into());
    }
    // A cell without a value has a sign of its own, so that columns can be split.
    let named = if layout.wide { usize::MAX } else { NODES_NAMED };
    let [needs, has] = row.needs_and_has();
    for text in [
        row.cause.as_ref().map(|cause| cause.text(layout.wide)).unwrap_or_default(),
        needs,
        has,
        row.place(named),
        row.short_place(ending),
    ] {
        cells.push(if text.is_empty() { "-".into() } else { text.into() });
    }
    let victims = row.victims_text(layout.wide);
    let victims = if victims.is_empty() { "-".to_owned() } else { victims };
    cells.push(Span::drawn(victims, Tone::Plain));
    let waits = row.waits_for_whom();
    cells.push(if waits.is_empty() { "-".into() } else { waits.into() });
    if layout.namespaces {
        cells.insert(0, row.namespace.clone().into());
    }
    cells
}

const fn tone(verdict: PendingVerdict) -> Tone {
    match verdict {
        PendingVerdict::Fits | PendingVerdict::Placed => Tone::Good,
        PendingVerdict::Preempts | PendingVerdict::Blocked | PendingVerdict::Errors => Tone::Bad,
        PendingVerdict::Waits => Tone::Plain,
        PendingVerdict::Gated | PendingVerdict::NotInQueue | PendingVerdict::Gone => Tone::Quiet,
    }
}

/// The names as `pod/NAME` or `podgroup/NAME`, one per line.
///
/// # Errors
/// [`NotAName`].
pub fn names(rows: &[PendingRow]) -> Result<Printable, NotAName> {
    let mut text = String::new();
    for row in rows {
        let kind = if row.group.is_some() { "podgroup" } else { "pod" };
        text.push_str(&format!("{}\n", NotAName::check(kind, &row.name)?));
    }
    Ok(Printable::new(text))
}

#[cfg(test)]
mod tests;
