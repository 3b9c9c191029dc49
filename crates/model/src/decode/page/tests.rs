use super::*;
use crate::snapshot::{Header, Object, status_as_json};

/// What a sink got.
#[derive(Default, PartialEq, Debug)]
struct Got(Vec<String>, Vec<DecodeIssue>);

impl Sink for Got {
    fn object(&mut self, object: Object<'_>) {
        self.0.push(
            object.namespace_and_name().map_or_else(String::new, |(_, name)| name.to_owned()),
        );
    }
    fn issue(&mut self, issue: DecodeIssue) {
        self.1.push(issue);
    }
    fn header(&mut self, _header: Header) {}
}

/// Receives a page of nodes in pieces of `size` bytes.
fn receive(bytes: &[u8], encoding: WireEncoding, step: usize) -> Result<(Got, ListMeta), String> {
    let mut page = ListPage::new(Kind::Node, encoding, "here");
    let mut got = Got::default();
    for part in bytes.chunks(step) {
        if let Some(items) = page.push(part).map_err(|e| e.problem)? {
            items.decode(&mut got).map_err(|e| e.problem)?;
        }
    }
    let (items, meta) = page.finish().map_err(|e| e.problem)?;
    items.decode(&mut got).map_err(|e| e.problem)?;
    Ok((got, meta))
}

/// The same however the page is cut.
fn receive_all(bytes: &[u8], encoding: WireEncoding) -> Result<(Got, ListMeta), String> {
    let whole = receive(bytes, encoding, usize::MAX);
    for step in 1..bytes.len() {
        assert_eq!(receive(bytes, encoding, step), whole, "{step} bytes at a time");
    }
    whole
}

fn names(text: &str) -> Result<Vec<String>, String> {
    receive_all(text.as_bytes(), WireEncoding::Json).map(|(got, _)| got.0)
}

