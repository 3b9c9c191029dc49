//! Preemptions by the scheduler: which pod preempted is said wherever something names it, and never
//! wrongly.

use std::collections::BTreeSet;

use fastrand::Rng;
use serde_json::{Value, json};

use super::{preempted_by, why_evicted};
use crate::objects::NAMESPACE;
use crate::plane::{Plane, wait_for};
use crate::stage::Stage;

/// Asks about the victims while they take their time to end, in one of these states: with their
/// Events, without, or when the preemptor is there no more.
pub fn victims(
    plane: &Plane,
    stage: &Stage,
    rng: &mut Rng,
    preemptor: &str,
    victims: &BTreeSet<String>,
    preemptor_may_go: bool,
) -> Vec<String> {
    if victims.is_empty() {
        return Vec::new();
    }
    wait_for("the Events", || victims.is_subset(&preempted_by(plane, preemptor)));
    let mut lines = named(plane, preemptor, victims, "there");
    match rng.u32(0..3) {
        0 => {
            stage.forget_events();
            lines.extend(not_named(plane, preemptor, victims));
        }
        1 if preemptor_may_go => {
            plane.scheduler.pause();
            let path = format!("/api/v1/namespaces/{NAMESPACE}/pods/p");
            stage.admin.must("DELETE", &path, Some(&json!({"gracePeriodSeconds": 0})));
            plane.kubelets.finish(true);
            wait_for("the victims to be gone", || {
                victims.iter().all(|uid| plane.kubelets.life(uid).gone)
            });
            lines.extend(named(plane, preemptor, victims, "gone"));
        }
        _ => {}
    }
    lines
}

/// The victims are gone and the preemptor has their room: it is named, by each Event that is still
/// there.
pub fn afterwards(plane: &Plane, preemptor: &str, victims: &BTreeSet<String>) -> Vec<String> {
    let told: BTreeSet<String> =
        preempted_by(plane, preemptor).intersection(victims).cloned().collect();
    named(plane, preemptor, &told, "there")
}

fn ask(plane: &Plane, victims: &BTreeSet<String>) -> Vec<(String, Value)> {
    let uids: Vec<&str> = victims.iter().map(String::as_str).collect();
    let (run, items) = why_evicted(plane, &uids);
    assert_eq!(items.len(), victims.len(), "{run:?}");
    victims
        .iter()
        .map(|uid| {
            let of_pod = items.iter().find(|item| item["pod"]["uid"] == *uid);
            (uid.clone(), of_pod.unwrap_or_else(|| panic!("nothing about {uid}: {run:?}")).clone())
        })
        .collect()
}

/// Its Event says which pod preempted each.
fn named(
    plane: &Plane,
    preemptor: &str,
    victims: &BTreeSet<String>,
    where_it_is: &str,
) -> Vec<String> {
    if victims.is_empty() {
        return Vec::new();
    }
    ask(plane, victims)
        .into_iter()
        .map(|(uid, found)| {
            assert_eq!(found["cause"], "Preempted", "{found:#}");
            let by = &found["preemptor"];
            let said = by["pod"]["uid"].as_str().or(by["uid"].as_str());
            assert_eq!(said, Some(preemptor), "{found:#}");
            assert!(by["pod"].is_null() || by["pod"]["name"] == "p", "{found:#}");
            let state = if plane.kubelets.life(&uid).gone { "gone" } else { "terminating" };
            assert!(found["state"] == "Gone" || state == "terminating", "{found:#}");
            format!("preempted, {state}, with its Event, preemptor {where_it_is}: named")
        })
        .collect()
}

/// The condition says that it was preempted, and nothing by which pod: no pod is named.
fn not_named(plane: &Plane, preemptor: &str, victims: &BTreeSet<String>) -> Vec<String> {
    ask(plane, victims)
        .into_iter()
        .map(|(_, found)| {
            assert_eq!(found["cause"], "Preempted", "{found:#}");
            let by = &found["preemptor"];
            assert!(by["pod"].is_null() && by["uid"].is_null(), "{found:#}");
            let possible = by["since"].as_array().expect("pods");
            assert!(possible.iter().any(|pod| pod["uid"] == *preemptor), "{found:#}");
            "preempted, terminating, with its condition alone: said to be one of those that came to the node".to_owned()
        })
        .collect()
}
