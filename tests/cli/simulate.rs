//! `simulate` from outside: where pods come from, what-if flags, and exit codes.

use serde_json::{Value, json};
use testing::{assert_begins, assert_has, assert_lacks};

use super::{
    EXAMPLE_POD, NOW, Run, example, folder, list, node, note_text, pod, run, run_with, with,
};

/// Simulates with `input` as the cluster.
fn simulate(input: &[Value], arguments: &[&str]) -> Run {
    run_with(
        &[&["simulate", "--from", "-", "--now", NOW], arguments].concat(),
        list(input).as_bytes(),
    )
}

/// Simulates with `manifests` as a file, as JSON.
fn simulate_file(input: &[Value], manifests: &str, arguments: &[&str]) -> Run {
    let files = folder(&[("m.yaml", manifests.as_bytes())]);
    let path = files.path().join("m.yaml");
    let all = [&["-f", path.to_str().unwrap(), "-o", "json"], arguments].concat();
    let mut run = simulate(input, &all);
    run.err = run.err.replace(path.to_str().unwrap(), "m.yaml");
    run
}

/// `pod outcome node victims` of each step, and of each of the cascade with its generation.
fn steps(run: &Run, list: &str) -> Vec<String> {
    let json = run.json();
    let step = |s: &Value| {
        let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        let join = |list: &Value, field: &str| {
            let all = list.as_array().into_iter().flatten();
            all.map(|v| text(if field.is_empty() { v } else { &v[field] }))
                .collect::<Vec<_>>()
                .join(",")
        };
        let (pod, outcome) = (text(&s["pod"]["name"]), text(&s["outcome"]));
        let words = [pod, outcome, join(&s["nodes"], ""), join(&s["plan"]["victims"], "name")];
        words.into_iter().filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
    };
    json[list].as_array().unwrap().iter().map(step).collect()
}

#[track_caller]
fn answers(run: &Run, code: i32, want: &[&str]) {
    assert_eq!(steps(run, "steps"), want, "{run:?}");
    assert_eq!((run.code, run.err.as_str()), (code, ""), "{run:?}");
}

/// A pod on a node.
fn on(name: &str, node: &str, cpu: &str) -> Value {
    let placed = with(pod(name), "/spec/nodeName", json!(node));
    with(placed, "/spec/containers/0/resources/requests/cpu", json!(cpu))
}

/// `web-1` and `web-2` wait for two full nodes; the pods on the second have a budget and a
/// ReplicaSet.
fn cluster() -> Vec<Value> {
    let owner = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "old-5d", "controller": true}]);
    let owned = with(
        with(on("old-2", "n2", "4"), "/metadata/labels", json!({"app": "old"})),
        "/metadata/ownerReferences",
        owner,
    );
    let waiting = |name: &str| {
        let owner = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-7f", "controller": true}]);
        with(with(pod(name), "/spec/priority", json!(10)), "/metadata/ownerReferences", owner)
    };
    vec![
        node("n1"),
        node("n2"),
        with(on("high", "n1", "4"), "/spec/priority", json!(1000)),
        with(owned, "/spec/priority", json!(5)),
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b", "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"app": "old"}}}, "status": {"disruptionsAllowed": 1}}),
        json!({"kind": "PriorityClass", "metadata": {"name": "top"}, "value": 100_000}),
        waiting("web-1"),
        waiting("web-2"),
        with(pod("other"), "/metadata/namespace", json!("team")),
    ]
}

fn deployment(replicas: u32) -> String {
    let text = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "api"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "api"}},
            "template": {"metadata": {"labels": {"app": "api"}},
                "spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "3"}}}]}}}});
    serde_saphyr::to_string(&text).unwrap()
}

#[test]
fn the_worked_example() {
    let example = example();
    let arguments = ["simulate", "--from", &example, EXAMPLE_POD, "-n", "shop", "--now", NOW];
    let text = run(&arguments);
    for want in
        ["! shop/", "kube-scheduler evicts 2 pods on worker-3.", "Replacements of the victims"]
    {
        assert!(text.answer().contains(want), "{text:?}");
    }
    let json = run(&[&arguments[..], &["-o", "json"]].concat());
    assert_eq!(steps(&json, "cascade").len(), 2, "{json:?}");
    let yaml = run(&[&arguments[..], &["-o", "yaml"]].concat());
    assert_eq!(serde_saphyr::from_str::<Value>(yaml.answer()).unwrap(), json.json());
    let value = json.json();
    assert_eq!((&value["kind"], &value["notFollowed"]), (&json!("Simulation"), &json!(0)));
    let plan = &value["steps"][0]["plan"];
    assert_eq!((&plan["node"], &plan["secondsToRoom"]), (&json!("worker-3"), &json!(30)));
    assert_eq!(plan["victims"][0]["afterwards"], "Retried");
    assert_eq!(plan["victims"][0]["owners"], json!(["Job/stock-29670510", "CronJob/stock"]));
}

#[test]
fn selected_pods() {
    let json = ["-o", "json"];
    let with = |more: &[&str]| simulate(&cluster(), &[more, &json].concat());
    let (one, two) = ("web-1 Evict n2 old-2", "web-2 Awaits n2 old-2");
    answers(&with(&["web-1"]), 0, &[one]);
    answers(&with(&["pod/web-1", "po/web-1"]), 0, &[one]);
    answers(&with(&["pods", "web-2", "web-1"]), 0, &[one, two]);
    answers(&with(&[]), 0, &[one, two]);
    answers(&with(&["rs/web-7f"]), 0, &[one, two]);
    answers(&with(&["deploy/web"]), 0, &[one, two]);
    answers(&with(&["-n", "team"]), 1, &["other Impossible"]);
    answers(&with(&["-A"]), 1, &[one, two, "other Impossible"]);
    answers(&with(&["deploy/web", "--replicas", "1"]), 0, &["web-0 Evict n2 old-2"]);
    answers(&with(&["deploy/old"]), 1, &["old-0 Impossible"]);
    answers(&with(&["deploy/old", "rs/old-5d", "deploy/old"]), 1, &["old-0 Impossible"]);
    let none = with(&["-n", "empty"]);
    assert_eq!(
        (none.code, none.err.as_str()),
        (0, "No pods wait for a node in empty namespace.\n")
    );
    assert_eq!(steps(&none, "steps"), [""; 0]);
}

