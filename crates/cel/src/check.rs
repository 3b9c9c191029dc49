//! The check of types.

mod checker;
mod scope;
mod suggest;
mod unify;
mod validate;

pub(crate) use checker::{Checked, check};
pub(crate) use validate::validate;
