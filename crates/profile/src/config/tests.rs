#![expect(clippy::needless_pass_by_value, reason = "tables of JSON, written where they are used")]

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
    let mut value =
        json!({"apiVersion": format!("kubescheduler.config.k8s.io/{api}"), "kind": api::KIND});
    value.as_object_mut().expect("an object").extend(body.as_object().expect("an object").clone());
    value
}

fn read(body: Value) -> Configuration {
    Configuration::read(&config("v1", body), &newest()).expect("a good configuration")
}

fn problem(body: Value) -> String {
    Configuration::read(&config("v1", body), &newest())
        .expect_err("a bad configuration")
        .to_string()
}

pub(super) fn with_args(plugin: &str, args: Value) -> Value {
    json!({"profiles": [{"pluginConfig": [{"name": plugin, "args": args}]}]})
}

#[test]
fn empty_configuration_is_the_default_profile() {
    let base = newest();
    for body in [
        json!({}),
        json!({"profiles": [{}]}),
        json!({"profiles": null, "leaderElection": {"leaderElect": true}}),
    ] {
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
fn field_that_stands_twice_in_json_is_refused_where_anything_decodes_it() {
    let file = |args: &str| {
        let text = format!(
            r#"{{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
                "profiles": [{{"schedulerName": "a"}}, {{"schedulerName": "b", "pluginConfig": [{args}]}}]}}"#
        );
        let file = ConfigFile::from_json(&text).expect("JSON");
        Configuration::read_file(&file, &newest()).map(drop).map_err(|error| error.to_string())
    };
    let refused =
        |path: &str| Err(format!("{path}: strict decoding error: duplicate field {path:?}"));
    for name in ["ImageLocality", "Mine"] {
        let twice = format!(r#"{{"name": "{name}", "args": {{"a": {{"b": 1, "b": 2}}, "a": 3}}}}"#);
        assert_eq!(file(&twice), Ok(()), "{name}");
    }
    let of_type = r#"{"name": "NodeAffinity", "args": {"kind": "", "kind": ""}}"#;
    assert_eq!(file(of_type), refused("profiles[1].pluginConfig[0].args.kind"));
    let args = r#"{"name": "Mine", "args": {}, "args": {}}"#;
    assert_eq!(file(args), refused("profiles[1].pluginConfig[0].args"));
    // The decoder reads each of the values.
    let error = file(r#"{"name": 1, "name": "Mine"}"#).unwrap_err();
    assert!(
        error.starts_with("profiles[1].pluginConfig[0].name: strict decoding error: cannot"),
        "{error}"
    );
}

#[test]
fn the_scheduler_knows_device_classes_if_any_profile_does() {
    let without = json!({"multiPoint": {"disabled": [{"name": "NodeResourcesFit"}, {"name": "DynamicResources"}]}});
    let watches = |profiles: Value| {
        let profiles = read(json!({"profiles": profiles})).profiles(&newest());
        profiles.iter().map(Profile::watches_device_classes).collect::<Vec<_>>()
    };
    assert_eq!(watches(json!([{"plugins": without}])), [false]);
    assert_eq!(
        watches(json!([{"schedulerName": "a", "plugins": without}, {"schedulerName": "b"}])),
        [true, true]
    );
}

#[test]
fn profiles_know_each_other() {
    let two = read(json!({"percentageOfNodesToScore": 30, "profiles": [
        {"schedulerName": "a"}, {"schedulerName": "b", "percentageOfNodesToScore": 70}]}));
    let profiles = two.profiles(&newest());
    assert!(profiles.iter().all(|p| p.all_names == ["a", "b"]));
    assert_eq!(
        profiles.iter().map(|p| p.percentage_of_nodes_to_score).collect::<Vec<_>>(),
        [Some(30), Some(70)]
    );
}

#[test]
fn invalid_fields_are_rejected_with_their_path() {
    for (body, want) in [
        (json!({"profils": []}), "profils: strict decoding error: unknown field \"profils\""),
        (json!({"parallelism": 0}), "parallelism: Invalid value: 0"),
        (
            json!({"percentageOfNodesToScore": 101}),
            "percentageOfNodesToScore: Invalid value: 101: not in valid range",
        ),
        (
            json!({"profiles": [{"schedulerName": "a"}, {"schedulerName": "a"}]}),
            "profiles[1].schedulerName: Duplicate value: \"profiles[0].schedulerName\"",
        ),
        (
            json!({"profiles": [{"schedulerName": "a"}, {}]}),
            "profiles[1].schedulerName: Required value",
        ),
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
        (
            json!({"extenders": [{"httpTimeout": "5 s"}]}),
            "extenders[0].httpTimeout: strict decoding error: time",
        ),
        (
            json!({"extenders": [{"enableHttps": true}]}),
            "extenders[0].enableHttps: strict decoding error: unknown",
        ),
        (
            json!({"podMaxBackoffSeconds": 0}),
            "podMaxBackoffSeconds: Invalid value: 0: must be greater than or equal",
        ),
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

/// A profile with these plugins.
fn with_plugins(plugins: Value) -> Value {
    json!({"profiles": [{"plugins": plugins}]})
}

#[test]
fn fields_beside_the_profiles_are_checked_like_the_scheduler_does() {
    for (body, want) in [
        (
            json!({"leaderElection": {"leaderElect": "yes"}}),
            "leaderElection.leaderElect: strict decoding error",
        ),
        (
            json!({"leaderElection": {"lease": "5s"}}),
            "leaderElection.lease: strict decoding error: unknown field",
        ),
        (
            json!({"leaderElection": {"leaseDuration": 15}}),
            "leaderElection.leaseDuration: strict decoding error: is not a duration such as 5s",
        ),
        (
            json!({"leaderElection": {"leaseDuration": null}}),
            "leaderElection.leaseDuration: strict decoding error: time",
        ),
        (
            json!({"leaderElection": {"renewDeadline": "-1s"}}),
            "leaderElection.renewDeadline: Invalid value: \"-1s\": must",
        ),
        (
            json!({"leaderElection": {"leaseDuration": "10s"}}),
            "leaderElection.leaseDuration: Invalid value: \"10s\": must",
        ),
        (
            json!({"leaderElection": {"resourceLock": "endpoints"}}),
            "leaderElection.resourceLock: Invalid value: \"endpoints\": resourceLock value must be \"leases\"",
        ),
        (
            json!({"clientConnection": {"burst": -1}}),
            "clientConnection.burst: Invalid value: -1: must be non-negative",
        ),
        (json!({"clientConnection": {"qps": "50"}}), "clientConnection.qps: strict decoding error"),
        (json!({"enableProfiling": 1}), "enableProfiling: strict decoding error"),
        (json!({"parallelism": 3_000_000_000_u32}), "parallelism: strict decoding error"),
        (json!({"profiles": [{"schedulerName": ""}]}), "profiles[0].schedulerName: Required value"),
        (
            json!({"extenders": [{"httpTimeout": 5}]}),
            "extenders[0].httpTimeout: strict decoding error: is not a duration",
        ),
        (
            json!({"extenders": [{"httpTimeout": null}]}),
            "extenders[0].httpTimeout: strict decoding error: time",
        ),
    ] {
        let said = problem(body.clone());
        assert!(said.starts_with(want), "{body}\n  {said}");
    }
    for body in [
        json!({"leaderElection": {"leaderElect": false, "leaseDuration": "-1s", "resourceLock": "endpoints"}}),
        json!({"leaderElection": {"leaderElect": null, "leaseDuration": "0s"}, "clientConnection": {"qps": 0.5}}),
        json!({"extenders": [{"httpTimeout": "-5s"}]}),
        json!({"profiles": [{"schedulerName": null}]}),
    ] {
        read(body);
    }
}

#[test]
fn plugins_that_the_scheduler_cannot_make_a_profile_of_are_refused() {
    let named = |name: &str| json!({"enabled": [{"name": name}]});
    let off = |name: &str| json!({"disabled": [{"name": name}]});
    let weight = |weight: i64| json!({"enabled": [{"name": "ImageLocality", "weight": weight}]});
    for (plugins, want) in [
        (
            json!({"bind": off("*")}),
            "bind: at least one bind plugin is needed for profile with scheduler name",
        ),
        (json!({"bind": off("DefaultBinder")}), "bind: at least one bind plugin is needed"),
        (
            json!({"queueSort": off("PrioritySort")}),
            "queueSort: only one queue sort plugin required",
        ),
        (json!({"multiPoint": off("*")}), "queueSort: only one queue sort plugin required"),
        (json!({"multiPoint": off("DefaultBinder")}), "bind: at least one bind plugin is needed"),
        (json!({"queueSort": named("Mine")}), "queueSort: only one queue sort plugin required"),
        (
            json!({"score": named("NodeName")}),
            "score.enabled[0]: plugin \"NodeName\" does not extend ScorePlugin plugin",
        ),
        (
            json!({"filter": named("ImageLocality")}),
            "filter.enabled[0]: plugin \"ImageLocality\" does not extend FilterPlugin",
        ),
        (
            json!({"permit": named("DefaultBinder")}),
            "permit.enabled[0]: plugin \"DefaultBinder\" does not extend Permit",
        ),
        (json!({"score": weight(3_000_000_000)}), "score.enabled[0].weight: strict decoding error"),
        (json!({"score": weight(-1)}), "score: total score of Score plugins could overflow"),
    ] {
        let said = problem(with_plugins(plugins.clone()));
        assert!(said.starts_with(&format!("profiles[0].plugins.{want}")), "{plugins}\n  {said}");
    }
    for plugins in [
        json!({"multiPoint": {"disabled": [{"name": "*"}], "enabled": [{"name": "PrioritySort"}, {"name": "DefaultBinder"}]}}),
        json!({"multiPoint": off("*"), "queueSort": named("PrioritySort"), "bind": named("DefaultBinder")}),
        json!({"queueSort": {"enabled": [{"name": "Mine"}], "disabled": [{"name": "PrioritySort"}]}}),
        json!({"multiPoint": {"disabled": [{"name": "*"}], "enabled": [{"name": "Mine"}]}}),
        json!({"preFilter": named("TaintToleration"), "reserve": named("VolumeBinding")}),
        json!({"score": {"disabled": [{"name": "*"}], "enabled": [{"name": "ImageLocality", "weight": 2_000_000_000}]}}),
    ] {
        read(with_plugins(plugins));
    }
}

#[test]
fn plugin_points_of_a_release_are_those_of_that_release() {
    let at = |version: &str, point: &str, name: &str| {
        let plugins = json!({point: {"enabled": [{"name": name}]}});
        Configuration::read(&config("v1", with_plugins(plugins)), &base(version))
            .err()
            .map(|e| e.problem)
    };
    assert_eq!(
        at("1.36", "preFilter", "TaintToleration"),
        Some("plugin \"TaintToleration\" does not extend PreFilterPlugin plugin".into())
    );
    assert_eq!(at("1.37", "preFilter", "TaintToleration"), None);
    assert_eq!(
        at("1.34", "score", "DynamicResources"),
        Some("plugin \"DynamicResources\" does not extend ScorePlugin plugin".into())
    );
    assert_eq!(at("1.35", "score", "DynamicResources"), None);
    assert_eq!(
        at("1.34", "filter", "NodeDeclaredFeatures"),
        Some("FilterPlugin \"NodeDeclaredFeatures\" does not exist".into())
    );
}

#[test]
fn arguments_that_a_plugin_refuses_are_refused_where_they_stand() {
    let selects = |expression: Value| json!({"addedAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}});
    let term = "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]";
    let field = json!({"addedAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 1, "preference": {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a", "b"]}]}}]}});
    for (plugin, args, want) in [
        (
            "NodeAffinity",
            selects(json!({"key": "a", "operator": "Is"})),
            format!("{term}.operator: Unsupported value: \"Is\""),
        ),
        (
            "NodeAffinity",
            selects(json!({"key": "-", "operator": "Exists"})),
            format!("{term}.key: Invalid value: \"-\""),
        ),
        ("NodeAffinity", selects(json!({"key": "a", "operator": "In"})), format!("{term}.values: Invalid value: []")),
        (
            "NodeAffinity",
            selects(json!({"key": "a", "operator": "Gt", "values": ["x"]})),
            format!("{term}.values[0]: Invalid value: \"x\""),
        ),
        (
            "NodeAffinity",
            field,
            "addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].matchFields[0].values: Invalid value"
                .into(),
        ),
        (
            "NodeResourcesFit",
            json!({"ignoredResources": ["a b"]}),
            "ignoredResources[0]: Invalid value: \"a b\"".into(),
        ),
        (
            "NodeResourcesFit",
            json!({"ignoredResourceGroups": ["-"]}),
            "ignoredResourceGroups[0]: Invalid value: \"-\"".into(),
        ),
        (
            "PodTopologySpread",
            json!({"defaultingType": "List", "defaultConstraints": [{"maxSkew": 1, "topologyKey": "a b", "whenUnsatisfiable": "ScheduleAnyway"}]}),
            "defaultConstraints[0].topologyKey: Invalid value: \"a b\"".into(),
        ),
        (
            "DynamicResources",
            json!({"filterTimeout": "-1s"}),
            "filterTimeout: Invalid value: \"-1s\": must be zero or positive".into(),
        ),
        (
            "DynamicResources",
            json!({"bindingTimeout": "10ms"}),
            "bindingTimeout: Invalid value: \"10ms\": must be at least 1 second".into(),
        ),
        (
            "DynamicResources",
            json!({"filterTimeout": 5}),
            "filterTimeout: strict decoding error: is not a duration".into(),
        ),
        (
            "InterPodAffinity",
            json!({"hardPodAffinityWeight": 3_000_000_000_u32}),
            "hardPodAffinityWeight: strict decoding error".into(),
        ),
        (
            "VolumeBinding",
            json!({"apiVersion": "kubescheduler.config.k8s.io/v1beta3"}),
            "apiVersion: no kind \"VolumeBindingArgs\" is registered".into(),
        ),
    ] {
        let said = problem(with_args(plugin, args.clone()));
        assert!(said.starts_with(&format!("profiles[0].pluginConfig[0].args.{want}")), "{plugin} {args}\n  {said}");
    }
    for body in [
        with_args("VolumeBinding", json!({"shape": []})),
        json!({"profiles": [{"pluginConfig": [{"name": "NodeResourcesFit"}, {"name": "DefaultPreemption", "args": null}]}]}),
        with_args(
            "NodeAffinity",
            json!({"addedAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 0, "preference": {"matchExpressions": [{"key": "-", "operator": "Is"}]}}]}}),
        ),
    ] {
        read(body);
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
    let FitStrategy::RequestedToCapacityRatio(shape) = &args.fit_scoring.strategy else {
        panic!("{args:?}")
    };
    assert_eq!(shape.iter().map(|p| p.score).collect::<Vec<_>>(), [0, 100]);

    let timeout = |args: Value| {
        read(with_args("DynamicResources", args)).profiles[0].args.binding_timeout.as_secs()
    };
    assert_eq!((timeout(json!({})), timeout(json!({"bindingTimeout": "1m30s"}))), (600, 90));

    let path = "profiles[0].pluginConfig[0].args";
    let zone = json!({"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"});
    for (plugin, args, want) in [
        (
            "NodeResourcesFit",
            json!({"ignored": []}),
            "ignored: strict decoding error: unknown field \"profiles[0].pluginConfig[0].args.ignored\"",
        ),
        (
            "NodeResourcesFit",
            json!({"ignoredResourceGroups": ["a/b"]}),
            "ignoredResourceGroups[0]: Invalid value",
        ),
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
        (
            "InterPodAffinity",
            json!({"hardPodAffinityWeight": -1}),
            "hardPodAffinityWeight: Invalid value: -1",
        ),
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
        (
            "PodTopologySpread",
            json!({"defaultConstraints": [zone]}),
            "defaultingType: Invalid value: \"System\"",
        ),
        (
            "PodTopologySpread",
            json!({"defaultingType": "Some"}),
            "defaultingType: Unsupported value: \"Some\"",
        ),
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
        Configuration::read(&config(api, with_args(plugin, args)), &base(version))
            .map_err(|e| e.problem)
    };
    for (version, api, plugin) in [
        ("1.37", "v1", "TaintToleration"),
        ("1.37", "v1", "NodeResourcesMostAllocated"),
        ("1.37", "v1", "Stranger"),
        ("1.33", "v1", "DynamicResources"),
        ("1.21", "v1beta1", "NodeResourcesBalancedAllocation"),
        ("1.19", "v1beta1", "DefaultPreemption"),
    ] {
        for args in [json!({"no": "field"}), json!({"kind": "OtherArgs"}), json!("text"), json!(3)]
        {
            assert!(of(version, api, plugin, args.clone()).is_ok(), "{version} {plugin} {args}");
        }
    }
    for (version, api, plugin) in [
        ("1.34", "v1", "DynamicResources"),
        ("1.22", "v1beta1", "NodeResourcesBalancedAllocation"),
        ("1.22", "v1beta1", "NodeResourcesMostAllocated"),
        ("1.20", "v1beta1", "DefaultPreemption"),
    ] {
        let said = of(version, api, plugin, json!({"no": "field"}))
            .expect_err("a field that does not exist");
        assert!(
            said.starts_with("strict decoding error: unknown field"),
            "{version} {plugin}: {said}"
        );
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
        "nodeCacheCapable": true, "enableHTTPS": true, "tlsConfig": {"serverName": "x", "caData": "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg=="}});
    let config = read(json!({"extenders": [extender, {"urlPrefix": "http://y"}]}));
    let [first, second] = config.extenders.as_slice() else { panic!("{config:?}") };
    assert_eq!((first.timeout.as_millis(), second.timeout.as_secs()), (90_500, 5));
    assert!(first.node_cache_capable && first.tls.https && !first.tls.insecure);
    assert_eq!(
        (first.weight, first.tls.server_name.as_str(), first.tls.ca_data.as_str()),
        (7, "x", "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==")
    );
    assert!(second.verbs().is_empty());
}

#[test]
fn an_address_of_an_extender_that_may_hide_a_login_is_refused_and_not_shown() {
    for url in [
        "http://us/r:hunter2@h",
        "https://jane:hunter2/x@h",
        "http://jane:hunter2#x@h",
        "jane:hunter2/x@h",
    ] {
        let problem = problem(
            json!({"extenders": [{"urlPrefix": "http://x"}, {"urlPrefix": url, "filterVerb": "f"}]}),
        );
        assert!(problem.starts_with("extenders[1].urlPrefix: "), "{problem}");
        assert!(problem.contains("has an `@` behind a `/`, `?` or `#`: write %2F"), "{problem}");
        assert!(!problem.contains("hunter2") && !problem.contains("jane"), "{problem}");
    }
    let problem =
        problem(json!({"extenders": [{"urlPrefix": "jane:hunter2@h", "filterVerb": "f"}]}));
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
        "permit": {"enabled": [{"name": "Mine"}, {"name": "GangScheduling"}]}});
    let config = read(json!({"profiles": [{"plugins": plugins}]}));
    let profiles = config.profiles(&newest());
    let found: Vec<_> = profiles[0]
        .plugins
        .out_of_tree
        .iter()
        .map(|s| (s.name.as_str(), s.points.clone()))
        .collect();
    assert_eq!(found, [("Mine", vec!["filter", "permit"]), ("Zed", vec!["multiPoint"])]);
}
