//! A pod: its identity, its status, and the indices of its constraints and resource requests.

pub(super) mod read;

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

use jiff::Timestamp;

use super::reader::ReadContext;
use super::symbols::{PoolIx, Sym};
use crate::snapshot::meta as wire;
pub use crate::snapshot::meta::pods as annotations;

/// Index of a pod in [`super::Cluster::pods`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PodIx(pub u32);

/// `status.phase`, as far as the scheduler distinguishes phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Pending, Running, Unknown or absent.
    Active,
    /// All containers ended with success.
    Succeeded,
    /// A container ended in failure.
    Failed,
}

/// Whether a pod runs and is Ready, as budgets and the eviction API distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// Its phase is Pending: no container has run yet.
    Pending,
    /// It is not Ready.
    NotReady,
    /// Its `Ready` condition is True.
    Ready,
}

/// Quality of service class, which the API server sets when it creates a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Qos {
    /// Every container has limits for cpu and memory, and requests equal to them.
    Guaranteed,
    /// Some container has a request or a limit.
    Burstable,
    /// No container has a request or a limit.
    BestEffort,
}

impl Qos {
    /// Reads `status.qosClass`; `None` for anything else.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        [Self::Guaranteed, Self::Burstable, Self::BestEffort]
            .into_iter()
            .find(|qos| qos.name() == text)
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
    pub kind: Sym,
    pub name: Sym,
    pub uid: Sym,
}

impl OwnerRef {
    /// The owner reference with `controller: true`.
    pub(super) fn read(owners: &[wire::OwnerReference], reader: &mut ReadContext) -> Option<Self> {
        let owner = owners.iter().find(|owner| owner.controller)?;
        Some(Self {
            api_version: reader.intern(&owner.api_version),
            kind: reader.intern(&owner.kind),
            name: reader.intern(&owner.name),
            uid: reader.intern(&owner.uid),
        })
    }
}

/// A pod. A large cluster has a million, so the fields that few pods have are boxed; `Deref` makes
/// them look like fields of this struct.
#[derive(Debug, Clone)]
pub struct Pod {
    pub namespace: Sym,
    pub name: Box<str>,
    /// UID; empty for a hypothetical pod.
    pub uid: Box<str>,
    /// `metadata.resourceVersion`; empty for a hypothetical pod.
    pub resource_version: ResourceVersion,
    /// Labels.
    pub labels: PoolIx,
    /// Constraints.
    pub template: PoolIx,
    /// Resources.
    pub resource_requests: PoolIx,
    /// `spec.priority`, absent as 0.
    pub priority: i32,
    /// `spec.nodeName`.
    pub node_name: Sym,
    /// `status.nominatedNodeName`.
    pub nominated_node: Sym,
    pub phase: Phase,
    /// Whether it is Ready. The scheduler does not read it.
    pub readiness: Readiness,
    /// `status.qosClass`.
    pub qos: Option<Qos>,
    /// When it started; absent before the kubelet accepted it.
    pub start_time: Option<Timestamp>,
    /// When it was created.
    pub created: Option<Timestamp>,
    /// Controller.
    pub controller: Option<OwnerRef>,
    /// It shows a static pod, which its kubelet runs from a file: `kubernetes.io/config.mirror`.
    pub mirror: bool,
    /// Grace period in seconds: of the deletion, else of the spec, else 30.
    pub grace_seconds: i64,
    /// What few pods have; `None` if it has nothing of it.
    pub rare: Option<Box<RareFields>>,
}

/// What few pods have.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct RareFields {
    /// Claim names of the `persistentVolumeClaim` volumes in its template, in order.
    pub claims: Box<[Sym]>,
    /// `metadata.deletionTimestamp`: when its grace period ends, if it is being deleted.
    pub deletion: Option<Timestamp>,
    /// `metadata.finalizers`, if it is being deleted.
    pub finalizers: Box<[Sym]>,
    /// Its first `DisruptionTarget` condition, if that is True.
    pub disruption: Option<Box<DisruptionTarget>>,
    /// How it ended, if its status has a reason or a `DisruptionTarget` condition.
    pub end: Option<Box<PodEnd>>,
    /// Its annotations that are read ([`crate::snapshot::meta::pods`]).
    pub annotations: Box<[(Sym, Sym)]>,
    /// `status.resourceClaimStatuses`: entry of `spec.resourceClaims` and the claim created for it;
    /// `None`: none is needed.
    pub resource_claims: Box<[(Sym, Option<Sym>)]>,
    /// Its `PodScheduled` condition, if that is False and the pod is on no node.
    pub scheduled_condition: Option<Box<ScheduledCondition>>,
    /// Its containers that have not started, or not again, if it is on a node; init containers
    /// come first.
    pub waiting: Box<[WaitingContainer]>,
    /// The resize of a running pod that its kubelet has not carried out.
    pub resize: Option<Box<PendingResize>>,
}

static NOTHING_RARE: LazyLock<RareFields> = LazyLock::new(RareFields::default);

