use super::*;
use crate::cluster::build::Builder;
use crate::cluster::notes::LEFT_OUT;

/// How a file with this path and text is decoded, and its notes.
fn read(path: &str, text: &str) -> (Among, Vec<String>) {
    let mut builder = Builder::new();
    let among = decode_among(text, &format!("dump/{path}"), path, &mut builder);
    let notes = builder.finish().notes;
    let left_out = notes.iter().filter(|note| *note.doc == LEFT_OUT);
    (among, left_out.map(|note| format!("{:?}: {}", note.objects, note.text)).collect())
}

#[test]
fn foreign_files_of_a_directory_are_passed_over_without_an_issue() {
    for (path, text) in [
        ("mode.json", "\"local\""),
        ("count.json", "7"),
        ("none.json", "null"),
        ("empty.yaml", ""),
        ("comments.yaml", "---\n# nothing\n"),
        ("object.json", "{}"),
        ("rules.json", r#"{"status":"success","data":{"groups":[{"labels":{"kind":"Pod"}}]}}"#),
        ("groups.json", r#"[{"name":"apps","versions":[]}]"#),
        ("names.json", r#"["a", 7]"#),
        ("values.yaml", "replicas: 3\nimage: x\n"),
        ("deployment.yaml", "kind: Deployment\nmetadata: {name: {{ .Values.name }}\n"),
        ("cut.json", r#"{"version": "1.2", "bui"#),
        ("web.log.json", "{\"level\":\"info\"}\n{\"level\":\"warn\"}\n"),
        ("events.json", r#"{"kind":"EventList","items":[{"meta"#),
        ("items.json", r#"{"items":"x"}"#),
        ("podsecurity.json", r#"{"defaults":{}}"#),
        ("pod-network-connectivity.json", "[7]"),
    ] {
        assert_eq!(read(path, text), (Among::Foreign, Vec::new()), "{path}");
    }
}

#[test]
fn lists_and_objects_of_a_directory_are_read() {
    for (path, text) in [
        ("pods.json", r#"{"kind":"PodList","apiVersion":"v1","items":[]}"#),
        ("all.json", r#"{"kind":"List","apiVersion":"v1","items":[]}"#),
        ("array.json", "[]"),
        ("node.yaml", "kind: Node\nmetadata: {name: n1}\n"),
        (
            "kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n",
        ),
    ] {
        assert_eq!(read(path, text), (Among::Read, Vec::new()), "{path}");
    }
}

#[test]
fn unreadable_objects_of_a_directory_make_answers_about_their_kind_unsure() {
    for (path, text, plurals) in [
        ("default/pods.json", r#"{"apiVersion":"v1","items":[{"metada"#, &["pods"][..]),
        ("core_v1_nodes.json", "", &["nodes"]),
        ("pods-errors.json", r#"["pods is forbidden"]"#, &["pods"]),
        ("pods/shop.json", r#"[{"name":"x"}]"#, &["pods"]),
        (
            "pod-disruption-budgets-errors.json",
            r#"{"shop":"is forbidden"}"#,
            &["poddisruptionbudgets"],
        ),
        ("storage-classes.json", "", &["storageclasses"]),
        ("pvcs/shop.json", "[{", &["persistentvolumeclaims"]),
        ("node/n1.json", "{", &["nodes"]),
        ("all.json", r#"{"items":[{"kind":"ConfigMap"},{"kind":"Pod","meta"#, &["pods"]),
        ("pod.yaml.tpl.yaml", "kind: Pod\nmetadata: {name: {{ .Values.name }}\n", &["pods"]),
        ("a.json", r#"[{"metadata":{"name":"p"},"spec":{"containers":[]}}]"#, &["pods"]),
        ("b.json", r#"{"items":[{"metadata":{"name":"n"},"status":{"nodeInfo":{}}}]}"#, &["nodes"]),
        ("c.json", r#"{"jobs":[{"metadata":{"name":"j"}}],"x":[]}"#, &["jobs"]),
        ("pods.json", r#"{"kind":"Status","message":"pods is forbidden"}"#, &["pods"]),
    ] {
        let (among, notes) = read(path, text);
        assert_eq!((among, notes.len()), (Among::Lacking, plurals.len()), "{path}: {notes:?}");
        assert!(
            notes.iter().all(|note| note.contains(&format!("left out: dump/{path}: "))),
            "{notes:?}"
        );
    }
}

#[test]
fn objects_without_kind_beside_others_are_named() {
    let (among, notes) = read(
        "x.json",
        "{\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"}}\n{\"metadata\":{\"name\":\"x\"}}",
    );
    assert_eq!(
        (among, notes),
        (Among::Read, vec!["[]: an object without kind (x): left out".to_owned()])
    );
}
