//! Shows the list of `--watch`: a terminal's screen is drawn again, a pipe gets the rows that have changed.

use std::io::{self, IsTerminal as _, Write as _};

use crossterm::terminal::{
    Clear, ClearType, DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen,
};
use crossterm::{cursor, execute, queue, style};
use jiff::Timestamp;

use super::args::{PendingArgs, PendingFormat};
use super::report::{PendingReport, layout};
use crate::cli::flags::GlobalFlags;
use crate::cli::output;
use render::page::{Page, Span, Tone};
use render::pending::{self, PendingRow};
use render::safe::Printable;

/// The height of a terminal that does not say it, in lines.
const HEIGHT: u16 = 24;

/// Standard output, as a screen or as a stream.
pub(super) struct View {
    args: PendingArgs,
    global: GlobalFlags,
    screen: Option<Screen>,
    on_terminal: bool,
    /// What was shown last.
    report: Option<PendingReport>,
    /// The error of the last read, if it failed.
    trouble: Option<String>,
    /// Shown below the list from now on.
    remark: Option<String>,
}

impl View {
    /// The terminal is left as it is until there is a list to show.
    pub(super) fn new(args: &PendingArgs, global: &GlobalFlags) -> Self {
        let text = matches!(args.output, PendingFormat::Text | PendingFormat::Wide);
        let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb") && cfg!(unix);
        Self {
            args: args.clone(),
            global: global.clone(),
            screen: None,
            on_terminal: text && !dumb && io::stdout().is_terminal(),
            report: None,
            trouble: None,
            remark: None,
        }
    }

    /// Whether no list was shown yet.
    pub(super) fn is_empty(&self) -> bool {
        self.report.is_none()
    }

    /// Shows what was read. `left` are the rows of pods that no longer wait. The value is `false` if standard output is closed.
    ///
    /// # Errors
    /// When the list cannot be encoded.
    pub(super) fn show(&mut self, report: PendingReport, left: &[PendingRow]) -> anyhow::Result<bool> {
        if self.trouble.take().is_some() && !self.on_terminal {
            output::say(&self.global, "connected again");
        }
        if self.on_terminal {
            self.report = Some(report);
            return Ok(self.draw());
        }
        let text = self.changes(&report, left)?;
        self.report = Some(report);
        Ok(write(&text))
    }

    /// A read or a watch has failed and is tried again.
    pub(super) fn trouble(&mut self, text: &str) -> bool {
        if self.trouble.as_deref() != Some(text) {
            self.trouble = Some(text.to_owned());
            if !self.on_terminal {
                output::warn(&self.global, &format!("{text}; trying again"));
            }
        }
        self.draw()
    }

    /// Warns once, and from then on below the list.
    pub(super) fn remark(&mut self, text: &str) -> bool {
        if self.remark.is_none() {
            self.remark = Some(text.to_owned());
            if !self.on_terminal {
                output::warn(&self.global, text);
            }
        }
        self.draw()
    }

    /// Time has passed: the ages in the list change.
    pub(super) fn tick(&mut self) -> bool {
        self.draw()
    }

    /// What a pipe gets: rows that are new, changed or gone; with `-o json` or `yaml` the whole list if it has changed.
    fn changes(&self, report: &PendingReport, left: &[PendingRow]) -> anyhow::Result<Printable> {
        let before = self.report.as_ref().map(|report| &report.pending);
        if matches!(self.args.output, PendingFormat::Json | PendingFormat::Yaml) {
            if before == Some(&report.pending) {
                return Ok(Printable::default());
            }
            let text = report.text(&self.args, output::paper(&self.global))?;
            let separator = if before.is_some() && self.args.output == PendingFormat::Yaml { "---\n" } else { "" };
            return Ok(Printable::new(format!("{separator}{}", &*text)));
        }
        let known = |row: &PendingRow| before.is_some_and(|before| before.rows.contains(row));
        let rows: Vec<PendingRow> = report.pending.rows.iter().filter(|row| !known(row)).chain(left).cloned().collect();
        if self.args.output == PendingFormat::Name {
            return Ok(pending::names(&rows));
        }
        let mut layout = layout(&self.args, report.now);
        layout.headers &= before.is_none_or(|before| before.rows.is_empty());
        let mut page = Page::default();
        if !rows.is_empty() {
            pending::table(&mut page, &rows, layout);
        }
        Ok(page.print(output::paper(&self.global)))
    }

    /// Draws the screen again, if standard output is a terminal. `false` if it is closed.
    fn draw(&mut self) -> bool {
        let Some(report) = self.report.as_ref().filter(|_| self.on_terminal) else { return true };
        let mut page = Page::default();
        if report.pending.rows.is_empty() {
            page.line(0, vec![Span::new("No pods wait for a node.", Tone::Strong)]);
        }
        let paper = output::paper(&self.global);
        let rows = report.pending.page(layout(&self.args, Timestamp::now()), &report.origin).print(paper);
        let text = format!("{}{}", &*page.print(paper), &*rows);
        let mut status = Page::default();
        let (line, tone) = match (&self.trouble, &self.remark) {
            (Some(trouble), _) => (format!("as of {}: {trouble}; trying again", time(report.now)), Tone::Bad),
            (None, Some(remark)) => (format!("as of {}; {remark}", time(report.now)), Tone::Quiet),
            (None, None) => (format!("as of {}; Ctrl-C ends", time(report.now)), Tone::Quiet),
        };
        status.line(0, vec![Span::new(line, tone)]);
        let screen = match &mut self.screen {
            Some(screen) => screen,
            none => match Screen::enter() {
                Ok(screen) => none.insert(screen),
                Err(_) => return false,
            },
        };
        screen.draw(&text, &status.print(paper)).is_ok()
    }
}

fn time(at: Timestamp) -> String {
    at.strftime("%H:%M:%S UTC").to_string()
}

/// Writes to standard output; `false` if it is closed.
fn write(text: &str) -> bool {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_ok()
}

/// The terminal's alternate screen. Dropping it restores the terminal.
struct Screen(io::Stdout);

impl Screen {
    fn enter() -> io::Result<Self> {
        let mut out = io::stdout();
        execute!(out, EnterAlternateScreen, cursor::Hide, DisableLineWrap)?;
        Ok(Self(out))
    }

    /// As much of `text` as fits above `status`.
    fn draw(&mut self, text: &str, status: &str) -> io::Result<()> {
        let height = terminal_size::terminal_size().map_or(HEIGHT, |(_, height)| height.0);
        let status: Vec<&str> = status.lines().collect();
        let room = usize::from(height).saturating_sub(status.len()).max(1);
        let lines: Vec<&str> = text.lines().collect();
        let more = format!("... and {} more lines", lines.len().saturating_sub(room.saturating_sub(1)));
        let cut = lines.len() > room;
        let shown = if cut { room.saturating_sub(1) } else { lines.len() };
        let body = lines.into_iter().take(shown).chain(cut.then_some(more.as_str()));
        let mut out = self.0.lock();
        queue!(out, cursor::MoveTo(0, 0))?;
        let mut first = true;
        for line in body.chain(status) {
            if !first {
                queue!(out, style::Print("\r\n"))?;
            }
            first = false;
            queue!(out, style::Print(line), Clear(ClearType::UntilNewLine))?;
        }
        queue!(out, Clear(ClearType::FromCursorDown))?;
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // There is nothing to restore if the terminal is closed.
        let _ = execute!(self.0, EnableLineWrap, cursor::Show, LeaveAlternateScreen);
    }
}
