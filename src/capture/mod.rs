//! Where the objects come from. Readers hand what they decode to a [`Sink`]: the cluster builder of an explanation, or
//! the writer of a snapshot file. Both see the same objects in the same order.

pub mod decode;
pub mod files;
#[cfg(feature = "live")]
pub mod live;
pub mod store;

use crate::snapshot::{Header, Kind, Object};

/// Receives what a source holds.
pub trait Sink {
    /// One decoded object.
    fn object(&mut self, object: Object<'_>);

    /// Something that could not be used: object (`Pod ns/name`, or a file), field path if known, and what was wrong.
    fn flaw(&mut self, flaw: Flaw);

    /// Where the objects came from. Called once per source that knows, after its objects.
    fn header(&mut self, header: Header);
}

/// A part of the input that could not be used as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// Kind of the object, if known.
    pub kind: Option<Kind>,
    /// `Pod ns/name`, or where in which file.
    pub subject: String,
    /// JSON path inside the object; empty when the whole object is left out.
    pub field: String,
    /// What is wrong with it.
    pub problem: String,
}
