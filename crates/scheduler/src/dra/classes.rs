//! Which device class provides an extended resource.
//!
//! Upstream: `dynamic-resource-allocation/deviceclass/extendedresourcecache` (1.37),
//! `pkg/scheduler/framework/plugins/dynamicresources/extended/util.go` (1.34).

use model::cluster::devices::{CLASS_RESOURCE_PREFIX, DeviceClass};
use model::cluster::{Cluster, Sym};
use profile::history::{ClassLookup, DynamicResources};

/// The class of an extended resource: the youngest one; at equal age, the first by name.
pub(crate) fn class_for<'c>(
    resource: Sym,
    cluster: &'c Cluster,
    features: &DynamicResources,
) -> Option<&'c DeviceClass> {
    let classes = &cluster.devices.classes;
    if let Some(name) = cluster.text(resource).strip_prefix(CLASS_RESOURCE_PREFIX) {
        return classes.iter().find(|c| cluster.text(c.name) == name).filter(|c| {
            features.dra_class_lookup == ClassLookup::Cache || c.extended_resource.is_empty()
        });
    }
    let mut named =
        classes.iter().filter(|c| c.extended_resource == resource && !resource.is_empty());
    let first = named.next()?;
    Some(named.fold(first, |best, class| if class.created > best.created { class } else { best }))
}
