//! What a step of preemption does, for the rulebook.

use crate::framework::reason::When;

/// The documentation of a step.
#[derive(Debug)]
pub struct StepDoc {
    /// Stable code, `PRE-4nn`.
    pub code: &'static str,
    /// Its name in the output.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub meaning: &'static str,
    /// The versions that have it.
    pub when: When,
    /// Upstream path and version that it mirrors.
    pub source: &'static str,
}
