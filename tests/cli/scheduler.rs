//! `--scheduler-config`: what is no configuration of the scheduler that was asked for.

use serde_json::{Value, json};
use testing::{assert_begins, assert_ends, assert_has, assert_lacks};

use crate::cli::{NOW, explain_stdin, folder, list, node, pod, run_with, with};

/// Explains with a configuration of that text.
fn run(text: &str, more: &[&str]) -> crate::cli::Run {
    let folder = folder(&[("s.yaml", text.as_bytes())]);
    let file = folder.path().join("s.yaml").to_str().unwrap().to_owned();
    let mut run = explain_stdin(
        list(&[node("n1"), pod("web-1")]),
        &[&["--scheduler-config", &file], more].concat(),
    );
    run.err = run.err.replace(&file, "s.yaml");
    run
}

const HEAD: &str = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

#[test]
fn invalid_configuration_names_file_and_path() {
    for (text, want) in [
        ("", "s.yaml: kind: is missing; kube-scheduler 1.37 reads"),
        ("{", "s.yaml: not valid JSON: EOF while parsing an object at line 1 column 1; it begins"),
        (
            "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration}",
            "s.yaml: not valid JSON: key must be a string at line 1 column 2; it begins with `{`, so",
        ),
        (
            r#"{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
                "profiles": [{"pluginConfig": [{"name": "NodeAffinity", "args": {"kind": "", "kind": ""}}]}]}"#,
            "s.yaml: profiles[0].pluginConfig[0].args.kind: strict decoding error: duplicate field",
        ),
        (
            "a: 1\n---\nb: 2",
            "s.yaml: holds several YAML documents: keep the one that configures kube-scheduler",
        ),
        (
            "a: 1\na: 2",
            "s.yaml: not valid YAML: line 2, column 1: the key \"a\" stands there twice",
        ),
        (
            "kind: Pod\napiVersion: v1",
            "s.yaml: apiVersion: no kind \"Pod\" is registered for version \"v1\"",
        ),
        (
            "kind: Policy\napiVersion: v1",
            "s.yaml: apiVersion: no kind \"Policy\" is registered for version \"v1\"",
        ),
        (
            "kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1beta3",
            "s.yaml: apiVersion: no kind \"KubeSchedulerConfiguration\" is registered for version",
        ),
        (
            &format!("{HEAD}profils: []"),
            "s.yaml: profils: strict decoding error: unknown field \"profils\"",
        ),
        (
            &format!("{HEAD}parallelism: many"),
            "s.yaml: parallelism: strict decoding error: cannot read string",
        ),
        (
            &format!("{HEAD}profiles: [{{schedulerName: a}}, {{schedulerName: a}}]"),
            "s.yaml: profiles[1].schedulerName: Duplicate value: \"profiles[0].schedulerName\"",
        ),
        (
            &format!(
                "{HEAD}profiles: [{{plugins: {{filter: {{enabled: [{{name: EBSLimits}}]}}}}}}]"
            ),
            "s.yaml: profiles[0].plugins.filter.enabled[0]: Invalid value: \"EBSLimits\": was invalid in version",
        ),
        (
            &format!("{HEAD}percentageOfNodesToScore: 101"),
            "s.yaml: percentageOfNodesToScore: Invalid value: 101",
        ),
    ] {
        let run = run(text, &[]);
        let line = run.error();
        assert!(line.starts_with(&format!("error: {want}")), "{text}\n  {line}");
    }
}

#[test]
fn a_file_that_is_not_there() {
    let run = explain_stdin(list(&[node("n1")]), &["--scheduler-config", "/nowhere/s.yaml"]);
    assert_begins(run.error(), "error: /nowhere/s.yaml: ");
    let run = explain_stdin(list(&[node("n1")]), &["--scheduler-configmap", "a/b"]);
    assert_begins(run.error(), "error: there is no ConfigMap a/b in the input");
}

#[test]
fn a_config_map_on_disk_is_as_good() {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"only": HEAD}}).to_string();
    let decision = run(&map, &["-o", "json"]).json();
    assert_eq!(decision["scheduler"]["config"], "file");
    assert_ends(decision["scheduler"]["configSource"].as_str().unwrap(), "s.yaml, key only");
}

