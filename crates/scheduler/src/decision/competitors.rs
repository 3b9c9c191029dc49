//! Pending pods that may take the room that a preemption makes, as values.

use model::cluster::{Cluster, PodIx};

/// Maximum number of competitors that are named.
pub const MOST_NAMED: usize = 10;

/// What keeps the room for the preemptor until it is bound.
///
/// Upstream: `pkg/scheduler/framework/runtime/framework.go` `addGENominatedPods` (1.37): a pod
/// that is tried counts the nominated pods of its own or a higher priority, and no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoomHeld {
    /// A nomination, against pods of equal or lower priority.
    ByNomination,
    /// kube-scheduler preempts for the pod when it tries it: it takes the room back from pods of
    /// lower priority, and nominates the pod unless one of equal priority is tried before.
    ByPreemption,
    /// Nothing.
    ByNothing,
}

/// Why a pod may be tried before the preemptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompetitorReason {
    /// Its priority is higher: the queue puts it first, and no nomination holds the room against it.
    HigherPriority,
    /// Its priority is equal, and the API does not show the times by which the queue sorts such
    /// pods.
    EqualPriority,
    /// The same, and it is a replica of the preemptor: they can stand for each other.
    Replica,
    /// Its priority is lower, but nothing holds the room while the preemptor is in backoff.
    NothingHeld,
    /// Another scheduler places it, whose queue is not known.
    OtherScheduler,
}

/// Whether a competitor takes the room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompetitorCertainty {
    /// It comes first and fits on no other node.
    ComesFirst,
    /// It may: it has other places as well, or the order is open.
    MayTake,
}

/// A pending pod that may take the room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Competitor {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub priority: i32,
    /// `spec.schedulerName`.
    pub scheduler: String,
    pub reason: CompetitorReason,
    pub certainty: CompetitorCertainty,
}

/// All of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Competitors {
    /// Those that are named: certain ones first, then in the order of the queue.
    pub named: Vec<Competitor>,
    /// How many there are, at least.
    pub total: usize,
}

impl CompetitorReason {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::HigherPriority => "HigherPriority",
            Self::EqualPriority => "EqualPriority",
            Self::Replica => "Replica",
            Self::NothingHeld => "NothingReserved",
            Self::OtherScheduler => "OtherScheduler",
        }
    }

    /// Whether nominating the preemptor keeps the room from it.
    #[must_use]
    pub const fn ends_with_nomination(self) -> bool {
        match self {
            Self::EqualPriority | Self::Replica | Self::NothingHeld => true,
            Self::HigherPriority | Self::OtherScheduler => false,
        }
    }
}

impl CompetitorCertainty {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ComesFirst => "ComesFirst",
            Self::MayTake => "MayTake",
        }
    }
}

impl Competitor {
    /// A pod of `cluster`.
    #[must_use]
    pub fn of(
        ix: PodIx,
        cluster: &Cluster,
        reason: CompetitorReason,
        certainty: CompetitorCertainty,
    ) -> Self {
        let pod = cluster.pod(ix);
        Self {
            namespace: cluster.text(pod.namespace).to_owned(),
            name: pod.name.to_string(),
            uid: pod.uid.to_string(),
            priority: pod.priority,
            scheduler: cluster.text(cluster.template(pod).scheduler_name).to_owned(),
            reason,
            certainty,
        }
    }

    /// `ns/name`.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}

impl Competitors {
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Whether one of them takes the room for certain.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.named.iter().any(|one| one.certainty == CompetitorCertainty::ComesFirst)
    }

    /// Those that matter: not a replica, which does the same work in place of the preemptor.
    pub fn contested(&self) -> impl Iterator<Item = &Competitor> {
        self.named.iter().filter(|one| one.reason != CompetitorReason::Replica)
    }
}
