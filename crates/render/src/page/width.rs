//! Widths: which columns of a table fit on a terminal, and how texts that are too wide are
//! shortened.

use std::borrow::Cow;

use textwrap::core::display_width;

/// The width below which a cell is never shortened.
const LEAST: usize = 8;
/// The spaces between two columns.
pub(super) const GAP: u16 = 2;

/// Where a text that is too wide loses characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Cut {
    /// In the middle: the ends of a name tell it from others.
    #[default]
    Middle,
    /// At the end, as prose.
    End,
}

/// A column of a table: its heading, and what may be done to it on a narrow terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Column {
    pub(super) title: &'static str,
    pub(super) starred: bool,
    pub(super) cut: Cut,
    /// The width down to which its cells are shortened before any column is dropped; 0: they are
    /// not.
    least: usize,
    /// Columns of the highest rank are dropped first; 0 is never dropped.
    rank: u8,
}

impl Column {
    /// A column that stays whole as long as that is possible. Without a title it has no heading.
    #[must_use]
    pub const fn new(title: &'static str) -> Self {
        Self { title, starred: false, cut: Cut::Middle, least: 0, rank: 0 }
    }

    /// A column of names that may be shortened to `least` columns.
    #[must_use]
    pub const fn names(self, least: usize) -> Self {
        Self { least, cut: Cut::Middle, ..self }
    }

    /// A column of prose that may be shortened to `least` columns.
    #[must_use]
    pub const fn prose(self, least: usize) -> Self {
        Self { least, cut: Cut::End, ..self }
    }

    /// A column that may be dropped, the highest `rank` first.
    #[must_use]
    pub const fn dropped(self, rank: u8) -> Self {
        Self { rank, ..self }
    }

    /// The same with a star in its heading.
    #[must_use]
    pub const fn starred(self) -> Self {
        Self { starred: true, ..self }
    }

    /// The same without a heading.
    #[must_use]
    pub const fn untitled(self) -> Self {
        Self { title: "", ..self }
    }

    /// The width down to which a column of the width `natural` is shortened. A heading stays whole.
    fn floor(self, natural: usize) -> usize {
        if self.least == 0 { natural } else { self.last_resort(natural, self.least) }
    }

    /// The same if nothing else helps.
    fn last_resort(self, natural: usize, least: usize) -> usize {
        natural.min(least.max(self.title.len() + usize::from(self.starred)))
    }
}

impl From<&'static str> for Column {
    fn from(title: &'static str) -> Self {
        Self::new(title)
    }
}

/// The width of each column so that all fit into `room`; `None` for columns that are dropped.
/// `natural` are the widths of their widest cells. Where nothing helps, the result is wider than
/// `room`.
pub(super) fn fit(columns: &[Column], natural: &[usize], room: usize) -> Vec<Option<usize>> {
    let mut layout = Layout::new(columns, natural, room);
    // Shortened cells still say something, so columns are dropped only where shortening all of them
    // does not help.
    while layout.total(Column::floor) > room && layout.drop_column() {}
    layout.shrink(Column::floor);
    // Where even that is too wide, columns that should stay whole lose characters as well.
    layout.shrink(|column, width| column.last_resort(width, LEAST));
    layout.columns.into_iter().map(|fitted| fitted.width).collect()
}

/// The columns of a table while they are fitted into a width.
struct Layout {
    columns: Vec<FittedColumn>,
    room: usize,
}

/// A column with the width that it has so far.
struct FittedColumn {
    column: Column,
    /// `None` once it is dropped.
    width: Option<usize>,
}

impl Layout {
    fn new(columns: &[Column], natural: &[usize], room: usize) -> Self {
        let fitted = natural.iter().enumerate().map(|(index, width)| FittedColumn {
            column: columns.get(index).copied().unwrap_or_default(),
            width: Some(*width),
        });
        Self { columns: fitted.collect(), room }
    }

    /// The width of the table if each column had the width that `width_of` makes of its present
    /// one.
    fn total(&self, width_of: impl Fn(Column, usize) -> usize) -> usize {
        let (mut total, mut number) = (0, 0_usize);
        for fitted in &self.columns {
            if let Some(width) = fitted.width {
                total += width_of(fitted.column, width);
                number += 1;
            }
        }
        total + usize::from(GAP) * number.saturating_sub(1)
    }

