//! The reprieve pass of a group's preemption: every unit of lower priority is added back to its
//! nodes, and stays if each pod of the group still fits on the node that the plan gives it.
//!
//! Upstream: `pkg/scheduler/framework/preemption/podgrouppreemption.go` (1.37).

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use smallvec::SmallVec;

use super::possible::{self, PossibleVictims};
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

/// Maximum number of sets of pods that are counted first, see [`WalkOrder::first`].
const MOST_FIRSTS: usize = 32;
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

    // Filters run with the state that PreFilter left when each pod was placed: with the pods before
    // it, and without those after it.
    let views = views_of_members(context, emptied, placements);
    let filters = plugins::filters(&context.view.profile.plugins);
    let mut prepared: Vec<PreparedCycle> = Vec::with_capacity(placements.placed.len());
    for (view, (pod, _)) in views.iter().zip(&placements.placed) {
        prepared.push(PreparedCycle::new(view, *pod, context.now, &filters));
    }
    let pass = ReprievePass { context, placements, prepared: &prepared };

    // The plan that is shown walks budgets by name, and the pods of a unit in listed order.
    let by_name = orders.in_order(&WalkOrder::default());
    let mut seen = vec![violations(&by_name)];
    let (mut plan, tried) = pass.run(&by_name);
    let mut checks = possible::CHECKS;
    plan.possible.push(pass.possible(&by_name, &tried, &mut checks));

    // Another order matters only if other pods violate a budget in it. The pass then runs once
    // more, and the plan records the differences.
    let (walk_orders, all_tried) = orders.walk_orders(&seen, &tried);
    plan.possible_complete = all_tried;
    for walk in walk_orders {
        let order = orders.in_order(&walk);
        let violations = violations(&order);
        if seen.contains(&violations) {
            continue;
        }
        seen.push(violations);
        let (other, tried) = pass.run(&order);
        plan.other_victims |=
            !other.victims.iter().map(|victim| victim.pod).eq(plan.victims.iter().map(|v| v.pod));
        plan.other_violations |= other.violations != plan.violations;
        plan.domains_tie |= other.domains_tie;
        plan.possible.push(pass.possible(&order, &tried, &mut checks));
    }
    plan.possible_complete &= plan.possible.iter().all(PossibleVictims::is_complete)
        && !plan.domains_tie
        && !plan.possible.is_empty();
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
    /// Pods that come before those as important as they are.
    first: Vec<PodIx>,
}

