//! `node` from outside: what it says of a node, how it ends, and what it refuses.

use serde_json::{Value, json};

use crate::golden;

use super::{NOW, Run, list, node, pod, run, run_with, with};

fn drains(input: &[Value], arguments: &[&str]) -> Run {
    run_with(&[&["node", "--from", "-", "--now", NOW], arguments].concat(), list(input).as_bytes())
}

/// A pod of `app` that runs and is Ready.
fn on(name: &str, node: &str, cpu: &str, app: &str) -> Value {
    let owner =
        json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": app, "controller": true}]);
    let pod = with(pod(name), "/spec/nodeName", json!(node));
    let pod = with(pod, "/spec/containers/0/resources/requests/cpu", json!(cpu));
    let pod = with(pod, "/metadata/labels", json!({"app": app}));
    let status = json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]});
    with(with(pod, "/metadata/ownerReferences", owner), "/status", status)
}

fn budget(app: &str, healthy: i64, desired: i64) -> Value {
    json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": app, "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": app}}},
        "status": {"disruptionsAllowed": (healthy - desired).max(0), "currentHealthy": healthy,
            "desiredHealthy": desired, "expectedPods": healthy}})
}

fn first_line(run: &Run) -> &str {
    run.out.lines().next().unwrap_or_default()
}

