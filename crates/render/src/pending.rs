//! All pending pods as a table: the verdict, the reason, and what the pod waits for.

mod actor;
mod cause;
mod group;
mod metrics;
mod of_decision;
mod pod_group;
mod row;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;

use super::groups::NOT_FOR_DEVICES;
use super::headline::rules_in_short;
use super::name::NotAName;
use super::origin::Origin;
use super::page::{Column, Page, Span, Tone};
use super::safe::Printable;
use super::{notes, words};
pub use cause::BlockingCause;
use engine::decision::Explanation;
use engine::groups::answer::GroupAnswer;
use engine::notes::{self as kept, Note, Severity};
use engine::profile::Profile;
use group::RowGroup;
pub use metrics::{NAMES as METRICS, ReadState, openmetrics};
pub use row::{
    AutoscalerRole, PendingGroup, PendingHolder, PendingNomination, PendingRow, PodOwner,
};

/// The verdict on a pending pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PendingVerdict {
    /// It fits on a node.
    Fits,
    /// Evictions make it fit.
    Preempts,
    /// Its victims are still terminating; until then it may not preempt again.
    Waits,
    /// It fits on no node, and no eviction helps or it may not preempt.
    Blocked,
    /// Its scheduling cycle ends with an error.
    Errors,
    /// It has scheduling gates.
    Gated,
    /// Something else keeps it out of the queue.
    NotInQueue,
    /// It is no longer pending: it is on a node.
    Placed,
    /// It is no longer pending: it was deleted or has finished.
    Gone,
}

impl PendingVerdict {
    /// The verdicts on pending pods, in the order of the summary.
    pub const ALL: [Self; 7] = [
        Self::Fits,
        Self::Preempts,
        Self::Waits,
        Self::Blocked,
        Self::Errors,
        Self::Gated,
        Self::NotInQueue,
    ];

    /// Its name in JSON.
    #[must_use]
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Fits => "Fits",
            Self::Preempts => "Preempts",
            Self::Waits => "Waits",
            Self::Blocked => "Blocked",
            Self::Errors => "Error",
            Self::Gated => "Gated",
            Self::NotInQueue => "NotInQueue",
            Self::Placed => "Placed",
            Self::Gone => "Gone",
        }
    }

    /// Its name in a table, one word.
    #[must_use]
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Preempts => "preempts",
            Self::Waits => "waits",
            Self::Blocked => "blocked",
            Self::Errors => "error",
            Self::Gated => "gated",
            Self::NotInQueue => "not-queued",
            Self::Placed => "placed",
            Self::Gone => "gone",
        }
    }

    const fn tone(self) -> Tone {
        match self {
            Self::Fits | Self::Placed => Tone::Good,
            Self::Preempts | Self::Blocked | Self::Errors => Tone::Bad,
            Self::Waits => Tone::Plain,
            Self::Gated | Self::NotInQueue | Self::Gone => Tone::Quiet,
        }
    }

    fn counted(self, number: usize) -> String {
        let one = number == 1;
        let text = match self {
            Self::Fits if one => "fits now",
            Self::Fits => "fit now",
            Self::Preempts if one => "preempts",
            Self::Preempts => "preempt",
            Self::Waits if one => "waits for its victims",
            Self::Waits => "wait for their victims",
            Self::Blocked => "blocked",
            Self::Errors if one => "ends with an error",
            Self::Errors => "end with an error",
            Self::Gated => "gated",
            Self::NotInQueue => "not in the queue",
            Self::Placed => "placed",
            Self::Gone => "gone",
        };
        format!("{} {text}", words::group_digits(number))
    }
}

/// All rows, most important first, with the notes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pending {
    /// One row per pod, or per group of pods that is scheduled as a whole.
    pub rows: Vec<PendingRow>,
    /// The notes, without duplicates.
    pub notes: Vec<Note>,
    /// How the pods were decided.
    pub sequence: DecisionSequence,
    /// The version whose rules decided.
    pub rules: Option<String>,
}

/// Whether decisions depend on those about earlier pods.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DecisionSequence {
    /// Each pod alone, on the current cluster.
    #[default]
    Alone,
    /// One after the other: each sees where the earlier ones went.
    InOrder,
}

impl DecisionSequence {
    /// The line below the table.
    const fn text(self) -> &'static str {
        match self {
            Self::Alone => {
                "Each pod is decided alone, so several may count on the same room; --in-order places one after the other."
            }
            Self::InOrder => {
                "The pods are placed one after the other: each is decided with the earlier ones placed."
            }
        }
    }

    /// The text after the number of pods: the counts differ if each pod sees where the earlier ones
    /// went.
    const fn of_count(self) -> &'static str {
        match self {
            Self::Alone => ", each decided alone",
            Self::InOrder => ", in queue order",
        }
    }
}

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
    /// The time of the decisions, from which ages are computed.
    pub now: Timestamp,
}

