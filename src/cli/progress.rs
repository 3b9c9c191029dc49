//! What is being read, on standard error, once that takes longer than a second. For people only: nothing in a pipe, on a
//! terminal that cannot move its cursor, or with `-q`. It is gone before anything else is said.

use std::io::IsTerminal as _;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::capture::live::Progress as Read;
use engine::snapshot::Kind;
use render::page::sanitize;
use render::words;

/// Whoever waits less needs no company.
const SILENT: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(120);

/// A line that tells how far the reading is, until it is dropped.
pub struct Progress {
    bar: ProgressBar,
    since: Instant,
    /// Ends the wait of the thread that shows the line.
    end: Option<(Sender<()>, JoinHandle<()>)>,
    kind: Option<Kind>,
    pages: usize,
    /// Objects of the kinds before this one.
    before: usize,
}

impl Progress {
    /// A cluster is read. Waits for a second before it shows anything.
    #[must_use]
    pub fn new(quiet: bool) -> Self {
        Self::of(quiet, "waiting for the API server")
    }

    /// `what` is done.
    #[must_use]
    pub fn of(quiet: bool, what: &str) -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let shown = !quiet && !dumb && std::io::stderr().is_terminal();
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let end = shown.then(|| show_later(&bar, what));
        Self { bar, since: Instant::now(), end, kind: None, pages: 0, before: 0 }
    }

    /// A page has come, or the end of a kind.
    pub fn saw(&mut self, read: Read) {
        if self.end.is_none() {
            return;
        }
        if self.kind != Some(read.kind) {
            (self.kind, self.pages) = (Some(read.kind), 0);
        }
        if read.complete {
            self.before += read.objects;
            return;
        }
        self.pages += 1;
        self.bar.set_message(line(read, self.pages, self.before, self.since.elapsed()));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.end.take() {
            drop(end);
            // It cannot fail, and only must not draw after us.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

fn show_later(bar: &ProgressBar, what: &str) -> (Sender<()>, JoinHandle<()>) {
    let style =
        ProgressStyle::with_template("{spinner} {wide_msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
    bar.set_style(style.tick_chars("|/-\\ "));
    bar.set_message(sanitize(what).into_owned());
    let (end, ended) = mpsc::channel();
    let bar = bar.clone();
    let thread = thread::spawn(move || {
        if ended.recv_timeout(SILENT) == Err(RecvTimeoutError::Timeout) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(TICK);
        }
    });
    (end, thread)
}

/// `reading pods: 12,500 objects, 25 pages, 4,100 objects/s`.
fn line(read: Read, pages: usize, before: usize, elapsed: Duration) -> String {
    let all = (before + read.objects) as u128;
    let rate = usize::try_from(all * 1000 / elapsed.as_millis().max(1)).unwrap_or(usize::MAX);
    format!(
        "reading {}: {}, {}, {}/s",
        read.kind.plural(),
        words::count(read.objects, "object"),
        words::count(pages, "page"),
        words::count(rate, "object")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_and_how_fast() {
        let read = Read { kind: Kind::Pod, objects: 12_500, complete: false };
        let text = line(read, 25, 500, Duration::from_secs(2));
        assert_eq!(text, "reading pods: 12,500 objects, 25 pages, 6,500 objects/s");
        let first = Read { kind: Kind::Node, objects: 1, complete: false };
        assert_eq!(line(first, 1, 0, Duration::ZERO), "reading nodes: 1 object, 1 page, 1,000 objects/s");
    }
}
