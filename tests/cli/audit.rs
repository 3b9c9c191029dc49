//! `audit`: findings, formats and exit codes. What each check finds is tested beside the checks.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use testing::{assert_has, assert_lacks};

use crate::golden;

use super::{NOW, Run, example, list, node, pod, run, run_with, with};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/audit").join(name)
}

fn audit(items: &[Value], more: &[&str]) -> Run {
    run_with(&[&["audit", "--from", "-", "--now", NOW], more].concat(), list(items).as_bytes())
}

fn class(name: &str, value: i64) -> Value {
    json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value})
}

fn budget(name: &str) -> Value {
    json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}}})
}

/// A pod with two budgets, a bare pod, and a class that no pod has: an error, a warning, and an
/// info.
fn sorts() -> Vec<Value> {
    let web = with(pod("web"), "/metadata/labels", json!({"app": "web"}));
    let owner = json!([{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "controller": true}]);
    let web = with(with(web, "/metadata/ownerReferences", owner), "/spec/nodeName", json!("n1"));
    let bare = with(pod("<bare>"), "/spec/nodeName", json!("n1"));
    vec![node("n1"), web, bare, budget("a"), budget("b"), class("high", 1000)]
}

#[test]
fn fresh_kubeadm_cluster_has_no_findings() {
    let cluster = sample("kubeadm.yaml");
    let cluster = cluster.to_str().unwrap();
    for format in ["text", "json", "yaml", "sarif", "junit"] {
        let answer =
            run(&["audit", "--from", cluster, "--now", NOW, "-o", format, "--fail-on", "info"]);
        assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{answer:?}");
    }
    let found = run(&["audit", "--from", cluster, "--now", NOW, "-o", "json"]).json();
    assert_eq!(found["items"], json!([]));
}

#[test]
fn the_page_says_what_was_found_why_it_matters_and_what_helps() {
    let answer = audit(&sorts(), &[]);
    golden::check(sample("found.txt"), &answer.out);
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
}

#[test]
fn exit_codes() {
    let all = sorts();
    let without = |code: &str| -> Vec<Value> {
        let kind = if code == "error" { "PodDisruptionBudget" } else { "none" };
        all.iter().filter(|item| item["kind"] != kind).cloned().collect()
    };
    let no_classes: Vec<Value> =
        all.iter().filter(|item| item["kind"] != "PriorityClass").cloned().collect();
    for (row, items, fail_on, code) in [
        ("nothing fails by itself", all.clone(), None, 0),
        ("an error", all.clone(), Some("error"), 1),
        ("no error", without("error"), Some("error"), 0),
        ("a warning", without("error"), Some("warning"), 1),
        ("classes were not read", no_classes, Some("error"), 3),
    ] {
        let flags: Vec<&str> =
            fail_on.iter().flat_map(|severity| ["--fail-on", severity]).collect();
        assert_eq!(audit(&items, &flags).code, code, "{row}");
    }
}

/// The cluster of [`sorts`] with a budget and a class of which a field has another type.
fn mistyped() -> Vec<Value> {
    let selector = json!({"matchLabels": "x"});
    let value = json!("1000000");
    [
        sorts(),
        vec![
            with(budget("bad"), "/spec/selector", selector),
            with(class("odd", 0), "/value", value),
        ],
    ]
    .concat()
}

#[test]
fn unreadable_objects_are_not_checked_in_any_format() {
    let text = audit(&mistyped(), &["--fail-on", "error"]);
    assert_eq!(text.code, 3, "{}", text.out);
    for line in [
        "not checked: PodDisruptionBudget default/bad: field `",
        "not checked: PriorityClass odd: field `",
    ] {
        assert!(text.out.contains(line), "{}", text.out);
    }
    assert_lacks(&text.out, "PriorityClass odd: value 0");
    assert_lacks(&text.out, "AUD-104 ");
    let json = audit(&mistyped(), &["-o", "json"]);
    let gaps = &json.json()["notChecked"];
    assert_eq!(gaps[0]["objects"], json!(["PodDisruptionBudget default/bad"]));
    assert_eq!(gaps[0]["codes"], json!(["AUD-101", "AUD-102", "AUD-103", "AUD-104"]));
    assert_eq!((json.code, &gaps[1]["resource"]), (3, &json!("priorityclasses")));
    let sarif = audit(&mistyped(), &["-o", "sarif"]);
    let invocation = &sarif.json()["runs"][0]["invocations"][0];
    assert_eq!((sarif.code, &invocation["executionSuccessful"]), (3, &json!(false)));
    assert_eq!(invocation["toolExecutionNotifications"].as_array().unwrap().len(), 2);
    let junit = audit(&mistyped(), &["-o", "junit"]);
    assert_eq!(junit.code, 3);
    assert_has(&junit.out, "<skipped message=\"PodDisruptionBudget default/bad: field");
    let elsewhere = [sorts(), vec![mistyped()[6].clone()]].concat();
    assert_eq!(audit(&elsewhere, &["-n", "other"]).code, 0, "a budget of another namespace");
}

