//! The reprieve pass: potential victims are added back one after the other, and those with which the
//! preemptor does not fit are evicted.
//!
//! Upstream: `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go`
//! `SelectVictimsOnNode` (1.37).

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::budgets::{BudgetIndex, Budgets, VictimBudgets, count_violations};
use super::importance;
use super::units::{EvictionUnit, UnitRank, Units};
use super::victim::{Blocker, ReprieveAttempt, Victim};
use crate::framework::cluster_view::ClusterView;
pub(crate) use crate::framework::cluster_view::potential_victims::{
    PotentialVictim, ReprieveOrder,
};
use crate::framework::cycle::NodeState;
use model::cluster::Cluster;
use model::cluster::budget::BudgetIx;
use model::cluster::composite_group::AnyGroup;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use profile::history::{BudgetCounting, Preemption};

/// Pods of the order that are evicted together or not at all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PotentialUnit<'o> {
    pub(crate) pods: &'o [PotentialVictim],
    /// Per pod; empty if none violates a budget.
    violates: &'o [Budgets],
}

/// A unit that was not reprieved.
pub(crate) struct EvictedUnit<'o> {
    pub(crate) unit: PotentialUnit<'o>,
    /// See [`Victim::blocks`].
    pub(crate) blocks: Option<Box<Blocker>>,
}

impl ReprieveOrder {
    /// The order of units that are sorted by importance. `counted` are their pods, with the budgets
    /// that evicting each violates. A pod that is evicted alone was on `node`, if that is given.
    pub(crate) fn new(
        units: &[EvictionUnit],
        counted: &[VictimBudgets],
        node: Option<NodeIx>,
        context: &DryRunContext,
    ) -> Self {
        let cluster = context.view.cluster;
        let mut pods = Vec::with_capacity(counted.len());
        let mut violates = Vec::new();
        for violates_pdb in [true, false] {
            let mut rest = counted;
            for (unit, rank) in units.iter().zip(0..) {
                let (of_unit, behind) = rest.split_at(unit.pods.len());
                rest = behind;
                if of_unit.iter().any(|pod| !pod.violates.is_empty()) != violates_pdb {
                    continue;
                }
                for VictimBudgets { pod: ix, violates: violated } in of_unit {
                    let pod = cluster.pod(*ix);
                    pods.push(PotentialVictim {
                        pod: *ix,
                        node: unit.node_of(*ix, node, cluster),
                        together: unit.together,
                        rank,
                        place: u32::try_from(unit.place).unwrap_or(u32::MAX),
                        requests: pod.resource_requests,
                        priority: pod.priority,
                        start: pod.start_time.unwrap_or(context.now),
                    });
                    violates.extend(violates_pdb.then(|| violated.clone()));
                }
            }
        }
        Self {
            pods: pods.into(),
            violates: violates.into(),
            is_strict: context.is_strict(units),
            has_groups: units.iter().any(|unit| unit.rank != UnitRank::Pod),
        }
    }

    /// The units of a node in the order in which they are given, without their budgets.
    pub(super) fn unsorted(units: &[EvictionUnit], node: NodeIx, context: &DryRunContext) -> Self {
        let mut counted = Vec::with_capacity(units.len());
        for pod in units.iter().flat_map(|unit| &unit.pods) {
            counted.push(VictimBudgets { pod: *pod, violates: Budgets::new() });
        }
        Self::new(units, &counted, Some(node), context)
    }

