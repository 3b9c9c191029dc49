//! `risk`: which running pods can be preempted, and by which pods. That no victim is called safe is
//! a law (`tests/laws`, `tests/recorded/parity`).

use serde_json::{Value, json};
use testing::{assert_begins, assert_has};

use super::{NOW, Run, example, list, node, pod, run, run_with, with};

fn risk(items: &[Value], more: &[&str]) -> Run {
    run_with(&[&["risk", "--from", "-", "--now", NOW], more].concat(), list(items).as_bytes())
}

fn on(pod: Value, node: &str) -> Value {
    with(pod, "/spec/nodeName", json!(node))
}

fn of(pod: Value, deployment: &str) -> Value {
    let hash = "6d4cf56db6";
    let owner = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": format!("{deployment}-{hash}"),
        "controller": true}]);
    let labels = json!({"app": deployment, "pod-template-hash": hash});
    with(with(pod, "/metadata/ownerReferences", owner), "/metadata/labels", labels)
}

/// A deployment with both pods on n1, one with pods on both nodes, a budget and a class.
fn scene() -> Vec<Value> {
    let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"},
        "value": 1000});
    let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": "both", "namespace": "default"}, "spec": {"selector": {"matchLabels": {"app": "both"}}},
        "status": {"disruptionsAllowed": 1}});
    let high = |name| with(on(pod(name), "n2"), "/spec/priority", json!(1000));
    vec![
        node("n1"),
        node("n2"),
        class,
        budget,
        on(of(pod("one-1"), "one"), "n1"),
        on(of(pod("one-2"), "one"), "n1"),
        on(of(pod("both-1"), "both"), "n1"),
        on(of(pod("both-2"), "both"), "n2"),
        high("top"),
    ]
}

fn item<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let items = answer["items"].as_array().unwrap();
    items
        .iter()
        .find(|item| item["workload"]["name"] == name)
        .unwrap_or_else(|| panic!("{name}: {answer}"))
}

#[test]
fn by_every_class() {
    let answer = risk(&scene(), &["-o", "json"]).json();
    let exposures = ["one", "both", "top"].map(|name| item(&answer, name)["exposure"].clone());
    assert_eq!(
        exposures,
        ["Exposed", "Exposed", "Exposed"],
        "the system's classes are above all of them"
    );
    let one = item(&answer, "one");
    assert_eq!(
        (&one["workload"]["kind"], &one["allAtOnce"], &one["allOn"]),
        (&json!("Deployment"), &json!(true), &json!("n1"))
    );
    assert_eq!(item(&answer, "both")["allAtOnce"], false);
    assert_eq!(item(&answer, "both")["budgets"], json!([{"name": "both", "allowed": 1}]));
    assert_eq!(
        one["preemptedBy"].as_array().unwrap().last(),
        Some(&json!({"priority": 1000, "class": "high"}))
    );
}

#[test]
fn the_page() {
    let answer = risk(&scene(), &[]);
    let lines: Vec<&str> = answer.out.lines().collect();
    assert_eq!(
        lines[0],
        "5 running pods: 0 about to be evicted, 0 on runner-up nodes, 5 preemptible, 0 safe"
    );
    assert!(
        lines[1]
            .starts_with("Rules: kube-scheduler 1.37 (assumed: no version in the input)   File: "),
        "{}",
        answer.out
    );
    assert!(lines[2].starts_with("WORKLOAD"), "{}", answer.out);
    assert_has(&answer.out, "Deployment default/one   2     0         preemptible  yes, on n1");
    assert_has(&answer.out, "A PodDisruptionBudget does not stop preemption");
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
}

#[test]
fn by_a_named_pod() {
    let named = |more: &[&str]| risk(&scene(), &[&["-o", "json"], more].concat()).json();
    let exposures =
        |answer: &Value| ["one", "both", "top"].map(|name| item(answer, name)["exposure"].clone());
    // n1 has room for one cpu, n2 for two.
    let fits = named(&["--requests", "cpu=1", "--priority", "high"]);
    assert_eq!(fits["preemptors"][0]["outcome"], "Schedulable");
    assert_eq!(exposures(&fits), ["Safe", "Safe", "Safe"]);
    let large = named(&["--requests", "cpu=3", "--priority", "high"]);
    assert_eq!(large["preemptors"][0]["outcome"], "Preempt");
    assert_eq!(item(&large, "top")["exposure"], "Safe", "its priority is not lower");
    assert_eq!(
        item(&large, "both")["pods"][1]["takers"],
        json!([{"pod": "default/preemptor", "selected": true}])
    );
    let more = named(&["--for", "deploy/one", "--priority", "2000", "--requests", "cpu=4"]);
    assert_eq!(more["preemptors"][0]["pod"], "default/one-0");
    assert_eq!(exposures(&more), ["Victim", "Victim", "Candidate"]);
    let none = named(&["--for", "deploy/one", "--requests", "cpu=4"]);
    assert_eq!(
        exposures(&none),
        ["Safe", "Safe", "Safe"],
        "no pod has a lower priority than one more of these"
    );
}

