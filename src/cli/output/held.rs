//! Retains lines of standard error while a screen covers the terminal: they would be written over
//! the screen, and so are printed after it is closed.

use std::collections::VecDeque;
use std::io::{self, IsTerminal as _, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of retained lines; the newest are retained.
const MOST: usize = 200;
/// How long a line counts as news.
const NEWS: Duration = Duration::from_secs(30);

static HELD: Mutex<RetainedLines> = Mutex::new(RetainedLines::new());

/// The retained lines, and whether further lines are retained.
#[derive(Debug)]
struct RetainedLines {
    covered: bool,
    lines: VecDeque<(Instant, String)>,
    /// Number of older lines that were dropped.
    dropped: usize,
}

impl RetainedLines {
    const fn new() -> Self {
        Self { covered: false, lines: VecDeque::new(), dropped: 0 }
    }

    /// Writes a line to `out`, or retains it if `out` is the covered terminal.
    fn line(&mut self, text: &str, is_terminal: bool, out: &mut impl Write) -> io::Result<()> {
        if !(self.covered && is_terminal) {
            return writeln!(out, "{text}");
        }
        if self.lines.len() >= MOST {
            self.lines.pop_front();
            self.dropped += 1;
        }
        self.lines.push_back((Instant::now(), text.to_owned()));
        Ok(())
    }

    /// Writes the retained lines to `out`, which is no longer covered.
    fn uncover(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.covered = false;
        let (lines, dropped) = (std::mem::take(&mut self.lines), std::mem::take(&mut self.dropped));
        if dropped > 0 {
            writeln!(out, "({dropped} older lines of the log are not shown)")?;
        }
        lines.iter().try_for_each(|(_, line)| writeln!(out, "{line}"))
    }

    /// The last retained line, if it is news.
    fn news(&self, now: Instant) -> Option<&str> {
        let (since, line) = self.lines.back()?;
        (now.saturating_duration_since(*since) < NEWS).then_some(line)
    }
}

fn held() -> MutexGuard<'static, RetainedLines> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a line to standard error, or retains it.
pub(super) fn line(text: &str) -> io::Result<()> {
    let err = io::stderr();
    held().line(text, err.is_terminal(), &mut err.lock())
}

pub fn is_covered() -> bool {
    held().covered
}

/// Retains lines from now on, because a screen covers the terminal.
pub fn cover() {
    held().covered = true;
}

/// Writes the retained lines after the screen was closed.
pub fn uncover() {
    // An error here means that standard error is closed.
    let _ = held().uncover(&mut io::stderr().lock());
}

/// The last retained line, for half a minute.
pub fn news() -> Option<String> {
    held().news(Instant::now()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(out: &[u8]) -> &str {
        std::str::from_utf8(out).unwrap()
    }

    #[test]
    fn no_line_is_written_over_a_screen_and_none_is_lost() {
        let (mut held, mut out) = (RetainedLines::new(), Vec::new());
        held.line("before", true, &mut out).unwrap();
        held.covered = true;
        held.line("first", true, &mut out).unwrap();
        held.line("second", true, &mut out).unwrap();
        assert_eq!(text(&out), "before\n");
        held.line("into a file", false, &mut out).unwrap();
        assert_eq!(text(&out), "before\ninto a file\n", "the screen covers the terminal alone");
        held.uncover(&mut out).unwrap();
        held.line("after", true, &mut out).unwrap();
        held.uncover(&mut out).unwrap();
        assert_eq!(text(&out), "before\ninto a file\nfirst\nsecond\nafter\n");
    }

    #[test]
    fn the_newest_lines_are_kept() {
        let (mut held, mut out) =
            (RetainedLines { covered: true, ..RetainedLines::new() }, Vec::new());
        (0..MOST + 2).for_each(|i| held.line(&format!("line {i}"), true, &mut out).unwrap());
        held.uncover(&mut out).unwrap();
        let lines: Vec<&str> = text(&out).lines().collect();
        assert_eq!(lines[..2], ["(2 older lines of the log are not shown)", "line 2"]);
        assert_eq!((lines.len(), lines[MOST]), (MOST + 1, "line 201"));
    }

    #[test]
    fn a_line_is_news_for_a_while() {
        let mut held = RetainedLines { covered: true, ..RetainedLines::new() };
        assert_eq!(held.news(Instant::now()), None);
        held.line("slow", true, &mut Vec::new()).unwrap();
        assert_eq!(held.news(Instant::now()), Some("slow"));
        assert_eq!(held.news(Instant::now() + NEWS), None);
    }
}
