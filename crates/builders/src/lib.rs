//! Builders for tests, in the words of the domain: a few nodes, a few pods, and the cluster of them.
//!
//! Objects are built as plain Kubernetes JSON and decoded like any input, so a test sees what a
//! user would see. Not a part of the product. It knows the model alone, so the tests of every crate
//! above that can use it, the scheduler's among them.

mod clusters;
mod kinds;
mod others;
pub mod share;
mod texts;
mod tied;

pub use clusters::{cluster, cluster_of, find, snapshot};
pub use kinds::{
    Budget, Claim, Node, Pod, Volume, attachment, budget, claim, class, composite_group, container,
    csi_driver, csi_node, device_class, labels, namespace, node, pod, pod_group, storage_left,
    volume, workload,
};
pub use others::{limit_range, owner, priority_class};
pub use texts::{assert_begins, assert_ends, assert_has, assert_lacks};
pub use tied::tied;

/// A list of objects of any kind.
#[macro_export]
macro_rules! objects {
    ($($object:expr),* $(,)?) => { vec![$($crate::Value::from($object)),*] };
}

pub use serde_json::Value;

/// The time of every decision, unless a test sets another.
pub const NOW: &str = "2026-01-01T00:00:00Z";
/// A minute earlier.
pub const BEFORE: &str = "2025-12-31T23:59:00Z";
