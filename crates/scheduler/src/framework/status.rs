//! The result of a filter for a node: the pod fits, or the reasons why not. Reasons are values;
//! their text equals upstream's byte for byte.

use std::collections::BTreeSet;
use std::sync::Arc;

use smallvec::SmallVec;

use super::failure::Failure;
use super::reason::{Quote, ReasonText};
use super::storage_evidence::StorageEvidence;
use crate::dra::Shortage;
use model::cluster::Cluster;
use model::cluster::devices::ClaimIx;
use model::cluster::node::NodeIx;
use model::cluster::node_selector::unmet::Unmet;
use model::cluster::pod::PodIx;
use model::cluster::resources::Resources;
use model::cluster::symbols::Sym;
use model::cluster::template::{Effect, HostPort};

/// Whether evicting pods may help. Upstream: `kube-scheduler/framework/interface.go` `Code` (1.37).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// Evicting pods may make the pod fit.
    Unschedulable,
    /// Evicting pods cannot help; preemption does not try the node.
    UnschedulableAndUnresolvable,
}

impl Code {
    /// The name of the code in upstream.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unschedulable => "Unschedulable",
            Self::UnschedulableAndUnresolvable => "UnschedulableAndUnresolvable",
        }
    }
}

/// The result of a filter for one node.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub enum Verdict {
    /// The pod fits as far as this filter is concerned.
    Fits,
    /// The filter rejects the node.
    Rejected(Rejection),
    /// The filter failed, which ends the cycle.
    Failed(Failure),
}

impl Verdict {
    /// A rejection for one reason.
    pub fn reject(code: Code, text: ReasonText, evidence: Evidence) -> Self {
        Self::Rejected(Rejection::new(code, text, evidence))
    }

    /// Whether it fits.
    #[must_use]
    pub fn fits(&self) -> bool {
        matches!(self, Self::Fits)
    }

    /// Its code, if it is a rejection.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::Rejected(rejection) => Some(rejection.code),
            Self::Fits | Self::Failed(_) => None,
        }
    }

    /// Combines two verdicts: all reasons and the worse code; the first failure replaces everything
    /// else.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (failed @ Self::Failed(_), _) | (_, failed @ Self::Failed(_)) => failed,
            (Self::Fits, verdict) | (verdict, Self::Fits) => verdict,
            (Self::Rejected(mut one), Self::Rejected(other)) => {
                one.code = one.code.max(other.code);
                one.reasons.extend(other.reasons);
                Self::Rejected(one)
            }
        }
    }
}

/// Why a node, or the pod on all nodes, is rejected.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejection {
    /// Whether preemption may help.
    pub code: Code,
    /// Reasons in upstream's order; each is counted in the message.
    pub reasons: SmallVec<[Reason; 1]>,
}

impl Rejection {
    /// A rejection for one reason.
    #[must_use]
    pub fn new(code: Code, text: ReasonText, evidence: Evidence) -> Self {
        Self { code, reasons: SmallVec::from_buf([Reason { text, evidence }]) }
    }

    /// A rejection that no eviction can resolve, without evidence beyond its text.
    #[must_use]
    pub fn unresolvable(text: ReasonText) -> Self {
        Self::new(Code::UnschedulableAndUnresolvable, text, Evidence::None)
    }

    /// The first reason that says on what it rests, else the first of all: some releases put a
    /// general reason before it.
    #[must_use]
    pub fn main_reason(&self) -> Option<&Reason> {
        self.reasons
            .iter()
            .find(|reason| reason.evidence != Evidence::None)
            .or_else(|| self.reasons.first())
    }

    /// What the reasons rest on; of several reasons those that say nothing are passed over.
    pub fn grounds(&self) -> impl Iterator<Item = &Evidence> {
        let says_something = self.reasons.iter().any(|reason| reason.evidence != Evidence::None);
        let evidence = self.reasons.iter().map(|reason| &reason.evidence);
        evidence.filter(move |evidence| !says_something || **evidence != Evidence::None)
    }

    /// The reasons as the scheduler writes them, each with its message.
    #[must_use]
    pub fn quotes(&self, cluster: &Cluster) -> Vec<Quote> {
        self.reasons.iter().map(|reason| reason.text.quote(cluster)).collect()
    }

    /// The texts of the reasons.
    #[must_use]
    pub fn texts(&self, cluster: &Cluster) -> Vec<String> {
        self.reasons.iter().map(|r| r.text.render(cluster).into_owned()).collect()
    }
}

/// One reason: the text that upstream prints, and the values behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// Upstream's text.
    pub text: ReasonText,
    /// The numbers and names on which the rejection is based.
    pub evidence: Evidence,
}

