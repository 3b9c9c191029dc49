//! Watches pods and nodes for changes that a decision may depend on. It reports that something has changed, not what.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _};
use std::time::Duration;

use foldhash::fast::FixedState;
use http::StatusCode;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep, timeout};

use crate::api::Env;
use crate::api::client::{Answer, Reader};
use crate::api::config;
use crate::api::failure;
use crate::api::flags::ConnectionFlags;
use crate::error::Error;
use engine::snapshot::Kind;

/// How long a watch runs before a new one is started, in seconds.
const WATCH_SECONDS: u64 = 300;
/// A watch that ends sooner counts as a failure: a server that closes each at once would be asked every second.
const SHORTEST_WATCH: Duration = Duration::from_secs(10);
/// The longest wait after failures, in seconds.
const MAX_WAIT_SECONDS: u64 = 30;

/// What a watch reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchEvent {
    /// Something has changed, or may have changed between two watches.
    Changed,
    /// The user may not watch this kind, which is the last event for it: the server's message.
    Forbidden(String),
    /// The connection failed and is tried again: the error.
    Disconnected(String),
}

/// How a watch ended.
enum WatchEnd {
    /// After its time, or because the server ended it.
    Expired,
    /// The user may not watch this kind: the server's message.
    Forbidden(String),
    /// The receiver of the events is gone.
    Unreceived,
}

/// Watches pods and nodes until `send` returns `false`, because the events are no longer received. Must be called inside a
/// tokio runtime.
pub async fn pods_and_nodes(flags: &ConnectionFlags, send: impl Fn(WatchEvent) -> bool) {
    tokio::join!(resource(flags, "pods", &send), resource(flags, "nodes", &send));
}

/// Watches one resource, and starts a new watch whenever one ends.
async fn resource(flags: &ConnectionFlags, plural: &str, send: &impl Fn(WatchEvent) -> bool) {
    let mut failures = 0u32;
    loop {
        // Resolved for each watch, because credentials expire.
        let since = Instant::now();
        let connected = config::resolve(flags, &Env::process());
        let ended = match connected.and_then(|connection| Reader::new(connection, flags.request_timeout)) {
            Ok(reader) => watch(&reader, plural, send).await,
            Err(error) => Err(error),
        };
        match ended {
            Ok(WatchEnd::Expired) => failures = failures_after(since.elapsed(), failures),
            Ok(WatchEnd::Forbidden(why)) => {
                send(WatchEvent::Forbidden(why));
                return;
            }
            Ok(WatchEnd::Unreceived) => return,
            Err(error) => {
                failures = failures.saturating_add(1);
                if !send(WatchEvent::Disconnected(error.to_string())) {
                    return;
                }
            }
        }
        sleep(Duration::from_secs(wait_seconds(failures)) + Duration::from_millis(fastrand::u64(0..500))).await;
    }
}

/// How many failures there have been one behind the other, after a watch that ended without an error.
fn failures_after(lasted: Duration, failures: u32) -> u32 {
    if lasted < SHORTEST_WATCH { failures.saturating_add(1) } else { 0 }
}

/// How long to wait before the next watch, in seconds.
fn wait_seconds(failures: u32) -> u64 {
    (1u64 << failures.min(6)).min(MAX_WAIT_SECONDS)
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

/// Watches from the current version of the list until the watch ends.
async fn watch(reader: &Reader, plural: &str, send: &impl Fn(WatchEvent) -> bool) -> Result<WatchEnd, Error> {
    let path = format!("/api/v1/{plural}");
    let kind = if plural == "pods" { Kind::Pod } else { Kind::Node };
    let refused = |answer: &Answer| match answer.status {
        StatusCode::FORBIDDEN => Ok(WatchEnd::Forbidden(failure::server_message(answer))),
        _ => Err(failure::from_answer(answer, Some(kind), &reader.peer)),
    };
    let answer = reader.get(&format!("{path}?limit=1")).await?;
    if answer.status != StatusCode::OK {
        return refused(&answer);
    }
    let list: List = serde_json::from_str(&answer.body)
        .map_err(|_| failure::not_kubernetes(&reader.peer, &format!("GET {path} is not a list")))?;
    let version = list.metadata.resource_version;
    let query =
        format!("{path}?watch=true&allowWatchBookmarks=true&resourceVersion={version}&timeoutSeconds={WATCH_SECONDS}");
    let mut lines = match reader.lines(&query).await? {
        Ok(lines) => lines,
        Err(answer) if answer.status == StatusCode::GONE => return Ok(WatchEnd::Expired),
        Err(answer) => return refused(&answer),
    };
    // Changes since the last watch are not known.
    if !send(WatchEvent::Changed) {
        return Ok(WatchEnd::Unreceived);
    }
    let mut known = Fingerprints::default();
    let events = async {
        while let Some(line) = lines.next().await? {
            match known.is_changed_by(&line) {
                Some(true) if !send(WatchEvent::Changed) => return Ok(WatchEnd::Unreceived),
                Some(_) => {}
                None => return Ok(WatchEnd::Expired),
            }
        }
        Ok(WatchEnd::Expired)
    };
    // Ends a watch whose connection is dead without an error.
    timeout(Duration::from_secs(WATCH_SECONDS + 10), events).await.unwrap_or(Ok(WatchEnd::Expired))
}

#[derive(Deserialize)]
struct Event<'e> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    object: Option<Object<'e>>,
}

