//! What stands on a terminal, in a pipe and in the pictures of the README.

pub mod groups;
mod recording;
mod screens;
mod text;
