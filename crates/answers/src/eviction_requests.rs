//! Who was asked to respond to the eviction of a pod: `EvictionRequests` and what became of them
//! (`lifecycle.k8s.io`, an alpha API since 1.37). Responders are asked one after the other; the last
//! one calls the eviction API. Whoever calls that API himself, as kubectl drain does, does not wait
//! for them.

use engine::cluster::autoscaling::parts::ObjectCondition;
use engine::cluster::handling::{PodEviction, Responder};
use engine::cluster::{Cluster, Kind, Pod};
use jiff::Timestamp;

use crate::words;

/// How many seconds a responder may be silent before the next one is asked.
const DEADLINE: i64 = 20 * 60;
/// The responder that calls the eviction API.
const EVICTION_API: &str = "imperative-eviction.k8s.io/evictor";
/// The most characters of a message.
const MESSAGE: usize = 200;

/// What is asked about a pod, and who has to respond: a sentence for each without a full stop.
pub fn of_pod(pod: &Pod, cluster: &Cluster, now: Timestamp) -> Vec<String> {
    let mut own: Vec<&PodEviction> = Vec::new();
    for eviction in &cluster.handling.evictions {
        let is_same =
            eviction.pod_uid.is_empty() || pod.uid.is_empty() || eviction.pod_uid == pod.uid;
        let is_named =
            cluster.text(eviction.pod) == &*pod.name && eviction.namespace == pod.namespace;
        if is_same && is_named {
            own.push(eviction);
        }
    }
    // The Eviction has what became of the requests.
    if own.iter().any(|one| one.kind == Kind::Eviction) {
        own.retain(|one| one.kind == Kind::Eviction);
    }
    own.into_iter().map(|eviction| sentence(eviction, cluster, now)).collect()
}

fn sentence(eviction: &PodEviction, cluster: &Cluster, now: Timestamp) -> String {
    let requesters: Vec<&str> = eviction.requesters.iter().map(|one| cluster.text(*one)).collect();
    let (kind, name) = (eviction.kind.name(), cluster.text(eviction.name));
    let state = state(eviction, cluster, now);
    if requesters.is_empty() {
        return format!("{kind} {name} is withdrawn");
    }
    format!("{} asks for its eviction ({kind} {name}): {state}", words::list(&requesters, 3))
}

/// Where an eviction stands.
fn state(eviction: &PodEviction, cluster: &Cluster, now: Timestamp) -> String {
    let condition = |kind: &str| {
        let found = ObjectCondition::find(&eviction.conditions, kind, &cluster.symbols);
        found.filter(|condition| cluster.text(condition.status) == "True")
    };
    if let Some(failed) = condition("Failed") {
        let message = words::beginning(&failed.message, MESSAGE);
        let why = if message.is_empty() { message } else { format!(": {message}") };
        return format!("it has failed ({}){why}", cluster.text(failed.reason));
    }
    if condition("TargetEvicted").is_some() {
        return "it is done".to_owned();
    }
    if eviction.kind == Kind::EvictionRequest {
        return "no Eviction object says yet who responds".to_owned();
    }

    let waiting: Vec<&str> = eviction
        .responders
        .iter()
        .filter(|one| cluster.text(one.state) == "Inactive")
        .map(|one| responder_name(one, cluster))
        .collect();
    let after = match waiting.as_slice() {
        [] => String::new(),
        waiting => format!("; after it {}", words::list(waiting, 3)),
    };
    let Some(active) = eviction.responders.iter().find(|one| cluster.text(one.state) == "Active")
    else {
        return match waiting.first() {
            Some(first) => format!("{first} is the first that has to respond"),
            None => "no responder is left".to_owned(),
        };
    };
    format!("{}{after}", active_responder(active, cluster, now))
}

/// What the responder that is asked now says of its work.
fn active_responder(active: &Responder, cluster: &Cluster, now: Timestamp) -> String {
    let ago = |at: Timestamp| now.as_second() - at.as_second();
    let mut text = format!("{} has to respond", responder_name(active, cluster));
    if let Some(started) = active.started {
        text.push_str(&format!(", asked {} ago", words::age(ago(started))));
    }
    if let Some(seconds) = active.heartbeat.or(active.started).map(ago) {
        if seconds > DEADLINE {
            let silent = words::age(seconds);
            text.push_str(&format!(", silent for {silent}, and after 20m the next one is asked"));
        } else if active.heartbeat.is_some() {
            text.push_str(&format!(", last heard of {} ago", words::age(seconds)));
        }
    }
    if let Some(left) = active.expected.map(|end| -ago(end)).filter(|left| *left > 0) {
        text.push_str(&format!(", expects to be done in {}", words::age(left)));
    }
    let message = words::beginning(&active.message, MESSAGE);
    if !message.is_empty() {
        text.push_str(&format!(": {message}"));
    }
    text
}

