//! The rulebook is complete, its codes are stable, and docs/rules.md says what it says.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use engine::preemption::pick_node::CRITERIA;
use engine::profile::change;
use engine::rules::{self, RuleKind, RulebookEntry};
use flate2::read::MultiGzDecoder;
use render::link::name;
use render::rules::{facts, title};
use serde::Deserialize;
use serde_json::Value;

use crate::golden;

const HEAD: &str = "\
# The rulebook

<!-- Written by `just bless` from the plugins, the steps and crates/reports/src/rules; a test fails when it is not fresh. -->

Every filter, score, preemption step and message of kube-scheduler that this program knows, and what the kubelet,
cluster-autoscaler and Karpenter write about pods: what it means, since which version, whether evicting pods can help, and
upstream's source. `kubectl preempt rules NAME` prints the same. A code never
gets another meaning; `-o json` has them as `reasonCodes`.

Versions are those of kube-scheduler; dots stand for what differs from case to case.
";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Text that stands in a table or a paragraph as it is.
fn inert(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('*', "\\*").replace('_', "\\_")
}

fn document() -> String {
    let all = rules::all();
    let mut out = HEAD.to_owned();
    for kind in RuleKind::ALL {
        let _ = writeln!(out, "\n## {}", title(kind));
        for rule in all.iter().filter(|r| r.kind == kind) {
            let name = if matches!(kind, RuleKind::Message | RuleKind::Component) {
                format!("`{}`", name(rule))
            } else {
                inert(rule.name)
            };
            let _ = writeln!(out, "\n### {} {name}\n\n{}\n", rule.code, inert(rule.meaning));
            for (fact, text) in facts(rule).into_iter().filter(|(fact, _)| *fact != "type") {
                let text = match fact {
                    "upstream" if text == rule.source => format!("<{text}>"),
                    "upstream" => format!("[{}]({text})", inert(rule.source)),
                    _ => inert(&text),
                };
                let _ = writeln!(out, "* {fact}: {text}");
            }
        }
    }
    out
}

#[test]
fn the_page_says_what_the_rulebook_says() {
    golden::check("docs/rules.md", &document());
}

/// What each code meant when it was given; a line may be added, never changed.
#[test]
fn codes_keep_their_meaning() {
    let path = root().join("tests/docs/rules.codes");
    let now: BTreeSet<String> =
        rules::all().iter().map(|r| format!("{} {}", r.code, r.name)).collect();
    let now: Vec<String> = now.into_iter().collect();
    let known = fs::read_to_string(&path).unwrap_or_default();
    for line in known.lines() {
        assert!(now.iter().any(|l| l == line), "`{line}` was given away: a code keeps its meaning");
    }
    golden::check(&path, &(now.join("\n") + "\n"));
}

#[test]
fn a_code_is_given_once() {
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for rule in rules::all() {
        names.entry(rule.code).or_default().insert(rule.name);
    }
    for (code, names) in names {
        assert_eq!(names.len(), 1, "{code}: {names:?}");
    }
}

/// Every code that stands in the sources of the crates, with its file; those of tests are no rules.
fn codes_in_sources() -> BTreeMap<String, PathBuf> {
    let mut codes = BTreeMap::new();
    let mut todo = vec![root().join("crates")];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                todo.push(path);
            } else if !path.ends_with("tests.rs") && path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).expect("text");
                let code = text.split("tests {\n").next().unwrap_or_default();
                let found = code.split("code: \"PRE-").skip(1);
                for (number, _) in found.filter_map(|rest| rest.split_once('"')) {
                    codes.insert(format!("PRE-{number}"), path.clone());
                }
            }
        }
    }
    codes
}

#[test]
fn every_message_of_the_engine_is_collected() {
    let all: BTreeSet<&str> = rules::all().iter().map(|rule| rule.code).collect();
    let codes = codes_in_sources();
    for (code, path) in &codes {
        assert!(all.contains(code.as_str()), "{}: {code} is in no list", path.display());
    }
    assert!(
        codes.len() >= all.len(),
        "the sources were not read: {} of {}",
        codes.len(),
        all.len()
    );
}

