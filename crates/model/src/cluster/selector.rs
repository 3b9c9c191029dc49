//! Label selectors. Upstream: `apimachinery/pkg/labels/selector.go`,
//! `apimachinery/pkg/apis/meta/v1/helpers.go` (1.37).

pub mod issues;
pub mod text;

use std::sync::Arc;

pub use crate::labels::{
    MAX_NAME, MAX_PREFIX, is_label_key, is_label_value, is_name, is_subdomain,
};
use issues::{Operators, SelectorIssue, SelectorIssues, Takes, pair_issues, requirement_issues};

use super::symbols::{Sym, Symbols};
use crate::snapshot::meta::{Expression, LabelSelector};

/// The labels of an object, ordered by the symbol of the key.
pub type Labels = Box<[(Sym, Sym)]>;

/// The value of `key`.
pub fn label(labels: &[(Sym, Sym)], key: Sym) -> Option<Sym> {
    labels.binary_search_by_key(&key, |(k, _)| *k).ok().and_then(|i| labels.get(i)).map(|(_, v)| *v)
}

/// Operator of a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// Present, and its value is listed.
    In,
    /// Absent, or its value is not listed.
    NotIn,
    /// Present.
    Exists,
    /// Absent.
    DoesNotExist,
}

/// One condition on one label.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Requirement {
    /// The label's key.
    pub key: Sym,
    pub operator: Operator,
    /// The listed values; empty for `Exists` and `DoesNotExist`.
    pub values: Arc<[Sym]>,
}

impl Requirement {
    /// Whether an object with `labels` satisfies it.
    pub fn matches(&self, labels: &[(Sym, Sym)]) -> bool {
        let value = label(labels, self.key);
        match self.operator {
            Operator::In => value.is_some_and(|v| self.values.contains(&v)),
            Operator::NotIn => value.is_none_or(|v| !self.values.contains(&v)),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
        }
    }
}

/// A label selector: all requirements must hold.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Selector {
    /// An absent selector, which matches nothing.
    Nothing,
    /// Requirements; without any (`{}`), everything matches.
    All(Box<[Requirement]>),
}

impl Selector {
    /// Whether an object with `labels` is selected.
    pub fn matches(&self, labels: &[(Sym, Sym)]) -> bool {
        match self {
            Self::Nothing => false,
            Self::All(requirements) => requirements.iter().all(|r| r.matches(labels)),
        }
    }

    /// Whether it is `{}`.
    pub fn is_everything(&self) -> bool {
        matches!(self, Self::All(requirements) if requirements.is_empty())
    }

    /// The selector narrowed by `key in (value)` for each pair; an absent selector stays absent.
    #[must_use]
    pub fn and_labels(&self, pairs: &[(Sym, Sym)]) -> Self {
        match self {
            Self::Nothing => Self::Nothing,
            Self::All(requirements) => Self::All(
                requirements
                    .iter()
                    .cloned()
                    .chain(pairs.iter().map(|(key, value)| Requirement {
                        key: *key,
                        operator: Operator::In,
                        values: Arc::from([*value]),
                    }))
                    .collect(),
            ),
        }
    }

    /// The selector narrowed by all requirements of `other`; an absent one adds none.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Nothing, _) => Self::Nothing,
            (Self::All(_), Self::Nothing) => self.clone(),
            (Self::All(own), Self::All(more)) => {
                Self::All(own.iter().chain(more).cloned().collect())
            }
        }
    }

    /// Reads a selector of the API; `None` is [`Selector::Nothing`].
    ///
    /// # Errors
    /// The problem.
    pub fn read(
        wire: Option<&LabelSelector>,
        symbols: &mut Symbols,
    ) -> Result<Self, SelectorIssues> {
        let Some(wire) = wire else { return Ok(Self::Nothing) };
        let mut requirements = Vec::new();
        for (key, value) in wire.match_labels.iter() {
            let issues = pair_issues(key, value);
            if !issues.is_empty() {
                return Err(SelectorIssues(issues.into()));
            }
            let values = Arc::from([symbols.intern(value)]);
            requirements.push(Requirement {
                key: symbols.intern_label_key(key),
                operator: Operator::In,
                values,
            });
        }
        for expression in &wire.match_expressions {
            requirements.push(
                read_requirement(expression, symbols)
                    .map_err(|issues| SelectorIssues(issues.into()))?,
            );
        }
        Ok(Self::All(requirements.into_boxed_slice()))
    }
}

/// Reads one expression of a label selector.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read_requirement(
    wire: &Expression,
    symbols: &mut Symbols,
) -> Result<Requirement, Vec<SelectorIssue>> {
    let (operator, takes) = match wire.operator.as_str() {
        "In" => (Operator::In, Takes::Values),
        "NotIn" => (Operator::NotIn, Takes::Values),
        "Exists" => (Operator::Exists, Takes::Nothing),
        "DoesNotExist" => (Operator::DoesNotExist, Takes::Nothing),
        other => return Err(vec![SelectorIssue::operator(other, Operators::Labels)]),
    };
    let issues = requirement_issues(wire, takes);
    if !issues.is_empty() {
        return Err(issues);
    }
    let values = wire.values.iter().map(|v| symbols.intern(v)).collect();
    Ok(Requirement { key: symbols.intern_label_key(&wire.key), operator, values })
}

#[cfg(test)]
mod tests;
