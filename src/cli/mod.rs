//! The command line: what is typed, and what is done with it.

pub mod connection;
#[cfg(feature = "live")]
pub mod snapshot;
