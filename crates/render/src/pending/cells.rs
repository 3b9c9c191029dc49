//! The cells of a row.

use super::Layout;
use crate::page::{Span, Tone};
use answers::questions::pending::{NAMED, PendingRow, PendingVerdict};
use answers::words;

/// The index of the verdict among the cells of a row.
pub(super) const VERDICT: usize = 3;

/// The cells of the row, with `name` in the column of names.
pub(super) fn of(row: &PendingRow, name: String, layout: Layout) -> Vec<Span> {
    let or_none = |text: String| if text.is_empty() { "-".to_owned() } else { text };
    let age = row.created.map_or_else(
        || "<unknown>".to_owned(),
        |created| words::age(layout.now.as_second() - created.as_second()),
    );
    let verdict = format!("{}{}", row.verdict.word(), if row.is_unsure() { "?" } else { "" });
    let named = if layout.wide { usize::MAX } else { NAMED };
    let mut cells = vec![
        name.into(),
        row.priority.to_string().into(),
        age.into(),
        Span::new(verdict, tone(row.verdict)),
        or_none(row.cause.as_ref().map(|c| c.text(layout.wide)).unwrap_or_default()).into(),
        or_none(row.place(named)).into(),
        or_none(row.victims_text(layout.wide)).into(),
        or_none(row.waits_for_whom()).into(),
    ];
    if layout.actors {
        cells.insert(VERDICT + 1, row.who_acts().unwrap_or("-").into());
    }
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
