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
pub struct PathTemplate(Vec<TemplatePart>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePart {
    /// Text of the user's own, control characters and all.
    Text(String),
    Path(Path),
    Range(Path, Vec<TemplatePart>),
}

/// From the top of the answer, or inside a range or filter from its item.
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
    /// `..`: the value and everything below it.
    Below,
    /// `[?(@.a=="b")]`.
    PathFilter(PathFilter),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PathFilter {
    left: Operand,
    /// Without it the left side has to be there.
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

    /// Everything that the template's paths find.
    ///
    /// # Errors
    /// As [`Self::fill`], and when there is more to the template than paths.
    pub fn values<'v>(&'v self, root: &'v Value) -> Result<Vec<&'v Value>, String> {
        let mut found = Vec::new();
        for part in &self.0 {
            let TemplatePart::Path(path) = part else {
                return Err("jsonpath-as-json takes paths alone, such as {.nodes[*].name}".to_owned());
            };
            found.extend(find::find(path, root)?);
        }
        Ok(found)
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
        // In JSON, such a character stands inside of a string.
        other => visible_json(&other.to_string()),
    }
}

#[cfg(test)]
mod tests;
