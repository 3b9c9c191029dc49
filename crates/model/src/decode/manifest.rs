//! Whole objects, with the fields that no decision reads: for manifests, which are short.

use serde_json::Value;

use super::error::{DecodeError, Shift};
use super::format::Format;
use super::yaml;

/// The objects of a text with all their fields. Lists are replaced by their items.
///
/// # Errors
/// [`DecodeError`] when the text is neither JSON nor YAML, or has anything else than objects in it.
pub fn whole_objects(text: &str, origin: &str) -> Result<Vec<Value>, DecodeError> {
    let documents = match Format::of(text) {
        Format::Empty => return Err(DecodeError::new(origin, "the file is empty")),
        Format::Json(body) => {
            let documents = serde_json::Deserializer::from_str(body).into_iter::<Value>();
            documents
                .collect::<Result<Vec<_>, _>>()
                .map_err(|e| DecodeError::json(origin, "", Shift::NONE, &e))?
        }
        Format::Yaml(body) => {
            yaml::documents(body).map_err(|e| DecodeError::yaml(origin, body, &e))?.values
        }
    };
    let mut objects = Vec::new();
    let mut todo: Vec<Value> = documents.into_iter().rev().collect();
    while let Some(mut document) = todo.pop() {
        match document.get_mut("items").map(Value::take) {
            Some(Value::Array(mut items)) => {
                items.iter_mut().for_each(|item| name_kind(item, &document));
                todo.extend(items.into_iter().rev());
            }
            Some(_) | None if document.is_null() => {}
            Some(_) | None if document.get("kind").is_some_and(Value::is_string) => {
                objects.push(document)
            }
            Some(_) | None => {
                return Err(DecodeError::new(origin, "not a Kubernetes object: it has no kind"));
            }
        }
    }
    if objects.is_empty() {
        return Err(DecodeError::nothing(origin));
    }
    Ok(objects)
}

/// Gives an item of a typed list, which names no kind itself, that of the list: a Deployment in a
/// `DeploymentList`.
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
