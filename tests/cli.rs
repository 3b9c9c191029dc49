//! The program from outside: arguments, streams, exit codes, inputs good and bad. None of it needs
//! a cluster.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::allow_attributes,
    reason = "tests may"
)]

mod after_binding;
mod as_scheduled;
mod audit;
mod bad_input;
mod compare;
mod dumps;
mod foreign;
mod formats;
mod forms;
mod growth;
mod handlers;
mod headroom;
mod help;
mod hostile;
mod inputs;
mod loss;
pub(crate) mod metrics;
mod mistyped;
mod named;
mod nobody_acts;
mod node;
pub(crate) mod page;
mod pending;
mod remedies;
mod risk;
mod rules;
mod scheduler;
mod shell;
mod simulate;
mod snapshots;
mod suggest;
mod unprotected;
mod verify;
mod why_evicted;

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The instant of every answer.
const NOW: &str = "2026-06-01T12:00:00Z";

/// What a run of the program left.
#[derive(Debug, PartialEq, Eq)]
struct Run {
    code: i32,
    out: String,
    err: String,
}

impl Run {
    /// The answer of a run that went well and said nothing else.
    #[track_caller]
    fn answer(&self) -> &str {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{self:?}");
        &self.out
    }

    /// The answer as JSON.
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// The one line of a run that failed: no answer, no panic, no talk of this program's insides.
    #[track_caller]
    fn error(&self) -> &str {
        assert_eq!((self.code, self.out.as_str()), (2, ""), "{self:?}");
        let line = self.err.lines().next().unwrap_or_default();
        for inside in
            ["panicked", "invalid type", "struct ", "serde", "Error {", "RUST_BACKTRACE", "::"]
        {
            assert!(!self.err.contains(inside), "{inside}: {self:?}");
        }
        assert_eq!(self.err.lines().count(), 1, "{self:?}");
        line
    }

    /// A run that failed with this problem, and maybe a hint behind it.
    #[track_caller]
    fn fails(&self, problem: &str) {
        let hint = self.error().strip_prefix(problem);
        assert!(
            hint.is_some_and(|hint| hint.is_empty() || hint.starts_with("; ")),
            "{problem:?}: {self:?}"
        );
    }
}

/// Runs the program, with `stdin` on its standard input.
fn run_with(arguments: &[&str], stdin: &[u8]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    command.env("LC_ALL", "C.UTF-8");
    command.args(arguments).write_stdin(stdin);
    for variable in ["KUBECTL_PREEMPT_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR"] {
        command.env_remove(variable);
    }
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

fn run(arguments: &[&str]) -> Run {
    run_with(arguments, b"")
}

/// Explains `web-1` of what stands on standard input.
fn explain_stdin(input: impl AsRef<[u8]>, more: &[&str]) -> Run {
    run_with(&[&["explain", "web-1", "--from", "-", "--now", NOW], more].concat(), input.as_ref())
}

/// The worked example.
fn example() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples/pending-web/cluster.yaml")
        .to_str()
        .unwrap()
        .to_owned()
}

/// The pod of the worked example that waits.
const EXAMPLE_POD: &str = "web-6d4cf56db6-q7rtz";

fn node(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}})
}

/// The objects and the text of a note.
fn note_text(note: &Value) -> String {
    let objects: Vec<&str> =
        note["objects"].as_array().unwrap().iter().map(|o| o.as_str().unwrap()).collect();
    let colon = if objects.is_empty() { "" } else { ": " };
    format!("{}{colon}{}", objects.join(", "), note["text"].as_str().unwrap())
}

/// A pod that waits for a node and wants one CPU.
fn pod(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
        "spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": "1"}}}]},
        "status": {"phase": "Pending"}})
}

/// `object` with `value` at `pointer`, of which only the last step may be new.
fn with(mut object: Value, pointer: &str, value: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    object.pointer_mut(parent).unwrap()[key] = value;
    object
}

fn list(items: &[Value]) -> String {
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path: PathBuf = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    folder
}
