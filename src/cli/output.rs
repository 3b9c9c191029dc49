//! The output of the program: only the answer to standard output; everything else to standard
//! error.

pub mod held;
mod ordered;

use std::io::{self, IsTerminal, Write};

use anyhow::Context as _;
use jiff::Timestamp;
use log::{LevelFilter, Log, Metadata, Record};
use ordered::Ordered;
use owo_colors::OwoColorize;
use serde::Serialize;
use serde_json::Value;

use super::flags::GlobalFlags;
use super::terminal;
use crate::error::Error;
use crate::program::program;
use answers::AnswerError;
use answers::extent::Extent;
use render::page::{Page, Paper, Span, Tone};
use render::safe::{Printable, Safe, is_hostile};

/// Writes the answer. A closed pipe (`| head`) is not an error.
///
/// # Errors
/// When standard output cannot be written.
pub fn print(text: &Printable) -> anyhow::Result<()> {
    write(text).map(|_| ())
}

/// Writes a part of the answer, and returns whether it is still read.
///
/// # Errors
/// When standard output cannot be written.
pub fn write(part: &Printable) -> anyhow::Result<Reader> {
    let mut out = io::stdout().lock();
    match out.write_all(part.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(Reader::Reads),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::HasLeft),
        Err(e) => Err(e).context("standard output: cannot be written"),
    }
}

/// Whoever reads what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    Reads,
    /// The pipe is closed, or the pager was left.
    HasLeft,
}

/// An error in one line, followed by its hint.
pub fn error_line(error: &anyhow::Error) -> String {
    let mut text = format!("{error:#}");
    if let Some(hint) = hint(error) {
        text.push_str(if text.ends_with('?') { " " } else { "; " });
        text.push_str(&hint);
    }
    text
}

/// What to do about an error of this program or of `answers`.
fn hint(error: &anyhow::Error) -> Option<String> {
    match error.downcast_ref::<AnswerError>() {
        Some(error) => Error::from(error.clone()).hint().map(str::to_owned),
        None => error.downcast_ref::<Error>()?.hint().map(str::to_owned),
    }
}

/// Whether something that was named does not exist.
fn is_not_found(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::NotFound { .. }))
        || matches!(error.downcast_ref(), Some(AnswerError::NotFound { .. }))
}

/// Prints an error as kubectl does, in one line, followed by its hint.
pub fn report(error: &anyhow::Error, global: &GlobalFlags) {
    let text = line(error_line(error), global);
    // kubectl prints what a server does not have with other words; files have no server.
    let prefix = if is_not_found(error) && !global.reads_files {
        "Error from server (NotFound): "
    } else {
        "error: "
    };
    let mut err = io::stderr().lock();
    // An error here means that standard error is closed.
    let _ = if terminal::stderr(global.color) {
        writeln!(err, "{}{text}", prefix.red().bold())
    } else {
        writeln!(err, "{prefix}{text}")
    };
}

/// Prints the requested help or version.
pub fn help(asked: &clap::Error) {
    // An error here means that the stream is closed.
    let _ = asked.print();
}

/// Writes a line to standard error, unless `--quiet`.
pub fn say(global: &GlobalFlags, text: &str) {
    if !global.quiet {
        // An error here means that standard error is closed.
        let _ = held::line(&line(text, global));
    }
}

/// Writes a warning as kubectl does, unless `--quiet`.
pub fn warn(global: &GlobalFlags, text: &str) {
    if global.quiet {
        return;
    }
    let text = format!("{WARNING} {text}");
    // A screen shows a retained line as a single uncoloured line.
    let text = if held::is_covered() {
        line(text, global)
    } else if terminal::stderr(global.color) {
        wrapped(&text, global).replacen(WARNING, &WARNING.yellow().bold().to_string(), 1)
    } else {
        wrapped(&text, global)
    };
    // An error here means that standard error is closed.
    let _ = held::line(&text);
}

/// Prefix of a warning.
const WARNING: &str = "Warning:";

fn line(text: impl Into<Safe>, global: &GlobalFlags) -> String {
    let text = text.into();
    if terminal::is_ascii(global.ascii) {
        text.to_ascii().into_owned()
    } else {
        text.as_str().to_owned()
    }
}

/// Writes what must not get lost to standard error.
///
/// # Errors
/// When standard error cannot be written.
pub fn insist(text: &Printable) -> io::Result<()> {
    io::stderr().lock().write_all(text.as_bytes())
}

/// Writes lines to standard error.
pub fn say_lines(lines: &Printable) {
    let _ = io::stderr().lock().write_all(lines.as_bytes());
}

/// The paper for pages on standard output: its width, colour and characters.
pub fn paper(global: &GlobalFlags) -> Paper {
    let terminal = io::stdout().is_terminal();
    let width = if terminal {
        let set = std::env::var("COLUMNS").ok().and_then(|v| v.parse().ok());
        set.or_else(|| terminal_size::terminal_size().map(|(width, _)| width.0))
    } else {
        None
    };
    let drawing = terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    let color = terminal::stdout(global.color);
    let links = terminal && color && drawing && supports_hyperlinks::supports_hyperlinks();
    Paper { color, width, drawing, links, ..plain_paper(global) }
}

