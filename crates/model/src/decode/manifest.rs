//! Whole objects, including fields that no decision reads: for manifests, which are short.

use serde_json::Value;

use super::error::{DecodeError, Shift};
use super::format::{JSON_SPACE, TextFormat};
use super::yaml::{self, YamlDocument};

/// An object with all its fields.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeObject {
    pub object: Value,
    /// The line where its document starts, from 1.
    pub line: usize,
}

/// The objects of a text with all their fields. Lists are replaced by their items.
///
/// # Errors
/// [`DecodeError`] when the text is neither JSON nor YAML, or has anything else than objects in it.
pub fn whole_objects(text: &str, origin: &str) -> Result<Vec<WholeObject>, DecodeError> {
    let documents = match TextFormat::of(text) {
        TextFormat::Empty => return Err(DecodeError::new(origin, "the file is empty")),
        TextFormat::Json(body) => json_documents(text, body, origin)?,
        TextFormat::Yaml(body) => {
            yaml::documents(body, yaml::MOST_AT_ONCE)
                .map_err(|e| DecodeError::yaml(origin, body, &e))?
                .list
        }
    };
    // Lists may contain lists: each is replaced by its items, in order.
    let mut objects = Vec::new();
    let mut todo: Vec<YamlDocument> = documents.into_iter().rev().collect();
    while let Some(YamlDocument { mut value, line }) = todo.pop() {
        match value.get_mut("items").map(Value::take) {
            Some(Value::Array(mut items)) => {
                items.iter_mut().for_each(|item| name_kind(item, &value));
                let lines = item_lines(text, line, items.len());
                let line_of = |index: usize| lines.get(index).copied().unwrap_or(line);
                let items = items.into_iter().enumerate().rev();
                todo.extend(
                    items.map(|(index, value)| YamlDocument { value, line: line_of(index) }),
                );
            }
            Some(_) | None if value.is_null() => {}
            Some(_) | None if value.get("kind").is_some_and(Value::is_string) => {
                objects.push(WholeObject { object: value, line });
            }
            Some(_) | None => {
                let problem = "not a Kubernetes object: it has no kind";
                return Err(DecodeError::new(origin, problem).at(line, 1));
            }
        }
    }
    if objects.is_empty() {
        return Err(DecodeError::nothing(origin));
    }
    Ok(objects)
}

/// The lines on which the items of a list begin, whose document begins at `line`: those of block
/// sequences of YAML, and of JSON that is written on several lines. Empty if it is not sure.
fn item_lines(text: &str, line: usize, count: usize) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut indent = None;
    let mut after_items = false;
    for (number, text) in text.lines().enumerate().skip(line.saturating_sub(1)) {
        let content = text.trim_start();
        let depth = text.len() - content.len();
        let is_items = ["items:", "\"items\": ["].contains(&content.trim_end());
        if number + 1 > line && content.starts_with("---") {
            break;
        }
        if is_items && indent.is_none() {
            after_items = true;
        } else if after_items {
            let begins = content.starts_with("- ") || content.trim_end() == "{";
            if indent.is_none() && begins {
                indent = Some(depth);
            }
            if begins && indent == Some(depth) {
                lines.push(number + 1);
            }
        }
    }
    if lines.len() == count { lines } else { Vec::new() }
}

/// The JSON documents of `body`, which is the end of `text`, with the lines of `text`.
fn json_documents(text: &str, body: &str, origin: &str) -> Result<Vec<YamlDocument>, DecodeError> {
    let before = text.len() - body.len();
    let mut stream = serde_json::Deserializer::from_str(body).into_iter::<Value>();
    let (mut documents, mut line, mut counted) = (Vec::new(), 1, 0);
    loop {
        // A document starts after the white space that follows the previous one.
        let end = before + stream.byte_offset();
        let rest = text.get(end..).unwrap_or_default();
        let start = text.len() - rest.trim_start_matches(JSON_SPACE).len();
        line += text.get(counted..start).unwrap_or_default().matches('\n').count();
        counted = start;
        match stream.next() {
            None => return Ok(documents),
            Some(value) => {
                let value = value.map_err(|e| DecodeError::json(origin, "", Shift::NONE, &e))?;
                documents.push(YamlDocument { value, line });
            }
        }
    }
}

/// Gives an item of a typed list, which does not name a kind itself, that of the list: a Deployment
/// in a `DeploymentList`.
fn name_kind(item: &mut Value, list: &Value) {
    let of_list = |field: &str| list.get(field).and_then(Value::as_str);
    let Some(kind) =
        of_list("kind").and_then(|kind| kind.strip_suffix("List")).filter(|kind| !kind.is_empty())
    else {
        return;
    };
    let Some(fields) = item.as_object_mut().filter(|fields| !fields.contains_key("kind")) else {
        return;
    };
    fields.insert("kind".to_owned(), kind.into());
    if let Some(version) = of_list("apiVersion") {
        fields.entry("apiVersion").or_insert_with(|| version.into());
    }
}

#[cfg(test)]
mod tests {
    use super::whole_objects;

    /// `line kind` of each object.
    fn lines(text: &str) -> Vec<String> {
        let objects = whole_objects(text, "m").unwrap_or_else(|e| panic!("{text:?}: {e}"));
        let line = |found: super::WholeObject| {
            format!("{} {}", found.line, found.object["kind"].as_str().unwrap_or_default())
        };
        objects.into_iter().map(line).collect()
    }

    #[test]
    fn whole_objects_have_the_line_on_which_their_document_begins() {
        for (text, expected) in [
            ("kind: A\n", &["1 A"][..]),
            ("---\n# Source: a.yaml\nkind: A\n---\n# Source: b.yaml\n\nkind: B\n", &["3 A", "7 B"]),
            ("# only\n---\n# comments\n---\nkind: A\n", &["5 A"]),
            ("--- # first\nkind: A\n---\r\nkind: B\r\n", &["2 A", "4 B"]),
            ("\u{feff}kind: A\n---\nkind: B", &["1 A", "3 B"]),
            ("kind: List\nitems:\n- kind: A\n- kind: B\n---\nkind: C\n", &["3 A", "4 B", "6 C"]),
            (
                "{\n\"kind\": \"List\",\n\"items\": [\n  {\n    \"kind\": \"A\"\n  },\n  {\n    \"kind\": \"B\"\n  }\n]}",
                &["4 A", "7 B"],
            ),
            ("kind: List\nitems: [{kind: A}, {kind: B}]\n", &["1 A", "1 B"]),
            ("%YAML 1.1\n---\nkind: A\n", &["3 A"]),
            // YAML that kubectl rejects but YAML 1.2 allows.
            ("--- {kind: A}\n---\n\nkind: B\n", &["1 A", "4 B"]),
            ("\n{\"kind\": \"A\"}\n\n{\"kind\":\n\"B\"} {\"kind\": \"C\"}", &["2 A", "4 B", "5 C"]),
        ] {
            assert_eq!(lines(text), expected, "{text:?}");
        }
    }
}
