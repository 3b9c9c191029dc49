#![expect(
    clippy::needless_pass_by_value,
    clippy::too_many_lines,
    reason = "tables of JSON, written where they are used"
)]

use serde_json::{Value, json};

use super::*;
use crate::args::FitStrategy;
use crate::{SchedulerVersion, VersionSource};

pub(super) fn base(version: &str) -> Profile {
    Profile::new(SchedulerVersion::parse(version).expect("a version"), VersionSource::Flag)
}

pub(super) fn newest() -> Profile {
    Profile::new(SchedulerVersion::NEWEST, VersionSource::Default)
}

pub(super) fn config(api: &str, body: Value) -> Value {
    let mut value = json!({"apiVersion": format!("kubescheduler.config.k8s.io/{api}"), "kind": api::KIND});
    value.as_object_mut().expect("an object").extend(body.as_object().expect("an object").clone());
    value
}

fn read(body: Value) -> Configuration {
    Configuration::read(&config("v1", body), &newest()).expect("a good configuration")
}

fn problem(body: Value) -> String {
    Configuration::read(&config("v1", body), &newest()).expect_err("a bad configuration").to_string()
}

pub(super) fn with_args(plugin: &str, args: Value) -> Value {
    json!({"profiles": [{"pluginConfig": [{"name": plugin, "args": args}]}]})
}

#[test]
fn nothing_said_is_the_default_profile() {
    let base = newest();
    for body in
        [json!({}), json!({"profiles": [{}]}), json!({"profiles": null, "leaderElection": {"leaderElect": true}})]
    {
        let profiles = read(body.clone()).profiles(&base);
        assert_eq!(profiles.len(), 1, "{body}");
        assert_eq!(profiles[0], base, "{body}");
    }
}

#[test]
fn a_list_is_no_object() {
    for body in [json!({"profiles": [["a"]]}), json!({"extenders": [["http://a"]]})] {
        let problem = problem(body.clone());
        assert!(problem.ends_with("cannot read list where an object belongs"), "{body}: {problem}");
    }
}

#[test]
fn the_scheduler_knows_device_classes_if_any_profile_does() {
    let without = json!({"multiPoint": {"disabled": [{"name": "NodeResourcesFit"}, {"name": "DynamicResources"}]}});
    let watches = |profiles: Value| {
        let profiles = read(json!({"profiles": profiles})).profiles(&newest());
        profiles.iter().map(Profile::watches_device_classes).collect::<Vec<_>>()
    };
    assert_eq!(watches(json!([{"plugins": without}])), [false]);
    assert_eq!(watches(json!([{"schedulerName": "a", "plugins": without}, {"schedulerName": "b"}])), [true, true]);
}

#[test]
fn profiles_know_each_other() {
    let two = read(json!({"percentageOfNodesToScore": 30, "profiles": [
        {"schedulerName": "a"}, {"schedulerName": "b", "percentageOfNodesToScore": 70}]}));
    let profiles = two.profiles(&newest());
    assert!(profiles.iter().all(|p| p.all_names == ["a", "b"]));
    assert_eq!(profiles.iter().map(|p| p.percentage_of_nodes_to_score).collect::<Vec<_>>(), [Some(30), Some(70)]);
}

