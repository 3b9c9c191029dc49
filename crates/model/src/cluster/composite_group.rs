//! Composite groups, which kube-scheduler schedules and evicts as a whole if the gate
//! `CompositePodGroup` is on, and the trees that they form with their groups of pods.

use jiff::Timestamp;

use super::pod_group::{DisruptionMode, GroupIx, never_preempts, topology_key};
use super::reader::ReadContext;
use super::symbols::Sym;
use super::{Cluster, Kind, ix};
use crate::notes::Subject;
use crate::snapshot::groups as wire;

/// Maximum number of levels of a tree: groups of pods, and composite groups above them.
///
/// Upstream: `k8s.io/api/scheduling/v1alpha3` `WorkloadMaxTreeDepth` (1.37).
pub const MAX_DEPTH: usize = 4;

/// Index of a composite group in [`super::Cluster::composite_groups`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CompositeIx(pub u32);

/// A group of either kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnyGroup {
    Pods(GroupIx),
    Groups(CompositeIx),
}

impl AnyGroup {
    #[must_use]
    pub const fn kind(self) -> Kind {
        match self {
            Self::Pods(_) => Kind::PodGroup,
            Self::Groups(_) => Kind::CompositePodGroup,
        }
    }
}

/// A CompositePodGroup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompositeGroup {
    pub namespace: Sym,
    pub name: Sym,
    pub uid: Box<str>,
    /// `spec.schedulingPolicy.gang.minGroupCount`: how many of its child groups must be placed
    /// together; `None` if the policy is basic.
    pub min_count: Option<i64>,
    /// Whether the pods of all its groups are evicted together.
    pub disruption: DisruptionMode,
    /// `spec.priority`, if it has one.
    pub own_priority: Option<i32>,
    /// `spec.priorityClassName`.
    pub priority_class: Sym,
    /// `spec.preemptionPolicy`: whether it is `Never`, if there is one.
    pub never_preempts: Option<bool>,
    /// The node label of its topology constraint; empty if it has none.
    pub topology_key: Sym,
    /// Its parent composite group; empty if there is none.
    pub parent: Sym,
    /// The Workload that it was created from; empty if it names none.
    pub workload: Sym,
    /// `metadata.creationTimestamp`.
    pub created: Option<Timestamp>,
}

impl CompositeGroup {
    pub(super) fn read(wire: &wire::CompositePodGroup, reader: &mut ReadContext) -> Self {
        let (meta, spec) = (&wire.metadata, &wire.spec);
        Self {
            namespace: reader.namespace(&meta.namespace),
            name: reader.intern(&meta.name),
            uid: meta.uid.as_str().into(),
            min_count: spec.scheduling_policy.gang.as_ref().map(|gang| gang.min_group_count),
            disruption: spec.disruption_mode,
            own_priority: spec.priority,
            priority_class: reader.intern(&spec.priority_class_name),
            never_preempts: never_preempts(&spec.preemption_policy),
            topology_key: topology_key(spec.scheduling_constraints.as_ref(), reader),
            parent: reader.intern(&spec.parent_composite_pod_group_name),
            workload: reader.intern(&spec.workload_ref.workload_name),
            created: meta.creation_timestamp.parse().ok(),
        }
    }

    /// Its priority; 0 if it has none.
    pub fn priority(&self) -> i32 {
        self.own_priority.unwrap_or(0)
    }
}

/// The composite groups above a group, starting with its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ancestors {
    /// Those that exist, as far as they were followed.
    pub known: Vec<CompositeIx>,
    /// Where the chain ends.
    pub end: TreeEnd,
}

/// Where the chain of parents ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeEnd {
    /// At a group without a parent.
    Root,
    /// At a parent of this name that does not exist.
    Missing(Sym),
    /// At the level limit, because of too many levels or a cycle.
    TooDeep,
}

impl Cluster {
    /// The group with an index of this cluster.
    ///
    /// # Panics
    /// With a group of another cluster.
    #[expect(clippy::indexing_slicing, reason = "indices are only made by this cluster")]
    pub fn composite_group(&self, group: CompositeIx) -> &CompositeGroup {
        &self.composite_groups[group.0 as usize]
    }

