//! What a run returns.

use super::journal::Journal;
use crate::error::Error;

/// The result of a run.
#[derive(Debug)]
#[must_use]
pub struct ApplyReport {
    pub journal: Journal,
    /// The problem that stopped the run, if there was one.
    pub problem: Option<Error>,
}
