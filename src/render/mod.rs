//! Decisions to text. Nothing here decides.

pub mod json;
pub mod words;
