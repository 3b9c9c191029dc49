//! The text of `kubectl describe` and the table of `kubectl get events`, as people paste them: one
//! description or many, one after the other, with prompts and headings between them.
//!
//! Each description becomes the object that it shows ([`pods`], [`nodes`], [`storage`],
//! [`workloads`]); its Events and the rows of tables become Events ([`events`]). What kubectl does not
//! print is read as absent and reported, so that an answer that depends on it is unsure.
//!
//! Upstream: `kubectl/pkg/describe/describe.go` (1.37).

#![expect(
    clippy::indexing_slicing,
    reason = "a JSON value is indexed by names, and only objects are written to"
)]

mod events;
mod fields;
mod nodes;
mod paste;
mod pods;
mod storage;
mod workloads;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use self::events::Times;
use self::fields::{Field, fields};
use super::error::DecodeError;
use super::{json, printed, yaml_documents};
use crate::snapshot::{
    DecodeIssue, DecodeIssueKind, DecodeIssueObject, Header, Kind, Sink, Unreadable,
};

/// The objects of a text of descriptions.
#[derive(Default)]
pub(super) struct Described {
    objects: Vec<Value>,
    hidden: Vec<DecodeIssue>,
    /// How many descriptions are of kinds that no decision reads.
    others: usize,
    /// Whether a description has lost its indentation.
    is_flat: bool,
    /// When the text was printed, as far as it shows.
    printed: Option<String>,
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

    /// The lines below that field, such as the rows of a table.
    fn rows(&self, name: &str) -> &[&'t str] {
        self.field(name).map_or(&[], |field| &field.body)
    }

    /// The pairs of that field, one on each line.
    fn pairs(&self, name: &str, between: &str) -> Map<String, Value> {
        self.field(name).map(|field| field.pairs(between)).unwrap_or_default()
    }

    /// The values of the fields below that field, by their names.
    fn values(&self, name: &str) -> Map<String, Value> {
        self.field(name).map(Field::values).unwrap_or_default()
    }

