//! Whether nodes can be removed: the words for what is in the way, and the commands that drain them.

pub mod commands;
pub mod reason;
