//! Small clusters and what is decided about a pod of theirs: `tests/scenarios/<name>/` holds
//! `cluster.yaml` (its first line is the question) and `expect.yaml`: a comment on what it shows, the
//! values of the newest scheduler's decision, and what older ones decide otherwise. A version that
//! is not there decides as the next newer one. `explains` are lines of the page that no other
//! scenario shows, such as a plugin's reason; they are written by hand.
//!
//! A few have whole pages beside that, one of each kind: `explain.txt` as text, `wide.txt` in full.
//!
//! `just bless` writes what differs; `git diff` reviews it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value};

use crate::golden;
use crate::values;

/// The instant of every answer.
const NOW: &str = "2026-06-01T12:00:00Z";
/// The versions that are asked, newest first.
const VERSIONS: [&str; 5] = ["1.37", "1.36", "1.35", "1.34", "1.33"];

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
// that it rejects is never pending.
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
    let answer = Scenario::read(&example).ask(&[]).page;
    golden::shown("README.md", "examples/pending-web/explain.txt", &answer);
    let page = "docs/commands/simulate.md";
    let question = question.replacen("explain", "simulate", 1);
    let document = fs::read_to_string(folder(page)).unwrap();
    let command = format!("kubectl preempt {question} --on worker-2\n");
    assert!(document.contains(&command), "{page} does not run: {command}");
    let answer = Scenario::read(&example).simulate(&["--on", "worker-2"]).page;
    golden::check(example.join("simulate.txt"), &answer);
    golden::shown(page, "examples/pending-web/simulate.txt", &answer);
}

/// What the newest scheduler decides in each scenario, as JSON, by name.
pub fn json_answers() -> Vec<(String, String)> {
    let mut answers = Vec::new();
    for entry in fs::read_dir(folder("tests/scenarios")).unwrap() {
        let entry = entry.unwrap();
        let answer = Scenario::read(&entry.path()).ask(&["-o=json"]);
        answers.push((entry.file_name().into_string().unwrap(), answer.page));
    }
    answers
}

fn folder(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

fn check(folder: &Path) {
    let scenario = Scenario::read(folder);
    for (page, more) in [("explain.txt", &[][..]), ("wide.txt", &["-o=wide"])] {
        if folder.join(page).exists() {
            golden::check(folder.join(page), &scenario.ask(more).page);
        }
    }
    if folder.join("expect.yaml").exists() {
        check_values(folder, &scenario);
    }
}

/// Checks what a scenario states of each version, or writes it.
fn check_values(folder: &Path, scenario: &Scenario) {
    let file = folder.join("expect.yaml");
    let text = fs::read_to_string(&file).unwrap_or_default();
    let comment: String =
        text.split_inclusive('\n').take_while(|line| line.starts_with("# ")).collect();
    assert!(!comment.is_empty(), "{}: has no comment on what it shows", file.display());
    // With nothing behind the comment, it is null.
    let stated: Option<Map<String, Value>> = serde_saphyr::from_str(&text).unwrap();
    let stated = stated.unwrap_or_default();

    let mut is = Map::new();
    if let Some(lines) = stated.get("explains") {
        let page = scenario.ask(&[]).page;
        for line in lines.as_array().unwrap() {
            let line = line.as_str().unwrap();
            let is_on_page = page.lines().any(|of_page| one_space(of_page) == one_space(line));
            assert!(is_on_page, "{}: the page has no line {line:?}\n{page}", file.display());
        }
        is.insert("explains".to_owned(), lines.clone());
    }
    let mut newer = Value::Null;
    for version in VERSIONS {
        let values = scenario.values(version);
        if values != newer {
            is.insert(version.to_owned(), values::difference(&newer, &values));
        }
        newer = values;
    }

    let is = Value::Object(is);
    let faults = values::faults(&Value::Object(stated), &is);
    if !faults.is_empty() && golden::blessing() {
        fs::write(&file, comment + &values::written(&is, 0, 100)).unwrap();
        return;
    }
    assert!(
        faults.is_empty(),
        "{}: `just bless` writes what differs\n  {}",
        file.display(),
        faults.join("\n  ")
    );
}

/// The words of a line, whatever the widths of columns.
fn one_space(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
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
    fn simulate(&self, more: &[&str]) -> Answer {
        let question = self.question.iter().map(|a| a.replacen("explain", "simulate", 1)).collect();
        Self { question, ..self.clone() }.ask(more)
    }

    /// What a version decides, with the exit code if it is not 0.
    fn values(&self, version: &str) -> Value {
        let answer = self.ask(&["-o=json", "--scheduler-version", version]);
        let mut values = values::of_decision(&serde_json::from_str(&answer.page).unwrap());
        if answer.code != 0 {
            values["exit"] = answer.code.into();
        }
        values
    }

    fn ask(&self, more: &[&str]) -> Answer {
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
        let page = String::from_utf8(output.stdout).unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{command:?}");
        let code = output.status.code().unwrap();
        // What decides and is not modelled is a note, and a code of its own.
        let unsure = page.contains("\n  error: ") || page.contains("\"severity\": \"error\"");
        assert_eq!(code, if unsure { 3 } else { 0 }, "{command:?}\n{page}");
        Answer { page, code }
    }
}

/// What the program prints about a scenario, and its exit code.
struct Answer {
    page: String,
    code: i32,
}
