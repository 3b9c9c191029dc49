//! Builders for tests, in the words of the domain: a few nodes, a few pods, and the scheduler's
//! decision about them.
//!
//! Objects are built as plain Kubernetes JSON and decoded like any input, so a test sees what a
//! user would see. Not a part of the product. The crates above the scheduler depend on it; the
//! scheduler's own tests, whose types it names, include it by path.

mod answer;
mod ask;
pub mod builders;
mod doubts;
mod tied;

pub use answer::Answer;
pub use ask::{At, at, cluster, decide, features, find, verify, with_cycle};
pub use builders::{
    Budget, Claim, Node, Pod, Volume, attachment, budget, claim, class, composite_group, container,
    csi_driver, csi_node, device_class, labels, namespace, node, pod, pod_group, storage_left,
    volume, workload,
};
pub use doubts::{notes_at, notes_of, snapshot, without};
pub use tied::tied;

/// A list of objects of any kind.
#[macro_export]
macro_rules! objects {
    ($($object:expr),* $(,)?) => { vec![$(serde_json::Value::from($object)),*] };
}
pub use crate::objects;

/// The time of every decision, unless a test sets another.
pub const NOW: &str = "2026-01-01T00:00:00Z";
/// A minute earlier.
pub const BEFORE: &str = "2025-12-31T23:59:00Z";
