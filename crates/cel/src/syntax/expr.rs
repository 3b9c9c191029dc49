//! A parsed expression.
//!
//! Upstream: cel-go `common/ast/expr.go`.

use std::sync::Arc;

use crate::values::Value;

/// The id of an expression, the key of its cost and type.
pub(crate) type Id = usize;

/// An expression.
#[derive(Debug, Clone)]
pub(crate) struct Expr {
    pub id: Id,
    pub kind: ExprKind,
}

#[derive(Debug, Clone)]
pub(crate) enum ExprKind {
    Literal(Value),
    Name(Arc<str>),
    Select {
        operand: Box<Expr>,
        field: Arc<str>,
        test: bool,
    },
    Call {
        function: Arc<str>,
        target: Option<Box<Expr>>,
        args: Vec<Expr>,
    },
    List(Vec<Element>),
    Map(Vec<MapEntry>),
    /// A message of a protocol buffer.
    Message {
        name: Arc<str>,
    },
    Fold(Box<Fold>),
    /// A placeholder for an expression with an error.
    Wrong,
}

/// An element of a list; an optional one without a value is omitted.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub optional: bool,
    pub value: Expr,
}

#[derive(Debug, Clone)]
pub(crate) struct MapEntry {
    pub optional: bool,
    pub key: Expr,
    pub value: Expr,
}

/// A comprehension, to which `all`, `map`, `cel.bind` and other macros expand.
#[derive(Debug, Clone)]
pub(crate) struct Fold {
    pub range: Expr,
    pub variable: Arc<str>,
    /// The second iteration variable, for the value at a key or index.
    pub variable2: Option<Arc<str>>,
    pub accumulator: Arc<str>,
    pub begin: Expr,
    pub condition: Expr,
    pub step: Expr,
    pub result: Expr,
}

/// The function names of operators.
pub(crate) mod op {
    pub const CONDITIONAL: &str = "_?_:_";
    pub const AND: &str = "_&&_";
    pub const OR: &str = "_||_";
    pub const NOT: &str = "!_";
    pub const EQUALS: &str = "_==_";
    pub const NOT_EQUALS: &str = "_!=_";
    pub const ADD: &str = "_+_";
    pub const NEGATE: &str = "-_";
    pub const INDEX: &str = "_[_]";
    pub const OPT_INDEX: &str = "_[?_]";
    pub const OPT_SELECT: &str = "_?._";
    pub const NOT_STRICTLY_FALSE: &str = "@not_strictly_false";
    pub const IN: &str = "@in";
}

impl Expr {
    /// The name, if it is one.
    pub fn name(&self) -> Option<&Arc<str>> {
        if let ExprKind::Name(name) = &self.kind { Some(name) } else { None }
    }

    /// This expression and all its subexpressions, in pre-order.
    pub fn all(&self) -> Vec<&Self> {
        let mut all = vec![self];
        let mut next = 0;
        while let Some(expr) = all.get(next).copied() {
            all.extend(expr.children());
            next += 1;
        }
        all
    }

    fn children(&self) -> Vec<&Self> {
        match &self.kind {
            ExprKind::Literal(_)
            | ExprKind::Name(_)
            | ExprKind::Message { .. }
            | ExprKind::Wrong => Vec::new(),
            ExprKind::Select { operand, .. } => vec![operand],
            ExprKind::Call { target, args, .. } => {
                target.as_deref().into_iter().chain(args).collect()
            }
            ExprKind::List(elements) => elements.iter().map(|e| &e.value).collect(),
            ExprKind::Map(entries) => entries.iter().flat_map(|e| [&e.key, &e.value]).collect(),
            ExprKind::Fold(f) => vec![&f.range, &f.begin, &f.condition, &f.step, &f.result],
        }
    }

    /// The nesting depth, computed without recursion.
    pub fn depth(&self) -> usize {
        let (mut level, mut depth) = (vec![self], 0);
        while !level.is_empty() {
            level = level.into_iter().flat_map(Self::children).collect();
            depth += 1;
        }
        depth
    }
}
