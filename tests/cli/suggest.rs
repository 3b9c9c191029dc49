//! `suggest`: what lets a pod in. That nothing smaller does is a law (`tests/laws/suggest.rs`).

use serde_json::{Value, json};

use super::{NOW, Run, example, list, run, run_with};
use testing::{node, objects, owner, pod};

fn suggest(items: &[Value], more: &[&str]) -> Run {
    run_with(&[&["suggest", "--from", "-", "--now", NOW], more].concat(), list(items).as_bytes())
}

fn scene() -> Vec<Value> {
    objects![
        node("n1").cpu("4"),
        node("n2").cpu("3"),
        owner("ReplicaSet", "cart-5d", Some(("Deployment", "cart"))),
        pod("cart-5d-x").cpu("2").replica_of("cart-5d").on("n1"),
        pod("bare").cpu("1").on("n1"),
        pod("web").cpu("3"),
    ]
}

/// The same objects, read by somebody who may not list budgets.
fn without_budgets(items: &[Value]) -> Value {
    let refused = json!([{"resource": "poddisruptionbudgets", "reason": "forbidden"}]);
    json!({"apiVersion": "kubectl-preempt.github.io/v1", "kind": "Snapshot", "items": items,
        "snapshot": {"serverVersion": "v1.37.2", "unreadable": refused}})
}

#[test]
fn moves_are_uncertain_if_budgets_could_not_be_read() {
    let full = [scene(), vec![pod("x").cpu("1").on("n2").into()]].concat();
    let input = without_budgets(&full).to_string();
    let ask = |more: &[&str]| {
        let command = ["suggest", "--from", "-", "--now", NOW, "web"];
        run_with(&[&command, more].concat(), input.as_bytes())
    };
    let answer = ask(&[]);
    let first = answer.out.lines().next().unwrap_or_default();
    let said = "? default/web (priority 0): moving 1 pod places it on n1, and no pod is lost. \
                (not certain: see the notes)";
    assert_eq!((first, answer.code), (said, 3));
    assert!(answer.out.contains("only replica  unknown\n"), "{}", answer.out);
    let note =
        "error: poddisruptionbudgets: could not be read: forbidden; they may forbid these moves";
    assert!(answer.out.contains(note), "{}", answer.out);
    assert!(!answer.out.contains("no rule for this pod reads them"), "{}", answer.out);

    let answer = ask(&["-o", "json"]);
    let json: Value = serde_json::from_str(&answer.out).expect("JSON");
    let is_error = |note: &Value| note["code"] == "PRE-925" && note["severity"] == "error";
    assert!(json["notes"].as_array().is_some_and(|notes| notes.iter().any(is_error)), "{json}");
    assert_eq!(answer.code, 3);
}

#[test]
fn budgets_of_risk_are_unknown_if_they_could_not_be_read() {
    let input = without_budgets(&scene()).to_string();
    let answer = run_with(&["risk", "-A", "--from", "-", "--now", NOW], input.as_bytes());
    let first = answer.out.lines().next().unwrap_or_default();
    assert!(first.ends_with("safe. This is not certain: see the note."), "{}", answer.out);
    assert!(answer.out.contains("  unknown  "), "{}", answer.out);
    assert!(!answer.out.contains("no rule for this pod reads them"), "{}", answer.out);
    assert_eq!(answer.code, 3);
}

