//! A snapshot gives the answer of what it was made from.

use engine::snapshot::Sink as _;
use kubectl_preempt::capture::files;
use kubectl_preempt::capture::store::{SnapshotTarget, SnapshotWriter};
use serde_json::{Value, json};

use super::{NOW, folder, list, node, pod, run, with};

/// The decision about `pod`, without where it was read from.
fn decision(from: &str, arguments: &[&str]) -> Value {
    let run = run(&[&["explain", "--from", from, "--now", NOW, "-o", "json"], arguments].concat());
    assert_eq!(run.err, "");
    let mut decision = run.json();
    decision["source"] = Value::Null;
    decision["scheduler"]["versionSource"] = Value::Null;
    for remedy in decision["remedies"].as_array_mut().into_iter().flatten() {
        remedy["check"] = Value::Null;
    }
    decision
}

#[test]
fn the_decision_is_the_same() {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut inputs = vec![(
        format!("{root}/examples/pending-web/cluster.yaml"),
        vec![super::EXAMPLE_POD.to_owned(), "-nshop".into()],
    )];
    for entry in std::fs::read_dir(format!("{root}/tests/scenarios")).unwrap() {
        let path = entry.unwrap().path().join("cluster.yaml");
        let text = std::fs::read_to_string(&path).unwrap();
        let question =
            text.lines().next().unwrap().strip_prefix("# kubectl preempt explain ").unwrap();
        let arguments = question
            .split_whitespace()
            .filter(|a| !a.starts_with("-o"))
            .map(str::to_owned)
            .collect();
        inputs.push((path.to_str().unwrap().to_owned(), arguments));
    }
    let faulty = [
        with(node("n1"), "/status/allocatable/cpu", json!("1Gx")),
        with(with(pod("web-1"), "/spec/priority", json!("high")), "/metadata/labels", json!(["a"])),
        with(
            pod("web-2"),
            "/spec/containers",
            json!([7, {"resources": {"requests": {"cpu": 2, "memory": "1.5Gi"}}}]),
        ),
        with(pod("gone"), "/spec/nodeName", json!("n9")),
    ];
    let faulty = folder(&[("faulty.json", list(&faulty).as_bytes())]);
    for name in ["web-1", "web-2"] {
        inputs.push((
            faulty.path().join("faulty.json").to_str().unwrap().to_owned(),
            vec![name.to_owned()],
        ));
    }
    let folder = folder(&[]);
    for (number, (input, arguments)) in inputs.iter().enumerate() {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let direct = decision(input, &arguments).to_string();
        // With every change one of the two for each input, in turn.
        let part = testing::share::of(2, 1);
        for ending in ["json.zst", "snap"].into_iter().skip(number % part).step_by(part) {
            let path = folder.path().join(format!("{number}.{ending}"));
            let target = SnapshotTarget::File(path.clone());
            let mut writer = SnapshotWriter::create(target, false).unwrap();
            files::read(input, &mut writer).unwrap();
            writer.finish().unwrap();
            let saved = decision(path.to_str().unwrap(), &arguments);
            assert_eq!(direct, saved.to_string(), "{input} as {ending}");
        }
    }
}

/// A snapshot of the example, in the form that its name says.
fn snapshot(path: &std::path::Path) {
    let input = format!("{}/examples/pending-web/cluster.yaml", env!("CARGO_MANIFEST_DIR"));
    let mut writer = SnapshotWriter::create(SnapshotTarget::File(path.to_owned()), false).unwrap();
    files::read(&input, &mut writer).unwrap();
    writer.header(engine::snapshot::Header {
        captured_at: Some(NOW.to_owned()),
        ..Default::default()
    });
    writer.finish().unwrap();
}

#[test]
fn snapshot_in_another_form_has_the_same_objects() {
    let folder = folder(&[]);
    let [json, compact, again] =
        ["a.json", "a.snap", "b.json"].map(|name| folder.path().join(name).display().to_string());
    snapshot(json.as_ref());
    let to_compact = run(&["snapshot", "--from", &json, "-o", &compact]);
    assert_eq!(to_compact.code, 0, "{}", to_compact.err);
    assert!(to_compact.err.contains(&format!("read {json}")), "{}", to_compact.err);
    let to_json = run(&["snapshot", "--from", &compact, "-o", &again]);
    assert_eq!(to_json.code, 0, "{}", to_json.err);
    let items = |file: &str| {
        let text = std::fs::read_to_string(file).unwrap();
        let mut snapshot: Value = serde_json::from_str(&text).unwrap();
        let items = snapshot["items"].take();
        let mut items: Vec<String> =
            items.as_array().unwrap().iter().map(ToString::to_string).collect();
        items.sort();
        (items, snapshot)
    };
    assert_eq!(items(&json), items(&again));
}

#[test]
fn snapshot_from_other_objects_is_refused() {
    let folder = folder(&[("pods.json", list(&[pod("web"), node("n1")]).as_bytes())]);
    let pods = folder.path().join("pods.json").display().to_string();
    let target = folder.path().join("a.snap");
    let run = run(&["snapshot", "--from", &pods, "-o", target.to_str().unwrap()]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("not a snapshot"), "{}", run.err);
    assert!(!target.exists());
}
