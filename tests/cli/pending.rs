//! `pending`: a line for every pod that waits.

use serde_json::{Value, json};
use testing::{assert_begins, assert_has};

use super::{Command, NOW, Run, list, node, pod, run, run_with, with};

fn pending(items: &[Value], more: &[&str]) -> Run {
    run_with(&[&["pending", "--from", "-", "--now", NOW], more].concat(), list(items).as_bytes())
}

fn important(name: &str, priority: i32, cpu: &str) -> Value {
    let pod = with(pod(name), "/spec/priority", json!(priority));
    let pod = with(pod, "/metadata/creationTimestamp", json!("2026-06-01T11:00:00Z"));
    with(pod, "/spec/containers/0/resources/requests/cpu", json!(cpu))
}

/// One pod of each sort, in two namespaces.
fn sorts() -> Vec<Value> {
    let victim = with(
        with(important("victim", 0, "3"), "/spec/nodeName", json!("n1")),
        "/status/phase",
        json!("Running"),
    );
    vec![
        node("n1"),
        victim,
        important("a-huge", 5, "64"),
        important("b-fits", 5, "1"),
        with(important("c-preempts", 100, "4"), "/metadata/namespace", json!("other")),
        with(important("d-gated", 0, "1"), "/spec/schedulingGates", json!([{"name": "wait"}])),
        with(important("e-foreign", -1, "1"), "/spec/schedulerName", json!("mine")),
    ]
}

#[test]
fn a_line_each_the_most_important_first() {
    let answer = pending(&sorts(), &["-A"]);
    let lines: Vec<Vec<&str>> = answer
        .answer()
        .lines()
        .map(|line| line.split("  ").filter(|cell| !cell.is_empty()).map(str::trim).collect())
        .collect();
    assert_eq!(
        lines,
        [
            vec![
                "5 pending, each decided alone: 1 fits now, 1 preempts, 1 blocked, 1 gated, 1 not in the queue; together: 1 preempts, 2 blocked, 1 gated, 1 not in the queue"
            ],
            vec![
                "Rules: kube-scheduler 1.37 (assumed: no version in the input)",
                "File: standard input",
                "As of: 2026-06-01 12:00:00 UTC"
            ],
            vec![
                "NAMESPACE",
                "NAME",
                "PRIORITY",
                "AGE",
                "VERDICT",
                "CAUSE",
                "NODE",
                "VICTIMS",
                "WAITING ON"
            ],
            vec![
                "other",
                "c-preempts",
                "100",
                "60m",
                "preempts",
                "1/1 cpu: requests 4, 1 free of 4 (n1)",
                "n1?",
                "1",
                "kube-scheduler; default/e-foreign may take the room"
            ],
            vec![
                "default",
                "a-huge",
                "5",
                "60m",
                "blocked",
                "1/1 cpu: needs 64, no node has more than 4",
                "-",
                "-",
                "kube-scheduler"
            ],
            vec![
                "default",
                "b-fits",
                "5",
                "60m",
                "fits",
                "no scheduler has looked at it",
                "n1",
                "-",
                "kube-scheduler"
            ],
            vec!["default", "d-gated", "0", "60m", "gated", "-", "-", "-", "gate wait"],
            vec![
                "default",
                "e-foreign",
                "-1",
                "60m",
                "not-queued",
                "no scheduler has looked at it",
                "-",
                "-",
                "scheduler mine"
            ],
            vec![
                "Counted one by one, so several may count on the same room; --in-order places them together."
            ],
        ]
    );
}

#[test]
fn each_format_lists_the_pods_of_the_scope() {
    assert_eq!(pending(&sorts(), &["-n", "other", "-o", "name"]).answer(), "pod/c-preempts\n");
    assert_eq!(
        pending(&sorts(), &["-o", "name"]).answer(),
        "pod/a-huge\npod/b-fits\npod/d-gated\npod/e-foreign\n"
    );
    let wide = pending(&sorts(), &["-A", "-o", "wide"]);
    for what in ["Insufficient cpu (cpu: requests 4, 1 free of 4)", "  default/victim  "] {
        assert!(wide.answer().contains(what), "{wide:?}");
    }
    let bare = pending(&sorts(), &["-n", "other", "--no-headers"]);
    assert!(
        bare.answer().starts_with("c-preempts  100  60m  preempts  ")
            && bare.out.lines().count() == 1,
        "{bare:?}"
    );
    let yaml = pending(&sorts(), &["-A", "-o", "yaml"]);
    assert_has(yaml.answer(), "kind: PendingList\n");
}

