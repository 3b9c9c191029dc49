//! A section of the screen: a heading, a few rows of which the most informative are shown, and a
//! last line.

use crate::page::{Column, Page, Span, Tone};

/// The spaces before every row.
const INDENT: usize = 2;

/// A row, and how many things it represents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SectionRow {
    pub(super) cells: Vec<Span>,
    pub(super) weight: usize,
}

/// A section before it is cut to its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScreenSection {
    /// The heading; empty if there is none.
    pub(super) head: Vec<Span>,
    /// The columns of the rows.
    pub(super) columns: Vec<Column>,
    /// The rows, the most informative first.
    pub(super) rows: Vec<SectionRow>,
    /// What the weights of the rows count: `node`.
    pub(super) noun: &'static str,
    /// The lines below the rows.
    pub(super) foot: Vec<Span>,
    /// The spaces before each row.
    pub(super) indent: usize,
    /// Further lines that are never shortened.
    pub(super) unshortened: Vec<Span>,
}

impl Default for ScreenSection {
    fn default() -> Self {
        Self {
            head: Vec::new(),
            columns: Vec::new(),
            rows: Vec::new(),
            noun: "",
            foot: Vec::new(),
            indent: INDENT,
            unshortened: Vec::new(),
        }
    }
}

impl ScreenSection {
    /// Its lines that are not rows, including the empty line before it.
    pub(super) fn frame(&self) -> usize {
        1 + usize::from(!self.head.is_empty()) + self.foot.len() + self.unshortened.len()
    }

    /// A section with this heading.
    pub(super) fn new(head: impl Into<String>) -> Self {
        Self { head: vec![Span::new(head.into(), Tone::Strong)], ..Self::default() }
    }

    /// The rows as choices in one line, of which a narrow terminal shows those that fit.
    pub(super) fn draw_in_line(self, page: &mut Page) {
        let mut head = String::new();
        for span in &self.head {
            head.push_str(span.as_str());
        }
        let mut choices = Vec::with_capacity(self.rows.len());
        for (at, row) in self.rows.into_iter().enumerate() {
            let texts: Vec<&str> = row.cells.iter().map(Span::as_str).collect();
            choices.push(Span::from(format!("{} {}", at + 1, texts.join(" "))));
        }
        page.choices(Span::new(format!("{head}: "), Tone::Strong), choices);
    }

    /// The same with its rows numbered.
    pub(super) fn numbered(mut self) -> Self {
        self.columns.insert(0, Column::default());
        for (at, row) in self.rows.iter_mut().enumerate() {
            row.cells.insert(0, (at + 1).to_string().into());
        }
        self
    }

    /// Draws it with at most `most` rows.
    pub(super) fn draw(mut self, page: &mut Page, most: usize) {
        if !self.head.is_empty() {
            page.title(self.head);
        }
        let shown = if self.rows.len() > most { most.saturating_sub(1) } else { self.rows.len() };
        let rest: usize = self.rows.drain(shown..).map(|row| row.weight).sum();
        if !self.rows.is_empty() {
            page.table(
                self.indent,
                self.columns,
                self.rows.into_iter().map(|row| row.cells).collect(),
            );
        }
        page.left_out(INDENT, rest, self.noun);
        for line in self.foot {
            page.item(INDENT, vec![line]);
        }
        for line in self.unshortened {
            page.line(INDENT, vec![line]);
        }
    }
}

/// Divides `room` rows between sections with these needs: each gets its `least` first, then one
/// more in turn.
pub(super) fn share<const N: usize>(
    mut room: usize,
    needs: [usize; N],
    least: [usize; N],
) -> [usize; N] {
    let mut shares = [0; N];
    for ((share, need), least) in shares.iter_mut().zip(needs).zip(least) {
        *share = need.min(least);
        room = room.saturating_sub(*share);
    }
    while room > 0 {
        let before = room;
        for (share, need) in shares.iter_mut().zip(needs) {
            if room > 0 && *share < need {
                *share += 1;
                room -= 1;
            }
        }
        if room == before {
            break;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::{ScreenSection, SectionRow, share};
    use crate::page::{Column, Page, Paper};

    #[test]
    fn rows_that_are_left_out_are_counted() {
        let rows = || {
            ["a", "b", "c"].map(|text| SectionRow { cells: vec![text.into()], weight: 4 }).to_vec()
        };
        let section = || ScreenSection {
            columns: vec![Column::default()],
            rows: rows(),
            noun: "node",
            ..ScreenSection::new("Head")
        };
        let drawn = |most| {
            let mut page = Page::default();
            section().draw(&mut page, most);
            page.print(Paper::PLAIN).to_string()
        };
        assert_eq!(drawn(3), "Head\n  a\n  b\n  c\n");
        assert_eq!(drawn(2), "Head\n  a\n  and 8 more nodes: -o wide\n");
        assert_eq!(drawn(1), "Head\n  and 12 more nodes: -o wide\n");
    }

    #[test]
    fn room_is_shared_and_never_more_than_needed() {
        assert_eq!(share(9, [20, 20, 20], [2, 3, 1]), [3, 4, 2]);
        assert_eq!(share(9, [1, 20, 0], [2, 3, 1]), [1, 8, 0]);
        assert_eq!(share(9, [1, 1, 1], [2, 3, 1]), [1, 1, 1]);
    }
}
