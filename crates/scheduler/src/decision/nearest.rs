//! Which nodes are the nearest to taking a pod that gets none, and so whose cause is the pod's: the
//! definition that every answer and every remedy uses.
//!
//! Most nodes of a cluster never take a given pod: they belong to the control plane or to another
//! pool, or have no such device. How many they are says nothing about what to do. What a person has
//! to know is what keeps the pod from the nodes that would take it if one thing were otherwise. So
//! nodes are ordered by the worst of what is against them, then by how much that is, and only then
//! are they counted. One thing comes before that: a request that no node could ever meet, whatever
//! else changes.

use std::collections::BTreeMap;

use super::{Decision, Explanation};
use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::NodeVerdict;
use crate::framework::status::{Code, Evidence, Reason, Rejection, ResourceId};
use crate::framework::storage_evidence::StorageEvidence;
use model::cluster::Cluster;
use model::cluster::node::{Node, NodeIx, Taint};
use model::cluster::node_selector::unmet::Unmet;
use model::cluster::pod::PodIx;
use model::cluster::system_taint::TaintRole;

/// How near a node is to taking the pod: what it would take, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Nearness {
    /// Other pods have what the pod needs, or stand too close: it may end by itself, and preemption
    /// may help.
    Full,
    /// The node is closed for a while: cordoned, still starting, or ill.
    Closed,
    /// The node has too little even when it is empty.
    TooSmall,
    /// The node is not for this pod: by its taints, labels or architecture, or because a volume or
    /// device that the pod needs is elsewhere.
    OtherPool,
    /// No pod of users belongs there: it is a node of the control plane, or one that is being
    /// removed.
    Reserved,
    /// The pod asks for other nodes by name, as the pods of a DaemonSet do.
    OtherName,
}

impl Nearness {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "Full",
            Self::Closed => "Closed",
            Self::TooSmall => "TooSmall",
            Self::OtherPool => "OtherPool",
            Self::Reserved => "Reserved",
            Self::OtherName => "OtherName",
        }
    }
}

/// How far a node is from taking the pod; the smallest is the nearest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Distance {
    /// `false` where a request is against it that no node could ever meet: that cause comes before
    /// all others.
    could_be_met: bool,
    /// By the worst of what is against it.
    pub nearness: Nearness,
    /// How many reasons are against it.
    pub reasons: usize,
}

impl Distance {
    /// Whether a request is against the node that no node of the cluster could ever meet.
    #[must_use]
    pub const fn is_unmeetable(self) -> bool {
        !self.could_be_met
    }
}

/// Why one node rejects the pod.
#[derive(Debug, Clone)]
pub struct NodeCause<'d> {
    /// The node.
    pub node: NodeIx,
    /// The plugin whose reason counts.
    pub plugin: &'static str,
    /// The reason that counts: a request that no node could ever meet, or else the first.
    pub reason: &'d Reason,
    /// Whether evicting pods may remove it.
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

    fn is_unmeetable(&self, unmeetable: &[Unmeetable]) -> bool {
        let Evidence::Resource { resource, .. } = &self.reason.evidence else { return false };
        unmeetable.iter().any(|found| found.resource == *resource)
    }
}

/// What a pod requests and no node has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unmeetable {
    /// The resource.
    pub resource: ResourceId,
    /// How much the pod requests.
    pub requested: i64,
    /// How much of it the largest node has when it is empty.
    pub most: i64,
}

