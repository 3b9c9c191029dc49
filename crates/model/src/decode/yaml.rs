//! YAML: every document is converted to JSON and decoded as such.
//!
//! kubectl reads YAML with sigs.k8s.io/yaml, which implements YAML 1.1 and is lenient about layout.
//! Whatever it reads is read here, with the same values: [`scanner`] finds the tokens, [`reader`]
//! builds a document from them, and [`single`] interprets unquoted text. What kubectl rejects is
//! still read if it is YAML 1.2, which other programs write; that parser also describes the problem
//! with a text that is neither.

mod block_list;
mod reader;
mod scanner;
mod single;
mod value;

use std::borrow::Cow;

use serde::de::Error as _;
use serde_json::Value;
use serde_saphyr::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};

use self::block_list::{BlockList, ListRead};
use self::reader::ReadDocument;
use super::error::DecodeError;
use super::{format, json};
use crate::plain::{repeated_key, yaml_problem};
use crate::snapshot::Sink;

/// Maximum number of events that aliases may repeat. kubectl writes no aliases.
const MAX_ALIASED: usize = 100_000;
/// Maximum number of values of a list that is read item by item; those of the largest clusters have
/// as many.
const MAX_NODES: usize = 50_000_000;
/// Maximum number of values that are held at once, however short: of all documents of a text but
/// such a list.
pub(super) const MOST_AT_ONCE: usize = 5_000_000;
/// Maximum number of bytes that aliases may repeat.
const MAX_ALIASED_BYTES: usize = 64 << 20;

/// What a repeated key means.
const LAST_COUNTS: &str = "the last one counts, as for kubectl";

/// The prefix of a line that separates documents.
const SEPARATOR: &str = "---";

/// The documents of a YAML text.
#[derive(Debug, Default)]
pub struct YamlDocuments {
    /// The documents, in order.
    pub list: Vec<YamlDocument>,
    /// The position of a repeated key, if there is one; the last value counts.
    pub repeated: Option<String>,
    /// The line of what follows the end of a document without a separator, if anything does:
    /// kubectl does not read it.
    pub unread: Option<usize>,
}

/// A document of a YAML text.
#[derive(Debug)]
pub struct YamlDocument {
    /// Its value; null for an empty one.
    pub value: Value,
    /// The line on which its content begins, from 1.
    pub line: usize,
}

impl YamlDocuments {
    /// The values of the documents, in order.
    pub fn into_values(self) -> Vec<Value> {
        self.list.into_iter().map(|document| document.value).collect()
    }
}

/// The documents of a YAML text.
///
/// # Errors
/// When the text is not YAML, is nested too deeply, repeats too much by aliases, or has more than
/// `most` values.
pub fn documents(body: &str, most: usize) -> Result<YamlDocuments, serde_saphyr::Error> {
    // What kubectl reads decides. Only what it rejects is read as YAML 1.2.
    let most = most.min(MOST_AT_ONCE);
    let mut left = most;
    if let Some(documents) = read_as_kubectl(body, &mut left) {
        return Ok(documents);
    }
    if left == 0 {
        return Err(serde_saphyr::Error::custom(format!("it has more than {most} values")));
    }
    match parse(body, DuplicateKeyPolicy::Error, most) {
        Ok(values) => {
            Ok(YamlDocuments { list: with_lines(values, body), ..YamlDocuments::default() })
        }
        Err(problem)
            if matches!(
                problem.without_snippet(),
                serde_saphyr::Error::DuplicateMappingKey { .. }
            ) =>
        {
            let values = parse(body, DuplicateKeyPolicy::LastWins, most)?;
            let repeated = Some(yaml_problem(&problem));
            Ok(YamlDocuments { list: with_lines(values, body), repeated, unread: None })
        }
        Err(problem) => Err(problem),
    }
}

/// The documents that kubectl reads; `None` if it rejects the text, or the text has more than `left`
/// values, of which then none are left.
fn read_as_kubectl(body: &str, left: &mut usize) -> Option<YamlDocuments> {
    let mut documents = YamlDocuments::default();
    for part in parts(body, left)? {
        let text = part.text();
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let ReadDocument { value, repeated, rest } = reader::read(text, left).ok()?;
        let line = part.first_line + first_line_of_content(text) + 1;
        documents.list.push(YamlDocument { value, line });
        if let (None, Some(repeated)) = (&documents.repeated, repeated) {
            let place = (part.first_line + repeated.line + 1, repeated.column + 1);
            documents.repeated = Some(repeated_key(&repeated.key, place));
        }
        documents.unread = documents.unread.or(rest.map(|line| part.first_line + line + 1));
    }
    Some(documents)
}

