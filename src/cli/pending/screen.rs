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

use self::state::{Action, State};
use super::args::PendingArgs;
use super::report::{PendingReport, layout};
use crate::cli::flags::GlobalFlags;
use crate::cli::output;
use engine::simulation::plan::PodId;
use render::page::{Page, Paper};
use render::pending::{self, PendingRow};
use render::safe::Safe;

/// The time within which a process stops that has sent itself a signal.
const STOPS_WITHIN: Duration = Duration::from_millis(50);

/// What a person does.
#[derive(Debug)]
pub(super) enum Input {
    /// A key is pressed.
    Key(KeyEvent),
    /// The terminal has another size.
    Resized,
}

/// Sends keys and changes of the size to `events` as long as there is a receiver.
pub(super) fn listen<E: Send + 'static>(events: Sender<E>, event: impl Fn(Input) -> E + Send + 'static) {
    thread::spawn(move || {
        while let Ok(read) = event::read() {
            let input = match read {
                event::Event::Key(key) if key.kind != KeyEventKind::Release => Input::Key(key),
                event::Event::Resize(..) => Input::Resized,
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
    state: State,
}

impl Screen {
    /// Takes the terminal.
    pub(super) fn enter() -> io::Result<Self> {
        Ok(Self { terminal: ratatui::try_init()?, state: State::default() })
    }

    /// Acts on a key.
    pub(super) fn key(&mut self, key: KeyEvent, rows: &[PendingRow]) -> Action {
        self.state.key(key, rows)
    }

    /// The page about a pod has come.
    pub(super) fn explained(&mut self, pod: &PodId, text: String) {
        self.state.explained(pod, text);
    }

    /// Gives the terminal back, stops the process until it is continued, and takes the terminal again.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        self.terminal.show_cursor()?;
        ratatui::try_restore()?;
        #[cfg(unix)]
        {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TSTP)?;
            // Another thread may take the signal, and the process stops a moment later.
            thread::sleep(STOPS_WITHIN);
        }
        self.terminal = ratatui::try_init()?;
        Ok(())
    }

    /// Draws the list, or the decision about a pod, above the line `status`.
    pub(super) fn draw(
        &mut self,
        report: &PendingReport,
        status: &str,
        (args, global): (&PendingArgs, &GlobalFlags),
    ) -> io::Result<()> {
        let state = &mut self.state;
        self.terminal.draw(|frame| {
            let area = frame.area();
            let [body, below] = Layout::vertical([Constraint::Min(1), Constraint::Length(1)]).areas(area);
            let paper = Paper { width: Some(area.width), ..output::paper(global) };
            if state.detail.is_some() {
                draw_detail(frame, body, state);
            } else {
                draw_list(frame, body, state, report, args, paper);
            }
            frame.render_widget(status_line(state, status), below);
        })?;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // There is nothing to restore if the terminal is closed.
        let _ = self.terminal.show_cursor();
        let _ = ratatui::try_restore();
    }
}

fn draw_detail(frame: &mut ratatui::Frame, area: Rect, state: &mut State) {
    state.height = usize::from(area.height);
    let Some(detail) = &state.detail else { return };
    let text = detail.text.as_deref().unwrap_or("Deciding...");
    frame.render_widget(Paragraph::new(lines(text, detail.top, state.height)), area);
}

fn draw_list(
    frame: &mut ratatui::Frame,
    area: Rect,
    state: &mut State,
    report: &PendingReport,
    args: &PendingArgs,
    paper: Paper,
) {
    let head = if args.no_headers { Page::default() } else { report.pending.head(&report.origin) }.print(paper);
    let [above, table] =
        Layout::vertical([Constraint::Length(u16::try_from(head.lines().count()).unwrap_or(1)), Constraint::Min(1)])
            .areas(area);
    frame.render_widget(Paragraph::new(lines(&head, 0, usize::from(above.height))), above);
    let rows = state.rows(&report.pending.rows);
    if rows.is_empty() {
        let text =
            if report.pending.rows.is_empty() { "No pods wait for a node." } else { "No pod matches the filter." };
        frame.render_widget(Paragraph::new(text).style(Style::new().add_modifier(Modifier::BOLD)), table);
        return;
    }
    let mut page = Page::default();
    pending::table(&mut page, rows.iter().copied(), layout(args, Timestamp::now()));
    let text = page.print(paper);
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

fn status_line(state: &State, status: &str) -> Line<'static> {
    let keys = match (&state.detail, state.typing) {
        (Some(_), _) => "Esc back, arrows scroll, q quit".to_owned(),
        (None, true) => format!("filter: {}_  (Enter keep, Esc clear)", Safe::from(state.filter.as_str()).as_str()),
        (None, false) => {
            let filter = if state.filter.is_empty() { String::new() } else { format!(" ({})", state.filter) };
            format!("Enter explain, / filter{}, s sort ({}), q quit", Safe::from(filter).as_str(), state.sort.text())
        }
    };
    Line::from(format!("{status} | {keys}")).style(Style::new().add_modifier(Modifier::DIM))
}
