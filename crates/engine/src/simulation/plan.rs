//! What a decision to preempt comes to: who is to go from which node, in which order, what that costs, and what follows.
//!
//! A plan is made of texts and numbers alone: it outlives the cluster that it was made on, so that one made later can be
//! held against it.

use jiff::Timestamp;

use super::hazard::Hazard;

/// Whom an API request is about: the UID tells a pod from its replacement of the same name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodId {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// UID; empty for a pod that is not in the cluster.
    pub uid: String,
}

/// Who is to go so that a pod fits on a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// For whom.
    pub preemptor: Preemptor,
    /// Where.
    pub node: String,
    /// Nodes that the scheduler may pick as well: it breaks the tie in an order that the API does not show.
    pub tied: Vec<String>,
    /// Who goes, in the order of eviction: the least important first, so that an early stop hurts least.
    pub victims: Vec<PlannedVictim>,
}

/// The pod that gets the room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preemptor {
    /// Which pod.
    pub pod: PodId,
    /// Its priority.
    pub priority: i32,
    /// `spec.schedulerName`.
    pub scheduler: String,
    /// `status.nominatedNodeName`.
    pub nominated_node: Option<String>,
}

/// A pod that is to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedVictim {
    /// Which pod.
    pub pod: PodId,
    /// `metadata.resourceVersion` of what was read.
    pub resource_version: String,
    /// Its priority.
    pub priority: i32,
    /// Seconds it may take to stop.
    pub grace_seconds: i64,
    /// When it is due to be gone, if it is being deleted already: nothing is to be sent for it.
    pub terminating_until: Option<Timestamp>,
    /// What controls it, nearest first: a ReplicaSet, then its Deployment.
    pub owners: Vec<OwnerName>,
    /// The budgets that are about it.
    pub budgets: Vec<BudgetUse>,
    /// What makes its eviction dangerous or pointless.
    pub hazards: Vec<Hazard>,
    /// What its owner does once it is gone.
    pub afterwards: Afterwards,
}

/// A controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerName {
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
}

/// What an eviction costs a budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetUse {
    /// Namespace of the budget.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// How many disruptions it allows before this eviction, with those of the plan that come earlier counted.
    pub before: i64,
    /// How many it allows afterwards; below 0 the eviction violates it.
    pub after: i64,
}

impl BudgetUse {
    /// Whether the budget forbids the eviction.
    #[must_use]
    pub fn is_violated(&self) -> bool {
        self.after < 0
    }
}

/// What becomes of a victim's work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Afterwards {
    /// Nobody makes it again.
    Gone,
    /// The kubelet starts it again from its file: nothing is gained.
    Static,
    /// Its owner makes another, which may go elsewhere.
    Replaced,
    /// Its owner makes another, which can only come back to this node.
    Pinned(PinnedBy),
    /// Its Job counts it as failed, unless its failure policy says otherwise, and may make another.
    Retried,
    /// Its owner is of a kind that is not known.
    Unknown,
}

/// What ties a replacement to the node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinnedBy {
    /// A DaemonSet makes one per node.
    DaemonSet,
    /// Its node selector or required node affinity matches no other node.
    NodeSelector,
    /// The volume of this claim can be used on no other node.
    Volume(String),
}

impl PlannedVictim {
    /// Seconds until it is gone, at the latest, if it is deleted now.
    #[must_use]
    pub fn seconds_to_stop(&self, now: Timestamp) -> i64 {
        let left = self.terminating_until.map(|due| (due.as_second() - now.as_second()).max(0));
        left.unwrap_or(self.grace_seconds)
    }
}

impl Afterwards {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Gone => "Gone",
            Self::Static => "Static",
            Self::Replaced => "Replaced",
            Self::Pinned(_) => "Pinned",
            Self::Retried => "Retried",
            Self::Unknown => "Unknown",
        }
    }

    /// What it means, in a few words.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Gone => "gone for good".to_owned(),
            Self::Static => "started again by its kubelet".to_owned(),
            Self::Replaced => "made again, may go elsewhere".to_owned(),
            Self::Pinned(PinnedBy::DaemonSet) => "made again for this node".to_owned(),
            Self::Pinned(PinnedBy::NodeSelector) => "made again, fits this node alone by its node selector".to_owned(),
            Self::Pinned(PinnedBy::Volume(claim)) => {
                format!("made again, tied to this node by the volume of claim {claim}")
            }
            Self::Retried => "counts as failed, made again if its Job allows".to_owned(),
            Self::Unknown => "up to its owner".to_owned(),
        }
    }
}

impl PodId {
    /// `ns/name`.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}

impl Plan {
    /// Seconds until the room is free, at the latest, if all victims are deleted at once: they may stop sooner, and one whose
    /// node is dead does not stop at all.
    #[must_use]
    pub fn seconds_to_room(&self, now: Timestamp) -> i64 {
        self.victims.iter().map(|victim| victim.seconds_to_stop(now)).max().unwrap_or(0)
    }

    /// Whether carrying it out means the same: the same pods, by UID, for the same pod on the same node.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let ids = |plan: &Self| {
            let mut ids: Vec<PodId> = plan.victims.iter().map(|v| v.pod.clone()).collect();
            ids.sort_unstable();
            ids
        };
        self.preemptor.pod == other.preemptor.pod && self.node == other.node && ids(self) == ids(other)
    }
}
