//! A page without a browser: its files are in memory.

use std::io;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::PageSession;
use crate::Host;

/// Files in memory; one without bytes cannot be read.
struct Memory {
    files: Vec<Option<Vec<u8>>>,
    seen: Mutex<Vec<u64>>,
}

impl Host for Memory {
    fn read(&self, file: u32, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.files[file as usize].as_ref().ok_or_else(|| io::Error::other("gone"))?;
        let rest = &bytes[offset as usize..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }

    fn progress(&self, _: u32, read: u64) {
        self.seen.lock().unwrap().push(read);
    }
}

const CLUSTER: &str = "
{kind: Node, apiVersion: v1, metadata: {name: n1}, status: {allocatable: {cpu: '2', memory: 1Gi, pods: '10'}}}
---
{kind: Pod, apiVersion: v1, metadata: {name: old, namespace: shop}, spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: '2'}}}]}, status: {phase: Running}}
---
{kind: Pod, apiVersion: v1, metadata: {name: web, namespace: shop}, spec: {priority: 5, containers: [{name: c, resources: {requests: {cpu: '1'}}}]}, status: {phase: Pending}}
";

/// Hands files to a new page. Those without a text cannot be read.
fn read(files: &[(&str, Option<&str>)], is_directory: bool) -> (PageSession, Memory, Value) {
    let bytes = files.iter().map(|(_, text)| text.map(|text| text.as_bytes().to_vec())).collect();
    let host = Memory { files: bytes, seen: Mutex::default() };
    let listed: Vec<Value> = files
        .iter()
        .map(|(path, text)| json!({"path": path, "size": text.map_or(9, str::len)}))
        .collect();
    let name = if is_directory { "dump" } else { files[0].0 };
    let question = json!({"ask": "read", "name": name, "isDirectory": is_directory, "files": listed,
        "present": "2026-06-01T12:00:00Z"});
    let mut session = PageSession::default();
    let answer = serde_json::from_str(&session.ask(&question.to_string(), &host)).unwrap();
    (session, host, answer)
}

fn ask(session: &mut PageSession, host: &Memory, question: &Value) -> Value {
    serde_json::from_str(&session.ask(&question.to_string(), host)).unwrap()
}

#[test]
fn queue_of_a_file_has_a_row_for_each_pending_pod() {
    let (mut session, host, answer) = read(&[("cluster.yaml", Some(CLUSTER))], false);
    assert_eq!((&answer["nodes"], &answer["pods"]), (&json!(1), &json!(2)), "{answer}");
    let queue = ask(&mut session, &host, &json!({"ask": "queue"}));
    assert_eq!(queue["rows"][0]["shown"], "shop/web", "{queue}");
    let list: Value = serde_json::from_str(queue["json"].as_str().unwrap()).unwrap();
    assert_eq!(list["items"][0]["verdict"], "Preempts");
}

#[test]
fn several_files_are_read_as_one_cluster_each_by_its_own_name() {
    let node = CLUSTER.split("---").next();
    let pods = CLUSTER.split_once("---").map(|(_, pods)| pods);
    // The name of the second is none that a directory's files have.
    let (mut session, host, answer) = read(&[("nodes.yaml", node), ("pods", pods)], false);
    assert_eq!((&answer["nodes"], &answer["pods"]), (&json!(1), &json!(2)), "{answer}");
    let question = json!({"ask": "pod", "namespace": "shop", "name": "web"});
    let shown = ask(&mut session, &host, &question)["html"].to_string();
    assert!(shown.contains("--from nodes.yaml --from pods"), "{shown}");
    let (_, _, answer) = read(&[("nodes.yaml", node), ("gone", None)], false);
    assert!(answer["problem"].as_str().unwrap().starts_with("gone: "), "{answer}");
}

#[test]
fn directory_is_read_in_the_order_of_paths_without_other_files() {
    let files = [("b/pods.yaml", Some(CLUSTER)), ("a.txt", None), ("readme.yaml", Some("a: b"))];
    let (_, _, answer) = read(&files, true);
    assert_eq!(answer["pods"], 2, "{answer}");
    assert_eq!(answer["warnings"], json!(["1 file is no Kubernetes object: readme.yaml"]));
}

