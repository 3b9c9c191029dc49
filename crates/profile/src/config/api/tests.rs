//! What each scheduler reads.

use serde_json::json;

use super::super::Configuration;
use super::super::tests::{base, config, with_args};
use super::*;

fn told(version: &str, value: &Value) -> String {
    Configuration::read(value, &base(version)).expect_err("a bad configuration").to_string()
}

fn read_as(version: &str, value: &Value) -> Configuration {
    Configuration::read(value, &base(version)).unwrap_or_else(|e| panic!("{version}: {e}: {value}"))
}

#[test]
fn each_scheduler_reads_its_versions_and_no_others() {
    let apis = ["v1alpha1", "v1alpha2", "v1beta1", "v1beta2", "v1beta3", "v1"];
    for (minors, read) in [
        (12..=17, vec!["v1alpha1"]),
        (18..=18, vec!["v1alpha1", "v1alpha2"]),
        (19..=21, vec!["v1beta1"]),
        (22..=22, vec!["v1beta1", "v1beta2"]),
        (23..=24, vec!["v1beta2", "v1beta3"]),
        (25..=27, vec!["v1beta2", "v1beta3", "v1"]),
        (28..=28, vec!["v1beta3", "v1"]),
        (29..=37, vec!["v1"]),
    ] {
        for minor in minors.clone().filter(|minor| *minor >= SchedulerVersion::OLDEST.minor) {
            for api in apis {
                let result =
                    Configuration::read(&config(api, json!({})), &base(&format!("1.{minor}")));
                assert_eq!(result.is_ok(), read.contains(&api), "1.{minor} {api} {result:?}");
            }
            let policy = json!({"apiVersion": "v1", "kind": "Policy"});
            assert_eq!(
                Configuration::read(&policy, &base(&format!("1.{minor}"))).is_ok(),
                minor <= 22,
                "1.{minor}"
            );
        }
    }
}

#[test]
fn a_version_that_is_not_read_is_named_with_those_that_are() {
    for (value, want) in [
        (
            json!({"kind": "Pod", "apiVersion": "v1"}),
            "apiVersion: no kind \"Pod\" is registered for version \"v1\"; kube-scheduler 1.37 reads \
             KubeSchedulerConfiguration kubescheduler.config.k8s.io/v1",
        ),
        (
            config("v1beta3", json!({})),
            "apiVersion: no kind \"KubeSchedulerConfiguration\" is registered for version \
             \"kubescheduler.config.k8s.io/v1beta3\"; kube-scheduler 1.37 reads",
        ),
        (json!([]), "kind: is missing; kube-scheduler 1.37 reads"),
        (json!({"kind": "Policy"}), "apiVersion: is missing"),
    ] {
        let said = told("1.37", &value);
        assert!(said.starts_with(want), "{said}");
    }
}

#[test]
fn fields_come_and_go_with_the_versions() {
    for (version, api, body, field) in [
        ("1.37", "v1", json!({"healthzBindAddress": ":1"}), Some("healthzBindAddress")),
        ("1.37", "v1", json!({"disablePreemption": true}), Some("disablePreemption")),
        (
            "1.35",
            "v1",
            json!({"profiles": [{"plugins": {"placementScore": {}}}]}),
            Some("profiles[0].plugins.placementScore"),
        ),
        ("1.36", "v1", json!({"profiles": [{"plugins": {"placementScore": {}}}]}), None),
        (
            "1.36",
            "v1",
            json!({"profiles": [{}, {"plugins": {"podGroupPostFilter": {}}}]}),
            Some("profiles[1].plugins.podGroupPostFilter"),
        ),
        (
            "1.34",
            "v1",
            json!({"profiles": [{"pluginConfig": [{"name": "DynamicResources", "args": {"bindingTimeout": "1s"}}]}]}),
            Some("profiles[0].pluginConfig[0].args.bindingTimeout"),
        ),
    ] {
        let said =
            Configuration::read(&config(api, body.clone()), &base(version)).err().map(|e| e.path);
        assert_eq!(said.as_deref(), field, "{version} {body}");
    }
}

#[test]
fn a_shape_needs_its_gate() {
    let body = with_args("VolumeBinding", json!({"shape": [{"utilization": 0, "score": 0}]}));
    let said = told("1.36", &config("v1", body.clone()));
    assert!(said.ends_with("turn on the feature gate StorageCapacityScoring"), "{said}");
    read_as("1.37", &config("v1", body));
}

