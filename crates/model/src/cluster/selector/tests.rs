use serde_json::{Value, json};

use super::issues::{Operators, SelectorIssue, SelectorIssues, Takes};
use super::{Selector, is_label_key, is_label_value};
use crate::cluster::symbols::{Sym, Symbols};
use crate::snapshot::meta::LabelSelector;

fn read(wire: &Value, symbols: &mut Symbols) -> Result<Selector, SelectorIssues> {
    let text = wire.to_string();
    let wire: Option<LabelSelector> = serde_json::from_str(&text).expect("a selector");
    Selector::read(wire.as_ref(), symbols)
}

fn labels(pairs: &[(&str, &str)], symbols: &mut Symbols) -> Vec<(Sym, Sym)> {
    let mut labels: Vec<_> =
        pairs.iter().map(|(k, v)| (symbols.intern(k), symbols.intern(v))).collect();
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
fn selector_matches_labels_that_meet_every_requirement() {
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
fn empty_labels_match_negative_requirements() {
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
    let count = |takes: Takes, values: &[&str]| SelectorIssue::Count {
        takes,
        values: values.iter().map(|v| (*v).into()).collect(),
    };
    let value = |key: &str, index, value: &str| SelectorIssue::Value {
        key: key.into(),
        index,
        value: value.into(),
    };
    let key = |key: &str| SelectorIssue::Key(key.into());
    let like = || SelectorIssue::Operator { operator: "Like".into(), of: Operators::Labels };
    for (selector, want, words) in [
        (expression("-app", "Like", &["a b"]), vec![like()], "there is no operator `Like`"),
        (
            expression("app", "In", &[]),
            vec![count(Takes::Values, &[])],
            "an operator that needs values has none",
        ),
        (
            expression("app", "NotIn", &[]),
            vec![count(Takes::Values, &[])],
            "an operator that needs values has none",
        ),
        (
            expression("-", "Exists", &["x", "-"]),
            vec![key("-"), count(Takes::Nothing, &["x", "-"]), value("-", 1, "-")],
            "`-` is not a label key, an operator that takes no values has some, `-` is not a label value",
        ),
        (
            expression("app", "In", &["-", "a", "a b"]),
            vec![value("app", 0, "-"), value("app", 2, "a b")],
            "`-` is not a label value, `a b` is not a label value",
        ),
        (
            json!({"matchLabels": {"a/b/c": "."}, "matchExpressions": [{"key": "app", "operator": "Like"}]}),
            vec![key("a/b/c"), value("a/b/c", 0, ".")],
            "`a/b/c` is not a label key, `.` is not a label value",
        ),
        (
            json!({"matchExpressions": [{"key": "-", "operator": "Exists"}, {"key": "app", "operator": "Like"}]}),
            vec![key("-")],
            "`-` is not a label key",
        ),
    ] {
        let issues = read(&selector, &mut Symbols::default()).expect_err(words);
        assert_eq!((&*issues.0, &*issues.to_string()), (&*want, words), "{selector}");
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
    assert_eq!(
        Selector::Nothing.and_labels(&pair),
        Selector::Nothing,
        "an absent selector stays absent"
    );
    assert!(!read(&json!({}), &mut symbols).expect("a selector").and_labels(&pair).is_everything());
}

#[test]
fn keys_and_values_of_labels() {
    let long = "a".repeat(63);
    let prefix = "a".repeat(253);
    for key in [
        "a",
        "A-b_c.d",
        "example.com/x",
        "1",
        &long,
        &format!("x.y/{long}"),
        &format!("{prefix}/x"),
    ] {
        assert!(is_label_key(key), "{key}");
    }
    assert!(!is_label_key(&format!("{prefix}a/x")), "a prefix that is too long");
    for key in [
        "",
        "/",
        "a/",
        "/a",
        "-a",
        "a-",
        "a b",
        "a/b/c",
        "Example.com/x",
        "a..b/x",
        &format!("{long}a"),
        "ä",
    ] {
        assert!(!is_label_key(key), "{key}");
    }
    for value in ["", "a", "1.2_3-x", &long] {
        assert!(is_label_value(value), "{value}");
    }
    for value in ["-a", "a.", "a b", "a/b", &format!("{long}a")] {
        assert!(!is_label_value(value), "{value}");
    }
}
