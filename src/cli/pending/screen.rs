//! The terminal of `pending --watch`: the list, the decision about one pod, and the keys.

pub(super) mod state;
mod terminal;

use std::io;
use std::ops::Range;
use std::sync::mpsc::Sender;
use std::thread;
#[cfg(unix)]
use std::time::Duration;

use crossterm::event::{self, KeyEvent, KeyEventKind};
use jiff::Timestamp;

use self::state::{KeyAction, ScreenState};
use self::terminal::{Look, ScreenLine, Terminal};
use super::args::PendingArgs;
use super::report;
use crate::cli::flags::GlobalFlags;
use crate::cli::output;
use answers::questions::pending::{PendingReport, PendingRow};
use engine::simulation::plan::PodId;
use render::page::lines::{cut, screen_lines};
use render::page::{Page, Paper};
use render::pending;
use render::safe::{Printable, Safe};

/// The time within which a process stops that has sent itself a signal.
#[cfg(unix)]
const STOPS_WITHIN: Duration = Duration::from_millis(50);

/// What a person does.
#[derive(Debug)]
pub(super) enum UserInput {
    /// A key is pressed.
    Key(KeyEvent),
    /// The terminal has another size.
    Resized,
}

/// What the screen shows.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shown<'s> {
    /// That the cluster is read for the first time, and how much of it was read.
    Reading(&'s str),
    /// The list, or the decision about one of its pods.
    List(&'s PendingReport),
}

/// Sends keys and changes of the size to `events` as long as there is a receiver.
pub(super) fn listen<E: Send + 'static>(
    events: Sender<E>,
    event: impl Fn(UserInput) -> E + Send + 'static,
) {
    thread::spawn(move || {
        while let Ok(read) = event::read() {
            let input = match read {
                event::Event::Key(key) if key.kind != KeyEventKind::Release => UserInput::Key(key),
                event::Event::Resize(..) => UserInput::Resized,
                _ => continue,
            };
            if events.send(event(input)).is_err() {
                return;
            }
        }
    });
}

/// What a person sees and has chosen. Dropping it gives the terminal back.
pub(super) struct Screen {
    terminal: Terminal,
    state: ScreenState,
}

impl Screen {
    /// Takes the terminal. What is logged from now on is written when it is given back.
    pub(super) fn enter() -> io::Result<Self> {
        Ok(Self { terminal: Terminal::take()?, state: ScreenState::default() })
    }

    /// The pod whose decision is shown.
    pub(super) fn explains(&self) -> Option<&PodId> {
        self.state.detail.as_ref().map(|detail| &detail.pod)
    }

    /// Has the terminal cleared and all of it drawn again with the next drawing.
    pub(super) fn clear(&mut self) {
        self.terminal.forget();
    }

    /// Acts on a key.
    pub(super) fn key(&mut self, key: KeyEvent, rows: &[PendingRow]) -> KeyAction {
        self.state.key(key, rows)
    }

    /// The page about a pod has come.
    pub(super) fn explained(&mut self, pod: &PodId, text: Printable) {
        self.state.explained(pod, text);
    }

    /// Gives the terminal back, stops the process until it is continued, and takes the terminal
    /// again.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        self.terminal.give_back()?;
        #[cfg(unix)]
        {
            rustix::process::kill_process(
                rustix::process::getpid(),
                rustix::process::Signal::TSTP,
            )?;
            // Another thread may take the signal, and the process stops a moment later.
            thread::sleep(STOPS_WITHIN);
        }
        self.terminal.take_again()
    }

    /// Draws what is shown; below it a note if there is one, and the keys after the text `time`.
    pub(super) fn draw(
        &mut self,
        shown: Shown,
        (time, note): (&str, Option<&str>),
        (args, global): (&PendingArgs, &GlobalFlags),
    ) -> io::Result<()> {
        let size = terminal::size();
        let areas = Areas::of(usize::from(size.rows), note.is_some());
        let paper = Paper { width: Some(size.columns), ..output::paper(global) };
        let body = Body { height: areas.body, columns: size.columns };
        let state = &mut self.state;
        let (mut lines, keys) = match shown {
            Shown::Reading(read) => (body.reading(read), "q quit".to_owned()),
            Shown::List(_) if state.detail.is_some() => (body.detail(state), keys(state)),
            Shown::List(report) => (body.list(state, report, args, paper), keys(state)),
        };
        lines.resize(areas.body, ScreenLine::default());
        if let Some(note) = note.filter(|_| areas.has_note) {
            lines.push(ScreenLine::new(cut(note, size.columns, paper.ascii), Look::Printed));
        }
        if areas.has_keys {
            lines.extend(body.lines(&keys_line(&keys, time), 0..1, Look::Dim));
        }
        self.terminal.draw(size, lines)
    }
}

