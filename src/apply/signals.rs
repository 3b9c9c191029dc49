//! SIGINT and SIGTERM: what is under way ends in order, and what was done is told.

use tokio::sync::watch;

use crate::exit::Exit;

/// A wish that it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT, Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

impl Signal {
    pub(crate) fn exit(self) -> Exit {
        match self {
            Self::Interrupt => Exit::Interrupted,
            Self::Terminate => Exit::Terminated,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
        }
    }
}

/// Where signals come from.
#[derive(Debug)]
pub enum Signals {
    /// The process's. From then on they end it in order, and no more at once.
    OfProcess,
    /// Somebody who sends the last signal, and how many there were.
    From(watch::Receiver<Option<(Signal, u32)>>),
}

/// Hears signals, any number of times.
#[derive(Debug, Clone)]
pub(super) struct Ear(watch::Receiver<Option<(Signal, u32)>>);

impl Ear {
    /// Must be called inside a runtime.
    pub(super) fn new(signals: Signals) -> Self {
        match signals {
            Signals::From(receiver) => Self(receiver),
            Signals::OfProcess => {
                let (sender, receiver) = watch::channel(None);
                tokio::spawn(listen(sender));
                Self(receiver)
            }
        }
    }

    /// The last signal, if there was one.
    pub(super) fn heard(&self) -> Option<(Signal, u32)> {
        *self.0.borrow()
    }

    /// Ends when there were more than `count` signals.
    pub(super) async fn more_than(&mut self, count: u32) -> Signal {
        loop {
            if let Some((signal, heard)) = self.heard()
                && heard > count
            {
                return signal;
            }
            if self.0.changed().await.is_err() {
                // Nobody can signal any more.
                std::future::pending::<()>().await;
            }
        }
    }
}

/// The first signal that the process gets from now on. Must be called inside a runtime.
pub(crate) async fn first() -> Signal {
    let (sender, receiver) = watch::channel(None);
    let mut ear = Ear(receiver);
    tokio::select! {
        () = listen(sender) => std::future::pending().await,
        signal = ear.more_than(0) => signal,
    }
}

#[cfg(unix)]
async fn listen(sender: watch::Sender<Option<(Signal, u32)>>) {
    use tokio::signal::unix::{SignalKind, signal};

    let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return;
    };
    loop {
        let heard = tokio::select! {
            _ = interrupt.recv() => Signal::Interrupt,
            _ = terminate.recv() => Signal::Terminate,
        };
        sender.send_modify(|last| *last = Some((heard, last.map_or(0, |(_, count)| count) + 1)));
    }
}

#[cfg(not(unix))]
async fn listen(sender: watch::Sender<Option<(Signal, u32)>>) {
    while tokio::signal::ctrl_c().await.is_ok() {
        sender.send_modify(|last| *last = Some((Signal::Interrupt, last.map_or(0, |(_, count)| count) + 1)));
    }
}
