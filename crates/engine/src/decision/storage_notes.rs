//! Notes about the volumes of a pod: storage that could not be read, and orders that the API does not show.

use std::borrow::Cow;

use super::{Decision, Outcome};
use crate::cluster::Kind;
use crate::cluster::notes::{Note, Severity, subject};
use crate::cluster::storage::{Capacity, Claim, PersistentVolume};
use crate::cluster::symbols::Sym;
use crate::profile::history::CsiLimits;

/// The plugins that read a kind of storage; `None` for any other kind.
const fn readers(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::PersistentVolumeClaim => "VolumeRestrictions, NodeVolumeLimits, VolumeBinding and VolumeZone",
        Kind::PersistentVolume | Kind::StorageClass => "NodeVolumeLimits, VolumeBinding and VolumeZone",
        Kind::CsiNode | Kind::CsiDriver => "NodeVolumeLimits and VolumeBinding",
        Kind::CsiStorageCapacity => "VolumeBinding",
        Kind::VolumeAttachment => "NodeVolumeLimits",
        _ => return None,
    })
}

/// What it means for the decision that a kind of storage could not be read; `None` for any other kind.
pub(super) fn unreadable(decision: &Decision, kind: Kind) -> Option<(Severity, Cow<'static, str>)> {
    let readers = readers(kind)?;
    let cluster = decision.view.cluster;
    Some(if cluster.template(cluster.pod(decision.pod)).volumes.is_empty() {
        (Severity::Info, "the pod has no volumes that would need them".into())
    } else {
        (Severity::Error, format!("{readers} cannot be relied on").into())
    })
}

/// Adds the notes about the volumes of the incoming pod.
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

/// Notes about kinds that the pod's volumes need and of which the input has no object, unless the input says that it
/// has listed the kind.
fn absent(decision: &Decision, claims: &[&Claim], notes: &mut Vec<Note>) {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    let (header, has_volumes) = (&cluster.header, !cluster.template(pod).volumes.is_empty());
    let features = &decision.profile().features;
    let counts_attached = features.node_volume_limits.csi_limits_count_attached && cluster.storage.has_limits();
    for kind in cluster.storage.absent_kinds() {
        let resource = kind.plural();
        let was_read = header.resource_versions.contains_key(resource);
        let was_tried = header.unreadable.iter().any(|u| u.resource == resource);
        let severity = match kind {
            Kind::PersistentVolumeClaim if cluster.claims_of(pod).next().is_some() => Severity::Error,
            Kind::PersistentVolume if claims.iter().any(|c| !c.volume_name.is_empty()) => Severity::Error,
            Kind::StorageClass if waiting(claims).next().is_some() => Severity::Error,
            Kind::CsiNode if has_volumes && features.node_volume_limits.csi_limits_from != CsiLimits::Node => {
                Severity::Warning
            }
            Kind::VolumeAttachment if has_volumes && counts_attached => Severity::Warning,
            _ => continue,
        };
        if let Some(readers) = readers(kind).filter(|_| !was_read && !was_tried) {
            let text = format!("there are none in the input; if the cluster has some, {readers} cannot be relied on");
            notes.push(Note::new(severity, resource, text));
        }
    }
}

/// Claims of a storage class that are not bound yet.
fn waiting<'c>(claims: &[&'c Claim]) -> impl Iterator<Item = &'c Claim> {
    claims.iter().copied().filter(|c| c.volume_name.is_empty() && !c.class.is_empty())
}

/// Two available volumes of the same capacity.
fn equally_large<'v>(volumes: &[&'v PersistentVolume]) -> Option<(&'v PersistentVolume, &'v PersistentVolume)> {
    let free: Vec<_> = volumes.iter().copied().filter(|v| v.available && v.claim.is_none()).collect();
    free.iter().enumerate().find_map(|(i, one)| {
        let other = free.iter().skip(i + 1).find(|other| other.capacity.compare(one.capacity).is_eq())?;
        Some((*one, *other))
    })
}

/// Whether a feasible node is scored by one of several `CSIStorageCapacity` objects of different size.
fn scores_differ(decision: &Decision, pools: &[&Capacity]) -> bool {
    reached(decision, pools).any(|of_node| {
        let mut capacities = of_node.iter().map(|pool| pool.capacity);
        capacities.next().is_some_and(|first| capacities.any(|other| other != first))
    })
}

/// Whether a feasible node may be scored by a CSIStorageCapacity without `capacity`, on which kube-scheduler crashes.
///
/// Upstream: `pkg/scheduler/framework/plugins/volumebinding/volume_binding.go` `Score` (1.37).
fn crashes(decision: &Decision, pools: &[&Capacity]) -> bool {
    let unsized_pool = |pool: &&Capacity| pool.capacity.is_none() && pool.largest.is_some();
    reached(decision, pools).any(|of_node| of_node.iter().any(unsized_pool))
}

/// The `CSIStorageCapacity` objects accessible from each feasible node; none unless the decision scores nodes by them.
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
