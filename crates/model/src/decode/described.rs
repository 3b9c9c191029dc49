//! The text of `kubectl describe` and the table of `kubectl get events`, as people paste them: one
//! description or many, one after the other, with prompts and headings between them.
//!
//! Each description becomes the object that it shows ([`pods`], [`nodes`], [`storage`],
//! [`workloads`]); its Events and the rows of tables become Events ([`events`]). What kubectl does not
//! print is read as absent and reported, so that an answer that depends on it is unsure.
//!
//! Upstream: `kubectl/pkg/describe/describe.go` (1.37).

mod events;
mod fields;
mod nodes;
mod pods;
mod storage;
mod workloads;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use self::events::Times;
use self::fields::{Field, fields};
use super::error::DecodeError;
use super::json;
use crate::snapshot::{DecodeIssue, DecodeIssueKind, DecodeIssueObject, Sink};

/// The objects of a text of descriptions.
#[derive(Default)]
pub(super) struct Described {
    objects: Vec<Value>,
    hidden: Vec<DecodeIssue>,
    /// How many descriptions are of kinds that no decision reads.
    others: usize,
}

/// A description of one object.
struct Description<'t> {
    name: &'t str,
    /// Its namespace; empty for a kind that has none.
    namespace: &'t str,
    fields: Vec<Field<'t>>,
}

impl<'t> Description<'t> {
    /// The field of that name.
    fn field(&self, name: &str) -> Option<&Field<'t>> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The value of that field, if it has one.
    fn value(&self, name: &str) -> Option<&'t str> {
        self.field(name).and_then(Field::value)
    }

    fn has(&self, name: &str) -> bool {
        self.field(name).is_some()
    }

    /// Name, namespace, labels and annotations as `metadata` has them.
    fn metadata(&self) -> Value {
        let pairs = |name: &str, between| {
            let lines = self.field(name).map(Field::lines).unwrap_or_default();
            let pair = |line: &str| {
                let (key, value) = line.split_once(between)?;
                Some((key.trim().to_owned(), Value::from(value.trim())))
            };
            Value::Object(lines.into_iter().filter_map(pair).collect())
        };
        let mut metadata = json!({
            "name": self.name,
            "labels": pairs("Labels", "="),
            "annotations": pairs("Annotations", ":"),
        });
        if !self.namespace.is_empty() {
            metadata["namespace"] = self.namespace.into();
        }
        if let Some((kind, owner)) = self.value("Controlled By").and_then(|by| by.split_once('/')) {
            metadata["ownerReferences"] =
                json!([{"kind": kind, "name": owner, "controller": true}]);
        }
        metadata
    }
}

