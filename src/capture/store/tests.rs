mod compact;

use super::*;
use engine::decode;
use engine::snapshot::Unreadable;
use engine::snapshot::autoscaler::ClusterAutoscaler;
use engine::snapshot::scheduler::{ConfigMap, Scheduler};

const CANARY: &str = "canary-7f3a";

/// A pod as the API server sends it, with a canary in every field that must not be kept.
fn pod_with_canaries() -> String {
    r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"shop","uid":"u1","labels":{"app":"web"},
      "annotations":{"kubectl.kubernetes.io/last-applied-configuration":"CANARY"},
      "managedFields":[{"manager":"CANARY","fieldsV1":{"f:CANARY":{}}}]},
     "spec":{"nodeName":"n1","priority":5,"serviceAccountName":"CANARY","hostname":"CANARY",
      "imagePullSecrets":[{"name":"CANARY"}],"securityContext":{"sysctls":[{"name":"a","value":"CANARY"}]},
      "volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data-web"}},
       {"name":"key","secret":{"secretName":"CANARY","items":[{"key":"CANARY","path":"CANARY"}]}},
       {"name":"conf","configMap":{"name":"CANARY"}},{"name":"proj","projected":{"sources":[{"secret":{"name":"CANARY"}}]}},
       {"name":"flex","flexVolume":{"driver":"d","secretRef":{"name":"CANARY"},"options":{"o":"CANARY"}}},
       {"name":"eph","ephemeral":{"volumeClaimTemplate":{"metadata":{"annotations":{"a":"CANARY"}}}}}],
      "containers":[{"name":"main","image":"web:1","command":["CANARY"],"args":["--password=CANARY"],
       "env":[{"name":"TOKEN","value":"CANARY"},{"name":"REF","valueFrom":{"secretKeyRef":{"name":"CANARY","key":"k"}}}],
       "envFrom":[{"secretRef":{"name":"CANARY"}}],"livenessProbe":{"exec":{"command":["CANARY"]}},
       "lifecycle":{"preStop":{"httpGet":{"path":"CANARY","port":1}}},"workingDir":"CANARY",
       "volumeMounts":[{"name":"key","mountPath":"CANARY","subPath":"CANARY"}],
       "resources":{"requests":{"cpu":"100m"},"limits":{"cpu":"1"}},"ports":[{"hostPort":80,"name":"x","protocol":"TCP"}]}]},
     "status":{"phase":"Running","message":"The node was low on resource: memory.","podIP":"CANARY",
      "conditions":[{"type":"Ready","status":"True","reason":"Fine","message":"CANARY"}],
      "containerStatuses":[{"name":"main","image":"CANARY","containerID":"CANARY","state":{"terminated":{"message":"CANARY"}}}]}}"#
        .replace("CANARY", CANARY)
}

fn list() -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"List","items":[
        {{"apiVersion":"v1","kind":"Node","metadata":{{"name":"n1"}},"status":{{"allocatable":{{"cpu":"4"}}}}}},
        {{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{{"name":"b","namespace":"shop"}},
          "spec":{{"selector":{{}}}},"status":{{"disruptionsAllowed":1}}}},
        {{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{{"name":"high"}},"value":7}},
        {{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{{"name":"gpu"}},"spec":{{"extendedResourceName":"a/b"}}}},
        {{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{{"name":"r","namespace":"shop"}}}},
        {{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"j","namespace":"shop"}}}},
        {{"apiVersion":"v1","kind":"Secret","metadata":{{"name":"{CANARY}"}}}},
        {{"apiVersion":"v1","kind":"Namespace"}},
        {}]}}"#,
        pod_with_canaries()
    )
}

#[derive(Default)]
struct Seen {
    objects: Vec<String>,
    issues: Vec<DecodeIssue>,
    header: Header,
}

impl Sink for Seen {
    fn object(&mut self, object: Object<'_>) {
        if object.kind().is_some() {
            self.objects.push(format!("{object:?}"));
        }
    }
    fn issue(&mut self, issue: DecodeIssue) {
        self.issues.push(issue);
    }
    fn header(&mut self, header: Header) {
        self.header = header;
    }
}

