//! Every command in the documents for users, pasted as it stands: all of them run, and
//! `transcript.txt` says how each ended. The cluster is an API server of our own making that holds
//! the example; kubectl and cargo are played by scripts, since the machine need not have either.
//! `BLESS=1 cargo test --test suite documents::` writes the transcript again.

#![cfg(unix)]

pub(crate) mod cluster;
mod links;
mod skill;

use crate::live::server::Server;
use crate::scripts;

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rayon::prelude::*;
use regex::Regex;
use tempfile::TempDir;
use testing::share;

/// Documents for users. The others speak to developers, whose commands `.ci/run` calls.
const DOCUMENTS: [&str; 16] = [
    "README.md",
    "SECURITY.md",
    "docs/APPLY.md",
    "docs/AUDIT.md",
    "docs/AUTOSCALERS.md",
    "docs/CI.md",
    "docs/COMMANDS.md",
    "docs/CONFIGURATION.md",
    "docs/DECISION.md",
    "docs/EXIT-CODES.md",
    "docs/FAQ.md",
    "docs/JSON.md",
    "docs/RISK.md",
    "docs/WHY-EVICTED.md",
    "skills/kubectl-preempt/COOKBOOK.md",
    "skills/kubectl-preempt/SKILL.md",
];

/// kubectl, as far as the documents use it besides the plugin.
const KUBECTL: &str = r#"#!/bin/sh
case "$1" in
preempt) shift; exec kubectl-preempt "$@" ;;
get) exec cat "$EXAMPLE_AS_JSON" ;;
apply) exec cat >/dev/null ;;
krew) [ "$*" = "krew install preempt" ] ;;
*) echo "kubectl $* is not played" >&2; exit 97 ;;
esac
"#;

/// cargo: building is what this test has behind it.
const CARGO: &str = r#"#!/bin/sh
case "$*" in
"run --quiet -- "*) shift 3; exec kubectl-preempt "$@" ;;
test | "install --locked --path .") ;;
*) echo "cargo $* is not played" >&2; exit 97 ;;
esac
"#;

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The lines of all blocks of a document that are for a shell.
fn commands(document: &str) -> Vec<String> {
    let text =
        fs::read_to_string(root().join(document)).unwrap_or_else(|e| panic!("{document}: {e}"));
    let mut inside = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        match line.trim() {
            "```sh" => inside = true,
            "```" => inside = false,
            command if inside && !command.is_empty() && !command.starts_with('#') => {
                lines.push(command.to_owned());
            }
            _ => {}
        }
    }
    assert!(!inside, "{document}: a block is not closed");
    lines
}

/// A machine of a new user: the plugin, kubectl, the example, a cluster.
struct Desk {
    folder: TempDir,
    server: Server,
}

impl Desk {
    fn new() -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap(), server: cluster::serve() };
        fs::create_dir_all(desk.path("bin")).unwrap();
        symlink(env!("CARGO_BIN_EXE_kubectl-preempt"), desk.path("bin/kubectl-preempt")).unwrap();
        scripts::write(&desk.path("bin/kubectl"), KUBECTL);
        scripts::write(&desk.path("bin/cargo"), CARGO);
        for example in ["examples/pending-web", "examples/drain"] {
            fs::create_dir_all(desk.path(example)).unwrap();
            for file in fs::read_dir(root().join(example)).unwrap() {
                let file = file.unwrap();
                fs::copy(file.path(), desk.path(example).join(file.file_name())).unwrap();
            }
        }
        fs::write(desk.path("example.json"), cluster::as_list()).unwrap();
        let config = format!(
            "{{apiVersion: v1, kind: Config, current-context: main,\n clusters: [{{name: c, cluster: {{server: '{}'}}}}],\n \
             users: [{{name: me, user: {{token: secret}}}}],\n contexts: [{{name: main, context: {{cluster: c, user: me}}}}]}}\n",
            desk.server.url()
        );
        fs::write(desk.path("config"), config).unwrap();
        fs::set_permissions(desk.path("config"), fs::Permissions::from_mode(0o600)).unwrap();
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What a command prints, and how it ends.
    fn output(&self, command: &str) -> Output {
        let path = std::env::var("PATH").unwrap_or_default();
        Command::new("sh")
            .args(["-c", command])
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .env_clear()
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .env("HOME", self.folder.path())
            .env("LANG", "C.UTF-8")
            .env("KUBECONFIG", self.path("config"))
            .env("EXAMPLE_AS_JSON", self.path("example.json"))
            .output()
            .unwrap()
    }

    /// How a command ended, its first line, and what it complained of: the error if there is one,
    /// else the first line.
    fn run(&self, command: &str) -> String {
        let output = self.output(command);
        let code = output.status.code().unwrap_or(-1);
        // What has no --now tells the time.
        let age = Regex::new(r"pending \d+\w+").unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|bytes| {
            let text = String::from_utf8(bytes).unwrap().replace(&self.server.url(), "SERVER");
            let text = text.replace(self.folder.path().to_str().unwrap(), "HOME");
            age.replace_all(&text, "pending AGE").into_owned()
        });
        let first = |text: &str| {
            text.lines().find(|l| !l.trim().is_empty()).unwrap_or("(nothing)").trim_end().to_owned()
        };
        let mut told = format!("  {}\n", first(&out));
        if !err.is_empty() {
            let error = err
                .lines()
                .find(|line| line.starts_with("error"))
                .map_or_else(|| first(&err), str::to_owned);
            let _ = writeln!(told, "  ! {error}");
        }
        format!("$ {command}\n  exit {code}\n{told}")
    }
}

