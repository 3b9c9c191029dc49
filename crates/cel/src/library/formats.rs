//! Named formats, such as `dns1123Label`, that validate strings.
//!
//! Upstream: `apiserver/pkg/cel/library/format.go`, `apimachinery/pkg/util/validation`,
//! `kube-openapi/pkg/validation/strfmt`.

use super::declare::{Overload, global, member};
use crate::release::Release;
use crate::values::{EvalResult, NamedFormat, Value, check_request_uri, fail, parse_time};

/// The formats, and the functions that return them.
macro_rules! formats {
    ($($key:literal, $name:literal, $pattern:literal, $check:expr;)*) => {
        static FORMATS: &[NamedFormat] =
            &[$(NamedFormat { name: $name, key: $key, pattern: $pattern, check: $check }),*];
        pub(super) const BY_NAME: &[Overload] = &[$(
            global(
                concat!("format.", $key), concat!("format.", $key), "-> format",
                |_, _| Ok(by_key($key).map_or_else(Value::no_overload, Value::Format)),
            ),
        )*];
    };
}

pub(super) const OVERLOADS: &[Overload] = &[
    member("validate", "format-validate", "format, string -> optional(list(string))", validate),
    global("format.named", "format-named", "string -> optional(format)", named),
];

formats! {
    "dns1123Label", "DNS1123Label", 30, |_, t| label(t);
    "dns1123Subdomain", "DNS1123Subdomain", 60, |_, t| subdomain(t, CHARACTERS);
    "dns1035Label", "DNS1035Label", 30, |_, t| label_1035(t);
    "qualifiedName", "QualifiedName", 60, qualified_name;
    "dns1123LabelPrefix", "DNS1123LabelPrefix", 30, |_, t| label(&masked(t));
    "dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, |_, t| subdomain(&masked(t), CHARACTERS);
    "dns1035LabelPrefix", "DNS1035LabelPrefix", 30, |_, t| label_1035(&masked(t));
    "labelValue", "LabelValue", 40, label_value;
    "uri", "URI", 1103, |_, t| check_request_uri(t).err().into_iter().collect();
    "uuid", "uuid", 70, |_, t| unless(is_uuid(t), "does not match the UUID format");
    "byte", "byte", 84, |_, t| unless(is_base64(t), "invalid base64");
    "date", "date", 71, |_, t| unless(is_date(t), "invalid date");
    "datetime", "datetime", 71, |_, t| unless(is_datetime(t), "invalid datetime");
}

fn by_key(key: &str) -> Option<&'static NamedFormat> {
    FORMATS.iter().find(|format| format.key == key)
}

#[expect(clippy::unnecessary_wraps, reason = "one of several")]
fn named(_: &Release, args: &[Value]) -> EvalResult {
    let format = by_key(args.first().and_then(Value::as_text).unwrap_or_default());
    Ok(format.map_or(Value::Optional(None), |format| Value::some(Value::Format(format))))
}

fn validate(release: &Release, args: &[Value]) -> EvalResult {
    let [Value::Format(format), Value::Text(text)] = args else { return fail("no such overload") };
    let wrong = (format.check)(release, text);
    if wrong.is_empty() {
        return Ok(Value::Optional(None));
    }
    Ok(Value::some(Value::list(wrong.iter().map(|text| Value::text(text)).collect())))
}

fn unless(valid: bool, text: &str) -> Vec<String> {
    if valid { Vec::new() } else { vec![text.into()] }
}

/// Upstream's word for a byte in messages that have not been corrected.
const CHARACTERS: &str = "characters";

/// Upstream's word for a byte in messages about label keys and values.
fn of_labels(release: &Release) -> &'static str {
    if release.labels_have_bytes { "bytes" } else { CHARACTERS }
}

fn too_long(text: &str, most: usize, units: &str) -> Option<String> {
    (text.len() > most).then(|| format!("must be no more than {most} {units}"))
}

fn mismatch(message: &str, pattern: &str, examples: &[&str]) -> String {
    let mut text = format!("{message} (");
    for (index, example) in examples.iter().enumerate() {
        text.push_str(if index == 0 { "e.g. " } else { " or " });
        text.push_str(&format!("'{example}', "));
    }
    format!("{text}regex used for validation is '{pattern}')")
}

