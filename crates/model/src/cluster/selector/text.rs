//! Label selectors written as text, as accepted by `kubectl -l`.
//!
//! `app=web,tier in (front,back),!canary` becomes the equivalent `LabelSelector` of an object, so
//! that only [`super::Selector`] decides what a selector matches.
//!
//! Upstream: `apimachinery/pkg/labels/selector.go` `Parse` (1.37), without the numeric comparisons
//! (`>`, `<`).

use super::{is_label_key, is_label_value};
use crate::snapshot::meta::{Expression, LabelSelector};

/// Reads the requirements of a selector, which are separated by commas. An empty text selects
/// everything.
///
/// # Errors
/// The first part of the text that is not a requirement.
pub fn parse(text: &str) -> Result<LabelSelector<'static>, &str> {
    let parts = split(text).into_iter().filter(|part| !part.is_empty() || text.contains(','));
    let match_expressions =
        parts.map(|part| requirement(part).ok_or(part)).collect::<Result<_, _>>()?;
    Ok(LabelSelector { match_expressions, ..LabelSelector::default() })
}

/// The text between commas that stand outside of parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut open = false;
    let parts = text.split(|c| {
        open = (open || c == '(') && c != ')';
        c == ',' && !open
    });
    parts.map(str::trim).collect()
}

/// `key`, `!key`, `key=value`, `key==value`, `key!=value`, `key in (a,b)` or `key notin (a,b)`.
fn requirement(text: &str) -> Option<Expression<'static>> {
    if let Some(key) = text.strip_prefix('!') {
        return expression(key, "DoesNotExist", &[]);
    }
    if let Some((key, value)) = text.split_once("!=") {
        return expression(key, "NotIn", &[value]);
    }
    if let Some((key, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
        return expression(key, "In", &[value]);
    }
    let Some((key, rest)) = text.split_once(char::is_whitespace) else {
        return expression(text, "Exists", &[]);
    };
    let (operator, list) = rest.split_once('(')?;
    let values: Vec<&str> = list.strip_suffix(')')?.split(',').collect();
    match operator.trim() {
        "in" => expression(key, "In", &values),
        "notin" => expression(key, "NotIn", &values),
        _ => None,
    }
}

/// The requirement, unless its key or one of its values is invalid.
fn expression(key: &str, operator: &'static str, values: &[&str]) -> Option<Expression<'static>> {
    let key = key.trim();
    let values: Vec<&str> = values.iter().map(|value| value.trim()).collect();
    let valid = is_label_key(key) && values.iter().all(|value| is_label_value(value));
    valid.then(|| Expression {
        key: key.to_owned().into(),
        operator: operator.into(),
        values: values.into_iter().map(|value| value.to_owned().into()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_part_that_is_not_a_requirement_is_named() {
        for (text, part) in [
            ("a=b c", "a=b c"),
            ("=b", "=b"),
            ("a in b", "a in b"),
            ("a in (b", "a in (b"),
            ("a like (b)", "a like (b)"),
            ("a,,b", ""),
            ("x=y, a/b/c", "a/b/c"),
            ("A.b/c", "A.b/c"),
            ("a=-", "a=-"),
            ("!", "!"),
            ("a>1", "a>1"),
            ("a=\u{1b}", "a=\u{1b}"),
        ] {
            assert_eq!(parse(text), Err(part), "{text}");
        }
    }
}
