//! Which nodes are nearest to taking a pod that gets none. Their causes are shown as the pod's:
//! every answer and every remedy uses this definition.
//!
//! Most nodes of a cluster never take a given pod: they belong to the control plane or to another
//! pool, or lack a device. How many of them there are does not help anyone decide what to do. What
//! matters is what keeps the pod off the nodes that would take it after one change. So nodes that
//! the pod itself asks for come before those that it excludes, and the control plane comes last;
//! within these, nodes are ordered by their worst obstacle, then by how many there are, and only
//! then are they counted. A request that no node can ever meet comes before all of that.

use std::collections::BTreeMap;

use super::{Decision, Explanation};
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::NodeVerdict;
pub use crate::framework::evidence::Nearness;
use crate::framework::evidence::RejectedOn;
use crate::framework::operands::ResourceId;
use crate::framework::status::{Code, Reason, Rejection};
use model::cluster::{Cluster, Node, NodeIx, PodIx};

/// How far a node is from taking the pod; the smallest is the nearest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Distance {
    /// `false` if the pod requests something that no node can ever provide: that cause comes before
    /// all others.
    could_be_met: bool,
    /// `true` if the pod's own `nodeSelector` or node affinity excludes the node, or if the node is
    /// of the control plane and the pod does not ask for it.
    pub excluded: bool,
    /// The worst obstacle.
    pub nearness: Nearness,
    /// The number of reasons against the node.
    pub reasons: usize,
}

impl Distance {
    /// Whether the pod requests something that no node of the cluster can ever provide.
    pub const fn is_unmeetable(self) -> bool {
        !self.could_be_met
    }
}

/// Why one node rejects the pod.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NodeCause<'d> {
    pub node: NodeIx,
    /// The plugin whose reason is shown.
    pub plugin: &'static str,
    /// The reason that is shown: a request that no node can ever meet, or else the first.
    pub reason: &'d Reason,
    /// Whether evicting pods may help.
    pub code: Code,
    /// Every other reason that is known, with its plugin.
    pub others: Vec<(&'static str, &'d Reason)>,
    /// How far the node is from taking the pod.
    pub distance: Distance,
}

/// A reason against a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Against<'d> {
    plugin: &'static str,
    /// Whether evicting pods may remove all reasons of the plugin.
    code: Code,
    reason: &'d Reason,
}

impl<'d> Against<'d> {
    /// The reasons of a plugin.
    pub(super) fn of(plugin: &'static str, rejection: &'d Rejection) -> impl Iterator<Item = Self> {
        rejection.reasons.iter().map(move |reason| Self { plugin, code: rejection.code, reason })
    }

    /// How near a node is, judged by this reason.
    fn nearness(&self, rejected: &RejectedOn) -> Nearness {
        match (&self.reason.evidence, self.code) {
            (Some(evidence), _) => evidence.nearness(rejected),
            // Extenders and policies say no more than whether evictions may help.
            (None, Code::Unschedulable) => Nearness::Full,
            (None, Code::UnschedulableAndUnresolvable) => Nearness::OtherPool,
        }
    }

    fn is_unmeetable(&self, unmeetable: &[Unmeetable]) -> bool {
        let Some(lack) = self.reason.lack() else { return false };
        unmeetable.iter().any(|found| found.resource == lack.resource)
    }
}

/// A request that no node is large enough for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unmeetable {
    pub resource: ResourceId,
    /// How much the pod requests.
    pub requested: i64,
    /// The amount on the largest empty node.
    pub most: i64,
}

impl Explanation<'_> {
    /// Why each node rejects the pod, by name. The results of [`Self::run_other_filters`] count
    /// too; before that call, a node may look nearer than it is. `unmeetable` is the result of
    /// [`Self::unmeetable`].
    pub fn node_causes(&self, unmeetable: &[Unmeetable]) -> Vec<NodeCause<'_>> {
        let mut causes = Vec::new();
        for (node, ..) in self.rejections() {
            let mut reasons: Vec<Against> = self.reasons_against(node).collect();
            let decisive = reasons.iter().position(|against| against.is_unmeetable(unmeetable));
            // Some releases list a general reason before the specific one.
            let decisive = decisive
                .or_else(|| reasons.iter().position(|against| against.reason.evidence.is_some()))
                .unwrap_or(0);
            if reasons.is_empty() {
                continue;
            }
            let distance = self.distance(node, &reasons, unmeetable);
            let Against { plugin, code, reason } = reasons.remove(decisive);
            let others = reasons.iter().map(|other| (other.plugin, other.reason)).collect();
            causes.push(NodeCause { node, plugin, reason, code, others, distance });
        }
        causes
    }

    /// The pod's requests that no node of the cluster can meet, even when empty.
    pub fn unmeetable(&self) -> Vec<Unmeetable> {
        let nodes = self.rejections().map(|(node, ..)| node);
        of_reasons(nodes.flat_map(|node| self.reasons_against(node)), self.view.cluster)
    }

    /// Every known reason against a node, the scheduler's own first.
    fn reasons_against(&self, node: NodeIx) -> impl Iterator<Item = Against<'_>> {
        let first = match self.nodes().get(node.0 as usize) {
            Some(NodeVerdict::Filtered { plugin, rejection }) => Some((*plugin, rejection)),
            _ => None,
        };
        let others = self
            .also_refused(node)
            .unwrap_or_default()
            .iter()
            .map(|(plugin, rejection)| (*plugin, rejection));
        first
            .into_iter()
            .chain(others)
            .flat_map(|(plugin, rejection)| Against::of(plugin, rejection))
    }
}

