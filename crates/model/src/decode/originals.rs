//! Objects with all their fields: nodes and pods, because extenders are sent whole objects, or the
//! workloads that manifests change. They are kept only for that; everything else uses the fields in
//! [`crate::snapshot`].

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{printed, yaml};
use crate::snapshot::{Kind, Layer, SNAPSHOT_KIND, Sink};

/// A workload of which everything is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedWorkload {
    pub kind: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name; `None` for all workloads of the namespace.
    pub name: Option<String>,
}

impl WantedWorkload {
    fn is(&self, kind: &str, namespace: &str, name: &str) -> bool {
        let namespace = if namespace.is_empty() { "default" } else { namespace };
        (self.kind == kind || self.kind.is_empty())
            && self.namespace == namespace
            && self.name.as_deref().is_none_or(|own| own == name)
    }
}

/// Whole nodes and pods, or whole workloads.
#[derive(Debug, Default, Clone)]
pub struct Originals {
    /// The workloads that are wanted; if there are any, nothing else is kept.
    wanted: Vec<WantedWorkload>,
    pub workloads: Vec<Value>,
    nodes: IndexMap<String, Value, foldhash::fast::RandomState>,
    pods: IndexMap<(String, String), Value, foldhash::fast::RandomState>,
    /// Whether some come from a snapshot, which lacks fields.
    pub from_snapshot: bool,
}

/// A part of a text: an object, or a list of objects.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Part<'a> {
    #[serde(borrow)]
    kind: Option<Cow<'a, str>>,
    metadata: PartName,
    #[serde(borrow)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PartName {
    namespace: Option<String>,
    name: Option<String>,
}

impl Originals {
    /// Keeps these workloads and nothing else.
    pub fn of_workloads(wanted: Vec<WantedWorkload>) -> Self {
        Self { wanted, ..Self::default() }
    }

    /// Keeps those of the wanted workloads that are in `raw`, of which the list names the kind
    /// `of_items`.
    fn keep_workloads(&mut self, raw: &str, of_items: Option<&str>) {
        let Ok(Part { kind, metadata, items }) = serde_json::from_str(raw) else { return };
        let kind = kind.as_deref();
        if let Some(items) = items {
            let of = kind.and_then(|kind| kind.strip_suffix("List")).filter(|of| !of.is_empty());
            items.iter().for_each(|item| self.keep_workloads(item.get(), of));
            return;
        }
        let kind = kind.or(of_items).unwrap_or_default();
        let (namespace, name) = (metadata.namespace.unwrap_or_default(), metadata.name);
        let name = name.unwrap_or_default();
        if self.wanted.iter().any(|wanted| wanted.is(kind, &namespace, &name))
            && let Ok(Value::Object(mut object)) = serde_json::from_str(raw)
        {
            object.entry("kind").or_insert_with(|| kind.into());
            self.workloads.push(Value::Object(object));
        }
    }

    pub fn node(&self, name: &str) -> Option<&Value> {
        self.nodes.get(name)
    }

    pub fn pod(&self, namespace: &str, name: &str) -> Option<&Value> {
        self.pods.get(&(namespace.to_owned(), name.to_owned()))
    }

    /// Adds those of `newer`.
    pub fn extend(&mut self, newer: Self) {
        self.nodes.extend(newer.nodes);
        self.pods.extend(newer.pods);
        self.from_snapshot |= newer.from_snapshot;
    }

    /// Drops the node or pod of this namespace and name.
    pub fn forget(&mut self, kind: Kind, namespace: &str, name: &str) {
        match kind {
            Kind::Node => drop(self.nodes.swap_remove(name)),
            Kind::Pod => drop(self.pods.swap_remove(&(namespace.to_owned(), name.to_owned()))),
            _ => {}
        }
    }

    fn read(&mut self, kind: Option<Kind>, text: &str) {
        if let Some(Ok(kept)) = printed::without_logs(text, "") {
            return self.read(kind, &kept);
        }
        if !self.wanted.is_empty() {
            // Nearly all texts have none of them.
            let names = self.wanted.iter().map(|one| one.name.as_deref().unwrap_or(&one.namespace));
            if !names.into_iter().any(|name| text.contains(name)) {
                return;
            }
            let kind = kind.map(Kind::name);
            if text.trim_start().starts_with(['{', '[']) {
                let parts = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
                parts.map_while(Result::ok).for_each(|raw| self.keep_workloads(raw.get(), kind));
            } else {
                let documents = yaml::documents(text, yaml::MOST_AT_ONCE).unwrap_or_default();
                let documents = documents.into_values();
                documents.into_iter().for_each(|one| self.keep_workloads(&one.to_string(), kind));
            }
            return;
        }
        let documents: Vec<Value> = if text.trim_start().starts_with(['{', '[']) {
            serde_json::Deserializer::from_str(text).into_iter().map_while(Result::ok).collect()
        } else {
            yaml::documents(text, yaml::MOST_AT_ONCE).unwrap_or_default().into_values()
        };
        documents.into_iter().for_each(|document| self.take(kind.map(Kind::name), document));
    }

