//! Where the objects come from. Readers hand what they decode to a [`Sink`]: the cluster builder of an explanation, or
//! the writer of a snapshot file. Both see the same objects in the same order.

pub mod files;
pub mod live;
pub mod manifest;
pub mod originals;
pub mod store;

pub use engine::snapshot::{Flaw, Sink};
