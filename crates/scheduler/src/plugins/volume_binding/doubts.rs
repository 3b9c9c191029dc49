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
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{
        attachment, claim, class, csi_driver, csi_node, node, notes_of, objects, pod, storage_left,
        volume,
    };

    /// Notes of what 1.37 decides about `p`, from a snapshot that says what was read.
    fn notes(objects: Vec<Value>, header: &Value) -> Vec<String> {
        notes_of("1.37", objects, header)
    }

    /// Whether one of the notes begins and ends like that.
    fn says(notes: &[String], begin: &str, end: &str) -> bool {
        notes.iter().any(|n| n.starts_with(begin) && n.ends_with(end))
    }

    #[test]
    fn orders_that_the_api_does_not_show_are_named() {
        let equal = "depends on an order that the API does not show";
        let drivers = || objects![csi_node("n", &[]), attachment("d", "n", "x")];
        let two = || {
            objects![
                node("n"),
                node("m"),
                class("fast", "d"),
                claim("c", "fast"),
                claim("d", "fast"),
                pod("p").claim("c").claim("d")
            ]
        };
        let one_size = || objects![volume("x", "fast"), volume("y", "fast")];
        let ask = |more: Vec<Value>| notes([two(), drivers(), more].concat(), &json!({}));
        assert!(says(
            &ask(one_size()),
            "info Pod default/p: 2 of its claims are of class fast",
            equal
        ));
        let modes = |modes: &[&str]| volume("y", "fast").with("/spec/accessModes", json!(modes));
        let unlike = "and another claim may fit only one of them";
        let two_modes =
            ask(objects![volume("x", "fast"), modes(&["ReadWriteOnce", "ReadWriteMany"])]);
        assert!(
            says(&two_modes, "error Pod default/p: 2 of its claims are of class fast", unlike),
            "{two_modes:?}"
        );
        let sizes = ask(objects![volume("x", "fast"), volume("y", "fast").size("2Gi")]);
        assert!(!sizes.iter().any(|n| n.ends_with(equal)), "{sizes:?}");
        let pools = |other: &str| {
            let left = |name: &str, size: &str| storage_left(name, "fast", size, ("disk", "ssd"));
            let fast = |name: &str| node(name).label("disk", "ssd");
            ask(objects![
                fast("n"),
                fast("m"),
                csi_driver("d"),
                left("a", "10Gi"),
                left("b", other)
            ])
        };
        assert!(says(
            &pools("20Gi"),
            "warning Pod default/p: several CSIStorageCapacities of class fast",
            equal
        ));
        assert!(!pools("10Gi").iter().any(|n| n.ends_with(equal)), "pools of the same size");
    }

    /// Notes where these `CSIStorageCapacity` objects cover both nodes.
    fn notes_with_pools(pools: Vec<Value>) -> Vec<String> {
        let drivers = objects![csi_driver("d"), csi_node("n", &[])];
        let nodes = objects![node("n").label("disk", "ssd"), node("m").label("disk", "ssd")];
        let wanted = objects![class("fast", "d"), claim("c", "fast"), pod("p").claim("c")];
        notes([nodes, drivers, wanted, pools].concat(), &json!({}))
    }

    #[test]
    fn capacity_one_of_several_without_size_may_crash_the_scheduler() {
        let left = |name: &str| storage_left(name, "fast", "10Gi", ("disk", "ssd"));
        let without_size =
            || left("a").with("/maximumVolumeSize", "5Gi").with("/capacity", Value::Null);
        let said = |notes: &[String]| {
            says(notes, "error Pod default/p: a CSIStorageCapacity of class fast", "it crashes")
        };
        let mixed = notes_with_pools(objects![without_size(), left("b")]);
        assert!(said(&mixed), "{mixed:?}");
        assert!(!said(&notes_with_pools(objects![
            left("a").with("/maximumVolumeSize", "5Gi"),
            left("b")
        ])));
        // What is certain is the outcome, and needs no note.
        assert!(!said(&notes_with_pools(objects![without_size()])));
    }
}
