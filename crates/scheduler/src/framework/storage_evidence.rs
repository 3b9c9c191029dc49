//! What keeps a pod's volumes from a node, as values: what the evidence of several plugins is made
//! of.

use std::sync::Arc;

use model::cluster::Cluster;
use model::cluster::node_selector::NodeRequirement;
use model::cluster::node_selector::unmet::Unmet;
use model::cluster::selector::Selector;
use model::cluster::symbols::Sym;

/// More volumes of a driver than a node takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VolumeLimit {
    /// What attaches them.
    pub driver: VolumeDriver,
    /// The most volumes that the node can attach.
    pub limit: i64,
    /// Volumes that are attached to it, or used on it.
    pub attached: i64,
    /// Volumes that the incoming pod adds.
    pub wanted: i64,
}

/// What attaches volumes to nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VolumeDriver {
    /// A CSI driver.
    Csi(Sym),
    /// A plugin of Kubernetes itself.
    InTree(&'static str),
}

impl VolumeDriver {
    /// Its name.
    #[must_use]
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
    /// Why it gets no new volume.
    pub cause: UnboundCause,
    /// Why it gets none of the volumes that exist, wherever the pod is to go.
    pub volumes: Arc<SearchedVolumes>,
    /// Volumes that suit it on the node and go to other claims of the pod.
    pub taken: Box<[Sym]>,
}

/// Why no volume is made for a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnboundCause {
    /// It has no storage class.
    NoClass,
    /// Its storage class does not exist.
    ClassMissing,
    /// Nothing provisions volumes of its class.
    ByHand,
    /// Its class is provisioned at once, whether or not a pod needs it, and that has not happened.
    AtOnce {
        /// What provisions it.
        provisioner: Sym,
    },
    /// Its class provisions no volumes for the node (`allowedTopologies`).
    OtherTopology,
    /// `spec.volumeName` names a volume to which it is not bound yet.
    NamesVolume {
        /// The volume.
        volume: Sym,
        /// Whether it exists.
        exists: bool,
    },
    /// Its volume is made for another node.
    ForNode {
        /// The node.
        node: Sym,
        /// Whether it exists.
        exists: bool,
        /// What says so.
        by: SelectedBy,
    },
}

impl UnboundCause {
    /// Its name in JSON.
    #[must_use]
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

/// What selects the node for which a volume is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectedBy {
    /// The annotation `volume.kubernetes.io/selected-node` of the claim.
    Annotation,
    /// A pod that was placed before and uses the claim, too.
    EarlierPod,
}

/// The volumes among which one was looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchedVolumes {
    /// Those that no claim has, the closest to suiting first, and a limited number of them.
    pub unsuited: Box<[UnsuitedVolume]>,
    /// How many more there are of these.
    pub more: usize,
    /// How many volumes of the class belong to other claims that exist.
    pub of_other_claims: usize,
}

/// A volume that does not suit a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsuitedVolume {
    /// The volume.
    pub volume: Sym,
    /// The first thing that kube-scheduler finds.
    pub mismatch: VolumeMismatch,
}

/// Why a volume does not suit a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VolumeMismatch {
    /// It is reserved for a claim that does not exist, or for an earlier one of that name.
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
    /// Its volume mode is another.
    Mode {
        /// Its mode.
        found: Sym,
        /// That of the claim.
        wanted: Sym,
    },
    /// Its volume attributes class is another.
    AttributesClass {
        /// Its class; empty for none.
        found: Sym,
        /// That of the claim; empty for none.
        wanted: Sym,
    },
    /// It is being deleted.
    Deleting,
    /// Its phase is not Available.
    NotAvailable,
    /// The selector of the claim does not select its labels.
    Selector {
        /// What the labels lack.
        unmet: Box<[Unmet]>,
    },
    /// Its storage class is another.
    Class {
        /// Its class; empty for none.
        found: Sym,
    },
    /// Its access modes do not include those of the claim.
    AccessModes {
        /// Its access modes.
        found: Box<[Sym]>,
        /// Those of the claim that it lacks.
        missing: Box<[Sym]>,
    },
    /// Only other nodes reach it.
    Unreachable {
        /// What it asks of a node, by its first term.
        asks: Box<[NodeRequirement]>,
        /// How many nodes reach it.
        nodes: usize,
    },
}

impl VolumeMismatch {
    /// Its name in JSON.
    #[must_use]
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

    /// How many of kube-scheduler's checks the volume passes: the more, the closer it comes to
    /// suiting the claim.
    #[must_use]
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
    /// Its storage class.
    pub class: Sym,
    /// The bytes that it asks for.
    pub wanted: i64,
    /// The largest volume that the storage has room for which the node reaches, in bytes; `None` if
    /// no `CSIStorageCapacity` covers the node.
    pub here: Option<i64>,
    /// What there is of the class anywhere.
    pub offers: Arc<StorageOffers>,
}

/// What the `CSIStorageCapacity` objects of a class offer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StorageOffers {
    /// Those with the most room, and a limited number of them.
    pub largest: Box<[StorageOffer]>,
    /// How many more there are.
    pub more: usize,
}

/// What a `CSIStorageCapacity` offers, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorageOffer {
    /// The bytes of the largest volume that it has room for.
    pub room: i64,
    /// The nodes from which it is accessible.
    pub topology: Selector,
    /// How many of the cluster's nodes these are.
    pub nodes: usize,
}

/// A bound volume that only some hosts have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostedVolume {
    /// Name of the claim.
    pub claim: Sym,
    /// Its volume.
    pub volume: Sym,
    /// The hosts.
    pub hosts: Box<[Sym]>,
}
