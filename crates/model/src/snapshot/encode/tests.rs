use super::*;
use crate::snapshot::{Kind, groups::DisruptionMode};

/// What is written of an object of this kind with these fields.
fn rewritten(kind: Kind, json: &str) -> String {
    kind.decode_json(json).expect("an object").to_json().expect("JSON")
}

#[test]
fn absent_fields_are_not_written_and_present_ones_by_their_names() {
    for (kind, json) in [
        (Kind::Pod, r#"{"metadata":{"name":"a"}}"#),
        (Kind::Pod, r#"{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c"},{}]}}"#),
        (Kind::Pod, r#"{"spec":{"nodeSelector":{},"volumes":[{"name":"v","emptyDir":{}}]}}"#),
        (Kind::Pod, r#"{"spec":{"priority":0,"hostNetwork":true,"hostUsers":false}}"#),
        (Kind::Pod, r#"{"spec":{"containers":[{"ports":[{"hostIP":"::1","hostPort":80}]}]}}"#),
        (Kind::Pod, r#"{"metadata":{"labels":{"a\"\\\n\u0001":"é"}}}"#),
        (Kind::StorageClass, r#"{"metadata":{"name":"fast"},"provisioner":"p"}"#),
        (Kind::PodGroup, r#"{"spec":{"disruptionMode":{"all":{}}}}"#),
        (Kind::PodGroup, r#"{"spec":{"schedulingPolicy":{"gang":{"minCount":3}}}}"#),
        (Kind::Node, "{}"),
    ] {
        assert_eq!(rewritten(kind, json), json);
    }
}

#[test]
fn what_an_absent_field_is_read_as_is_not_written() {
    let zeros = r#"{"metadata":{"name":"","labels":{},"finalizers":[]},"spec":{"hostNetwork":false,"priority":null}}"#;
    assert_eq!(rewritten(Kind::Pod, zeros), "{}");
    assert_eq!(JsonText::of(&DisruptionMode::Single).expect("JSON"), r#"{"single":{}}"#);
    assert!(DisruptionMode::Single.is_absent());
}
