//! The types in which Kubernetes objects are decoded and encoded, and the header of our own
//! snapshot files.
//!
//! A type lists the fields that a decision reads; every other field is skipped. The same types
//! decode the API server's answers, manifests and snapshots, and encode snapshots: the fields are
//! listed once.

mod amount;
pub mod annotations;
mod json;
mod kind;
mod object;
mod program_pod;
mod protobuf;
mod record;
mod source;
mod text;

pub mod access;
pub mod autoscaler;
pub mod autoscalers;
pub mod controllers;
pub mod devices;
pub mod groups;
pub mod handlers;
pub mod managed_fields;
pub mod meta;
pub mod node;
pub mod others;
pub mod pod;
pub mod pod_table;
pub mod programs;
pub mod scheduler;
pub mod storage;

pub use amount::{Amount, Amounts, IntOrPercent, Time};
pub use kind::{AutoscalerObject, BuiltIn, Extension, Kind, Object};
pub use object::{Head, OnePass, group_of, is_misplaced};
pub(crate) use protobuf::{Field, Fields, MAGIC};
pub use protobuf::{Malformed, Merge, Value, status_as_json};
pub use source::{
    DecodeIssue, DecodeIssueKind, DecodeIssueObject, Header, Layer, Sink, Unreadable,
};
pub use text::{Entries, Map, Str};

/// `apiVersion` of everything this project writes.
pub const API_VERSION: &str = "kubectl-preempt.github.io/v1";
/// `kind` of a snapshot file.
pub const SNAPSHOT_KIND: &str = "Snapshot";
