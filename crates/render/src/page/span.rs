//! A piece of text with its meaning, and how it is painted.

use std::borrow::Cow;
use std::fmt::Write as _;

use owo_colors::{OwoColorize, Style, XtermColors};
use textwrap::core::display_width;

use super::Paper;
use crate::escape::{html, html_names};
use crate::safe::Safe;
use answers::headline::Standing;
use answers::holder_words::HolderLine;
use answers::node_name::{NamePlace, NodeNames};

/// Blue, of the palette of 256 colours.
pub(super) const GOOD: u8 = 32;
/// Orange.
pub(super) const BAD: u8 = 166;

/// The control sequence that ends every style.
pub(super) const STYLE_END: &str = "\u{1b}[0m";
/// The beginning of the one that begins a link; its address and [`STRING_END`] are after it.
pub(super) const LINK: &str = "\u{1b}]8;;";
pub(super) const STRING_END: &str = "\u{1b}\\";
/// The one that ends a link: it begins one to nothing.
pub(super) const LINK_END: &str = "\u{1b}]8;;\u{1b}\\";

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

impl Tone {
    fn style(self) -> Option<Style> {
        match self {
            Self::Plain => None,
            Self::Strong => Some(Style::new().bold()),
            Self::Good => Some(Style::new().color(XtermColors::from(GOOD)).bold()),
            Self::Bad => Some(Style::new().color(XtermColors::from(BAD)).bold()),
            Self::Quiet => Some(Style::new().dimmed()),
        }
    }
}

/// A symbol, with a replacement for output without UTF-8 or without line drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// It fits.
    Yes,
    Costs,
    /// It does not fit.
    No,
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

impl Sign {
    /// The symbol of an answer, and its tone.
    pub(crate) const fn of(standing: Standing) -> (Self, Tone) {
        match standing {
            Standing::Yes => (Self::Yes, Tone::Good),
            Standing::Costs => (Self::Costs, Tone::Bad),
            Standing::No => (Self::No, Tone::Bad),
            Standing::Unknown => (Self::Unknown, Tone::Bad),
            Standing::Aside => (Self::Aside, Tone::Plain),
        }
    }
}

/// A piece of text with its meaning, optionally after a symbol.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    sign: Option<Sign>,
    text: Safe,
    tone: Tone,
    link: Option<String>,
    /// Whether the text is a command of this program, without the program's name.
    is_command: bool,
    /// Whether the text is drawn with [`CELLS`].
    is_drawn: bool,
    /// Whether the text is somebody else's, which is shown as it is.
    is_quoted: bool,
}

/// What bars and strips are drawn with, and what stands for it where only ASCII is written.
const CELLS: [(char, char); 9] = [
    ('‼', '!'),
    ('█', '#'),
    ('▒', ':'),
    ('·', '.'),
    ('┃', '|'),
    ('★', '*'),
    ('◆', 'o'),
    ('×', 'x'),
    ('✓', '+'),
];

impl Span {
    /// A piece of text with a meaning.
    pub fn new(text: impl Into<Safe>, tone: Tone) -> Self {
        Self { text: text.into(), tone, ..Self::default() }
    }

    /// A symbol, a space and a piece of text.
    pub fn signed(sign: Sign, text: impl Into<Safe>, tone: Tone) -> Self {
        Self { sign: Some(sign), ..Self::new(text, tone) }
    }

    /// A command of this program, such as `explain web-1`. It is written with the paper's program
    /// name.
    pub fn command(arguments: impl Into<Safe>, tone: Tone) -> Self {
        Self { is_command: true, ..Self::new(arguments, tone) }
    }

    /// What somebody else wrote.
    pub fn quoted(text: impl Into<Safe>) -> Self {
        Self { is_quoted: true, ..Self::new(text, Tone::Plain) }
    }

    /// A bar of so many cells.
    pub(crate) fn bar(cells: usize, tone: Tone) -> Self {
        Self::drawn("█".repeat(cells), tone)
    }

    /// A piece of a drawing, made of [`CELLS`].
    pub(crate) fn drawn(cells: impl Into<Safe>, tone: Tone) -> Self {
        Self { is_drawn: true, ..Self::new(cells, tone) }
    }

    /// Takes the ending that all nodes share from their names; whether any had it.
    pub(super) fn shorten_names(&mut self, nodes: &NodeNames, place: NamePlace) -> bool {
        if self.is_command || self.is_quoted {
            return false;
        }
        let short = match nodes.shorten(self.text.as_str(), place) {
            Cow::Owned(short) if short != self.text.as_str() => short,
            _ => return false,
        };
        self.text = short.into();
        true
    }

