//! A page: lines and tables of styled text. It accepts only [`Safe`] text and is printed as
//! [`Printable`].
//!
//! Two colours have a meaning, a blue and an orange. People with red-green colour blindness can
//! distinguish them, and their contrast is the same on black and on white (see the test), so dark
//! and light terminals use the same ones. They belong to the part of the palette that themes do not
//! change. No information depends on colour alone.
//!
//! On a terminal, prose wraps between words and never inside a name. Table cells never wrap:
//! columns are dropped or cells shortened until a row fits in one line (`width.rs`). In a pipe
//! everything is shown in full.

mod html;
pub mod lines;
mod span;
mod width;

use std::borrow::Cow;

use textwrap::WordSplitter;
use textwrap::core::display_width;

use super::program::ProgramName;
use super::safe::{Printable, Safe};
pub use super::safe::{is_hostile, sanitize};
use answers::extent::Extent;
use answers::node_name::{NamePlace, NodeNames};
use answers::origin::Origin;
use answers::questions::Basis;
use answers::words;
use comfy_table::{ContentArrangement, ContentLineStyle, Table, presets};
pub use span::{Sign, Span, Tone};
pub use width::Column;
use width::{Cut, GAP, beginning, ellipsis, lay_out, shorten};

/// Minimum width for which a layout is computed.
const NARROWEST: usize = 40;
/// What separates the cells of a row until they are painted. [`Safe`] text has no control
/// characters.
const END_OF_CELL: char = '\u{1f}';

/// The numbers of rows that lists have where more do not fit on the screen.
const FEW: [usize; 4] = [12, 8, 5, 3];

/// A report that can be drawn for people.
pub trait Drawn {
    /// The page that shows this much of its lists.
    fn page(&self, extent: Extent) -> Page;

    /// What a browser shows besides, as markup.
    fn picture(&self) -> String {
        String::new()
    }
}

/// The beginning of a page that is not complete.
pub fn page_of(cut: answers::questions::Cut) -> Page {
    let mut page = Page::default();
    page.line(0, vec![Span::new(cut.sentence(), Tone::Strong)]);
    page
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Block {
    Line {
        indent: usize,
        spans: Vec<Span>,
    },
    Item {
        indent: usize,
        spans: Vec<Span>,
    },
    Table {
        indent: usize,
        columns: Vec<Column>,
        rows: Vec<Vec<Span>>,
        elsewhere: &'static str,
        /// A line below it where it is in short.
        in_short: Safe,
    },
    Choices {
        head: Span,
        choices: Vec<Span>,
    },
    Title {
        spans: Vec<Span>,
    },
    LeftOut {
        indent: usize,
        what: Safe,
        elsewhere: &'static str,
    },
    Verbatim(Vec<Safe>),
    /// What the page is based on, and the ending that the names of all nodes share if any name on the
    /// page is without it.
    Basis {
        indent: usize,
        text: Safe,
    },
}

/// Lines and tables, top to bottom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    blocks: Vec<Block>,
    /// How the nodes are named on it, unless the paper is for whole names.
    nodes: NodeNames,
    /// The number of blocks before the notes, if there are any.
    notes: Option<usize>,
}

/// The format in which a page is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own of a terminal")]
pub struct Paper {
    /// Whether escape sequences for colour are written.
    pub color: bool,
    /// The width in columns at which lines wrap; `None` for no wrapping.
    pub width: Option<u16>,
    /// Whether characters outside ASCII are printed as escapes.
    pub ascii: bool,
    /// Whether trees are drawn with lines.
    pub drawing: bool,
    /// Whether escape sequences for links are written (OSC 8).
    pub links: bool,
    /// Whether tables and items are shown in full where the terminal is too narrow for them; prose
    /// still wraps.
    pub whole: bool,
    /// The program's name in commands.
    pub program: ProgramName,
}

impl Paper {
    /// The format for a pipe or a file.
    pub const PLAIN: Self = Self {
        color: false,
        width: None,
        ascii: false,
        drawing: false,
        links: false,
        whole: false,
        program: ProgramName::PLUGIN,
    };

    /// The width of tables and items.
    fn cut_at(self) -> Option<usize> {
        self.columns().filter(|_| !self.whole)
    }

