//! Problems with a requirement on labels or fields, as values: every scheduler words them
//! differently (`framework/selector_error.rs`).
//!
//! Upstream: `apimachinery/pkg/labels/selector.go` `NewRequirement`,
//! `apimachinery/pkg/api/validate/content/kube.go` (1.37).

use std::fmt;

use super::{is_label_key, is_label_value};
use crate::snapshot::Str;
use crate::snapshot::meta::Expression;

/// A problem with a requirement. `Display` uses this program's own words, for notes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SelectorIssue {
    /// An invalid label key.
    Key(Box<str>),
    /// An invalid label value.
    Value {
        /// The key of the requirement.
        key: Box<str>,
        /// Position among the values.
        index: usize,
        value: Box<str>,
    },
    /// A bound that is not a 64-bit integer.
    Bound {
        /// Position among the values.
        index: usize,
        value: Box<str>,
    },
    /// The wrong number of values for the operator.
    Count {
        /// How many it takes.
        takes: Takes,
        values: Box<[Box<str>]>,
    },
    /// A requirement on a field that does not have exactly one value.
    FieldCount { operator: Box<str>, values: Box<[Box<str>]> },
    /// An unknown operator.
    Operator {
        operator: Box<str>,
        /// Where it was used.
        of: Operators,
    },
}

/// The values that an operator takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Takes {
    /// At least one: `In`, `NotIn`.
    Values,
    /// None: `Exists`, `DoesNotExist`.
    Nothing,
    /// One integer: `Gt`, `Lt`.
    Integer,
}

/// Where an operator is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operators {
    /// A label selector.
    Labels,
    /// Expressions of a node selector.
    NodeLabels,
    /// Fields of a node selector.
    NodeFields,
}

/// The problems with a label selector: all problems of its first invalid requirement.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SelectorIssues(pub Box<[SelectorIssue]>);

impl SelectorIssue {
    /// An unknown operator.
    pub(in crate::cluster) fn operator(operator: &str, of: Operators) -> Self {
        Self::Operator { operator: operator.into(), of }
    }

    /// A requirement on a field that does not have exactly one value.
    pub(in crate::cluster) fn field_count(wire: &Expression) -> Self {
        Self::FieldCount { operator: wire.operator.as_str().into(), values: texts(&wire.values) }
    }
}

impl fmt::Display for SelectorIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => write!(f, "`{key}` is not a label key"),
            Self::Value { value, .. } => write!(f, "`{value}` is not a label value"),
            Self::Bound { value, .. } => write!(f, "`{value}` is not an integer"),
            Self::Count { takes: Takes::Values, .. } => {
                write!(f, "an operator that needs values has none")
            }
            Self::Count { takes: Takes::Nothing, .. } => {
                write!(f, "an operator that takes no values has some")
            }
            Self::Count { takes: Takes::Integer, .. } | Self::FieldCount { .. } => {
                write!(f, "an operator that takes one value has none or several")
            }
            Self::Operator { operator, .. } => write!(f, "there is no operator `{operator}`"),
        }
    }
}

impl fmt::Display for SelectorIssues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, issue) in self.0.iter().enumerate() {
            write!(f, "{}{issue}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// All problems with a requirement whose operator is known. Parity: the bound of `Gt` and `Lt` must
/// also be a label value, so a negative one is rejected.
pub(in crate::cluster) fn requirement_issues(
    wire: &Expression,
    takes: Takes,
) -> Vec<SelectorIssue> {
    let values = &wire.values;
    let mut issues: Vec<SelectorIssue> = key_issue(&wire.key).into_iter().collect();
    let counts = match takes {
        Takes::Values => !values.is_empty(),
        Takes::Nothing => values.is_empty(),
        Takes::Integer => values.len() == 1,
    };
    if !counts {
        issues.push(SelectorIssue::Count { takes, values: texts(values) });
    }
    if takes == Takes::Integer {
        let odd = values.iter().enumerate().filter(|(_, value)| value.parse::<i64>().is_err());
        issues.extend(
            odd.map(|(index, value)| SelectorIssue::Bound { index, value: value.as_str().into() }),
        );
    }
    issues.extend(
        values.iter().enumerate().filter_map(|(index, value)| value_issue(&wire.key, index, value)),
    );
    issues
}

/// All problems with an entry of `matchLabels`.
pub(super) fn pair_issues(key: &str, value: &str) -> Vec<SelectorIssue> {
    key_issue(key).into_iter().chain(value_issue(key, 0, value)).collect()
}

fn key_issue(key: &str) -> Option<SelectorIssue> {
    (!is_label_key(key)).then(|| SelectorIssue::Key(key.into()))
}

fn value_issue(key: &str, index: usize, value: &str) -> Option<SelectorIssue> {
    (!is_label_value(value)).then(|| SelectorIssue::Value {
        key: key.into(),
        index,
        value: value.into(),
    })
}

fn texts(values: &[Str]) -> Box<[Box<str>]> {
    values.iter().map(|value| value.as_str().into()).collect()
}
