//! `kubectl preempt mcp`: driven by the SDK's client, by a client in another language, and by one
//! that does everything wrong.

#![cfg(unix)]

mod sessions;
mod tokens;
mod wrong;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Value, json};

use crate::live::Home;
use crate::live::server::Server;

const PROGRAM: &str = env!("CARGO_BIN_EXE_kubectl-preempt");
const NOW: &str = "2026-06-01T12:00:00Z";
const POD: &str = "web-6d4cf56db6-q7rtz";

fn example() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/pending-web/cluster.yaml")
}

fn manifest() -> String {
    let path = example().with_file_name("deployment.yaml");
    std::fs::read_to_string(path).unwrap()
}

/// The SDK's client, connected to a server that was started with these flags.
pub(crate) struct Session {
    client: RunningService<RoleClient, ()>,
    _server: tokio::process::Child,
}

impl Session {
    pub async fn start(command: &mut tokio::process::Command) -> Self {
        let server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut server = server.spawn().unwrap();
        let streams = (server.stdout.take().unwrap(), server.stdin.take().unwrap());
        Self { client: ().serve(streams).await.unwrap(), _server: server }
    }

    /// A server about the example.
    async fn of_example() -> Self {
        let mut command = tokio::process::Command::new(PROGRAM);
        command.args(["mcp", "--now", NOW, "--from"]).arg(example());
        Self::start(&mut command).await
    }

    pub async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let arguments = arguments.as_object().unwrap().clone();
        let params = CallToolRequestParams::new(tool).with_arguments(arguments);
        self.client.call_tool(params).await.unwrap()
    }

    /// The structured content of an answer, which stands in the text as well.
    async fn answer(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(false), "{tool}: {result:?}");
        let answer = result.structured_content.expect("structured content");
        let text = result.content[0].as_text().expect("a text").text.clone();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), answer);
        answer
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap().block_on(future)
}

/// What the command line prints.
fn printed(arguments: &[&str]) -> Value {
    let mut command = Command::new(PROGRAM);
    let output = command
        .args(arguments)
        .args(["--now", NOW, "-o", "json", "--from"])
        .arg(example())
        .output();
    serde_json::from_slice(&output.unwrap().stdout).unwrap()
}

