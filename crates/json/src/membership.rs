//! The group of a pod as JSON, in the decision about the pod.

use schemars::JsonSchema;
use serde::Serialize;

use super::DecisionJson;
use scheduler::decision::gang::Permit;
use scheduler::decision::group::Membership;

/// The group of a pod, where kube-scheduler schedules it as a whole.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Membership")]
pub(super) struct JsonMembership {
    pub(super) namespace: String,
    pub(super) name: String,
    /// As that of a `GroupDecision`.
    pub(super) outcome: &'static str,
    /// As that of a member in a `GroupDecision`: `outcome`, `nodes` and `selected` of the Decision are what was found for the pod beside
    /// the pods of the group that are tried before it.
    pub(super) result: &'static str,
    /// How many pods of the group exist.
    pub(super) pods: usize,
    /// Of a gang.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_count: Option<i64>,
}

/// What a pod of a gang waits for at Permit once it gets a node, where each pod has a cycle of its own (1.35).
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Permit")]
pub(super) struct JsonPermit {
    /// `WORKLOAD/POD-GROUP`, or `WORKLOAD/POD-GROUP/KEY` of a replica.
    pub(super) gang: String,
    /// How many of its pods have to have a node.
    pub(super) min_count: i64,
    /// How many are on nodes.
    pub(super) running: usize,
    /// How many are on nodes or get one, when those that wait are tried one after the other.
    pub(super) assumed: usize,
    /// How many more evict pods, and get a node when those are gone.
    pub(super) evicts: usize,
}

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
            outcome: group.verdict.name(),
            result: membership.result.name(),
            pods: group.pods(),
            min_count: group.min_count,
        }
    }
}
