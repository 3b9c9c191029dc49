//! Why is a pod pending, and whom would kube-scheduler throw out for it?
//!
//! The scheduler's whole decision, offline and as a value: objects in, [`decision::Decision`] out.
//!
//! The map of the modules is in ARCHITECTURE.md.

pub mod api;
pub mod apply;
pub mod capture;
pub mod cli;
pub mod doctor;
pub mod error;
pub mod exit;

#[cfg(test)]
#[expect(dead_code, unused_imports, reason = "not every builder is needed here")]
#[path = "../crates/engine/src/testing/mod.rs"]
mod testing;