#[test]
fn text_shows_the_moves_and_the_commands() {
    let answer = suggest(&scene(), &["web"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    let first = answer.out.lines().next().unwrap_or_default();
    let said = "✓ default/web (priority 0): fits already, on n2.";
    assert_eq!(first, said);

    let full = [scene(), vec![pod("x").cpu("1").on("n2").into()]].concat();
    let answer = suggest(&full, &["web"]);
    let first = answer.out.lines().next().unwrap_or_default();
    let said = "✓ default/web (priority 0): moving 1 pod places it on n1, and no pod is lost.";
    assert_eq!((first, answer.code), (said, 0));
    for part in [
        "Moves (simulated; the smallest: every smaller set was ruled out)\n",
        "1  default/cart-5d-x  0         n1    n2  30s to stop, only replica  -\n",
        "Commands\n  kubectl cordon n1\n  printf %s '{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":\
         {\"name\":\"cart-5d-x\",\"namespace\":\"default\"}}' | kubectl create --raw \
         /api/v1/namespaces/default/pods/cart-5d-x/eviction -f -\n  kubectl wait --for=delete pod/cart-5d-x -n default \
         --timeout=90s\n  kubectl rollout status deployment/cart -n default\n  kubectl uncordon n1\n  kubectl wait --for=condition=PodScheduled pod/web -n default\n",
    ] {
        assert!(answer.out.contains(part), "{part}\n{}", answer.out);
    }
}

#[test]
fn json_has_the_moves_and_what_they_prove() {
    let full = [scene(), vec![pod("x").cpu("1").on("n2").into()]].concat();
    let answer = suggest(&full, &["web", "-o", "json"]).json();
    assert_eq!((&answer["kind"], &answer["many"]), (&json!("SuggestionList"), &Value::Null));
    let item = &answer["items"][0];
    assert_eq!(item["moves"]["proof"], "Smallest");
    let step = &item["moves"]["moves"][0];
    assert_eq!((&step["from"], &step["to"]), (&json!("n1"), &json!("n2")));
    assert_eq!(item["moves"]["commands"][0], "kubectl cordon n1");
}

#[test]
fn several_pods_begin_with_what_lets_in_the_most() {
    let more = objects![
        node("n3").cpu("12").cordoned(),
        pod("y1").cpu("4"),
        pod("y2").cpu("4"),
        pod("z").cpu("99"),
    ];
    let answer = suggest(&[scene(), more].concat(), &["-A"]);
    let first = answer.out.lines().next().unwrap_or_default();
    let said = "✓ 4 pending pods: 1 fit without a change, 3 do not; uncordoning n3 places 2 more.";
    assert_eq!(first, said, "{}", answer.out);
    assert!(answer.out.contains("Nodes to add (checked)"), "{}", answer.out);
    // Nothing helps the pod that is too large for every node.
    assert_eq!(answer.code, 1);
}

#[test]
fn pods_of_a_group_are_not_answered_alone_and_the_first_line_says_so() {
    let member =
        |name| pod(name).cpu("3").with("/spec/schedulingGroup", json!({"podGroupName": "g"}));
    let group = json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": "default"}, "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}}});
    let items =
        [scene(), vec![group], objects![pod("x").cpu("1").on("n2"), member("a"), member("b")]];
    let items = items.concat();
    let gate = "--feature-gates=GenericWorkload=true";

    let answer = suggest(&items, &["a", gate]);
    let first = answer.out.lines().next().unwrap_or_default();
    let said = "? default/a (priority 0): nothing is suggested: it belongs to a group, whose pods kube-scheduler places \
                together: explain tells what helps the group.";
    assert_eq!((first, answer.code), (said, 3));

    let answer = suggest(&items, &["-A", gate]);
    let first = answer.out.lines().next().unwrap_or_default();
    let said = "(2 pods of groups not tried: kube-scheduler places them together)";
    assert!(first.ends_with(said), "{first}");
    assert_eq!(answer.code, 3);
}

#[test]
fn questions_that_make_no_sense_are_errors_of_one_line() {
    let from = ["--from", &example()];
    for (arguments, line) in [
        (
            &["suggest", "-A", "web"][..],
            "a pod cannot be named together with --all-namespaces; -n names its namespace",
        ),
        (
            &["suggest", "web", "--call-extenders"],
            "suggest simulates changes of the cluster: it does not go with --call-extenders",
        ),
    ] {
        let answer = run(&[arguments, &from].concat());
        assert_eq!(answer.error(), format!("error: {line}"), "{arguments:?}");
    }
    let line = "error: pod default/bare is on node n1 already: there is nothing to let in; kubectl preempt headroom says how \
                many more of it fit";
    assert_eq!(suggest(&scene(), &["bare"]).error(), line);
}
