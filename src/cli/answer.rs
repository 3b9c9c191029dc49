//! The answer of a tool for agents, and its delivery while the input still exists: the process then
//! ends, because freeing a large cluster takes longer than deciding.

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