#[test]
fn rules_that_are_not_known_are_said_in_any_format() {
    for format in ["text", "json", "sarif", "junit"] {
        let gate = "InPlacePodVerticalScalingSchedulerPreemption=true";
        let unknown = audit(&sorts(), &["--feature-gates", gate, "-o", format]);
        assert!(unknown.out.contains("PRE-913"), "{format}: {}", unknown.out);
        let assumed = audit(&sorts(), &["-o", format]);
        assert!(!assumed.out.contains("PRE-913"), "{format}: {}", assumed.out);
        assert_eq!((unknown.code, assumed.code), (3, 0), "{format}");
    }
}

#[test]
fn findings_of_one_namespace() {
    let codes = |more: &[&str]| -> Vec<String> {
        let found = audit(&sorts(), &[&["-o", "json"], more].concat()).json();
        let items = found["items"].as_array().unwrap().clone();
        items.iter().map(|item| item["code"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(codes(&[]), ["AUD-101", "AUD-305", "AUD-204"]);
    assert_eq!(codes(&["-n", "default"]), ["AUD-101", "AUD-305", "AUD-204"]);
    assert_eq!(codes(&["-n", "other"]), ["AUD-204"]);
}

#[test]
fn sarif_names_a_rule_and_an_object_for_each_result() {
    let sarif = audit(&sorts(), &["-o", "sarif"]).json();
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    for result in results {
        let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(result["ruleId"], rule["id"]);
        assert_eq!(result["level"], rule["defaultConfiguration"]["level"]);
    }
    let place = &results[0]["locations"][0];
    assert_eq!(place["logicalLocations"][0]["fullyQualifiedName"], "StatefulSet/default/web");
    assert_eq!(place["physicalLocation"]["artifactLocation"]["uri"], "standard%20input");
}

#[test]
fn junit_escapes_names_and_counts_failures() {
    let report = audit(&sorts(), &["-o", "junit"]).out;
    assert_has(&report, "tests=\"23\" failures=\"2\" errors=\"0\" skipped=\"0\"");
    assert_has(&report, "Pod default/&#60;bare&#62;");
    assert_lacks(&report, "<bare>");
    let strict = audit(&sorts(), &["-o", "junit", "--fail-on", "error"]).out;
    assert_has(&strict, "failures=\"1\"");
}

#[test]
fn classes_of_another_cluster() {
    let folder = super::folder(&[
        ("other.json", list(&[node("n1"), class("high", 7)]).as_bytes()),
        ("none.json", list(&[node("n1")]).as_bytes()),
    ]);
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let answer = audit(&sorts(), &["--against", &file("other.json"), "-o", "json"]).json();
    let differs =
        answer["items"].as_array().unwrap().iter().find(|item| item["code"] == "AUD-205").unwrap();
    assert_eq!(
        differs["evidence"]["difference"],
        json!({"type": "Value", "here": 1000, "there": 7})
    );
    let none = audit(&sorts(), &["--against", &file("none.json")]);
    assert_eq!(
        none.error(),
        format!("error: {}: no PriorityClass in it to compare with", file("none.json"))
    );
}

#[test]
fn bad_input() {
    for (arguments, line) in [
        (&["-l", "app=web"][..], "error: audit looks at the whole cluster: it does not go with -l"),
        (&["--against", "/nowhere"], "error: /nowhere: no such file or directory"),
    ] {
        assert_eq!(audit(&sorts(), arguments).error(), line);
    }
    assert_eq!(run(&["audit", "--from", &example(), "--fail-on", "some"]).code, 2);
    assert_eq!(audit(&[pod("a")], &[]).code, 2, "no nodes");
}
