//! `explain --compare`: several versions about the same pods.

use serde_json::{Value, json};
use testing::{assert_begins, assert_has};

use super::{EXAMPLE_POD, NOW, Run, example, explain_stdin, list, node, pod, run, run_with, with};

fn compare(versions: &str, more: &[&str]) -> Run {
    let example = example();
    run(&[
        &[
            "explain",
            EXAMPLE_POD,
            "-n",
            "shop",
            "--from",
            &example,
            "--now",
            NOW,
            "--compare",
            versions,
        ],
        more,
    ]
    .concat())
}

/// A pod that asks for more than the node has: what preemption says about it changed in 1.34.
fn too_large() -> String {
    let large = json!([{"name": "main", "resources": {"requests": {"cpu": "9"}}}]);
    list(&[node("n1"), with(pod("web-1"), "/spec/containers", large), pod("small")])
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

#[test]
fn first_line_says_whether_anything_changes() {
    let same = compare("1.35,1.36", &[]);
    assert_begins(
        same.answer(),
        &format!("✓ Pod shop/{EXAMPLE_POD}: Same decision in 1.35 and 1.36.\n"),
    );
    let written = compare("1.36,1.37", &[]);
    assert_begins(
        written.answer(),
        &format!("✓ Pod shop/{EXAMPLE_POD}: Same outcome in 1.36 and 1.37; the message differs.\n"),
    );
    for text in [
        "1.36 -> 1.37: ",
        " rules changed, 1 of them matters here\n",
        "  since 1.37  The message names the node that was found and the number of victims.\n",
        "    https://github.com/kubernetes/kubernetes/issues/140180\n",
    ] {
        assert!(written.out.contains(text), "{text}: {written:?}");
    }
}

#[test]
fn different_outcomes_are_shown_per_version() {
    let tainted = with(
        node("n1"),
        "/spec",
        json!({"taints": [{"key": "a", "value": "7", "effect": "NoSchedule"}]}),
    );
    let tolerates = json!([{"key": "a", "operator": "Gt", "value": "5", "effect": "NoSchedule"}]);
    let input = list(&[tainted, with(pod("web-1"), "/spec/tolerations", tolerates)]);
    // 1.35 has the gate, off by default; older versions do not know it.
    let gates = ["--feature-gates", "TaintTolerationComparisonOperators=true"];
    let refused = explain_stdin(&input, &[&["--compare", "1.34,1.37"], &gates[..]].concat());
    refused.fails("error: kube-scheduler 1.34 refuses: unrecognized feature gate: TaintTolerationComparisonOperators");
    let both = explain_stdin(&input, &[&["--compare", "1.35,1.37"], &gates[..]].concat());
    let name = "TaintTolerationComparisonOperators=true";
    assert_begins(
        both.answer(),
        &format!("✓ Pod default/web-1: Same decision in 1.35 {name} and 1.37 {name}.\n"),
    );
}

#[test]
fn json_has_every_decision_and_every_difference() {
    let input = too_large();
    let answer = explain_stdin(&input, &["--compare", "1.33,1.34,1.37", "-o", "json"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    let answer = answer.json();
    assert_eq!(
        (answer["kind"].as_str(), answer["same"].as_bool()),
        (Some("DecisionComparison"), Some(false))
    );
    let mut alone = explain_stdin(&input, &["--scheduler-version", "1.33", "-o", "json"]).json();
    // What helps, what the condition says, the filters behind the first, and so which node is the
    // nearest, are not asked for every version, and a headline says who acts.
    let is_asked = |field: &str| {
        !field.starts_with("remedies") && !["condition", "nearest", "headline"].contains(&field)
    };
    alone.as_object_mut().unwrap().retain(|field, _| is_asked(field));
    for node in alone["nodes"].as_array_mut().unwrap() {
        node.as_object_mut().unwrap().remove("alsoRefusedBy");
    }
    assert_eq!(answer["items"][0], alone, "each item is the decision of that version alone");
    assert_eq!(answer["items"].as_array().unwrap().len(), 3);
    let first = &answer["differences"][0];
    assert_eq!((first["from"].as_str(), first["to"].as_str()), (Some("1.33"), Some("1.34")));
    assert_eq!(texts(&first["fields"]), ["filtered", "rejected", "message", "conditionMessage"]);
    let rule = &first["rules"][0];
    assert_eq!(rule["field"], "fit_beyond_allocatable_unresolvable");
    assert_eq!((rule["since"].as_str(), rule["holds"].as_bool()), (Some("1.34"), Some(true)));
    assert!(
        rule["source"].is_string()
            && rule["url"].as_str().unwrap().starts_with("https://github.com/")
    );
    assert_eq!(texts(&rule["nodes"]), ["n1"]);
    assert_eq!((first["complete"].as_bool(), texts(&first["nodes"])), (Some(true), vec!["n1"]));
}

#[test]
fn of_several_pods_those_that_change_are_listed() {
    let input = too_large();
    let arguments = ["explain", "-A", "--from", "-", "--now", NOW, "--compare", "1.33,1.34"];
    let answer = run_with(&arguments, input.as_bytes());
    let lines: Vec<&str> = answer.answer().lines().collect();
    assert!(lines[0].starts_with("POD") && lines[0].ends_with("RULES"), "{lines:?}");
    assert_begins(lines[1], "default/web-1  1.33 -> 1.34  as before, but for why nodes reject it");
    let rules: Vec<&str> = lines[1].split("  ").last().unwrap().trim().split(", ").collect();
    assert!(rules.contains(&"NodeResourcesFit"), "{lines:?}");
    assert!(
        rules.iter().all(|rule| run(&["rules", rule]).code == 0),
        "names that `rules` explains: {rules:?}"
    );
    let heading = "Rules that make the difference";
    let at = lines.iter().position(|line| *line == heading).unwrap();
    assert!(lines[at + 1].starts_with("  NodeResourcesFit, 1 pod  "), "{lines:?}");
    assert_has(
        answer.answer(),
        "\n0 of 2 pods would be scheduled differently; of 1 only what is said differs\n",
    );
    let json = run_with(&[&arguments[..], &["-o", "json"]].concat(), input.as_bytes()).json();
    assert_eq!(json["kind"], "DecisionComparisonList");
    let names: Vec<&str> = json["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["pod"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["small", "web-1"]);
    let nobody = run_with(
        &["explain", "--from", "-", "-n", "x", "--compare", "1.33,1.34"],
        input.as_bytes(),
    );
    assert_eq!((nobody.code, nobody.out.as_str()), (0, ""));
}

/// A running pod that asks for most of its node by `spec.resources`, which is scored since 1.38: of
/// two nodes, another one is best then.
fn scored_differently() -> String {
    let pod = with(pod("web-1"), "/spec/containers", json!([{"name": "main"}]));
    let pod = with(pod, "/spec/resources", json!({"requests": {"cpu": "3"}}));
    let sized = |name, cpu: &str, memory: &str| {
        let allocatable = json!({"cpu": cpu, "memory": memory, "pods": "110"});
        with(node(name), "/status/allocatable", allocatable)
    };
    let full = json!([{"name": "main", "resources": {"requests": {"memory": "4Gi"}}}]);
    let other = with(self::pod("other"), "/spec/containers", full);
    list(&[
        sized("n1", "4", "8Gi"),
        sized("n2", "16", "8Gi"),
        with(pod, "/spec/nodeName", json!("n1")),
        with(other, "/spec/nodeName", json!("n2")),
    ])
}

#[test]
fn running_pods_are_decided_about_as_if_recreated() {
    let input = scored_differently();
    let asked = |arguments: &[&str]| {
        let common = ["--from", "-", "--now", NOW, "--compare", "1.37,1.38"];
        run_with(&[arguments, &common].concat(), input.as_bytes())
    };
    assert_eq!(asked(&["pending", "-A"]).out, "", "no pod is pending");
    let text = asked(&["pending", "-A", "--running"]);
    assert_begins(text.answer(), "RUNNING POD, IF RECREATED");
    assert_has(text.answer(), "default/web-1");
    assert_has(text.answer(), "fits on n1 -> fits on n2");
    let rule = "requests, 1 pod  NodeResourcesFit scores a pod by what it takes of a node";
    assert_has(text.answer(), rule);
    assert_has(text.answer(), "1 of 2 running pods would be placed differently if recreated");

    let json = asked(&["explain", "-A", "--running", "-o", "json"]).json();
    assert_eq!(json["running"], 2);
    let item = &json["items"][0];
    let of = (&item["pod"]["name"], &item["recreated"], &item["same"]);
    assert_eq!(of, (&json!("web-1"), &json!(true), &json!(false)));
    assert_eq!(json["items"].as_array().unwrap().len(), 1);

    let named = asked(&["explain", "web-1", "--running"]);
    assert_has(
        named.answer(),
        "Pod default/web-1, if it were recreated: 1.37 would place it on n1; 1.38",
    );
}

#[test]
fn comparison_that_differs_only_in_texts_says_so() {
    let example = example();
    let answer =
        run(&["explain", "-A", "--from", &example, "--now", NOW, "--compare", "1.36,1.37"]);
    let lines: Vec<&str> = answer.answer().lines().collect();
    assert_has(lines[1], "1.36 -> 1.37  the message differs");
    assert!(
        lines.iter().any(|line| line.starts_with("0 of ") && line.contains("; of ")),
        "{lines:?}"
    );
}

#[test]
fn exit_codes_are_those_of_explain() {
    let input = too_large();
    assert_eq!(explain_stdin(&input, &["--compare", "1.33,1.37"]).code, 0);
    assert_eq!(explain_stdin(&input, &["--compare", "1.33,1.37", "--exit-code"]).code, 1);
    let volume = json!([{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]);
    let unsure = list(&[node("n1"), with(pod("web-1"), "/spec/volumes", volume)]);
    assert_eq!(explain_stdin(&unsure, &["--compare", "1.33,1.37"]).code, 3);
}

#[test]
fn a_configuration_is_that_of_every_version() {
    let folder = super::folder(&[(
        "config.yaml",
        b"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- plugins:\n    \
          multiPoint: {disabled: [{name: NodeResourcesFit}]}\n",
    )]);
    let config = folder.path().join("config.yaml");
    let input = too_large();
    let answer = explain_stdin(
        &input,
        &["--compare", "1.33,1.34", "--scheduler-config", config.to_str().unwrap(), "-o", "json"],
    );
    let answer = answer.json();
    assert_eq!(
        (&answer["same"], &answer["items"][0]["outcome"]),
        (&json!(true), &json!("Schedulable"))
    );
}

#[test]
fn comparison_that_is_impossible_gets_one_line() {
    for (versions, more, error) in [
        ("1.37", &[][..], "error: --compare needs two versions or more"),
        ("1.36,x", &[], "error: --compare: `x` is not a version of kube-scheduler"),
        ("1.36,", &[], "error: --compare: `` is not a version of kube-scheduler"),
        ("1.11,1.37", &[], "error: --compare: the rules of kube-scheduler 1.11 are not known"),
        ("1.37,1.99", &[], "error: --compare: the rules of kube-scheduler 1.99 are not known"),
        ("1.37,1.37", &[], "error: --compare: 1.37 is named twice"),
        (
            "1.36,1.37",
            &["--scheduler-version", "1.35"],
            "error: --compare names the versions: it does not go with --scheduler-version",
        ),
        (
            "1.36,1.37",
            &["--nodes"],
            "error: --nodes shows one decision: it does not go with --compare",
        ),
        (
            "1.36,1.37",
            &["--feature-gates", "NoSuch=true"],
            "error: kube-scheduler 1.36 refuses: unrecognized feature gate: NoSuch",
        ),
    ] {
        compare(versions, more).fails(error);
    }
    let named = run(&["explain", "web-1", "-A", "--from", &example()]);
    assert_eq!(
        named.error(),
        "error: a pod cannot be named together with --all-namespaces; -n names its namespace"
    );
}

/// Packs nodes instead of spreading over them.
const PACKED: &str = "apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
  plugins: {score: {disabled: [{name: NodeResourcesBalancedAllocation}]}}
";

fn file(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(".yaml").tempfile().expect("a file");
    std::fs::write(file.path(), text).expect("written");
    file
}

fn pending(sides: &str, more: &[&str], input: &[Value]) -> Run {
    let asked = ["pending", "--from", "-", "--now", NOW, "--compare", sides];
    run_with(&[&asked[..], more].concat(), list(input).as_bytes())
}

/// Two nodes, one of them half full, and a pod that waits.
fn half_full() -> Vec<Value> {
    let cpu = |node: Value| with(node, "/status/allocatable/cpu", json!("8"));
    let request =
        |pod: Value, cpu: &str| with(pod, "/spec/containers/0/resources/requests/cpu", json!(cpu));
    let running = with(request(pod("db-0"), "4"), "/spec/nodeName", json!("n1"));
    let running = with(running, "/status", json!({"phase": "Running"}));
    vec![cpu(node("n1")), cpu(node("n2")), running, request(pod("web-1"), "1")]
}

#[test]
fn two_configurations_differ_by_the_plugin_that_scores_otherwise() {
    let packed = file(PACKED);
    let path = packed.path().to_str().expect("a path");
    let run = pending(&format!("now,{path}"), &["--replay"], &half_full());
    assert_eq!(run.code, 0, "{run:?}");
    assert_has(&run.out, "fits on n2 -> fits on n1");
    assert_has(&run.out, "NodeResourcesFit");
    assert_has(&run.out, "1 running pod placed again, one by one in the order of their start");
    let run = pending(&format!("now,{path}"), &["--replay", "-o", "json"], &half_full());
    let json: Value = serde_json::from_str(&run.out).expect("JSON");
    let difference = &json["items"][0]["differences"][0];
    assert_eq!((&difference["from"], &difference["to"]), (&json!("now"), &json!(path)));
    assert_eq!(difference["plugins"], json!(["NodeResourcesFit"]));
    assert_eq!(json["replay"]["layouts"].as_array().map(Vec::len), Some(3));
}

#[test]
fn configuration_that_the_scheduler_refuses_is_refused_in_its_words() {
    let refused = file(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\npercentageOfNodesToScore: 200\n",
    );
    let run = pending(&format!("now,{}", refused.path().display()), &[], &half_full());
    assert_eq!(run.code, 2, "{run:?}");
    assert_has(
        &run.err,
        "percentageOfNodesToScore: Invalid value: 200: not in valid range [0-100]",
    );
}

#[test]
fn class_and_budget_change_who_is_evicted() {
    let class = |value: i32| {
        json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
        "metadata": {"name": "web"}, "value": value})
    };
    let mut input = half_full();
    let large = with(pod("large"), "/spec/containers/0/resources/requests/cpu", json!("6"));
    let large = with(large, "/spec/priorityClassName", json!("web"));
    input[3] = with(large, "/spec/priority", json!(-10));
    input[1] = with(node("n2"), "/status/allocatable/cpu", json!("1"));
    input.push(class(-10));
    let higher = file(&class(1000).to_string());
    let run = pending(&format!("now,{}", higher.path().display()), &[], &input);
    assert_has(&run.out, "stays pending -> evicts 1 pod on n1");
    let run = pending(&format!("now,{}", higher.path().display()), &["--replay"], &input);
    assert_has(&run.err, "--running and --replay compare schedulers");
}

/// A manifest has no status: what the budget's controller would count is that of the budget that it
/// replaces, or of the pods that it selects.
#[test]
fn budget_of_a_manifest_allows_what_its_controller_would_count() {
    let request =
        |pod: Value, cpu: &str| with(pod, "/spec/containers/0/resources/requests/cpu", json!(cpu));
    let running = |name: &str, cpu: &str, on: &str, priority: i32| {
        let pod = with(request(pod(name), cpu), "/spec/nodeName", json!(on));
        let ready = json!([{"type": "Ready", "status": "True"}]);
        let pod = with(pod, "/status", json!({"phase": "Running", "conditions": ready}));
        let pod = with(pod, "/metadata/labels", json!({"app": name.get(..2)}));
        with(pod, "/spec/priority", json!(priority))
    };
    // Without a violation a pod of db goes, which is less important, and otherwise web.
    let mut input = half_full();
    input.truncate(2);
    input.extend([running("db-0", "4", "n1", 0), running("db-1", "4", "n1", 0)]);
    input.push(running("web", "8", "n2", 1));
    input.push(with(request(pod("large"), "4"), "/spec/priority", json!(10)));
    let budget = |spec: Value| {
        let mut spec = spec;
        spec["selector"] = json!({"matchLabels": {"app": "db"}});
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": "db", "namespace": "default"}, "spec": spec})
    };
    let status = json!({"disruptionsAllowed": 1, "expectedPods": 2, "currentHealthy": 2,
        "desiredHealthy": 1});
    let there = with(budget(json!({"minAvailable": 1})), "/status", status);
    for (is_there, spec, differs) in [
        (true, json!({"minAvailable": 1}), false),
        (true, json!({"maxUnavailable": 1}), false),
        (true, json!({"minAvailable": 2}), true),
        (false, json!({"minAvailable": 1}), false),
        (false, json!({"minAvailable": "100%"}), true),
    ] {
        let input: Vec<Value> =
            input.iter().cloned().chain(is_there.then(|| there.clone())).collect();
        let manifest = file(&budget(spec.clone()).to_string());
        let asked = format!("now,{}", manifest.path().display());
        let run = pending(&asked, &["-o", "json"], &input);
        let json: Value = serde_json::from_str(&run.out).expect("JSON");
        let fields = &json["items"][0]["differences"][0]["fields"];
        let selected = fields.as_array().is_some_and(|all| all.contains(&json!("selected")));
        assert_eq!(selected, differs, "{is_there} {spec}: {run:?}");
    }
    let open = file(&budget(json!({})).to_string());
    let run = pending(&format!("now,{}", open.path().display()), &[], &input);
    assert_has(&run.err, "PodDisruptionBudget db has no status");
}

#[test]
fn names_of_schedulers_are_versions_first_and_then_files() {
    for (names, error) in [
        ("1.37,none.yaml", "`none.yaml` is not a version of kube-scheduler, and no such file"),
        ("now", "what decides now: now,1.37"),
        ("1.37,Foo=true", "--compare: unrecognized feature gate: Foo; a gate is NAME=true"),
    ] {
        assert_has(&pending(names, &[], &half_full()).err, error);
    }
}
