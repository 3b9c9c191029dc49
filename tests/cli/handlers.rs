//! Pods that another program holds: `explain` and `pending` say who, and that one's own reason. What
//! each program writes is tested beside the rules.

use engine::decision::handlers::Handler;
use serde_json::{Value, json};
use testing::{assert_has, assert_lacks};

use crate::golden;

use super::{NOW, Run, list, node, pod, run_with, with};

fn ask(arguments: &[&str], items: &[Value]) -> Run {
    let arguments = [arguments, &["--from", "-", "--now", NOW]].concat();
    run_with(&arguments, list(items).as_bytes())
}

/// A pod that Kueue holds, its Workload with this message, and the queues.
fn queued(message: &str) -> Vec<Value> {
    let held = with(
        pod("train-0"),
        "/spec/schedulingGates",
        json!([{"name": "kueue.x-k8s.io/admission"}]),
    );
    let held = with(held, "/metadata/annotations", json!({"kueue.x-k8s.io/workload": "job-train"}));
    let of = |kind: &str, name: &str, spec: Value, status: Value| {
        json!({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind,
            "metadata": {"name": name, "namespace": "default"}, "spec": spec, "status": status})
    };
    let conditions = json!({"conditions": [{"type": "QuotaReserved", "status": "False",
        "reason": "WaitingForQuota", "message": message}]});
    vec![
        node("n1"),
        held,
        of("Workload", "job-train", json!({"queueName": "team-a"}), conditions),
        of("LocalQueue", "team-a", json!({"clusterQueue": "gpus"}), json!({})),
        of("ClusterQueue", "gpus", json!({"stopPolicy": "None"}), json!({})),
    ]
}

const FULL: &str =
    "couldn't assign flavors to pod set main: insufficient unused quota for cpu, 2 more needed";

#[test]
fn explain_quotes_the_controller_that_holds_a_pod() {
    let answer = ask(&["explain", "train-0"], &queued(FULL));
    let first = answer.out.lines().next().unwrap_or_default();
    assert!(first.contains("waits for Kueue: WaitingForQuota (ClusterQueue gpus)"), "{answer:?}");
    assert!(first.chars().count() <= 120, "{first}");
    for line in [
        "Kueue says",
        FULL,
        "Said by Workload default/job-train, LocalQueue default/team-a and ClusterQueue gpus",
        "kubectl preempt simulate train-0 -n default --as-if-preempting",
    ] {
        assert!(answer.out.replace("\n  ", " ").contains(line), "{line}: {}", answer.out);
        let wide = ask(&["explain", "train-0", "-o", "wide"], &queued(FULL));
        assert!(wide.out.replace("\n  ", " ").contains(line), "{line}: {}", wide.out);
    }
    let page = ask(&["explain", "train-0", "-o", "html"], &queued(FULL));
    assert_has(&page.out, "Kueue says");

    let json = ask(&["explain", "train-0", "-o", "json"], &queued(FULL)).json();
    assert_eq!(json["outcome"], "NotInQueue");
    assert_eq!(
        json["holder"],
        json!({"name": "Kueue", "heldBy": "Gates", "reason": "WaitingForQuota", "place": "ClusterQueue gpus",
            "message": FULL, "objects": ["Workload default/job-train", "LocalQueue default/team-a", "ClusterQueue gpus"],
            "facts": ["it is number 1 of 1 that wait in ClusterQueue gpus (priority 0)"]})
    );
}

