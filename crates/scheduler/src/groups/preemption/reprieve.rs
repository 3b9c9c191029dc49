//! Puts back what fits beside the pods of the group, each on the node that the plan gives it: first what violates a budget, and the
//! most important first.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use smallvec::SmallVec;

use super::{GroupPlan, Laid};
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeState, PreparedCycle};
use crate::framework::status::{Rejection, Verdict};
use crate::groups::cycle::settle;
use crate::plugins;
use crate::preemption::budgets::{BudgetIndex, VictimBudgets, count_violations};
use crate::preemption::dry_run::Victim;
use crate::preemption::importance;
use crate::preemption::outcomes;
use crate::preemption::units::{Unit, Units};
use crate::preemption::victim::PotentialVictim;
use model::cluster::Cluster;
use model::cluster::budget::BudgetIx;
use model::cluster::composite_group::AnyGroup;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use profile::history::{BudgetCounting, Preemption, VictimOrder};

/// What was put back to see whether it can stay: a pod, or a group that is disrupted as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupAttempt {
    /// The pods.
    pub pods: SmallVec<[PodIx; 1]>,
    /// The group, if the pods are evicted together.
    pub together: Option<AnyGroup>,
    /// Whether evicting them violates a budget.
    pub violates_pdb: bool,
    /// Whether they stay.
    pub stays: bool,
    /// The pod of the group that does not fit beside them.
    pub blocked: Option<PodIx>,
}

/// How many pods of a unit come first once, and last once, while orders are tried.
const MOST_POD_ORDERS: usize = 8;

/// Reprieves as much of `potential` as possible beside the pods that are `laid` out in the cluster `emptied` of it.
pub(super) fn run(
    view: &ClusterView,
    emptied: &ClusterView,
    laid: &Laid,
    mut potential: Vec<Unit>,
    units: &Units,
    now: Timestamp,
) -> GroupPlan {
    let (cluster, features) = (view.cluster, &view.profile.features.preemption);
    importance::sort(&mut potential, cluster, now, features);
    let budgets = BudgetIndex::new(cluster, features);
    let with = |order: &dyn Fn(BudgetIx) -> usize, nth: usize| {
        let of = |pod: &PodIx| VictimBudgets { pod: *pod, violates: budgets.of(cluster.pod(*pod), cluster) };
        let pods = |nth: usize| potential.iter().flat_map(move |unit| nth_order(&unit.pods, nth));
        let mut counted: Vec<VictimBudgets> = pods(nth).map(|pod| of(&pod)).collect();
        count_violations(&mut counted, cluster, features, order);
        if nth > 0 {
            let places: BTreeMap<PodIx, usize> = pods(0).zip(0..).collect();
            counted.sort_by_key(|pod| places.get(&pod.pod).copied());
        }
        PotentialVictim::in_order_of_reprieve(potential.clone(), counted)
    };
    let reprieve = |potential| of(view, emptied, laid, potential, units, now);
    let by_name = with(&|budget| budget.0 as usize, 0);
    let mut tried = vec![violations(&by_name)];
    let mut plan = reprieve(by_name);
    let walk_ends = features.budget_counting == BudgetCounting::UntilFirst;
    let mut orders = if walk_ends { budget_orders(&potential, cluster, &budgets) } else { Vec::new() };
    if !orders.is_empty() {
        orders.push(BTreeMap::new());
    }
    let has_several = |pod: &PodIx| budgets.of(cluster.pod(*pod), cluster).len() > 1;
    let walked = potential.iter().filter(|unit| unit.pods.len() > 1 && unit.pods.iter().any(has_several));
    let largest = walked.map(|unit| unit.pods.len()).max().unwrap_or(1).min(MOST_POD_ORDERS);
    for (order, nth) in orders.iter().flat_map(|order| (0..2 * largest).map(move |nth| (order, nth))) {
        let potential = with(&|budget| order.get(&budget).copied().unwrap_or(budget.0 as usize), nth);
        let violated = violations(&potential);
        if tried.contains(&violated) {
            continue;
        }
        tried.push(violated);
        let other = reprieve(potential);
        let pods = |plan: &GroupPlan| plan.victims.iter().map(|victim| victim.pod).collect::<Vec<_>>();
        plan.other_victims |= pods(&other) != pods(&plan);
        plan.other_violations |= other.violations != plan.violations;
        plan.domains |= other.domains;
    }
    plan
}

/// The `nth` order of the pods of a unit, in which kube-scheduler may count their budgets: it has them in the order of a map. Of up to
/// three pods there are no other orders.
fn nth_order(pods: &[PodIx], nth: usize) -> impl Iterator<Item = PodIx> {
    let (count, reversed) = (pods.len(), nth >= pods.len());
    let at = move |index: usize| (if reversed { count - 1 - index } else { index } + nth) % count;
    (0..count).filter_map(move |index| pods.get(at(index)).copied())
}

/// Which pods violate a budget, in the order in which they are put back.
fn violations(potential: &[PotentialVictim]) -> Vec<(PodIx, bool)> {
    potential.iter().flat_map(PotentialVictim::violations).collect()
}

