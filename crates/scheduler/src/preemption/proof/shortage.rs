//! What evictions must free at least: resources of which the node has too little for the preemptor
//! beside all its pods. Other filters may demand more, so a set that frees too little never makes
//! room, whatever else it is.

use super::{EvictablePod, Evicted, Goal, PlanCost};
use crate::framework::cycle::PreparedCycle;
use crate::framework::operands::ResourceId;
use crate::preemption::victim::PRIORITY_OFFSET;
use model::cluster::{BudgetIx, Cluster, NodeIx};

/// Amounts from here on may wrap or saturate in sums.
const HUGE: i64 = 1 << 56;

/// A resource that is short on a node.
pub(super) struct Shortage {
    /// How much more of it has to become free.
    pub missing: i64,
    /// What each pod frees, by its index.
    freed: Vec<i64>,
    /// The indices of the pods that free any, those that free the most first.
    largest_first: Vec<usize>,
}

impl Shortage {
    /// The resources that are short on a node with all its pods, as `NodeResourcesFit` counts them.
    pub(super) fn all_of(
        node: NodeIx,
        pods: &[EvictablePod],
        prepared: &PreparedCycle,
    ) -> Vec<Self> {
        let (view, cycle) = (prepared.cycle.view, &prepared.cycle);
        if !view.profile.plugins.filter.contains(&"NodeResourcesFit") {
            return Vec::new();
        }
        let (info, facts, has) = (view.info(node), view.node(node), view.allocatable(node));
        let (wanted, requested) = (view.incoming(cycle.pod), view.requested(info));
        let used = facts.used(&requested);
        let mut resources = vec![ResourceId::Cpu, ResourceId::Memory, ResourceId::EphemeralStorage];
        // Devices of resource claims may stand for what a node has not, and some are ignored.
        let args = &view.profile.args;
        if cycle.cluster().devices.slices.is_empty()
            && args.ignored_resources.is_empty()
            && args.ignored_resource_groups.is_empty()
        {
            resources.extend(wanted.scalars.iter().map(|(name, _)| ResourceId::Scalar(*name)));
        }

        let number_of_pods = facts.used_pods(info.pods.len() + info.unknown);
        let too_many = number_of_pods.saturating_add(1).saturating_sub(view.allocatable_pods(node));
        let mut all: Vec<Self> = Self::new(too_many, vec![1; pods.len()]).into_iter().collect();
        for resource in resources.into_iter().filter(|one| one.of(&wanted) > 0) {
            let amounts = [resource.of(&wanted), resource.of(&used), resource.of(has)];
            let freed = pods
                .iter()
                .map(|one| resource.of(view.footprint(cycle.cluster().pod(one.pod))).max(0));
            let freed: Vec<i64> = freed.collect();
            if amounts.iter().chain(&freed).any(|amount| amount.abs() > HUGE) {
                continue;
            }
            let [wanted, used, has] = amounts;
            all.extend(Self::new(wanted + used - has, freed));
        }
        all
    }

    /// `None` if nothing is missing.
    fn new(missing: i64, freed: Vec<i64>) -> Option<Self> {
        let mut largest_first: Vec<usize> = (0..freed.len()).collect();
        largest_first.retain(|at| freed.get(*at).is_some_and(|freed| *freed > 0));
        largest_first.sort_by_key(|at| freed.get(*at).map(|freed| -freed));
        (missing > 0).then_some(Self { missing, freed, largest_first })
    }

    /// What the pod at `at` frees.
    pub(super) fn freed_by(&self, at: usize) -> i64 {
        self.freed.get(at).copied().unwrap_or_default()
    }

    /// Whether evicting some pods from `from` on besides those that are `evicted` can free enough and
    /// be better than `least`. Pods are in the order of their priorities, the highest first.
    pub(super) fn can_end_better(
        &self,
        goal: Goal,
        from: usize,
        pods: &[EvictablePod],
        evicted: &Evicted,
        least: PlanCost,
        cluster: &Cluster,
    ) -> bool {
        let cost = evicted.cost();
        if self.missing <= 0 {
            return true;
        }
        if goal == Goal::Fewest {
            let more = self.fewest(from, |_| true);
            return more.is_some_and(|more| cost.victims + more < least.victims);
        }
        let frees_enough = |highest, violations| {
            self.most_freed(from, pods, evicted, highest, violations, cluster) >= self.missing
        };

        // Enough is free with fewer violations, or with as many of them and less important victims.
        let violations = least.violations - cost.violations;
        if violations > 0 && frees_enough(i64::MAX, violations - 1)
            || cost.highest < least.highest && frees_enough(least.highest - 1, violations)
        {
            return true;
        }
        // Or the most important victim is as important as there, and the sum of all is lower: at least
        // as many of the least important pods as it takes of the largest ones.
        let is_eligible =
            |at: usize| pods.get(at).is_some_and(|one| i64::from(one.priority) <= least.highest);
        let Some(more) = self.fewest(from, is_eligible) else { return false };
        let last = pods.iter().rev().take(more);
        let sum: i64 = last.map(|one| i64::from(one.priority) + PRIORITY_OFFSET).sum();
        (cost.sum + sum, cost.victims + more) < (least.sum, least.victims)
            && frees_enough(least.highest, violations)
    }

    /// The fewest of these pods that free enough; `None` if all of them do not.
    fn fewest(&self, from: usize, is_eligible: impl Fn(usize) -> bool) -> Option<usize> {
        let (mut freed, mut number) = (0, 0);
        for at in self.largest_first.iter().filter(|at| **at >= from && is_eligible(**at)) {
            freed += self.freed_by(*at);
            number += 1;
            if freed >= self.missing {
                return Some(number);
            }
        }
        None
    }

    /// The most that the pods from `from` on free if none of them has a higher priority than `highest`
    /// and no more than `violations` of them are more than what budgets still allow.
    fn most_freed(
        &self,
        from: usize,
        pods: &[EvictablePod],
        evicted: &Evicted,
        highest: i64,
        mut violations: i64,
        cluster: &Cluster,
    ) -> i64 {
        let mut freed = 0;
        // A pod with several budgets has none that allows anything.
        let mut allowed: Vec<(BudgetIx, i64)> = Vec::new();
        for at in self.largest_first.iter().filter(|at| **at >= from) {
            let Some(one) = pods.get(*at) else { continue };
            if i64::from(one.priority) > highest {
                continue;
            }
            let mut is_violation = false;
            for budget in &one.budgets {
                let known = allowed.iter().position(|(of, _)| of == budget).unwrap_or_else(|| {
                    allowed.push((*budget, evicted.still_allowed(*budget, cluster)));
                    allowed.len() - 1
                });
                let Some((_, left)) = allowed.get_mut(known) else { continue };
                is_violation |= *left <= 0;
                *left -= 1;
            }
            if is_violation && violations <= 0 {
                continue;
            }
            violations -= i64::from(is_violation);
            freed += self.freed_by(*at);
        }
        freed
    }
}
