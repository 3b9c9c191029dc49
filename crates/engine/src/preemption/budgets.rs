//! Which potential victims cannot be evicted without violating a PodDisruptionBudget.
//!
//! Upstream: `pkg/scheduler/framework/preemption/util.go` `FilterVictimsWithPDBViolation` (1.37); up to 1.36 every
//! matching budget is counted down. Only selector, `disruptionsAllowed` and `disruptedPods` are used.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use smallvec::SmallVec;

use super::step::StepDoc;
use crate::cluster::Cluster;
use crate::cluster::budget::BudgetIx;
use crate::cluster::pod::{Pod, PodIx};
use crate::cluster::selector::{Operator, Selector};
use crate::cluster::symbols::Sym;
use crate::framework::reason::When;
use crate::profile::history::{BudgetCounting, Preemption};

/// The step.
pub(super) static STEP: StepDoc = StepDoc {
    code: "PRE-405",
    name: "budgets",
    meaning: "Pods whose eviction would violate a PodDisruptionBudget are set apart: they are brought back first, but \
              evicted all the same if there is no other way.",
    when: When::Always,
    source: "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (1.37)",
};

/// The budgets that select one pod.
pub(crate) type Budgets = SmallVec<[BudgetIx; 2]>;

/// An index of the budgets by a label that they select, so that a pod is compared only with those that may select it.
#[derive(Debug, Default)]
pub struct BudgetIndex {
    by_label: IndexMap<(Sym, Sym, Sym), Vec<BudgetIx>, foldhash::fast::RandomState>,
    others: BTreeMap<Sym, Vec<BudgetIx>>,
    /// Whether pods without labels may be protected.
    unlabeled: bool,
    /// Whether a budget ignores pods in its `disruptedPods`.
    know_disrupted: bool,
}

impl BudgetIndex {
    /// Indexes the budgets of a cluster.
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

    /// The budgets that select `pod`, by namespace and name, without those that have already counted its eviction.
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

/// A potential victim with the budgets that its eviction violates; the list may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VictimBudgets {
    /// The pod.
    pub pod: PodIx,
    /// Violated budgets.
    pub violates: Budgets,
}

/// Counts down the budgets over `pods`, most important first, and returns the budgets that each eviction violates. The
/// most important pods use up a budget first, whether or not they are evicted in the end.
///
/// `order` ranks the budgets of a pod as the scheduler walks them. The API does not show this order; it matters only in
/// versions in which the walk stops at the first exhausted budget.
#[must_use]
pub(crate) fn count_violations(
    pods: &[(PodIx, Budgets)],
    cluster: &Cluster,
    features: &Preemption,
    order: &dyn Fn(BudgetIx) -> usize,
) -> Vec<VictimBudgets> {
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
            VictimBudgets { pod: *pod, violates }
        })
        .collect()
}

#[cfg(test)]
mod tests;