impl ReprieveOrders<'_> {
    /// The orders other than by name that are tried, and whether they are all that matter. `seen`
    /// and `tried` are what the order by name leads to.
    fn walk_orders(
        &self,
        seen: &[Vec<(PodIx, bool)>],
        tried: &[TriedUnit],
    ) -> (Vec<WalkOrder>, bool) {
        let violating = seen.first().map_or(&[][..], Vec::as_slice);
        let (firsts, complete) = self.firsts(violating, tried);
        let mut orders: Vec<WalkOrder> =
            firsts.into_iter().map(|first| WalkOrder { first, ..WalkOrder::default() }).collect();
        // Where every budget of a pod is counted down, the order of the walk changes nothing.
        let DryRunContext { view, budgets, .. } = self.context;
        if self.context.features().budget_counting != BudgetCounting::UntilFirst {
            return (orders, complete);
        }
        let mut budget_orders = budget_orders(self.units, view.cluster, budgets);
        if budget_orders.is_empty() {
            return (orders, complete);
        }
        // By name, but with the pods of units in other orders.
        budget_orders.push(BTreeMap::new());
        let rotations = 2 * self.largest_unit_with_several_budgets().min(MOST_ROTATIONS);
        for budgets in budget_orders {
            for rotation in 0..rotations {
                orders.push(WalkOrder { budgets: budgets.clone(), rotation, first: Vec::new() });
            }
        }
        // Combinations of these orders are not tried.
        let runs_out = violating.iter().any(|(_, violates)| *violates);
        (orders, complete && !runs_out)
    }

    /// The pods that may be counted before those as important as they are, and so violate no
    /// budget; and whether these are all such sets. `violating` says what the order by name counts.
    fn firsts(&self, violating: &[(PodIx, bool)], tried: &[TriedUnit]) -> (Vec<Vec<PodIx>>, bool) {
        let (now, features) = (self.context.now, self.context.features());
        let violates: BTreeMap<PodIx, bool> = violating.iter().copied().collect();
        let concerned: BTreeSet<PodIx> = tried
            .iter()
            .filter(|tried| tried.is_concerned())
            .flat_map(|t| t.attempt.pods.clone())
            .collect();
        let is_tie =
            |a: &EvictionUnit, b: &EvictionUnit| importance::units_tie(a, b, now, features);
        let (mut sets, mut complete) = (vec![Vec::new()], true);
        for tie in self.units.chunk_by(is_tie) {
            // A budget runs out within the tie if some of its pods violate it and some do not.
            let mut by_budgets: BTreeMap<Budgets, Vec<PodIx>> = BTreeMap::new();
            let mut are_single = true;
            for unit in tie {
                for pod in &unit.pods {
                    let budgets = self.budgets_of(*pod);
                    are_single &= budgets.len() < 2 && (budgets.is_empty() || unit.pods.len() == 1);
                    if !budgets.is_empty() {
                        by_budgets.entry(budgets).or_default().push(*pod);
                    }
                }
            }
            let is_violating = |pod: &PodIx| violates.get(pod) == Some(&true);
            if !are_single {
                let mut pods = by_budgets.values().flatten();
                complete &= tie.len() < 2 || !pods.any(is_violating);
                continue;
            }
            for pods in by_budgets.values() {
                let safe = pods.iter().filter(|pod| !is_violating(pod)).count();
                let (relevant, others): (Vec<PodIx>, Vec<PodIx>) =
                    pods.iter().partition(|pod| concerned.contains(pod));
                if safe == 0 || safe == pods.len() || relevant.is_empty() {
                    continue;
                }
                // Which of the pods that matter are safe; the others take what is left.
                let mut chosen: Vec<Vec<PodIx>> = Vec::new();
                for count in safe.saturating_sub(others.len())..=safe.min(relevant.len()) {
                    for mut set in possible::combinations(&relevant, count, MOST_FIRSTS) {
                        set.extend(others.iter().take(safe - count));
                        chosen.push(set);
                    }
                }
                let mut larger = Vec::new();
                for set in &sets {
                    larger.extend(chosen.iter().map(|more| [set.as_slice(), more].concat()));
                }
                complete &= larger.len() <= MOST_FIRSTS;
                larger.truncate(MOST_FIRSTS);
                sets = larger;
            }
        }
        sets.retain(|set| !set.is_empty());
        (sets, complete)
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
        let (now, features) = (self.context.now, self.context.features());
        let is_tie =
            |a: &EvictionUnit, b: &EvictionUnit| importance::units_tie(a, b, now, features);
        let mut counted: Vec<VictimBudgets> = Vec::new();
        for tie in self.units.chunk_by(is_tie) {
            let mut pods: Vec<PodIx> =
                tie.iter().flat_map(|unit| rotated(&unit.pods, walk.rotation)).collect();
            pods.sort_by_key(|pod| !walk.first.contains(pod));
            for pod in pods {
                counted.push(VictimBudgets { pod, violates: self.budgets_of(pod) });
            }
        }
        let (cluster, features) = (self.context.view.cluster, self.context.features());
        count_violations(&mut counted, cluster, features, &|budget| {
            walk.budgets.get(&budget).copied().unwrap_or(budget.0 as usize)
        });
        // Only the counting follows this order; the units and their pods keep the listed one.
        if walk.rotation > 0 || !walk.first.is_empty() {
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
    /// Where the group's pods are placed.
    placements: &'a PodPlacements,
    /// The cycles of these pods, each with those before it.
    prepared: &'a [PreparedCycle<'c>],
}

impl<'a, 'c> ReprievePass<'a, '_, 'c> {
    /// The group's pods on their nodes, without any potential victim.
    fn members(&self) -> Members<'a, 'c> {
        let mut members = Members::new(self.prepared, &self.placements.placed);
        members.add_unseen(self.placements);
        members
    }

    /// What may be evicted in this order of the budgets; `tried` is what its pass has tried.
    fn possible(
        &self,
        order: &ReprieveOrder,
        tried: &[TriedUnit],
        checks: &mut usize,
    ) -> PossibleVictims {
        let DryRunContext { view, units, now, .. } = self.context;
        // If pods of the group conflict with each other, everything is evicted.
        let conflict =
            !self.placements.unseen.is_empty() && self.members().first_conflict().is_some();
        if conflict {
            let settled = tried.iter().flat_map(|tried| tried.attempt.pods.clone()).collect();
            return PossibleVictims { settled, open: Vec::new() };
        }
        let features = self.context.features();
        let with_keys = order.units().zip(tried).map(|(unit, tried)| possible::TriedInOrder {
            unit,
            tried,
            key: (unit.violates_pdb(), tie_key(tried, units, *now, features)),
            is_strict: features.victim_order == VictimOrder::StartTimeThenUid,
        });
        possible::of(&with_keys.collect::<Vec<_>>(), view.cluster, &|| self.members(), checks)
    }

    /// Reprieves the potential victims in their order. The states are notified of every pod that
    /// comes back.
    fn run(&self, order: &ReprieveOrder) -> (GroupPlan, Vec<TriedUnit>) {
        let DryRunContext { units, now, .. } = self.context;
        let placed = &self.placements.placed;
        let mut members = self.members();
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

        let plan = GroupPlan {
            placed: placed.clone(),
            violations: victims.iter().filter(|victim| !victim.violates.is_empty()).count(),
            victims,
            possible: Vec::new(),
            possible_complete: false,
            units_tie: ties(&tried, units, *now, self.context.features()),
            attempts: tried.iter().map(|tried| tried.attempt.clone()).collect(),
            nodes_tie: false,
            volumes_tie: false,
            domains_tie,
            other_victims: false,
            other_violations: false,
        };
        (plan, tried)
    }
}