#[test]
fn pods_that_do_not_wait_are_not_planned_for() {
    let mut input = cluster();
    input.push(with(pod("done"), "/status/phase", json!("Succeeded")));
    let daemon = json!([{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "controller": true}]);
    input.push(with(on("agent-1", "n1", "0"), "/metadata/ownerReferences", daemon));
    for (arguments, want) in [
        (
            &["high"][..],
            "error: pod default/high is on node n1 already: there is nothing to plan for it",
        ),
        (
            &["web-1", "done"],
            "error: pod default/done has finished: there is nothing to plan for it",
        ),
        (
            &["ds/agent"],
            "error: daemonset agent has no more pods than nodes: one more makes no sense",
        ),
    ] {
        simulate(&input, arguments).fails(want);
    }
}

#[test]
fn manifests_from_everywhere() {
    let (empty, want) = ([node("n1")], ["api-0 Fits n1", "api-1 Impossible"]);
    answers(&simulate_file(&empty, &deployment(2), &[]), 1, &want);
    let one = simulate_file(&empty, &deployment(1), &[]);
    answers(&one, 0, &want[..1]);
    answers(&simulate_file(&empty, &deployment(2), &["--replicas", "1"]), 0, &want[..1]);
    let files = folder(&[
        ("cluster.json", list(&empty).as_bytes()),
        ("apps/a.yaml", deployment(1).as_bytes()),
        ("apps/deep/b.json", pod("b").to_string().as_bytes()),
        ("apps/notes.txt", b"not a manifest"),
    ]);
    let path = |name: &str| files.path().join(name).to_str().unwrap().to_owned();
    let (cluster, apps, deep) = (path("cluster.json"), path("apps"), path("apps/deep"));
    let from = ["simulate", "--from", &cluster, "--now", NOW, "-o", "json"];
    let stdin = run_with(&[&from[..], &["-f", "-"]].concat(), deployment(2).as_bytes());
    answers(&stdin, 1, &want);
    answers(&run(&[&from[..], &["-f", &apps]].concat()), 0, &want[..1]);
    answers(&run(&[&from[..], &["-f", &apps, "-R"]].concat()), 0, &["api-0 Fits n1", "b Fits n1"]);
    answers(
        &run(&[&from[..], &["-f", &deep, "-f", &apps]].concat()),
        0,
        &["b Fits n1", "api-0 Fits n1"],
    );
    let documents =
        format!("{}---\n---\n{}", deployment(1), serde_saphyr::to_string(&pod("b")).unwrap());
    answers(&simulate_file(&empty, &documents, &[]), 0, &["api-0 Fits n1", "b Fits n1"]);
    answers(
        &simulate_file(&empty, &list(&[pod("a"), pod("b")]), &[]),
        0,
        &["a Fits n1", "b Fits n1"],
    );
    answers(
        &simulate_file(&empty, &format!("{}\n{}", pod("a"), pod("b")), &[]),
        0,
        &["a Fits n1", "b Fits n1"],
    );
    answers(&simulate_file(&empty, &deployment(1), &["-n", "team"]), 0, &want[..1]);
    let team = simulate_file(&empty, &deployment(1), &["-n", "team"]).json();
    assert_eq!(team["steps"][0]["pod"], json!({"namespace": "team", "name": "api-0", "uid": ""}));
}

#[test]
fn other_objects_of_manifests_join_the_cluster() {
    let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "gold"}, "value": 5000});
    let mut wanted = with(pod("p"), "/spec/priorityClassName", json!("gold"));
    wanted["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!("4");
    let manifests = list(&[
        wanted,
        class,
        node("n3"),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}),
    ]);
    answers(&simulate_file(&cluster(), &manifests, &[]), 0, &["p Fits n3"]);
    let full = simulate_file(&cluster(), &manifests, &["--cordon", "n3"]);
    answers(&full, 0, &["p Evict n1,n2 high"].map(|_| "p Evict n2 old-2"));
    assert_eq!(full.json()["steps"][0]["priority"], 5000);
    let daemon = json!({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent"},
        "spec": {"selector": {"matchLabels": {"app": "agent"}},
            "template": {"metadata": {"labels": {"app": "agent"}}, "spec": {"containers": [{"name": "c"}]}}}});
    let joined = list(&[daemon, node("n3")]);
    answers(
        &simulate_file(&[node("n1")], &joined, &[]),
        0,
        &["agent-n1 Fits n1", "agent-n3 Fits n3"],
    );
}

