//! The metrics: a strict reader of `OpenMetrics`, what it finds in `pending -o openmetrics`, and that
//! the alert rules and the dashboard of deploy/ ask for metrics and labels that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use regex::Regex;
use serde_json::{Value, json};

use super::{NOW, Run, list, node, pod, run, run_with, with};

#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    pub name: String,
    pub labels: BTreeMap<String, String>,
    pub value: f64,
}

/// Reads `OpenMetrics` 1.0 as far as gauges go, and refuses all else: lines out of order, families
/// that are not together, samples that are there twice, a missing end.
///
/// # Errors
/// The first line that is wrong, and why.
pub fn read(text: &str) -> Result<Vec<Sample>, String> {
    let body = text.strip_suffix("# EOF\n").ok_or("the last line is not # EOF")?;
    let name = Regex::new("^[a-zA-Z_:][a-zA-Z0-9_:]*$").unwrap();
    let (mut samples, mut known) = (Vec::new(), BTreeSet::new());
    let (mut family, mut has_type, mut begun) = (String::new(), false, false);
    for line in body.split_terminator('\n') {
        let wrong = |why: &str| Err(format!("{why}: {line}"));
        if let Some(comment) = line.strip_prefix("# ") {
            let mut words = comment.splitn(3, ' ');
            let (Some(what), Some(of), Some(text)) = (words.next(), words.next(), words.next())
            else {
                return wrong("a comment is HELP, TYPE or UNIT with a name and a text");
            };
            if of != family || begun {
                if !name.is_match(of) || !known.insert(of.to_owned()) {
                    return wrong("a name that is none, or a family in two places");
                }
                (family, has_type, begun) = (of.to_owned(), false, false);
            }
            match what {
                "TYPE" if text == "gauge" && !has_type => has_type = true,
                "HELP" if !text.contains(['"', '\\']) => {}
                "UNIT" if family.ends_with(&format!("_{text}")) => {}
                _ => return wrong("not a line of a gauge"),
            }
            continue;
        }
        let Some((series, value)) = line.rsplit_once(' ') else { return wrong("no value") };
        let (of, labels) = match series.split_once('{') {
            None => (series, BTreeMap::new()),
            Some((of, rest)) => match rest.strip_suffix('}').and_then(labels) {
                Some(labels) => (of, labels),
                None => return wrong("labels"),
            },
        };
        let Ok(value) = value.parse::<f64>() else { return wrong("a value that is no number") };
        if of != family || !has_type {
            return wrong("a sample outside of its family");
        }
        begun = true;
        if samples.iter().any(|known: &Sample| known.name == of && known.labels == labels) {
            return wrong("a sample that is there twice");
        }
        samples.push(Sample { name: of.to_owned(), labels, value });
    }
    Ok(samples)
}

/// `a="b",c="d"`, in which quotes, backslashes and line ends are escaped.
fn labels(text: &str) -> Option<BTreeMap<String, String>> {
    let name = Regex::new("^[a-zA-Z_][a-zA-Z0-9_]*$").unwrap();
    let (mut labels, mut rest) = (BTreeMap::new(), text);
    loop {
        let (label, after) = rest.split_once("=\"")?;
        let (mut value, mut characters) = (String::new(), after.char_indices());
        let end = loop {
            match characters.next()? {
                (at, '"') => break at,
                (_, '\\') => value.push(match characters.next()?.1 {
                    'n' => '\n',
                    escaped @ ('"' | '\\') => escaped,
                    _ => return None,
                }),
                (_, '\n') => return None,
                (_, character) => value.push(character),
            }
        };
        if !name.is_match(label) || labels.insert(label.to_owned(), value).is_some() {
            return None;
        }
        rest = &after[end + 1..];
        if rest.is_empty() {
            return Some(labels);
        }
        rest = rest.strip_prefix(',')?;
    }
}

/// The value of the sample with exactly these labels.
pub fn value(samples: &[Sample], name: &str, labels: &[(&str, &str)]) -> Option<f64> {
    let labels: BTreeMap<String, String> =
        labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    samples.iter().find(|s| s.name == name && s.labels == labels).map(|sample| sample.value)
}

fn metrics(items: &[Value], more: &[&str]) -> Run {
    let arguments = ["pending", "-A", "--from", "-", "--now", NOW, "-o", "openmetrics"];
    run_with(&[&arguments, more].concat(), list(items).as_bytes())
}