    fn columns(self) -> Option<usize> {
        self.width.map(|width| usize::from(width).max(NARROWEST))
    }
}

impl Page {
    /// The same with the names of nodes in short, and the heading with their ending where any is.
    fn with_short_names(&self) -> Self {
        let mut page = self.clone();
        let mut is_any_short = false;
        let mut shorten = |span: &mut Span, place| {
            is_any_short |= span.shorten_names(&self.nodes, place);
        };
        for block in &mut page.blocks {
            match block {
                Block::Line { spans, .. } | Block::Item { spans, .. } | Block::Title { spans } => {
                    for (at, span) in spans.iter_mut().enumerate() {
                        let begins = at == 0 || span.is_strong();
                        shorten(span, if begins { NamePlace::Sentence } else { NamePlace::Text });
                    }
                }
                Block::Table { columns, rows, .. } => {
                    for (column, span) in rows.iter_mut().flat_map(|row| columns.iter().zip(row)) {
                        shorten(span, column.place());
                    }
                }
                Block::Choices { choices, .. } => {
                    choices.iter_mut().for_each(|span| shorten(span, NamePlace::Text));
                }
                Block::LeftOut { .. } | Block::Verbatim(_) | Block::Basis { .. } => {}
            }
        }
        for block in &mut page.blocks {
            if let Block::Basis { text, .. } = block
                && is_any_short
            {
                let named = format!("{}   Nodes: *{}", text.as_str(), self.nodes.ending());
                *text = named.trim_start().into();
            }
        }
        page
    }

    /// The page for a reader who calls tools instead of commands: `call` returns the text of the call
    /// for a command, or `None` to leave the command. Lines of commands are left out, because the reader
    /// gets the calls besides. `elsewhere` shows rows that are left out. Names of nodes are whole: such a
    /// reader hands them on.
    #[must_use]
    pub fn with_calls(
        mut self,
        elsewhere: &'static str,
        call: &mut dyn FnMut(&str) -> Option<String>,
    ) -> Self {
        let mut blocks = Vec::new();
        for mut block in std::mem::take(&mut self.blocks) {
            match &mut block {
                Block::Choices { choices, .. } => {
                    for command in choices.iter().filter(|span| span.is_command()) {
                        call(command.as_str());
                    }
                    continue;
                }
                Block::Line { spans, .. } | Block::Item { spans, .. } | Block::Title { spans } => {
                    spans.iter_mut().for_each(|span| span.call(call));
                }
                Block::Table { rows, elsewhere: shown_by, .. } => {
                    rows.iter_mut().flatten().for_each(|span| span.call(call));
                    *shown_by = elsewhere;
                }
                Block::LeftOut { elsewhere: shown_by, .. } => *shown_by = elsewhere,
                Block::Verbatim(_) | Block::Basis { .. } => {}
            }
            blocks.push(block);
        }
        Self { blocks, ..Self::default() }
    }

    /// The same without empty lines.
    pub(crate) fn without_gaps(mut self) -> Self {
        self.blocks.retain(|block| !matches!(block, Block::Line { spans, .. } if spans.is_empty()));
        self
    }

    /// An empty line.
    pub fn gap(&mut self) {
        self.blocks.push(Block::Line { indent: 0, spans: Vec::new() });
    }

    pub fn heading(&mut self, text: impl Into<Safe>) {
        self.line(0, vec![Span::new(text, Tone::Strong)]);
    }

    /// A line of text, which wraps on a narrow terminal.
    pub fn line(&mut self, indent: usize, spans: Vec<Span>) {
        self.blocks.push(Block::Line { indent, spans });
    }

    /// A line of text that a narrow terminal cuts off.
    pub fn item(&mut self, indent: usize, spans: Vec<Span>) {
        self.blocks.push(Block::Item { indent, spans });
    }

    /// The heading of a section, which a narrow terminal cuts off.
    pub fn title(&mut self, spans: Vec<Span>) {
        self.blocks.push(Block::Title { spans });
    }

    /// The heading of a section, below an empty line.
    pub(crate) fn section(&mut self, heading: impl Into<Safe>) {
        self.gap();
        self.heading(heading);
    }