#[test]
fn new_pods_come_with_notes_about_their_admission() {
    let notes = |run: &Run| {
        let json = run.json();
        json["notes"].as_array().unwrap().iter().map(note_text).collect::<Vec<_>>()
    };
    let said = notes(&simulate_file(&[node("n1")], &deployment(1), &[]));
    assert_eq!(
        said,
        [
            "-f: LimitRange defaults in namespace default are not applied: the input has no LimitRange",
            "-f: the input has no PriorityClasses: a pod without a class counts with priority 0",
            "-f: ResourceQuotas in namespace default are not checked: the input has none"
        ]
    );
    let range = json!({"kind": "LimitRange", "metadata": {"name": "l", "namespace": "default"},
        "spec": {"limits": [{"type": "Container", "default": {"cpu": "2"}}]}});
    let class = json!({"kind": "PriorityClass", "metadata": {"name": "std"}, "value": 7, "globalDefault": true});
    let mut plain = pod("p");
    plain["spec"]["containers"][0]["resources"] = json!({});
    let run = simulate_file(&[node("n1"), range, class], &plain.to_string(), &["--replicas", "3"]);
    answers(&run, 1, &["p-0 Fits n1", "p-1 Fits n1", "p-2 Impossible"]);
    assert_eq!(
        notes(&run)[..2],
        [
            "-f: defaults of LimitRange l in namespace default are applied",
            "-f: priority 7 comes from the default PriorityClass std"
        ]
    );
}

#[test]
fn what_if_flags_change_the_plan() {
    let files = folder(&[("n3.yaml", node("n3").to_string().as_bytes())]);
    let n3 = files.path().join("n3.yaml").to_str().unwrap().to_owned();
    for (arguments, code, want) in [
        (&["--priority", "5"][..], 1, "web-1 Impossible"),
        (&["--priority", "-7"], 1, "web-1 Impossible"),
        (&["--priority", "top"], 0, "web-1 Evict n2 old-2"),
        (&["--priority", "top", "--cordon", "n2"], 0, "web-1 Evict n1 high"),
        (&["--requests", "cpu=0"], 0, "web-1 Fits n1,n2"),
        (&["--requests", "cpu=0,memory=9Gi"], 1, "web-1 Impossible"),
        (&["--requests", "cpu=0", "--requests", "example.com/gpu=1"], 1, "web-1 Impossible"),
        (&["--node-selector", "zone=a"], 1, "web-1 Impossible"),
        (&["--add-node", &n3], 0, "web-1 Fits n3"),
        (&["--add-node", &n3, "--cordon", "n3"], 0, "web-1 Evict n2 old-2"),
        (&["--remove-pod", "high"], 0, "web-1 Fits n1"),
        (&["--remove-pod", "default/high"], 0, "web-1 Fits n1"),
        (&["--cordon", "n2"], 1, "web-1 Impossible"),
        (&["--free", "n1:cpu=1"], 0, "web-1 Fits n1"),
        (&["--free", "n1:memory=1Gi"], 0, "web-1 Evict n2 old-2"),
        (&["--drain", "n2"], 1, "web-1 Impossible"),
        (&["--drain", "n2", "--uncordon", "n2"], 0, "web-1 Fits n2"),
        (&["--remove-node", "n2"], 1, "web-1 Impossible"),
        (&["--add-node-like", "n1"], 0, "web-1 Fits n1-copy"),
        (&["--preemption-policy", "Never"], 1, "web-1 Impossible"),
        (&["--preemption-policy", "Never", "--as-if-preempting"], 0, "web-1 Evict n2 old-2"),
        (&["--preemption-policy", "Never", "--on", "n2"], 1, "web-1 Impossible"),
        (&["--pdb", "b=0"], 0, "web-1 Evict n2 old-2"),
        (&["--pdb", "default/b=0"], 0, "web-1 Evict n2 old-2"),
        (&["--on", "n2"], 0, "web-1 Evict n2 old-2"),
        (&["--on", "n1"], 1, "web-1 Impossible"),
    ] {
        let run = simulate(&cluster(), &[&["web-1", "-o", "json"], arguments].concat());
        answers(&run, code, &[want]);
        let violated = &run.json()["steps"][0]["plan"]["victims"][0]["budgets"][0]["violated"];
        let budget = if arguments[0] == "--pdb" { json!(true) } else { json!(false) };
        assert!(!want.ends_with("old-2") || *violated == budget, "{arguments:?}: {run:?}");
    }
}

