//! Notices that something has changed which decisions hang on: watches pods and nodes, and tells no more than that.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _};
use std::time::Duration;

use foldhash::fast::FixedState;
use http::StatusCode;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::{sleep, timeout};

use crate::api::Env;
use crate::api::client::{Answer, Reader};
use crate::api::config;
use crate::api::failure;
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use engine::snapshot::Kind;

/// How long a watch runs before it is begun anew, in seconds.
const WATCH: u64 = 300;
/// Longest wait after failures, in seconds.
const PATIENCE: u64 = 30;

/// What a watch tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Something is different, or may have become so while nobody looked.
    Seen,
    /// It may not be watched. Nothing else will be told of that kind.
    Forbidden(String),
    /// The connection is lost; it is tried again.
    Lost(String),
}

/// How a watch ended.
enum Ended {
    /// As watches do.
    Well,
    /// It may not be watched.
    Forbidden(String),
    /// Nobody listens any more.
    Unheard,
}

/// Watches pods and nodes until `tell` says that nobody listens. Must be called inside a runtime.
pub async fn follow(flags: &ConnectionFlags, tell: impl Fn(Change) -> bool) {
    tokio::join!(one(flags, "pods", &tell), one(flags, "nodes", &tell));
}

async fn one(flags: &ConnectionFlags, plural: &str, tell: &impl Fn(Change) -> bool) {
    let mut failures = 0u32;
    loop {
        // Each time anew: credentials expire.
        let connected = config::resolve(flags, &Env::process());
        let ended = match connected.and_then(|connection| Reader::new(connection, flags.request_timeout)) {
            Ok(reader) => watch(&reader, plural, tell, &mut failures).await,
            Err(error) => Err(error),
        };
        match ended {
            Ok(Ended::Well) => {}
            Ok(Ended::Forbidden(why)) => {
                tell(Change::Forbidden(why));
                return;
            }
            Ok(Ended::Unheard) => return,
            Err(error) => {
                failures = failures.saturating_add(1);
                if !tell(Change::Lost(error.to_string())) {
                    return;
                }
            }
        }
        let seconds = (1u64 << failures.min(6)).min(PATIENCE);
        sleep(Duration::from_millis(seconds * 1000 + fastrand::u64(0..500))).await;
    }
}

#[derive(Deserialize)]
struct List {
    metadata: ListMeta,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListMeta {
    resource_version: String,
}

/// From now on, until the watch ends.
async fn watch(
    reader: &Reader,
    plural: &str,
    tell: &impl Fn(Change) -> bool,
    failures: &mut u32,
) -> Result<Ended, Error> {
    let path = format!("/api/v1/{plural}");
    let kind = if plural == "pods" { Kind::Pod } else { Kind::Node };
    let refused = |answer: &Answer| match answer.status {
        StatusCode::FORBIDDEN => Ok(Ended::Forbidden(failure::server_message(answer))),
        _ => Err(failure::from_answer(answer, Some(kind), &reader.peer)),
    };
    let answer = reader.get(&format!("{path}?limit=1")).await?;
    if answer.status != StatusCode::OK {
        return refused(&answer);
    }
    let list: List = serde_json::from_str(&answer.body)
        .map_err(|_| failure::not_kubernetes(&reader.peer, &format!("GET {path} is not a list")))?;
    let version = list.metadata.resource_version;
    let query = format!("{path}?watch=true&allowWatchBookmarks=true&resourceVersion={version}&timeoutSeconds={WATCH}");
    let mut lines = match reader.lines(&query).await? {
        Ok(lines) => lines,
        Err(answer) if answer.status == StatusCode::GONE => return Ok(Ended::Well),
        Err(answer) => return refused(&answer),
    };
    *failures = 0;
    // Nobody looked until now.
    if !tell(Change::Seen) {
        return Ok(Ended::Unheard);
    }
    let mut known = Known::default();
    let events = async {
        while let Some(line) = lines.next().await? {
            match known.meets(&line) {
                Some(true) if !tell(Change::Seen) => return Ok(Ended::Unheard),
                Some(_) => {}
                None => return Ok(Ended::Well),
            }
        }
        Ok(Ended::Well)
    };
    // A connection that has died without a word must not keep us.
    timeout(Duration::from_secs(WATCH + 10), events).await.unwrap_or(Ok(Ended::Well))
}

#[derive(Deserialize)]
struct Event<'e> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    object: Option<Object<'e>>,
}