impl Decision<'_> {
    /// The same, judged only by the first filter that rejects each node.
    pub(super) fn unmeetable_at_first(&self) -> Vec<Unmeetable> {
        let against =
            self.rejections().flat_map(|(_, plugin, rejection)| Against::of(plugin, rejection));
        of_reasons(against, self.view.cluster)
    }

    /// How far a node is from taking the pod, by all reasons against it.
    pub(super) fn distance(
        &self,
        node: NodeIx,
        against: &[Against],
        unmeetable: &[Unmeetable],
    ) -> Distance {
        // A nominated node is filtered even if PreFilter excluded it.
        let excluded = self.excludes(node).then_some(Nearness::OtherName);
        let rejected = RejectedOn { view: self.view, pod: self.pod, node };
        let of_reasons = against.iter().map(|one| one.nearness(&rejected));
        Distance {
            could_be_met: !against.iter().any(|one| one.is_unmeetable(unmeetable)),
            excluded: rejected.is_unselected() || rejected.is_reserved(),
            nearness: of_reasons.chain(excluded).max().unwrap_or(Nearness::Full),
            reasons: against.len(),
        }
    }
}

/// The rejections of a pod, by the first filter of each node.
#[derive(Debug, Clone)]
pub struct FirstRejections {
    /// What the pod requests and no node has.
    pub unmeetable: Vec<Unmeetable>,
    /// How far each node is from taking it.
    pub distances: BTreeMap<NodeIx, Distance>,
}

impl FirstRejections {
    /// Of a pod that these nodes reject, each by one plugin.
    pub fn new(
        view: &ClusterView,
        pod: PodIx,
        rejections: &[(NodeIx, &'static str, &Rejection)],
    ) -> Self {
        let all = rejections.iter().flat_map(|(_, plugin, of)| Against::of(plugin, of));
        let unmeetable = of_reasons(all, view.cluster);
        let mut distances = BTreeMap::new();
        for (node, plugin, rejection) in rejections {
            let against: Vec<Against> = Against::of(plugin, rejection).collect();
            let rejected = RejectedOn { view, pod, node: *node };
            let nearness = against.iter().map(|one| one.nearness(&rejected)).max();
            let distance = Distance {
                could_be_met: !against.iter().any(|one| one.is_unmeetable(&unmeetable)),
                excluded: rejected.is_unselected() || rejected.is_reserved(),
                nearness: nearness.unwrap_or(Nearness::Full),
                reasons: against.len(),
            };
            distances.insert(*node, distance);
        }
        Self { unmeetable, distances }
    }
}

/// The causes of the nodes nearest to taking the pod; empty if no node was filtered.
pub fn nearest<'c, 'd>(causes: &'c [NodeCause<'d>]) -> Vec<&'c NodeCause<'d>> {
    let least = causes.iter().map(|cause| cause.distance).min();
    causes.iter().filter(|cause| Some(cause.distance) == least).collect()
}

/// The pod's requests that no node of the cluster can meet, according to `reasons`.
fn of_reasons<'d>(
    against: impl Iterator<Item = Against<'d>>,
    cluster: &Cluster,
) -> Vec<Unmeetable> {
    let mut requests: BTreeMap<ResourceId, Unmeetable> = BTreeMap::new();
    for Against { reason, .. } in against {
        let Some(lack) = reason.lack() else { continue };
        let (resource, requested) = (lack.resource, lack.requested);
        if lack.is_enough_when_empty()
            || resource == ResourceId::Pods
            || requests.contains_key(&resource)
        {
            continue;
        }
        let most = cluster.nodes.iter().map(|node| has(node, resource)).max().unwrap_or(0);
        requests.insert(resource, Unmeetable { resource, requested, most });
    }
    requests.into_values().filter(|request| request.requested > request.most).collect()
}

/// How much of a resource an empty node has.
fn has(node: &Node, resource: ResourceId) -> i64 {
    if resource == ResourceId::Pods {
        node.allocatable_pods
    } else {
        resource.of(&node.allocatable)
    }
}

#[cfg(test)]
mod tests;
