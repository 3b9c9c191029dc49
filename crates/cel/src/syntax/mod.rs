//! Parses source text and expands its macros.

mod error;
mod expr;
mod macros;
mod operands;
mod parser;
mod source;
mod token;
mod unquote;

pub(crate) use error::SyntaxError;
pub(crate) use expr::{Element, Expr, ExprKind, Fold, Id, MapEntry, op};
pub(crate) use parser::{DEEPEST, Parsed, parse};
pub(crate) use source::{Issue, SourceText};
