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
                let result = Configuration::read(&config(api, json!({})), &base(&format!("1.{minor}")));
                assert_eq!(result.is_ok(), read.contains(&api), "1.{minor} {api} {result:?}");
            }
            let policy = json!({"apiVersion": "v1", "kind": "Policy"});
            assert_eq!(Configuration::read(&policy, &base(&format!("1.{minor}"))).is_ok(), minor <= 22, "1.{minor}");
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
            "1.33",
            "v1",
            json!({"profiles": [{"pluginConfig": [{"name": "DynamicResources", "args": {"filterTimeout": "1s"}}]}]}),
            Some("profiles[0].pluginConfig[0].args.filterTimeout"),
        ),
    ] {
        let said = Configuration::read(&config(api, body.clone()), &base(version)).err().map(|e| e.path);
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
