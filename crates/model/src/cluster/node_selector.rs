//! Node selector terms. Upstream:
//! `component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go` (1.37).

pub mod unmet;

use std::collections::BTreeSet;

use super::selector::issues::{Operators, SelectorIssue, Takes, requirement_issues};
use super::selector::{Operator, Requirement, label, read_requirement};
use super::symbols::{Sym, Symbols};
use crate::snapshot::meta::Expression;
use crate::snapshot::pod as wire;

/// A condition on a node label.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NodeRequirement {
    /// A requirement that label selectors also support.
    Label(Requirement),
    /// The label is an integer above the bound.
    Gt(Sym, i64),
    /// The label is an integer below the bound.
    Lt(Sym, i64),
}

/// A condition on `metadata.name`, the only field there is; any other field compares against the
/// empty string.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldRequirement {
    /// Whether the field is `metadata.name`.
    pub is_name: bool,
    /// `In` or, if false, `NotIn`.
    pub is_in: bool,
    /// The single value.
    pub value: Sym,
}

/// What a term requires of a node's labels and fields.
pub type Conditions = (Box<[NodeRequirement]>, Box<[FieldRequirement]>);

/// One alternative of a node selector.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NodeTerm {
    /// Requirements on labels and fields, or the errors in them: such a term never matches.
    pub parsed: Result<Conditions, Box<[NodeTermIssue]>>,
    /// Values of every `metadata.name In` requirement, parsable or not: PreFilter restricts the
    /// nodes to them.
    pub names: Box<[Box<[Sym]>]>,
}

/// An error in a requirement of a term.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NodeTermIssue {
    /// Whether it is in `matchFields`, not in `matchExpressions`.
    pub is_field: bool,
    /// Its position there.
    pub index: usize,
    /// The error.
    pub issue: SelectorIssue,
}

/// `nodeSelectorTerms`: alternatives. Without any, nothing matches.
pub type NodeSelector = Box<[NodeTerm]>;

/// The part of a node that a term reads.
#[derive(Debug, Clone, Copy)]
pub struct NodeFacts<'a> {
    pub labels: &'a [(Sym, Sym)],
    pub name: Sym,
}

impl NodeTerm {
    /// Whether the node is selected. An empty or unparsable term selects none.
    pub fn matches(&self, node: NodeFacts, symbols: &Symbols) -> bool {
        let fields = self.parsed.iter().flat_map(|(_, fields)| fields);
        self.matches_labels(node.labels, symbols)
            && fields.into_iter().all(|r| r.matches(node.name))
    }

    /// Whether a term that has label requirements selects the node's labels.
    pub fn matches_labels_alone(&self, node: NodeFacts, symbols: &Symbols) -> bool {
        let has_labels = self.parsed.iter().any(|(labels, _)| !labels.is_empty());
        has_labels && self.matches_labels(node.labels, symbols)
    }

    /// Whether the labels are selected if the name of the node is unknown. Parity: fields are then
    /// ignored, although a term with only fields is not empty.
    pub fn matches_labels(&self, node: &[(Sym, Sym)], symbols: &Symbols) -> bool {
        let Ok((labels, fields)) = &self.parsed else { return false };
        !(labels.is_empty() && fields.is_empty()) && labels.iter().all(|r| r.matches(node, symbols))
    }
}

impl NodeTerm {
    /// Puts this name in place of every value of its conditions on fields.
    pub(super) fn rename(&mut self, name: Sym) {
        if let Ok((_, fields)) = &mut self.parsed {
            fields.iter_mut().for_each(|field| field.value = name);
        }
        self.names.iter_mut().flatten().for_each(|value| *value = name);
    }

    /// The term for a copy of a node: it names the copy where this one names only the node, by its
    /// hostname label or its name. `None` if it does not name it, or others too.
    pub(super) fn for_copy(&self, node: NodeFacts, copy: Sym) -> Option<Self> {
        let mut term = self.clone();
        let (labels, fields) = term.parsed.as_mut().ok()?;
        let mut names_it = false;
        for requirement in labels.iter_mut() {
            if let NodeRequirement::Label(requirement) = requirement
                && requirement.key == Sym::HOSTNAME
            {
                let is_its = requirement.operator == Operator::In
                    && requirement.values.len() == 1
                    && requirement.matches(node.labels);
                if !is_its {
                    return None;
                }
                requirement.values = [copy].into();
                names_it = true;
            }
        }
        for field in fields.iter() {
            if !(field.is_name && field.is_in && field.value == node.name) {
                return None;
            }
            names_it = true;
        }
        term.rename(copy);
        names_it.then_some(term)
    }

    /// What it asks of labels; nothing if it cannot be parsed.
    pub fn label_requirements(&self) -> &[NodeRequirement] {
        self.parsed.as_ref().map_or(&[], |(labels, _)| labels)
    }

