//! What a rejection is based on. Each plugin defines its own types beside its rule. Code that
//! measures how near a node is, searches for remedies, draws an answer or writes JSON uses this
//! trait and knows no plugin.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use json::evidence::Evidence as JsonEvidence;

use super::asked_label::AskedLabel;
use super::cluster_view::ClusterView;
use super::operands::{DeviceHolder, Fewest, MissingPair, RequestPart, ResourceId};
use super::storage_evidence::{StorageSpace, VolumeLimit};
use dra::Shortage;
use model::cluster::node::Taint;
use model::cluster::node_selector::NodeRequirement;
use model::cluster::node_selector::unmet::Unmet;
use model::cluster::selector::{Operator, label};
use model::cluster::system_taint::{NodeRole, SystemTaint, TaintRole, role_by_label};
use model::cluster::template::{HostPort, TaintEffect};
use model::cluster::{Cluster, NodeIx, PodIx, Sym};

/// The evidence of a reason; `None` if there is nothing beyond its text.
pub type Grounds = Option<Arc<dyn Evidence>>;

/// The values on which a plugin bases a rejection. Every method here applies to every kind of
/// evidence, so that no list elsewhere has to enumerate them.
pub trait Evidence: Any + Debug + Send + Sync + IsSame {
    /// How near the node is to taking the pod, judged by this evidence.
    fn nearness(&self, at: &RejectedOn) -> Nearness;

    /// The obstacle, for the search for remedies.
    fn obstruction(&self) -> Obstruction<'_>;

    /// As documented JSON: one item per object that it concerns; none if the reason's text is
    /// sufficient.
    fn json(&self, cluster: &Cluster) -> Vec<JsonEvidence>;

    /// For people; empty if upstream's text is sufficient.
    fn facts<'e>(&'e self, cluster: &Cluster) -> Vec<Fact<'e>>;

    /// The names from which kube-scheduler writes an arbitrary one into the reason; empty if there
    /// is just one.
    fn any_of(&self) -> &[Sym] {
        &[]
    }

    /// Wraps it as the evidence of a reason.
    fn grounds(self) -> Grounds
    where
        Self: Sized,
    {
        Some(Arc::new(self))
    }
}

/// Equality of type-erased evidence.
pub trait IsSame {
    /// Whether the other one has the same type and the same values.
    fn is_same(&self, other: &dyn Evidence) -> bool;
}

impl<T: Evidence + PartialEq> IsSame for T {
    fn is_same(&self, other: &dyn Evidence) -> bool {
        other.get::<T>() == Some(self)
    }
}

impl PartialEq for dyn Evidence {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
    }
}

impl dyn Evidence {
    /// Downcasts to one of a plugin's types.
    pub fn get<T: Evidence>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }

    /// The missing resource, if that is the reason.
    pub fn lack(&self) -> Option<&InsufficientResource> {
        match self.obstruction() {
            Obstruction::Lack(lack) => Some(lack),
            Obstruction::Cordon
            | Obstruction::Taint(_)
            | Obstruction::Pods(_)
            | Obstruction::Crowd
            | Obstruction::Devices { .. }
            | Obstruction::Pairs(_)
            | Obstruction::Expressions(_)
            | Obstruction::Fixed => None,
        }
    }
}

/// Where a pod was rejected.
#[derive(Debug, Clone, Copy)]
pub struct RejectedOn<'c> {
    /// The cluster as the scheduler sees it.
    pub view: &'c ClusterView<'c>,
    pub pod: PodIx,
    pub node: NodeIx,
}

impl<'c> RejectedOn<'c> {
    /// The taints of the node that keep the pod off it.
    pub fn untolerated_taints(&self) -> impl Iterator<Item = &'c Taint> + use<'c> {
        let cluster = self.view.cluster;
        let comparison = self.view.profile.features.tolerations.toleration_comparison;
        let template = cluster.template(cluster.pod(self.pod));
        let taints = cluster.node(self.node).taints.iter().filter(|taint| taint.repels());
        taints.filter(move |taint| !template.tolerates(taint, &cluster.symbols, comparison))
    }

    /// Whether the pod's own `nodeSelector` or required node affinity excludes the node.
    pub fn is_unselected(&self) -> bool {
        let cluster = self.view.cluster;
        let template = cluster.template(cluster.pod(self.pod));
        !template.selects(cluster.node_facts(cluster.node(self.node)), &cluster.symbols)
    }