impl Pending {
    /// Adds the pod of `decision`.
    pub fn add(&mut self, decision: &Explanation) {
        self.add_row(PendingRow::of(decision), &decision.notes, decision.profile());
    }

    /// Adds the row of a decision by `profile` that has these notes.
    pub fn add_row(&mut self, row: PendingRow, notes: &[Note], profile: &Profile) {
        self.rows.push(row);
        self.rules.get_or_insert_with(|| rules_in_short(profile));
        notes.iter().for_each(|note| kept::add(&mut self.notes, note.clone()));
    }

    /// Whether any row says who acts next.
    #[must_use]
    pub fn names_actors(&self) -> bool {
        self.rows.iter().any(|row| row.autoscalers.is_some())
    }

    /// Adds a group of pods.
    pub fn add_group(&mut self, answer: &GroupAnswer) {
        self.rows.push(PendingRow::of_group(answer));
        self.rules.get_or_insert_with(|| rules_in_short(answer.view().profile));
        answer.notes().iter().for_each(|note| kept::add(&mut self.notes, note.clone()));
    }

    /// The rows of the list, in which pods of one owner share a row if they get the same answer:
    /// the index of the first of them, that row, and their common name.
    #[must_use]
    pub(crate) fn shared_rows(&self) -> Vec<(usize, &PendingRow, String)> {
        let place = |row: &PendingRow| {
            self.rows.iter().position(|other| std::ptr::eq(row, other)).unwrap_or_default()
        };
        let groups = group::groups(&self.rows);
        groups.iter().map(|group| (place(group.first), group.first, group.name())).collect()
    }

    /// The number of pods with `verdict`.
    #[must_use]
    pub(crate) fn count(&self, verdict: PendingVerdict) -> usize {
        self.rows.iter().filter(|row| row.verdict == verdict).map(PendingRow::pods).sum()
    }

    /// `12 pending: 3 fit now, 4 preempt, 5 blocked (2 not certain)`.
    #[must_use]
    pub fn summary(&self) -> String {
        summary(&self.rows.iter().collect::<Vec<_>>(), "", "")
    }

    /// The page: the summary, what it is based on, a row per pod or group of pods, how they were
    /// decided, and the notes.
    #[must_use]
    pub fn page(&self, layout: Layout, origin: &Origin) -> Page {
        let layout = Layout { actors: self.names_actors(), ..layout };
        let mut page = Page::default();
        if self.rows.is_empty() {
            return page;
        }
        if layout.headers {
            page = self.head(origin);
        }
        if layout.wide {
            table(&mut page, &self.rows, layout);
        } else {
            add_table(&mut page, &group::groups(&self.rows), layout, "-o wide, a wider terminal");
        }
        // A narrow terminal may have cut it off the cause.
        let details =
            self.rows.iter().filter_map(|row| row.cause.as_ref()).flat_map(|cause| &cause.details);
        if layout.headers
            && !layout.wide
            && details.into_iter().any(|detail| detail == NOT_FOR_DEVICES)
        {
            page.line(0, vec![Span::new(NOT_FOR_DEVICES, Tone::Quiet)]);
        }
        if layout.headers && self.rows.len() > 1 {
            page.line(0, vec![Span::new(self.sequence.text(), Tone::Quiet)]);
        }
        if let Some(node) = self.cordoned_node().filter(|_| layout.headers) {
            let command = Span::command(format!("node {node}"), Tone::Plain);
            page.choices(Span::new("More: ", Tone::Quiet), vec![command]);
        }
        let shown = |note: &&Note| layout.wide || note.severity == Severity::Error;
        let shown: Vec<Note> = self.notes.iter().filter(shown).cloned().collect();
        notes::add(&mut page, &shown, layout.wide);
        page
    }

    /// The node that keeps the most pods waiting because it is cordoned. It is often one that is to
    /// go away and does not, and `node` says what is in the way.
    fn cordoned_node(&self) -> Option<&str> {
        let mut pods: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &self.rows {
            let is_kept = matches!(row.verdict, PendingVerdict::Blocked | PendingVerdict::Errors);
            let node = row.cause.as_ref().and_then(|cause| cause.cordoned.as_deref());
            if let Some(node) = node.filter(|_| is_kept) {
                *pods.entry(node).or_default() += row.pods();
            }
        }
        // Of several, the first by name.
        pods.into_iter().min_by_key(|(_, pods)| Reverse(*pods)).map(|(node, _)| node)
    }

