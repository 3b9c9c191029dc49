//! Widths: which columns of a table fit on a terminal, and how texts that are too wide are
//! shortened.

use std::borrow::Cow;

use answers::node_name::NamePlace;
use textwrap::core::display_width;

/// The width below which a cell is never shortened.
const LEAST: usize = 8;
/// The least of a pod's name before its random end.
const LEAST_OF_STEM: usize = 3;
/// The least of an owner's name, with its type, before the number of its pods.
const LEAST_OF_OWNER: usize = 5;
/// The spaces between two columns.
pub(super) const GAP: u16 = 2;

/// Where a text that is too wide is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Cut {
    /// In the middle: names differ at their ends.
    #[default]
    Middle,
    /// At the end, for prose.
    End,
    /// First the parts of a pod's or ReplicaSet's name that controllers generate, then the end.
    Hash,
    /// First the domains of nodes, then as [`Self::Middle`].
    Domain,
}

/// A column of a table: its heading, and how it may be changed on a narrow terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Column {
    pub(super) title: &'static str,
    pub(super) starred: bool,
    pub(super) cut: Cut,
    /// The width to which its cells may be shortened before any column is dropped; 0: not at all.
    least: usize,
    /// Columns of the highest rank are dropped first; 0 is never dropped.
    rank: u8,
    /// Whether it stays even if it is blank in every row.
    essential: bool,
    /// Which of two forms of the same values it has.
    form: Form,
    /// Whether its cells name nothing but nodes.
    only_nodes: bool,
}

/// A table may have the same values twice: a sentence for wide terminals and, where it would be cut,
/// short values that are never cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Form {
    #[default]
    Only,
    Full,
    Short,
}

impl Column {
    /// A column that stays whole as long as possible. Without a title it has no heading.
    pub const fn new(title: &'static str) -> Self {
        Self {
            title,
            starred: false,
            cut: Cut::Middle,
            least: 0,
            rank: 0,
            essential: false,
            form: Form::Only,
            only_nodes: false,
        }
    }

    /// A column of names that may be shortened to `least` columns.
    #[must_use]
    pub const fn names(self, least: usize) -> Self {
        Self { least, cut: Cut::Middle, ..self }
    }

    /// A column of pods and ReplicaSets that may be shortened to `least` columns: hashes are cut
    /// before names.
    #[must_use]
    pub const fn pods(self, least: usize) -> Self {
        Self { least, cut: Cut::Hash, ..self }
    }

    /// A column of nodes that may be shortened to `least` columns: domains are cut first.
    #[must_use]
    pub const fn nodes(self, least: usize) -> Self {
        Self { least, cut: Cut::Domain, only_nodes: true, ..self }
    }

    /// A column of nodes that is shortened as others are.
    #[must_use]
    pub const fn of_nodes(self) -> Self {
        Self { only_nodes: true, ..self }
    }

    /// What its cells name.
    pub(super) fn place(&self) -> NamePlace {
        if self.only_nodes { NamePlace::OnlyNodes } else { NamePlace::Text }
    }

    /// A column that stays on a narrow terminal even if it contains only `-`.
    #[must_use]
    pub const fn essential(self) -> Self {
        Self { essential: true, ..self }
    }

    /// A column of prose that may be shortened to `least` columns.
    #[must_use]
    pub const fn prose(self, least: usize) -> Self {
        Self { least, cut: Cut::End, ..self }
    }

    /// A column that gives way to those in short where it would be cut.
    #[must_use]
    pub const fn in_full(self) -> Self {
        Self { form: Form::Full, ..self }
    }

    /// A column that stands for those in full where they would be cut.
    #[must_use]
    pub const fn in_short(self) -> Self {
        Self { form: Form::Short, ..self }
    }

    /// Whether it has the short form of what another column has in full.
    pub(super) fn is_short(self) -> bool {
        self.form == Form::Short
    }

    /// Whether another column may stand for it, or it for another one.
    pub(super) fn stands_in(self) -> bool {
        self.form != Form::Only
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

    /// The width to which a column of width `natural` may be shortened. The heading stays whole.
    fn floor(self, natural: usize) -> usize {
        if self.least == 0 { natural } else { self.last_resort(natural, self.least) }
    }

    /// The same as a last resort.
    fn last_resort(self, natural: usize, least: usize) -> usize {
        natural.min(least.max(self.title.len() + usize::from(self.starred)))
    }
}

impl From<&'static str> for Column {
    fn from(title: &'static str) -> Self {
        Self::new(title)
    }
}