/// The index of the first line that is neither blank nor a comment nor a bare separator; 0 if there
/// is no such line.
fn first_line_of_content(text: &str) -> usize {
    text.lines().position(|line| !is_between_documents(line)).unwrap_or(0)
}

/// Whether a line is not document content: it is blank, a comment, a directive, or a separator.
fn is_between_documents(line: &str) -> bool {
    let line = line.strip_prefix(SEPARATOR).unwrap_or(line).trim_start();
    line.is_empty() || line.starts_with(['#', '%'])
}

/// The documents with these values, for a text that kubectl does not read. If its lines show a
/// different number of documents, each is said to begin where the text does.
fn with_lines(values: Vec<Value>, body: &str) -> Vec<YamlDocument> {
    let mut starts: Vec<usize> = Vec::new();
    let mut is_inside = false;
    for (index, line) in body.lines().enumerate() {
        if line.starts_with(SEPARATOR) {
            is_inside = false;
        }
        if !is_inside && !is_between_documents(line) {
            starts.push(index + 1);
            is_inside = true;
        }
    }
    let is_known = starts.len() == values.len();
    let lines = starts.into_iter().filter(|_| is_known).chain(std::iter::repeat(1));
    values.into_iter().zip(lines).map(|(value, line)| YamlDocument { value, line }).collect()
}

/// The text of a document between separators.
struct Part<'t> {
    lines: &'t str,
    /// Its first line in the whole text, from 0.
    first_line: usize,
}

impl<'t> Part<'t> {
    /// The text as kubectl sees it: every line ends with a line feed, including the last.
    fn text(&self) -> Cow<'t, str> {
        match (self.lines.contains("\r\n"), self.lines.ends_with('\n')) {
            (false, true) => Cow::Borrowed(self.lines),
            (false, false) => Cow::Owned(format!("{}\n", self.lines)),
            (true, true) => Cow::Owned(self.lines.replace("\r\n", "\n")),
            (true, false) => Cow::Owned(self.lines.replace("\r\n", "\n") + "\n"),
        }
    }
}

/// The parts of a text between lines that begin with [`SEPARATOR`]. If nothing precedes such a
/// line, it belongs to the part, which it begins, or is text if more than a blank follows it.
/// `None` if something other than a comment follows it on such a line, which kubectl rejects, or
/// there are more parts than `left` values, of which then none are left.
///
/// Upstream: `YAMLReader` of apimachinery's `pkg/util/yaml/decoder.go` (1.37).
fn parts<'t>(body: &'t str, left: &mut usize) -> Option<Vec<Part<'t>>> {
    let (mut parts, mut start, mut first_line, mut at) = (Vec::new(), 0, 0, 0);
    for (number, line) in body.split_inclusive('\n').enumerate() {
        if let Some(behind) = line.strip_prefix(SEPARATOR) {
            let behind = behind.trim();
            if !behind.is_empty() && !behind.starts_with('#') {
                return None;
            }
            if parts.len() >= *left {
                *left = 0;
                return None;
            }
            if at > start {
                parts.push(Part { lines: body.get(start..at)?, first_line });
                (start, first_line) = (at + line.len(), number + 1);
            }
        }
        at += line.len();
    }
    parts.push(Part { lines: body.get(start..)?, first_line });
    parts.retain(|part| !part.lines.is_empty());
    Some(parts)
}

/// Whether a document of a text may be an object or a list of objects. It cannot if it has fields of
/// which none is `kind` or `items`, as the lines show that are not indented.
fn may_have_objects(body: &str) -> bool {
    if !format::names_kind(body) {
        return false;
    }
    let (mut at, mut begins) = (0, true);
    for end in memchr::memchr_iter(b'\n', body.as_bytes()).chain([body.len()]) {
        let line = body.as_bytes().get(at..end).unwrap_or_default();
        at = end + 1;
        if line.is_empty() || line == b"\r" || line.first() == Some(&b'#') {
            continue;
        }
        if line.starts_with(SEPARATOR.as_bytes()) {
            // What follows it on its line may begin the document.
            begins = true;
            if line.trim_ascii_end().len() > SEPARATOR.len() {
                return true;
            }
            continue;
        }
        // A document may be indented as a whole. What is quoted or marked may be any key.
        // Below a field, a line that is not indented may also be an item of its value.
        let is_indented = matches!(line.first(), Some(b' ' | b'-'));
        let is_plain = line.first().is_some_and(u8::is_ascii_alphanumeric);
        let is_other = if is_indented { !begins } else { is_plain };
        if !is_other || line.starts_with(b"kind") || line.starts_with(b"items") {
            return true;
        }
        begins = false;
    }
    false
}

