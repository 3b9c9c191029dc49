use serde_json::{Value, json};

use crate::cluster::notes::VALUE;
use crate::decode::read_cluster;

/// The notes about values of an object.
fn notes(object: &Value) -> Vec<String> {
    let cluster = read_cluster(&object.to_string(), "a file").expect("an object");
    let notes = cluster.notes.iter().filter(|note| *note.doc == VALUE);
    notes
        .inspect(|note| assert!(!note.lacks.is_empty(), "{}", note.text))
        .map(|note| note.text.clone())
        .collect()
}

/// An object of that kind with a value at a path, of which numbers are places in lists.
fn object(api_version: &str, kind: &str, path: &str, value: Value) -> Value {
    let at = |inner: Value, step: &str| match step.parse::<usize>() {
        Ok(_) => json!([inner]),
        Err(_) => json!({ step: inner }),
    };
    let mut object = path.rsplit('/').fold(value, at);
    let head = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "o"}});
    object
        .as_object_mut()
        .expect("an object")
        .extend(head.as_object().cloned().unwrap_or_default());
    object
}

/// The path as a note has it: `spec.taints[0]` of `spec/taints/0`.
fn field(path: &str) -> String {
    let step = |step: &str| {
        if step.parse::<usize>().is_ok() { format!("[{step}]") } else { format!(".{step}") }
    };
    path.split('/').map(step).collect::<String>().trim_start_matches('.').to_owned()
}

#[test]
fn a_value_that_kubernetes_does_not_have_is_noted_and_lacks() {
    for (api_version, kind, path) in [
        ("v1", "Node", "spec/taints/0/effect"),
        ("v1", "Pod", "spec/preemptionPolicy"),
        ("v1", "Pod", "spec/tolerations/0/operator"),
        ("v1", "Pod", "spec/tolerations/0/effect"),
        ("v1", "Pod", "spec/topologySpreadConstraints/0/whenUnsatisfiable"),
        ("v1", "Pod", "spec/topologySpreadConstraints/0/nodeAffinityPolicy"),
        ("v1", "Pod", "spec/topologySpreadConstraints/0/nodeTaintsPolicy"),
        ("v1", "Pod", "spec/containers/0/ports/0/protocol"),
        ("v1", "Pod", "spec/initContainers/0/restartPolicy"),
        ("v1", "Pod", "spec/containers/0/restartPolicyRules/0/action"),
        ("v1", "Pod", "status/phase"),
        ("v1", "Pod", "status/conditions/0/status"),
        ("scheduling.k8s.io/v1", "PriorityClass", "preemptionPolicy"),
        ("scheduling.k8s.io/v1beta1", "PodGroup", "spec/preemptionPolicy"),
        ("scheduling.k8s.io/v1alpha3", "CompositePodGroup", "spec/preemptionPolicy"),
        ("storage.k8s.io/v1", "StorageClass", "volumeBindingMode"),
        ("v1", "PersistentVolumeClaim", "spec/accessModes/0"),
        ("v1", "PersistentVolumeClaim", "spec/volumeMode"),
        ("v1", "PersistentVolumeClaim", "status/phase"),
        ("v1", "PersistentVolume", "spec/accessModes/0"),
        ("v1", "PersistentVolume", "spec/volumeMode"),
        ("v1", "PersistentVolume", "status/phase"),
        ("resource.k8s.io/v1", "ResourceClaim", "spec/devices/requests/0/exactly/allocationMode"),
        (
            "resource.k8s.io/v1",
            "ResourceClaim",
            "spec/devices/requests/0/firstAvailable/0/tolerations/0/operator",
        ),
        (
            "resource.k8s.io/v1beta1",
            "ResourceClaim",
            "spec/devices/requests/0/tolerations/0/effect",
        ),
    ] {
        let told = notes(&object(api_version, kind, path, json!("Sometimes")));
        let begin = format!("field `{}` is `Sometimes`, but Kubernetes has only ", field(path));
        assert!(
            told.len() == 1 && told.iter().all(|text| text.starts_with(&begin)),
            "{kind} {path}: {told:?}"
        );
        let known = told.concat();
        let known = known
            .strip_prefix(&begin)
            .and_then(|rest| rest.strip_suffix(" there"))
            .expect("the values");
        for value in known.split(", ").chain([""]) {
            assert_eq!(
                notes(&object(api_version, kind, path, json!(value))),
                Vec::<String>::new(),
                "{kind} {path}"
            );
        }
    }
}

#[test]
fn unknown_effects_of_device_taints_have_a_meaning() {
    let slice = object(
        "resource.k8s.io/v1",
        "ResourceSlice",
        "spec/devices/0/taints/0/effect",
        json!("Sometimes"),
    );
    assert_eq!(notes(&slice), Vec::<String>::new());
}

#[test]
fn a_long_value_is_cut() {
    let node = object("v1", "Node", "spec/taints/0/effect", json!("x".repeat(100_000)));
    assert!(notes(&node).iter().all(|text| text.len() < 200));
}

#[test]
fn a_disruption_mode_that_kubernetes_does_not_have_is_read_as_absent() {
    for mode in [json!("Sometimes"), json!({"sometimes": {}})] {
        let group = object("scheduling.k8s.io/v1beta1", "PodGroup", "spec/disruptionMode", mode);
        let cluster = read_cluster(&group.to_string(), "a file").expect("a group");
        let texts: Vec<&str> = cluster.notes.iter().map(|note| note.text.as_str()).collect();
        let want = "field `spec.disruptionMode` is read as absent: expected an object with `single` or `all`, \
                    or the text `Pod` or `PodGroup`, found \"Sometimes\"";
        assert_eq!(texts.len(), 1, "{texts:?}");
        assert!(texts.iter().all(|text| text.eq_ignore_ascii_case(want)), "{texts:?}");
    }
}
