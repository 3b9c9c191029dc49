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
use crate::groups::gate::{self, GroupGate, Members, Shared, differs, held, key};
use model::cluster::pod_group::DisruptionMode;
use model::cluster::{AnyGroup, Cluster, CompositeIx, PodIx};

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
        if view.profile.features.pod_groups.groups_checked_together {
            return self.errors_together(view);
        }
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
            let shared = self.shared(*first, view.cluster);
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

/// The same since 1.38: groups and pods are checked in their order, from the root down.
///
/// Upstream: `pkg/scheduler/schedule_one_podgroup.go` `validatePodGroupHierarchy` (1.38).
impl Tree {
    /// What the pods share; `first` is the one to which they are compared.
    fn shared(&self, first: PodIx, cluster: &Cluster) -> Shared {
        let root = self.facts(cluster);
        Shared {
            root: AnyGroup::Groups(self.root),
            first,
            priority: root.priority(),
            never_preempts: root.never_preempts,
        }
    }

    fn errors_together(&self, view: &ClusterView) -> BTreeSet<String> {
        let waiting = self.leaves(AnyGroup::Groups(self.root));
        let firsts = waiting.filter_map(|ix| self.members.get(&ix)?.waiting.first().copied());
        // Parity: a pod of any group may be the one to which the others are compared.
        let mut errors = BTreeSet::new();
        for first in firsts {
            let shared = self.shared(first, view.cluster);
            errors.extend(self.errors_below(AnyGroup::Groups(self.root), &shared, view));
        }
        errors
    }

    /// The errors of the first group below this one that has any. Running pods come in any order.
    fn errors_below(
        &self,
        group: AnyGroup,
        shared: &Shared,
        view: &ClusterView,
    ) -> BTreeSet<String> {
        match group {
            AnyGroup::Groups(ix) => {
                let mut children = self.inside(ix).iter().map(|child| {
                    match group_differs(*child, ix, shared, view.cluster) {
                        Some(error) => BTreeSet::from([error]),
                        None => self.errors_below(*child, shared, view),
                    }
                });
                children.find(|errors| !errors.is_empty()).unwrap_or_default()
            }
            AnyGroup::Pods(ix) => {
                let Some(members) = self.members.get(&ix) else { return BTreeSet::new() };
                if let Some(error) = first_difference(&members.waiting, shared, view) {
                    return BTreeSet::from([error]);
                }
                members.running.iter().filter_map(|pod| differs(*pod, shared, view)).collect()
            }
        }
    }
}

/// What a group lacks in common with the root or its parent, in kube-scheduler's words.
fn group_differs(
    group: AnyGroup,
    parent: CompositeIx,
    shared: &Shared,
    cluster: &Cluster,
) -> Option<String> {
    let AnyGroup::Groups(root) = shared.root else { return None };
    let (root_facts, parent_facts) =
        (cluster.composite_group(root), cluster.composite_group(parent));
    let (priority, policy, workload, is_basic, is_single) = match group {
        AnyGroup::Pods(ix) => {
            let own = cluster.pod_group(ix);
            let is_single = own.disruption == DisruptionMode::Single;
            let is_basic = own.min_count.is_none();
            (own.priority(), own.never_preempts, own.workload, is_basic, is_single)
        }
        AnyGroup::Groups(ix) => {
            let own = cluster.composite_group(ix);
            let is_single = own.disruption == DisruptionMode::Single;
            let is_basic = own.min_count.is_none();
            (own.priority(), own.never_preempts, own.workload, is_basic, is_single)
        }
    };
    let quoted = |group: AnyGroup| go::quoted(&key(group, cluster));
    let (own, of_root, of_parent) =
        (quoted(group), quoted(shared.root), quoted(AnyGroup::Groups(parent)));
    if workload != root_facts.workload {
        let [of_own, of_all] =
            [workload, root_facts.workload].map(|name| go::quoted(cluster.text(name)));
        return Some(format!(
            "pod group workload does not match root workload, got: {of_own} ({own}) and {of_all} ({of_root})"
        ));
    }
    if priority != shared.priority {
        let all = shared.priority;
        return Some(format!(
            "all pod groups in a hierarchy should have the same priority as the root pod group's priority, got {priority} ({own}) and {all} ({of_root})"
        ));
    }
    let of_first = cluster.template(cluster.pod(shared.first)).never_preempts;
    let expected = shared.never_preempts.unwrap_or(of_first);
    if let Some(never) = policy.filter(|never| *never != expected) {
        let [never, expected] = [never, expected].map(gate::policy);
        return Some(format!(
            "all pod groups in a hierarchy should have the same preemption policy, got {never} ({own}) and {expected}"
        ));
    }
    if parent_facts.min_count.is_some() && is_basic {
        return Some(format!("gang parent {of_parent} cannot have basic child {own}"));
    }
    (parent_facts.disruption == DisruptionMode::All && is_single).then(|| {
        format!(
            "parent {of_parent} with All disruption mode cannot have child {own} with Single disruption mode"
        )
    })
}

/// The difference of the first pod that differs; the pods of one group are checked in their order.
fn first_difference(pods: &[PodIx], shared: &Shared, view: &ClusterView) -> Option<String> {
    pods.iter().find_map(|pod| differs(*pod, shared, view))
}
