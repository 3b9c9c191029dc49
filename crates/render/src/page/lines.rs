//! Lines of a printed page on a terminal's screen, where each line has a place of its own and is
//! drawn without the lines before it.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;

use textwrap::core::display_width;

use super::span::{LINK, LINK_END, STRING_END, STYLE_END};
use super::width::{Cut, beginning, shorten};
use crate::safe::{Printable, Safe};

/// The lines of `page` with these numbers, each cut at `width` columns.
///
/// Each is complete in itself: a style or a link that an earlier line has begun is begun again, and
/// none goes on after the line.
pub fn screen_lines(page: &Printable, numbers: Range<usize>, width: u16) -> Vec<Printable> {
    let mut active = Active::default();
    let mut shown = Vec::new();
    for (number, line) in page.lines().enumerate().take(numbers.end) {
        if number < numbers.start {
            // Nothing of it is shown, but it may begin what the first line that is shown goes on
            // with: the lines of a wrapped paragraph are painted as one.
            active.apply_all(line);
        } else {
            shown.push(active.line(line, usize::from(width)));
        }
    }
    shown
}

/// A line without its styles and links.
pub fn unstyled(line: &Printable) -> Printable {
    let mut text = String::with_capacity(line.len());
    for piece in pieces(line) {
        if let Piece::Text(part) = piece {
            text.push_str(part);
        }
    }
    Printable::painted(text)
}

/// `text` in one line of at most `width` columns, with an ellipsis if it is longer.
pub fn cut(text: &str, width: u16, ascii: bool) -> Printable {
    let text = Safe::from(text);
    let text = if ascii { text.to_ascii() } else { Cow::Borrowed(text.as_str()) };
    Printable::painted(shorten(&text, usize::from(width), Cut::End, ascii).into_owned())
}

/// A part of a printed line.
enum Piece<'p> {
    Text(&'p str),
    /// The control sequence of a style or a link.
    Sequence(&'p str),
}

/// The control sequences that apply to the text after some place of a page.
#[derive(Default)]
struct Active<'p> {
    styles: Vec<&'p str>,
    link: Option<&'p str>,
}

impl<'p> Active<'p> {
    fn apply(&mut self, sequence: &'p str) {
        match sequence {
            STYLE_END => self.styles.clear(),
            LINK_END => self.link = None,
            link if link.starts_with(LINK) => self.link = Some(link),
            style => self.styles.push(style),
        }
    }

    fn apply_all(&mut self, line: &'p str) {
        for piece in pieces(line) {
            if let Piece::Sequence(sequence) = piece {
                self.apply(sequence);
            }
        }
    }

    /// The next line, cut at `width` columns.
    fn line(&mut self, line: &'p str, width: usize) -> Printable {
        let mut out = String::with_capacity(line.len());
        out.extend(self.link.iter().chain(&self.styles).copied());

        // What no longer fits is left out, but not the sequences in it: they end what was begun.
        let mut room = Some(width);
        for piece in pieces(line) {
            match piece {
                Piece::Sequence(sequence) => {
                    self.apply(sequence);
                    out.push_str(sequence);
                }
                Piece::Text(text) => {
                    let Some(columns) = room else { continue };
                    let fitting = beginning(text, columns);
                    out.push_str(fitting);
                    let is_whole = fitting.len() == text.len();
                    room = is_whole.then(|| columns.saturating_sub(display_width(fitting)));
                }
            }
        }

        if !self.styles.is_empty() {
            out.push_str(STYLE_END);
        }
        if self.link.is_some() {
            out.push_str(LINK_END);
        }
        Printable::painted(out)
    }
}

/// The parts of a printed line.
fn pieces(line: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = line;
    iter::from_fn(move || {
        let (piece, after) = first_piece(rest)?;
        rest = after;
        Some(piece)
    })
}

