use serde_json::json;

use super::MissingFeature;
use crate::testing::{Pod, at, decide, node, objects, pod};
use profile::Profile;

const REJECTED: &str = "UU NodeDeclaredFeatures: node(s) didn't match Pod's required features";
const RESTART: &str = "RestartAllContainersOnContainerExits";
const USER_NS: &str = "UserNamespacesHostNetworkSupport";
const MOUNT: &str = "VolumeBindMountOptions";

fn restarts_all() -> Pod {
    pod("p").with(
        "/spec/containers",
        json!([{"name": "c", "restartPolicyRules": [{"action": "RestartAllContainers"}]}]),
    )
}

fn user_namespace() -> Pod {
    pod("p").with("/spec/hostNetwork", true).with("/spec/hostUsers", false)
}

fn mounts(list: &str) -> Pod {
    pod("p").with(
        list,
        json!([{"name": "m", "volumeMounts": [{"name": "v", "bindMountOptions": ["noexec"]}]}]),
    )
}

#[test]
fn a_spec_needs_declared_features() {
    for (row, pod, feature) in [
        ("a restart rule", restarts_all(), RESTART),
        (
            "a restart rule of an init container",
            pod("p").init(
                json!({"name": "i", "restartPolicyRules": [{"action": "RestartAllContainers"}]}),
            ),
            RESTART,
        ),
        ("the host's network without its users", user_namespace(), USER_NS),
        ("mount options", mounts("/spec/containers"), MOUNT),
        ("mount options of an ephemeral container", mounts("/spec/ephemeralContainers"), MOUNT),
    ] {
        let answer = decide(objects![node("n"), pod.clone()], "p");
        let want = MissingFeature { name: feature };
        assert_eq!(
            (answer.node("n").as_str(), answer.evidence::<MissingFeature>("n")),
            (REJECTED, &want),
            "{row}"
        );
        assert_eq!(
            decide(objects![node("n").declares("Other").declares(feature), pod], "p").node("n"),
            "fits",
            "{row}"
        );
    }
}

#[test]
fn in_1_35_with_the_gate_only_restart_rules_need_a_feature_and_the_message_names_it() {
    let named = format!(
        "UU NodeDeclaredFeatures: node declared features check failed - unsatisfied requirements: {RESTART}"
    );
    for (pod, want) in [
        (restarts_all(), named.as_str()),
        (user_namespace(), "fits"),
        (mounts("/spec/containers"), "fits"),
    ] {
        let decide =
            |gates| at("1.35").gates(gates).decide(objects![node("n"), pod.clone()], "p").node("n");
        assert_eq!(decide("NodeDeclaredFeatures=true"), want);
        assert_eq!(decide(""), "fits");
    }
}

#[test]
fn pod_without_these_fields_needs_no_feature() {
    for (row, pod) in [
        ("a plain pod", pod("p")),
        ("the host's network with its users", pod("p").with("/spec/hostNetwork", true)),
        ("its own users without the host's network", pod("p").with("/spec/hostUsers", false)),
        (
            "another restart rule",
            pod("p").with(
                "/spec/containers",
                json!([{"name": "c", "restartPolicyRules": [{"action": "Restart"}]}]),
            ),
        ),
        (
            "mounts without options",
            pod("p")
                .with("/spec/containers", json!([{"name": "c", "volumeMounts": [{"name": "v"}]}])),
        ),
    ] {
        assert_eq!(decide(objects![node("n"), pod], "p").node("n"), "fits", "{row}");
    }
}

#[test]
fn every_needed_feature_must_be_declared() {
    let both = restarts_all().with("/spec/hostNetwork", true).with("/spec/hostUsers", false);
    for (row, node, want) in [
        ("neither", node("n"), REJECTED),
        ("one", node("n").declares(USER_NS), REJECTED),
        ("both, in any order", node("n").declares(USER_NS).declares(RESTART), "fits"),
    ] {
        assert_eq!(decide(objects![node, both.clone()], "p").node("n"), want, "{row}");
    }
}

#[test]
fn versions_know_different_features() {
    for (version, pod, want) in [
        ("1.35", restarts_all(), "fits"),
        ("1.36", restarts_all(), REJECTED),
        ("1.36", user_namespace(), REJECTED),
        ("1.36", mounts("/spec/containers"), "fits"),
        ("1.37", mounts("/spec/containers"), REJECTED),
    ] {
        assert_eq!(at(version).decide(objects![node("n"), pod], "p").node("n"), want, "{version}");
    }
}

#[test]
fn node_declared_features_is_the_last_filter() {
    let answer = decide(objects![node("n").cpu("1"), restarts_all().cpu("2")], "p");
    assert_eq!(answer.node("n"), "UU NodeResourcesFit: Insufficient cpu");
}

#[test]
fn node_declared_features_without_pre_filter_fails_on_nodes_that_other_filters_let_pass() {
    let off = |profile: &mut Profile| {
        profile.plugins.pre_filter.retain(|plugin| *plugin != "NodeDeclaredFeatures");
    };
    let failed = r#"running "NodeDeclaredFeatures" filter plugin: error reading "PreFilterNodeDeclaredFeatures" from cycle-state: not found"#;
    for (row, version, gates, cpu, want) in [
        ("a pod that needs nothing", "1.37", "", "1", failed),
        ("in 1.36", "1.36", "", "1", failed),
        ("in 1.35 with its gate", "1.35", "NodeDeclaredFeatures=true", "1", failed),
        (
            "another filter rejects first",
            "1.37",
            "",
            "3",
            "0/1 nodes are available: 1 Insufficient cpu.",
        ),
    ] {
        let objects = objects![node("n").cpu("2"), pod("p").cpu(cpu)];
        let answer = at(version).gates(gates).with(off).decide(objects, "p");
        assert!(answer.message().starts_with(want), "{row}: {}", answer.message());
    }
}

#[test]
fn node_declared_features_with_its_gate_off_lets_all_pods_pass() {
    let on = |profile: &mut Profile| profile.plugins.filter.push("NodeDeclaredFeatures");
    let answer = at("1.35").with(on).decide(objects![node("n"), restarts_all()], "p");
    assert_eq!(answer.outcome(), "Schedulable");
}
