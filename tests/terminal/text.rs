//! What people see: the program on a real terminal (a pty of its own) of two widths, with colour
//! and without, on a dumb one, where the locale is not UTF-8, and in a pipe.
//! `tests/terminal/text/<name>.txt` holds the answers; escape sequences are written as `\e[...m`.
//!
//! Dark and light terminals get the same: there is one palette for both, see `render::page`.
//!
//! `just bless` writes the answers again; `git diff` reviews them.

#![cfg(unix)]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use rustix::termios::{OptionalActions, OutputModes, tcgetattr, tcsetattr};

use crate::golden;
use crate::live::pending::terminal_of;
use testing::{assert_begins, assert_has, assert_lacks};

/// Everything that decides how an answer looks.
pub(crate) const VARIABLES: [&str; 26] = [
    "COLUMNS",
    "TERM",
    "LC_ALL",
    "LC_CTYPE",
    "LANG",
    "NO_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "FORCE_COLOR",
    "KUBECTL_PREEMPT_COLOR",
    "KUBECTL_PREEMPT_ASCII",
    "KUBECTL_PREEMPT_PAGER",
    "PAGER",
    "LESS",
    "FORCE_HYPERLINK",
    "DOMTERM",
    "VTE_VERSION",
    "TERM_PROGRAM",
    "COLORTERM",
    "WT_SESSION",
    "KONSOLE_VERSION",
    "GHOSTTY_RESOURCES_DIR",
    "TERMINAL_EMULATOR",
    "KUBECONFIG",
    "RUST_BACKTRACE",
    "CI",
];

const UTF8: (&str, &str) = ("LANG", "C.UTF-8");
const XTERM: (&str, &str) = ("TERM", "xterm-256color");

fn folder(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// The question, with just these variables.
fn question(cluster: &str, more: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    VARIABLES.iter().for_each(|name| {
        command.env_remove(name);
    });
    // An answer names the file as it is given here.
    command.current_dir(folder(""));
    command.args(["explain", "--now", "2026-06-01T12:00:00Z", "--from", cluster]).args(more);
    command.envs(variables.iter().copied());
    command
}

/// What the command writes to a terminal of this width. It is asked to be quiet, as it would draw
/// its progress after a second otherwise, which a busy machine needs.
pub(crate) fn on_terminal(mut command: Command, columns: u16) -> String {
    command.arg("--quiet");
    let (mut master, slave) = terminal_of(24, columns);
    let mut modes = tcgetattr(&slave).unwrap();
    // Ends of lines as they were written.
    modes.output_modes.remove(OutputModes::OPOST);
    tcsetattr(&slave, OptionalActions::Now, &modes).unwrap();
    let reader = thread::spawn(move || {
        let mut seen = Vec::new();
        // Reading a terminal without a writer ends with an error on Linux, and like a file
        // elsewhere.
        let _ = master.read_to_end(&mut seen);
        String::from_utf8(seen).unwrap()
    });
    let mut child = command
        .stdin(slave.try_clone().unwrap())
        .stdout(slave.try_clone().unwrap())
        .stderr(slave)
        .spawn()
        .unwrap();
    drop(command);
    child.wait().unwrap();
    reader.join().unwrap()
}

fn in_pipe(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).unwrap()
}

fn is(name: &str, answer: &str) {
    let shown = answer.replace('\u{1b}', "\\e");
    golden::check(format!("tests/terminal/text/{name}.txt"), &shown);
}

/// No line is wider, but what cannot be broken: a single word, or a row of a table, which stays
/// whole with `-o wide`.
fn wraps_but_cuts_nothing(answer: &str, columns: usize) {
    assert!(!answer.contains('…'), "{answer}");
    for line in answer.lines() {
        let is_row = line.trim().contains("  ");
        assert!(line.chars().count() <= columns || !line.trim().contains(' ') || is_row, "{line}");
    }
}

const EXAMPLE: &str = "examples/pending-web/cluster.yaml";
const WEB: [&str; 3] = ["web-6d4cf56db6-q7rtz", "-n", "shop"];
/// The same in full.
const WEB_WIDE: [&str; 4] = ["web-6d4cf56db6-q7rtz", "-n", "shop", "-o=wide"];

#[test]
fn eighty_columns_without_colour() {
    let answer = on_terminal(question(EXAMPLE, &WEB_WIDE, &[UTF8, XTERM, ("NO_COLOR", "1")]), 80);
    assert!(!answer.contains('\u{1b}') && answer.contains("└─ "), "{answer}");
    wraps_but_cuts_nothing(&answer, 80);
    is("terminal-80", &answer);
}

