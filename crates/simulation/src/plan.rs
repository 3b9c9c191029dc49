//! The plan that follows from a decision to preempt: the pods to evict, in which order, at what
//! cost, and what happens afterwards.
//!
//! A plan contains only texts and numbers. It stays valid without the cluster on which it was made,
//! so that a later plan can be compared with it.

use std::collections::BTreeSet;
use std::fmt;

use jiff::Timestamp;

use super::hazard::Hazard;
use model::cluster::{Cluster, GroupIx, Pod};
use scheduler::decision::competitors::Competitors;

/// The identity of a pod in API requests: the UID distinguishes a pod from its replacement of the
/// same name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodId {
    pub namespace: String,
    pub name: String,
    /// UID; empty for a pod that is not in the cluster.
    pub uid: String,
}

/// The identity of a PodGroup in API requests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupId {
    pub namespace: String,
    pub name: String,
    pub uid: String,
}

/// What is scheduled as one: a pod, or the waiting pods of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreemptorId {
    Pod(PodId),
    /// The pods of a group.
    Group(GroupId),
}

/// The pods to evict so that a pod, or the pods of a group, fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub preemptor: PlanPreemptor,
    /// The pods that get a node: the pod itself, or those of the group in the scheduler's order.
    pub placed: Vec<Placement>,
    /// Other nodes that tie with that of a pod: the scheduler breaks the tie in an order that the
    /// API does not show.
    pub tied: Vec<String>,
    /// The victims in the order of eviction: the least important first, so that an interrupted run
    /// does the least harm.
    pub victims: Vec<PlannedVictim>,
    /// Pending pods that may take the room, if they were looked for.
    pub competitors: Competitors,
}

/// A pod and the node that it gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    pub pod: PodId,
    pub node: String,
}

/// The pod or group that preempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanPreemptor {
    /// The pod or the group.
    pub id: PreemptorId,
    pub priority: i32,
    /// `spec.schedulerName` of its pods.
    pub scheduler: String,
}

/// A pod to evict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedVictim {
    pub pod: PodId,
    /// The `metadata.resourceVersion` that was read.
    pub resource_version: String,
    pub node: String,
    pub priority: i32,
    /// The grace period in seconds.
    pub grace_seconds: i64,
    /// When its grace period ends, if it is already being deleted; then no eviction is sent.
    pub terminating_until: Option<Timestamp>,
    /// Its controllers, nearest first: a ReplicaSet, then its Deployment.
    pub owners: Vec<OwnerName>,
    /// The budgets that select it.
    pub budgets: Vec<BudgetUse>,
    /// Why evicting it is dangerous or useless.
    pub hazards: Vec<Hazard>,
    /// What its owner does after the eviction.
    pub afterwards: Afterwards,
}

/// A controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerName {
    pub kind: String,
    pub name: String,
}

/// `Kind/name`.
impl fmt::Display for OwnerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.name)
    }
}

/// The effect of an eviction on a budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetUse {
    pub namespace: String,
    pub name: String,
    /// The disruptions that it allows before this eviction, after the earlier ones of the plan.
    pub before: i64,
    /// The disruptions that it allows afterwards; if negative, the eviction violates it.
    pub after: i64,
}

impl BudgetUse {
    /// `ns/name`.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// Whether the budget forbids the eviction.
    pub fn is_violated(&self) -> bool {
        self.after < 0
    }
}

/// What happens to a victim's work after its eviction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Afterwards {
    /// No controller replaces it.
    Gone,
    /// The kubelet restarts it from its manifest file, so evicting it frees nothing.
    Static,
    /// Its owner replaces it, and the replacement may run on another node.
    Replaced,
    /// Its owner replaces it, and the replacement can only run on the same node.
    Pinned(PinnedBy),
    /// Its Job counts it as failed, unless the failure policy says otherwise, and may replace it.
    Retried,
    /// Its owner is of an unknown kind.
    Unknown,
}

/// What restricts a replacement to the node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinnedBy {
    /// A DaemonSet runs one pod per node.
    DaemonSet,
    /// Its node selector or required node affinity matches no other node.
    NodeSelector,
    /// The volume of this claim can be used on no other node.
    Volume(String),
}

impl PlannedVictim {
    /// Maximum number of seconds until it has terminated, if it is deleted now.
    pub fn seconds_to_stop(&self, now: Timestamp) -> i64 {
        let left = self.terminating_until.map(|due| (due.as_second() - now.as_second()).max(0));
        left.unwrap_or(self.grace_seconds)
    }
}