    /// The answer in one line, with the sign that it stands for.
    pub(crate) fn verdict(&mut self, (sign, tone): (Sign, Tone), sentence: impl Into<Safe>) {
        self.line(0, vec![Span::signed(sign, "", tone), Span::new(sentence, Tone::Strong)]);
    }

    /// A line of additional information.
    pub(crate) fn quiet(&mut self, indent: usize, text: impl Into<Safe>) {
        self.line(indent, vec![Span::new(text, Tone::Quiet)]);
    }

    /// The line about what the page is based on. Nodes have their names in short on the page, and this
    /// line the ending that all share.
    pub(crate) fn based_on(&mut self, indent: usize, basis: &Basis) {
        self.based_on_rules(indent, &basis.origin, &basis.rules());
    }

    /// The same where these `rules` decided.
    pub(crate) fn based_on_rules(&mut self, indent: usize, origin: &Origin, rules: &str) {
        self.based_on_text(indent, origin.line(rules), &origin.nodes);
    }

    /// The same where it is said already.
    pub(crate) fn based_on_text(
        &mut self,
        indent: usize,
        line: impl Into<Safe>,
        nodes: &NodeNames,
    ) {
        self.name_nodes(nodes);
        self.blocks.push(Block::Basis { indent, text: line.into() });
    }

    /// Has nodes named in short, where a heading of the page has the ending already.
    pub(crate) fn name_nodes(&mut self, nodes: &NodeNames) {
        self.nodes = nodes.clone();
    }

    /// A line about what may go wrong.
    pub(crate) fn warning(&mut self, text: impl Into<Safe>) {
        self.line(2, vec![Span::new("! ", Tone::Bad), Span::new(text, Tone::Plain)]);
    }

    /// A line that says that `-o wide` shows the `rest` of the rows; none if there is no rest.
    pub(crate) fn left_out(&mut self, indent: usize, rest: usize, noun: &str) {
        self.left_out_but(indent, rest, noun, "-o wide");
    }

    /// The same where the flag `elsewhere` shows them.
    pub(crate) fn left_out_but(
        &mut self,
        indent: usize,
        rest: usize,
        noun: &str,
        elsewhere: &'static str,
    ) {
        if rest > 0 {
            let what = words::count(rest, &format!("more {noun}")).into();
            self.blocks.push(Block::LeftOut { indent, what, elsewhere });
        }
    }

    /// A table. It has a line of headings if any column has a title.
    pub fn table(
        &mut self,
        indent: usize,
        columns: impl IntoIterator<Item = impl Into<Column>>,
        rows: Vec<Vec<Span>>,
    ) {
        self.table_also(indent, columns, rows, "");
    }

    /// The same with a line below it that names the columns that a narrow terminal omits, and
    /// `elsewhere`, which shows them.
    pub fn table_also(
        &mut self,
        indent: usize,
        columns: impl IntoIterator<Item = impl Into<Column>>,
        rows: Vec<Vec<Span>>,
        elsewhere: &'static str,
    ) {
        if rows.is_empty() {
            return;
        }
        let columns = columns.into_iter().map(Into::into).collect();
        let in_short = Safe::default();
        self.blocks.push(Block::Table { indent, columns, rows, elsewhere, in_short });
    }

    /// The same with a `note` below it where a narrow terminal gets the short form of its columns.
    pub(crate) fn table_in_short(
        &mut self,
        columns: Vec<Column>,
        rows: Vec<Vec<Span>>,
        elsewhere: &'static str,
        note: String,
    ) {
        let in_short = note.into();
        self.blocks.push(Block::Table { indent: 0, columns, rows, elsewhere, in_short });
    }

    /// A line of choices after `head`, of which a narrow terminal shows those that fit.
    pub fn choices(&mut self, head: Span, choices: Vec<Span>) {
        self.blocks.push(Block::Choices { head, choices });
    }

    /// Lines meant to be copied, such as a manifest: neither wrapped nor styled.
    pub fn verbatim(&mut self, text: &str) {
        self.blocks.push(Block::Verbatim(text.lines().map(Safe::from).collect()));
    }

