//! Input that is broken: one clear line, or a note that names object and field.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use testing::share;

use super::{NOW, Run, explain_stdin, folder, list, node, note_text, pod, run, run_with, with};

/// The notes of the answer about `web-1`, by objects and text.
#[track_caller]
fn notes(items: &[Value]) -> Vec<String> {
    notes_of(0, items)
}

/// The notes of an answer that is not certain.
#[track_caller]
fn doubts(items: &[Value]) -> Vec<String> {
    notes_of(3, items)
}

#[track_caller]
fn notes_of(code: i32, items: &[Value]) -> Vec<String> {
    let run = explain_stdin(list(items), &["-o", "json"]);
    assert_eq!((run.code, run.err.as_str()), (code, ""), "{run:?}");
    let decision = run.json();
    let notes = decision["notes"].as_array().unwrap();
    notes.iter().map(note_text).collect()
}

#[track_caller]
fn error(input: impl AsRef<[u8]>) -> String {
    let run = explain_stdin(input, &[]);
    run.error()
        .strip_prefix("error: standard input: ")
        .unwrap_or_else(|| panic!("{run:?}"))
        .to_owned()
}

fn web(pointer: &str, value: Value) -> Vec<Value> {
    vec![node("n1"), with(pod("web-1"), pointer, value)]
}

#[test]
fn truncated_json_is_an_error_with_its_place() {
    let text = list(&[node("n1"), pod("web-1")]);
    for end in [text.find("web-1").unwrap() + 2, text.len() - 2, text.len() - 1, 1] {
        let error = error(&text[..end]);
        assert!(
            error.starts_with(&format!("the JSON ends in the middle (line 1, column {end}): ")),
            "{error}"
        );
    }
    let object = pod("web-1").to_string();
    assert!(error(&object[..object.len() - 9]).starts_with("the JSON ends in the middle"));
    let tail = text.clone() + "\n\n  oops";
    assert_eq!(error(&tail), "not valid JSON (line 3, column 3): expected value");
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::encode_all(text.as_bytes(), 3).unwrap();
    assert!(error(&gzip[..60]).starts_with("the gzip data is damaged or truncated: "));
    assert!(error(&zstd[..60]).starts_with("the zstd data is damaged or truncated: "));
    let mut wide = zstd::Encoder::new(Vec::new(), 1).unwrap();
    wide.window_log(28).unwrap();
    wide.write_all(text.as_bytes()).unwrap();
    assert_eq!(
        error(wide.finish().unwrap()),
        "packed with a zstd window of 256 MiB, more than 128: pack it without --long"
    );
}

#[test]
fn fields_of_the_wrong_type() {
    let object = "expected an object with string values";
    for (pointer, value, field, problem) in [
        (
            "/spec/containers/0/resources/requests",
            json!("lots"),
            "spec.containers[0].resources.requests",
            "expected an object, found \"lots\"".to_owned(),
        ),
        ("/metadata/labels", json!(["a"]), "metadata.labels", object.to_owned() + ", found a list"),
        (
            "/spec/priority",
            json!("high"),
            "spec.priority",
            "expected a whole number of 32 bits, found \"high\"".into(),
        ),
        (
            "/spec/priority",
            json!(99_999_999_999_i64),
            "spec.priority",
            "expected a whole number of 32 bits, found 99999999999".into(),
        ),
        (
            "/spec/hostNetwork",
            json!("yes"),
            "spec.hostNetwork",
            "expected true or false, found \"yes\"".into(),
        ),
        (
            "/spec/affinity",
            json!("near"),
            "spec.affinity",
            "expected an object, found \"near\"".into(),
        ),
        (
            "/spec/nodeName",
            json!({"a": 1}),
            "spec.nodeName",
            "expected text, found an object".into(),
        ),
        (
            "/spec/tolerations",
            json!([null]),
            "spec.tolerations[0]",
            "expected an object, found null".into(),
        ),
    ] {
        let expected = format!("Pod default/web-1: field `{field}` is read as absent: {problem}");
        assert_eq!(doubts(&web(pointer, value)), [expected]);
    }
    let taints = with(json!({"spec": {}}), "/spec/taints", json!({"key": "a"}));
    let node = with(node("n1"), "/spec", taints["spec"].clone());
    assert_eq!(
        doubts(&[node, pod("web-1")]),
        ["Node n1: field `spec.taints` is read as absent: expected a list, found an object"]
    );
}

