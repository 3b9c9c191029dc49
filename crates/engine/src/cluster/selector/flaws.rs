//! What is wrong with a requirement on labels, as the scheduler says it.
//!
//! Upstream: `apimachinery/pkg/labels/selector.go` `NewRequirement`,
//! `apimachinery/pkg/api/validate/content/{kube,dns,errors}.go`, `apimachinery/pkg/util/errors/errors.go` (1.37).

use std::borrow::Borrow;

use super::{is_label_key, is_name, is_subdomain};
use crate::snapshot::Str;
use crate::snapshot::meta::Expression;

const NAME_FORMAT: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const NAME_CHARACTERS: &str = "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                               alphanumeric character";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
                         and must start and end with an alphanumeric character (e.g. 'example.com', regex used for \
                         validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const EMPTY: &str = "must be non-empty";

/// The values that an operator takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cluster) enum Takes {
    /// At least one: `In`, `NotIn`.
    Values,
    /// None: `Exists`, `DoesNotExist`.
    Nothing,
    /// One integer: `Gt`, `Lt`.
    Integer,
}

/// All that is wrong with a requirement whose operator is known. Parity: the bound of `Gt` and `Lt` must also be a label
/// value, so a negative one is rejected.
pub(in crate::cluster) fn requirement_flaws(wire: &Expression, takes: Takes) -> Vec<String> {
    let values = &wire.values;
    let of_list = |problem: &str| format!("values: Invalid value: {}: {problem}", list(values));
    let mut flaws: Vec<String> = key_flaw(&wire.key).into_iter().collect();
    match takes {
        Takes::Values if values.is_empty() => {
            flaws.push(of_list("for 'in', 'notin' operators, values set can't be empty"));
        }
        Takes::Nothing if !values.is_empty() => {
            flaws.push(of_list("values set must be empty for exists and does not exist"));
        }
        Takes::Integer => {
            if values.len() != 1 {
                flaws.push(of_list("for 'Gt', 'Lt' operators, exactly one value is required"));
            }
            for (index, value) in values.iter().enumerate().filter(|(_, value)| value.parse::<i64>().is_err()) {
                let problem = "for 'Gt', 'Lt' operators, the value must be an integer";
                flaws.push(format!("values[{index}]: Invalid value: {:?}: {problem}", value.as_str()));
            }
        }
        Takes::Values | Takes::Nothing => {}
    }
    flaws.extend(values.iter().enumerate().filter_map(|(index, value)| value_flaw(&wire.key, value, index)));
    flaws
}

/// All that is wrong with an entry of `matchLabels`.
pub(super) fn pair_flaws(key: &str, value: &str) -> Vec<String> {
    key_flaw(key).into_iter().chain(value_flaw(key, value, 0)).collect()
}

/// Several errors as one text; `None` if there are none. The caller removes duplicates.
#[must_use]
pub(crate) fn aggregate<S: Borrow<str>>(errors: &[S]) -> Option<String> {
    match errors {
        [] => None,
        [one] => Some(one.borrow().to_owned()),
        several => Some(format!("[{}]", several.join(", "))),
    }
}

/// A list of values as JSON. The scheduler does not tell an empty list from none.
pub(in crate::cluster) fn list(values: &[Str]) -> String {
    if values.is_empty() {
        return "null".to_owned();
    }
    let values: Vec<String> = values.iter().map(|v| format!("{:?}", v.as_str())).collect();
    format!("[{}]", values.join(","))
}

fn key_flaw(key: &str) -> Option<String> {
    if is_label_key(key) {
        return None;
    }
    let names = format!(
        "must {NAME_CHARACTERS} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{NAME_FORMAT}')"
    );
    let parts: Vec<&str> = key.split('/').collect();
    let (prefix, name) = match *parts.as_slice() {
        [name] => (None, name),
        [prefix, name] => (Some(prefix), name),
        _ => {
            let optional = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return Some(format!("key: Invalid value: {key:?}: a valid label key {names} {optional}"));
        }
    };
    let mut flaws = Vec::new();
    match prefix {
        Some("") => flaws.push(format!("prefix part {EMPTY}")),
        Some(prefix) => {
            let long = (prefix.len() > 253).then(|| too_long(253));
            let odd = (!is_subdomain(prefix)).then(|| SUBDOMAIN.to_owned());
            flaws.extend(long.into_iter().chain(odd).map(|flaw| format!("prefix part {flaw}")));
        }
        None => {}
    }
    if name.is_empty() {
        flaws.push(format!("name part {EMPTY}"));
    } else if name.len() > 63 {
        flaws.push(format!("name part {}", too_long(63)));
    }
    if !is_name(name, usize::MAX) {
        flaws.push(format!("name part {names}"));
    }
    Some(format!("key: Invalid value: {key:?}: {}", flaws.join("; ")))
}

fn value_flaw(key: &str, value: &str, index: usize) -> Option<String> {
    let long = (value.len() > 63).then(|| too_long(63));
    let odd = (!value.is_empty() && !is_name(value, usize::MAX)).then(|| {
        format!(
            "a valid label must be an empty string or {NAME_CHARACTERS} (e.g. 'MyValue',  or 'my_value',  or '12345', \
             regex used for validation is '({NAME_FORMAT})?')"
        )
    });
    let flaws: Vec<String> = long.into_iter().chain(odd).collect();
    (!flaws.is_empty()).then(|| format!("values[{index}][{key}]: Invalid value: {value:?}: {}", flaws.join("; ")))
}

fn too_long(most: usize) -> String {
    format!("must be no more than {most} bytes")
}
