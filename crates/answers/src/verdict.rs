//! How a question was answered.

/// How a question was answered, from best to worst. The exit code of a command is made of it alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Yes, or the question is not one of yes or no.
    Yes,
    /// No: no node takes the pod, a node cannot be drained, nothing helps.
    No,
    /// Something that the answer depends on is not modelled, was not read, or is left open.
    Uncertain,
}

impl Verdict {
    /// [`Self::Uncertain`] if `uncertain`, else whether the answer is `yes`.
    pub const fn new(yes: bool, uncertain: bool) -> Self {
        match (uncertain, yes) {
            (true, _) => Self::Uncertain,
            (false, true) => Self::Yes,
            (false, false) => Self::No,
        }
    }
}
