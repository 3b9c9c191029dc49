//! The terminal of `pending --watch`: the list, the answer about a pod beside it or instead of it, what
//! has happened to the pod below, and the keys.

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

use self::state::{AnswerSpace, DrawnPodAnswer, KeyAction, PodQuestion, ScreenState, WantedAnswer};
use self::terminal::{Look, ScreenLine, Terminal};
use super::args::PendingArgs;
use super::report;
use crate::cli::flags::GlobalFlags;
use crate::cli::output;
use answers::questions::pending::{PendingReport, PendingRow, PendingVerdict};
use answers::timeline::Timeline;
use render::page::lines::{cut, screen_lines};
use render::page::{Column, Page, Paper, Span, Tone};
use render::pending::{self, Layout};
use render::safe::{Printable, Safe};
use render::timeline;

/// The least columns of a terminal on which the answer stands beside the list, and the most of the
/// answer.
const WIDE: u16 = 110;
const WIDEST_ANSWER: u16 = 100;
/// The columns between the list and the answer, without the sign that separates them.
const BETWEEN: u16 = 3;
/// The least lines above the keys with which the timeline is shown, and its most lines.
const TALL: usize = 17;
const BELOW: usize = 6;
/// The columns between the time and the keys.
const BEFORE_KEYS: usize = 3;

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
    /// The list, and what helps the most of its pods at once; or the decision about one of them.
    List(&'s PendingReport, Option<&'s str>),
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

    /// The answer that is to be drawn.
    pub(super) fn wanted(&self) -> Option<WantedAnswer> {
        self.state.wanted()
    }

    /// Has the terminal cleared and all of it drawn again with the next drawing.
    pub(super) fn clear(&mut self) {
        self.terminal.forget();
    }

    /// Acts on a key.
    pub(super) fn key(&mut self, key: KeyEvent, rows: &[PendingRow]) -> KeyAction {
        self.state.key(key, rows)
    }

    /// The answer to a question about a pod has come.
    pub(super) fn answered(&mut self, question: PodQuestion, answer: DrawnPodAnswer) {
        self.state.answered(question, answer);
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
        let room = usize::from(size.columns).saturating_sub(time.len() + BEFORE_KEYS);
        let (mut lines, keys) = match shown {
            Shown::Reading(read) => (body.reading(read), "q quit".to_owned()),
            Shown::List(..) if state.helps => {
                (body.help(paper), "any key: back, q quit".to_owned())
            }
            Shown::List(..) if state.detail.is_some() => {
                (body.detail(state, paper), keys(state, room))
            }
            Shown::List(report, helps) => {
                (body.list(state, (report, helps), args, paper), keys(state, room))
            }
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

    /// What the keys do.
    fn help(&self, paper: Paper) -> Vec<ScreenLine> {
        let mut page = Page::default();
        let rows = KEYS.map(|(keys, what)| vec![Span::new(keys, Tone::Strong), what.into()]);
        page.table(0, [Column::default(), Column::default().prose(20)], rows.into());
        self.lines(&page.print(paper), 0..self.height, Look::Printed)
    }

    /// The answer that covers the list.
    fn detail(&self, state: &mut ScreenState, paper: Paper) -> Vec<ScreenLine> {
        state.height = self.height;
        // It can be scrolled, so nothing is left out of it.
        state.space = Some(AnswerSpace { paper, lines: 0 });
        let top = state.detail.as_ref().map_or(0, |detail| detail.top);
        match state.answer() {
            Some(answer) => self.lines(&answer.text, top..top + self.height, Look::Printed),
            None => self.lines(&Printable::new("Deciding..."), 0..1, Look::Printed),
        }
    }

    /// The list with the chosen row reversed, the answer about that row beside it where there is
    /// space, and what has happened to its pod below.
    fn list(
        &self,
        state: &mut ScreenState,
        (report, helps): (&PendingReport, Option<&str>),
        args: &PendingArgs,
        paper: Paper,
    ) -> Vec<ScreenLine> {
        let layout = report::layout(report, args, Timestamp::now());
        state.layout = Some(layout);
        let found = state.found(&report.pending.rows);
        let rows = state.rows(&report.pending.rows);

        // The table keeps one line at least, however many the head has.
        let mut head = match (args.no_headers, state.is_filtered()) {
            (true, _) => Page::default(),
            (false, false) => pending::head(&report.pending, &report.basis.origin),
            (false, true) => pending::head_of(&report.pending, &found, &report.basis.origin),
        };
        if let Some(text) = helps.filter(|_| !state.is_filtered() && !args.no_headers) {
            pending::one_action(&mut head, text, layout, &report.basis.origin);
        }
        pending::workloads_in_short(&mut head, &report.pending.workloads);
        let mut lines =
            self.lines(&head.print(paper), 0..self.height.saturating_sub(1), Look::Printed);
        if rows.is_empty() {
            state.space = None;
            let text = if report.pending.rows.is_empty() {
                "No pods wait for a node."
            } else {
                "No pod matches the filter."
            };
            lines.extend(self.lines(&Printable::new(text), 0..1, Look::Bold));
            return lines;
        }

        let below = if self.height < TALL { Vec::new() } else { self.timeline(state, paper) };
        let height = self.height - lines.len() - below.len();
        let beside = (self.columns >= WIDE).then(|| (self.columns * 9 / 20).min(WIDEST_ANSWER));
        state.space = match beside {
            Some(width) => {
                let paper = Paper { width: Some(width), ..paper };
                Some(AnswerSpace { paper, lines: height })
            }
            // What has happened to the pod comes with the answer.
            None => (!below.is_empty()).then_some(AnswerSpace { paper, lines: 0 }),
        };
        let columns = self.columns - beside.map_or(0, |width| width + BETWEEN);
        let layout = Layout { answered: beside.is_some(), ..layout };
        let paper = Paper { whole: layout.wide, width: Some(columns), ..paper };
        let mut page = Page::default();
        pending::table(&mut page, found.iter().copied(), layout, &report.pending.ending);
        let headings = usize::from(!args.no_headers);
        let table = Body { height, columns }.table(&page.print(paper), headings, state, &rows);
        lines.extend(match beside {
            Some(width) => self.with_answer(table, state, height, width),
            None => table,
        });
        lines.resize(self.height - below.len(), ScreenLine::default());
        lines.extend(below);
        lines
    }

    /// The rows that are shown. The headings stay, the rows scroll.
    fn table(
        &self,
        table: &Printable,
        headings: usize,
        state: &mut ScreenState,
        rows: &[&PendingRow],
    ) -> Vec<ScreenLine> {
        state.height = self.height.saturating_sub(headings).max(1);
        state.follow(rows);
        let mut lines = self.lines(table, 0..headings, Look::Printed);
        let first = headings + state.top;
        let mut scrolled = self.lines(table, first..first + state.height, Look::Printed);
        if let Some(line) = scrolled.get_mut(state.selected(rows) - state.top) {
            *line = line.reversed();
        }
        lines.extend(scrolled);
        lines
    }

    /// `lines` with the answer to their right.
    fn with_answer(
        &self,
        mut lines: Vec<ScreenLine>,
        state: &ScreenState,
        height: usize,
        width: u16,
    ) -> Vec<ScreenLine> {
        let deciding = Printable::new("Deciding...");
        let text = state.answer().map_or(&deciding, |answer| &answer.text);
        let mut answer = screen_lines(text, 0..height, width);
        if text.lines().count() > height
            && let Some(last) = answer.last_mut()
        {
            *last = Printable::new("(Enter: all of it)");
        }
        lines.resize(height, ScreenLine::default());
        answer.resize(height, Printable::default());
        let column = self.columns - width - BETWEEN + 1;
        let mut both = Vec::with_capacity(height);
        for (line, text) in lines.into_iter().zip(answer) {
            let mut right = Printable::new("| ");
            right.append(&text);
            both.push(line.beside(column, right));
        }
        both
    }

    /// What has happened to the selected pod, below a line. The place is kept while it is computed.
    fn timeline(&self, state: &mut ScreenState, paper: Paper) -> Vec<ScreenLine> {
        let rule = if paper.ascii { "-" } else { "\u{2500}" };
        let rule = Printable::new(rule.repeat(usize::from(self.columns)));
        let mut lines = self.lines(&rule, 0..1, Look::Dim);
        if let Some(answer) = state.answer() {
            if let Some(timeline) = &answer.timeline {
                let timeline = Timeline { now: Timestamp::now(), ..timeline.clone() };
                let text = timeline::page(&timeline).print(paper);
                lines.extend(self.lines(&text, 0..BELOW, Look::Printed));
            }
            state.below = lines.len();
        }
        lines.resize(state.below.max(1), ScreenLine::default());
        lines
    }
}

/// What the keys do, as `?` shows it.
const KEYS: [(&str, &str); 15] = [
    ("j k, arrows", "next row, previous row"),
    ("g G, Home End", "first row, last row"),
    ("Ctrl-d Ctrl-u", "half a screen down, up"),
    ("Space, Ctrl-f Ctrl-b, PgDn PgUp", "a screen down, up"),
    ("/", "show rows with a text: name, verdict, cause, node"),
    ("v", "show rows of one verdict, then of the next"),
    ("s", "sort in queue order, by age or by name"),
    ("Enter", "explain the pod, with what would help"),
    ("n", "can the node that it gets be drained?"),
    ("h", "how many more pods like it fit?"),
    ("a", "which actions let in the most pods of the list?"),
    ("Esc", "back to the list; there, show all rows"),
    ("Ctrl-l, Ctrl-z", "draw again, suspend"),
    ("?", "these keys"),
    ("q, Ctrl-c", "quit"),
];

/// The keys that do something, as many as fit into `room` columns.
fn keys(state: &ScreenState, room: usize) -> String {
    let shown = |text: &str| Safe::from(text).as_str().to_owned();
    if state.typing && state.detail.is_none() {
        return format!("filter: {}_  (Enter keep, Esc clear)", shown(&state.filter));
    }
    let in_parentheses = |text: &str| {
        if text.is_empty() { String::new() } else { format!(" ({})", shown(text)) }
    };
    let keys = match &state.detail {
        Some(_) => {
            ["Esc back", "j k scroll", "n node", "h headroom", "a actions", "? help", "q quit"]
                .map(str::to_owned)
                .to_vec()
        }
        None => vec![
            "Enter explain".to_owned(),
            format!("/ filter{}", in_parentheses(&state.filter)),
            format!("s sort ({})", state.sort.text()),
            "? help".to_owned(),
            "q quit".to_owned(),
            format!("v verdict{}", in_parentheses(state.verdict.map_or("", PendingVerdict::word))),
            "n node".to_owned(),
            "h headroom".to_owned(),
            "a actions".to_owned(),
        ],
    };
    let mut line = String::new();
    for key in keys {
        if !line.is_empty() && line.len() + key.len() + 2 > room {
            break;
        }
        if !line.is_empty() {
            line.push_str(", ");
        }
        line.push_str(&key);
    }
    line
}

fn keys_line(keys: &str, time: &str) -> Printable {
    Printable::new(format!("{time} | {keys}"))
}

#[cfg(test)]
mod tests;