#[test]
fn only_fields_that_rules_read_make_an_answer_uncertain() {
    let other = |pointer: &str, value: Value| {
        let running = with(with(pod("web-2"), "/spec/nodeName", json!("n1")), pointer, value);
        explain_stdin(list(&[node("n1"), pod("web-1"), running]), &["-o", "json"]).code
    };
    let of_node = |pointer: &str, value: Value| {
        explain_stdin(list(&[with(node("n1"), pointer, value), pod("web-1")]), &["-o", "json"]).code
    };
    for (row, code, expected) in [
        ("a label that nothing selects", other("/metadata/labels", json!({"a": 7})), 0),
        (
            "a label that plugins read",
            of_node("/metadata/labels", json!({"topology.kubernetes.io/zone": 7})),
            3,
        ),
        ("an image", other("/spec/containers/0/image", json!(7)), 0),
        ("images of one node", of_node("/status/images", json!("x")), 0),
        ("a quality of service", other("/status/qosClass", json!(7)), 0),
        ("what a pod requests", other("/spec/containers/0/resources", json!(7)), 3),
        ("a priority where the pod fits", other("/spec/priority", json!("2000")), 0),
        ("whether a pod has ended", other("/status/phase", json!(7)), 3),
        ("taints", of_node("/spec", json!({"taints": "x"})), 3),
    ] {
        assert_eq!(code, expected, "{row}");
    }
}

#[test]
fn a_list_is_no_object() {
    let list = json!(["n1"]);
    for (pointer, value, field) in [
        ("/spec", list.clone(), "Pod default/web-2: field `spec`"),
        ("/metadata", list.clone(), "Pod (without a name): field `metadata`"),
        ("/status", list.clone(), "Pod default/web-2: field `status`"),
        ("/spec/affinity", list.clone(), "Pod default/web-2: field `spec.affinity`"),
        ("/spec/containers", json!([["c"]]), "Pod default/web-2: field `spec.containers[0]`"),
    ] {
        let text = format!("{field} is read as absent: expected an object, found a list");
        let doubts = doubts(&[node("n1"), with(pod("web-2"), pointer, value), pod("web-1")]);
        assert!(doubts.contains(&text), "{field}: {doubts:?}");
    }
}

#[test]
fn items_of_the_wrong_type_keep_their_places() {
    let containers = json!(["a", {"resources": {"requests": {"cpu": "8"}}}, 3]);
    let run = explain_stdin(list(&web("/spec/containers", containers)), &["-o", "json"]);
    let decision = run.json();
    let texts: Vec<&str> =
        decision["notes"].as_array().unwrap().iter().map(|n| n["text"].as_str().unwrap()).collect();
    assert_eq!(
        texts,
        [
            "field `spec.containers[0]` is read as absent: expected an object, found \"a\"",
            "field `spec.containers[2]` is read as absent: expected an object, found 3"
        ]
    );
    assert_eq!(decision["outcome"], "Unschedulable", "the container that can be read counts");
}

#[test]
fn omitted_object_is_reported() {
    let containers: Vec<Value> = (0..20).map(|_| json!({"ports": 7, "resources": 7})).collect();
    let many = explain_stdin(list(&web("/spec/containers", json!(containers))), &[]);
    assert_eq!(
        many.error(),
        "error: pods \"web-1\" not found; the input has it, but it was left out: too many of its \
         fields cannot be read"
    );
    let broken = [
        node("n1"),
        pod("web-1"),
        json!(3),
        json!({"kind": 5, "metadata": []}),
        json!("x"),
        json!(null),
    ];
    assert!(doubts(&broken).contains(&"an item that is not an object: left out".to_owned()));
    let nameless = with(pod("web-2"), "/metadata", json!({"namespace": "default"}));
    let without_one = explain_stdin(list(&[node("n1"), pod("web-1"), nameless]), &["-o", "json"]);
    let notes = &without_one.json()["notes"];
    assert_eq!(
        (without_one.code, &notes[0]["severity"]),
        (3, &json!("error")),
        "a pod may take room: {without_one:?}"
    );
    assert_eq!(note_text(&notes[0]), "Pod (without a name): left out");
}

