//! The program under another name: a rename of its file is enough, and nothing then tells the user
//! to type a name that the program does not have.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;
use tempfile::TempDir;

use super::{EXAMPLE_POD, NOW, example, list, node, pod, with};

/// The program under a name that a plugin may have.
struct Named {
    folder: TempDir,
    path: PathBuf,
}

impl Named {
    fn new(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_kubectl-preempt"), &path).unwrap();
        Self { folder, path }
    }

    /// What it says on both streams.
    fn say(&self, arguments: &[&str]) -> String {
        let output = Command::new(&self.path)
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", self.folder.path())
            .env("HOME", self.folder.path())
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.code().is_some(), "{arguments:?}");
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    }
}

/// What names the plugin where a user would type it. The project, its roles and its addresses have
/// the name, too, and keep it.
fn tells_to_type_the_plugin(text: &str) -> Option<&str> {
    text.lines().find(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_command = line.contains("kubectl preempt");
        let is_file = words.iter().any(|word| {
            let name = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            name == "kubectl-preempt" || name.ends_with("_complete-preempt")
        });
        let is_of_the_project = line.starts_with("kubectl-preempt ")
            || line.starts_with("# What kubectl-preempt needs");
        is_command || is_file && !is_of_the_project
    })
}

/// The commands of the program.
const COMMANDS: [&str; 13] = [
    "explain",
    "pending",
    "simulate",
    "snapshot",
    "verify",
    "audit",
    "risk",
    "why-evicted",
    "doctor",
    "completion",
    "rules",
    "options",
    "version",
];

/// The names under which the plugin may be in krew's index, as kubectl's users type them.
fn names_in_krew() -> impl Iterator<Item = &'static str> {
    include_str!("../../krew/names").lines().filter(|line| !line.starts_with('#'))
}

#[test]
fn program_under_a_name_of_krew_is_called_by_it() {
    assert!(names_in_krew().count() > 1);
    for name in names_in_krew().skip(1) {
        // krew puts underscores into the name of the file, which kubectl reads as dashes.
        let named = Named::new(&format!("kubectl-{}", name.replace('-', "_")));
        for arguments in
            [&["--help"][..], &["explain", "--help"], &["explian"], &["doctor", "--rbac"]]
        {
            let said = named.say(arguments);
            assert!(said.contains(&format!("kubectl {name}")), "{arguments:?}: {said}");
            let said = said.replace(&format!("kubectl {name}"), "it");
            assert_eq!(tells_to_type_the_plugin(&said), None, "{name} {arguments:?}: {said}");
        }
    }
}

#[test]
fn renamed_program_names_itself_in_help_and_completion() {
    let named = Named::new("kubectl-podpreempt");
    let help = named.say(&["--help"]);
    assert!(help.contains("kubectl podpreempt explain web-1"), "{help}");
    assert!(help.contains("https://github.com/kubectl-preempt/kubectl-preempt#readme"), "{help}");
    for command in COMMANDS {
        for flag in ["-h", "--help"] {
            let help = named.say(&[command, flag]);
            assert!(help.contains(&format!("Usage: kubectl podpreempt {command}")), "{help}");
            assert_eq!(tells_to_type_the_plugin(&help), None, "{command} {flag}: {help}");
        }
    }
    assert_eq!(tells_to_type_the_plugin(&help), None, "{help}");
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = named.say(&["completion", shell]);
        assert!(script.contains("kubectl-podpreempt"), "{shell}: {script}");
        assert!(!script.contains("kubectl-preempt "), "{shell}: {script}");
    }
    let said = named.say(&["completion", "--install"]);
    assert!(said.contains("kubectl_complete-podpreempt"), "{said}");
    let helper = named.folder.path().join("kubectl_complete-podpreempt");
    let text = std::fs::read_to_string(helper).unwrap();
    assert!(text.contains("exec kubectl-podpreempt __complete"), "{text}");
    assert_eq!(tells_to_type_the_plugin(&text), None, "{text}");
    let candidates = named.say(&["__complete", "expl"]);
    assert!(candidates.starts_with("explain"), "{candidates}");
}

#[test]
fn renamed_program_names_itself_in_answers_and_errors() {
    let named = Named::new("kubectl-podpreempt");
    let example = example();
    let from = ["--from", example.as_str(), "--now", NOW];
    let stuck = Path::new(named.folder.path()).join("stuck.json");
    let waits = with(pod("web-1"), "/spec/containers/0/resources/requests/cpu", json!("9"));
    std::fs::write(&stuck, list(&[node("n1"), waits])).unwrap();
    let explain = [&["explain", EXAMPLE_POD, "-n", "shop"][..], &from].concat();
    let mut commands = 0;
    for arguments in [
        explain.clone(),
        [&explain[..], &["-o", "wide"]].concat(),
        [&explain[..], &["-o", "markdown"]].concat(),
        [&explain[..], &["-o", "html"]].concat(),
        [&["explain", "-A", "--compare", "1.16,1.37"][..], &from].concat(),
        vec!["explain", "web-1", "--from", "stuck.json"],
        vec!["explain", "web-2", "--from", "stuck.json"],
        vec!["explain", "pod/web-1", "web-2", "--from", "stuck.json"],
        [&["pending", "-A"][..], &from].concat(),
        [&["verify", "-A"][..], &from].concat(),
        [&["risk", "-A"][..], &from].concat(),
        [&["audit"][..], &from].concat(),
        [&["why-evicted", "-A"][..], &from].concat(),
        [&["simulate", "-n", "shop"][..], &from].concat(),
        vec!["simulate", "-f", "https://example.com/x.yaml"],
        vec!["rules"],
        vec!["rules", "PRE-201"],
        vec!["rules", "nothing-like-it"],
        vec!["doctor", "--rbac"],
        vec!["doctor"],
        vec!["pending"],
        vec!["pending", "web-1"],
        vec!["explian"],
        vec!["explain", "--form", "x"],
        vec!["snapshot", "x.json"],
    ] {
        let said = named.say(&arguments);
        // The snapshot of the example is in a folder that has the project's name.
        let said = said.replace(&example, "cluster.yaml");
        assert_eq!(tells_to_type_the_plugin(&said), None, "{arguments:?}: {said}");
        commands += said.matches("kubectl podpreempt").count();
    }
    assert!(commands > 15, "commands are named: {commands}");
}

#[test]
fn program_called_by_a_name_that_is_no_plugin_is_called_by_that() {
    let named = Named::new("why-pending");
    let help = named.say(&["explain", "-h"]);
    assert!(help.contains("Usage: why-pending explain"), "{help}");
    assert!(help.contains("  why-pending explain web-1"), "{help}");
    assert_eq!(tells_to_type_the_plugin(&help), None, "{help}");
}
