//! What a run returns.

use super::journal::Journal;
use crate::error::Error;

/// The result of a run.
#[derive(Debug)]
#[must_use]
pub struct ApplyReport {
    /// Everything that happened.
    pub journal: Journal,
    /// The problem that stopped the run, if one did.
    pub problem: Option<Error>,
}
