//! kubectl's formats with a value, `-o jsonpath=TEMPLATE` and `-o custom-columns=HEADER:PATH,...`,
//! over the JSON of an answer.

use serde::Serialize;
use serde_json::Value;

use super::{output, schema};
use crate::error::Error;
use answers::similar::similar_names;
use answers::words;
use render::custom_columns::CustomColumns;
use render::jsonpath::{PathTemplate, UnknownField};
use render::page::Paper;
use render::safe::Printable;

/// Prefixes of their values, as proposed by completion.
pub const NAMES: [&str; 2] = ["jsonpath=", "custom-columns="];

/// A format of kubectl that takes a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KubectlFormat {
    /// Text extracted from the JSON.
    JsonPath(PathTemplate),
    /// A table with a row per item.
    CustomColumns(CustomColumns),
}

impl KubectlFormat {
    /// Parses a format; `None` if it is none of these.
    ///
    /// # Errors
    /// What is wrong with its value, in kubectl's words.
    pub fn read(text: &str) -> Result<Option<Self>, String> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        Ok(match name {
            "jsonpath" => Some(Self::JsonPath(template(value)?)),
            "custom-columns" => Some(Self::CustomColumns(CustomColumns::parse(value)?)),
            _ => None,
        })
    }

    /// The answer in this format.
    ///
    /// # Errors
    /// [`Error::Usage`] for a template or column that does not match the answer.
    pub fn text(
        &self,
        answer: &impl Serialize,
        headers: bool,
        paper: Paper,
    ) -> anyhow::Result<Printable> {
        let root = output::to_value(answer)?;
        match self {
            Self::JsonPath(template) => fill(template, &root),
            Self::CustomColumns(columns) => {
                check("-o custom-columns", columns.paths(), &root)?;
                Ok(columns.page(&items(&root), headers).print(Paper { width: None, ..paper }))
            }
        }
    }
}

fn template(text: &str) -> Result<PathTemplate, String> {
    if text.is_empty() {
        return Err(
            "-o jsonpath: template format specified but no template given; write -o jsonpath=TEMPLATE".to_owned()
        );
    }
    PathTemplate::parse(text).map_err(|e| format!("error parsing jsonpath {text}, {e}"))
}

/// The items of an answer: those of a list, the steps of a simulation, or the answer itself.
pub fn items(root: &Value) -> Vec<Value> {
    let list = ["items", "steps"].iter().find_map(|key| root.get(key)?.as_array());
    list.cloned().unwrap_or_else(|| vec![root.clone()])
}

/// Rejects paths that do not exist in this kind of answer: a mistyped path would result in an empty
/// column.
///
/// # Errors
/// [`Error::Usage`] for such a path.
pub fn check<'p>(
    flag: &str,
    paths: impl Iterator<Item = &'p PathTemplate>,
    root: &Value,
) -> Result<(), Error> {
    let schema: Value = serde_json::from_str(schema::SCHEMA).unwrap_or_default();
    let kind = root.get("kind").and_then(Value::as_str).unwrap_or_default();
    let Some(answer) = schema.get("$defs").and_then(|defs| defs.get(kind)) else { return Ok(()) };

    // Paths start at an item if the answer is a list, and at the answer itself otherwise.
    let mut start = answer;
    for key in ["items", "steps"] {
        if root.get(key).is_some_and(Value::is_array) {
            let list = answer.get("properties").and_then(|properties| properties.get(key));
            start = list.and_then(|list| list.get("items")).unwrap_or(answer);
            break;
        }
    }
    for path in paths {
        if let Some(unknown) = path.unknown_field(&schema, start) {
            let problem = format!("{flag}: no item has a field `{}`", unknown.name);
            return Err(Error::usage_hint(problem, instead_of(&unknown)));
        }
    }
    Ok(())
}

/// What to write instead of a field that does not exist: the most similar one, else all that do.
fn instead_of(unknown: &UnknownField) -> String {
    match similar_names(&unknown.name, &unknown.known).first() {
        Some(field) => format!("did you mean {field}?"),
        None if unknown.known.is_empty() => "-o json shows what there is".to_owned(),
        None => format!("there are {}", words::list(&unknown.known, usize::MAX)),
    }
}

/// Evaluates a template.
fn fill(template: &PathTemplate, root: &Value) -> anyhow::Result<Printable> {
    let text = template.fill(root).map_err(|problem| Error::Usage {
        problem: format!("error executing jsonpath: {problem}"),
        hint: Some("-o json shows what there is".to_owned()),
    })?;
    Ok(Printable::new(text))
}
