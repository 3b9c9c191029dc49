use serde_json::{Value, json};

use super::{Selector, is_label_key, is_label_value};
use crate::cluster::symbols::{Sym, Symbols};
use crate::snapshot::meta::LabelSelector;

fn read(wire: &Value, symbols: &mut Symbols) -> Result<Selector, String> {
    let text = wire.to_string();
    let wire: Option<LabelSelector> = serde_json::from_str(&text).expect("a selector");
    Selector::read(wire.as_ref(), symbols)
}

fn labels(pairs: &[(&str, &str)], symbols: &mut Symbols) -> Vec<(Sym, Sym)> {
    let mut labels: Vec<_> = pairs.iter().map(|(k, v)| (symbols.intern(k), symbols.intern(v))).collect();
    labels.sort_unstable();
    labels
}

fn matches(wire: &Value, pairs: &[(&str, &str)]) -> bool {
    let mut symbols = Symbols::default();
    let labels = labels(pairs, &mut symbols);
    read(wire, &mut symbols).expect("a selector that can be parsed").matches(&labels)
}

fn expression(key: &str, operator: &str, values: &[&str]) -> Value {
    json!({"matchExpressions": [{"key": key, "operator": operator, "values": values}]})
}

#[test]
fn requirements() {
    let web: &[(&str, &str)] = &[("app", "web"), ("tier", "")];
    for (selector, want) in [
        (Value::Null, false),
        (json!({}), true),
        (json!({"matchLabels": {"app": "web"}}), true),
        (json!({"matchLabels": {"app": "db"}}), false),
        (json!({"matchLabels": {"app": "web", "gone": "x"}}), false),
        (json!({"matchLabels": {"tier": ""}}), true),
        (json!({"matchLabels": {"gone": ""}}), false),
        (expression("app", "In", &["db", "web"]), true),
        (expression("app", "In", &["db"]), false),
        (expression("gone", "In", &["db"]), false),
        (expression("app", "NotIn", &["db"]), true),
        (expression("app", "NotIn", &["db", "web"]), false),
        (expression("gone", "NotIn", &["db"]), true),
        (expression("app", "Exists", &[]), true),
        (expression("gone", "Exists", &[]), false),
        (expression("gone", "DoesNotExist", &[]), true),
        (expression("app", "DoesNotExist", &[]), false),
        (
            json!({"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}),
            false,
        ),
    ] {
        assert_eq!(matches(&selector, web), want, "{selector}");
    }
}

#[test]
fn no_labels_match_what_asks_for_none() {
    for (selector, want) in [
        (json!({}), true),
        (Value::Null, false),
        (expression("app", "NotIn", &["x"]), true),
        (expression("app", "DoesNotExist", &[]), true),
        (expression("app", "Exists", &[]), false),
    ] {
        assert_eq!(matches(&selector, &[]), want, "{selector}");
    }
}

#[test]
fn selectors_that_cannot_be_parsed() {
    for (selector, part) in [
        (expression("app", "Like", &["x"]), "\"Like\" is not a valid label selector operator"),
        (expression("app", "In", &[]), "values set can't be empty"),
        (expression("app", "NotIn", &[]), "values set can't be empty"),
        (expression("app", "Exists", &["x"]), "must be empty for exists"),
        (expression("-app", "Exists", &[]), "-app"),
        (expression("app", "In", &["a b"]), "a b"),
        (json!({"matchLabels": {"a/b/c": "x"}}), "a/b/c"),
    ] {
        let error = read(&selector, &mut Symbols::default()).expect_err(part);
        assert!(error.contains(part), "{selector}: {error}");
    }
}

#[test]
fn everything_that_is_wrong_is_said() {
    let name = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
                character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    let value = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start \
                 and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
                 validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
    let subdomain = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
                     start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
                     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    let long = "x".repeat(64);
    for (selector, want) in [
        (
            expression("a", "In", &[]),
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty".to_owned(),
        ),
        (
            expression("a", "Exists", &["x", "-"]),
            format!(
                "[values: Invalid value: [\"x\",\"-\"]: values set must be empty for exists and does not exist, \
                 values[1][a]: Invalid value: \"-\": {value}]"
            ),
        ),
        (
            expression("-", "In", &[&long]),
            format!(
                "[key: Invalid value: \"-\": name part {name}, values[0][-]: Invalid value: \"{long}\": must be no more \
                 than 63 bytes]"
            ),
        ),
        (
            expression("a/b/c", "Exists", &[]),
            format!(
                "key: Invalid value: \"a/b/c\": a valid label key {name} with an optional DNS subdomain prefix and '/' \
                 (e.g. 'example.com/MyName')"
            ),
        ),
        (
            json!({"matchLabels": {"A/": "-"}}),
            format!(
                "[key: Invalid value: \"A/\": prefix part {subdomain}; name part must be non-empty; name part {name}, \
                 values[0][A/]: Invalid value: \"-\": {value}]"
            ),
        ),
    ] {
        assert_eq!(read(&selector, &mut Symbols::default()).expect_err("an error"), want, "{selector}");
    }
}

#[test]
fn narrowing_by_labels() {
    let mut symbols = Symbols::default();
    let pair = labels(&[("rev", "1")], &mut symbols);
    let web = labels(&[("app", "web"), ("rev", "1")], &mut symbols);
    let old = labels(&[("app", "web"), ("rev", "0")], &mut symbols);
    let selector = read(&json!({"matchLabels": {"app": "web"}}), &mut symbols).expect("a selector");
    let narrowed = selector.and_labels(&pair);
    assert_eq!((narrowed.matches(&web), narrowed.matches(&old)), (true, false));
    assert_eq!(Selector::Nothing.and_labels(&pair), Selector::Nothing, "an absent selector stays absent");
    assert!(!read(&json!({}), &mut symbols).expect("a selector").and_labels(&pair).is_everything());
}

#[test]
fn keys_and_values_of_labels() {
    let long = "a".repeat(63);
    for key in ["a", "A-b_c.d", "example.com/x", "1", &long, &format!("x.y/{long}")] {
        assert!(is_label_key(key), "{key}");
    }
    for key in ["", "/", "a/", "/a", "-a", "a-", "a b", "a/b/c", "Example.com/x", "a..b/x", &format!("{long}a"), "ä"] {
        assert!(!is_label_key(key), "{key}");
    }
    for value in ["", "a", "1.2_3-x", &long] {
        assert!(is_label_value(value), "{value}");
    }
    for value in ["-a", "a.", "a b", "a/b", &format!("{long}a")] {
        assert!(!is_label_value(value), "{value}");
    }
}
