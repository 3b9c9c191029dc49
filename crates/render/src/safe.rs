//! Makes text from a cluster safe for a terminal. [`Safe`] is sanitized text, and pages accept no
//! other; [`Printable`] is the only type that may be written to a stream, and only renderers create
//! it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::{Deref, Range};

/// Maximum length of a text that is shown in full, in characters.
const MAX_TEXT: usize = 4096;

/// Text without characters that a terminal would interpret. Only [`sanitize`] creates it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Safe(String);

impl Safe {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text for a terminal without UTF-8: characters outside ASCII are shown as `\u{…}`.
    pub fn to_ascii(&self) -> Cow<'_, str> {
        ascii(&self.0)
    }
}

impl From<&str> for Safe {
    fn from(text: &str) -> Self {
        Self(sanitize(text).into_owned())
    }
}

impl From<String> for Safe {
    fn from(text: String) -> Self {
        match sanitize(&text) {
            Cow::Borrowed(_) => Self(text),
            Cow::Owned(clean) => Self(clean),
        }
    }
}

impl From<Cow<'_, str>> for Safe {
    fn from(text: Cow<'_, str>) -> Self {
        Self::from(text.into_owned())
    }
}

/// Text that may be written to a stream: it contains no control sequences except our own colours.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Printable(String);

impl Printable {
    /// Wraps the output of a renderer, which has escaped it for its format. Remaining characters
    /// that a terminal would interpret, except line ends and tabs, are shown as `\u{…}`.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        if is_printable_ascii(&text) {
            return Self(text);
        }
        let missed = |c: char| !matches!(c, '\n' | '\t') && is_hostile(c);
        if text.chars().any(missed) { Self(escape(&text, missed)) } else { Self(text) }
    }

    /// Wraps a page, which consists of [`Safe`] text and of colours that do not depend on the
    /// cluster.
    pub(super) fn painted(page: String) -> Self {
        Self(page)
    }

    /// The text in this range of bytes, or nothing if it does not begin and end between characters.
    #[must_use]
    pub fn part(mut self, range: Range<usize>) -> Self {
        if self.0.get(range.clone()).is_none() {
            return Self::default();
        }
        self.0.truncate(range.end);
        self.0.drain(..range.start);
        self
    }

    /// Appends another text.
    pub fn append(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }

    /// Joins pages with an empty line between them.
    pub fn pages(pages: &[Self]) -> Self {
        Self(pages.iter().map(|page| &**page).collect::<Vec<_>>().join("\n"))
    }
}

impl Deref for Printable {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

/// `text` without characters that a terminal would interpret or not show: control characters (C0,
/// C1, DEL), bidirectional overrides, white space outside ASCII, fillers, and characters without
/// width or meaning. They are shown as escapes and never dropped. Very long text is visibly
/// truncated.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    let cut = text.char_indices().nth(MAX_TEXT).and_then(|(at, _)| text.get(..at));
    let shown = cut.unwrap_or(text);
    let clean = if shown.chars().any(is_hostile) {
        Cow::Owned(escape(shown, is_hostile))
    } else {
        Cow::Borrowed(shown)
    };
    if cut.is_some() { Cow::Owned(clean.into_owned() + "…") } else { clean }
}

/// `text` in ASCII: the ellipsis of truncated text becomes three dots, other characters `\u{…}`.
pub(crate) fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(escape(&text.replace('…', "..."), |c| !c.is_ascii()))
}

fn escape(text: &str, which: impl Fn(char) -> bool) -> String {
    let mut clean = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if which(c) {
            // Writing to a string cannot fail.
            let _ = write!(clean, "\\u{{{:x}}}", u32::from(c));
        } else {
            clean.push(c);
        }
    }
    clean
}

/// Whether a text consists of printable ASCII and line feeds. Nearly every text does, and a look at
/// each byte is then enough to know that nothing in it is hostile.
pub(crate) fn is_printable_ascii(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'\n' | b' '..=b'~'))
}

/// Whether a character may change how a terminal displays the text after it, or is itself
/// invisible, so that two texts look the same.
pub fn is_hostile(c: char) -> bool {
    // Most text is ASCII, and the table is long.
    c.is_control() || !c.is_ascii() && (is_default_ignorable(c) || is_blank(c) || has_no_meaning(c))
}

/// Spaces outside ASCII, line and paragraph separators, and other characters that are drawn as
/// nothing.
const fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{2800}' | '\u{fff9}'..='\u{fffb}')
}

/// Private-use characters and noncharacters: only the terminal decides how they are drawn.
const fn has_no_meaning(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{f0000}'..='\u{10ffff}')
        || (c as u32) & 0xfffe == 0xfffe
}