/// A pod with a priority and a class, created an hour before [`NOW`].
fn waiting(name: &str, class: &str, priority: i32, cpu: &str) -> Value {
    let pod = with(pod(name), "/spec/priority", json!(priority));
    let pod = with(pod, "/spec/priorityClassName", json!(class));
    let pod = with(pod, "/metadata/creationTimestamp", json!("2026-06-01T11:00:00Z"));
    with(pod, "/spec/containers/0/resources/requests/cpu", json!(cpu))
}

#[test]
fn pods_are_counted_by_verdict_cause_actor_and_class() {
    let victim = waiting("running-1", "low", 0, "3");
    let victim = with(victim, "/spec/nodeName", json!("n1"));
    let items = [
        node("n1"),
        with(victim, "/status/phase", json!("Running")),
        waiting("a-huge", "standard", 5, "64"),
        waiting("b-fits", "standard", 5, "1"),
        with(waiting("c-preempts", "high", 100, "4"), "/metadata/namespace", json!("other")),
        with(waiting("d-gated", "low", 0, "1"), "/spec/schedulingGates", json!([{"name": "x"}])),
        with(waiting("e-foreign", "low", -1, "1"), "/spec/schedulerName", json!("mine")),
    ];
    let run = metrics(&items, &[]);
    let samples = read(run.answer()).unwrap();
    let is = |name: &str, labels: &[(&str, &str)], expected: f64| {
        let found = value(&samples, &format!("kubectl_preempt_pending_{name}"), labels);
        assert_eq!(found, Some(expected), "{name} {labels:?}");
    };
    for (verdict, number) in [("fits", 1.0), ("preempts", 1.0), ("blocked", 1.0), ("waits", 0.0)] {
        is("pods", &[("verdict", verdict)], number);
    }
    is("pods_by_cause", &[("verdict", "blocked"), ("code", "PRE-201")], 1.0);
    is("pods_by_cause", &[("verdict", "gated"), ("code", "none")], 1.0);
    for (actor, number) in
        [("scheduler", 2.0), ("spec", 1.0), ("gates", 1.0), ("queue", 1.0), ("room", 0.0)]
    {
        is("pods_by_actor", &[("actor", actor)], number);
    }
    is("oldest_age_seconds", &[("actor", "spec")], 3600.0);
    is("oldest_age_seconds", &[("actor", "room")], 0.0);
    is("pods_by_priority_class", &[("namespace", "other"), ("priority_class", "high")], 1.0);
    is("victims", &[("namespace", "default")], 1.0);
    is("pods_violating_budgets", &[], 0.0);
    is("rules_assumed", &[], 1.0);
    is("decided_timestamp_seconds", &[], 1_780_315_200.0);
    for name in ["a-huge", "b-fits", "c-preempts", "running-1", "n1"] {
        assert!(!run.answer().contains(name), "{name} is named:\n{}", run.answer());
    }
}

#[test]
fn series_are_limited_and_the_rest_is_counted() {
    let mut items = vec![node("n1")];
    for number in 0..120 {
        let pod = waiting(&format!("p{number}"), &format!("class-{number}"), 1, "64");
        items.push(with(pod, "/metadata/namespace", json!(format!("space-{number}"))));
    }
    let run = metrics(&items, &[]);
    let samples = read(run.answer()).unwrap();
    let name = "kubectl_preempt_pending_pods_by_priority_class";
    let classes: Vec<&Sample> = samples.iter().filter(|sample| sample.name == name).collect();
    assert_eq!(classes.len(), 51);
    let pods: f64 = classes.iter().map(|sample| sample.value).sum();
    assert!((pods - 120.0).abs() < f64::EPSILON, "none is lost: {pods}");
    let rest = value(&samples, name, &[("namespace", "_other"), ("priority_class", "_other")]);
    assert_eq!(rest, Some(70.0));
    let folded = value(&samples, "kubectl_preempt_pending_folded_series", &[("metric", name)]);
    assert_eq!(folded, Some(70.0));
    assert!(samples.len() < 300, "{}", samples.len());
}

