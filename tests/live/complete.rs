//! Completion on a live cluster: through the program, and through a real kubectl.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::live::server::{Answer, Request, Server};
use crate::live::{Home, kubeconfig};
use crate::scripts;

const PROGRAM: &str = env!("CARGO_BIN_EXE_kubectl-preempt");

fn cluster(request: &Request) -> Option<Answer> {
    let pending = request.query.contains("status.phase%3DPending");
    let named = |names: &[&str]| {
        names.iter().map(|name| json!({"metadata": {"name": name}})).collect::<Vec<_>>()
    };
    let items = match request.path.as_str() {
        "/api/v1/namespaces/shop/pods" if pending => {
            vec![pod("web-2", "Pending"), pod("web-1", "Pending")]
        }
        "/api/v1/namespaces/shop/pods" => {
            vec![
                pod("db-0", "Running"),
                pod("web-1", "Pending"),
                pod("ev\u{1b}il", "Running"),
                pod("web-2", "Pending"),
            ]
        }
        "/api/v1/namespaces/other/pods" => named(&["elsewhere"]),
        "/api/v1/namespaces" => named(&["shop", "other"]),
        "/api/v1/nodes" => vec![
            json!({"metadata": {"name": "n1"}}),
            json!({"metadata": {"name": "n2"}, "spec": {"unschedulable": true}}),
        ],
        "/apis/scheduling.k8s.io/v1/priorityclasses" => {
            vec![json!({"metadata": {"name": "high"}, "value": 1000})]
        }
        "/apis/apps/v1/namespaces/shop/deployments" => named(&["web", "db"]),
        "/apis/scheduling.k8s.io/v1beta1/namespaces/shop/podgroups" => vec![json!({
            "metadata": {"name": "train"},
            "spec": {"schedulingPolicy": {"gang": {"minCount": 3}}},
            "status": {"conditions": [{"type": "PodGroupInitiallyScheduled", "status": "False", "reason": "Unschedulable"}]},
        })],
        "/apis/scheduling.k8s.io/v1alpha1/namespaces/shop/workloads" => named(&["job", "jobs"]),
        "/api/v1/namespaces/older/pods" => {
            let key = |key: &str| json!({"name": "job", "podGroup": "workers", "podGroupReplicaKey": key});
            let pod = |name: &str, of: Value| json!({"metadata": {"name": name}, "spec": {"workloadRef": of}});
            vec![
                pod("a", key("")),
                pod("b", key("1")),
                pod("c", key("1")),
                json!({"metadata": {"name": "d"}}),
            ]
        }
        path if path.starts_with("/apis/scheduling.k8s.io") => {
            return Some(Answer::status(404, "NotFound", "no"));
        }
        _ => return None,
    };
    Some(Answer::ok(json!({"kind": "List", "metadata": {}, "items": items}).to_string()))
}

