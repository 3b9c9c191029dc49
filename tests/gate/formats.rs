//! Every format for CI about every chart: SARIF by a schema, JUnit by an XML parser, GitHub's
//! commands by their grammar, and a comment by its size; also where names and texts are hostile.

use std::collections::BTreeSet;

use rayon::prelude::*;
use regex::Regex;
use serde_json::{Value, json};
use testing::{outside_code, share};

use super::charts::{self, Chart};
use super::{Run, deployment, folder, node, running, simulate};

/// The lines of a comment that fit one screen.
const SCREEN: usize = 45;

/// A cluster that some charts fit into and others do not: one node of Linux with a pod that can be
/// evicted.
fn cluster() -> Vec<Value> {
    let mut small = node("n1", "2050m");
    small["status"]["allocatable"]["pods"] = "2".into();
    vec![small, running("batch-0", "jobs", "batch", "n1")]
}

/// What `format` says about a chart, and the lines on which its workloads begin.
fn run(chart: &Chart, format: &str) -> Run {
    let folder = folder(&cluster(), &chart.manifests);
    let run = simulate(
        folder.path(),
        &["-f", "m.yaml", "--fail-on", "unschedulable,victims,pdb", "-o", format],
    );
    assert!([0, 1].contains(&run.code), "{}: {run:?}", chart.name);
    assert_eq!(run.err, "", "{}", chart.name);
    run
}

/// With every change half of the charts for each format, in turn; all in the long run.
fn in_turn(nth: usize) -> Vec<Chart> {
    let part = share::of(2, 1);
    charts::all().into_iter().skip(nth % part).step_by(part).collect()
}

/// The lines of the manifest's documents that make pods, with their objects.
fn workload_lines(chart: &Chart) -> BTreeSet<(u64, String)> {
    let mut found = BTreeSet::new();
    let lines: Vec<&str> = chart.manifests.lines().collect();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("kind: ")) {
        let (kind, name) = (&line[6..], lines[index + 2].trim().strip_prefix("name: ").unwrap());
        if chart.workloads.contains(&format!("{kind} {name}")) {
            // A document begins with its apiVersion, in the line before.
            found.insert((index as u64, format!("{kind} {name}")));
        }
    }
    found
}

#[test]
fn charts_are_forty_at_least_and_make_pods() {
    let all = charts::all();
    assert!(all.len() >= 40, "{}", all.len());
    for chart in &all {
        assert!(!chart.workloads.is_empty(), "{}", chart.name);
        assert_eq!(workload_lines(chart).len(), chart.workloads.len(), "{}", chart.name);
    }
}