fn header() -> Header {
    Header {
        captured_at: Some("2026-11-21T15:00:00Z".to_owned()),
        server_version: Some("v1.37.1".to_owned()),
        resource_versions: [("pods".to_owned(), "473".to_owned())].into(),
        unreadable: vec![Unreadable {
            resource: "deviceclasses".to_owned(),
            reason: "forbidden".to_owned(),
        }],
        scheduler: Some(Scheduler {
            pods: vec!["kube-scheduler-a".to_owned()],
            ..Scheduler::default()
        }),
        autoscaler: Some(ClusterAutoscaler {
            status: Some("autoscalerStatus: Running\n".to_owned()),
            ..ClusterAutoscaler::default()
        }),
        programs: None,
    }
}

fn write(path: &Path, text: &str, force: bool) -> Result<Written, Error> {
    let mut writer = SnapshotWriter::create(SnapshotTarget::File(path.to_owned()), force)?;
    decode::decode(text, "test", &mut writer)?;
    writer.header(header());
    writer.finish()
}

fn read(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    match path.extension().and_then(|e| e.to_str()) {
        Some("zst") => String::from_utf8(zstd::stream::decode_all(&*bytes).unwrap()).unwrap(),
        Some("gz") => io::read_to_string(flate2::read::GzDecoder::new(&*bytes)).unwrap(),
        _ => String::from_utf8(bytes).unwrap(),
    }
}

fn files(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn written_snapshot_decodes_to_the_same_objects() {
    let folder = tempfile::tempdir().unwrap();
    let mut original = Seen::default();
    decode::decode(&list(), "test", &mut original).unwrap();
    for name in ["a.json", "a.json.gz", "a.json.zst"] {
        let path = folder.path().join(name);
        let written = write(&path, &list(), false).unwrap();
        assert_eq!(written.objects.values().sum::<usize>(), 8);
        assert_eq!(written.bytes, fs::metadata(&path).unwrap().len());
        let mut again = Seen::default();
        decode::decode(&read(&path), name, &mut again).unwrap();
        assert_eq!(again.objects, original.objects, "{name}");
        assert_eq!(again.header, header());
    }
}

#[test]
fn files_of_earlier_versions_decode_to_the_same_objects() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    write(&path, &list(), false).unwrap();
    let text = read(&path);
    let objects = |text: &str| {
        let mut seen = Seen::default();
        decode::decode(text, "a.json", &mut seen).unwrap();
        assert_eq!(seen.header, header());
        seen.objects
    };
    for version in ["kubectl-preempt.github.io/v1alpha2", "preempt/v1alpha1"] {
        let old = text.replace(API_VERSION, version);
        assert_ne!(old, text);
        assert_eq!(objects(&old), objects(&text), "{version}");
    }
}

#[test]
fn nothing_outside_the_allow_list_gets_into_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    write(&path, &list(), false).unwrap();
    let text = read(&path);
    assert!(text.contains("data-web") && text.contains(r#""cpu":"100m""#), "{text}");
    assert!(!text.contains(CANARY), "{text}");
    assert!(!text.contains("Secret") && !text.contains("annotations"), "{text}");
}

#[test]
fn a_login_of_an_extender_does_not_get_into_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let text =
        format!("extenders: [{{urlPrefix: 'http://jane:{CANARY}@host/x', filterVerb: filter}}]");
    let config_map = Some(ConfigMap { text, ..ConfigMap::default() });
    let mut writer = SnapshotWriter::create(SnapshotTarget::File(path.clone()), false).unwrap();
    writer.header(Header {
        scheduler: Some(Scheduler { config_map, ..Scheduler::default() }),
        ..header()
    });
    writer.finish().unwrap();
    let text = read(&path);
    assert!(
        text.contains("urlPrefix: 'http://host/x'")
            && !text.contains(CANARY)
            && !text.contains("jane"),
        "{text}"
    );
}

