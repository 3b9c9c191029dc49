//! The scheduler's errors about label selectors and node affinity terms that it cannot parse.
//!
//! Upstream: `apimachinery/pkg/labels/selector.go`, `apimachinery/pkg/apis/meta/v1/helpers.go`,
//! `apimachinery/pkg/util/validation/field/errors.go`,
//! `apimachinery/pkg/api/validate/content/{kube,dns,errors}.go`,
//! `component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go` (1.37; 1.12 to 1.36 where
//! they differ).

use std::collections::BTreeSet;

use super::message::aggregate;
use super::plugin::Cycle;
use super::reason::quoted;
use model::cluster::node_selector::{NodeTerm, NodeTermIssue};
use model::cluster::selector::issues::{Operators, SelectorIssue, SelectorIssues, Takes};
use model::cluster::selector::{MAX_NAME, MAX_PREFIX, is_name, is_subdomain};
use model::cluster::template::Weighted;
use profile::Features;
use profile::history::{RequirementErrors, SelectorErrors};

const NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
                    character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
                     start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used \
                     for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const SUBDOMAIN: &str = "subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end \
                         with an alphanumeric character (e.g. 'example.com', regex used for validation is \
                         '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// The error about a label selector.
pub fn selector_error(issues: &SelectorIssues, features: &Features) -> String {
    let words = Words(features);
    if !words.with_fields() {
        return issues.0.first().map(|issue| words.plain(issue)).unwrap_or_default();
    }
    let errors: Vec<String> = issues.0.iter().map(|issue| words.in_field("", issue)).collect();
    aggregate(&errors).unwrap_or_default()
}

/// The error about preferred node affinity terms; `None` if all that have a weight can be parsed.
pub fn preferred_terms_error(terms: &[Weighted<NodeTerm>], features: &Features) -> Option<String> {
    let weighed = terms.iter().enumerate().filter(|(_, t)| t.weight != 0);
    let issues = weighed.filter_map(|(index, t)| Some((index, &**t.term.parsed.as_ref().err()?)));
    let words = Words(features);
    if words.with_fields() {
        return words.of_terms("", issues);
    }
    // Versions that do not read fields cannot find them invalid.
    let mut errors = issues.filter_map(|(_, issues)| {
        Some(
            words.plain(
                &issues
                    .iter()
                    .find(|issue| features.node_affinity.preferred_node_fields || !issue.is_field)?
                    .issue,
            ),
        )
    });
    if features.node_affinity.node_term_errors_of_all {
        aggregate(&distinct(errors))
    } else {
        errors.next()
    }
}

/// The error about the node selector of a claim; `None` if it can be parsed.
pub fn node_selector_error(terms: &[NodeTerm], features: &Features) -> Option<String> {
    let issues = terms
        .iter()
        .enumerate()
        .filter_map(|(index, t)| Some((index, &**t.parsed.as_ref().err()?)));
    Words(features).of_terms("nodeSelectorTerms", issues)
}

/// Removes duplicate errors, keeping the order.
fn distinct(errors: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    errors.filter(|error| seen.insert(error.clone())).collect()
}

/// The wording of one release.
struct Words<'f>(&'f Features);