#[test]
fn pending_has_holder_as_cause_and_in_json() {
    let mut items = queued(FULL);
    let volcano = with(pod("mpi-0"), "/spec/schedulerName", json!("volcano"));
    items.push(with(
        volcano,
        "/metadata/annotations",
        json!({"scheduling.k8s.io/group-name": "mpi"}),
    ));
    items.push(json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
        "metadata": {"name": "mpi", "namespace": "default"}, "spec": {"minMember": 4, "queue": "q"},
        "status": {"phase": "Inqueue", "conditions": [{"type": "Unschedulable", "status": "True",
            "reason": "NotEnoughResources", "message": "3/4 tasks in gang unschedulable"}]}}));
    items.push(with(pod("other"), "/spec/schedulerName", json!("mine")));
    let table = ask(&["pending", "-o", "wide"], &items);
    assert_has(&table.out, "waits for Kueue: WaitingForQuota (ClusterQueue gpus)");
    assert_has(&table.out, "waits for Volcano: Inqueue, NotEnoughResources (PodGroup mpi)");

    let json = ask(&["pending", "-o", "json"], &items).json();
    let holders: Vec<(&str, &str)> = json["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            (item["name"].as_str().unwrap(), item["holder"]["name"].as_str().unwrap_or("-"))
        })
        .collect();
    for expected in [("train-0", "Kueue"), ("mpi-0", "Volcano"), ("other", "mine")] {
        assert!(holders.contains(&expected), "{holders:?}");
    }
}

#[test]
fn program_that_holds_a_pod_is_the_one_to_act_in_metrics() {
    let mut items = queued(FULL);
    items.push(with(pod("gated"), "/spec/schedulingGates", json!([{"name": "example.com/mine"}])));
    items.push(with(pod("other"), "/spec/schedulerName", json!("mine")));
    let metrics = ask(&["pending", "-o", "openmetrics"], &items);
    for (actor, number) in [("handler", 1), ("gates", 1), ("queue", 1), ("scheduler", 0)] {
        let line = format!("kubectl_preempt_pending_pods_by_actor{{actor=\"{actor}\"}} {number}\n");
        assert!(metrics.out.contains(&line), "{line}{}", metrics.out);
    }
}

#[test]
fn pod_of_a_program_whose_objects_are_missing_has_a_note() {
    let mut items: Vec<Value> = queued(FULL).into_iter().take(2).collect();
    let answer = ask(&["explain", "train-0"], &items);
    let first = "waits for Kueue, gate kueue.x-k8s.io/admission; its reason is not in the input: see the note";
    assert!(answer.out.contains(first), "{answer:?}");
    let note = "the input has no workloads.kueue.x-k8s.io; kubectl get workloads.kueue.x-k8s.io -A -o json adds";
    let flat = answer.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(note), "{}", answer.out);
    let until = "ignores it until gate kueue.x-k8s.io/admission is removed";
    assert!(flat.contains(until), "{}", answer.out);

    // A gate of another program holds it, too.
    items[1]["spec"]["schedulingGates"] =
        json!([{"name": "kueue.x-k8s.io/admission"}, {"name": "example.com/checked"}]);
    items[1]["metadata"]["labels"] = json!({"kueue.x-k8s.io/queue-name": "lq"});
    let first = "waits for Kueue (LocalQueue lq), gates kueue.x-k8s.io/admission and example.com/c";
    let answer = ask(&["explain", "train-0"], &items);
    assert!(answer.out.contains(first), "{answer:?}");
    let table = ask(&["pending", "-o", "wide"], &items);
    assert_has(&table.out, "gates kueue.x-k8s.io/admission,example.com/checked");
}

#[test]
fn hostile_texts_of_programs_are_escaped_and_cut() {
    let hostile = format!("\u{1b}[31mred\u{202e}\n\"<b>CANARY</b>{}", "x".repeat(5000));
    let mut items = queued(&hostile);
    items[2]["status"]["conditions"][0]["reason"] =
        json!(format!("\u{1b}]0;t\u{7}{}", "y".repeat(900)));
    items[3]["spec"]["clusterQueue"] = json!("z".repeat(900));
    for arguments in [
        &["explain", "train-0"][..],
        &["explain", "train-0", "-o", "wide"],
        &["explain", "train-0", "-o", "markdown"],
        &["explain", "train-0", "-o", "html"],
        &["pending"],
        &["pending", "-o", "wide"],
    ] {
        let answer = ask(arguments, &items);
        assert!(
            !answer.out.contains('\u{1b}') && !answer.out.contains('\u{202e}'),
            "{arguments:?}"
        );
        assert!(!answer.out.contains("<b>CANARY") || !arguments.contains(&"html"), "{arguments:?}");
        assert!(!answer.out.contains(&"x".repeat(700)), "{arguments:?}");
        assert!(!answer.out.contains(&"y".repeat(60)), "{arguments:?}");
    }
    let first = ask(&["explain", "train-0"], &items).out;
    let first = first.lines().next().unwrap_or_default();
    assert_has(first, "waits for Kueue: ");
}

