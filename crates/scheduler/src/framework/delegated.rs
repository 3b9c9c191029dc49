//! Resources that are left to DynamicResources instead of being counted on a node, as devices may
//! provide them.

use std::collections::BTreeSet;

use super::plugin::Cycle;
use crate::dra::class_for;
use model::cluster::Sym;
use model::cluster::resources::{Resources, is_extended};
use profile::history::ClassLookup;

/// The scalar resources left to DynamicResources on nodes that do not have them.
pub(crate) fn to_devices(cycle: &Cycle, wanted: &Resources) -> BTreeSet<Sym> {
    let (cluster, features) = (cycle.cluster(), &cycle.features().dra);
    let names = || wanted.scalars.iter().filter(|(_, amount)| *amount != 0).map(|(name, _)| *name);
    if !features.dra_extended_resources {
        return BTreeSet::new();
    }
    // Parity: a resource that no class provides is left to DynamicResources too, if the pod
    // requests no extended resource.
    if features.dra_class_lookup == ClassLookup::Map
        && !names().any(|name| is_extended(cluster.text(name)))
    {
        return names().collect();
    }
    names().filter(|name| class_for(*name, cluster, features).is_some()).collect()
}

/// Whether devices may provide resources that the pod requests, so that it shares no scores.
pub(crate) fn leaves_to_devices(cycle: &Cycle) -> bool {
    !to_devices(cycle, &cycle.view.incoming(cycle.pod)).is_empty()
}
