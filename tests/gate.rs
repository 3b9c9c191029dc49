//! `simulate` as a gate: what public charts come to in every format for CI, what fails, and how it
//! ends.

mod action;
mod changes;
mod charts;
mod formats;

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// The instant of every answer.
const NOW: &str = "2026-06-01T12:00:00Z";

/// How a run of the program ended.
#[derive(Debug)]
struct Run {
    code: i32,
    out: String,
    err: String,
}

/// Runs `simulate` in `folder` with these arguments, about the cluster in `cluster.json` there.
fn simulate(folder: &Path, arguments: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"))
        .args(["simulate", "--from", "cluster.json", "--now", NOW])
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap_or(-1);
    Run { code, out: text(output.stdout), err: text(output.stderr) }
}

fn folder(cluster: &[Value], manifests: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": cluster});
    std::fs::write(folder.path().join("cluster.json"), list.to_string()).unwrap();
    std::fs::write(folder.path().join("m.yaml"), manifests).unwrap();
    folder
}

fn node(name: &str, cpu: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/os": "linux"}},
        "status": {"allocatable": {"cpu": cpu, "memory": "16Gi", "pods": "110"}}})
}

/// A pod on a node, with a label and the priority 0.
fn running(name: &str, namespace: &str, app: &str, node: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": name, "labels": {"app": app}},
        "spec": {"nodeName": node, "containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]},
        "status": {"phase": "Running"}})
}

/// Two full nodes. The pod on the first has a budget that allows nothing, that on the second none,
/// and both can be evicted.
fn cluster() -> Vec<Value> {
    vec![
        node("n1", "2"),
        node("n2", "2"),
        running("db-0", "data", "db", "n1"),
        running("web-0", "shop", "web", "n2"),
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": "db", "namespace": "data"},
            "spec": {"selector": {"matchLabels": {"app": "db"}}},
            "status": {"disruptionsAllowed": 0}}),
        json!({"kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}),
        json!({"kind": "PriorityClass", "metadata": {"name": "low"}, "value": -1}),
    ]
}

/// A Deployment whose pods take a whole node each.
fn deployment(name: &str, class: &str, replicas: u32) -> String {
    format!(
        "---\n# Source: {name}.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\nspec:\n  replicas: \
         {replicas}\n  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    \
         spec:\n      priorityClassName: {class}\n      containers:\n      - name: c\n        resources: {{requests: {{cpu: 2}}}}\n"
    )
}

/// What is asked, how it ends, and the codes of what fails.
struct Case {
    manifests: String,
    flags: &'static [&'static str],
    code: i32,
    fails: &'static [&'static str],
}

#[test]
fn exit_code_of_every_combination_of_flags() {
    let evicts = |replicas| deployment("evicts", "high", replicas);
    let waits = || deployment("waits", "low", 1);
    let absent = || deployment("absent", "absent", 1);
    let unknown = || {
        let text = deployment("unknown", "high", 1);
        text.replace("      containers:", "      runtimeClassName: gvisor\n      containers:")
    };

    let cases = [
        // Without flags: no node is 1, not certain is 3, evictions are no failure.
        (evicts(1), &[][..], 0, &[][..]),
        (waits(), &[], 1, &[]),
        (absent(), &[], 1, &[]),
        (unknown(), &[], 3, &[]),
        // A format for CI has the same policy.
        (waits(), &["-o", "github"], 1, &[]),
        (unknown(), &["-o", "sarif"], 3, &[]),
        (evicts(1), &["-o", "junit"], 0, &[]),
        // Each condition alone.
        (waits(), &["--fail-on", "unschedulable"], 1, &["PRE-201"]),
        (absent(), &["--fail-on", "unschedulable"], 1, &["PRE-981"]),
        (evicts(1), &["--fail-on", "unschedulable"], 0, &[]),
        (evicts(1), &["--fail-on", "victims"], 1, &["PRE-984"]),
        (waits(), &["--fail-on", "victims"], 0, &[]),
        (evicts(1), &["--fail-on", "pdb"], 0, &[]),
        (evicts(2), &["--fail-on", "pdb"], 1, &["PRE-986"]),
        (unknown(), &["--fail-on", "uncertain"], 3, &["PRE-961"]),
        (unknown(), &["--fail-on", "unschedulable"], 0, &[]),
        // Several.
        (unknown(), &["--fail-on", "victims,uncertain"], 3, &["PRE-984", "PRE-961"]),
        (evicts(2), &["--fail-on", "pdb", "--fail-on", "victims"], 1, &["PRE-984", "PRE-986"]),
        (evicts(1) + &waits(), &["--fail-on", "unschedulable,pdb"], 1, &["PRE-201"]),
        // A number of evictions takes the place of `victims`.
        (evicts(1), &["--max-victims", "0"], 1, &["PRE-985"]),
        (evicts(1), &["--max-victims", "1"], 0, &[]),
        (evicts(1), &["--max-victims", "1", "--fail-on", "victims"], 0, &[]),
        (evicts(2), &["--max-victims", "1", "--fail-on", "pdb"], 1, &["PRE-985", "PRE-986"]),
        (waits(), &["--max-victims", "1"], 1, &["PRE-201"]),
        // Protected pods, whatever else fails.
        (evicts(1), &["--protect", "shop"], 1, &["PRE-987"]),
        (evicts(1), &["--protect", "app=web"], 1, &["PRE-987"]),
        (evicts(1), &["--protect", "data"], 0, &[]),
        (evicts(1), &["--protect", "app in (db,cache)"], 0, &[]),
        (evicts(1), &["--protect", "data", "--protect", "app!=db"], 1, &["PRE-987"]),
        (evicts(1), &["--protect", "shop", "--max-victims", "5"], 1, &["PRE-987"]),
        // Nothing fails.
        (waits(), &["--no-fail"], 0, &[]),
        (unknown(), &["--no-fail", "--fail-on", "uncertain"], 0, &[]),
        (evicts(2), &["--no-fail", "--fail-on", "victims,pdb", "--protect", "data"], 0, &[]),
    ];
    for (manifests, flags, code, fails) in cases {
        let case = Case { manifests, flags, code, fails };
        let folder = folder(&cluster(), &case.manifests);
        let arguments = [&["-f", "m.yaml"], case.flags].concat();
        let run = simulate(folder.path(), &arguments);
        assert_eq!((run.code, run.err.as_str()), (case.code, ""), "{:?}: {run:?}", case.flags);
        if case.flags.contains(&"-o") {
            continue;
        }
        let run = simulate(folder.path(), &[&arguments[..], &["-o", "json"]].concat());
        let found: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(found["gate"].is_object(), !case.flags.is_empty(), "{:?}", case.flags);
        let findings = found["gate"]["findings"].as_array().cloned().unwrap_or_default();
        let codes: Vec<&str> = findings
            .iter()
            .filter(|finding| finding["fails"] == true)
            .map(|finding| finding["code"].as_str().unwrap())
            .collect();
        assert_eq!(codes, case.fails, "{:?}: {findings:?}", case.flags);
    }
}

