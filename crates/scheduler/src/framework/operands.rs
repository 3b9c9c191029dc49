//! The values that evidence consists of: resources and amounts, parts of requests, labels, domains,
//! holders.

use model::cluster::resources::Resources;
use model::cluster::template::TaintEffect;
use model::cluster::{Cluster, NodeIx, PodIx, Sym};

/// A part of what a pod requests of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestPart {
    /// How much, in the unit of the resource.
    pub amount: i64,
    pub origin: RequestOrigin,
}

/// The origin of a part of a pod's request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestOrigin {
    /// `spec.containers`.
    Containers,
    /// Restartable init containers.
    Sidecars {
        /// Those that request the resource.
        names: Vec<Sym>,
    },
    /// An init container that requests more than everything that runs later.
    InitContainer { name: Sym },
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
    pub fn name(self, cluster: &Cluster) -> &str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::EphemeralStorage => "ephemeral-storage",
            Self::Pods => "pods",
            Self::Scalar(name) => cluster.text(name),
        }
    }

    /// The amount in `resources`, which do not count pods.
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

/// What the minimum number of matching pods is based on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fewest {
    /// From a domain.
    Domain(EmptiestDomain),
    /// It is 0 because there are fewer domains than `minDomains`.
    TooFewDomains {
        /// How many domains there are.
        domains: usize,
        /// `minDomains`.
        min_domains: i64,
    },
}

/// A domain with the minimum number of matching pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmptiestDomain {
    /// The domain, the first in the order of its nodes' names.
    pub domain: Sym,
    /// How many other domains have the same number.
    pub others: usize,
    /// Why the pod can go to no node of the domain, although all of them count; `None` if it can go
    /// to one.
    pub closed: Option<ClosedNode>,
}

/// A node that counts for a spread constraint although the pod cannot go there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClosedNode {
    pub node: NodeIx,
    /// Why the pod cannot go there.
    pub by: ClosedBy,
}

/// Why a pod cannot go to a node that counts for its spread constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosedBy {
    /// A taint that it does not tolerate; the constraint has `nodeTaintsPolicy: Ignore`.
    Taint { key: Sym, value: Sym, effect: TaintEffect },
    /// Its own node affinity does not match; the constraint has `nodeAffinityPolicy: Ignore`.
    Labels,
    /// The node is cordoned.
    Cordon,
}

impl ClosedBy {
    /// Its name in JSON.
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

impl MissingPair {
    pub fn json(&self, cluster: &Cluster) -> json::evidence::MissingPair {
        json::evidence::MissingPair {
            label: cluster.text(self.key).to_owned(),
            wanted: cluster.text(self.value).to_owned(),
            found: self.found.map(|found| cluster.text(found).to_owned()),
        }
    }
}

/// A pod that holds devices which another pod wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceHolder {
    pub pod: PodIx,
    /// How many of the devices it holds.
    pub devices: usize,
}