/// Unicode's property `Default_Ignorable_Code_Point`: characters drawn as nothing where they are
/// not supported.
const fn is_default_ignorable(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}'
        | '\u{feff}' | '\u{ffa0}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::{Printable, Safe, ascii, is_hostile, sanitize};
    use proptest::prelude::*;

    #[test]
    fn hostile_text_is_shown_not_obeyed() {
        assert_eq!(
            sanitize("a\u{1b}]0;x\u{7}\r\n\u{9b}31m\u{202e}b"),
            "a\\u{1b}]0;x\\u{7}\\u{d}\\u{a}\\u{9b}31m\\u{202e}b"
        );
        assert_eq!(sanitize("plain ünïcödé"), "plain ünïcödé");
        assert!(sanitize(&"x".repeat(5000)).ends_with("x…"));
    }

    #[test]
    fn invisible_characters_are_escaped() {
        // The first and the last of each range of Default_Ignorable_Code_Point.
        for c in "\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{180b}\u{180e}\u{180f}\u{200b}\u{200c}\u{200d}\u{200f}\
        \u{202a}\u{202e}\u{2060}\u{206f}\u{3164}\u{fe00}\u{fe0f}\u{feff}\u{ffa0}\u{fff0}\u{fff8}\u{1bca0}\u{1bca3}\u{1d173}\
        \u{1d17a}\u{e0000}\u{e0fff}"
        .chars()
    {
        assert_eq!(sanitize(&format!("n1{c}")), format!("n1\\u{{{:x}}}", u32::from(c)));
    }
        for shown in "\u{ac}ü\u{2010}漢\u{1f680}".chars() {
            assert!(!is_hostile(shown), "{shown:?}");
        }
    }

    #[test]
    fn blank_and_unassigned_characters_are_escaped() {
        let blank = "\u{a0}\u{1680}\u{2000}\u{2003}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{2800}\u{3000}\u{fff9}\u{fffb}";
        let no_meaning = "\u{e000}\u{f8ff}\u{fdd0}\u{fdef}\u{fffe}\u{ffff}\u{1fffe}\u{effff}\u{f0000}\u{10fffd}\u{10ffff}";
        for c in blank.chars().chain(no_meaning.chars()) {
            assert_eq!(sanitize(&format!("a{c}b")), format!("a\\u{{{:x}}}b", u32::from(c)));
            assert_eq!(&*Printable::new(format!("a{c}b")), format!("a\\u{{{:x}}}b", u32::from(c)));
        }
        for shown in
            " \u{27ff}\u{2801}\u{3001}\u{d7ff}\u{f900}\u{fdcf}\u{fdf0}\u{fffd}\u{1fffd}".chars()
        {
            assert!(!is_hostile(shown), "{shown:?}");
        }
    }

    #[test]
    fn terminal_without_unicode_gets_only_ascii() {
        for (text, shown) in
            [("plain", "plain"), ("zürich", "z\\u{fc}rich"), ("cut…", "cut..."), ("✓", "\\u{2713}")]
        {
            assert_eq!(ascii(text), shown);
            assert_eq!(Safe::from(text).to_ascii(), shown);
        }
    }

    #[test]
    fn control_characters_in_a_stream_are_escaped() {
        assert_eq!(&*Printable::new("a,b\nc\t\u{1b}[2J\r\n"), "a,b\nc\t\\u{1b}[2J\\u{d}\n");
    }

    proptest! {
        #[test]
        fn no_text_gets_hostile_characters_through(text in "\\PC*|[\\x00-\\x1f\\x7f-\\u{9f}\\u{200b}-\\u{206f}\u{fe00}-\u{fe0f}\u{3164}a-z ]{0,60}") {
            prop_assert!(!Safe::from(text.as_str()).as_str().chars().any(is_hostile));
            prop_assert!(!Safe::from(text.clone()).to_ascii().chars().any(|c| is_hostile(c) || !c.is_ascii()));
            prop_assert!(!Printable::new(text).chars().any(|c| !matches!(c, '\n' | '\t') && is_hostile(c)));
        }
    }

    #[test]
    fn parts_of_printable_text_are_printable_and_end_between_characters() {
        let text = || Printable::new("aé\u{1b}z");
        assert_eq!(&*text(), "aé\\u{1b}z");
        assert_eq!(&*text().part(1..3), "é");
        assert_eq!(&*text().part(2..3), "", "within a character");
        assert_eq!(&*text().part(0..99), "");
        let mut both = text().part(0..1);
        both.append(&text());
        assert_eq!(&*both, "aaé\\u{1b}z");
    }
}
