//! What the volumes that a pod gets depend on: objects that may be missing, and orders that the API
//! does not show.

use super::{DOC, VolumeBinding};
use crate::framework::doubts::{DoubtContext, Doubts, Reliance};
use crate::framework::plugin::RuleDoc;
use model::cluster::storage::{PersistentVolume, StorageCapacity, VolumeClaim};
use model::cluster::{Kind, Sym};
use model::notes::{Note, NoteDoc};

static EQUAL_VOLUMES: NoteDoc = NoteDoc {
    code: "PRE-951",
    name: "volumes of equal size",
    meaning: "Several claims of the pod may get one of several volumes of the same size: which one gets which is not in the API. \
              With severity error, the pod may fit with one of them and not with the other.",
};
static CAPACITY_CRASH: NoteDoc = NoteDoc {
    code: "PRE-952",
    name: "a storage capacity without a capacity",
    meaning: "kube-scheduler crashes when it scores a node by a CSIStorageCapacity that has a maximumVolumeSize alone. Of \
              several that cover the node, the API does not show which one it uses.",
};
static SEVERAL_CAPACITIES: NoteDoc = NoteDoc {
    code: "PRE-953",
    name: "several storage capacities of one node",
    meaning: "Several CSIStorageCapacities of one class cover one node: the API does not show which of them its score uses.",
};

static NOTES: &[&NoteDoc] = &[&EQUAL_VOLUMES, &CAPACITY_CRASH, &SEVERAL_CAPACITIES];

impl Doubts for VolumeBinding {
    fn doc(&self) -> &'static RuleDoc {
        &DOC
    }

    fn notes(&self) -> &'static [&'static NoteDoc] {
        NOTES
    }

    fn doubts(&self, context: &DoubtContext) -> Vec<Note> {
        let cluster = context.cycle.cluster();
        let mut notes = Vec::new();
        let mut classes: Vec<Sym> = context.waiting_claims().map(|claim| claim.class).collect();
        classes.sort_by_key(|class| cluster.text(*class));
        classes.dedup();
        for class in classes {
            let name = cluster.text(class);
            let claims: Vec<&VolumeClaim> =
                context.waiting_claims().filter(|claim| claim.class == class).collect();
            let volumes = cluster.storage.volumes_of_class(class, &cluster.symbols);
            if let Some(Equal { volumes: (one, other), alike }) = equally_large(&volumes, &claims)
                && claims.len() > 1
            {
                let text = format!(
                    "{} of its claims are of class {name}, whose volumes {} and {} are equally large: which claim gets which depends on an order that the API does not show",
                    claims.len(),
                    cluster.text(one.name),
                    cluster.text(other.name)
                );
                let unlike = ", and another claim may fit only one of them";
                notes.push(if alike {
                    Note::info(&EQUAL_VOLUMES, text)
                } else {
                    Note::error(&EQUAL_VOLUMES, text + unlike)
                });
            }
            let pools = cluster.storage.capacities_of_class(class, &cluster.symbols);
            if crashes(context, &pools) {
                let text = format!(
                    "a CSIStorageCapacity of class {name} has a maximumVolumeSize but no capacity: if kube-scheduler scores a \
                     node by this one of several, it crashes"
                );
                notes.push(Note::error(&CAPACITY_CRASH, text));
            }
            if scores_differ(context, &pools) {
                let text = format!(
                    "several CSIStorageCapacities of class {name} cover one node: which of them its score uses depends on an order that the API does not show"
                );
                notes.push(Note::warning(&SEVERAL_CAPACITIES, text));
            }
        }
        let pod = cluster.pod_subject(context.cycle.ix);
        notes.into_iter().map(|note| note.about(pod.clone())).collect()
    }

    fn relies_on(&self, kind: Kind, context: &DoubtContext) -> Option<Reliance> {
        match kind {
            Kind::PersistentVolumeClaim
            | Kind::PersistentVolume
            | Kind::StorageClass
            | Kind::CsiNode
            | Kind::CsiDriver
            | Kind::CsiStorageCapacity => context.reliance_of_volumes(kind),
            _ => None,
        }
    }
}

/// Two available volumes of the same capacity.
struct Equal<'v> {
    volumes: (&'v PersistentVolume, &'v PersistentVolume),
    /// Whether each is suitable wherever the other is, for every claim, on a node that both can be
    /// used from.
    alike: bool,
}

/// Two available volumes of the same capacity; not alike ones, if possible.
fn equally_large<'v>(
    volumes: &[&'v PersistentVolume],
    claims: &[&VolumeClaim],
) -> Option<Equal<'v>> {
    let labels_count = claims.iter().any(|claim| claim.selector.is_some());
    let alike = |a: &PersistentVolume, b: &PersistentVolume| {
        (&a.access_modes, a.mode, a.attributes_class)
            == (&b.access_modes, b.mode, b.attributes_class)
            && (!labels_count || a.labels == b.labels)
    };
    let mut free: Vec<_> =
        volumes.iter().copied().filter(|v| v.available && v.claim.is_none()).collect();
    free.sort_by(|a, b| a.capacity.compare(b.capacity));
    let pairs = free
        .iter()
        .zip(free.iter().skip(1))
        .filter(|(a, b)| a.capacity.compare(b.capacity).is_eq());
    let mut equal = pairs.map(|(a, b)| Equal { volumes: (a, b), alike: alike(a, b) });
    let first = equal.next()?;
    if first.alike { Some(equal.find(|other| !other.alike).unwrap_or(first)) } else { Some(first) }
}

/// Whether a feasible node may be scored with several `CSIStorageCapacity` objects of different
/// size.
fn scores_differ(context: &DoubtContext, pools: &[&StorageCapacity]) -> bool {
    reached(context, pools).any(|of_node| {
        let mut capacities = of_node.iter().map(|pool| pool.capacity);
        capacities.next().is_some_and(|first| capacities.any(|other| other != first))
    })
}

/// Whether a feasible node may be scored with a CSIStorageCapacity without `capacity`, on which
/// kube-scheduler panics, or with another one.
///
/// Upstream: `pkg/scheduler/framework/plugins/volumebinding/volume_binding.go` `Score` (1.37).
fn crashes(context: &DoubtContext, pools: &[&StorageCapacity]) -> bool {
    reached(context, pools).any(|of_node| {
        of_node.iter().any(|pool| pool.capacity.is_none() && pool.largest.is_some())
            && of_node.iter().any(|pool| pool.capacity.is_some())
    })
}

/// The `CSIStorageCapacity` objects accessible from each feasible node; empty unless nodes are
/// scored with them.
fn reached<'p>(
    context: &DoubtContext,
    pools: &[&'p StorageCapacity],
) -> impl Iterator<Item = Vec<&'p StorageCapacity>> {
    let cluster = context.cycle.cluster();
    let scored =
        context.cycle.features().volume_binding.storage_capacity_scoring && context.scores_decide();
    context.feasible().filter(move |_| scored).map(move |node| {
        let labels = cluster.labels(cluster.node(node).labels);
        pools.iter().copied().filter(|pool| pool.nodes.matches(labels)).collect()
    })
}

#[cfg(test)]
mod tests;
