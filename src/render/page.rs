//! A page: lines and tables of styled text. Everything a cluster says passes [`sanitize`] here, and only here.

use std::borrow::Cow;
use std::fmt::Write as _;

use comfy_table::{Attribute, Cell, Color, ColumnConstraint, ContentArrangement, Table, presets};
use owo_colors::{OwoColorize, Style};

/// Longest piece of text that is shown whole.
const MAX_TEXT: usize = 4096;

/// Narrower than this nothing is laid out.
const NARROWEST: usize = 40;

/// What a piece of text means; never told by colour alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Ordinary text.
    #[default]
    Plain,
    /// A verdict or heading.
    Strong,
    /// Fits, or was chosen.
    Good,
    /// Costs something: a victim, a violation.
    Bad,
    /// Upstream's own words, or an aside.
    Quiet,
}

/// A piece of text with its meaning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    text: String,
    tone: Tone,
}

impl Span {
    /// A piece of text of some meaning.
    pub fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }
}

impl<T: Into<String>> From<T> for Span {
    fn from(text: T) -> Self {
        Self::new(text, Tone::Plain)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Block {
    Line { indent: usize, spans: Vec<Span> },
    Table { indent: usize, header: Vec<&'static str>, rows: Vec<Vec<Span>> },
    Verbatim(String),
}

/// Lines and tables, top to bottom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    blocks: Vec<Block>,
}

/// How a page is put on paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paper {
    /// Whether escape sequences for colour are written.
    pub color: bool,
    /// Columns to wrap at; `None` never wraps.
    pub width: Option<u16>,
}

impl Page {
    /// An empty line.
    pub fn gap(&mut self) {
        self.blocks.push(Block::Line { indent: 0, spans: Vec::new() });
    }

    /// A heading.
    pub fn heading(&mut self, text: impl Into<String>) {
        self.line(0, vec![Span::new(text, Tone::Strong)]);
    }

    /// A line of text.
    pub fn line(&mut self, indent: usize, spans: Vec<Span>) {
        self.blocks.push(Block::Line { indent, spans });
    }

    /// A table with upper-case column headings.
    pub fn table(&mut self, indent: usize, header: Vec<&'static str>, rows: Vec<Vec<Span>>) {
        self.blocks.push(Block::Table { indent, header, rows });
    }

    /// Lines that are copied from the page, such as a manifest: neither wrapped nor styled.
    pub fn verbatim(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Verbatim(text.into()));
    }

    /// The page as text, every line ended.
    #[must_use]
    pub fn print(&self, paper: Paper) -> String {
        let mut out = String::new();
        for block in &self.blocks {
            match block {
                Block::Line { indent, spans } => print_line(&mut out, *indent, spans, paper),
                Block::Table { indent, header, rows } => print_table(&mut out, *indent, header, rows, paper),
                Block::Verbatim(text) => text.lines().for_each(|line| {
                    out.push_str(&sanitize(line));
                    out.push('\n');
                }),
            }
        }
        out
    }
}

fn print_line(out: &mut String, indent: usize, spans: &[Span], paper: Paper) {
    let mut line = String::new();
    for span in spans {
        paint(&mut line, &sanitize(&span.text), span.tone, paper.color);
    }
    let margin = " ".repeat(indent);
    match paper.width {
        Some(width) if !line.is_empty() => {
            let options = textwrap::Options::new(usize::from(width).max(NARROWEST))
                .initial_indent(&margin)
                .subsequent_indent(&margin)
                .break_words(false);
            out.push_str(&textwrap::fill(&line, options));
        }
        _ => out.push_str(format!("{margin}{line}").trim_end()),
    }
    out.push('\n');
}

fn print_table(out: &mut String, indent: usize, header: &[&'static str], rows: &[Vec<Span>], paper: Paper) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    match paper.width {
        Some(width) => {
            let inner = usize::from(width).saturating_sub(indent).max(NARROWEST);
            table.set_content_arrangement(ContentArrangement::Dynamic);
            table.set_width(u16::try_from(inner).unwrap_or(u16::MAX));
        }
        None => {
            table.set_content_arrangement(ContentArrangement::Disabled);
        }
    }
    if paper.color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    if !header.is_empty() {
        table.set_header(header.iter().map(|title| cell(title, Tone::Quiet)));
    }
    for row in rows {
        table.add_row(row.iter().map(|span| cell(&span.text, span.tone)));
    }
    let last = table.column_count().saturating_sub(1);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if index == last { 0 } else { 2 }));
        if index == 0 && !header.is_empty() {
            // A name that is cut in two cannot be copied.
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    for line in table.lines() {
        out.extend(std::iter::repeat_n(' ', indent));
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

fn cell(text: &str, tone: Tone) -> Cell {
    let cell = Cell::new(sanitize(text));
    match tone {
        Tone::Plain => cell,
        Tone::Strong => cell.add_attribute(Attribute::Bold),
        Tone::Good => cell.add_attribute(Attribute::Bold).fg(Color::Cyan),
        Tone::Bad => cell.add_attribute(Attribute::Bold).fg(Color::Yellow),
        Tone::Quiet => cell.add_attribute(Attribute::Italic),
    }
}

/// Appends `text` in the style of `tone`; spaces at its end stay bare.
fn paint(out: &mut String, text: &str, tone: Tone, color: bool) {
    let style = match tone {
        Tone::Plain => None,
        Tone::Strong => Some(Style::new().bold()),
        Tone::Good => Some(Style::new().cyan().bold()),
        Tone::Bad => Some(Style::new().yellow().bold()),
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

/// `text` without anything that a terminal would act on: control characters (C0, C1, DEL), bidirectional overrides, line
/// separators, zero-width marks. They are shown as escapes, never dropped. Very long text is cut, visibly.
#[must_use]
pub fn sanitize(text: &str) -> Cow<'_, str> {
    let cut = text.char_indices().nth(MAX_TEXT).map(|(at, _)| at);
    let shown = cut.and_then(|at| text.get(..at)).unwrap_or(text);
    if cut.is_none() && !shown.chars().any(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(shown.len() + 16);
    for c in shown.chars() {
        if is_hostile(c) {
            // Writing to a string cannot fail.
            let _ = write!(clean, "\\u{{{:x}}}", u32::from(c));
        } else {
            clean.push(c);
        }
    }
    if cut.is_some() {
        clean.push('…');
    }
    Cow::Owned(clean)
}

/// Whether a character may change how a terminal shows what comes next.
#[must_use]
pub fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
#[path = "page/tests.rs"]
mod tests;
