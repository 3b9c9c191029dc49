use serde_json::json;

use super::*;

/// The values of a text, which has no repeated keys.
fn values(text: &str) -> Value {
    let read = documents(text, MOST_AT_ONCE).unwrap_or_else(|e| panic!("{text:?}: {e}"));
    assert_eq!((&read.repeated, &read.unread), (&None, &None), "{text:?}");
    Value::Array(read.into_values())
}

#[test]
fn texts_that_kubectl_reads_have_the_same_values() {
    for (text, expected) in [
        // Lines that continue a quoted text may stand at the indentation of its key, or before it.
        ("a:\n  b: 'x\n  y\n  z'\n  c: 1\n", json!([{"a": {"b": "x y z", "c": 1}}])),
        (
            "a:\n- b: \"x\n  y\\\n  z\n\n  u\"\n  c: ''\n",
            json!([{"a": [{"b": "x yz\nu", "c": ""}]}]),
        ),
        ("a:\n  b: 'x\ny'\nc: \"x\ny\"\n", json!([{"a": {"b": "x y"}, "c": "x y"}])),
        // A number that is too large is text.
        (
            "a: 1e999999\nb: [-1e999, 2]\n1e9999: x\n",
            json!([{"a": "1e999999", "b": ["-1e999", 2], "1e9999": "x"}]),
        ),
        (
            "a: yes\nb: No\nc: on\nd: OFF\ne: 'y'\n",
            json!([{"a": true, "b": false, "c": true, "d": false, "e": "y"}]),
        ),
        ("yes: 1\n0x10: 2\n'010': 3\n1.5: 4\n", json!([{"true": 1, "16": 2, "010": 3, "1.5": 4}])),
        ("a: 0755\nb: 1_000\nc: 1:30\n", json!([{"a": 493, "b": 1000, "c": "1:30"}])),
        ("a:\t1\nb: 2\t\n\t\nc: [3,\n\t4] \t# x\n", json!([{"a": 1, "b": 2, "c": [3, 4]}])),
        ("%YAML 1.1\n---\na: 1\n", json!([{"a": 1}])),
        (
            "a: 1\r\nb: 'x\r\n  y'\r\n...\r\n---\r\nc: |\r\n  x\r\n",
            json!([{"a": 1, "b": "x y"}, {"c": "x\n"}]),
        ),
        ("# c\n---\n# d\n---\na: 1\n...\n# e\n", json!([null, null, {"a": 1}])),
        ("  a: 1\n  b: 2\n", json!([{"a": 1, "b": 2}])),
        ("---\n---\na: .5_0\n", json!([null, {"a": 0.5}])),
        ("a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n", json!([{"a": {"b": 1}, "c": {"b": 1, "d": 2}}])),
    ] {
        assert_eq!(values(text), expected, "{text:?}");
    }
}

#[test]
fn the_last_of_repeated_keys_counts_and_the_place_is_named() {
    let found = documents("a: 1\nb: {c: 1, c: 2}\na: 3\n", MOST_AT_ONCE).expect("YAML");
    assert_eq!(
        found.repeated.as_deref(),
        Some("line 2, column 11: the key \"c\" stands there twice")
    );
    assert_eq!(found.into_values(), [json!({"a": 3, "b": {"c": 2}})]);
}

#[test]
fn text_after_document_end_without_separator_is_unread_and_its_line_known() {
    let found = documents("a: 1\n...\nb: 2\n---\nc: 3\n", MOST_AT_ONCE).expect("YAML");
    assert_eq!(found.unread, Some(3));
    assert_eq!(found.into_values(), [json!({"a": 1}), json!({"c": 3})]);
}

#[test]
fn quotation_marks_that_are_missing_swallow_no_document() {
    for text in ["a: 'x\n---\nb: 'y'\n", "a: \"x\n...\nb: \"y\"\n", "a: .inf\n", "a: |\n  x\n y\n"]
    {
        assert!(documents(text, MOST_AT_ONCE).is_err(), "{text:?}");
    }
}

#[test]
fn texts_with_too_many_values_are_refused_before_they_are_held() {
    let lines = "- 0\n".repeat(1000);
    assert_eq!(documents(&lines, 1002).map(|read| read.list.len()).ok(), Some(1));
    let separate = "---\na: 1\n".repeat(1000);
    for text in [lines, separate] {
        let problem = documents(&text, 900).expect_err("it has 1,000 values").to_string();
        assert_eq!(problem, "it has more than 900 values");
    }
}

#[test]
fn only_texts_with_fields_of_objects_may_have_objects() {
    for text in [
        "kind: Pod\n",
        "a: 1\nkind: Pod\n",
        "a: 1\n\"kind\": Pod\n",
        "# kinds\n---\na: 1\n---\n\n  b: 1\n  kind: Pod\n",
        "items:\n- kind: Pod\n",
        "- kind: Pod\n",
        "{kind: Pod}\n",
        "--- {kind: Pod}\n",
        "? kind\n: Pod\n",
        "a: &a {kind: Pod}\n<<: *a\n",
        "a: 1\r\nkind: Pod\r\n",
    ] {
        assert!(may_have_objects(text), "{text:?}");
    }
    for text in
        ["a: 1\n", "a:\n- kind: Pod\n", "a: 1\r\n\r\n---\r\nb:\r\n  kind: Pod\r\n", "# kind\n"]
    {
        assert!(!may_have_objects(text), "{text:?}");
    }
}
