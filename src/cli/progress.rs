//! A progress line on standard error while a cluster or files are read, shown after a second. It is
//! not shown in a pipe, on a terminal without cursor movement, or with `-q`, and it is removed
//! before anything else is printed.

use std::io::IsTerminal as _;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::capture::live::ListProgress;
use answers::words;
use engine::snapshot::Kind;
use render::page::sanitize;

/// Delay before the line appears.
const DELAY: Duration = Duration::from_secs(1);
/// Interval between frames of the spinner.
const TICK: Duration = Duration::from_millis(120);

/// The progress line, until dropped.
pub struct ProgressLine {
    bar: ProgressBar,
    /// Stops the thread that shows the line.
    end: Option<(Sender<()>, JoinHandle<()>)>,
    tally: ObjectTally,
}

/// Shows the progress of reading a cluster until the function is dropped.
pub fn shown(quiet: bool) -> impl FnMut(ListProgress) {
    let mut progress = ProgressLine::new(quiet);
    move |read| progress.saw(read)
}

impl ProgressLine {
    /// For reading a cluster.
    pub fn new(quiet: bool) -> Self {
        Self::of(quiet, "waiting for the API server")
    }

    /// With the text `what`.
    pub fn of(quiet: bool, what: &str) -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let shown = !quiet && !dumb && std::io::stderr().is_terminal();
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let end = shown.then(|| show_later(&bar, what));
        Self { bar, end, tally: ObjectTally::new() }
    }

    /// Shows the progress of a file of `size` bytes and the remaining time. The caller reports the
    /// number of bytes read.
    pub fn of_file(&self, name: &str, size: u64) -> impl Fn(u64) + Send + Sync + use<> {
        let (bar, since) = (self.end.as_ref().map(|_| self.bar.clone()), Instant::now());
        let name = sanitize(name).into_owned();
        move |read| {
            if let Some(bar) = &bar {
                bar.set_message(file_line(&name, read, size, since.elapsed()));
            }
        }
    }

    /// Shows how many of all are `done`, and how long the rest will take.
    pub fn counted(&self, what: &str, done: usize, total: usize, elapsed: Duration) {
        if self.end.is_some() {
            self.bar.set_message(counted_line(what, done, total, elapsed));
        }
    }

    /// A page has come, or a list is complete.
    pub fn saw(&mut self, read: ListProgress) {
        if let (Some(_), Some(line)) = (&self.end, self.tally.saw(read)) {
            self.bar.set_message(line);
        }
    }
}

/// Counts objects and pages.
pub struct ObjectTally {
    since: Instant,
    kind: Option<Kind>,
    pages: usize,
    /// Objects of the complete kinds.
    before: usize,
}

impl ObjectTally {
    pub fn new() -> Self {
        Self { since: Instant::now(), kind: None, pages: 0, before: 0 }
    }

    /// Handles a received page or a complete list. Returns the progress as a line if it has
    /// changed.
    pub fn saw(&mut self, read: ListProgress) -> Option<String> {
        if self.kind != Some(read.kind) {
            (self.kind, self.pages) = (Some(read.kind), 0);
        }
        if read.complete {
            self.before += read.objects;
            return None;
        }
        self.pages += 1;
        Some(line(read, self.pages, self.before, self.since.elapsed()))
    }
}

impl Default for ObjectTally {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.end.take() {
            drop(end);
            // The thread must not draw the line again after it was removed.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

fn show_later(bar: &ProgressBar, what: &str) -> (Sender<()>, JoinHandle<()>) {
    let style = ProgressStyle::with_template("{spinner} {wide_msg}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner());
    bar.set_style(style.tick_chars("|/-\\ "));
    bar.set_message(sanitize(what).into_owned());
    let bar = bar.clone();
    after(DELAY, move || {
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar.enable_steady_tick(TICK);
    })
}

/// Acts once `delay` has passed, unless the sender is dropped before.
fn after(delay: Duration, act: impl FnOnce() + Send + 'static) -> (Sender<()>, JoinHandle<()>) {
    let (end, ended) = mpsc::channel();
    let thread = thread::spawn(move || {
        if ended.recv_timeout(delay) == Err(RecvTimeoutError::Timeout) {
            act();
        }
    });
    (end, thread)
}

/// `reading pods: 12,500 objects, 25 pages, 4,100 objects/s`.
fn line(read: ListProgress, pages: usize, before: usize, elapsed: Duration) -> String {
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

/// `reading pods.json: 340 of 1,100 MiB, about 3 s left`.
fn file_line(name: &str, read: u64, size: u64, elapsed: Duration) -> String {
    let [done, all] = [read, size.max(read)]
        .map(|bytes| words::group_digits(usize::try_from(bytes >> 20).unwrap_or(usize::MAX)));
    // The end of a file that grows while it is read is unknown.
    let left = size.checked_sub(read).filter(|_| read > 0).map(|left| {
        let seconds = elapsed.as_millis() * u128::from(left) / u128::from(read) / 1000;
        format!(", about {} s left", seconds + 1)
    });
    let left = left.unwrap_or_default();
    format!("reading {name}: {done} of {all} MiB{left}")
}

/// `deciding: 340 of 1,000 pods, about 3 s left`.
fn counted_line(what: &str, done: usize, total: usize, elapsed: Duration) -> String {
    let left = elapsed.as_millis() * total.saturating_sub(done) as u128 / done.max(1) as u128;
    let left =
        if done == 0 { String::new() } else { format!(", about {} s left", left / 1000 + 1) };
    format!("{what}: {} of {}{left}", words::group_digits(done), words::count(total, "pod"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_line_about_a_file_says_how_far_it_is_and_how_long_the_rest_takes() {
        let line = |read: u64, size: u64| {
            file_line("a.json", read << 20, size << 20, Duration::from_secs(2))
        };
        assert_eq!(line(500, 2_000), "reading a.json: 500 of 2,000 MiB, about 7 s left");
        assert_eq!(line(0, 2_000), "reading a.json: 0 of 2,000 MiB");
        assert_eq!(line(20, 10), "reading a.json: 20 of 20 MiB");
    }

    #[test]
    fn a_line_about_pods_says_how_many_are_decided_and_how_long_the_rest_takes() {
        let line = |done| counted_line("deciding", done, 1_000, Duration::from_secs(2));
        assert_eq!(line(250), "deciding: 250 of 1,000 pods, about 7 s left");
        assert_eq!(line(0), "deciding: 0 of 1,000 pods");
    }

    #[test]
    fn nothing_is_shown_about_what_ends_before_the_delay() {
        let shown = Arc::new(AtomicBool::new(false));
        let show = || {
            let shown = shown.clone();
            move || shown.store(true, Ordering::Relaxed)
        };
        let (end, thread) = after(Duration::from_secs(3600), show());
        drop(end);
        thread.join().unwrap();
        assert!(!shown.load(Ordering::Relaxed));
        let (_goes_on, thread) = after(Duration::ZERO, show());
        thread.join().unwrap();
        assert!(shown.load(Ordering::Relaxed));
    }

    #[test]
    fn a_line_says_what_and_how_fast() {
        let read = ListProgress { kind: Kind::Pod, objects: 12_500, complete: false };
        let text = line(read, 25, 500, Duration::from_secs(2));
        assert_eq!(text, "reading pods: 12,500 objects, 25 pages, 6,500 objects/s");
        let first = ListProgress { kind: Kind::Node, objects: 1, complete: false };
        assert_eq!(
            line(first, 1, 0, Duration::ZERO),
            "reading nodes: 1 object, 1 page, 1,000 objects/s"
        );
    }
}