    /// Drops the column of the highest rank, the last of several; `false` if none may be dropped.
    fn drop_column(&mut self) -> bool {
        let may_go = self.columns.iter_mut().filter(|fitted| fitted.width.is_some() && fitted.column.rank > 0);
        let Some(fitted) = may_go.max_by_key(|fitted| fitted.column.rank) else { return false };
        fitted.width = None;
        true
    }

    /// Takes characters from the widest column, one at a time, until all fit or each has the width
    /// that `floor` allows.
    fn shrink(&mut self, floor: impl Fn(Column, usize) -> usize) {
        let excess = self.total(|_, width| width).saturating_sub(self.room);
        let mut shrinkable: Vec<(&mut usize, usize)> = Vec::new();
        for FittedColumn { column, width } in &mut self.columns {
            if let Some(width) = width {
                let floor = floor(*column, *width);
                shrinkable.push((width, floor));
            }
        }
        for _ in 0..excess {
            let above_floor = shrinkable.iter_mut().filter(|(width, floor)| **width > *floor);
            let Some((widest, _)) = above_floor.max_by_key(|(width, _)| **width) else { return };
            **widest -= 1;
        }
    }
}

/// `text` in at most `width` columns, with an ellipsis where characters are missing.
pub(super) fn shorten(text: &str, width: usize, cut: Cut, ascii: bool) -> Cow<'_, str> {
    if display_width(text) <= width {
        return Cow::Borrowed(text);
    }
    let ellipsis = ellipsis(ascii);
    let room = width.saturating_sub(display_width(ellipsis));
    let tail_room = if cut == Cut::Middle { room / 2 } else { 0 };
    let from = text.len() - bytes(text.chars().rev(), tail_room);
    let tail = text.get(from..).unwrap_or_default();
    Cow::Owned(format!("{}{ellipsis}{tail}", beginning(text, room - tail_room).trim_end()))
}

/// What stands where characters are missing.
pub(super) const fn ellipsis(ascii: bool) -> &'static str {
    if ascii { "..." } else { "…" }
}

/// The longest beginning of `text` that is at most `width` columns wide.
pub(super) fn beginning(text: &str, width: usize) -> &str {
    text.get(..bytes(text.chars(), width)).unwrap_or_default()
}

/// The bytes of as many characters as fit into `width` columns.
fn bytes(characters: impl Iterator<Item = char>, width: usize) -> usize {
    let (mut bytes, mut columns) = (0, 0);
    for character in characters {
        columns += display_width(character.encode_utf8(&mut [0; 4]));
        if columns > width {
            break;
        }
        bytes += character.len_utf8();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::{Column, Cut, fit, shorten};

    #[test]
    fn columns_are_shortened_before_any_is_dropped_and_dropped_by_rank() {
        let columns = [
            Column::new("NAME"),
            Column::new("CAUSE").prose(10),
            Column::new("AGE").dropped(1),
            Column::new("ON").dropped(2),
        ];
        let natural = [10, 30, 4, 6];
        let widths = |room| fit(&columns, &natural, room);
        assert_eq!(widths(56), [Some(10), Some(30), Some(4), Some(6)]);
        assert_eq!(widths(40), [Some(10), Some(14), Some(4), Some(6)]);
        assert_eq!(widths(35), [Some(10), Some(17), Some(4), None]);
        assert_eq!(widths(22), [Some(10), Some(10), None, None]);
        assert_eq!(widths(18), [Some(8), Some(8), None, None]);
        assert_eq!(widths(3), [Some(8), Some(8), None, None]);
    }

    #[test]
    fn names_keep_both_ends_and_prose_its_beginning() {
        let short = |text, width, cut| shorten(text, width, cut, false).into_owned();
        assert_eq!(short("ip-10-0-0-43.ec2.internal", 11, Cut::Middle), "ip-10…ernal");
        assert_eq!(short("ip-10-0-0-43", 12, Cut::Middle), "ip-10-0-0-43");
        assert_eq!(short("not enough cpu", 8, Cut::End), "not eno…");
        assert_eq!(short("日本語日本語", 7, Cut::Middle), "日…語");
        assert_eq!(shorten("ip-10-0-0-43", 9, Cut::Middle, true), "ip-...-43");
    }
}
