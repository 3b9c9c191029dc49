//! The reprieve pass of a group's preemption: every unit of lower priority is added back to its
//! nodes, and stays if each pod of the group still fits on the node that the plan gives it.
//!
//! Upstream: `pkg/scheduler/framework/preemption/podgrouppreemption.go` (1.37).

use std::collections::{BTreeMap, BTreeSet};

use super::members::{GroupAttempt, Members, PutBack, TriedUnit, tie_key, ties, views_of_members};
use super::possible::{self, PossibleVictims};
use super::{GroupPlan, PodPlacements};
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::PreparedCycle;
use crate::plugins;
use crate::preemption::budgets::{BudgetIndex, Budgets, VictimBudgets, count_violations};
use crate::preemption::dry_run::{DryRunContext, Victim};
use crate::preemption::importance;
use crate::preemption::outcomes;
use crate::preemption::reprieve::{EvictedUnit, PotentialUnit, ReprieveOrder};
use crate::preemption::units::EvictionUnit;
use model::cluster::{BudgetIx, Cluster, PodIx};
use profile::history::{BudgetCounting, VictimOrder};

/// Maximum number of sets of pods that are counted first, see [`WalkOrder::first`].
const MOST_FIRSTS: usize = 32;
/// Maximum number of rotations of a unit's pods that are tried, each forwards and backwards.
const MOST_ROTATIONS: usize = 8;

/// Reprieves as much of `potential` as possible, given the pods placed in the cluster `emptied` of
/// it. The most important units come first.
pub(super) fn run(
    context: &DryRunContext,
    emptied: &ClusterView,
    placements: &PodPlacements,
    potential: &[EvictionUnit],
) -> GroupPlan {
    let orders = ReprieveOrders { context, units: potential };

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

/// The pods of `units` that violate a budget where budgets are walked by name, and whether others
/// may in an order that the API does not show. The most important units come first.
pub(super) fn violating(
    context: &DryRunContext,
    units: &[EvictionUnit],
) -> (BTreeSet<PodIx>, bool) {
    let orders = ReprieveOrders { context, units };
    let of = |walk: &WalkOrder| -> BTreeSet<PodIx> {
        let violations = violations(&orders.in_order(walk)).into_iter();
        violations.filter(|(_, violates)| *violates).map(|(pod, _)| pod).collect()
    };
    let by_name = of(&WalkOrder::default());
    let (others, _) = orders.walk_orders(&[], &[]);
    let are_open = others.iter().any(|walk| of(walk) != by_name);
    (by_name, are_open)
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
        // victims by importance, up to 1.37.
        if !self.context.view.profile.features.pod_groups.group_nodes_ranked {
            order.sort_by_importance(&mut evicted, self.context);
        }
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