/// Whether a command plays drains of the example, in 64 orders, which takes a debug build seconds.
/// With every change one such command runs; all in the long run.
fn is_left_out(command: &str) -> bool {
    let drains = command.contains(" node worker-") || command.contains("--drain");
    drains && !command.contains("examples/drain") && !share::is_long() && !is_blessing()
}

fn is_blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// What the transcript says of a command of a document.
fn known<'k>(transcript: &'k str, document: &str, command: &str) -> &'k str {
    let begin = transcript.find(&format!("# {document}\n")).expect("the document");
    let entry = format!("\n$ {command}\n");
    let at = transcript[begin..].find(&entry).unwrap_or_else(|| panic!("{document}: {command}"));
    let rest = &transcript[begin + at + 1..];
    rest.split_once("\n\n").map_or(rest, |(known, _)| &rest[..=known.len()])
}

/// What the commands of a document print; empty if it has none.
fn transcript(document: &str, before: &str) -> String {
    let commands = commands(document);
    if commands.is_empty() {
        return String::new();
    }
    let desk = Desk::new();
    let mut transcript = format!("# {document}\n\n");
    for command in commands {
        let told = if is_left_out(&command) {
            known(before, document, &command).to_owned()
        } else {
            desk.run(&command)
        };
        // Whoever pastes it has a terminal, where it asks.
        let asks = told.contains("is not a terminal");
        assert!(asks || !told.contains("exit 2"), "{document}: {told}");
        assert!(!told.contains("exit 97") && !told.contains("exit 127"), "{document}: {told}");
        let _ = writeln!(transcript, "{told}");
    }
    transcript
}

#[test]
fn every_command_works_as_it_stands() {
    let path = root().join("tests/docs/documents/transcript.txt");
    let before = fs::read_to_string(&path).unwrap_or_default();
    let transcript: String =
        DOCUMENTS.par_iter().map(|document| transcript(document, &before)).collect();
    if is_blessing() {
        fs::write(&path, &transcript).unwrap();
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        known == transcript,
        "tests/docs/documents/transcript.txt is not what happens now:\n{transcript}"
    );
}

#[test]
fn every_document_for_users_is_read() {
    let told = |path: &Path| fs::read_to_string(path).unwrap().contains("```sh");
    let developers = ["CONTRIBUTING.md", "RELEASING.md", "tests/e2e/README.md", "docs/FIDELITY.md"];
    let files =
        |folder: &str| fs::read_dir(root().join(folder)).unwrap().map(|f| f.unwrap().path());
    let paths = ["docs", ".", "skills/kubectl-preempt"].into_iter().flat_map(files);
    for path in paths.filter(|p| p.extension().is_some_and(|e| e == "md")) {
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap().replace("./", "");
        let name = name.as_str();
        let apart = developers.contains(&name);
        assert!(
            apart || DOCUMENTS.contains(&name) || !told(&path),
            "{name} has commands that nobody runs"
        );
    }
}

/// krew's list cuts what is longer.
#[test]
fn krew_shows_the_whole_short_description() {
    let manifest =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/.krew.yaml")).unwrap();
    let short =
        manifest.lines().find_map(|line| line.trim().strip_prefix("shortDescription: ")).unwrap();
    assert!(short.chars().count() <= 50, "{short}: {}", short.chars().count());
}
