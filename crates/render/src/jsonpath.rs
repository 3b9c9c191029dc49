//! kubectl's `JSONPath` templates: text with `{…}` in it, evaluated over an answer that is JSON.
//!
//! It is kubectl's dialect and not that of RFC 9535: a template with literal text and `{range}`, keys escaped by `\.`, one
//! comparison per filter. What is not known here is refused and never guessed. A template without any brace is a path, as
//! for kubectl's `--sort-by`.

mod find;
mod parse;

use serde_json::Value;

use super::escape::{visible, visible_json};

/// A template that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// Text of the user's own, control characters and all.
    Text(String),
    Path(Path),
    Range(Path, Vec<Part>),
}

/// From the top of the answer, or inside a range or filter from its item.
type Path = Vec<Step>;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// `.name`, `['a','b']`.
    Keys(Vec<String>),
    /// `.*`, `[*]`.
    All,
    /// `[0]`, `[0,2]`.
    Indices(Vec<i64>),
    /// `[from:to:step]`.
    Slice { from: i64, to: Option<i64>, step: usize },
    /// `..`: the value and everything below it.
    Below,
    /// `[?(@.a=="b")]`.
    Filter(Filter),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Filter {
    left: Side,
    /// Without it the left side has to be there.
    right: Option<(Comparison, Side)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Side {
    Path(Path),
    Literal(Value),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// What is wrong with it, or not supported.
    pub fn parse(text: &str) -> Result<Self, String> {
        parse::template(text).map(Self)
    }

    /// The template filled in. Several values of one path are separated by a space, objects and lists are JSON, what is not
    /// there is nothing. Whatever a terminal would act on is escaped, unless it stands in the template itself.
    ///
    /// # Errors
    /// When a step does not go with the value that it meets.
    pub fn fill(&self, root: &Value) -> Result<String, String> {
        let mut out = String::new();
        fill(&self.0, root, &mut out)?;
        Ok(out)
    }
}

fn fill(parts: &[Part], here: &Value, out: &mut String) -> Result<(), String> {
    for part in parts {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Path(path) => {
                let texts: Vec<String> = find::find(path, here)?.into_iter().map(text_of).collect();
                out.push_str(&texts.join(" "));
            }
            Part::Range(path, body) => {
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
        // In JSON, such a character stands inside of a string.
        other => visible_json(&other.to_string()),
    }
}

#[cfg(test)]
mod tests;
