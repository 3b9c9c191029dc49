//! The selection of objects to read, and the progress of reading.

use std::time::{Duration, Instant};

use super::controllers::ControllerScope;
use engine::snapshot::Kind;
use engine::snapshot::scheduler::ConfigMapName;

/// Page size. kubectl's is 500, which costs the server a third more time (benches/PERFORMANCE.md).
pub const PAGE: usize = 2000;

/// Time limit of reading a cluster; `--request-timeout` applies to each request.
const DEADLINE: Duration = Duration::from_secs(3600);

/// Time limit of a watch to prove that it is current. docs/commands/apply.md mentions it.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug, Clone)]
pub struct ReadScope {
    pub kinds: Vec<Kind>,
    /// The ConfigMap with the scheduler's configuration.
    pub config_map: Option<ConfigMapName>,
    /// Whether extensions are read as well: custom kinds, cluster-autoscaler's status, and the
    /// Events of components that act on pending pods.
    pub extensions: bool,
    /// Controllers of pods of kinds that no decision reads; only with `extensions`.
    pub controllers: ControllerScope,
    /// Kinds that explain why pods are missing, and that no decision reads; only with `extensions`,
    /// and not watched either.
    pub beside: Vec<Kind>,
    /// What is read that few questions need; only with `extensions`.
    pub also: AlsoRead,
    /// Page size; 0 disables pagination.
    pub chunk: usize,
    pub finished_pods: bool,
    /// Time limit of the whole read.
    pub deadline: Duration,
    /// For a kept cluster: time limit of a watch to prove that it is current, before its kind is
    /// listed again; a tenth of that if it lagged the last time.
    pub patience: Duration,
    /// Whether lists of one namespace are read where those of all are forbidden, and nodes may be
    /// missing: nothing is decided then. The namespace; empty for that of the kubeconfig context.
    pub in_part: Option<String>,
}

/// What few questions need.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AlsoRead {
    /// Who changed nodes last, and when.
    pub node_changes: bool,
    /// Who may create what, by RBAC.
    pub access: bool,
}

impl ReadScope {
    /// Objects of these kinds.
    pub fn of(kinds: &[Kind]) -> Self {
        Self {
            kinds: kinds.to_vec(),
            config_map: None,
            extensions: false,
            controllers: ControllerScope::None,
            beside: Vec::new(),
            also: AlsoRead::default(),
            chunk: PAGE,
            finished_pods: false,
            deadline: DEADLINE,
            patience: PATIENCE,
            in_part: None,
        }
    }

    /// The same scope, read until `end`, if its own time limit is not sooner.
    pub(super) fn until(&self, end: Option<Instant>) -> Self {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let deadline = left.map_or(self.deadline, |left| left.min(self.deadline));
        Self { deadline, ..self.clone() }
    }

    /// Whether objects of a kind are read.
    pub(super) fn has(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind) || self.extension_kinds().contains(&kind)
    }

    /// The kinds that are read only because extensions are.
    pub(super) fn extension_kinds(&self) -> Vec<Kind> {
        let mut more = Vec::new();
        for kind in Kind::ALL {
            let is_extension =
                kind.is_custom() || kind == Kind::Event || self.beside.contains(&kind);
            if self.extensions && is_extension && !self.kinds.contains(&kind) {
                more.push(kind);
            }
        }
        more
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListProgress {
    pub kind: Kind,
    /// Number of objects so far.
    pub objects: usize,
    pub complete: bool,
}
