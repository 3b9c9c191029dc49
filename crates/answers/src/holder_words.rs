//! What a program says about a pod, as values: that it holds it, or that it does not start it.

/// What a program says about a pod that it holds.
pub struct HolderWords {
    /// `Kueue says`.
    pub head: String,
    /// Its message, the objects with it, and further remarks.
    pub lines: Vec<HolderLine>,
}

/// A line of them.
pub enum HolderLine {
    Text(String),
    /// The arguments of a command of this program, quoted for a shell.
    Command(String),
}