#[test]
fn eighty_columns_with_colour() {
    let answer = on_terminal(question(EXAMPLE, &WEB, &[UTF8, XTERM]), 80);
    assert_has(&answer, "\u{1b}[38;5;166;1m");
    is("terminal-80-colour", &answer);
}

#[test]
fn two_hundred_columns_with_colour() {
    is("terminal-200-colour", &on_terminal(question(EXAMPLE, &WEB, &[UTF8, XTERM]), 200));
}

#[test]
fn a_dumb_terminal() {
    let answer = on_terminal(question(EXAMPLE, &WEB_WIDE, &[UTF8, ("TERM", "dumb")]), 80);
    assert!(!answer.contains(['\u{1b}', '└']), "{answer}");
    wraps_but_cuts_nothing(&answer, 80);
    is("dumb", &answer);
}

#[test]
fn a_locale_that_is_not_utf8() {
    let asked = |variables: &[(&str, &str)], more: &[&str]| {
        let question = question(
            "tests/terminal/text/names.yaml",
            &[&["prod-zürich", "-n", "default"], more].concat(),
            variables,
        );
        on_terminal(question, 80)
    };
    let answer = asked(&[("LANG", "de_CH.ISO-8859-1"), XTERM, ("NO_COLOR", "")], &[]);
    assert!(answer.is_ascii(), "{answer}");
    is("not-utf8", &answer);
    for same in [
        asked(&[UTF8, XTERM, ("NO_COLOR", "")], &["--ascii"]),
        asked(&[UTF8, XTERM, ("NO_COLOR", ""), ("KUBECTL_PREEMPT_ASCII", "1")], &[]),
    ] {
        assert_eq!(same, answer);
    }
    let unset = asked(&[UTF8, XTERM, ("NO_COLOR", ""), ("KUBECTL_PREEMPT_ASCII", "0")], &[]);
    assert_has(&unset, "zürich");
}

#[test]
fn a_pager_is_used_if_one_is_asked_for() {
    let numbered = ("KUBECTL_PREEMPT_PAGER", "sed 's/^/paged: /'");
    let plain = on_terminal(question(EXAMPLE, &WEB, &[UTF8, XTERM, ("PAGER", "false")]), 100);
    assert!(plain.contains("worker-3") && !plain.contains("paged: "), "{plain}");
    let paged = on_terminal(question(EXAMPLE, &WEB, &[UTF8, XTERM, numbered]), 100);
    let prefixed: Vec<String> = plain.lines().map(|line| format!("paged: {line}")).collect();
    assert_eq!(paged.lines().collect::<Vec<_>>(), prefixed);
    let asked = [&WEB[..], &["--pager"]].concat();
    let paged = on_terminal(
        question(EXAMPLE, &asked, &[UTF8, XTERM, ("PAGER", "sed 's/^/paged: /'")]),
        100,
    );
    assert_begins(&paged, "paged: ");
    assert_eq!(
        in_pipe(question(EXAMPLE, &WEB, &[UTF8, numbered])),
        in_pipe(question(EXAMPLE, &WEB, &[UTF8]))
    );
}

#[test]
fn codes_are_links_on_terminals_that_have_links() {
    let linked =
        on_terminal(question(EXAMPLE, &WEB, &[UTF8, XTERM, ("FORCE_HYPERLINK", "1")]), 100);
    let link = "\u{1b}]8;;https://github.com/kubectl-preempt/kubectl-preempt/blob/main/docs/rules.md#pre-201-insufficient-cpu\u{1b}\\";
    assert!(linked.contains(link), "{linked}");
    assert_lacks(&on_terminal(question(EXAMPLE, &WEB, &[UTF8, XTERM]), 100), "\u{1b}]8");
    assert!(
        !in_pipe(question(EXAMPLE, &WEB, &[UTF8, XTERM, ("FORCE_HYPERLINK", "1")]))
            .contains('\u{1b}')
    );
}

/// In a pipe nothing is wrapped, drawn or coloured, and columns stay columns.
#[test]
fn a_pipe() {
    let answer = in_pipe(question(EXAMPLE, &WEB, &[UTF8, XTERM]));
    assert!(!answer.contains(['\u{1b}', '└']), "{answer}");
    assert!(answer.lines().any(|line| line.len() > 160), "{answer}");
    golden::check("examples/pending-web/explain.txt", &answer);
}

#[test]
fn errors_know_the_terminal_too() {
    let missing = ["zürich-1", "-n", "default"];
    let answer = on_terminal(
        question("tests/terminal/text/names.yaml", &missing, &[("LC_ALL", "C"), ("TERM", "dumb")]),
        80,
    );
    assert!(answer.is_ascii() && answer.contains("z\\u{fc}rich-1"), "{answer}");
}
