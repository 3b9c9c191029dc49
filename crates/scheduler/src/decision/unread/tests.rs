use serde_json::{Value, json};

use crate::testing::{at, claim, csi_node, node, notes_of, objects, pod, volume, without};
use model::decode::read_cluster;

/// Notes of what 1.37 decides about `p`, from a snapshot that says what was read.
fn notes(objects: Vec<Value>, header: &Value) -> Vec<String> {
    notes_of("1.37", objects, header)
}

/// Whether one of the notes begins and ends like that.
fn says(notes: &[String], begin: &str, end: &str) -> bool {
    notes.iter().any(|n| n.starts_with(begin) && n.ends_with(end))
}

#[test]
fn storage_that_could_not_be_read_matters_to_pods_with_volumes() {
    let header =
        || json!({"unreadable": [{"resource": "persistentvolumeclaims", "reason": "forbidden"}]});
    let with = notes(objects![node("n"), pod("p").claim("c")], &header());
    let end = "could not be read: forbidden; VolumeRestrictions, NodeVolumeLimits, VolumeBinding and VolumeZone cannot be \
               relied on";
    assert!(says(&with, "error persistentvolumeclaims: ", end), "{with:?}");
    let without = notes(objects![node("n"), pod("p")], &header());
    let want = "info persistentvolumeclaims: could not be read: forbidden; no rule for this pod reads them";
    assert_eq!(without, [want]);
}

#[test]
fn kinds_that_are_missing_altogether_are_named() {
    let none = "not in the input; ";
    let bound = || objects![node("n"), claim("c", "").bound("pv"), pod("p").claim("c")];
    let drivers = || [bound(), objects![volume("pv", "")]].concat();
    for (row, objects, header, kind, severity) in [
        (
            "claims",
            objects![node("n"), pod("p").claim("c")],
            json!({}),
            "persistentvolumeclaims",
            "error",
        ),
        ("volumes", bound(), json!({}), "persistentvolumes", "error"),
        (
            "classes",
            objects![node("n"), claim("c", "fast"), pod("p").claim("c")],
            json!({}),
            "storageclasses",
            "error",
        ),
        ("what drivers say", drivers(), json!({}), "csinodes", "warning"),
        (
            "what is attached, where nodes have limits",
            [drivers(), objects![csi_node("n", &[("d", 1)])]].concat(),
            json!({}),
            "volumeattachments",
            "warning",
        ),
    ] {
        let notes = notes(objects, &header);
        let found =
            notes.iter().any(|n| n.starts_with(severity) && n.contains(none) && n.contains(kind));
        assert!(found, "{row}: {notes:?}");
    }
    let read = json!({"resourceVersions": {"persistentvolumeclaims": "1", "csinodes": "1", "volumeattachments": "1"}});
    let empty = notes(objects![node("n"), pod("p").claim("c")], &read);
    assert!(
        !empty.iter().any(|n| n.contains(none)),
        "they were read, and there are none: {empty:?}"
    );
    let plain = notes(objects![node("n"), pod("p")], &json!({}));
    assert!(!plain.iter().any(|n| n.contains(none)), "a pod without volumes: {plain:?}");
}

#[test]
fn kinds_that_no_rule_reads_yet_are_not_missed() {
    let named = |version: &str, kind: &str| {
        let objects = objects![node("n"), claim("c", "").bound("pv"), pod("p").claim("c")];
        // Limits are what attachments matter to.
        let limits =
            if kind == "csinodes" { Vec::new() } else { objects![csi_node("n", &[("d", 1)])] };
        notes_of(version, [objects, limits].concat(), &json!({})).iter().any(|n| n.contains(kind))
    };
    assert_eq!((named("1.15", "csinodes"), named("1.16", "csinodes")), (false, true));
    assert_eq!(
        (named("1.31", "volumeattachments"), named("1.32", "volumeattachments")),
        (false, true)
    );
}

#[test]
fn kinds_that_are_not_in_the_input_are_one_note() {
    let notes = notes(objects![node("n"), claim("c", "fast"), pod("p").claim("c")], &json!({}));
    let want = "error storageclasses, csinodes: not in the input; if the cluster has some, \
                NodeVolumeLimits, VolumeBinding and VolumeZone cannot be relied on";
    assert_eq!(notes, [want]);
}

#[test]
fn kinds_without_effect_are_reported_as_harmless() {
    for resource in ["limitranges", "jobs", "services", "csinodes", "podgroups"] {
        assert_eq!(without("1.37", resource, objects![node("n"), pod("p")]), "info", "{resource}");
    }
    for resource in ["nodes", "pods"] {
        assert_eq!(without("1.37", resource, objects![node("n"), pod("p")]), "error", "{resource}");
    }
}

#[test]
fn unread_resource_of_unknown_kind_is_a_warning() {
    let header = json!({"unreadable": [{"resource": "gadgets", "reason": "no"}]});
    assert_eq!(
        notes(objects![node("n"), pod("p")], &header),
        ["warning gadgets could not be read: no"]
    );
}

#[test]
fn objects_that_the_answer_lacks_weigh_as_much_as_what_reads_their_kind() {
    let nameless = |kind: &str| json!({"apiVersion": "v1", "kind": kind, "metadata": {"namespace": "default"}});
    let plain = || pod("p");
    let claiming = || pod("p").claim("c");
    let expired = |plural: &str| json!([{"kind": "Expired", "subject": plural, "problem": "the list expired"}]);
    for (row, severity, objects, issues, about) in [
        ("a node", "error", objects![nameless("Node"), plain()], json!([]), "left out"),
        ("a pod", "error", objects![nameless("Pod"), plain()], json!([]), "left out"),
        (
            "a claim, of no use",
            "warning",
            objects![nameless("PersistentVolumeClaim"), plain()],
            json!([]),
            "left out",
        ),
        (
            "a claim",
            "error",
            objects![nameless("PersistentVolumeClaim"), claiming()],
            json!([]),
            "left out",
        ),
        ("pods that are gone", "error", objects![plain()], expired("pods"), "the list expired"),
        (
            "services that are gone",
            "warning",
            objects![plain()],
            expired("services"),
            "the list expired",
        ),
    ] {
        let items = [objects![node("n")], objects].concat();
        let file = json!({"apiVersion": "preempt/v1alpha1", "kind": "Snapshot", "snapshot": {}, "items": items, "flaws": issues});
        let cluster = read_cluster(&file.to_string(), "a file").expect("a snapshot file");
        let notes = at("1.37").decide_in(&cluster, "p").notes();
        let found = notes
            .iter()
            .find(|note| note.contains(about))
            .unwrap_or_else(|| panic!("{row}: {notes:?}"));
        assert!(found.starts_with(severity), "{row}: {found}");
    }
}