#[test]
fn hostile_names_are_labels_and_nothing_else() {
    let mut items = vec![node("n1")];
    for name in ["a\"} 1\nevil 2", "b\\", "\u{1b}[31m", "_other", "c\u{202e}d", &"x".repeat(5000)] {
        let pod = waiting("p", name, 1, "64");
        items.push(with(pod, "/metadata/namespace", json!(name)));
    }
    let run = metrics(&items, &[]);
    let samples = read(run.answer()).unwrap();
    let pods =
        samples.iter().filter(|s| s.name == "kubectl_preempt_pending_pods_by_priority_class");
    let pods: f64 = pods.map(|sample| sample.value).sum();
    assert!((pods - 6.0).abs() < f64::EPSILON, "{pods}");
    assert!(
        samples.iter().flat_map(|s| s.labels.values()).all(|label| label.chars().count() < 260)
    );
    assert!(!run.answer().contains(['\u{1b}', '\u{202e}']), "{}", run.answer());
}

#[test]
fn no_pod_gives_every_fixed_series_and_an_answer_that_is_not_certain_exits_with_3() {
    let run = metrics(&[node("n1")], &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    let samples = read(&run.out).unwrap();
    assert_eq!(
        value(&samples, "kubectl_preempt_pending_pods", &[("verdict", "blocked")]),
        Some(0.0)
    );
    assert_eq!(value(&samples, "kubectl_preempt_pending_uncertain_pods", &[]), Some(0.0));

    let claim = json!([{"name": "d", "persistentVolumeClaim": {"claimName": "none"}}]);
    let run = metrics(&[node("n1"), with(waiting("p", "c", 1, "1"), "/spec/volumes", claim)], &[]);
    assert_eq!(run.code, 3, "{}", run.err);
    let samples = read(&run.out).unwrap();
    assert_eq!(value(&samples, "kubectl_preempt_pending_uncertain_pods", &[]), Some(1.0));
}

#[test]
fn invalid_openmetrics_is_rejected() {
    let good = "# HELP a_x Help.\n# TYPE a_x gauge\na_x{b=\"c\"} 1\n# EOF\n";
    assert!(read(good).is_ok());
    for (from, to) in [
        ("# EOF\n", ""),
        ("gauge", "counter"),
        ("a_x{b=\"c\"} 1\n", "a_x{b=\"c\"} 1\na_x{b=\"c\"} 2\n"),
        ("a_x{", "a_y{"),
        ("\"c\"", "\"c"),
        ("\"c\"", "\"\\c\""),
        ("} 1", "} one"),
        ("Help.", "Say \"help\"."),
        ("# TYPE a_x gauge\n", ""),
        ("# TYPE a_x gauge\n", "# TYPE a_x gauge\n# UNIT a_x seconds\n"),
    ] {
        let bad = good.replacen(from, to, 1);
        assert!(read(&bad).is_err(), "{bad}");
    }
}

#[test]
fn flags_that_do_not_go_together_are_refused() {
    for (flags, problem) in [
        (&["--listen", "0"][..], "--listen needs --watch"),
        (&["-w", "--allow-remote"], "--allow-remote needs --listen"),
        (&["-w", "--listen-host", "metrics.example"], "--listen-host needs --listen"),
        (&["-w", "-o", "openmetrics"], "-o openmetrics prints the metrics once"),
        (
            &["-w", "--listen", "0.0.0.0:0"],
            "--listen 0.0.0.0:0: other machines could read the metrics there",
        ),
    ] {
        run(&[&["pending"], flags].concat()).fails(&format!("error: {problem}"));
    }
    let wrong = run(&["pending", "-w", "--listen", "here"]);
    assert!(wrong.error().contains("use PORT or ADDRESS:PORT"), "{wrong:?}");
}

/// The metrics that a query names, each with the labels that it asks for.
fn asked(query: &str) -> Vec<(String, Vec<String>)> {
    let metric = Regex::new(r"(kubectl_preempt_[a-z_]+)(?:\{([^}]*)\})?").unwrap();
    let label = Regex::new(r"([a-z_]+)\s*[=!]").unwrap();
    metric
        .captures_iter(query)
        .map(|found| {
            let selector = found.get(2).map_or("", |labels| labels.as_str());
            let labels = label.captures_iter(selector).map(|label| label[1].to_owned()).collect();
            (found[1].to_owned(), labels)
        })
        .collect()
}

#[test]
fn rules_and_dashboard_ask_for_metrics_that_exist() {
    let root = env!("CARGO_MANIFEST_DIR");
    let file = |name: &str| fs::read_to_string(format!("{root}/deploy/{name}")).unwrap();
    let rules: Value = serde_saphyr::from_str(&file("prometheus-rules.yaml")).unwrap();
    let dashboard: Value = serde_json::from_str(&file("grafana-dashboard.json")).unwrap();
    let alerts =
        rules["groups"].as_array().unwrap().iter().flat_map(|g| g["rules"].as_array().unwrap());
    let mut queries: Vec<(String, String)> =
        alerts.map(|rule| (rule["expr"].as_str().unwrap().to_owned(), String::new())).collect();
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            let [query, legend] = ["expr", "legendFormat"].map(|key| target[key].as_str().unwrap());
            queries.push((query.to_owned(), legend.to_owned()));
        }
    }
    assert!(queries.len() > 15, "{}", queries.len());

    // What there is: every series that a list with one pod of each sort has.
    let items = [
        node("n1"),
        with(waiting("v", "low", 0, "3"), "/spec/nodeName", json!("n1")),
        waiting("p", "high", 100, "4"),
    ];
    let samples = read(metrics(&items, &[]).answer()).unwrap();
    let known = |name: &str| -> BTreeSet<String> {
        samples.iter().filter(|s| s.name == name).flat_map(|s| s.labels.keys().cloned()).collect()
    };
    let by = Regex::new(r"by \(([a-z_, ]+)\)").unwrap();
    let shown = Regex::new(r"\{\{([a-z_]+)\}\}").unwrap();
    let mut used = BTreeSet::new();
    for (query, legend) in &queries {
        let asked = asked(query);
        assert!(!asked.is_empty(), "{query} asks for nothing of ours");
        for (name, mut labels) in asked {
            assert!(render::pending::METRICS.contains(&name.as_str()), "{query}: no {name}");
            for found in by.captures_iter(query) {
                labels.extend(found[1].split(", ").map(str::to_owned));
            }
            labels.extend(shown.captures_iter(legend).map(|label| label[1].to_owned()));
            // Prometheus itself adds these to what it scrapes.
            for label in labels.into_iter().filter(|label| !["cluster", "job"].contains(&&**label))
            {
                assert!(known(&name).contains(&label), "{query}: {name} has no label {label}");
            }
            used.insert(name);
        }
    }
    let unused: Vec<&&str> =
        render::pending::METRICS.iter().filter(|name| !used.contains(**name)).collect();
    assert!(unused.is_empty(), "neither an alert nor a panel shows {unused:?}");
}