impl Afterwards {
    /// Its name in JSON.
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

    /// The meaning in a few words.
    pub fn text(&self) -> String {
        match self {
            Self::Gone => "not recreated".to_owned(),
            Self::Static => "restarted by its kubelet".to_owned(),
            Self::Replaced => "recreated".to_owned(),
            Self::Pinned(PinnedBy::DaemonSet) => "recreated on this node".to_owned(),
            Self::Pinned(PinnedBy::NodeSelector) => {
                "recreated on this node, the only one that its node selector matches".to_owned()
            }
            Self::Pinned(PinnedBy::Volume(claim)) => {
                format!("recreated on this node, which has the volume of claim {claim}")
            }
            Self::Retried => "fails the Job's pod; retried within its backoffLimit".to_owned(),
            Self::Unknown => "depends on its owner".to_owned(),
        }
    }
}

impl PodId {
    /// The identity of a pod of `cluster`.
    pub fn of(pod: &Pod, cluster: &Cluster) -> Self {
        let namespace = cluster.text(pod.namespace).to_owned();
        Self { namespace, name: pod.name.to_string(), uid: pod.uid.to_string() }
    }

    /// `ns/name`.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}

impl GroupId {
    /// The identity of a group of `cluster`.
    pub fn of(group: GroupIx, cluster: &Cluster) -> Self {
        let group = cluster.pod_group(group);
        let [namespace, name] =
            [group.namespace, group.name].map(|sym| cluster.text(sym).to_owned());
        Self { namespace, name, uid: group.uid.to_string() }
    }
}

impl PreemptorId {
    /// `pod` or `podgroup`, as kubectl and kube-scheduler call it.
    pub const fn resource(&self) -> &'static str {
        match self {
            Self::Pod(_) => "pod",
            Self::Group(_) => "podgroup",
        }
    }

    pub fn namespace(&self) -> &str {
        match self {
            Self::Pod(pod) => &pod.namespace,
            Self::Group(group) => &group.namespace,
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Pod(pod) => &pod.name,
            Self::Group(group) => &group.name,
        }
    }

    pub fn uid(&self) -> &str {
        match self {
            Self::Pod(pod) => &pod.uid,
            Self::Group(group) => &group.uid,
        }
    }

    /// `ns/name`.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.namespace(), self.name())
    }

    /// The pod, if it is one.
    pub const fn pod(&self) -> Option<&PodId> {
        match self {
            Self::Pod(pod) => Some(pod),
            Self::Group(_) => None,
        }
    }
}

/// The nodes of these pods, by name.
pub fn nodes_of(placed: &[Placement]) -> BTreeSet<&str> {
    placed.iter().map(|placement| placement.node.as_str()).collect()
}

impl Plan {
    /// A plan without victims for `id`; `placed` may be empty.
    pub fn empty(id: PreemptorId, priority: i32, placed: Vec<Placement>) -> Self {
        let preemptor = PlanPreemptor { id, priority, scheduler: String::new() };
        let (tied, victims, competitors) = (Vec::new(), Vec::new(), Competitors::default());
        Self { preemptor, placed, tied, victims, competitors }
    }

    /// The nodes of the pods that get one, without duplicates, in the order of these pods.
    pub fn nodes(&self) -> Vec<&str> {
        let mut nodes: Vec<&str> = Vec::new();
        for placement in &self.placed {
            if !nodes.contains(&placement.node.as_str()) {
                nodes.push(&placement.node);
            }
        }
        nodes
    }

    /// Maximum number of seconds until the resources are free if all victims are deleted at once.
    /// They may terminate sooner; on a dead node they do not terminate at all.
    pub fn seconds_to_room(&self, now: Timestamp) -> i64 {
        self.victims.iter().map(|victim| victim.seconds_to_stop(now)).max().unwrap_or(0)
    }

    /// Whether both plans evict the same pods, by UID, for the same pods on the same nodes.
    pub fn is_same(&self, other: &Self) -> bool {
        let ids = |plan: &Self| {
            let mut ids: Vec<PodId> = plan.victims.iter().map(|v| v.pod.clone()).collect();
            ids.sort_unstable();
            ids
        };
        self.preemptor.id == other.preemptor.id
            && self.placed == other.placed
            && ids(self) == ids(other)
    }
}