fn responder_name<'c>(one: &Responder, cluster: &'c Cluster) -> &'c str {
    match cluster.text(one.name) {
        EVICTION_API => "the eviction API (imperative-eviction.k8s.io/evictor)",
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use testing::{cluster, objects, pod};

    use super::of_pod;

    fn eviction(responders: &Value, statuses: &Value, conditions: &Value) -> Value {
        json!({"apiVersion": "lifecycle.k8s.io/v1alpha1", "kind": "Eviction",
            "metadata": {"name": "e", "namespace": "default"},
            "spec": {"target": {"pod": {"name": "db-0", "uid": ""}}},
            "status": {"requesters": [{"name": "acme.io/drainer", "intent": "Eviction"},
                {"name": "acme.io/other", "intent": "Withdrawn"}],
                "targetResponders": responders, "responders": statuses, "conditions": conditions}})
    }

    #[test]
    fn eviction_names_who_asks_who_responds_and_who_comes_next() {
        let responder = |name: &str, priority: i64, state: &str| json!({"name": name, "priority": priority, "state": state});
        let evictor = || responder("imperative-eviction.k8s.io/evictor", 100, "Inactive");
        let asked = "acme.io/drainer asks for its eviction (Eviction e): ";
        for (responders, statuses, conditions, expected) in [
            (
                json!([evictor(), responder("acme.io/mover", 10000, "Active")]),
                json!([{"name": "acme.io/mover", "startTime": "2026-06-01T11:50:00Z",
                    "heartbeatTime": "2026-06-01T11:59:00Z", "message": "copying"}]),
                json!([]),
                "acme.io/mover has to respond, asked 10m ago, last heard of 60s ago: copying; after it the eviction API \
                 (imperative-eviction.k8s.io/evictor)",
            ),
            (
                json!([responder("acme.io/mover", 10000, "Active"), evictor()]),
                json!([{"name": "acme.io/mover", "startTime": "2026-06-01T11:30:00Z"}]),
                json!([]),
                "acme.io/mover has to respond, asked 30m ago, silent for 30m, and after 20m the next one is asked; after \
                 it the eviction API (imperative-eviction.k8s.io/evictor)",
            ),
            (
                json!([
                    responder("acme.io/b", 5, "Inactive"),
                    responder("acme.io/a", 5, "Inactive")
                ]),
                json!([]),
                json!([]),
                "acme.io/a is the first that has to respond",
            ),
            (
                json!([]),
                json!([]),
                json!([{"type": "Failed", "status": "True", "reason": "NoFurtherResponder", "message": ""}]),
                "it has failed (NoFurtherResponder)",
            ),
        ] {
            let cluster =
                cluster(objects![pod("db-0"), eviction(&responders, &statuses, &conditions)]);
            let now = "2026-06-01T12:00:00Z".parse().expect("a time");
            let pod = cluster.pods.get(0).expect("a pod");
            assert_eq!(of_pod(pod, &cluster, now), [format!("{asked}{expected}")]);
        }
    }

    #[test]
    fn request_without_eviction_says_who_asks_and_one_of_another_pod_counts_not() {
        let request = |uid: &str| {
            json!({"apiVersion": "lifecycle.k8s.io/v1alpha1", "kind": "EvictionRequest",
                "metadata": {"name": "r", "namespace": "default"},
                "spec": {"target": {"pod": {"name": "db-0", "uid": uid}}, "requester": "acme.io/drainer",
                    "intent": "Eviction"}})
        };
        let now = "2026-06-01T12:00:00Z".parse().expect("a time");
        let said = |uid: &str| {
            let cluster = cluster(objects![pod("db-0").with("/metadata/uid", "u"), request(uid)]);
            of_pod(cluster.pods.get(0).expect("a pod"), &cluster, now)
        };
        assert_eq!(
            said("u"),
            [
                "acme.io/drainer asks for its eviction (EvictionRequest r): no Eviction object says yet who responds"
            ]
        );
        assert_eq!(said("an-earlier-one"), Vec::<String>::new());
    }
}