#[test]
fn objects_of_other_types_than_expected_cost_their_field_alone() {
    let mut items = queued(FULL);
    items[2]["status"]["admissionChecks"] = json!("none");
    items[2]["status"]["requeueState"] = json!([1]);
    items[4]["spec"] = json!(null);
    let answer = ask(&["explain", "train-0"], &items);
    assert_has(&answer.out, "waits for Kueue: WaitingForQuota (ClusterQueue gpus)");
    items[2]["status"] = json!(7);
    let answer = ask(&["explain", "train-0"], &items);
    assert_has(
        &answer.out,
        "waits for Kueue (ClusterQueue gpus), gate kueue.x-k8s.io/admission; it gives no",
    );
    items[2] = json!({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload"});
    let answer = ask(&["explain", "train-0"], &items);
    assert_has(&answer.out, "waits for Kueue");
}

#[test]
fn snapshot_of_objects_of_programs_gives_the_same_answer() {
    let whole = ask(&["explain", "train-0", "-o", "json"], &queued(FULL)).json();
    let mut odd = queued(FULL);
    odd[2]["spec"]["podSets"] = json!([{"template": {"spec": {"containers": [{"env": [{"name": "T", "value": "CANARY"}]}]}}}]);
    let answer = ask(&["explain", "train-0", "-o", "json"], &odd);
    assert_eq!(answer.json()["holder"], whole["holder"]);
    assert!(!answer.out.contains("CANARY"));
}

#[test]
fn document_has_every_program() {
    let mut table = String::from("| | detected by | its reason is in |\n| --- | --- | --- |\n");
    for handler in Handler::ALL {
        let document = handler.document();
        let (name, by, reason) = (handler.name(), document.detected_by, document.reason);
        table.push_str(&format!("| {name} | {by} | {reason} |\n"));
    }
    table.push_str(
        "| any other | its `schedulerName`, or a gate of no known program | the pod's own condition |\n",
    );
    golden::part("docs/HANDLERS.md", "programs", &table);
}

/// A pod that fits, refused by the plugin of another program.
fn refused_by_a_plugin(message: &str) -> Vec<Value> {
    let condition = json!([{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
        "message": message, "lastTransitionTime": "2026-06-01T11:58:00Z"}]);
    vec![node("n1"), with(pod("web"), "/status/conditions", condition)]
}

#[test]
fn message_of_another_programs_plugin_is_not_compared_with_kube_schedulers() {
    let coscheduling = "0/1 nodes are available: pre-filter pod web cannot find enough sibling pods, current pods number: \
                        1, minMember of group: 3.";
    let koordinator = "0/1 nodes are available: Insufficient quotas [[cpu]], quotaName: q, runtime: cpu:4, used: cpu:4, \
                       pod's request: cpu:1, exceedDimensions: [cpu].";
    for (name, message) in [("coscheduling", coscheduling), ("Koordinator", koordinator)] {
        let items = refused_by_a_plugin(message);
        let verified = ask(&["verify"], &items);
        assert_has(
            &verified.out,
            &format!("no message  its message is that of a plugin of {name}"),
        );
        assert_eq!(verified.code, 0, "{name}");
        let screen = ask(&["explain", "web"], &items).out;
        assert_lacks(&screen, "no visible change explains it");
        assert_lacks(&screen, "it fits now");
        let row = &ask(&["pending", "-o", "json"], &items).json()["items"][0];
        assert_eq!(row["nodes"], json!([]), "{name}");
        assert_eq!(row["waitsFor"], name);
    }
}

#[test]
fn what_a_scheduler_that_is_not_known_says_is_the_cause() {
    let mut items = refused_by_a_plugin("0/1 nodes are available: 1 cannot align pod.");
    items[1]["spec"]["schedulerName"] = json!("topo-aware-scheduler");
    let table = ask(&["pending"], &items).out;
    assert_has(&table, "topo-aware-scheduler says: 0/1 nodes are available: 1 cannot align pod.");
}
