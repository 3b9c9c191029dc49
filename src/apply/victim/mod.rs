//! The removal of the victims, one at a time: `evict` has the order, `check` the decision before each removal, `remove` the
//! requests, and `answer` what follows from each answer.

mod answer;
mod check;
pub(super) mod evict;
mod observed;
pub(super) mod remove;
