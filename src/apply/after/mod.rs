//! The steps after the removals.

pub(super) mod finish;
pub(super) mod wait;