#[test]
fn every_tool_answers_what_its_command_prints() {
    block_on(async {
        let session = Session::of_example().await;
        let deployment = example().with_file_name("deployment.yaml").display().to_string();
        for (tool, arguments, command) in [
            (
                "pod_explain",
                json!({"pod": POD, "namespace": "shop"}),
                &["explain", POD, "-n", "shop"][..],
            ),
            (
                "pod_explain",
                json!({"pod": POD, "namespace": "shop", "why_not": "worker-2"}),
                &["explain", POD, "-n", "shop", "--why-not", "worker-2"],
            ),
            ("pods_pending", json!({}), &["pending", "-A"]),
            (
                "pods_pending",
                json!({"namespace": "shop", "in_order": true, "selector": "app=web"}),
                &["pending", "-n", "shop", "--in-order", "-l", "app=web"],
            ),
            (
                "placement_simulate",
                json!({"pod": POD, "namespace": "shop", "on": "worker-2"}),
                &["simulate", POD, "-n", "shop", "--on", "worker-2"],
            ),
            (
                "placement_simulate",
                json!({"drain": ["worker-3"]}),
                &["simulate", "--drain", "worker-3"],
            ),
            (
                "placement_simulate",
                json!({"nodes_needed": true, "pod": "deploy/web", "replicas": 4, "namespace": "shop"}),
                &["simulate", "deploy/web", "--replicas", "4", "-n", "shop", "--nodes-needed"],
            ),
            ("pods_risk", json!({}), &["risk", "-A"]),
            (
                "pods_risk",
                json!({"targets": ["node/worker-1"], "requests": ["cpu=2"], "priority": "business"}),
                &["risk", "node/worker-1", "--requests", "cpu=2", "--priority", "business"],
            ),
            ("evictions_explain", json!({}), &["why-evicted", "-A"]),
            (
                "nodes_removable",
                json!({"nodes": ["worker-3", "worker-2"]}),
                &["node", "worker-3", "worker-2"],
            ),
            ("node_loss", json!({"fail": ["worker-3"]}), &["simulate", "--fail", "worker-3"]),
            ("node_loss", json!({"each": "node"}), &["simulate", "--fail-each", "node"]),
            (
                "nodes_removable",
                json!({"selector": "kubernetes.io/hostname", "surge": 1}),
                &["node", "-l", "kubernetes.io/hostname", "--surge", "1"],
            ),
            ("changes_suggest", json!({}), &["suggest", "-A"]),
            (
                "changes_suggest",
                json!({"pods": [POD], "namespace": "shop"}),
                &["suggest", POD, "-n", "shop"],
            ),
            (
                "headroom_count",
                json!({"pod": POD, "namespace": "shop", "priority": "business"}),
                &["headroom", POD, "-n", "shop", "--priority", "business"],
            ),
            (
                "headroom_count",
                json!({"pod": "cpu=1,memory=1Gi"}),
                &["headroom", "cpu=1,memory=1Gi"],
            ),
            ("headroom_count", json!({"manifest": manifest()}), &["headroom", "-f", &deployment]),
            ("cluster_audit", json!({}), &["audit"]),
            ("cluster_audit", json!({"namespace": "shop"}), &["audit", "-n", "shop"]),
            ("messages_verify", json!({}), &["verify", "-A"]),
            (
                "versions_compare",
                json!({"versions": ["1.35", "1.37"]}),
                &["explain", "-A", "--compare", "1.35,1.37"],
            ),
            (
                "versions_compare",
                json!({"versions": ["now", "1.35"], "replay": true}),
                &["pending", "-A", "--compare", "now,1.35", "--replay"],
            ),
            (
                "messages_verify",
                json!({"pods": [POD], "namespace": "shop"}),
                &["verify", POD, "-n", "shop"],
            ),
        ] {
            let mut whole = json!({"detail": "full", "max_rows": 500});
            whole.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
            let answer = session.answer(tool, whole).await;
            assert_eq!(answer["cut"], json!([]), "{tool}");
            let mut expected = printed(command);
            // The command asks about the file by its path, as its advice does.
            without_paths(&mut expected);
            let mut found = answer["values"].clone();
            without_paths(&mut found);
            assert_eq!(found, expected, "{tool}");
            assert!(answer["screen"].as_array().is_some_and(|lines| !lines.is_empty()), "{tool}");
        }

        // The rulebook reads no cluster.
        for query in ["PRE-302", "TaintToleration", "0/1 nodes are available: 1 Insufficient cpu."]
        {
            let answer =
                session.answer("rules_explain", json!({"query": query, "detail": "full"})).await;
            let output = Command::new(PROGRAM).args(["rules", query, "-o", "json"]).output();
            let expected: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
            assert_eq!(answer["values"], expected, "{query}");
        }
    });
}

#[test]
fn names_that_nothing_has_are_errors_that_name_the_near_ones() {
    block_on(async {
        let session = Session::of_example().await;
        for (tool, arguments, near) in [
            ("nodes_removable", json!({"nodes": ["worker-33"]}), "did you mean one of worker-3"),
            ("pods_risk", json!({"targets": ["node/worker-33"]}), "did you mean one of worker-3"),
            ("changes_suggest", json!({"pods": ["web-6d4cf56db6-q7rt"]}), POD),
            ("headroom_count", json!({"pod": "web-6d4cf56db6-q7rt"}), POD),
            ("messages_verify", json!({"pods": ["web-6d4cf56db6-q7rt"]}), POD),
            (
                "rules_explain",
                json!({"query": "TaintTolerration"}),
                "did you mean TaintToleration?",
            ),
        ] {
            let result = session.call(tool, arguments).await;
            assert_eq!(result.is_error, Some(true), "{tool}");
            let error = result.structured_content.unwrap()["error"].to_string();
            assert!(error.contains(near), "{tool}: {error}");
        }
    });
}

/// Takes out the arguments of remedies, which name the file and the time.
fn without_paths(answer: &mut Value) {
    if let Some(remedies) = answer["remedies"].as_array_mut() {
        remedies.iter_mut().for_each(|remedy| remedy["check"] = Value::Null);
    }
    // A manifest of a call has no path.
    for note in answer["notes"].as_array_mut().into_iter().flatten() {
        let path = example().with_file_name("deployment.yaml").display().to_string();
        note["text"] = note["text"].as_str().unwrap_or_default().replace(&path, "manifest").into();
    }
}

