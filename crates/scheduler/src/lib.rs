//! The scheduling cycle of kube-scheduler on a [`model::cluster::Cluster`], by the rules of a
//! [`profile::Profile`].
//!
//! Each folder knows only those before it: `dra`, `framework`, `plugins`, `preemption`, `decision`,
//! `groups`.

pub mod decision;
pub mod dra;
pub mod framework;
pub mod groups;
pub mod plugins;
pub mod preemption;

// The tests' builders name this crate as other crates do.
#[cfg(test)]
extern crate self as scheduler;
#[cfg(test)]
#[path = "../../testing/src/decisions/mod.rs"]
mod testing;