#[test]
fn pods_are_listed_in_the_order_that_is_asked_for_and_decided_in_that_of_the_queue() {
    let waiting = |name: &str, priority: i32| with(pod(name), "/spec/priority", json!(priority));
    let fill = with(node("n1"), "/status/allocatable/cpu", json!("1"));
    let input = [fill, waiting("a", 1), waiting("b", 5), waiting("c", 3)];
    let names = |run: &Run| -> Vec<String> {
        let steps = run.json()["steps"].as_array().unwrap().clone();
        steps.iter().map(|step| step["pod"]["name"].as_str().unwrap().to_owned()).collect()
    };
    let by_queue = simulate(&input, &["-o", "json"]);
    assert_eq!(names(&by_queue), ["b", "c", "a"]);
    let by_name = simulate(&input, &["-o", "json", "--sort-by", ".pod.name"]);
    assert_eq!(names(&by_name), ["a", "b", "c"]);
    let outcome = |run: &Run, name: &str| {
        let steps = run.json()["steps"].as_array().unwrap().clone();
        steps.into_iter().find(|step| step["pod"]["name"] == name).unwrap()["outcome"].clone()
    };
    for name in ["a", "b", "c"] {
        assert_eq!(outcome(&by_queue, name), outcome(&by_name, name), "{name}");
    }
    let columns = ["-o", "custom-columns=POD:.pod.name", "--no-headers", "--sort-by", ".priority"];
    assert_eq!(simulate(&input, &columns).out, "a\nc\nb\n");
    let text = simulate(&input, &["--sort-by", ".pod.name"]).out;
    let places: Vec<Option<usize>> =
        ["default/a", "default/b", "default/c"].iter().map(|name| text.find(name)).collect();
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{text}");

    let unknown = simulate(&input, &["--sort-by", ".nothing"]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
    let apply = simulate(&input, &["a", "--apply", "--yes", "--sort-by", ".priority"]);
    assert!(apply.code == 2 && apply.err.contains("--sort-by"), "{apply:?}");
}

/// Eight pods that evict one each; of their victims no replacement finds room.
fn many() -> Vec<Value> {
    let owned = |index: usize| {
        let owner = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": format!("a-rather-long-name-of-an-owner-{index}"), "controller": true}]);
        with(
            on(&format!("a-rather-long-name-of-a-victim-{index}"), &format!("n{index}"), "4"),
            "/metadata/ownerReferences",
            owner,
        )
    };
    let nodes = (0..8).map(|index| node(&format!("n{index}")));
    let waiting = (0..8).map(|index| {
        let cpu = "/spec/containers/0/resources/requests/cpu";
        let large = with(pod(&format!("web-{index}")), cpu, json!("4"));
        with(large, "/spec/priority", json!(10))
    });
    nodes.chain((0..8).map(owned)).chain(waiting).collect()
}

#[test]
fn wide_has_a_paragraph_for_each_pod_and_cuts_nothing() {
    let text = simulate(&many(), &[]).out;
    assert_has(&text, "Placed, in queue order");
    let wide = simulate(&many(), &["-o", "wide"]).out;
    for index in 0..8 {
        assert_has(
            &wide,
            &format!("! default/web-{index} (priority 10): kube-scheduler evicts 1 pod"),
        );
        assert_has(&wide, &format!("default/a-rather-long-name-of-a-victim-{index}  "));
    }
    assert_begins(wide.lines().next().unwrap(), "8 of 8 pods placed by evicting 8 pods");
    // The message of a replacement is whole, with the part about preemption.
    assert_eq!(wide.matches("preemption: 0/8 nodes are available").count(), 8, "{wide}");
    assert!(!wide.contains("--all") && !wide.contains('…'), "{wide}");
}

#[test]
fn csv_has_a_row_for_each_pod_that_is_placed_evicted_or_replaced() {
    let run = simulate(&cluster(), &["-A", "-o", "csv"]);
    assert_eq!(run.code, 1, "{run:?}");
    let mut reader = csv::Reader::from_reader(run.out.as_bytes());
    let headers: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows: Vec<Vec<String>> =
        reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    let cells = |row: &Vec<String>, names: &[&str]| -> Vec<String> {
        let at = |name: &&str| headers.iter().position(|header| header == name).unwrap();
        names.iter().map(|name| row[at(name)].clone()).collect()
    };
    let parts: Vec<Vec<String>> = rows
        .iter()
        .map(|row| cells(row, &["PART", "POD", "OUTCOME", "NODE", "FOR", "OWNER", "BUDGETS"]))
        .collect();
    assert_eq!(
        parts[..4],
        [
            ["pod", "default/web-1", "Evict", "n2", "", "", ""],
            [
                "victim",
                "default/old-2",
                "Evicted",
                "n2",
                "default/web-1",
                "ReplicaSet/old-5d",
                "b: 1 > 0"
            ],
            ["pod", "default/web-2", "Awaits", "n2", "", "", ""],
            [
                "victim",
                "default/old-2",
                "Terminating",
                "n2",
                "default/web-2",
                "ReplicaSet/old-5d",
                ""
            ],
        ]
    );
    let replacement = rows.last().unwrap();
    assert_eq!(
        cells(replacement, &["PART", "DEPTH", "OUTCOME"]),
        ["replacement", "1", "Impossible"]
    );
    assert!(cells(replacement, &["WHY"])[0].starts_with("0/2 nodes are available"), "{rows:?}");

    // A drain has its victims and their replacements.
    let drain = simulate(&cluster(), &["--drain", "n2", "-o", "csv"]).out;
    assert_has(&drain, "victim,,default/old-2,5,Evicted,n2,drain of n2,");
    // No spreadsheet takes a name for a formula.
    let named = with(pod("x"), "/metadata/namespace", json!("=cmd|x"));
    let hostile = simulate(&[node("n1"), named], &["-A", "-o", "csv"]).out;
    assert_has(&hostile, "pod,0,'=cmd|x/x,");
    let apply = simulate(&cluster(), &["web-1", "--apply", "--yes", "-o", "csv"]);
    assert!(
        apply.code == 2 && apply.err.contains("--apply prints text, json or yaml"),
        "{apply:?}"
    );
}

#[test]
fn assumed_toleration_lets_pod_onto_tainted_node() {
    let mut tainted = node("n1");
    tainted["spec"] = json!({"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]});
    for (toleration, code) in [
        ("gpu", 0),
        ("gpu:NoSchedule", 0),
        ("gpu=yes:NoSchedule", 0),
        ("gpu=no", 1),
        ("gpu:NoExecute", 1),
    ] {
        let run =
            simulate(&[tainted.clone(), pod("web-1")], &["web-1", "--toleration", toleration]);
        assert_eq!(run.code, code, "{toleration}: {run:?}");
    }
}

#[test]
fn assumptions_are_reported() {
    let files = folder(&[("n3.yaml", node("n3").to_string().as_bytes())]);
    let n3 = files.path().join("n3.yaml").to_str().unwrap().to_owned();
    let arguments = ["web-1", "--requests", "cpu=500m", "--cordon", "n2", "--add-node", &n3];
    let text = simulate(&cluster(), &arguments);
    assert_begins(text.answer(), "Assuming n3 added, cpu=500m, n2 cordoned:\n✓ default/web-1");
    let run = simulate(&cluster(), &[&arguments[..], &["-o", "json"]].concat());
    let want = json!([
        {"op": "addNode", "node": "n3", "file": n3},
        {"op": "request", "resource": "cpu", "amount": "500m"},
        {"op": "cordon", "node": "n2"},
    ]);
    assert_eq!(run.json()["assumptions"], want);
    let plain = simulate(&cluster(), &["web-1"]);
    assert_lacks(plain.answer(), "Assuming");
    let none = simulate(&cluster(), &["web-1", "-o", "json"]);
    assert_eq!(none.json()["assumptions"], json!([]));
}

#[test]
fn an_assumption_is_no_mismatch() {
    let classed = with(pod("web-1"), "/spec/priorityClassName", json!("top"));
    let input = [
        node("n1"),
        json!({"kind": "PriorityClass", "metadata": {"name": "top"}, "value": 100_000}),
        classed,
    ];
    let said = |arguments: &[&str]| {
        let run = simulate(&input, &[&["web-1", "-o", "json"], arguments].concat());
        run.json()["notes"].to_string().contains("names priority class top")
    };
    assert!(said(&[]), "the pod itself has no priority");
    assert!(!said(&["--priority", "0"]) && !said(&["--priority", "top"]));
}

#[test]
fn how_far_the_cascade_is_followed() {
    let run = |depth: &str| simulate(&cluster(), &["web-1", "-o", "json", "--depth", depth]);
    assert_eq!(steps(&run("0"), "cascade"), [""; 0]);
    assert_eq!(run("0").json()["notFollowed"], 1);
    assert_eq!(steps(&run("1"), "cascade"), ["old-2 Impossible"]);
    assert_eq!(run("1").json()["notFollowed"], 0);
}

#[test]
fn exit_codes() {
    let unsure = with(pod("web-1"), "/spec/schedulerName", json!("volcano"));
    for (input, code) in [
        (vec![node("n1"), pod("web-1")], 0),
        (vec![node("n1"), on("a", "n1", "4"), with(pod("web-1"), "/spec/priority", json!(5))], 0),
        (vec![node("n1"), on("a", "n1", "4"), pod("web-1")], 1),
        (vec![node("n1"), unsure], 3),
        (vec![node("n1")], 2),
    ] {
        let run = simulate(&input, &["web-1"]);
        assert_eq!(run.code, code, "{run:?}");
    }
}

#[test]
fn victims_that_an_order_leaves_open() {
    let started =
        |name: &str| with(on(name, "n1", "1"), "/status/startTime", json!("2026-01-01T00:00:00Z"));
    let full = with(node("n1"), "/status/allocatable/cpu", json!("2"));
    let web = with(pod("web-1"), "/spec/priority", json!(5));
    let run = simulate(&[full, started("a"), started("b"), web], &["web-1", "-o", "json"]);
    let mut open = run.json()["steps"][0]["openVictims"].clone();
    let pods = open["pods"].take();
    let names: Vec<&str> =
        pods.as_array().unwrap().iter().map(|pod| pod["name"].as_str().unwrap()).collect();
    assert_eq!(
        (names, open),
        (vec!["a", "b"], json!({"fewest": 1, "most": 1, "pods": null, "complete": true}))
    );
}

#[test]
fn missing_objects_are_not_found() {
    for (arguments, want) in [
        (&["web-9"][..], "pods \"web-9\" not found"),
        (&["deploy/absent"], "deployments.apps \"absent\" not found"),
        (&["web-1", "--on", "n9"], "nodes \"n9\" not found"),
        (&["web-1", "--cordon", "n9"], "nodes \"n9\" not found"),
        (&["web-1", "--uncordon", "n9"], "nodes \"n9\" not found"),
        (&["web-1", "--drain", "n9"], "nodes \"n9\" not found"),
        (&["web-1", "--remove-node", "n9"], "nodes \"n9\" not found"),
        (&["web-1", "--add-node-like", "n9"], "nodes \"n9\" not found"),
        (&["web-1", "--remove-taint", "n9:gpu"], "nodes \"n9\" not found"),
        (&["web-1", "--label-node", "n9:a=b"], "nodes \"n9\" not found"),
        (&["web-1", "--free", "n9:cpu=1"], "nodes \"n9\" not found"),
        (&["web-1", "--remove-pod", "absent"], "pods \"default/absent\" not found"),
        (&["web-1", "--pdb", "absent=1"], "poddisruptionbudgets \"default/absent\" not found"),
        (&["web-1", "--priority", "absent"], "priorityclasses \"absent\" not found"),
    ] {
        simulate(&cluster(), arguments).fails(&format!("error: {want}"));
    }
}

#[test]
fn flags_that_make_no_sense() {
    for (arguments, want) in [
        (
            &["web-1", "--priority", "3000000000"][..],
            "--priority `3000000000`: a priority lies between",
        ),
        (&["web-1", "--requests", "cpu"], "--requests `cpu`: use RESOURCE=AMOUNT"),
        (&["web-1", "--requests", "gpu=1"], "--requests `gpu=1`: `gpu` is not a resource"),
        (&["web-1", "--requests", "cpu=-1"], "--requests `cpu=-1`: a request cannot be negative"),
        (&["web-1", "--toleration", "a:Never"], "--toleration `a:Never`: use KEY"),
        (&["web-1", "--node-selector", "zone"], "--node-selector `zone`: use KEY=VALUE"),
        (&["web-1", "--pdb", "b=-1"], "--pdb `b=-1`: use [NAMESPACE/]NAME=N"),
        (&["web-1", "--remove-taint", "n1:gpu"], "node n1 has no taint gpu: it has none"),
        (&["web-1", "--label-node", "n1"], "--label-node `n1`: use NODE:KEY=VALUE"),
        (&["web-1", "--label-node", "n1:a b=c"], "`a b` is not a label key"),
        (&["web-1", "--remove-taint", "n1"], "--remove-taint `n1`: use NODE:KEY"),
        (&["web-1", "--free", "n1"], "--free `n1`: use NODE:RESOURCE=AMOUNT"),
        (&["web-1", "--remove-pod", "a/b/c"], "--remove-pod `a/b/c`: use [NAMESPACE/]NAME"),
        (
            &["web-1", "--remove-pod", "web-1"],
            "pod default/web-1 is the one to place: it cannot be removed",
        ),
        (
            &["web-1", "--dry-run"],
            "--dry-run needs --apply: without it, simulate shows the plan and changes nothing",
        ),
        (&["web-1", "--wait", "--yes"], "--yes and --wait need --apply: "),
        (&["web-1", "-A"], "--all-namespaces simulates every pending pod"),
        (&["web-1", "--replicas", "2"], "--replicas needs a manifest"),
        (&["web-1", "--call-extenders"], "simulate changes the cluster"),
        (&["-f", "-"], "standard input can be read once"),
        (&["web-1", "--add-node", "-"], "standard input can be read once"),
        (
            &["-f", "https://example.com/a.yaml"],
            "-f https://example.com/a.yaml: manifests are read from files",
        ),
        (&["Svc/web"], "the resource type `Svc` has no pods"),
    ] {
        let run = simulate(&cluster(), arguments);
        assert_begins(run.error(), &format!("error: {want}"));
    }
    for arguments in [
        &["web-1", "--replicas", "0"][..],
        &["web-1", "--replicas", "x"],
        &["web-1", "--depth", "x"],
    ] {
        let run = simulate(&cluster(), arguments);
        assert_has(run.error(), "`: use a whole number");
    }
}

#[test]
fn manifests_that_cannot_be_used() {
    let deployment = |spec: &str| {
        format!("apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: api}}\nspec: {spec}")
    };
    for (text, want) in [
        (String::new(), "m.yaml: the file is empty"),
        ("# nothing".to_owned(), "m.yaml: no Kubernetes object in it"),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}".to_owned(),
            "-f: no pod in it, and no workload that makes pods",
        ),
        ("a: b".to_owned(), "m.yaml: not a Kubernetes object: it has no kind"),
        ("- a\n- b".to_owned(), "m.yaml: not a Kubernetes object: it has no kind"),
        ("apiVersion: v1\nkind: Pod".to_owned(), "m.yaml: line 1: a Pod without metadata.name"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: p}".to_owned(), "-f: Pod default/p has no spec"),
        (
            deployment("{}"),
            "m.yaml: Deployment api (line 1): spec.selector: Required value: select the labels of spec.template",
        ),
        (
            deployment(
                "{replicas: 99999, selector: {matchLabels: {app: api}}, template: {metadata: {labels: {app: api}}, spec: {containers: [{name: c}]}}}",
            ),
            "m.yaml: line 1: Deployment api: 99999 pods are too many: at most 10000 are simulated",
        ),
        (
            "# agents\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: d, namespace: kube-system}\n\
             spec: {template: {spec: {tolerations: {}}}}"
                .to_owned(),
            "m.yaml: DaemonSet kube-system/d (line 2): spec.template.spec.tolerations: expected a list, found an object",
        ),
        (
            deployment("{replicas: \"3\"}"),
            "m.yaml: Deployment api (line 1): spec.replicas: expected a whole number of 32 bits, found \"3\"",
        ),
        (
            deployment("{replica: 3}"),
            "m.yaml: Deployment api (line 1): unknown field \"spec.replica\"",
        ),
        (
            deployment("{replicas: -1}"),
            "m.yaml: Deployment api (line 1): spec.replicas: Invalid value: -1: must be greater than or equal to 0",
        ),
        (
            "apiVersion: apps/v1\nkind: Deploymnt\nmetadata: {name: api}".to_owned(),
            "m.yaml: Deploymnt api (line 1): no matches for kind \"Deploymnt\" in version \"apps/v1\"",
        ),
        ("kind: Pod\nmetadata: {name: p}".to_owned(), "m.yaml: Pod p (line 1): apiVersion not set"),
    ] {
        let run = simulate_file(&cluster(), &text, &[]);
        assert_eq!(run.error(), format!("error: {want}"), "{text}");
    }
    let run = simulate(&cluster(), &["-f", "/nowhere/at/all.yaml"]);
    assert_eq!(run.error(), "error: /nowhere/at/all.yaml: no such file or directory");
    let run = simulate(&cluster(), &["web-1", "--add-node", "/nowhere/at/all.yaml"]);
    assert_eq!(run.error(), "error: /nowhere/at/all.yaml: no such file or directory");
}

#[test]
fn workload_without_replicas_makes_no_pods() {
    let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api}\nspec: {replicas: 0, \
        selector: {matchLabels: {app: api}}, template: {metadata: {labels: {app: api}}, spec: {containers: [{name: c}]}}}";
    let run = run_with(
        &["simulate", "--from", "examples/drain/cluster.yaml", "--now", NOW, "-f", "-"],
        text.as_bytes(),
    );
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.starts_with("No new pods.\n"), "{run:?}");
    assert!(run.out.contains("say how many with --replicas"), "{run:?}");
}

