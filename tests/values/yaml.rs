//! Writes values as YAML that people read: what fits into a line stands in one.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Fields in the order in which they are read; others follow by name.
const ORDER: [&str; 31] = [
    "differs",
    "rules",
    "before",
    "after",
    "exit",
    "explains",
    "pod",
    "outcome",
    "why",
    "verdict",
    "stage",
    "by",
    "plugin",
    "code",
    "reasons",
    "evidence",
    "score",
    "kind",
    "edits",
    "certainty",
    "selected",
    "nodes",
    "preemption",
    "victims",
    "ladder",
    "message",
    "conditionMessage",
    "criterion",
    "values",
    "survivors",
    "nearest",
];
/// Fields that get a line for each of their own.
const IN_LINES: [&str; 4] = ["nodes", "before", "after", "remedies"];

/// The fields of a value as YAML, each line indented by `indent` columns. No line is wider than
/// `width`, unless a text is.
pub fn written(value: &Value, indent: usize, width: usize) -> String {
    let mut yaml = Yaml { text: String::new(), width };
    if let Value::Object(fields) = value {
        yaml.write_fields(fields, indent);
    }
    yaml.text
}

struct Yaml {
    text: String,
    width: usize,
}

impl Yaml {
    fn write_fields(&mut self, fields: &Map<String, Value>, indent: usize) {
        for (name, value) in in_order(fields) {
            let head = format!("{:indent$}{}:", "", key(name));
            let line = on_one_line(value);
            let has_fields = value.as_object().is_some_and(|fields| !fields.is_empty());
            let has_items = value.as_array().is_some_and(|items| !items.is_empty());
            let wants_lines = IN_LINES.contains(&name.as_str()) || is_version(name);
            let fits = head.chars().count() + 1 + line.chars().count() <= self.width;
            if !(has_fields || has_items) || (fits && !(has_fields && wants_lines)) {
                let _ = writeln!(self.text, "{head} {line}");
            } else if let Value::Object(fields) = value {
                let _ = writeln!(self.text, "{head}");
                self.write_fields(fields, indent + 2);
            } else if let Value::Array(items) = value {
                let _ = writeln!(self.text, "{head}");
                self.write_items(items, indent + 2);
            }
        }
    }

    fn write_items(&mut self, items: &[Value], indent: usize) {
        for item in items {
            let line = on_one_line(item);
            match item {
                Value::Object(fields) if indent + 2 + line.chars().count() > self.width => {
                    let mut inner = Self { text: String::new(), width: self.width };
                    inner.write_fields(fields, indent + 2);
                    let _ = writeln!(self.text, "{:indent$}- {}", "", inner.text.trim());
                }
                _ => {
                    let _ = writeln!(self.text, "{:indent$}- {line}", "");
                }
            }
        }
    }
}

/// Whether it is a version, whose decision follows.
fn is_version(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_digit())
}

/// The fields as they are read: the known ones, then versions from the newest on, then others.
fn in_order(fields: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let rank = |name: &String| match ORDER.iter().position(|known| known == name) {
        Some(at) => at,
        None if is_version(name) => ORDER.len(),
        None => ORDER.len() + 1,
    };
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_by(|(a, _), (b, _)| {
        let by_name = if is_version(a) { b.cmp(a) } else { a.cmp(b) };
        rank(a).cmp(&rank(b)).then(by_name)
    });
    fields
}

fn on_one_line(value: &Value) -> String {
    match value {
        Value::String(text) => scalar(text),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(on_one_line).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let fields = in_order(fields);
            let fields =
                fields.iter().map(|(name, value)| format!("{}: {}", key(name), on_one_line(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// The name of a field; one is never taken for anything but a text.
fn key(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { Value::from(name).to_string() }
}

/// A text as it stands where YAML takes it for a text, else in quotes.
fn scalar(text: &str) -> String {
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"];
    let is_word = words.contains(&text.to_ascii_lowercase().as_str());
    if is_plain(text) && !is_word { text.to_owned() } else { Value::from(text).to_string() }
}

/// Whether all of a text is one scalar without quotes, also within brackets.
fn is_plain(text: &str) -> bool {
    // A colon within a word, such as that of a taint, separates nothing.
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || " _./()+=@'%-;:".contains(c))
        && !text.contains(": ")
        && !text.ends_with([':', ' '])
}
