//! What restrictions of volumes depend on.

use super::{DOC, VolumeRestrictions};
use crate::framework::doubts::{DoubtContext, Doubts, Reliance};
use crate::framework::plugin::RuleDoc;
use model::cluster::Kind;

impl Doubts for VolumeRestrictions {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn relies_on(&self, kind: Kind, context: &DoubtContext) -> Option<Reliance> {
        if kind == Kind::PersistentVolumeClaim { context.reliance_of_volumes(kind) } else { None }
    }
}
