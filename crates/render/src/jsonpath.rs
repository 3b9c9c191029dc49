//! kubectl's `JSONPath` templates: text with `{…}`, evaluated on the JSON output.
//!
//! This is kubectl's dialect and not that of RFC 9535: a template with literal text and `{range}`,
//! keys with escaped dots, one comparison per filter. Unsupported syntax is an error. A template
//! without braces is a path, as in kubectl's `--sort-by`.

mod find;
mod parse;
mod schema;

use serde_json::Value;

pub use schema::UnknownField;

use super::escape::{visible, visible_json};

/// A parsed template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathTemplate(Vec<TemplatePart>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePart {
    /// Literal text of the user, including control characters.
    Text(String),
    Path(Path),
    Range(Path, Vec<TemplatePart>),
}

/// A path from the root or, inside a range or filter, from its item.
type Path = Vec<PathStep>;

#[derive(Debug, Clone, PartialEq, Eq)]
enum PathStep {
    /// `.name`, `['a','b']`.
    Keys(Vec<String>),
    /// `.*`, `[*]`.
    All,
    /// `[0]`, `[0,2]`.
    Indices(Vec<i64>),
    /// `[from:to:step]`.
    Slice { from: i64, to: Option<i64>, step: usize },
    /// `..`: the value and all its descendants.
    Below,
    /// `[?(@.a=="b")]`.
    PathFilter(PathFilter),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PathFilter {
    left: Operand,
    /// Without a comparison, the left side only has to exist.
    right: Option<(Comparator, Operand)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Operand {
    Path(Path),
    Literal(Value),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl PathTemplate {
    /// Parses a template.
    ///
    /// # Errors
    /// The syntax error, or the syntax that is not supported.
    pub fn parse(text: &str) -> Result<Self, String> {
        parse::template(text).map(Self)
    }

    /// Evaluates the template as text. Several values of one path are separated by spaces, objects
    /// and lists are JSON, and missing values are empty. Characters that a terminal would interpret
    /// are escaped, unless they are part of the template.
    ///
    /// # Errors
    /// A step does not apply to the type of a value.
    pub fn fill(&self, root: &Value) -> Result<String, String> {
        let mut out = String::new();
        fill(&self.0, root, &mut out)?;
        Ok(out)
    }
}

fn fill(parts: &[TemplatePart], here: &Value, out: &mut String) -> Result<(), String> {
    for part in parts {
        match part {
            TemplatePart::Text(text) => out.push_str(text),
            TemplatePart::Path(path) => {
                let texts: Vec<String> = find::find(path, here)?.into_iter().map(text_of).collect();
                out.push_str(&texts.join(" "));
            }
            TemplatePart::Range(path, body) => {
                for value in find::find(path, here)? {
                    fill(body, value, out)?;
                }
            }
        }
    }
    Ok(())
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => visible(text),
        // In JSON, such a character occurs only in strings.
        other => visible_json(&other.to_string()),
    }
}

#[cfg(test)]
mod tests;
