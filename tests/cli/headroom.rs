//! `headroom`: how many more pods like one fit. How they are counted is tested where they are.

use serde_json::{Value, json};

use super::{NOW, Run, example, list, run, run_with};
use testing::{node, objects, pod, priority_class};

fn headroom(items: &[Value], more: &[&str]) -> Run {
    run_with(&[&["headroom", "--from", "-", "--now", NOW], more].concat(), list(items).as_bytes())
}

fn scene() -> Vec<Value> {
    objects![
        node("n1").cpu("4").label("topology.kubernetes.io/zone", "a"),
        node("n2").cpu("4").label("topology.kubernetes.io/zone", "b"),
        pod("low").cpu("3").on("n1"),
        pod("web").cpu("1").priority(5),
        priority_class("high", 100),
    ]
}

#[test]
fn text_begins_with_the_number_and_says_where_the_room_is() {
    let answer = headroom(&scene(), &["web"]);
    assert_eq!(answer.code, 0, "{}", answer.out);
    let first = answer.out.lines().next().unwrap_or_default();
    let said = "✓ default/web: 5 more fit now (priority 5, cpu=1 each), 8 with preemption.";
    assert_eq!(first, said);
    for part in [
        "Next copy: 2 Insufficient cpu\n",
        "Not fragmented: cpu runs out first",
        "ZONE  NODES  WITH ROOM  FIT NOW\nb     1      1          4\na     1      1          1\n",
    ] {
        assert!(answer.out.contains(part), "{part}\n{}", answer.out);
    }
}

#[test]
fn json_has_every_priority_and_node() {
    let answer = headroom(&scene(), &["web", "-o", "json"]).json();
    assert_eq!(answer["kind"], "Headroom");
    assert_eq!(answer["requests"], json!({"cpu": "1"}));
    let numbers = |row: &Value| {
        [&row["priority"], &row["withoutPreemption"]["number"], &row["withPreemption"]["number"]]
            .map(|value| value.as_i64().unwrap_or(-1))
    };
    let rows: Vec<[i64; 3]> =
        answer["items"].as_array().expect("items").iter().map(numbers).collect();
    assert_eq!(rows, [[5, 5, 8], [100, 5, 8]]);
    assert_eq!(answer["nodes"], json!([{"name": "n1", "fits": 1}, {"name": "n2", "fits": 4}]));
    let largest = &answer["largest"][0];
    assert_eq!((&largest["grown"], &largest["requests"]["cpu"]), (&json!("cpu"), &json!("4")));
}

#[test]
fn shape_of_a_pod_is_counted_as_a_pod_of_the_manifest() {
    let number = |more: &[&str]| {
        let answer = headroom(&scene(), &[more, &["-o", "json"]].concat()).json();
        answer["items"][0]["withoutPreemption"]["number"].as_u64()
    };
    assert_eq!(number(&["cpu=2"]), Some(2));
    assert_eq!(number(&["cpu=8"]), Some(0));
    assert_eq!(number(&["cpu=1", "--priority", "high"]), Some(5));
    // A pod that runs counts beside its copies, and one that is changed stays as it is.
    assert_eq!(number(&["low"]), Some(1));
    assert_eq!(number(&["low", "--priority", "7"]), Some(1));
}

#[test]
fn metrics_and_heat_map_have_the_numbers() {
    let metrics = headroom(&scene(), &["web", "-o", "openmetrics"]).out;
    let line = "kubectl_preempt_headroom_pods{namespace=\"default\",pod=\"web\",priority=\"100\",class=\"high\",own=\"false\",\
                preemption=\"true\",complete=\"true\"} 8\n";
    assert!(metrics.contains(line) && metrics.ends_with("# EOF\n"), "{metrics}");
    assert_eq!(headroom(&scene(), &["web", "-o", "prometheus"]).out, metrics);
    let page = headroom(&scene(), &["web", "-o", "html"]).out;
    let cell = "<li class=\"h5\" title=\"n2: 4\" aria-label=\"n2: 4\">4</li>";
    assert!(page.contains(cell) && page.contains("<h1>"), "{page}");
}

#[test]
fn headroom_that_cannot_be_counted_is_in_first_line_and_exit_code() {
    let grouped = vec![pod("agent").of("apps/v1", "DaemonSet", "agent").into()];
    let answer = headroom(&[scene(), grouped].concat(), &["agent"]);
    let first = answer.out.lines().next().unwrap_or_default().to_owned();
    assert!(first.contains("is not known: a DaemonSet has one pod on each"), "{first}");
    assert_eq!(answer.code, 3);
}

#[test]
fn pod_of_a_group_is_not_counted_alone_and_the_first_line_says_so() {
    let group = json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": "default"}, "spec": {"schedulingPolicy": {"basic": {}}}});
    let member = pod("a").cpu("1").with("/spec/schedulingGroup", json!({"podGroupName": "g"}));
    let items = objects![node("n"), group, member];
    let answer = headroom(&items, &["a", "--feature-gates=GenericWorkload=true"]);
    let first = answer.out.lines().next().unwrap_or_default();
    let said = "? How many more pods like default/a fit is not known: it belongs to a group, whose pods kube-scheduler \
                places together: simulate answers for the group.";
    assert_eq!((first, answer.code), (said, 3));
}

#[test]
fn questions_without_one_pod_are_errors_of_one_line() {
    let from = ["--from", &example()];
    for (arguments, line) in [
        (
            &["headroom"][..],
            "headroom of what? no pod is named; name a pod, an owner such as deploy/web, what a pod requests such as \
             cpu=1,memory=2Gi, or a manifest with -f",
        ),
        (&["headroom", "a", "b"], "headroom looks at one pod or owner: name one"),
        (&["headroom", "cpu="], "`cpu=` is not RESOURCE=AMOUNT; write it as cpu=4,memory=8Gi"),
        (
            &["headroom", "cpu=1x"],
            "the amount `1x` of cpu is not a quantity; write digits with an optional suffix such as m, k, M, G, Ki, Mi, Gi",
        ),
        (
            &["headroom", "cpu=1", "memory=1Gi"],
            "`memory=1Gi` stands beside what a pod requests; write the requests with commas: cpu=4,memory=8Gi",
        ),
        (
            &["headroom", "cpu=1", "-f", "x.yaml"],
            "a pod is named together with -f; leave one of them out",
        ),
    ] {
        let answer = run(&[arguments, &from].concat());
        assert_eq!(answer.error(), format!("error: {line}"), "{arguments:?}");
    }
}
