//! An answer in the requested formats, and its delivery.
//!
//! A command passes its answer on while its input still exists: on a command line the process then
//! ends, because freeing a large cluster takes longer than deciding.

use super::ending::Ending;
use super::flags::GlobalFlags;
use super::pager;
use crate::exit::Exit;
use render::safe::Printable;

/// The result of a command.
#[derive(Debug)]
pub struct CommandAnswer {
    /// The answer in each of the formats, in their order.
    pub texts: Vec<Printable>,
    pub exit: Exit,
}

/// Receives the answer while the command's input still exists.
pub type Deliver<'d> = &'d mut dyn FnMut(CommandAnswer) -> anyhow::Result<Exit>;

impl CommandAnswer {
    /// Prints the answer and ends the command.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn print(self, global: &GlobalFlags, ending: Ending) -> anyhow::Result<Exit> {
        for text in &self.texts {
            pager::print(text, global)?;
        }
        Ok(ending.end(self.exit))
    }
}
