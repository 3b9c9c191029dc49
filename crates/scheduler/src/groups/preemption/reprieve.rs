//! The reprieve pass of a group's preemption: every unit of lower priority is added back to its
//! nodes, and stays if each pod of the group still fits on the node that the plan gives it.
//!
//! Upstream: `pkg/scheduler/framework/preemption/podgrouppreemption.go` (1.37).

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use smallvec::SmallVec;

use super::{GroupPlan, PodPlacements};
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeState, PreparedCycle};
use crate::framework::status::FilterVerdict;
use crate::groups::cycle::assume_and_reserve;
use crate::plugins;
use crate::preemption::budgets::{BudgetIndex, Budgets, VictimBudgets, count_violations};
use crate::preemption::dry_run::{Blocker, DryRunContext, Victim};
use crate::preemption::importance;
use crate::preemption::outcomes;
use crate::preemption::reprieve::{EvictedUnit, PotentialUnit, ReprieveOrder};
use crate::preemption::units::{EvictionUnit, UnitRank, Units};
use model::cluster::{AnyGroup, BudgetIx, Cluster, NodeIx, PodIx};
use profile::history::{BudgetCounting, Preemption, VictimOrder};

/// A unit whose reprieve was tried: a pod, or a group that is disrupted as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupAttempt {
    pub pods: SmallVec<[PodIx; 1]>,
    /// The group, if the pods are evicted together.
    pub together: Option<AnyGroup>,
    /// Whether evicting them violates a budget.
    pub violates_pdb: bool,
    /// Whether they stay.
    pub stays: bool,
    /// The pod of the group that does not fit with them.
    pub blocked: Option<PodIx>,
}

/// Maximum number of rotations of a unit's pods that are tried, each forwards and backwards.
const MOST_ROTATIONS: usize = 8;

/// Reprieves as much of `potential` as possible, given the pods placed in the cluster `emptied` of
/// it.
pub(super) fn run(
    context: &DryRunContext,
    emptied: &ClusterView,
    placements: &PodPlacements,
    mut potential: Vec<EvictionUnit>,
) -> GroupPlan {
    context.sort(&mut potential);
    let orders = ReprieveOrders { context, units: &potential };
    let pass = ReprievePass { context, emptied, placements };

    // The plan that is shown walks budgets by name, and the pods of a unit in listed order.
    let by_name = orders.in_order(&WalkOrder::default());
    let mut tried = vec![violations(&by_name)];
    let mut plan = pass.run(&by_name);

    // Another order matters only if other pods violate a budget in it. The pass then runs once
    // more, and the plan records the differences.
    for walk in orders.walk_orders() {
        let order = orders.in_order(&walk);
        let violations = violations(&order);
        if tried.contains(&violations) {
            continue;
        }
        tried.push(violations);
        let other = pass.run(&order);
        plan.other_victims |=
            !other.victims.iter().map(|victim| victim.pod).eq(plan.victims.iter().map(|v| v.pod));
        plan.other_violations |= other.violations != plan.violations;
        plan.domains_tie |= other.domains_tie;
    }
    plan
}

/// Which pods violate a budget, in the order in which they are added back.
fn violations(order: &ReprieveOrder) -> Vec<(PodIx, bool)> {
    order.units().flat_map(PotentialUnit::violations).collect()
}

/// The orders in which kube-scheduler may count down the budgets of potential victims. It keeps
/// both the budgets of a pod and the pods of a unit in maps, and the API shows the order of
/// neither.
struct ReprieveOrders<'a> {
    context: &'a DryRunContext<'a, 'a>,
    /// The potential victims, the most important first.
    units: &'a [EvictionUnit],
}

/// One of these orders.
#[derive(Default)]
struct WalkOrder {
    /// The ranks of the budgets; missing ones are walked by name.
    budgets: BTreeMap<BudgetIx, usize>,
    /// The rotation in which a unit's pods are walked, see [`rotated`].
    rotation: usize,
}

