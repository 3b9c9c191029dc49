//! What can be typed, and how the program ends.

use serde_json::json;
use testing::{assert_begins, assert_has, assert_lacks};

use crate::golden;

use super::{EXAMPLE_POD, NOW, Run, example, explain_stdin, list, node, pod, run, run_with, with};

/// `explain` with `arguments` on the worked example.
fn explain(arguments: &str) -> Run {
    let example = example();
    let words = arguments.split_whitespace();
    run(&["explain", "--from", &example, "--now", NOW].into_iter().chain(words).collect::<Vec<_>>())
}

#[test]
fn exit_codes() {
    let fits = list(&[node("n1"), pod("web-1")]);
    let full = list(&[with(node("n1"), "/status/allocatable/cpu", json!("500m")), pod("web-1")]);
    let volume = json!([{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]);
    let unsure = list(&[node("n1"), with(pod("web-1"), "/spec/volumes", volume)]);
    let nominated = with(
        with(pod("web-1"), "/spec/priority", json!(5)),
        "/status/nominatedNodeName",
        json!("n1"),
    );
    let going = with(
        with(pod("v"), "/spec/nodeName", json!("n1")),
        "/metadata/deletionTimestamp",
        json!(NOW),
    );
    let preempted =
        json!([{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]);
    let going = with(going, "/status/conditions", preempted);
    let one = |cpu: &str| with(node("n1"), "/status/allocatable/cpu", json!(cpu));
    let waits = list(&[one("1"), going.clone(), nominated.clone()]);
    let in_vain = list(&[one("500m"), going, nominated]);
    for (input, more, code) in [
        (&waits, &["--exit-code"][..], 0),
        (&in_vain, &["--exit-code"], 1),
        (&fits, &[], 0),
        (&fits, &["--exit-code"], 0),
        (&full, &[], 0),
        (&full, &["--exit-code"], 1),
        (&unsure, &[], 3),
        (&unsure, &["--exit-code"], 3),
        (&fits, &["--no-such-flag"], 2),
    ] {
        assert_eq!(explain_stdin(input, more).code, code, "{more:?} {input}");
    }
    // Preemption that helps is no refusal.
    assert_eq!(explain(&format!("{EXAMPLE_POD} -n shop --exit-code")).code, 0);
    assert_eq!(run(&["explain", "web-1", "--from", "/no/such/file"]).code, 2);
}

#[test]
fn ways_to_name_a_pod() {
    let plain = explain(&format!("{EXAMPLE_POD} -n shop"));
    assert_has(plain.answer(), "will evict 2 pods on worker-3");
    for arguments in [
        "-n shop POD",
        "POD --namespace=shop",
        "pod/POD -n shop",
        "po/POD -n shop",
        "pod POD -n shop",
        "pods POD -n shop",
        "deploy/web -n shop",
        "deployment web -n shop",
        "rs/web-6d4cf56db6 -n shop",
        "shop/POD",
        "-n shop",
        "POD POD -n shop",
    ] {
        assert_eq!(explain(&arguments.replace("POD", EXAMPLE_POD)), plain, "{arguments}");
    }
}

#[test]
fn a_pod_alone_is_explained() {
    let example = example();
    let explained = explain(&format!("{EXAMPLE_POD} -n shop"));
    for pod in [EXAMPLE_POD, "shop/web-6d4cf56db6-q7rtz", "deploy/web"] {
        assert_eq!(run(&[pod, "-n", "shop", "--from", &example, "--now", NOW]), explained, "{pod}");
        assert_eq!(run(&["-n", "shop", pod, "--from", &example, "--now", NOW]), explained, "{pod}");
    }
}

#[test]
fn flags_stand_anywhere() {
    let example = example();
    let before = run(&[
        "-n",
        "shop",
        "explain",
        "--now",
        NOW,
        "-o",
        "json",
        "--from",
        &example,
        EXAMPLE_POD,
    ]);
    let behind =
        run(&["explain", EXAMPLE_POD, "--from", &example, "-o=json", "--now", NOW, "-nshop"]);
    assert_eq!(before, behind);
    assert_eq!(before.json()["kind"], "Decision");
}

#[test]
fn owner_selects_its_pending_pods() {
    let owned = |name: &str, kind: &str, owner: &str| {
        with(
            pod(name),
            "/metadata/ownerReferences",
            json!([{"kind": kind, "name": owner, "controller": true}]),
        )
    };
    let set = |name: &str, kind: &str, owner: &str| {
        json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name, "namespace": "default",
            "ownerReferences": [{"kind": kind, "name": owner, "controller": true}]}})
    };
    let bound = with(owned("web-2", "ReplicaSet", "web-7f9c"), "/spec/nodeName", json!("n1"));
    let pods = [
        node("n1"),
        owned("web-1", "ReplicaSet", "web-7f9c"),
        bound,
        owned("db-0", "StatefulSet", "db"),
        owned("web-api-1", "ReplicaSet", "web-api-5d8b"),
        owned("odd-1", "ReplicaSet", "unlike"),
    ];
    let without = list(&pods);
    let with_sets = list(
        &[&pods[..], &[set("web-7f9c", "Deployment", "web"), set("unlike", "Deployment", "odd")]]
            .concat(),
    );
    let explained = |input: &str, target: &str| {
        let answer = run_with(&["explain", target, "--from", "-", "-o", "json"], input.as_bytes());
        (answer.code == 0)
            .then(|| answer.json()["pod"]["name"].as_str().map(str::to_owned))
            .flatten()
    };
    for input in [&without, &with_sets] {
        assert_eq!(
            explained(input, "deploy/web").as_deref(),
            Some("web-1"),
            "only the pod that waits"
        );
        assert_eq!(explained(input, "sts/db").as_deref(), Some("db-0"));
        assert_eq!(explained(input, "rs/web-api-5d8b").as_deref(), Some("web-api-1"));
    }
    assert_eq!(
        explained(&with_sets, "deploy/odd").as_deref(),
        Some("odd-1"),
        "told by its ReplicaSet alone"
    );
    let error = run_with(&["explain", "deploy/odd", "--from", "-"], without.as_bytes());
    assert_eq!(
        error.error(),
        "error: deployments.apps \"odd\" not found; namespace default has no pod owned by Deployment \
         odd"
    );
}

