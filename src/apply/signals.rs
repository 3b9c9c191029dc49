//! SIGINT, SIGTERM and SIGHUP: the run shuts down in order and still reports its journal.

use tokio::sync::watch;

use crate::exit::Exit;

/// A signal that ends the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT, Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP: the terminal is closed.
    HangUp,
}

impl Signal {
    pub(crate) fn exit(self) -> Exit {
        match self {
            Self::Interrupt => Exit::Interrupted,
            Self::Terminate => Exit::Terminated,
            Self::HangUp => Exit::HungUp,
        }
    }

    /// The effect in words.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Interrupt => "interrupted".to_owned(),
            Self::Terminate | Self::HangUp => format!("interrupted by {}", self.name()),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
            Self::HangUp => "SIGHUP",
        }
    }
}

/// What ends a run early, besides its time limit.
#[derive(Debug, Clone)]
pub struct StopSource {
    /// The last signal and the number of signals so far.
    pub signals: watch::Receiver<Option<(Signal, u32)>>,
    /// Whether the time limit counts as passed before its time, if a caller decides that.
    pub time_is_up: Option<watch::Receiver<bool>>,
}

/// Receives signals and counts them.
#[derive(Debug, Clone)]
pub(super) struct SignalReceiver(watch::Receiver<Option<(Signal, u32)>>);

impl SignalReceiver {
    pub(super) const fn new(receiver: watch::Receiver<Option<(Signal, u32)>>) -> Self {
        Self(receiver)
    }

    pub(super) fn count(&self) -> u32 {
        self.0.borrow().map_or(0, |(_, count)| count)
    }

    /// Waits until there are more than `count` signals and returns the last.
    pub(super) async fn after(&mut self, count: u32) -> Signal {
        loop {
            let last = *self.0.borrow();
            if let Some((signal, received)) = last
                && received > count
            {
                return signal;
            }
            if self.0.changed().await.is_err() {
                // No further signal can arrive.
                std::future::pending::<()>().await;
            }
        }
    }
}

/// Waits for the first signal to the process from now on. Must be called inside a runtime.
pub(crate) async fn first() -> Signal {
    let (sender, receiver) = watch::channel(None);
    let mut signals = SignalReceiver(receiver);
    tokio::select! {
        () = listen(sender) => std::future::pending().await,
        signal = signals.after(0) => signal,
    }
}

/// Hands each signal that the process receives from now on to `take`, and says on `ready` when that
/// begins. Must be called inside a runtime.
pub(crate) async fn each(ready: std::sync::mpsc::Sender<()>, take: impl Fn(Signal)) {
    let (sender, receiver) = watch::channel(None);
    let mut signals = SignalReceiver(receiver);
    let take_all = async {
        let mut taken = 0;
        loop {
            let signal = signals.after(taken).await;
            taken = signals.count();
            take(signal);
        }
    };
    let listening = async move {
        // The first poll installs the handlers.
        let mut listening = std::pin::pin!(listen(sender));
        tokio::select! {
            biased;
            () = &mut listening => {}
            () = std::future::ready(()) => {
                let _ = ready.send(());
                listening.await;
            }
        }
    };
    tokio::join!(take_all, listening);
}

#[cfg(unix)]
async fn listen(sender: watch::Sender<Option<(Signal, u32)>>) {
    use tokio::signal::unix::{SignalKind, signal};

    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return;
    };
    // Under nohup the process continues without its terminal.
    let mut hang_up = if ignores_hang_up() { None } else { signal(SignalKind::hangup()).ok() };
    loop {
        let received = tokio::select! {
            _ = interrupt.recv() => Signal::Interrupt,
            _ = terminate.recv() => Signal::Terminate,
            Some(()) = async { hang_up.as_mut()?.recv().await } => Signal::HangUp,
        };
        sender.send_modify(|last| *last = Some((received, last.map_or(0, |(_, count)| count) + 1)));
    }
}

/// Whether the process was started with SIGHUP ignored. Only Linux reports this.
#[cfg(unix)]
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 == 1)
}

#[cfg(not(unix))]
async fn listen(sender: watch::Sender<Option<(Signal, u32)>>) {
    while tokio::signal::ctrl_c().await.is_ok() {
        sender.send_modify(|last| {
            *last = Some((Signal::Interrupt, last.map_or(0, |(_, count)| count) + 1))
        });
    }
}
