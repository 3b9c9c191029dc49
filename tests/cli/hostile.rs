//! A cluster in which every text tries to take over the terminal: nothing of it reaches a stream
//! raw.

use render::page::is_hostile;
use serde_json::{Value, json};
use testing::share;

use super::{NOW, Run, run_with};

/// A title, a carriage return, colours in 7 and 8 bits, a bidirectional override, a zero-width
/// space, DEL, a line break.
const HOSTILE: &str =
    "x\u{1b}]0;t\u{7}\r\u{1b}[2J\u{9b}31m\u{202e}\u{200b}\u{7f}\u{2028}\u{feff}\ny";

#[track_caller]
fn is_clean(run: &Run) {
    for stream in [&run.out, &run.err] {
        let hostile = stream.chars().find(|c| *c != '\n' && is_hostile(*c));
        assert_eq!(hostile, None, "{stream:?}");
    }
}

fn explain(input: &Value, arguments: &[&str]) -> Run {
    run_with(
        &[&["explain", "--from", "-", "--now", NOW], arguments].concat(),
        input.to_string().as_bytes(),
    )
}

/// Every text in every object is hostile, but for those that must be well-formed for the text to
/// matter.
fn cluster(pod: Value, nodes: Vec<Value>) -> Value {
    let h = HOSTILE;
    let selector = json!({"matchLabels": {h: h}});
    let running = |node: String| {
        json!({"kind": "Pod", "metadata": {"name": format!("old{h}{}", node.len()), "namespace": h, "uid": h, "resourceVersion": h,
            "labels": {h: h}, "creationTimestamp": h,
            "ownerReferences": [{"kind": h, "name": h, "apiVersion": h, "uid": h, "controller": true}]},
            "spec": {"nodeName": node, "priority": 1, "priorityClassName": h, "schedulerName": h,
                "containers": [{"name": h, "resources": {"requests": {"cpu": "3", h: "1", "bad": h}},
                    "ports": [{"hostPort": 80, "hostIP": h, "protocol": h}]}]},
            "status": {"phase": h, "startTime": h, "conditions": [{"type": h, "status": h, "reason": h}]}})
    };
    let mut items = vec![
        pod,
        running(format!("n{h}")),
        running(format!("nn{h}")),
        running(format!("unknown{h}")),
    ];
    items.extend(nodes);
    items.extend([
        json!({"kind": "PodDisruptionBudget", "metadata": {"name": h, "namespace": h}, "spec": {"selector": selector},
            "status": {"disruptionsAllowed": 0, "disruptedPods": {h: h}}}),
        json!({"kind": "PodDisruptionBudget", "metadata": {"name": format!("b{h}"), "namespace": h},
            "spec": {"selector": {"matchExpressions": [{"key": h, "operator": h, "values": [h]}]}}}),
        json!({"kind": "PriorityClass", "metadata": {"name": h}, "value": 7}),
        json!({"kind": "Namespace", "metadata": {"name": h, "labels": {h: h}}}),
        json!({"kind": "Node", "metadata": {"name": format!("{h}twice")}}),
        json!({"kind": "Node", "metadata": {"name": format!("{h}twice")}, "spec": {"taints": {h: h}}}),
        json!({"kind": h}),
        json!({"kind": "Pod", "metadata": {"name": format!("bad{h}"), "labels": {h: {h: h}}}, "spec": {"priority": h, "containers": h}}),
    ]);
    json!({"kind": "Snapshot", "items": items, "flaws": [{"subject": h, "field": h, "problem": h}],
        "snapshot": {"capturedAt": h, "serverVersion": h, "resourceVersions": {h: h}, "unreadable": [{"resource": h, "reason": h}]}})
}

fn node(name: &str) -> Value {
    let h = HOSTILE;
    json!({"kind": "Node", "metadata": {"name": format!("{name}{h}"), "labels": {h: h, "zone": h}},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "9", h: "1", "bad": h}, "declaredFeatures": [h]}})
}