fn pod(name: &str, phase: &str) -> Value {
    let refused = json!([{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]);
    let conditions = if phase == "Pending" { refused } else { json!([]) };
    json!({"metadata": {"name": name, "creationTimestamp": "2020-01-01T00:00:00Z"},
        "status": {"phase": phase, "conditions": conditions}})
}

/// What is printed for these words, without the descriptions.
fn complete(home: &Home, words: &[&str]) -> Vec<String> {
    let output = command(home, PROGRAM).arg("__complete").args(words).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{words:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains('\u{1b}'), "{text:?}");
    text.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

fn command(home: &Home, program: impl AsRef<Path>) -> Command {
    let mut command = Command::new(program.as_ref());
    command.env_clear().env("KUBECONFIG", home.path("config")).env("HOME", home.folder.path());
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command
}

#[test]
fn names_of_a_cluster() {
    let home = Home::new(&Server::start(cluster), "token: secret");
    for (words, expected) in [
        (&["explain", ""][..], &["web-2", "web-1", ":36"][..]),
        (&["explain", "web-1"], &["web-1", ":36"]),
        (&["explain", "web-1", ""], &["web-2", ":36"]),
        (&["explain", "db"], &["db-0", ":36"]),
        (&["explain", "e"], &[":36"]),
        (&["explain", "dep"], &["deployment/", ":38"]),
        (&["explain", "deploy/"], &["deploy/web", "deploy/db", ":36"]),
        (&["explain", "deploy/w"], &["deploy/web", ":36"]),
        (&["explain", "deploy", ""], &["web", "db", ":36"]),
        (&["explain", "deploy", "web", ""], &["db", ":36"]),
        (&["explain", "pod/d"], &["pod/db-0", ":36"]),
        (&["explain", "podg"], &["podgroup/", ":38"]),
        (&["explain", "podgroup/"], &["podgroup/train", ":36"]),
        (&["explain", "pg/t"], &["pg/train", ":36"]),
        (&["explain", "podgroup", ""], &["train", ":36"]),
        (&["simulate", "podgroup/"], &["podgroup/train", ":36"]),
        (&["explain", "workload/j"], &["workload/job", "workload/jobs", ":36"]),
        (
            &["explain", "-n", "older", "podgroup/"],
            &["podgroup/job/workers", "podgroup/job/workers/1", ":36"],
        ),
        (&["explain", "-n", "older", "podgroup/job/workers/"], &["podgroup/job/workers/1", ":36"]),
        (&["explain", "-n", ""], &["shop", "other", ":36"]),
        (&["explain", "--namespace=o"], &["--namespace=other", ":36"]),
        (&["-n", "other", "explain", ""], &["elsewhere", ":36"]),
        (&["explain", "-n", "other", ""], &["elsewhere", ":36"]),
        (&["explain", "-nother", ""], &["elsewhere", ":36"]),
        (&["explain", "--namespace=other", ""], &["elsewhere", ":36"]),
        (&["simulate", "web-1", "--on", ""], &["n1", "n2", ":36"]),
        (&["simulate", "web-1", "--priority", ""], &["high", ":36"]),
        (&["node", ""], &["n1", "n2", ":36"]),
        (&["node", "n2"], &["n2", ":36"]),
        (&["explain", "--context", ""], &["main", ":36"]),
        (&["explain", "--cluster", ""], &["c", ":36"]),
        (&["explain", "--user", "m"], &["me", ":36"]),
        (&["explain", "--context", "none", ""], &[":36"]),
        (&["explain", "--kubeconfig", "/nowhere", ""], &[":36"]),
        (&["explain", "--from", ""], &[":0"]),
    ] {
        assert_eq!(complete(&home, words), expected, "{words:?}");
    }
}

#[test]
fn descriptions_say_why_it_is_pending() {
    let home = Home::new(&Server::start(cluster), "token: secret");
    let output = command(&home, PROGRAM).args(["__complete", "explain", "web-1"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("web-1\tPending ") && text.contains(", Unschedulable\n"), "{text}");
    let output = command(&home, PROGRAM)
        .args(["__complete", "simulate", "--cordon", "n2"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "n2\tcordoned\n:36\n");
    let output =
        command(&home, PROGRAM).args(["__complete", "explain", "podgroup/"]).output().unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "podgroup/train\tgang of 3, Unschedulable\n:36\n"
    );
}

#[test]
fn namespaces_come_from_the_kubeconfig_without_permission_to_list() {
    let denied = |request: &Request| {
        (request.path == "/api/v1/namespaces").then(|| Answer::status(403, "Forbidden", "no"))
    };
    let home = Home::new(&Server::start(denied), "token: secret");
    assert_eq!(complete(&home, &["explain", "-n", ""]), ["shop", ":36"]);
}

#[test]
fn a_server_that_is_slow_or_away_is_not_waited_for() {
    const AWAY: Duration = Duration::from_secs(20);
    let slow = Server::start(|_| {
        thread::sleep(AWAY);
        None
    });
    let home = Home::new(&slow, "token: secret");
    let since = Instant::now();
    assert_eq!(complete(&home, &["explain", ""]), [":4"]);
    assert!(since.elapsed() < AWAY, "{:?}", since.elapsed());
    home.write("config", &kubeconfig("http://127.0.0.1:1", "", "token: secret"));
    assert_eq!(complete(&home, &["explain", ""]), [":36"]);
}

/// A credential plugin that notes that it ran, and what it was told.
fn login(home: &Home, mode: &str) -> String {
    let script = "#!/bin/sh\necho \"$KUBERNETES_EXEC_INFO\" >> \"$HOME/ran\"\necho noise >&2\n\
        echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"t\"}}'\n";
    scripts::write(&home.path("login"), script);
    format!(
        "exec: {{apiVersion: client.authentication.k8s.io/v1, command: '{}', interactiveMode: {mode}}}",
        home.path("login").display()
    )
}

#[test]
fn completion_never_prompts() {
    let server = Server::start(cluster);
    for (mode, names, told) in [
        ("Always", &[":36"][..], None),
        ("IfAvailable", &["web-2", "web-1", ":36"], Some("\"interactive\":false")),
        ("Never", &["web-2", "web-1", ":36"], Some("\"interactive\":false")),
    ] {
        let home = Home::new(&server, "token: secret");
        home.write("config", &kubeconfig(&server.url(), "", &login(&home, mode)));
        assert_eq!(complete(&home, &["explain", ""]), names, "{mode}");
        let ran = std::fs::read_to_string(home.path("ran")).ok();
        assert_eq!(ran.is_some(), told.is_some(), "{mode}");
        assert!(told.is_none_or(|told| ran.unwrap_or_default().contains(told)), "{mode}");
    }
}

/// Whether there is a kubectl; it must be there where that is required.
fn has_kubectl() -> bool {
    let found = Command::new("kubectl")
        .args(["version", "--client"])
        .output()
        .is_ok_and(|o| o.status.success());
    let required = std::env::var("KUBECTL_PREEMPT_KUBECTL").is_ok_and(|v| v == "required");
    assert!(found || !required, "KUBECTL_PREEMPT_KUBECTL=required, and there is no kubectl");
    found
}

#[test]
fn kubectl_completes_the_plugin() {
    if !has_kubectl() {
        println!("skipped: there is no kubectl on the PATH");
        return;
    }
    let home = Home::new(&Server::start(cluster), "token: secret");
    let bin = home.path("bin");
    std::fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(PROGRAM, bin.join("kubectl-preempt")).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let ask = |words: &[&str]| {
        let output = command(&home, "kubectl")
            .env("PATH", &path)
            .args(["__complete", "preempt"])
            .args(words)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(!ask(&["explain", ""]).contains(&"web-1".to_owned()), "there is no helper yet");
    // As a user installs it.
    let installed = command(&home, bin.join("kubectl-preempt"))
        .env("PATH", &path)
        .args(["completion", "--install"])
        .output();
    let installed = installed.unwrap();
    let helper = bin.join("kubectl_complete-preempt");
    assert_eq!(
        String::from_utf8(installed.stderr).unwrap(),
        format!("wrote {}\n", helper.display())
    );
    assert_eq!(ask(&["explain", ""]), ["web-2", "web-1", ":36"]);
    assert_eq!(ask(&["explain", "-n", "o"]), ["other", ":36"]);
    assert_eq!(ask(&["explain", "--from", ""]), [":0"]);
    assert!(ask(&[""]).contains(&"explain".to_owned()));
    // And as the program itself by that name.
    std::fs::remove_file(&helper).unwrap();
    std::os::unix::fs::symlink(PROGRAM, &helper).unwrap();
    assert_eq!(ask(&["explain", ""]), ["web-2", "web-1", ":36"]);
}

/// 5,000 pods that wait, the first of them whole and the others as a table, as an API server hands
/// them out.
#[test]
fn five_thousand_pods_are_completed_in_time() {
    const ALL: usize = 5000;
    let whole = |i: usize| {
        let mut pod = pod(&format!("web-{i:04}"), "Pending");
        let container = json!({"name": "c", "image": "x".repeat(200), "env": vec![json!({"name": "A", "value": "b".repeat(99)}); 20]});
        pod["spec"] = json!({"containers": [container]});
        pod
    };
    let first: Vec<Value> = (0..500).map(whole).collect();
    let first =
        json!({"kind": "PodList", "metadata": {"continue": "500"}, "items": first}).to_string();
    let rows: Vec<Value> = (500..ALL)
        .map(|i| json!({"cells": [format!("web-{i:04}"), "0/1", "Pending", 0, "3m"]}))
        .collect();
    let columns = ["Name", "Ready", "Status", "Restarts", "Age"]
        .map(|name| json!({"name": name, "type": "string"}));
    let rest = json!({"kind": "Table", "metadata": {}, "columnDefinitions": columns, "rows": rows})
        .to_string();
    let server = Server::start(move |request| {
        let table = request.has("continue=500") && request.header("accept")[0].contains("as=Table");
        let body = if table { &rest } else { &first };
        (request.path == "/api/v1/namespaces/shop/pods").then(|| Answer::ok(body.clone()))
    });
    let home = Home::new(&server, "token: secret");
    let since = Instant::now();
    let output = command(&home, PROGRAM).args(["__complete", "explain", ""]).output().unwrap();
    let took = since.elapsed();
    let text = String::from_utf8(output.stdout).unwrap();
    let names = text.lines().count() - 1;
    println!("a TAB with {ALL} pending pods: {} ms, {names} candidates", took.as_millis());
    // On a machine that is busy with something else, silent.
    assert!(text == ":4\n" || text.contains("\nweb-4999\tPending 3m\n") && names == ALL, "{names}");
}