#[test]
fn refused_pods_are_named_and_the_others_are_decided_about() {
    let refused = |spec: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: api}}\n\
             spec: {{selector: {{matchLabels: {{app: api}}}}, template: {{metadata: {{labels: {{app: api}}}}, spec: {spec}}}}}\n"
        )
    };
    let absent = refused("{priorityClassName: absent, containers: [{name: c}]}");
    let run = simulate_file(&cluster(), &absent, &[]);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{run:?}");
    let why = "no PriorityClass with name absent was found";
    assert_eq!(run.json()["refused"][0]["why"], why);
    assert_eq!(run.json()["steps"], json!([]));

    // Limits of a namespace and quotas reject, too; pods that fit are still placed.
    let mut input = vec![node("n1")];
    input.push(json!({"kind": "LimitRange", "metadata": {"name": "l", "namespace": "default"},
        "spec": {"limits": [{"type": "Container", "max": {"cpu": "1"}}]}}));
    input.push(json!({"kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "default"},
        "spec": {"hard": {"pods": "1"}}, "status": {"hard": {"pods": "1"}, "used": {"pods": "0"}}}));
    let large = refused("{containers: [{name: c, resources: {limits: {cpu: 2}}}]}");
    let small = "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: small}\nspec: {replicas: 2, \
         selector: {matchLabels: {app: small}}, template: {metadata: {labels: {app: small}}, spec: {containers: [{name: c}]}}}\n";
    let run = simulate_file(&input, &format!("{large}---\n{small}"), &[]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(steps(&run, "steps"), ["small-0 Fits n1"]);
    let whys: Vec<String> = run.json()["refused"]
        .as_array()
        .unwrap()
        .iter()
        .map(|refused| format!("{}: {}", refused["pod"]["name"], refused["why"]))
        .collect();
    assert_eq!(
        whys,
        [
            "\"api-0\": \"LimitRange l: maximum cpu usage per Container is 1, and the limit is more\"",
            "\"small-1\": \"ResourceQuota q: pods is limited to 1, and 0 of it is used besides the pods before this one\"",
        ]
    );
    let files = folder(&[("m.yaml", large.as_bytes())]);
    let path = files.path().join("m.yaml");
    let text = simulate(&input, &["-f", path.to_str().unwrap()]);
    for part in ["0 of 1 pod placed", "m.yaml:1): the API server would refuse it: LimitRange l"] {
        assert!(text.out.contains(part), "{part}: {text:?}");
    }
}