#[test]
fn targets_of_risk() {
    let pods = |more: &[&str]| -> Vec<String> {
        let answer = risk(&scene(), &[&["-o", "json"], more].concat()).json();
        let pods = answer["items"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|item| item["pods"].as_array().unwrap().clone());
        let mut names: Vec<String> =
            pods.map(|pod| pod["name"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(pods(&["one-1"]), ["one-1"]);
    assert_eq!(pods(&["deploy/both"]), ["both-1", "both-2"]);
    assert_eq!(pods(&["node/n2"]), ["both-2", "top"]);
    assert_eq!(pods(&["node", "n2"]), ["both-2", "top"]);
    assert_eq!(pods(&["node/n1,n2"]), ["both-1", "both-2", "one-1", "one-2", "top"]);
    assert_eq!(pods(&["-n", "other"]), Vec::<String>::new());
    assert_eq!(pods(&["-n", "other", "-A"]).len(), 5);
    assert_eq!(pods(&["-l", "app=one"]), ["one-1", "one-2"]);
}

#[test]
fn pods_that_wait_have_victims() {
    let waits = with(
        with(pod("waits"), "/spec/priority", json!(500)),
        "/spec/containers/0/resources/requests/cpu",
        json!("4"),
    );
    let answer = risk(&[scene(), vec![waits]].concat(), &[]);
    assert_has(&answer.out, "About to be evicted, for pending pods in queue order");
    assert!(answer.out.lines().any(|line| line.ends_with("default/waits")), "{}", answer.out);
}

#[test]
fn metrics_and_html() {
    let metrics = risk(&scene(), &["-o", "prometheus"]).out;
    let line = "kubectl_preempt_running_pods{namespace=\"default\",kind=\"Deployment\",name=\"one\",exposure=\"exposed\"} 2";
    assert!(metrics.lines().any(|found| found == line), "{metrics}");
    let line =
        "kubectl_preempt_all_at_once{namespace=\"default\",kind=\"Deployment\",name=\"one\"} 1";
    assert!(metrics.lines().any(|found| found == line), "{metrics}");
    for line in metrics.lines().filter(|line| !line.starts_with('#')) {
        assert!(
            line.rsplit_once(' ').is_some_and(|(_, value)| value.parse::<u32>().is_ok()),
            "{line}"
        );
    }
    let page = risk(&scene(), &["-o", "html"]).out;
    assert_begins(&page, "<!doctype html>");
    assert_has(&page, ">Deployment default/one</td>");
}

#[test]
fn bad_input() {
    let waits = [scene(), vec![pod("waits")]].concat();
    for (arguments, line) in [
        (
            &["waits"][..],
            "error: no pod of pod/waits runs on a node: only running pods are preempted",
        ),
        (&["nobody"], "error: pods \"nobody\" not found"),
        (&["node/n9"], "error: nodes \"n9\" not found"),
        (&["node/n1", "pod/one-1"], "error: name either nodes or pods and their owners, not both"),
        (&["--requests", "cpu=4"], "error: --requests describes a pod without a priority"),
        (
            &["--requests", "cpu", "--priority", "1"],
            "error: --requests `cpu`: use RESOURCE=AMOUNT, such as cpu=500m",
        ),
        (&["--priority", "none"], "error: priorityclasses \"none\" not found"),
        (&["--for", "deploy/none"], "error: deployments.apps \"none\" not found"),
        (
            &["-A", "one-1"],
            "error: a pod cannot be named together with --all-namespaces; -n names its namespace",
        ),
    ] {
        risk(&waits, arguments).fails(line);
    }
    assert_eq!(run(&["risk", "-A", "--from", &example()]).code, 0);
}

/// Pods that all wait for one node each choose it; only one of them gets it.
#[test]
fn evicted_now_counts_pods_in_queue_order() {
    let waits = |name| {
        with(
            with(pod(name), "/spec/priority", json!(500)),
            "/spec/containers/0/resources/requests/cpu",
            json!("4"),
        )
    };
    let answer = risk(&[scene(), vec![waits("w1"), waits("w2")]].concat(), &[]);
    let evicted = answer
        .out
        .lines()
        .filter(|line| line.ends_with("default/w1") || line.ends_with("default/w2"))
        .count();
    assert_begins(&answer.out, &format!("5 running pods: {evicted} about to be evicted, "));
    let json = risk(&[scene(), vec![waits("w1"), waits("w2")]].concat(), &["-o", "json"]).json();
    let counted: u64 = json["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["evictedNow"].as_u64().unwrap())
        .sum();
    assert_eq!(counted, evicted as u64);
}

#[test]
fn replicas_on_other_nodes_are_not_evicted_at_once() {
    let answer = risk(&scene(), &["node/n1"]);
    let line = answer.out.lines().find(|line| line.starts_with("Deployment default/both")).unwrap();
    assert!(line.contains("1 of 2") && line.contains(" no "), "{}", answer.out);
    let json = risk(&scene(), &["node/n1", "-o", "json"]).json();
    assert_eq!(
        (&item(&json, "both")["allAtOnce"], &item(&json, "both")["running"]),
        (&json!(false), &json!(2))
    );
    assert_eq!(
        (&item(&json, "one")["allAtOnce"], &item(&json, "one")["running"]),
        (&json!(true), &json!(2))
    );
}

#[test]
fn a_large_cluster_shows_the_first_workloads_and_all_on_request() {
    let mut items = scene();
    for index in 0..40 {
        items.push(on(of(pod(&format!("more-{index:02}")), &format!("more-{index:02}")), "n2"));
    }
    let job = |minute: u32| {
        let owner = json!([{"apiVersion": "batch/v1", "kind": "Job", "name": format!("report-{minute}"), "controller": true}]);
        with(on(pod(&format!("report-{minute}-x")), "n2"), "/metadata/ownerReferences", owner)
    };
    items.extend((29_670_480..29_670_490).map(job));
    let (some, all) = (risk(&items, &[]), risk(&items, &["--all"]));
    assert_has(&some.out, "\nand 24 more workloads: --all\n");
    let jobs = |out: &str| {
        out.lines()
            .filter(|line| line.starts_with("Job default/report"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert!(
        matches!(jobs(&all.out).as_slice(), [line] if line.contains("report-* (10 Jobs)")),
        "{}",
        all.out
    );
    assert!(all.out.contains("more-39") && !some.out.contains("more-39"), "{}", all.out);
}