    pub fn find_composite_group(&self, namespace: &str, name: &str) -> Option<CompositeIx> {
        Some(CompositeIx(ix(self.find(
            &self.composite_groups,
            |group: &CompositeGroup| (group.namespace, group.name),
            namespace,
            name,
        )?)))
    }

    /// Indices of all composite groups, by namespace and name.
    pub fn composite_indices(&self) -> impl ExactSizeIterator<Item = CompositeIx> + use<> {
        (0..ix(self.composite_groups.len())).map(CompositeIx)
    }

    /// Namespace and name of a group.
    pub fn names_of(&self, group: AnyGroup) -> (Sym, Sym) {
        match group {
            AnyGroup::Pods(ix) => (self.pod_group(ix).namespace, self.pod_group(ix).name),
            AnyGroup::Groups(ix) => {
                (self.composite_group(ix).namespace, self.composite_group(ix).name)
            }
        }
    }

    /// A group as `namespace/name`.
    pub fn any_group_name(&self, group: AnyGroup) -> String {
        let (namespace, name) = self.names_of(group);
        self.full_name(namespace, name)
    }

    /// A group as the subject of a note.
    pub fn any_group_subject(&self, group: AnyGroup) -> Subject {
        let (namespace, name) = self.names_of(group);
        Subject::object(group.kind(), self.text(namespace), self.text(name))
    }

    /// The composite groups above a group, whether or not a scheduler considers them.
    ///
    /// Upstream: `pkg/scheduler/framework/preemption/util.go` `TraverseHierarchyUp` (1.37).
    pub fn ancestors(&self, group: AnyGroup) -> Ancestors {
        let (namespace, _) = self.names_of(group);
        let parent = |group: AnyGroup| match group {
            AnyGroup::Pods(ix) => self.pod_group(ix).parent,
            AnyGroup::Groups(ix) => self.composite_group(ix).parent,
        };
        let (mut known, mut next) = (Vec::new(), parent(group));
        while !next.is_empty() {
            let Some(found) = self.find_composite_group(self.text(namespace), self.text(next))
            else {
                return Ancestors { known, end: TreeEnd::Missing(next) };
            };
            if known.len() + 1 == MAX_DEPTH {
                return Ancestors { known, end: TreeEnd::TooDeep };
            }
            known.push(found);
            next = parent(AnyGroup::Groups(found));
        }
        Ancestors { known, end: TreeEnd::Root }
    }

    /// The children of a composite group, in the order in which they are tried.
    ///
    /// Upstream: `pkg/scheduler/framework/types.go` `GetChildGroups` (1.37).
    pub fn groups_in(&self, group: CompositeIx) -> Vec<AnyGroup> {
        let own = self.composite_group(group);
        let is_in = |namespace: Sym, parent: Sym| namespace == own.namespace && parent == own.name;
        let of_pods = self
            .group_indices()
            .filter(|ix| is_in(self.pod_group(*ix).namespace, self.pod_group(*ix).parent));
        let composites = self.composite_indices().filter(|ix| {
            let other = self.composite_group(*ix);
            is_in(other.namespace, other.parent)
        });
        let mut groups: Vec<AnyGroup> =
            of_pods.map(AnyGroup::Pods).chain(composites.map(AnyGroup::Groups)).collect();
        groups.sort_by_key(|group| {
            let created = match group {
                AnyGroup::Pods(ix) => self.pod_group(*ix).created,
                AnyGroup::Groups(ix) => self.composite_group(*ix).created,
            };
            (created, self.text(self.names_of(*group).1))
        });
        groups
    }

    /// Every group below a composite group, in the order in which they are tried, down to the level
    /// limit.
    pub fn groups_below(&self, group: CompositeIx) -> Vec<AnyGroup> {
        self.below(group, 1)
    }

    fn below(&self, group: CompositeIx, level: usize) -> Vec<AnyGroup> {
        let mut all = Vec::new();
        for child in self.groups_in(group).into_iter().filter(|_| level < MAX_DEPTH) {
            all.push(child);
            if let AnyGroup::Groups(ix) = child {
                all.extend(self.below(ix, level + 1));
            }
        }
        all
    }
}