/// The widths of the columns, `None` for those that are not shown. Sentences are shown where they
/// are not cut, else the short values that stand for them.
pub(super) fn lay_out(
    columns: &[Column],
    natural: &[usize],
    blank: &[bool],
    room: usize,
) -> Vec<Option<usize>> {
    let widths = lay_out_without(Form::Short, columns, natural, blank, room);
    let is_cut = columns
        .iter()
        .zip(natural.iter().zip(&widths))
        .any(|(column, (natural, width))| column.form == Form::Full && *width != Some(*natural));
    if is_cut && columns.iter().any(|column| column.is_short()) {
        return lay_out_without(Form::Full, columns, natural, blank, room);
    }
    widths
}

/// As [`fit`], but columns that contain only `-`, as listed in `blank`, are dropped before any
/// other.
fn lay_out_without(
    form: Form,
    columns: &[Column],
    natural: &[usize],
    blank: &[bool],
    room: usize,
) -> Vec<Option<usize>> {
    let is_of = |at: &usize| columns.get(*at).is_some_and(|column| column.form == form);
    let mut kept: Vec<usize> = (0..natural.len()).filter(|at| !is_of(at)).collect();
    loop {
        let of_kept: Vec<Column> =
            kept.iter().map(|at| columns.get(*at).copied().unwrap_or_default()).collect();
        let widest: Vec<usize> = kept.iter().filter_map(|at| natural.get(*at).copied()).collect();
        let fitted = fit(&of_kept, &widest, room);
        let is_cut =
            widest.iter().sum::<usize>() + usize::from(GAP) * widest.len().saturating_sub(1) > room;
        let is_blank = |at: &usize| {
            let essential = columns.get(*at).is_some_and(|column| column.essential);
            blank.get(*at).copied().unwrap_or_default() && !essential
        };
        if let Some(last) = kept.iter().rposition(is_blank).filter(|_| is_cut) {
            kept.remove(last);
            continue;
        }
        let mut widths = vec![None; natural.len()];
        for (at, width) in kept.into_iter().zip(fitted) {
            if let Some(place) = widths.get_mut(at) {
                *place = width;
            }
        }
        return widths;
    }
}

/// The width of each column so that all fit into `room`; `None` for dropped columns. `natural` are
/// the widths of their widest cells. If nothing helps, the result is wider than `room`.
pub(super) fn fit(columns: &[Column], natural: &[usize], room: usize) -> Vec<Option<usize>> {
    let mut layout = Layout::new(columns, natural, room);
    // Shortened cells are still useful, so columns are dropped only if shortening all of them is
    // not enough.
    while layout.total(Column::floor) > room && layout.drop_column() {}
    layout.shrink(Column::floor);
    // If even that is too wide, columns that should stay whole are shortened as well.
    layout.shrink(|column, width| column.last_resort(width, LEAST));
    layout.columns.into_iter().map(|fitted| fitted.width).collect()
}

/// The columns of a table while they are fitted into a width.
struct Layout {
    columns: Vec<FittedColumn>,
    room: usize,
}

/// A column with its current width.
struct FittedColumn {
    column: Column,
    /// `None` once it was dropped.
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

    /// The width of the table if each column had the width that `width_of` returns for its current
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

    /// Drops the column of the highest rank, the last on a tie; `false` if none may be dropped.
    fn drop_column(&mut self) -> bool {
        let may_go = self
            .columns
            .iter_mut()
            .filter(|fitted| fitted.width.is_some() && fitted.column.rank > 0);
        let Some(fitted) = may_go.max_by_key(|fitted| fitted.column.rank) else { return false };
        fitted.width = None;
        true
    }

    /// Removes characters from the widest column, one at a time, until all fit or each has reached
    /// its `floor`.
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
    match cut {
        Cut::Hash => return Cow::Owned(shorten_pod(text, width, ellipsis)),
        Cut::Domain => {
            let short = without_domains(text, ellipsis);
            if short != text {
                return Cow::Owned(shorten(&short, width, Cut::Middle, ascii).into_owned());
            }
        }
        Cut::Middle | Cut::End => {}
    }
    let room = width.saturating_sub(display_width(ellipsis));
    let tail_room = if matches!(cut, Cut::Middle | Cut::Domain) { room / 2 } else { 0 };
    let from = text.len() - bytes(text.chars().rev(), tail_room);
    let tail = text.get(from..).unwrap_or_default();
    let kept = beginning(text, room - tail_room);
    let kept = if cut == Cut::End { without_part_of_number(kept, text) } else { kept };
    Cow::Owned(format!("{}{ellipsis}{tail}", kept.trim_end()))
}

