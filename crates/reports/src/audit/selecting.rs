//! Which budgets select which pods.

use model::cluster::symbols::PoolIx;
use model::cluster::{BudgetIx, Cluster, Pod, Sym};
use std::collections::{BTreeMap, BTreeSet};

/// The budgets that select the active pods of a namespace with the same labels. The eviction API
/// considers only the labels; kube-scheduler ignores some budgets, see `preemption::budgets`.
pub(super) struct Selecting {
    by_labels: BTreeMap<(Sym, PoolIx), Vec<BudgetIx>>,
}

impl Selecting {
    pub(super) fn of(cluster: &Cluster) -> Self {
        let mut by_namespace: BTreeMap<Sym, Vec<BudgetIx>> = BTreeMap::new();
        for ix in cluster.budget_indices() {
            by_namespace.entry(cluster.budget(ix).namespace).or_default().push(ix);
        }
        let mut by_labels = BTreeMap::new();
        for pod in cluster.pods.iter().filter(|pod| pod.is_active()) {
            let Some(budgets) = by_namespace.get(&pod.namespace) else { continue };
            by_labels.entry((pod.namespace, pod.labels)).or_insert_with(|| {
                let labels = cluster.labels(pod.labels);
                let budgets = budgets.iter().copied();
                budgets.filter(|ix| cluster.budget(*ix).selector.matches(labels)).collect()
            });
        }
        Self { by_labels }
    }

    pub(super) fn of_pod(&self, pod: &Pod) -> &[BudgetIx] {
        self.by_labels.get(&(pod.namespace, pod.labels)).map_or(&[], Vec::as_slice)
    }

    /// The budgets that select any pod.
    pub(super) fn useful(&self) -> BTreeSet<BudgetIx> {
        self.by_labels.values().flatten().copied().collect()
    }
}