impl Reason {
    /// The texts of which kube-scheduler writes any; none if there is just one.
    pub(crate) fn any_of(&self, cluster: &Cluster) -> BTreeSet<String> {
        match &self.evidence {
            Evidence::MissingDrivers { drivers } if drivers.len() > 1 => drivers
                .iter()
                .map(|driver| self.text.message().name(*driver).render(cluster).into_owned())
                .collect(),
            _ => BTreeSet::new(),
        }
    }
}

/// A part of what a pod requests of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestPart {
    /// How much, in the unit of the resource.
    pub amount: i64,
    /// Where it comes from.
    pub origin: RequestOrigin,
}

/// Where a part of a pod's request comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestOrigin {
    /// `spec.containers`.
    Containers,
    /// Init containers that keep running.
    Sidecars {
        /// Those that request some.
        names: Vec<Sym>,
    },
    /// An init container that requests more than all that run later.
    InitContainer {
        /// Its name.
        name: Sym,
    },
    /// `spec.resources`.
    PodLevel,
    /// `spec.overhead`.
    Overhead {
        /// The RuntimeClass that sets it; may be empty.
        runtime_class: Sym,
    },
}

/// A resource of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResourceId {
    /// Thousandths of a core.
    Cpu,
    /// Bytes.
    Memory,
    /// Bytes.
    EphemeralStorage,
    /// Number of pods.
    Pods,
    /// Any other resource, in units.
    Scalar(Sym),
}

impl ResourceId {
    /// Its name in a pod's requests, e.g. `ephemeral-storage`.
    #[must_use]
    pub fn name(self, cluster: &Cluster) -> &str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::EphemeralStorage => "ephemeral-storage",
            Self::Pods => "pods",
            Self::Scalar(name) => cluster.text(name),
        }
    }

    /// How much of it there is in `resources`, which have no pods.
    #[must_use]
    pub fn of(self, resources: &Resources) -> i64 {
        match self {
            Self::Cpu => resources.milli_cpu,
            Self::Memory => resources.memory,
            Self::EphemeralStorage => resources.ephemeral_storage,
            Self::Scalar(name) => resources.scalar(name).unwrap_or(0),
            Self::Pods => 0,
        }
    }

    /// An amount in the notation of Kubernetes: `1500m`, `4`, `2Gi`.
    #[must_use]
    pub fn amount(self, value: i64, cluster: &Cluster) -> String {
        match self {
            Self::Cpu if value % 1000 == 0 => (value / 1000).to_string(),
            Self::Cpu => format!("{value}m"),
            Self::Memory | Self::EphemeralStorage => bytes(value),
            Self::Scalar(name) if cluster.text(name).starts_with("hugepages-") => bytes(value),
            Self::Pods | Self::Scalar(_) => value.to_string(),
        }
    }
}

fn bytes(value: i64) -> String {
    let units = [("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)];
    let exact = units.iter().find(|(_, bits)| value != 0 && value % (1i64 << bits) == 0);
    exact.map_or_else(|| value.to_string(), |(unit, bits)| format!("{}{unit}", value >> bits))
}

/// What the fewest matching pods of any domain are those of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fewest {
    /// They are those of a domain.
    Domain(EmptiestDomain),
    /// They count as 0, since there are fewer domains than `minDomains`.
    TooFewDomains {
        /// How many domains there are.
        domains: usize,
        /// `minDomains`.
        min_domains: i64,
    },
}

/// A domain that has as few matching pods as any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmptiestDomain {
    /// The domain, the first by the name of its nodes.
    pub domain: Sym,
    /// How many other domains have as few.
    pub others: usize,
    /// What keeps the pod from every node of the domain, all of which count nevertheless; `None` if
    /// some node is open to it.
    pub closed: Option<ClosedNode>,
}

/// A node that counts for a spread constraint although the pod cannot go there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClosedNode {
    /// The node.
    pub node: NodeIx,
    /// Why the pod cannot go there.
    pub by: ClosedBy,
}

/// Why a pod cannot go to a node that counts for its spread constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosedBy {
    /// A taint that it does not tolerate; the constraint has `nodeTaintsPolicy: Ignore`.
    Taint {
        /// Key.
        key: Sym,
        /// Value.
        value: Sym,
        /// Effect.
        effect: Effect,
    },
    /// It does not select the node; the constraint has `nodeAffinityPolicy: Ignore`.
    Labels,
    /// The node is cordoned.
    Cordon,
}

impl ClosedBy {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Taint { .. } => "Taint",
            Self::Labels => "Labels",
            Self::Cordon => "Cordon",
        }
    }
}

/// A pair of `nodeSelector` that a node's labels do not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingPair {
    /// Wanted key.
    pub key: Sym,
    /// Wanted value.
    pub value: Sym,
    /// The node's value.
    pub found: Option<Sym>,
}