    /// The units, in the order in which their reprieve is tried.
    pub(crate) fn units(&self) -> impl Iterator<Item = PotentialUnit<'_>> {
        let mut start = 0;
        self.pods.chunk_by(|a, b| a.rank == b.rank).map(move |pods| {
            let violates = self.violates.get(start..start + pods.len()).unwrap_or_default();
            start += pods.len();
            PotentialUnit { pods, violates }
        })
    }

    /// The attempt to reprieve each pod.
    pub(super) fn attempts(&self) -> Arc<[ReprieveAttempt]> {
        let violating = self.violates.len();
        let pods = self.pods.iter().enumerate();
        pods.map(|(at, victim)| ReprieveAttempt { pod: victim.pod, violates_pdb: at < violating })
            .collect()
    }

    /// Whether some units violate a budget, and others do not.
    pub(super) fn has_both_kinds(&self) -> bool {
        !self.violates.is_empty() && self.violates.len() < self.pods.len()
    }

    /// Sorts evicted units, which are in the order of their reprieve, by importance.
    pub(crate) fn sort_by_importance(&self, evicted: &mut [EvictedUnit], context: &DryRunContext) {
        if self.is_strict {
            evicted.sort_unstable_by_key(|evicted| evicted.unit.first().map(|pod| pod.rank));
            return;
        }
        // Units that tie end up where the scheduler's unstable sort puts them.
        let pods: Vec<PodIx> = evicted.iter().flat_map(|evicted| evicted.unit.pods()).collect();
        let mut units = context.units.of(&pods);
        for (unit, evicted) in units.iter_mut().zip(evicted.iter()) {
            unit.place = evicted.unit.first().map_or(0, |pod| pod.place as usize);
        }
        context.sort(&mut units);
        evicted.sort_by_key(|evicted| {
            let first = evicted.unit.first().map(|victim| victim.pod);
            units.iter().position(|unit| unit.pods.first().copied() == first)
        });
    }

    /// Whether two units tie in every ordering criterion but differ in their outcome, with units of
    /// groups among them.
    pub(super) fn depends_on_group_order(
        &self,
        evicted: &[EvictedUnit],
        context: &DryRunContext,
    ) -> bool {
        if !self.has_groups {
            return false;
        }
        let pods: Vec<PodIx> = self.pods.iter().map(|victim| victim.pod).collect();
        let units = context.units.of(&pods);
        // Whether each unit is evicted, and violates a budget.
        let mut outcomes: Vec<(bool, bool)> = Vec::with_capacity(units.len());
        for unit in self.units() {
            let is_evicted = evicted.iter().any(|evicted| evicted.unit.is(unit));
            outcomes.push((is_evicted, unit.violates_pdb()));
        }
        for (index, (a, outcome)) in units.iter().zip(&outcomes).enumerate() {
            for (b, other_outcome) in units.iter().zip(&outcomes).take(index) {
                if outcome != other_outcome
                    && importance::units_tie(a, b, context.now, context.features())
                {
                    return true;
                }
            }
        }
        false
    }
}

impl<'o> PotentialUnit<'o> {
    pub(crate) fn pods(self) -> impl Iterator<Item = PodIx> {
        self.pods.iter().map(|victim| victim.pod)
    }

    fn first(self) -> Option<&'o PotentialVictim> {
        self.pods.first()
    }

    /// Whether both are the same unit of an order.
    fn is(self, other: Self) -> bool {
        self.first().map(|pod| pod.rank) == other.first().map(|pod| pod.rank)
    }

    /// The group, if its pods are evicted together.
    pub(crate) fn together(self) -> Option<AnyGroup> {
        self.first()?.together
    }

    /// Whether evicting the unit violates a budget.
    pub(crate) fn violates_pdb(self) -> bool {
        !self.violates.is_empty()
    }

    /// Its pods, and whether evicting each violates a budget.
    pub(crate) fn violations(self) -> impl Iterator<Item = (PodIx, bool)> {
        self.pods().enumerate().map(move |(at, pod)| {
            (pod, self.violates.get(at).is_some_and(|budgets| !budgets.is_empty()))
        })
    }

    /// Adds the pods back to their nodes; if `rejection` finds that the preemptor does not fit then,
    /// removes them again, and returns why.
    pub(super) fn put_back<'p, 'c, R>(
        self,
        state: &mut NodeState<'p, 'c>,
        view: &ClusterView,
        rejection: impl FnOnce(&NodeState<'p, 'c>) -> Option<R>,
    ) -> Option<R> {
        for PotentialVictim { pod, node, requests, .. } in self.pods {
            if let Some(node) = node {
                state.add_with(*pod, *node, view.footprint_of(*requests));
            }
        }
        let rejected = rejection(state);
        if rejected.is_some() {
            for PotentialVictim { pod, node, requests, .. } in self.pods {
                if let Some(node) = node {
                    state.remove_with(*pod, *node, view.footprint_of(*requests));
                }
            }
        }
        rejected
    }
}

impl EvictedUnit<'_> {
    /// Its pods as victims.
    pub(crate) fn victims(self) -> impl Iterator<Item = Victim> {
        let Self { unit: PotentialUnit { pods, violates }, blocks } = self;
        pods.iter().enumerate().map(move |(at, victim)| Victim {
            pod: victim.pod,
            violates: violates.get(at).cloned().unwrap_or_default(),
            blocks: blocks.clone(),
            together: victim.together,
        })
    }
}

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
