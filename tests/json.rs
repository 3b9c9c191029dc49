//! The documented JSON.

mod reading;
mod schema;
