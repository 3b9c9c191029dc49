//! What stops the decoding of an input.

/// An input that is not made of Kubernetes objects: where it came from, and what is wrong with it, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: {problem}")]
pub struct DecodeError {
    /// The file, or `standard input`.
    pub origin: String,
    /// What is wrong with it, and where.
    pub problem: String,
}

impl DecodeError {
    pub(super) fn new(origin: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { origin: origin.into(), problem: problem.into() }
    }
}
