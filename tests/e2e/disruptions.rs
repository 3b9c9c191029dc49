//! Does `why-evicted` find out why a pod has gone? Every end is brought about by who does it in a
//! cluster, or by the requests that it would send.

pub mod others;
pub mod preemptions;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::objects::NAMESPACE;
use crate::plane::{Plane, wait_for};
use crate::tool::{Run, ask};

/// What `why-evicted` says about pods, by UID or by name, in the order of its answer.
fn why_evicted(plane: &Plane, pods: &[&str]) -> (Run, Vec<Value>) {
    let run = ask(plane, &[&["why-evicted", "-n", NAMESPACE, "-o", "json"], pods].concat());
    assert!(matches!(run.code, Some(0 | 3)) && run.err.is_empty(), "{run:?}");
    let items = run.json()["items"].as_array().expect("items").clone();
    // The code says whether something is not known.
    let known = items.iter().all(|item| item["unknown"].as_array().is_some_and(Vec::is_empty));
    assert_eq!(run.code, Some(if known { 0 } else { 3 }), "{run:?}");
    (run, items)
}

/// The scheduler's Events `Preempted`: the UID of the pod that each is about, and what it says.
fn preempted(plane: &Plane) -> Vec<(String, String)> {
    let events = plane.admin().list(&format!("/api/v1/namespaces/{NAMESPACE}/events"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let preempted = events.iter().filter(|event| event["reason"] == "Preempted");
    preempted
        .map(|event| (text(&event["involvedObject"]["uid"]), text(&event["message"])))
        .collect()
}

/// A group has preempted these: its Events name it, and so do we.
pub fn preempted_by_group(plane: &Plane, group: &str, victims: &BTreeSet<String>) {
    wait_for("the Events", || victims.is_subset(&preempted_by(plane, group)));
    let uids: Vec<&str> = victims.iter().map(String::as_str).collect();
    let (run, items) = why_evicted(plane, &uids);
    assert_eq!(items.len(), victims.len(), "{run:?}");
    for item in items {
        let by = &item["preemptor"]["pod"]["uid"];
        assert_eq!((&item["cause"], by), (&json!("Preempted"), &json!(group)), "{item:#}");
    }
}

/// The UIDs of the pods of which Events say that this pod preempted them.
fn preempted_by(plane: &Plane, preemptor: &str) -> BTreeSet<String> {
    let ours = preempted(plane).into_iter().filter(|(_, message)| message.contains(preemptor));
    ours.map(|(uid, _)| uid).collect()
}

/// The UIDs of the pods of which Events say that another pod preempted them, and none that this one
/// did.
pub fn preempted_by_others(plane: &Plane, preemptor: &str) -> BTreeSet<String> {
    let ours = preempted_by(plane, preemptor);
    preempted(plane).into_iter().map(|(uid, _)| uid).filter(|uid| !ours.contains(uid)).collect()
}
