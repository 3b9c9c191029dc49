//! The removal of the victims, one at a time: `evict` has the order, `check` the decision before
//! each removal, `look` the last check before each request, `remove` the requests, and `answer` the
//! handling of responses.

mod answer;
mod check;
pub(super) mod evict;
mod look;
mod observed;
pub(super) mod remove;