#[test]
fn bad_quantity_is_a_note_with_its_field() {
    let cpu = "/spec/containers/0/resources/requests/cpu";
    let field = "Pod default/web-1: spec.containers[].resources.requests[cpu]";
    let grammar =
        "not a quantity; write digits with an optional suffix such as m, k, M, G, Ki, Mi, Gi";
    for (text, problem) in [
        ("1Gx", format!("is read as absent: {grammar}")),
        ("one", format!("is read as absent: {grammar}")),
        ("", "is read as absent: an empty text is not a quantity".to_owned()),
        ("-1", "is negative; the API server would refuse it".to_owned()),
        ("1e40", "is too large to count; the scheduler's sum overflows".to_owned()),
    ] {
        let notes = if problem.contains("read as") { doubts } else { notes };
        assert_eq!(notes(&web(cpu, json!(text))), [format!("{field} `{text}` {problem}")]);
        let node = with(node("n1"), "/status/allocatable/cpu", json!(text));
        let problem = problem.replace("absent", "0");
        assert_eq!(
            notes(&[node, pod("web-1")]),
            [format!("Node n1: status.allocatable[cpu] `{text}` {problem}")]
        );
    }
}

#[test]
fn objects_that_contradict() {
    let small = with(node("n1"), "/status/allocatable/cpu", json!("500m"));
    let run = explain_stdin(
        list(&[node("n1"), small, pod("web-1"), with(pod("web-1"), "/spec/priority", json!(7))]),
        &["-o", "json"],
    );
    let decision = run.json();
    assert_eq!(
        (&decision["outcome"], &decision["pod"]["priority"]),
        (&json!("Unschedulable"), &json!(7)),
        "the later ones"
    );
    let texts: Vec<String> = decision["notes"].as_array().unwrap().iter().map(note_text).collect();
    assert_eq!(texts, ["Node n1, Pod default/web-1: is given twice; the later one is used"]);
    let lost = with(pod("lost"), "/spec/nodeName", json!("gone"));
    assert_eq!(
        notes(&[node("n1"), pod("web-1"), lost]),
        [
            "Pod default/lost: is on node gone, which is not in the input; the scheduler would not see it"
        ]
    );
    let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b", "namespace": "default"},
        "spec": {"selector": {"matchExpressions": [{"key": "a", "operator": "Near", "values": ["x"]}]}}});
    assert_eq!(
        notes(&[node("n1"), pod("web-1"), budget]),
        [
            "PodDisruptionBudget default/b: spec.selector cannot be parsed, so the scheduler ignores it: there is no \
             operator `Near`"
        ]
    );
}

