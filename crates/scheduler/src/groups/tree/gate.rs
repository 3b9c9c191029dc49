//! What keeps a tree out of the scheduling queue: too few of its groups have the pods that they
//! need, or a pod is held back.
//!
//! Upstream: `pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go` `isCPGTreeReady`
//! (1.37). The scheduler writes nothing about it: the pods just stay Pending.
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go` `validatePodGroup` (1.37).

use std::collections::BTreeSet;

use super::{Tree, TreeRow};
use crate::decision::group::GroupShortfall;
use crate::framework::cluster_view::ClusterView;
use crate::groups::gate::{GroupGate, Members, Shared, differs, held};
use model::cluster::{AnyGroup, Cluster, PodIx};

impl Tree {
    /// What keeps the tree out of the queue; `None` if it is in the queue.
    pub(super) fn gate(&self, view: &ClusterView) -> Option<GroupGate> {
        if self.waiting().next().is_none() {
            return Some(GroupGate::NothingWaits);
        }
        let root = AnyGroup::Groups(self.root);
        if self.is_ready(root, view.cluster) {
            return self.waiting().find_map(|pod| held(view, pod, false));
        }
        let lacks = self.below(root).into_iter().filter_map(|group| self.lack(group, view.cluster));
        Some(GroupGate::TreeTooSmall { lacks: lacks.collect() })
    }

    fn is_ready(&self, group: AnyGroup, cluster: &Cluster) -> bool {
        self.lack(group, cluster).is_none()
    }

    /// The groups of a tree that gets no cycle, with the pods and children that they have.
    pub(super) fn rows(&self, cluster: &Cluster) -> Vec<TreeRow> {
        self.with_depths(AnyGroup::Groups(self.root), 0)
            .into_iter()
            .map(|(group, depth)| {
                let GroupShortfall { has, needs, .. } = self.stock(group, cluster);
                TreeRow { group, depth, needs, has, tried: false }
            })
            .collect()
    }

    fn with_depths(&self, group: AnyGroup, depth: usize) -> Vec<(AnyGroup, usize)> {
        let mut all = vec![(group, depth)];
        if let AnyGroup::Groups(ix) = group {
            all.extend(
                self.inside(ix).iter().flat_map(|child| self.with_depths(*child, depth + 1)),
            );
        }
        all
    }

    /// What a group lacks. A composite group may lack nothing although groups in it do.
    fn lack(&self, group: AnyGroup, cluster: &Cluster) -> Option<GroupShortfall> {
        let stock = self.stock(group, cluster);
        (i64::try_from(stock.has).unwrap_or(i64::MAX) < stock.needs).then_some(stock)
    }

    /// What a group has and needs.
    fn stock(&self, group: AnyGroup, cluster: &Cluster) -> GroupShortfall {
        let (has, needs) = match group {
            AnyGroup::Pods(ix) => (
                self.members.get(&ix).map_or(0, Members::count),
                cluster.pod_group(ix).min_count.unwrap_or(1),
            ),
            AnyGroup::Groups(ix) => (
                self.inside(ix).iter().filter(|child| self.is_ready(**child, cluster)).count(),
                cluster.composite_group(ix).min_count.unwrap_or(1),
            ),
        };
        GroupShortfall { group, has, needs }
    }
}

impl Tree {
    /// The errors with which the cycle may end; empty if the pods have in common what they must.
    /// Parity: the scheduler checks the groups with waiting pods in any order, and after them the
    /// running pods of each group, in any order.
    pub(super) fn errors(&self, view: &ClusterView) -> BTreeSet<String> {
        let root = self.facts(view.cluster);
        let groups: Vec<&[PodIx]> = self
            .leaves(AnyGroup::Groups(self.root))
            .filter_map(|ix| Some(self.members.get(&ix)?.waiting.as_slice()))
            .filter(|waiting| !waiting.is_empty())
            .collect();
        let running: Vec<Vec<PodIx>> = self
            .leaves(AnyGroup::Groups(self.root))
            .map(|ix| self.running(AnyGroup::Pods(ix)))
            .collect();
        let mut errors = BTreeSet::new();
        for own in &groups {
            // The first pod of the group that is checked first is the one to which all are
            // compared.
            let Some(first) = own.first() else { continue };
            let shared = Shared {
                first: *first,
                priority: root.priority(),
                never_preempts: root.never_preempts,
            };
            if let Some(error) = first_difference(own, &shared, view) {
                errors.insert(error);
                continue;
            }
            // Then the other groups with waiting pods, in any order.
            let others: BTreeSet<String> =
                groups.iter().filter_map(|other| first_difference(other, &shared, view)).collect();
            if !others.is_empty() {
                errors.extend(others);
                continue;
            }
            // Then the running pods of the first group that has a different one.
            for pods in &running {
                let differences: BTreeSet<String> =
                    pods.iter().filter_map(|pod| differs(*pod, &shared, view)).collect();
                if !differences.is_empty() {
                    errors.extend(differences);
                    break;
                }
            }
        }
        errors
    }
}

/// The difference of the first pod that differs; the pods of one group are checked in their order.
fn first_difference(pods: &[PodIx], shared: &Shared, view: &ClusterView) -> Option<String> {
    pods.iter().find_map(|pod| differs(*pod, shared, view))
}
