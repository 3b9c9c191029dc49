//! completions/ and man/ are written from the command line itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::man;
use kubectl_preempt::cli::command;
use kubectl_preempt::cli::completion::{Language, helper, shim};
use render::program::ProgramName;
use testing::assert_has;

use crate::golden;

/// Holds a folder against what belongs in it.
fn fresh(folder: &str, files: &[(String, Vec<u8>)]) {
    let path = golden::path(folder);
    if golden::blessing() {
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        for (name, text) in files {
            fs::write(path.join(name), text).expect("written");
            make_executable(&path.join(name), *name == helper(ProgramName::PLUGIN));
        }
    }
    for (name, text) in files {
        let written = fs::read(path.join(name)).unwrap_or_default();
        assert!(written == *text, "{folder}/{name} is not fresh: just bless");
    }
    let there = fs::read_dir(&path)
        .expect("a folder")
        .map(|e| e.expect("an entry").file_name().into_string());
    let there: BTreeSet<String> = there.map(|name| name.expect("text")).collect();
    let wanted: BTreeSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(there, wanted, "{folder} has what it should and nothing else: just bless");
}

#[cfg(unix)]
fn make_executable(path: &Path, yes: bool) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = if yes { 0o755 } else { 0o644 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
}

#[cfg(not(unix))]
fn make_executable(_: &Path, _: bool) {}

#[cfg(unix)]
#[test]
fn scripts_for_shells() {
    let mut files: Vec<(String, Vec<u8>)> = Language::ALL
        .map(|(language, file)| (file.to_owned(), language.script(command()).into_bytes()))
        .into();
    files.push((helper(ProgramName::PLUGIN), shim(ProgramName::PLUGIN).into_bytes()));
    fresh("completions", &files);
}

#[cfg(unix)]
#[test]
fn bash_completes_with_its_script() {
    let script = tempfile::NamedTempFile::new().expect("a file");
    fs::write(script.path(), Language::Bash.script(command())).expect("written");
    let path = script.path().display();
    for (line, current, expected) in [
        (&["kubectl-preempt", "pend"][..], 1, "pending"),
        (
            &["kubectl-preempt", "explain", "--scheduler-c"],
            2,
            "--scheduler-config --scheduler-configmap",
        ),
        (&["kubectl-preempt", "pending", "-o", "y"], 3, "yaml"),
    ] {
        let (words, last) = (line.join(" "), line[current]);
        let script = format!(
            "source {path} && COMP_WORDS=({words}) && COMP_CWORD={current} && \
             _kubectl__preempt kubectl-preempt '{last}' '{}' && echo \"${{COMPREPLY[@]}}\"",
            line[current - 1]
        );
        let mut bash = std::process::Command::new("bash");
        let output = bash.args(["-c", &script]).output().expect("bash");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected, "{output:?}");
    }
}

#[test]
fn manual_pages() {
    let pages = man::pages(command()).expect("written to memory");
    assert!(pages.len() > 8, "a page for each command");
    let explain =
        pages.iter().find(|(name, _)| name == "kubectl-preempt-explain.1").expect("a page");
    let text = String::from_utf8_lossy(&explain.1).into_owned();
    assert_has(&text, "Read large lists in chunks");
    assert_has(&text, "Bearer token");
    fresh("man", &pages);
}

#[test]
fn scripts_know_every_command_and_which_arguments_are_files() {
    for (language, file) in Language::ALL {
        let script = language.script(command());
        for command in ["explain", "pending", "simulate", "completion"] {
            assert!(script.contains(command), "{file} does not know {command}");
        }
    }
    assert!(Language::Zsh.script(command()).contains("_files"));
}
