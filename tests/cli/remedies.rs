//! What helps: every command that `explain` gives as a check is run, and shows what was promised.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use engine::decision::remedy::RANKS;
use serde_json::{Value, json};

use crate::golden;

use super::{EXAMPLE_POD, NOW, Run, example, list, node, pod, run, run_with};

/// Runs the check of every remedy of the answer as it stands, and counts them.
fn checks(answer: &Run, input: &[u8]) -> usize {
    let decision = answer.json();
    let remedies = decision["remedies"].as_array().cloned().unwrap_or_default();
    for remedy in &remedies {
        let words: Vec<&str> =
            remedy["check"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        let run = run_with(&[&words[..], &["-o", "json"]].concat(), input);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{remedy}: {run:?}");
        let simulation = run.json();
        let step = &simulation["steps"][0];
        let outcome = if remedy["outcome"] == "Schedulable" { "Fits" } else { "Evict" };
        assert_eq!(step["outcome"], outcome, "{remedy}");
        let names = |value: &Value| -> BTreeSet<String> {
            value.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names(&step["nodes"]), names(&remedy["nodes"]), "{remedy}");
        assert_eq!(
            simulation["assumptions"], remedy["edits"],
            "what is assumed is what is proposed"
        );
    }
    remedies.len()
}

#[test]
fn every_check_of_the_scenarios_shows_what_was_promised() {
    let mut ran = 0;
    for entry in
        fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios")).unwrap()
    {
        let file = entry.unwrap().path().join("cluster.yaml");
        let text = fs::read_to_string(&file).unwrap();
        let question =
            text.lines().next().and_then(|line| line.strip_prefix("# kubectl preempt ")).unwrap();
        let arguments: Vec<&str> =
            question.split_whitespace().filter(|word| !word.starts_with("-o")).collect();
        let from = ["--from", file.to_str().unwrap(), "--now", NOW, "-o", "json"];
        ran += checks(&run(&[&arguments[..], &from].concat()), b"");
    }
    assert!(ran > 30, "{ran} checks ran");
}

#[test]
fn a_check_asks_the_same_scheduler_about_the_same_input() {
    let example = example();
    let flags = [
        "--scheduler-version",
        "1.33",
        "--feature-gates",
        "MatchLabelKeysInPodTopologySpread=false",
    ];
    let question =
        ["explain", EXAMPLE_POD, "-n", "shop", "--from", &example, "--now", NOW, "-o", "json"];
    let answer = run(&[&question[..], &flags].concat());
    assert!(checks(&answer, b"") > 2, "{answer:?}");
    let decision = answer.json();
    let words: Vec<&str> = decision["remedies"][0]["check"]
        .as_array()
        .unwrap()
        .iter()
        .map(|w| w.as_str().unwrap())
        .collect();
    let want = ["simulate", EXAMPLE_POD, "-n", "shop", "--from", &example, "--now", NOW];
    assert_eq!(words[..want.len()], want);
    assert_eq!(words[want.len()..want.len() + flags.len()], flags);
}

#[test]
fn a_check_may_read_standard_input() {
    let mut large = pod("p");
    large["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "6".into();
    let input = list(&[node("n1"), large]);
    let answer =
        run_with(&["explain", "p", "--from", "-", "--now", NOW, "-o", "json"], input.as_bytes());
    assert!(checks(&answer, input.as_bytes()) > 0, "{answer:?}");
}

#[test]
fn remedies_are_in_every_format_for_people() {
    let example = example();
    let question = ["explain", EXAMPLE_POD, "-n", "shop", "--from", &example, "--now", NOW];
    let answer = |format: &str| run(&[&question[..], &["-o", format]].concat()).answer().to_owned();
    for (format, head) in [
        ("text", "To avoid the evictions (checked)"),
        ("wide", "What would help (checked)"),
        ("markdown", "What would help (checked)"),
        ("html", "What would help (checked)"),
    ] {
        let page = answer(format);
        assert!(page.contains(head) && page.contains("kubectl preempt simulate"), "{page}");
    }
    let lines = |page: &str| page.matches(" cpu on worker-").count();
    assert!(lines(&answer("text")) >= 2);
    assert!(lines(&answer("wide")) >= lines(&answer("text")));
}

#[test]
fn documented_order_of_remedies_is_that_of_the_engine() {
    let mut table =
        String::from("| `kind` | what is done | what it disturbs |\n| --- | --- | --- |\n");
    for rank in RANKS {
        table.push_str(&format!("| `{}` | {} | {} |\n", rank.name, rank.what, rank.cost));
    }
    golden::part("docs/commands/explain.md", "remedies", &table);
}

/// The input with three nodes of the control plane beside `more`.
fn crowd(more: &[Value]) -> String {
    let control_plane = |name: &str| {
        let mut node = node(name);
        node["spec"]["taints"] =
            json!([{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]);
        node
    };
    let nodes: Vec<Value> =
        ["cp1", "cp2", "cp3"].map(control_plane).into_iter().chain(more.iter().cloned()).collect();
    list(&nodes)
}

#[test]
fn node_that_is_starting_is_the_first_remedy() {
    let mut starting = node("w2");
    starting["spec"]["taints"] = json!([{"key": "node.cloudprovider.kubernetes.io/uninitialized", "value": "true", "effect": "NoSchedule"}]);
    let input = crowd(&[starting, pod("p")]);
    let question = ["explain", "p", "--from", "-", "--now", NOW];
    let text = run_with(&question, input.as_bytes());
    let what = "once w2 has no taint node.cloudprovider.kubernetes.io/uninitialized (the kubelet sets it with --cloud-provider=external, the cloud controller manager removes it)";
    let help: Vec<&str> =
        text.answer().lines().skip_while(|line| !line.starts_with("What would help")).collect();
    assert_eq!(help.get(1).map(|line| line.trim()), Some(what), "{text:?}");
    let answer = run_with(&[&question[..], &["-o", "json"]].concat(), input.as_bytes());
    assert!(checks(&answer, input.as_bytes()) > 0, "{answer:?}");
}
