//! Controllers of pods: the objects that replace an evicted pod, and whose selectors default topology spreading uses.

use super::Cluster;
use super::pod::OwnerRef;
use super::reader::Reader;
use super::selector::Selector;
use super::symbols::Sym;
use crate::snapshot::meta::{LabelSelector, ObjectMeta};
use crate::snapshot::{Kind, others as wire};

/// A controller of pods: ReplicationController, ReplicaSet, StatefulSet or Job.
#[derive(Debug, Clone)]
pub struct Owner {
    /// Its kind.
    pub kind: Kind,
    /// Namespace.
    pub namespace: Sym,
    /// Name.
    pub name: Sym,
    /// Its own controller.
    pub controller: Option<OwnerRef>,
    /// The pods that it selects; `Nothing` if it has no selector, or one that cannot be parsed.
    pub selector: Selector,
}

impl Owner {
    /// Whether its kind is called `kind`.
    #[must_use]
    pub fn is(&self, kind: Sym, cluster: &Cluster) -> bool {
        self.kind.name() == cluster.text(kind)
    }

    /// Reads a controller with a label selector. Parity: the scheduler ignores a selector that cannot be parsed.
    pub(super) fn read(kind: Kind, meta: &ObjectMeta, selector: Option<&LabelSelector>, reader: &mut Reader) -> Self {
        let selector = Selector::read(selector, &mut reader.symbols).unwrap_or(Selector::Nothing);
        Self {
            kind,
            namespace: reader.namespace(&meta.namespace),
            name: reader.intern(&meta.name),
            controller: OwnerRef::read(&meta.owner_references, reader),
            selector,
        }
    }

    /// Reads a ReplicationController, which selects pods by plain labels. Without a selector it selects every pod.
    pub(super) fn read_replication_controller(wire: &wire::LabelSelecting, reader: &mut Reader) -> Self {
        let pairs = wire.spec.selector.as_ref().map(|map| reader.selected(map)).unwrap_or_default();
        let meta = &wire.metadata;
        Self {
            kind: Kind::ReplicationController,
            namespace: reader.namespace(&meta.namespace),
            name: reader.intern(&meta.name),
            controller: OwnerRef::read(&meta.owner_references, reader),
            selector: Selector::All(Box::default()).and_labels(&pairs),
        }
    }
}