impl ReprieveOrders<'_> {
    /// The orders other than by name that are tried.
    fn walk_orders(&self) -> Vec<WalkOrder> {
        // Where every budget of a pod is counted down, the order of the walk changes nothing.
        let DryRunContext { view, budgets, .. } = self.context;
        if self.context.features().budget_counting != BudgetCounting::UntilFirst {
            return Vec::new();
        }
        let mut budget_orders = budget_orders(self.units, view.cluster, budgets);
        if budget_orders.is_empty() {
            return Vec::new();
        }
        // By name, but with the pods of units in other orders.
        budget_orders.push(BTreeMap::new());
        let rotations = 2 * self.largest_unit_with_several_budgets().min(MOST_ROTATIONS);
        let mut orders = Vec::with_capacity(budget_orders.len() * rotations);
        for budgets in budget_orders {
            for rotation in 0..rotations {
                orders.push(WalkOrder { budgets: budgets.clone(), rotation });
            }
        }
        orders
    }

    /// The size of the largest unit in which the order of pods can matter; 1 if there is none.
    fn largest_unit_with_several_budgets(&self) -> usize {
        let mut largest = 1;
        for unit in self.units {
            let has_several = unit.pods.iter().any(|pod| self.budgets_of(*pod).len() > 1);
            if has_several && unit.pods.len() > largest {
                largest = unit.pods.len();
            }
        }
        largest
    }

    fn budgets_of(&self, pod: PodIx) -> Budgets {
        let DryRunContext { view, budgets, .. } = self.context;
        budgets.of(view.cluster.pod(pod), view.cluster)
    }

    /// Counts down the budgets in this order. Returns the order of the potential victims: those that
    /// violate a budget come first.
    fn in_order(&self, walk: &WalkOrder) -> ReprieveOrder {
        let mut counted: Vec<VictimBudgets> = Vec::new();
        for unit in self.units {
            for pod in rotated(&unit.pods, walk.rotation) {
                counted.push(VictimBudgets { pod, violates: self.budgets_of(pod) });
            }
        }
        let (cluster, features) = (self.context.view.cluster, self.context.features());
        count_violations(&mut counted, cluster, features, &|budget| {
            walk.budgets.get(&budget).copied().unwrap_or(budget.0 as usize)
        });
        // Only the counting follows the rotation; the units keep their pods in listed order.
        if walk.rotation > 0 {
            let listed = self.units.iter().flat_map(|unit| unit.pods.iter().copied());
            let places: BTreeMap<PodIx, usize> = listed.zip(0..).collect();
            counted.sort_by_key(|victim| places.get(&victim.pod).copied());
        }
        ReprieveOrder::new(self.units, &counted, None, self.context)
    }
}

/// The pods starting at index `rotation`, wrapping around; from index `pods.len()` on, backwards.
/// For up to three pods these are all orders.
fn rotated(pods: &[PodIx], rotation: usize) -> impl Iterator<Item = PodIx> {
    let backwards = rotation >= pods.len();
    (0..pods.len()).filter_map(move |index| {
        let index = if backwards { pods.len() - 1 - index } else { index };
        pods.get((index + rotation) % pods.len()).copied()
    })
}

/// The orders in which the budgets of these pods may be walked, other than by name; empty if no pod
/// has several.
pub(in crate::groups) fn budget_orders(
    potential: &[EvictionUnit],
    cluster: &Cluster,
    budgets: &BudgetIndex,
) -> Vec<BTreeMap<BudgetIx, usize>> {
    let pods = potential.iter().flat_map(|unit| &unit.pods);
    let several =
        pods.map(|pod| budgets.of(cluster.pod(*pod), cluster)).filter(|budgets| budgets.len() > 1);
    let involved: BTreeSet<BudgetIx> = several.flatten().collect();
    if involved.is_empty() { Vec::new() } else { outcomes::budget_orders(&involved).0 }
}

/// The inputs of a reprieve pass.
struct ReprievePass<'a, 'v, 'c> {
    context: &'a DryRunContext<'v, 'c>,
    /// The cluster without the potential victims.
    emptied: &'a ClusterView<'c>,
    /// Where the group's pods are placed.
    placements: &'a PodPlacements,
}

impl<'c> ReprievePass<'_, '_, 'c> {
    /// Reprieves the potential victims in their order.
    fn run(&self, order: &ReprieveOrder) -> GroupPlan {
        let DryRunContext { view, units, now, .. } = self.context;
        let placed = &self.placements.placed;

        // Filters run with the state that PreFilter left when each pod was placed: with the pods
        // before it, and without those after it. The states are notified of every pod that comes
        // back.
        let views = self.views_of_members();
        let filters = plugins::filters(&view.profile.plugins);
        let mut prepared: Vec<PreparedCycle> = Vec::with_capacity(placed.len());
        for (view, (pod, _)) in views.iter().zip(placed) {
            prepared.push(PreparedCycle::new(view, *pod, *now, &filters));
        }
        let mut members = Members::new(&prepared, placed);
        members.add_unseen(self.placements);
        // If the pods of the group conflict with each other, none of them fits whichever unit
        // stays, so all units are evicted.
        let conflict =
            if self.placements.unseen.is_empty() { None } else { members.first_conflict() };

        // Add the units back one by one. Evict those with which a pod of the group does not fit.
        let mut tried: Vec<TriedUnit> = Vec::new();
        let mut evicted: Vec<EvictedUnit> = Vec::new();
        let mut domains_tie = false;
        for unit in order.units() {
            let outcome = match &conflict {
                Some(conflict) => PutBack::despite(conflict),
                None => members.put_back(unit),
            };
            domains_tie |= outcome.order_dependent;
            let blocked = outcome.blocked.as_ref().and_then(|blocked| placed.get(blocked.member));
            let attempt = GroupAttempt {
                pods: unit.pods().collect(),
                together: unit.together(),
                violates_pdb: unit.violates_pdb(),
                stays: outcome.blocked.is_none(),
                blocked: blocked.map(|(pod, _)| *pod),
            };
            tried.push(TriedUnit { attempt, affected: Some(outcome.affected) });
            if let Some(blocked) = outcome.blocked {
                evicted.push(EvictedUnit { unit, blocks: blocked.rejection.map(Box::new) });
            }
        }

        // So far, units that violate a budget came first. In the end, kube-scheduler sorts all
        // victims by importance.
        order.sort_by_importance(&mut evicted, self.context);
        let victims: Vec<Victim> = evicted.into_iter().flat_map(EvictedUnit::victims).collect();

        GroupPlan {
            placed: placed.clone(),
            violations: victims.iter().filter(|victim| !victim.violates.is_empty()).count(),
            victims,
            units_tie: ties(&tried, units, *now, self.context.features()),
            attempts: tried.into_iter().map(|tried| tried.attempt).collect(),
            nodes_tie: false,
            volumes_tie: false,
            domains_tie,
            other_victims: false,
            other_violations: false,
        }
    }

