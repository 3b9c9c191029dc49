//! The steps after the removals.

pub(super) mod finish;
mod room;
pub(super) mod wait;
