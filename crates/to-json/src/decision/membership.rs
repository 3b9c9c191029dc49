//! The group of a pod as JSON, in the decision about the pod.

use json::decision::{Membership as JsonMembership, Permit as JsonPermit};

use super::DecisionJson;
use engine::decision::gang::Permit;
use engine::decision::group::Membership;

impl DecisionJson<'_> {
    pub(super) fn permit(&self, permit: &Permit) -> JsonPermit {
        let Permit { group, min_count, running, assumed, evicts } = *permit;
        JsonPermit { gang: self.text(group), min_count, running, assumed, evicts }
    }

    pub(super) fn membership(&self, membership: &Membership) -> JsonMembership {
        let group = &membership.group;
        JsonMembership {
            namespace: self.text(group.namespace),
            name: self.text(group.name),
            outcome: group.verdict.name().into(),
            result: membership.result.name().into(),
            pods: group.pods(),
            min_count: group.min_count,
        }
    }
}
