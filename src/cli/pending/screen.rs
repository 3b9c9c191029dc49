//! The terminal of `pending --watch`: the list, the decision about one pod, and the keys.

pub(super) mod state;

use std::io;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use ansi_to_tui::IntoText as _;
use jiff::Timestamp;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, KeyEvent, KeyEventKind};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Text};
use ratatui::widgets::Paragraph;

use self::state::{KeyAction, ScreenState};
use super::args::PendingArgs;
use super::report::PendingReport;
use crate::cli::flags::GlobalFlags;
use crate::cli::output::{self, held};
use engine::simulation::plan::PodId;
use render::page::{Page, Paper};
use render::pending::{self, PendingRow};
use render::safe::Safe;

/// The time within which a process stops that has sent itself a signal.
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

/// The terminal's alternate screen. Dropping it restores the terminal.
pub(super) struct Screen {
    terminal: DefaultTerminal,
    state: ScreenState,
}

impl Screen {
    /// Takes the terminal. What is logged from now on is written when it is given back.
    pub(super) fn enter() -> io::Result<Self> {
        Ok(Self { terminal: take_terminal()?, state: ScreenState::default() })
    }

    /// The pod whose decision is shown.
    pub(super) fn explains(&self) -> Option<&PodId> {
        self.state.detail.as_ref().map(|detail| &detail.pod)
    }

    /// Clears the terminal, so that all of it is drawn again.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        // `Terminal::clear` would ask the terminal for its cursor, and the answer would come as a
        // key.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::new(0, 0, size.width, size.height))
    }

    /// Acts on a key.
    pub(super) fn key(&mut self, key: KeyEvent, rows: &[PendingRow]) -> KeyAction {
        self.state.key(key, rows)
    }

    /// The page about a pod has come.
    pub(super) fn explained(&mut self, pod: &PodId, text: String) {
        self.state.explained(pod, text);
    }

    /// Gives the terminal back, stops the process until it is continued, and takes the terminal
    /// again.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        self.terminal.show_cursor()?;
        ratatui::try_restore()?;
        held::uncover();
        #[cfg(unix)]
        {
            rustix::process::kill_process(
                rustix::process::getpid(),
                rustix::process::Signal::TSTP,
            )?;
            // Another thread may take the signal, and the process stops a moment later.
            thread::sleep(STOPS_WITHIN);
        }
        self.terminal = take_terminal()?;
        Ok(())
    }

    /// Draws what is shown; below it a note if there is one, and the keys after the text `time`.
    pub(super) fn draw(
        &mut self,
        shown: Shown,
        (time, note): (&str, Option<&str>),
        (args, global): (&PendingArgs, &GlobalFlags),
    ) -> io::Result<()> {
        let state = &mut self.state;
        self.terminal.draw(|frame| {
            let area = frame.area();
            let heights = [
                Constraint::Min(1),
                Constraint::Length(u16::from(note.is_some())),
                Constraint::Length(1),
            ];
            let [body, between, below] = Layout::vertical(heights).areas(area);
            let paper = Paper { width: Some(area.width), ..output::paper(global) };
            match shown {
                Shown::Reading(read) => {
                    frame.render_widget(
                        Paragraph::new(format!("Reading the cluster...\n{read}")),
                        body,
                    );
                }
                Shown::List(_) if state.detail.is_some() => draw_detail(frame, body, state),
                Shown::List(report) => draw_list(frame, body, state, report, args, paper),
            }
            if let Some(note) = note {
                frame.render_widget(cut(note, area.width, paper.ascii), between);
            }
            let keys = match shown {
                Shown::Reading(_) => "q quit".to_owned(),
                Shown::List(_) => keys(state),
            };
            frame.render_widget(keys_line(&keys, time), below);
        })?;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // There is nothing to restore if the terminal is closed.
        let _ = self.terminal.show_cursor();
        let _ = ratatui::try_restore();
        held::uncover();
    }
}

/// Takes the terminal, over which nothing is logged then.
fn take_terminal() -> io::Result<DefaultTerminal> {
    held::cover();
    ratatui::try_init().inspect_err(|_| held::uncover())
}

fn draw_detail(frame: &mut ratatui::Frame, area: Rect, state: &mut ScreenState) {
    state.height = usize::from(area.height);
    let Some(detail) = &state.detail else { return };
    let text = detail.text.as_deref().unwrap_or("Deciding...");
    frame.render_widget(Paragraph::new(lines(text, detail.top, state.height)), area);
}

fn draw_list(
    frame: &mut ratatui::Frame,
    area: Rect,
    state: &mut ScreenState,
    report: &PendingReport,
    args: &PendingArgs,
    paper: Paper,
) {
    let layout = report.layout(args, Timestamp::now());
    state.layout = Some(layout);
    let found = state.found(&report.pending.rows);
    let rows = state.rows(&report.pending.rows);
    let head = match (args.no_headers, state.filter.is_empty()) {
        (true, _) => Page::default(),
        (false, true) => report.pending.head(&report.origin),
        (false, false) => report.pending.head_of(&found, &report.origin),
    };
    let head = head.print(paper);
    let [above, table] = Layout::vertical([
        Constraint::Length(u16::try_from(head.lines().count()).unwrap_or(1)),
        Constraint::Min(1),
    ])
    .areas(area);
    frame.render_widget(Paragraph::new(lines(&head, 0, usize::from(above.height))), above);
    if rows.is_empty() {
        let text = if report.pending.rows.is_empty() {
            "No pods wait for a node."
        } else {
            "No pod matches the filter."
        };
        frame.render_widget(
            Paragraph::new(text).style(Style::new().add_modifier(Modifier::BOLD)),
            table,
        );
        return;
    }
    let mut page = Page::default();
    pending::table(&mut page, found, layout);
    let text = page.print(Paper { whole: layout.wide, ..paper });
    // The headings stay, the rows scroll.
    let headings = usize::from(!args.no_headers);
    state.height = usize::from(table.height).saturating_sub(headings).max(1);
    state.follow(&rows);
    let mut shown = lines(&text, 0, headings);
    shown.lines.extend(lines(&text, headings + state.top, state.height).lines);
    let selected = headings + state.selected(&rows) - state.top;
    if let Some(line) = shown.lines.get_mut(selected) {
        *line = std::mem::take(line).style(Style::new().add_modifier(Modifier::REVERSED));
    }
    frame.render_widget(Paragraph::new(shown), table);
}

/// Some lines of a printed page.
fn lines(text: &str, from: usize, count: usize) -> Text<'static> {
    let part: Vec<&str> = text.lines().skip(from).take(count).collect();
    let part = part.join("\n");
    part.into_text().unwrap_or_else(|_| Text::raw(part))
}

/// A text cut to one line of `columns`, with an ellipsis if it is longer.
fn cut(text: &str, width: u16, ascii: bool) -> Line<'static> {
    let text = Safe::from(text);
    let text = if ascii { text.to_ascii() } else { text.as_str().into() };
    let ellipsis = if ascii { "..." } else { "…" };
    let mut shown = Line::raw(text.as_ref()).width();
    let (mut kept, mut end) = (text.chars(), "");
    while shown > usize::from(width) && kept.next_back().is_some() {
        end = ellipsis;
        shown = Line::raw(kept.as_str()).width() + Line::raw(end).width();
    }
    Line::from(format!("{}{end}", kept.as_str()))
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

fn keys_line(keys: &str, time: &str) -> Line<'static> {
    Line::from(format!("{time} | {keys}")).style(Style::new().add_modifier(Modifier::DIM))
}

#[cfg(test)]
mod tests;