/// How the lines of a terminal are shared out.
struct Areas {
    /// The number of lines for the list or the page.
    body: usize,
    has_note: bool,
    has_keys: bool,
}

impl Areas {
    /// The areas of a terminal of `rows` lines. The smallest ones have no line for the keys, and
    /// then none for the note.
    fn of(rows: usize, wants_note: bool) -> Self {
        let has_note = wants_note && rows > 1;
        let has_keys = rows > 1 + usize::from(has_note);
        let body = rows - usize::from(has_note) - usize::from(has_keys);
        Self { body, has_note, has_keys }
    }
}

/// The area above the note and the keys.
struct Body {
    height: usize,
    columns: u16,
}

impl Body {
    /// Some lines of a text, cut at the edge.
    fn lines(&self, text: &Printable, numbers: Range<usize>, look: Look) -> Vec<ScreenLine> {
        let lines = screen_lines(text, numbers, self.columns);
        lines.into_iter().map(|line| ScreenLine::new(line, look)).collect()
    }

    /// That the cluster is read for the first time.
    fn reading(&self, read: &str) -> Vec<ScreenLine> {
        let text = Printable::new(format!("Reading the cluster...\n{read}"));
        self.lines(&text, 0..self.height, Look::Printed)
    }

    /// The page about a pod.
    fn detail(&self, state: &mut ScreenState) -> Vec<ScreenLine> {
        state.height = self.height;
        let Some(detail) = &state.detail else { return Vec::new() };
        match &detail.text {
            Some(text) => self.lines(text, detail.top..detail.top + self.height, Look::Printed),
            None => self.lines(&Printable::new("Deciding..."), 0..1, Look::Printed),
        }
    }

    /// The list, with the chosen row reversed.
    fn list(
        &self,
        state: &mut ScreenState,
        report: &PendingReport,
        args: &PendingArgs,
        paper: Paper,
    ) -> Vec<ScreenLine> {
        let layout = report::layout(report, args, Timestamp::now());
        state.layout = Some(layout);
        let found = state.found(&report.pending.rows);
        let rows = state.rows(&report.pending.rows);

        // The table keeps one line at least, however many the head has.
        let mut head = match (args.no_headers, state.filter.is_empty()) {
            (true, _) => Page::default(),
            (false, true) => pending::head(&report.pending, &report.basis.origin),
            (false, false) => pending::head_of(&report.pending, &found, &report.basis.origin),
        };
        pending::workloads_in_short(&mut head, &report.pending.workloads);
        let mut lines =
            self.lines(&head.print(paper), 0..self.height.saturating_sub(1), Look::Printed);
        let height = self.height - lines.len();
        if rows.is_empty() {
            let text = if report.pending.rows.is_empty() {
                "No pods wait for a node."
            } else {
                "No pod matches the filter."
            };
            lines.extend(self.lines(&Printable::new(text), 0..1, Look::Bold));
            return lines;
        }

        // The headings stay, the rows scroll.
        let mut page = Page::default();
        pending::table(&mut page, found, layout, &report.pending.ending);
        let table = page.print(Paper { whole: layout.wide, ..paper });
        let headings = usize::from(!args.no_headers);
        state.height = height.saturating_sub(headings).max(1);
        state.follow(&rows);
        lines.extend(self.lines(&table, 0..headings, Look::Printed));
        let first = headings + state.top;
        let mut scrolled = self.lines(&table, first..first + state.height, Look::Printed);
        if let Some(line) = scrolled.get_mut(state.selected(&rows) - state.top) {
            *line = line.reversed();
        }
        lines.extend(scrolled);
        lines
    }
}

/// The keys that do something.
fn keys(state: &ScreenState) -> String {
    match (&state.detail, state.typing) {
        (Some(_), _) => "Esc back, arrows scroll, q quit".to_owned(),
        (None, true) => format!(
            "filter: {}_  (Enter keep, Esc clear)",
            Safe::from(state.filter.as_str()).as_str()
        ),
        (None, false) => {
            let filter = if state.filter.is_empty() {
                String::new()
            } else {
                format!(" ({})", state.filter)
            };
            format!(
                "Enter explain, / filter{}, s sort ({}), q quit",
                Safe::from(filter).as_str(),
                state.sort.text()
            )
        }
    }
}

fn keys_line(keys: &str, time: &str) -> Printable {
    Printable::new(format!("{time} | {keys}"))
}

#[cfg(test)]
mod tests;