#[test]
fn input_without_nodes_or_pods_is_an_error() {
    let none = json!({"apiVersion": "v1", "kind": "NodeList", "items": []});
    let nodeless = explain_stdin(format!("{none}\n{}", pod("web-1")), &["-o", "wide"]);
    assert!(
        nodeless.answer().starts_with(
            "✗ default/web-1 (priority 0): it cannot be scheduled: there are no nodes.\n"
        ),
        "{nodeless:?}"
    );
    assert!(nodeless.out.contains("no nodes available to schedule pods"), "{nodeless:?}");
    for (input, expected) in [
        ("", "the file is empty"),
        (" \n\t\n", "the file is empty"),
        ("---\n# nothing\n", "no Kubernetes object in it"),
        (r#"{"kind":"List","items":[]}"#, "no Kubernetes object in it"),
        (r#"{"kind":"List","items":null}"#, "no Kubernetes object in it"),
        (
            r#"{"kind":"List","items":"x"}"#,
            "not Kubernetes objects: expected a list of objects, found \"x\"",
        ),
        ("hello world\n", "no Kubernetes object in it"),
        ("{}", "no Kubernetes object in it"),
        ("[{}, 7]", "no Kubernetes object in it"),
        (
            r#"{"kind":"Status","status":"Failure","message":"pods is forbidden"}"#,
            "no Kubernetes object in it",
        ),
        ("kind: Status\nmessage: pods is forbidden\n", "no Kubernetes object in it"),
        (
            "Error from server (Forbidden): pods is forbidden: User \"x\"\n",
            "no Kubernetes object in it",
        ),
        (
            "error: You must be logged in to the server (Unauthorized)\n",
            "no Kubernetes object in it",
        ),
        ("root:$6$x:19000:0:99999:7:::\nbin:*:19000:0:99999:7:::\n", "no Kubernetes object in it"),
        (
            r#"{"kind":"Pod","metadata":{"name":"web-1","labels":{"a":"x\ud83d y"}}}"#,
            "no object in it can be read: Pod web-1: line 1, column 58 of the object: `\\ud83d` is half of a surrogate pair; \
             write the other half, too, or the character itself",
        ),
        (
            "{\"kind\":\"Pod\",\n \"metadata\":{\"name\":\"\\udc00\"}}",
            "no object in it can be read: Pod: line 2, column 22 of the object: `\\udc00` is half of a surrogate pair; \
             write the other half, too, or the character itself",
        ),
        ("{]", "not valid JSON (line 1, column 2): key must be a string"),
    ] {
        let error = explain_stdin(input, &[]);
        assert!(error.error().ends_with(&format!(": {expected}")), "{input:?}: {error:?}");
    }
    let empty = folder(&[("logs/a.log", b"x")]);
    let from = |path: &str| -> Run { run(&["explain", "web-1", "--from", path]) };
    let run = from(empty.path().to_str().unwrap());
    assert!(
        run.error().ends_with(": the directory holds no .json, .yaml, .yml, .ndjson or .snap file"),
        "{run:?}"
    );
    assert_eq!(from("no/such.json").error(), "error: no/such.json: no such file or directory");
}

#[test]
fn nodes_that_were_forgotten() {
    let pods = list(&[pod("web-1"), with(pod("web-2"), "/spec/nodeName", json!("n1"))]);
    let folder =
        folder(&[("node.json", node("n1").to_string().as_bytes()), ("pods.json", pods.as_bytes())]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (node, file) = (path("node.json"), path("pods.json"));
    let advice = "add `nodes` to kubectl get: kubectl get nodes,pods,namespaces,services,rc,rs,sts,pdb,priorityclasses -A -o json";
    for command in [
        &["explain"][..],
        &["explain", "web-1"],
        &["explain", "--compare", "1.36,1.37"],
        &["pending", "-A"],
        &["simulate"],
        &["simulate", "web-1"],
        &["simulate", "-f", &file],
        &["verify"],
        &["audit"],
        &["risk", "-A"],
        &["headroom", "web-1"],
        &["suggest", "web-1"],
        &["suggest", "-A"],
        &["headroom", "cpu=1"],
    ] {
        let answer = run(&[command, &["--from", &file, "--now", NOW]].concat());
        assert_eq!(
            answer.error(),
            format!("error: {file}: no nodes in it; {advice}"),
            "{command:?}"
        );
        let answer = run_with(&[command, &["--from", "-", "--now", NOW]].concat(), pods.as_bytes());
        assert_eq!(
            answer.error(),
            format!("error: standard input: no nodes in it; {advice}"),
            "{command:?}"
        );
    }
    for given in [&["--add-node", &node][..], &["-f", &node, "web-1"]] {
        let answer = run(&[&["simulate", "--from", &file, "--now", NOW], given].concat());
        assert!(answer.answer().contains("✓ default/web-1"), "{answer:?}");
    }
}

#[test]
fn not_text() {
    let text = list(&[node("n1"), pod("web-1")]);
    assert_eq!(error(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), "not text: byte 0 is not UTF-8");
    assert_eq!(
        error([&text.as_bytes()[..50], b"\xff", &text.as_bytes()[50..]].concat()),
        "not text: byte 50 is not UTF-8"
    );
    assert_eq!(error(b"\xff\xfe{\0\0\xd8}\0"), "not text: its UTF-16 is damaged");
    assert_eq!(error(b"\xfe\xff\0{\xd8\0\0}"), "not text: its UTF-16 is damaged");
    assert!(error("kind: Node\n\tmetadata: x\n").starts_with("not JSON, and not valid YAML: "));
}

#[test]
fn yaml_errors_have_their_own_texts() {
    for (input, problem) in [
        ("kind: &a [*a]\n", "line 1, column 11: an alias refers to what it stands in"),
        ("kind: *a\n", "line 1, column 7: an alias refers to an anchor that does not exist"),
        ("kind: !!binary x\n", "line 1, column 16: its tags, keys or values are none of JSON"),
    ] {
        assert_eq!(error(input), format!("not JSON, and not valid YAML: {problem}"));
    }
}

#[test]
fn item_that_is_no_object_is_named() {
    let doubts = |item: Value| doubts(&[node("n1"), pod("web-1"), item]);
    for (item, note) in [
        (json!({}), "an object without kind: left out"),
        (
            json!({"metadata": {"name": "x", "namespace": "a"}}),
            "an object without kind (a/x): left out",
        ),
        (
            json!({"kind": 7, "metadata": {"name": "x"}}),
            "an object whose field `kind` is not text (x): left out",
        ),
        (json!({"kind": "Status"}), "an error of the API server in place of an object: left out"),
        (json!(7), "an item that is not an object: left out"),
    ] {
        assert_eq!(doubts(item), [note]);
    }
    assert_eq!(
        doubts(json!({"kind": "Pod", "apiVersion": "v1", "metadata": []})),
        [
            "Pod (without a name): field `metadata` is read as absent: expected an object, found a list",
            "Pod (without a name): left out"
        ]
    );
    let first = format!("{}\n{}\n{}", json!({"kind": 7}), node("n1"), pod("web-1"));
    let run = explain_stdin(first, &["-o", "json"]);
    assert_eq!(
        note_text(&run.json()["notes"][0]),
        "an object whose field `kind` is not text: left out",
        "{run:?}"
    );
}

#[test]
fn one_very_long_line() {
    let note = "x".repeat(16 << 20);
    let input = list(&web("/metadata/annotations", json!({"note": note})));
    let run = explain_stdin(&input, &[]);
    assert!(run.answer().starts_with('✓'), "{:?}", run.out);
}

#[test]
fn deeply_nested() {
    let deep =
        |open: &str, inner: &str, close: &str| open.repeat(10_000) + inner + &close.repeat(10_000);
    let brackets = deep("[", "", "]");
    let with_deep = |pointer: &str| {
        let marked = list(&web(pointer, json!("DEEP")));
        marked.replace("\"DEEP\"", &brackets)
    };
    assert!(
        explain_stdin(with_deep("/spec/unknown"), &[]).answer().starts_with('✓'),
        "what is not read does not matter"
    );
    let run = explain_stdin(with_deep("/metadata/labels"), &[]);
    let left_out = "; the input has it, but it was left out: recursion limit exceeded";
    assert!(run.error().ends_with(left_out), "{run:?}");
    assert_eq!(error(&brackets), "no Kubernetes object in it");
    assert_eq!(
        error(deep("{\"items\":", "[]", "}")),
        "not Kubernetes objects: expected a list of objects, found an object"
    );
    assert_eq!(error("[]".repeat(100_000)), "no Kubernetes object in it");
    let yaml =
        "the YAML is nested too deeply, holds too many values, or multiplies itself by aliases";
    assert_eq!(error("kind: A\na: ".to_owned() + &brackets), yaml);
    assert_eq!(
        error(
            "kind: A\n".to_owned()
                + &(0..3000).map(|i| " ".repeat(i) + "a:\n").collect::<Vec<_>>().concat()
        ),
        yaml
    );
}

#[test]
fn input_that_multiplies_itself_is_an_error() {
    let mut yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for i in 1..12 {
        let before = i - 1;
        yaml.push_str(&format!("a{i}: &a{i} [{}]\n", vec![format!("*a{before}"); 9].join(", ")));
    }
    assert_eq!(
        error(&yaml),
        "the YAML is nested too deeply, holds too many values, or multiplies itself by aliases"
    );
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    let zeros = vec![b' '; 1 << 20];
    (0..8).for_each(|_| gzip.write_all(&zeros).unwrap());
    assert_eq!(error(gzip.finish().unwrap()), "the file is empty");
}

#[test]
fn packed_data_has_a_limit() {
    let packed = zstd::encode_all(std::io::repeat(b' ').take(300 << 20), 1).unwrap();
    assert_eq!(error(packed), "unpacks to more than 256 MiB, as no list of objects is");
}

#[test]
fn objects_are_counted_and_not_only_bytes() {
    let text = format!(r#"{{"kind":"List","items":[{}{{}}]}}"#, "{},".repeat(5_000_000));
    let packed = zstd::encode_all(text.as_bytes(), 1).unwrap();
    assert!(packed.len() < 100_000, "{}", packed.len());
    let problem = "more than 5,000,000 objects, as no cluster has; write only the kinds and namespaces that are needed";
    assert_eq!(error(packed), problem);
    // One after the other they are read by another reader, which takes a debug build seconds.
    if share::is_long() {
        assert_eq!(error("{}\n".repeat(5_000_001)), problem);
    }
}

#[test]
fn file_of_this_program_that_is_no_snapshot_it_reads_is_refused() {
    let file = |version: &str, kind: &str| {
        json!({"apiVersion": version, "kind": kind, "items": [node("n1"), pod("web-1")], "snapshot": {}}).to_string()
    };
    let known =
        "kubectl-preempt.github.io/v1, kubectl-preempt.github.io/v1alpha2, preempt/v1alpha1";
    for version in ["kubectl-preempt.github.io/v9", "preempt/v2", "example.com/v1", "v1"] {
        let problem = format!(
            "a snapshot of version {version:?}; this program reads {known}: use the one that wrote it"
        );
        assert_eq!(error(file(version, "Snapshot")), problem);
    }
    let kind = "a \"DecisionList\" of kubectl-preempt, not objects of a cluster: give it a snapshot, or what kubectl get prints";
    assert_eq!(error(file("kubectl-preempt.github.io/v1", "DecisionList")), kind);
    for version in known.split(", ") {
        assert_eq!(explain_stdin(file(version, "Snapshot"), &[]).code, 0, "{version}");
    }
}

#[test]
fn aliases_are_counted_in_bytes() {
    let text = "x".repeat(1 << 20);
    let yaml = format!("kind: A\na: &a {text}\nb: [{}]\n", vec!["*a"; 200].join(", "));
    assert_eq!(
        error(yaml),
        "the YAML is nested too deeply, holds too many values, or multiplies itself by aliases"
    );
}

#[cfg(unix)]
#[test]
fn endless_files_are_rejected() {
    let of =
        |from: &str| run(&["explain", "web-1", "--from", from, "--now", NOW]).error().to_owned();
    assert_eq!(of("/dev/zero"), "error: /dev/zero: not text: byte 0 is 0");
    let pipe = folder(&[("a.json", list(&[node("n1")]).as_bytes())]);
    let path = pipe.path().join("b.json");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &path,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    let error = of(pipe.path().to_str().unwrap());
    assert!(
        error.ends_with("b.json: not a regular file; of a directory, only those are read"),
        "{error}"
    );
}

/// A pod that cannot be read may be one that waits: an empty list is no certain answer.
#[test]
fn a_list_that_may_lack_a_pod_is_not_certain() {
    for (pointer, value) in
        [("/metadata", json!("broken")), ("/metadata/name", json!(7)), ("/status/phase", json!([]))]
    {
        let items = list(&[node("n1"), with(pod("web-1"), pointer, value)]);
        for command in ["explain", "pending", "simulate", "verify", "risk"] {
            let run = run_with(&[command, "-A", "--from", "-", "--now", NOW], items.as_bytes());
            assert_eq!(run.code, 3, "{command} {pointer}: {run:?}");
        }
    }
    let broken = list(&[node("n1"), with(pod("web-1"), "/metadata", json!("broken"))]);
    let run = explain_stdin(broken, &[]);
    assert!(run.error().contains("it may be one that could not be read: "), "{run:?}");
}

/// Kinds of Kubernetes are in their own groups; those of others may have the same names.
#[test]
fn an_object_of_an_api_version_without_its_kind_is_left_out() {
    let budget = |version: &str| {
        json!({"apiVersion": version, "kind": "PodDisruptionBudget", "metadata": {"name": "b", "namespace": "default"},
            "spec": {"selector": {}}, "status": {"disruptionsAllowed": 0}})
    };
    let items = |version: &str| [node("n1"), pod("web-1"), budget(version)];
    for version in ["x", "1", "apps/v1"] {
        let run = explain_stdin(list(&items(version)), &["-o", "json"]);
        let said = format!(
            "PodDisruptionBudget default/b: left out: `apiVersion: {version}` has no PodDisruptionBudget"
        );
        let json = run.json();
        let notes: Vec<String> = json["notes"].as_array().unwrap().iter().map(note_text).collect();
        assert!(notes.iter().any(|note| note.contains(&said)), "{notes:?}");
    }
    for version in ["policy/v1", "policy.example.com/v1"] {
        assert_eq!(explain_stdin(list(&items(version)), &[]).code, 0, "{version}");
    }
}

/// One tenant of a cluster can make a node's taints and a pod's tolerations many.
#[test]
fn many_taints_propose_no_remedies() {
    let taints: Vec<Value> =
        (0..4000).map(|i| json!({"key": format!("k{i}"), "effect": "NoSchedule"})).collect();
    let items = [with(node("n1"), "/spec", json!({"taints": taints})), pod("web-1")];
    let run = explain_stdin(list(&items), &["-o", "json"]);
    assert!(!run.json()["remedies"].to_string().contains("Tolerate"), "{}", run.json()["remedies"]);
}
