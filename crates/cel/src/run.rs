//! Plans and evaluates checked expressions.
//!
//! Upstream: cel-go `interpreter`.

mod eval;
mod node;
mod plan;
mod tracker;
mod weight;

pub(crate) use eval::{Machine, MapOrder};
pub(crate) use node::PlanNode;
pub(crate) use plan::{Unplanned, plan};
pub(crate) use weight::{BytesLeft, may_grow};
