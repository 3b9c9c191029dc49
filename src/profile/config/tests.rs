#![expect(
    clippy::needless_pass_by_value,
    clippy::too_many_lines,
    reason = "tables of JSON, written where they are used"
)]

use serde_json::{Value, json};

use super::*;
use crate::profile::args::FitStrategy;
use crate::profile::{SchedulerVersion, VersionSource};

fn config(body: Value) -> Value {
    let mut value = json!({"apiVersion": API_VERSION, "kind": KIND});
    value.as_object_mut().expect("an object").extend(body.as_object().expect("an object").clone());
    value
}

fn read(body: Value) -> Configuration {
    Configuration::read(&config(body)).expect("a good configuration")
}

fn problem(body: Value) -> String {
    Configuration::read(&config(body)).expect_err("a bad configuration").to_string()
}

fn with_args(plugin: &str, args: Value) -> Value {
    json!({"profiles": [{"pluginConfig": [{"name": plugin, "args": args}]}]})
}

#[test]
fn nothing_said_is_the_default_profile() {
    let base = Profile::new(SchedulerVersion::NEWEST, VersionSource::Default);
    for body in
        [json!({}), json!({"profiles": [{}]}), json!({"profiles": null, "leaderElection": {"leaderElect": true}})]
    {
        let profiles = read(body.clone()).profiles(&base);
        assert_eq!(profiles.len(), 1, "{body}");
        assert_eq!(Profile { from_file: false, ..profiles[0].clone() }, base, "{body}");
    }
}

#[test]
fn profiles_know_each_other() {
    let two = read(json!({"percentageOfNodesToScore": 30, "profiles": [
        {"schedulerName": "a"}, {"schedulerName": "b", "percentageOfNodesToScore": 70}]}));
    let profiles = two.profiles(&Profile::new(SchedulerVersion::NEWEST, VersionSource::Default));
    assert!(profiles.iter().all(|p| p.all_names == ["a", "b"]));
    assert_eq!(profiles.iter().map(|p| p.percentage_of_nodes_to_score).collect::<Vec<_>>(), [Some(30), Some(70)]);
}

#[test]
fn what_kube_scheduler_refuses_is_refused_where_it_stands() {
    for (body, want) in [
        (json!({"profils": []}), "profils: strict decoding error: unknown field `profils`"),
        (json!({"parallelism": 0}), "parallelism: Invalid value: 0"),
        (json!({"percentageOfNodesToScore": 101}), "percentageOfNodesToScore: Invalid value: 101: not in valid range"),
        (
            json!({"profiles": [{"schedulerName": "a"}, {"schedulerName": "a"}]}),
            "profiles[1].schedulerName: Duplicate value: \"profiles[0].schedulerName\"",
        ),
        (json!({"profiles": [{"schedulerName": "a"}, {}]}), "profiles[1].schedulerName: Required value"),
        (
            json!({"profiles": [{"plugins": {"filtr": {}}}]}),
            "profiles[0].plugins.filtr: strict decoding error: unknown field `filtr`",
        ),
        (
            json!({"profiles": [{"plugins": {"score": {"enabled": [{"name": "EBSLimits"}]}}}]}),
            "profiles[0].plugins.score.enabled[0]: Invalid value: \"EBSLimits\": was invalid in version",
        ),
        (
            json!({"profiles": [{"plugins": {"score": {"enabled": [{"name": "ImageLocality", "weight": "x"}]}}}]}),
            "profiles[0].plugins.score.enabled[0].weight: strict decoding error: invalid type",
        ),
        (
            json!({"profiles": [{"plugins": {"score": {"enabled": [{"name": "A"}, {"name": "A"}]}}}]}),
            "profiles[0].plugins.score.enabled[1]: plugin \"A\" already registered",
        ),
        (
            json!({"profiles": [{"pluginConfig": [{"name": "A"}, {"name": "A"}]}]}),
            "profiles[0].pluginConfig[1]: Duplicate value: \"A\"",
        ),
        (
            json!({"extenders": [{"prioritizeVerb": "p"}]}),
            "extenders[0].weight: Invalid value: 0: must have a positive weight",
        ),
        (json!({"extenders": [{"bindVerb": "b"}, {"bindVerb": "b"}]}), "extenders: Invalid value"),
    ] {
        let said = problem(body.clone());
        assert!(said.starts_with(want), "{body}\n  {said}");
    }
    for (value, want) in [
        (json!({"kind": "Pod", "apiVersion": "v1"}), "kind: is `Pod`"),
        (json!({"kind": KIND, "apiVersion": "kubescheduler.config.k8s.io/v1beta3"}), "apiVersion: is `kubescheduler"),
        (json!([]), "kind: is missing"),
    ] {
        let said = Configuration::read(&value).expect_err("not a configuration").to_string();
        assert!(said.starts_with(want), "{said}");
    }
}

