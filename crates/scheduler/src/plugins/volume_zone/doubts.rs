//! What the zones of volumes depend on.

use super::{DOC, VolumeZone};
use crate::framework::doubts::{DoubtContext, Doubts, Reliance};
use crate::framework::plugin::RuleDoc;
use model::cluster::Kind;

impl Doubts for VolumeZone {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn relies_on(&self, kind: Kind, context: &DoubtContext) -> Option<Reliance> {
        let read = matches!(
            kind,
            Kind::PersistentVolumeClaim | Kind::PersistentVolume | Kind::StorageClass
        );
        if read { context.reliance_of_volumes(kind) } else { None }
    }
}
