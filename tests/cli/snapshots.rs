//! A snapshot gives the answer of what it was made from.

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
    let flawed = [
        with(node("n1"), "/status/allocatable/cpu", json!("1Gx")),
        with(with(pod("web-1"), "/spec/priority", json!("high")), "/metadata/labels", json!(["a"])),
        with(
            pod("web-2"),
            "/spec/containers",
            json!([7, {"resources": {"requests": {"cpu": 2, "memory": "1.5Gi"}}}]),
        ),
        with(pod("gone"), "/spec/nodeName", json!("n9")),
    ];
    let flawed = folder(&[("flawed.json", list(&flawed).as_bytes())]);
    for name in ["web-1", "web-2"] {
        inputs.push((
            flawed.path().join("flawed.json").to_str().unwrap().to_owned(),
            vec![name.to_owned()],
        ));
    }
    let folder = folder(&[]);
    for (number, (input, arguments)) in inputs.iter().enumerate() {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let path = folder.path().join(format!("{number}.json.zst"));
        let mut writer = SnapshotWriter::create(SnapshotTarget::File(path.clone()), false).unwrap();
        files::read(input, &mut writer).unwrap();
        writer.finish().unwrap();
        let (direct, saved) =
            (decision(input, &arguments), decision(path.to_str().unwrap(), &arguments));
        assert_eq!(direct.to_string(), saved.to_string(), "{input}");
    }
}