    /// The first lines of the page: the summary, and what it is based on.
    #[must_use]
    pub fn head(&self, origin: &Origin) -> Page {
        self.head_with(summary(&self.rows.iter().collect::<Vec<_>>(), "", self.counted()), origin)
    }

    /// The same if only the rows `shown` are: how many of all they are, and which.
    #[must_use]
    pub fn head_of(&self, shown: &[&PendingRow], origin: &Origin) -> Page {
        let all: usize = self.rows.iter().map(PendingRow::pods).sum();
        self.head_with(
            summary(shown, &format!(" of {}", words::group_digits(all)), self.counted()),
            origin,
        )
    }

    /// How the pods are counted, if there is more than one.
    fn counted(&self) -> &'static str {
        if self.rows.len() > 1 { self.sequence.of_count() } else { "" }
    }

    fn head_with(&self, summary: String, origin: &Origin) -> Page {
        let mut page = Page::default();
        page.line(0, vec![Span::new(summary, Tone::Strong)]);
        let rules = self.rules.as_deref().unwrap_or_default();
        page.line(0, vec![Span::new(origin.line(rules), Tone::Quiet)]);
        page
    }
}

/// The numbers of the pods in `rows`: the total with `of` after it, then by verdict with `counted`
/// before it.
fn summary(rows: &[&PendingRow], of: &str, counted: &str) -> String {
    let mut total = 0;
    let mut unsure = 0;
    let mut by_verdict = PendingVerdict::ALL.map(|verdict| (verdict, 0));
    for row in rows {
        total += row.pods();
        if row.is_unsure() {
            unsure += row.pods();
        }
        for (verdict, number) in &mut by_verdict {
            if *verdict == row.verdict {
                *number += row.pods();
            }
        }
    }
    let mut shown = Vec::new();
    for (verdict, number) in by_verdict {
        if number > 0 {
            shown.push(verdict.counted(number));
        }
    }
    let total = words::group_digits(total);
    if shown.is_empty() {
        return format!("{total}{of} pending");
    }
    let doubt = match unsure {
        0 => String::new(),
        unsure => format!(" ({} not certain)", words::group_digits(unsure)),
    };
    format!("{total}{of} pending{counted}: {}{doubt}", shown.join(", "))
}

/// Adds a table of `rows`: as in the list, pods of one owner that get the same answer share a row,
/// unless the layout is wide.
pub fn table<'r>(page: &mut Page, rows: impl IntoIterator<Item = &'r PendingRow>, layout: Layout) {
    let groups: Vec<RowGroup<'r>> = if layout.wide {
        rows.into_iter().map(|row| RowGroup { first: row, pods: 1 }).collect()
    } else {
        group::groups(rows)
    };
    add_table(page, &groups, layout, "");
}

/// The first of the rows that share a row of the table.
#[must_use]
pub fn firsts(rows: Vec<&PendingRow>, layout: Layout) -> Vec<&PendingRow> {
    if layout.wide {
        rows
    } else {
        group::groups(rows).into_iter().map(|group| group.first).collect()
    }
}

/// `elsewhere` says where to find the columns that a narrow terminal omits.
fn add_table(page: &mut Page, groups: &[RowGroup<'_>], layout: Layout, elsewhere: &'static str) {
    // NODE and VICTIMS answer the question, so they stay on any terminal.
    let mut columns = vec![
        Column::new("NAME").pods(20),
        Column::new("PRIORITY").dropped(2),
        Column::new("AGE").dropped(1),
        Column::new("VERDICT"),
        Column::new("CAUSE").prose(20),
        Column::new("NODE").nodes(14).essential(),
        Column::new("VICTIMS").essential(),
        Column::new("WAITING ON").prose(16).dropped(3),
    ];
    if layout.actors {
        columns.insert(row::VERDICT + 1, Column::new("WHO ACTS"));
    }
    if layout.namespaces {
        columns.insert(0, Column::new("NAMESPACE").names(8));
    }
    if !layout.headers {
        columns = columns.into_iter().map(Column::untitled).collect();
    }
    let cells = |group: &RowGroup| match group.pods {
        1 => group.first.cells(group.name(), layout),
        _ => group.first.of_several().cells(group.name(), layout),
    };
    let rows = groups.iter().map(cells).collect();
    page.table_also(0, columns, rows, if layout.headers { elsewhere } else { "" });
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
