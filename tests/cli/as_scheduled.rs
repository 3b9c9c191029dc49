//! `explain --as-scheduled`: what the scheduler itself may pick.

use serde_json::{Value, json};

use crate::cli::{Run, example, explain_stdin, folder, list, node, pod, run, with};

/// One candidate is enough.
const CONFIG: &str = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n\
    - pluginConfig: [{name: DefaultPreemption, args: {minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 1}}]\n";

/// Nodes that a pod of that priority fills, and web-1, which is more important.
fn full(nodes: &[(&str, i32)]) -> String {
    let mut objects = vec![with(pod("web-1"), "/spec/priority", 100.into())];
    for (index, (name, priority)) in nodes.iter().enumerate() {
        objects.push(node(name));
        let all = json!([{"name": "main", "resources": {"requests": {"cpu": "4"}}}]);
        let victim = with(pod(&format!("v{index}")), "/spec/containers", all);
        let victim = with(
            with(victim, "/spec/priority", (*priority).into()),
            "/spec/nodeName",
            (*name).into(),
        );
        objects.push(with(victim, "/status/phase", "Running".into()));
    }
    list(&objects)
}

fn sampled(nodes: &[(&str, i32)], more: &[&str]) -> Run {
    let folder = folder(&[("s.yaml", CONFIG.as_bytes())]);
    let file = folder.path().join("s.yaml").to_str().unwrap().to_owned();
    explain_stdin(full(nodes), &[&["--scheduler-config", &file], more].concat())
}

/// The section, line by line.
fn section(run: &Run) -> Vec<&str> {
    let lines =
        run.answer().lines().skip_while(|line| *line != "What the scheduler itself may pick");
    lines.skip(1).take_while(|line| !line.is_empty()).map(str::trim).collect()
}

#[test]
fn every_start_counts() {
    let nodes = [("n1", 1), ("n2", 2), ("n3", 3)];
    assert_eq!(
        section(&sampled(&nodes, &["--as-scheduled"])),
        [
            "n1  1/3 (33.3 %)  best from 1 of 3 starts",
            "n2  1/3 (33.3 %)  best from 1 of 3 starts",
            "n3  1/3 (33.3 %)  best from 1 of 3 starts",
            "It stops after 1 candidate once one of them violates no PDB, and picks from these",
        ]
    );
    let one = sampled(&nodes, &["--as-scheduled", "--seed", "4"]);
    assert_eq!(section(&one).first(), Some(&"n2  100.0 %  best from 1 of 1 start"));
    assert_eq!(section(&sampled(&nodes, &[])), [""; 0], "only where it was asked for");
}

#[test]
fn many_nodes_are_counted() {
    let names: Vec<String> = (0..33).map(|i| format!("n{i:02}")).collect();
    let nodes: Vec<(&str, i32)> = names.iter().map(|name| (name.as_str(), 1)).collect();
    let screen = sampled(&nodes, &["--as-scheduled"]);
    let shown = section(&screen);
    let more = shown.iter().find(|line| line.starts_with("and ")).unwrap();
    let rows = shown.iter().filter(|line| line.starts_with('n')).count();
    assert_eq!(**more, format!("and {} more nodes: -o wide", 33 - rows));
    assert!(rows >= 2 && screen.answer().lines().count() <= 24, "one screen: {}", screen.out);
    let wide = sampled(&nodes, &["--as-scheduled", "-o", "wide"]);
    let shown = section(&wide);
    assert_eq!((shown.len(), shown.last()), (13, Some(&"and 23 more; -o json has them all")));
}

#[test]
fn start_node_may_not_matter() {
    let run = explain_stdin(full(&[("n1", 1), ("n2", 2)]), &["--as-scheduled"]);
    assert_eq!(section(&run), ["The same: wherever it starts, it has found every candidate"]);
    let run = explain_stdin(list(&[node("n1"), node("n2"), pod("web-1")]), &["--as-scheduled"]);
    assert_eq!(
        section(&run),
        ["The same: wherever it starts, it has seen every node that takes the pod"]
    );
}

#[test]
fn json_has_all_of_it() {
    let decision = sampled(&[("n1", 1), ("n2", 2)], &["--as-scheduled", "-o", "json"]).json();
    let share = |name: &str| -> Value {
        json!({"name": name, "numerator": 1, "denominator": 2, "probability": 0.5, "bestFrom": 1, "tiedFrom": 0})
    };
    let want = json!({"kind": "preemption", "sampled": true, "starts": 2, "sampleSize": 1,
        "nodes": [share("n1"), share("n2")]});
    assert_eq!(decision["asScheduled"], want);
}

#[test]
fn names_do_not_reach_the_terminal_as_they_are() {
    let run = sampled(&[("n\u{1b}[2J", 1), ("n2", 2)], &["--as-scheduled"]);
    assert!(
        !run.out.contains('\u{1b}') && section(&run).join("\n").contains("n\\u{1b}[2J"),
        "{run:?}"
    );
}

#[test]
fn flags_that_do_not_go_together() {
    let example = example();
    let error = |more: &[&str]| {
        let run = run(&[&["explain", "-A", "--from", &example], more].concat());
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{run:?}");
        run.err
    };
    for (flags, want) in [
        (vec!["--seed", "1"], "--seed needs --as-scheduled"),
        (vec!["--as-scheduled", "--seed", "first"], "--seed `first`: use a whole number"),
        (vec!["--as-scheduled", "--seed", "-1"], "--seed `-1`: use a whole number"),
        (vec!["--as-scheduled", "--compare", "1.36,1.37"], "--as-scheduled shows one decision"),
        (
            vec!["--as-scheduled", "--call-extenders"],
            "--as-scheduled would ask extenders once per start",
        ),
    ] {
        let error = error(&flags);
        assert!(error.starts_with("error: ") && error.contains(want), "{flags:?}: {error}");
    }
}
