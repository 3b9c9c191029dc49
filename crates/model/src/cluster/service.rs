//! A Service, as default topology spreading reads it.

use super::reader::ReadContext;
use super::selector::Labels;
use super::symbols::Sym;
use crate::snapshot::others as wire;

/// A Service with a selector.
#[derive(Debug, Clone)]
pub struct Service {
    pub namespace: Sym,
    /// The labels of its pods; an empty selector selects all pods.
    pub selector: Labels,
}

impl Service {
    /// Reads a Service; `None` if it has no selector, and so selects no pods.
    pub(super) fn read(wire: &wire::LabelSelecting, reader: &mut ReadContext) -> Option<Self> {
        let selector = wire.spec.selector.as_ref()?;
        Some(Self {
            namespace: reader.namespace(&wire.metadata.namespace),
            selector: reader.selected(selector),
        })
    }
}
