//! Deciding about many pods, one after the other: how far it has come, on a terminal, and an end in
//! order on Ctrl-C.

use std::io::{self, IsTerminal as _};
use std::sync::Once;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Instant;

use super::flags::GlobalFlags;
use super::progress::ProgressLine;
use crate::apply::Signal;
use crate::apply::signals;
use answers::questions::Cut;
use render::page::{Page, Span, Tone};

/// Nothing is being decided: a signal ends the process.
const IDLE: u8 = 0;
/// Pods are being decided: SIGINT ends that, and what is known is printed.
const DECIDING: u8 = 1;
/// SIGINT has come. Another one ends the process.
const INTERRUPTED: u8 = 2;

/// Where the process is. There is one, because signals are sent to the process.
static STATE: AtomicU8 = AtomicU8::new(IDLE);
static LISTENS: Once = Once::new();

/// A list of pods that is being decided. Dropping it ends that.
pub struct Deciding {
    progress: ProgressLine,
    since: Instant,
    total: usize,
    done: usize,
    /// Where SIGINT shows; `None` where signals are not listened to.
    state: Option<&'static AtomicU8>,
}

/// The beginning of a page that is not complete.
#[must_use]
pub fn page_of(cut: Cut) -> Page {
    let mut page = Page::default();
    page.line(0, vec![Span::new(cut.sentence(), Tone::Strong)]);
    page
}

impl Deciding {
    /// About to decide `pods` pods. A single one is decided at once, or not at all.
    pub fn new(pods: usize, global: &GlobalFlags) -> Self {
        Self::shown(pods, global.quiet)
    }

    /// The same for a list that is written meanwhile. On a terminal it shows itself how far it has
    /// come, and a line of progress would get between its lines.
    pub fn while_written(pods: usize, global: &GlobalFlags) -> Self {
        Self::shown(pods, global.quiet || io::stdout().is_terminal())
    }

    fn shown(pods: usize, quiet: bool) -> Self {
        let several = pods > 1;
        if several {
            LISTENS.call_once(listen);
        }
        let progress = ProgressLine::of(quiet || !several, "deciding");
        Self::of(pods, progress, several.then_some(&STATE))
    }

    /// For a list that is of no use in part: it shows how far it has come, and signals end the
    /// process.
    pub fn uninterrupted(global: &GlobalFlags) -> Self {
        Self::of(0, ProgressLine::of(global.quiet, "deciding"), None)
    }

    fn of(total: usize, progress: ProgressLine, state: Option<&'static AtomicU8>) -> Self {
        if let Some(state) = state {
            state.store(DECIDING, Ordering::SeqCst);
        }
        Self { progress, since: Instant::now(), total, done: 0, state }
    }

    /// Whether the next pod is to be decided. One pod always is.
    #[must_use]
    pub fn goes_on(&mut self) -> bool {
        if self.done > 0 {
            if self.is_interrupted() {
                return false;
            }
            self.progress.counted("deciding", self.done, self.total, self.since.elapsed());
        }
        self.done += 1;
        true
    }

    /// The same for a list that counts itself, and whose first pod is decided.
    pub fn goes_on_after(&self, done: usize, total: usize) -> bool {
        self.progress.counted("deciding", done, total, self.since.elapsed());
        !self.is_interrupted()
    }

    /// Whether an interrupt has ended it.
    pub fn is_interrupted(&self) -> bool {
        self.state.is_some_and(|state| state.load(Ordering::SeqCst) == INTERRUPTED)
    }
}

impl Drop for Deciding {
    fn drop(&mut self) {
        if let Some(state) = self.state {
            state.store(IDLE, Ordering::SeqCst);
        }
    }
}

/// Listens to signals until the process ends.
fn listen() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return };
    let (ready, is_ready) = std::sync::mpsc::channel();
    thread::spawn(move || {
        runtime.block_on(signals::each(ready, |signal| {
            if !interrupt(&STATE, signal) {
                std::process::exit(signal.exit().code().into());
            }
        }));
    });
    // From now on no signal kills the process before it is seen here.
    let _ = is_ready.recv();
}

/// Whether the list that is being decided ends by a signal, in place of the process.
fn interrupt(state: &AtomicU8, signal: Signal) -> bool {
    signal == Signal::Interrupt
        && state.compare_exchange(DECIDING, INTERRUPTED, Ordering::SeqCst, Ordering::SeqCst).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupted_list_has_the_pods_that_are_decided() {
        static OWN: AtomicU8 = AtomicU8::new(IDLE);
        let mut deciding = Deciding::of(1_200, ProgressLine::of(true, ""), Some(&OWN));
        assert!(deciding.goes_on() && deciding.goes_on());
        assert!(!interrupt(&OWN, Signal::Terminate), "it ends the process");
        assert!(deciding.goes_on());
        assert!(interrupt(&OWN, Signal::Interrupt));
        assert!(!interrupt(&OWN, Signal::Interrupt), "the second one ends the process");
        assert!(!deciding.goes_on());
        assert!(deciding.is_interrupted());
        drop(deciding);
        assert!(!interrupt(&OWN, Signal::Interrupt), "nothing is being decided any more");
    }

    #[test]
    fn list_that_counts_itself_ends_when_it_is_interrupted() {
        static OWN: AtomicU8 = AtomicU8::new(IDLE);
        let deciding = Deciding::of(3, ProgressLine::of(true, ""), Some(&OWN));
        assert!(deciding.goes_on_after(1, 3));
        assert!(interrupt(&OWN, Signal::Interrupt));
        assert!(!deciding.goes_on_after(2, 3));
    }

    #[test]
    fn complete_list_says_nothing() {
        static OWN: AtomicU8 = AtomicU8::new(IDLE);
        let mut deciding = Deciding::of(2, ProgressLine::of(true, ""), Some(&OWN));
        assert!(deciding.goes_on() && deciding.goes_on());
        assert!(!deciding.is_interrupted());
        let mut none = Deciding::of(2, ProgressLine::of(true, ""), Some(&OWN));
        assert!(interrupt(&OWN, Signal::Interrupt));
        assert!(none.goes_on(), "one pod is always decided");
        assert!(!none.goes_on());
    }
}
