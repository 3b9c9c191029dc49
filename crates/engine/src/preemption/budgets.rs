//! Which pods cannot be evicted without violating a PodDisruptionBudget.
//!
//! Upstream: `pkg/scheduler/framework/preemption/util.go` `FilterVictimsWithPDBViolation` (1.37); up to 1.36 every
//! matching budget is counted down. Only selector, `disruptionsAllowed` and `disruptedPods` are looked at.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use smallvec::SmallVec;

use crate::cluster::Cluster;
use crate::cluster::budget::BudgetIx;
use crate::cluster::pod::{Pod, PodIx};
use crate::cluster::selector::{Operator, Selector};
use crate::cluster::symbols::Sym;
use crate::profile::history::{BudgetCounting, Preemption};

/// Budgets of one pod.
pub type Budgets = SmallVec<[BudgetIx; 2]>;

/// Budgets by what they select, so that a pod meets only those that may be about it.
#[derive(Debug, Default)]
pub struct BudgetIndex {
    by_label: IndexMap<(Sym, Sym, Sym), Vec<BudgetIx>, foldhash::fast::RandomState>,
    others: BTreeMap<Sym, Vec<BudgetIx>>,
    /// Whether pods without labels may be protected.
    unlabeled: bool,
    /// Whether pods whose eviction a budget has counted are left out.
    know_disrupted: bool,
}

impl BudgetIndex {
    /// Sorts the budgets of a cluster.
    #[must_use]
    pub fn new(cluster: &Cluster, features: &Preemption) -> Self {
        let select_everything = features.budgets_select_everything;
        let mut index =
            Self { unlabeled: select_everything, know_disrupted: features.budgets_know_disrupted, ..Self::default() };
        for ix in cluster.budget_indices() {
            let budget = cluster.budget(ix);
            // Parity: `{}` selects nothing here up to 1.37 (kubernetes/kubernetes#141785), nor does an absent selector.
            let Selector::All(requirements) = &budget.selector else { continue };
            if requirements.is_empty() && !select_everything {
                continue;
            }
            match requirements.iter().find(|r| r.operator == Operator::In) {
                Some(requirement) => {
                    for value in &requirement.values {
                        let listed = index.by_label.entry((budget.namespace, requirement.key, *value)).or_default();
                        listed.push(ix);
                    }
                }
                None => index.others.entry(budget.namespace).or_default().push(ix),
            }
        }
        index
    }

    /// Budgets that protect `pod`, by namespace and name; those that have its eviction counted already are left out.
    #[must_use]
    pub fn of(&self, pod: &Pod, cluster: &Cluster) -> Budgets {
        let labels = cluster.labels(pod.labels);
        let mut found = Budgets::new();
        // Parity: a pod without labels is never protected, whatever the selector, up to 1.37.
        if (labels.is_empty() && !self.unlabeled) || (self.by_label.is_empty() && self.others.is_empty()) {
            return found;
        }
        let by_label =
            labels.iter().filter_map(|(key, value)| self.by_label.get(&(pod.namespace, *key, *value))).flatten();
        for ix in by_label.chain(self.others.get(&pod.namespace).into_iter().flatten()) {
            let budget = cluster.budget(*ix);
            let counted = self.know_disrupted && budget.disrupted.contains(&pod.name);
            if budget.selector.matches(labels) && !counted {
                found.push(*ix);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// A potential victim with the budgets that its eviction violates; none if it does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The pod.
    pub pod: PodIx,
    /// Violated budgets.
    pub violates: Budgets,
}

/// Counts the budgets down over `pods`, most important first, and says whose eviction violates one. The most important
/// pods use the budget up first, whether or not they are evicted in the end.
///
/// `order` is the order in which the scheduler walks the budgets of a pod, which the API does not show; it matters only
/// where the walk stops at the first budget that has run out.
#[must_use]
pub fn split(
    pods: &[(PodIx, Budgets)],
    cluster: &Cluster,
    features: &Preemption,
    order: &dyn Fn(BudgetIx) -> usize,
) -> Vec<Split> {
    let mut left: IndexMap<BudgetIx, i64, foldhash::fast::RandomState> = IndexMap::default();
    pods.iter()
        .map(|(pod, budgets)| {
            let mut walked = budgets.clone();
            walked.sort_by_key(|b| order(*b));
            let mut violates = Budgets::new();
            for budget in walked {
                let left = left.entry(budget).or_insert_with(|| cluster.budget(budget).allowed);
                let exhausted = *left <= 0;
                if features.budget_counting != BudgetCounting::NotCounted {
                    *left -= 1;
                }
                if exhausted {
                    violates.push(budget);
                    if features.budget_counting == BudgetCounting::UntilFirst {
                        break;
                    }
                }
            }
            Split { pod: *pod, violates }
        })
        .collect()
}

#[cfg(test)]
mod tests;
