//! The header of a snapshot file, what could not be decoded, and [`Sink`], which receives objects.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::scheduler::Scheduler;
use super::{Kind, Object};

/// Where the objects came from: the header of a snapshot file.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Header {
    /// When the last list was read, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captured_at: Option<String>,
    /// The API server's `gitVersion`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_version: Option<String>,
    /// Plural kind to the resourceVersion of its list.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub resource_versions: BTreeMap<String, String>,
    /// What could not be read, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<Unreadable>,
    /// What the cluster shows of its scheduler; `None` if that was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<Scheduler>,
}

/// A kind that could not be read.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Unreadable {
    /// Plural kind.
    pub resource: String,
    /// The server's answer.
    pub reason: String,
}

/// Receives the objects of a source: the builder of a cluster, or the writer of a snapshot file. Both get the same
/// objects in the same order.
pub trait Sink {
    /// One decoded object.
    fn object(&mut self, object: Object<'_>);

    /// Something that could not be used.
    fn flaw(&mut self, flaw: Flaw);

    /// Where the objects came from. Called after the objects, once for each source that has a header.
    fn header(&mut self, header: Header);

    /// The text from which the next objects are decoded, of one kind or of any. A sink that needs whole objects reads
    /// it.
    fn text(&mut self, _kind: Option<Kind>, _text: &str) {}
}

/// A part of the input that could not be decoded. Snapshots keep them, so that an answer from the file has the same
/// notes as one from the cluster.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Flaw {
    /// `Pod ns/name`, or where in which file.
    pub subject: String,
    /// JSON path inside the object; empty when the whole object is left out.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
    /// What is wrong with it.
    pub problem: String,
}