#[test]
fn fields_of_old_versions() {
    for (version, api, body, field) in [
        ("1.18", "v1alpha2", json!({"disablePreemption": true, "bindTimeoutSeconds": 9}), None),
        (
            "1.18",
            "v1alpha2",
            json!({"profiles": [{"plugins": {"postFilter": {}}}]}),
            Some("profiles[0].plugins.postFilter"),
        ),
        ("1.19", "v1beta1", json!({"parallelism": 4}), Some("parallelism")),
        ("1.20", "v1beta1", json!({"parallelism": 4, "healthzBindAddress": ":1"}), None),
        (
            "1.22",
            "v1beta2",
            json!({"profiles": [{"plugins": {"multiPoint": {}}}]}),
            Some("profiles[0].plugins.multiPoint"),
        ),
        ("1.23", "v1beta2", json!({"profiles": [{"plugins": {"multiPoint": {}}}]}), None),
        ("1.23", "v1beta3", json!({"metricsBindAddress": ":1"}), Some("metricsBindAddress")),
        (
            "1.25",
            "v1",
            json!({"profiles": [{"plugins": {"preEnqueue": {}}}]}),
            Some("profiles[0].plugins.preEnqueue"),
        ),
        (
            "1.25",
            "v1",
            json!({"profiles": [{"percentageOfNodesToScore": 9}]}),
            Some("profiles[0].percentageOfNodesToScore"),
        ),
        ("1.26", "v1", json!({"profiles": [{"percentageOfNodesToScore": 9}]}), None),
        ("1.27", "v1", json!({"delayCacheUntilActive": true}), Some("delayCacheUntilActive")),
        ("1.18", "v1alpha2", json!({"extenders": [{"enableHttps": true, "httpTimeout": 9}]}), None),
        (
            "1.18",
            "v1alpha2",
            json!({"extenders": [{"enableHTTPS": true}]}),
            Some("extenders[0].enableHTTPS"),
        ),
        (
            "1.21",
            "v1beta1",
            with_args("NodeResourcesFit", json!({"scoringStrategy": {}})),
            Some("profiles[0].pluginConfig[0].args.scoringStrategy"),
        ),
    ] {
        let said =
            Configuration::read(&config(api, body.clone()), &base(version)).err().map(|e| e.path);
        assert_eq!(said.as_deref(), field, "{version} {body}");
    }
}

#[test]
fn v1alpha1_ignores_unknown_fields() {
    let body = json!({"schedulerName": "mine", "disablePreemption": true, "hardPodAffinitySymmetricWeight": 7,
        "profils": [], "profiles": [{}], "percentageOfNodesToScore": 30});
    let read = read_as("1.16", &config("v1alpha1", body));
    assert_eq!(read.remarks.len(), 2);
    assert!(
        read.remarks.iter().all(|r| !r.decides && r.text.contains("is ignored")),
        "{:?}",
        read.remarks
    );
    let profile = &read.profiles(&base("1.16"))[0];
    assert_eq!(
        (profile.scheduler_name.as_str(), profile.args.hard_pod_affinity_weight),
        ("mine", 7)
    );
    assert_eq!(
        (profile.percentage_of_nodes_to_score, profile.plugins.post_filter.len()),
        (Some(30), 0)
    );
    let policy =
        json!({"algorithmSource": {"policy": {"configMap": {"namespace": "a", "name": "b"}}}});
    let read = read_as("1.16", &config("v1alpha1", policy));
    assert!(read.remarks[0].decides && read.remarks[0].text.contains("ConfigMap a/b"));
    let provider = |name: &str| config("v1alpha1", json!({"algorithmSource": {"provider": name}}));
    assert!(
        told("1.16", &provider("X"))
            .starts_with("algorithmSource.provider: algorithm provider \"X\" is not")
    );
    let score = &read_as("1.16", &provider("ClusterAutoscalerProvider")).profiles(&base("1.16"))[0]
        .plugins
        .score;
    let has = |name: &str| score.iter().any(|(n, _)| *n == name);
    assert!(has("MostRequestedPriority") && !has("LeastRequestedPriority"), "{score:?}");
}

/// The score plugins of a version with an empty configuration of some version.
fn scores(version: &str, api: &str) -> Vec<(&'static str, i64)> {
    read_as(version, &config(api, json!({}))).profiles(&base(version))[0].plugins.score.clone()
}

#[test]
fn each_version_has_its_own_default_plugins() {
    let has = |scores: &[(&str, i64)], name: &str| {
        scores.iter().find(|(n, _)| *n == name).map(|(_, w)| *w)
    };
    let (beta1, beta2) = (scores("1.22", "v1beta1"), scores("1.22", "v1beta2"));
    assert_eq!(
        (has(&beta1, "NodeResourcesLeastAllocated"), has(&beta1, "NodeResourcesFit")),
        (Some(1), None)
    );
    assert_eq!(
        (has(&beta2, "NodeResourcesLeastAllocated"), has(&beta2, "NodeResourcesFit")),
        (None, Some(1))
    );
    assert_eq!(
        (has(&beta1, "NodePreferAvoidPods"), has(&beta2, "NodePreferAvoidPods")),
        (Some(10000), None)
    );
    for (api, taints) in [("v1beta2", 1), ("v1beta3", 3)] {
        assert_eq!(has(&scores("1.25", api), "TaintToleration"), Some(taints), "{api}");
    }
    assert_eq!(scores("1.28", "v1beta3"), scores("1.28", "v1"));
    let gates = |api| {
        read_as("1.27", &config(api, json!({}))).profiles(&base("1.27"))[0]
            .plugins
            .pre_enqueue
            .clone()
    };
    assert_eq!((gates("v1beta2"), gates("v1")), (vec!["SchedulingGates"], vec!["SchedulingGates"]));
}

