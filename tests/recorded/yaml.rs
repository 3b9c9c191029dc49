//! Random YAML texts, recorded as kubectl reads them: the same values are read here. `just
//! yaml-record 1` records others, and `just yaml-fuzz` compares any number.

use std::fs::File;

use engine::decode::yaml_documents;
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::Value;

/// A text, and the values of its documents; or why kubectl refuses it.
#[derive(Deserialize)]
struct Recorded {
    text: String,
    #[serde(default)]
    values: Vec<Value>,
    refused: Option<String>,
}

#[test]
fn texts_that_kubectl_reads_have_its_values() {
    let file = File::open("tests/recorded/yaml/1.37.ndjson.gz").unwrap();
    let recorded =
        serde_json::Deserializer::from_reader(GzDecoder::new(file)).into_iter::<Recorded>();
    let mut read = 0;
    for Recorded { text, values, refused } in recorded.map(Result::unwrap) {
        // What kubectl refuses may be read, but must not do harm.
        let ours = yaml_documents(&text);
        if refused.is_none() {
            let ours = ours.unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!(plain_zeros(ours), plain_zeros(values), "{text:?}");
            read += 1;
        }
    }
    assert!(read > 300, "the recording was not read: {read}");
}

/// Values in which negative zero, which no field of Kubernetes tells from zero, is zero.
fn plain_zeros(values: Vec<Value>) -> Vec<Value> {
    values.into_iter().map(plain_zero).collect()
}

fn plain_zero(value: Value) -> Value {
    match value {
        Value::Number(number) if number.as_f64() == Some(0.0) => 0.into(),
        Value::Array(items) => Value::Array(plain_zeros(items)),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, plain_zero(value))).collect()
        }
        other => other,
    }
}