#[test]
fn without_a_pod_all_that_wait_are_explained() {
    let bound = with(pod("b"), "/spec/nodeName", json!("n1"));
    let elsewhere = with(pod("d"), "/metadata/namespace", json!("other"));
    let input = list(&[node("n1"), pod("c"), bound, pod("a"), elsewhere]);
    let all = run_with(&["explain", "--from", "-", "-o", "json"], input.as_bytes()).json();
    assert_eq!(all["kind"], "DecisionList");
    let names: Vec<&str> = all["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| d["pod"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a", "c"]);
    let none = run_with(&["explain", "--from", "-", "-n", "empty"], input.as_bytes());
    assert_eq!((none.code, none.out.as_str()), (0, ""));
    assert_eq!(none.err, "No pods wait for a node in empty namespace.\n");
    let quiet =
        run_with(&["explain", "--from", "-", "-n", "empty", "-q", "-o", "json"], input.as_bytes());
    assert_eq!(quiet.err, "");
    assert_eq!(quiet.json()["items"], json!([]));
}

#[test]
fn missing_object_gets_an_error_with_a_hint() {
    // Commands ask about the same input.
    let same = format!("--from {} --now {NOW}", example());
    let commands = format!(
        "kubectl preempt pending -n shop {same} lists pending pods, kubectl preempt why-evicted xyz -n shop {same} says if it was evicted"
    );
    for (arguments, name, hint) in [
        (
            "web-6d4cf56db6-q7rt -n shop",
            "web-6d4cf56db6-q7rt",
            "did you mean shop/web-6d4cf56db6-q7rtz?",
        ),
        ("trainer-0", "trainer-0", "there is a pod trainer-0 in namespace ml: add -n ml"),
        ("xyz -n nowhere", "xyz", "namespace nowhere has no pods here; -n names another"),
        ("xyz -n shop", "xyz", &commands),
        ("team/web", "web", "did you mean shop/web-6d4cf56db6-q7rtz?"),
        (
            "team/xyz",
            "xyz",
            "there is no namespace team with pods here; types of owners are pod, deploy, rs, sts, ds, rc, job, cronjob, jobset, podgroup, compositepodgroup or workload",
        ),
    ] {
        let run = explain(arguments);
        assert_eq!(run.error(), format!("error: pods \"{name}\" not found; {hint}"));
    }
}

