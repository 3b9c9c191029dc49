//! How much of a long list a page shows.

/// Maximum number of rows of a list unless all are requested.
const TOP: usize = 20;

/// How much of its lists a page shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Extent {
    /// The first rows of each list, and the number of the rest.
    #[default]
    Top,
    /// The same with at most so many rows, on a screen that has no room for more.
    Few(usize),
    /// Every row.
    All,
    /// Every row, and of each everything that is known: `-o wide`.
    Whole,
}

/// The flag named at the end of a list that does not show every row.
pub const ALL_SHOWS_IT: &str = "--all";

impl Extent {
    /// How many of `rows` are shown. A list that is one row too long is shown in full: the line
    /// about the omitted row would take a row.
    pub fn shown(self, rows: usize) -> usize {
        let most = match self {
            Self::Top => TOP,
            Self::Few(most) => most,
            Self::All | Self::Whole => return rows,
        };
        if rows > most + 1 { most } else { rows }
    }

    /// Whether every row is shown.
    pub fn is_all(self) -> bool {
        matches!(self, Self::All | Self::Whole)
    }

    /// Whether nothing is cut.
    pub fn is_whole(self) -> bool {
        self == Self::Whole
    }

    /// How many names a sentence or cell has that has at most `usual` of them otherwise.
    pub fn named(self, usual: usize) -> usize {
        if self.is_whole() { usize::MAX } else { usual }
    }
}

#[cfg(test)]
mod tests {
    use super::Extent;

    #[test]
    fn a_list_one_row_too_long_is_shown_whole() {
        assert_eq!([0, 20, 21, 22, 4000].map(|rows| Extent::Top.shown(rows)), [0, 20, 21, 20, 20]);
        assert_eq!([5, 6, 7].map(|rows| Extent::Few(5).shown(rows)), [5, 6, 5]);
        assert_eq!(Extent::All.shown(4000), 4000);
    }

    #[test]
    fn only_wide_names_everything() {
        let named = [Extent::Top, Extent::All, Extent::Whole].map(|extent| extent.named(3));
        assert_eq!(named, [3, 3, usize::MAX]);
    }
}