    /// The hosts that every requirement on the hostname label lists; `None` without such a
    /// requirement.
    pub fn hosts(&self) -> Option<BTreeSet<Sym>> {
        let labels = self.parsed.iter().flat_map(|(labels, _)| labels);
        let listed = labels.filter_map(|requirement| match requirement {
            NodeRequirement::Label(Requirement {
                key: Sym::HOSTNAME,
                operator: Operator::In,
                values,
            }) => Some(values.iter().copied().collect::<BTreeSet<Sym>>()),
            _ => None,
        });
        listed.reduce(|one, other| one.intersection(&other).copied().collect())
    }
}

impl NodeRequirement {
    fn matches(&self, labels: &[(Sym, Sym)], symbols: &Symbols) -> bool {
        let number =
            |key: Sym| label(labels, key).and_then(|v| symbols.text(v).parse::<i64>().ok());
        match self {
            Self::Label(requirement) => requirement.matches(labels),
            Self::Gt(key, bound) => number(*key).is_some_and(|n| n > *bound),
            Self::Lt(key, bound) => number(*key).is_some_and(|n| n < *bound),
        }
    }
}

impl FieldRequirement {
    fn matches(&self, name: Sym) -> bool {
        let field = if self.is_name { name } else { Sym::EMPTY };
        (field == self.value) == self.is_in
    }
}

/// Reads a term of the API.
pub fn read_term(term: &wire::NodeSelectorTerm, symbols: &mut Symbols) -> NodeTerm {
    let names = term
        .match_fields
        .iter()
        .filter(|f| f.key.as_str() == "metadata.name" && f.operator.as_str() == "In")
        .map(|f| f.values.iter().map(|v| symbols.intern(v)).collect())
        .collect();
    let mut issues: Vec<NodeTermIssue> = Vec::new();
    let mut keep = |is_field: bool, index: usize, found: Vec<SelectorIssue>| {
        issues.extend(found.into_iter().map(|issue| NodeTermIssue { is_field, index, issue }));
    };
    let (mut labels, mut fields) = (Vec::new(), Vec::new());
    for (index, expression) in term.match_expressions.iter().enumerate() {
        match read_expression(expression, symbols) {
            Ok(requirement) => labels.push(requirement),
            Err(found) => keep(false, index, found),
        }
    }
    for (index, field) in term.match_fields.iter().enumerate() {
        match read_field(field, symbols) {
            Ok(requirement) => fields.push(requirement),
            Err(issue) => keep(true, index, vec![issue]),
        }
    }
    let parsed =
        if issues.is_empty() { Ok((labels.into(), fields.into())) } else { Err(issues.into()) };
    NodeTerm { parsed, names }
}

/// Key, operator and values of a requirement from outside the cluster.
pub type PlainRequirement<'t> = (&'t str, &'t str, Vec<&'t str>);

/// Reads a term from outside the cluster: expressions on labels and on fields.
pub fn plain_term(
    labels: &[PlainRequirement],
    fields: &[PlainRequirement],
    symbols: &mut Symbols,
) -> NodeTerm {
    fn expression<'t>((key, operator, values): &PlainRequirement<'t>) -> Expression<'t> {
        let values = values.iter().map(|v| (*v).into()).collect();
        Expression { key: (*key).into(), operator: (*operator).into(), values }
    }
    let wire = wire::NodeSelectorTerm {
        match_expressions: labels.iter().map(expression).collect(),
        match_fields: fields.iter().map(expression).collect(),
    };
    read_term(&wire, symbols)
}

fn read_expression(
    wire: &Expression,
    symbols: &mut Symbols,
) -> Result<NodeRequirement, Vec<SelectorIssue>> {
    let compare: fn(Sym, i64) -> NodeRequirement = match wire.operator.as_str() {
        "Gt" => NodeRequirement::Gt,
        "Lt" => NodeRequirement::Lt,
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {
            return read_requirement(wire, symbols).map(NodeRequirement::Label);
        }
        other => return Err(vec![SelectorIssue::operator(other, Operators::NodeLabels)]),
    };
    let issues = requirement_issues(wire, Takes::Integer);
    let bound = wire.values.first().and_then(|value| value.parse::<i64>().ok());
    bound
        .filter(|_| issues.is_empty())
        .map(|bound| compare(symbols.intern_label_key(&wire.key), bound))
        .ok_or(issues)
}

fn read_field(wire: &Expression, symbols: &mut Symbols) -> Result<FieldRequirement, SelectorIssue> {
    let is_in = match wire.operator.as_str() {
        "In" => true,
        "NotIn" => false,
        other => return Err(SelectorIssue::operator(other, Operators::NodeFields)),
    };
    match wire.values.as_slice() {
        [value] => Ok(FieldRequirement {
            is_name: wire.key.as_str() == "metadata.name",
            is_in,
            value: symbols.intern(value),
        }),
        _ => Err(SelectorIssue::field_count(wire)),
    }
}

/// Whether a set of labels has every pair of a plain `nodeSelector`.
pub fn has_all(labels: &[(Sym, Sym)], pairs: &[(Sym, Sym)]) -> bool {
    pairs.iter().all(|(key, value)| label(labels, *key) == Some(*value))
}
