//! Since 1.38 preemption tries the nodes for a pod of a group in the order of what it would evict
//! there. A pod that is placed on a node condemns the potential victims of that node, and these
//! cost nothing for the pods behind it.
//!
//! Upstream: `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go` `RankNodes`,
//! `Reserve`, `pkg/scheduler/framework/preemption/podgrouppreemption_state.go`,
//! `pkg/scheduler/framework/preemption/util.go` `CompareVictimSets` (1.38).

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::framework::cluster_view::ClusterView;
use crate::preemption::units::{EvictionUnit, UnitRank};
use model::cluster::{Cluster, NodeIx, PodIx};

/// Ranks nodes by their potential victims.
pub(super) struct NodeRanks {
    /// The potential victims, the most important first.
    victims: Vec<RankedVictim>,
    /// The potential victims with a pod on a node, as indices into `victims` in their order.
    by_node: BTreeMap<NodeIx, Vec<usize>>,
    /// The pods of the preemptor.
    members: BTreeSet<PodIx>,
}

/// What a potential victim costs.
#[derive(Debug, Clone, Copy)]
struct RankedVictim {
    priority: i32,
    rank: UnitRank,
    pods: usize,
    /// How many of its pods violate a budget.
    violations: usize,
}

impl NodeRanks {
    /// Ranks for a preemptor with these pods; `potential` is what it may evict, the most important
    /// first, and `violating` are those of these pods that violate a budget.
    pub(super) fn new(
        cluster: &Cluster,
        potential: &[EvictionUnit],
        violating: &BTreeSet<PodIx>,
        members: Vec<PodIx>,
    ) -> Self {
        let mut by_node: BTreeMap<NodeIx, Vec<usize>> = BTreeMap::new();
        let mut victims = Vec::with_capacity(potential.len());
        for (index, unit) in potential.iter().enumerate() {
            victims.push(RankedVictim {
                priority: unit.priority,
                rank: unit.rank,
                pods: unit.pods.len(),
                violations: unit.pods.iter().filter(|pod| violating.contains(pod)).count(),
            });
            for node in unit.pods.iter().filter_map(|pod| cluster.node_of(*pod)) {
                let on_node = by_node.entry(node).or_default();
                if on_node.last() != Some(&index) {
                    on_node.push(index);
                }
            }
        }
        Self { victims, by_node, members: members.into_iter().collect() }
    }

    /// The nodes with their ranks, the lowest rank first: rank 0 costs no further victim. Nodes of
    /// one rank keep their order.
    pub(super) fn of(
        &self,
        nodes: impl Iterator<Item = NodeIx>,
        view: &ClusterView,
    ) -> Vec<(NodeIx, usize)> {
        // Parity: a pod counts as the end of everything on its node, even if it would fit beside.
        let condemned: BTreeSet<usize> = self
            .by_node
            .iter()
            .filter(|(node, _)| view.info(**node).pods.iter().any(|pod| self.members.contains(pod)))
            .flat_map(|(_, victims)| victims.iter().copied())
            .collect();
        let survivors = nodes.map(|node| {
            let on_node = self.by_node.get(&node).into_iter().flatten();
            let survivors = on_node
                .filter(|index| !condemned.contains(index))
                .filter_map(|index| self.victims.get(*index).copied());
            (node, survivors.collect())
        });
        let mut costly: Vec<(NodeIx, Vec<RankedVictim>)> = survivors.collect();
        costly.sort_by(|(_, a), (_, b)| compare(a, b));

        // Equal costs share a rank.
        let mut ranked: Vec<(NodeIx, usize)> = Vec::with_capacity(costly.len());
        let mut before: &[RankedVictim] = &[];
        let mut rank = 0;
        for (node, victims) in &costly {
            if compare(before, victims) != Ordering::Equal {
                rank += 1;
            }
            ranked.push((*node, rank));
            before = victims;
        }
        ranked
    }
}

/// Compares what two sets of victims cost, each with the most important first: the violated
/// budgets, then the pods of each priority from the highest down, then all pods, then the kinds and
/// sizes of the victims in turn, then their number.
fn compare(a: &[RankedVictim], b: &[RankedVictim]) -> Ordering {
    if a.is_empty() || b.is_empty() {
        return a.len().cmp(&b.len());
    }
    violations_of(a)
        .cmp(&violations_of(b))
        .then_with(|| compare_common(&pods_by_priority(a), &pods_by_priority(b)))
        .then_with(|| pods_of(a).cmp(&pods_of(b)))
        .then_with(|| compare_common(&kinds_of(a), &kinds_of(b)))
        .then_with(|| a.len().cmp(&b.len()))
}

fn violations_of(victims: &[RankedVictim]) -> usize {
    victims.iter().map(|victim| victim.violations).sum()
}

fn pods_of(victims: &[RankedVictim]) -> usize {
    victims.iter().map(|victim| victim.pods).sum()
}

fn pods_by_priority(victims: &[RankedVictim]) -> Vec<(i32, usize)> {
    let of_one = victims.chunk_by(|a, b| a.priority == b.priority);
    of_one.filter_map(|one| Some((one.first()?.priority, pods_of(one)))).collect()
}

fn kinds_of(victims: &[RankedVictim]) -> Vec<(UnitRank, usize)> {
    victims.iter().map(|victim| (victim.rank, victim.pods)).collect()
}

/// Compares lists as far as both go.
fn compare_common<T: Ord>(a: &[T], b: &[T]) -> Ordering {
    let length = a.len().min(b.len());
    a.iter().take(length).cmp(b.iter().take(length))
}

#[cfg(test)]
mod tests {
    use super::{RankedVictim, compare};
    use crate::preemption::units::UnitRank;

    /// Victims as (priority, pods, violations); groups have more than one pod.
    fn victims(of: &[(i32, usize, usize)]) -> Vec<RankedVictim> {
        let victim = |(priority, pods, violations): &(i32, usize, usize)| RankedVictim {
            priority: *priority,
            rank: if *pods > 1 { UnitRank::Group } else { UnitRank::Pod },
            pods: *pods,
            violations: *violations,
        };
        of.iter().map(victim).collect()
    }

    #[test]
    fn cheaper_victims_come_first() {
        for (row, cheaper, dearer) in [
            ("nothing", &[][..], &[(0, 1, 0)][..]),
            ("no budget is violated", &[(9, 1, 0), (9, 1, 0)], &[(0, 1, 1)]),
            ("a lower priority", &[(1, 1, 0), (1, 1, 0)], &[(2, 1, 0)]),
            ("fewer pods of the highest priority", &[(2, 1, 0), (1, 5, 0)], &[(2, 2, 0)]),
            ("a lower second priority", &[(2, 1, 0), (0, 1, 0)], &[(2, 1, 0), (1, 1, 0)]),
            ("fewer pods in all", &[(2, 1, 0)], &[(2, 1, 0), (1, 1, 0)]),
            ("pods before a group", &[(2, 1, 0), (2, 1, 0)], &[(2, 2, 0)]),
            ("a smaller group", &[(2, 2, 0), (2, 2, 0)], &[(2, 3, 0), (2, 1, 0)]),
        ] {
            let (a, b) = (victims(cheaper), victims(dearer));
            assert!(compare(&a, &b).is_lt() && compare(&b, &a).is_gt(), "{row}");
            assert!(compare(&a, &a).is_eq(), "{row}");
        }
    }
}
