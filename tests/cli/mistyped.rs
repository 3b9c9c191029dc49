//! What people mistype, and the one line that they get: what is wrong, where, and what to do.
//! `mistyped.txt` has the command lines, with exit code and line below each.

use std::fs;
use std::path::Path;

use rayon::prelude::*;
use tempfile::TempDir;

use crate::golden;

use super::{example, folder};

/// A cluster at an address where nothing listens, and one with an impossible address.
const KUBECONFIG: &str = "apiVersion: v1\nkind: Config\ncurrent-context: here\n\
    clusters: [{name: here, cluster: {server: 'http://127.0.0.1:1'}}]\n\
    users: [{name: me, user: {token: t}}]\n\
    contexts: [{name: here, context: {cluster: here, user: me}}, {name: lost, context: {cluster: gone, user: me}}]\n";

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: new, namespace: shop}\nspec: {containers: [{name: a}]}\n";

fn folder_of_somebody() -> TempDir {
    let cluster = fs::read(example()).unwrap();
    folder(&[
        ("cluster.yaml", &cluster),
        ("config", KUBECONFIG.as_bytes()),
        ("pod.yaml", POD.as_bytes()),
        ("service.yaml", b"apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"),
        ("broken.yaml", b"kind: Pod\n  metadata: x\n"),
        ("text.txt", b"hello\n"),
        ("table.txt", b"NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE\nshop        web-1   0/1     Pending   0          3d\n"),
        ("nothing.yaml", b""),
        ("empty/readme.md", b"no objects\n"),
        ("taken.json.zst", b"old\n"),
    ])
}

/// The words of a command line, as a shell splits it.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 0 {
            words.extend(part.split_whitespace().map(str::to_owned));
        } else {
            words.push(part.to_owned());
        }
    }
    words
}

/// The exit code and what stands on standard error; nothing else is printed.
fn run(line: &str, folder: &Path) -> String {
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    command
        .args(words(line))
        .current_dir(folder)
        .env("KUBECONFIG", "config")
        .env("LC_ALL", "C.UTF-8");
    for variable in
        ["KUBECTL_PREEMPT_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "HTTPS_PROXY", "HTTP_PROXY"]
    {
        command.env_remove(variable);
    }
    let output = command.output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.stdout.is_empty(), "{line}: {}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(error.lines().count(), 1, "{line}: {error}");
    for inside in
        ["panicked", "invalid type", "struct ", "serde", "Error {", "RUST_BACKTRACE", "::", "Some("]
    {
        assert!(!error.contains(inside), "{line}: {error}");
    }
    format!(
        "{}  {}",
        output.status.code().unwrap(),
        error.replace(folder.to_str().unwrap(), "FOLDER")
    )
}

#[test]
fn mistyped_command_line_gets_one_line() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/mistyped.txt");
    let expected = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = expected.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    assert!(lines.len() >= 100, "{} command lines", lines.len());
    let folder = folder_of_somebody();
    let answers: Vec<String> =
        lines.par_iter().map(|line| format!("$ {line}\n{}", run(line, folder.path()))).collect();
    golden::check(path, &answers.join("\n"));
}