    /// Whether the node belongs to the control plane, is closed to the pod by a cordon or a taint,
    /// and the pod does not ask for it. A cordon that closes the whole control plane is how some
    /// installers keep it free, not maintenance.
    pub fn is_reserved(&self) -> bool {
        let cluster = self.view.cluster;
        let node = cluster.node(self.node);
        if !node.is_control_plane(cluster) || self.asks_for_it() {
            return false;
        }
        let mut is_closed = self.view.node(self.node).unschedulable;
        for taint in self.untolerated_taints() {
            let role = taint.system(cluster).map(|system| system.role);
            if role == Some(TaintRole::ControlPlane) {
                return true;
            }
            is_closed = true;
        }
        is_closed && cluster.keeps_control_plane_free()
    }

    /// Whether the pod asks for the control plane or for this very node: by tolerating the control
    /// plane's taint, by its role, by a host name or by the node's name.
    pub fn asks_for_it(&self) -> bool {
        let cluster = self.view.cluster;
        let template = cluster.template(cluster.pod(self.pod));
        let is_asked = |key: Sym, value: Sym| {
            key == Sym::HOSTNAME
                || role_by_label(cluster.text(key), cluster.text(value))
                    == Some(NodeRole::ControlPlane)
        };
        let by_toleration = template.tolerations.iter().any(|toleration| {
            toleration.key == Sym::EMPTY
                || SystemTaint::of(cluster.text(toleration.key))
                    .is_some_and(|system| system.role == TaintRole::ControlPlane)
        });
        let by_selector =
            template.node_selector.iter().flatten().any(|(key, value)| is_asked(*key, *value));
        let node = cluster.node(self.node);
        let by_affinity = template.node_affinity.iter().flatten().any(|term| {
            // The label that a requirement asks for is the one that the node has.
            let asks = |requirement: &NodeRequirement| {
                let NodeRequirement::Label(asked) = requirement else { return false };
                matches!(asked.operator, Operator::In | Operator::Exists)
                    && label(cluster.labels(node.labels), asked.key)
                        .is_some_and(|value| is_asked(asked.key, value))
            };
            !term.names.is_empty() || term.label_requirements().iter().any(asks)
        });
        by_toleration || by_selector || by_affinity
    }
}

/// How near a node is to taking the pod, the nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Nearness {
    /// Other pods use what the pod needs, or their rules keep it away: that may end by itself, and
    /// preemption may help.
    Full,
    /// The node is closed for now: cordoned, still starting, or not healthy.
    Closed,
    /// Even the empty node has too little.
    TooSmall,
    /// The node is not meant for this pod: because of its taints, labels or architecture, or
    /// because a volume or device that the pod needs is elsewhere.
    OtherPool,
    /// Application pods do not belong there: it is a control plane node, or one that is being
    /// removed.
    Reserved,
    /// The pod asks for other nodes by name, as the pods of a DaemonSet do.
    OtherName,
}