#[test]
fn nodes_that_are_added_are_nodes() {
    let files = folder(&[("pod.json", pod("x").to_string().as_bytes())]);
    let path = files.path().join("pod.json").to_str().unwrap().to_owned();
    let run = simulate(&cluster(), &["web-1", "--add-node", &path]);
    assert_eq!(run.error(), format!("error: {path}: --add-node takes objects of kind Node alone"));
}

#[test]
fn help_has_what_if_flags_under_their_heading_and_no_others() {
    for flag in ["-h", "--help"] {
        let help = run(&["simulate", flag]);
        let section = help.answer().split("What if:").nth(1).unwrap();
        let section = section
            .split("\n\n")
            .take_while(|part| !part.contains("Examples:"))
            .collect::<Vec<_>>()
            .join("\n");
        let section =
            section.split("\nGate:").next().unwrap().split("\nConnection:").next().unwrap();
        let names = section
            .lines()
            .filter_map(|l| l.trim().strip_prefix("--"))
            .filter_map(|l| l.split([' ', '=']).next());
        let want = [
            "priority",
            "preemption-policy",
            "as-if-preempting",
            "requests",
            "toleration",
            "node-selector",
            "add-node",
            "add-node-like",
            "remove-pod",
            "free",
            "cordon",
            "uncordon",
            "drain",
            "label-node",
            "remove-taint",
            "remove-node",
            "pdb",
            "on",
        ];
        assert_eq!(names.collect::<Vec<_>>(), want, "{help:?}");
    }
}

