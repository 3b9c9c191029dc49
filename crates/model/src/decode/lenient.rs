//! Objects with a field of the wrong type: they are decoded without the field, which is reported.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::decoded::{Decoded, DecodedItem};
use super::parts::each_field;
use crate::plain::{json_problem_in, plain_type};
use crate::snapshot::{DecodeIssue, DecodeIssueKind, DecodeIssueObject, Kind, Object, group_of};
use crate::wrong_value::{Path, ValueStep, WrongValue};

/// Maximum number of fields that may be dropped from one object; beyond it, the object is dropped.
const MAX_BAD_FIELDS: usize = 16;

/// Maximum number of bytes of an object of which fields are dropped, which takes many times as much
/// memory. etcd accepts less.
const LARGEST_MENDED: usize = 4 << 20;

/// The value of a field, if it has that type.
fn read<'a, T: Default + Deserialize<'a>>(json: &'a str) -> T {
    serde_json::from_str(json).unwrap_or_default()
}

/// What can be read from any object.
#[derive(Default)]
struct Head<'a> {
    /// The JSON of `kind`; `None` without that field.
    kind: Option<&'a str>,
    api_version: String,
    namespace: String,
    name: String,
}

/// Reads it; if a field is repeated, the last one counts.
fn head(raw: &RawValue) -> Head<'_> {
    let mut head = Head::default();
    let mut metadata = "";
    each_field(raw.get(), &mut |name, value| match name {
        "kind" => head.kind = Some(value),
        // Custom kinds may have the names of Kubernetes' own.
        "apiVersion" => head.api_version = read(value),
        "metadata" => metadata = value,
        _ => {}
    });
    each_field(metadata, &mut |name, value| match name {
        "namespace" => head.namespace = read(value),
        "name" => head.name = read(value),
        _ => {}
    });
    head
}

/// Finds the fields of an object that have the wrong type, and drops them. `kind` is known for the
/// items of a typed list.
pub(super) fn decode(raw: &RawValue, kind: Option<Kind>) -> Decoded<'_> {
    let Head { kind: kind_json, api_version: version, namespace, name } = head(raw);
    let kind_name: String = kind_json.map(read).unwrap_or_default();
    let group = Some(group_of(&version)).filter(|group| group.contains('.'));
    let Some(kind) = kind.or_else(|| Kind::find(group, &kind_name)) else {
        if !kind_name.is_empty() {
            return Decoded::object(Object::Other(kind_name.into()));
        }
        let what = match (raw.get().starts_with('{'), kind_json.filter(|json| *json != "null")) {
            (false, _) => "an item that is not an object".to_owned(),
            (true, None) => format!("an object without kind{}", named(&namespace, &name)),
            (true, Some(_)) => {
                format!("an object whose field `kind` is not text{}", named(&namespace, &name))
            }
        };
        return Decoded::nothing(vec![DecodeIssue::left_out(what)]);
    };
    let object = DecodeIssueObject { kind: kind.unique_name().to_owned(), namespace, name };
    let left_out =
        |problem: String| issue(DecodeIssueKind::LeftOut, &object, String::new(), problem);
    if raw.get().len() > LARGEST_MENDED {
        let size = LARGEST_MENDED >> 20;
        return Decoded::nothing(vec![left_out(format!(
            "a field of it has the wrong type, and it has more than {size} MiB"
        ))]);
    }
    // Each attempt to decode the object tells of one wrong field. Without it the next one tells of the
    // next.
    let mut value = match serde_json::from_str::<Value>(raw.get()) {
        Ok(value) => value,
        Err(e) => return Decoded::nothing(vec![left_out(json_problem_in(raw.get(), &e))]),
    };
    let decode = |text: &str| kind.decode_json(text).map(drop);
    let (mut issues, mut removed) = (Vec::new(), BTreeMap::new());
    for _ in 0..MAX_BAD_FIELDS {
        let text = value.to_string();
        let Err(error) = decode(&text) else {
            let found = Some(DecodedItem::Mended(kind, text));
            return Decoded { found, scheduler: None, autoscaler: None, program: None, issues };
        };
        let wrong = WrongValue::of(&text, &error, &decode);
        let (field, gone) = remove(&mut value, &wrong.path, &mut removed);
        issues.push(issue(DecodeIssueKind::Field, &object, field, plain_type(&wrong.message)));
        if !gone {
            break;
        }
    }
    issues.push(left_out("too many of its fields cannot be read".to_owned()));
    Decoded::nothing(issues)
}

/// An object that claims an API version that does not have its kind.
pub(super) fn misplaced<'a>(raw: &RawValue, kind: &str) -> Decoded<'a> {
    let Head { api_version: version, namespace, name, .. } = head(raw);
    let object = DecodeIssueObject { kind: kind.to_owned(), namespace, name };
    let problem = format!("`apiVersion: {version}` has no {kind}");
    Decoded::nothing(vec![issue(DecodeIssueKind::LeftOut, &object, String::new(), problem)])
}

fn named(namespace: &str, name: &str) -> String {
    match (namespace, name) {
        (_, "") => String::new(),
        ("", name) => format!(" ({name})"),
        (namespace, name) => format!(" ({namespace}/{name})"),
    }
}

fn issue(
    kind: DecodeIssueKind,
    object: &DecodeIssueObject,
    field: String,
    problem: String,
) -> DecodeIssue {
    DecodeIssue { kind, object: Some(object.clone()), subject: String::new(), field, problem }
}

/// Removes the value at `path`, a field or an item of a list. Returns the path in the original
/// object (`removed` counts the items removed from each list), and whether there was a value.
fn remove(value: &mut Value, path: &Path, removed: &mut BTreeMap<String, usize>) -> (String, bool) {
    let (mut at, mut shown) = (Some(value), String::new());
    let mut steps = path.0.iter().peekable();
    while let Some(step) = steps.next() {
        let last = steps.peek().is_none();
        match step {
            ValueStep::Key(key) => {
                shown.push_str(if shown.is_empty() { "" } else { "." });
                shown.push_str(key);
                // The field must not become null, which would be a zero amount.
                if last && let Some(Value::Object(fields)) = at {
                    return (
                        shown,
                        fields.remove(key.as_str()).is_some_and(|field| !field.is_null()),
                    );
                }
                at = at.and_then(|v| v.get_mut(key.as_str()));
            }
            ValueStep::Index(index) => {
                let list = shown.clone();
                let gone = removed.entry(list).or_default();
                shown.push_str(&format!("[{}]", index + *gone));
                if last
                    && let Some(Value::Array(items)) =
                        at.as_deref_mut().filter(|v| v.get(*index).is_some())
                {
                    items.remove(*index);
                    *gone += 1;
                    return (shown, true);
                }
                at = at.and_then(|v| v.get_mut(*index));
            }
        }
    }
    (shown, false)
}
