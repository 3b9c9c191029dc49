//! Plans for a group that follow the scheduler's rules but that it does not make, because they
//! leave some potential victims alone. The scheduler makes one plan and places the pods by score
//! alone, so it may evict important or protected pods where others would do.

use std::collections::BTreeSet;

use super::preemption::{self, GroupPlan, GroupPreemptor};
use super::select::Memory;
use super::tree::{Tree, TreeSearch};
use super::{GroupDecision, v1_36};
use crate::framework::cluster_view::ClusterView;
use crate::preemption::budgets::BudgetIndex;
use crate::preemption::dry_run::DryRunContext;
use crate::preemption::units::{EvictionUnit, Units};
use model::cluster::{Cluster, PodIx};

/// Maximum number of plans that are tried.
const MOST_TRIED: usize = 12;
/// Maximum number of nodes evaluated over all plans: a large cluster gets fewer plans.
const MOST_LOOKED_AT: usize = 640_000;

impl GroupDecision<'_> {
    /// The plan if only these pods may be evicted; `None` if too few pods of the group fit then.
    pub fn plan_with(&self, may_go: &[PodIx]) -> Option<GroupPlan> {
        let of_these = |unit: &EvictionUnit| unit.pods.iter().all(|pod| may_go.contains(pod));
        if !self.view.profile.features.pod_groups.gangs_end_early {
            return v1_36::plan(self, of_these);
        }
        self.with_preemptor(|view, preemptor| {
            let context = DryRunContext::new(view, preemptor.now());
            let potential = preemption::lower_units(self.priority(), &context.units, view);
            let potential = potential.into_iter().filter(of_these).collect();
            preemption::plan(&context, preemptor, potential, &mut Memory::default()).ok()
        })
    }

    /// Calls `then` with the group's preemptor, which is the group itself or the root of its tree,
    /// and with the view in which nodes are searched for it.
    fn with_preemptor<R>(&self, then: impl FnOnce(&ClusterView, &dyn GroupPreemptor) -> R) -> R {
        if let Some(in_tree) = &self.tree {
            let tree = Tree::of(in_tree.root, self.view);
            let mut view = self.view.clone();
            view.take_from_queue(&in_tree.waiting);
            return then(&view, &TreeSearch::new(&tree, self.view, self.now));
        }
        let (view, members) = self.searched();
        then(&view, &self.search(&members))
    }

    /// Finds a plan that costs less than the scheduler's. Every plan follows the scheduler's rules,
    /// with some potential victims left alone.
    pub fn seek_alternative(&mut self) {
        if !self.view.profile.features.pod_groups.gangs_end_early {
            return;
        }
        let Some(own) = self.plan() else { return };
        self.alternative = self.with_preemptor(|view, preemptor| cheaper(own, view, preemptor));
    }
}

/// A plan that costs less than this one.
fn cheaper(
    own: &GroupPlan,
    view: &ClusterView,
    preemptor: &dyn GroupPreemptor,
) -> Option<GroupPlan> {
    let cluster = view.cluster;
    let context = DryRunContext::new(view, preemptor.now());
    let DryRunContext { units, budgets, .. } = &context;
    let potential = preemption::lower_units(preemptor.priority(cluster), units, view);
    let own_cost = Cost::of(own, units, cluster);

    // Try plans that spare everything above some priority: first respecting all budgets as well,
    // then without, from the lowest priority up. Skip those that cannot cost less.
    let priorities: BTreeSet<i32> = potential.iter().map(|unit| unit.priority).collect();
    let lookups_per_plan = preemptor.members().len().saturating_mul(cluster.nodes.len()).max(1);
    let mut tries = (MOST_LOOKED_AT / lookups_per_plan).clamp(1, MOST_TRIED);
    for spares_protected in [true, false] {
        for highest in &priorities {
            let may_cost_less = spares_protected && own.violations > 0
                || Some(*highest) < own_cost.highest_priority;
            if !may_cost_less {
                continue;
            }
            if tries == 0 {
                return None;
            }
            tries -= 1;
            let mut may_go = potential.clone();
            may_go.retain(|unit| {
                unit.priority <= *highest
                    && !(spares_protected && is_protected(unit, budgets, cluster))
            });
            let plan = preemption::plan(&context, preemptor, may_go, &mut Memory::default());
            if let Some(plan) = plan.ok().filter(|plan| Cost::of(plan, units, cluster) < own_cost) {
                return Some(plan);
            }
        }
    }
    None
}

/// Whether a budget that allows no disruption selects a pod of the unit.
fn is_protected(unit: &EvictionUnit, budgets: &BudgetIndex, cluster: &Cluster) -> bool {
    let mut of_pods = unit.pods.iter().flat_map(|pod| budgets.of(cluster.pod(*pod), cluster));
    of_pods.any(|budget| cluster.budget(budget).allowed <= 0)
}

/// The cost of a plan; compared field by field, less is better.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    /// Violated budgets.
    violations: usize,
    /// Highest priority of a victim.
    highest_priority: Option<i32>,
    /// Number of victims.
    victims: usize,
}

impl Cost {
    fn of(plan: &GroupPlan, units: &Units, cluster: &Cluster) -> Self {
        let priorities = plan.victims.iter().map(|victim| units.priority(cluster.pod(victim.pod)));
        Self {
            violations: plan.violations,
            highest_priority: priorities.max(),
            victims: plan.victims.len(),
        }
    }
}