/// The height of the terminal at standard output, without the line of the prompt below the answer;
/// 0 if it is not a terminal.
pub fn lines() -> usize {
    if !io::stdout().is_terminal() {
        return 0;
    }
    let set = std::env::var("LINES").ok().and_then(|value| value.parse().ok());
    let height =
        set.or_else(|| terminal_size::terminal_size().map(|(_, height)| usize::from(height.0)));
    height.unwrap_or_default().saturating_sub(1)
}

/// The paper for `-o wide`, which cuts nothing.
pub fn wide_paper(global: &GlobalFlags) -> Paper {
    Paper { whole: true, ..paper(global) }
}

/// The paper for a page that shows this much.
pub fn paper_for(extent: Extent, global: &GlobalFlags) -> Paper {
    if extent.is_whole() { wide_paper(global) } else { paper(global) }
}

/// A line for standard error, wrapped between words on a terminal.
pub fn wrapped(line: &str, global: &GlobalFlags) -> String {
    let text = line.trim_start_matches(' ');
    let mut page = Page::default();
    page.line(line.len() - text.len(), vec![Span::new(text, Tone::Plain)]);
    let err = io::stderr();
    let width = if err.is_terminal() {
        terminal_size::terminal_size_of(err).map(|(width, _)| width.0)
    } else {
        None
    };
    page.print(Paper { width, ..plain_paper(global) }).trim_end_matches('\n').to_owned()
}

/// Paper for pages that go to standard error, or into a file.
pub fn plain_paper(global: &GlobalFlags) -> Paper {
    Paper { ascii: terminal::is_ascii(global.ascii), program: program(), ..Paper::PLAIN }
}

/// Logs to standard error, with kubectl's levels: slow waits unless `quiet`, from 1 the connected
/// server, from 4 what is read, from 6 requests, from 8 their headers.
pub fn log(verbosity: u8, quiet: bool) {
    let (others, ours) = match verbosity {
        0 if quiet => return,
        0 => (LevelFilter::Off, LevelFilter::Warn),
        1..=3 => (LevelFilter::Warn, LevelFilter::Info),
        4..=7 => (LevelFilter::Warn, LevelFilter::Debug),
        _ => (LevelFilter::Warn, LevelFilter::Trace),
    };
    let requests = if matches!(verbosity, 4..=5) { LevelFilter::Info } else { ours };
    let lines = LogLines { ours, requests, others, dated: verbosity > 0 };
    // An error means that an earlier run in this process has set up the log.
    if log::set_boxed_logger(Box::new(lines)).is_ok() {
        log::set_max_level(ours);
    }
}

/// The log on standard error.
struct LogLines {
    /// The least important level that is written of what this program logs.
    ours: LevelFilter,
    /// That of what it logs about requests.
    requests: LevelFilter,
    /// That of what its dependencies log. They use `tracing`, which logs here because nothing
    /// collects its events.
    others: LevelFilter,
    /// Whether a line begins with its time and level.
    dated: bool,
}

impl Log for LogLines {
    fn enabled(&self, event: &Metadata) -> bool {
        let target = event.target();
        let most = if target.starts_with("kubectl_preempt::api::log") {
            self.requests
        } else if target.starts_with("kubectl_preempt") {
            self.ours
        } else {
            self.others
        };
        event.level() <= most
    }

    /// Control characters are escaped, because log lines quote the server. Lines are retained
    /// while a screen covers standard error.
    fn log(&self, event: &Record) {
        if !self.enabled(event.metadata()) {
            return;
        }
        let line = if self.dated {
            format!("{:.6} {:>5} {}", Timestamp::now(), event.level(), event.args())
        } else {
            event.args().to_string()
        };
        // An error here means that standard error is closed.
        let _ = held::line(Safe::from(line).as_str());
    }

    fn flush(&self) {}
}

/// JSON with escapes for characters that a terminal would interpret.
///
/// # Errors
/// Never for the types of this crate.
pub fn json(value: &impl Serialize) -> anyhow::Result<Printable> {
    json_text(value).map(Printable::new)
}

/// YAML with the same escapes as [`json()`].
///
/// # Errors
/// Never for the types of this crate.
pub fn yaml(value: &impl Serialize) -> anyhow::Result<Printable> {
    yaml_of(json_text(value)?)
}

/// The value as a JSON tree.
///
/// # Errors
/// Never for the types of this crate.
pub fn to_value(value: &impl Serialize) -> anyhow::Result<Value> {
    serde_json::from_str(&json_text(value)?).context("output")
}

/// The text of [`json()`]. Other output formats are derived from it, so that each type has one
/// encoder.
fn json_text(value: &impl Serialize) -> anyhow::Result<String> {
    render::json::text(value).context("output")
}

fn yaml_of(json: String) -> anyhow::Result<Printable> {
    // JSON is valid YAML, too.
    Ok(harmless_yaml(&json)?.unwrap_or_else(|| Printable::new(json)))
}

/// The text of [`json()`] as YAML; `None` if it has characters that a terminal would interpret:
/// the emitter does not escape all of them, as JSON does.
pub(super) fn harmless_yaml(json: &str) -> anyhow::Result<Option<Printable>> {
    let value: Ordered = serde_json::from_str(json).context("output")?;
    let text = serde_saphyr::to_string(&value).context("output")?;
    let is_harmful = text.chars().any(|c| c != '\n' && is_hostile(c));
    Ok((!is_harmful).then(|| Printable::new(text)))
}