#[test]
fn strangers_are_named_with_what_they_may_do() {
    let plugins = "{filter: {enabled: [{name: Mine}]}, postFilter: {enabled: [{name: Mine}]}, \
                   permit: {enabled: [{name: Late}]}}";
    let run = run(&format!("{HEAD}profiles: [{{plugins: {plugins}}}]"), &["-o", "json"]);
    assert_eq!(run.code, 3, "{run:?}");
    let decision = run.json();
    let begins =
        |note: &serde_json::Value, begin: &str| note["text"].as_str().unwrap().starts_with(begin);
    let note = |begin: &str| {
        decision["notes"].as_array().unwrap().iter().find(|n| begins(n, begin)).cloned()
    };
    let mine = note("plugin Mine").unwrap();
    assert_eq!(
        mine["text"],
        "plugin Mine is not known here; it is enabled at filter, postFilter and may refuse nodes, evict pods"
    );
    assert_eq!(
        (&mine["severity"], &note("plugin Late").unwrap()["severity"]),
        (&json!("error"), &json!("warning"))
    );
}

#[test]
fn a_profile_without_preemption_is_named_in_every_format() {
    let plugins = "profiles: [{plugins: {postFilter: {disabled: [{name: DefaultPreemption}]}}}]\n";
    let beta =
        "apiVersion: kubescheduler.config.k8s.io/v1beta1\nkind: KubeSchedulerConfiguration\n";
    let alpha =
        "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n";
    let disabled = "disablePreemption: true\n";
    let input = list(&[
        node("n1"),
        with(pod("web-1"), "/spec/priority", json!(9)),
        with(
            with(pod("v"), "/spec/nodeName", json!("n1")),
            "/spec/containers/0/resources/requests/cpu",
            json!("4"),
        ),
    ]);
    let off = "preemption is off in profile default-scheduler";
    for (version, config) in [
        ("1.37", format!("{HEAD}{plugins}")),
        ("1.22", format!("{beta}{plugins}")),
        ("1.18", format!("{alpha}{disabled}")),
        ("1.16", format!("{alpha}{disabled}")),
    ] {
        let folder = folder(&[("s.yaml", config.as_bytes())]);
        let file = folder.path().join("s.yaml").to_str().unwrap().to_owned();
        let explain = |format| {
            explain_stdin(
                &input,
                &["--scheduler-version", version, "--scheduler-config", &file, "-o", format],
            )
        };
        for (format, headline) in [
            ("text", format!("and {off}\n")),
            ("wide", format!("and {off}.")),
            ("markdown", format!("Preemption is not tried: {off}.")),
            ("html", format!("<h2><strong>Preemption is not tried: {off}</strong></h2>")),
        ] {
            let run = explain(format);
            // A page has words for every pod in its script.
            let text = run
                .answer()
                .split("<script>")
                .next()
                .unwrap()
                .replace("<span class=\"name\">default-scheduler</span>", "default-scheduler");
            assert!(text.contains(&headline), "{version} {format}: {text}");
            for wrong in ["PRE-301", "no eviction", "not helpful for"] {
                assert!(!text.contains(wrong), "{version} {format} {wrong}: {text}");
            }
        }
        let csv = explain("csv");
        assert!(csv.answer().contains(",NotTried,,,"), "{version}: {csv:?}");
        let preemption = &explain("json").json()["preemption"];
        let want = json!({"eligible": true, "ineligibleReason": null, "off": {"profile": "default-scheduler"},
            "nodes": [], "ladder": [], "winners": []});
        assert_eq!(preemption, &want, "{version}");
    }
}

