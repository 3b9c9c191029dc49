//! The root of a tree as the preemptor of the pods of all its groups.
//!
//! Upstream: `pkg/scheduler/framework/preemption/types.go` `newPodGroupPreemptor`,
//! `pkg/scheduler/schedule_one_podgroup.go` `podGroupCycle` (1.37).

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::search::{Results, TreeSearch};
use crate::framework::cluster_view::ClusterView;
use crate::groups::cycle::GroupSearchResult;
use crate::groups::placements::{SearchResult, has_equals};
use crate::groups::preemption::{GroupPreemptor, PodPlacements};
use crate::groups::select::Memory;
use model::cluster::{AnyGroup, Cluster, GroupIx, NodeIx, PodIx};

impl GroupPreemptor for TreeSearch<'_> {
    fn members(&self) -> Vec<PodIx> {
        self.waiting.values().flatten().copied().collect()
    }

    fn now(&self) -> Timestamp {
        self.now
    }

    fn priority(&self, cluster: &Cluster) -> i32 {
        self.tree.facts(cluster).priority()
    }

    fn never_preempts(&self, cluster: &Cluster) -> Option<bool> {
        self.tree.facts(cluster).never_preempts
    }

    fn place(&self, view: &mut ClusterView, memory: &mut Memory) -> PodPlacements {
        let results = self.run(view, memory);
        let mut placed = self.placed(&results);
        if view.profile.features.pod_groups.groups_checked_together {
            placed.retain(|(group, ..)| self.is_kept(*group, self.tree.root, &results));
        }
        // Pods of groups that got too little were removed before the pods of later groups were
        // tried.
        let mut unseen = BTreeSet::new();
        for (later, (group, ..)) in placed.iter().enumerate() {
            for (earlier, (earlier_group, ..)) in placed.iter().enumerate().take(later) {
                if !self.sees(*group, *earlier_group, &results) {
                    unseen.insert((later, earlier));
                }
            }
        }
        let root = AnyGroup::Groups(self.tree.root);
        PodPlacements {
            unseen,
            nodes_tie: results.nodes_tie(),
            volumes_tie: results.pods.values().any(SearchResult::volumes_tie),
            text_may_differ: results.differ(),
            status: results.status(root).cloned().unwrap_or(GroupSearchResult::Fits),
            placed: placed.into_iter().map(|(_, pod, node)| (pod, node)).collect(),
        }
    }
}

impl TreeSearch<'_> {
    /// The pods that were placed when they were tried, with their groups and nodes. Parity: those
    /// of groups that got too little count too.
    fn placed(&self, results: &Results) -> Vec<(GroupIx, PodIx, NodeIx)> {
        self.tree
            .leaves(AnyGroup::Groups(self.tree.root))
            .flat_map(|ix| {
                let result = results.pods.get(&ix).into_iter();
                result.flat_map(move |result| {
                    result.attempt.placed().map(move |(pod, node)| (ix, pod, node))
                })
            })
            .collect()
    }

    /// Whether the pods of a group are tried together with those of an earlier one. These stay
    /// unless a group between the earlier one and the common ancestor gets too little.
    fn sees(&self, group: GroupIx, earlier: GroupIx, results: &Results) -> bool {
        let root = AnyGroup::Groups(self.tree.root);
        let own = self.path(root, group);
        self.path(root, earlier)
            .into_iter()
            .filter(|above| !own.contains(above))
            .all(|above| results.fits(above))
    }
}

impl Results {
    /// Whether other nodes tie for some pod, or the scheduler samples nodes or picks a domain at
    /// random.
    fn nodes_tie(&self) -> bool {
        self.pods.values().any(SearchResult::nodes_tie)
            || self
                .groups
                .values()
                .any(|groups| has_equals(&groups.found.placements, groups.found.chosen))
    }

    /// Whether the result is that of an arbitrary topology domain, and those of others differ.
    pub(super) fn differ(&self) -> bool {
        self.groups.values().any(|groups| groups.differ)
            || self.pods.values().any(SearchResult::text_may_differ)
    }
}
