//! Every pod that waits for a node, one line each: what becomes of it, what blocks it, and what it waits for.

mod row;

use jiff::Timestamp;

use super::page::{Page, Span, Tone, sanitize};
use super::safe::Printable;
use super::{notes, words};
use engine::cluster::notes::{Note, Severity};
use engine::decision::Decision;
pub use row::{BlockingCause, PendingRow};

/// What becomes of a pod that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PendingVerdict {
    /// A node takes it as it is.
    Fits,
    /// Evicting pods makes room.
    Preempts,
    /// Its victims are on their way out; until they are gone it may not preempt again.
    Waits,
    /// No node takes it, and no eviction helps, or it may not preempt.
    Blocked,
    /// Its scheduling gates keep it out of the queue.
    Gated,
    /// Something else does.
    NotInQueue,
    /// It waits no more: it is on a node.
    Placed,
    /// It waits no more: it is gone, or has finished.
    Gone,
}

impl PendingVerdict {
    /// Those of pods that wait, in the order in which they are counted.
    pub const ALL: [Self; 6] = [Self::Fits, Self::Preempts, Self::Waits, Self::Blocked, Self::Gated, Self::NotInQueue];

    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
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

    /// Its name in a table: one word.
    #[must_use]
    pub const fn word(self) -> &'static str {
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

/// All rows, most important first, and what makes them less than certain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pending {
    /// One for each pod.
    pub rows: Vec<PendingRow>,
    /// Each once.
    pub notes: Vec<Note>,
}

/// How it is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// A column for the namespace.
    pub namespaces: bool,
    /// Causes and victims in full.
    pub wide: bool,
    /// Column headings, and the line that counts.
    pub headers: bool,
    /// The instant of the decisions, for ages.
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

    /// How many pods have come to `verdict`.
    #[must_use]
    pub fn count(&self, verdict: PendingVerdict) -> usize {
        self.rows.iter().filter(|row| row.verdict == verdict).count()
    }

    /// `12 pending: 3 fit now, 4 preempt, 5 blocked`.
    #[must_use]
    pub fn summary(&self) -> String {
        let counts = PendingVerdict::ALL.map(|verdict| (verdict, self.count(verdict)));
        let shown: Vec<String> =
            counts.into_iter().filter(|(_, number)| *number > 0).map(|(verdict, n)| verdict.counted(n)).collect();
        let total = words::group_digits(self.rows.len());
        if shown.is_empty() { format!("{total} pending") } else { format!("{total} pending: {}", shown.join(", ")) }
    }

    /// The page: counts, a row for each pod, doubts.
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

/// `pod/NAME`, a line each.
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