fn parse(
    body: &str,
    duplicate_keys: DuplicateKeyPolicy,
    most: usize,
) -> Result<Vec<Value>, serde_saphyr::Error> {
    // The size of the input is not limited here; its depth, its number of values and what aliases
    // multiply are.
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: usize::MAX,
            max_nodes: most,
            max_documents: usize::MAX,
            max_total_scalar_bytes: body.len().saturating_add(MAX_ALIASED_BYTES),
        },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_ALIASED },
        duplicate_keys: duplicate_keys,
        legacy_octal_numbers: true,
        non_finite_float_policy: NonFiniteFloatPolicy::Reject,
        with_snippet: false,
    };
    let values: Vec<value::Loose> = serde_saphyr::from_multiple_with_options(body, options)?;
    Ok(values.into_iter().map(|value| value.0).collect())
}

/// The value of a YAML text of one document.
///
/// # Errors
/// When the text is not YAML, or has several documents.
pub fn yaml_value(text: &str) -> Result<Value, serde_saphyr::Error> {
    serde_saphyr::from_str(text)
}

/// The values of the documents of a YAML text, as kubectl reads them.
///
/// # Errors
/// When the text is not YAML, is nested too deeply, or repeats too much by aliases.
pub fn yaml_documents(text: &str) -> Result<Vec<Value>, serde_saphyr::Error> {
    documents(text, MOST_AT_ONCE).map(YamlDocuments::into_values)
}

/// Decodes YAML documents, each an object or a list.
pub(super) fn decode(body: &str, origin: &str, sink: &mut dyn Sink) -> Result<(), DecodeError> {
    if format::skips(body, may_have_objects, sink) {
        return Ok(());
    }
    // The items of a long list are read one by one.
    let mut items_read = 0;
    if let Some(list) = BlockList::of(body) {
        let ListRead { items, rest, repeated } = list.read(sink);
        if let Some(rest) = rest {
            if let Some(key) = repeated {
                let place = repeated_key(&key.key, (key.line + 1, key.column + 1));
                sink.remark(format!("{origin}: {place}; {LAST_COUNTS}"));
            }
            return json::decode(&rest.to_string(), origin, sink);
        }
        items_read = items;
    }
    let YamlDocuments { mut list, repeated, unread } =
        documents(body, MOST_AT_ONCE).map_err(|e| DecodeError::yaml(origin, body, &e))?;
    let first = list.first_mut().and_then(|document| document.value.get_mut("items"));
    if let Some(Value::Array(items)) = first {
        items.drain(..items_read.min(items.len()));
    }
    if let Some(place) = repeated {
        sink.remark(format!("{origin}: {place}; {LAST_COUNTS}"));
    }
    if let Some(line) = unread {
        sink.remark(format!(
            "{origin}: a document ends before line {line}, and no `---` separates what follows: it is not read, as by kubectl"
        ));
    }
    let mut objects = 0;
    let values = list.into_iter().map(|document| document.value);
    for document in values.filter(|value| !value.is_null()) {
        if !document.is_object() && !document.is_array() {
            return Err(DecodeError::nothing(origin));
        }
        objects += 1;
        json::decode(&document.to_string(), origin, sink)?;
    }
    if objects == 0 {
        return Err(DecodeError::nothing(origin));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
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
            (
                "yes: 1\n0x10: 2\n'010': 3\n1.5: 4\n",
                json!([{"true": 1, "16": 2, "010": 3, "1.5": 4}]),
            ),
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
            (
                "a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n",
                json!([{"a": {"b": 1}, "c": {"b": 1, "d": 2}}]),
            ),
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
        for text in
            ["a: 'x\n---\nb: 'y'\n", "a: \"x\n...\nb: \"y\"\n", "a: .inf\n", "a: |\n  x\n y\n"]
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
}