/// The first part of a printed line, and what is after it. The only control sequences of a
/// [`Printable`] are those that a span is painted with.
fn first_piece(line: &str) -> Option<(Piece<'_>, &str)> {
    if line.is_empty() {
        return None;
    }
    if !line.starts_with('\u{1b}') {
        let (text, after) = line.split_at(line.find('\u{1b}').unwrap_or(line.len()));
        return Some((Piece::Text(text), after));
    }
    let end = if line.starts_with(LINK) { STRING_END } else { "m" };
    let length = line.find(end).map_or(line.len(), |at| at + end.len());
    let (sequence, after) = line.split_at(length);
    Some((Piece::Sequence(sequence), after))
}

#[cfg(test)]
mod tests {
    use super::super::{Page, Paper, Span, Tone};
    use super::*;

    const BOLD: &str = "\u{1b}[1m";

    fn page(spans: Vec<Span>, width: u16) -> Printable {
        let mut page = Page::default();
        page.line(0, spans);
        page.print(Paper { color: true, links: true, width: Some(width), ..Paper::PLAIN })
    }

    fn shown(page: &Printable, numbers: Range<usize>, width: u16) -> Vec<String> {
        screen_lines(page, numbers, width).iter().map(|line| line.to_string()).collect()
    }

    #[test]
    fn line_of_a_wrapped_paragraph_begins_and_ends_its_style() {
        let text = "the lines of a paragraph that is wrapped are painted as one";
        let page = page(vec![Span::new(text, Tone::Strong)], 40);
        let first = format!("{BOLD}the lines of a paragraph that is wrapped{STYLE_END}");
        let second = format!("{BOLD}  are painted as one{STYLE_END}");
        assert_eq!(shown(&page, 0..9, 80), [first, second.clone()]);
        assert_eq!(shown(&page, 1..2, 80), [second], "also without the line that begins it");
        assert_eq!(shown(&page, 2..9, 80), [""; 0]);
    }

    #[test]
    fn line_of_a_wrapped_link_begins_and_ends_the_link() {
        let text = "the name of a rule that is longer than a line";
        let page = page(vec![Span::new(text, Tone::Plain).linked("https://x/#a")], 40);
        let link = format!("{LINK}https://x/#a{STRING_END}");
        let lines = shown(&page, 0..2, 80);
        assert_eq!(lines[0], format!("{link}the name of a rule that is longer than a{LINK_END}"));
        assert_eq!(lines[1], format!("{link}  line{LINK_END}"));
    }

    #[test]
    fn long_line_is_cut_and_keeps_the_end_of_its_style() {
        let spans = vec!["a ".into(), Span::new("bold word", Tone::Strong), " and more".into()];
        let page = page(spans, 80);
        for (width, expected) in [
            (20, format!("a {BOLD}bold word{STYLE_END} and more")),
            (12, format!("a {BOLD}bold word{STYLE_END} ")),
            (6, format!("a {BOLD}bold{STYLE_END}")),
            (1, format!("a{BOLD}{STYLE_END}")),
            (0, format!("{BOLD}{STYLE_END}")),
        ] {
            assert_eq!(shown(&page, 0..1, width), [expected], "{width}");
        }
    }

    #[test]
    fn wide_character_that_does_not_fit_hides_what_is_after_it() {
        let page = page(vec!["日本".into(), Span::new("語", Tone::Strong), "a".into()], 80);
        assert_eq!(shown(&page, 0..1, 5), [format!("日本{BOLD}{STYLE_END}")]);
        assert_eq!(shown(&page, 0..1, 3), [format!("日{BOLD}{STYLE_END}")]);
    }

    #[test]
    fn unstyled_line_is_the_text_alone() {
        let code = Span::new("PRE-201", Tone::Quiet).linked("https://x/#m");
        let page = page(vec!["see ".into(), code, Span::new(" mm", Tone::Bad), ".".into()], 80);
        assert_eq!(unstyled(&screen_lines(&page, 0..1, 80)[0]).to_string(), "see PRE-201 mm.");
    }
}
