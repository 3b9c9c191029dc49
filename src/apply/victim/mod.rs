//! The removal of the victims, one at a time: `evict` has the order, `check` the decision before
//! each removal, `look` the last look before each request, `remove` the requests, and `answer` what
//! follows from each answer.

mod answer;
mod check;
pub(super) mod evict;
mod look;
mod observed;
pub(super) mod remove;
