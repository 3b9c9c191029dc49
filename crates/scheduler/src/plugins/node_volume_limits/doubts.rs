//! What limits of volumes depend on.

use super::{DOC, MissingDrivers, NodeVolumeLimits};
use crate::framework::cycle::rejections_of;
use crate::framework::doubts::{DoubtContext, Doubts, Reliance};
use crate::framework::plugin::RuleDoc;
use model::cluster::Kind;
use model::notes::{Note, NoteDoc, Severity};
use profile::history::CsiLimits;

static SEVERAL_DRIVERS: NoteDoc = NoteDoc {
    code: "PRE-965",
    name: "several missing CSI drivers",
    meaning: "A node lacks several CSI drivers of the pod's volumes, and kube-scheduler names one of them: which one is not in the API.",
};

static NOTES: &[&NoteDoc] = &[&SEVERAL_DRIVERS];

impl Doubts for NodeVolumeLimits {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn notes(&self) -> &'static [&'static NoteDoc] {
        NOTES
    }

    fn doubts(&self, context: &DoubtContext) -> Vec<Note> {
        let cluster = context.cycle.cluster();
        for (node, _, rejection) in rejections_of(context.verdicts, cluster) {
            let evidence = rejection.reasons.first().and_then(|first| first.evidence.as_ref());
            let missing = evidence.and_then(|evidence| evidence.get::<MissingDrivers>());
            let drivers = missing.map(|missing| &*missing.drivers).unwrap_or_default();
            if drivers.len() < 2 {
                continue;
            }
            let names: Vec<&str> = drivers.iter().map(|driver| cluster.text(*driver)).collect();
            let text = format!(
                "node {} lacks the CSI drivers {}: which of them kube-scheduler names differs from time to time",
                cluster.node_name(node),
                names.join(", ")
            );
            let pod = cluster.pod_subject(context.cycle.ix);
            return vec![Note::warning(&SEVERAL_DRIVERS, text).about(pod)];
        }
        Vec::new()
    }

    fn relies_on(&self, kind: Kind, context: &DoubtContext) -> Option<Reliance> {
        let features = &context.cycle.features().node_volume_limits;
        let reliance = context.reliance_of_volumes(kind)?;
        // A node that reports no limits takes any number of volumes; almost every cluster has some
        // of these objects.
        let odd = |is: bool| Some(Reliance { absent: is.then_some(Severity::Warning), ..reliance });
        match kind {
            Kind::PersistentVolumeClaim
            | Kind::PersistentVolume
            | Kind::StorageClass
            | Kind::CsiDriver => Some(reliance),
            Kind::CsiNode => odd(features.csi_limits_from != CsiLimits::Node),
            Kind::VolumeAttachment => {
                odd(features.csi_limits_count_attached
                    && context.cycle.cluster().storage.has_limits())
            }
            _ => None,
        }
    }
}