#[test]
fn columns_and_order_as_kubectl_has_them() {
    let columns = "custom-columns=POD:.name,NODE:.nodes[0],WHY:.cause.plugin";
    let table = pending(&sorts(), &["-A", "--sort-by", ".priority", "-o", columns]);
    let rows: Vec<Vec<&str>> =
        table.answer().lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["POD", "NODE", "WHY"]);
    assert_eq!(rows[1], ["e-foreign", "<none>", "<none>"]);
    assert_eq!(rows[5], ["c-preempts", "n1", "NodeResourcesFit"]);
    let bare = pending(&sorts(), &["-A", "--no-headers", "-o", columns]);
    assert_eq!(bare.answer().lines().count(), 5);
    let names = pending(&sorts(), &["-A", "--sort-by={.name}", "-o", "name"]);
    assert_eq!(
        names.answer(),
        "pod/a-huge\npod/b-fits\npod/c-preempts\npod/d-gated\npod/e-foreign\n"
    );
    for wrong in
        [&["-o", "custom-columns=POD"][..], &["-o", "custom-columns"], &["--sort-by", "{.name"]]
    {
        assert_eq!(pending(&sorts(), wrong).code, 2, "{wrong:?}");
    }
}

/// Fields that only pods have that a program other than kube-scheduler acts on, or of groups.
const LEFT_OUT: [&str; 7] = [
    "autoscaling",
    "competitorsTotal",
    "holder",
    "nomination",
    "pdbsUnknown",
    "podGroup",
    "whoActs",
];

#[test]
fn json_has_verdict_victims_and_cause_of_each_pod() {
    let json = pending(&sorts(), &["-A", "-o", "json"]).json();
    assert_eq!(
        (&json["kind"], &json["apiVersion"]),
        (&json!("PendingList"), &json!("kubectl-preempt.github.io/v1"))
    );
    assert_eq!(json["inOrder"], false);
    let summary = json!({"Fits": 1, "Preempts": 1, "Waits": 0, "Blocked": 1, "Error": 0, "Gated": 1, "NotInQueue": 1});
    assert_eq!(json["summary"], summary);
    let first = &json["items"][0];
    assert_eq!((&first["verdict"], &first["nodes"]), (&json!("Preempts"), &json!(["n1"])));
    assert_eq!(
        (&first["victims"], &first["numPDBViolations"]),
        (&json!(["default/victim"]), &json!(0))
    );
    assert_eq!(first["cause"]["plugin"], "NodeResourcesFit");
    assert_eq!(first["cause"]["details"], json!(["cpu: requests 4, 1 free of 4"]));
    let unseen = &json["items"][2]["cause"]["reasons"];
    assert_eq!(*unseen, json!(["no scheduler has looked at it"]));
    let schema: Value = serde_json::from_str(&run(&["schema"]).out).unwrap();
    let known = schema["$defs"]["PendingPod"]["properties"].as_object().unwrap();
    let fields: Vec<&String> = first.as_object().unwrap().keys().collect();
    let left_out: Vec<&String> = known.keys().filter(|field| !fields.contains(field)).collect();
    assert!(
        fields.iter().all(|field| known.contains_key(*field)) && left_out == LEFT_OUT,
        "{fields:?}, without {left_out:?}"
    );
    assert!(known.contains_key("podGroup"), "only a group has it");
}

/// Three pods of a ReplicaSet that ask for most of the only node, and one of another namespace.
fn replicas() -> Vec<Value> {
    let owner = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u", "controller": true}]);
    let replica = |name: &str| {
        let pod = with(important(name, 5, "3"), "/metadata/ownerReferences", owner.clone());
        with(pod, "/metadata/labels", json!({"app": "web"}))
    };
    let other = with(important("small", 1, "1"), "/metadata/namespace", json!("other"));
    vec![node("n1"), replica("web-a"), replica("web-b"), replica("web-c"), other]
}

/// Name, verdict and node of each row.
fn placements(run: &Run) -> Vec<(String, String, String)> {
    let row = |line: &str| {
        let cells: Vec<&str> =
            line.split("  ").filter(|cell| !cell.is_empty()).map(str::trim).collect();
        (cells[0].to_owned(), cells[3].to_owned(), cells[5].to_owned())
    };
    run.answer().lines().map(row).collect()
}

