//! The budget behind a refusal: which one it is, and whether it ever allows anything.

use serde::Deserialize;

/// The budget that the eviction API's text is about.
pub(super) fn name_in(text: &str) -> Option<&str> {
    let (_, rest) = text.rsplit_once("The disruption budget ")?;
    let name = rest.split_whitespace().next()?;
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '.').then_some(name)
}

/// Where that budget is: a list of it alone, as roles that may list budgets may not get them.
pub(super) fn path(namespace: &str, name: &str) -> String {
    format!("/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets?fieldSelector=metadata.name%3D{name}")
}

#[derive(Deserialize)]
struct List {
    items: Vec<Budget>,
}

#[derive(Deserialize)]
struct Budget {
    metadata: BudgetMeta,
    status: BudgetStatus,
}

#[derive(Deserialize)]
struct BudgetMeta {
    generation: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BudgetStatus {
    observed_generation: i64,
    desired_healthy: i64,
    expected_pods: i64,
}

/// Why the budget in that list forbids every eviction even if all of its pods are healthy.
pub(super) fn never(list: &str) -> Option<String> {
    let Budget { metadata, status } = serde_json::from_str::<List>(list).ok()?.items.into_iter().next()?;
    let known = status.observed_generation == metadata.generation && status.expected_pods > 0;
    (known && status.desired_healthy >= status.expected_pods).then(|| {
        format!(
            "it wants {} of {} pods healthy and never allows any eviction",
            status.desired_healthy, status.expected_pods
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_that_never_allow_anything_are_known() {
        let budget = |generation: i64, desired: i64, expected: i64| {
            format!(
                r#"{{"items":[{{"metadata":{{"generation":{generation}}},"status":{{"observedGeneration":1,
                    "desiredHealthy":{desired},"expectedPods":{expected},"disruptionsAllowed":0}}}}]}}"#
            )
        };
        assert!(never(&budget(1, 4, 4)).unwrap().starts_with("it wants 4 of 4 pods healthy"));
        for other in [budget(2, 4, 4), budget(1, 3, 4), budget(1, 0, 0), "{}".to_owned(), r#"{"items":[]}"#.to_owned()]
        {
            assert_eq!(never(&other), None, "{other}");
        }
        let text = "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget guard needs 2 \
                    healthy pods and has 2 currently";
        assert_eq!(name_in(text), Some("guard"));
        assert_eq!(name_in("The disruption budget ../x needs"), None);
    }
}
