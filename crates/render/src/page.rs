//! A page: lines and tables of styled text. It accepts only [`Safe`] text and is printed as [`Printable`].
//!
//! Two colours have a meaning, a blue and an orange: they are distinguishable for people with red-green colour
//! blindness, and their contrast is the same on black and on white (see the test), so that dark and light terminals use
//! the same ones. They belong to the part of the palette that themes do not change. No information depends on colour
//! alone.

use std::borrow::Cow;
use std::fmt::Write as _;

use comfy_table::{Attribute, Cell, Color, ColumnConstraint, ContentArrangement, Table, presets};
use owo_colors::{OwoColorize, Style, XtermColors};
use textwrap::core::display_width;

use super::safe::{Printable, Safe};
pub use super::safe::{is_hostile, sanitize};

/// Blue, of the palette of 256 colours.
const GOOD: u8 = 32;
/// Orange.
const BAD: u8 = 166;

/// The smallest width for which a layout is computed.
const NARROWEST: usize = 40;

/// The meaning of a piece of text; colour alone never conveys it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Ordinary text.
    #[default]
    Plain,
    /// A verdict or heading.
    Strong,
    /// A good result: it fits, or was selected.
    Good,
    /// A cost: a victim, a violation.
    Bad,
    /// Upstream's words, or additional information.
    Quiet,
}

/// A symbol, with a replacement for output without UTF-8 or without line drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// It fits.
    Yes,
    /// It has a cost.
    Costs,
    /// It does not fit.
    No,
    /// It is unknown.
    Unknown,
    /// It does not apply.
    Aside,
    /// It was selected.
    Chosen,
    /// It was not selected.
    Blank,
    /// A branch of a tree.
    Branch,
    /// The last branch of a tree.
    LastBranch,
}

impl Sign {
    const fn text(self, paper: Paper) -> &'static str {
        match (self, paper.ascii, paper.drawing) {
            (Self::Yes, false, _) => "✓",
            (Self::Yes, true, _) => "+",
            (Self::No, false, _) => "✗",
            (Self::No, true, _) => "x",
            (Self::Costs, ..) => "!",
            (Self::Unknown, ..) => "?",
            (Self::Aside, ..) => "-",
            (Self::Chosen, ..) => ">",
            (Self::Branch, false, true) => "├─",
            (Self::LastBranch, false, true) => "└─",
            (Self::Branch, true, true) => "|-",
            (Self::LastBranch, true, true) => "`-",
            (Self::Blank, ..) | (Self::Branch | Self::LastBranch, _, false) => " ",
        }
    }
}

/// A piece of text with its meaning, optionally after a symbol.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    sign: Option<Sign>,
    text: Safe,
    tone: Tone,
}

impl Span {
    /// A piece of text with a meaning.
    pub fn new(text: impl Into<Safe>, tone: Tone) -> Self {
        Self { sign: None, text: text.into(), tone }
    }

    /// A symbol, a space and a piece of text.
    pub fn signed(sign: Sign, text: impl Into<Safe>, tone: Tone) -> Self {
        Self { sign: Some(sign), text: text.into(), tone }
    }

    fn text(&self, paper: Paper) -> Cow<'_, str> {
        let text = if paper.ascii { self.text.to_ascii() } else { Cow::Borrowed(self.text.as_str()) };
        match self.sign {
            Some(sign) => Cow::Owned(format!("{} {text}", sign.text(paper))),
            None => text,
        }
    }
}

impl<T: Into<Safe>> From<T> for Span {
    fn from(text: T) -> Self {
        Self::new(text, Tone::Plain)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Block {
    Line { indent: usize, spans: Vec<Span> },
    Table { indent: usize, header: Vec<Span>, rows: Vec<Vec<Span>> },
    Verbatim(Vec<Safe>),
}

/// Lines and tables, top to bottom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    blocks: Vec<Block>,
}

/// The format in which a page is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paper {
    /// Whether escape sequences for colour are written.
    pub color: bool,
    /// The width in columns at which lines wrap; `None` never wraps.
    pub width: Option<u16>,
    /// Whether characters outside ASCII are printed as escapes.
    pub ascii: bool,
    /// Whether trees are drawn with lines.
    pub drawing: bool,
}

impl Paper {
    /// The format for a pipe or a file.
    pub const PLAIN: Self = Self { color: false, width: None, ascii: false, drawing: false };
}

impl Page {
    /// An empty line.
    pub fn gap(&mut self) {
        self.blocks.push(Block::Line { indent: 0, spans: Vec::new() });
    }

    /// A heading.
    pub fn heading(&mut self, text: impl Into<Safe>) {
        self.line(0, vec![Span::new(text, Tone::Strong)]);
    }

    /// A line of text.
    pub fn line(&mut self, indent: usize, spans: Vec<Span>) {
        self.blocks.push(Block::Line { indent, spans });
    }

    /// A table with upper-case column headings, or without headings.
    pub fn table(&mut self, indent: usize, header: Vec<&'static str>, rows: Vec<Vec<Span>>) {
        let header = header.into_iter().map(|title| Span::new(title, Tone::Quiet)).collect();
        self.blocks.push(Block::Table { indent, header, rows });
    }