    /// The cluster as each pod of the group sees it in its own cycle: with the pods that were
    /// placed before it and stayed.
    fn views_of_members(&self) -> Vec<ClusterView<'c>> {
        let PodPlacements { placed, unseen, .. } = self.placements;
        let mut views = Vec::with_capacity(placed.len());
        let mut so_far = self.emptied.clone();
        for (later, (pod, node)) in placed.iter().enumerate() {
            // Usually every pod sees all earlier ones, so the next view is this one plus one pod.
            if unseen.is_empty() {
                views.push(so_far.clone());
                assume_and_reserve(*pod, *node, &mut so_far, self.context.now);
                continue;
            }
            let mut view = self.emptied.clone();
            for (earlier, (pod, node)) in placed.iter().enumerate().take(later) {
                if !unseen.contains(&(later, earlier)) {
                    assume_and_reserve(*pod, *node, &mut view, self.context.now);
                }
            }
            views.push(view);
        }
        views
    }
}

/// The pods of the group on their nodes, by index into the placed pods.
struct Members<'p, 'c> {
    /// The node of each member, with the filter states of its own cycle.
    states: Vec<NodeState<'p, 'c>>,
    by_node: BTreeMap<NodeIx, SmallVec<[usize; 1]>>,
    /// Those with filters that depend on other nodes too.
    looking_elsewhere: Vec<usize>,
}

/// Indices into the placed pods of the group.
type MemberIndices = SmallVec<[usize; 4]>;

/// A pod of the group that does not fit.
struct Blocked {
    /// Its index into the placed pods.
    member: usize,
    /// The plugin that rejects it, unless a plugin failed.
    rejection: Option<Blocker>,
}

impl Blocked {
    fn new(member: usize, plugin: &'static str, verdict: FilterVerdict) -> Self {
        let rejection = if let FilterVerdict::Rejected(rejection) = verdict {
            Some((plugin, rejection))
        } else {
            None
        };
        Self { member, rejection }
    }
}

/// The outcome of adding a unit back.
struct PutBack {
    /// The members that were filtered again.
    affected: MemberIndices,
    /// The first of them that does not fit together with the unit.
    blocked: Option<Blocked>,
    /// Whether another order of topology domains, which the API does not show, may reverse the
    /// outcome.
    order_dependent: bool,
}

impl PutBack {
    /// The outcome for every unit if members conflict with each other.
    fn despite(conflict: &Blocked) -> Self {
        let blocked = Blocked { member: conflict.member, rejection: conflict.rejection.clone() };
        Self {
            affected: SmallVec::from_elem(conflict.member, 1),
            blocked: Some(blocked),
            order_dependent: false,
        }
    }
}

