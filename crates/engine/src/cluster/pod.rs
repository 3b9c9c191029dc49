//! A pod: who it is, where it is, and what it asks for.

use jiff::Timestamp;

use super::symbols::Sym;

/// Index of a pod in [`super::Cluster::pods`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PodIx(pub u32);

/// Index of a label set, a template or a shape in its pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolIx(pub u32);

/// Life of a pod, as far as the scheduler tells it apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Pending, Running, Unknown or not said.
    Active,
    /// Ran to its end.
    Succeeded,
    /// Ended in failure.
    Failed,
}

/// Quality of service, as the API server sets it when a pod is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Qos {
    /// Limits for everything, and requests equal to them.
    Guaranteed,
    /// Some requests or limits.
    Burstable,
    /// None.
    BestEffort,
}

impl Qos {
    /// Reads `status.qosClass`; `None` for anything else.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        [Self::Guaranteed, Self::Burstable, Self::BestEffort].into_iter().find(|qos| qos.name() == text)
    }

    /// Its name in the API.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guaranteed => "Guaranteed",
            Self::Burstable => "Burstable",
            Self::BestEffort => "BestEffort",
        }
    }
}

/// The owner that controls an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnerRef {
    /// API group and version.
    pub api_version: Sym,
    /// Kind.
    pub kind: Sym,
    /// Name.
    pub name: Sym,
    /// UID.
    pub uid: Sym,
}

/// A pod.
#[derive(Debug, Clone)]
pub struct Pod {
    /// Namespace.
    pub namespace: Sym,
    /// Name.
    pub name: Box<str>,
    /// UID; a made-up pod has none.
    pub uid: Box<str>,
    /// Version of the object that was read.
    pub resource_version: Box<str>,
    /// Labels.
    pub labels: PoolIx,
    /// Constraints.
    pub template: PoolIx,
    /// Names of the claims that its template's volumes stand for, in order.
    pub claims: Box<[Sym]>,
    /// Resources.
    pub shape: PoolIx,
    /// `spec.priority`, absent as 0.
    pub priority: i32,
    /// `spec.nodeName`.
    pub node_name: Sym,
    /// `status.nominatedNodeName`.
    pub nominated_node: Sym,
    /// Phase.
    pub phase: Phase,
    /// `status.qosClass`.
    pub qos: Option<Qos>,
    /// When it started; absent before the kubelet accepted it.
    pub start_time: Option<Timestamp>,
    /// When it was created.
    pub created: Option<Timestamp>,
    /// When it is due to be gone, if it is being deleted.
    pub deletion: Option<Timestamp>,
    /// The first `DisruptionTarget` condition is True with reason `PreemptionByScheduler`.
    pub disrupted_by_scheduler: bool,
    /// Controller.
    pub controller: Option<OwnerRef>,
    /// `status.resourceClaimStatuses`: which claim was made for which entry of the spec; `None`: none is needed.
    pub resource_claims: Box<[(Sym, Option<Sym>)]>,
    /// Seconds it may take to stop.
    pub grace_seconds: i64,
    /// What its `PodScheduled` condition says, if it is False and the pod is on no node.
    pub scheduled_condition: Option<Box<ScheduledCondition>>,
}

/// A `PodScheduled` condition that is False.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledCondition {
    /// `Unschedulable`, `SchedulerError`, `SchedulingGated`.
    pub reason: Box<str>,
    /// The scheduler's message.
    pub message: Box<str>,
    /// When it became False. The message may be younger: this time does not move when the message alone changes.
    pub since: Option<Timestamp>,
}

impl Pod {
    /// Whether it counts on the node it is assigned to.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.phase == Phase::Active
    }

    /// Whether it is being deleted.
    #[must_use]
    pub fn is_terminating(&self) -> bool {
        self.deletion.is_some()
    }
}
