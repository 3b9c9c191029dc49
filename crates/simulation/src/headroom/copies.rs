//! Copies of the pod in question that wait in the cluster, for each priority.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::hypothetical_pods;
use model::cluster::priority_class::SYSTEM_CLASSES;
use model::cluster::{Cluster, PodIx};
use model::edits::{self, Edit, PreemptionPolicy};

/// Maximum number of class priorities that are counted.
const MOST_CLASSES: usize = 12;

/// A priority that copies may have.
#[derive(Debug, Clone)]
pub(super) struct PriorityRow {
    pub(super) priority: i32,
    /// The class that gives it.
    pub(super) class: Option<String>,
    /// Whether pods of this row preempt others.
    pub(super) preempts: bool,
}

/// The pods of one row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asker {
    /// Asks as a pod of the class does.
    pub(super) preempts: PodIx,
    /// Asks without preemption.
    pub(super) never: PodIx,
    /// Represents every copy that was placed.
    pub(super) copy: PodIx,
}

/// The cluster with the waiting copies.
pub(super) struct WaitingCopies {
    pub(super) cluster: Cluster,
    /// By row.
    pub(super) askers: Vec<Asker>,
}

/// The pod's own priority, then those of the classes of the cluster, the highest first.
pub(super) fn rows(cluster: &Cluster, model: PodIx) -> Vec<PriorityRow> {
    let pod = cluster.pod(model);
    let template = cluster.template(pod);
    let class = cluster.text(template.priority_class);
    let own = PriorityRow {
        priority: pod.priority,
        class: (!class.is_empty()).then(|| class.to_owned()),
        preempts: !template.never_preempts,
    };

    // System classes are not meant for application pods, and of several classes with one priority
    // the first by name represents all.
    let mut classes: BTreeMap<(i64, bool), &str> = BTreeMap::new();
    for class in &cluster.priority_classes {
        let name = cluster.text(class.name);
        if SYSTEM_CLASSES.iter().any(|(system, _)| *system == name) {
            continue;
        }
        let class_name = classes.entry((class.value, class.never_preempts)).or_insert(name);
        *class_name = (*class_name).min(name);
    }
    let mut rows = vec![own];
    for ((value, never), name) in classes.into_iter().rev().take(MOST_CLASSES) {
        let Ok(priority) = i32::try_from(value) else { continue };
        let row = PriorityRow { priority, class: Some(name.to_owned()), preempts: !never };
        if !rows
            .first()
            .is_some_and(|own| own.priority == row.priority && own.preempts == row.preempts)
        {
            rows.push(row);
        }
    }
    rows
}

impl WaitingCopies {
    pub(super) fn add(
        cluster: &Cluster,
        model: PodIx,
        rows: &[PriorityRow],
        now: Timestamp,
    ) -> Self {
        let mut cluster = cluster.clone();
        let pods = add(&mut cluster, model, 3 * rows.len(), now);
        let mut askers = Vec::with_capacity(rows.len());
        for (row, pods) in rows.iter().zip(pods.chunks_exact(3)) {
            let &[preempts, never, copy] = pods else { continue };
            prepare(&mut cluster, &[preempts, never, copy], row);
            never_preempt(&mut cluster, &[never]);
            askers.push(Asker { preempts, never, copy });
        }
        Self { cluster, askers }
    }
}

/// Adds `number` waiting pods like `model` that nothing holds back. Indices of pods change.
pub(crate) fn add(
    cluster: &mut Cluster,
    model: PodIx,
    number: usize,
    now: Timestamp,
) -> Vec<PodIx> {
    let pod = cluster.pod(model);
    let namespace = cluster.text(pod.namespace).to_owned();
    let name = format!("{}-more", pod.name);
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    let pods = hypothetical_pods::replicas_of(model, &name, number, cluster, now);
    let names: Vec<String> = pods.iter().map(|pod| pod.name.to_string()).collect();
    cluster.insert(pods);
    names.iter().filter_map(|name| cluster.find_pod(&namespace, name)).collect()
}

/// Gives pods the priority of a row and removes their scheduling gates: the question is whether
/// they fit, and not when the gates are removed.
pub(super) fn prepare(cluster: &mut Cluster, pods: &[PodIx], row: &PriorityRow) {
    let policy =
        if row.preempts { PreemptionPolicy::PreemptLowerPriority } else { PreemptionPolicy::Never };
    let by_class = row.class.clone().map(|name| Edit::PriorityClass { name });
    // A class that the cluster does not have sets nothing; the number is sufficient.
    let edits = by_class.into_iter().chain([
        Edit::AsIfPreempting,
        Edit::PreemptionPolicy { policy },
        Edit::Priority { priority: row.priority },
    ]);
    edits.for_each(|edit| change(cluster, pods, &[edit]));
}

/// Sets the preemption policy of pods to `Never`.
pub(super) fn never_preempt(cluster: &mut Cluster, pods: &[PodIx]) {
    change(cluster, pods, &[Edit::PreemptionPolicy { policy: PreemptionPolicy::Never }]);
}

fn change(cluster: &mut Cluster, pods: &[PodIx], edits: &[Edit]) {
    // These edits only fail for a missing class, which changes nothing.
    let _ = edits::apply(cluster, pods, edits);
}
