//! All pending pods, one line each: the verdict, the reason, and what the pod waits for.

mod row;

use jiff::Timestamp;

use super::page::{Page, Span, Tone, sanitize};
use super::safe::Printable;
use super::{notes, words};
use engine::cluster::notes::{Note, Severity};
use engine::decision::Decision;
pub use row::{BlockingCause, PendingRow};

/// The verdict on a pending pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PendingVerdict {
    /// It fits on a node.
    Fits,
    /// Evicting pods makes room for it.
    Preempts,
    /// Its victims are still terminating; until then it may not preempt again.
    Waits,
    /// It fits on no node, and no eviction helps or it may not preempt.
    Blocked,
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
    pub const ALL: [Self; 6] = [Self::Fits, Self::Preempts, Self::Waits, Self::Blocked, Self::Gated, Self::NotInQueue];

    /// Its name in JSON.
    #[must_use]
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Fits => "Fits",
            Self::Preempts => "Preempts",
            Self::Waits => "Waits",
            Self::Blocked => "Blocked",
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
            Self::Gated => "gated",
            Self::NotInQueue => "not-queued",
            Self::Placed => "placed",
            Self::Gone => "gone",
        }
    }

    const fn tone(self) -> Tone {
        match self {
            Self::Fits | Self::Placed => Tone::Good,
            Self::Preempts | Self::Blocked => Tone::Bad,
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
            Self::Gated => "gated",
            Self::NotInQueue => "not in the queue",
            Self::Placed => "placed",
            Self::Gone => "gone",
        };
        format!("{} {text}", words::group_digits(number))
    }
}

/// All rows, most important first, with the notes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pending {
    /// One row per pod.
    pub rows: Vec<PendingRow>,
    /// The notes, without duplicates.
    pub notes: Vec<Note>,
}

/// The layout of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Whether there is a column for the namespace.
    pub namespaces: bool,
    /// Whether causes and victims are shown in full.
    pub wide: bool,
    /// Whether column headings and the summary are shown.
    pub headers: bool,
    /// The time of the decisions, from which ages are computed.
    pub now: Timestamp,
}

impl Pending {
    /// Adds the pod of `decision`.
    pub fn add(&mut self, decision: &Decision) {
        self.rows.push(PendingRow::of(decision));
        for note in &decision.notes {
            if !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
        }
    }

    /// The number of pods with `verdict`.
    #[must_use]
    pub(crate) fn count(&self, verdict: PendingVerdict) -> usize {
        self.rows.iter().filter(|row| row.verdict == verdict).count()
    }

    /// `12 pending: 3 fit now, 4 preempt, 5 blocked`.
    #[must_use]
    pub(crate) fn summary(&self) -> String {
        let counts = PendingVerdict::ALL.map(|verdict| (verdict, self.count(verdict)));
        let shown: Vec<String> =
            counts.into_iter().filter(|(_, number)| *number > 0).map(|(verdict, n)| verdict.counted(n)).collect();
        let total = words::group_digits(self.rows.len());
        if shown.is_empty() { format!("{total} pending") } else { format!("{total} pending: {}", shown.join(", ")) }
    }

    /// The page: the summary, a row for each pod, and the notes.
    #[must_use]
    pub fn page(&self, layout: Layout) -> Page {
        let mut page = Page::default();
        if self.rows.is_empty() {
            return page;
        }
        if layout.headers {
            page.line(0, vec![Span::new(self.summary(), Tone::Strong)]);
        }
        table(&mut page, &self.rows, layout);
        let shown = |note: &&Note| layout.wide || note.severity == Severity::Error;
        let shown: Vec<Note> = self.notes.iter().filter(shown).cloned().collect();
        notes::add(&mut page, &shown);
        page
    }
}

/// Adds a table of `rows`.
pub fn table(page: &mut Page, rows: &[PendingRow], layout: Layout) {
    let mut header = vec!["NAME", "PRIORITY", "AGE", "VERDICT", "CAUSE", "NODE", "VICTIMS", "WAITING ON"];
    if layout.namespaces {
        header.insert(0, "NAMESPACE");
    }
    let header = if layout.headers { header } else { Vec::new() };
    page.table(0, header, rows.iter().map(|row| row.cells(layout)).collect());
}

/// The names as `pod/NAME`, one per line.
#[must_use]
pub fn names(rows: &[PendingRow]) -> Printable {
    let mut text = String::new();
    for row in rows {
        text.push_str(&format!("pod/{}\n", sanitize(&row.name)));
    }
    Printable::new(text)
}

#[cfg(test)]
mod tests;
