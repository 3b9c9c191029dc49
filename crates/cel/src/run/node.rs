//! The nodes of a planned expression.
//!
//! Upstream: cel-go `interpreter/interpretable.go`, `interpreter/attributes.go`.

use std::sync::Arc;

use crate::library::{DeclaredFunction, DeclaredOverload, Regex};
use crate::syntax::Id;
use crate::values::Value;

/// A step of an evaluation.
#[derive(Debug, Clone)]
pub(crate) enum PlanNode {
    Const {
        id: Id,
        value: Value,
    },
    Attribute(AttributePath),
    /// A presence test, `has(..)`.
    Test {
        id: Id,
        attribute: AttributePath,
    },
    /// `&&` and `||`.
    Logic {
        id: Id,
        and: bool,
        terms: Vec<PlanNode>,
    },
    Equal {
        id: Id,
        negated: bool,
        args: Vec<PlanNode>,
    },
    Call(Box<CallNode>),
    /// `or` and `orValue` of an optional value.
    Otherwise {
        id: Id,
        value: bool,
        one: Box<PlanNode>,
        other: Box<PlanNode>,
    },
    List {
        id: Id,
        elements: Vec<(bool, PlanNode)>,
    },
    Map {
        id: Id,
        entries: Vec<(bool, PlanNode, PlanNode)>,
    },
    /// `in` a list of constants.
    Member {
        id: Id,
        arg: Box<PlanNode>,
        values: Vec<Value>,
    },
    Fold(Box<FoldNode>),
}

#[derive(Debug, Clone)]
pub(crate) struct CallNode {
    pub id: Id,
    pub declared: &'static DeclaredFunction,
    /// The overload; empty if it depends on run-time types.
    pub overload: &'static str,
    pub args: Vec<PlanNode>,
    pub target: CallTarget,
}

/// The implementation of a call.
#[derive(Debug, Clone)]
pub(crate) enum CallTarget {
    Overload(&'static DeclaredOverload),
    /// The implementation that all overloads share.
    Shared,
    /// The first overload that matches the arguments.
    Dispatch,
    /// `@not_strictly_false`: an argument that fails counts as true.
    NotStrictlyFalse,
    /// `matches` with a constant pattern, compiled once.
    Pattern(Regex),
}

#[derive(Debug, Clone)]
pub(crate) struct FoldNode {
    pub id: Id,
    pub range: PlanNode,
    pub variable: Arc<str>,
    pub variable2: Option<Arc<str>>,
    pub accumulator: Arc<str>,
    pub begin: PlanNode,
    pub condition: PlanNode,
    pub step: PlanNode,
    pub result: PlanNode,
}

/// A value and the selections from it.
#[derive(Debug, Clone)]
pub(crate) enum AttributePath {
    /// A variable.
    Absolute {
        id: Id,
        name: Arc<str>,
        qualifiers: Vec<Arc<Qualifier>>,
    },
    Relative {
        id: Id,
        operand: Arc<PlanNode>,
        qualifiers: Vec<Arc<Qualifier>>,
    },
    Conditional {
        id: Id,
        condition: Arc<PlanNode>,
        truthy: Box<AttributePath>,
        falsy: Box<AttributePath>,
    },
}

/// A selection of a field or element.
#[derive(Debug)]
pub(crate) struct Qualifier {
    pub id: Id,
    pub optional: bool,
    pub by: By,
}

#[derive(Debug)]
pub(crate) enum By {
    Const {
        key: Value,
        test: bool,
    },
    Attribute(AttributePath),
    /// Any other node, evaluated and reported as an attribute.
    Relative(AttributePath),
}

impl AttributePath {
    pub fn id(&self) -> Id {
        match self {
            Self::Absolute { id, qualifiers, .. } | Self::Relative { id, qualifiers, .. } => {
                qualifiers.last().map_or(*id, |q| q.id)
            }
            Self::Conditional { id, truthy, falsy, .. } => {
                let (truthy, falsy) = (truthy.id(), falsy.id());
                if truthy == falsy { truthy } else { *id }
            }
        }
    }

    pub const fn is_conditional(&self) -> bool {
        matches!(self, Self::Conditional { .. })
    }

    pub fn add(&mut self, qualifier: Arc<Qualifier>) {
        match self {
            Self::Absolute { qualifiers, .. } | Self::Relative { qualifiers, .. } => {
                qualifiers.push(qualifier);
            }
            Self::Conditional { truthy, falsy, .. } => {
                truthy.add(qualifier.clone());
                falsy.add(qualifier);
            }
        }
    }
}

impl PlanNode {
    pub fn id(&self) -> Id {
        match self {
            Self::Const { id, .. }
            | Self::Test { id, .. }
            | Self::Logic { id, .. }
            | Self::Equal { id, .. }
            | Self::Otherwise { id, .. }
            | Self::List { id, .. }
            | Self::Map { id, .. }
            | Self::Member { id, .. } => *id,
            Self::Attribute(attribute) => attribute.id(),
            Self::Call(call) => call.id,
            Self::Fold(fold) => fold.id,
        }
    }

    /// The node as an attribute, for selections from it.
    pub fn into_attribute(self) -> AttributePath {
        match self {
            Self::Attribute(attribute) | Self::Test { attribute, .. } => attribute,
            other => AttributePath::Relative {
                id: other.id(),
                operand: Arc::new(other),
                qualifiers: Vec::new(),
            },
        }
    }

    pub const fn constant(&self) -> Option<&Value> {
        if let Self::Const { value, .. } = self { Some(value) } else { None }
    }
}
