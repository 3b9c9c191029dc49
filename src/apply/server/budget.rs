//! The PodDisruptionBudget that blocks an eviction: its name, and whether it can ever allow one.

use k8s_openapi::List;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;

/// The name of the budget in the message of the eviction API.
///
/// Upstream: `pkg/registry/core/pod/storage/eviction.go` (1.37).
pub(in crate::apply) fn name_in(text: &str) -> Option<&str> {
    let (_, rest) = text.rsplit_once("The disruption budget ")?;
    let name = rest.split_whitespace().next()?;
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '.').then_some(name)
}

/// The path of a list that contains only that budget: a role that may `list` budgets may lack
/// `get`.
pub(in crate::apply) fn path(namespace: &str, name: &str) -> String {
    format!(
        "/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets?fieldSelector=metadata.name%3D{name}"
    )
}

/// A budget that blocks every eviction even if all of its pods are healthy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::apply) struct NeverAllows {
    /// `status.desiredHealthy`.
    pub desired_healthy: i32,
    /// `status.expectedPods`.
    pub expected_pods: i32,
}

/// Returns the budget in `list` if it blocks every eviction.
pub(in crate::apply) fn never_allows(list: &str) -> Option<NeverAllows> {
    let list: List<PodDisruptionBudget> = serde_json::from_str(list).ok()?;
    let budget = list.items.into_iter().next()?;
    let status = budget.status?;
    // A status of an earlier generation may be about another number of pods.
    let is_current = status.observed_generation? == budget.metadata.generation?;
    let (desired_healthy, expected_pods) = (status.desired_healthy?, status.expected_pods?);
    let never = is_current && expected_pods > 0 && desired_healthy >= expected_pods;
    never.then_some(NeverAllows { desired_healthy, expected_pods })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_that_never_allow_an_eviction_are_recognized() {
        let budget = |generation: i64, desired: i64, expected: i64| {
            format!(
                r#"{{"items":[{{"metadata":{{"generation":{generation}}},"status":{{"observedGeneration":1,
                    "desiredHealthy":{desired},"expectedPods":{expected},"disruptionsAllowed":0}}}}]}}"#
            )
        };
        assert_eq!(
            never_allows(&budget(1, 4, 4)),
            Some(NeverAllows { desired_healthy: 4, expected_pods: 4 })
        );
        for other in [
            budget(2, 4, 4),
            budget(1, 3, 4),
            budget(1, 0, 0),
            "{}".to_owned(),
            r#"{"items":[]}"#.to_owned(),
        ] {
            assert_eq!(never_allows(&other), None, "{other}");
        }
        let text = "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget guard needs 2 \
                    healthy pods and has 2 currently";
        assert_eq!(name_in(text), Some("guard"));
        assert_eq!(name_in("The disruption budget ../x needs"), None);
    }
}
