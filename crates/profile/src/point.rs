//! The extension points of the scheduling cycle.

use super::Features;

/// An extension point of the scheduling cycle that decides anything here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// Before the active queue.
    PreEnqueue,
    /// Once per cycle.
    PreFilter,
    /// Once per node.
    Filter,
    /// When no node takes the pod.
    PostFilter,
    /// When too few pods of a group fit.
    PodGroupPostFilter,
    /// Once per cycle, before scoring.
    PreScore,
    /// Once per feasible node.
    Score,
}

/// Whether something is so in a version.
pub type Condition = fn(&Features) -> bool;

/// Holds in every version.
pub const fn always(_: &Features) -> bool {
    true
}