#[test]
fn tools_are_read_only_and_small_to_list() {
    block_on(async {
        let session = Session::of_example().await;
        let info = session.client.peer_info().unwrap();
        assert!(info.instructions.as_ref().unwrap().contains("untrusted"), "{info:?}");
        let tools = session.client.list_all_tools().await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        let expected = [
            "pod_explain",
            "pods_pending",
            "placement_simulate",
            "pods_risk",
            "evictions_explain",
            "nodes_removable",
            "node_loss",
            "changes_suggest",
            "headroom_count",
            "cluster_audit",
            "messages_verify",
            "versions_compare",
            "rules_explain",
        ];
        assert_eq!(names, expected);
        for tool in &tools {
            let hints = tool.annotations.as_ref().unwrap();
            assert_eq!(hints.read_only_hint, Some(true), "{}", tool.name);
            assert_eq!(hints.destructive_hint, Some(false), "{}", tool.name);
            assert_eq!(hints.idempotent_hint, Some(true), "{}", tool.name);
            assert!(tool.output_schema.is_some(), "{}", tool.name);
        }
        // An agent pays for every byte of the list in each of its sessions.
        let bytes = serde_json::to_string(&tools).unwrap().len();
        assert!(bytes < 26_000, "{bytes}");
    });
}

#[test]
fn answers_say_how_sure_they_are_and_what_was_cut() {
    block_on(async {
        let session = Session::of_example().await;
        let explained = json!({"pod": POD, "namespace": "shop", "max_rows": 2, "detail": "full"});
        let answer = session.answer("pod_explain", explained).await;
        assert_eq!(answer["certain"], true);
        assert_eq!(answer["exitCode"], 0);
        assert_eq!(answer["values"]["nodes"].as_array().unwrap().len(), 2);
        let cut = json!({"path": ".values.nodes", "unit": "items", "shown": 2, "of": 5});
        assert!(answer["cut"].as_array().unwrap().contains(&cut), "{}", answer["cut"]);
        assert!(answer["screen"][0].as_str().unwrap().contains("no node fits"), "{answer}");

        let answer = session.answer("evictions_explain", json!({"pod": "gone"})).await;
        assert_eq!(answer["certain"], false, "no event says anything");
        assert_eq!(answer["exitCode"], 3);

        let answer = session
            .answer("placement_simulate", json!({"manifest": manifest(), "replicas": 2}))
            .await;
        assert_eq!(answer["values"]["totals"]["pods"], 2, "{answer}");

        let result = session.call("pod_explain", json!({"pod": "nobody"})).await;
        assert_eq!(result.is_error, Some(true));
        let error = result.structured_content.unwrap();
        assert!(error["error"].as_str().unwrap().contains("\"nobody\" not found"), "{error}");
        let result = session.call("placement_simulate", json!({"manifest": "{"})).await;
        assert_eq!(result.is_error, Some(true), "{result:?}");
    });
}

#[test]
fn live_calls_send_nothing_but_reads() {
    let server = crate::docs::documents::cluster::serve();
    let home = Home::new(&server, "token: secret");
    block_on(async {
        let mut command = tokio::process::Command::new(PROGRAM);
        command.arg("mcp").env("KUBECONFIG", home.path("config")).env("HOME", home.folder.path());
        let session = Session::start(&mut command).await;
        for (tool, arguments) in [
            ("pod_explain", json!({"pod": POD})),
            ("pods_pending", json!({})),
            ("placement_simulate", json!({"pod": POD, "on": "worker-2"})),
            ("placement_simulate", json!({"drain": ["worker-3"]})),
            ("pods_risk", json!({})),
            ("evictions_explain", json!({})),
            ("nodes_removable", json!({"nodes": ["worker-3"]})),
            ("node_loss", json!({"fail": ["worker-3"]})),
            ("changes_suggest", json!({"pods": [POD]})),
            ("headroom_count", json!({"manifest": manifest()})),
            ("cluster_audit", json!({})),
            ("messages_verify", json!({})),
            ("versions_compare", json!({"versions": ["1.35", "1.37"]})),
            ("rules_explain", json!({})),
        ] {
            session.answer(tool, arguments).await;
        }
    });
    reads_only(&server);
}

fn reads_only(server: &Server) {
    let requests = server.requests();
    assert!(requests.len() > 20, "{}", requests.len());
    for request in requests {
        assert_eq!(request.method, "GET", "{}", request.path);
    }
}

/// Runs a client in Python. It is part of every machine that builds this; scripts/ needs it, too.
fn python(script: &str) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("python3")
        .arg(root.join("tests/mcp").join(script))
        .arg(PROGRAM)
        .arg(example())
        .output()
        .expect("python3");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}: {said}");
}

#[test]
fn a_client_in_another_language_is_served() {
    python("plain_client.py");
}
