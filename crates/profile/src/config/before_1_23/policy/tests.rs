use serde_json::json;

use super::*;

/// The names at a point.
fn names(point: &PointSettings) -> Vec<&str> {
    point.enabled.iter().map(|(name, _)| name.as_str()).collect()
}

fn policy(value: &Value) -> (PolicySettings, PluginArgs) {
    let raw: Policy = strict(value, "").expect("a policy");
    let mut args = PluginArgs::default();
    let predicates =
        raw.predicates.as_deref().map(read_predicates).transpose().expect("predicates");
    let priorities =
        raw.priorities.as_deref().map(|list| read_priorities(list, &mut args)).transpose();
    (PolicySettings { predicates, priorities: priorities.expect("priorities") }, args)
}

#[test]
fn predicates_run_in_their_own_order_and_some_always() {
    let (settings, _) =
        policy(&json!({"predicates": [{"name": "MatchInterPodAffinity"}, {"name": "PodFitsPorts"},
        {"name": "PodFitsResources"}]}));
    let expected = [
        "CheckNodeUnschedulable",
        "PodFitsHostPorts",
        "PodFitsResources",
        "PodToleratesNodeTaints",
        "MatchInterPodAffinity",
    ];
    assert_eq!(settings.predicates.as_deref(), Some(expected.as_slice()));
    let plugins = settings.plugins(20);
    assert_eq!(
        names(&plugins.filter),
        [
            "NodeUnschedulable",
            "NodePorts",
            "NodeResourcesFit",
            "TaintToleration",
            "InterPodAffinity"
        ]
    );
    assert_eq!(names(&plugins.pre_filter), ["NodePorts", "NodeResourcesFit", "InterPodAffinity"]);
    assert_eq!(plugins.filter.disabled, ["*"]);
    let old = settings.plugins(16);
    assert_eq!(names(&old.filter), expected);
    assert!(names(&old.pre_filter).is_empty());
}

#[test]
fn several_predicates_may_be_one_plugin() {
    let (settings, _) =
        policy(&json!({"predicates": [{"name": "GeneralPredicates"}, {"name": "HostName"},
        {"name": "MatchNodeSelector"}]}));
    let before = settings.plugins(20);
    let expected = [
        "NodeUnschedulable",
        "NodeResourcesFit",
        "NodeName",
        "NodePorts",
        "NodeAffinity",
        "TaintToleration",
    ];
    assert_eq!(names(&before.filter), expected);
    assert_eq!(names(&before.pre_filter), ["NodeResourcesFit", "NodePorts"]);
    assert_eq!(
        names(&settings.plugins(21).pre_filter),
        ["NodeResourcesFit", "NodePorts", "NodeAffinity"]
    );
}

#[test]
fn missing_list_in_a_policy_selects_its_defaults() {
    let (settings, _) = policy(&json!({"predicates": [{"name": "HostName"}]}));
    assert_eq!(settings.plugins(17).score, PointSettings::default());
    for (minor, spread) in [(18, 1), (19, 2)] {
        let score = settings.plugins(minor).score.enabled;
        assert!(score.contains(&("PodTopologySpread".to_owned(), spread)), "1.{minor}: {score:?}");
        assert!(score.contains(&("NodePreferAvoidPods".to_owned(), 10000)), "1.{minor}: {score:?}");
    }
    let (none, _) = policy(&json!({}));
    assert_eq!(names(&none.plugins(22).filter).len(), 15);
    assert_eq!(none.plugins(16), PluginSettings::default());
}

#[test]
fn priorities_keep_weights_and_the_last_duplicate_wins() {
    let shape = json!([{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]);
    let ratio = json!({"requestedToCapacityRatioArguments": {"shape": shape, "resources": [{"name": "a.io/x", "weight": 300}]}});
    let (settings, args) = policy(&json!({"priorities": [{"name": "EqualPriority", "weight": 1},
        {"name": "ServiceSpreadingPriority", "weight": 3}, {"name": "LeastRequestedPriority", "weight": 1},
        {"name": "LeastRequestedPriority", "weight": 4}, {"name": "Mine", "weight": 5, "argument": ratio},
        {"name": "Zone", "weight": 2, "argument": {"serviceAntiAffinity": {"label": "zone"}}}]}));
    let expected = [
        ("SelectorSpreadPriority", 3),
        ("LeastRequestedPriority", 4),
        ("RequestedToCapacityRatio", 5),
        ("ServiceAffinity", 2),
    ];
    assert_eq!(settings.priorities.as_deref(), Some(expected.as_slice()));
    assert_eq!(names(&settings.plugins(20).pre_score), ["SelectorSpread"]);
    let names_of = |minor| {
        settings.plugins(minor).score.enabled.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(names_of(18)[..2], ["DefaultPodTopologySpread", "NodeResourcesLeastAllocated"]);
    assert_eq!(names_of(16)[..2], ["SelectorSpreadPriority", "LeastRequestedPriority"]);
    assert_eq!(args.capacity_ratio.resources[0].weight, 300);
}

#[test]
fn invalid_policy_fields_are_rejected_with_their_path() {
    let two = json!({"serviceAffinity": {"labels": ["a"]}, "labelsPresence": {"labels": ["b"], "presence": true}});
    for (body, want) in [
        (
            json!({"predicates": [{"name": "Nonsense"}]}),
            "predicates[0].name: predicate type not found for \"Nonsense\"",
        ),
        (
            json!({"predicates": [{"name": "A", "argument": two}]}),
            "predicates[0].argument: exactly 1 predicate argument",
        ),
        (
            json!({"priorities": [{"name": "X", "weight": 1}]}),
            "priorities[0].name: priority type not found for \"X\"",
        ),
        (
            json!({"priorities": [{"name": "LeastRequestedPriority"}]}),
            "priorities[0].weight: priority LeastRequestedPriority should have a positive weight",
        ),
        (
            json!({"priorities": [{"name": "X", "weight": 1, "argument": {}}]}),
            "priorities[0].argument: exactly 1 priority",
        ),
    ] {
        let raw: Policy = strict(&body, "").expect("a policy");
        let predicates = raw.predicates.as_deref().map(read_predicates).transpose();
        let mut args = PluginArgs::default();
        let priorities =
            raw.priorities.as_deref().map(|list| read_priorities(list, &mut args)).transpose();
        let said = predicates.err().or(priorities.err()).expect("a refusal").to_string();
        assert!(said.starts_with(want), "{body}\n  {said}");
    }
}