#[test]
fn file_that_the_browser_cannot_read_is_an_error_that_names_it() {
    let (mut session, host, answer) = read(&[("gone.json", None)], false);
    assert_eq!(answer["answer"], "error", "{answer}");
    assert!(answer["problem"].as_str().unwrap().starts_with("gone.json: "), "{answer}");
    let queue = ask(&mut session, &host, &json!({"ask": "queue"}));
    assert_eq!(queue["problem"], "no file has been read");
}

#[test]
fn assumptions_change_the_answer_and_are_said() {
    let (mut session, host, _) = read(&[("cluster.yaml", Some(CLUSTER))], false);
    let outcome = |session: &mut PageSession, what_if: Value| {
        let question = json!({"ask": "pod", "namespace": "shop", "name": "web", "whatIf": what_if});
        let answer = ask(session, &host, &question);
        let decision: Value =
            serde_json::from_str(answer["json"].as_str().unwrap_or("null")).unwrap();
        (decision["outcome"].clone(), answer["assumed"].clone(), answer["problem"].clone())
    };
    let as_it_is = outcome(&mut session, json!([]));
    assert_eq!(as_it_is, (json!("Preempt"), json!([]), Value::Null));
    assert_eq!(outcome(&mut session, json!([])), as_it_is, "the cluster is kept");
    let (fits, said, _) = outcome(&mut session, json!([["--add-node-like", "n1"]]));
    assert_eq!(
        (fits, said),
        (json!("Schedulable"), json!(["a node like n1 added, with its DaemonSet and static pods"]))
    );
    let (none, _, problem) = outcome(&mut session, json!([["--cordon", "n2"]]));
    assert_eq!((none, problem), (Value::Null, json!("nodes \"n2\" not found")));
    let (_, _, problem) = outcome(&mut session, json!([["--magic", "1"]]));
    assert_eq!(problem, "`--magic` is nothing that can be assumed");
    assert_eq!(outcome(&mut session, json!([])), as_it_is, "what was assumed is not kept");
}

#[test]
fn large_file_is_read_in_pieces_with_progress() {
    let text = "x".repeat(4_000);
    let pod = format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p","namespace":"x","annotations":{{"a":"{text}"}}}},"spec":{{"containers":[]}}}}"#
    );
    let count = (20 << 20) / pod.len();
    let items = vec![pod; count].join(",");
    let text = format!(r#"{{"apiVersion":"v1","kind":"List","items":[{items}]}}"#);
    let (_, host, answer) = read(&[("large.json", Some(&text))], false);
    assert_eq!(answer["answer"], "read", "{answer}");
    let seen = host.seen.lock().unwrap();
    assert!(seen.len() > 3 && seen.last() == Some(&(text.len() as u64)), "{seen:?}");
}

#[test]
fn lists_of_a_cluster_are_decided_as_that_cluster() {
    let bytes = vec![Some(CLUSTER.as_bytes().to_vec())];
    let host = Memory { files: bytes, seen: Mutex::default() };
    let mut session = PageSession::default();
    let kinds = ask(&mut session, &host, &json!({"ask": "kinds"}));
    let nodes = json!({"resource": "nodes", "paths": ["/api/v1/nodes"], "isNamespaced": false,
        "mayBeAbsent": false, "isCustom": false});
    assert_eq!(kinds["kinds"][0], nodes, "{kinds}");
    let budgets = &kinds["kinds"][1]["paths"][1];
    assert_eq!(budgets, "/apis/policy/v1beta1/poddisruptionbudgets");

    let files = json!([{"path": "all.yaml", "size": CLUSTER.len()}]);
    let read = json!({"ask": "read", "name": "", "isDirectory": false, "files": files,
        "present": "2026-06-01T12:00:00Z", "cluster": "prod"});
    assert_eq!(ask(&mut session, &host, &read)["pods"], 2);
    let question = json!({"ask": "pod", "namespace": "shop", "name": "web"});
    let pod = ask(&mut session, &host, &question);
    let decision: Value = serde_json::from_str(pod["json"].as_str().unwrap()).unwrap();
    assert_eq!(decision["source"]["kind"], "live", "{decision}");
    assert!(!pod["html"].to_string().contains("--from"), "{pod}");
}