/// `kept`, the beginning of `text`, without the last word if that is a part of a number: it would be
/// read as another one.
fn without_part_of_number<'t>(kept: &'t str, text: &str) -> &'t str {
    let goes_on =
        text.get(kept.len()..).is_some_and(|rest| !rest.starts_with([' ', ';', ':', ')']));
    match kept.rsplit_once(' ') {
        Some((before, word))
            if goes_on && word.starts_with(|first: char| first.is_ascii_digit()) =>
        {
            before
        }
        _ => kept,
    }
}

/// The name of a pod or ReplicaSet, with the text after it in parentheses, in at most `width`
/// columns. The hash of the pod template is cut first, because all pods of an owner share it; then
/// the middle: the random end tells its pods apart.
fn shorten_pod(text: &str, width: usize, ellipsis: &str) -> String {
    let (name, behind) = text
        .split_once(" (")
        .map_or((text, String::new()), |(name, rest)| (name, format!(" ({rest}")));
    let name = &with_short_kind(name);
    let shorter = format!("{name}{behind}");
    if display_width(&shorter) <= width {
        return shorter;
    }
    let parts: Vec<&str> = name.split('-').collect();
    let (stem, random) = match parts.as_slice() {
        [stem @ .., hash, random] if !stem.is_empty() && is_hash(hash) && is_random(random) => {
            (stem, Some(*random))
        }
        [stem @ .., random] if !stem.is_empty() && is_random(random) => (stem, Some(*random)),
        [stem @ .., hash] if !stem.is_empty() && is_hash(hash) => (stem, None),
        parts => (parts, None),
    };
    let cut = stem.len() < parts.len();
    let stem = stem.join("-");
    let with_random = random
        .filter(|_| parts.len() > 2)
        .map(|random| format!("{stem}-{ellipsis}{random}{behind}"));
    let is_told_apart = random.is_some() && behind.is_empty();
    let without = (cut && !is_told_apart).then(|| format!("{stem}-{ellipsis}{behind}"));
    let fits = |short: &String| display_width(short) <= width;
    if let Some(short) = with_random.into_iter().chain(without).find(fits) {
        return short;
    }
    // Pods of one owner differ in their ends alone, so the middle goes before the end does.
    if let Some(random) = random.filter(|_| is_told_apart) {
        let tail = display_width(ellipsis) + display_width(random);
        if let Some(room @ LEAST_OF_STEM..) = width.checked_sub(tail) {
            let stem = beginning(&stem, room).trim_end_matches('-');
            return format!("{stem}{ellipsis}{random}");
        }
    }
    // Without a hash, both ends distinguish names, such as the number of a StatefulSet's pod.
    if !cut && behind.is_empty() {
        return shorten(name, width, Cut::Middle, ellipsis.is_ascii()).into_owned();
    }
    // The number of pods matters more than the last letters of the name.
    let room = width.saturating_sub(display_width(ellipsis) + display_width(&behind));
    if room < LEAST_OF_OWNER {
        let bare = format!("{stem}-{ellipsis}");
        if cut && display_width(&bare) <= width {
            return bare;
        }
        return format!(
            "{}{ellipsis}",
            beginning(&stem, width.saturating_sub(display_width(ellipsis)))
        );
    }
    format!("{}{ellipsis}{behind}", beginning(&stem, room))
}

/// `rs/web` for `ReplicaSet/web`: the short names of kubectl.
fn with_short_kind(name: &str) -> Cow<'_, str> {
    const KINDS: [(&str, &str); 5] = [
        ("ReplicaSet/", "rs/"),
        ("StatefulSet/", "sts/"),
        ("Deployment/", "deploy/"),
        ("DaemonSet/", "ds/"),
        ("ReplicationController/", "rc/"),
    ];
    let short =
        KINDS.iter().find_map(|(kind, short)| Some(format!("{short}{}", name.strip_prefix(kind)?)));
    short.map_or(Cow::Borrowed(name), Cow::Owned)
}

/// Whether it may be a pod-template-hash: all characters are among those in Kubernetes' generated
/// names.
fn is_hash(part: &str) -> bool {
    (8..=10).contains(&part.len()) && is_generated(part)
}

/// Whether it may be the random suffix of a pod's name.
fn is_random(part: &str) -> bool {
    part.len() == 5 && is_generated(part)
}

/// Kubernetes generates names without vowels, and without digits that look like them.
fn is_generated(part: &str) -> bool {
    part.bytes().all(|byte| b"bcdfghjklmnpqrstvwxz2456789".contains(&byte))
}