#[test]
fn pods_of_one_owner_are_one_row_of_the_text() {
    let text = pending(&replicas(), &["--no-headers"]);
    let row = |name: &str, verdict: &str, node: &str| {
        (name.to_owned(), verdict.to_owned(), node.to_owned())
    };
    assert_eq!(placements(&text), [row("ReplicaSet/web (3 pods)", "fits", "n1")]);
    assert_eq!(pending(&replicas(), &["-o", "wide", "--no-headers"]).answer().lines().count(), 3);
    assert_eq!(pending(&replicas(), &["-o", "name"]).answer(), "pod/web-a\npod/web-b\npod/web-c\n");
    let json = pending(&replicas(), &["-A", "-o", "json"]).json();
    let owners: Vec<&Value> =
        json["items"].as_array().unwrap().iter().map(|item| &item["owner"]).collect();
    let web = json!({"kind": "ReplicaSet", "name": "web", "uid": "u"});
    assert_eq!(owners, [&web, &web, &web, &Value::Null]);
}

#[test]
fn in_order_each_sees_where_the_earlier_ones_went() {
    let row = |name: &str, verdict: &str, node: &str| {
        (name.to_owned(), verdict.to_owned(), node.to_owned())
    };
    let text = pending(&replicas(), &["--in-order", "--no-headers"]);
    let want = [row("web-a", "fits", "n1"), row("ReplicaSet/web (2 pods)", "blocked", "-")];
    assert_eq!(placements(&text), want);
    let text = pending(&replicas(), &["--in-order", "-A"]);
    assert_begins(text.answer(), "4 pending, in queue order: 2 fit now, 2 blocked\n");
    let last =
        "The pods are placed one after the other: each is decided with the earlier ones placed.";
    assert_eq!(text.out.lines().last(), Some(last));
    let json = pending(&replicas(), &["--in-order", "-l", "app=web", "-o", "json"]).json();
    assert_eq!((&json["inOrder"], json["items"].as_array().unwrap().len()), (&json!(true), 3));
    let verdicts: Vec<&Value> =
        json["items"].as_array().unwrap().iter().map(|item| &item["verdict"]).collect();
    assert_eq!(verdicts, ["Fits", "Blocked", "Blocked"]);
    let simulated = run_with(
        &["simulate", "-A", "--from", "-", "--now", NOW, "-o", "json"],
        list(&replicas()).as_bytes(),
    );
    let outcomes: Vec<Value> = simulated.json()["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["outcome"].clone())
        .collect();
    assert_eq!(outcomes, ["Fits", "Impossible", "Impossible", "Fits"], "as simulate -A");
}

#[test]
fn exit_codes_with_and_without_pending_pods() {
    let nobody = pending(&[node("n1")], &[]);
    assert_eq!((nobody.code, nobody.out.as_str()), (0, ""));
    assert_eq!(nobody.err, "No pods wait for a node in default namespace.\n");
    let unsure = with(
        pod("u"),
        "/spec/volumes",
        json!([{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]),
    );
    let answer = pending(&[node("n1"), unsure], &[]);
    assert_eq!(answer.code, 3, "{answer:?}");
    assert!(answer.out.contains("?  ") && answer.out.contains("\nNotes\n"), "{answer:?}");
}

#[test]
fn pods_with_labels() {
    let labelled = |name: &str, app: &str| with(pod(name), "/metadata/labels", json!({"app": app}));
    let items = [node("n1"), labelled("a", "web"), labelled("b", "db"), pod("c")];
    let names = |command: &str, selector: &str| {
        let run = run_with(
            &[command, "--from", "-", "--now", NOW, "-l", selector, "-o", "json"],
            list(&items).as_bytes(),
        );
        let json = run.json();
        let items = json["items"].as_array().unwrap().iter();
        items
            .map(|i| i.pointer("/pod/name").unwrap_or(&i["name"]).as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    for command in ["pending", "explain", "verify"] {
        assert_eq!(names(command, "app"), ["a", "b"], "{command}");
        assert_eq!(names(command, "app!=web"), ["b", "c"], "{command}");
    }
    assert_eq!(
        pending(&items, &["-l", "app=none"]).err,
        "No pods with these labels wait for a node in default namespace.\n"
    );
    let named = run_with(&["explain", "a", "-l", "app", "--from", "-"], list(&items).as_bytes());
    named.fails("error: a pod cannot be named together with a label selector (-l)");
    let odd = pending(&items, &["-l", "app in web"]);
    odd.fails("error: -l `app in web`: `app in web` is not a requirement of a label selector");
    let files = run(&["simulate", "-f", "x", "-l", "app", "--from", "y"]);
    assert_eq!(files.error(), "error: -l selects pods that are there: it does not go with -f");
}

#[test]
fn flags_that_do_not_go_together() {
    for (arguments, problem) in [
        (&["pending", "web"][..], "error: kubectl preempt pending takes no argument `web`"),
        (
            &["pending", "-o", "xml"],
            "error: unable to match a printer suitable for the output format \"xml\", allowed formats are: custom-columns,html,json,jsonpath,name,openmetrics,text,wide,yaml",
        ),
        (
            &["pending", "--in-order", "--call-extenders"],
            "error: --in-order does not go with --call-extenders",
        ),
        (
            &["pending", "--now", "soon", "--from", "-"],
            "error: --now `soon` is not an RFC 3339 time",
        ),
    ] {
        run(arguments).fails(problem);
    }
}

#[test]
fn a_file_does_not_change() {
    for (arguments, problem) in [
        (&["pending", "-w", "--from", "x"][..], "error: --watch does not go with --from"),
        (&["pending", "-w", "--now", NOW], "error: --watch does not go with --now"),
        (&["pending", "--interval", "5s"], "error: --interval needs --watch"),
        (
            &["pending", "-w", "--interval", "often"],
            "error: --interval `often`: use a number of seconds, or a number with a unit (e.g. 1s, 2m, 3h)",
        ),
    ] {
        run(arguments).fails(problem);
    }
}

/// A shell takes each line for arguments of kubectl.
#[test]
fn name_that_is_none_is_not_shown_as_one() {
    for name in ["x --kubeconfig=/tmp/evil", "-A", "Web", "a/b", "x\ny"] {
        let items = [sorts(), vec![important(name, 7, "1")]].concat();
        let run = pending(&items, &["-A", "-o", "name"]);
        assert_eq!((run.out.as_str(), run.code), ("", 2), "{run:?}");
        assert_has(
            run.error(),
            " is no name of an object, and -o name shows names alone: use -o json",
        );
        let explained = ["explain", "--from", "-", "--now", NOW, "-A", "-o", "name"];
        let victim = with(
            with(important(name, 0, "3"), "/spec/nodeName", json!("n1")),
            "/status/phase",
            json!("Running"),
        );
        let run =
            run_with(&explained, list(&[node("n1"), victim, important("c", 100, "4")]).as_bytes());
        assert_eq!((run.out.as_str(), run.code), ("", 2), "{run:?}");
    }
}

/// With several threads, decisions about pods that differ are made at once, ahead of the list.
#[test]
fn list_decided_by_several_threads_is_that_of_one() {
    let mut items = sorts();
    for number in 0..24 {
        let cpu = ["1", "2", "3", "4", "64"][number % 5];
        let pod = important(&format!("w{number:02}"), i32::try_from(number % 3).unwrap(), cpu);
        // Some are alike, some are not.
        let labels = json!({"app": (number % 4).to_string()});
        items.push(with(pod, "/metadata/labels", labels));
    }
    // So many nodes that `explain` writes each pod when it is explained.
    items.extend((2..40).map(|number| node(&format!("n{number}"))));
    let input = list(&items);
    for (nth, question) in [
        ["pending", "-o", "json"],
        ["explain", "-o", "json"],
        ["explain", "-o", "yaml"],
        ["explain", "-o", "text"],
    ]
    .into_iter()
    .enumerate()
    {
        let decided = |threads: &str| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
            command.args(question).args(["--from", "-", "--now", NOW, "-A"]);
            let command = command.env("RAYON_NUM_THREADS", threads);
            let output = command.write_stdin(input.clone()).output().unwrap();
            (output.status.code(), String::from_utf8(output.stdout).unwrap())
        };
        let one = decided("1");
        for number in 0..24 {
            assert!(one.1.contains(&format!("w{number:02}")), "{question:?}: {one:?}");
        }
        // With every change one number of threads for each question, in turn.
        let part = testing::share::of(3, 1);
        for threads in ["8", "2", "3"].into_iter().skip(nth % part).step_by(part) {
            assert_eq!(decided(threads), one, "{question:?} with {threads} threads");
        }
    }
}
