//! The check of types.

mod checker;
mod scope;
mod types;
mod unify;
mod validate;

pub(crate) use checker::{Checked, check};
pub(crate) use types::Type;
pub(crate) use validate::validate;
