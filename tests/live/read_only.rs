//! The proof that commands which read only read: the binary runs each in all its forms against a
//! server that refuses everything but GET and access reviews, and remembers who tried.

use assert_cmd::Command;
use serde_json::{Value, json};

use crate::live::Home;
use crate::live::server::{Answer, Server};

/// A cluster with a pod that fits, one that preempts, and one that nothing helps.
fn cluster() -> Server {
    Server::start(|request| {
        let items = match request.path.as_str() {
            "/api/v1/nodes" => {
                json!([{"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "9"}}}])
            }
            "/api/v1/pods" => json!([
                pod("victim", 0, "3", Some("n1")),
                pod("small", 0, "500m", None),
                pod("vip", 100, "4", None),
                pod("huge", 100, "64", None),
            ]),
            "/apis/apps/v1/replicasets" => {
                json!([{"metadata": {"name": "web-1", "namespace": "shop", "uid": "r",
                "ownerReferences": [{"kind": "Deployment", "name": "web", "uid": "d", "controller": true}]}}])
            }
            _ => return None,
        };
        Some(Answer::ok(
            json!({"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items}).to_string(),
        ))
    })
}

fn pod(name: &str, priority: i32, cpu: &str, node: Option<&str>) -> Value {
    let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "shop", "uid": format!("u-{name}"),
            "ownerReferences": [{"kind": "ReplicaSet", "name": "web-1", "uid": "r", "controller": true}]},
        "spec": {"priority": priority, "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]},
        "status": {"phase": if node.is_some() { "Running" } else { "Pending" }}});
    if let Some(node) = node {
        pod["spec"]["nodeName"] = node.into();
    }
    pod
}

/// Every way to call a command that reads, and how it ends.
const RUNS: &[(&[&str], i32)] = &[
    (&["explain", "small"], 0),
    (&["explain", "vip", "-o", "wide", "--nodes"], 0),
    (&["explain", "pod/vip", "-o", "json"], 0),
    (&["explain", "huge", "-o", "yaml"], 0),
    (&["explain", "huge", "--exit-code"], 1),
    (&["explain", "deploy/web"], 0),
    (&["explain", "cronjob/none"], 2),
    (&["explain", "none"], 2),
    (&["explain"], 0),
    (&["explain", "-A"], 0),
    (&["explain", "-A", "-v", "8"], 0),
    (&["explain", "vip", "--compare", "1.33,1.37"], 0),
    (&["explain", "-A", "--compare", "1.12,1.37", "-o", "json"], 0),
    (&["explain", "vip", "--as-scheduled"], 0),
    (&["explain", "vip", "--as-scheduled", "--seed", "7"], 0),
    (&["explain", "vip", "--scheduler-version", "1.20"], 0),
    (&["explain", "vip", "--scheduler-configmap", "ops/none"], 2),
    (&["explain", "vip", "--as", "nobody", "--as-group", "g"], 0),
    (&["explain", "vip", "--request-timeout", "30s"], 0),
    (&["explain", "vip", "--call-extenders"], 0),
    (&["simulate", "vip"], 0),
    (&["simulate", "deploy/web", "-o", "json"], 1),
    (&["simulate", "-A", "--depth", "2", "-o", "yaml"], 1),
    (&["simulate", "-f", "FOLDER/pod.yaml", "--replicas", "2", "--priority", "100"], 0),
    (&["simulate", "vip", "--on", "n1", "--cordon", "n1"], 1),
    (&["simulate", "vip", "--apply", "--dry-run=client", "--force"], 0),
    (&["node", "n1"], 1),
    (&["node", "n1", "-o", "yaml"], 1),
    (&["node", "-l", "pool=none"], 2),
    (&["node", "n9"], 2),
    (&["pending"], 0),
    (&["pending", "-A", "-o", "wide"], 0),
    (&["pending", "-o", "json"], 0),
    (&["verify"], 0),
    (&["verify", "-A", "-o", "json"], 0),
    (&["verify", "deploy/web"], 0),
    (&["audit"], 0),
    (&["audit", "-o", "sarif"], 0),
    (&["risk", "-A"], 0),
    (&["risk", "-A", "--for", "deploy/web"], 0),
    (&["why-evicted", "-A"], 0),
    (&["why-evicted", "none"], 3),
    (&["snapshot", "-o", "-"], 0),
    (&["snapshot", "-o", "FOLDER/s.json.zst"], 0),
    (&["snapshot", "-o", "FOLDER/s.json.zst", "--force"], 0),
    (&["doctor"], 0),
    (&["doctor", "-n", "shop", "-o", "wide"], 0),
    (&["doctor", "-o", "json"], 0),
    (&["doctor", "-o", "yaml"], 0),
    (&["doctor", "--rbac"], 0),
    (&["schema"], 0),
    (&["version"], 0),
];

#[test]
fn commands_that_read_never_write() {
    let server = cluster();
    let home = Home::new(&server, "token: secret");
    home.write("pod.yaml", &pod("new", 0, "100m", None).to_string());
    let mut unexpected = Vec::new();
    for (arguments, expected) in RUNS {
        let folder = home.folder.path().to_str().unwrap();
        let arguments: Vec<String> =
            arguments.iter().map(|word| word.replace("FOLDER", folder)).collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
        command.env("KUBECONFIG", home.path("config")).env("HOME", folder).args(&arguments);
        let output = command.output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        if output.status.code() != Some(*expected) {
            unexpected.push(format!("{arguments:?} ended with {:?}: {err}", output.status.code()));
        }
        assert!(!err.contains("refused to send"), "{arguments:?}: {err}");
        // Fails on any request that is not a read.
        server.requests();
    }
    assert!(unexpected.is_empty(), "{unexpected:#?}");
    let requests = server.requests();
    let gets = requests.iter().filter(|r| r.method == "GET").count();
    println!(
        "{} runs, {} requests: {gets} GET, {} access reviews",
        RUNS.len(),
        requests.len(),
        requests.len() - gets
    );
    assert!(gets > 500 && requests.len() > gets, "the commands did ask");
}

/// The proof is none if it does not see a write: even one that the server would only try.
#[test]
fn a_command_that_writes_is_seen() {
    let server = cluster();
    let home = Home::new(&server, "token: secret");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    command.env("KUBECONFIG", home.path("config")).env("HOME", home.folder.path());
    let output = command
        .args(["simulate", "vip", "--apply", "--dry-run=server", "--force"])
        .output()
        .unwrap();
    assert_ne!(output.status.code(), Some(0), "the server refuses it");
    let writes = server.writes();
    assert!(
        !writes.is_empty() && writes.iter().all(|r| r.path.ends_with("/pods/victim/eviction")),
        "{writes:?}"
    );
}

#[test]
fn the_server_tells_writes_from_reads() {
    use crate::live::server::Request;
    let request = |method: &str, path: &str| Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: String::new(),
        headers: Vec::new(),
        body: String::new(),
    };
    let reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    assert!(request("GET", "/api/v1/pods").is_read() && request("POST", reviews).is_read());
    for (method, path) in [
        ("POST", "/api/v1/namespaces/a/pods/b/eviction"),
        ("POST", "/api/v1/namespaces/selfsubjectreviews"),
        ("POST", "/apis/example.com/v1/selfsubjectaccessreviews"),
        ("PUT", reviews),
        ("DELETE", "/api/v1/namespaces/a/pods/b"),
        ("PATCH", "/api/v1/namespaces/a/pods/b/status"),
    ] {
        assert!(!request(method, path).is_read(), "{method} {path}");
    }
}