fn lower_or_digit(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit()
}

fn is_label(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| lower_or_digit(c) || c == '-')
        && !text.starts_with('-')
        && !text.ends_with('-')
}

fn label(text: &str) -> Vec<String> {
    let mut wrong: Vec<String> = too_long(text, 63, CHARACTERS).into_iter().collect();
    if !is_label(text) {
        if text.split('.').all(is_label) {
            wrong.push("must not contain dots".into());
        } else {
            wrong.push(mismatch(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end \
                 with an alphanumeric character",
                "[a-z0-9]([-a-z0-9]*[a-z0-9])?",
                &["my-name", "123-abc"],
            ));
        }
    }
    wrong
}

fn subdomain(text: &str, units: &str) -> Vec<String> {
    let mut wrong: Vec<String> = too_long(text, 253, units).into_iter().collect();
    if !text.split('.').all(is_label) {
        wrong.push(mismatch(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and \
             end with an alphanumeric character",
            "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
            &["example.com"],
        ));
    }
    wrong
}

fn label_1035(text: &str) -> Vec<String> {
    let mut wrong: Vec<String> = too_long(text, 63, CHARACTERS).into_iter().collect();
    if !(is_label(text) && text.starts_with(|c: char| c.is_ascii_lowercase())) {
        wrong.push(mismatch(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, \
             and end with an alphanumeric character",
            "[a-z]([-a-z0-9]*[a-z0-9])?",
            &["my-name", "abc-123"],
        ));
    }
    wrong
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn qualified_name(release: &Release, text: &str) -> Vec<String> {
    const NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
                        character";
    const PATTERN: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
    const EXAMPLES: &[&str] = &["MyName", "my.name", "123-abc"];
    let mut wrong = Vec::new();

    // A prefix is a subdomain; more than one slash is a mistake of its own.
    let parts: Vec<&str> = text.split('/').collect();
    let name = match parts.as_slice() {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                wrong.push("prefix part must be non-empty".into());
            } else {
                wrong.extend(
                    subdomain(prefix, of_labels(release))
                        .into_iter()
                        .map(|e| format!("prefix part {e}")),
                );
            }
            name
        }
        _ => {
            let what =
                if release.labels_have_bytes { "a valid label key" } else { "a qualified name" };
            let text = mismatch(&format!("{what} {NAME}"), PATTERN, EXAMPLES);
            return vec![format!(
                "{text} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".into());
    } else if let Some(long) = too_long(name, 63, of_labels(release)) {
        wrong.push(format!("name part {long}"));
    }
    if !is_name(name) {
        wrong.push(format!("name part {}", mismatch(NAME, PATTERN, EXAMPLES)));
    }
    wrong
}

fn label_value(release: &Release, text: &str) -> Vec<String> {
    let mut wrong: Vec<String> = too_long(text, 63, of_labels(release)).into_iter().collect();
    if !text.is_empty() && !is_name(text) {
        wrong.push(mismatch(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and \
             end with an alphanumeric character",
            "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
            &["MyValue", "my_value", "12345"],
        ));
    }
    wrong
}

/// The name prefix as a name to validate: a letter replaces its trailing dash.
fn masked(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(rest) if text.len() > 1 => format!("{rest}a"),
        _ => text.into(),
    }
}

fn is_uuid(text: &str) -> bool {
    let bare: Vec<char> = text.chars().collect();
    let mut at = 0;
    for (index, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 && bare.get(at) == Some(&'-') {
            at += 1;
        }
        if !bare.get(at..at + length).is_some_and(|part| part.iter().all(char::is_ascii_hexdigit)) {
            return false;
        }
        at += length;
    }
    at == bare.len()
}

fn is_base64(text: &str) -> bool {
    let bare = text.trim_end_matches('=');
    let padding = text.len() - bare.len();
    text.len().is_multiple_of(4)
        && padding <= 2
        && !text.is_empty()
        && bare.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'))
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && parse_time(&format!("{text}T00:00:00Z")).is_some()
}

fn is_datetime(text: &str) -> bool {
    parse_time(text).is_some()
}
