//! Trees: groups with composite groups above them, which kube-scheduler schedules from the root. A
//! tree has one cycle: its groups are tried one after the other, and each composite group needs
//! some of its children (`search.rs`). If the root cannot get what it needs, one plan is made for
//! the pods of all groups, with the root as the preemptor.
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go` `podGroupSchedulingRecursiveAlgorithm`
//! (1.37).

mod complete;
mod decide;
mod doubts;
mod gate;
mod preemptor;
mod search;

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::GroupDecision;
use super::GroupOutcome;
use super::gate::Members;
use super::placements::PlacementTrial;
use super::preemption::GroupPreemption;
use crate::framework::cluster_view::ClusterView;
use model::cluster::composite_group::{CompositeGroup, TreeEnd};
use model::cluster::{AnyGroup, Cluster, CompositeIx, GroupIx, NodeIx, PodIx, composite_group};
use model::notes::Note;
pub(super) use search::TreeSearch;

/// What kube-scheduler decides about a tree.
#[derive(Debug)]
#[must_use]
#[non_exhaustive]
pub struct TreeDecision<'c> {
    /// The cluster and the profile.
    pub view: &'c ClusterView<'c>,
    pub root: CompositeIx,
    /// The instant of the decision.
    pub now: Timestamp,
    /// The outcome for the root.
    pub outcome: GroupOutcome,
    /// The composite groups, from the root down, in the order in which they are tried.
    pub composites: Vec<CompositeResult>,
    /// The groups of pods, in the order in which they are tried.
    pub groups: Vec<GroupDecision<'c>>,
    /// The result of preemption; `None` if the scheduler does not run it.
    pub preemption: Option<GroupPreemption>,
    /// Notes about what makes the decision uncertain.
    pub notes: Vec<Note>,
}

/// The result for a composite group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompositeResult {
    pub group: CompositeIx,
    /// How many of its children get what they need; `None` if it was not tried.
    pub fitting: Option<usize>,
    /// How many children it has.
    pub count: usize,
    /// kube-scheduler's text, if too few do.
    pub message: Option<String>,
    /// The topology domains that were tried, by name; empty if it is not limited to one.
    pub placements: Vec<PlacementTrial>,
    /// The domain that was chosen, as an index into [`Self::placements`].
    pub chosen: Option<usize>,
}

/// The tree that a group of pods belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeMembership {
    pub root: CompositeIx,
    /// The outcome for the root.
    pub outcome: GroupOutcome,
    /// kube-scheduler's text about the root, if it cannot get what it needs.
    pub message: Option<String>,
    /// The groups of the tree, from the root down, in the order in which they are tried.
    pub rows: Vec<TreeRow>,
    /// The pods of the tree that wait for a node.
    pub waiting: Vec<PodIx>,
    /// Those of them that are bound, with their nodes.
    pub bound: Vec<(PodIx, NodeIx)>,
}

/// A group of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeRow {
    pub group: AnyGroup,
    /// How many groups are above it.
    pub depth: usize,
    /// How many pods or groups it needs.
    pub needs: i64,
    /// How many of its pods are on nodes or get one, or how many of its children get what they
    /// need; in a tree that gets no cycle, how many of its pods exist, or how many children have
    /// their pods.
    pub has: usize,
    /// Whether it was tried.
    pub tried: bool,
}

impl TreeRow {
    /// Whether it has what it needs.
    pub fn has_enough(&self) -> bool {
        i64::try_from(self.has).unwrap_or(i64::MAX) >= self.needs
    }
}

/// The groups of a tree, with the pods of the groups of pods.
#[derive(Debug)]
pub(super) struct Tree {
    pub root: CompositeIx,
    /// The children of each composite group, in the order in which they are tried.
    pub groups: BTreeMap<CompositeIx, Vec<AnyGroup>>,
    /// The pods of the groups of pods.
    pub members: BTreeMap<GroupIx, Members>,
    /// Whether kube-scheduler may confuse it with another: it finds the groups of a tree by name
    /// alone, and not all levels of a deep one.
    pub is_unusual: bool,
}

/// A group's place in a tree.
pub(super) enum Standing {
    /// It has no parent, or the scheduler does not know composite groups.
    Alone,
    /// In the tree of this root.
    In(CompositeIx),
    /// In a tree whose composite group of this name does not exist.
    Incomplete(model::cluster::symbols::Sym),
    /// In a tree with too many levels, or in a cycle.
    TooDeep,
}

/// The place of a group of pods.
pub(super) fn standing(group: GroupIx, view: &ClusterView) -> Standing {
    if !view.profile.features.pod_groups.composite_groups {
        return Standing::Alone;
    }
    let above = view.cluster.ancestors(AnyGroup::Pods(group));
    match (above.end, above.known.last()) {
        (TreeEnd::Missing(name), _) => Standing::Incomplete(name),
        (TreeEnd::TooDeep, _) => Standing::TooDeep,
        (TreeEnd::Root, Some(root)) => Standing::In(*root),
        (TreeEnd::Root, None) => Standing::Alone,
    }
}

/// The root of a group's tree, if it has a parent.
pub fn root(group: GroupIx, view: &ClusterView) -> Option<CompositeIx> {
    if let Standing::In(root) = standing(group, view) { Some(root) } else { None }
}

/// The group that represents this group's tree: the first with a waiting pod.
pub fn representative(group: GroupIx, view: &ClusterView) -> GroupIx {
    let Standing::In(root) = standing(group, view) else { return group };
    let tree = Tree::of(root, view);
    tree.leaves(AnyGroup::Groups(root))
        .find(|ix| tree.members.get(ix).is_some_and(|members| !members.waiting.is_empty()))
        .unwrap_or(group)
}

impl Tree {
    pub(super) fn of(root: CompositeIx, view: &ClusterView) -> Self {
        let mut tree =
            Self { root, groups: BTreeMap::new(), members: BTreeMap::new(), is_unusual: false };
        tree.add(root, 1, view);
        let names = |group: AnyGroup| view.cluster.names_of(group).1;
        let composites = || tree.groups.keys().map(|ix| names(AnyGroup::Groups(*ix)));
        let same = tree
            .members
            .keys()
            .any(|ix| composites().any(|name| name == names(AnyGroup::Pods(*ix))));
        tree.is_unusual |= same;
        tree
    }

    fn add(&mut self, group: CompositeIx, level: usize, view: &ClusterView) {
        let inside = view.cluster.groups_in(group);
        for child in &inside {
            match child {
                AnyGroup::Pods(ix) => {
                    self.members.insert(*ix, Members::of(view, *ix));
                    self.is_unusual |= level >= composite_group::MAX_DEPTH;
                }
                AnyGroup::Groups(ix) if level < composite_group::MAX_DEPTH => {
                    self.add(*ix, level + 1, view);
                }
                AnyGroup::Groups(_) => self.is_unusual = true,
            }
        }
        self.groups.insert(group, inside);
    }

    /// The children of a composite group, in the order in which they are tried.
    pub(super) fn inside(&self, group: CompositeIx) -> &[AnyGroup] {
        self.groups.get(&group).map_or(&[], Vec::as_slice)
    }

    /// This group and every one below it, in the order in which they are tried.
    pub(super) fn below(&self, group: AnyGroup) -> Vec<AnyGroup> {
        let mut all = vec![group];
        if let AnyGroup::Groups(ix) = group {
            all.extend(self.inside(ix).iter().flat_map(|child| self.below(*child)));
        }
        all
    }

    /// The groups of pods below this group, in the order in which they are tried.
    pub(super) fn leaves(&self, group: AnyGroup) -> impl Iterator<Item = GroupIx> {
        self.below(group).into_iter().filter_map(|group| match group {
            AnyGroup::Pods(ix) => Some(ix),
            AnyGroup::Groups(_) => None,
        })
    }

    /// The waiting pods, group by group.
    pub(super) fn waiting(&self) -> impl Iterator<Item = PodIx> {
        self.leaves(AnyGroup::Groups(self.root)).flat_map(|ix| {
            self.members.get(&ix).into_iter().flat_map(|members| members.waiting.iter().copied())
        })
    }

    /// The running pods of the groups below this one.
    pub(super) fn running(&self, group: AnyGroup) -> Vec<PodIx> {
        self.leaves(group)
            .flat_map(|ix| {
                self.members
                    .get(&ix)
                    .into_iter()
                    .flat_map(|members| members.running.iter().copied())
            })
            .collect()
    }

    /// The root.
    pub(super) fn facts<'c>(&self, cluster: &'c Cluster) -> &'c CompositeGroup {
        cluster.composite_group(self.root)
    }
}

impl<'c> TreeDecision<'c> {
    /// The root.
    pub fn facts(&self) -> &'c CompositeGroup {
        self.view.cluster.composite_group(self.root)
    }

    /// The decision about one of its groups of pods.
    #[must_use]
    pub fn into_group(self, group: GroupIx) -> Option<GroupDecision<'c>> {
        self.groups.into_iter().find(|decision| decision.group == group)
    }

    /// Whether an error-level note makes the decision uncertain.
    pub fn is_unsure(&self) -> bool {
        self.notes.iter().any(|note| note.severity == model::notes::Severity::Error)
    }
}

#[cfg(test)]
mod tests;