    /// Appends the content of another page.
    pub fn append(&mut self, other: Self) {
        self.notes = self.notes.or_else(|| other.notes.map(|notes| notes + self.blocks.len()));
        self.blocks.extend(other.blocks);
        if self.nodes.ending().is_empty() {
            self.nodes = other.nodes;
        }
    }

    /// Whether it has no content.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The page as text; every line ends with a newline. Names of nodes are in short, but on paper for
    /// everything.
    pub fn print(&self, paper: Paper) -> Printable {
        if paper.whole || self.nodes.ending().is_empty() {
            self.print_as_it_is(paper)
        } else {
            self.with_short_names().print_as_it_is(paper)
        }
    }

    /// The page that `draw` draws, on a terminal in at most so many `lines`, so that its first line does not
    /// scroll away: with fewer rows of each list, and without its end if that is not enough.
    /// `elsewhere` shows everything.
    pub fn print_fitted(
        draw: &dyn Fn(Extent) -> Self,
        paper: Paper,
        lines: usize,
        elsewhere: &str,
    ) -> Printable {
        for extent in [Extent::Top].into_iter().chain(FEW.map(Extent::Few)) {
            let page = draw(extent);
            let printed = page.print(paper);
            if lines_on(&printed, paper) <= lines {
                return printed;
            }
            // Rows matter more than what is said below them.
            let answer = page.without_notes().print(paper);
            if lines_on(&answer, paper) < lines {
                return page.with_short_names().print_beginning(paper, lines, elsewhere);
            }
        }
        let [.., fewest] = FEW;
        let page = draw(Extent::Few(fewest));
        page.with_short_names().print_beginning(paper, lines, elsewhere)
    }

    /// The same without its notes.
    fn without_notes(&self) -> Self {
        let mut answer = self.clone();
        answer.blocks.truncate(self.notes.unwrap_or(self.blocks.len()));
        answer
    }

    /// What follows are notes.
    pub(crate) fn notes_follow(&mut self) {
        self.notes.get_or_insert(self.blocks.len());
    }

    /// The first of its lines on a terminal, and how many are left out. What is meant to be copied is
    /// whole or not there, and no heading is the last line.
    fn print_beginning(&self, paper: Paper, lines: usize, elsewhere: &str) -> Printable {
        let mut shown = String::new();
        let mut left = lines.saturating_sub(1);
        let mut is_cut = false;
        let mut rest = 0;
        for block in &self.blocks {
            let alone = Self { blocks: vec![block.clone()], ..Self::default() };
            let printed = alone.print_as_it_is(paper);
            let taken = lines_on(&printed, paper);
            if !is_cut && taken <= left {
                left -= taken;
                shown.push_str(&printed);
                continue;
            }
            // What cannot be cut makes room for what is after it.
            if !is_cut && matches!(block, Block::Verbatim(_)) {
                let heading = without_last_heading(&mut shown);
                rest += taken + heading;
                left += heading;
                continue;
            }
            // Of a table as many rows as there is room for, if that is more than its heading.
            if !is_cut && left > 1 && matches!(block, Block::Table { .. }) {
                printed.lines().take(left).for_each(|line| shown.push_str(&format!("{line}\n")));
                rest += taken - left;
            } else {
                rest += taken;
            }
            is_cut = true;
        }
        rest += without_last_heading(&mut shown);
        let more =
            Span::new(format!("and {}: {elsewhere}", words::count(rest, "more line")), Tone::Quiet);
        print_item(&mut shown, 2, &[more], paper);
        Printable::painted(shown)
    }

