//! The documented JSON.

mod schema;
