//! Which potential victims cannot be evicted without violating a PodDisruptionBudget.
//!
//! Upstream: `pkg/scheduler/framework/preemption/util.go` `FilterVictimsWithPDBViolation` (1.37);
//! up to 1.36 every matching budget is counted down. Only selector, `disruptionsAllowed` and
//! `disruptedPods` matter.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use indexmap::IndexMap;

use super::importance::StepDoc;
pub use crate::framework::cluster_view::potential_victims::Budgets;
use crate::framework::reason::When;
use model::cluster::selector::{Operator, Selector};
use model::cluster::{BudgetIx, Cluster, Pod, PodIx, Sym};
use profile::history::{BudgetCounting, Preemption};

pub(super) static STEP: StepDoc = StepDoc {
    code: "PRE-405",
    name: "budgets",
    meaning: "Pods whose eviction would violate a PodDisruptionBudget are sorted separately: their reprieve is tried first, but they are evicted if there is no other way.",
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.37)",
};

/// Budgets indexed by a label that they select, so that a pod is compared only with those that may
/// select it.
#[derive(Debug, Default)]
pub struct BudgetIndex {
    by_label: IndexMap<(Sym, Sym, Sym), Vec<BudgetIx>, foldhash::fast::RandomState>,
    others: BTreeMap<Sym, Vec<BudgetIx>>,
    /// Whether pods without labels may be protected.
    unlabeled: bool,
    /// Whether a budget ignores pods in its `disruptedPods`.
    know_disrupted: bool,
    /// By label set: the budgets that select it, in the first namespace that was looked up.
    known: OnceLock<Vec<OnceLock<(Sym, Budgets)>>>,
}

impl BudgetIndex {
    /// Indexes the budgets of a cluster.
    pub fn new(cluster: &Cluster, features: &Preemption) -> Self {
        let select_everything = features.budgets_select_everything;
        let mut index = Self {
            unlabeled: select_everything,
            know_disrupted: features.budgets_know_disrupted,
            ..Self::default()
        };
        for ix in cluster.budget_indices() {
            let budget = cluster.budget(ix);
            // Parity: `{}` selects nothing here up to 1.37 (kubernetes/kubernetes#141785), nor does
            // an absent selector.
            let Selector::All(requirements) = &budget.selector else { continue };
            if requirements.is_empty() && !select_everything {
                continue;
            }
            match requirements.iter().find(|r| r.operator == Operator::In) {
                Some(requirement) => {
                    for value in requirement.values.iter() {
                        let listed = index
                            .by_label
                            .entry((budget.namespace, requirement.key, *value))
                            .or_default();
                        listed.push(ix);
                    }
                }
                None => index.others.entry(budget.namespace).or_default().push(ix),
            }
        }
        index
    }

    fn is_empty(&self) -> bool {
        self.by_label.is_empty() && self.others.is_empty()
    }

    /// The budgets that select `pod`, by namespace and name, without those that already count it as
    /// disrupted.
    pub fn of(&self, pod: &Pod, cluster: &Cluster) -> Budgets {
        // Parity: a pod without labels is never protected, whatever the selector, up to 1.37.
        if self.is_empty() || (cluster.labels(pod.labels).is_empty() && !self.unlabeled) {
            return Budgets::new();
        }
        let selecting = || self.selecting(pod.namespace, cluster.labels(pod.labels), cluster);
        // Pods of one owner have the same labels.
        let known = self.known.get_or_init(|| {
            std::iter::repeat_with(OnceLock::new).take(cluster.label_sets.len()).collect()
        });
        let known = known
            .get(pod.labels.0 as usize)
            .map(|known| known.get_or_init(|| (pod.namespace, selecting())));
        let mut found = match known {
            Some((namespace, found)) if *namespace == pod.namespace => found.clone(),
            Some(_) | None => selecting(),
        };
        if self.know_disrupted {
            found.retain(|ix| !cluster.budget(*ix).disrupted.contains(&pod.name));
        }
        found
    }

    fn selecting(&self, namespace: Sym, labels: &[(Sym, Sym)], cluster: &Cluster) -> Budgets {
        let by_label = labels
            .iter()
            .filter_map(|(key, value)| self.by_label.get(&(namespace, *key, *value)))
            .flatten();
        let listed = by_label.chain(self.others.get(&namespace).into_iter().flatten()).copied();
        let mut budgets: Budgets =
            listed.filter(|ix| cluster.budget(*ix).selector.matches(labels)).collect();
        budgets.sort_unstable();
        budgets.dedup();
        budgets
    }
}

/// Whether evicting each of these pods, the most important first, violates a budget.
pub fn violating(
    pods: &[PodIx],
    index: &BudgetIndex,
    cluster: &Cluster,
    features: &Preemption,
) -> Vec<bool> {
    let counted = pods
        .iter()
        .map(|pod| VictimBudgets { pod: *pod, violates: index.of(cluster.pod(*pod), cluster) });
    let mut counted: Vec<VictimBudgets> = counted.collect();
    count_violations(&mut counted, cluster, features, &|budget| budget.0 as usize);
    counted.iter().map(|victim| !victim.violates.is_empty()).collect()
}

/// A potential victim with the budgets that select it; in the end, only those that its eviction
/// violates remain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VictimBudgets {
    pub pod: PodIx,
    pub violates: Budgets,
}

/// Counts down the budgets over `pods`, most important first, and leaves each pod those that its
/// eviction violates. The most important pods use up a budget first, whether or not they are
/// evicted in the end.
///
/// `order` ranks the budgets of a pod as the scheduler walks them. The API does not show this
/// order; it matters only in versions in which the walk stops at the first exhausted budget.
pub(crate) fn count_violations(
    pods: &mut [VictimBudgets],
    cluster: &Cluster,
    features: &Preemption,
    order: &dyn Fn(BudgetIx) -> usize,
) {
    let mut remaining_budget: IndexMap<BudgetIx, i64, foldhash::fast::RandomState> =
        IndexMap::default();
    for VictimBudgets { violates, .. } in pods {
        violates.sort_by_key(|budget| order(*budget));
        let mut walks_on = true;
        violates.retain(|budget| {
            if !walks_on {
                return false;
            }
            let remaining =
                remaining_budget.entry(*budget).or_insert_with(|| cluster.budget(*budget).allowed);
            let exhausted = *remaining <= 0;
            if features.budget_counting != BudgetCounting::NotCounted {
                *remaining -= 1;
            }
            // Parity: in 1.18 and since 1.37 the walk stops at the first exhausted budget, and
            // those after it are not counted down.
            walks_on = !exhausted || features.budget_counting != BudgetCounting::UntilFirst;
            exhausted
        });
    }
}

#[cfg(test)]
mod tests;
