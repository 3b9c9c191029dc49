//! `verify`: the scheduler's own messages against its rules.

use std::path::Path;

use serde_json::{Value, json};
use testing::assert_has;

use crate::golden;

use super::{NOW, Run, list, node, pod, run, run_with, with};

const FULL: &str = "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 Preemption is not \
                    helpful for scheduling.";

/// A pod about which the scheduler wrote `message` at noon of the day before.
fn refused(name: &str, message: &str) -> Value {
    let condition = json!({"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message,
        "lastTransitionTime": "2026-05-31T12:00:00Z"});
    with(pod(name), "/status/conditions", json!([condition]))
}

fn small() -> Value {
    with(node("n1"), "/status/allocatable/cpu", json!("500m"))
}

fn verify(items: &[Value], more: &[&str]) -> Run {
    run_with(&[&["verify", "--from", "-", "--now", NOW], more].concat(), list(items).as_bytes())
}

/// One pod of each sort, in two namespaces.
fn sorts() -> Vec<Value> {
    let stale = with(
        refused("b-stale", &FULL.replace("0/1", "0/2")),
        "/metadata/namespace",
        json!("other"),
    );
    vec![
        small(),
        refused("a-equal", FULL),
        stale,
        refused("c-odd", &FULL.replace("cpu", "memory")),
        pod("d-new"),
    ]
}

#[test]
fn a_row_per_pod_and_the_difference_of_those_that_differ() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/verify");
    let cluster = sample.join("cluster.yaml");
    let answer = run(&["verify", "-A", "--from", cluster.to_str().unwrap(), "--now", NOW]);
    let printed = answer.out.replace(cluster.to_str().unwrap(), "CLUSTER");
    golden::check("tests/cli/verify/verify.txt", &printed);
    assert_eq!((answer.code, answer.err.as_str()), (1, ""));
}

#[test]
fn assumed_rules_are_named() {
    let pods = [small(), refused("a", FULL)];
    let place = "File: standard input   As of: 2026-06-01 12:00:00 UTC";
    for (flags, rules) in [
        (&[][..], "1.37 (assumed: no version in the input)"),
        (&["--scheduler-version", "1.37"], "1.37"),
    ] {
        let answer = verify(&pods, flags);
        let head = format!(
            "1 equal, 0 stale, 0 different, 0 no message\nRules: kube-scheduler {rules}   {place}\n"
        );
        assert!(answer.out.starts_with(&head), "{}", answer.out);
        assert_eq!(answer.code, 0);
    }
}

#[test]
fn equal_by_rules_that_are_not_known_is_not_certain() {
    let pods = [small(), refused("a", FULL)];
    let gate = ["--feature-gates", "InPlacePodVerticalScalingSchedulerPreemption=true"];
    let text = verify(&pods, &gate);
    assert_has(&text.out, " [PRE-913]\n");
    assert_eq!(text.code, 3, "{}", text.out);
    let json = verify(&pods, &[&gate[..], &["-o", "json"]].concat());
    assert_eq!((json.code, &json.json()["notes"][0]["code"]), (3, &json!("PRE-913")));
    assert_eq!(verify(&[small()], &gate).code, 0, "no pod waits");
}

#[test]
fn exit_codes() {
    let unsure = with(
        refused("u", FULL),
        "/spec/volumes",
        json!([{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]),
    );
    let odd = || refused("c", &FULL.replace("cpu", "memory"));
    for (row, items, code) in [
        ("equal", vec![refused("a", FULL)], 0),
        ("stale", vec![refused("a", &FULL.replace("0/1", "0/7"))], 0),
        ("no message", vec![pod("a")], 0),
        ("no pod waits", vec![], 0),
        ("different", vec![refused("a", FULL), odd()], 1),
        (
            "different from what is not modelled",
            vec![with(odd(), "/spec", unsure["spec"].clone())],
            3,
        ),
        ("both", vec![odd(), with(refused("d", "boom"), "/spec", unsure["spec"].clone())], 1),
    ] {
        assert_eq!(verify(&[vec![small()], items].concat(), &[]).code, code, "{row}");
    }
    let named = verify(&sorts(), &["-A", "a-equal"]);
    assert_eq!(
        named.error(),
        "error: a pod cannot be named together with --all-namespaces; -n names its namespace"
    );
    verify(&sorts(), &["nobody"]).fails("error: pods \"nobody\" not found");
    verify(&sorts(), &["--feature-gates", "X"]).fails("error: missing bool value for X");
}

#[test]
fn pods_by_name_and_namespace() {
    let rows = |more: &[&str]| {
        let json = verify(&sorts(), &[&["-o", "json"], more].concat()).json();
        let items = json["items"].as_array().unwrap().clone();
        items
            .iter()
            .map(|i| format!("{} {}", i["name"].as_str().unwrap(), i["result"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(&[]), ["a-equal Equal", "c-odd Different", "d-new NoMessage"]);
    assert_eq!(rows(&["-n", "other"]), ["b-stale Stale"]);
    assert_eq!(rows(&["pod/a-equal", "po/d-new"]), ["a-equal Equal", "d-new NoMessage"]);
    assert_eq!(rows(&["-A"]).len(), 4);
}

#[test]
fn json_counts_results_and_shows_evidence_of_stale_conditions() {
    let json = verify(&sorts(), &["-A", "-o", "json"]).json();
    assert_eq!(
        (&json["kind"], &json["apiVersion"]),
        (&json!("VerificationList"), &json!("kubectl-preempt.github.io/v1"))
    );
    assert_eq!(json["summary"], json!({"equal": 1, "stale": 1, "different": 1, "noMessage": 1}));
    assert_eq!(json["scheduler"]["version"], "1.37");
    let stale = &json["items"][3];
    assert_eq!(stale["since"], "2026-05-31T12:00:00Z");
    assert_eq!(stale["evidence"], json!(["number of nodes: 2 then, 1 now"]));
    assert_eq!((&stale["computed"], &stale["unsure"]), (&json!(FULL), &json!(false)));
    assert!(json["items"][2]["written"].is_null());
}

#[test]
fn scheduler_of_another_version_is_detected_by_its_messages() {
    let old = FULL.replace(". preemption", ". no new claims to deallocate, preemption");
    let answer = verify(&[small(), refused("a", &old)], &[]);
    assert_has(&answer.out, "\n  the condition has the wording of kube-scheduler 1.34 to 1.36\n");
    assert_eq!(verify(&[small(), refused("a", &old)], &["--scheduler-version", "1.36"]).code, 0);
}
