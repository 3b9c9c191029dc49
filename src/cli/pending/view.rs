//! Shows the list of `--watch`: a terminal's screen is drawn again, a pipe gets the rows that have changed.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Instant;

use jiff::Timestamp;
use ratatui::crossterm::event::KeyEvent;

use super::args::{PendingArgs, PendingFormat};
use super::redraw::Redraw;
use super::report::{PendingReport, layout};
use super::screen::Screen;
use super::screen::state::Action;
use crate::cli::flags::GlobalFlags;
use crate::cli::output;
use engine::simulation::plan::PodId;
use render::page::Page;
use render::pending::{self, PendingRow};
use render::safe::{Printable, Safe};

/// Standard output, as a screen or as a stream.
pub(super) struct View {
    args: PendingArgs,
    global: GlobalFlags,
    screen: Option<Screen>,
    on_terminal: bool,
    redraw: Redraw,
    /// What was shown last.
    report: Option<PendingReport>,
    /// Why what is shown may be older than the cluster.
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
            redraw: Redraw::default(),
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
        if self.on_terminal {
            self.report = Some(report);
            self.redraw.changed();
            return Ok(true);
        }
        let text = self.changes(&report, left)?;
        self.report = Some(report);
        Ok(write(&text))
    }

    /// The error of a read or a watch that has failed and is tried again; `None` once they work.
    pub(super) fn trouble(&mut self, text: Option<&str>) {
        if self.trouble.as_deref() == text {
            return;
        }
        if !self.on_terminal {
            match text {
                Some(text) => output::warn(&self.global, &format!("{text}; trying again")),
                None => output::say(&self.global, "connected again"),
            }
        }
        self.trouble = text.map(str::to_owned);
        self.redraw.changed();
    }

    /// Warns once, and from then on below the list.
    pub(super) fn remark(&mut self, text: &str) {
        if self.remark.is_none() {
            self.remark = Some(text.to_owned());
            if !self.on_terminal {
                output::warn(&self.global, text);
            }
        }
        self.redraw.changed();
    }

    /// Whether there is a terminal, on which keys can be pressed.
    pub(super) fn takes_keys(&self) -> bool {
        self.on_terminal
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
    pub(super) fn draw(&mut self) -> bool {
        let Some(report) = self.report.as_ref().filter(|_| self.on_terminal) else { return true };
        let status = match (&self.trouble, &self.remark) {
            (Some(trouble), _) => format!("{}, trying again: {trouble}", time(report.now)),
            (None, Some(remark)) => format!("{}, {remark}", time(report.now)),
            (None, None) => time(report.now),
        };
        let screen = match &mut self.screen {
            Some(screen) => screen,
            none => match Screen::enter() {
                Ok(screen) => none.insert(screen),
                Err(_) => return false,
            },
        };
        self.redraw.drawn(Instant::now());
        screen.draw(report, Safe::from(status).as_str(), (&self.args, &self.global)).is_ok()
    }

    /// When the screen is drawn next. `None` if there is no screen.
    pub(super) fn next_draw(&self) -> Option<Instant> {
        let report = self.report.as_ref().filter(|_| self.on_terminal);
        report.map(|_| self.redraw.next().unwrap_or_else(Instant::now))
    }

    /// Acts on a key.
    pub(super) fn key(&mut self, key: KeyEvent) -> Action {
        let rows = self.report.as_ref().map_or(&[][..], |report| &report.pending.rows);
        self.screen.as_mut().map_or(Action::Nothing, |screen| screen.key(key, rows))
    }

    /// The decision about a pod is there.
    pub(super) fn explained(&mut self, pod: &PodId, text: String) {
        if let Some(screen) = &mut self.screen {
            screen.explained(pod, text);
        }
        self.redraw.changed();
    }

    /// Stops the process until the shell continues it. `false` if the terminal is closed.
    pub(super) fn suspend(&mut self) -> bool {
        self.screen.as_mut().is_none_or(|screen| screen.suspend().is_ok()) && self.draw()
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