#[test]
fn manifests_with_what_makes_no_pods_now_are_simulated_with_a_note() {
    let template = "template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}";
    let volcano = "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: gang}\nspec: {tasks: []}\n";
    let text = format!(
        "{volcano}---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: train}}\nspec: {{suspend: true, {template}}}\n"
    );
    let run = simulate_file(&cluster(), &text, &[]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    for note in
        ["Job default/train is suspended: ", "Job gang of batch.volcano.sh is passed over: "]
    {
        assert!(run.out.contains(note), "{note}: {run:?}");
    }
    let alone = simulate_file(&cluster(), volcano, &[]);
    assert_begins(alone.error(), "error: -f: Job gang of batch.volcano.sh is passed over: ");
}

#[test]
fn many_pods_begin_with_a_line_about_all() {
    let mut input = vec![node("n1"), on("batch-1", "n1", "4")];
    input.extend(
        (0..12).map(|index| with(pod(&format!("web-{index:02}")), "/spec/priority", json!(5))),
    );
    let text = simulate(&input, &["-A"]);
    let first = text.out.lines().next().unwrap_or_default();
    assert!(first.contains(" of 12 pods placed by evicting 1 pod"), "{text:?}");
    assert!(text.out.lines().count() < 40, "{text:?}");
    let totals = simulate(&input, &["-A", "-o", "json"]).json()["totals"].clone();
    assert_eq!((&totals["pods"], &totals["evicted"]), (&json!(12), &json!(1)));
    assert!(first.starts_with(&format!("{} of 12 pods", totals["placed"])), "{first}: {totals}");
}

/// The replacement of a victim has its name and is preempted in its turn.
#[test]
fn pod_that_is_preempted_twice_is_named_once() {
    let placed = |name: &str, on_node: &str, cpu: &str, owner: &str, priority: i32| {
        let owned = with(on(name, on_node, cpu), "/spec/priority", json!(priority));
        let owner = json!([{
            "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner,
            "controller": true,
        }]);
        with(owned, "/metadata/ownerReferences", owner)
    };
    let mut input = vec![node("n1"), node("n2")];
    input.extend(
        [("web-1", "1"), ("web-2", "3")].map(|(name, cpu)| placed(name, "n1", cpu, "web", 10)),
    );
    input.extend(["l0", "l1", "l2", "l3"].map(|name| placed(name, "n2", "1", "low", 0)));
    let drain = simulate(&input, &["--drain", "n1"]);
    let row = drain.out.lines().find(|line| line.contains("default/web ")).unwrap_or_default();
    for name in ["l0", "l1", "l2", "l3"] {
        assert!(row.matches(&format!("default/{name}")).count() < 2, "{drain:?}");
    }
    assert!(row.contains("evicts default/l") && row.ends_with("and 1 more"), "{drain:?}");
    assert_has(&drain.out, "1 Insufficient cpu and 1 other reason");
}

#[test]
fn drain_alone_is_about_the_pods_that_leave() {
    let drain = simulate(&cluster(), &["--drain", "n2"]);
    assert_eq!(drain.code, 1, "{drain:?}");
    for want in [
        "✗ n2 drains, but 1 pod stays Pending (up to 3 by timing) in all 64 orders tried; no PDB blocks it.",
        "\n  kubectl drain n2\n",
        "  default/old-2  1     nowhere ",
    ] {
        assert!(drain.out.contains(want), "{want}: {drain:?}");
    }
    let json = simulate(&cluster(), &["--drain", "n2", "-o", "json"]).json();
    assert_eq!(
        (&json["drains"][0]["node"], &json["drains"][0]["victims"][0]["name"]),
        (&json!("n2"), &json!("old-2"))
    );
    assert_eq!(json["steps"], json!([]));
    // The same drain is played as by `node`, and said in its words: what a budget refuses to the end never
    // leaves.
    let mut ready = cluster();
    ready[3]["status"] =
        json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]});
    ready.push(node("n3"));
    let refused = simulate(&ready, &["--drain", "n2", "--pdb", "b=0"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.out.starts_with("Assuming budget default/b allows 0:\n"), "{refused:?}");
    assert_has(&refused.out, "n2 cannot be drained");
    // Pods that wait already want the same room.
    let room = simulate(&ready, &["--drain", "n2", "-o", "json"]).json();
    let first: Vec<String> = room["competing"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["pod"]["name"].to_string())
        .collect();
    assert!(first.contains(&"\"web-1\"".to_owned()), "{first:?}");
    let bare = simulate(&cluster(), &["--drain", "n1"]);
    assert_has(&bare.out, "kubectl drain n1 --force\n");
    assert_has(&bare.out, "default/high has no controller: it is lost");
    let both = simulate(&cluster(), &["--drain", "n1,n2", "-o", "json"]).json();
    assert_eq!(both["drains"].as_array().map(Vec::len), Some(2));
    // Beside pods it is an assumption, as before.
    let pods = simulate(&cluster(), &["web-1", "--drain", "n1", "-o", "json"]);
    assert_eq!(steps(&pods, "steps"), ["web-1 Evict n2 old-2"]);
    simulate(&cluster(), &["--drain", "n9"]).fails("error: nodes \"n9\" not found");
}