fn pending(spec: &Value) -> Value {
    let h = HOSTILE;
    let mut pod = json!({"kind": "Pod", "metadata": {"name": h, "namespace": h, "uid": h, "labels": {h: h}},
        "spec": {"priority": 1000, "priorityClassName": h,
            "containers": [{"name": h, "resources": {"requests": {"cpu": "2", h: "1", "bad": h}}}]},
        "status": {"nominatedNodeName": format!("n{h}"), "conditions": [{"type": "PodScheduled", "status": "False",
            "reason": h, "message": format!("0/3 nodes are available: 3 {h}."), "lastTransitionTime": h}]}});
    pod["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    pod
}

/// The rest of a pending pod's spec, so that each plugin and each sentence has its turn.
fn specs() -> Vec<Value> {
    let h = HOSTILE;
    let selector = json!({"matchLabels": {h: h}});
    let bad = json!({"matchExpressions": [{"key": h, "operator": h, "values": [h]}]});
    let near = |key: &str, selector: &Value| {
        json!({"requiredDuringSchedulingIgnoredDuringExecution":
            [{"topologyKey": key, "labelSelector": selector, "namespaces": [h]}]})
    };
    let spread = |key: &str, selector: &Value| {
        json!({"topologySpreadConstraints":
            [{"topologyKey": key, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}]})
    };
    let terms = |term: Value| json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}});
    vec![
        json!({}),
        json!({"nodeSelector": {h: "other", "absent": h}}),
        terms(json!({"matchExpressions": [{"key": h, "operator": h, "values": [h]}]})),
        terms(json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": [h]}]})),
        json!({"affinity": {"podAffinity": near("zone", &selector)}}),
        json!({"affinity": {"podAntiAffinity": near(h, &selector)}}),
        json!({"affinity": {"podAntiAffinity": near(h, &bad)}}),
        spread(h, &selector),
        spread("absent", &selector),
        spread(h, &bad),
        json!({"containers": [{"ports": [{"hostPort": 80, "hostIP": h, "protocol": h}], "resources": {"requests": {h: "9"}}}]}),
        json!({"schedulerName": h}),
        json!({"schedulingGates": [{"name": h}]}),
        json!({"nodeName": h}),
        json!({"preemptionPolicy": "Never"}),
        json!({"volumes": [{"name": h, "persistentVolumeClaim": {"claimName": h}}], "resourceClaims": [{"name": h}],
            "schedulingGroup": {"podGroupName": h}, "priority": 0}),
    ]
}

/// Every format of `explain`.
const FORMATS: [&[&str]; 10] = [
    &["-o", "text"],
    &["-o", "wide", "--nodes"],
    &["-o", "json"],
    &["-o", "yaml"],
    &["-o", "name"],
    &["-o", "csv"],
    &["-o", "markdown"],
    &["-o", "html"],
    &["-o", "dot"],
    &["-o", "jsonpath={$}{.nodes[*].name}{.pod.name}"],
];

/// The pods of a spec, once with free nodes and once with a tainted one.
fn clusters(spec: &Value) -> [Value; 2] {
    let mut tainted = node("n");
    tainted["spec"] =
        json!({"taints": [{"key": HOSTILE, "value": HOSTILE, "effect": "NoSchedule"}]});
    [node("n"), tainted].map(|first| cluster(pending(spec), vec![first, node("nn")]))
}

/// Runs a command on a cluster, whose output must be clean.
#[track_caller]
fn check(command: &str, input: &Value, arguments: &[&str]) -> Run {
    let arguments = [&[command, "--from", "-", "--now", NOW], arguments].concat();
    let run = run_with(&arguments, input.to_string().as_bytes());
    assert!([0, 1, 2, 3].contains(&run.code), "{run:?}");
    is_clean(&run);
    run
}

/// `verify` always has an answer.
#[track_caller]
fn check_verify(input: &Value, arguments: &[&str]) {
    let run = check("verify", input, &[&["-A"], arguments].concat());
    assert!(run.code != 2 && !run.out.is_empty(), "{run:?}");
}

/// What each plugin says, in the two formats that say everything. The others print the same texts:
/// `every_command_and_format` and `tests/laws/hostile` hold them. With every change one of two
/// clusters and one of the formats for each pod, in turn; both in the long run.
#[test]
fn every_plugin() {
    for (nth, spec) in specs().iter().enumerate() {
        for input in clusters(spec).iter().skip(share::of(nth % 2, 0)).step_by(share::of(2, 1)) {
            let part = share::of(2, 1);
            let formats = [&["-o", "wide", "--nodes"][..], &["-o", "json"]];
            for format in formats.into_iter().skip(nth % part).step_by(part) {
                check("explain", input, &[&["-n", HOSTILE, HOSTILE], format].concat());
            }
            check_verify(input, &[]);
            check("simulate", input, &["-n", HOSTILE, HOSTILE]);
            check("explain", input, &["-n", HOSTILE, HOSTILE, "--compare", "1.33,1.36,1.37"]);
        }
    }
}