    /// Keeps the nodes and pods of a document, which may be a list. `kind` is the kind of an object
    /// that does not name its own.
    fn take(&mut self, kind: Option<&str>, mut document: Value) {
        let own_kind = document.get("kind").and_then(Value::as_str).map(str::to_owned);
        self.from_snapshot |= own_kind.as_deref() == Some(SNAPSHOT_KIND);
        if let Value::Array(items) = document {
            return items.into_iter().for_each(|item| self.take(kind, item));
        }
        if let Some(Value::Array(items)) = document.get_mut("items").map(Value::take) {
            let of_items = own_kind
                .as_deref()
                .and_then(|s| s.strip_suffix("List"))
                .filter(|s| !s.is_empty())
                .or(kind);
            return items.into_iter().for_each(|item| self.take(of_items, item));
        }
        let text = |field: &str| {
            document.pointer(field).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
        match own_kind.as_deref().or(kind) {
            Some("Node") => drop(self.nodes.insert(name, document)),
            Some("Pod") => {
                let namespace = if namespace.is_empty() { "default".to_owned() } else { namespace };
                self.pods.insert((namespace, name), document);
            }
            Some(_) | None => {}
        }
    }
}

/// A sink that also keeps whole nodes and pods.
pub struct WithOriginals<'s> {
    /// Gets everything.
    pub sink: &'s mut dyn Sink,
    /// Gets the whole nodes and pods.
    pub originals: &'s mut Originals,
}

impl Layer for WithOriginals<'_> {
    fn behind(&mut self) -> &mut dyn Sink {
        self.sink
    }

    fn wants_text(&mut self) -> bool {
        true
    }

    fn text(&mut self, kind: Option<Kind>, text: &str) {
        let keeps_workloads = !self.originals.wanted.is_empty();
        let kind = kind.filter(|k| keeps_workloads || matches!(k, Kind::Node | Kind::Pod));
        self.originals.read(kind, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: Option<Kind>, text: &str) -> Originals {
        let mut originals = Originals::default();
        originals.read(kind, text);
        originals
    }

    #[test]
    fn whole_objects_are_found_in_every_shape() {
        let list = r#"{"kind":"List","items":[{"kind":"Node","metadata":{"name":"n"},"spec":{"x":1}},
            {"kind":"Pod","metadata":{"name":"p","namespace":"a"}},{"kind":"Secret","metadata":{"name":"s"}}]}"#;
        let page = r#"{"kind":"PodList","items":[{"metadata":{"name":"p","namespace":"a"},"spec":{"y":[1]}}]}"#;
        let yaml = "kind: Node\nmetadata: {name: n1}\n---\nkind: Pod\nmetadata: {name: p}\n";
        assert_eq!(read(None, list).node("n").and_then(|n| n.pointer("/spec/x")), Some(&1.into()));
        assert!(
            read(Some(Kind::Pod), page)
                .pod("a", "p")
                .is_some_and(|p| p.pointer("/spec/y/0").is_some())
        );
        let from_yaml = read(None, yaml);
        assert!(
            from_yaml.node("n1").is_some()
                && from_yaml.pod("default", "p").is_some()
                && !from_yaml.from_snapshot
        );
        let snapshot = r#"{"kind":"Snapshot","items":[{"kind":"Node","metadata":{"name":"n"}}]}"#;
        assert!(read(None, snapshot).from_snapshot);
    }

    #[test]
    fn whole_workloads_are_kept_if_they_are_wanted() {
        let wanted = |name: Option<&str>| WantedWorkload {
            kind: name.map(|_| "Deployment").unwrap_or_default().to_owned(),
            namespace: "shop".to_owned(),
            name: name.map(str::to_owned),
        };
        let list = r#"{"kind":"List","items":[{"kind":"Deployment","metadata":{"name":"web","namespace":"shop"},"spec":{"x":1}},
            {"kind":"DeploymentList","items":[{"metadata":{"name":"api","namespace":"shop"}}]},
            {"kind":"Deployment","metadata":{"name":"web","namespace":"other"}}]}"#;
        for (name, expected) in
            [(Some("web"), &["web"][..]), (Some("api"), &["api"]), (None, &["web", "api"])]
        {
            let mut originals = Originals::of_workloads(vec![wanted(name)]);
            originals.read(None, list);
            let names: Vec<&str> = originals
                .workloads
                .iter()
                .filter_map(|one| one["metadata"]["name"].as_str())
                .collect();
            assert_eq!(names, expected);
            assert_eq!(originals.workloads[0]["kind"], "Deployment");
        }
    }
}