#[test]
fn values_that_make_no_sense() {
    let example = example();
    for (arguments, error) in [
        (
            &["web", "--scheduler-version", "1.x"][..],
            "error: --scheduler-version `1.x` is not a version of kube-scheduler",
        ),
        (
            &["web", "--scheduler-version", "2.1"],
            "error: --scheduler-version `2.1` is not a version of kube-scheduler",
        ),
        (&["web", "--now", "yesterday"], "error: --now `yesterday` is not an RFC 3339 time"),
        (&["Svc/web"], "error: the resource type `Svc` has no pods"),
        (
            &["pod/"],
            "error: arguments in resource/name form must have a single resource and name: `pod/`",
        ),
    ] {
        run(&[&["explain", "--from", &example], arguments].concat()).fails(error);
    }
    let mixed = explain("pod pod/web");
    assert_begins(mixed.error(), "error: there is no need to specify a resource type");
}

#[test]
fn version_beyond_the_newest_known_is_noted() {
    for (version, is) in [
        ("1.11", "out of range"),
        ("1.45.1", "out of range"),
        ("2.1", "not a version"),
        ("x", "not a version"),
    ] {
        let wrong = explain(&format!("{EXAMPLE_POD} -n shop --scheduler-version {version}"));
        assert_eq!((wrong.code, wrong.out.as_str()), (2, ""), "{wrong:?}");
        assert_has(wrong.error(), &format!("--scheduler-version `{version}` is {is}"));
    }
    let oldest = explain(&format!("{EXAMPLE_POD} -n shop --scheduler-version v1.12.3 -o wide"));
    assert_has(oldest.answer(), "GeneralPredicates");
    assert_lacks(&oldest.out, "were used for");
    for version in ["1.38", "1.38.0-beta.0", "1.37", "v1.37.1", "1.36.4-gke.100"] {
        assert!(
            !explain(&format!("{EXAMPLE_POD} -n shop --scheduler-version {version}"))
                .answer()
                .contains("Notes")
        );
    }
}

