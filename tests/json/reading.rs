//! What a program that reads the JSON with the types of the crate `json` finds: kinds, versions, what
//! is missing, and what is newer than it.

use json::audit::{Check, Evidence as AuditEvidence};
use json::evidence::Evidence;
use json::{Answer, Decision, DecisionList, RuleList, Version};
use serde_json::{Value, json};

fn version() -> Value {
    json!({
        "apiVersion": "kubectl-preempt.github.io/v1", "kind": "Version", "version": "0.1.0",
        "schedulers": {"oldest": "1.12", "newest": "1.37", "alpha": "1.38", "recordedFrom": "1.38.0-beta.0"},
    })
}

#[test]
fn answer_of_any_kind_is_read_by_its_kind() {
    let read: Answer = serde_json::from_value(version()).unwrap();
    let Answer::Version(read) = read else { panic!("{read:?}") };
    assert_eq!(serde_json::to_value(read).unwrap(), version());
    // Both lists are empty, and nothing but the kind tells them apart.
    let empty =
        json!({"apiVersion": "kubectl-preempt.github.io/v1", "kind": "RuleList", "items": []});
    let read: Answer = serde_json::from_value(empty.clone()).unwrap();
    assert!(matches!(read, Answer::RuleList(RuleList { parts: None, .. })), "{read:?}");
    let error = serde_json::from_value::<DecisionList>(empty).unwrap_err();
    assert_eq!(error.to_string(), "unknown variant `RuleList`, expected `DecisionList`");
}

#[test]
fn answer_of_another_version_is_an_error() {
    let mut other = version();
    other["apiVersion"] = "kubectl-preempt.github.io/v2".into();
    let error = serde_json::from_value::<Version>(other.clone()).unwrap_err();
    let said =
        "unknown variant `kubectl-preempt.github.io/v2`, expected `kubectl-preempt.github.io/v1`";
    assert_eq!(error.to_string(), said);
    assert!(serde_json::from_value::<Answer>(other).is_err());
}

#[test]
fn missing_field_is_named() {
    let mut answer = version();
    answer["schedulers"].as_object_mut().unwrap().remove("alpha");
    assert_eq!(
        serde_json::from_value::<Version>(answer).unwrap_err().to_string(),
        "missing field `alpha`"
    );
}

#[test]
fn fields_and_words_of_a_newer_program_do_not_keep_an_answer_from_being_read() {
    let text = include_str!("../../crates/json/examples/decision.json");
    let old: Decision = serde_json::from_str(text).unwrap();
    let mut newer: Value = serde_json::from_str(text).unwrap();
    newer["colour"] = "blue".into();
    newer["nodes"][0]["colour"] = "blue".into();
    newer["outcome"] = "Postponed".into();
    newer["nodes"][0]["evidence"] = json!([{"colour": "blue"}]);
    let read: Decision = serde_json::from_value(newer).unwrap();
    assert_eq!(read.outcome, "Postponed");
    assert_eq!(read.nodes[0].evidence, [Evidence::Other {}]);
    assert_eq!(read.nodes[1..], old.nodes[1..]);
    assert_eq!(serde_json::from_value::<Check>("Colour".into()).unwrap(), Check::Other);
    let evidence = json!({"type": "Colour", "colour": "blue"});
    assert_eq!(serde_json::from_value::<AuditEvidence>(evidence).unwrap(), AuditEvidence::Other);
}

#[test]
fn evidence_with_the_fields_of_another_is_not_taken_for_it() {
    for (text, name) in [
        (json!({"topologyKey": "zone", "domain": null, "matchingPods": 0}), "Affinity"),
        (
            json!({"topologyKey": "zone", "domain": "a", "direction": "x", "matchingPods": 1, "pod": null}),
            "AntiAffinity",
        ),
        (
            json!({
                "topologyKey": "zone", "domain": "a", "matchingPods": 1, "minimum": 0, "incoming": 1, "maxSkew": 1
            }),
            "Spread",
        ),
        (json!({"claim": "c", "volume": null}), "Claim"),
        (json!({"claim": "c", "usedBy": "a/p"}), "ClaimInUse"),
        (
            json!({"claim": "c", "storageClass": "s", "wantedBytes": 1, "wanted": "1"}),
            "StorageSpace",
        ),
        (
            json!({
                "claim": "c", "request": "r", "wanted": 1, "devices": 1, "selected": 1, "inUse": 1, "tainted": 0
            }),
            "Devices",
        ),
        (json!({"label": "a", "wanted": "b", "found": null}), "NodeSelector"),
        (json!({"volume": "v", "label": "a", "found": null}), "VolumeZone"),
        (json!({"volume": "v", "usedBy": "a/p"}), "Disk"),
    ] {
        let read: Evidence = serde_json::from_value(text.clone()).unwrap();
        assert!(format!("{read:?}").starts_with(name), "{read:?} is no {name}");
        assert_eq!(serde_json::to_value(read).unwrap(), text);
    }
}
