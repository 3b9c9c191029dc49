//! The documented JSON.

mod reading;
pub(crate) mod schema;
