//! The scheduler's decisions about clusters that tests build: their values, and short texts of them.

mod answer;
mod ask;
mod doubts;

pub use answer::Answer;
pub use ask::{At, at, decide, features, verify, with_cycle};
pub use builders::*;
pub use doubts::{notes_at, notes_of, without};
