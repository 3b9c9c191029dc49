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
        .map(|(language, file)| {
            (file.to_owned(), language.script(ProgramName::PLUGIN).into_bytes())
        })
        .into();
    files.push((helper(ProgramName::PLUGIN), shim(ProgramName::PLUGIN).into_bytes()));
    fresh("completions", &files);
}

/// What a shell offers after running `script`, in which the program is on the PATH.
#[cfg(unix)]
fn offered(shell: &str, script: &str) -> Option<String> {
    let folder = Path::new(env!("CARGO_BIN_EXE_kubectl-preempt")).parent().expect("a folder");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = std::process::Command::new(shell);
    let command = command.args(["-c", script]).env("PATH", path).env("KUBECONFIG", "/nowhere");
    match command.current_dir(env!("CARGO_MANIFEST_DIR")).output() {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        // Not every machine has every shell.
        Err(_) => None,
    }
}

/// Lines that end where the user asks for completion, and what is offered.
#[cfg(unix)]
const LINES: [(&str, &[&str]); 8] = [
    ("pend", &["pending"]),
    ("explain --scheduler-c", &["--scheduler-config", "--scheduler-configmap"]),
    ("pending -o y", &["yaml"]),
    ("rules PRE-302", &["PRE-302"]),
    (
        "explain --from examples/pending-web/cluster.yaml -n shop web-6d4cf56db6-q",
        &["web-6d4cf56db6-q7rtz"],
    ),
    (
        "simulate --from examples/pending-web/cluster.yaml --cordon worker-",
        &["worker-1", "worker-2", "worker-3"],
    ),
    (
        "simulate --from examples/pending-web/cluster.yaml --fail zone/zone-",
        &["zone/zone-a", "zone/zone-b", "zone/zone-c"],
    ),
    ("pending --from examples/pending-web/cluster.yaml -n sh", &["shop"]),
];

#[cfg(unix)]
#[test]
fn bash_completes_with_its_script() {
    let script = Language::Bash.script(ProgramName::PLUGIN);
    for (line, expected) in LINES {
        let line = format!("kubectl-preempt {line}");
        let words: Vec<&str> = line.split(' ').collect();
        let script = format!(
            "{script}\nCOMP_LINE='{line}' COMP_POINT={} COMP_WORDS=({line}) COMP_CWORD={}\n_kubectl_preempt 2>/dev/null\n\
             echo \"${{COMPREPLY[@]}}\"",
            line.len(),
            words.len() - 1,
        );
        assert_eq!(offered("bash", &script).expect("bash"), expected.join(" "), "{line}");
    }
    // Bash splits words at `=`, and replaces what is behind it.
    let line = "kubectl-preempt pending --output=y";
    let script = format!(
        "{script}\nCOMP_LINE='{line}' COMP_POINT={} COMP_WORDS=(kubectl-preempt pending --output = y) COMP_CWORD=4\n\
         _kubectl_preempt 2>/dev/null\necho \"${{COMPREPLY[@]}}\"",
        line.len()
    );
    assert_eq!(offered("bash", &script).expect("bash"), "yaml");
}

#[cfg(unix)]
#[test]
fn fish_completes_with_its_script_where_there_is_one() {
    let script = Language::Fish.script(ProgramName::PLUGIN);
    for (line, expected) in LINES {
        let script =
            format!("{script}\ncomplete -C 'kubectl-preempt {line}' | string split -f 1 \\t");
        let Some(offered) = offered("fish", &script) else { return };
        assert_eq!(offered.lines().collect::<Vec<_>>(), expected, "{line}");
    }
}

#[cfg(unix)]
#[test]
fn zsh_reads_its_script_where_there_is_one() {
    let script = Language::Zsh.script(ProgramName::PLUGIN);
    let file = tempfile::NamedTempFile::new().expect("a file");
    fs::write(file.path(), &script).expect("written");
    // What completes is a stand-in for zsh's own function, which needs a terminal.
    let stand_in = "compdef() {}; _describe() { print -l ${(P)3%%:*} }; CURRENT=3; words=(kubectl-preempt rules PRE-302)";
    let run = format!("{stand_in}; source {}; _kubectl_preempt", file.path().display());
    if let Some(offered) = offered("zsh", &run).filter(|offered| !offered.is_empty()) {
        assert!(offered.starts_with("PRE-302"), "{offered}");
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
    assert_has(&text, ".SH \"GLOBAL OPTIONS\"");
    let synopsis = text.split(".SH DESCRIPTION").next().unwrap_or_default();
    assert!(!synopsis.contains("token") && synopsis.contains("[GLOBAL OPTIONS]"), "{synopsis}");
    fresh("man", &pages);
}

#[test]
fn scripts_ask_the_program_by_its_own_name() {
    let other = ProgramName::new("kubectl podpreempt", "kubectl-podpreempt");
    for (language, file) in Language::ALL {
        let script = language.script(other);
        assert!(script.contains("kubectl-podpreempt __complete"), "{file}: {script}");
        assert!(!script.contains("PROGRAM") && !script.contains("FUNCTION"), "{file}");
        assert!(!script.contains("kubectl-preempt"), "{file}");
    }
}