/// Each of both clusters in every format of `explain`; of the other commands with every change one
/// of them, in turn, and both in the long run.
#[test]
fn every_command_and_format() {
    for (nth, input) in clusters(&json!({})).into_iter().enumerate() {
        for format in FORMATS {
            let run = explain(&input, &[&["-n", HOSTILE, HOSTILE], format].concat());
            // No API server admits such names, and a list of names has to have some.
            let refused = format == ["-o", "name"]
                && run.code == 2
                && run.err.contains("is no name of an object");
            assert!(refused || run.code == 0 || run.code == 3, "{run:?}");
            is_clean(&run);
        }
        let part = share::of(2, 1);
        for (arguments, format) in OTHERS
            .iter()
            .flat_map(|(arguments, formats)| {
                formats.iter().map(move |format| (*arguments, *format))
            })
            .skip(nth % part)
            .step_by(part)
        {
            let [command, arguments @ ..] = arguments else { panic!("a command") };
            let run = check(command, &input, &[arguments, &["-o", format]].concat());
            // `verify` always has an answer.
            assert!(*command != "verify" || run.code != 2 && !run.out.is_empty(), "{run:?}");
        }
    }
}

/// Questions besides that about one pod, and the formats of each.
const OTHERS: [(&[&str], &[&str]); 12] = [
    (&["verify", "-A"], &["text", "json", "yaml", "html"]),
    (&["audit"], &["text", "json", "yaml", "html", "sarif", "junit"]),
    (&["risk", "-A"], &["text", "json", "yaml", "html", "prometheus"]),
    (&["why-evicted", "-n", HOSTILE, HOSTILE], &["text", "json", "yaml", "html"]),
    (
        &["simulate", "-n", HOSTILE, HOSTILE],
        &["text", "json", "yaml", "html", "markdown", "github", "sarif", "junit"],
    ),
    (
        &["explain", "-n", HOSTILE, HOSTILE, "--compare", "1.33,1.37"],
        &["text", "json", "yaml", "html"],
    ),
    (&["explain", "-A", "--compare", "1.33,1.37"], &["text", "json", "yaml", "html"]),
    (&["headroom", "-n", HOSTILE, HOSTILE], &["text", "json", "yaml", "html", "openmetrics"]),
    (&["headroom", "cpu=1"], &["text", "json", "yaml", "html", "openmetrics"]),
    (&["suggest", "-n", HOSTILE, HOSTILE], &["text", "json", "yaml", "html"]),
    (&["suggest", "-A"], &["text", "json", "yaml", "html"]),
    (&["pending", "-A"], &["text", "wide", "json", "yaml", "html", "name"]),
];

