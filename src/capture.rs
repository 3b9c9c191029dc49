//! Reads objects from a live cluster or from files, and writes snapshot files. A reader passes the
//! decoded objects to an [`engine::snapshot::Sink`]: the builder of a cluster, or the writer of a
//! snapshot. The engine decodes text; this folder opens files and connections.

pub mod files;
pub mod live;
pub(crate) mod manifest;
pub mod store;
