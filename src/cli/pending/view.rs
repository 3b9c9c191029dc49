//! Shows the list of `--watch`: a terminal's screen is drawn again, a pipe gets the rows that have
//! changed.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use crossterm::event::KeyEvent;
use jiff::Timestamp;

use super::args::{PendingArgs, PendingFormat};
use super::redraw::Redraw;
use super::report;
use super::screen::state::{
    self, DrawnPodAnswer, KeyAction, PodQuestion, QuestionKind, WantedAnswer,
};
use super::screen::{Screen, Shown};
use crate::api::awaited::{Awaited, Overdue, Waits};
use crate::cli::flags::GlobalFlags;
use crate::cli::output::{self, held};
use crate::cli::printing::Format;
use crate::error::Error;
use answers::questions::pending::{PendingReport, PendingRow};
use answers::workload::MissingPods;
use engine::snapshot::Kind;
use render::page::{Page, Paper};
use render::safe::Printable;
use render::{pending, workload};

/// Standard output, as a screen or as a stream.
pub(super) struct View {
    args: PendingArgs,
    global: GlobalFlags,
    screen: Option<Screen>,
    on_terminal: bool,
    /// Whether the login is over, so that the screen may cover the terminal.
    logged_in: bool,
    /// What was read, as long as there is no list.
    read: String,
    /// What is waited for.
    waits: Waits,
    redraw: Redraw,
    /// What was shown last.
    report: Option<PendingReport>,
    /// What helps the most of its pods at once.
    suggested: Option<String>,
    /// Whether the columns of a pipe have one for who acts next; `None` before the first row.
    actors: Option<bool>,
    /// Why what is shown may be older than the cluster.
    trouble: Option<String>,
    /// The kinds that may not be watched, and how often they are read instead.
    unwatched: BTreeSet<Kind>,
    interval: Duration,
}

/// Whether the list is shown on a screen.
pub(super) fn is_on_terminal(args: &PendingArgs) -> bool {
    let text = args.output.is_for_people();
    let dumb =
        std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb") && cfg!(unix);
    text && !dumb && io::stdout().is_terminal()
}

impl View {
    /// The terminal is left as it is until the login is over: a credential plugin may ask on it.
    pub(super) fn new(
        args: &PendingArgs,
        global: &GlobalFlags,
        on_terminal: bool,
        waits: Waits,
    ) -> Self {
        Self {
            args: args.clone(),
            global: global.clone(),
            screen: None,
            redraw: Redraw::default(),
            on_terminal,
            logged_in: false,
            read: String::new(),
            waits,
            report: None,
            suggested: None,
            actors: None,
            trouble: None,
            unwatched: BTreeSet::new(),
            interval: Duration::ZERO,
        }
    }

    /// The login is over.
    pub(super) fn logged_in(&mut self) {
        self.logged_in = true;
    }

    /// So much was read of the first list.
    pub(super) fn read(&mut self, read: String) {
        self.read = read;
        self.redraw.changed();
    }

    /// What helps several pods of the list together was looked for.
    pub(super) fn suggested(&mut self, text: Option<String>) {
        self.suggested = text;
        self.redraw.changed();
    }

    /// Whether what helps them is shown in full.
    pub(super) fn shows_changes(&self) -> bool {
        self.wanted().is_some_and(|wanted| wanted.question.kind == QuestionKind::Changes)
    }

    /// Whether no list was shown yet.
    pub(super) fn is_empty(&self) -> bool {
        self.report.is_none()
    }

