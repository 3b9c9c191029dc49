//! Node selector terms. Upstream: `component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go` (1.37).

use super::selector::{Requirement, is_label_key, is_label_value, label, read_requirement};
use super::symbols::{Sym, Symbols};
use crate::snapshot::meta::Expression;
use crate::snapshot::pod as wire;

/// A condition on a node label.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NodeRequirement {
    /// One that label selectors know, too.
    Label(Requirement),
    /// The label is an integer above the bound.
    Gt(Sym, i64),
    /// The label is an integer below the bound.
    Lt(Sym, i64),
}

/// A condition on `metadata.name`, the only field there is; any other field compares against the empty string.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldRequirement {
    /// Whether the field is `metadata.name`.
    pub is_name: bool,
    /// `In` or, if false, `NotIn`.
    pub is_in: bool,
    /// The single value.
    pub value: Sym,
}

/// What a term asks of a node's labels and of its fields.
pub type Conditions = (Box<[NodeRequirement]>, Box<[FieldRequirement]>);

/// One alternative of a node selector.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NodeTerm {
    /// Conditions on labels and fields; `None` for a term that cannot be parsed and therefore never matches.
    pub parsed: Option<Conditions>,
    /// Values of every `metadata.name In` requirement, parsable or not: PreFilter narrows by them.
    pub names: Box<[Box<[Sym]>]>,
}

/// `nodeSelectorTerms`: alternatives. None match nothing.
pub type NodeSelector = Box<[NodeTerm]>;

/// What a node shows to a term.
#[derive(Debug, Clone, Copy)]
pub struct NodeFacts<'a> {
    /// Its labels.
    pub labels: &'a [(Sym, Sym)],
    /// Its name.
    pub name: Sym,
}

impl NodeTerm {
    /// Whether the node is selected. An empty or unparsable term selects none.
    #[must_use]
    pub fn matches(&self, node: NodeFacts, symbols: &Symbols) -> bool {
        let fields = self.parsed.iter().flat_map(|(_, fields)| fields);
        self.matches_labels(node.labels, symbols) && fields.into_iter().all(|r| r.matches(node.name))
    }

    /// Whether labels alone are selected, as where a node is not known by name. Parity: fields do not count then, although
    /// a term of nothing but fields is not an empty one.
    #[must_use]
    pub fn matches_labels(&self, node: &[(Sym, Sym)], symbols: &Symbols) -> bool {
        let Some((labels, fields)) = &self.parsed else { return false };
        !(labels.is_empty() && fields.is_empty()) && labels.iter().all(|r| r.matches(node, symbols))
    }
}

impl NodeRequirement {
    fn matches(&self, labels: &[(Sym, Sym)], symbols: &Symbols) -> bool {
        let number = |key: Sym| label(labels, key).and_then(|v| symbols.text(v).parse::<i64>().ok());
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
    let labels: Option<Box<[_]>> = term.match_expressions.iter().map(|e| read_expression(e, symbols)).collect();
    let fields: Option<Box<[_]>> = term.match_fields.iter().map(|e| read_field(e, symbols)).collect();
    NodeTerm { parsed: labels.zip(fields), names }
}

/// Key, operator and values of a requirement that stands in no object.
pub type PlainRequirement<'t> = (&'t str, &'t str, Vec<&'t str>);

/// Reads a term that stands in no object: expressions on labels, and on fields.
pub fn plain_term(labels: &[PlainRequirement], fields: &[PlainRequirement], symbols: &mut Symbols) -> NodeTerm {
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

fn read_expression(wire: &Expression, symbols: &mut Symbols) -> Option<NodeRequirement> {
    let bound = || match wire.values.as_slice() {
        // Parity: the bound must also be a label value, so a negative one is refused.
        [value] if is_label_key(&wire.key) && is_label_value(value) => value.parse::<i64>().ok(),
        _ => None,
    };
    match wire.operator.as_str() {
        "Gt" => bound().map(|b| NodeRequirement::Gt(symbols.intern(&wire.key), b)),
        "Lt" => bound().map(|b| NodeRequirement::Lt(symbols.intern(&wire.key), b)),
        _ => read_requirement(wire, symbols).ok().map(NodeRequirement::Label),
    }
}

fn read_field(wire: &Expression, symbols: &mut Symbols) -> Option<FieldRequirement> {
    let is_in = match wire.operator.as_str() {
        "In" => true,
        "NotIn" => false,
        _ => return None,
    };
    match wire.values.as_slice() {
        [value] => Some(FieldRequirement {
            is_name: wire.key.as_str() == "metadata.name",
            is_in,
            value: symbols.intern(value),
        }),
        _ => None,
    }
}

/// Whether a set of labels has every pair of a plain `nodeSelector`.
#[must_use]
pub fn has_all(labels: &[(Sym, Sym)], pairs: &[(Sym, Sym)]) -> bool {
    pairs.iter().all(|(key, value)| label(labels, *key) == Some(*value))
}