#[test]
fn a_policy_and_old_configurations_decide() {
    let policy =
        "kind: Policy\napiVersion: v1\npredicates: [{name: PodFitsHostPorts}]\npriorities: []\n";
    let decision = run(policy, &["--scheduler-version", "1.16", "-o", "json"]).json();
    assert_eq!(
        (&decision["scheduler"]["config"], &decision["outcome"]),
        (&json!("file"), &json!("Schedulable"))
    );
    let wants_more =
        crate::cli::with(pod("web-1"), "/spec/containers/0/resources/requests/cpu", json!("9"));
    let folder = folder(&[("p.yaml", policy.as_bytes())]);
    let file = folder.path().join("p.yaml").to_str().unwrap().to_owned();
    let input = list(&[node("n1"), wants_more]);
    for (version, outcome) in [("1.16", "Schedulable"), ("1.20", "Schedulable")] {
        // Nothing looks at resources.
        let run = explain_stdin(
            &input,
            &["--scheduler-version", version, "--scheduler-config", &file, "-o", "json"],
        );
        assert_eq!(run.json()["outcome"], outcome, "{version} {run:?}");
    }
    let refused =
        explain_stdin(&input, &["--scheduler-version", "1.23", "--scheduler-config", &file]);
    let want = "apiVersion: no kind \"Policy\" is registered for version \"v1\"; kube-scheduler 1.23 reads \
                KubeSchedulerConfiguration kubescheduler.config.k8s.io/v1beta3";
    assert!(refused.error().contains(want), "{refused:?}");
}

#[test]
fn unmodelled_gate_is_in_first_line_and_exit_code() {
    let alpha = ["--feature-gates", "InPlacePodVerticalScalingSchedulerPreemption=true"];
    let doubt = "This is not certain: see the note.";
    let rules = "  Rules: kube-scheduler 1.37 (assumed: no version in the input)";
    let fits =
        "? default/web-1 (priority 0): it fits on the only node; kube-scheduler will pick n1";
    let cluster = list(&[node("n1"), pod("web-1")]);
    let ask = |command: &[&str], more: &[&str]| {
        run_with(&[command, &["--from", "-", "--now", NOW], more].concat(), cluster.as_bytes())
    };
    for (command, more, first) in [
        (
            &["explain", "web-1"][..],
            &alpha[..],
            format!("{fits} (not certain: see the notes)\n{rules}"),
        ),
        (&["explain", "web-1", "-o", "wide"], &alpha, format!("{fits}. {doubt}\n{rules}")),
        (&["explain", "web-1", "-o", "markdown"], &alpha, doubt.to_owned()),
        (
            &["explain", "web-1", "-o", "html"],
            &alpha,
            "<p class=\"badge bad\">? fits, not certain</p>".to_owned(),
        ),
        (&["explain", "web-1", "-o", "dot"], &alpha, doubt.to_owned()),
        (&["explain", "web-1", "-o", "json"], &alpha, "\"certainty\": \"Unsure\"".to_owned()),
        (
            &["explain", "web-1", "--compare", "1.37,1.38"],
            &alpha,
            format!(
                "? Pod default/web-1: Same decision in 1.37 {0} and 1.38 {0}. {doubt}",
                alpha[1]
            ),
        ),
        (
            &["simulate", "web-1"],
            &alpha,
            format!(
                "? default/web-1 (priority 0): it fits without evictions on n1. {doubt}\n{rules}"
            ),
        ),
        (&["pending"], &alpha, "1 pending: 1 fits now (1 not certain)".to_owned()),
    ] {
        let run = ask(command, more);
        let plain = matches!(first.as_bytes(), [b'?' | b'1', ..]);
        let text = &run.out;
        assert!(
            if plain { text.starts_with(&first) } else { text.contains(&first) },
            "{command:?} {more:?}: {text}"
        );
        assert_eq!(run.code, 3, "{command:?} {more:?}");
        let sure = ask(&command[..command.len().min(2)], &[]);
        assert_eq!(sure.code, 0, "{command:?}: {sure:?}");
    }
    let csv = ask(&["explain", "web-1", "-o", "csv"], &alpha);
    assert_eq!((csv.code, csv.out.lines().count()), (3, 2), "{csv:?}");
}

/// The scheduler's own pod as kubeadm starts it.
fn static_pod(name: &str, tag: &str, words: &[&str]) -> Value {
    let labels = json!({"component": "kube-scheduler", "tier": "control-plane"});
    let command = [&["kube-scheduler", "--kubeconfig=/etc/secret.conf"], words].concat();
    let image = format!("registry.k8s.io/kube-scheduler:{tag}");
    let container = json!({"name": "kube-scheduler", "image": image, "command": command});
    let object = with(
        pod(name),
        "/metadata",
        json!({"name": name, "namespace": "kube-system", "labels": labels}),
    );
    with(
        object,
        "/spec",
        json!({"nodeName": "n1", "priority": 2_000_001_000, "containers": [container]}),
    )
}