#[test]
fn flags_that_make_no_sense_are_refused_before_the_cluster_is_read() {
    let folder = folder(&cluster(), &deployment("evicts", "high", 1));
    for (flags, problem) in [
        (&["--fail-on", "nothing"][..], "use unschedulable, victims, pdb, new-node or uncertain"),
        (&["--max-victims=-1"], "--max-victims"),
        (&["--protect", "app in db"], "--protect `app in db`"),
        (&["--protect", " "], "--protect names no namespace"),
        (&["--apply", "--no-fail", "pod/x"], "--apply"),
        (&["--apply", "-o", "github", "pod/x"], "--apply prints text, json or yaml"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"))
            .args(["simulate", "--from", "absent.json"])
            .args(flags)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{flags:?}: {err}");
        assert_eq!((err.lines().count(), err.contains(problem)), (1, true), "{flags:?}: {err}");
    }
    let drain = simulate(folder.path(), &["--drain", "n1", "--fail-on", "victims"]);
    assert_eq!(drain.code, 2, "{drain:?}");
}

#[test]
fn steps_name_the_file_and_line_of_their_document() {
    let manifests = deployment("evicts", "high", 2) + &deployment("absent", "absent", 1);
    let folder = folder(&cluster(), &manifests);
    let run = simulate(folder.path(), &["-f", "m.yaml", "-o", "json"]);
    let found: Value = serde_json::from_str(&run.out).unwrap();
    let manifest = |line: u64, name: &str| json!({"file": "m.yaml", "line": line, "kind": "Deployment", "namespace": "default", "name": name});
    for step in found["steps"].as_array().unwrap() {
        assert_eq!(step["manifest"], manifest(3, "evicts"));
    }
    assert_eq!(found["refused"][0]["manifest"], manifest(19, "absent"));
    assert_eq!(found["refused"][0]["why"], "no PriorityClass with name absent was found");
    assert_eq!(found["totals"]["pods"], 3);
}

#[test]
fn text_says_what_fails_below_the_plan() {
    let manifests = deployment("evicts", "high", 1) + &deployment("absent", "absent", 1);
    let folder = folder(&cluster(), &manifests);
    let run = simulate(folder.path(), &["-f", "m.yaml", "--protect", "shop"]);
    assert_eq!(run.code, 1, "{run:?}");
    for part in [
        "1 of 2 pods placed by evicting 1 pod",
        "default/absent-0 of Deployment default/absent (m.yaml:19): the API server would refuse it: no PriorityClass",
        "The gate fails (on unschedulable, uncertain, victims of shop)",
        "Deployment default/evicts (m.yaml:3): evicts 1 pod (shop/web-0), protected by shop [PRE-987]",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
}