impl<'p, 'c> Members<'p, 'c> {
    fn new(prepared: &'p [PreparedCycle<'c>], placed: &[(PodIx, NodeIx)]) -> Self {
        let mut members =
            Self { states: Vec::new(), by_node: BTreeMap::new(), looking_elsewhere: Vec::new() };
        for (member, (prepared, (_, node))) in prepared.iter().zip(placed).enumerate() {
            let state = prepared.node_state(*node);
            members.by_node.entry(*node).or_default().push(member);
            if state.looks_elsewhere() {
                members.looking_elsewhere.push(member);
            }
            members.states.push(state);
        }
        members
    }

    /// Adds the pods that members did not see in their own cycles. Parity: kube-scheduler removed
    /// them again during its search, but preemption counts them as placed.
    fn add_unseen(&mut self, placements: &PodPlacements) {
        for (later, earlier) in &placements.unseen {
            if let (Some(state), Some((pod, node))) =
                (self.states.get_mut(*later), placements.placed.get(*earlier))
            {
                state.add_pod_unnoticed(*pod, *node);
            }
        }
    }

    /// The first member that does not fit in the current state.
    fn first_conflict(&self) -> Option<Blocked> {
        for (member, state) in self.states.iter().enumerate() {
            if let Some((plugin, verdict)) = state.check() {
                return Some(Blocked::new(member, plugin, verdict));
            }
        }
        None
    }

    /// Adds a unit back, and removes it again if a member does not fit with it.
    fn put_back(&mut self, unit: PotentialUnit) -> PutBack {
        let mut returning: SmallVec<[(PodIx, NodeIx); 1]> = SmallVec::new();
        returning.extend(unit.pods.iter().filter_map(|victim| Some((victim.pod, victim.node?))));

        // Members that the unit cannot affect fitted before and still fit.
        let affected = self.affected_by(&returning);
        for member in &affected {
            if let Some(state) = self.states.get_mut(*member) {
                returning.iter().for_each(|(pod, node)| state.add_pod_on(*pod, *node));
            }
        }

        // The first member that does not fit decides.
        let (mut blocked, mut order_dependent) = (None, false);
        for member in &affected {
            let Some(state) = self.states.get(*member) else { continue };
            let rejected = state.check();
            order_dependent |=
                state.is_order_dependent(rejected.as_ref().map(|(plugin, _)| *plugin));
            if let Some((plugin, verdict)) = rejected {
                blocked = Some(Blocked::new(*member, plugin, verdict));
                break;
            }
        }

        if blocked.is_some() {
            for member in &affected {
                if let Some(state) = self.states.get_mut(*member) {
                    returning.iter().for_each(|(pod, node)| state.remove_pod_from(*pod, *node));
                }
            }
        }
        PutBack { affected, blocked, order_dependent }
    }

    /// The members that these pods can affect, in their order.
    fn affected_by(&self, pods: &[(PodIx, NodeIx)]) -> MemberIndices {
        let mut affected = MemberIndices::new();
        for (_, node) in pods {
            affected.extend(self.by_node.get(node).into_iter().flatten().copied());
        }
        for member in &self.looking_elsewhere {
            let Some(state) = self.states.get(*member) else { continue };
            if pods.iter().any(|(pod, node)| state.depends_on(*pod, *node)) {
                affected.push(*member);
            }
        }
        affected.sort_unstable();
        affected.dedup();
        affected
    }
}

/// A unit whose reprieve was tried, and the members that it could affect.
pub(in crate::groups) struct TriedUnit {
    pub attempt: GroupAttempt,
    /// The pods of the group that were filtered again; `None` if all were placed anew.
    pub affected: Option<MemberIndices>,
}

impl TriedUnit {
    /// Whether one outcome can change the other: the units share a member, or may draw on the same
    /// budgets.
    fn may_affect(&self, other: &Self) -> bool {
        if self.attempt.violates_pdb || other.attempt.violates_pdb {
            return true;
        }
        match (&self.affected, &other.affected) {
            (Some(own), Some(others)) => own.iter().any(|member| others.contains(member)),
            (None, _) | (_, None) => true,
        }
    }
}

/// Whether units tie in every ordering criterion but differ in their outcome, so that an order that
/// the API does not show may have decided which are evicted.
pub(in crate::groups) fn ties(
    tried: &[TriedUnit],
    units: &Units,
    now: Timestamp,
    features: &Preemption,
) -> bool {
    // Where the UID is the last criterion, nothing ties.
    if features.victim_order == VictimOrder::StartTimeThenUid {
        return false;
    }
    let (spared, evicted): (Vec<_>, Vec<_>) = tried.iter().partition(|tried| tried.attempt.stays);
    if evicted.is_empty() {
        return false;
    }
    let mut evicted_by_key: BTreeMap<_, Vec<&TriedUnit>> = BTreeMap::new();
    for tried in evicted {
        evicted_by_key.entry(tie_key(tried, units, now, features)).or_default().push(tried);
    }
    for tried in spared {
        let tied = evicted_by_key.get(&tie_key(tried, units, now, features));
        if tied.into_iter().flatten().any(|evicted| evicted.may_affect(tried)) {
            return true;
        }
    }
    false
}

/// The ordering criteria of a unit; the order of units with the same key is arbitrary.
fn tie_key(
    tried: &TriedUnit,
    units: &Units,
    now: Timestamp,
    features: &Preemption,
) -> Option<(i32, UnitRank, usize, Timestamp)> {
    units.of(&tried.attempt.pods).first().map(|unit| importance::key(unit, now, features))
}