    fn print_as_it_is(&self, paper: Paper) -> Printable {
        let mut out = String::new();
        for block in &self.blocks {
            match block {
                Block::Line { indent, spans } => print_line(&mut out, *indent, spans, paper),
                Block::Item { indent, spans } => print_item(&mut out, *indent, spans, paper),
                Block::Table { indent, columns, rows, elsewhere, in_short } => {
                    let PrintedTable { dropped, is_short } =
                        print_table(&mut out, *indent, columns, rows, paper);
                    if is_short && !in_short.as_str().is_empty() {
                        let note = Span::new(in_short.as_str(), Tone::Quiet);
                        print_item(&mut out, *indent, &[note], paper);
                    }
                    if !dropped.is_empty() && !elsewhere.is_empty() {
                        let text = format!("Hidden: {} ({elsewhere})", dropped.join(", "));
                        print_item(&mut out, *indent, &[Span::new(text, Tone::Quiet)], paper);
                    }
                }
                Block::Choices { head, choices } => {
                    print_item(&mut out, 0, &chosen(head, choices, paper), paper);
                }
                Block::Title { spans } => print_item(&mut out, 0, spans, paper),
                Block::Basis { text, .. } if text.as_str().is_empty() => {}
                Block::Basis { indent, text } => {
                    let quiet = Span::new(text.as_str(), Tone::Quiet);
                    print_line(&mut out, *indent, &[quiet], paper);
                }
                Block::LeftOut { indent, what, elsewhere } => {
                    let text = format!("and {}: {elsewhere}", what.as_str());
                    print_item(&mut out, *indent, &[Span::new(text, Tone::Quiet)], paper);
                }
                // Prose would be wrapped and names shortened; what is copied stays as it is.
                Block::Verbatim(lines) => {
                    for line in lines {
                        let text = if paper.ascii {
                            line.to_ascii()
                        } else {
                            Cow::Borrowed(line.as_str())
                        };
                        out.push_str(&text);
                        out.push('\n');
                    }
                }
            }
        }
        Printable::painted(out)
    }
}

/// Takes the heading of what is left out from the end of a text, with the empty lines before it;
/// how many lines these were.
fn without_last_heading(shown: &mut String) -> usize {
    let before = shown.lines().count();
    if let Some((above, _)) = shown.trim_end_matches('\n').rsplit_once("\n\n")
        && shown
            .trim_end_matches('\n')
            .get(above.len() + 2..)
            .is_some_and(|last| !last.contains('\n'))
    {
        shown.truncate(above.len());
    }
    shown.truncate(shown.trim_end_matches('\n').len());
    shown.push('\n');
    before - shown.lines().count()
}

/// How many lines of a terminal a text takes.
fn lines_on(text: &Printable, paper: Paper) -> usize {
    let columns = paper.width.map_or(usize::MAX, usize::from).max(1);
    let taken = |line: &str| display_width(line).div_ceil(columns).max(1);
    text.lines().map(taken).sum()
}

fn print_line(out: &mut String, indent: usize, spans: &[Span], paper: Paper) {
    let mut line = String::new();
    for span in spans {
        span.paint(&mut line, &span.text(paper), paper);
    }
    let margin = " ".repeat(indent);
    match paper.columns() {
        Some(width) if !line.is_empty() => {
            let hanging = " ".repeat(indent + 2);
            let options = textwrap::Options::new(width)
                .initial_indent(&margin)
                .subsequent_indent(&hanging)
                .word_splitter(WordSplitter::NoHyphenation)
                .break_words(false);
            out.push_str(&textwrap::fill(&line, options));
        }
        _ => out.push_str(format!("{margin}{line}").trim_end()),
    }
    out.push('\n');
}