#[test]
fn a_page_of_json_is_cut_at_the_right_commas() {
    for (text, expected) in [
        (r#"{"items":[]}"#, &[][..]),
        (r#"{"items":null}"#, &[]),
        (r#"{"items": [ ] ,"x":[1,[2]]}"#, &[]),
        (r#"{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}"#, &["a", "b"]),
        (
            r#"{ "kind" : "NodeList" , "items" : [ {"metadata":{"name":"a,]}\"\\"}} , {} ] }"#,
            &["a,]}\"\\", ""],
        ),
        (
            r#"{"x":{"items":[1]},"y":["items",[2]],"items":[{"metadata":{"name":"a"},"items":[{"z":[]}]}]}"#,
            &["a"],
        ),
    ] {
        assert_eq!(names(text).unwrap(), expected, "{text}");
    }
}

#[test]
fn metadata_is_found_at_any_position() {
    for text in [
        r#"{"kind":"NodeList","metadata":{"continue":"abc","resourceVersion":"7"},"items":[{"metadata":{"continue":"no"}}]}"#,
        r#"{"items":[{"metadata":{"continue":"no"}}],"metadata":{"resourceVersion":"7","continue":"abc"}}"#,
    ] {
        let (_, meta) = receive_all(text.as_bytes(), WireEncoding::Json).unwrap();
        assert_eq!((&*meta.continue_token, &*meta.resource_version), ("abc", "7"), "{text}");
    }
    let (_, last) = receive(br#"{"metadata":null,"items":[]}"#, WireEncoding::Json, 1).unwrap();
    assert_eq!(last, ListMeta::default());
}

#[test]
fn page_that_is_no_list_is_an_error() {
    for (text, problem) in [
        ("", "the answer ends in the middle"),
        (r#"{"items":["#, "the answer ends in the middle"),
        (r#"{"items":[{"metadata":{"name":"a"#, "the answer ends in the middle"),
        (r#"{"items":[{}]"#, "the answer ends in the middle"),
        (r#"{"kind":"Node"}"#, "the answer is not a list"),
        (r#"{"items":{}}"#, "the answer is not a list"),
        (r#"{"items":5}"#, "the answer is not a list"),
        ("[{}]", "the answer is not a list"),
        (r#"{"\u0069tems":[{}]}"#, "the answer is not a list"),
        (r#"{"kind":"PodList","items":[]}"#, "the answer is a PodList, not a NodeList"),
        (r#"{"items":[{},]}"#, "not valid JSON: an object is missing beside a comma"),
        (r#"{"items":[,{}]}"#, "not valid JSON: an object is missing beside a comma"),
    ] {
        assert_eq!(names(text).unwrap_err(), problem, "{text}");
    }
    for text in [
        "<html>",
        r#"{"items":[]} x"#,
        r#"{"items":[{} {}]}"#,
        r#"{"items":[{"a":tru}]}"#,
        r#"{"items":[{]}]}"#,
    ] {
        let problem = names(text).unwrap_err();
        assert!(problem.starts_with("not valid JSON: "), "{text}: {problem}");
    }
}

#[test]
fn a_field_of_the_wrong_type_costs_that_field_alone() {
    let text = br#"{"items":[{"metadata":{"name":"a"},"spec":{"unschedulable":"yes"}},{}]}"#;
    let (got, _) = receive(text, WireEncoding::Json, 5).unwrap();
    assert_eq!(got.0, ["a", ""]);
    assert_eq!(got.1.iter().map(|issue| &*issue.field).collect::<Vec<_>>(), ["spec.unschedulable"]);
}

#[test]
fn full_batches_are_handed_on_before_the_page_ends() {
    let item = format!(r#"{{"metadata":{{"name":"{}"}}}},"#, "n".repeat(BATCH_BYTES / 4));
    let mut page = ListPage::new(Kind::Node, WireEncoding::Json, "here");
    let (mut batches, mut got) = (0, Got::default());
    page.push(br#"{"items":["#).unwrap();
    for _ in 0..16 {
        if let Some(items) = page.push(item.as_bytes()).unwrap() {
            batches += 1;
            assert!(page.items.bytes.len() < item.len(), "no more than what has begun is kept");
            items.decode(&mut got).unwrap();
        }
    }
    assert_eq!((batches, got.0.len()), (4, 16));
}

/// A field with a length.
fn field(number: u8, value: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2];
    prost::encoding::encode_varint(value.len() as u64, &mut bytes);
    bytes.extend(value);
    bytes
}

/// A list of nodes of these bytes.
fn node_list(items: &[Vec<u8>]) -> Vec<u8> {
    let mut list = field(1, &[field(2, b"7"), field(3, b"abc")].concat());
    list.extend(items.iter().flat_map(|item| field(2, item)));
    let kind = field(1, &[field(1, b"v1"), field(2, b"NodeList")].concat());
    [&b"k8s\0"[..], &kind, &field(2, &list), &field(3, b""), &field(4, b"")].concat()
}

fn node(name: &str) -> Vec<u8> {
    field(1, &field(1, name.as_bytes()))
}

#[test]
fn a_page_of_protobuf_is_cut_into_its_objects() {
    let long = "n".repeat(200);
    let page = node_list(&[node("a"), node(&long), Vec::new()]);
    let (got, meta) = receive_all(&page, WireEncoding::Protobuf).unwrap();
    assert_eq!(got.0, ["a", &long, ""]);
    assert_eq!(
        (&*meta.continue_token, &*meta.resource_version, &*meta.kind),
        ("abc", "7", "NodeList")
    );
    for end in 0..page.len() {
        // What follows the list is empty and may be missing.
        let cut = receive(page.get(..end).unwrap(), WireEncoding::Protobuf, 3);
        assert!(end >= page.len() - 4 || cut.is_err(), "{end}: {cut:?}");
    }
}

#[test]
fn a_damaged_object_is_left_out_and_named() {
    let damaged = [node("b"), vec![0xff, 0xff]].concat();
    let (got, _) =
        receive_all(&node_list(&[node("a"), damaged, node("c")]), WireEncoding::Protobuf).unwrap();
    assert_eq!(got.0, ["a", "c"]);
    let issue = got.1.first().unwrap();
    assert_eq!(
        issue.object.as_ref().map(|object| (&*object.kind, &*object.name)),
        Some(("Node", "b"))
    );
    assert_eq!(
        (issue.kind, &*issue.problem),
        (DecodeIssueKind::LeftOut, "its protobuf is damaged")
    );
}

#[test]
fn page_that_is_not_protobuf_is_an_error() {
    let list = node_list(&[]);
    for bytes in [
        &b"{\"items\":[]}"[..],
        b"k8s!",
        b"k8s\0\x08\x01",
        b"k8s\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        // An object that is longer than the list.
        b"k8s\0\x12\x02\x12\x7f\0",
    ] {
        assert_eq!(
            receive(bytes, WireEncoding::Protobuf, 2).unwrap_err(),
            "the answer is not valid protobuf",
            "{bytes:?}"
        );
    }
    assert_eq!(
        receive(b"k8s\0", WireEncoding::Protobuf, 9).unwrap_err(),
        "the answer is not a list"
    );
    let pods = String::from_utf8(list).unwrap().replace("NodeList", "PodsList").into_bytes();
    assert_eq!(
        receive(&pods, WireEncoding::Protobuf, 9).unwrap_err(),
        "the answer is a PodsList, not a NodeList"
    );
}

#[test]
fn a_status_in_protobuf_is_read_as_json() {
    // The answer of a 1.37 API server to a user who may not list pods, without its details.
    let bytes =
        b"k8s\0\x0a\x0c\x0a\x02v1\x12\x06Status\x12\x26\x0a\x00\x12\x07Failure\x1a\x0epods forbidden\x22\x09Forbidden";
    let json = r#"{"kind":"Status","message":"pods forbidden","reason":"Forbidden"}"#;
    assert_eq!(status_as_json(bytes).as_deref(), Some(json));
    assert_eq!(status_as_json(b"<html>"), None);
    assert_eq!(status_as_json(b"k8s\0\x12\x7f"), None);
}

#[test]
fn an_object_is_limited_in_size() {
    let mut page = ListPage::new(Kind::Node, WireEncoding::Json, "here");
    page.push(br#"{"items":[{"metadata":{"name":""#).unwrap();
    let part = vec![b'a'; LARGEST_OBJECT / 8];
    let pushed = (0..9).map(|_| page.push(&part)).find_map(Result::err);
    assert_eq!(pushed.unwrap().problem, "an object in it has more than 16 MiB");
}