#[test]
fn every_rule_is_whole() {
    for RulebookEntry { code, kind, meaning, preemption, span, source, remedy, .. } in rules::all()
    {
        assert!(
            code.strip_prefix("PRE-").is_some_and(|n| n.len() == 3 && n.parse::<u16>().is_ok()),
            "{code}"
        );
        assert!(meaning.ends_with('.') && preemption.ends_with('.'), "{code}: sentences end");
        assert!(
            remedy.is_none_or(|r| !r.ends_with('.') && r.starts_with(char::is_lowercase)),
            "{code}: {remedy:?}"
        );
        assert!(span.since.is_some(), "{code}: no version has it");
        assert!(kind == RuleKind::Note || change::link(source).is_some(), "{code}: {source}");
    }
}

#[test]
fn every_note_is_in_the_rulebook() {
    let known = rules::all().into_iter().filter(|rule| rule.kind == RuleKind::Note);
    let known: BTreeSet<String> = known.map(|rule| rule.code.to_owned()).collect();
    assert!(known.len() > 20, "{known:?}");
    let mut of_notes: BTreeSet<String> = codes_in_sources().into_keys().collect();
    of_notes.retain(|code| code.starts_with("PRE-9"));
    assert_eq!(of_notes, known);
}

#[test]
fn every_criterion_is_a_step() {
    let all = rules::all();
    for criterion in &CRITERIA {
        assert!(
            all.iter().any(|r| r.kind == RuleKind::Step && r.name == criterion.name),
            "{}",
            criterion.name
        );
    }
}

/// Texts that are no reasons of their own: errors that end the cycle, in which upstream quotes
/// others.
const ERRORS: &[&str] = &[
    "running RemovePod on PreFilter plugin",
    "running \"InterPodAffinity\" filter plugin: error reading",
    "rejected by",
    "no profile for this schedulerName",
    "expected at least one victim pod on node",
];

/// What is recorded of a decision, without the cluster.
#[derive(Deserialize)]
struct Recorded {
    expect: Value,
    /// Extenders give reasons in words of their own.
    #[serde(default)]
    extenders: Option<Value>,
}

#[test]
fn every_reason_that_a_scheduler_has_given_is_known() {
    let mut told: BTreeSet<String> = BTreeSet::new();
    for path in recordings() {
        let mut text = String::new();
        let file = fs::File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        MultiGzDecoder::new(file)
            .read_to_string(&mut text)
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        // One in five lines with every change: the lines of a file are alike.
        for line in text.lines().step_by(testing::share::of(5, 1)) {
            let case: Recorded =
                serde_json::from_str(line).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            if case.extenders.is_none() {
                reasons(&case.expect, &mut told);
            }
        }
    }
    assert!(told.len() > 40, "the recordings were not read");
    let unknown: Vec<&String> = told
        .iter()
        .filter(|t| rules::find(t).is_none() && !ERRORS.iter().any(|e| t.starts_with(e)))
        .collect();
    assert!(unknown.is_empty(), "no rule says what these mean: {unknown:#?}");
}

fn recordings() -> Vec<PathBuf> {
    let minors = fs::read_dir(root().join("tests/recorded/parity"))
        .expect("recordings")
        .map(|e| e.expect("an entry").path());
    let files = minors.filter(|p| p.is_dir()).flat_map(|p| fs::read_dir(p).expect("a folder"));
    files
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "gz"))
        .collect()
}

/// Every string in a list called `reasons`, wherever it stands.
fn reasons(value: &Value, told: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if name == "reasons" {
                    told.extend(
                        value
                            .as_array()
                            .into_iter()
                            .flatten()
                            .filter_map(|r| r.as_str().map(str::to_owned)),
                    );
                }
                reasons(value, told);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| reasons(item, told)),
        _ => {}
    }
}

/// The lines of a table about audit checks.
fn audit_table() -> String {
    let mut table = String::from(
        "| code | severity | what it says | why it matters |\n| --- | --- | --- | --- |\n",
    );
    for check in engine::audit::Check::all() {
        let engine::audit::Check { code, title, meaning, .. } = check;
        table.push_str(&format!("| {code} | {} | {title} | {meaning} |\n", check.severity.name()));
    }
    table
}

#[test]
fn the_table_of_audit_checks_is_that_of_the_program() {
    golden::part("docs/commands/audit.md", "audit checks", &audit_table());
}