/// Manifests whose every text is hostile: pods, owners, what is said about them and what is wrong
/// with them.
#[test]
fn hostile_manifest_is_printed_harmless() {
    let h = HOSTILE;
    let template = json!({"metadata": {"labels": {h: h}, "annotations": {h: h}},
        "spec": {"containers": [{"name": h, "image": h, "resources": {"limits": {h: h, "cpu": "1"}}}],
            "nodeSelector": {h: h}, "schedulerName": h, "runtimeClassName": h, "priority": 3, "preemptionPolicy": h}});
    let of = |kind: &str, spec: Value| json!({"kind": kind, "metadata": {"name": h, "namespace": h}, "spec": spec});
    let claims = json!([{"metadata": {"name": h}, "spec": {}}]);
    let default = json!({"kind": "StorageClass", "metadata": {"name": h,
        "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}});
    let range = json!({"kind": "LimitRange", "metadata": {"name": h, "namespace": h},
        "spec": {"limits": [{"type": "Container", "default": {h: h}}]}});
    let class = json!({"kind": "PriorityClass", "metadata": {"name": h}, "value": 7, "globalDefault": true});
    let mut manifests = vec![
        of("Pod", template["spec"].clone()),
        of("Pod", json!({})),
        of("Deployment", json!({"template": template, "replicas": 0})),
        of("Deployment", json!({"template": template, "selector": {h: h}})),
        of("Deployment", json!({h: h})),
        of("StatefulSet", json!({"template": template, "volumeClaimTemplates": claims})),
        of("DaemonSet", json!({"template": template})),
        of("DaemonSet", json!({"template": {"spec": {"nodeSelector": {h: {h: h}}}}})),
        of("Job", json!({"template": {"spec": {"priorityClassName": h, "containers": [{}]}}})),
        of("PodDisruptionBudget", json!({"selector": {"matchLabels": {h: h}}})),
        json!({"kind": h, "metadata": {"name": h}}),
        json!({h: h}),
    ];
    manifests.push(
        json!({"kind": "List", "items": [manifests[0], manifests[3], range, default, class]}),
    );
    let files = super::folder(&[(
        "cluster.json",
        cluster(pending(&json!({})), vec![node("n")]).to_string().as_bytes(),
    )]);
    let from = files.path().join("cluster.json").to_str().unwrap().to_owned();
    for manifest in manifests {
        for format in ["text", "json", "markdown", "github", "sarif", "junit"] {
            let arguments =
                ["simulate", "--from", &from, "-f", "-", "-n", h, "--now", NOW, "-o", format];
            let run = run_with(&arguments, manifest.to_string().as_bytes());
            assert!([0, 1, 2, 3].contains(&run.code), "{run:?}");
            is_clean(&run);
        }
    }
}

#[test]
fn json_and_yaml_keep_the_text() {
    let input = cluster(pending(&json!({})), vec![node("n"), node("nn")]);
    let json = explain(&input, &["-n", HOSTILE, HOSTILE, "-o", "json"]).json();
    assert_eq!(json["pod"]["name"], HOSTILE);
    let yaml = explain(&input, &["-n", HOSTILE, HOSTILE, "-o", "yaml"]);
    assert_eq!(serde_saphyr::from_str::<Value>(&yaml.out).unwrap(), json);
}

#[test]
fn hostile_argument_is_harmless_in_errors() {
    let h = HOSTILE;
    let input = cluster(pending(&json!({})), vec![node("n")]);
    let similar = format!("{h}z");
    let pair = format!("{h}/{h}");
    let owner = format!("deploy/{h}");
    for arguments in [
        &["-n", h, similar.as_str()][..],
        &[h],
        &["-n", similar.as_str(), h],
        &["-n", h, pair.as_str()],
        &["-n", h, owner.as_str()],
        &["-n", h, "--now", h],
        &["-n", h, "--scheduler-version", h],
        &["-n", h, "--compare", h],
        &["-o", h],
        &[similar.as_str(), "--color", h],
    ] {
        let run = explain(&input, arguments);
        assert_eq!(run.code, 2, "{run:?}");
        is_clean(&run);
    }
    for flag in [
        "--priority",
        "--requests",
        "--toleration",
        "--node-selector",
        "--remove-pod",
        "--cordon",
        "--pdb",
        "--on",
        "-f",
    ] {
        for value in [
            h.to_owned(),
            format!("{h}={h}"),
            format!("{h}/{h}=1"),
            format!("{h}=1"),
            format!("{h}:{h}"),
        ] {
            let arguments = ["simulate", "--from", "-", "-n", h, h, flag, &value];
            let run = run_with(&arguments, input.to_string().as_bytes());
            assert!([0, 1, 2, 3].contains(&run.code), "{run:?}");
            is_clean(&run);
        }
    }
    is_clean(&explain(&input, &["-n", &similar]));
    for arguments in
        [&["explain", "--from", h][..], &[h], &["explain", "a", "--from", "-", &format!("--{h}")]]
    {
        let run = run_with(arguments, h.as_bytes());
        assert_eq!(run.code, 2, "{run:?}");
        is_clean(&run);
    }
    for text in [
        h.to_owned(),
        format!("{{\"items\": \"{h}\"}}"),
        json!({"items": h}).to_string(),
        format!("a: *{h}"),
        format!("[{h}"),
    ] {
        let run = run_with(&["explain", "a", "--from", "-"], text.as_bytes());
        assert_eq!(run.code, 2, "{run:?}");
        is_clean(&run);
    }
}

#[cfg(unix)]
#[test]
fn file_names() {
    let name = HOSTILE.replace('\u{0}', "") + ".json";
    let files = super::folder(&[(&name, b"{")]);
    let run = super::run(&["explain", "a", "--from", files.path().to_str().unwrap()]);
    assert_eq!(run.code, 2, "{run:?}");
    is_clean(&run);
}