/// The orders in which the budgets of these pods may be walked, other than by name; none if no pod has several.
pub(in crate::groups) fn budget_orders(
    potential: &[Unit],
    cluster: &Cluster,
    budgets: &BudgetIndex,
) -> Vec<BTreeMap<BudgetIx, usize>> {
    let pods = potential.iter().flat_map(|unit| &unit.pods);
    let several = pods.map(|pod| budgets.of(cluster.pod(*pod), cluster)).filter(|budgets| budgets.len() > 1);
    let involved: BTreeSet<BudgetIx> = several.flatten().collect();
    if involved.is_empty() { Vec::new() } else { outcomes::budget_orders(&involved).0 }
}

/// The same with the potential victims in their order.
fn of(
    view: &ClusterView,
    emptied: &ClusterView,
    laid: &Laid,
    potential: Vec<PotentialVictim>,
    units: &Units,
    now: Timestamp,
) -> GroupPlan {
    let (cluster, profile) = (view.cluster, view.profile);
    let features = &profile.features.preemption;
    let placed = &laid.placed;
    let views = before_each(emptied, laid, now);
    let filters = plugins::filters(&profile.plugins);
    let prepared: Vec<PreparedCycle> =
        views.iter().zip(placed).map(|(view, (pod, _))| PreparedCycle::new(view, *pod, now, &filters)).collect();
    let mut states: Vec<NodeState> =
        prepared.iter().zip(placed).map(|(prepared, (_, node))| prepared.node_state(*node)).collect();
    let crowded = crowd(&mut states, laid);
    let concerned = Concerned::new(placed, &states);
    let mut attempts: Vec<GroupAttempt> = Vec::with_capacity(potential.len());
    let mut beside: Vec<SmallVec<[usize; 4]>> = Vec::with_capacity(potential.len());
    let mut domains = false;
    let mut evicted: Vec<(Unit, Vec<Victim>)> = Vec::new();
    for potential in potential {
        let unit = &potential.unit;
        let put = || put_back(unit, &mut states, &concerned, cluster);
        let PutBack { beside: indices, blocked, open } = crowded.as_ref().map_or_else(put, PutBack::without_room);
        beside.push(indices);
        domains |= open;
        attempts.push(GroupAttempt {
            pods: unit.pods.clone(),
            together: unit.together,
            violates_pdb: potential.violates_pdb(),
            stays: blocked.is_none(),
            blocked: blocked.as_ref().and_then(|(index, _)| placed.get(*index)).map(|(pod, _)| *pod),
        });
        if let Some((_, blocks)) = blocked {
            let victims = potential.victims(blocks).collect();
            evicted.push((potential.unit, victims));
        }
    }
    // Units that are put back beside different pods do not meet, unless by their budgets.
    let of = |at: usize| attempts.get(at).zip(beside.get(at));
    let meet = |a: usize, b: usize| {
        of(a).zip(of(b)).is_some_and(|((one, beside_one), (other, beside_other))| {
            one.violates_pdb || other.violates_pdb || beside_one.iter().any(|index| beside_other.contains(index))
        })
    };
    let ties = ties(&attempts, meet, units, now, features);
    let mut order: Vec<Unit> = evicted.iter().map(|(unit, _)| unit.clone()).collect();
    importance::sort(&mut order, cluster, now, features);
    let place = |unit: &Unit| order.iter().position(|other| other.pods == unit.pods);
    evicted.sort_by_key(|(unit, _)| place(unit));
    let victims: Vec<Victim> = evicted.into_iter().flat_map(|(_, victims)| victims).collect();
    GroupPlan {
        placed: placed.clone(),
        violations: victims.iter().filter(|victim| !victim.violates.is_empty()).count(),
        victims,
        attempts,
        open: false,
        rivals: false,
        ties,
        domains,
        other_victims: false,
        other_violations: false,
    }
}

/// What each pod sees: those that are placed before it, and not taken off again.
fn before_each<'c>(emptied: &ClusterView<'c>, laid: &Laid, now: Timestamp) -> Vec<ClusterView<'c>> {
    let place = |view: &mut ClusterView<'c>, (pod, node): &(PodIx, NodeIx)| settle(*pod, *node, view, now);
    if laid.apart.is_empty() {
        let mut so_far = emptied.clone();
        let before = |placed| {
            let before = so_far.clone();
            place(&mut so_far, placed);
            before
        };
        return laid.placed.iter().map(before).collect();
    }
    let before = |later: usize| {
        let mut view = emptied.clone();
        let seen = laid.placed.iter().enumerate().take(later).filter(|(at, _)| !laid.apart.contains(&(later, *at)));
        seen.for_each(|(_, placed)| place(&mut view, placed));
        view
    };
    (0..laid.placed.len()).map(before).collect()
}

