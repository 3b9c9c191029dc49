//! A long list as kubectl writes it in YAML: a document whose `items` each start with a dash in the
//! first column. They are read one by one, by all threads, so that the values of the list are not
//! all held at once.

use serde_json::Value;
use serde_json::value::RawValue;

use super::reader::{self, ReadDocument, Repeated};
use super::{MAX_NODES, MOST_AT_ONCE, SEPARATOR};
use crate::decode::format::LONG_TEXT;
use crate::decode::item::{self, Decoded, ListOf};
use crate::decode::{LEAST_ITEMS, MOST_OBJECTS};
use crate::parallel;
use crate::snapshot::Sink;

/// Maximum number of items read at a time, and of their bytes.
const WINDOW_ITEMS: usize = 512;
const WINDOW_BYTES: usize = 4 << 20;

/// The parts of a list.
pub(super) struct BlockList<'t> {
    items: Vec<Lines<'t>>,
    /// The list without its items.
    rest: Value,
}

/// The lines of an item; the first starts with a dash.
#[derive(Clone, Copy)]
struct Lines<'t> {
    text: &'t str,
    /// The number of the first one in the whole text, from 0.
    first: usize,
}

/// How far a list was read.
pub(super) struct ListRead {
    /// The items that were passed to the sink.
    pub items: usize,
    /// The list without its items. `None` if the next item cannot be read on its own: it is
    /// invalid, or has a meaning only in the whole text.
    pub rest: Option<Value>,
    /// The first repeated key.
    pub repeated: Option<Repeated>,
}

impl<'t> BlockList<'t> {
    /// The list that a text consists of; `None` for any other text, and for a short one, which is
    /// read as a whole.
    pub(super) fn of(body: &'t str) -> Option<Self> {
        if body.len() < LONG_TEXT { None } else { Self::split(body) }
    }

    fn split(body: &'t str) -> Option<Self> {
        if !body.ends_with('\n') || body.contains('\r') {
            return None;
        }
        let (mut items, mut open) = (Vec::new(), None::<(usize, usize)>);
        let (mut at, mut before, mut behind) = (0, None, None);
        for (number, line) in body.split_inclusive('\n').enumerate() {
            let start = at;
            at += line.len();
            let first = line.as_bytes().first().copied().unwrap_or_default();
            if line.starts_with(SEPARATOR) || matches!(first, b'.' | b'%' | b'#' | b'\t') {
                return None;
            }
            let begins_item = line.starts_with("- ") || line == "-\n";
            if before.is_none() || behind.is_some() {
                // The fields around the items.
                if first == b'-' {
                    return None;
                }
                if before.is_none() && line == "items:\n" {
                    before = Some(at);
                }
                continue;
            }
            if !begins_item && matches!(first, b' ' | b'\n') {
                continue;
            }
            if items.len() > MOST_OBJECTS {
                return None;
            }
            if let Some((from, first)) = open.take() {
                items.push(Lines { text: body.get(from..start)?, first });
            }
            if begins_item {
                open = Some((start, number));
            } else {
                behind = Some(start);
            }
        }
        if let Some((from, first)) = open {
            items.push(Lines { text: body.get(from..)?, first });
        }
        let around = [body.get(..before?)?, behind.map_or("", |at| body.get(at..).unwrap_or(""))];
        let rest = reader::read(&around.concat(), &mut { MOST_AT_ONCE }).ok()?;
        let is_plain = rest.repeated.is_none() && rest.rest.is_none();
        (is_plain && !items.is_empty() && items.len() <= MOST_OBJECTS)
            .then_some(Self { items, rest: rest.value })
    }

    /// Passes the items to the sink, up to the first that cannot be read on its own.
    pub(super) fn read(self, sink: &mut dyn Sink) -> ListRead {
        let Self { items, rest } = self;
        let (mut read, mut nodes, mut repeated) = (0, 0, None);
        let mut list = None;
        let mut rest_of_items = items.as_slice();
        while !rest_of_items.is_empty() {
            let (window, behind) = rest_of_items.split_at(window_length(rest_of_items));
            rest_of_items = behind;
            let values: Vec<Option<Item>> =
                parallel::map(window, LEAST_ITEMS, |lines| lines.read());
            let complete: Vec<Item> = values.into_iter().map_while(|value| value).collect();
            // Items that do not name their kind have that of the list.
            let list = list.get_or_insert_with(|| match complete.first() {
                Some(first) if first.has_no_kind => list_of(&rest),
                Some(_) | None => ListOf::Anything,
            });
            let decoded: Vec<Option<Decoded>> = parallel::map(&complete, LEAST_ITEMS, |item| {
                let raw: &RawValue = serde_json::from_str(&item.json).ok()?;
                Some(item::decode(raw, list))
            });
            for (item, decoded) in complete.iter().zip(decoded) {
                nodes += item.nodes;
                let Some(decoded) = decoded.filter(|_| nodes <= MAX_NODES) else {
                    return ListRead { items: read, rest: None, repeated };
                };
                item::accept(decoded, sink);
                repeated = repeated.or_else(|| item.repeated.clone());
                read += 1;
            }
            if complete.len() < window.len() {
                return ListRead { items: read, rest: None, repeated };
            }
        }
        ListRead { items: read, rest: Some(rest), repeated }
    }
}