    /// A table in which one column, counted from 0, is marked with a star in its heading.
    pub(crate) fn starred_table(
        &mut self,
        indent: usize,
        header: Vec<&'static str>,
        star: usize,
        rows: Vec<Vec<Span>>,
    ) {
        let title = |(at, title): (usize, &'static str)| {
            if at == star { Span::new(format!("{title}*"), Tone::Good) } else { Span::new(title, Tone::Quiet) }
        };
        let header = header.into_iter().enumerate().map(title).collect();
        self.blocks.push(Block::Table { indent, header, rows });
    }

    /// Lines to be copied, such as a manifest: neither wrapped nor styled.
    pub fn verbatim(&mut self, text: &str) {
        self.blocks.push(Block::Verbatim(text.lines().map(Safe::from).collect()));
    }

    /// The page as text; every line ends with a newline.
    #[must_use]
    pub fn print(&self, paper: Paper) -> Printable {
        let mut out = String::new();
        for block in &self.blocks {
            match block {
                Block::Line { indent, spans } => print_line(&mut out, *indent, spans, paper),
                Block::Table { indent, header, rows } => match paper.width {
                    Some(width) => print_table(&mut out, *indent, header, rows, paper, width),
                    None => print_columns(&mut out, *indent, header, rows, paper),
                },
                Block::Verbatim(lines) => lines.iter().for_each(|line| {
                    out.push_str(&if paper.ascii { line.to_ascii() } else { Cow::Borrowed(line.as_str()) });
                    out.push('\n');
                }),
            }
        }
        Printable::painted(out)
    }
}

fn print_line(out: &mut String, indent: usize, spans: &[Span], paper: Paper) {
    let mut line = String::new();
    for span in spans {
        paint(&mut line, &span.text(paper), span.tone, paper.color);
    }
    let margin = " ".repeat(indent);
    let hanging = " ".repeat(indent + 2);
    match paper.width {
        Some(width) if !line.is_empty() => {
            let options = textwrap::Options::new(usize::from(width).max(NARROWEST))
                .initial_indent(&margin)
                .subsequent_indent(&hanging)
                .break_words(false);
            out.push_str(&textwrap::fill(&line, options));
        }
        _ => out.push_str(format!("{margin}{line}").trim_end()),
    }
    out.push('\n');
}

/// For a pipe: columns are separated by two spaces and nothing is wrapped, so that other programs can split them.
fn print_columns(out: &mut String, indent: usize, header: &[Span], rows: &[Vec<Span>], paper: Paper) {
    let all = || std::iter::once(header).filter(|h| !h.is_empty()).chain(rows.iter().map(Vec::as_slice));
    let mut widths: Vec<usize> = Vec::new();
    for row in all() {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, span) in widths.iter_mut().zip(row) {
            *width = (*width).max(display_width(&span.text(paper)));
        }
    }
    for row in all() {
        let mut line = " ".repeat(indent);
        for (width, span) in widths.iter().zip(row) {
            let text = span.text(paper);
            paint(&mut line, &text, span.tone, paper.color);
            line.extend(std::iter::repeat_n(' ', width + 2 - display_width(&text)));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// For a terminal of that `width`: text that is too wide is wrapped inside its column.
fn print_table(out: &mut String, indent: usize, header: &[Span], rows: &[Vec<Span>], paper: Paper, width: u16) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let inner = usize::from(width).saturating_sub(indent).max(NARROWEST);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(inner).unwrap_or(u16::MAX));
    if paper.color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    if !header.is_empty() {
        table.set_header(header.iter().map(|title| cell(title, paper)));
    }
    for row in rows {
        table.add_row(row.iter().map(|span| cell(span, paper)));
    }
    let last = table.column_count().saturating_sub(1);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if index == last { 0 } else { 2 }));
        if index == 0 && !header.is_empty() {
            // A name that is split cannot be copied.
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    for line in table.lines() {
        out.extend(std::iter::repeat_n(' ', indent));
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

fn cell(span: &Span, paper: Paper) -> Cell {
    let cell = Cell::new(span.text(paper));
    match span.tone {
        Tone::Plain => cell,
        Tone::Strong => cell.add_attribute(Attribute::Bold),
        Tone::Good => cell.add_attribute(Attribute::Bold).fg(Color::AnsiValue(GOOD)),
        Tone::Bad => cell.add_attribute(Attribute::Bold).fg(Color::AnsiValue(BAD)),
        Tone::Quiet => cell.add_attribute(Attribute::Italic),
    }
}

/// Appends `text` in the style of `tone`; trailing spaces are not styled.
fn paint(out: &mut String, text: &str, tone: Tone, color: bool) {
    let style = match tone {
        Tone::Plain => None,
        Tone::Strong => Some(Style::new().bold()),
        Tone::Good => Some(Style::new().color(XtermColors::from(GOOD)).bold()),
        Tone::Bad => Some(Style::new().color(XtermColors::from(BAD)).bold()),
        Tone::Quiet => Some(Style::new().italic()),
    };
    match style.filter(|_| color && !text.trim().is_empty()) {
        Some(style) => {
            let bare = text.trim_end_matches(' ');
            // Writing to a string cannot fail.
            let _ = write!(out, "{}", bare.style(style));
            out.push_str(text.get(bare.len()..).unwrap_or_default());
        }
        None => out.push_str(text),
    }
}

#[cfg(test)]
mod tests;
