//! Parses source text and expands its macros.

mod expr;
mod macros;
mod parser;
mod source;
mod token;

pub(crate) use expr::{Element, Expr, ExprKind, Fold, Id, MapEntry, op};
pub(crate) use parser::{DEEPEST, Parsed, SyntaxError, parse};
pub(crate) use source::{Issue, SourceText};
