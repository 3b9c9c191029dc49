use serde::Deserialize;
use serde_json::json;

use crate::snapshot::Kind;
use crate::snapshot::meta::LabelSelector;
use crate::snapshot::pod::{Pod, PodSpec};
use crate::snapshot::record::FieldName;

#[test]
fn field_names_are_written_as_in_json() {
    const TEXT: [&str; 4] = [
        FieldName::<8>::of("topology").as_str(),
        FieldName::<9>::of("node_name").as_str(),
        FieldName::<30>::of("node_allocatable_resource_a_b1").as_str(),
        FieldName::<0>::of("").as_str(),
    ];
    assert_eq!(TEXT, ["topology", "nodeName", "nodeAllocatableResourceAB1", ""]);
}

#[test]
fn null_amount_in_a_map_is_zero() {
    let spec: PodSpec =
        serde_json::from_str(r#"{"overhead":{"cpu":null,"memory":"1Gi","pods":110}}"#).unwrap();
    let amounts: Vec<_> = spec.overhead.iter().collect();
    assert_eq!(amounts, [("cpu", "0"), ("memory", "1Gi"), ("pods", "110")]);
}

#[test]
fn null_leaves_a_field_empty_and_is_no_item() {
    let spec: PodSpec = serde_json::from_str(
        r#"{"nodeName":null,"priority":null,"tolerations":null,"affinity":null,"overhead":null}"#,
    )
    .unwrap();
    assert_eq!(spec, PodSpec::default());
    let error = serde_json::from_str::<PodSpec>(r#"{"tolerations":[null]}"#).unwrap_err();
    assert_eq!(error.to_string(), "invalid type: null, expected an object at line 1 column 20");
}

#[test]
fn values_of_another_type_are_refused() {
    for (text, problem) in [
        (r#"{"nodeName":1}"#, "invalid type: integer `1`, expected a string"),
        (r#"{"nodeSelector":[]}"#, "invalid type: sequence, expected an object with string values"),
        (r#"{"nodeSelector":{"a":1}}"#, "invalid type: integer `1`, expected a string"),
        (r#"{"priority":2147483648}"#, "invalid value: integer `2147483648`, expected i32"),
        (r#"{"hostNetwork":"x"}"#, "invalid type: string \"x\", expected a boolean"),
        (r#"{"containers":{}}"#, "invalid type: map, expected a sequence"),
        (r#"{"containers":[[]]}"#, "invalid type: sequence, expected an object"),
        (r#"{"overhead":{"cpu":[]}}"#, "invalid type: sequence, expected a quantity"),
        (r#"{"nodeName":"a","nodeName":"b"}"#, "duplicate field `nodeName`"),
        ("[]", "invalid type: sequence, expected an object"),
    ] {
        let error = serde_json::from_str::<PodSpec>(text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{problem} at line 1 column ")), "{text}: {error}");
    }
}

#[test]
fn fields_that_are_written_are_read() {
    let text = json!({
        "metadata": {"name": "p", "labels": {"a": "b"}, "annotations": {"kubernetes.io/config.mirror": "x"}},
        "spec": {
            "nodeName": "n",
            "containers": [{"name": "c", "ports": [{"hostIP": "1.2.3.4", "hostPort": 80, "protocol": "TCP"}]}],
            "overhead": {"cpu": "1"},
            "priority": 7,
            "volumes": [{"name": "v", "cinder": {"volumeID": "x"}, "emptyDir": {}}],
            "affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 1, "preference": {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}}
            ]}},
        },
        "status": {"conditions": [{"type": "PodScheduled", "status": "False", "message": "m"}]},
    });
    let text = text.to_string();
    let object = Kind::Pod.decode_json(&text).unwrap();
    let written: serde_json::Value = serde_json::from_str(&object.to_json().unwrap()).unwrap();
    assert_eq!(written, serde_json::from_str::<serde_json::Value>(&text).unwrap());
    assert_eq!(Kind::Pod.decode_json(&object.to_json().unwrap()).unwrap(), object);
}

#[test]
fn wire_types_are_decoded_by_any_decoder_of_serde() {
    let (labels, priority) =
        (json!({"matchLabels": {"a": "b"}}), json!({"spec": {"priority": "high"}}));
    assert_eq!(LabelSelector::deserialize(&labels).unwrap().match_labels.get("a"), Some("b"));
    assert!(Pod::deserialize(&priority).is_err());
}