/// Values of the label `actor` that the rules ask for are actors.
#[test]
fn rules_ask_for_actors_that_exist() {
    let root = env!("CARGO_MANIFEST_DIR");
    let run = metrics(&[node("n1")], &[]);
    let samples = read(&run.out).unwrap();
    let actor = Regex::new(r#"actor=\\?"([a-z-]+)\\?""#).unwrap();
    let mut asked = 0;
    for name in ["prometheus-rules.yaml", "grafana-dashboard.json"] {
        let text = fs::read_to_string(format!("{root}/deploy/{name}")).unwrap();
        for found in actor.captures_iter(&text) {
            let labels = [("actor", &found[1])];
            let known = value(&samples, "kubectl_preempt_pending_pods_by_actor", &labels);
            assert_eq!(known, Some(0.0), "{name}: {}", &found[1]);
            asked += 1;
        }
    }
    assert!(asked >= 5, "{asked}");
}

/// However many workloads there are, the number of series is bounded.
#[test]
fn metrics_of_risk_count_the_least_exposed_workloads_together() {
    let mut items = vec![with(node("n1"), "/status/allocatable/pods", json!("1000"))];
    for number in 0..503 {
        let one = with(pod(&format!("p-{number}")), "/spec/nodeName", json!("n1"));
        let one = with(one, "/spec/containers/0/resources/requests/cpu", json!("1m"));
        items.push(with(one, "/status/phase", json!("Running")));
    }
    let arguments = ["risk", "-A", "--from", "-", "--now", NOW, "-o", "prometheus"];
    let out = run_with(&arguments, list(&items).as_bytes()).out;
    assert!(out.contains("kubectl_preempt_risk_folded_workloads 3\n"), "{out:.500}");
    let series = |name: &str| out.lines().filter(|line| line.starts_with(name)).count();
    assert_eq!(series("kubectl_preempt_running_pods{"), 501 * 4);
    let other: usize = out
        .lines()
        .filter(|line| line.starts_with("kubectl_preempt_running_pods{namespace=\"_other\""))
        .filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok())
        .sum();
    assert_eq!(other, 3);
}