/// The fields of pods and nodes that decisions depend on. Heartbeats and probes change none of them.
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

/// The last fingerprint of each object.
#[derive(Default)]
struct Fingerprints(BTreeMap<String, u64>);

impl Fingerprints {
    /// Whether an event changes a field that decisions depend on; `None` if the event ends the watch.
    fn is_changed_by(&mut self, line: &str) -> Option<bool> {
        let event: Event = serde_json::from_str(line).ok()?;
        let object = event.object.unwrap_or_default();
        let key = format!("{}/{}", object.metadata.namespace, object.metadata.name);
        match event.kind.as_str() {
            "ADDED" | "MODIFIED" => {
                let fingerprint = fingerprint(&object);
                Some(self.0.insert(key, fingerprint) != Some(fingerprint))
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

/// A hash of the fields that decisions depend on.
fn fingerprint(object: &Object) -> u64 {
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
    fn a_watch_that_ends_at_once_is_a_failure() {
        let at_once = |failures| failures_after(Duration::from_millis(20), failures);
        let waits: Vec<u64> =
            std::iter::successors(Some(0), |failures| Some(at_once(*failures))).map(wait_seconds).take(8).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30, 30]);
        assert_eq!(failures_after(Duration::from_secs(300), 5), 0, "it lasted");
    }

    #[test]
    fn only_what_decides_is_a_change() {
        let mut known = Fingerprints::default();
        let node = |beat: &str, cpu: &str| {
            format!(
                r#"{{"type":"MODIFIED","object":{{"metadata":{{"name":"n","resourceVersion":"{beat}"}},"spec":{{}},
                "status":{{"allocatable":{{"cpu":"{cpu}"}},
                "conditions":[{{"type":"Ready","status":"True","lastHeartbeatTime":"{beat}"}}]}}}}}}"#
            )
        };
        assert_eq!(known.is_changed_by(&node("1", "4")), Some(true), "not seen before");
        assert_eq!(known.is_changed_by(&node("2", "4")), Some(false), "a heartbeat");
        assert_eq!(known.is_changed_by(&node("3", "8")), Some(true));
        assert_eq!(known.is_changed_by(r#"{"type":"BOOKMARK","object":{"metadata":{}}}"#), Some(false));
        assert_eq!(known.is_changed_by(r#"{"type":"DELETED","object":{"metadata":{"name":"n"}}}"#), Some(true));
        assert_eq!(known.is_changed_by(&node("3", "8")), Some(true), "it is another one");
        for over in [r#"{"type":"ERROR","object":{"kind":"Status","status":"Failure","code":410}}"#, "<html>", ""] {
            assert_eq!(known.is_changed_by(over), None, "{over}");
        }
    }

    #[test]
    fn what_the_scheduler_says_of_a_pod_is_a_change() {
        let mut known = Fingerprints::default();
        let pod = |reason: &str, nominated: &str| {
            format!(
                r#"{{"type":"MODIFIED","object":{{"metadata":{{"name":"p","namespace":"a","labels":{{"x":"y"}}}},
                "status":{{"phase":"Pending","nominatedNodeName":"{nominated}",
                "conditions":[{{"type":"PodScheduled","status":"False","reason":"{reason}"}}]}}}}}}"#
            )
        };
        assert_eq!(known.is_changed_by(&pod("Unschedulable", "")), Some(true));
        assert_eq!(known.is_changed_by(&pod("Unschedulable", "")), Some(false));
        assert_eq!(known.is_changed_by(&pod("Unschedulable", "n")), Some(true));
        assert_eq!(known.is_changed_by(&pod("SchedulerError", "n")), Some(true));
    }
}
