//! A list of decisions as JSON or YAML that is written item by item: an item has a verdict about
//! every node, so a long list of a large cluster does not fit into memory.
//!
//! The text is that of the whole list, byte for byte. One thing differs: where YAML would have
//! characters that a terminal interprets, the items that have them are written as JSON, and not the
//! whole list.

use anyhow::Context as _;

use super::output::{self, Reader};
use super::printer::Encoding;
use render::safe::Printable;
use to_json::decision_list;

/// What precedes the items of a list in JSON, and what follows them.
const JSON_ITEMS: &str = "\n  \"items\": [\n";
const JSON_END: &str = "\n  ]\n}\n";

/// Writes a part, and says whether somebody still reads.
type WritePart<'g> = dyn FnMut(&Printable) -> anyhow::Result<Reader> + 'g;

/// A list that is being written.
pub struct DecisionListWriter<'g> {
    encoding: Encoding,
    output: Box<WritePart<'g>>,
    items: usize,
    /// What is written after the last item.
    tail: Printable,
    reader: Reader,
}

/// An item as text, with what surrounds it if it is the only one of its list.
#[derive(Debug)]
pub struct ItemText {
    head: Printable,
    item: Printable,
    tail: Printable,
}

impl<'g> DecisionListWriter<'g> {
    /// Nothing is written yet.
    #[must_use]
    pub fn new(
        encoding: Encoding,
        output: impl FnMut(&Printable) -> anyhow::Result<Reader> + 'g,
    ) -> Self {
        let (tail, reader) = (Printable::default(), Reader::Reads);
        let output = Box::new(output);
        Self { encoding, output, items: 0, tail, reader }
    }

    /// Writes the next item.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn add(&mut self, text: ItemText) -> anyhow::Result<()> {
        let before = match (self.items, self.encoding) {
            (0, _) => text.head,
            (_, Encoding::Json) => Printable::new(",\n"),
            (_, Encoding::Yaml) => Printable::default(),
        };
        self.write(&before)?;
        self.write(&text.item)?;
        (self.items, self.tail) = (self.items + 1, text.tail);
        Ok(())
    }

    /// Whether somebody still reads the list.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.reader == Reader::Reads
    }

    /// Writes the end of the list.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let rest = match self.items {
            0 => self.encoding.write(&decision_list(Vec::new()))?,
            _ => std::mem::take(&mut self.tail),
        };
        self.write(&rest)
    }

    fn write(&mut self, part: &Printable) -> anyhow::Result<()> {
        if self.reader == Reader::Reads {
            self.reader = (self.output)(part)?;
        }
        Ok(())
    }
}

impl ItemText {
    /// Encodes the list of this item alone and takes it apart, so that the encoder itself says how
    /// an item is indented.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn new(encoding: Encoding, decision: json::Decision) -> anyhow::Result<Self> {
        let list = decision_list(vec![decision]);
        let json = output::json(&list)?;
        match encoding {
            Encoding::Json => Self::split(json, JSON_ITEMS, JSON_END),
            Encoding::Yaml => match output::harmless_yaml(&json)? {
                Some(yaml) => Self::split(yaml, "\nitems:\n", ""),
                None => Self::json_in_yaml(json),
            },
        }
    }

    /// Takes a list apart, whose items begin after `open` and end before `close`.
    fn split(list: Printable, open: &str, close: &str) -> anyhow::Result<Self> {
        let start = list.find(open).context("output: the list has no items")? + open.len();
        let end = list.len() - close.len();
        let [head, tail] = [0..start, end..list.len()]
            .map(|range| Printable::new(list.get(range).unwrap_or_default()));
        Ok(Self {
            head,
            tail,
            // The item is nearly all of the text, which is not copied.
            item: list.part(start..end),
        })
    }

    /// An item that is JSON, in a list that is YAML.
    fn json_in_yaml(json: Printable) -> anyhow::Result<Self> {
        let empty = output::yaml(&decision_list(Vec::new()))?;
        let head = empty.trim_end().strip_suffix("[]").context("output: the list has no items")?;
        let Self { item, .. } = Self::split(json, JSON_ITEMS, JSON_END)?;
        Ok(Self {
            head: Printable::new(format!("{}\n", head.trim_end())),
            item: Printable::new(format!("- {}\n", item.trim_start())),
            tail: Printable::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{ClusterView, Profile, SchedulerVersion, VersionSource, decide, read_cluster};

    /// The decision about the pod of a small cluster, in which a node has this label.
    fn decision(label: &str) -> json::Decision {
        let nodes = ["n1", "n2"].map(|name| {
            serde_json::json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
                "spec": {"taints": [{"key": "pool", "value": label, "effect": "NoSchedule"}]},
                "status": {"allocatable": {"cpu": "1", "pods": "9"}}})
        });
        let pod = serde_json::json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "web", "namespace": "shop", "uid": "u"},
            "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "4"}}}]}});
        let items = [&nodes[..], &[pod]].concat();
        let list = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": items});
        let cluster = read_cluster(&list.to_string(), "a test").unwrap();
        let version = SchedulerVersion::parse("1.37.1").unwrap();
        let profile = Profile::new(version, VersionSource::Flag);
        let view = ClusterView::new(&cluster, &profile);
        let pod = cluster.find_pod("shop", "web").unwrap();
        let decision = decide(&view, pod, "2026-06-01T12:00:00Z".parse().unwrap());
        to_json::decision(&decision, to_json::SourceKind::File)
    }

    fn collected(encoding: Encoding, items: &[json::Decision]) -> Printable {
        let mut text = Printable::default();
        let mut list = DecisionListWriter::new(encoding, |part| {
            text.append(part);
            Ok(Reader::Reads)
        });
        for item in items {
            list.add(ItemText::new(encoding, item.clone()).unwrap()).unwrap();
        }
        list.finish().unwrap();
        text
    }

    #[test]
    fn list_written_item_by_item_has_the_bytes_of_the_whole_list() {
        let items = ["a", "b: 'c' \"d\"\n- e", "items:\n"].map(decision);
        for count in 0..=items.len() {
            let items = &items[..count];
            for encoding in [Encoding::Json, Encoding::Yaml] {
                let whole = encoding.write(&decision_list(items.to_vec())).unwrap();
                assert_eq!(collected(encoding, items), whole, "{encoding:?} {count}");
            }
        }
    }

    #[test]
    fn hostile_text_is_escaped_in_its_item_alone() {
        let hostile = "\u{1b}[31m\u{202e}\u{200b}\u{e0001}";
        let items = ["a", hostile, "b", hostile].map(decision);
        for encoding in [Encoding::Json, Encoding::Yaml] {
            let text = collected(encoding, &items);
            assert!(text.chars().all(|c| c == '\n' || !render::safe::is_hostile(c)), "{text:?}");
            assert!(text.contains("\\u202e"));
        }
        // Each is read back as it was, also where an item is JSON within YAML.
        let yaml = collected(Encoding::Yaml, &items);
        let read: serde_json::Value = serde_saphyr::from_str(&yaml).unwrap();
        assert_eq!(read, serde_json::to_value(decision_list(items.to_vec())).unwrap());
        assert_eq!(collected(Encoding::Yaml, &items[1..2]).matches("items:").count(), 1);
    }
}
