//! Help texts: short, with examples first, and every flag somewhere.

use super::run;
use testing::assert_has;

fn commands() -> Vec<String> {
    kubectl_preempt::cli::command()
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect()
}

/// A help text as a terminal of this width shows it.
fn help(arguments: &[&str], width: &str) -> String {
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    let output = command.args(arguments).env("COLUMNS", width).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn short_help_of_explain_fits_a_screen() {
    for width in ["80", "100"] {
        let text = help(&["explain", "-h"], width);
        let lines = text.lines().count();
        assert!(lines <= 40, "{lines} lines at {width}:\n{text}");
        assert!(text.lines().all(|line| line.chars().count() <= width.parse().unwrap()), "{text}");
    }
    for page in ["version", "schema", "options"] {
        let lines = help(&[page, "-h"], "80").lines().count();
        assert!(lines <= 20, "{page}: {lines} lines");
    }
    let options = help(&["options"], "100");
    assert!(options.lines().count() <= 50, "{}:\n{options}", options.lines().count());
}

#[test]
fn examples_come_first() {
    for command in &commands() {
        for flag in ["-h", "--help"] {
            let text = help(&[command.as_str(), flag], "100");
            let (examples, rest) = text.split_once("\nUsage: ").unwrap();
            let examples = examples
                .split_once("\nExamples:\n")
                .unwrap_or_else(|| panic!("{command}: {text}"))
                .1;
            let count = examples.lines().filter(|line| line.starts_with("  # ")).count();
            assert!((2..=3).contains(&count), "{command} has {count} examples");
            assert!(rest.starts_with(&format!("kubectl preempt {command}")), "{text}");
        }
    }
}

#[test]
fn flags_stand_in_groups() {
    let text = help(&["explain", "-h"], "100");
    let headings: Vec<&str> =
        text.lines().filter(|line| line.ends_with(':') && !line.starts_with(' ')).collect();
    assert_eq!(headings, ["Examples:", "What to explain:", "Output:", "Scheduler:"]);
}

#[test]
fn flags_of_every_command_are_named_by_options_alone() {
    let options = run(&["options"]).answer().to_owned();
    let program = kubectl_preempt::cli::command();
    let global: Vec<String> = program
        .get_arguments()
        .filter(|arg| arg.is_global_set())
        .filter_map(|arg| Some(format!("--{} ", arg.get_long()?)))
        .collect();
    assert!(global.len() > 20, "{global:?}");
    let told = options.replace(['\n', '['], " ");
    for flag in &global {
        assert!(told.contains(flag), "{flag} is missing:\n{options}");
    }
    for command in &commands() {
        let text = help(&[command.as_str(), "--help"], "200");
        let own = text.split("\nUsage: ").nth(1).unwrap().replace('\n', " ");
        for flag in &global {
            let listed = own.contains(&format!("  {flag}")) || own.contains(&format!(", {flag}"));
            assert!(!listed, "{command} --help lists {flag}");
        }
        let last = text.trim_end().lines().last().unwrap();
        assert!(last.starts_with("Use \"kubectl preempt options\""), "{text}");
    }
}

#[test]
fn rare_flags_are_in_long_help() {
    for (command, rare) in [
        (
            "explain",
            &["--seed", "--chunk-size", "--now", "--call-extenders", "--scheduler-configmap"][..],
        ),
        ("pending", &["--interval", "--chunk-size"]),
        ("simulate", &["--depth", "--nominate", "--record"]),
    ] {
        let (short, long) = (help(&[command, "-h"], "100"), help(&[command, "--help"], "100"));
        for flag in rare {
            assert!(!short.contains(flag) && long.contains(flag), "{command} {flag}");
        }
        assert!(long.contains(concat!("Documentation: ", env!("CARGO_PKG_REPOSITORY"))), "{long}");
        assert_has(&short, &format!("Use \"kubectl preempt {command} --help\" for all flags"));
    }
}

#[test]
fn names_of_victims_in_several_namespaces_are_passed_on_one_by_one() {
    let text = help(&["explain", "--help"], "400");
    assert_has(&text, "kubectl preempt explain web-1 -o name | xargs -L1 kubectl get");
}
