//! Tests of facts and edits that are stated as what a scheduler then decides, so they stand above
//! the crates they test.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod cluster_edit;
mod edits;
mod gang_workload;
mod label_selector;
mod profile_doubts;
