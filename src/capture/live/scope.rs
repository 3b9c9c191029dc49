//! What is read of a cluster, and the progress of reading it.

use std::time::Duration;

use engine::snapshot::Kind;
use engine::snapshot::scheduler::ConfigMapName;

/// Objects of a page. kubectl's pages have 500, which costs the server a third more time
/// (docs/PERFORMANCE.md).
pub const PAGE: usize = 2000;

/// How long reading a cluster may take in all; `--request-timeout` is for each request.
const DEADLINE: Duration = Duration::from_secs(3600);

/// How long a watch may take to show that it is not behind. docs/APPLY.md names it.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is read of a cluster.
#[derive(Debug, Clone)]
pub struct Scope {
    /// Kinds of objects.
    pub kinds: Vec<Kind>,
    /// The ConfigMap with the scheduler's configuration.
    pub config_map: Option<ConfigMapName>,
    /// Whether extensions are read, too: custom kinds, cluster-autoscaler's status, and the Events
    /// of those that act for pending pods.
    pub extensions: bool,
    /// Objects per page; 0 reads each list at once.
    pub chunk: usize,
    /// Whether pods that have finished are read, too.
    pub finished_pods: bool,
    /// How long all of it may take.
    pub deadline: Duration,
    /// Where it is kept up to date: how long a watch may take to show that it is not behind, before
    /// its kind is listed again; a tenth of that if it was late the last time.
    pub patience: Duration,
}

impl Scope {
    /// Objects of these kinds.
    #[must_use]
    pub fn of(kinds: &[Kind]) -> Self {
        Self {
            kinds: kinds.to_vec(),
            config_map: None,
            extensions: false,
            chunk: PAGE,
            finished_pods: false,
            deadline: DEADLINE,
            patience: PATIENCE,
        }
    }

    /// Whether objects of a kind are read.
    #[must_use]
    pub(super) fn has(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind) || self.extension_kinds().contains(&kind)
    }

    /// The kinds that are read only because extensions are.
    pub(super) fn extension_kinds(&self) -> Vec<Kind> {
        let mut more = Vec::new();
        for kind in Kind::ALL {
            let is_extension = kind.is_custom() || kind == Kind::Event;
            if self.extensions && is_extension && !self.kinds.contains(&kind) {
                more.push(kind);
            }
        }
        more
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
