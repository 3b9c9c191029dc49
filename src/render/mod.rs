//! Decisions to text. Nothing here decides.

pub mod comparison;
pub mod doctor;
pub mod groups;
pub mod help;
pub mod json;
pub mod notes;
pub mod page;
pub mod safe;
pub mod simulation;
pub mod text;
pub mod verification;
pub mod words;
