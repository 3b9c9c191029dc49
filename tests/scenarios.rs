//! Small clusters and what the program says about them: `tests/scenarios/<name>/` holds
//! `cluster.yaml` (its first line is the question), `why.md`, and the answers: `explain.txt` as
//! text, `wide.txt` in full and `decision.json` as JSON, all by the newest scheduler.
//! `wide@1.35.txt` stands where 1.35 answers otherwise than 1.36 does; versions without a file
//! answer as the next newer one.
//!
//! `BLESS=1 cargo test --test suite scenarios::` rewrites the answers; `git diff` reviews them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The instant of every answer.
const NOW: &str = "2026-06-01T12:00:00Z";
/// The newest version.
const NEWEST: &str = "1.37";
/// Versions before the newest, newest first.
const OLDER: [&str; 4] = ["1.36", "1.35", "1.34", "1.33"];

/// One test per folder, and one that no folder is forgotten.
macro_rules! scenarios {
    ($($name:ident)+) => {
        $(#[test] fn $name() { check(&folder("tests/scenarios").join(stringify!($name))); })+

        #[test]
        fn every_folder_is_a_test() {
            let mut folders: Vec<String> = fs::read_dir(folder("tests/scenarios")).unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            folders.sort();
            assert_eq!(folders, [$(stringify!($name)),+]);
        }
    };
}

// NodeName has no scenario: the API server binds a pod as soon as `spec.nodeName` is set, so a pod
// that it refuses is never pending.
scenarios! {
    attributes_class
    beyond_allocatable
    bound
    budget_choice
    claim_in_use
    claims_not_in_input
    daemonset_pod
    device_alternatives
    fits
    gated
    inter_pod_affinity
    missing_driver
    never_policy
    no_victims
    node_affinity
    node_declared_features
    node_ports
    node_unschedulable
    nominated_pod
    other_scheduler
    past_scheduler
    reprieve
    resource_claims
    selected_node
    storage_capacity
    taints
    terminating_victim
    tie
    topology_spread
    unbound_volume
    unsuited_volumes
    victims_do_not_suffice
    volume_limit
    volume_zone
}

#[test]
fn worked_example() {
    let example = folder("examples/pending-web");
    check(&example);
    let document = fs::read_to_string(folder("README.md")).unwrap();
    let question = Scenario::read(&example).question.join(" ");
    let command = format!("-- {question} --from examples/pending-web/cluster.yaml --now {NOW}\n");
    assert!(document.contains(&command), "README.md does not run: {command}");
    shows("README.md", "explain.txt");
    let question = question.replacen("explain", "simulate", 1);
    let document = fs::read_to_string(folder("docs/COMMANDS.md")).unwrap();
    let command = format!("kubectl preempt {question} --on worker-2\n");
    assert!(document.contains(&command), "docs/COMMANDS.md does not run: {command}");
    compare(
        &example.join("simulate.txt"),
        &Scenario::read(&example).simulate(&["--on", "worker-2"]),
    );
    shows("docs/COMMANDS.md", "simulate.txt");
}

fn folder(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

fn check(folder: &Path) {
    let scenario = Scenario::read(folder);
    compare(&folder.join("explain.txt"), &scenario.ask(&[]));
    if !folder.join("why.md").exists() {
        return;
    }
    compare(&folder.join("decision.json"), &scenario.ask(&["-o=json"]));
    let mut newer = scenario.ask_as(NEWEST);
    compare(&folder.join("wide.txt"), &newer);
    for version in OLDER {
        let answer = scenario.ask_as(version);
        compare_version(&folder.join(format!("wide@{version}.txt")), &newer, &answer);
        newer = answer;
    }
}

#[derive(Clone)]
struct Scenario {
    cluster: PathBuf,
    question: Vec<String>,
}

impl Scenario {
    fn read(folder: &Path) -> Self {
        let cluster = folder.join("cluster.yaml");
        let text =
            fs::read_to_string(&cluster).unwrap_or_else(|e| panic!("{}: {e}", cluster.display()));
        let question = text.lines().next().and_then(|line| line.strip_prefix("# kubectl preempt "));
        let question = question
            .unwrap_or_else(|| panic!("{}: the first line is not a question", cluster.display()));
        Self { cluster, question: question.split_whitespace().map(str::to_owned).collect() }
    }

    /// What `simulate` answers about the same pods.
    fn simulate(&self, more: &[&str]) -> String {
        let question = self.question.iter().map(|a| a.replacen("explain", "simulate", 1)).collect();
        Self { question, ..self.clone() }.ask(more)
    }

    /// The answer in full by the rules of a version, which it does not name.
    fn ask_as(&self, version: &str) -> String {
        let answer = self.ask(&["-o=wide", "--scheduler-version", version]);
        answer.replacen(
            &format!("Rules: kube-scheduler {version}   "),
            "Rules: those of the version   ",
            1,
        )
    }

    fn ask(&self, more: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
        let json = more.contains(&"-o=json");
        command
            .args(self.question.iter().filter(|a| !json || !a.starts_with("-o")))
            // An answer names the file as it is given here.
            .current_dir(folder(""))
            .arg("--from")
            .arg(self.cluster.strip_prefix(folder("")).unwrap())
            .args(["--now", NOW, "--color", "never"])
            .env("LC_ALL", "C.UTF-8")
            .args(more);
        let output = command.output().unwrap();
        let answer = String::from_utf8(output.stdout).unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{command:?}");
        // What decides and is not modelled is a note, and a code of its own.
        let unsure = answer.contains("\n  error: ") || answer.contains("\"severity\": \"error\"");
        assert_eq!(output.status.code(), Some(if unsure { 3 } else { 0 }), "{command:?}\n{answer}");
        answer
    }
}

fn blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}

fn compare(golden: &Path, answer: &str) {
    if blessing() {
        fs::write(golden, answer).unwrap();
        return;
    }
    let expected = fs::read_to_string(golden).unwrap_or_default();
    assert!(
        expected == answer,
        "{} differs; BLESS=1 rewrites it.\n--- expected\n{expected}\n--- is\n{answer}\n--- first difference\n{}",
        golden.display(),
        first_difference(&expected, answer)
    );
}

/// Checks that a document shows this answer of the example, which is written there if answers are
/// to be.
fn shows(document: &str, golden: &str) {
    let answer = fs::read_to_string(folder("examples/pending-web").join(golden)).unwrap();
    let text = fs::read_to_string(folder(document)).unwrap();
    let start =
        format!("<!-- examples/pending-web/{golden}, checked by tests/scenarios.rs -->\n```text\n");
    let at = text.find(&start).unwrap_or_else(|| panic!("{document} has no {start}")) + start.len();
    let end = at + text[at..].find("```\n").unwrap();
    if blessing() {
        fs::write(folder(document), format!("{}{answer}{}", &text[..at], &text[end..])).unwrap();
    } else {
        assert!(text[at..end] == answer, "{document} does not show {golden}; BLESS=1 rewrites it");
    }
}

/// An answer that is the next newer version's needs no file, and must have none.
fn compare_version(golden: &Path, newer: &str, answer: &str) {
    if answer != newer {
        compare(golden, answer);
    } else if blessing() && golden.exists() {
        fs::remove_file(golden).unwrap();
    } else {
        assert!(!golden.exists(), "{} says the same as the next newer version", golden.display());
    }
}

fn first_difference(expected: &str, answer: &str) -> String {
    let mut lines = expected
        .lines()
        .map(Some)
        .chain(std::iter::repeat(None))
        .zip(answer.lines().map(Some).chain(std::iter::repeat(None)));
    let differs = lines
        .by_ref()
        .take(expected.lines().count().max(answer.lines().count()))
        .position(|(a, b)| a != b);
    let Some(at) = differs else { return "only in the end of the file".to_owned() };
    let line =
        |text: &str| text.lines().nth(at).map_or("(nothing)".to_owned(), |l| format!("{l:?}"));
    format!(
        "line {}: expected {}\nline {}: is       {}",
        at + 1,
        line(expected),
        at + 1,
        line(answer)
    )
}
