//! The potential victims of a node in the order in which their reprieve is tried. For preemptors of
//! one priority they are the same, so a list of pods that preempt, or the steps of a simulation,
//! need them only once for each node whose pods stay the same.

use std::sync::{Arc, Mutex, PoisonError};

use super::budgets::VictimBudgets;
use super::reprieve::DryRunContext;
use super::units::EvictionUnit;
use crate::framework::cluster_view::NodeInfo;
pub(crate) use crate::framework::cluster_view::potential_victims::{
    CountedBudget, NodeOrder, PotentialVictims, ReprieveOrder, VictimTable,
};
use model::cluster::Cluster;
use model::cluster::budget::BudgetIx;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;

impl VictimTable {
    /// The potential victims on a node; `None` where they have to be found for each preemptor,
    /// because pods of groups are on the node.
    pub(crate) fn of(
        &self,
        node: NodeIx,
        context: &DryRunContext,
    ) -> Option<Arc<PotentialVictims>> {
        let kept = self.nodes.get(node.0 as usize)?;
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let info = context.view.shared_info(node);
        if let Some(current) = kept.as_ref().filter(|current| Arc::ptr_eq(&current.of, info)) {
            return Some(Arc::clone(current));
        }
        let new = PotentialVictims::find(node, self.priority, context)?;
        Some(Arc::clone(kept.insert(Arc::new(new))))
    }
}

impl PotentialVictims {
    fn find(node: NodeIx, priority: i32, context: &DryRunContext) -> Option<Self> {
        let view = context.view;
        let of = Arc::clone(view.shared_info(node));
        if of.pods.iter().any(|pod| context.units.may_be_in_group(view.cluster.pod(*pod))) {
            return None;
        }
        let mut rest = NodeInfo::clone(&of);
        rest.remove_all(|pod| context.units.priority(view.cluster.pod(pod)) < priority, view);
        Some(Self { of, rest, order: Mutex::default(), reprieves: Mutex::default() })
    }

    /// Whether no pod may be evicted.
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.pods.len() == self.of.pods.len()
    }

    /// The order in which their reprieve is tried, with what their budgets allow in this cluster.
    pub(crate) fn order(&self, context: &DryRunContext) -> Arc<NodeOrder> {
        let mut kept = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(current) = kept.as_ref().filter(|current| current.counts_the_same(context)) {
            return Arc::clone(current);
        }
        // The pods of both lists are in the same order.
        let mut stay = self.rest.pods.iter().peekable();
        let mut potential: Vec<PodIx> = Vec::new();
        for pod in &self.of.pods {
            if stay.next_if_eq(&pod).is_none() {
                potential.push(*pod);
            }
        }
        let units = context.units.of(&potential);
        let order = NodeOrder::new(units, self.of.node, context, &by_index);
        Arc::clone(kept.insert(Arc::new(order)))
    }
}

impl CountedBudget {
    /// What it allows for its pods. More than these need, or less than nothing, makes no
    /// difference.
    fn allows(&self, cluster: &Cluster) -> i64 {
        cluster.budget(self.budget).allowed.clamp(0, self.pods)
    }
}

impl NodeOrder {
    /// The order of the potential victims of `node`; `walk` ranks the budgets, see
    /// [`DryRunContext::count_violations`].
    pub(super) fn new(
        mut units: Vec<EvictionUnit>,
        node: NodeIx,
        context: &DryRunContext,
        walk: &dyn Fn(BudgetIx) -> usize,
    ) -> Self {
        // The most important pods use up a budget first, whether or not they are evicted in the
        // end.
        context.sort(&mut units);
        let mut pods = context.with_budgets(&units);
        let budgets = counted(&pods, context.view.cluster);
        let depends_on_budget_order = context.count_violations(&mut pods, walk);
        let order = ReprieveOrder::new(&units, &pods, Some(node), context);
        Self {
            attempts: order.attempts(),
            order,
            depends_on_budget_order,
            pods_tie: context.may_tie(&units),
            budgets,
        }
    }

    /// Whether the budgets of the pods allow in this cluster what they did when they were counted.
    fn counts_the_same(&self, context: &DryRunContext) -> bool {
        let cluster = context.view.cluster;
        self.budgets.iter().all(|counted| counted.allows(cluster) == counted.allowed)
    }
}

/// The order in which budgets are counted down.
pub(crate) const fn by_index(budget: BudgetIx) -> usize {
    budget.0 as usize
}

/// The budgets that select pods, before they are counted down.
fn counted(pods: &[VictimBudgets], cluster: &Cluster) -> Box<[CountedBudget]> {
    let mut all: Vec<BudgetIx> = pods.iter().flat_map(|pod| pod.violates.iter().copied()).collect();
    all.sort_unstable();
    let counted = all.chunk_by(|a, b| a == b).filter_map(|equal| {
        let pods = i64::try_from(equal.len()).unwrap_or(i64::MAX);
        let mut counted = CountedBudget { budget: *equal.first()?, pods, allowed: 0 };
        counted.allowed = counted.allows(cluster);
        Some(counted)
    });
    counted.collect()
}

#[cfg(test)]
mod tests;