    /// Whether it stands out, as a heading does.
    pub(super) fn is_strong(&self) -> bool {
        self.tone == Tone::Strong
    }

    /// Whether it is a command of this program.
    pub(super) const fn is_command(&self) -> bool {
        self.is_command
    }

    /// Replaces a command by the text of the call that stands for it, if there is one.
    pub(super) fn call(&mut self, call: &mut dyn FnMut(&str) -> Option<String>) {
        if self.is_command
            && let Some(text) = call(self.text.as_str())
        {
            self.text = text.into();
            self.is_command = false;
        }
    }

    /// Whether it consists of just this text.
    pub(super) fn is(&self, text: &str) -> bool {
        self.sign.is_none() && self.text.as_str() == text
    }

    /// Adds a link to `address`, on terminals that support links. An address that is not plain
    /// ASCII is ignored.
    #[must_use]
    pub fn linked(mut self, address: &str) -> Self {
        self.link = address.bytes().all(|byte| byte.is_ascii_graphic()).then(|| address.to_owned());
        self
    }

    /// Its text, without a sign.
    pub(crate) fn as_str(&self) -> &str {
        self.text.as_str()
    }

    /// Whether it has no text.
    pub(crate) fn is_empty(&self) -> bool {
        self.sign.is_none() && self.text.as_str().is_empty()
    }

    /// The text without colour.
    pub(super) fn text(&self, paper: Paper) -> Cow<'_, str> {
        let text =
            if paper.ascii { self.text.to_ascii() } else { Cow::Borrowed(self.text.as_str()) };
        match self.sign {
            Some(sign) => Cow::Owned(format!("{} {text}", sign.text(paper))),
            None if self.is_drawn && paper.ascii => {
                let stands_for = |cell: char| {
                    CELLS.iter().find(|(drawn, _)| *drawn == cell).map_or(cell, |(_, ascii)| *ascii)
                };
                let drawn: String = self.text.as_str().chars().map(stands_for).collect();
                Cow::Owned(Safe::from(drawn).to_ascii().into_owned())
            }
            None if self.is_command => Cow::Owned(format!("{} {text}", paper.program)),
            None => text,
        }
    }

    /// Its width in columns.
    pub(super) fn width(&self, paper: Paper) -> usize {
        display_width(&self.text(paper))
    }

    /// Appends the span as HTML.
    pub(super) fn html(&self, out: &mut String) {
        let text = html_names(&self.text(Paper::PLAIN));
        let text = match &self.link {
            Some(link) => format!("<a href=\"{}\">{text}</a>", html(link)),
            None => text,
        };
        match self.tone {
            _ if self.text.as_str().is_empty() && self.sign.is_none() => {}
            Tone::Plain => out.push_str(&text),
            Tone::Strong => out.push_str(&format!("<strong>{text}</strong>")),
            Tone::Good => out.push_str(&format!("<strong class=\"good\">{text}</strong>")),
            Tone::Bad => out.push_str(&format!("<strong class=\"bad\">{text}</strong>")),
            Tone::Quiet => out.push_str(&format!("<span class=\"quiet\">{text}</span>")),
        }
    }

    /// Appends `text`, which is all of the span's text or a part of it, in its style; trailing
    /// spaces are not styled.
    pub(super) fn paint(&self, out: &mut String, text: &str, paper: Paper) {
        let bare = text.trim_end_matches(' ');
        let link = self.link.as_deref().filter(|_| paper.links && !bare.is_empty());
        // Writing to a string cannot fail.
        if let Some(link) = link {
            let _ = write!(out, "{LINK}{link}{STRING_END}");
        }
        match self.tone.style().filter(|_| paper.color && !bare.trim().is_empty()) {
            Some(style) => {
                let _ = write!(out, "{}", bare.style(style));
            }
            None => out.push_str(bare),
        }
        if link.is_some() {
            out.push_str(LINK_END);
        }
        out.push_str(text.get(bare.len()..).unwrap_or_default());
    }
}

impl From<HolderLine> for Span {
    fn from(line: HolderLine) -> Self {
        match line {
            HolderLine::Text(text) => text.into(),
            HolderLine::Command(arguments) => Self::command(arguments, Tone::Plain),
        }
    }
}

impl<T: Into<Safe>> From<T> for Span {
    fn from(text: T) -> Self {
        Self::new(text, Tone::Plain)
    }
}
