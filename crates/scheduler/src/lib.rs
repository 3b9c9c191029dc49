//! The scheduling cycle of kube-scheduler on a [`model::cluster::Cluster`], by the rules of a
//! [`profile::Profile`].
//!
//! Each folder knows only those before it: `framework`, `plugins`, `preemption`, `decision`,
//! `groups`.

pub mod decision;
pub mod framework;
pub mod groups;
pub mod plugins;
pub mod preemption;

// The values of decisions for tests, `Answer` and `At`, are those of crates/testing. They name types
// of this crate, which cargo compiles twice when it builds these unit tests: once as the library that
// crates/testing would link, and once with the tests in it. An `Answer` of the first has other types
// than the `super::` of a test, so it can be no dev-dependency here. `Evidence`, `NodeVerdict` and
// what else tests look into would not be the same. A feature that makes it a public module would
// have every `cargo run` after `cargo test` build this crate, and all above it, once more. So these
// three files, and no builders, are included.
#[cfg(test)]
extern crate self as scheduler;
#[cfg(test)]
#[path = "../../testing/src/decisions/mod.rs"]
mod testing;