#[test]
fn arguments_are_read_and_checked() {
    let fit = json!({"ignoredResources": ["a.io/x"], "scoringStrategy": {"type": "RequestedToCapacityRatio",
        "resources": [{"name": "cpu", "weight": 3}, {"name": "memory"}],
        "requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]}}});
    let args = &read(with_args("NodeResourcesFit", fit)).profiles[0].args;
    assert_eq!(args.ignored_resources, ["a.io/x"]);
    assert_eq!(args.fit_scoring.resources.iter().map(|r| r.weight).collect::<Vec<_>>(), [3, 1]);
    let FitStrategy::RequestedToCapacityRatio(shape) = &args.fit_scoring.strategy else { panic!("{args:?}") };
    assert_eq!(shape.iter().map(|p| p.score).collect::<Vec<_>>(), [0, 100]);

    let path = "profiles[0].pluginConfig[0].args";
    let zone = json!({"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"});
    for (plugin, args, want) in [
        ("NodeResourcesFit", json!({"ignored": []}), "ignored: strict decoding error: unknown field `ignored`"),
        ("NodeResourcesFit", json!({"ignoredResourceGroups": ["a/b"]}), "ignoredResourceGroups[0]: Invalid value"),
        (
            "NodeResourcesFit",
            json!({"scoringStrategy": {"type": "Best"}}),
            "scoringStrategy.type: Unsupported value: \"Best\": supported values: \"LeastAllocated\"",
        ),
        (
            "NodeResourcesFit",
            json!({"scoringStrategy": {"type": "RequestedToCapacityRatio"}}),
            "scoringStrategy.requestedToCapacityRatio: Required value",
        ),
        (
            "NodeResourcesFit",
            json!({"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 101}]}}),
            "scoringStrategy.resources[0].weight: Invalid value: 101",
        ),
        ("InterPodAffinity", json!({"hardPodAffinityWeight": -1}), "hardPodAffinityWeight: Invalid value: -1"),
        (
            "DefaultPreemption",
            json!({"minCandidateNodesPercentage": 200}),
            "minCandidateNodesPercentage: Invalid value",
        ),
        (
            "DefaultPreemption",
            json!({"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 0}),
            "minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time",
        ),
        ("PodTopologySpread", json!({"defaultConstraints": [zone]}), "defaultingType: Invalid value: \"System\""),
        ("PodTopologySpread", json!({"defaultingType": "Some"}), "defaultingType: Unsupported value: \"Some\""),
        (
            "PodTopologySpread",
            json!({"defaultingType": "List", "defaultConstraints": [zone, zone]}),
            "defaultConstraints[1]: Duplicate value: \"{zone, DoNotSchedule}\"",
        ),
        (
            "PodTopologySpread",
            json!({"defaultingType": "List", "defaultConstraints": [{"topologyKey": "zone", "maxSkew": 1}]}),
            "defaultConstraints[0].whenUnsatisfiable: Required value",
        ),
        (
            "VolumeBinding",
            json!({"shape": [{"utilization": 50, "score": 1}, {"utilization": 50, "score": 2}]}),
            "shape[1].utilization: Invalid value: 50: values must be sorted in increasing order",
        ),
        (
            "NodeResourcesBalancedAllocation",
            json!({"resources": [{"name": "cpu", "weight": 2}]}),
            "resources[0].weight",
        ),
    ] {
        let said = problem(with_args(plugin, args.clone()));
        assert!(said.starts_with(&format!("{path}.{want}")), "{plugin} {args}\n  {said}");
    }
}

#[test]
fn resources_of_extenders_are_left_to_them() {
    let extender = json!({"urlPrefix": "http://x", "filterVerb": "filter", "bindVerb": "bind",
        "managedResources": [{"name": "a.io/x", "ignoredByScheduler": true}, {"name": "a.io/y"}]});
    let config = read(json!({"extenders": [extender]}));
    assert_eq!(config.profiles[0].args.ignored_resources, ["a.io/x"]);
    assert_eq!(config.extenders[0].verbs, ["filter", "bind"]);
    assert_eq!(config.extenders[0].managed_resources, ["a.io/x", "a.io/y"]);
}
