//! The server's lists of whole kinds: parts of them by field, and watches of their changes.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::model::{Budget, Group, Model, Node, Pod, State};
use super::server::{Answer, FakeCluster, Fault, Request, write};

/// The objects of the list at `path`, as far as its field selector selects them; `None` if it is no
/// list of a kind that the model has.
pub fn items(state: &State, request: &Request) -> Option<Vec<Value>> {
    let mut items: Vec<Value> = match request.path.as_str() {
        "/api/v1/nodes" => state.nodes.iter().map(Node::json).collect(),
        "/api/v1/pods" | "/api/v1/namespaces/shop/pods" => {
            state.pods.iter().map(Pod::json).collect()
        }
        "/apis/policy/v1/poddisruptionbudgets" => state.budgets.iter().map(Budget::json).collect(),
        "/apis/scheduling.k8s.io/v1/podgroups" => state.groups.iter().map(Group::json).collect(),
        _ => return None,
    };
    for (field, pointer) in
        [("metadata.name", "/metadata/name"), ("spec.nodeName", "/spec/nodeName")]
    {
        if let Some(value) = request.field(field) {
            items.retain(|item| {
                item.pointer(pointer).and_then(Value::as_str).unwrap_or_default() == value
            });
        }
    }
    Some(items)
}

fn by_name(state: &State, request: &Request) -> BTreeMap<String, Value> {
    let items = items(state, request).unwrap_or_default();
    items
        .into_iter()
        .map(|item| (item["metadata"]["name"].as_str().unwrap().to_owned(), item))
        .collect()
}

/// The events between two states.
fn events(before: &State, after: &State, request: &Request) -> Vec<Value> {
    let (old, new) = (by_name(before, request), by_name(after, request));
    let gone = old.iter().filter(|(name, object)| {
        new.get(*name).is_none_or(|n| n["metadata"]["uid"] != object["metadata"]["uid"])
    });
    let gone = gone.map(|(_, object)| {
        let mut object = object.clone();
        object["metadata"]["resourceVersion"] = json!(after.version.to_string());
        json!({"type": "DELETED", "object": object})
    });
    let there = new.iter().filter(|(name, object)| old.get(*name) != Some(object));
    let there = there.map(|(name, object)| {
        let kind = if old.contains_key(name) { "MODIFIED" } else { "ADDED" };
        json!({"type": kind, "object": object})
    });
    gone.chain(there).collect()
}

/// Nothing more has happened up to this version.
fn bookmark(version: u64) -> Value {
    json!({"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": version.to_string()}}})
}

/// The states after the one of this version, and that one first. `None` if it is not known any
/// more.
fn since(model: &Model, version: u64) -> Option<Vec<State>> {
    let all = model.before.iter().chain([&model.now]);
    let states: Vec<State> = all.filter(|state| state.version >= version).cloned().collect();
    states.first().is_some_and(|first| first.version == version).then_some(states)
}

/// Answers a watch of a list until its timeout.
pub fn watch(
    mut stream: &TcpStream,
    request: &Request,
    view: &Mutex<FakeCluster>,
    end: &AtomicBool,
    fault: Option<Fault>,
) {
    let mut left = match fault {
        Some(Fault::Instead(answer)) => return write(stream, &answer),
        Some(Fault::CutBefore | Fault::CutAfter | Fault::Late(_)) => return,
        Some(Fault::Short(steps)) => steps,
        _ => u32::MAX,
    };
    let value = |name: &str| {
        request.query.split('&').find_map(|q| q.strip_prefix(name)).unwrap_or_default().to_owned()
    };
    let mut version: u64 = value("resourceVersion=").parse().unwrap();
    let until = Instant::now() + Duration::from_secs(value("timeoutSeconds=").parse().unwrap());
    if since(&view.lock().unwrap().model, version).is_none() {
        return write(stream, &Answer::status(410, "Expired", "too old resource version"));
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n";
    if stream.write_all(head.as_bytes()).is_err() {
        return;
    }
    while left > 0 && Instant::now() < until && !end.load(Ordering::Relaxed) {
        let news: Vec<Value> = {
            let view = view.lock().unwrap();
            if let Some(silence) =
                view.silent.get(request.path.as_str()).filter(|silence| silence.lasts())
            {
                silence.bookmarks.then(|| bookmark(version)).into_iter().collect()
            } else {
                let states = since(&view.model, version).unwrap();
                let is_news = version < view.model.now.version;
                version = view.model.now.version;
                let bookmark = (is_news && view.bookmarks).then(|| bookmark(version));
                states
                    .windows(2)
                    .flat_map(|pair| events(&pair[0], &pair[1], request))
                    .chain(bookmark)
                    .collect()
            }
        };
        for event in news {
            if stream.write_all(format!("{event}\n").as_bytes()).is_err() {
                return;
            }
        }
        left -= 1;
        thread::sleep(Duration::from_millis(2));
    }
}
