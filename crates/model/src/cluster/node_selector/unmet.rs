//! What a node selector requires and a node does not have: the operands of a rejection.

use super::{FieldRequirement, NodeFacts, NodeRequirement, NodeTerm};
use crate::cluster::Cluster;
use crate::cluster::selector::{Operator, Requirement, label};
use crate::cluster::symbols::{Sym, Symbols};

/// The only field of a node that a term may use.
const NAME: &str = "metadata.name";

/// A requirement that a node does not meet, and what the node has instead.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Unmet {
    /// A condition on a label.
    Label {
        /// The condition.
        requirement: NodeRequirement,
        /// The node's value of the label; `None` without the label.
        found: Option<Sym>,
    },
    /// A condition on a field.
    Field {
        /// The condition.
        requirement: FieldRequirement,
        /// The node's value of the field.
        found: Sym,
    },
}

/// How a condition compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionComparison {
    /// One of the values.
    In,
    /// None of the values.
    NotIn,
    /// Any value.
    Exists,
    /// No value.
    DoesNotExist,
    /// A larger number.
    Gt,
    /// A smaller number.
    Lt,
}

impl ConditionComparison {
    /// The operator as the API writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::In => "In",
            Self::NotIn => "NotIn",
            Self::Exists => "Exists",
            Self::DoesNotExist => "DoesNotExist",
            Self::Gt => "Gt",
            Self::Lt => "Lt",
        }
    }
}

/// The part of a node that a term reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermPart {
    /// Labels and fields.
    All,
    /// Only labels, as for volumes.
    Labels,
}

/// What the node lacks for the term closest to selecting it: the one with the fewest unmet
/// requirements, the first on a tie. Empty if no term can select any node, because each is empty or
/// invalid.
pub fn of_closest_term(
    terms: &[NodeTerm],
    node: NodeFacts,
    part: TermPart,
    symbols: &Symbols,
) -> Box<[Unmet]> {
    let mut closest: Option<Vec<Unmet>> = None;
    for term in terms {
        let unmet = term.unmet(node, part, symbols);
        if !unmet.is_empty() && closest.as_ref().is_none_or(|best| unmet.len() < best.len()) {
            closest = Some(unmet);
        }
    }
    closest.unwrap_or_default().into()
}

/// What a label selector requires and an object with `labels` does not have.
pub fn of_labels(requirements: &[Requirement], labels: &[(Sym, Sym)]) -> Box<[Unmet]> {
    let unmet = requirements.iter().filter(|requirement| !requirement.matches(labels));
    unmet
        .map(|requirement| Unmet::Label {
            requirement: NodeRequirement::Label(requirement.clone()),
            found: label(labels, requirement.key),
        })
        .collect()
}

impl NodeTerm {
    /// The term's requirements that the node does not meet; empty for an invalid term.
    fn unmet(&self, node: NodeFacts, part: TermPart, symbols: &Symbols) -> Vec<Unmet> {
        let Ok((labels, fields)) = &self.parsed else { return Vec::new() };
        let labels = labels.iter().filter(|requirement| !requirement.matches(node.labels, symbols));
        let mut unmet: Vec<Unmet> = labels
            .map(|requirement| Unmet::Label {
                requirement: requirement.clone(),
                found: label(node.labels, requirement.key()),
            })
            .collect();
        if part == TermPart::All {
            for requirement in fields.iter().filter(|requirement| !requirement.matches(node.name)) {
                let found = if requirement.is_name { node.name } else { Sym::EMPTY };
                unmet.push(Unmet::Field { requirement: requirement.clone(), found });
            }
        }
        unmet
    }
}

impl NodeRequirement {
    /// The label's key.
    pub const fn key(&self) -> Sym {
        match self {
            Self::Label(Requirement { key, .. }) | Self::Gt(key, _) | Self::Lt(key, _) => *key,
        }
    }

    /// How it compares values.
    pub const fn comparison(&self) -> ConditionComparison {
        match self {
            Self::Gt(..) => ConditionComparison::Gt,
            Self::Lt(..) => ConditionComparison::Lt,
            Self::Label(requirement) => match requirement.operator {
                Operator::In => ConditionComparison::In,
                Operator::NotIn => ConditionComparison::NotIn,
                Operator::Exists => ConditionComparison::Exists,
                Operator::DoesNotExist => ConditionComparison::DoesNotExist,
            },
        }
    }

    /// The allowed values of a label; empty for other conditions.
    pub fn any_of(&self) -> &[Sym] {
        match self {
            Self::Label(requirement) if requirement.operator == Operator::In => &requirement.values,
            _ => &[],
        }
    }

    /// The values that it lists.
    pub fn values(&self, cluster: &Cluster) -> Vec<String> {
        match self {
            Self::Gt(_, bound) | Self::Lt(_, bound) => vec![bound.to_string()],
            Self::Label(requirement) => {
                requirement.values.iter().map(|value| cluster.text(*value).to_owned()).collect()
            }
        }
    }
}

impl Unmet {
    /// The label; `None` for a field.
    pub const fn label(&self) -> Option<Sym> {
        match self {
            Self::Label { requirement, .. } => Some(requirement.key()),
            Self::Field { .. } => None,
        }
    }

    /// The key of the label or field.
    pub fn key<'c>(&self, cluster: &'c Cluster) -> &'c str {
        self.label().map_or(NAME, |key| cluster.text(key))
    }

    /// How the condition compares.
    pub const fn comparison(&self) -> ConditionComparison {
        match self {
            Self::Label { requirement, .. } => requirement.comparison(),
            Self::Field { requirement: FieldRequirement { is_in: true, .. }, .. } => {
                ConditionComparison::In
            }
            Self::Field { requirement: FieldRequirement { is_in: false, .. }, .. } => {
                ConditionComparison::NotIn
            }
        }
    }

    /// The allowed values of a label; empty for other conditions.
    pub fn any_of(&self) -> &[Sym] {
        match self {
            Self::Label { requirement, .. } => requirement.any_of(),
            Self::Field { .. } => &[],
        }
    }

    /// The values that it lists.
    pub fn values(&self, cluster: &Cluster) -> Vec<String> {
        match self {
            Self::Label { requirement, .. } => requirement.values(cluster),
            Self::Field { requirement, .. } => vec![cluster.text(requirement.value).to_owned()],
        }
    }

    /// What the node has; `None` without the label.
    pub const fn found(&self) -> Option<Sym> {
        match self {
            Self::Label { found, .. } => *found,
            Self::Field { found, .. } => Some(*found),
        }
    }
}
