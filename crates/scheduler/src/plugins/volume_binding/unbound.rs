//! Why a claim is not bound. This is the question when no volume was found for it. Volumes are
//! compared with the claim in kube-scheduler's order, and the first difference is kept.
//!
//! Upstream: `component-helpers/storage/volume/pv_helpers.go` `FindMatchingVolume` (1.37).

use std::sync::Arc;

use crate::framework::plugin::Cycle;
use crate::framework::storage_evidence::{
    SearchedVolumes, SelectedBy, UnboundCause, UnboundClaim, UnsuitedVolume, VolumeMismatch,
};
use model::cluster::Sym;
use model::cluster::node_selector::unmet;
use model::cluster::selector::Selector;
use model::cluster::storage::{ClaimRef, PersistentVolume, StorageClass, VolumeClaim, selects};

/// Maximum number of unsuitable volumes that are kept.
const MOST_VOLUMES: usize = 10;
/// The provisioner of classes whose volumes are created by hand.
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// Whether nothing provisions volumes of a class.
pub(super) fn is_by_hand(class: &StorageClass, cycle: &Cycle) -> bool {
    class.provisioner_name.is_empty()
        || cycle.cluster().text(class.provisioner_name) == NO_PROVISIONER
}

/// A claim without a matching volume on some node, and without anything that provisions one there.
pub(super) fn on_a_node(
    claim: &VolumeClaim,
    class: &StorageClass,
    volumes: Arc<SearchedVolumes>,
    taken: Box<[Sym]>,
    cycle: &Cycle,
) -> UnboundClaim {
    let cause =
        if is_by_hand(class, cycle) { UnboundCause::ByHand } else { UnboundCause::OtherTopology };
    UnboundClaim { volumes, taken, ..of(claim, cause) }
}

/// A claim whose volume is provisioned for `node`, which is not the node being filtered.
pub(super) fn for_node(claim: &VolumeClaim, node: Sym, cycle: &Cycle) -> UnboundClaim {
    let exists = cycle.cluster().find_node(cycle.cluster().text(node)).is_some();
    let is_annotated = claim.selected_node == Some(node);
    let by = if is_annotated { SelectedBy::Annotation } else { SelectedBy::EarlierPod };
    of(claim, UnboundCause::ForNode { node, exists, by })
}

/// A claim that should be bound before any pod that uses it is scheduled.
pub(super) fn at_once(claim: &VolumeClaim, cycle: &Cycle) -> UnboundClaim {
    let storage = &cycle.cluster().storage;
    if !claim.volume_name.is_empty() {
        let (volume, exists) = (claim.volume_name, storage.volume(claim.volume_name).is_some());
        return of(claim, UnboundCause::NamesVolume { volume, exists });
    }
    let cause = match storage.class(claim.class) {
        _ if claim.class.is_empty() => UnboundCause::NoClass,
        None => UnboundCause::ClassMissing,
        Some(class) if is_by_hand(class, cycle) => UnboundCause::ByHand,
        Some(class) => UnboundCause::AtOnce { provisioner: class.provisioner_name },
    };
    UnboundClaim { volumes: Arc::new(searched(claim, claim.class, cycle)), ..of(claim, cause) }
}

fn of(claim: &VolumeClaim, cause: UnboundCause) -> UnboundClaim {
    UnboundClaim {
        claim: claim.name,
        class: claim.class,
        wanted: claim.request.unwrap_or_default().value(),
        cause,
        volumes: Arc::default(),
        taken: Box::default(),
    }
}

/// Why no volume matches a claim that gets the volumes of `class`, whatever the node. Volumes of
/// other classes are included if their class is the only mismatch.
pub(super) fn searched(claim: &VolumeClaim, class: Sym, cycle: &Cycle) -> SearchedVolumes {
    let cluster = cycle.cluster();
    let mut of_other_claims = 0;
    let mut unsuited: Vec<UnsuitedVolume> = Vec::new();
    for volume in cluster.storage.volumes(&cluster.symbols) {
        let holder = holder(volume, claim, cycle);
        if holder == Holder::OtherClaim {
            of_other_claims += usize::from(volume.class == class);
            continue;
        }
        let mismatch = mismatch(volume, claim, &holder, cycle);
        let is_class_alone = matches!(mismatch, VolumeMismatch::Class { .. })
            && missing_modes(volume, claim).is_empty();
        if volume.class == class || is_class_alone {
            unsuited.push(UnsuitedVolume { volume: volume.name, mismatch });
        }
    }
    unsuited.sort_by_key(|volume| std::cmp::Reverse(volume.mismatch.checks_passed()));
    let more = unsuited.len().saturating_sub(MOST_VOLUMES);
    unsuited.truncate(MOST_VOLUMES);
    // Only for the volumes that are kept, since it checks every node.
    for volume in &mut unsuited {
        if let VolumeMismatch::Unreachable { nodes, .. } = &mut volume.mismatch {
            *nodes = reached_by(volume.volume, cycle);
        }
    }
    SearchedVolumes { unsuited: unsuited.into(), more, of_other_claims }
}