#[test]
fn plugins_of_old_versions() {
    let enable = |name: &str| json!({"profiles": [{"plugins": {"score": {"enabled": [{"name": name, "weight": 5}]}}}]});
    for (version, api, name, want) in [
        (
            "1.22",
            "v1beta2",
            "NodeLabel",
            Some(
                "Invalid value: \"NodeLabel\": was removed in version \"kubescheduler.config.k8s.io/v1beta2\"",
            ),
        ),
        (
            "1.22",
            "v1beta1",
            "NodeResourcesFit",
            Some("Invalid value: \"NodeResourcesFit\": was conflict with"),
        ),
        ("1.21", "v1beta1", "ImageLocality", Some("plugin \"ImageLocality\" already registered")),
        ("1.22", "v1beta2", "ImageLocality", None),
        (
            "1.25",
            "v1",
            "SelectorSpread",
            Some("Invalid value: \"SelectorSpread\": was invalid in version"),
        ),
        (
            "1.30",
            "v1",
            "EBSLimits",
            Some("plugin \"EBSLimits\" does not extend ScorePlugin plugin"),
        ),
        ("1.31", "v1", "EBSLimits", Some("Invalid value: \"EBSLimits\": was invalid in version")),
    ] {
        let said = Configuration::read(&config(api, enable(name)), &base(version))
            .err()
            .map(|e| e.problem);
        assert_eq!(said.is_some(), want.is_some(), "{version} {name} {said:?}");
        assert!(said.unwrap_or_default().starts_with(want.unwrap_or_default()), "{version} {name}");
    }
    let most = json!({"profiles": [{"plugins": {"score": {"disabled": [{"name": "NodeResourcesLeastAllocated"}],
        "enabled": [{"name": "NodeResourcesMostAllocated", "weight": 5}]}},
        "pluginConfig": [{"name": "NodeResourcesMostAllocated", "args": {"resources": [{"name": "cpu", "weight": 3}]}}]}]});
    let profile = &read_as("1.21", &config("v1beta1", most)).profiles(&base("1.21"))[0];
    assert!(profile.plugins.score.contains(&("NodeResourcesMostAllocated", 5)));
    assert_eq!(profile.args.most_allocated.resources[0].weight, 3);
    assert!(profile.plugins.out_of_tree.is_empty());
}

#[test]
fn constraints_are_a_list_without_saying_so_until_beta2() {
    let zone = json!({"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"});
    let body = with_args("PodTopologySpread", json!({"defaultConstraints": [zone]}));
    let read = read_as("1.21", &config("v1beta1", body.clone()));
    assert_eq!(read.profiles[0].args.default_constraints.as_ref().map(Vec::len), Some(1));
    assert!(
        told("1.22", &config("v1beta2", body)).contains("when .defaultConstraints are not empty")
    );
}

#[test]
fn a_policy_decides() {
    let policy = json!({"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsResources"}],
        "priorities": [{"name": "MostRequestedPriority", "weight": 2}], "hardPodAffinitySymmetricWeight": 9,
        "extenders": [{"urlPrefix": "http://x", "filterVerb": "f", "httpTimeout": 100_000_000, "enableHttps": true}]});
    for version in ["1.12", "1.16", "1.17", "1.18", "1.20", "1.22"] {
        let read = read_as(version, &policy);
        let profile = &read.profiles(&base(version))[0];
        assert_eq!(profile.plugins.filter.len(), 3, "{version} {:?}", profile.plugins.filter);
        assert_eq!(
            profile.plugins.score.iter().map(|(_, w)| *w).collect::<Vec<_>>(),
            [2],
            "{version}"
        );
        assert_eq!(
            (profile.args.hard_pod_affinity_weight, profile.extenders[0].timeout.as_millis()),
            (9, 100)
        );
        assert!(
            profile.extenders[0].tls.https && profile.plugins.out_of_tree.is_empty(),
            "{version}"
        );
        assert_eq!(profile.plugins.post_filter, ["DefaultPreemption"], "{version}");
    }
    assert!(read_as("1.19.4", &policy).profiles(&base("1.19.4"))[0].plugins.post_filter.is_empty());
    assert!(
        !read_as("1.19.5", &policy).profiles(&base("1.19.5"))[0].plugins.post_filter.is_empty()
    );
    let custom = json!({"kind": "Policy", "apiVersion": "v1", "predicates":
        [{"name": "Zone", "argument": {"labelsPresence": {"labels": ["zone"], "presence": true}}}]});
    let strangers = read_as("1.20", &custom).profiles(&base("1.20"))[0].plugins.out_of_tree.clone();
    assert_eq!(strangers.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["NodeLabel"]);
    let unknown = json!({"kind": "Policy", "apiVersion": "v1", "predicats": []});
    assert!(told("1.20", &unknown).starts_with("predicats: strict decoding error: unknown field"));
    assert_eq!(read_as("1.16", &unknown).remarks.len(), 1);
    let gated =
        json!({"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "EvenPodsSpread"}]});
    assert!(told("1.16", &gated).contains("the feature gate EvenPodsSpread is off"));
}