/// Puts the pods that a later one does not see on their nodes beside it. The result is the first pod that has no room then: whatever is
/// put back, the plan has none for it.
fn crowd(states: &mut [NodeState], laid: &Laid) -> Option<Blocked> {
    for (later, earlier) in &laid.apart {
        if let (Some(state), Some((pod, node))) = (states.get_mut(*later), laid.placed.get(*earlier)) {
            state.crowd(*pod, *node);
        }
    }
    let mut all = states.iter().enumerate().filter(|_| !laid.apart.is_empty());
    let (index, (plugin, verdict)) = all.find_map(|(index, state)| Some((index, state.check()?)))?;
    Some((index, if let Verdict::Rejected(rejection) = verdict { Some((plugin, rejection)) } else { None }))
}

/// Why a pod of the group does not fit: its place among them, the plugin and its rejection.
type Blocked = (usize, Option<(&'static str, Rejection)>);

/// Which pods of the group a pod that comes back may concern, as indices of those that are placed.
struct Concerned {
    /// Those on its node.
    by_node: BTreeMap<NodeIx, SmallVec<[usize; 1]>>,
    /// Those with filters that look at other nodes, too.
    wide: Vec<usize>,
}

impl Concerned {
    fn new(placed: &[(PodIx, NodeIx)], states: &[NodeState]) -> Self {
        let mut by_node: BTreeMap<NodeIx, SmallVec<[usize; 1]>> = BTreeMap::new();
        placed.iter().enumerate().for_each(|(index, (_, node))| by_node.entry(*node).or_default().push(index));
        let wide = states.iter().enumerate().filter(|(_, state)| state.looks_elsewhere()).map(|(index, _)| index);
        Self { by_node, wide: wide.collect() }
    }
}

/// What came of an attempt to put a unit back.
struct PutBack {
    /// The pods of the group that it may concern, as indices of those that are placed.
    beside: SmallVec<[usize; 4]>,
    /// The pod of the group that does not fit beside it.
    blocked: Option<Blocked>,
    /// Whether another order of topology domains, which the API does not show, may come to the opposite.
    open: bool,
}

impl PutBack {
    /// Of a plan that has no room for one of its pods.
    fn without_room((index, blocks): &Blocked) -> Self {
        Self { beside: SmallVec::from_elem(*index, 1), blocked: Some((*index, blocks.clone())), open: false }
    }
}

/// Puts a unit back, and takes it away again if a pod of the group does not fit beside it.
fn put_back(unit: &Unit, states: &mut [NodeState], concerned: &Concerned, cluster: &Cluster) -> PutBack {
    let pods: SmallVec<[(PodIx, NodeIx); 1]> =
        unit.pods.iter().filter_map(|pod| Some((*pod, cluster.node_of(*pod)?))).collect();
    // The other pods of the group fitted before, and do so still.
    let here = pods.iter().filter_map(|(_, node)| concerned.by_node.get(node)).flatten().copied();
    let concerns = |index: &usize| {
        states.get(*index).is_some_and(|state| pods.iter().any(|(pod, node)| state.depends_on(*pod, *node)))
    };
    let mut indices: SmallVec<[usize; 4]> = concerned.wide.iter().copied().filter(concerns).chain(here).collect();
    indices.sort_unstable();
    indices.dedup();
    for index in &indices {
        if let Some(state) = states.get_mut(*index) {
            pods.iter().for_each(|(pod, node)| state.add_pod_on(*pod, *node));
        }
    }
    let mut open = false;
    let rejected = indices.iter().find_map(|index| {
        let state = states.get(*index)?;
        let rejected = state.check();
        open |= state.is_open(rejected.as_ref());
        Some((*index, rejected?))
    });
    let Some((index, (plugin, verdict))) = rejected else { return PutBack { beside: indices, blocked: None, open } };
    for index in &indices {
        if let Some(state) = states.get_mut(*index) {
            pods.iter().for_each(|(pod, node)| state.remove_pod_from(*pod, *node));
        }
    }
    let blocks = if let Verdict::Rejected(rejection) = verdict { Some((plugin, rejection)) } else { None };
    PutBack { beside: indices, blocked: Some((index, blocks)), open }
}

/// Whether units share everything that orders them, and not their fate. Only those that `meet`, by their place in `attempts`, can change
/// each other's.
pub(in crate::groups) fn ties(
    attempts: &[GroupAttempt],
    meet: impl Fn(usize, usize) -> bool,
    units: &Units,
    now: Timestamp,
    features: &Preemption,
) -> bool {
    if features.victim_order == VictimOrder::StartTimeThenUid {
        return false;
    }
    let key = |attempt: &GroupAttempt| units.of(&attempt.pods).first().map(|unit| importance::key(unit, now, features));
    let mut evicted: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, attempt) in attempts.iter().enumerate().filter(|(_, attempt)| !attempt.stays) {
        evicted.entry(key(attempt)).or_default().push(at);
    }
    let tied = |(at, attempt): (usize, &GroupAttempt)| {
        evicted.get(&key(attempt)).is_some_and(|others| others.iter().any(|other| meet(*other, at)))
    };
    !evicted.is_empty() && attempts.iter().enumerate().filter(|(_, attempt)| attempt.stays).any(tied)
}
