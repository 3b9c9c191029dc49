//! What is read of a cluster, and the progress of reading it.

use engine::snapshot::Kind;
use engine::snapshot::scheduler::ConfigMapName;

/// kubectl's page size, in objects.
const PAGE: usize = 500;

/// What is read of a cluster.
#[derive(Debug, Clone)]
pub struct Scope {
    /// Kinds of objects.
    pub kinds: Vec<Kind>,
    /// The ConfigMap with the scheduler's configuration.
    pub config_map: Option<ConfigMapName>,
    /// Objects per page; 0 reads each list at once.
    pub chunk: usize,
}

impl Scope {
    /// Objects of these kinds, in pages as kubectl reads them.
    #[must_use]
    pub fn of(kinds: &[Kind]) -> Self {
        Self { kinds: kinds.to_vec(), config_map: None, chunk: PAGE }
    }
}

/// How much of one kind's list has been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListProgress {
    /// The kind.
    pub kind: Kind,
    /// Its objects so far.
    pub objects: usize,
    /// Whether the list is complete.
    pub complete: bool,
}
