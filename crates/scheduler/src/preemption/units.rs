//! Units of eviction: a pod, or all pods of a group or composite group that is disrupted as a
//! whole.
//!
//! Upstream: `pkg/scheduler/framework/preemption/types.go` `getHighestAllAncestor`,
//! `getCrossNodesVictims`, `NewPodVictim`, `pkg/scheduler/framework/preemption/util.go`
//! `GetPodPriority` (1.37).

use std::collections::BTreeMap;

use indexmap::IndexMap;
use jiff::Timestamp;
use smallvec::SmallVec;

use model::cluster::pod_group::DisruptionMode;
use model::cluster::{AnyGroup, Cluster, GroupIx, NodeIx, Pod, PodIx, Sym};
use profile::Profile;

/// Pods that are evicted together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvictionUnit {
    /// The pods, by namespace and name; those of a group may be on several nodes.
    pub pods: SmallVec<[PodIx; 1]>,
    /// The priority that is compared with the preemptor's: for pods of a group, that of the group
    /// or of the root of its tree.
    pub priority: i32,
    /// Among units with the same priority, a higher rank is more important.
    pub(crate) rank: UnitRank,
    /// The group, if its pods are evicted together.
    pub together: Option<AnyGroup>,
    /// When the first of the pods started; `None` if none has.
    pub start: Option<Timestamp>,
    /// Its position among the units that were found with it.
    pub place: usize,
}

impl EvictionUnit {
    /// The node of one of its pods. A pod that is evicted alone is on `node`, if that is given.
    pub(super) fn node_of(
        &self,
        pod: PodIx,
        node: Option<NodeIx>,
        cluster: &Cluster,
    ) -> Option<NodeIx> {
        node.filter(|_| self.together.is_none()).or_else(|| cluster.node_of(pod))
    }
}

/// The kind of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum UnitRank {
    /// A pod without a group.
    Pod,
    /// A group, or a single pod of one.
    Group,
    /// A group of groups.
    Composite,
}

/// How a group affects the eviction of its pods.
#[derive(Debug, Clone, Copy)]
struct GroupEffect {
    /// The highest ancestor that is disrupted as a whole.
    together: Option<AnyGroup>,
    /// The priority of the root of its tree, as far as known.
    priority: i32,
}

/// Finds the unit of a pod.
#[derive(Debug)]
pub struct Units<'c> {
    cluster: &'c Cluster,
    /// Groups by namespace and name; `None` where the scheduler does not know groups.
    groups: Option<IndexMap<(Sym, Sym), GroupIx, foldhash::fast::RandomState>>,
    /// The effect of each group on its pods.
    effects: Vec<GroupEffect>,
    /// The running pods of the groups that are disrupted as a whole.
    together: BTreeMap<AnyGroup, SmallVec<[PodIx; 1]>>,
    /// Whether all pods of a group have the group's priority.
    groups_protect: bool,
    /// Whether a pod keeps its own priority, and counts as one without a group unless it is evicted
    /// together with others.
    own_priorities: bool,
}

impl<'c> Units<'c> {
    /// The units of a cluster, as the scheduler of this profile sees them.
    pub fn new(cluster: &'c Cluster, profile: &Profile) -> Self {
        let features = &profile.features.pod_groups;
        if features.pod_groups && features.group_preemption {
            let units = Self::of_groups(cluster, true, features.composite_groups);
            Self { own_priorities: features.victims_keep_priority, ..units }
        } else {
            Self {
                cluster,
                groups: None,
                effects: Vec::new(),
                together: BTreeMap::new(),
                groups_protect: false,
                own_priorities: false,
            }
        }
    }

    /// The units of a cluster in which groups count. `groups_protect`: the priority of a group also
    /// applies to its pods that are evicted one by one. `composite`: composite groups count.
    pub(crate) fn of_groups(cluster: &'c Cluster, groups_protect: bool, composite: bool) -> Self {
        let effects: Vec<GroupEffect> =
            cluster.group_indices().map(|ix| group_effect(ix, composite, cluster)).collect();
        let any_together = effects.iter().any(|effect| effect.together.is_some());
        let mut units = Self {
            cluster,
            groups: None,
            effects,
            together: BTreeMap::new(),
            groups_protect,
            own_priorities: false,
        };
        let groups = cluster.group_indices().map(|ix| {
            let group = cluster.pod_group(ix);
            ((group.namespace, group.name), ix)
        });
        units.groups = Some(groups.collect());
        if any_together {
            for node in cluster.node_indices() {
                for pod in cluster.pods_on(node) {
                    if let Some(group) = units.evicts_together(*pod) {
                        units.together.entry(group).or_default().push(*pod);
                    }
                }
            }
            units.together.values_mut().for_each(|pods| pods.sort_unstable());
        }
        units
    }