/// Which claim a volume belongs to.
#[derive(Debug, PartialEq, Eq)]
enum Holder {
    /// None.
    NoClaim,
    /// The claim in question: the volume is reserved for it.
    Claim,
    /// Another one that exists, or that belongs to an earlier pod of a group.
    OtherClaim,
    /// One that does not exist, or an earlier one of the same name.
    GoneClaim,
}

fn holder(volume: &PersistentVolume, claim: &VolumeClaim, cycle: &Cycle) -> Holder {
    let reserved = cycle.view.reserved();
    if reserved.is_for(volume, claim) {
        return Holder::Claim;
    }
    if reserved.is_free(volume) {
        return Holder::NoClaim;
    }
    let Some(ClaimRef { namespace, name, uid }) = &volume.claim else { return Holder::OtherClaim };
    let of_that_name = cycle.cluster().storage.claim(*namespace, *name);
    let exists = of_that_name
        .is_some_and(|other| uid.is_empty() || other.uid.is_empty() || other.uid == *uid);
    if exists { Holder::OtherClaim } else { Holder::GoneClaim }
}

/// The first mismatch between a volume and a claim; that only other nodes can reach it counts last.
fn mismatch(
    volume: &PersistentVolume,
    claim: &VolumeClaim,
    holder: &Holder,
    cycle: &Cycle,
) -> VolumeMismatch {
    let features = &cycle.features().volume_binding;
    if *holder == Holder::GoneClaim
        && let Some(ClaimRef { namespace, name, .. }) = &volume.claim
    {
        return VolumeMismatch::Reserved { namespace: *namespace, claim: *name };
    }
    if volume.capacity.compare(claim.request.unwrap_or_default()).is_lt() {
        return VolumeMismatch::Size { capacity: volume.capacity.value() };
    }
    if volume.mode != claim.mode {
        return VolumeMismatch::Mode { found: volume.mode, wanted: claim.mode };
    }
    let attributes_class =
        if features.volume_attributes_class { claim.attributes_class } else { Sym::EMPTY };
    if features.volume_attributes_class_known && volume.attributes_class != attributes_class {
        return VolumeMismatch::AttributesClass {
            found: volume.attributes_class,
            wanted: attributes_class,
        };
    }
    if volume.deleting {
        return VolumeMismatch::Deleting;
    }
    // A volume that is reserved for the claim has been chosen for it: only whether the node can
    // reach it is checked.
    if *holder != Holder::Claim {
        if !volume.available && features.volumes_must_be_available {
            return VolumeMismatch::NotAvailable;
        }
        if let Some(Ok(Selector::All(requirements))) = &claim.selector {
            let unmet = unmet::of_labels(requirements, &volume.labels);
            if !unmet.is_empty() {
                return VolumeMismatch::Selector { unmet };
            }
        }
        if volume.class != claim.class {
            return VolumeMismatch::Class { found: volume.class };
        }
        let missing = missing_modes(volume, claim);
        if !missing.is_empty() {
            return VolumeMismatch::AccessModes { found: volume.access_modes.clone(), missing };
        }
    }
    let first_term = volume.affinity.iter().flatten().next();
    let asks = first_term.map(|term| term.label_requirements().into()).unwrap_or_default();
    VolumeMismatch::Unreachable { asks, nodes: 0 }
}

/// The access modes of a claim that a volume lacks.
fn missing_modes(volume: &PersistentVolume, claim: &VolumeClaim) -> Box<[Sym]> {
    claim.access_modes.iter().copied().filter(|mode| !volume.access_modes.contains(mode)).collect()
}

/// How many nodes can reach a volume.
fn reached_by(volume: Sym, cycle: &Cycle) -> usize {
    let cluster = cycle.cluster();
    let Some(volume) = cluster.storage.volume(volume) else { return 0 };
    let reaches = |labels| selects(volume.affinity.as_ref(), labels, &cluster.symbols);
    cluster.nodes.iter().filter(|node| reaches(cluster.labels(node.labels))).count()
}

#[cfg(test)]
mod tests;
