//! What the reader must know of the pod's volumes: storage that could not be read, and orders that the API does not show.

use super::{Decision, Outcome};
use crate::cluster::notes::{Note, Severity, subject};
use crate::cluster::storage::{Capacity, Claim, PersistentVolume};
use crate::cluster::symbols::Sym;
use crate::profile::history::CsiLimits;

/// Kinds of storage by plural, and the plugins that read them.
const READERS: [(&str, &str); 7] = [
    ("persistentvolumeclaims", "VolumeRestrictions, NodeVolumeLimits, VolumeBinding and VolumeZone"),
    ("persistentvolumes", "NodeVolumeLimits, VolumeBinding and VolumeZone"),
    ("storageclasses", "NodeVolumeLimits, VolumeBinding and VolumeZone"),
    ("csinodes", "NodeVolumeLimits and VolumeBinding"),
    ("csidrivers", "NodeVolumeLimits and VolumeBinding"),
    ("csistoragecapacities", "VolumeBinding"),
    ("volumeattachments", "NodeVolumeLimits"),
];

/// The note of a kind of storage that could not be read; `None` for any other kind.
pub(super) fn unreadable(decision: &Decision, resource: &str, reason: &str) -> Option<Note> {
    let (_, readers) = READERS.iter().find(|(kind, _)| *kind == resource)?;
    let cluster = decision.view.cluster;
    let (severity, consequence) = if cluster.template(cluster.pod(decision.pod)).volumes.is_empty() {
        (Severity::Info, "the pod has no volumes that would need them".to_owned())
    } else {
        (Severity::Error, format!("{readers} cannot be relied on"))
    };
    Some(Note::new(severity, resource, format!("could not be read: {reason}; {consequence}")))
}

/// Adds the notes of a decision.
pub(super) fn add(decision: &Decision, notes: &mut Vec<Note>) {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    let claims: Vec<&Claim> = cluster.claims_of(pod).filter_map(|used| used.claim).collect();
    absent(decision, &claims, notes);
    let about = subject("Pod", cluster.text(pod.namespace), &pod.name);
    let mut classes: Vec<Sym> = waiting(&claims).map(|c| c.class).collect();
    classes.sort_by_key(|class| cluster.text(*class));
    classes.dedup();
    for class in classes {
        let wanted = waiting(&claims).filter(|c| c.class == class).count();
        if let Some((one, other)) = equally_large(&cluster.storage.volumes_of_class(class, &cluster.symbols))
            && wanted > 1
        {
            let text = format!(
                "{wanted} of its claims are of class {}, whose volumes {} and {} are equally large: which claim gets \
                 which is left to an order that the API does not show",
                cluster.text(class),
                cluster.text(one.name),
                cluster.text(other.name)
            );
            notes.push(Note::info(about.clone(), text));
        }
        let pools = cluster.storage.capacities_of_class(class, &cluster.symbols);
        if crashes(decision, &pools) {
            let text = format!(
                "a CSIStorageCapacity of class {} has a maximumVolumeSize but no capacity: kube-scheduler itself crashes \
                 when it scores a node by it",
                cluster.text(class)
            );
            notes.push(Note::warning(about.clone(), text));
        }
        if scores_differ(decision, &pools) {
            let text = format!(
                "several CSIStorageCapacities of class {} are about one node: which of them its score counts is left to \
                 an order that the API does not show",
                cluster.text(class)
            );
            notes.push(Note::info(about.clone(), text));
        }
    }
}

/// Kinds that the pod's volumes hang on and of which the input has not a single object, although it does not say that
/// there are none.
fn absent(decision: &Decision, claims: &[&Claim], notes: &mut Vec<Note>) {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    let (header, has_volumes) = (&cluster.header, !cluster.template(pod).volumes.is_empty());
    let features = &decision.profile().features;
    let counts_attached = features.node_volume_limits.csi_limits_count_attached && cluster.storage.has_limits();
    for kind in cluster.storage.absent_kinds() {
        let known = header.resource_versions.contains_key(kind) || header.unreadable.iter().any(|u| u.resource == kind);
        let severity = match kind {
            "persistentvolumeclaims" if cluster.claims_of(pod).next().is_some() => Severity::Error,
            "persistentvolumes" if claims.iter().any(|c| !c.volume_name.is_empty()) => Severity::Error,
            "storageclasses" if waiting(claims).next().is_some() => Severity::Error,
            "csinodes" if has_volumes && features.node_volume_limits.csi_limits_from != CsiLimits::Node => {
                Severity::Warning
            }
            "volumeattachments" if has_volumes && counts_attached => Severity::Warning,
            _ => continue,
        };
        if let Some((_, readers)) = READERS.iter().find(|(k, _)| *k == kind).filter(|_| !known) {
            let text = format!("there are none in the input; if the cluster has some, {readers} cannot be relied on");
            notes.push(Note::new(severity, kind, text));
        }
    }
}

/// Claims that are still to be bound and have a class.
fn waiting<'c>(claims: &[&'c Claim]) -> impl Iterator<Item = &'c Claim> {
    claims.iter().copied().filter(|c| c.volume_name.is_empty() && !c.class.is_empty())
}

/// Two free volumes of the same capacity.
fn equally_large<'v>(volumes: &[&'v PersistentVolume]) -> Option<(&'v PersistentVolume, &'v PersistentVolume)> {
    let free: Vec<_> = volumes.iter().copied().filter(|v| v.available && v.claim.is_none()).collect();
    free.iter().enumerate().find_map(|(i, one)| {
        let other = free.iter().skip(i + 1).find(|other| other.capacity.compare(one.capacity).is_eq())?;
        Some((*one, *other))
    })
}

/// Whether a feasible node reaches pools of different capacity, and that counts.
fn scores_differ(decision: &Decision, pools: &[&Capacity]) -> bool {
    reached(decision, pools).any(|of_node| {
        let mut capacities = of_node.iter().map(|pool| pool.capacity);
        capacities.next().is_some_and(|first| capacities.any(|other| other != first))
    })
}

/// Whether a feasible node may be scored by a pool that does not say how large it is.
///
/// Upstream: `pkg/scheduler/framework/plugins/volumebinding/volume_binding.go` `Score` (1.37).
fn crashes(decision: &Decision, pools: &[&Capacity]) -> bool {
    let unsized_pool = |pool: &&Capacity| pool.capacity.is_none() && pool.largest.is_some();
    reached(decision, pools).any(|of_node| of_node.iter().any(unsized_pool))
}

/// The pools that each feasible node reaches, if nodes are scored by them.
fn reached<'p>(decision: &Decision, pools: &[&'p Capacity]) -> impl Iterator<Item = Vec<&'p Capacity>> {
    let cluster = decision.view.cluster;
    let scored = decision.outcome == Outcome::Schedulable
        && decision.profile().features.volume_binding.storage_capacity_scoring
        && decision.feasible().nth(1).is_some();
    decision.feasible().filter(move |_| scored).map(move |node| {
        let labels = cluster.labels(cluster.node(node).labels);
        pools.iter().copied().filter(|pool| pool.nodes.matches(labels)).collect()
    })
}

#[cfg(test)]
mod tests;
