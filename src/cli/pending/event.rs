//! What the threads of `--watch` tell each other.

use super::schedule::Task;
use super::screen::UserInput;
use super::screen::state::{DrawnPodAnswer, PodQuestion, WantedAnswer};
use crate::capture::live::kept::KeptEvent;
use crate::error::Error;
use crate::exit::Exit;
use answers::questions::pending::{PendingReport, PendingRow};

/// What the loop reacts to.
pub(super) enum QueueEvent {
    /// A task has ended: the waiting pods, and the rows of those that no longer wait.
    Done(Box<Result<(PendingReport, Vec<PendingRow>), Error>>),
    /// The answer to a question about a pod.
    Answered(PodQuestion, Box<DrawnPodAnswer>),
    /// What helps several pods of the list was looked for: the best of it in one line, if they are
    /// several.
    Suggested(Option<String>),
    /// So much was read of the first list.
    Read(String),
    /// From what is kept of the cluster.
    Kept(KeptEvent),
    /// From the terminal.
    Input(UserInput),
    /// A signal asks the program to stop.
    Stop(Exit),
}

/// What the thread that decides is asked for.
pub(super) enum DecideRequest {
    Do(Task),
    /// To answer a question about one of the pods.
    Answer(WantedAnswer),
}