/// Two pods fill the node that `vip` needs.
fn one_room(others: &[Value]) -> Vec<Value> {
    let waiting = |name: &str, priority: i64| {
        let pod = with(pod(name), "/spec/containers/0/resources/requests/cpu", json!("4"));
        with(pod, "/spec/priority", json!(priority))
    };
    let mut objects = vec![
        with(node("n1"), "/status/allocatable/cpu", json!("4")),
        on("v1", "n1", "2"),
        on("v2", "n1", "2"),
        waiting("vip", 1000),
    ];
    objects.extend_from_slice(others);
    objects
}

#[test]
fn pending_pod_that_comes_first_is_named_by_every_command() {
    let king = with(pod("king"), "/spec/containers/0/resources/requests/cpu", json!("4"));
    let king = with(king, "/spec/priority", json!(5000));
    let king = with(king, "/spec/preemptionPolicy", json!("Never"));
    let input = list(&one_room(&[king]));
    let ask = |arguments: &[&str]| {
        run_with(&[arguments, &["--from", "-", "--now", NOW]].concat(), input.as_bytes())
    };
    let first_line = |run: &Run| run.out.lines().next().unwrap_or_default().to_owned();
    let clause = "but default/king (priority 5000) comes first and takes that room";
    for arguments in [["explain", "vip"].as_slice(), &["simulate", "vip"]] {
        let run = ask(arguments);
        assert_has(&first_line(&run), clause);
        assert_eq!(run.code, 3, "{run:?}");
    }
    let json = ask(&["simulate", "vip", "-o", "json"]).json();
    let competitor = &json["steps"][0]["plan"]["competitors"][0];
    assert_eq!(
        (&competitor["name"], &competitor["certainty"]),
        (&json!("king"), &json!("ComesFirst"))
    );
    let json = ask(&["explain", "vip", "-o", "json"]).json();
    assert_eq!(json["competitors"][0]["reason"], "HigherPriority");
    for arguments in [["pending"].as_slice(), &["pending", "--in-order"]] {
        let run = ask(arguments);
        assert_has(&run.out, "n1?");
        assert_has(&run.out, "default/king comes first");
    }
}

#[test]
fn pending_pod_of_equal_priority_may_take_the_room() {
    let first = with(pod("first"), "/spec/containers/0/resources/requests/cpu", json!("4"));
    let first = with(first, "/spec/priority", json!(1000));
    let run = simulate(&one_room(&[first]), &["vip"]);
    assert_has(&run.out, "but default/first (priority 1000) may take that room");
    assert_eq!(run.code, 0, "{run:?}");
}