impl Nearness {
    /// Its name in JSON.
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

/// What keeps the pod off a node, by what can be done about it.
#[derive(Debug, Clone, Copy)]
pub enum Obstruction<'e> {
    /// The node is cordoned.
    Cordon,
    /// A taint that the pod does not tolerate: the first one that the filter found.
    Taint(UntoleratedTaint),
    /// Too little of a resource.
    Lack(&'e InsufficientResource),
    /// Pods that hold what the pod needs, or whose rules keep it away.
    Pods(&'e [PodIx]),
    /// Too many pods or volumes: some must leave, no matter which.
    Crowd,
    /// Too few devices.
    Devices {
        /// How many devices of the node match, are in use or are tainted.
        shortage: Option<&'e Shortage>,
        /// The pods that hold those in use, the least important first.
        holders: &'e [DeviceHolder],
    },
    /// Pairs of `nodeSelector` that the node's labels do not have.
    Pairs(&'e [MissingPair]),
    /// What the node lacks for the closest node affinity term; empty if no term can select any
    /// node.
    Expressions(&'e [Unmet]),
    /// Something that no edit changes.
    Fixed,
}

/// What is known beyond a reason's text, ready to be drawn. The structured variants are collected
/// over all nodes of a group; anything else is a sentence.
#[derive(Debug, Clone)]
pub enum Fact<'e> {
    /// A sentence without a full stop. Nodes with different sentences have different causes.
    Words(String),
    /// A label that the pod asks for and the node does not have.
    Label(AskedLabel),
    /// Too little of a resource.
    Lack(&'e InsufficientResource),
    /// A domain with too many pods.
    Skew(&'e Skew),
    /// Something that only one pod of a node can use.
    InUse(InUse),
    /// Pods to keep away from.
    AntiAffinity(&'e AntiAffinity),
    /// Too many volumes of a driver.
    VolumeLimit(&'e VolumeLimit),
    /// A volume's storage is too small for a claim.
    StorageSpace(&'e StorageSpace),
    /// Values that are the same on all nodes where `about` is, and are put into words only once.
    Values { about: String, values: &'e dyn InWords },
    /// Missing devices, and the pods that hold them.
    Devices {
        /// How many devices of the node match, are in use or are tainted.
        shortage: Option<&'e Shortage>,
        /// The pods that hold those in use, the least important first. kube-scheduler does not
        /// preempt for devices.
        holders: &'e [DeviceHolder],
    },
}

/// Values as text.
pub trait InWords: Debug {
    /// In a sentence without a full stop.
    fn sentence(&self, cluster: &Cluster) -> String;

    /// What the sentence omits, a line each.
    fn in_full(&self, cluster: &Cluster) -> Vec<String>;
}

/// A taint that the pod does not tolerate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UntoleratedTaint {
    pub key: Sym,
    pub value: Sym,
    pub effect: TaintEffect,
}

impl UntoleratedTaint {
    /// `key=value:Effect`.
    pub fn text(self, cluster: &Cluster) -> String {
        self.effect.taint(self.key, self.value, cluster)
    }
}

/// Too little of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsufficientResource {
    pub resource: ResourceId,
    /// The amount that the pod requests.
    pub requested: i64,
    /// The sum that the pods on the node request.
    pub used: i64,
    /// The amount that is allocatable on the node.
    pub allocatable: i64,
    /// The parts of the request; `None` if only containers request it.
    pub parts: Option<Arc<[RequestPart]>>,
}

impl InsufficientResource {
    /// What is free; negative if the pods on the node request more than is allocatable.
    pub fn free(&self) -> i64 {
        self.allocatable.saturating_sub(self.used)
    }

    /// How much more than what is free the pod requests.
    pub fn missing(&self) -> i64 {
        self.requested.saturating_sub(self.free())
    }

    /// Whether the empty node has enough.
    pub fn is_enough_when_empty(&self) -> bool {
        self.requested <= self.allocatable
    }
}

/// The node's domain would hold too many pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skew {
    /// Topology key.
    pub key: Sym,
    /// The node's domain.
    pub domain: Sym,
    /// Matching pods in it, not counting the incoming pod.
    pub matching: i64,
    /// Fewest matching pods of any domain.
    pub minimum: i64,
    /// 1 if the incoming pod counts itself.
    pub incoming: i64,
    /// Allowed difference.
    pub max_skew: i64,
    /// Where the fewest matching pods are; `None` if it is not known which domain has them.
    pub fewest: Option<Fewest>,
}

/// Something that only one pod of a node can use, and the pod that uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InUse {
    pub what: Contended,
    /// The pod that has it, if it is known.
    pub pod: Option<PodIx>,
    /// The port that it uses, which may be on one address only.
    pub port: Option<HostPort>,
}

/// Something that only one pod of a node can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Contended {
    Port(HostPort),
    /// The disk of the pod's volume of this name.
    Disk(Sym),
}

/// Pods in the node's domain that the pod has to keep away from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AntiAffinity {
    /// Whose rule it is.
    pub of: RuleOf,
    /// Topology key.
    pub key: Sym,
    /// The node's domain.
    pub domain: Sym,
    pub pod: Option<PodIx>,
    /// The number of these pods.
    pub pods: i64,
}

/// Whose anti-affinity keeps a pod away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleOf {
    /// That of the pod itself.
    Pod,
    /// That of pods which run already.
    Others,
}

/// The search for devices took longer than kube-scheduler allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedOut;

impl Evidence for TimedOut {
    fn nearness(&self, _: &RejectedOn) -> Nearness {
        Nearness::Full
    }

    fn obstruction(&self) -> Obstruction<'_> {
        Obstruction::Fixed
    }

    fn json(&self, _: &Cluster) -> Vec<JsonEvidence> {
        Vec::new()
    }

    fn facts<'e>(&'e self, _: &Cluster) -> Vec<Fact<'e>> {
        Vec::new()
    }
}