/// How many of the items are read next; the values of all are held at once.
fn window_length(items: &[Lines<'_>]) -> usize {
    let mut bytes = 0;
    for (count, item) in items.iter().take(WINDOW_ITEMS).enumerate() {
        bytes += item.text.len();
        if bytes > WINDOW_BYTES {
            return count.max(1);
        }
    }
    items.len().min(WINDOW_ITEMS)
}

/// An item that was read on its own.
struct Item {
    json: String,
    has_no_kind: bool,
    nodes: usize,
    repeated: Option<Repeated>,
}

impl Lines<'_> {
    fn read(self) -> Option<Item> {
        // Without its dash it is an indented document.
        let text = [" ", self.text.get(1..)?].concat();
        let mut left = MOST_AT_ONCE;
        let ReadDocument { value, repeated, rest } = reader::read(&text, &mut left).ok()?;
        if rest.is_some() {
            return None;
        }
        let repeated = repeated.map(|key| Repeated { line: key.line + self.first, ..key });
        let nodes = MOST_AT_ONCE - left;
        Some(Item { has_no_kind: has_no_kind(&value), json: value.to_string(), nodes, repeated })
    }
}

/// Whether an object does not name its kind.
fn has_no_kind(value: &Value) -> bool {
    let version = value.get("apiVersion").unwrap_or(&Value::Null);
    value.is_object()
        && value.get("kind").is_none_or(Value::is_null)
        && (version.is_null() || version.is_string())
}

/// What the items of a list are.
fn list_of(list: &Value) -> ListOf {
    let kind = list.get("kind").and_then(Value::as_str).unwrap_or_default();
    ListOf::named(kind, list.get("apiVersion").and_then(Value::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::read_cluster;
    use crate::snapshot::{DecodeIssue, Header, Kind, Object};

    #[derive(Default, Debug, PartialEq)]
    struct Seen(Vec<String>);

    impl Sink for Seen {
        fn object(&mut self, object: Object<'_>) {
            self.0.push(format!("{object:?}"));
        }
        fn issue(&mut self, issue: DecodeIssue) {
            self.0.push(format!("{issue:?}"));
        }
        fn header(&mut self, _: Header) {}
        fn list(&mut self, kind: Kind) {
            self.0.push(format!("list of {kind:?}"));
        }
    }

    const LIST: &str = "apiVersion: v1\nitems:\n\
        - apiVersion: v1\n  kind: Pod\n  metadata:\n    name: a\n    labels:\n      x: |\n        - y\n\n      x: '2'\n\
        - apiVersion: v1\n  kind: Pod\n  metadata: {name: b}\n  spec:\n    containers:\n    - name: c\n\
        - 7\n\
        -\n  kind: Node\n  metadata: {name: n}\n\
        kind: List\nmetadata:\n  resourceVersion: \"\"\n";

    fn in_parts(text: &str) -> (Seen, ListRead) {
        let mut seen = Seen::default();
        let read = BlockList::split(text).expect("a list").read(&mut seen);
        (seen, read)
    }

    fn as_a_whole(text: &str) -> Seen {
        let mut seen = Seen::default();
        crate::decode::decode(text, "test", &mut seen).expect("valid YAML");
        seen
    }

    #[test]
    fn a_list_in_parts_gives_what_it_gives_as_a_whole() {
        let (seen, read) = in_parts(LIST);
        assert_eq!((seen, read.items), (as_a_whole(LIST), 4));
        assert_eq!(read.rest.and_then(|rest| Some(rest.get("kind")?.clone())), Some("List".into()));
        let repeated = read.repeated.expect("a key stands twice");
        assert_eq!((repeated.key.as_str(), repeated.line, repeated.column), ("x", 10, 6));
    }

    #[test]
    fn items_without_kind_are_what_the_list_says() {
        let text = "apiVersion: v1\nitems:\n- metadata:\n    name: a\nkind: PodList\n";
        let (mut seen, read) = in_parts(text);
        assert!(read.rest.is_some());
        seen.0.insert(0, "list of Pod".to_owned());
        assert_eq!(seen, as_a_whole(text));
    }

    #[test]
    fn an_item_that_needs_the_whole_text_ends_the_parts() {
        let text = "items:\n- &a\n  kind: Pod\n  metadata: {name: a}\n- *a\n- kind: Node\n";
        let (seen, read) = in_parts(text);
        assert_eq!((seen.0.len(), read.items, read.rest), (1, 1, None));
    }

    #[test]
    fn other_texts_are_no_list_in_parts() {
        for text in [
            "items:\n",
            "items: []\n",
            "kind: Pod\n",
            "items:\n- a: 1\n---\nitems:\n- a: 1\n",
            "items:\n- a: 1\nkind: List",
            "items:\n- a: 1\nkind: List\n- b\n",
            "items:\n- a: 1\nkind: [\n",
            "items:\r\n- a: 1\r\n",
        ] {
            assert!(BlockList::split(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn long_lists_are_read_in_parts_with_the_same_notes_and_errors() {
        let item = format!(
            "- apiVersion: v1\n  kind: Node\n  metadata:\n    name: NAME\n    annotations:\n      a: {}\n",
            "x".repeat(200)
        );
        let items: String =
            (0..4_000).map(|index| item.replace("NAME", &format!("n{index}"))).collect();
        let text = format!("apiVersion: v1\nitems:\n{items}kind: List\n");
        assert!(BlockList::of(&text).is_some());
        let cluster = read_cluster(&text, "test").expect("valid YAML");
        assert_eq!(cluster.nodes.len(), 4_000);
        // An invalid item is named by its line, and aliases across items are resolved.
        let wrong = text.replacen("name: n3800\n", "name: [n3800\n", 1);
        let problem = read_cluster(&wrong, "test").expect_err("a bracket is open").problem;
        assert!(problem.contains("line 228"), "{problem}");
        let aliased = text.replacen("- apiVersion", "- &a\n  apiVersion", 1);
        let aliased = aliased.replacen("kind: List", "- *a\nkind: List", 1);
        let cluster = read_cluster(&aliased, "test").expect("valid YAML");
        assert_eq!((cluster.nodes.len(), cluster.notes.len()), (4_000, 1));
    }
}