/// Of pods and nodes, what decides. Heartbeats and probes change none of it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Object<'e> {
    #[serde(borrow)]
    metadata: Meta<'e>,
    #[serde(borrow)]
    spec: Option<&'e RawValue>,
    #[serde(borrow)]
    status: Status<'e>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Meta<'e> {
    name: String,
    namespace: String,
    uid: String,
    deletion_timestamp: Option<String>,
    #[serde(borrow)]
    labels: Option<&'e RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Status<'e> {
    phase: String,
    nominated_node_name: String,
    #[serde(borrow)]
    allocatable: Option<&'e RawValue>,
    #[serde(borrow)]
    declared_features: Option<&'e RawValue>,
    conditions: Vec<Condition>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Condition {
    #[serde(rename = "type")]
    kind: String,
    status: String,
    reason: String,
}

/// What was last seen of each object.
#[derive(Default)]
struct Known(BTreeMap<String, u64>);

impl Known {
    /// Whether an event tells of something new; `None` if the watch is over.
    fn meets(&mut self, line: &str) -> Option<bool> {
        let event: Event = serde_json::from_str(line).ok()?;
        let object = event.object.unwrap_or_default();
        let key = format!("{}/{}", object.metadata.namespace, object.metadata.name);
        match event.kind.as_str() {
            "ADDED" | "MODIFIED" => {
                let print = print(&object);
                Some(self.0.insert(key, print) != Some(print))
            }
            "DELETED" => {
                self.0.remove(&key);
                Some(true)
            }
            "BOOKMARK" => Some(false),
            // An error, as 410 for a version that is too old.
            _ => None,
        }
    }
}

fn print(object: &Object) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    let mut add = |text: &str| {
        hasher.write(text.as_bytes());
        hasher.write_u8(0xff);
    };
    let (meta, status) = (&object.metadata, &object.status);
    for text in [&meta.uid, &status.phase, &status.nominated_node_name] {
        add(text);
    }
    add(meta.deletion_timestamp.as_deref().unwrap_or_default());
    for raw in [meta.labels, object.spec, status.allocatable, status.declared_features] {
        add(raw.map_or("", RawValue::get));
    }
    for condition in status.conditions.iter().filter(|c| matches!(&*c.kind, "PodScheduled" | "DisruptionTarget")) {
        add(&condition.status);
        add(&condition.reason);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_decides_is_a_change() {
        let mut known = Known::default();
        let node = |beat: &str, cpu: &str| {
            format!(
                r#"{{"type":"MODIFIED","object":{{"metadata":{{"name":"n","resourceVersion":"{beat}"}},"spec":{{}},
                "status":{{"allocatable":{{"cpu":"{cpu}"}},
                "conditions":[{{"type":"Ready","status":"True","lastHeartbeatTime":"{beat}"}}]}}}}}}"#
            )
        };
        assert_eq!(known.meets(&node("1", "4")), Some(true), "not seen before");
        assert_eq!(known.meets(&node("2", "4")), Some(false), "a heartbeat");
        assert_eq!(known.meets(&node("3", "8")), Some(true));
        assert_eq!(known.meets(r#"{"type":"BOOKMARK","object":{"metadata":{}}}"#), Some(false));
        assert_eq!(known.meets(r#"{"type":"DELETED","object":{"metadata":{"name":"n"}}}"#), Some(true));
        assert_eq!(known.meets(&node("3", "8")), Some(true), "it is another one");
        for over in [r#"{"type":"ERROR","object":{"kind":"Status","status":"Failure","code":410}}"#, "<html>", ""] {
            assert_eq!(known.meets(over), None, "{over}");
        }
    }

    #[test]
    fn what_the_scheduler_says_of_a_pod_is_a_change() {
        let mut known = Known::default();
        let pod = |reason: &str, nominated: &str| {
            format!(
                r#"{{"type":"MODIFIED","object":{{"metadata":{{"name":"p","namespace":"a","labels":{{"x":"y"}}}},
                "status":{{"phase":"Pending","nominatedNodeName":"{nominated}",
                "conditions":[{{"type":"PodScheduled","status":"False","reason":"{reason}"}}]}}}}}}"#
            )
        };
        assert_eq!(known.meets(&pod("Unschedulable", "")), Some(true));
        assert_eq!(known.meets(&pod("Unschedulable", "")), Some(false));
        assert_eq!(known.meets(&pod("Unschedulable", "n")), Some(true));
        assert_eq!(known.meets(&pod("SchedulerError", "n")), Some(true));
    }
}
