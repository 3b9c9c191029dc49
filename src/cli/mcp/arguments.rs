//! The arguments of calls: their schemas, and what is said of wrong ones.

use serde::Serialize;
use serde_json::{Map, Value};

use super::cut::{MOST_ROWS, ROWS};
use answers::similar;
use render::escape::visible;

/// The arguments that every tool has besides its own.
pub(super) const MAX_ROWS: &str = "max_rows";
pub(super) const DETAIL: &str = "detail";
pub(super) const OFFSET: &str = "offset";

/// Maximum number of items in a list argument, and size limit of each; a manifest may be larger.
const MOST_ITEMS: usize = 64;
const LONGEST_ARGUMENT: usize = 1024;
const LONGEST_MANIFEST: usize = 512 << 10;
/// Maximum number of characters that an error repeats of an argument's name.
const LONGEST_NAME: usize = 40;

/// How much of an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Amount {
    pub detail: Detail,
    /// The most items of each list.
    pub rows: usize,
    /// How many items of each list of the answer itself are passed over.
    pub offset: usize,
}

/// Whether the whole answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// The screen, and the fields that most questions need.
    Concise,
    Full,
}

/// What is wrong with the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct WrongArgument {
    pub error: String,
    /// The argument, if it is one alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// What it may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
}

impl From<String> for WrongArgument {
    fn from(error: String) -> Self {
        Self { error, argument: None, allowed: None }
    }
}

/// The JSON schemas of the arguments of all tools, by the tools' names.
///
/// # Errors
/// When the embedded file is not a map of tools, which a test rules out.
pub(super) fn schemas() -> Result<Map<String, Value>, String> {
    serde_json::from_str(include_str!("arguments.json")).map_err(|e| format!("arguments.json: {e}"))
}

/// Checks the arguments of a call of `tool` against its schema, so that what is wrong is named with
/// the argument, and what it may be.
///
/// # Errors
/// The first argument that is unknown, missing, too long or of another type.
pub(super) fn check(tool: &str, arguments: &Value) -> Result<(), WrongArgument> {
    let schemas = schemas()?;
    let schema = schemas.get(tool).ok_or_else(|| "there is no such tool".to_owned())?;
    let (Some(properties), Some(fields)) =
        (schema["properties"].as_object(), arguments.as_object())
    else {
        return Err("the arguments are an object".to_owned().into());
    };
    for (name, value) in fields {
        let Some(property) = properties.get(name) else {
            return Err(unknown(name, properties));
        };
        let wrong = |problem: String| WrongArgument {
            error: format!("{name}: {problem}"),
            argument: Some(name.clone()),
            allowed: Some(allowed(property)),
        };
        check_size(name, value).map_err(wrong)?;
        check_type(property, value).map_err(wrong)?;
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if !fields.contains_key(name) {
            return Err(WrongArgument {
                error: format!("{name} is missing"),
                argument: Some(name.to_owned()),
                allowed: properties.get(name).map(allowed),
            });
        }
    }
    Ok(())
}

/// An argument that the tool does not have. The names that it has are near, or all of them.
fn unknown(name: &str, properties: &Map<String, Value>) -> WrongArgument {
    let shown: String = visible(name).chars().take(LONGEST_NAME).collect();
    let names = properties.keys().map(String::as_str);
    let near = similar::misspelt_name(name, names.clone());
    let question = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
    WrongArgument {
        error: format!("{shown} is not an argument of this tool{question}"),
        argument: Some(shown),
        allowed: Some(names.collect::<Vec<_>>().join(", ")),
    }
}

/// What an argument may be: its type, its limits and its meaning.
fn allowed(property: &Value) -> String {
    let meaning = property["description"].as_str().unwrap_or_default().replace('\n', " ");
    format!("{}: {meaning}", expected(property))
}

/// The type of an argument with this schema.
fn expected(property: &Value) -> String {
    if let Some(words) = property["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return words.join(" or ");
    }
    match kind(property) {
        "array" => "a list of texts".to_owned(),
        "integer" => match (property["minimum"].as_u64(), property["maximum"].as_u64()) {
            (least, Some(most)) => format!("a number from {} to {most}", least.unwrap_or_default()),
            _ => "a number".to_owned(),
        },
        "boolean" => "true or false".to_owned(),
        _ => "a text".to_owned(),
    }
}

/// The type, apart from `null`.
fn kind(property: &Value) -> &str {
    let first = property["type"].as_array().and_then(|kinds| kinds.first());
    first.unwrap_or(&property["type"]).as_str().unwrap_or_default()
}

/// Rejects a value of another type, or outside the limits of a number.
fn check_type(property: &Value, value: &Value) -> Result<(), String> {
    let may_be_null = property["type"].as_array().is_some_and(|kinds| kinds.len() > 1);
    let is_right = match (kind(property), value) {
        (_, Value::Null) => may_be_null,
        ("array", Value::Array(items)) => items.iter().all(Value::is_string),
        ("integer", Value::Number(number)) => number.as_u64().is_some_and(|number| {
            let least = property["minimum"].as_u64().unwrap_or(0);
            (least..=property["maximum"].as_u64().unwrap_or(u64::MAX)).contains(&number)
        }),
        ("boolean", Value::Bool(_)) => true,
        ("string", Value::String(text)) => {
            let words = property["enum"].as_array();
            words.is_none_or(|words| words.iter().any(|word| word == text))
        }
        _ => false,
    };
    if is_right { Ok(()) } else { Err(format!("it is {}", expected(property))) }
}

/// Rejects lists and texts that are longer than any name or amount.
fn check_size(name: &str, value: &Value) -> Result<(), String> {
    let longest = if name == "manifest" { LONGEST_MANIFEST } else { LONGEST_ARGUMENT };
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    if items.len() > MOST_ITEMS {
        return Err(format!("it has more than {MOST_ITEMS} items"));
    }
    let texts = items.iter().chain([value]).filter_map(Value::as_str);
    if texts.map(str::len).any(|length| length > longest) {
        return Err(format!("it is longer than {longest} bytes"));
    }
    Ok(())
}

/// Takes what every tool has out of arguments that [`check`] has accepted.
pub(super) fn take_amount(arguments: &mut Value) -> Amount {
    let [rows, offset, detail] = [MAX_ROWS, OFFSET, DETAIL].map(|name| {
        arguments.as_object_mut().and_then(|fields| fields.remove(name)).unwrap_or_default()
    });
    let rows = rows.as_u64().map_or(ROWS, |rows| rows as usize).clamp(1, MOST_ROWS);
    let offset = offset.as_u64().unwrap_or_default() as usize;
    let is_full = detail == "full";
    // Whoever asks for another part of the lists asks for the lists.
    let detail = if is_full || offset > 0 { Detail::Full } else { Detail::Concise };
    Amount { detail, rows, offset }
}
