//! Kubernetes objects that do not name their kind, as answers of other programs contain them,
//! recognized by fields that no other kind has.
//!
//! Nothing is built of the values: a file that another program wrote may be large.

use serde_json::Deserializer;
use serde_json::value::RawValue;
use std::collections::BTreeSet;

use super::parts::{each_field, each_item};
use crate::snapshot::Kind;

/// The names of fields, at least one of which every text has in which [`kinds`] finds any.
pub(super) const MARKS: [&str; 5] =
    ["containers", "nodeInfo", "allocatable", "disruptionsAllowed", "metadata"];

/// The kinds of what looks like an object in the documents of a JSON text: in an array, at the top
/// of a document, or in an array there, such as `items` without the kind of the list, or `pods` and
/// `nodes` as other programs collect them.
pub(super) fn kinds(body: &str) -> BTreeSet<Kind> {
    let mut kinds = BTreeSet::new();
    let mut documents = Deserializer::from_str(body).into_iter::<&RawValue>();
    while let Some(Ok(document)) = documents.next() {
        let document = document.get();
        each_item(document, &mut |item| kinds.extend(Outline::of(item).kind));
        kinds.extend(Outline::of(document).kind);
        each_field(document, &mut |name, value| {
            let mut are_objects = false;
            each_item(value, &mut |item| {
                let outline = Outline::of(item);
                kinds.extend(outline.kind);
                are_objects |= outline.has_metadata;
            });
            kinds.extend(Kind::find_resource(name).filter(|_| are_objects));
        });
    }
    kinds
}

/// What the fields of a value show.
#[derive(Default)]
struct Outline {
    /// The kind that alone has these fields.
    kind: Option<Kind>,
    has_metadata: bool,
}

impl Outline {
    fn of(value: &str) -> Self {
        let (mut has_metadata, mut spec, mut status) = (false, None, None);
        each_field(value, &mut |name, value| match name {
            "metadata" => has_metadata = true,
            "spec" => each_field(value, &mut |name, _| {
                spec = spec.or((name == "containers").then_some(Kind::Pod));
            }),
            "status" => each_field(value, &mut |name, _| {
                status = match name {
                    "nodeInfo" | "allocatable" => Some(Kind::Node),
                    "disruptionsAllowed" => status.or(Some(Kind::PodDisruptionBudget)),
                    _ => status,
                };
            }),
            _ => {}
        });
        Self { kind: spec.or(status), has_metadata }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_without_kind_are_recognized_where_programs_write_them() {
        for (text, expected) in [
            (r#"{"spec":{"containers":[]}}"#, &[Kind::Pod][..]),
            (r#"[7, {"status":{"nodeInfo":{}}}]"#, &[Kind::Node]),
            (r#"{"items":[{"status":{"disruptionsAllowed":0}}]}"#, &[Kind::PodDisruptionBudget]),
            (r#"{"pods":[{"metadata":{}}],"nodes":[7],"data":[{"metadata":{}}]}"#, &[Kind::Pod]),
            (r#"{"a":1} {"status":{"allocatable":{}}}"#, &[Kind::Node]),
            (r#"{"a":{"spec":{"containers":[]}}}"#, &[]),
            (r#"{"spec":["containers"],"status":"nodeInfo"}"#, &[]),
            ("7", &[]),
        ] {
            assert_eq!(kinds(text), expected.iter().copied().collect(), "{text}");
        }
    }
}