/// Names without their domains. Text that is not a domain, such as an address, stays.
fn without_domains(text: &str, ellipsis: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((host, after)) = rest.split_once('.') {
        let end = after.find([' ', '|', ',']).unwrap_or(after.len());
        let (domain, next) = after.split_at(end);
        let is_domain = domain
            .split('.')
            .next()
            .is_some_and(|label| label.bytes().any(|byte| byte.is_ascii_alphabetic()));
        out.push_str(host);
        if is_domain {
            out.push_str(ellipsis);
        } else {
            out.push('.');
            out.push_str(domain);
        }
        rest = next;
    }
    out + rest
}

/// The mark for cut characters.
pub(super) const fn ellipsis(ascii: bool) -> &'static str {
    if ascii { "..." } else { "…" }
}

/// The longest prefix of `text` that is at most `width` columns wide.
pub(super) fn beginning(text: &str, width: usize) -> &str {
    text.get(..bytes(text.chars(), width)).unwrap_or_default()
}

/// The number of bytes of the characters that fit into `width` columns.
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
    use super::{Column, Cut, fit, lay_out, shorten};

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
    fn columns_that_say_nothing_go_first_unless_they_are_essential() {
        let columns = [
            Column::new("NAME"),
            Column::new("CAUSE").prose(10),
            Column::new("AGE").dropped(1),
            Column::new("NODE").essential(),
        ];
        let natural = [10, 10, 4, 4];
        let blank = [false, true, false, true];
        assert_eq!(lay_out(&columns, &natural, &blank, 34), [Some(10), Some(10), Some(4), Some(4)]);
        assert_eq!(lay_out(&columns, &natural, &blank, 30), [Some(10), None, Some(4), Some(4)]);
        assert_eq!(lay_out(&columns, &natural, &blank, 18), [Some(10), None, None, Some(4)]);
    }

    #[test]
    fn a_hash_goes_before_the_name_does() {
        let short = |text, width| shorten(text, width, Cut::Hash, false).into_owned();
        let pod = "api-gateway-production-7f9d8c6b5d-58zq7";
        assert_eq!(short(pod, 39), pod);
        assert_eq!(short(pod, 38), "api-gateway-production-…58zq7");
        assert_eq!(short(pod, 27), "api-gateway-productio…58zq7");
        assert_eq!(short(pod, 20), "api-gateway-pr…58zq7");
        let owner = "ReplicaSet/api-gateway-7f9d8c6b5d (24 pods)";
        assert_eq!(short(owner, 36), "rs/api-gateway-7f9d8c6b5d (24 pods)");
        assert_eq!(short(owner, 30), "rs/api-gateway-… (24 pods)");
        assert_eq!(short(owner, 22), "rs/api-gate… (24 pods)");
        assert_eq!(short(owner, 16), "rs/ap… (24 pods)");
        assert_eq!(short(owner, 15), "rs/api-gateway…");
        assert_eq!(short("daemon-x2k8z", 10), "daem…x2k8z");
        assert_eq!(short("prometheus-k8s-0", 10), "prome…8s-0");
    }

    #[test]
    fn a_domain_goes_before_the_name_of_a_node_does() {
        let short = |text, width| shorten(text, width, Cut::Domain, false).into_owned();
        let node = "ip-10-0-0-80.eu-west-1.compute.internal";
        assert_eq!(short(node, 20), "ip-10-0-0-80…");
        assert_eq!(
            short("ip-10-0-0-80.ec2.internal (13.5 %)|+762", 30),
            "ip-10-0-0-80… (13.5 %)|+762"
        );
        assert_eq!(short("a.b.internal|c.b.internal|+3", 14), "a…|c…|+3");
        assert_eq!(short("10.0.0.80-and-more-of-it", 12), "10.0.0…of-it");
    }

    #[test]
    fn names_keep_both_ends_and_prose_its_beginning() {
        let short = |text, width, cut| shorten(text, width, cut, false).into_owned();
        assert_eq!(short("ip-10-0-0-43.ec2.internal", 11, Cut::Middle), "ip-10…ernal");
        assert_eq!(short("ip-10-0-0-43", 12, Cut::Middle), "ip-10-0-0-43");
        assert_eq!(short("not enough cpu", 8, Cut::End), "not eno…");
        assert_eq!(short("taint for 12m (n1)", 13, Cut::End), "taint for…", "no part of a number");
        assert_eq!(short("2 of 31 nodes", 8, Cut::End), "2 of 31…");
        assert_eq!(short("日本語日本語", 7, Cut::Middle), "日…語");
        assert_eq!(shorten("ip-10-0-0-43", 9, Cut::Middle, true), "ip-...-43");
    }
}
