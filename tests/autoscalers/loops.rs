//! What cluster-autoscaler's own loops decide about whole random clusters: nodes in flight, starting
//! and leaving, limits, pods of other schedulers, groups whose names contain each other. The program
//! is asked before the loop that decides, and after it, with the status and the Events of that time.
//! `tests/oracle/cluster-autoscaler` wrote the cases.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use rayon::prelude::*;

use super::*;

/// What the program says of the pods of a cluster, by their names.
fn said(command: &str, file: &std::path::Path, now: &str) -> BTreeMap<String, Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"))
        .args([command, "-A", "-o", "json", "--now", now, "--from"])
        .arg(file)
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let alone = std::slice::from_ref(&answer);
    let items = answer["items"].as_array().map_or(alone, Vec::as_slice);
    let name = |item: &Value| {
        let name = item["pod"]["name"].as_str().or(item["name"].as_str());
        name.unwrap_or_default().to_owned()
    };
    items.iter().map(|item| (name(item), item.clone())).collect()
}

/// The verdict about a pod, in a list or in an explanation; empty where there is none.
fn verdict(answer: &Value) -> &str {
    let said = &answer["autoscaling"];
    said.as_str().or(said["verdict"].as_str()).unwrap_or_default()
}

/// What is wrong with what is said of one case at one time, and the verdict.
struct Compared {
    verdict: String,
    truth: String,
    wrong: Vec<String>,
}

fn compared(case: &Value, time: &str) -> Compared {
    let file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
    let mut objects = case["objects"].as_array().unwrap().clone();
    objects.extend(case[time]["objects"].as_array().unwrap().iter().cloned());
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    std::fs::write(file.path(), list.to_string()).unwrap();
    let now = case[time]["now"].as_str().unwrap();
    let explained = said("explain", file.path(), now);
    let pending = said("pending", file.path(), now);

    let mut wrong = Vec::new();
    for (name, row) in &pending {
        if let Some(explained) = explained.get(name)
            && verdict(explained) != verdict(row)
        {
            let (one, other) = (verdict(explained), verdict(row));
            wrong.push(format!("{name}: explain says {one:?}, pending {other:?}"));
        }
    }
    let web = &explained["web"];
    let says = &case["says"];
    let verdict = verdict(web).to_owned();
    let truth = truth(case);
    // Where a preemption makes room, kube-scheduler comes first.
    let is_denied = web["outcome"] != "Preempt"
        && matches!(truth, "added" | "in flight")
        && ["refused", "notLooking", "cannot", "failed", "countsOnNode"].contains(&&*verdict);
    // A node that comes for others comes also if nobody looks at the pod.
    let is_promised = match &*verdict {
        "coming" => matches!(truth, "refused" | "placed"),
        "wouldCome" => matches!(truth, "refused" | "placed" | "ignored"),
        _ => false,
    };
    if is_denied || is_promised {
        wrong.push(format!("{verdict:?}, but the pod is {truth}"));
    }

    // Each group that grew can, and each that gave a reason cannot. After the loop they have changed.
    let pools = web["autoscaling"]["pools"].as_array().into_iter().flatten();
    for pool in pools.filter(|_| time == "before") {
        let name = pool["name"].as_str().unwrap();
        let grew = says["grows"].get(name).is_some();
        let refused = says["reasons"].get(name).is_some();
        if grew && pool["answer"] == "no" || refused && pool["answer"] == "would" {
            wrong.push(format!("group {name}: {} ({})", pool["answer"], pool["causes"]));
        }
    }
    Compared { verdict, truth: truth.to_owned(), wrong }
}

/// What became of the pod: a node that it is expected on may be in flight.
fn truth(case: &Value) -> &str {
    let says = &case["says"];
    let objects = case["objects"].as_array().unwrap();
    let is_there = |name: &Value| {
        objects.iter().any(|object| object["kind"] == "Node" && object["metadata"]["name"] == *name)
    };
    match says["web"].as_str().unwrap() {
        "placed" if !is_there(&says["on"]) => "in flight",
        decided => decided,
    }
}

#[test]
fn no_node_is_denied_that_cluster_autoscaler_adds_and_none_promised_that_it_refuses() {
    let kept = include_bytes!("cluster-autoscaler.jsonl.gz");
    let text = recorded_cases("CLUSTER_AUTOSCALER_CASES", kept);
    let lines: Vec<&str> = text.lines().collect();
    let compared: Vec<(String, Compared)> = lines
        .par_iter()
        .step_by(testing::share::of(3, 1))
        .flat_map(|line| {
            let case: Value = serde_json::from_str(line).unwrap();
            let times = ["before", "after"];
            times.map(|time| (format!("{time}: {line}"), compared(&case, time)))
        })
        .collect();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (_, one) in &compared {
        *counts.entry((&one.truth, &one.verdict)).or_default() += 1;
    }
    for ((truth, verdict), count) in &counts {
        println!("{count} times {truth}, said {verdict:?}");
    }
    let wrong: Vec<String> = compared
        .iter()
        .filter(|(_, one)| !one.wrong.is_empty())
        .map(|(case, one)| format!("{}\n{case}", one.wrong.join("; ")))
        .collect();
    for case in &wrong {
        println!("{case}");
    }
    let truths: BTreeSet<&str> = counts.keys().map(|(truth, _)| *truth).collect();
    assert!(lines.len() >= 200 && truths.len() >= 5, "{} cases: {truths:?}", lines.len());
    assert!(wrong.is_empty(), "{} of {}", wrong.len(), lines.len());
}
