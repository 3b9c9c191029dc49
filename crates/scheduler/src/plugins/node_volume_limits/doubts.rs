//! What limits of volumes depend on.

use super::{DOC, NodeVolumeLimits};
use crate::framework::doubts::{DoubtContext, Doubts, Reliance};
use crate::framework::plugin::RuleDoc;
use model::cluster::Kind;
use model::notes::Severity;
use profile::history::CsiLimits;

impl Doubts for NodeVolumeLimits {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn relies_on(&self, kind: Kind, context: &DoubtContext) -> Option<Reliance> {
        let features = &context.cycle.features().node_volume_limits;
        let limits = || context.cycle.cluster().storage.has_limits();
        let reliance = context.reliance_of_volumes(kind)?;
        // A node that tells no limits takes any number of volumes: few clusters have none of these objects.
        let odd = |is: bool| Some(Reliance { absent: is.then_some(Severity::Warning), ..reliance });
        match kind {
            Kind::PersistentVolumeClaim | Kind::PersistentVolume | Kind::StorageClass | Kind::CsiDriver => {
                Some(reliance)
            }
            Kind::CsiNode => odd(features.csi_limits_from != CsiLimits::Node),
            Kind::VolumeAttachment => odd(features.csi_limits_count_attached && limits()),
            _ => None,
        }
    }
}