    /// The group of a pod, if the scheduler knows it.
    pub(crate) fn group(&self, pod: &Pod) -> Option<GroupIx> {
        let name = self.cluster.template(pod).group;
        if name.is_empty() {
            None
        } else {
            self.groups.as_ref()?.get(&(pod.namespace, name)).copied()
        }
    }

    fn group_effect(&self, pod: &Pod) -> Option<GroupEffect> {
        self.effects.get(self.group(pod)?.0 as usize).copied()
    }

    /// Whether the scheduler may treat a pod as one of a group.
    pub(crate) fn may_be_in_group(&self, pod: &Pod) -> bool {
        self.groups.is_some() && !self.cluster.template(pod).group.is_empty()
    }

    /// The group with which a pod is evicted, if it is not evicted alone.
    pub(crate) fn evicts_together(&self, pod: PodIx) -> Option<AnyGroup> {
        self.group_effect(self.cluster.pod(pod))?.together
    }

    /// Whether a group that is disrupted as a whole has pods on nodes.
    pub(crate) fn is_on_nodes(&self, group: AnyGroup) -> bool {
        self.together.contains_key(&group)
    }

    /// The priority that protects a pod from preemption: for a pod of a group, that of the group or
    /// of the root of its tree.
    pub fn priority(&self, pod: &Pod) -> i32 {
        match self.group_effect(pod).filter(|_| !self.own_priorities) {
            Some(effect) if self.groups_protect || effect.together.is_some() => effect.priority,
            Some(_) | None => pod.priority,
        }
    }

    /// The units of these pods, in the order of their first pods.
    pub fn of(&self, pods: &[PodIx]) -> Vec<EvictionUnit> {
        let mut units: Vec<EvictionUnit> = Vec::with_capacity(pods.len());
        let mut seen: SmallVec<[AnyGroup; 4]> = SmallVec::new();
        for ix in pods {
            let together = self.evicts_together(*ix);
            if let Some(group) = together {
                if seen.contains(&group) {
                    continue;
                }
                seen.push(group);
            }
            units.push(self.unit(*ix, together, units.len()));
        }
        units
    }

    /// The units of those of these pods, all of one node, that a pod of this priority may evict.
    pub(crate) fn below(&self, priority: i32, pods: &[PodIx]) -> Vec<EvictionUnit> {
        let is_below = |unit: &EvictionUnit| unit.priority < priority;
        if self.own_priorities {
            // Parity: the first pod of a group that is met has the priority of all that go with it.
            return self.of(pods).into_iter().filter(is_below).collect();
        }
        let below = pods.iter().copied();
        let below = below.filter(|pod| self.priority(self.cluster.pod(*pod)) < priority);
        self.of(&below.collect::<Vec<_>>())
    }

    fn unit(&self, ix: PodIx, together: Option<AnyGroup>, place: usize) -> EvictionUnit {
        let pod = self.cluster.pod(ix);
        let in_group = self.may_be_in_group(pod) && (together.is_some() || !self.own_priorities);
        let all =
            together.and_then(|group| self.together.get(&group)).filter(|pods| !pods.is_empty());
        let pods = all.cloned().unwrap_or_else(|| SmallVec::from_elem(ix, 1));
        // Parity: in 1.36 the first pod of the group that is met determines when the group started.
        let counted = if self.groups_protect { &*pods } else { &[ix] };
        EvictionUnit {
            priority: self.priority(pod),
            rank: match together {
                Some(AnyGroup::Groups(_)) => UnitRank::Composite,
                _ if in_group => UnitRank::Group,
                _ => UnitRank::Pod,
            },
            together,
            start: counted.iter().filter_map(|pod| self.cluster.pod(*pod).start_time).min(),
            pods,
            place,
        }
    }
}

/// How a group affects the eviction of its pods. In a tree with a gap, only the part below the gap
/// counts.
fn group_effect(group: GroupIx, composite: bool, cluster: &Cluster) -> GroupEffect {
    let own = cluster.pod_group(group);
    let together = (own.disruption == DisruptionMode::All).then_some(AnyGroup::Pods(group));
    let above = if composite { cluster.ancestors(AnyGroup::Pods(group)).known } else { Vec::new() };
    let highest = above
        .iter()
        .rev()
        .find(|ix| cluster.composite_group(**ix).disruption == DisruptionMode::All)
        .map(|ix| AnyGroup::Groups(*ix));
    let root = above.last().map(|ix| cluster.composite_group(*ix).priority());
    GroupEffect { together: highest.or(together), priority: root.unwrap_or(own.priority()) }
}
