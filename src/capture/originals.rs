//! Nodes and pods as the API server wrote them, for extenders that are sent whole objects. Kept only when extenders are
//! asked: everything else works on the allow-list of `snapshot`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Flaw, Sink};
use engine::decode::yaml_documents;
use engine::snapshot::{Header, Kind, Object, SNAPSHOT_KIND};

/// Whole nodes and pods.
#[derive(Debug, Default)]
pub struct Originals {
    nodes: BTreeMap<String, Value>,
    pods: BTreeMap<(String, String), Value>,
    /// Whether some come from a snapshot, which has an allow-list of fields only.
    pub narrowed: bool,
}

impl Originals {
    /// The node of that name.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<&Value> {
        self.nodes.get(name)
    }

    /// The pod of that namespace and name.
    #[must_use]
    pub fn pod(&self, namespace: &str, name: &str) -> Option<&Value> {
        self.pods.get(&(namespace.to_owned(), name.to_owned()))
    }

    fn read(&mut self, kind: Option<Kind>, text: &str) {
        let documents: Vec<Value> = if text.trim_start().starts_with(['{', '[']) {
            serde_json::Deserializer::from_str(text).into_iter().map_while(Result::ok).collect()
        } else {
            yaml_documents(text).unwrap_or_default()
        };
        documents.into_iter().for_each(|document| self.take(kind.map(Kind::name), document));
    }

    fn take(&mut self, kind: Option<&str>, mut document: Value) {
        let said = document.get("kind").and_then(Value::as_str).map(str::to_owned);
        self.narrowed |= said.as_deref() == Some(SNAPSHOT_KIND);
        if let Value::Array(items) = document {
            return items.into_iter().for_each(|item| self.take(kind, item));
        }
        if let Some(Value::Array(items)) = document.get_mut("items").map(Value::take) {
            let of_items = said.as_deref().and_then(|s| s.strip_suffix("List")).filter(|s| !s.is_empty()).or(kind);
            return items.into_iter().for_each(|item| self.take(of_items, item));
        }
        let text = |field: &str| document.pointer(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
        match said.as_deref().or(kind) {
            Some("Node") => drop(self.nodes.insert(name, document)),
            Some("Pod") => {
                let namespace = if namespace.is_empty() { "default".to_owned() } else { namespace };
                self.pods.insert((namespace, name), document);
            }
            Some(_) | None => {}
        }
    }
}

/// Passes everything on, and keeps nodes and pods as they came.
pub struct Keeping<'s> {
    /// Who gets everything.
    pub sink: &'s mut dyn Sink,
    /// Where whole objects go.
    pub originals: &'s mut Originals,
}

impl Sink for Keeping<'_> {
    fn object(&mut self, object: Object<'_>) {
        self.sink.object(object);
    }

    fn flaw(&mut self, flaw: Flaw) {
        self.sink.flaw(flaw);
    }

    fn header(&mut self, header: Header) {
        self.sink.header(header);
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
        assert!(read(Some(Kind::Pod), page).pod("a", "p").is_some_and(|p| p.pointer("/spec/y/0").is_some()));
        let from_yaml = read(None, yaml);
        assert!(from_yaml.node("n1").is_some() && from_yaml.pod("default", "p").is_some() && !from_yaml.narrowed);
        let snapshot = r#"{"kind":"Snapshot","items":[{"kind":"Node","metadata":{"name":"n"}}]}"#;
        assert!(read(None, snapshot).narrowed);
    }
}
