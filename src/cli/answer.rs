//! An answer in the formats that were asked for, and what is done with it.
//!
//! A command that decides hands its answer on as long as what it has read is still there: on a
//! command line the process ends then, because freeing a large cluster takes longer than deciding.

use super::ending::Ending;
use super::flags::GlobalFlags;
use super::pager;
use crate::exit::Exit;
use render::safe::Printable;

/// What a command has found.
#[derive(Debug)]
pub struct Answer {
    /// The answer in each of the formats, in their order.
    pub texts: Vec<Printable>,
    /// How the command ends after it.
    pub exit: Exit,
}

/// Takes the answer while what it was made of is still there.
pub type Deliver<'d> = &'d mut dyn FnMut(Answer) -> anyhow::Result<Exit>;

impl Answer {
    /// Prints the answer, and ends the command.
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
