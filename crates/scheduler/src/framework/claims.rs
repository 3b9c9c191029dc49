//! Texts about claims that several plugins write, and that the scheduler itself writes before any
//! of them.

use std::collections::BTreeSet;

use super::plugin::Cycle;
use super::reason::{Message, Obstacle, ReasonText, When};
use dra::class_for;
use model::cluster::pod_volume::PodVolumeClaim;
use model::cluster::resources::{Resources, is_extended};
use model::cluster::{Cluster, Pod, Sym};
use profile::history::ClassLookup;

/// The pod names a claim that does not exist.
pub static CLAIM_NOT_FOUND: Message = Message {
    code: "PRE-240",
    text: "persistentvolumeclaim \"{}\" not found",
    meaning: "The pod names a PersistentVolumeClaim that does not exist in its namespace.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "create the claim, or correct its name in the pod",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (1.37)",
};

/// A claim of the pod is being deleted.
pub static CLAIM_DELETED: Message = Message {
    code: "PRE-241",
    text: "persistentvolumeclaim \"{}\" is being deleted",
    meaning: "A claim of the pod is being deleted.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "wait until it is gone, then create it again",
    obstacle: Obstacle::Wait,
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/volumebinding/volume_binding.go (1.37)",
};

/// A claim has the name of one of the pod's generic ephemeral volumes, but was not created for the
/// pod.
pub static FOREIGN_CLAIM: Message = Message {
    code: "PRE-262",
    text: "PVC {}/{} was not created for pod {}/{} (pod is not owner)",
    meaning: "A claim that has the name of the pod's generic ephemeral volume belongs to something else.",
    preemption: "Never: evicting pods does not change the claim.",
    remedy: "delete or rename the claim that has the name, so that one can be made for the pod",
    obstacle: Obstacle::Volume,
    when: When::Always,
    source: "component-helpers/storage/ephemeral/ephemeral.go (1.37)",
};

/// [`FOREIGN_CLAIM`] about a claim of `pod`.
pub fn foreign(used: &PodVolumeClaim, pod: &Pod, cluster: &Cluster) -> ReasonText {
    let namespace = cluster.text(pod.namespace);
    FOREIGN_CLAIM.with([namespace, &used.name, namespace, &pod.name])
}

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
