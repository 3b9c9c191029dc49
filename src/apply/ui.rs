//! The interface between apply and the terminal. All texts are sanitized: they contain no control
//! sequences.

use super::journal::{Journal, VictimState};
use engine::simulation::plan::PodId;

/// The dialog with the user.
pub trait Ui: Send {
    /// Prints an informational line, without its newline.
    fn say(&mut self, line: &str);

    /// Prints a line that `--quiet` does not suppress.
    fn warn(&mut self, line: &str);

    /// Whether the user can be prompted.
    fn can_ask(&self) -> bool;

    /// Asks a question. The receiver gets the user's line, or `None` at the end of the input.
    fn ask(&mut self, question: &str) -> tokio::sync::oneshot::Receiver<Option<String>>;

    /// Shows the state of a victim, with an optional detail.
    fn progress(&mut self, victim: &PodId, state: VictimState, detail: &str);

    /// The journal after each change of it, and before each request that removes a pod, for whoever
    /// tells what was done if the program fails.
    fn recorded(&mut self, _: &Journal) {}

    /// Ends the display of progress.
    fn done(&mut self);
}