#[test]
fn sarif_of_every_chart_is_valid_and_names_the_lines_of_workloads() {
    let schema: Value = serde_json::from_str(include_str!("sarif.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let results: usize = in_turn(0)
        .par_iter()
        .map(|chart| {
            let run = run(chart, "sarif");
            let found: Value = serde_json::from_str(&run.out).unwrap();
            let problems: Vec<String> =
                schema.iter_errors(&found).map(|problem| problem.to_string()).collect();
            assert!(problems.is_empty(), "{}: {problems:?}", chart.name);
            let lines: BTreeSet<u64> =
                workload_lines(chart).into_iter().map(|(line, _)| line).collect();
            let rules = found["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
            let results = found["runs"][0]["results"].as_array().unwrap();
            for result in results {
                let index = result["ruleIndex"].as_u64().unwrap() as usize;
                assert_eq!(rules[index]["id"], result["ruleId"], "{}", chart.name);
                let place = &result["locations"][0]["physicalLocation"];
                assert_eq!(place["artifactLocation"]["uri"], "m.yaml");
                let line = place["region"]["startLine"].as_u64().unwrap();
                assert!(lines.contains(&line), "{}: {line} of {lines:?}", chart.name);
            }
            let fails = results.iter().any(|result| result["level"] == "error");
            assert_eq!(run.code, i32::from(fails), "{}", chart.name);
            results.len()
        })
        .sum();
    assert!(results > share::of(4, 10), "some charts evict or do not fit: {results}");
}

#[test]
fn junit_of_every_chart_is_xml_with_a_test_for_each_workload() {
    in_turn(1).par_iter().for_each(|chart| {
        let run = run(chart, "junit");
        let report = roxmltree::Document::parse(&run.out).unwrap();
        let suites = report.root_element();
        assert_eq!(suites.tag_name().name(), "testsuites");
        let suite = suites.children().find(roxmltree::Node::is_element).unwrap();
        let cases: Vec<_> = suite.children().filter(|n| n.has_tag_name("testcase")).collect();
        let named: BTreeSet<(u64, String)> = cases
            .iter()
            .filter_map(|case| {
                let line = case.attribute("line")?.parse().unwrap();
                // `Deployment default/web` is `Deployment web` of the chart.
                let name = case.attribute("name").unwrap();
                let (kind, object) = name.split_once(' ').unwrap();
                let name = object.rsplit_once('/').map_or(object, |(_, name)| name);
                Some((line, format!("{kind} {name}")))
            })
            .collect();
        assert!(named.is_subset(&workload_lines(chart)), "{}: {named:?}", chart.name);
        let failures =
            cases.iter().filter(|case| case.children().any(|n| n.has_tag_name("failure"))).count();
        for element in [suites, suite] {
            let count = |name| element.attribute(name).unwrap().parse::<usize>().unwrap();
            assert_eq!((count("tests"), count("failures")), (cases.len(), failures));
        }
        assert_eq!(run.code, i32::from(failures > 0), "{}", chart.name);
        for case in &cases {
            assert!(case.attribute("classname").is_some_and(|class| !class.is_empty()));
            assert!(case.attribute("name").is_some_and(|name| !name.is_empty()));
        }
    });
}

/// The grammar of a workflow command as GitHub's runner reads it.
fn command() -> Regex {
    Regex::new(
        "^::(?P<level>error|warning|notice) (?:file=(?P<file>[^,:]+),line=(?P<line>[1-9][0-9]*),)?title=[^,:]+::(?:[^%]|%25|%0A|%0D)+$",
    )
    .unwrap()
}

#[test]
fn github_lines_of_every_chart_are_commands_at_the_lines_of_workloads() {
    let grammar = command();
    in_turn(0).par_iter().for_each(|chart| {
        let run = run(chart, "github");
        let lines = workload_lines(chart);
        for line in run.out.lines() {
            let found = grammar.captures(line).unwrap_or_else(|| panic!("{line}"));
            if let (Some(file), Some(number)) = (found.name("file"), found.name("line")) {
                let number: u64 = number.as_str().parse().unwrap();
                assert_eq!(file.as_str(), "m.yaml");
                assert!(lines.iter().any(|(known, _)| *known == number), "{line}");
            }
        }
        let fails = run.out.contains("::error ");
        assert_eq!(run.code, i32::from(fails), "{}", chart.name);
    });
}

#[test]
fn markdown_of_every_chart_fits_one_screen() {
    in_turn(1).par_iter().for_each(|chart| {
        let run = run(chart, "markdown");
        let lines = run.out.lines().count();
        assert!(lines <= SCREEN, "{}: {lines} lines\n{}", chart.name, run.out);
        assert!(run.out.starts_with("<!-- kubectl-preempt: simulate -->\n### "), "{}", run.out);
        let has_table = run.out.contains("| Manifest | Pods placed | Where | Evicts |");
        let has_none = ["The manifests make no pods", "No new pods"]
            .iter()
            .any(|none| run.out.contains(&format!("### {none}\n")));
        assert!(has_table != has_none, "{}", run.out);
    });
}

/// Names and texts that are commands, markup or controls in some format.
const HOSTILE: [&str; 6] = [
    "a\n::error::injected",
    "##[error]x",
    "]]></failure><x>&",
    "| <img src=x> @all #1 [a](https://x) `",
    "\u{1b}[2J\u{202e}\u{0}",
    "%0A::error::x,line=1",
];

#[test]
fn hostile_names_and_texts_stay_texts_in_every_format() {
    let schema: Value = serde_json::from_str(include_str!("sarif.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let grammar = command();
    for text in HOSTILE {
        let mut object: Value =
            serde_saphyr::from_str(deployment("x", "high", 1).trim_start_matches("---\n")).unwrap();
        object["metadata"]["name"] = json!(text);
        object["spec"]["template"]["spec"]["priorityClassName"] = json!(format!("class {text}"));
        let mut fits = object.clone();
        fits["spec"]["template"]["spec"]["priorityClassName"] = json!("");
        fits["metadata"]["name"] = json!(format!("fits {text}"));
        let manifests = json!({"kind": "List", "apiVersion": "v1", "items": [object, fits]});
        let folder = folder(
            &[
                node("n1", "2"),
                running(&format!("old {text}"), "jobs", text, "n1"),
                json!({"kind": "PriorityClass", "metadata": {"name": "all"}, "value": 9, "globalDefault": true}),
            ],
            &manifests.to_string(),
        );
        let ask = |format: &str| {
            let run = simulate(
                folder.path(),
                &["-f", "m.yaml", "--fail-on", "unschedulable,victims", "-o", format],
            );
            assert_eq!((run.code, run.err.as_str()), (1, ""), "{text:?}: {run:?}");
            let hostile = |c: char| c != '\n' && render::safe::is_hostile(c);
            assert!(!run.out.chars().any(hostile), "{text:?} {format}: {:?}", run.out);
            run.out
        };
        let github = ask("github");
        assert!(github.lines().all(|line| grammar.is_match(line)), "{text:?}: {github}");
        let sarif: Value = serde_json::from_str(&ask("sarif")).unwrap();
        let problems: Vec<String> =
            schema.iter_errors(&sarif).map(|problem| problem.to_string()).collect();
        assert!(problems.is_empty(), "{text:?}: {problems:?}");
        let junit = ask("junit");
        let report = roxmltree::Document::parse(&junit).unwrap();
        let tags: BTreeSet<&str> = report
            .descendants()
            .filter(roxmltree::Node::is_element)
            .map(|n| n.tag_name().name())
            .collect();
        let known = ["testsuites", "testsuite", "testcase", "failure", "system-out"];
        assert!(tags.iter().all(|tag| known.contains(tag)), "{text:?}: {tags:?}");
        let markdown = ask("markdown");
        assert!(markdown.lines().count() <= SCREEN, "{markdown}");
        let prose = outside_code(&markdown);
        for markup in ["<img", "@all", "](https://x)", "\n::error"] {
            assert!(!prose.contains(markup), "{text:?} {markup}: {markdown}");
        }
    }
}

#[test]
fn standard_input_is_annotated_at_the_template_that_helm_names() {
    let folder = folder(&cluster(), "");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"))
        .args(["simulate", "--from", "cluster.json", "-f", "-", "-o", "github", "-q"])
        .args(["--fail-on", "victims"])
        .current_dir(folder.path())
        .stdin(std::fs::File::open(write(&folder, &deployment("x", "", 1))).unwrap())
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.lines().all(|line| command().is_match(line)), "{out}");
    assert!(out.contains("file=x.yaml,line=1,"), "{out}");
}

/// Writes a file, and returns its path.
fn write(folder: &tempfile::TempDir, text: &str) -> std::path::PathBuf {
    let path = folder.path().join("stdin.yaml");
    std::fs::write(&path, text).unwrap();
    path
}