#[test]
fn what_kube_scheduler_refuses_is_refused_where_it_stands() {
    for (body, want) in [
        (json!({"profils": []}), "profils: strict decoding error: unknown field \"profils\""),
        (json!({"parallelism": 0}), "parallelism: Invalid value: 0"),
        (json!({"percentageOfNodesToScore": 101}), "percentageOfNodesToScore: Invalid value: 101: not in valid range"),
        (
            json!({"profiles": [{"schedulerName": "a"}, {"schedulerName": "a"}]}),
            "profiles[1].schedulerName: Duplicate value: \"profiles[0].schedulerName\"",
        ),
        (json!({"profiles": [{"schedulerName": "a"}, {}]}), "profiles[1].schedulerName: Required value"),
        (
            json!({"profiles": [{"plugins": {"filtr": {}}}]}),
            "profiles[0].plugins.filtr: strict decoding error: unknown field \"profiles[0].plugins.filtr\"",
        ),
        (
            json!({"profiles": [{"plugins": {"score": {"enabled": [{"name": "EBSLimits"}]}}}]}),
            "profiles[0].plugins.score.enabled[0]: Invalid value: \"EBSLimits\": was invalid in version",
        ),
        (
            json!({"profiles": [{"plugins": {"score": {"enabled": [{"name": "ImageLocality", "weight": "x"}]}}}]}),
            "profiles[0].plugins.score.enabled[0].weight: strict decoding error: cannot read string \"x\" where a number",
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
        (
            json!({"extenders": [{"managedResources": [{"name": "cpu"}]}]}),
            "extenders[0].managedResources[0].name: Invalid value: \"cpu\": is an invalid extended resource name",
        ),
        (
            json!({"extenders": [{"managedResources": [{"name": "a.io/x"}, {"name": "a.io/x"}]}]}),
            "extenders[0].managedResources[1].name: Invalid value: \"a.io/x\": duplicate extender managed resource",
        ),
        (json!({"extenders": [{"httpTimeout": "5 s"}]}), "extenders[0].httpTimeout: strict decoding error: time"),
        (json!({"extenders": [{"enableHttps": true}]}), "extenders[0].enableHttps: strict decoding error: unknown"),
        (json!({"podMaxBackoffSeconds": 0}), "podMaxBackoffSeconds: Invalid value: 0: must be greater than or equal"),
        (
            json!({"profiles": [{"schedulerName": "a"},
                {"schedulerName": "b", "plugins": {"queueSort": {"enabled": [{"name": "Mine"}]}}}]}),
            "profiles[1].plugins.queueSort: Invalid value: queueSort must be the same for all profiles",
        ),
    ] {
        let said = problem(body.clone());
        assert!(said.starts_with(want), "{body}\n  {said}");
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

    let timeout = |args: Value| read(with_args("DynamicResources", args)).profiles[0].args.binding_timeout.as_secs();
    assert_eq!((timeout(json!({})), timeout(json!({"bindingTimeout": "1m30s"}))), (600, 90));

    let path = "profiles[0].pluginConfig[0].args";
    let zone = json!({"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"});
    for (plugin, args, want) in [
        (
            "NodeResourcesFit",
            json!({"ignored": []}),
            "ignored: strict decoding error: unknown field \"profiles[0].pluginConfig[0].args.ignored\"",
        ),
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
        (
            "NodeResourcesFit",
            json!({"scoringStrategy": {"resources": [{"name": "cpu"}]}}),
            "scoringStrategy.type: Unsupported value: \"\"",
        ),
        (
            "NodeResourcesBalancedAllocation",
            json!({"resources": [{"name": "cpu"}, {"name": "cpu"}]}),
            "resources[1].name: Duplicate value: \"cpu\"",
        ),
        (
            "NodeAffinity",
            json!({"kind": "NodeResourcesFitArgs"}),
            "kind: args for plugin NodeAffinity were not of type NodeAffinityArgs",
        ),
        ("VolumeBinding", json!({"bindTimeoutSeconds": -1}), "bindTimeoutSeconds: Invalid value"),
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
fn arguments_without_a_type_are_not_read() {
    let of = |version: &str, api: &str, plugin: &str, args: Value| {
        Configuration::read(&config(api, with_args(plugin, args)), &base(version)).map_err(|e| e.problem)
    };
    for (version, api, plugin) in [
        ("1.37", "v1", "TaintToleration"),
        ("1.37", "v1", "NodeResourcesMostAllocated"),
        ("1.37", "v1", "Stranger"),
        ("1.33", "v1", "DynamicResources"),
        ("1.21", "v1beta1", "NodeResourcesBalancedAllocation"),
        ("1.19", "v1beta1", "DefaultPreemption"),
    ] {
        for args in [json!({"no": "field"}), json!({"kind": "OtherArgs"}), json!("text"), json!(3)] {
            assert!(of(version, api, plugin, args.clone()).is_ok(), "{version} {plugin} {args}");
        }
    }
    for (version, api, plugin) in [
        ("1.34", "v1", "DynamicResources"),
        ("1.22", "v1beta1", "NodeResourcesBalancedAllocation"),
        ("1.22", "v1beta1", "NodeResourcesMostAllocated"),
        ("1.20", "v1beta1", "DefaultPreemption"),
    ] {
        let said = of(version, api, plugin, json!({"no": "field"})).expect_err("a field that does not exist");
        assert!(said.starts_with("strict decoding error: unknown field"), "{version} {plugin}: {said}");
    }
}

#[test]
fn resources_of_extenders_are_left_to_them() {
    let extender = json!({"urlPrefix": "http://x", "filterVerb": "filter", "bindVerb": "bind",
        "managedResources": [{"name": "a.io/x", "ignoredByScheduler": true}, {"name": "a.io/y"}]});
    let config = read(json!({"extenders": [extender]}));
    assert_eq!(config.profiles[0].args.ignored_resources, ["a.io/x"]);
    assert_eq!(config.extenders[0].verbs(), ["filter", "bind"]);
    assert_eq!(config.extenders[0].managed_resources, ["a.io/x", "a.io/y"]);
}

#[test]
fn extenders_are_read_with_all_that_is_needed_to_ask_them() {
    let extender = json!({"urlPrefix": "https://x/", "preemptVerb": "preempt", "weight": 7, "httpTimeout": "1m30.5s",
        "nodeCacheCapable": true, "enableHTTPS": true, "tlsConfig": {"serverName": "x", "caData": "AA=="}});
    let config = read(json!({"extenders": [extender, {"urlPrefix": "http://y"}]}));
    let [first, second] = config.extenders.as_slice() else { panic!("{config:?}") };
    assert_eq!((first.timeout.as_millis(), second.timeout.as_secs()), (90_500, 5));
    assert!(first.node_cache_capable && first.tls.https && !first.tls.insecure);
    assert_eq!((first.weight, first.tls.server_name.as_str(), first.tls.ca_data.as_str()), (7, "x", "AA=="));
    assert!(second.verbs().is_empty());
}

#[test]
fn an_address_of_an_extender_that_may_hide_a_login_is_refused_and_not_shown() {
    for url in ["http://us/r:hunter2@h", "https://jane:hunter2/x@h", "http://jane:hunter2#x@h", "jane:hunter2/x@h"] {
        let problem = problem(json!({"extenders": [{"urlPrefix": "http://x"}, {"urlPrefix": url, "filterVerb": "f"}]}));
        assert!(problem.starts_with("extenders[1].urlPrefix: "), "{problem}");
        assert!(problem.contains("has an `@` behind a `/`, `?` or `#`: write %2F"), "{problem}");
        assert!(!problem.contains("hunter2") && !problem.contains("jane"), "{problem}");
    }
    let problem = problem(json!({"extenders": [{"urlPrefix": "jane:hunter2@h", "filterVerb": "f"}]}));
    let expected = "extenders[0].urlPrefix: Invalid value: \"h\": has a login without http:// or https:// before it";
    assert_eq!(problem, expected);
    for url in ["http://jane:hunter2@h/x", "https://h/a%40b", "https://h/a@b"] {
        let config = read(json!({"extenders": [{"urlPrefix": url, "filterVerb": "f"}]}));
        assert!(!config.extenders[0].url.contains("hunter2"), "{url}");
    }
}

#[test]
fn strangers_are_named_with_their_points() {
    let plugins = json!({"multiPoint": {"enabled": [{"name": "Zed"}]}, "filter": {"enabled": [{"name": "Mine"}]},
        "permit": {"enabled": [{"name": "Mine"}, {"name": "ImageLocality"}]}});
    let config = read(json!({"profiles": [{"plugins": plugins}]}));
    let profiles = config.profiles(&newest());
    let found: Vec<_> = profiles[0].plugins.out_of_tree.iter().map(|s| (s.name.as_str(), s.points.clone())).collect();
    assert_eq!(found, [("Mine", vec!["filter", "permit"]), ("Zed", vec!["multiPoint"])]);
}
