//! Completion scripts and their helper, `options`, `version`, and help.

use std::fs;

use serde_json::{Value, json};
use testing::{assert_begins, assert_ends, assert_has};

use super::run;

#[test]
fn scripts_for_shells() {
    for (shell, mark) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef kubectl-preempt"),
        ("fish", "complete -c kubectl-preempt"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        assert!(run(&["completion", shell]).answer().contains(mark), "{shell}");
    }
    for (arguments, problem) in [
        (&["completion"][..], "error: an argument is missing: SHELL"),
        (&["completion", "tcsh"], "error: SHELL `tcsh`: use bash, zsh, fish or powershell"),
        (&["completion", "bash", "--install"], "error: SHELL does not go with --install"),
        (&["completion", "bash", "--force"], "error: --dir and --force need --install"),
    ] {
        run(arguments).fails(problem);
    }
}

#[cfg(unix)]
#[test]
fn the_helper_is_installed_and_nothing_foreign_overwritten() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    let helper = folder.path().join("kubectl_complete-preempt");
    let install = |more: &[&str]| run(&[&["completion", "--install", "--dir", dir], more].concat());
    let told =
        format!("{}\n{dir} is not on the PATH: kubectl will not find it there\n", helper.display());
    let first = install(&[]);
    assert_eq!((first.code, first.out.as_str(), first.err), (0, "", format!("wrote {told}")));
    let text = fs::read_to_string(&helper).unwrap();
    assert_begins(&text, "#!/bin/sh\n");
    assert_ends(&text, "exec kubectl-preempt __complete \"$@\"\n");
    assert_eq!(fs::metadata(&helper).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(install(&[]).err, format!("is there already: {told}"));
    assert_eq!(install(&["-q"]).answer(), "");
    fs::write(&helper, "#!/bin/sh\nexec kubectl-preempt __complete \"$@\" # of an older version\n")
        .unwrap();
    assert_eq!(install(&[]).err, format!("wrote {told}"), "ours, though an older one");
    fs::write(&helper, "#!/bin/sh\nrm -rf /\n").unwrap();
    let refused = install(&[]);
    let problem =
        format!("error: {}: a file of that name is there, and it is not ours", helper.display());
    refused.fails(&problem);
    assert!(fs::read_to_string(&helper).unwrap().contains("rm -rf"), "it was left alone");
    assert_eq!(install(&["--force"]).err, format!("wrote {told}"));
    let nowhere = run(&["completion", "--install", "--dir", "/nowhere/at/all"]);
    assert_begins(
        nowhere.error(),
        "error: /nowhere/at/all/kubectl_complete-preempt: cannot be written: ",
    );
}

#[test]
fn completion_of_any_words_succeeds() {
    for words in
        [&["__complete"][..], &["__complete", "explain", "--from", "x", "--no-such-flag", ""]]
    {
        let run = run(words);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
        assert!(run.out.lines().last().is_some_and(|line| line.starts_with(':')), "{run:?}");
    }
    assert_eq!(run(&["__complete", "explain", "--from", ""]).answer(), ":0\n");
}

#[test]
fn the_version_for_people_and_programs() {
    assert!(run(&["version"]).answer().starts_with("kubectl-preempt "));
    let json = run(&["version", "-o", "json"]).json();
    assert_eq!(
        (&json["kind"], &json["version"]),
        (&json!("Version"), &json!(env!("CARGO_PKG_VERSION")))
    );
    assert_eq!(
        json["schedulers"],
        json!({"oldest": "1.12", "newest": "1.37", "alpha": "1.38", "recordedFrom": "1.38.0-beta.0"})
    );
    let yaml: Value = serde_saphyr::from_str(run(&["version", "-o", "yaml"]).answer()).unwrap();
    assert_eq!(yaml, json);
}

#[test]
fn options_that_every_command_takes() {
    let options = run(&["options"]);
    let lines = options.answer();
    assert_begins(lines, "The following options can be passed to any command:\n\n");
    for flag in [
        "--kubeconfig <FILE>",
        "-n, --namespace",
        "--as-group",
        "--request-timeout",
        "-v, --v",
        "--color",
    ] {
        assert!(lines.contains(flag), "{flag}");
    }
    assert!(!lines.contains("--from") && !lines.contains("Usage"), "{lines}");
}

#[test]
fn help_says_which_command_writes() {
    let help = run(&["--help"]);
    assert_has(help.answer(), "Only `simulate --apply` writes to the cluster.");
    let help =
        run(&["simulate", "--help"]).answer().split_whitespace().collect::<Vec<_>>().join(" ");
    assert_has(&help, "written to the cluster without --apply");
}