/// The cluster as each pod of the group sees it in its own cycle: with the pods that were placed
/// before it and stayed.
fn views_of_members<'c>(
    context: &DryRunContext<'_, 'c>,
    emptied: &ClusterView<'c>,
    placements: &PodPlacements,
) -> Vec<ClusterView<'c>> {
    let PodPlacements { placed, unseen, .. } = placements;
    let mut views = Vec::with_capacity(placed.len());
    let mut so_far = emptied.clone();
    for (later, (pod, node)) in placed.iter().enumerate() {
        // Usually every pod sees all earlier ones, so the next view is this one plus one pod.
        if unseen.is_empty() {
            views.push(so_far.clone());
            assume_and_reserve(*pod, *node, &mut so_far, context.now);
            continue;
        }
        let mut view = emptied.clone();
        for (earlier, (pod, node)) in placed.iter().enumerate().take(later) {
            if !unseen.contains(&(later, earlier)) {
                assume_and_reserve(*pod, *node, &mut view, context.now);
            }
        }
        views.push(view);
    }
    views
}

/// The pods of the group on their nodes, by index into the placed pods.
pub(super) struct Members<'p, 'c> {
    /// The node of each member, with the filter states of its own cycle.
    states: Vec<NodeState<'p, 'c>>,
    by_node: BTreeMap<NodeIx, SmallVec<[usize; 1]>>,
    /// Those with filters that depend on other nodes too.
    looking_elsewhere: Vec<usize>,
}

/// Indices into the placed pods of the group.
pub(super) type MemberIndices = SmallVec<[usize; 4]>;

/// A pod of the group that does not fit.
pub(super) struct Blocked {
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
pub(super) struct PutBack {
    /// The members that were filtered again.
    affected: MemberIndices,
    /// The first of them that does not fit together with the unit.
    pub blocked: Option<Blocked>,
    /// Whether another order of topology domains, which the API does not show, may reverse the
    /// outcome.
    pub order_dependent: bool,
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
    pub(super) fn put_back(&mut self, unit: PotentialUnit) -> PutBack {
        let returning = on_nodes(unit);

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

    /// Takes out a unit that was put back.
    pub(super) fn take_out(&mut self, unit: PotentialUnit) {
        let leaving = on_nodes(unit);
        for member in self.affected_by(&leaving) {
            if let Some(state) = self.states.get_mut(member) {
                leaving.iter().for_each(|(pod, node)| state.remove_pod_from(*pod, *node));
            }
        }
    }

    /// Whether the filters of a member depend on pods of other nodes, which may make it fit again.
    pub(super) fn looks_elsewhere(&self, member: usize) -> bool {
        self.looking_elsewhere.contains(&member)
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

/// The pods of a unit on their nodes.
fn on_nodes(unit: PotentialUnit) -> SmallVec<[(PodIx, NodeIx); 1]> {
    unit.pods.iter().filter_map(|victim| Some((victim.pod, victim.node?))).collect()
}

/// A unit whose reprieve was tried, and the members that it could affect.
pub(in crate::groups) struct TriedUnit {
    pub attempt: GroupAttempt,
    /// The pods of the group that were filtered again; `None` if all were placed anew.
    pub affected: Option<MemberIndices>,
}

impl TriedUnit {
    /// Whether it can affect a member.
    pub(super) fn is_concerned(&self) -> bool {
        self.affected.as_ref().is_none_or(|affected| !affected.is_empty())
    }

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

/// See [`importance::key`].
pub(super) type TieKey = (i32, UnitRank, usize, Timestamp);

/// The ordering criteria of a unit; the order of units with the same key is arbitrary.
fn tie_key(
    tried: &TriedUnit,
    units: &Units,
    now: Timestamp,
    features: &Preemption,
) -> Option<TieKey> {
    units.of(&tried.attempt.pods).first().map(|unit| importance::key(unit, now, features))
}
