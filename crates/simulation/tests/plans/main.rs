//! Tests of plans that are stated with the simulations of `testing`: they link this crate, whose types
//! those name, as other crates do.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod gate;
mod group_planning;
mod growth;
mod planning;
mod sequence;
