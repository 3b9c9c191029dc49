//! Groups of pods. Which pods belong to one is not modelled; what counts is that there are any.

use super::reader::Reader;
use super::symbols::Sym;
use crate::snapshot::others as wire;

/// A group of pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PodGroup {
    /// Namespace.
    pub namespace: Sym,
    /// Name.
    pub name: Sym,
}

impl PodGroup {
    pub(super) fn read(wire: &wire::PodGroup, reader: &mut Reader) -> Self {
        let meta = &wire.metadata;
        Self { namespace: reader.namespace(&meta.namespace), name: reader.intern(&meta.name) }
    }
}
