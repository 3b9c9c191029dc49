//! The steps before the first removal.

pub(super) mod access;
pub(super) mod check_plan;
pub(super) mod confirm;
pub(super) mod dry_run;
pub(super) mod hazards;
pub(super) mod identify;
pub(super) mod nominate;