#[test]
fn snapshot_for_a_terminal_is_escaped_and_decodes_to_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (raw, escaped) = (folder.path().join("raw.json"), folder.path().join("escaped.json"));
    let name = "a\u{9b}2J\u{9d}0;x\u{202e}\u{7f}b";
    let text = serde_json::json!({"kind": "List", "items": [{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name}}]});
    write(&raw, &text.to_string(), false).unwrap();
    let writer = SnapshotWriter::create(SnapshotTarget::File(escaped.clone()), false).unwrap();
    let mut writer = writer.escaped(render::escape::visible_json_lines);
    decode::decode(&text.to_string(), "test", &mut writer).unwrap();
    writer.header(header());
    writer.finish().unwrap();
    let (raw, escaped) = (read(&raw), read(&escaped));
    assert!(
        raw.contains('\u{9b}') && escaped.contains(r"a\u009b2J\u009d0;x\u202e\u007fb"),
        "{escaped}"
    );
    assert!(!escaped.chars().any(|c| c != '\n' && render::safe::is_hostile(c)), "{escaped}");
    let value = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
    assert_eq!(value(&raw), value(&escaped));
}

#[test]
fn an_empty_cluster_is_a_valid_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    write(&path, r#"{"kind":"List","items":[]}"#, false).unwrap();
    let value: serde_json::Value = serde_json::from_str(&read(&path)).unwrap();
    assert_eq!(value["apiVersion"], API_VERSION);
    assert_eq!(value["kind"], SNAPSHOT_KIND);
    assert_eq!(value["items"], serde_json::json!([]));
    assert_eq!(value["snapshot"]["serverVersion"], "v1.37.1");
}

#[test]
fn decode_issue_is_kept_in_the_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let bad = r#"{"kind":"List","items":[{"kind":"Pod","metadata":{"name":"x"},"spec":{"priority":"high"}}]}"#;
    assert_eq!(write(&path, bad, false).unwrap().issues, 1);
    let value: serde_json::Value = serde_json::from_str(&read(&path)).unwrap();
    let issue: DecodeIssue = serde_json::from_value(value["flaws"][0].clone()).unwrap();
    let object = issue.object.unwrap();
    assert_eq!(
        (object.kind.as_str(), object.name.as_str(), issue.field.as_str()),
        ("Pod", "x", "spec.priority")
    );
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json.zst");
    write(&path, &list(), false).unwrap();
    assert_eq!(mode(&path), 0o600);
    write(&path, &list(), true).unwrap();
    assert_eq!(mode(&path), 0o600);
}

#[test]
fn an_existing_file_is_overwritten_only_by_force() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    fs::write(&path, "precious").unwrap();
    let error = write(&path, &list(), false).unwrap_err();
    assert!(error.to_string().ends_with("a.json: the file exists"), "{error}");
    assert!(error.hint().unwrap().contains("--force"));
    assert_eq!(read(&path), "precious");
    write(&path, &list(), true).unwrap();
    assert!(read(&path).contains("Snapshot"));
    assert_eq!(files(folder.path()), ["a.json"]);
}

#[test]
fn a_file_that_appears_meanwhile_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let writer = SnapshotWriter::create(SnapshotTarget::File(path.clone()), false).unwrap();
    fs::write(&path, "precious").unwrap();
    assert!(writer.finish().unwrap_err().to_string().ends_with("the file exists"));
    assert_eq!(read(&path), "precious");
    assert_eq!(files(folder.path()), ["a.json"]);
}

#[test]
fn no_file_remains_after_a_failed_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json.zst");
    assert!(write(&path, r#"{"kind":"List","items":[{"kind":"#, false).is_err());
    assert_eq!(files(folder.path()), Vec::<String>::new());
    let missing = folder.path().join("no/such/folder/a.json");
    assert!(
        write(&missing, &list(), false)
            .unwrap_err()
            .to_string()
            .contains("cannot write the snapshot")
    );
    assert!(
        write(folder.path(), &list(), true)
            .unwrap_err()
            .to_string()
            .ends_with("is a folder; name a file")
    );
}
