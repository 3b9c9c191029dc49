//! How a list is shown that changes: on a terminal in place, in a pipe by adding what has changed.

use std::io::{self, IsTerminal as _, Write as _};

use crossterm::terminal::{
    Clear, ClearType, DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen,
};
use crossterm::{cursor, execute, queue, style};
use jiff::Timestamp;

use super::{Format, Look, PendingArgs, layout};
use crate::cli::{GlobalFlags, output};
use crate::error::Error;
use render::page::{Page, Span, Tone};
use render::pending::{self, PendingRow};
use render::safe::Printable;

/// Lines that a terminal has of which none is known.
const HEIGHT: u16 = 24;

/// Where the list is shown.
pub(super) struct View {
    args: PendingArgs,
    global: GlobalFlags,
    screen: Option<Screen>,
    on_terminal: bool,
    look: Option<Look>,
    trouble: Option<String>,
    remark: Option<String>,
}

impl View {
    /// Nothing is touched before there is something to show.
    pub(super) fn new(args: &PendingArgs, global: &GlobalFlags) -> Self {
        let text = matches!(args.output, Format::Text | Format::Wide);
        let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb") && cfg!(unix);
        Self {
            args: args.clone(),
            global: global.clone(),
            screen: None,
            on_terminal: text && !dumb && io::stdout().is_terminal(),
            look: None,
            trouble: None,
            remark: None,
        }
    }

    /// Whether nothing was shown yet.
    pub(super) fn is_empty(&self) -> bool {
        self.look.is_none()
    }

    /// Shows what was read, and which pods wait no more. `false` if nobody reads on.
    pub(super) fn show(&mut self, look: Look, left: &[PendingRow]) -> Result<bool, Error> {
        if self.trouble.take().is_some() && !self.on_terminal {
            output::say(&self.global, "connected again");
        }
        if self.on_terminal {
            self.look = Some(look);
            return Ok(self.draw());
        }
        let text = self.news(&look, left)?;
        self.look = Some(look);
        Ok(write(&text))
    }

    /// Something does not work just now.
    pub(super) fn trouble(&mut self, text: &str) -> bool {
        if self.trouble.as_deref() != Some(text) {
            self.trouble = Some(text.to_owned());
            if !self.on_terminal {
                output::warn(&self.global, &format!("{text}; trying again"));
            }
        }
        self.draw()
    }

    /// Something worth knowing, once.
    pub(super) fn remark(&mut self, text: &str) -> bool {
        if self.remark.is_none() {
            self.remark = Some(text.to_owned());
            if !self.on_terminal {
                output::warn(&self.global, text);
            }
        }
        self.draw()
    }

    /// Time has passed.
    pub(super) fn tick(&mut self) -> bool {
        self.draw()
    }

    /// What is added in a pipe: rows that are new or changed, those that left, or the whole list as data.
    fn news(&self, look: &Look, left: &[PendingRow]) -> Result<Printable, Error> {
        let before = self.look.as_ref().map(|look| &look.pending);
        if matches!(self.args.output, Format::Json | Format::Yaml) {
            if before == Some(&look.pending) {
                return Ok(Printable::default());
            }
            let text = look.text(&self.args, output::paper(&self.global))?;
            let separator = if before.is_some() && self.args.output == Format::Yaml { "---\n" } else { "" };
            return Ok(Printable::new(format!("{separator}{}", &*text)));
        }
        let known = |row: &PendingRow| before.is_some_and(|before| before.rows.contains(row));
        let rows: Vec<PendingRow> = look.pending.rows.iter().filter(|row| !known(row)).chain(left).cloned().collect();
        if self.args.output == Format::Name {
            return Ok(pending::names(&rows));
        }
        let mut layout = layout(&self.args, look.now);
        layout.headers &= before.is_none_or(|before| before.rows.is_empty());
        let mut page = Page::default();
        if !rows.is_empty() {
            pending::table(&mut page, &rows, layout);
        }
        Ok(page.print(output::paper(&self.global)))
    }

    /// Draws the screen again, if there is one. `false` if it is gone.
    fn draw(&mut self) -> bool {
        let Some(look) = self.look.as_ref().filter(|_| self.on_terminal) else { return true };
        let mut page = Page::default();
        if look.pending.rows.is_empty() {
            page.line(0, vec![Span::new("No pods wait for a node.", Tone::Strong)]);
        }
        let paper = output::paper(&self.global);
        let rows = look.pending.page(layout(&self.args, Timestamp::now())).print(paper);
        let text = format!("{}{}", &*page.print(paper), &*rows);
        let mut status = Page::default();
        let (line, tone) = match (&self.trouble, &self.remark) {
            (Some(trouble), _) => (format!("as of {}: {trouble}; trying again", time(look.now)), Tone::Bad),
            (None, Some(remark)) => (format!("as of {}; {remark}", time(look.now)), Tone::Quiet),
            (None, None) => (format!("as of {}; Ctrl-C ends", time(look.now)), Tone::Quiet),
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

/// Writes to standard output; `false` if nobody reads on.
fn write(text: &str) -> bool {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_ok()
}

/// The terminal's other screen. Whatever ends this, the terminal is as before.
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
        // A terminal that is gone needs no restoring.
        let _ = execute!(self.0, EnableLineWrap, cursor::Show, LeaveAlternateScreen);
    }
}
