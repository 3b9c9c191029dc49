//! Why a pod's volumes do not work on a node, as values that the evidence of several plugins
//! consists of.

use std::sync::Arc;

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
