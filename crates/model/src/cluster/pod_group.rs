//! Groups of pods, which kube-scheduler schedules and evicts as a whole if the gate
//! `GenericWorkload` is on.

use jiff::Timestamp;

use super::pod::OwnerRef;
use super::reader::ReadContext;
use super::symbols::Sym;
use crate::snapshot::groups as wire;
pub use crate::snapshot::groups::DisruptionMode;
use crate::snapshot::pod::ResourceClaimStatus;

/// Index of a group in [`super::Cluster::pod_groups`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupIx(pub u32);

/// A PodGroup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodGroup {
    pub namespace: Sym,
    pub name: Sym,
    pub uid: Box<str>,
    /// `spec.schedulingPolicy.gang.minCount`: how many pods must be placed together; `None` if the
    /// policy is basic.
    pub min_count: Option<i64>,
    /// Whether its pods are evicted together.
    pub disruption: DisruptionMode,
    /// `spec.priority`, if it has one.
    pub own_priority: Option<i32>,
    /// `spec.priorityClassName`.
    pub priority_class: Sym,
    /// `spec.preemptionPolicy`: whether it is `Never`, if there is one.
    pub never_preempts: Option<bool>,
    /// The node label of its topology constraint; empty if it has none.
    pub topology_key: Sym,
    /// Whether it has `spec.schedulingConstraints`, even empty ones.
    pub is_constrained: bool,
    /// `spec.resourceClaims`.
    pub claims: Box<[GroupClaim]>,
    /// Its parent composite group; empty if there is none.
    pub parent: Sym,
    /// The Workload that it was created from, or is a part of; empty if it names none.
    pub workload: Sym,
    /// The Workload's template that it was created from; empty if it names none.
    pub template: Sym,
    /// Whether it is a part of a Workload (1.35) instead of an object of its own.
    pub is_part: bool,
    /// `metadata.creationTimestamp`.
    pub created: Option<Timestamp>,
    pub controller: Option<OwnerRef>,
    /// Its condition `PodGroupInitiallyScheduled` (1.36: `PodGroupScheduled`).
    pub condition: Option<GroupCondition>,
}

/// A ResourceClaim of a group, which its pods share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupClaim {
    /// It has this name.
    Named(Sym),
    /// It was created from a template and has this name.
    Made(Sym),
    /// No claim is needed after all.
    NotNeeded,
    /// It has not been created yet.
    NotMade,
    /// A kind that is not known, with its name in the group.
    Unknown(Sym),
}

impl GroupClaim {
    fn read(
        wire: &wire::GroupClaim,
        made: &[ResourceClaimStatus],
        reader: &mut ReadContext,
    ) -> Self {
        if let Some(name) = &wire.resource_claim_name {
            return Self::Named(reader.intern(name));
        }
        if wire.resource_claim_template_name.is_none() {
            return Self::Unknown(reader.intern(&wire.name));
        }
        match made.iter().find(|made| made.name == wire.name).map(|made| &made.resource_claim_name)
        {
            Some(Some(name)) => Self::Made(reader.intern(name)),
            Some(None) => Self::NotNeeded,
            None => Self::NotMade,
        }
    }
}

/// The node label of a topology constraint; empty if there is none.
pub(super) fn topology_key(
    constraints: Option<&wire::SchedulingConstraints>,
    reader: &mut ReadContext,
) -> Sym {
    let key = constraints
        .and_then(|all| all.topology.first())
        .map_or("", |constraint| constraint.key.as_str());
    if key.is_empty() { Sym::EMPTY } else { reader.symbols.intern_label_key(key) }
}

/// Whether a preemption policy is `Never`; `None` if there is none.
pub(super) fn never_preempts(policy: &str) -> Option<bool> {
    (!policy.is_empty()).then_some(policy == "Never")
}

/// What kube-scheduler wrote about a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupCondition {
    /// Whether the group was scheduled.
    pub is_true: bool,
    /// `Scheduled`, `Unschedulable`, `SchedulerError`.
    pub reason: Box<str>,
    /// The scheduler's message.
    pub message: Box<str>,
}

impl PodGroup {
    pub(super) fn read(wire: &wire::PodGroup, reader: &mut ReadContext) -> Self {
        let (meta, spec) = (&wire.metadata, &wire.spec);
        let claims = &*wire.status.resource_claim_statuses;
        let condition = wire.status.conditions.iter().find(|condition| {
            ["PodGroupInitiallyScheduled", "PodGroupScheduled"].contains(&condition.kind.as_str())
        });
        let (made, made_before) = (&spec.workload_ref, &spec.pod_group_template_ref.workload);
        // The reference to the Workload moved in 1.37.
        let (workload, template) = if made.workload_name.is_empty() {
            (&made_before.workload_name, &made_before.pod_group_template_name)
        } else {
            (&made.workload_name, &made.template_name)
        };
        let constraints = spec.scheduling_constraints.as_ref();
        Self {
            namespace: reader.namespace(&meta.namespace),
            name: reader.intern(&meta.name),
            uid: meta.uid.as_str().into(),
            min_count: spec.scheduling_policy.gang.as_ref().map(|gang| gang.min_count),
            disruption: spec.disruption_mode,
            own_priority: spec.priority,
            priority_class: reader.intern(&spec.priority_class_name),
            never_preempts: never_preempts(&spec.preemption_policy),
            topology_key: topology_key(constraints, reader),
            is_constrained: constraints.is_some(),
            claims: spec
                .resource_claims
                .iter()
                .map(|claim| GroupClaim::read(claim, claims, reader))
                .collect(),
            parent: reader.intern(&spec.parent_composite_pod_group_name),
            workload: reader.intern(workload),
            template: reader.intern(template),
            is_part: false,
            created: meta.creation_timestamp.parse().ok(),
            controller: OwnerRef::read(&meta.owner_references, reader),
            condition: condition.map(|condition| GroupCondition {
                is_true: condition.status.as_str() == "True",
                reason: condition.reason.as_str().into(),
                message: condition.message.as_str().into(),
            }),
        }
    }

    pub(super) fn part(namespace: Sym, name: Sym, workload: Sym, min_count: Option<i64>) -> Self {
        Self {
            namespace,
            name,
            uid: Box::default(),
            min_count,
            disruption: DisruptionMode::Single,
            own_priority: None,
            priority_class: Sym::EMPTY,
            never_preempts: None,
            topology_key: Sym::EMPTY,
            is_constrained: false,
            claims: Box::default(),
            parent: Sym::EMPTY,
            workload,
            template: Sym::EMPTY,
            is_part: true,
            created: None,
            controller: None,
            condition: None,
        }
    }

    /// Its priority; 0 if it has none.
    pub fn priority(&self) -> i32 {
        self.own_priority.unwrap_or(0)
    }
}
