//! What dry runs on all nodes have in common: the budgets and the units of a cluster, and the order
//! of potential victims.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::budgets::{BudgetIndex, VictimBudgets, count_violations};
use super::importance;
use super::units::{EvictionUnit, UnitRank, Units};
use crate::framework::cluster_view::ClusterView;
use model::cluster::Cluster;
use model::cluster::budget::BudgetIx;
use profile::history::{BudgetCounting, Preemption};

/// The input of dry runs besides the cycle.
pub(crate) struct DryRunContext<'v, 'c> {
    /// The cluster.
    pub view: &'v ClusterView<'c>,
    /// Budgets of the cluster.
    pub budgets: BudgetIndex,
    /// Which pods are evicted together.
    pub units: Units<'c>,
    /// The time of the decision; pods that have not started count as started at this time.
    pub now: Timestamp,
}

impl<'v, 'c> DryRunContext<'v, 'c> {
    /// For the preemptors of a cluster.
    pub(crate) fn new(view: &'v ClusterView<'c>, now: Timestamp) -> Self {
        let budgets = BudgetIndex::new(view.cluster, &view.profile.features.preemption);
        Self { view, budgets, units: Units::new(view.cluster, view.profile), now }
    }

    pub(crate) fn features(&self) -> &'c Preemption {
        &self.view.profile.features.preemption
    }

    /// Sorts units by importance.
    pub(crate) fn sort(&self, units: &mut [EvictionUnit]) {
        importance::sort(units, self.view.cluster, self.now, self.features());
    }

    /// Whether the order of units that are sorted by importance is the only one: no two of them
    /// tie.
    pub(super) fn is_strict(&self, units: &[EvictionUnit]) -> bool {
        let (cluster, now, features) = (self.view.cluster, self.now, self.features());
        let before = |a, b| importance::is_more_important(a, b, cluster, now, features);
        units.iter().zip(units.iter().skip(1)).all(|(a, b)| before(a, b) && !before(b, a))
    }

    /// Whether two of these units, sorted by importance, may be equally important, so that their
    /// the order of equally important pods is not in the API. For groups' pods that is always so.
    pub(super) fn may_tie(&self, units: &[EvictionUnit]) -> bool {
        if units.iter().any(|unit| unit.rank != UnitRank::Pod) {
            return true;
        }
        let (cluster, now, features) = (self.view.cluster, self.now, self.features());
        let pods = || units.iter().flat_map(|unit| &unit.pods).map(|pod| cluster.pod(*pod));
        pods().zip(pods().skip(1)).any(|(a, b)| importance::tie(a, b, now, features))
    }

    /// The pods of units with the budgets that select them.
    pub(super) fn with_budgets(&self, units: &[EvictionUnit]) -> Vec<VictimBudgets> {
        let cluster = self.view.cluster;
        let mut pods: Vec<VictimBudgets> = Vec::with_capacity(units.len());
        for pod in units.iter().flat_map(|unit| &unit.pods) {
            let violates = self.budgets.of(cluster.pod(*pod), cluster);
            pods.push(VictimBudgets { pod: *pod, violates });
        }
        pods
    }

    /// Counts down the budgets of pods, most important first, and leaves each pod those that its
    /// eviction violates. Returns whether that depends on the order of the budgets.
    pub(super) fn count_violations(
        &self,
        pods: &mut [VictimBudgets],
        order: &dyn Fn(BudgetIx) -> usize,
    ) -> bool {
        let (cluster, features) = (self.view.cluster, self.features());
        let depends_on_budget_order = features.budget_counting == BudgetCounting::UntilFirst
            && depends_on_order(pods, cluster);
        count_violations(pods, cluster, features, order);
        depends_on_budget_order
    }
}

/// Whether a pod has several budgets of which one runs out on this node.
fn depends_on_order(pods: &[VictimBudgets], cluster: &Cluster) -> bool {
    if pods.iter().all(|pod| pod.violates.len() < 2) {
        return false;
    }
    let mut demand: BTreeMap<BudgetIx, i64> = BTreeMap::new();
    for budget in pods.iter().flat_map(|pod| &pod.violates) {
        *demand.entry(*budget).or_default() += 1;
    }
    // Only the budgets that run out remain.
    demand.retain(|budget, demand| cluster.budget(*budget).allowed < *demand);
    pods.iter().any(|pod| {
        pod.violates.len() > 1 && pod.violates.iter().any(|budget| demand.contains_key(budget))
    })
}
