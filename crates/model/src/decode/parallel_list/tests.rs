use super::*;
use crate::decode::decode;
use crate::snapshot::{DecodeIssue, Header, Object};

/// Names of the objects in their order, and what was wrong with them.
#[derive(Default, Debug, PartialEq)]
struct Seen {
    names: Vec<String>,
    issues: Vec<String>,
}

impl Sink for Seen {
    fn object(&mut self, object: Object<'_>) {
        self.names.push(match object {
            Object::Pod(pod) => pod.metadata.name.to_string(),
            Object::Node(node) => node.metadata.name.to_string(),
            other => format!("{other:?}"),
        });
    }
    fn issue(&mut self, issue: DecodeIssue) {
        self.issues.push(format!("{}: {}", issue.subject, issue.problem));
    }
    fn header(&mut self, _: Header) {}
}

/// A pod with what looks like the boundary of two items, once in a list and once in a text.
fn pod(index: usize, more: &str) -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"pod-{index}","ownerReferences":[{{"apiVersion":"a","kind":"b"}} , {{"apiVersion":"v1","kind":"Pod","name":"x"}}],"annotations":{{"a":"}},{{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}} é"}}{more}}}}}"#
    )
}

fn list(items: &[String], glue: &str) -> String {
    format!(r#"{{"apiVersion":"v1","items":[{}],"kind":"List","metadata":{{}}}}"#, items.join(glue))
}

fn in_chunks(text: &str, chunk_bytes: usize) -> (Seen, Result<Option<String>, String>) {
    let mut seen = Seen::default();
    let rest = decode_items(text, chunk_bytes, &mut seen).map_err(|e| e.to_string());
    (seen, rest)
}

fn in_order(text: &str) -> Seen {
    let mut seen = Seen::default();
    decode(text, "test", &mut seen).expect("valid input");
    seen
}

#[test]
fn any_chunk_size_gives_what_decoding_in_order_gives() {
    let items: Vec<String> =
        (0..60).map(|i| pod(i, if i % 7 == 3 { r#","labels":7"# } else { "" })).collect();
    for glue in [",", " ,\n\t  "] {
        let text = list(&items, glue);
        for chunk_bytes in (1..2_000).step_by(37) {
            let (seen, rest) = in_chunks(&text, chunk_bytes);
            assert_eq!(rest, Ok(Some(list(&[], glue))), "chunk_bytes {chunk_bytes}");
            assert_eq!(seen, in_order(&text), "chunk_bytes {chunk_bytes}");
        }
    }
}

#[test]
fn list_with_item_that_is_no_object_is_decoded_in_order() {
    let mut items: Vec<String> = (0..20).map(|i| pod(i, "")).collect();
    items[11] = "12".to_owned();
    let (seen, rest) = in_chunks(&list(&items, ","), 100);
    assert_eq!(seen.names.len(), 11);
    assert_eq!(rest, Ok(Some(list(&items[11..], ","))));
}

#[test]
fn broken_text_is_an_error_with_its_place_in_the_whole() {
    let items: Vec<String> = (0..20).map(|i| pod(i, "")).collect();
    let whole = list(&items, ",\n");
    for text in
        [&whole[..whole.len() / 2], &whole.replace("],\"kind\":\"List\"", ",],\"kind\":\"List\"")]
    {
        let expected = serde_json::from_str::<IgnoredAny>(text).unwrap_err().to_string();
        assert_eq!(in_chunks(text, 100).1, Err(expected));
    }
}

#[test]
fn other_documents_are_not_touched() {
    let pods = [pod(1, ""), pod(2, ""), pod(3, "")].join(",");
    for text in [
        format!(r#"{{"items":[{pods}],"kind":"PodList"}}"#)
            .replace(r#""apiVersion":"v1","kind":"Pod","#, ""),
        format!(r#"{{"kind":"PodList","items":[{pods}]}}"#),
        format!(r#"{{"spec":{{"items":[{pods}]}}}}"#),
        format!("[{pods}]"),
        r#"{"items":[]}"#.to_owned(),
        r#"{"items":"#.to_owned(),
        String::new(),
    ] {
        assert_eq!(in_chunks(&text, 10), (Seen::default(), Ok(None)), "{text}");
    }
}
