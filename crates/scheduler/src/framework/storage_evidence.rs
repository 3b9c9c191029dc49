//! Why a pod's volumes do not work on a node, as values that the evidence of several plugins
//! consists of.

use std::sync::Arc;

use model::cluster::node_selector::NodeRequirement;
use model::cluster::node_selector::unmet::Unmet;
use model::cluster::selector::Selector;
use model::cluster::{Cluster, Sym};

/// A node would exceed its limit of a driver's volumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VolumeLimit {
    pub driver: VolumeDriver,
    /// Maximum number of volumes on the node.
    pub limit: i64,
    /// Volumes attached to it or used on it.
    pub attached: i64,
    /// Volumes that the incoming pod adds.
    pub wanted: i64,
}

/// What attaches volumes to nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VolumeDriver {
    Csi(Sym),
    /// A plugin of Kubernetes itself.
    InTree(&'static str),
}

impl VolumeDriver {
    pub fn name(self, cluster: &Cluster) -> &str {
        match self {
            Self::Csi(name) => cluster.text(name),
            Self::InTree(name) => name,
        }
    }
}

/// A claim that is not bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnboundClaim {
    /// Name of the claim.
    pub claim: Sym,
    /// Its storage class; empty for none.
    pub class: Sym,
    /// The bytes that it asks for.
    pub wanted: i64,
    /// Why no new volume is provisioned.
    pub cause: UnboundCause,
    /// Why no existing volume is bound, on any node.
    pub volumes: Arc<SearchedVolumes>,
    /// Volumes that suit it on the node but go to other claims of the pod.
    pub taken: Box<[Sym]>,
}

/// Why no volume is provisioned for a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnboundCause {
    NoClass,
    /// Its storage class does not exist.
    ClassMissing,
    /// Nothing provisions volumes of its class.
    ByHand,
    /// Its class provisions immediately, whether or not a pod needs the volume, and that has not
    /// happened yet.
    AtOnce {
        provisioner: Sym,
    },
    /// Its class provisions no volumes for the node (`allowedTopologies`).
    OtherTopology,
    /// `spec.volumeName` names a volume to which the claim is not bound yet.
    NamesVolume {
        volume: Sym,
        exists: bool,
    },
    /// Its volume is provisioned for another node.
    ForNode {
        node: Sym,
        exists: bool,
        by: SelectedBy,
    },
}

impl UnboundCause {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoClass => "NoStorageClass",
            Self::ClassMissing => "StorageClassMissing",
            Self::ByHand => "NoProvisioner",
            Self::AtOnce { .. } => "Immediate",
            Self::OtherTopology => "AllowedTopologies",
            Self::NamesVolume { .. } => "VolumeName",
            Self::ForNode { .. } => "SelectedNode",
        }
    }
}

/// What selected the node for which a volume is provisioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectedBy {
    /// The annotation `volume.kubernetes.io/selected-node` of the claim.
    Annotation,
    /// A pod that was placed before and also uses the claim.
    EarlierPod,
}

/// The volumes that were considered for a claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchedVolumes {
    /// The available ones, the closest match first, up to a limit.
    pub unsuited: Box<[UnsuitedVolume]>,
    /// How many more of these there are.
    pub more: usize,
    /// How many volumes of the class belong to other claims that exist.
    pub of_other_claims: usize,
}

/// A volume that does not match a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsuitedVolume {
    pub volume: Sym,
    /// The first mismatch that kube-scheduler finds.
    pub mismatch: VolumeMismatch,
}

/// Why a volume does not match a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VolumeMismatch {
    /// It is reserved for a claim that does not exist, or for an earlier one of the same name.
    Reserved {
        /// Namespace of the claim.
        namespace: Sym,
        /// Name of the claim.
        claim: Sym,
    },
    /// It is too small.
    Size {
        /// Its bytes.
        capacity: i64,
    },
    /// Its volume mode differs.
    Mode {
        /// Its mode.
        found: Sym,
        /// The claim's mode.
        wanted: Sym,
    },
    /// Its volume attributes class differs.
    AttributesClass {
        /// Its class; empty for none.
        found: Sym,
        /// The claim's class; empty for none.
        wanted: Sym,
    },
    /// It is being deleted.
    Deleting,
    /// Its phase is not Available.
    NotAvailable,
    /// The claim's selector does not match its labels.
    Selector {
        /// The unmet requirements.
        unmet: Box<[Unmet]>,
    },
    /// Its storage class differs.
    Class {
        /// Its class; empty for none.
        found: Sym,
    },
    /// It lacks some of the claim's access modes.
    AccessModes {
        /// Its access modes.
        found: Box<[Sym]>,
        /// The access modes that it lacks.
        missing: Box<[Sym]>,
    },
    /// Only other nodes can reach it.
    Unreachable {
        /// Its node requirements, by their first term.
        asks: Box<[NodeRequirement]>,
        /// How many nodes can reach it.
        nodes: usize,
    },
}

impl VolumeMismatch {
    /// Its name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Reserved { .. } => "Reserved",
            Self::Size { .. } => "Size",
            Self::Mode { .. } => "VolumeMode",
            Self::AttributesClass { .. } => "VolumeAttributesClass",
            Self::Deleting => "Deleting",
            Self::NotAvailable => "NotAvailable",
            Self::Selector { .. } => "Selector",
            Self::Class { .. } => "StorageClass",
            Self::AccessModes { .. } => "AccessModes",
            Self::Unreachable { .. } => "Unreachable",
        }
    }

    /// How many of kube-scheduler's checks the volume passes; more means a closer match.
    pub const fn checks_passed(&self) -> usize {
        match self {
            Self::Reserved { .. } => 0,
            Self::Size { .. } => 1,
            Self::Mode { .. } => 2,
            Self::AttributesClass { .. } => 3,
            Self::Deleting => 4,
            Self::NotAvailable => 5,
            Self::Selector { .. } => 6,
            Self::Class { .. } => 7,
            Self::AccessModes { .. } => 8,
            Self::Unreachable { .. } => 9,
        }
    }
}

/// Too little storage for a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorageSpace {
    /// Name of the claim.
    pub claim: Sym,
    pub class: Sym,
    /// The bytes that it asks for.
    pub wanted: i64,
    /// The largest volume, in bytes, that storage reachable from the node can hold; `None` if no
    /// `CSIStorageCapacity` covers the node.
    pub here: Option<i64>,
    /// What the class offers anywhere.
    pub offers: Arc<StorageOffers>,
}

/// What the `CSIStorageCapacity` objects of a class offer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StorageOffers {
    /// The largest ones, up to a limit.
    pub largest: Box<[StorageOffer]>,
    /// How many more there are.
    pub more: usize,
}

/// The offer of one `CSIStorageCapacity`, and where it applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorageOffer {
    /// The largest volume that it can hold, in bytes.
    pub room: i64,
    /// The nodes that can access it.
    pub topology: Selector,
    /// How many of the cluster's nodes these are.
    pub nodes: usize,
}

/// A bound volume that only some hosts have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostedVolume {
    /// Name of the claim.
    pub claim: Sym,
    pub volume: Sym,
    pub hosts: Box<[Sym]>,
}