/// The answer without the command that names the flags.
fn without_check(answer: &str) -> String {
    answer
        .lines()
        .filter(|line| !line.starts_with("    the first: "))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn feature_gates() {
    let explain = |gates: &str| explain(&format!("{EXAMPLE_POD} -n shop -o wide {gates}"));
    let plain = explain("");
    let same =
        explain("--feature-gates=PodLevelResources=true --feature-gates kube:AllAlpha=false");
    assert_eq!(without_check(same.answer()), without_check(plain.answer()));
    let noted = explain("--feature-gates DRANodeAllocatableResources=true,APIServerIdentity=false");
    let text = noted.answer();
    assert_has(
        text,
        "info: feature gate DRANodeAllocatableResources=true: not modelled: it decides nothing about this pod",
    );
    assert_has(text, "info: feature gate APIServerIdentity=false: not modelled: no rule here");
    for (gates, error) in [
        ("--feature-gates NoSuch=true", "unrecognized feature gate: NoSuch"),
        (
            "--feature-gates=GangScheduling=true --scheduler-version 1.37",
            "unrecognized feature gate: GangScheduling",
        ),
        (
            "--feature-gates DRAExtendedResource=false",
            "cannot set feature gate DRAExtendedResource to false, feature is locked to true",
        ),
    ] {
        explain(gates).fails(&format!("error: {error}"));
    }
}

#[test]
fn each_format_shows_the_same_decision() {
    let text = explain(&format!("{EXAMPLE_POD} -n shop"));
    let wide = explain(&format!("{EXAMPLE_POD} -n shop -o wide"));
    assert!(wide.answer().len() > text.answer().len());
    assert!(!text.out.contains('\u{1b}'), "a pipe gets no colour");
    let colored = explain(&format!("{EXAMPLE_POD} -n shop --color always"));
    assert!(colored.answer().contains('\u{1b}'));
    let json = explain(&format!("{EXAMPLE_POD} -n shop -o json"));
    let victims = ["reports/sales-29670480-xw7vn", "reports/stock-29670510-d8f2g"];
    let victims = json!([{"node": "worker-3", "sets": [victims]}]);
    assert_eq!(
        json.json()["selected"],
        json!({"certainty": "Certain", "nodes": ["worker-3"], "victims": victims})
    );
    let yaml = explain(&format!("{EXAMPLE_POD} -n shop -o yaml"));
    let value: serde_json::Value = serde_saphyr::from_str(yaml.answer()).unwrap();
    assert_eq!(value, json.json());
    assert_eq!(
        explain(&format!("{EXAMPLE_POD} -n ml -n shop -o json -o yaml")),
        yaml,
        "the last counts, as in kubectl"
    );
    let nodes = explain(&format!("{EXAMPLE_POD} -n shop --nodes"));
    assert_eq!(
        explain(&format!("{EXAMPLE_POD} -n shop --nodes=true --all-namespaces=false")),
        nodes
    );
}

#[test]
fn help_and_version() {
    let bare = run(&[]);
    assert_eq!((bare.code, bare.out.as_str()), (2, ""));
    let help = run(&["--help"]);
    let explain = run(&["explain", "--help"]);
    for text in [&bare.err, help.answer()] {
        assert!(text.contains("Usage: kubectl preempt") && text.contains("Examples:"), "{text}");
        assert_has(text, "kubectl preempt explain web-1 --from cluster.json");
    }
    let codes = |command: &str| {
        let help = run(&[command, "--help"]).answer().to_owned();
        let list =
            help.split_once("Exit codes:\n").map(|(_, list)| list.to_owned()).unwrap_or_default();
        let code =
            |line: &str| line.split_whitespace().next().and_then(|word| word.parse::<u8>().ok());
        list.lines().map_while(code).collect::<Vec<u8>>()
    };
    let all: Vec<u8> = kubectl_preempt::exit::Exit::ALL.iter().map(|exit| exit.code()).collect();
    assert_eq!(codes("simulate"), all);
    assert_eq!(
        (codes("explain"), codes("risk"), codes("doctor")),
        (vec![0, 1, 2, 3, 130], vec![0, 2, 3], vec![0, 1, 2, 3])
    );
    assert_eq!((codes("rules"), codes("version"), codes("schema")), (vec![], vec![], vec![]));
    assert_has(explain.answer(), "\n  1    with --exit-code: no node takes the pod\n");
    let version = format!("kubectl-preempt {}\n", env!("CARGO_PKG_VERSION"));
    let rules = "decides as kube-scheduler 1.12 to 1.37, and 1.38 as recorded from 1.38.0-beta.0\n";
    assert_eq!(run(&["version"]).answer(), format!("{version}{rules}"));
    assert_eq!(run(&["--version"]).answer(), version);
    assert!(run(&["explian"]).error().ends_with("did you mean explain?"));
}

#[test]
fn exit_codes_of_the_documents_are_those_of_the_program() {
    let mut table = String::from("| code | meaning |\n| --- | --- |\n");
    for exit in kubectl_preempt::exit::Exit::ALL {
        table.push_str(&format!("| {} | {} |\n", exit.code(), exit.meaning()));
    }
    golden::part("README.md", "exit codes", &table);
    golden::part("docs/EXIT-CODES.md", "exit codes", &table);
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    use std::process::{Command, Stdio};

    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    command.args(["explain", EXAMPLE_POD, "-n", "shop", "-o", "json", "--from", &example()]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()),
        (Some(0), "")
    );
}

#[test]
fn a_scheduler_configuration_decides() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |text: &str| {
        let path = folder.path().join("config.yaml");
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
    let with = |text: String| {
        explain(&format!("{EXAMPLE_POD} -n shop -o wide --scheduler-config {}", file(&text)))
    };
    let plain = explain(&format!("{EXAMPLE_POD} -n shop -o wide"));
    let silent = with(head.to_owned());
    assert_eq!(
        without_check(silent.answer()),
        without_check(plain.answer()),
        "a configuration that says nothing"
    );
    let no_preemption =
        "profiles: [{plugins: {multiPoint: {disabled: [{name: DefaultPreemption}]}}}]\n";
    let answer = with(format!("{head}{no_preemption}"));
    assert_has(answer.answer(), "preemption is off in profile default-scheduler");
    assert_lacks(answer.answer(), "preemption:");
    let other = with(format!("{head}profiles: [{{schedulerName: batch}}]\n"));
    assert_has(other.answer(), "is left to scheduler \"default-scheduler\"");
    for (text, want) in [
        (
            format!("{head}profils: []\n"),
            "profils: strict decoding error: unknown field \"profils\"",
        ),
        ("kind: Pod\napiVersion: v1\n".to_owned(), "apiVersion: no kind \"Pod\" is registered"),
        ("{".to_owned(), "config.yaml"),
    ] {
        let refused = with(text);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.err.contains(want), "{refused:?}");
    }
}

