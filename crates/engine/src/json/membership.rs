//! The group of a pod as JSON, in the decision about the pod.

use schemars::JsonSchema;
use serde::Serialize;

use super::DecisionJson;
use crate::decision::group::Membership;

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

impl DecisionJson<'_> {
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