    /// Name, namespace, labels and annotations as `metadata` has them.
    fn metadata(&self) -> Value {
        let mut metadata = json!({
            "name": self.name,
            "labels": self.pairs("Labels", "="),
            "annotations": self.pairs("Annotations", ":"),
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
    /// Adds an object, and the field that its description lacks, with why. Who reads it reads the others that are hidden.
    fn add(&mut self, object: Value, hidden: Option<(&str, &str)>) {
        if let Some((field, why)) = hidden {
            let [kind, namespace, name] = names_of(&object).map(str::to_owned);
            self.hidden.push(DecodeIssue {
                kind: DecodeIssueKind::Hidden,
                object: Some(DecodeIssueObject { kind, namespace, name }),
                field: field.to_owned(),
                problem: why.to_owned(),
                ..DecodeIssue::default()
            });
        }
        self.objects.push(object);
    }

    /// Adds what a description shows, and its Events.
    fn read(&mut self, description: &Description<'_>, times: &Times) {
        let kind = if description.has("Containers") && description.has("Node") {
            // What is below a field is known by its indentation alone.
            if description.rows("Containers").is_empty() {
                self.is_flat = true;
                return;
            }
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
        for event in description.rows("Events").iter().filter_map(|row| events::of_row(row)) {
            let object = event.object(kind, description.namespace, description.name, times);
            self.objects.push(object);
        }
    }

    /// Leaves a pod of a node's table out where it is described itself, and adds what the manifests in the text and
    /// the Events of owners show of objects whose descriptions hide it.
    fn complete(&mut self, manifests: Vec<Value>) {
        let whole: BTreeSet<String> =
            self.objects.iter().filter(|object| is_whole_pod(object)).map(key).collect();
        self.objects.retain(|object| {
            object["kind"] != "Pod" || is_whole_pod(object) || !whole.contains(&key(object))
        });
        // A class of which only an Event tells is left out where it is described, or told before.
        let mut classes: BTreeSet<String> = (self.objects.iter())
            .filter(|object| object["kind"] == "StorageClass" && !is_class_of_event(object))
            .map(key)
            .collect();
        self.objects.retain(|object| !is_class_of_event(object) || classes.insert(key(object)));

        let created = self.created();
        let mut completed = BTreeSet::new();
        for object in &mut self.objects {
            let (source, fields): (_, &[&str]) = match object["kind"].as_str() {
                Some("Pod") => {
                    if let Some(time) = created.get(&key(object)) {
                        object["metadata"]["creationTimestamp"] = time.clone();
                    }
                    let template = manifests.iter().find_map(|owner| template_of(owner, object));
                    (template, &["affinity", "overhead", "preemptionPolicy", "schedulerName"])
                }
                Some("PersistentVolumeClaim") => {
                    let same = manifests.iter().find(|manifest| key(manifest) == key(object));
                    (same.and_then(|claim| claim.get("spec")), &["resources", "selector"])
                }
                _ => continue,
            };
            let Some(source) = source else { continue };
            for field in fields {
                if let Some(value) = source.get(field) {
                    object["spec"][*field] = value.clone();
                }
            }
            completed.insert(key(object));
        }
        self.hidden.retain(|issue| {
            let Some(object) = &issue.object else { return true };
            let object = format!("{} {}/{}", object.kind, object.namespace, object.name);
            let of_table = issue.problem == nodes::ONLY_IN_TABLE;
            if of_table { !whole.contains(&object) } else { !completed.contains(&object) }
        });

        self.count_nodes();

        // What runs is described; a manifest is what somebody once wished.
        let described: BTreeSet<String> = self.objects.iter().map(key).collect();
        let others = manifests.into_iter().filter(|manifest| !described.contains(&key(manifest)));
        self.objects.extend(others);
    }

    /// Reports nodes that kube-scheduler counted for a pod and that the text does not describe.
    fn count_nodes(&mut self) {
        let nodes = self.objects.iter().filter(|object| object["kind"] == "Node").count();
        let counted = self.objects.iter().filter_map(|pod| {
            let conditions = pod["status"]["conditions"].as_array()?;
            let refused = conditions.iter().find(|one| one["type"] == "PodScheduled")?;
            let rest = refused["message"].as_str()?.strip_prefix("0/")?;
            rest.split_once(" nodes are available").and_then(|(count, _)| count.parse().ok())
        });
        let most: usize = counted.max().unwrap_or_default();
        if nodes == 0 || most <= nodes {
            return;
        }
        self.hidden.push(DecodeIssue {
            kind: DecodeIssueKind::Hidden,
            field: "nodes".to_owned(),
            problem: format!(
                "kube-scheduler counted {most} nodes, and the text describes {nodes} of them; kubectl describe nodes \
                 shows all"
            ),
            ..DecodeIssue::default()
        });
    }

    /// When pods were created, as the Events of their owners tell.
    fn created(&self) -> BTreeMap<String, Value> {
        let events = self.objects.iter().filter(|object| object["reason"] == "SuccessfulCreate");
        let created = events.filter_map(|event| {
            let pod = event["message"].as_str()?.strip_prefix("Created pod: ")?;
            let namespace = event["metadata"]["namespace"].as_str()?;
            Some((format!("Pod {namespace}/{pod}"), event["lastTimestamp"].clone()))
        });
        created.collect()
    }

    /// Passes everything on.
    ///
    /// # Errors
    /// [`DecodeError`] if none of the descriptions is of a kind that decisions read.
    pub(super) fn pass_on(self, origin: &str, sink: &mut dyn Sink) -> Result<(), DecodeError> {
        if self.is_flat {
            return Err(DecodeError::new(
                origin,
                "the lines of kubectl describe have lost their indentation, which tells what belongs to what; paste the text \
                 as it was printed",
            ));
        }
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
        // Most tickets describe the pod alone: what was written about it can be said.
        let mut kinds = self.objects.iter().map(|object| &object["kind"]);
        let is_pod_alone =
            kinds.clone().any(|kind| kind == "Pod") && kinds.all(|kind| kind != "Node");
        let nodes = Unreadable {
            resource: Kind::Node.plural().to_owned(),
            reason: "the text describes none; kubectl describe nodes shows them".to_owned(),
        };
        let unreadable = if is_pod_alone { vec![nodes] } else { Vec::new() };
        if self.printed.is_some() || !unreadable.is_empty() {
            sink.header(Header { captured_at: self.printed, unreadable, ..Header::default() });
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

/// Drops what is null: an absent field is not the same as one that is null everywhere.
fn without_nothing(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|_, value| !value.is_null());
        fields.values_mut().for_each(without_nothing);
    }
}

/// Whether a word of a table is the status of a condition, and not its heading.
fn is_status(word: &str) -> bool {
    ["True", "False", "Unknown"].contains(&word)
}

/// Whether a pod is described itself, and not only in the table of its node.
fn is_whole_pod(object: &Value) -> bool {
    object["kind"] == "Pod" && object["status"]["qosClass"].is_string()
}

fn is_class_of_event(object: &Value) -> bool {
    object["kind"] == "StorageClass" && object["provisioner"] == "unknown"
}

/// Kind, namespace and name of an object.
fn key(object: &Value) -> String {
    let [kind, namespace, name] = names_of(object);
    format!("{kind} {namespace}/{name}")
}

fn names_of(object: &Value) -> [&str; 3] {
    ["/kind", "/metadata/namespace", "/metadata/name"]
        .map(|field| object.pointer(field).and_then(Value::as_str).unwrap_or_default())
}

/// The template of pods of a manifest, if it is that of the pod's owner: a ReplicaSet has the name of its Deployment
/// and the hash that its pods have as a label.
fn template_of<'m>(manifest: &'m Value, pod: &Value) -> Option<&'m Value> {
    let metadata = &pod["metadata"];
    let owner = metadata.pointer("/ownerReferences/0/name")?.as_str()?;
    let hash = metadata["labels"]["pod-template-hash"].as_str();
    let name = manifest["metadata"]["name"].as_str()?;
    let is_owner = owner == name
        || hash.is_some_and(|hash| owner.strip_suffix(hash) == Some(format!("{name}-").as_str()));
    let namespace = manifest["metadata"]["namespace"].as_str();
    let is_near = namespace.is_none_or(|namespace| metadata["namespace"] == namespace);
    (is_owner && is_near).then(|| manifest.pointer("/spec/template/spec"))?
}

/// The objects of a text; `None` if it has neither a description nor a table of Events.
pub(super) fn read(text: &str) -> Option<Described> {
    let text = text.trim_start_matches('\u{feff}');
    if begins_json(text) || !text.contains("Name:") && !text.contains("LAST SEEN") {
        return None;
    }
    let text = paste::cleaned(text);
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let parts = parts(&lines);
    if parts.iter().all(|part| is_manifest(part)) {
        return None;
    }

    // Ages are relative to when kubectl was run, of which the times in the text are the best sign.
    let times = Times::of(&lines);
    let mut described = Described { printed: times.before("0s"), ..Described::default() };
    let mut manifests = Vec::new();
    for part in parts {
        if is_manifest(part) {
            let lines = part.iter().take_while(|line| !printed::is_of_terminal(line));
            let text: Vec<&str> = lines.copied().collect();
            manifests.extend(yaml_documents(&text.join("\n")).unwrap_or_default());
            continue;
        }
        if part.first().is_some_and(|line| events::is_header(line)) {
            described.objects.extend(events::of_table(part, &times));
            continue;
        }
        let fields = fields(part);
        let value = |name: &str| {
            let field = fields.iter().find(|field| field.name == name);
            field.and_then(Field::value).unwrap_or_default()
        };
        let (name, namespace) = (value("Name"), value("Namespace"));
        described.read(&Description { name, namespace, fields }, &times);
    }
    described.complete(manifests);
    Some(described)
}

/// The descriptions, tables and manifests of a text, each from its first line on.
fn parts<'l, 't>(lines: &'l [&'t str]) -> Vec<&'l [&'t str]> {
    let mut starts: Vec<usize> = Vec::new();
    let mut in_manifest = false;
    for (at, line) in lines.iter().enumerate() {
        let starts_manifest = !in_manifest && is_manifest(&[*line]);
        let next = lines.get(at + 1).copied().unwrap_or_default();
        let is_first = is_start(line)
            // Some viewers make one space of several.
            || line.starts_with("Name: ")
                && paste::SECOND.iter().any(|field| next.starts_with(field));
        if starts_manifest || is_first || events::is_header(line) {
            in_manifest = starts_manifest;
            starts.push(at);
        } else if printed::is_of_terminal(line) {
            in_manifest = false;
        }
    }
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    starts.iter().zip(ends).filter_map(|(start, end)| lines.get(*start..end)).collect()
}

/// Whether a part begins as YAML of an object does.
fn is_manifest(part: &[&str]) -> bool {
    let first = part.first().copied().unwrap_or_default();
    ["apiVersion:", "kind:", "items:", "---"].iter().any(|key| first.starts_with(key))
}

/// Whether a text begins as JSON does, and not with a prompt in brackets.
fn begins_json(text: &str) -> bool {
    let inner = text.trim_start().strip_prefix(['{', '[']);
    let next = inner.and_then(|inner| inner.trim_start().chars().next());
    inner.is_some() && next.is_none_or(|c| "{[]}\"".contains(c))
}

/// Whether a line begins a description.
fn is_start(line: &str) -> bool {
    line.strip_prefix("Name:").is_some_and(|value| {
        (value.starts_with("  ") || value.starts_with('\t')) && !value.trim().is_empty()
    })
}

#[cfg(test)]
mod tests;