#[test]
fn commands_that_list_take_the_formats_of_kubectl() {
    let example = example();
    for (command, path, word) in [
        (&["pending", "-A"][..], "{.items[0].name}", "web-6d4cf56db6-q7rtz"),
        (&["risk", "-A"], "{.items[*].workload.name}", "web"),
        (&["verify", "-A"], "{.kind}", "VerificationList"),
        (&["audit"], "{.kind}", "Audit"),
        (&["simulate", "-A"], "{.steps[0].pod.name}", "web-6d4cf56db6-q7rtz"),
        (&["explain", "-A"], "{.items[*].outcome}", "Preempt"),
    ] {
        let template = format!("jsonpath={path}");
        let answer = run(&[command, &["--from", &example, "--now", NOW, "-o", &template]].concat());
        assert!(answer.out.contains(word), "{command:?}: {answer:?}");
    }
    let rules = run(&["rules", "NodeName", "-o", "custom-columns=CODE:.code,NAME:.name"]);
    assert_begins(rules.answer(), "CODE     NAME\nPRE-101  NodeName\n");
    let sorted = |path: &str| {
        let columns = "custom-columns=NAME:.workload.name,PRIORITY:.priority";
        let list = [
            "risk",
            "-A",
            "--from",
            &example,
            "--now",
            NOW,
            "--no-headers",
            "-o",
            columns,
            "--sort-by",
            path,
        ];
        run(&list)
            .answer()
            .lines()
            .map(|line| line.split_whitespace().map(str::to_owned).collect())
            .collect()
    };
    let by_name: Vec<Vec<String>> = sorted(".workload.name");
    assert!(by_name.len() > 1 && by_name.is_sorted_by_key(|row| row[0].clone()), "{by_name:?}");
    let by_priority: Vec<Vec<String>> = sorted(".priority");
    assert!(by_priority.is_sorted_by_key(|row| row[1].parse::<i64>().unwrap()), "{by_priority:?}");
}

#[test]
fn a_field_that_no_item_has_is_an_error() {
    let example = example();
    let pending =
        |more: &[&str]| run(&[&["pending", "-A", "--from", &example, "--now", NOW], more].concat());
    pending(&["-o", "custom-columns=P:.prioritty"])
        .fails("error: -o custom-columns: no item has a field `prioritty`; did you mean priority?");
    pending(&["--sort-by", ".owner.nam"])
        .fails("error: --sort-by: no item has a field `nam`; did you mean name?");
    assert_eq!(pending(&["-o", "custom-columns=P:.priority,O:.owner.name,V:.victims[0]"]).code, 0);
}

#[test]
fn other_words_for_the_list_work() {
    let example = example();
    let of = |word: &str| run(&[word, "-A", "--from", &example, "--now", NOW]).answer().to_owned();
    let pending = of("pending");
    assert!(["list", "ls", "pods"].iter().all(|word| of(word) == pending));
    let audit =
        |more: &[&str]| run(&[&["audit", "--from", &example, "--now", NOW], more].concat()).out;
    assert_eq!(audit(&["-A"]), audit(&[]));
    assert_eq!(
        run(&["why-evicted", "-A", "--since", "1d12h", "--from", &example, "--now", NOW]).err,
        ""
    );
}

#[test]
fn rules_come_in_the_order_of_a_field() {
    let rules =
        run(&["rules", "--no-headers", "-o", "custom-columns=NAME:.name", "--sort-by", ".name"]);
    let names: Vec<String> = rules.answer().lines().map(str::to_owned).collect();
    assert!(names.len() > 100 && names.is_sorted(), "{names:?}");
    run(&["rules", "--sort-by", ".nam"])
        .fails("error: --sort-by: no item has a field `nam`; did you mean name?");
}
