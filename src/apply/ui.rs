//! What apply needs from the terminal. All texts that it passes are sanitized: they contain no
//! control sequences.

use super::journal::VictimState;
use engine::simulation::plan::PodId;

/// The dialog with the user.
pub trait Ui: Send {
    /// Prints a line of information, without its newline.
    fn say(&mut self, line: &str);

    /// Prints a line that `--quiet` does not suppress.
    fn warn(&mut self, line: &str);

    /// Whether a user can be asked.
    fn can_ask(&self) -> bool;

    /// Asks a question. The receiver gets the line that the user enters, `None` at the end of the
    /// input.
    fn ask(&mut self, question: &str) -> tokio::sync::oneshot::Receiver<Option<String>>;

    /// Shows the state of a victim, with a detail that may be empty.
    fn progress(&mut self, victim: &PodId, state: VictimState, detail: &str);

    /// Ends the display of progress.
    fn done(&mut self);
}