impl Explanation<'_> {
    /// Why each node rejects the pod, by name. What [`Self::run_other_filters`] found counts as
    /// well; before it was called, a node may look nearer than it is. `unmeetable` is what
    /// [`Self::unmeetable`] returns.
    #[must_use]
    pub fn node_causes(&self, unmeetable: &[Unmeetable]) -> Vec<NodeCause<'_>> {
        let mut causes = Vec::new();
        for (node, ..) in self.rejections() {
            let mut reasons: Vec<Against> = self.reasons_against(node).collect();
            let decisive = reasons.iter().position(|against| against.is_unmeetable(unmeetable));
            // Some releases put a general reason before the one that says something.
            let says_something =
                || reasons.iter().position(|against| against.reason.evidence != Evidence::None);
            let decisive = decisive.or_else(says_something).unwrap_or(0);
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

    /// What the pod requests and no node of the cluster has, however empty it is.
    #[must_use]
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
    /// What the pod requests and no node has, as far as the first filter that rejects each node
    /// tells.
    pub(super) fn unmeetable_at_first(&self) -> Vec<Unmeetable> {
        let against =
            self.rejections().flat_map(|(_, plugin, rejection)| Against::of(plugin, rejection));
        of_reasons(against, self.view.cluster)
    }

    /// How far a node is from taking the pod, by all that is against it.
    pub(super) fn distance(
        &self,
        node: NodeIx,
        against: &[Against],
        unmeetable: &[Unmeetable],
    ) -> Distance {
        // A nominated node is filtered even if PreFilter excluded it.
        let excluded = self.excludes(node).then_some(Nearness::OtherName);
        let of_reasons = against.iter().map(|one| self.nearness(node, one.code, one.reason));
        Distance {
            could_be_met: !against.iter().any(|one| one.is_unmeetable(unmeetable)),
            nearness: of_reasons.chain(excluded).max().unwrap_or(Nearness::Full),
            reasons: against.len(),
        }
    }

    /// How near the node is as far as one reason tells.
    fn nearness(&self, node: NodeIx, code: Code, reason: &Reason) -> Nearness {
        match &reason.evidence {
            Evidence::Cordoned => Nearness::Closed,
            // The filter names the first taint; another one may say that the node is no place for
            // the pod at all.
            Evidence::Taint { .. } => {
                let taints = untolerated(self.view, self.pod, node);
                taints
                    .map(|taint| of_taint(taint, self.view.cluster))
                    .max()
                    .unwrap_or(Nearness::OtherPool)
            }
            Evidence::NodeName { .. } => Nearness::OtherName,
            Evidence::NodeAffinity { unmet, .. }
                if unmet.iter().any(|one| matches!(one, Unmet::Field { .. })) =>
            {
                Nearness::OtherName
            }
            Evidence::Resource { resource, requested, allocatable, .. }
                if requested > allocatable =>
            {
                of_small_node(*resource, *allocatable)
            }
            Evidence::Devices { shortage: Some(shortage), .. } => match shortage.selected {
                0 => Nearness::OtherPool,
                selected if selected < shortage.wanted => Nearness::TooSmall,
                _ => Nearness::Full,
            },
            Evidence::Resource { .. }
            | Evidence::Port { .. }
            | Evidence::Spread { .. }
            | Evidence::AntiAffinity { .. }
            | Evidence::ExistingAntiAffinity { .. }
            | Evidence::Devices { shortage: None, .. }
            | Evidence::TimedOut
            | Evidence::Storage(
                StorageEvidence::Disk { .. }
                | StorageEvidence::ClaimInUse { .. }
                | StorageEvidence::VolumeLimit(_),
            ) => Nearness::Full,
            Evidence::Storage(StorageEvidence::StorageSpace(_)) => Nearness::TooSmall,
            Evidence::NodeSelector { .. }
            | Evidence::NodeAffinity { .. }
            | Evidence::MissingLabel { .. }
            | Evidence::Affinity { .. }
            | Evidence::MissingDrivers { .. }
            | Evidence::VolumeElsewhere { .. }
            | Evidence::Storage(
                StorageEvidence::VolumeGone { .. }
                | StorageEvidence::Unbound(_)
                | StorageEvidence::VolumeZone { .. }
                | StorageEvidence::OnHosts(_),
            )
            | Evidence::ClaimElsewhere { .. }
            | Evidence::Feature { .. } => Nearness::OtherPool,
            // Extenders and policies say no more than whether evictions may help.
            Evidence::None => match code {
                Code::Unschedulable => Nearness::Full,
                Code::UnschedulableAndUnresolvable => Nearness::OtherPool,
            },
        }
    }
}

/// The causes of the nodes that are the nearest to taking the pod; none if no node was filtered.
#[must_use]
pub fn nearest<'c, 'd>(causes: &'c [NodeCause<'d>]) -> Vec<&'c NodeCause<'d>> {
    let least = causes.iter().map(|cause| cause.distance).min();
    causes.iter().filter(|cause| Some(cause.distance) == least).collect()
}

/// What reasons say that a pod requests and no node of the cluster has.
fn of_reasons<'d>(
    against: impl Iterator<Item = Against<'d>>,
    cluster: &Cluster,
) -> Vec<Unmeetable> {
    let mut found: BTreeMap<ResourceId, Unmeetable> = BTreeMap::new();
    for Against { reason, .. } in against {
        let Evidence::Resource { resource, requested, allocatable, .. } = &reason.evidence else {
            continue;
        };
        if requested <= allocatable || *resource == ResourceId::Pods || found.contains_key(resource)
        {
            continue;
        }
        let most = cluster.nodes.iter().map(|node| has(node, *resource)).max().unwrap_or(0);
        found.insert(*resource, Unmeetable { resource: *resource, requested: *requested, most });
    }
    found.into_values().filter(|found| found.requested > found.most).collect()
}

/// The taints of a node that keep a pod off it.
pub(super) fn untolerated<'c>(
    view: &'c ClusterView<'c>,
    pod: PodIx,
    node: NodeIx,
) -> impl Iterator<Item = &'c Taint> {
    let cluster = view.cluster;
    let comparison = view.profile.features.tolerations.toleration_comparison;
    let template = cluster.template(cluster.pod(pod));
    let taints = cluster.node(node).taints.iter().filter(|taint| taint.repels());
    taints.filter(move |taint| !template.tolerates(taint, &cluster.symbols, comparison))
}

/// How near a node is that has too little of a resource even when it is empty. One without any of
/// an extended resource is of a pool without the device.
fn of_small_node(resource: ResourceId, allocatable: i64) -> Nearness {
    match (resource, allocatable) {
        (ResourceId::Scalar(_), 0) => Nearness::OtherPool,
        _ => Nearness::TooSmall,
    }
}

/// How near a node is as far as one taint tells that the pod does not tolerate.
fn of_taint(taint: &Taint, cluster: &Cluster) -> Nearness {
    match taint.system(cluster).map(|system| system.role) {
        Some(TaintRole::Starting | TaintRole::Ill | TaintRole::Cordoned) => Nearness::Closed,
        Some(TaintRole::Leaving | TaintRole::ControlPlane) => Nearness::Reserved,
        None => Nearness::OtherPool,
    }
}

/// How much of a resource a node has when it is empty.
fn has(node: &Node, resource: ResourceId) -> i64 {
    if resource == ResourceId::Pods {
        node.allocatable_pods
    } else {
        resource.of(&node.allocatable)
    }
}

#[cfg(test)]
mod tests;
