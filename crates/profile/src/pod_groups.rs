//! Whether the gate `GenericWorkload` is on. It is off by default, and the API does not show it;
//! `decision/pod_groups.rs` finds evidence for it.

use super::Profile;
use super::history::{Features, PodGroups};

pub const GATE: &str = "GenericWorkload";

/// Evidence for whether groups of pods are scheduled as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupEvidence {
    /// The scheduler's flags, or its default while the input has no group.
    Gate,
    /// kube-scheduler has written about groups, so the gate is on.
    Written,
    /// The input has PodGroups, which the API server accepts only while its gate is on.
    Served,
    /// A pod names a group, which the API server accepts only while its gate is on.
    Named,
}

impl GroupEvidence {
    /// Whether it is conclusive.
    pub const fn is_sure(self) -> bool {
        matches!(self, Self::Gate | Self::Written)
    }
}

impl PodGroups {
    /// Whether the pods of a group are scheduled as a whole. Pods then name a PodGroup.
    pub const fn as_a_whole(&self) -> bool {
        self.pod_groups && self.group_cycle
    }

    /// Whether each pod of a gang has its own cycle, and waits at Permit for the others. Pods then
    /// name a part of a Workload.
    pub const fn one_by_one(&self) -> bool {
        self.pod_groups && self.gangs && !self.group_cycle
    }
}

impl Profile {
    /// The same scheduler with the gate according to `evidence`. The gate is on unless the
    /// scheduler's flags decide.
    #[must_use]
    pub fn with_group_evidence(mut self, evidence: GroupEvidence) -> Self {
        self.group_evidence = Some(evidence);
        if evidence == GroupEvidence::Gate || self.features.pod_groups.pod_groups {
            return self;
        }
        self.gates.insert(GATE, true);
        let features = Features::with(self.version.nearest_supported(), &self.gates);
        self.with_features(features)
    }
}
