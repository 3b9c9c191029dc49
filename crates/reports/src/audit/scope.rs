//! What the checks share.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::nominated::Nominations;
use crate::risk::{PreemptingPods, Preemptors};
use model::cluster::owner::Workload;
use model::cluster::symbols::PoolIx;
use model::cluster::{BudgetIx, Cluster, Pod, PodIx, Sym};
use profile::Profile;

/// The cluster in question, and what several checks compute from it.
pub(super) struct AuditScope<'c> {
    pub(super) cluster: &'c Cluster,
    /// The cluster whose priority classes are compared.
    pub(super) other: Option<&'c Cluster>,
    pub(super) profile: &'c Profile,
    pub(super) now: Timestamp,
    pub(super) users: Preemptors,
    pub(super) running: BTreeMap<Workload, Vec<PodIx>>,
    selecting: OnceCell<Selecting>,
    nominations: OnceCell<Nominations>,
}

impl<'c> AuditScope<'c> {
    pub(super) fn new(
        cluster: &'c Cluster,
        other: Option<&'c Cluster>,
        profile: &'c Profile,
        now: Timestamp,
    ) -> Self {
        let mut running: BTreeMap<Workload, Vec<PodIx>> = BTreeMap::new();
        for ix in cluster.pod_indices() {
            let pod = cluster.pod(ix);
            if pod.is_running() && !pod.is_terminating() {
                running.entry(cluster.workload(pod)).or_default().push(ix);
            }
        }
        Self {
            cluster,
            other,
            profile,
            now,
            users: Preemptors::of_users(cluster),
            running,
            selecting: OnceCell::new(),
            nominations: OnceCell::new(),
        }
    }

    pub(super) fn pods<'s>(&'s self, pods: &'s [PodIx]) -> impl Iterator<Item = &'s Pod> {
        pods.iter().map(|ix| self.cluster.pod(*ix))
    }

    /// The lowest priority of pods.
    pub(super) fn lowest(&self, pods: &[PodIx]) -> i32 {
        self.pods(pods).map(|pod| pod.priority).min().unwrap_or_default()
    }

    /// The names and priorities of what preempts pods of `priority`, without system classes.
    pub(super) fn preemptors(&self, priority: i32) -> Vec<String> {
        self.users.above(priority).map(|(value, preemptor)| named(value, preemptor)).collect()
    }

    /// The running pods by workload, for workloads with any pod that application pods can preempt.
    /// Static pods do not count.
    pub(super) fn preemptible(&self) -> impl Iterator<Item = Preemptible<'_>> {
        self.running.iter().filter_map(|(workload, pods)| {
            let priority = self.lowest(pods);
            let is_safe = !self.users.threaten(priority) || self.pods(pods).all(|pod| pod.mirror);
            (!is_safe).then_some(Preemptible { workload, pods, priority })
        })
    }

    pub(super) fn selecting(&self) -> &Selecting {
        self.selecting.get_or_init(|| Selecting::of(self.cluster))
    }

    pub(super) fn nominations(&self) -> &Nominations {
        self.nominations.get_or_init(|| Nominations::of(self.cluster, self.profile, self.now))
    }
}

/// A workload with a pod that application pods can preempt.
pub(super) struct Preemptible<'s> {
    pub(super) workload: &'s Workload,
    pub(super) pods: &'s [PodIx],
    /// The lowest priority of its pods.
    pub(super) priority: i32,
}

/// What preempts, with its priority: `high (1000)`.
fn named(value: i64, preemptor: &PreemptingPods) -> String {
    match preemptor {
        PreemptingPods::Class(name) => format!("{name} ({value})"),
        PreemptingPods::Pods(_) => format!("pods of priority {value}"),
    }
}

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