#[test]
fn the_static_pod_in_a_file_says_how_the_scheduler_is_started() {
    let node = with(node("n1"), "/status/nodeInfo", json!({"kubeletVersion": "v1.31.9"}));
    let explain = |pods: &[Value], more: &[&str]| {
        let run = explain_stdin(
            list(&[&[node.clone(), pod("web-1")], pods].concat()),
            &[&["-o", "json"], more].concat(),
        );
        assert_lacks(&run.out, "secret");
        let scheduler = run.json()["scheduler"].clone();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let notes: Vec<String> = run.json()["notes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|note| text(&note["text"]))
            .collect();
        (run.code, text(&scheduler["version"]), text(&scheduler["versionSource"]), notes.join("\n"))
    };
    let (code, version, source, notes) =
        explain(&[static_pod("kube-scheduler-cp1", "v1.33.4", &[])], &[]);
    assert_eq!((code, version.as_str(), source.as_str()), (0, "1.33.4", "staticPod"), "{notes}");
    let configured =
        static_pod("kube-scheduler-cp1", "v1.33.4", &["--config=/etc/kubernetes/scheduler.yaml"]);
    let (code, _, _, notes) = explain(&[configured], &[]);
    assert_eq!(code, 3, "{notes}");
    assert_has(
        &notes,
        "kube-scheduler-cp1 is started with --config=/etc/kubernetes/scheduler.yaml, a file",
    );
    let older = [
        static_pod("kube-scheduler-a", "v1.33.4", &[]),
        static_pod("kube-scheduler-b", "v1.32.1", &[]),
    ];
    let (code, version, _, notes) = explain(&older, &[]);
    assert_eq!((code, version.as_str()), (3, "1.33.4"), "{notes}");
    assert_has(&notes, "kube-scheduler-b has another version than kube-system/kube-scheduler-a");
    let gates = static_pod("kube-scheduler-cp1", "v1.33.4", &["--feature-gates=NoSuchGate=true"]);
    let (code, _, _, notes) = explain(&[gates], &[]);
    assert!(
        code == 3 && notes.contains("--feature-gates=NoSuchGate=true, passed over: "),
        "{notes}"
    );
    let policy = static_pod("kube-scheduler-cp1", "v1.20.4", &["--policy-configmap=p"]);
    let (code, version, _, notes) = explain(&[policy], &[]);
    assert_eq!((code, version.as_str()), (3, "1.20.4"), "{notes}");
    assert_has(&notes, "its Policy is in ConfigMap kube-system/p, which is not in the input");
    // The flag of the command comes first; without the pod, the kubelets say the version.
    let (_, version, source, _) = explain(&older, &["--scheduler-version", "1.36"]);
    assert_eq!((version.as_str(), source.as_str()), ("1.36", "flag"));
    assert_eq!(explain(&[], &[]).2, "kubelets");
}

#[test]
fn group_of_1_38_is_certain() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pending-web/gang.yaml");
    let cluster = std::fs::read_to_string(path).unwrap();
    let roomy = cluster.replace("cpu: \"2\", memory", "cpu: \"9\", memory");
    let decided = |cluster: &str| {
        let gate = "GenericWorkload=true";
        let group = ["explain", "podgroup/train", "--from", "-", "--now", NOW, "-o", "json"];
        let by = ["--scheduler-version", "1.38", "--feature-gates", gate];
        let answer = run_with(&[&group[..], &by].concat(), cluster.as_bytes()).json();
        let mut notes = answer["notes"].as_array().unwrap().iter();
        let is_unsure = notes.any(|note| note["severity"] == "error");
        (answer["outcome"].as_str().unwrap().to_owned(), is_unsure)
    };
    assert_eq!(decided(&cluster), ("Preempt".to_owned(), false));
    assert_eq!(decided(&roomy), ("Schedulable".to_owned(), false));
}
