//! Nodes and pods with all their fields, because extenders are sent whole objects. They are kept
//! only with `--call-extenders`; everything else uses the fields in [`crate::snapshot`].

use indexmap::IndexMap;
use serde_json::Value;

use super::{printed, yaml};
use crate::snapshot::{Kind, Layer, SNAPSHOT_KIND, Sink};

/// Whole nodes and pods.
#[derive(Debug, Default, Clone)]
pub struct Originals {
    nodes: IndexMap<String, Value, foldhash::fast::RandomState>,
    pods: IndexMap<(String, String), Value, foldhash::fast::RandomState>,
    /// Whether some come from a snapshot, which lacks fields.
    pub from_snapshot: bool,
}

impl Originals {
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
        self.originals.read(kind.filter(|k| matches!(k, Kind::Node | Kind::Pod)), text);
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
}