impl RareFields {
    /// As a pod has it.
    #[must_use]
    pub fn boxed(self) -> Option<Box<Self>> {
        (self != Self::default()).then(|| Box::new(self))
    }
}

impl Deref for Pod {
    type Target = RareFields;
    fn deref(&self) -> &RareFields {
        self.rare.as_deref().unwrap_or_else(|| &NOTHING_RARE)
    }
}

impl DerefMut for Pod {
    fn deref_mut(&mut self) -> &mut RareFields {
        self.rare.get_or_insert_default()
    }
}

/// `metadata.resourceVersion`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceVersion {
    /// A number without leading zeros, as all API servers write it.
    Number(u64),
    /// Any other text; empty for a hypothetical pod.
    Text(Box<str>),
}

impl Default for ResourceVersion {
    fn default() -> Self {
        Self::Text(Box::default())
    }
}

impl From<&str> for ResourceVersion {
    fn from(text: &str) -> Self {
        match text.parse::<u64>() {
            Ok(number) if number.to_string() == text => Self::Number(number),
            _ => Self::Text(Box::from(text)),
        }
    }
}

impl ResourceVersion {
    /// The number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.parse().ok(),
        }
    }
}

impl fmt::Display for ResourceVersion {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// What the status of a pod says of its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodEnd {
    /// `status.reason`: why a kubelet ended it; may be empty.
    pub reason: Box<str>,
    /// `status.message`, by the kubelet; may be empty.
    pub message: Box<str>,
    /// Its containers that have terminated.
    pub exits: Box<[ContainerExit]>,
}

/// `state.terminated` of a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerExit {
    pub container: Box<str>,
    /// `exitCode`.
    pub code: i32,
    /// `reason`, such as `OOMKilled`; may be empty.
    pub reason: Box<str>,
}

/// `state.waiting` of a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingContainer {
    pub container: Box<str>,
    /// Such as `ContainerCreating`, `ImagePullBackOff` or `CrashLoopBackOff`.
    pub reason: Box<str>,
    /// The kubelet's message; may be empty.
    pub message: Box<str>,
    /// Its image.
    pub image: Box<str>,
}

/// A `PodResizePending` condition that is True, or one of `PodResizeInProgress` with an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingResize {
    /// `Deferred`, `Infeasible` or `Error`.
    pub reason: Box<str>,
    /// The kubelet's message; may be empty.
    pub message: Box<str>,
    /// `lastTransitionTime`.
    pub since: Option<Timestamp>,
}

/// A `DisruptionTarget` condition that is True.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisruptionTarget {
    /// Who ends the pod: `PreemptionByScheduler`, `EvictionByEvictionAPI` and others.
    pub reason: Box<str>,
    pub message: Box<str>,
    /// `lastTransitionTime`.
    pub since: Option<Timestamp>,
}

impl DisruptionTarget {
    /// The reason that kube-scheduler gives since 1.27, and the only one that it looks for.
    pub const PREEMPTION: &str = "PreemptionByScheduler";
}

/// A `PodScheduled` condition that is False.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledCondition {
    /// `Unschedulable`, `SchedulerError`, `SchedulingGated`.
    pub reason: Box<str>,
    /// The scheduler's message.
    pub message: Box<str>,
    /// `lastTransitionTime`: when it became False. A later change of only the message does not
    /// change this time.
    pub since: Option<Timestamp>,
}

impl Pod {
    /// Whether the scheduler counts it on the node to which it is assigned.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.phase == Phase::Active
    }

    /// Whether it is on a node and has not finished.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.is_active() && !self.node_name.is_empty()
    }

    /// Whether it waits for a node.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.is_active() && self.node_name.is_empty()
    }

    /// Whether it has the condition that kube-scheduler looks for on the victims of a preemption.
    #[must_use]
    pub fn is_disrupted_by_scheduler(&self) -> bool {
        self.disruption
            .as_ref()
            .is_some_and(|target| &*target.reason == DisruptionTarget::PREEMPTION)
    }

    /// `status.reason`; empty if there is none.
    #[must_use]
    pub fn status_reason(&self) -> &str {
        self.end.as_ref().map_or("", |end| &end.reason)
    }

    /// Whether it is being deleted.
    #[must_use]
    pub fn is_terminating(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.deletion.is_some())
    }

    /// Whether it makes no difference to any other pod which of the two is on a node.
    #[must_use]
    pub fn can_stand_for(&self, other: &Self) -> bool {
        self.namespace == other.namespace
            && self.labels == other.labels
            && self.template == other.template
            && self.resource_requests == other.resource_requests
            && self.claims == other.claims
            && self.resource_claims == other.resource_claims
            && self.is_active() == other.is_active()
            && self.is_terminating() == other.is_terminating()
    }

    /// Whether the scheduler treats two pods alike, judged by the pods alone and unless one is
    /// nominated.
    #[must_use]
    pub fn is_scheduled_like(&self, other: &Self) -> bool {
        self.priority == other.priority && self.can_stand_for(other)
    }
}