/// A pod that holds devices which another pod wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceHolder {
    /// The pod.
    pub pod: PodIx,
    /// How many of the devices it holds.
    pub devices: usize,
}

/// The evidence of a rejection: the values on which it is based.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// Nothing beyond the text.
    None,
    /// `spec.nodeName` names another node.
    NodeName {
        /// The node it names.
        wanted: Sym,
    },
    /// The node is cordoned.
    Cordoned,
    /// The node lacks CSI drivers, of which kube-scheduler names any.
    MissingDrivers {
        /// The drivers, by name.
        drivers: Box<[Sym]>,
    },
    /// A taint is not tolerated.
    Taint {
        /// Key.
        key: Sym,
        /// Value.
        value: Sym,
        /// Effect.
        effect: Effect,
    },
    /// A pair of `nodeSelector` that the node's labels do not have.
    NodeSelector {
        /// Wanted key.
        key: Sym,
        /// Wanted value.
        value: Sym,
        /// The node's value.
        found: Option<Sym>,
        /// Further pairs that the labels do not have.
        also: Box<[MissingPair]>,
    },
    /// No term of the required node affinity selects the node.
    NodeAffinity {
        /// Number of terms.
        terms: usize,
        /// What the node lacks for the closest term; empty if no term can select any node.
        unmet: Box<[Unmet]>,
    },
    /// A host port is taken.
    Port {
        /// The wanted port.
        wanted: HostPort,
        /// The port in use.
        used: HostPort,
        /// A pod that uses it.
        pod: Option<PodIx>,
    },
    /// Not enough of a resource.
    Resource {
        /// The resource.
        resource: ResourceId,
        /// The amount that the pod requests.
        requested: i64,
        /// The sum that the pods on the node request.
        used: i64,
        /// The amount that is allocatable on the node.
        allocatable: i64,
        /// Where the request comes from; `None` if the containers alone request it.
        parts: Option<Arc<[RequestPart]>>,
    },
    /// The node lacks a label that makes topology domains.
    MissingLabel {
        /// The label's key.
        key: Sym,
    },
    /// The node's domain would hold too many pods.
    Spread {
        /// Topology key.
        key: Sym,
        /// The node's domain.
        domain: Sym,
        /// Matching pods in it, the incoming pod apart.
        matching: i64,
        /// Fewest matching pods of any domain.
        minimum: i64,
        /// 1 if the incoming pod counts itself.
        incoming: i64,
        /// Allowed difference.
        max_skew: i64,
        /// Where the fewest matching pods are; `None` if it is not known which domain has them.
        fewest: Option<Fewest>,
    },
    /// No pod of a required affinity term is in the node's domain.
    Affinity {
        /// Topology key.
        key: Sym,
        /// The node's domain; `None` without the label.
        domain: Option<Sym>,
    },
    /// The incoming pod has anti-affinity to a pod in the node's domain.
    AntiAffinity {
        /// Topology key.
        key: Sym,
        /// The node's domain.
        domain: Sym,
        /// One of the pods that its anti-affinity matches.
        pod: Option<PodIx>,
        /// How many there are.
        pods: i64,
    },
    /// A pod in the node's domain has anti-affinity to the incoming pod.
    ExistingAntiAffinity {
        /// Topology key.
        key: Sym,
        /// The node's domain.
        domain: Sym,
        /// One of the pods with such anti-affinity.
        pod: Option<PodIx>,
        /// How many there are.
        pods: i64,
    },
    /// The node is not among those that the volume of a claim can be used from.
    VolumeElsewhere {
        /// Name of the claim.
        claim: Sym,
        /// Its volume.
        volume: Sym,
        /// What the node lacks for the closest term of the volume's node affinity; empty if no term
        /// can select any node.
        unmet: Box<[Unmet]>,
    },
    /// Storage: volumes and their claims.
    Storage(StorageEvidence),
    /// The resource claims cannot be allocated on the node.
    Devices {
        /// The claim whose request has too few devices; `None` for extended resources, or if no
        /// single request is the cause.
        claim: Option<Sym>,
        /// How many devices of the node match, are in use or are tainted.
        shortage: Option<Box<Shortage>>,
        /// The pods that hold those which are in use, the least important first. kube-scheduler
        /// does not preempt for devices.
        holders: Box<[DeviceHolder]>,
    },
    /// Allocated claims hold devices that the node cannot use.
    ClaimElsewhere {
        /// The claims.
        claims: Box<[ClaimIx]>,
    },
    /// The search for devices took longer than kube-scheduler allows.
    TimedOut,
    /// The node does not declare a feature.
    Feature {
        /// Its name.
        name: &'static str,
    },
}