impl Words<'_> {
    const fn rows(&self) -> &SelectorErrors {
        &self.0.selector_errors
    }

    fn with_fields(&self) -> bool {
        self.rows().requirement_errors == RequirementErrors::WithFields
    }

    /// The errors of all terms under the field `root`, with the positions of the terms.
    fn of_terms<'t>(
        &self,
        root: &str,
        terms: impl Iterator<Item = (usize, &'t [NodeTermIssue])>,
    ) -> Option<String> {
        aggregate(&distinct(terms.flat_map(|(term, issues)| {
            issues.iter().map(move |NodeTermIssue { is_field, index, issue }| {
                let list = if *is_field { "matchFields" } else { "matchExpressions" };
                self.in_field(&format!("{root}[{term}].{list}[{index}]."), issue)
            })
        })))
    }

    /// An error with its field, which is under `path`.
    fn in_field(&self, path: &str, issue: &SelectorIssue) -> String {
        let problem = self.problem(issue);
        match issue {
            SelectorIssue::Key(key) => {
                format!("{path}key: Invalid value: \"{}\": {problem}", quoted(key))
            }
            SelectorIssue::Value { key, index, value } => {
                format!(
                    "{path}values[{index}][{key}]: Invalid value: \"{}\": {problem}",
                    quoted(value)
                )
            }
            SelectorIssue::Bound { index, value } => {
                format!("{path}values[{index}]: Invalid value: \"{}\": {problem}", quoted(value))
            }
            SelectorIssue::Count { values, .. } | SelectorIssue::FieldCount { values, .. } => {
                format!("{path}values: Invalid value: {}: {problem}", self.list(values))
            }
            SelectorIssue::Operator { of: Operators::Labels, .. } => problem,
            SelectorIssue::Operator { operator, of } => {
                let operator =
                    if self.rows().values_as_json { json(&**operator) } else { go_text(operator) };
                let supported = match of {
                    Operators::NodeFields => r#": supported values: "In", "NotIn""#,
                    _ if !self.0.node_affinity.node_operators_listed => "",
                    _ => {
                        r#": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt""#
                    }
                };
                format!("{path}operator: Unsupported value: {operator}{supported}")
            }
        }
    }

    /// An error without its field.
    fn plain(&self, issue: &SelectorIssue) -> String {
        let problem = self.problem(issue);
        match issue {
            SelectorIssue::Key(key) => format!("invalid label key \"{}\": {problem}", quoted(key)),
            SelectorIssue::Value { key, value, .. } => {
                let value = quoted(value);
                let at = match self.rows().requirement_errors {
                    RequirementErrors::Plain => String::new(),
                    _ => format!("at key: \"{}\": ", quoted(key)),
                };
                format!("invalid label value: \"{value}\": {at}{problem}")
            }
            SelectorIssue::FieldCount { operator, values } => {
                let count = values.len();
                format!(
                    "unexpected number of value ({count}) for node field selector operator \"{}\"",
                    quoted(operator)
                )
            }
            SelectorIssue::Bound { .. }
            | SelectorIssue::Count { .. }
            | SelectorIssue::Operator { .. } => problem,
        }
    }

    /// The problem without the offending value.
    fn problem(&self, issue: &SelectorIssue) -> String {
        match issue {
            SelectorIssue::Key(key) => self.of_key(key),
            SelectorIssue::Value { value, .. } => {
                let odd =
                    (!value.is_empty() && !is_name(value, usize::MAX)).then(|| VALUE.to_owned());
                self.too_long(value, MAX_NAME).into_iter().chain(odd).collect::<Vec<_>>().join("; ")
            }
            SelectorIssue::Bound { .. } => {
                "for 'Gt', 'Lt' operators, the value must be an integer".to_owned()
            }
            SelectorIssue::Count { takes, .. } => match takes {
                Takes::Values => {
                    "for 'in', 'notin' operators, values set can't be empty".to_owned()
                }
                Takes::Nothing => {
                    "values set must be empty for exists and does not exist".to_owned()
                }
                Takes::Integer => {
                    "for 'Gt', 'Lt' operators, exactly one value is required".to_owned()
                }
            },
            SelectorIssue::FieldCount { .. } => "must have one element".to_owned(),
            SelectorIssue::Operator { operator, of } => {
                let whose = match of {
                    Operators::Labels if self.rows().label_operators => "label selector",
                    Operators::Labels => "pod selector",
                    Operators::NodeLabels => "node selector",
                    Operators::NodeFields => "node field selector",
                };
                format!("\"{}\" is not a valid {whose} operator", quoted(operator))
            }
        }
    }

    fn of_key(&self, key: &str) -> String {
        let parts: Vec<&str> = key.split('/').collect();
        let (prefix, name) = match *parts.as_slice() {
            [name] => (None, name),
            [prefix, name] => (Some(prefix), name),
            _ => {
                let what = if self.rows().lengths_in_bytes {
                    "a valid label key"
                } else {
                    "a qualified name"
                };
                let optional =
                    "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
                return format!("{what} {NAME} {optional}");
            }
        };
        let mut issues = Vec::new();
        match prefix {
            Some("") => issues.push("prefix part must be non-empty".to_owned()),
            Some(prefix) => {
                issues.extend(
                    self.too_long(prefix, MAX_PREFIX).map(|issue| format!("prefix part {issue}")),
                );
                if !is_subdomain(prefix, usize::MAX) {
                    let what = if self.rows().subdomains_lowercase {
                        "lowercase RFC 1123"
                    } else {
                        "DNS-1123"
                    };
                    issues.push(format!("prefix part a {what} {SUBDOMAIN}"));
                }
            }
            None => {}
        }
        if name.is_empty() {
            issues.push("name part must be non-empty".to_owned());
        }
        issues.extend(self.too_long(name, MAX_NAME).map(|issue| format!("name part {issue}")));
        if !is_name(name, usize::MAX) {
            issues.push(format!("name part {NAME}"));
        }
        issues.join("; ")
    }

    /// Parity: older schedulers say "characters" but also count bytes.
    fn too_long(&self, text: &str, most: usize) -> Option<String> {
        let unit = if self.rows().lengths_in_bytes { "bytes" } else { "characters" };
        (text.len() > most).then(|| format!("must be no more than {most} {unit}"))
    }

    /// A list of values. The scheduler does not distinguish an empty list from none.
    fn list(&self, values: &[Box<str>]) -> String {
        match (self.rows().values_as_json, values) {
            (true, []) => "null".to_owned(),
            (true, values) => json(values),
            (false, []) => "[]string(nil)".to_owned(),
            (false, values) => {
                let values: Vec<String> = values.iter().map(|value| go_text(value)).collect();
                format!("[]string{{{}}}", values.join(", "))
            }
        }
    }
}

/// A text in Go's syntax.
fn go_text(text: &str) -> String {
    format!("\"{}\"", quoted(text))
}

/// A value as Go's `encoding/json` writes it, which escapes characters special to HTML and
/// JavaScript.
fn json<T: serde::Serialize + ?Sized>(value: &T) -> String {
    let escapes = [
        ('<', "\\u003c"),
        ('>', "\\u003e"),
        ('&', "\\u0026"),
        ('\u{2028}', "\\u2028"),
        ('\u{2029}', "\\u2029"),
    ];
    let text = serde_json::to_string(value).unwrap_or_default();
    escapes.into_iter().fold(text, |text, (c, escape)| text.replace(c, escape))
}

/// What cannot be parsed of the pod's own terms.
pub(crate) fn unparsed_terms(cycle: &Cycle) -> Option<String> {
    let template = cycle.template;
    let errors: Vec<String> = [
        ("requiredAffinityTerms", template.affinity.as_ref().err()),
        ("requiredAntiAffinityTerms", template.anti_affinity.as_ref().err()),
        ("preferredAffinityTerms", template.preferred_affinity.as_ref().err()),
        ("preferredAntiAffinityTerms", template.preferred_anti_affinity.as_ref().err()),
    ]
    .into_iter()
    .filter_map(|(list, error)| {
        Some(format!("{list}: {}", selector_error(error?, cycle.features())))
    })
    .collect();
    aggregate(&errors)
}