impl Described {
    /// Adds an object, and the fields that its description lacks, all for one reason.
    fn add(&mut self, object: Value, hidden: &[&str], why: &str) {
        let text = |pointer: &str| {
            object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        for field in hidden {
            self.hidden.push(DecodeIssue {
                kind: DecodeIssueKind::Hidden,
                object: Some(DecodeIssueObject {
                    kind: text("/kind"),
                    namespace: text("/metadata/namespace"),
                    name: text("/metadata/name"),
                }),
                field: (*field).to_owned(),
                problem: why.to_owned(),
                ..DecodeIssue::default()
            });
        }
        self.objects.push(object);
    }

    /// Adds what a description shows, and its Events.
    fn read(&mut self, description: &Description<'_>, times: &Times) {
        let kind = if description.has("Containers") && description.has("Node") {
            pods::read(description, times, self);
            "Pod"
        } else if description.has("Allocatable") {
            nodes::read(description, times, self);
            "Node"
        } else if description.has("Allowed disruptions") || description.has("Min available") {
            workloads::read_budget(description, self);
            "PodDisruptionBudget"
        } else if let Some(kind) = storage::read(description, self) {
            kind
        } else if let Some(kind) = workloads::read(description, self) {
            kind
        } else {
            self.others += 1;
            return;
        };
        let rows = description.field("Events").map(|field| field.body.as_slice());
        let events = rows.unwrap_or_default().iter().filter_map(|row| events::of_row(row));
        for event in events {
            let object = event.object(kind, description.namespace, description.name, times);
            self.objects.push(object);
        }
    }

    /// Pods that only the table of their node shows.
    fn complete(&mut self) {
        let is_pod = |object: &&Value| object["kind"] == "Pod";
        let name =
            |pod: &Value| (pod["metadata"]["namespace"].clone(), pod["metadata"]["name"].clone());
        let whole = |pod: &Value| pod["status"]["qosClass"].is_string();
        let described: Vec<_> =
            self.objects.iter().filter(is_pod).filter(|pod| whole(pod)).map(name).collect();
        // A pod that is described, too, is not the one of the table.
        let is_twice =
            |pod: &Value| pod["kind"] == "Pod" && !whole(pod) && described.contains(&name(pod));
        self.objects.retain(|object| !is_twice(object));
        let names: BTreeSet<(String, String)> = described
            .iter()
            .map(|(namespace, name)| {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                (text(namespace), text(name))
            })
            .collect();
        self.hidden.retain(|issue| {
            let of_table = issue.problem == nodes::ONLY_IN_TABLE;
            let object = issue.object.as_ref();
            let is_described = object.is_some_and(|object| {
                names.contains(&(object.namespace.clone(), object.name.clone()))
            });
            !(of_table && is_described)
        });
    }

    /// Passes everything on.
    ///
    /// # Errors
    /// [`DecodeError`] if none of the descriptions is of a kind that decisions read.
    pub(super) fn pass_on(self, origin: &str, sink: &mut dyn Sink) -> Result<(), DecodeError> {
        if self.objects.is_empty() {
            return Err(DecodeError::new(
                origin,
                "its descriptions are of no kind that decides about pods: those of pods, nodes, claims, volumes, \
                 PodDisruptionBudgets and workloads are read",
            ));
        }
        let list = json!({"apiVersion": "v1", "kind": "List", "items": self.objects});
        json::decode(&list.to_string(), origin, sink)?;
        for issue in self.hidden {
            sink.issue(issue);
        }
        if self.others > 0 {
            let (number, are) =
                (self.others, if self.others == 1 { "description is" } else { "descriptions are" });
            sink.remark(format!(
                "{origin}: {number} {are} of kinds that do not decide about pods, and passed over"
            ));
        }
        Ok(())
    }
}

/// The objects of a text; `None` if it has neither a description nor a table of Events.
pub(super) fn read(text: &str) -> Option<Described> {
    let text = text.trim_start_matches('\u{feff}');
    // Objects may have such lines in their texts.
    let is_object = |line: &str| {
        line == "---" || ["apiVersion:", "kind:", "items:"].iter().any(|key| line.starts_with(key))
    };
    if begins_json(text) || !text.contains("Name:") && !text.contains("LAST SEEN") {
        return None;
    }
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    if lines.iter().any(|line| is_object(line)) {
        return None;
    }
    let starts: Vec<usize> = (0..lines.len())
        .filter(|at| lines.get(*at).is_some_and(|line| is_start(line) || events::is_header(line)))
        .collect();
    if starts.is_empty() {
        return None;
    }

    // Ages are relative to when kubectl was run, of which the times in the text are the best sign.
    let times = Times::of(&lines);
    let mut described = Described::default();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    for (start, end) in starts.iter().zip(ends) {
        let Some(part) = lines.get(*start..end) else { continue };
        if part.first().is_some_and(|line| events::is_header(line)) {
            described.objects.extend(events::of_table(part, &times));
            continue;
        }
        let fields = fields(part);
        let value = |name: &str| {
            fields
                .iter()
                .find(|field| field.name == name)
                .and_then(Field::value)
                .unwrap_or_default()
        };
        let (name, namespace) = (value("Name"), value("Namespace"));
        described.read(&Description { name, namespace, fields }, &times);
    }
    described.complete();
    Some(described)
}

/// Whether a text begins as JSON does, and not with a prompt in brackets.
fn begins_json(text: &str) -> bool {
    let inner = text.trim_start().strip_prefix(['{', '[']);
    let next = inner.and_then(|inner| inner.trim_start().chars().next());
    inner.is_some() && next.is_none_or(|c| "{[]}\"".contains(c))
}

/// Whether a line begins a description.
fn is_start(line: &str) -> bool {
    line.strip_prefix("Name:")
        .is_some_and(|value| value.starts_with([' ', '\t']) && !value.trim().is_empty())
}

#[cfg(test)]
mod tests;
