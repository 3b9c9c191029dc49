//! The example as a cluster: what it lists, evictions, and a scheduler that binds the pod once its
//! victims are gone.

use std::fs;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::docs::documents::root;
use crate::live::server::{Answer, Request, Server};

const POD: &str = "web-6d4cf56db6-q7rtz";
const NODE: &str = "worker-3";
const VICTIMS: [&str; 2] = ["sales-29670480-xw7vn", "stock-29670510-d8f2g"];

fn objects() -> Vec<Value> {
    let text = fs::read_to_string(root().join("examples/pending-web/cluster.yaml")).unwrap();
    serde_saphyr::from_multiple::<Value>(&text).unwrap()
}

/// What `kubectl get … -o json` writes of it.
pub fn as_list() -> String {
    json!({"apiVersion": "v1", "kind": "List", "metadata": {}, "items": objects()}).to_string()
}

/// A server that holds it.
pub fn serve() -> Server {
    let objects = Arc::new(Mutex::new(objects()));
    Server::start_writable(move |request| answer(request, &mut objects.lock().unwrap()))
}

fn answer(request: &Request, objects: &mut Vec<Value>) -> Option<Answer> {
    if request.path.ends_with("/eviction") {
        let name = request.path.rsplit('/').nth(1).unwrap();
        if !request.has("dryRun=All") {
            objects.retain(|o| o["metadata"]["name"] != name);
            bind(objects);
        }
        return Some(Answer::created(
            &json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}),
        ));
    }
    if request.has("watch=true") {
        // Nothing happens in it.
        return None;
    }
    let kind = |plural: &str| match plural {
        "nodes" => Some("Node"),
        "pods" => Some("Pod"),
        "priorityclasses" => Some("PriorityClass"),
        "poddisruptionbudgets" => Some("PodDisruptionBudget"),
        _ => None,
    };
    let steps: Vec<&str> = request.path.split('/').collect();
    if let Some(kind) = kind(steps.last()?) {
        let items: Vec<&Value> = objects.iter().filter(|o| o["kind"] == kind).collect();
        let list = json!({"kind": format!("{kind}List"), "apiVersion": "v1", "metadata": {"resourceVersion": "9"}, "items": items});
        return Some(Answer::ok(list.to_string()));
    }
    let [.., plural, name] = steps.as_slice() else { return None };
    let kind = kind(plural)?;
    let found = objects.iter().find(|o| o["kind"] == kind && o["metadata"]["name"] == *name);
    Some(found.map_or_else(
        || Answer::status(404, "NotFound", &format!("{plural} \"{name}\" not found")),
        |object| Answer::ok(object.to_string()),
    ))
}

fn bind(objects: &mut [Value]) {
    if objects.iter().any(|o| VICTIMS.iter().any(|victim| o["metadata"]["name"] == *victim)) {
        return;
    }
    for pod in objects.iter_mut().filter(|o| o["metadata"]["name"] == POD) {
        pod["spec"]["nodeName"] = NODE.into();
    }
}