#[test]
fn removable_node_has_moves_waits_and_command() {
    let mut agent = on("agent", "n1", "0", "agent");
    agent["metadata"]["ownerReferences"][0]["kind"] = json!("DaemonSet");
    let input = [
        node("n1"),
        node("n2"),
        on("a", "n1", "1", "web"),
        on("b", "n1", "1", "web"),
        agent,
        budget("web", 2, 1),
    ];
    let run = drains(&input, &["n1"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(first_line(&run), "✓ n1 can be drained: 2 pods move, 1 budget makes it wait.");
    for want in [
        "\n  kubectl drain n1 --ignore-daemonsets\n",
        "! PDB default/web allows none then (1 of 2 pods Ready, 1 has to be): the drain pauses until a replacement is Ready",
        "1 DaemonSet or static pod stays",
    ] {
        assert!(run.out.contains(want), "{want}: {run:?}");
    }
    let json = drains(&input, &["n1", "-o", "json"]).json();
    assert_eq!(json["items"][0]["rounds"], json!(2));
    assert_eq!(json["items"][0]["pods"][1]["refusedBy"][0]["name"], json!("web"));
    assert_eq!(json["commands"], json!(["kubectl drain n1 --ignore-daemonsets"]));
}

#[test]
fn node_that_is_not_removable_has_pods_and_budgets_that_prevent_it() {
    let input = [
        node("n1"),
        node("n2"),
        on("big", "n1", "3", "big"),
        on("full", "n2", "2", "full"),
        on("kafka-0", "n1", "1", "kafka"),
        budget("kafka", 1, 1),
    ];
    let run = drains(&input, &["n1"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(
        first_line(&run),
        "✗ n1 cannot be drained: PDB default/kafka allows none; 1 pod stays Pending."
    );
    for want in [
        "nowhere  -      0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.",
        "! PDB default/kafka never allows an eviction: its only pod has to be Ready; it keeps default/kafka-0",
    ] {
        assert!(run.out.contains(want), "{want}: {run:?}");
    }
    assert!(!run.out.contains("kubectl drain"), "nothing to run: {run:?}");
}

#[test]
fn answer_that_depends_on_timing_ends_with_three() {
    let input = [
        node("n1"),
        node("n2"),
        with(node("n3"), "/status/allocatable/cpu", json!("2")),
        on("a", "n1", "1500m", "a"),
        on("b", "n1", "2500m", "b"),
        with(pod("waits"), "/spec/containers/0/resources/requests/cpu", json!("3")),
    ];
    let run = drains(&input, &["n1"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(first_line(&run).starts_with("? n1 drains; in "), "{run:?}");
    assert!(
        run.out.contains("default/waits is already Pending and may take that room first"),
        "{run:?}"
    );
}

/// Written by hand, an input is complete; a dump without budgets may have been made without them.
#[test]
fn budgets_are_unknown_to_every_command_or_to_none() {
    let waits = with(pod("waits"), "/spec/priority", json!(9));
    let waits = with(waits, "/spec/containers/0/resources/requests/cpu", json!("4"));
    let by_hand = vec![node("n1"), on("a", "n1", "4", "a"), waits];
    let class = json!({"kind": "PriorityClass", "metadata": {"name": "system-node-critical"},
        "value": 2_000_001_000});
    let dump = [by_hand.clone(), vec![class]].concat();
    let with_budget = [dump.clone(), vec![budget("other", 1, 1)]].concat();
    for (input, unknown) in [(by_hand, false), (dump, true), (with_budget, false)] {
        let ask = |words: &[&str]| {
            let all = [words, &["--from", "-", "--now", NOW]].concat();
            run_with(&all, list(&input).as_bytes())
        };
        let json = ask(&["explain", "waits", "-o", "json"]).json();
        let is_set = |value: &Value| value["pdbsUnknown"] == json!(true);
        let cost = &json["planCertificate"]["cost"];
        assert_eq!((is_set(&json["preemption"]), is_set(cost)), (unknown, unknown), "{json}");
        let wide = ask(&["explain", "waits", "-o", "wide"]);
        assert_eq!(wide.out.contains("PDBs aside, which are unknown, "), unknown, "{wide:?}");
        let fail = ask(&["simulate", "--fail", "n1", "-o", "json"]).json();
        assert_eq!(fail["budgetsUnknown"], json!(unknown));
        let drain = ask(&["simulate", "--drain", "n1"]);
        assert_eq!(drain.out.contains("PDBs are unknown"), unknown, "{drain:?}");
        let queue = ask(&["pending", "-A", "-o", "json"]).json();
        assert_eq!(is_set(&queue["items"][0]), unknown, "{queue}");
    }
}

#[test]
fn pods_left_out_by_some_orders_depend_on_timing() {
    let input = [
        node("n1"),
        with(node("n2"), "/status/allocatable/cpu", json!("1")),
        on("a", "n1", "1", "a"),
        on("b", "n1", "1", "b"),
    ];
    let run = drains(&input, &["n1"]);
    assert_eq!(run.code, 1, "no order works: {run:?}");
    assert_eq!(
        first_line(&run),
        "✗ n1 drains, but up to 2 pods stay Pending in all 64 orders tried; no PDB blocks it."
    );
    assert!(
        run.out.matches("n2 or nowhere").count() + run.out.matches("nowhere or elsewhere").count()
            == 2,
        "{run:?}"
    );
    let json = drains(&input, &["n1", "-o", "json"]).json();
    let item = &json["items"][0];
    assert_eq!((&json["everyOrder"], &json["timings"]), (&json!(false), &json!(64)));
    assert_eq!((&item["dependsOnTiming"], &item["timingsDone"]), (&json!(true), &json!(0)));
    assert_eq!(item["reasons"][0]["holds"], json!("SomeOrders"));
    let others: Vec<&Value> = (0..2).map(|pod| &item["pods"][pod]["otherOutcomes"]).collect();
    assert_eq!(others, [&json!(["NoNode"]), &json!(["Moves"])]);
}

#[test]
fn blocking_budgets_are_counted_in_the_first_line() {
    let mut input = vec![node("n1"), node("n2")];
    for app in ["a", "b", "c", "d"] {
        input.extend([on(app, "n1", "100m", app), budget(app, 1, 1)]);
    }
    let run = drains(&input, &["n1"]);
    assert_eq!(first_line(&run), "✗ n1 cannot be drained: 4 PDBs allow none.", "{run:?}");
}

#[test]
fn several_nodes_are_listed_in_an_order_that_works() {
    let input = [
        with(node("n1"), "/metadata/labels", json!({"pool": "spot"})),
        with(node("n2"), "/metadata/labels", json!({"pool": "spot"})),
        node("n3"),
        on("a", "n1", "2", "web"),
        on("b", "n2", "2", "web"),
    ];
    let run = drains(&input, &["-l", "pool=spot"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(first_line(&run), "✓ both nodes can be drained in this order: n1, n2.");
    assert!(run.out.contains("kubectl cordon n1 n2\n  kubectl drain n1\n"), "{run:?}");
    let three = drains(&input, &["n1,n2", "node/n3", "-o", "json"]);
    assert_eq!(three.code, 1, "{three:?}");
    assert_eq!(three.json()["order"].as_array().map(Vec::len), Some(2));
    let upgrade = drains(&input, &["n1", "n2", "n3", "--surge", "1"]);
    assert_eq!(upgrade.code, 0, "{upgrade:?}");
    assert!(first_line(&upgrade).contains("with 1 fresh node in this order"), "{upgrade:?}");
    let columns = "custom-columns=NODE:.node,VERDICT:.verdict";
    let table = drains(&input, &["n1", "n2", "-o", columns]);
    assert_eq!(table.out, "NODE  VERDICT\nn1    Can\nn2    Can\n");
}

#[test]
fn node_shows_autoscalers_and_their_answers() {
    let mut kept = on("a", "n1", "1", "web");
    kept["metadata"]["annotations"] = json!({"karpenter.sh/do-not-disrupt": "true"});
    let said = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"},
        "involvedObject": {"kind": "Node", "name": "n1"}, "reason": "DisruptionBlocked",
        "message": "Pod has \"karpenter.sh/do-not-disrupt\" \u{1b}[2J", "source": {"component": "karpenter"},
        "lastTimestamp": "2026-06-01T11:58:00Z"});
    let run = drains(&[node("n1"), node("n2"), kept, said], &["n1"]);
    assert_eq!(run.code, 0, "an autoscaler's reasons do not keep kubectl drain: {run:?}");
    let hold =
        "karpenter leaves the node alone (annotation karpenter.sh/do-not-disrupt): default/a";
    assert!(run.out.contains(hold), "{run:?}");
    assert!(run.out.contains("karpenter 2m ago: DisruptionBlocked: Pod has"), "{run:?}");
    assert!(!run.out.contains('\u{1b}'), "{run:?}");
}

#[test]
fn wrong_arguments_are_one_line() {
    let input = [node("worker-1"), node("worker-2")];
    drains(&input, &[]).fails("error: no node is named");
    drains(&input, &["worker-9"]).fails("error: nodes \"worker-9\" not found");
    assert!(drains(&input, &["worker-9"]).err.contains("did you mean one of worker-1, worker-2?"));
    drains(&input, &["pod/worker-1"]).fails("error: `pod/worker-1` is not a node");
    drains(&input, &["-l", "pool=x"]).fails("error: neither node has these labels (-l)");
    drains(&input, &["worker-1", "-l", "pool=x"])
        .fails("error: a node cannot be named together with a label selector (-l)");
    assert_eq!(drains(&input, &["worker-1", "--surge", "no"]).code, 2);
}

/// The example in docs/commands/node.md.
#[test]
fn example_of_the_documents_is_what_is_printed() {
    let run = run(&["node", "worker-3", "--from", "examples/drain/cluster.yaml", "--now", NOW]);
    assert_eq!(run.code, 1, "{run:?}");
    golden::check("examples/drain/node.txt", &run.out);
    golden::shown("docs/commands/node.md", "examples/drain/node.txt", &run.out);
}