    /// Shows what was read. `left` are the rows of pods that no longer wait. The value is `false`
    /// if standard output is closed.
    ///
    /// # Errors
    /// When the list cannot be encoded.
    pub(super) fn show(
        &mut self,
        report: PendingReport,
        left: &[PendingRow],
    ) -> anyhow::Result<bool> {
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

    /// A kind may not be watched. A pipe is warned once, a screen says it from now on.
    pub(super) fn not_watched(&mut self, kind: Kind, why: &str) {
        if self.unwatched.is_empty() && !self.on_terminal {
            output::warn(
                &self.global,
                &format!("cannot be watched, read now and then instead: {why}"),
            );
        }
        self.unwatched.insert(kind);
        self.redraw.changed();
    }

    /// What was shown last as metrics, and whether the cluster can be read still.
    pub(super) fn metrics(&self) -> Option<(Printable, bool)> {
        let connected = self.trouble.is_none();
        Some((report::metrics(self.report.as_ref()?, Some(connected)), connected))
    }

    /// How often kinds are read that may not be watched.
    pub(super) fn read_every(&mut self, interval: Duration) {
        self.interval = interval;
    }

    /// What the screen wants to show about a pod.
    pub(super) fn wanted(&self) -> Option<WantedAnswer> {
        self.screen.as_ref().and_then(Screen::wanted)
    }

    /// Whether there is a terminal, on which keys can be pressed.
    pub(super) fn takes_keys(&self) -> bool {
        self.on_terminal
    }

    /// What a pipe gets: rows that are new, changed or gone; with `-o json` or `yaml` the whole
    /// list if it has changed.
    fn changes(
        &mut self,
        report: &PendingReport,
        left: &[PendingRow],
    ) -> anyhow::Result<Printable> {
        let before = self.report.as_ref().map(|report| &report.pending);
        if matches!(self.args.output, Format::Json | Format::Yaml) {
            if before == Some(&report.pending) {
                return Ok(Printable::default());
            }
            let text = report::text(report, &self.args, output::paper(&self.global))?;
            let separator =
                if before.is_some() && self.args.output == Format::Yaml { "---\n" } else { "" };
            return Ok(Printable::new(format!("{separator}{}", &*text)));
        }
        let known = |row: &PendingRow| before.is_some_and(|before| before.rows.contains(row));
        let rows: Vec<PendingRow> =
            report.pending.rows.iter().filter(|row| !known(row)).chain(left).cloned().collect();
        // The metrics are served, and not printed.
        if self.args.output == Format::Own(PendingFormat::Openmetrics) {
            return Ok(Printable::default());
        }
        if self.args.output == Format::Own(PendingFormat::Name) {
            return Ok(pending::names(&rows).map_err(Error::from)?);
        }
        let mut layout = report::layout(report, &self.args, report.basis.now());
        // Headings come again where a column is added. One that was there stays, so that all rows
        // below the headings have the same columns.
        layout.actors |= self.actors == Some(true);
        let is_first = before.is_none_or(|before| before.rows.is_empty());
        layout.headers &= is_first || self.actors == Some(!layout.actors);
        if !rows.is_empty() {
            self.actors = Some(layout.actors);
        }
        let mut page = Page::default();
        if !rows.is_empty() {
            pending::table(&mut page, &rows, layout, &report.pending.ending);
        }
        let mut lacking: Vec<MissingPods> = Vec::new();
        for workload in &report.pending.workloads {
            if before.is_none_or(|before| !before.workloads.contains(workload)) {
                lacking.push(workload.clone());
            }
        }
        workload::table(&mut page, &lacking);
        Ok(page.print(Paper { whole: layout.wide, ..output::paper(&self.global) }))
    }

    /// Draws the screen again, if standard output is a terminal. `false` if it is closed.
    pub(super) fn draw(&mut self) -> bool {
        if !self.has_screen() {
            return true;
        }
        let (shown, now) = match &self.report {
            Some(report) => (Shown::List(report, self.suggested.as_deref()), report.basis.now()),
            None => (Shown::Reading(&self.read), Timestamp::now()),
        };
        let lost = self.trouble.as_ref().map(|trouble| lost(now, trouble));
        let silent = || self.waits.overdue().as_ref().map(silent);
        let note = lost
            .or_else(held::news)
            .or_else(silent)
            .or_else(|| unwatched(&self.unwatched, self.interval));
        let time = now.strftime("%H:%M:%S UTC").to_string();
        let screen = match &mut self.screen {
            Some(screen) => screen,
            none => match Screen::enter() {
                Ok(screen) => none.insert(screen),
                Err(_) => return false,
            },
        };
        self.redraw.drawn(Instant::now());
        screen.draw(shown, (&time, note.as_deref()), (&self.args, &self.global)).is_ok()
    }

    /// When the screen is drawn next. `None` if there is no screen.
    pub(super) fn next_draw(&self) -> Option<Instant> {
        self.has_screen().then(|| self.redraw.next().unwrap_or_else(Instant::now))
    }

    /// Whether there is a screen, or is to be one now.
    fn has_screen(&self) -> bool {
        self.on_terminal && self.logged_in
    }

    /// Acts on a key.
    pub(super) fn key(&mut self, key: KeyEvent) -> KeyAction {
        let Some(report) = &self.report else { return state::key_before_list(key) };
        self.screen
            .as_mut()
            .map_or(KeyAction::Nothing, |screen| screen.key(key, &report.pending.rows))
    }

    /// The answer to a question about a pod is there.
    pub(super) fn answered(&mut self, question: PodQuestion, answer: DrawnPodAnswer) {
        if let Some(screen) = &mut self.screen {
            screen.answered(question, answer);
        }
        self.redraw.changed();
    }

    /// Clears the screen and draws it again. `false` if the terminal is closed.
    pub(super) fn clear(&mut self) -> bool {
        if let Some(screen) = &mut self.screen {
            screen.clear();
        }
        self.draw()
    }

    /// Stops the process until the shell continues it. `false` if the terminal is closed.
    pub(super) fn suspend(&mut self) -> bool {
        self.screen.as_mut().is_none_or(|screen| screen.suspend().is_ok()) && self.draw()
    }
}

/// Why a list is not newer than `at`.
fn lost(at: Timestamp, trouble: &str) -> String {
    format!(
        "list of {}; the cluster cannot be read, trying again: {trouble}",
        at.strftime("%H:%M:%S")
    )
}

/// What has not come, and since when.
fn silent(overdue: &Overdue) -> String {
    let since = overdue.since.strftime("%H:%M:%S");
    match &overdue.what {
        Awaited::Answer(request) => format!("no answer from the server since {since} ({request})"),
        Awaited::Login(plugin) => format!("waiting for the login by {plugin} since {since}"),
    }
}

/// Which kinds may not be watched.
fn unwatched(kinds: &BTreeSet<Kind>, interval: Duration) -> Option<String> {
    let first = kinds.first()?.plural();
    let what = if kinds.len() > 1 { format!("{} kinds", kinds.len()) } else { first.to_owned() };
    let every = match interval.as_millis() {
        ms if ms < 1000 => format!("{ms} ms"),
        ms => format!("{} s", ms.div_ceil(1000)),
    };
    Some(format!("{what} may not be watched: read every {every}"))
}

/// Writes to standard output; `false` if it is closed.
fn write(text: &str) -> bool {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_say_what_is_not_current() {
        let kinds = |kinds: &[Kind], ms| {
            unwatched(&kinds.iter().copied().collect(), Duration::from_millis(ms))
        };
        assert_eq!(kinds(&[], 5000), None);
        assert_eq!(kinds(&[Kind::Pod], 5000).unwrap(), "pods may not be watched: read every 5 s");
        assert_eq!(
            kinds(&[Kind::Pod, Kind::Node], 60_000).unwrap(),
            "2 kinds may not be watched: read every 60 s"
        );
        assert_eq!(kinds(&[Kind::Pod], 8200).unwrap(), "pods may not be watched: read every 9 s");
        let note = lost("2026-01-01T12:50:22Z".parse().unwrap(), "refused");
        assert_eq!(note, "list of 12:50:22; the cluster cannot be read, trying again: refused");
        let silent =
            |what| silent(&Overdue { what, since: "2026-01-01T14:03:07Z".parse().unwrap() });
        let answer = silent(Awaited::Answer("GET /api/v1/pods".to_owned()));
        assert_eq!(answer, "no answer from the server since 14:03:07 (GET /api/v1/pods)");
        assert_eq!(
            silent(Awaited::Login("aws".to_owned())),
            "waiting for the login by aws since 14:03:07"
        );
    }
}