fn print_item(out: &mut String, indent: usize, spans: &[Span], paper: Paper) {
    let mut line = " ".repeat(indent);
    let room = paper.cut_at().map_or(usize::MAX, |width| width.saturating_sub(indent));
    let total: usize = spans.iter().map(|span| span.width(paper)).sum();
    let cut = total > room;
    let mut left =
        if cut { room.saturating_sub(display_width(ellipsis(paper.ascii))) } else { room };
    for span in spans {
        let text = span.text(paper);
        let shown = beginning(&text, left);
        span.paint(&mut line, shown, paper);
        left -= display_width(shown);
        if shown.len() < text.len() {
            break;
        }
    }
    if cut {
        line.push_str(ellipsis(paper.ascii));
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

/// `head` and the choices that fit after it.
fn chosen(head: &Span, choices: &[Span], paper: Paper) -> Vec<Span> {
    let mut left = paper.cut_at().unwrap_or(usize::MAX).saturating_sub(head.width(paper));
    let mut spans = vec![head.clone()];
    for choice in choices {
        let separator = Span::from(if spans.len() > 1 { " | " } else { "" });
        let width = separator.width(paper) + choice.width(paper);
        if width <= left {
            left -= width;
            spans.extend([separator, choice.clone()]);
        }
    }
    spans
}

/// A cell of a table: its text as it is shown, and the span that paints it.
struct Cell<'s> {
    span: &'s Span,
    text: String,
}

/// What a table became.
struct PrintedTable {
    /// The titles of the columns that do not fit.
    dropped: Vec<&'static str>,
    /// Whether columns in short are shown.
    is_short: bool,
}

/// Columns are separated by two spaces, so that other programs can split them.
fn print_table(
    out: &mut String,
    indent: usize,
    columns: &[Column],
    rows: &[Vec<Span>],
    paper: Paper,
) -> PrintedTable {
    // A table whose columns have no titles has no header, either.
    let mut lines: Vec<&[Span]> = Vec::with_capacity(rows.len() + 1);
    let header: Vec<Span> = columns.iter().map(title).collect();
    if columns.iter().any(|column| !column.title.is_empty()) {
        lines.push(&header);
    }
    lines.extend(rows.iter().map(Vec::as_slice));

    // Columns are as wide as their widest cell, unless the paper is too narrow for that: columns
    // without values are the first to go.
    let natural = natural_widths(&lines, paper);
    let blank: Vec<bool> = (0..natural.len()).map(|at| is_blank(rows, at)).collect();
    let widths: Vec<Option<usize>> = if let Some(width) = paper.cut_at() {
        lay_out(columns, &natural, &blank, width.saturating_sub(indent))
    } else {
        let is_short = |at: usize| columns.get(at).is_some_and(|column| column.is_short());
        let whole = natural.iter().enumerate();
        whole.map(|(at, width)| (!is_short(at)).then_some(*width)).collect()
    };

    // The table is laid out without colours, whose escape sequences have no width.
    let mut cells: Vec<Vec<Cell<'_>>> = Vec::with_capacity(lines.len());
    for line in lines {
        let mut shown = Vec::with_capacity(line.len());
        for (at, (width, span)) in widths.iter().zip(line).enumerate() {
            let Some(width) = *width else { continue };
            let cut = columns.get(at).map_or(Cut::Middle, |column| column.cut);
            let text = span.text(paper);
            let text = shorten(&text, width, cut, paper.ascii).into_owned();
            shown.push(Cell { span, text });
        }
        cells.push(shown);
    }
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING.content_lines(ContentLineStyle::none().junction(END_OF_CELL)))
        .set_content_arrangement(ContentArrangement::Disabled);
    for line in &cells {
        table.add_row(line.iter().map(|cell| cell.text.as_str()));
    }
    let last = table.column_count().saturating_sub(1);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if at == last { 0 } else { GAP }));
    }

    // Then each cell is painted where it stands.
    for (laid_out, cells) in table.lines().zip(&cells) {
        let mut line = " ".repeat(indent);
        for (field, cell) in laid_out.split(END_OF_CELL).zip(cells) {
            cell.span.paint(&mut line, &cell.text, paper);
            line.push_str(field.get(cell.text.len()..).unwrap_or_default());
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }

    let mut printed = PrintedTable { dropped: Vec::new(), is_short: false };
    for (column, width) in columns.iter().zip(&widths) {
        match width {
            Some(_) => printed.is_short |= column.is_short(),
            None if column.stands_in() => {}
            None => printed.dropped.push(column.title),
        }
    }
    printed
}

/// The title of a column, as a cell.
fn title(column: &Column) -> Span {
    if column.starred {
        Span::new(format!("{}*", column.title), Tone::Good)
    } else {
        Span::new(column.title, Tone::Quiet)
    }
}

/// The width of the widest cell of each column.
fn natural_widths(lines: &[&[Span]], paper: Paper) -> Vec<usize> {
    let mut widths: Vec<usize> = Vec::new();
    for line in lines {
        widths.resize(widths.len().max(line.len()), 0);
        for (width, span) in widths.iter_mut().zip(*line) {
            *width = (*width).max(span.width(paper));
        }
    }
    widths
}

/// Whether no row has a value in a column.
fn is_blank(rows: &[Vec<Span>], at: usize) -> bool {
    !rows.is_empty() && rows.iter().all(|row| row.get(at).is_none_or(|span| span.is("-")))
}

#[cfg(test)]
mod tests;
